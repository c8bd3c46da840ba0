# SPDX-License-Identifier: Apache-2.0
"""farsum run over ranks of MPI: the results of one process, one voice.

$MPIEXEC is the launcher of libfarsum_mpi's MPI with its options.  $INSTALLED is
the command and $LIBRARY the library of an installation without libfarsum_mpi.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import time
import unittest

from command import FARSUM, CommandTest, Done

MPIEXEC = os.environ.get("MPIEXEC", "").split()
PLAIN = ("--method", "spectral", "--verify", "off", "--threads", "1")
# Exchanges that cost nothing: so ranks choose the parameters of one process.
FREE = ("--link-latency", "1e-30", "--link-bandwidth", "1e30")
BRIEF = {"OMPI_MCA_odls_base_sigkill_timeout": "1"}  # no rank has work left
CHANGES = ("energy", "virial", "farsum_estimated_error")  # to rounding


def without_launcher(text):
    """What the command printed, without the launcher's lines."""
    return [line for line in text.splitlines() if line.startswith("farsum:")]


@unittest.skipUnless(MPIEXEC, "built without MPI")
class Ranks(CommandTest):
    def launch(self, ranks, *words, status=0, stdin=None, environment=None):
        """Runs `ranks` copies and expects a status."""
        process = subprocess.run(
            [*MPIEXEC, "-n", str(ranks), FARSUM, *map(str, words)],
            cwd=self.folder, text=True, capture_output=True, timeout=100,
            input=stdin, env=environment)
        done = Done(process)
        self.assertEqual(done.status, status, f"{words}: {done.out}{done.err}")
        return done

    def refused_by_all(self, ranks, status, pattern, *words, **options):
        """Runs copies, and expects one message."""
        options.setdefault("environment", {**os.environ, **BRIEF})
        done = self.launch(ranks, *words, status=status, **options)
        said = without_launcher(done.err)
        self.assertEqual(len(said), 1, done.err)
        self.assertRegex(said[0], pattern)
        return done

    def random_file(self, name, *counts):
        """Writes frames with columns of all types; the cell changes."""
        draw = random.Random(1)
        text = ""
        for k, count in enumerate(counts):
            edge = 10 + k
            text += (f"{count}\nLattice=\"{edge} 0 0 1 {edge} 0 0 0 {edge}\" "
                     "Properties=species:S:1:pos:R:3:charge:R:1:id:I:1:ok:L:1:"
                     f"label:S:1 note=\"frame {k}\"\n")
            for i in range(count):
                x = " ".join(f"{edge * draw.random():.6f}" for _ in "xyz")
                text += (f"{draw.choice(['Na', 'Cl', 'K'])} {x} "
                         f"{1 - 2 * (i % 2)} {i} {'TF'[i % 3 == 0]} "
                         f"a{'b' * draw.randrange(20)}\n")
        return self.write(name, text)

    def same(self, one, other, estimate=1e-10):
        """Two files are the same; sums may differ by rounding, and estimates
        by more if ranks order the particles in another way."""
        a, b = self.frames(one), self.frames(other)
        self.assertEqual(len(a), len(b))
        for f, g in zip(a, b):
            self.assertEqual(list(f.keys), list(g.keys))
            for key in f.keys:
                if key in CHANGES:
                    part = estimate if "estimate" in key else 1e-10
                    self.near([float(v) for v in f.keys[key].split()],
                              [float(v) for v in g.keys[key].split()], part)
                else:
                    self.assertEqual(f.keys[key], g.keys[key])
            self.assertEqual(f.order, g.order)
            for name in f.order:
                if name in ("potential", "forces", "velocity", "field"):
                    self.near(f.columns[name], g.columns[name])
                else:
                    self.assertEqual(f.columns[name], g.columns[name], name)

    def near(self, a, b, part=1e-11):
        flat = [[v for row in rows
                 for v in (row if isinstance(row, list) else [row])]
                for rows in (a, b)]
        self.assertEqual(len(flat[0]), len(flat[1]))
        most = max(map(abs, flat[0]))
        for v, w in zip(*flat):
            self.assertAlmostEqual(v, w, delta=part * most)

    def compare(self, ranks, name, *words, out="out.xyz"):
        """Sums a file in one process and over ranks."""
        one = self.farsum("run", name, *PLAIN, *words, "-o", "one-" + out)
        many = self.launch(ranks, "run", name, *PLAIN, *FREE, *words, "-o",
                           "many-" + out)
        self.assertEqual(many.err, one.err)
        self.assertEqual(re.findall("(?m)^particles [0-9]*", many.out),
                         re.findall("(?m)^particles [0-9]*", one.out))
        return many

    def test_results(self):
        self.random_file("in.xyz", 501, 501, 2)
        self.compare(3, "in.xyz")
        self.same("one-out.xyz", "many-out.xyz")
        done = self.farsum("run", "in.xyz", *PLAIN, *FREE, "-o", "again.xyz",
                           "--ranks", 2)
        self.assertEqual(done.out.count("particles 501"), 1)
        self.same("one-out.xyz", "again.xyz")
        self.farsum("run", "in.xyz", *PLAIN, "-o", "again.xyz", "--ranks=1")
        self.same("one-out.xyz", "again.xyz")

    def test_many_slices(self):
        self.farsum("gen", "uniform", "-n", 50001, "--cell", "30,30,30", "-o",
                    "in.xyz")
        self.compare(2, "in.xyz", "--tolerance", "1e-3")
        self.same("one-out.xyz", "many-out.xyz")

    def test_targets(self):
        self.random_file("in.xyz", 50, 50)
        self.write_targets("at.xyz", 2, 10)
        self.compare(3, "in.xyz", "--targets", "at.xyz")
        self.same("one-out.xyz", "many-out.xyz")

    def test_exclusions(self):
        """Pairs by ids, of sources, and of targets and sources."""
        self.random_file("in.xyz", 100, 100)
        draw = random.Random(3)
        self.write("pairs", "".join(f"{a} {draw.randrange(a + 1, 100)} 0.25\n"
                                    for a in range(0, 90, 3)))
        self.write_targets("at.xyz", 2, 10)
        self.write("apart", "1 7\n2 98 0.5\n1 50\n")
        self.compare(3, "in.xyz", "--exclude", "pairs")
        self.same("one-out.xyz", "many-out.xyz")
        self.compare(3, "in.xyz", "--exclude", "apart", "--targets", "at.xyz")
        self.same("one-out.xyz", "many-out.xyz")
        self.write("lost", "1 2\n3 777\n")
        self.refused_by_all(3, 1, "lost:2: found no particle with the id 777$",
                            "run", "in.xyz", *PLAIN, "--exclude", "lost")

    def test_streams(self):
        self.random_file("in.xyz", 100)
        with open(self.path("in.xyz")) as file:
            text = file.read()
        self.farsum("run", "in.xyz", *PLAIN, "-o", "one.xyz", "--report",
                    "one.json")
        self.assertIsNone(self.json("one.json")["ranks"])
        done = self.launch(2, "run", "-", *PLAIN, "-o", "-", "--report",
                           "r.json", stdin=text)
        self.assertRegex(done.err, r"(?m)^ranks     2, each with .* imbalance")
        self.write("many.xyz", done.out)
        self.same("one.xyz", "many.xyz")
        self.check_report(self.json("r.json"), done.err)

    def check_report(self, report, summary):
        self.assertEqual(report["n_sources"], 100)
        self.assertEqual(len(report["frames"]), 1)
        ranks = report["ranks"]
        self.assertEqual([r["rank"] for r in ranks], [0, 1])
        self.assertEqual([r["of_file"] for r in ranks], [50, 50])
        own = [r["particles"] for r in ranks]
        self.assertEqual(sum(own), 100)
        self.assertAlmostEqual(report["imbalance"], max(own) / 50)
        for rank in ranks:
            self.assertGreater(rank["ghosts"], 0)
            self.assertGreater(rank["execute"], 0)
            self.assertGreaterEqual(rank["threads"], 1)
            self.assertEqual(list(rank["exchanges"]), [
                "agreements", "route", "ghosts", "planes", "transform"])
            for name, one in rank["exchanges"].items():
                self.assertGreater(one["bytes"], 0, name)
                self.assertGreater(one["seconds"], 0, name)
        for name in ranks[0]["exchanges"]:
            sent, took = ([r["exchanges"][name][k] for r in ranks]
                          for k in ("bytes", "seconds"))
            line = re.search(rf"(?m)^{name}( +\S+){{4}}$", summary)[0].split()
            for v, w in zip(line[1:], (sum(sent), max(sent), *sorted(took))):
                self.assertAlmostEqual(float(v) / w, 1, delta=1e-3, msg=name)

    def test_domain(self):
        """Pencils have the results of slabs; the report names the parts."""
        self.random_file("in.xyz", 501)
        self.farsum("run", "in.xyz", *PLAIN, "-o", "one.xyz")
        for given, parts in (("4x1", [4, 1]), ("2x2", [2, 2]), ("0x4", [1, 4])):
            many = self.launch(4, "run", "in.xyz", *PLAIN, *FREE, "--domain",
                               given, "-o", "many.xyz", "--report", "r.json")
            self.same("one.xyz", "many.xyz")
            self.assertEqual(self.json("r.json")["domain"], parts)
            named = f"{parts[0]} x {parts[1]} pencils, " if parts[1] > 1 else ""
            self.assertRegex(many.out, f"(?m)^ranks     4, {named}each with ")
        self.refused_by_all(2, 1, ": domain is 3 x 2, which does not make "
                            "2, the number of ranks$", "run", "in.xyz", *PLAIN,
                            "--domain", "3x2")
        self.refused_by_all(2, 1, ": domain is 1 x 2; with method fmm only "
                            "slabs work yet, 2 x 1$", "run", "in.xyz",
                            "--method", "fmm", "--no-virial", "--domain", "1x2")
        self.refused(2, "run: --domain requires several copies", "run",
                     "in.xyz", *PLAIN, "--domain", "2x2")

    def test_device(self):
        """Each rank has a device, and the report names it."""
        self.random_file("in.xyz", 501, 501)
        exact = ("in.xyz", *PLAIN, "--tolerance", "1e-9")
        self.farsum("run", *exact, "-o", "one.xyz")
        many = self.launch(2, "run", *exact, "--device", "opencl",
                           "--transport", "staged", "-o", "many.xyz",
                           "--report", "r.json")
        self.assertRegex(many.out, "(?m)^ +devices opencl:0.*; exchanges by "
                         "staged$")
        for f, g in zip(self.frames("one.xyz"), self.frames("many.xyz")):
            self.near(f.columns["forces"], g.columns["forces"], 1e-8)
        report = self.json("r.json")
        self.assertEqual(report["transport"], "staged")
        for rank in report["ranks"]:
            self.assertRegex(rank["device"], "^opencl:[0-9]$")
            self.assertTrue(rank["device_model"])

    def test_formats(self):
        self.with_hdf5()
        self.random_file("in.xyz", 101, 101)
        self.write("in.pqr", "CRYST1 20 21 22 90 90 90\n" + "".join(
            f"ATOM {i + 1} N ALA 1 {i % 20} {i // 20 % 20} {i // 400} "
            f"{0.5 - i % 2} 1.5\n" for i in range(8500)))
        self.write("pairs", "".join(f"{i} {8501 - i} {i % 3 / 2}\n"
                                    for i in range(1, 4200, 5)))
        self.write("in.data", "title\n\n60 atoms\n2 atom types\n0 10 xlo xhi\n"
                   "0 10 ylo yhi\n0 10 zlo zhi\n\nAtoms # atomic\n\n"
                   + "".join(f"{60 - i} {1 + i % 2} {i % 10} {i // 10} {i % 7}"
                             "\n" for i in range(60)))
        self.farsum("run", "in.xyz", *PLAIN, "-o", "in.h5")
        tuned = self.farsum("tune", "in.pqr", *PLAIN, "--tolerance", "1e-3")
        same = re.search("^options (.*)", tuned.out, re.M).group(1).split()
        self.compare(2, "in.pqr", "--exclude", "pairs", "--tolerance", "1e-3",
                     *same)
        self.same("one-out.xyz", "many-out.xyz", estimate=0.1)
        self.compare(2, "in.data", "--charge", "1=1,2=-1")
        self.same("one-out.xyz", "many-out.xyz")
        self.compare(3, "in.h5", out="out.h5")
        for name in "one", "many":  # the texts of these files
            self.farsum("run", name + "-out.h5", *PLAIN, "-o", name + ".xyz")
        self.same("one.xyz", "many.xyz")

    def test_flows(self):
        self.farsum("gen", "uniform", "-n", 200, "--kernel", "stresslet",
                    "--cell", "8,8,8", "-o", "in.xyz")
        many = self.compare(3, "in.xyz", "--kernel", "stresslet")
        self.same("one-out.xyz", "many-out.xyz")
        one = self.farsum("run", "in.xyz", *PLAIN, "--kernel", "stresslet")
        numbers = [[float(v) for v in re.findall(
            r"-?\d[\d.e+-]*", re.search("^velocity.*$", done.out,
                                        re.M).group())]
            for done in (one, many)]
        self.near(*numbers)
        # a value that another rank than 0 refuses
        with open(self.path("in.xyz")) as file:
            lines = file.read().splitlines()
        words = lines[151].split()
        lines[151] = " ".join(words[:-1] + ["nan"])
        self.write("bad.xyz", "\n".join(lines) + "\n")
        said = self.refused(1, "line 152: .* of particle 150, found nan", "run",
                            "bad.xyz", *PLAIN, "--kernel", "stresslet").err
        many = self.refused_by_all(3, 1, "rank 2: bad.xyz", "run", "bad.xyz",
                                   *PLAIN, "--kernel", "stresslet", "-o",
                                   "none.xyz")
        self.assertEqual(without_launcher(many.err)[0].replace("rank 2: ", ""),
                         said.strip())
        self.assertNotIn("none.xyz", self.files())

    def test_failures(self):
        """One message, the status of one process, no files."""
        rows = "".join(f"{i} 0 0 {1 - 2 * (i % 2)}\n" for i in range(8))
        head = "{}\nLattice=\"9 0 0 0 9 0 0 0 9\" Properties=pos:R:3:{}:R:1\n"
        good = head.format(8, "charge") + rows
        cases = [
            (1, "bad.xyz:9:3: expected a real number", "bad.xyz", (),
             good.replace("6 0 0", "6 q 0")),
            (1, "frame 2: found no charges", "second.xyz", (),
             good + head.format(8, "mass") + rows),
            (1, "frame 1: particles 7 and 8 coincide", "twins.xyz", (),
             good.replace("7 0 0", "6 0 0")),
            (2, "--check does not work over ranks", "good.xyz", ("--check",),
             good),
            (2, "are one file", "good.xyz", ("--report", "good.xyz"), None),
        ]
        for status, pattern, name, words, text in cases:
            if text:
                self.write(name, text)
            before = self.files()
            with self.subTest(name, words=words):
                self.refused_by_all(2, status, pattern, "run", name, *PLAIN,
                                    "-o", "out.xyz", *words)
                self.assertEqual(self.files(), before)

    def test_bench_exchange(self):
        """One table, by rank 0, and its rows in a file."""
        done = self.launch(2, "bench", "exchange", "--repeats", 2, "--csv",
                           "times.csv")
        self.assertEqual(done.out.count("2 ranks, 2 repeats"), 1)
        with open(self.path("times.csv")) as file:
            header, *rows = file.read().split()
        self.assertEqual(header, "ranks,pattern,bytes,min,median")
        sizes = {"agreement": [], "all": [], "neighbours": []}
        printed = re.findall(r"(?m)^(all|agreement|neighbours) +(\d+) +(\S+) "
                             r"+(\S+) +(\S+)$", done.out)
        self.assertEqual(len(printed), len(rows))
        for row, shown in zip(rows, printed):
            ranks, pattern, size, least, median = row.split(",")
            self.assertEqual((ranks, pattern, size), ("2", *shown[:2]))
            sizes[pattern].append(int(size))
            self.assertGreater(float(least), 0)
            self.assertGreaterEqual(float(median), float(least))
            self.assertAlmostEqual(float(shown[2]) / float(least), 1, 3)
            sent = (2 if pattern == "neighbours" else 1) * int(size)
            rate = 1e-9 * sent / float(least)
            self.assertAlmostEqual(float(shown[4]) / rate, 1, 2)
        self.assertEqual(sizes["agreement"], [8])
        self.assertEqual(sizes["all"], sizes["neighbours"])
        self.assertEqual((sizes["all"][0], sizes["all"][-1]), (8, 64 << 20))

    def test_bench_exchange_refused(self):
        alone = "exchange requires several ranks; start it by mpirun"
        self.refused(2, alone, "bench", "exchange")
        self.refused_by_all(1, 2, alone, "bench", "exchange")
        self.refused_by_all(2, 2, "does not accept --tolerance, only",
                            "bench", "exchange", "--tolerance", "1e-3")
        self.refused_by_all(2, 2, "accepts no further word",
                            "bench", "exchange", "near")
        self.refused_by_all(2, 2, "--ranks 3, but the launcher started 2",
                            "bench", "exchange", "--ranks", 3)
        self.refused_by_all(2, 1, "bench: no/x: cannot be written: No such",
                            "bench", "exchange", "--repeats", 1, "--csv",
                            "no/x")
        self.refused(2, "--ranks requires exchange", "bench", "near",
                     "--ranks", 2)

    def test_full_disk(self):
        self.random_file("in.xyz", 500)
        self.refused_by_all(2, 1, "/dev/full: .*No space", "run", "in.xyz",
                            *PLAIN, "-o", "/dev/full")

    def test_interrupt(self):
        self.random_file("in.xyz", 100)
        os.mkfifo(self.path("pipe.xyz"))
        before = self.files()
        # Open MPI gives interrupted ranks 10 seconds to remove their files
        patient = {**os.environ, "OMPI_MCA_odls_base_sigkill_timeout": "10"}
        process = subprocess.Popen(
            [*MPIEXEC, "-n", "2", FARSUM, "run", "pipe.xyz", *PLAIN, "-o",
             "out.xyz"], cwd=self.folder, env=patient,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        pipe = open(self.path("pipe.xyz"), "w")
        self.addCleanup(pipe.close)
        with open(self.path("in.xyz")) as file:
            pipe.write(file.read())
        pipe.flush()
        end = time.monotonic() + 60
        while self.files() == before and time.monotonic() < end:
            time.sleep(0.01)
        self.assertNotEqual(self.files(), before, "nothing was begun")
        process.send_signal(signal.SIGINT)
        self.assertNotEqual(process.wait(timeout=60), 0)
        while self.files() != before and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(self.files(), before)

    def test_patience(self):
        """The last copy is stopped, as one that hangs; the others end."""
        self.random_file("in.xyz", *[300] * 3)
        options = ["run", "pipe.xyz", *PLAIN, "--patience", "5"]
        one = self.farsum(*options, status=2)
        self.assertIn("--patience requires several copies", one.err)
        os.mkfifo(self.path("pipe.xyz"))
        # the last copy writes its process's number, and is stopped when the
        # first one has opened the file: then no copy has summed
        tells = ('test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 2 && '
                 'echo $$ >part && mv part last; exec "$@"')
        process = subprocess.Popen(
            [*MPIEXEC, "-n", "3", "sh", "-c", tells, "sh", FARSUM, *options,
             "-o", "out.xyz"],
            cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        with open(self.path("pipe.xyz"), "w") as pipe:
            with open(self.path("last")) as file:
                os.kill(int(file.read()), signal.SIGSTOP)
            with open(self.path("in.xyz")) as file:
                pipe.write(file.read())
        said = process.communicate(timeout=90)[1]
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(said, r"rank \d: rank \d waited 5 s for")

    def test_another_mpi(self):
        """The copies of another MPI's launcher do not find each other."""
        marks = {**os.environ, "MV2_COMM_WORLD_SIZE": "3",
                 "MV2_COMM_WORLD_RANK": "0"}
        self.random_file("in.xyz", 10)
        for rank in "0", "1":
            marks["MV2_COMM_WORLD_RANK"] = rank
            process = subprocess.run(
                [FARSUM, "run", "in.xyz", *PLAIN, "-o", "out.xyz"],
                cwd=self.folder, env=marks, text=True, capture_output=True)
            self.assertEqual(process.returncode, 1)
            self.assertEqual(process.stdout, "")
            self.assertRegex(process.stderr, "found 1 of 3" if rank == "0"
                             else "^$")
        for words in ("--ranks", "2"), ("--bogus",):
            process = subprocess.run(
                [FARSUM, "run", "in.xyz", *words], cwd=self.folder,
                env={**marks, "MV2_COMM_WORLD_RANK": "0"}, text=True,
                capture_output=True)
            self.assertEqual(process.returncode, 2)
            self.assertRegex(process.stderr, "^farsum: .*(--bogus|--ranks 2, "
                             "but the launcher started 3)")
        process = subprocess.run(
            [FARSUM, "run", "in.xyz", *PLAIN, "--ranks", "1"],
            cwd=self.folder, env=marks, text=True, capture_output=True)
        self.assertEqual(process.returncode, 0)
        self.assertIn("particles 10", process.stdout)


class Missing(CommandTest):
    """An installation without libfarsum_mpi, or without a launcher."""

    def setUp(self):
        super().setUp()
        bin, lib = self.path("bin"), self.path(os.environ["LIBRARY_FOLDER"])
        os.makedirs(bin)
        os.makedirs(lib)
        self.command = shutil.copy(os.environ["INSTALLED"], bin)
        library = os.environ["LIBRARY"]
        shutil.copy(library, lib)
        self.write("in.xyz", "2\nLattice=\"9 0 0 0 9 0 0 0 9\" "
                   "Properties=pos:R:3:charge:R:1\n1 1 1 1\n2 2 2 -1\n")

    def run_with(self, environment, *words, command=None):
        process = subprocess.run(
            [command or self.command, "run", "in.xyz", *words],
            cwd=self.folder, env={**os.environ, **environment}, text=True,
            capture_output=True)
        return Done(process)

    def test_missing_library(self):
        marks = [("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"),
                 ("PMI_SIZE", "PMI_RANK"),
                 ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID"),
                 (None, "PMIX_RANK")]
        for size, rank in marks:
            environment = {rank: "0", **({size: "4"} if size else {})}
            with self.subTest(rank):
                done = self.run_with(environment, "-o", "out.xyz")
                self.assertEqual(done.status, 1)
                self.assertRegex(done.err, "^farsum: run: (srun|a launcher) "
                                 "started several copies .*libfarsum_mpi.*"
                                 "start one copy")
                self.assertEqual(done.err.count("\n"), 1)
                environment[rank] = "1"
                done = self.run_with(environment, "-o", "out.xyz")
                self.assertEqual((done.status, done.err), (1, ""))
                self.assertNotIn("out.xyz", self.files())
        done = self.run_with({}, "--ranks", "2")
        self.assertEqual(done.status, 1)
        self.assertRegex(done.err, "--ranks needs libfarsum_mpi: ")

    def test_one_process(self):
        """No marks, one rank, or the variables of a batch script."""
        for marks in ({}, {"OMPI_COMM_WORLD_SIZE": "1",
                           "OMPI_COMM_WORLD_RANK": "0"},
                      {"SLURM_NTASKS": "8", "SLURM_PROCID": "0",
                       "SLURM_STEP_NUM_TASKS": "1"}):
            done = self.run_with(marks)
            self.assertEqual(done.status, 0, done.err)
            self.assertIn("particles 2", done.out)

    @unittest.skipUnless(MPIEXEC, "built without MPI")
    def test_missing_launcher(self):
        done = self.run_with({"PATH": self.path("bin")}, "--ranks", "2",
                             command=FARSUM)
        self.assertEqual(done.status, 1)
        self.assertRegex(done.err, "none is on the PATH")
        # a launcher that leaves no marks
        done = self.run_with({"FARSUM_LAUNCHED": "2"}, "--ranks", "2",
                             command=FARSUM)
        self.assertEqual(done.status, 1)
        self.assertRegex(done.err, "its MPI is unknown")


if __name__ == "__main__":
    unittest.main()
