# SPDX-License-Identifier: Apache-2.0
"""The line of options that reproduces a plan's choices, as printed."""

import re
import unittest

from command import CommandTest

CASE = "laplace n=2000 tol=1e-4 seed=2"
SAME = ["cutoff", "bandwidth", "shape", "support", "mesh", "order",
        "separation", "levels", "tree"]


class Kept(CommandTest):
    def keeps(self, *method):
        out = self.farsum("tune", "--case", CASE, *method, "--threads", 1,
                          "--report", "a.json").out
        words = re.search(r"(?m)^options +(--method .*)$", out)[1]
        again = self.farsum("tune", "--case", CASE, *words.split(),
                            "--threads", 2, "--report", "b.json").out
        self.assertIn(words, again)
        first, second = self.json("a.json"), self.json("b.json")
        self.assertEqual(second["threads"], 2)
        for key in SAME:
            self.assertEqual(first["plan"][key], second["plan"][key])
        self.assertEqual(*[[s["variant"] for s in report["plan"]["stages"]]
                           for report in [first, second]])

    def test_spectral(self):
        self.keeps("--method", "spectral")

    def test_fmm(self):
        self.keeps("--method", "fmm")


if __name__ == "__main__":
    unittest.main()
