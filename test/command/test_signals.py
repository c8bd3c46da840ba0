# SPDX-License-Identifier: Apache-2.0
"""The command ends by signals, broken pipes, limits or closed streams.

In all cases a result file is complete or absent, no temporary file remains,
and the shell gets the status of the signal.
"""

import os
import resource
import signal
import subprocess
import time
import unittest

from command import FARSUM, CommandTest, Done

FATAL = ["HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "SEGV",
         "USR1", "USR2", "ALRM", "TERM", "STKFLT", "XCPU", "VTALRM", "PROF",
         "IO", "PWR", "SYS", "RTMIN", "RTMAX"]
SANITIZED = {"SEGV", "BUS", "FPE", "ILL", "ABRT", "TRAP"}
FRAMES = 400


def no_core():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def limit_files():
    no_core()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


class Signals(CommandTest):
    def setUp(self):
        super().setUp()
        self.farsum("gen", "nacl", "--cells", 1, "-o", "s.xyz")
        with open(self.path("s.xyz")) as file:
            self.one = file.read()
        self.write("many.xyz", FRAMES * self.one)
        self.before = self.files()

    def waiting(self, *words, prepare=no_core):
        """Starts a run that begins its result and waits for more frames."""
        process = subprocess.Popen(
            [FARSUM, "run", "-", *words], cwd=self.folder,
            preexec_fn=prepare, stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        process.stdin.write(4 * FRAMES * self.one.encode())
        process.stdin.flush()
        end = time.monotonic() + 60
        while self.files() == self.before and time.monotonic() < end:
            time.sleep(0.005)
        self.assertNotEqual(self.files(), self.before, "nothing was begun")
        return process

    def test_fatal_signals(self):
        with open(FARSUM, "rb") as file:
            sanitized = b"__asan" in file.read()
        for name in FATAL:
            if sanitized and name in SANITIZED:
                continue
            number = getattr(signal, "SIG" + name, 16)  # STKFLT
            process = self.waiting("-o", "out.xyz")
            process.send_signal(number)
            with self.subTest(name):
                self.assertEqual(process.wait(timeout=60), -number)
                self.assertEqual(self.files(), self.before)

    def test_ignored_signals_stay_ignored(self):
        def prepare():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.signal(signal.SIGUSR1, signal.SIG_IGN)

        process = self.waiting("-o", "out.xyz", prepare=prepare)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGUSR1)
        process.communicate(self.one.encode(), timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertEqual(len(self.frames("out.xyz")), 4 * FRAMES + 1)

    def into_broken_pipe(self, *words):
        read, write = os.pipe()
        os.close(read)
        process = subprocess.run(
            [FARSUM, *map(str, words)], cwd=self.folder, text=True,
            stdout=write, stderr=subprocess.PIPE, timeout=300)
        os.close(write)
        return process

    def broken(self, *words):
        """Expects status 1 and a message, because nobody reads the summary."""
        process = self.into_broken_pipe(*words)
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertRegex(process.stderr, "(?m)^farsum: .*Broken pipe$")

    def test_broken_pipe(self):
        self.broken("run", "many.xyz", "--tolerance", 1e-2, "-o", "out.xyz",
                    "--report", "r.json")
        self.assertEqual(len(self.frames("out.xyz")), FRAMES)
        self.assertEqual(len(self.json("r.json")["frames"]), FRAMES)
        self.broken("check", "out.xyz", "--report", "c.json")
        self.assertEqual(len(self.json("c.json")["frames"]), FRAMES)
        self.broken("tune", "s.xyz", "--report", "t.json")
        self.json("t.json")
        self.broken("bench", "scale", "--case", "laplace n=100 tol=1e-2",
                    "--csv", "b.csv", "--report", "b.json", "--repeats", 1)
        self.json("b.json")
        with open(self.path("b.csv")) as file:
            self.assertGreater(len(file.readlines()), 1)
        for words in [("run", "s.xyz"), ("gen", "nacl"), ("list", "spread"),
                      ("help",), ("--version",),
                      ("run", "s.xyz", "-o", "-")]:
            with self.subTest(words):
                self.broken(*words)
        self.assertEqual(self.files(),
                         sorted(self.before + ["b.csv", "b.json", "c.json",
                                               "out.xyz", "r.json",
                                               "t.json"]))

    def test_summary_comes_last(self):
        process = subprocess.Popen(
            [FARSUM, "run", "many.xyz", "--tolerance", "1e-2", "-o", "out.xyz",
             "--report", "r.json"], cwd=self.folder, stdout=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.read(1), b"p")
        self.assertEqual(self.files(),
                         sorted(self.before + ["out.xyz", "r.json"]))
        self.assertEqual(len(self.frames("out.xyz")), FRAMES)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)

    def limited(self, *words):
        process = subprocess.run(
            [FARSUM, *map(str, words)], cwd=self.folder, text=True,
            capture_output=True, preexec_fn=limit_files, timeout=300)
        self.assertEqual(process.returncode, 1, process.stderr)
        self.assertIn("File too large", process.stderr)

    def test_files_beyond_their_limit(self):
        self.limited("run", "many.xyz", "--tolerance", 1e-2, "-o", "out.xyz")
        self.limited("run", "s.xyz", "--report", "r.json")
        self.limited("gen", "nacl", "--cells", 4, "-o", "g.xyz")
        self.assertEqual(self.files(), self.before)
        rows = "version,machine,date,case,stage,variant,precision,threads," \
               "min,median,parameters\n" + 1000 * "-"
        self.write("b.csv", rows)
        self.limited("bench", "scale", "--case", "laplace n=100 tol=1e-2",
                     "--csv", "b.csv", "--repeats", 1)
        with open(self.path("b.csv")) as file:
            self.assertEqual(file.read(), rows)

    def test_hdf5_beyond_its_limit(self):
        self.with_hdf5()
        self.limited("run", "many.xyz", "--tolerance", 1e-2, "-o", "out.h5")
        self.assertEqual(self.files(), self.before)

    def shell(self, line):
        process = subprocess.run(
            ["sh", "-c", line], cwd=self.folder, text=True,
            env={**os.environ, "F": FARSUM}, capture_output=True, timeout=300)
        return Done(process)

    def test_closed_streams(self):
        run = '"$F" run many.xyz --tolerance 1e-2 --threads 1 ' \
              '--deterministic --report r.json -o '
        self.assertEqual(self.shell(run + "want.xyz").status, 0)
        with open(self.path("want.xyz")) as file:
            want = file.read()
        for closed in ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"]:
            with self.subTest(closed):
                done = self.shell(run + "out.xyz " + closed)
                self.assertEqual(done.status, 0, done.err)
                with open(self.path("out.xyz")) as file:
                    self.assertEqual(file.read(), want)
                self.json("r.json")
        self.shell('"$F" gen nacl -o g.h5 <&- >&- 2>&-')
        done = self.shell('"$F" gen nacl >&-')
        self.assertEqual(done.status, 2)
        self.assertIn("standard output, which is closed", done.err)
        done = self.shell('"$F" run - <&-')
        self.assertEqual(done.status, 2)
        self.assertIn("standard input, which is closed", done.err)


if __name__ == "__main__":
    unittest.main()
