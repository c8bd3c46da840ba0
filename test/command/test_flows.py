"""Flows: stokeslet, rotlet, stresslet; columns in, velocities out."""

import math
import re
import unittest

from command import CommandTest

FLOWS = {"stokeslet": [("force", 3)], "rotlet": [("torque", 3)],
         "stresslet": [("strength", 3), ("normal", 3)]}

GOOD = ('2\nLattice="4 0 0 0 4 0 0 0 4" '
        "Properties=pos:R:3:force:R:3\n0 0 0 1 0 0\n2 2 2.5 0 -1 0\n")


class Gen(CommandTest):
    def gen(self, *words):
        self.farsum("gen", *words, "-o", "g.xyz")
        return self.frame("g.xyz")

    def test_columns(self):
        places = self.gen("uniform", "-n", 400).columns["pos"]
        for kernel, columns in FLOWS.items():
            frame = self.gen("uniform", "-n", 400, "--kernel", kernel)
            self.assertEqual(frame.order,
                             ["pos"] + [name for name, _ in columns])
            # the places do not depend on the kernel
            self.assertEqual(frame.columns["pos"], places)
            for name, width in columns:
                rows = frame.columns[name]
                self.assertTrue(all(len(v) == width for v in rows))
                square = sum(x * x for v in rows for x in v) / 1200
                if name == "normal":
                    for v in rows:
                        self.assertAlmostEqual(math.hypot(*v), 1, 12)
                    continue
                # variance 1 within five of its own deviations, no mean
                self.assertAlmostEqual(square, 1, delta=5 * (2 / 1200) ** 0.5)
                for axis in range(3):
                    self.assertAlmostEqual(sum(v[axis] for v in rows), 0, 10)

    def test_strengths_are_no_places(self):
        frame = self.gen("uniform", "-n", 400, "--kernel", "stokeslet")
        pairs = [(x - 3.7, f) for p, v in zip(frame.columns["pos"],
                                              frame.columns["force"])
                 for x, f in zip(p, v)]
        xx = sum(x * x for x, _ in pairs)
        xf = sum(x * f for x, f in pairs)
        ff = sum(f * f for _, f in pairs)
        self.assertLess(abs(xf) / math.sqrt(xx * ff), 5 / math.sqrt(1200))

    def test_net(self):
        zero = self.gen("slab", "-n", 50, "--kernel", "stokeslet")
        net = self.gen("slab", "-n", 50, "--kernel", "stokeslet", "--net",
                       "-0.5")
        for a, b in zip(zero.columns["force"], net.columns["force"]):
            self.assertEqual(a[:2], b[:2])
            self.assertAlmostEqual(b[2], a[2] - 0.5, 14)
        charges = self.gen("slab", "-n", 50, "--net", "0.25").columns["charge"]
        self.assertEqual(set(charges), {1.25, -0.75})

    def test_case(self):
        case = "rotlet n=60 cell=tilted dist=clustered seed=4 net=2"
        frame = self.gen("--case", case)
        same = self.gen("clustered", "-n", 60, "--cell", "tilted", "--seed", 4,
                        "--kernel", "rotlet", "--net", 2)
        self.assertEqual(frame.columns, same.columns)
        self.assertAlmostEqual(sum(v[2] for v in frame.columns["torque"]),
                               120, 10)
        self.refused(2, "--case says everything", "gen", "--case", case,
                     "--kernel", "rotlet")

    def test_mistakes(self):
        self.refused(2, "no kernel 'stokslet'; near it: stokeslet", "gen",
                     "uniform", "--kernel", "stokslet")
        self.refused(2, "no kernel 'stokslet'", "gen", "--case",
                     "stokslet n=5")
        self.refused(2, "is a crystal", "gen", "nacl", "--kernel", "rotlet")
        self.refused(2, "is a crystal", "gen", "nacl", "--net", 1)
        self.refused(2, "--net: expected a number", "gen", "uniform", "--net",
                     "x")
        self.refused(2, "--case: net=inf: expected a number", "gen", "--case",
                     "laplace net=inf")


class Words(CommandTest):
    def test_list(self):
        out = self.farsum("list", "kernels").out
        names = re.findall(r"(?m)^(\S+)", out)
        self.assertEqual(names[0], "laplace")
        for kernel, columns in FLOWS.items():
            self.assertIn(kernel, names)
            numbers = sum(width for _, width in columns)
            wanted = " and ".join(f"{c}:R:{w}" for c, w in columns)
            self.assertRegex(out, rf"(?s)\n{kernel} .*?{numbers} numbers a "
                                  rf"source, {wanted}; gives velocity\n")
        self.assertRegex(out, r"1 number a source, charge:R:1; gives potential")

    def test_options_that_do_not_go_with_it(self):
        self.write("in.xyz", GOOD)
        for pattern, words in [
                ("--units real", ["--units", "real"]),
                ("--error force: ", ["--error", "force"]),
                ("--error potential", ["--error", "potential"]),
                ("--surface vacuum", ["--surface", "vacuum"])]:
            for command in ["run", "tune"]:
                self.refused(2, rf"{command}: {pattern}.*stokeslet", command,
                             "in.xyz", "--kernel", "stokeslet", *words)
        self.refused(2, "tune: --error force", "tune", "--case",
                     "stokeslet n=10", "--error", "force")
        self.refused(2, "bench: --error force", "bench", "--case",
                     "stokeslet n=10", "--error", "force")
        self.refused(2, "run: --viscosity .*laplace", "run", "in.xyz",
                     "--viscosity", 2)
        self.refused(2, "run: --error velocity.*laplace", "run", "in.xyz",
                     "--error", "velocity")
        for value in ["0", "-1", "nan", "inf", "x"]:
            self.refused(2, "--viscosity: expected a number above 0", "run",
                         "in.xyz", "--kernel", "stokeslet",
                         f"--viscosity={value}")
        self.assertEqual(self.files(), ["in.xyz"])


class BadInput(CommandTest):
    def bad(self, text, pattern, kernel="stokeslet"):
        self.write("in.xyz", text)
        self.refused(1, r"in\.xyz: frame \d+: " + pattern, "run", "in.xyz",
                     "--kernel", kernel, "-o", "out.xyz")
        self.assertEqual(self.files(), ["in.xyz"])

    def test_missing_column(self):
        self.bad(GOOD, "there is no column 'torque': kernel rotlet needs "
                       "torque:R:3", "rotlet")
        self.bad(GOOD, "there is no column 'strength': kernel stresslet needs "
                       "strength:R:3 and normal:R:3", "stresslet")
        self.bad(GOOD.replace("force", "strength"),
                 "there is no column 'normal'", "stresslet")
        # forces, as a sum of charges writes them, are not taken in silence
        self.bad(GOOD.replace("force", "forces"), "there is no column 'force'"
                                                  ".*; near it: forces")
        self.bad(GOOD, "there are no charges, but a column 'force': "
                       "--kernel stokeslet",
                 "laplace")

    def test_other_columns(self):
        self.bad(GOOD.replace("force:R:3", "force:I:3"),
                 "the column 'force' is force:I:3: kernel stokeslet needs force:R:3")
        self.bad(GOOD.replace("force:R:3", "force:R:2:rest:R:1"),
                 "the column 'force' is force:R:2")
        self.bad(GOOD.replace("force:R:3", "force:R:1:rest:R:2"),
                 "the column 'force' is force:R:1")

    def test_not_finite(self):
        self.bad(GOOD.replace("0 -1 0", "0 nan 0"),
                 r"line 4: expected a finite number for force\[2\] of "
                 r"particle 2, found nan")
        self.bad(GOOD.replace("1 0 0\n", "1 0 -inf\n"),
                 r"line 3: .*force\[3\] of particle 1, found -inf")

    def test_formats_without_them(self):
        self.write("in.data", "two atoms\n\n2 atoms\n2 atom types\n"
                   "0 4 xlo xhi\n0 4 ylo yhi\n0 4 zlo zhi\n\n"
                   "Atoms # charge\n\n1 1 1 0.5 0.5 0.5\n2 2 -1 2.5 2.5 2.5\n")
        self.refused(1, "needs force:R:3, .* LAMMPS data has charges only",
                     "run", "in.data", "--kernel", "stokeslet")
        self.write("in.pqr", "ATOM 1 C MOL 1 0.0 0.0 0.0 1.0 1.5\n")
        self.refused(1, "needs torque:R:3, .* PQR has charges only", "run",
                     "in.pqr", "--kernel", "rotlet")

    def test_hdf5(self):
        self.with_hdf5()
        self.farsum("gen", "uniform", "-n", 5, "--kernel", "rotlet", "-o",
                    "in.h5")
        self.refused(1, r"in\.h5: frame 1: there is no column 'force'", "run",
                     "in.h5", "--kernel", "stokeslet")


if __name__ == "__main__":
    unittest.main()
