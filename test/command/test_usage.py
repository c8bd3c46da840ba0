# SPDX-License-Identifier: Apache-2.0
"""The command line: help, user errors, exit status 2."""

import re
import shutil
import subprocess
import unittest

from command import CommandTest

COMMANDS = ["run", "gen", "list", "bench", "tune", "check"]


class Usage(CommandTest):
    def test_version(self):
        self.assertRegex(self.farsum("--version").out, r"^farsum \d+\.\d+\.\d")

    def test_help_is_one_text(self):
        for name in COMMANDS:
            page = self.farsum("help", name).out
            self.assertEqual(page, self.farsum(name, "--help").out)
            self.assertIn("Example", page)
            self.assertIn("farsum " + name, page)
            self.assertIn("Exit status", page)
            self.assertEqual(
                [line for line in page.split("\n") if len(line) > 80], [])
        self.assertIn("farsum help", self.farsum("help").out)
        self.assertEqual(self.farsum("help").out, self.farsum("--help").out)

    def test_help_defines_distributions_and_units(self):
        page = self.farsum("help", "gen").out
        for name in ["uniform", "clustered", "plummer", "lattice", "slab",
                     "dense", "nacl", "perovskite", "tilted"]:
            self.assertRegex(page, rf"(?m)^  {name} ")
        self.assertIn("332.06371", self.farsum("help", "units").out)
        self.assertIn("tol=X", self.farsum("help", "cases").out)

    def test_nothing_to_do(self):
        done = self.run_farsum()
        self.assertEqual(done.status, 2)
        self.assertIn("Usage", done.err)

    def test_man_page(self):
        page = self.farsum("help", "--man").out
        self.assertTrue(page.startswith(".TH FARSUM 1"))
        for name in COMMANDS:
            self.assertIn("\n.SH " + name.upper() + "\n", page)
        if not shutil.which("groff"):
            self.skipTest("groff is not installed: the page was not formatted")
        done = subprocess.run(["groff", "-man", "-ww", "-Tascii"], input=page,
                              text=True, capture_output=True)
        self.assertEqual(done.stderr, "")
        # bold is a letter, a backspace and the letter again
        self.assertTrue("--tolerance X" in re.sub(".\b", "", done.stdout))

    def test_nearest_names(self):
        for pattern, words in [
                (r"unknown subcommand 'rnu'; did you mean run\?", ["rnu"]),
                (r"unknown option --tolernce; did you mean --tolerance",
                 ["run", "--tolernce", "1", "x"]),
                (r"unknown option --threds; did you mean --threads",
                 ["bench", "--threds=2"]),
                (r"unknown crystal, assembly or distribution 'ncal'; similar names: nacl",
                 ["gen", "ncal"]),
                (r"unknown name 'spraed'; similar names: spread", ["list", "spraed"]),
                (r"unknown stage or method 'interpp'; similar names: interp",
                 ["bench", "interpp"]),
                (r"unknown page 'rn'; similar names: run", ["help", "rn"]),
                (r"did you mean real\?", ["run", "--units", "rael", "x"])]:
            self.refused(2, pattern, *words)

    def test_values(self):
        for option, value, expected in [
                ("--tolerance", "-1", "above 0"),
                ("--tolerance", "1e", "above 0"),
                ("--tolerance", "nan", "above 0"),
                ("--threads", "0", "whole number"),
                ("--precision", "f16", "f64, f32"),
                ("--error", "heat", "force, potential, absolute"),
                ("--surface", "glass", "tinfoil, vacuum"),
                ("--units", "cgs", "reduced, real, metal, gromacs, si"),
                ("--exclude", "", "coincident, bonds or a file"),
                ("--exclude-factors", "0,1", "three numbers from 0 to 1"),
                ("--exclude-factors", "0,0,1.5", "three numbers"),
                ("--cell", "1,2", "3 edges or 9 numbers"),
                ("--cell", "1,2,x", "3 edges or 9 numbers"),
                ("--periodic", "xxy", "none or axes"),
                ("--mesh", "8x8", "AxBxC"),
                ("--mesh", "0x8x8", "AxBxC"),
                ("--support", "7.5", "whole number"),
                ("--memory-limit", "lots", "bytes"),
                ("--seed", "-3", "whole number"),
                ("--charge", "O=", "TYPE=Q"),
                ("--check-targets", "0", "count")]:
            self.refused(2, f"run: {option}: .*{expected}", "run",
                         f"{option}={value}", "x.xyz")

    def test_shape_of_the_line(self):
        self.refused(2, "needs a value", "run", "x.xyz", "--tolerance")
        self.refused(2, "takes no value", "run", "--check=1", "x.xyz")
        self.refused(2, "not an option of this subcommand", "run", "x.xyz",
                     "--cells", "3")
        self.refused(2, "expected one file", "run")
        self.refused(2, "expected one file", "run", "a.xyz", "b.xyz")
        self.refused(2, "expected one file", "check")
        self.refused(2, "expected one file or --case", "tune")
        self.refused(2, "before a subcommand", "--threads", "2")
        self.refused(2, "cannot both", "run", "x.xyz", "-o", "-", "--report",
                     "-")
        # after "--" a name may begin with a dash
        self.refused(1, "-x.xyz", "run", "--", "-x.xyz")

    def test_cases(self):
        for case, expected in [("laplace n=1.5", "a count"),
                               ("laplace n=0", "a count"),
                               ("laplace m=3", "no key 'm'"),
                               ("laplace tol=0", "above 0"),
                               ("laplace cell=cube", "cubic, AxBxC"),
                               ("laplace dist=flat", "uniform, clustered"),
                               ("laplace seed=x", "whole number"),
                               ("n=5 laplace", "expected key=value"),
                               ("laplace net=", "a number"),
                               ("prec=f16", "f64, f32, mixed or auto")]:
            self.refused(2, f"--case: .*{expected}", "tune", "--case", case)


if __name__ == "__main__":
    unittest.main()
