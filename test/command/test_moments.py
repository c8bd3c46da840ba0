# SPDX-License-Identifier: Apache-2.0
"""Charges with dipoles (charge_dipole): columns, forces and torques."""

import math
import unittest

from command import CommandTest

KERNEL = ("--kernel", "charge_dipole")


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0]]


class Moments(CommandTest):
    def run_file(self, *words):
        self.farsum("run", "in.xyz", *KERNEL, *words, "-o", "out.xyz")
        return self.frame("out.xyz")

    def test_columns(self):
        self.farsum("gen", "uniform", "-n", 60, *KERNEL, "-o", "in.xyz")
        made = self.frame("in.xyz")
        self.assertEqual(made.order, ["pos", "charge", "dipole"])
        for p in made.columns["dipole"]:
            self.assertAlmostEqual(math.hypot(*p), 1, 12)
        self.assertAlmostEqual(sum(made.columns["charge"]), 0, 12)
        frame = self.run_file()
        self.assertEqual(frame.order, made.order + [
            "potential", "field_gradient", "torque", "forces"])
        # results of an earlier run are replaced
        self.farsum("run", "out.xyz", *KERNEL, "-o", "again.xyz")
        self.assertEqual(self.frame("again.xyz").columns, frame.columns)

    def test_balance(self):
        """In open space neither the sum of forces nor of torques is left."""
        self.farsum("gen", "uniform", "-n", 40, *KERNEL, "-o", "in.xyz")
        for more in (), ("--softening", "0.3"):
            c = self.run_file("--periodic", "none", *more).columns
            force, torque = [0] * 3, [0] * 3
            for x, f, t in zip(c["pos"], c["forces"], c["torque"]):
                arm = cross(x, f)
                for d in range(3):
                    force[d] += f[d]
                    torque[d] += t[d] + arm[d]
            size = max(abs(v) for f in c["forces"] for v in f)
            for d in range(3):
                self.assertLess(abs(force[d]), 1e-12 * size)
                self.assertLess(abs(torque[d]), 1e-11 * size)

    def test_two(self):
        """Two dipoles on a line; the second file has no charges."""
        for charge in (":charge:R:1", ""):
            q = " 0" if charge else ""
            self.write("in.xyz", f"2\nProperties=pos:R:3{charge}:dipole:R:3\n"
                       f"0 0 0{q} 0 0 1\n0 0 2{q} 0 0 3\n")
            frame = self.run_file()
            c = frame.columns
            # energy -2 p p/r^3, force -6 p p/r^4
            self.assertAlmostEqual(float(frame.keys["energy"]), -0.75, 13)
            self.assertAlmostEqual(c["forces"][0][2], 6 * 3 / 16, 13)
            self.assertAlmostEqual(c["forces"][1][2], -6 * 3 / 16, 13)
            self.assertEqual(c["torque"], [[0, 0, 0]] * 2)
            self.assertAlmostEqual(c["field_gradient"][1][5], 6 / 16, 13)

    def test_targets(self):
        self.write("in.xyz", "1\nProperties=pos:R:3:charge:R:1:dipole:R:3\n"
                   "0 0 0 1 0 0 2\n")
        self.write("at.xyz", "1\nProperties=pos:R:3:charge:R:1\n0 0 2 1\n")
        frame = self.run_file("--targets", "at.xyz")
        self.assertEqual(frame.order, ["pos", "charge", "potential",
                                       "field_gradient", "field"])
        self.assertAlmostEqual(frame.columns["potential"][0], 1, 13)
        self.assertAlmostEqual(frame.columns["field"][0][2], 0.75, 13)

    def test_spectral(self):
        self.farsum("gen", "uniform", "-n", 200, *KERNEL, "-o", "in.xyz")
        wanted = self.run_file("--method", "ewald", "--tolerance", "1e-10")
        frame = self.run_file("--method", "spectral", "--tolerance", "1e-8")
        for name in ("forces", "torque"):
            a, b = frame.columns[name], wanted.columns[name]
            square = sum(v * v for row in b for v in row)
            off = sum((v - w) ** 2 for x, y in zip(a, b)
                      for v, w in zip(x, y))
            self.assertLess(off, (1e-8) ** 2 * square)

    def test_water(self):
        self.farsum("gen", "water", "--cells", "3x4x5", "-o", "in.xyz")
        made = self.frame("in.xyz")
        self.assertEqual(made.order, ["species", "pos", "charge", "dipole"])
        self.assertEqual(len(made.columns["pos"]), 60)
        self.assertEqual(set(made.columns["charge"]), {0})
        for p in made.columns["dipole"]:
            self.assertAlmostEqual(math.hypot(*p), 0.4893, 12)
        frame = self.run_file("--units", "real", "--method", "ewald")
        self.assertIn("torque", frame.order)
        done = self.run_farsum("gen", "water", "--kernel", "laplace")
        self.assertIn("fixed dipoles", done.err)

    def test_particle_virial(self):
        """The shares of the virial add up to it; without dipoles, too."""
        for kernel in KERNEL, ():
            self.farsum("gen", "uniform", "-n", 60, *kernel, "-o", "in.xyz")
            self.farsum("run", "in.xyz", *kernel, "--particle-virial",
                        "--method", "ewald", "-o", "out.xyz")
            frame = self.frame("out.xyz")
            virial = [float(v) for v in frame.keys["virial"].split()]
            size = max(abs(v) for v in virial)
            for a in range(9):
                share = sum(row[a] for row in frame.columns["virials"])
                self.assertAlmostEqual(share / size, virial[a] / size, 10)
        for says, *words in (("no virial; leave out", "--targets", "in.xyz"),
                             ("virial of each particle", "--method", "fmm")):
            done = self.run_farsum("run", "in.xyz", "--particle-virial",
                                   *words)
            self.assertNotEqual(done.status, 0)
            self.assertIn(says, done.err)

    def test_check(self):
        """Forces q E - G p and energies are checked, also those of a written
        file; a dipole that was changed is found."""
        for cell in ("8,8,8",), ("8,8,8", "--periodic", "xy"):
            self.farsum("gen", "uniform", "-n", 60, *KERNEL, "--cell", *cell,
                        "-o", "in.xyz")
            self.farsum("run", "in.xyz", *KERNEL, "--tolerance", 1e-6,
                        "--check", "--report", "r.json", "-o", "out.xyz")
            report = self.json("r.json")
            self.assertLess(report["checked_error"], 1e-6)
            self.assertLess(report["checked_energy_error"], 1e-6)
            self.farsum("check", "out.xyz")
        with open(self.path("out.xyz")) as f:
            lines = f.read().splitlines()
        words = lines[2].split()
        words[5], words[6] = words[6], words[5]  # two numbers of a dipole
        lines[2] = " ".join(words)
        with open(self.path("out.xyz"), "w") as f:
            f.write("\n".join(lines) + "\n")
        self.farsum("check", "out.xyz", status=3)

    def test_measured(self):
        """The plan's own check measures forces, not fields, and energies over
        |q phi - p.E|, so that its estimates are those of --check."""
        kernel = ("--kernel", "yukawa_dipole", "--kappa", 0.00441408)
        self.write("in.xyz", '1\nLattice="9.218 0 0 0.27 9.218 0 2.65 -1.57 '
                   '9.218" Properties=species:S:1:pos:R:3:charge:R:1:dipole:R:3'
                   "\nX 1.8126 2.3033 0.8421 23.09 -175.49 95.06 184.65\n")
        done = self.run_farsum("run", "in.xyz", *kernel, "--tolerance", 1.75e-5,
                               "--precision", "f32", "--check")
        self.assertIn("a second sum of 1 targets measures", done.err)
        self.farsum("run", "in.xyz", *kernel, "--tolerance", 1.75e-5,
                    "--precision", "auto", "--check")
        lines = "".join(f"X {x} {y} 0.5 0 0 0.1 {1 - 2 * (x % 2)}\n"
                        for x in range(4) for y in range(4))
        self.write("in.xyz", '16\nLattice="4.1 0 0 0 4.1 0 0 0 4" '
                   "Properties=species:S:1:pos:R:3:charge:R:1:dipole:R:3\n"
                   + lines)
        for norm in "force", "energy", "potential":
            self.farsum("run", "in.xyz", *KERNEL, "--tolerance", 1e-5,
                        "--error", norm, "--check", "--report", "r.json")
            report = self.json("r.json")
            for what in "error", "energy_error", "virial_error":
                self.assertLess(report["estimated_" + what],
                                5 * report["checked_" + what] + 1e-13)
                self.assertGreater(report["estimated_" + what],
                                   report["checked_" + what] / 5 - 1e-13)

    def test_quadrupoles(self):
        """In open space neither forces nor torques are left, also with
        softening; sums agree with those of charges, and a check is kept."""
        kernel = ("--kernel", "charge_quadrupole")
        self.farsum("gen", "uniform", "-n", 30, *kernel, "-o", "in.xyz")
        made = self.frame("in.xyz")
        self.assertEqual(made.order, ["pos", "charge", "dipole", "quadrupole"])
        for q in made.columns["quadrupole"]:
            self.assertAlmostEqual(q[0] + q[3] + q[5], 0, 12)
        for more in (), ("--softening", "0.3"):
            self.farsum("run", "in.xyz", *kernel, "--periodic", "none", *more,
                        "-o", "out.xyz")
            c = self.frame("out.xyz").columns
            force, torque = [0] * 3, [0] * 3
            for x, f, t in zip(c["pos"], c["forces"], c["torque"]):
                arm = cross(x, f)
                for d in range(3):
                    force[d] += f[d]
                    torque[d] += t[d] + arm[d]
            size = max(abs(v) for f in c["forces"] for v in f)
            for d in range(3):
                self.assertLess(abs(force[d]), 1e-12 * size)
                self.assertLess(abs(torque[d]), 1e-11 * size)
        self.farsum("run", "in.xyz", *kernel, "--check", "-o", "out.xyz")
        frame = self.frame("out.xyz")
        self.assertEqual(frame.order, made.order + [
            "potential", "field_gradient", "torque", "forces"])
        self.farsum("check", "out.xyz", *kernel)
        done = self.run_farsum("run", "in.xyz", *kernel, "--method", "fmm")
        self.assertIn("ewald does", done.err)

    def test_two_quadrupoles(self):
        """Two on a line: the energy is Q Q/4 times the fourth derivative,
        24/r^5."""
        self.write("in.xyz", "2\nProperties=pos:R:3:dipole:R:3:quadrupole:R:6\n"
                   "0 0 0 0 0 0 0 0 0 0 0 1\n0 0 2 0 0 0 0 0 0 0 0 3\n")
        self.farsum("run", "in.xyz", "--kernel", "charge_quadrupole", "-o",
                    "out.xyz")
        frame = self.frame("out.xyz")
        self.assertAlmostEqual(float(frame.keys["energy"]), 6 * 3 / 32, 13)
        # -dU/dr of 6 Q Q/r^5
        self.assertAlmostEqual(frame.columns["forces"][1][2], 30 * 3 / 64, 13)
        self.assertEqual(frame.columns["torque"], [[0, 0, 0]] * 2)

    def test_refused(self):
        self.farsum("gen", "uniform", "-n", 20, *KERNEL, "-o", "in.xyz")
        for says, *words in (
                ("require kernel laplace", "--gravity", "1"),
                ("estimates no error of kernel charge_dipole", "--method", "fmm"),
                ("requires open space", "--softening", "0.1")):
            done = self.run_farsum("run", "in.xyz", *KERNEL, *words)
            self.assertNotEqual(done.status, 0)
            self.assertIn(says, done.err)
        self.run_file("--surface", "vacuum")
        self.farsum("gen", "uniform", "-n", 20, "-o", "in.xyz")
        done = self.run_farsum("run", "in.xyz", *KERNEL)
        self.assertIn("found no column 'dipole'; kernel charge_dipole needs "
                      "charge:R:1 and dipole:R:3", done.err)


if __name__ == "__main__":
    unittest.main()
