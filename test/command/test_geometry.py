# SPDX-License-Identifier: Apache-2.0
"""One and two periodic axes: every reader, every method, numbers."""

import math
import unittest

from command import CommandTest

# A square lattice of alternating charges at distance 1, per charge.
LATTICE = -1.6155426267128
PLACES = ((0, 0, 0, 1), (1, 0, 0, -1), (0, 1, 0, -1), (1, 1, 0, 1))


class Geometry(CommandTest):
    def extxyz(self, name, lattice, rest, places=PLACES):
        lines = "".join("X %s %s %s %s\n" % p for p in places)
        self.write(name, f'{len(places)}\nLattice="{lattice}" '
                   f"Properties=species:S:1:pos:R:3:charge:R:1 {rest}\n{lines}")

    def energy(self, *words):
        self.farsum("run", *words, "--tolerance", "1e-12", "--method", "ewald",
                    "-o", "out.xyz")
        return float(self.frame("out.xyz").keys["energy"])

    def test_extxyz(self):
        self.extxyz("a.xyz", "2 0 0 0 2 0 0 0 0", 'pbc="T T F"')
        self.assertAlmostEqual(self.energy("a.xyz"), 2 * LATTICE, 11)
        self.assertEqual(self.frame("out.xyz").keys["pbc"], "T T F")
        # results as input
        self.assertAlmostEqual(self.energy("out.xyz"), 2 * LATTICE, 11)
        # the option completes the file
        self.extxyz("b.xyz", "2 0 0 0 2 0 0 0 9", "")
        self.assertAlmostEqual(self.energy("b.xyz", "--periodic", "xy"),
                               2 * LATTICE, 11)
        # a line of alternating charges
        self.extxyz("c.xyz", "2 0 0 0 5 0 0 0 7", 'pbc="T F F"', PLACES[:2])
        self.assertAlmostEqual(self.energy("c.xyz"), -2 * math.log(2), 11)
        turned = [(z, x, y, q) for x, y, z, q in PLACES]
        self.extxyz("d.xyz", "3 0 0 0 2 0 0 0 2", 'pbc="F T T"', turned)
        self.assertAlmostEqual(self.energy("d.xyz"), 2 * LATTICE, 11)

    def test_option_against_the_file(self):
        """The file states the axes of its own cell."""
        self.extxyz("a.xyz", "2 0 0 0 2 0 0 0 9", 'step=1 pbc="T T F"')
        for axes, flags in (("xyz", "T T T"), ("x", "T F F"), ("yz", "F T T")):
            self.refused(1, f'a.xyz:2:[0-9]+: expected pbc="{flags}" as '
                         f'--periodic {axes} says, not "T T F".*--cell',
                         "run", "a.xyz", "--periodic", axes)
        self.assertAlmostEqual(self.energy("a.xyz", "--periodic", "xy"),
                               2 * LATTICE, 11)
        # a cell, or open space, on the command line replaces the file's
        self.assertAlmostEqual(
            self.energy("a.xyz", "--periodic", "x", "--cell", "2,9,9"),
            -4 * math.log(2) + self.lines(), 11)
        self.farsum("run", "a.xyz", "--periodic", "none", "--method", "direct",
                    "-o", "out.xyz")
        self.assertAlmostEqual(float(self.frame("out.xyz").keys["energy"]),
                               math.sqrt(2) - 4, 11)

    @staticmethod
    def lines():
        """The energy of two lines of alternating charges, shifted by half a
        period: 4 sum_k odd of -K0 over the period 2."""
        def k0(x):
            h, n = 0.01, 1200
            return h * (0.5 * math.exp(-x) + sum(
                math.exp(-x * math.cosh(k * h)) for k in range(1, n)
                if x * math.cosh(k * h) < 700))
        return -8 * sum(k0(math.pi * k) for k in range(1, 20, 2))

    def test_frames_of_any_thickness(self):
        """A layer that evaporates: another plan where the first ends."""
        text = ""
        for height in (3, 3.1, 60, 2):
            self.farsum("gen", "uniform", "-n", 60, "--cell",
                        f"10,9,{height}", "--periodic", "xy", "--seed",
                        int(height), "-o", "one.xyz")
            with open(self.path("one.xyz")) as file:
                text += file.read().replace(f" {height}\" pbc", ' 0" pbc')
        self.write("all.xyz", text)
        self.farsum("run", "all.xyz", "--tolerance", "1e-8", "--method",
                    "spectral", "-o", "out.xyz", "--report", "r.json")
        fast = [f["energy"] for f in self.json("r.json")["frames"]]
        self.farsum("run", "all.xyz", "--tolerance", "1e-12", "--method",
                    "ewald", "-o", "out.xyz", "--report", "r.json")
        right = [f["energy"] for f in self.json("r.json")["frames"]]
        for a, b in zip(fast, right):
            self.assertAlmostEqual(a, b, delta=1e-6 * abs(b))

    def test_wrong_pbc(self):
        for flags, says in (('"T T X"', "expected T or F"),
                            ('"T T"', "expected T or F, found the end"),
                            ('"T T F F"', "three flags for pbc"),
                            ('"p p f"', "expected T or F")):
            self.extxyz("a.xyz", "2 0 0 0 2 0 0 0 9", "pbc=" + flags)
            self.refused(1, f"a.xyz:2:[0-9]+: .*{says}", "run", "a.xyz")

    def test_h5md(self):
        self.extxyz("a.xyz", "2 0 0 0 2 0 0 0 3", 'pbc="T T F"')
        if self.run_farsum("run", "a.xyz", "-o", "a.h5").status != 0:
            self.skipTest("no HDF5")
        self.assertAlmostEqual(self.energy("a.h5"), 2 * LATTICE, 11)
        self.assertEqual(self.frame("out.xyz").keys["pbc"], "T T F")
        self.refused(1, 'boundary "periodic" "periodic" "none".*--periodic xz',
                     "run", "a.h5", "--periodic", "xz")

    def test_lammps(self):
        atoms = "".join(f"{i + 1} 1 {p[3]} {p[0]} {p[1]} {p[2]}\n"
                        for i, p in enumerate(PLACES))
        self.write("a.data", "head\n\n4 atoms\n1 atom types\n0 2 xlo xhi\n"
                   f"0 2 ylo yhi\n-1 1 zlo zhi\n\nAtoms # charge\n\n{atoms}")
        self.assertAlmostEqual(
            self.energy("a.data", "--periodic", "xy", "--units", "reduced"),
            2 * LATTICE, 11)
        says = "a.data: frame 1: .*does not state LAMMPS' boundary"
        self.assertRegex(self.farsum("run", "a.data").err, says)
        for words in (["--periodic", "xy"], ["--cell", "2,2,9"]):
            self.assertNotRegex(self.farsum("run", "a.data", *words).err, says)

    def test_pqr(self):
        atoms = "".join(f"ATOM {i + 1} X RES 1 {p[0]} {p[1]} {p[2]} {p[3]} 1\n"
                        for i, p in enumerate(PLACES))
        self.write("a.pqr", "CRYST1 2.0 2.0 9.0 90.00 90.00 90.00\n" + atoms)
        self.assertAlmostEqual(self.energy("a.pqr", "--periodic", "xy"),
                               2 * LATTICE, 11)

    def test_check(self):
        for axes, kernel, method in (
                ("xy", "laplace", "spectral"), ("yz", "laplace", "spectral"),
                ("xz", "r6", "ewald"), ("z", "laplace", "spectral"),
                ("x", "r6", "ewald")):
            self.farsum("gen", "uniform", "-n", 60, "--periodic", axes, "-o",
                        "in.xyz")
            done = self.farsum("run", "in.xyz", "--kernel", kernel, "--check")
            self.assertRegex(done.out + done.err, f"method {method}")
            self.assertRegex(done.out + done.err, "measured")

    def test_no_forces(self):
        """Errors of forces that vanish are over those at the mean distance."""
        self.extxyz("sheet.xyz", "2 0 0 0 2 0 0 0 0", 'pbc="T T F"')
        self.extxyz("one.xyz", "2 0 0 0 2 0 0 0 3", 'pbc="F T F"', PLACES[:1])
        self.extxyz("line.xyz", "2 0 0 0 9 0 0 0 9", 'pbc="T F F"', PLACES[:2])
        for name in "sheet.xyz", "one.xyz", "line.xyz":
            for kernel in ("laplace",), ("yukawa", "--kappa", 0.2):
                self.farsum("run", name, "--kernel", *kernel, "--tolerance",
                            1e-9, "--check", "--report", "r.json")
                self.assertLess(self.json("r.json")["checked_error"], 1e-9)

    def test_near(self):
        """Near pairs dominate the norm, so that few modes suffice.  The mesh
        still leaves room for the window."""
        near = [(0.3, 0.08, 1e-6, 1), (0.3, 0.08, 1 - 1e-6, 1)]
        rest = [(0.01 * k, 0.03 * k % 0.2, 0.37 * k % 1, 1 - k % 3)
                for k in range(1, 9)]
        self.extxyz("wire.xyz", "1 0 0 0 1 0 0 0 1", 'pbc="F F T"', near + rest)
        self.extxyz("slab.xyz", "1 0 0 0 1 0 0 0 1", 'pbc="F T T"', near + rest)
        for name in "wire.xyz", "slab.xyz":
            for tolerance in 1e-3, 1e-5, 1e-7:
                self.farsum("run", name, "--method", "spectral", "--tolerance",
                            tolerance, "--check")

    def test_choice(self):
        self.farsum("gen", "uniform", "-n", 5001, "--periodic", "x", "-o",
                    "in.xyz")
        self.refused(1, "no method supports this problem: .*ewald: a reference"
                     ".*up to 5000 particles.*periodic axis", "run", "in.xyz",
                     "--kernel", "r6")

    def test_refused(self):
        for axes, count in ("xz", 2), ("y", 1):
            self.farsum("gen", "uniform", "-n", 30, "--periodic", axes, "-o",
                        "in.xyz")
            self.refused(1, "method direct: .*the problem is periodic", "run",
                         "in.xyz", "--method", "direct")
            self.refused(1, f"method fmm: .*of {count} periodic axes", "run",
                         "in.xyz", "--method", "fmm", "--strict")
            self.farsum("run", "in.xyz", "--method", "fmm", "--check")
            self.refused(1, "surface vacuum needs three", "run", "in.xyz",
                         "--surface", "vacuum")
            self.farsum("run", "in.xyz", "--softening", "0.1", "--check")
        self.refused(1, "method spectral: .*not of kernel r6", "run",
                     "in.xyz", "--kernel", "r6", "--method", "spectral")
        self.refused(1, "method spectral: .*does not soften with one", "run",
                     "in.xyz", "--softening", "0.1", "--method", "spectral")
        self.extxyz("flat.xyz", "2 0 0 0 2 0 0 0 0", 'pbc="T T T"')
        self.refused(1, "lie in a plane", "run", "flat.xyz")
        self.extxyz("line.xyz", "2 0 0 4 0 0 0 0 3", 'pbc="T T F"')
        self.refused(1, "periodic vectors lie on a line", "run", "line.xyz")


if __name__ == "__main__":
    unittest.main()
