# SPDX-License-Identifier: Apache-2.0
"""Files that options name: no file twice; each is complete, synced and renamed.
"""

import os
import stat
import subprocess
import unittest

from command import FARSUM, CommandTest, Done

SHIM = os.environ.get("SHIM", "")
CASE = ["--case", "laplace n=100 tol=1e-2"]


class Named(CommandTest):
    def setUp(self):
        super().setUp()
        self.farsum("gen", "nacl", "--cells", 1, "-o", "s.xyz")
        self.write_targets("t.xyz", 5, 1)
        self.write("pairs.txt", "1 2\n")

    def snapshot(self):
        def about(path):
            st = os.lstat(path)
            text = b""
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    text = file.read()
            return st.st_ino, st.st_mode, text
        return {name: about(self.path(name)) for name in self.files()}

    def untouched(self, *words):
        before = self.snapshot()
        self.refused(2, "are one file|cannot both be standard", *words)
        self.assertEqual(self.snapshot(), before, words)

    def test_named_twice(self):
        os.mkdir(self.path("d"))
        os.link(self.path("s.xyz"), self.path("hard.xyz"))
        os.symlink("s.xyz", self.path("soft.xyz"))
        os.symlink("later.json", self.path("dangling.json"))
        os.symlink("../later.json", self.path("d/dangling.json"))
        os.symlink("d", self.path("e"))
        run = ["run", "s.xyz"]
        for words in [
                [*run, "-o", "r", "--report", "r"],
                [*run, "-o", "r.xyz", "--report", "r.xyz"],
                [*run, "-o", "r.xyz", "--report", "./d/../r.xyz"],
                [*run, "-o", "d/r.xyz", "--report", "e/r.xyz"],
                [*run, "-o", self.path("r.xyz"), "--report", "r.xyz"],
                [*run, "--report", "s.xyz"],
                [*run, "--report", "hard.xyz"],
                [*run, "--report", "soft.xyz"],
                ["run", "soft.xyz", "--report", "s.xyz"],
                [*run, "-o", "hard.xyz"],
                [*run, "-o", "soft.xyz"],
                [*run, "-o", "s.xyz", "--format", "lammps"],
                [*run, "-o", "s.xyz", "--targets", "t.xyz"],
                [*run, "-o", "t.xyz", "--targets", "t.xyz"],
                [*run, "--report", "t.xyz", "--targets", "t.xyz"],
                [*run, "--report", "pairs.txt", "--exclude", "pairs.txt"],
                [*run, "--report", "later.json", "-o", "dangling.json"],
                [*run, "--report", "d/dangling.json", "-o", "later.json"],
                [*run, "-o", "-", "--report", "-"],
                [*run, "-o", "-", "--report", "/dev/stdout"],
                ["run", "-", "--targets", "-"],
                ["check", "s.xyz", "--report", "s.xyz"],
                ["check", "s.xyz", "--sources", "t.xyz", "--report", "t.xyz"],
                ["tune", "s.xyz", "--report", "s.xyz"],
                ["tune", "s.xyz", "--model", "--csv", "s.xyz"],
                ["tune", "s.xyz", "--model", "--csv", "m", "--report", "m"],
                ["tune", "--map", "m.svg", "--report", "m.svg"],
                ["bench", "scale", *CASE, "--csv", "b", "--report", "b"],
                ["bench", "scale", *CASE, "--plot", "b", "--csv", "b"],
                ["bench", "scale", *CASE, "--plot", "b", "--report", "b"],
                ["bench", "scale", "--input", "s.xyz", "--csv", "s.xyz"],
                ["bench", "scale", "--input", "s.xyz", "--plot", "s.xyz"],
                ["bench", "scale", *CASE, "--against", "pairs.txt",
                 "--report", "pairs.txt"]]:
            with self.subTest(words):
                self.untouched(*words)

    def test_report_over_particles_that_a_result_names(self):
        self.farsum("run", "s.xyz", "--targets", "t.xyz", "-o", "out.xyz")
        self.farsum("check", "out.xyz", "--report", "c.json")
        os.symlink("s.xyz", self.path("link"))
        before = self.snapshot()
        for name in ["s.xyz", "link"]:
            self.refused(1, "are one file", "check", "out.xyz", "--report",
                         name)
        self.assertEqual(self.snapshot(), before)

    def test_standard_output_is_the_file(self):
        for words, name in [(["run", "s.xyz", "-o", "r.xyz"], "r.xyz"),
                            (["run", "s.xyz", "--report", "r.xyz"], "r.xyz"),
                            (["run", "hard.xyz"], "s.xyz")]:
            if not os.path.exists(self.path("hard.xyz")):
                os.link(self.path("s.xyz"), self.path("hard.xyz"))
            with open(self.path(name), "a") as out:
                before = self.snapshot()
                process = subprocess.run(
                    [FARSUM, *words], cwd=self.folder, stdout=out,
                    stderr=subprocess.PIPE, text=True)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertIn("standard output are one file", process.stderr)
            self.assertEqual(self.snapshot(), before)

    def test_legal(self):
        run = ["run", "s.xyz", "--tolerance", 1e-2]
        self.farsum(*run, "-o", "/dev/null", "--report", "/dev/null")
        self.farsum(*run, "--targets", "s.xyz", "-o", "r.xyz")
        for name in ["-", "/dev/stdout", "/dev/fd/1"]:
            done = self.farsum(*run, "-o", name)
            self.assertEqual(done.out.split("\n")[0], "8")
            self.assertIn("energy", done.err)
            done = self.farsum(*run, "--report", name)
            self.assertEqual(done.out[0], "{")
        self.farsum(*run, "-o", "s.xyz")
        self.assertIn("forces", self.frame("s.xyz").columns)
        bench = ["bench", "scale", *CASE, "--repeats", 1, "--csv", "b.csv"]
        self.farsum(*bench)
        self.farsum(*bench, "--against", "b.csv")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))

    def test_standard_output_is_appended_to(self):
        with open(self.path("all"), "w") as out:
            out.write("first\n")
            out.flush()
            subprocess.run([FARSUM, "gen", "nacl", "-o", "/dev/stdout"],
                           cwd=self.folder, stdout=out, check=True)
        with open(self.path("all")) as file:
            self.assertEqual(file.read(6), "first\n")

    def test_empty_name(self):
        for option in ["-o", "--report"]:
            self.refused(2, "expected FILE", "run", "s.xyz", option, "")

    def test_links_stay(self):
        os.mkdir(self.path("d"))
        self.write("d/old.json", "old")
        os.chmod(self.path("d/old.json"), 0o604)
        for name in ["old.json", "new.json"]:
            os.symlink(f"d/{name}", self.path(name))
            self.farsum("run", "s.xyz", "--report", name)
            self.assertTrue(os.path.islink(self.path(name)))
            self.json(f"d/{name}")
        mode = os.stat(self.path("d/old.json")).st_mode & 0o777
        self.assertEqual(mode, 0o604)
        self.assertEqual(sorted(os.listdir(self.path("d"))),
                         ["new.json", "old.json"])

    def test_mode_by_umask(self):
        for mask, mode in [(0o027, 0o640), (0, 0o666)]:
            name = f"m{mode:o}.json"
            old = os.umask(mask)
            self.addCleanup(os.umask, old)
            self.farsum("run", "s.xyz", "--report", name)
            os.umask(old)
            self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, mode)

    def shimmed(self, *words, fail=""):
        log = self.path("log")
        if os.path.exists(log):
            os.unlink(log)
        process = subprocess.run(
            [FARSUM, *map(str, words)], cwd=self.folder, text=True,
            capture_output=True,
            env={**os.environ, "LD_PRELOAD": SHIM, "SHIM_LOG": log,
                 "SHIM_FAIL": fail})
        with open(log) as file:
            lines = [line.split(" ") for line in file.read().splitlines()]
        os.unlink(log)
        return Done(process), lines

    def whole(self, lines, name):
        """A file is created exclusively, written, synced and renamed; then the
        folder is synced."""
        target = self.path(name)
        renames = [k for k, line in enumerate(lines) if line[0] == "rename"
                   and os.path.join(self.folder, line[2]) == target]
        self.assertEqual(len(renames), 1, lines)
        end = renames[0]
        temporary = lines[end][1]
        whole = os.path.join(self.folder, temporary)
        steps = [line[0] for line in lines[:end] if line[1] in
                 (temporary, whole)]
        made = next(line for line in lines if line[0] == "open"
                    and line[1] == temporary)
        self.assertEqual(made[2], "excl")
        self.assertEqual(steps[0], "open")
        self.assertEqual(steps[-2:], ["write", "fsync"])
        self.assertEqual([line[:2] for line in lines[end + 1:end + 2]],
                         [["fsync", self.folder]])

    @unittest.skipUnless(SHIM, "sanitizers want to be loaded first")
    def test_synced_and_renamed(self):
        for words, name in [
                (["run", "s.xyz", "-o", "out.xyz"], "out.xyz"),
                (["run", "s.xyz", "--report", "r.json"], "r.json"),
                (["gen", "nacl", "-o", "g.xyz"], "g.xyz"),
                (["tune", "--map", "m.svg"], "m.svg")]:
            with self.subTest(words):
                done, lines = self.shimmed(*words)
                self.assertEqual(done.status, 0, done.err)
                self.whole(lines, name)

    @unittest.skipUnless(SHIM, "sanitizers want to be loaded first")
    def test_failures_in_words(self):
        before = self.files()
        for call, why in [("write", "No space left on device"),
                          ("fsync", "Input/output error"),
                          ("rename", "Input/output error")]:
            for option in ["-o", "--report"]:
                with self.subTest(f"{call} {option}"):
                    done, _ = self.shimmed("run", "s.xyz", option, "out.xyz",
                                           fail=call)
                    self.assertEqual(done.status, 1)
                    self.assertIn(why, done.err)
                    self.assertIn("out.xyz", done.err)
                    self.assertEqual(self.files(), before)


class Cache(CommandTest):
    """The cache does not use a folder that others can write to, and says so."""

    def test_folder_of_anybody(self):
        folder = self.path("cache")
        self.farsum("gen", "nacl", "--cells", 2, "-o", "s.xyz")
        words = ["run", "s.xyz", "--tolerance", 1e-3, "--measure"]
        os.environ["FARSUM_CACHE_DIR"], old = \
            folder, os.environ.get("FARSUM_CACHE_DIR", "")
        self.addCleanup(os.environ.__setitem__, "FARSUM_CACHE_DIR", old)
        self.farsum(*words)
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
        self.assertIn("wisdom", os.listdir(folder))
        self.farsum("cache", "clear")
        self.assertEqual(os.listdir(folder), [])
        os.chmod(folder, 0o777)
        done = self.farsum(*words)
        self.assertEqual(done.err.count("it is not used: chmod go-w"), 1)
        self.assertEqual(os.listdir(folder), [])
        self.refused(1, "chmod go-w", "cache", "list")
        self.refused(1, "chmod go-w", "cache", "clear")
        os.chmod(folder, 0o700)
        self.write("cache/wisdom.tmp-abcdef", "half")
        self.assertIn("1 left over", self.farsum("cache").out)
        self.assertIn("1 left over removed", self.farsum("cache", "clear").out)
        self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
