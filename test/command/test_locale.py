# SPDX-License-Identifier: Apache-2.0
"""The command in a locale with a decimal comma: it prints, writes and reads
the same as in C.

$COMMA is the library that sets the environment's locale in the command,
$LOCPATH the folder of locales (test/locales.sh).
"""

import os
import re
import shutil
import unittest

from command import CommandTest

LOCALES = ["C", "de_DE.UTF-8", "ps_AF.UTF-8", "tr_TR.ISO-8859-9"]
# Seconds, and numbers computed from them, differ from run to run.
TIMED = re.compile(r"(-?\d[\d.e+-]*|nan|inf) (s|ms|us|particles/s)\b")
CASE = "laplace n=500 tol=1e-4 seed=2 density=0.5"


class Locale(CommandTest):
    def within(self, locale):
        """Sets the environment's locale.  For C nothing is preloaded."""
        names = ["LC_ALL", "LD_PRELOAD", "ASAN_OPTIONS"]
        for name in names:
            os.environ.pop(name, None)
        if locale != "C":
            os.environ["LC_ALL"] = locale
            os.environ["LD_PRELOAD"] = os.environ["COMMA"]
            os.environ["ASAN_OPTIONS"] = "verify_asan_link_order=0"

    def setUp(self):
        super().setUp()
        self.addCleanup(self.within, "C")

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def same(self, make):
        """Expects the same value of make(name) in each locale as in C."""
        wanted = None
        for k, locale in enumerate(LOCALES):
            self.within(locale)
            with self.subTest(locale):
                found = make(f"{k}")
                self.within("C")
                if wanted is None:
                    wanted = found
                self.assertEqual(found, wanted)

    def said(self, *words):
        done = self.farsum(*words)
        return TIMED.sub("TIME", done.out + done.err)

    def test_the_locale_is_there(self):
        """Without the locale the other tests would test nothing."""
        self.within("C")
        os.environ["LC_ALL"] = "C"
        os.environ["LD_PRELOAD"] = os.environ["COMMA"]
        self.assertEqual(self.run_farsum("list").status, 99)
        self.within("de_DE.UTF-8")
        self.assertEqual(self.run_farsum("list").status, 0)

    def test_gen(self):
        def make(k):
            self.farsum("gen", "uniform", "-n", 50, "--seed", 3, "--cell",
                        "1.5,2.25,3.125", "-o", f"{k}.xyz")
            return self.bytes(f"{k}.xyz")
        self.same(make)
        self.assertIn(b'Lattice="1.5 0 0 0 2.25 0 0 0 3.125"',
                      self.bytes("1.xyz"))

    def test_run_and_check(self):
        self.farsum("gen", "uniform", "-n", 100, "--net", "0.5", "-o",
                    "in.xyz")

        def make(k):
            said = self.said("run", "in.xyz", "--tolerance", "2.5e-6",
                             "--threads", 1, "--check", "-o", "out.xyz",
                             "--method", "spectral", "--units", "real",
                             "--report", f"{k}.json")
            report = self.json(f"{k}.json")
            numbers = [report["tolerance"], report["coulomb"],
                       report["frames"][0]["energy"],
                       report["frames"][0]["virial"]]
            checked = self.said("check", "out.xyz", "--threads", 1)
            return said, numbers, checked, self.bytes("out.xyz")
        self.same(make)
        self.assertEqual(self.json("1.json")["tolerance"], 2.5e-6)
        self.assertEqual(self.json("1.json")["coulomb"], 332.06371)
        self.assertIn(b"farsum_tolerance=2.5e-06 ", self.bytes("out.xyz"))

    def test_formats(self):
        self.write("in.data", "q\n\n2 atoms\n1 atom types\n\n0 2.5 xlo xhi\n"
                   "0 2.5 ylo yhi\n0 2.5 zlo zhi\n\nAtoms # charge\n\n"
                   "1 1 0.25 0.5 0.75 1.25\n2 1 -0.25 1.5 1.75 1.125e0\n")
        self.write("in.pqr", "CRYST1   12.500   12.500   12.500  90.00  90.00"
                   "  90.00\nATOM 1 O A 1 0.5 1.5 2.5 -0.75 1.5\n"
                   "ATOM 2 O A 1 4.5 1.5 2.5 0.75 1.5\n")
        for name in ["in.data", "in.pqr"]:
            def make(k):
                said = self.said("run", name, "--threads", 1, "-o", "o.xyz")
                return said, self.bytes("o.xyz")
            self.same(make)

    def test_hdf5(self):
        self.with_hdf5()
        self.farsum("gen", "uniform", "-n", 60, "--cell", "2.5,2.5,2.5", "-o",
                    "in.h5")

        def make(k):
            self.farsum("run", "in.h5", "--threads", 1, "--tolerance", "1e-3",
                        "-o", f"{k}.h5")
            return self.said("check", f"{k}.h5", "--threads", 1)
        self.same(make)

    def test_options(self):
        self.farsum("gen", "uniform", "-n", 40, "-o", "in.xyz")
        for words in [["--softening", "0.125", "--periodic", "none"],
                      ["--cutoff", "0.75", "--upsampling", "1.5"],
                      ["--skin", "0.0625"], ["--memory-limit", "0.5G"],
                      ["--kernel", "yukawa", "--kappa", "1.5"]]:
            def make(k):
                done = self.farsum("run", "in.xyz", "--threads", 1,
                                   "-o", "o.xyz", *words)
                return (TIMED.sub("TIME", done.out), done.err,
                        self.bytes("o.xyz"))
            self.same(make)

    def test_refused(self):
        """In no locale is a comma read as a decimal point, or printed."""
        self.farsum("gen", "uniform", "-n", 40, "-o", "in.xyz")

        def make(k):
            comma = self.refused(2, "1,5", "run", "in.xyz", "--tolerance",
                                 "1,5")
            reached = self.refused(1, r"\d\.\d|e-", "run", "in.xyz",
                                   "--tolerance", "1.5e-19", "--method",
                                   "spectral")
            return comma.err, reached.err
        self.same(make)

    def test_cases(self):
        def make(k):
            return self.said("tune", "--case", CASE, "--threads", 1)
        self.same(make)
        self.same(lambda k: self.said("help", "units"))

    def test_tables(self):
        """CSV files and pictures have decimal points only."""
        def make(k):
            self.farsum("bench", "--case", CASE, "--repeats", 1, "--csv",
                        f"{k}.csv", "--threads", 1)
            done = self.farsum("bench", "scale", "--case", CASE, "--repeats",
                               1, "--against", f"{k}.csv", "--threads", 1)
            self.assertRegex(done.out, r"\(\d+\.\d{3} of the older median, "
                             r"noise \d+\.\d %\)")
            self.farsum("tune", "--map", f"{k}.svg", "--mesh", "16x16x16")
            lines = self.bytes(f"{k}.csv").decode().splitlines()
            for line in lines[1:]:
                fields = re.findall(r'"[^"]*"|[^,]+', line)
                self.assertEqual(len(fields), len(lines[0].split(",")), line)
            self.assertRegex(self.bytes(f"{k}.svg").decode(),
                             r'<rect x="\d+(\.\d+)?" y="\d+(\.\d+)?" width')
            return len(lines)
        self.same(make)

    def test_plot(self):
        if not shutil.which("gnuplot"):
            self.skipTest("no gnuplot")

        def make(k):
            self.farsum("bench", "scale", "--case", CASE, "--repeats", 1,
                        "--plot", f"{k}.svg")
            return b"<svg" in self.bytes(f"{k}.svg")
        self.same(make)


if __name__ == "__main__":
    unittest.main()
