# SPDX-License-Identifier: Apache-2.0
"""Bad input and unusable output files never leave a half-written file."""

import os
import signal
import subprocess
import time
import unittest

from command import FARSUM, CommandTest

GOOD = ('2\nLattice="4 0 0 0 4 0 0 0 4" Properties=pos:R:3:charge:R:1\n'
        "0 0 0 1\n2 2 2.5 -1\n")


class BadInput(CommandTest):
    def bad(self, text, pattern, *words):
        self.write("in.xyz", text)
        self.refused(1, pattern, "run", "in.xyz", "-o", "out.xyz", *words)
        self.assertEqual(self.files(), ["in.xyz"])

    def test_not_finite(self):
        self.bad(GOOD.replace("2.5", "nan"), r"in\.xyz.*nan")
        self.bad(GOOD.replace("2.5", "inf"), r"in\.xyz.*inf")
        self.bad(GOOD.replace("-1\n", "nan\n"), r"in\.xyz.*nan")

    def test_cells(self):
        self.bad(GOOD.replace("0 0 4\"", "0 0 0\""), r"in\.xyz")
        self.bad(GOOD.replace("0 0 4\"", "0 4 0\""), r"in\.xyz")

    def test_coincident(self):
        text = GOOD.replace("2 2 2.5", "4 4 4")
        self.bad(text, r"in\.xyz")
        self.write("in.xyz", text)
        self.farsum("run", "in.xyz", "--exclude", "coincident", "-o",
                    "out.xyz")
        self.farsum("check", "out.xyz")

    def test_malformed(self):
        self.bad(GOOD.replace("2.5", "2,5"), r"in\.xyz:4:")
        self.bad(GOOD.replace("2 2 2.5 -1\n", ""), r"in\.xyz:\d+")
        self.bad("", r"in\.xyz")
        self.bad(GOOD.replace("2\nL", "two\nL", 1), r"in\.xyz:1:1")
        self.bad("2\nProperties=pos:R:3\n0 0 0\n1 1 1\n", "no charges")

    def test_a_later_frame(self):
        self.bad(GOOD + GOOD.replace("2.5", "x"), r"in\.xyz:8:")
        self.bad(GOOD + GOOD.replace("2.5", "nan"), r"in\.xyz.*nan")

    def test_no_particles(self):
        self.bad("0\nProperties=pos:R:3:charge:R:1\n", r"in\.xyz")

    def test_one_particle(self):
        self.write("in.xyz", '1\nLattice="2 0 0 0 2 0 0 0 2" '
                             "Properties=pos:R:3:charge:R:1\n0 0 0 3\n")
        self.farsum("run", "in.xyz", "-o", "out.xyz", "--tolerance", "1e-8",
                    "--error", "potential")
        # a charge in its background: -2.837297479480619 / L
        energy = float(self.frame("out.xyz").keys["energy"])
        self.assertAlmostEqual(energy, -9 * 2.837297479480619 / 4, 6)

    def test_no_such_thing(self):
        self.refused(1, "no.xyz: .*No such file", "run", "no.xyz")
        self.write("in.xyz", GOOD)
        self.refused(2, "spectral", "run", "in.xyz", "--method", "spectrul")
        self.refused(2, "laplace", "run", "in.xyz", "--kernel", "laplac")
        self.refused(2, "prolate", "run", "in.xyz", "--window", "prolat")
        self.refused(2, "plain", "run", "in.xyz", "--spread", "plane",
                     "--method", "spectral")

    def test_tolerance_out_of_reach(self):
        self.write("in.xyz", GOOD)
        self.refused(1, "in.xyz", "run", "in.xyz", "--method", "spectral",
                     "--precision", "f32", "--tolerance", "1e-12")

    def test_memory(self):
        self.write("in.xyz", GOOD)
        self.refused(1, r"\d", "run", "in.xyz", "--method", "spectral",
                     "--mesh", "1000x1000x1000", "--memory-limit", "1M")

    def test_targets(self):
        self.write("in.xyz", GOOD * 3)
        self.write("at.xyz", GOOD * 2)
        self.refused(1, r"at\.xyz: frame 3: found fewer frames", "run",
                     "in.xyz",
                     "--targets", "at.xyz", "-o", "out.xyz")
        self.assertEqual(self.files(), ["at.xyz", "in.xyz"])
        self.write("at.xyz", GOOD)
        self.farsum("run", "in.xyz", "--targets", "at.xyz", "-o", "out.xyz")
        self.assertEqual(len(self.frames("out.xyz")), 3)


class BadOutput(CommandTest):
    def setUp(self):
        super().setUp()
        self.write("in.xyz", GOOD)

    def test_full_disk(self):
        for words in [["-o", "/dev/full"], ["--report", "/dev/full"]]:
            self.refused(1, "No space left", "run", "in.xyz", *words)
        with open("/dev/full", "w") as full:
            done = subprocess.run([FARSUM, "help"], stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)

    def test_no_folder(self):
        self.refused(1, "no/out.xyz", "run", "in.xyz", "-o", "no/out.xyz")
        self.refused(1, "no/r.json", "run", "in.xyz", "--report", "no/r.json")
        self.assertEqual(self.files(), ["in.xyz"])

    def test_read_only_folder(self):
        if os.geteuid() == 0:
            self.skipTest("root may write anywhere")
        os.mkdir(self.path("closed"), 0o555)
        self.refused(1, "closed/out.xyz", "run", "in.xyz", "-o",
                     "closed/out.xyz")

    def test_unknown_suffix(self):
        self.refused(1, "out.foo", "run", "in.xyz", "-o", "out.foo")
        self.assertEqual(self.files(), ["in.xyz"])

    def test_failure_keeps_the_old_file(self):
        self.farsum("run", "in.xyz", "-o", "out.xyz")
        with open(self.path("out.xyz")) as file:
            before = file.read()
        self.write("bad.xyz", GOOD + GOOD.replace("2.5", "x"))
        self.refused(1, "bad.xyz:8", "run", "bad.xyz", "-o", "out.xyz")
        with open(self.path("out.xyz")) as file:
            self.assertEqual(file.read(), before)
        self.assertEqual(self.files(), ["bad.xyz", "in.xyz", "out.xyz"])

    def test_in_place(self):
        self.farsum("run", "in.xyz", "-o", "in.xyz")
        self.assertIn("forces", self.frame("in.xyz").columns)

    def test_interrupt_leaves_nothing(self):
        # the first frame comes whole through a pipe that stays open: the run
        # waits in its middle for as long as it takes
        self.farsum("gen", "uniform", "-n", 20000, "-o", "big.xyz")
        with open(self.path("big.xyz"), "rb") as file:
            first = file.read()
        for number in [signal.SIGINT, signal.SIGTERM]:
            process = subprocess.Popen(
                [FARSUM, "run", "-", "-o", "out.xyz"], cwd=self.folder,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
            self.addCleanup(process.kill)
            process.stdin.write(first)
            process.stdin.flush()
            end = time.monotonic() + 60
            while len(self.files()) < 3 and time.monotonic() < end:
                time.sleep(0.01)
            self.assertEqual(len(self.files()), 3, "nothing was begun")
            process.send_signal(number)
            process.stdin.close()
            self.assertEqual(process.wait(timeout=60), -number)
            self.assertEqual(self.files(), ["big.xyz", "in.xyz"])


if __name__ == "__main__":
    unittest.main()
