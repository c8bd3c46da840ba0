# SPDX-License-Identifier: Apache-2.0
"""run: results, their order and columns, many frames, targets and reports."""

import math
import random
import unittest

from command import CommandTest

NACL = 1.747564594633182190636212  # Madelung's constant, nearest distance 1

MIXED = """6
Lattice="4 0 0 0 4 0 0 0 4" time=2.5 note="two words" Properties=PROPERTIES
6 Cl 0.1 0.2 0.3 1 2 3 -1 f
1 Na 2.1 0.3 0.2 4 5 6 1 a
5 Cl 1.9 2.2 0.1 7 8 9 -1 e
2 Na 0.2 2.1 1.9 1 1 1 1 b
4 Cl 2.2 1.8 2.1 2 2 2 -1 d
3 Na 5.9 -1.7 2.0 3 3 3 1 c
""".replace("PROPERTIES",
            "id:I:1:species:S:1:pos:R:3:velo:R:3:charge:R:1:tag:S:1")


def frame_text(edge, places, charges):
    rows = "".join(f"X {x} {y} {z} {q}\n"
                   for (x, y, z), q in zip(places, charges))
    return (f'{len(places)}\nLattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" '
            f"Properties=species:S:1:pos:R:3:charge:R:1\n{rows}")


class Run(CommandTest):
    def test_madelung(self):
        self.farsum("gen", "nacl", "--cells", 2, "-o", "a.xyz")
        self.farsum("run", "a.xyz", "--tolerance", "1e-10", "--report",
                    "r.json", "-o", "out.xyz")
        expected = -32 * 2 * NACL
        report = self.json("r.json")
        self.assertAlmostEqual(report["energy"] / expected, 1, 9)
        frame = self.frame("out.xyz")
        self.assertAlmostEqual(float(frame.keys["energy"]) / expected, 1, 9)
        for q, phi in zip(frame.columns["charge"], frame.columns["potential"]):
            self.assertAlmostEqual(phi, -2 * NACL * q, 8)

    def test_units(self):
        self.farsum("gen", "cscl", "-o", "a.xyz")
        energies = {}
        for units, constant in [("reduced", 1), ("real", 332.06371),
                                ("metal", 14.399645), ("gromacs", 138.935458),
                                ("si", 8.9875517862e9)]:
            self.farsum("run", "a.xyz", "--units", units, "--method", "ewald",
                        "--report", "r.json")
            report = self.json("r.json")
            self.assertEqual(report["coulomb"], constant)
            self.assertTrue(report["coulomb_source"])
            energies[units] = report["energy"] / constant
        for energy in energies.values():
            self.assertAlmostEqual(energy / energies["reduced"], 1, 12)

    def test_units_that_a_file_says(self):
        self.write("in.xyz", MIXED.replace("time=2.5", "units=metal"))
        self.assertIn("note: in.xyz has units=metal",
                      self.farsum("run", "in.xyz").err)
        self.assertEqual(self.farsum("run", "in.xyz", "--units", "metal").err,
                         "")
        self.refused(1, "file says units=metal, the command --units real",
                     "run", "in.xyz", "--units", "real")

    def test_order_and_columns_are_kept(self):
        self.write("in.xyz", MIXED)
        self.farsum("run", "in.xyz", "-o", "out.xyz")
        before, after = self.frame("in.xyz"), self.frame("out.xyz")
        for name in before.columns:
            self.assertEqual(before.columns[name], after.columns[name], name)
        for name in ["potential", "forces"]:
            self.assertIn(name, after.columns)
        self.assertEqual(after.keys["time"], "2.5")
        self.assertEqual(after.keys["note"], "two words")
        # the energy is half the sum of charge times potential
        total = sum(q * phi for q, phi in zip(after.columns["charge"],
                                              after.columns["potential"]))
        self.assertAlmostEqual(float(after.keys["energy"]) / (total / 2), 1, 4)
        rms = math.sqrt(sum(v * v for f in after.columns["forces"]
                            for v in f) / 6)
        for axis in range(3):
            self.assertLess(abs(sum(f[axis] for f in after.columns["forces"])),
                            1e-4 * rms)

    def test_a_result_can_be_summed_again(self):
        self.write("in.xyz", MIXED)
        self.farsum("run", "in.xyz", "-o", "one.xyz")
        self.farsum("run", "one.xyz", "-o", "two.xyz", "--tolerance", "1e-7")
        one, two = self.frame("one.xyz"), self.frame("two.xyz")
        self.assertEqual(one.order, two.order)
        self.assertEqual(two.keys["farsum_tolerance"], "1e-07")

    def test_comment_line_says_the_settings(self):
        self.write("in.xyz", MIXED)
        self.farsum("run", "in.xyz", "-o", "out.xyz", "--units", "metal",
                    "--error", "potential", "--precision", "f32",
                    "--tolerance", "1e-3", "--surface", "vacuum")
        keys = self.frame("out.xyz").keys
        for key, value in [("units", "metal"), ("error", "potential"),
                           ("precision", "f32"), ("tolerance", "0.001"),
                           ("surface", "vacuum"), ("kernel", "laplace"),
                           ("coulomb", "14.399645"), ("exclude", "none")]:
            self.assertEqual(keys["farsum_" + key], value)
        self.assertEqual(len(keys["virial"].split()), 9)
        self.assertIn("farsum_method", keys)

    def test_report(self):
        self.farsum("gen", "uniform", "-n", 300, "-o", "a.xyz")
        self.farsum("run", "a.xyz", "--report", "r.json", "--check",
                    "--tolerance", "1e-8", "--threads", 1)
        report = self.json("r.json")
        for key in ["version", "n_sources", "n_targets", "kernel", "method",
                    "device", "precision", "threads", "tolerance", "energy",
                    "virial", "estimated_error", "checked_error", "seconds",
                    "plan", "units", "coulomb", "error", "frames"]:
            self.assertIn(key, report)
        self.assertEqual(report["n_sources"], 300)
        self.assertEqual(report["n_targets"], 300)
        self.assertEqual(report["threads"], 1)
        self.assertEqual(report["tolerance"], 1e-8)
        self.assertEqual(len(report["virial"]), 9)
        self.assertLessEqual(report["checked_error"], 1e-8)
        # of 1/r the virial's trace is the energy
        trace = sum(report["virial"][0::4])
        self.assertAlmostEqual(trace / report["energy"], 1, 5)
        seconds = report["seconds"]
        self.assertGreaterEqual(seconds["execute"], 0)
        for stage in seconds["stages"]:
            self.assertEqual(sorted(stage), ["seconds", "stage", "variant"])
        for stage in report["plan"]["stages"]:
            self.assertTrue(stage["reason"])
        self.assertEqual(len(report["frames"]), 1)
        out = self.farsum("run", "a.xyz", "--report", "-").out
        self.assertTrue(out.startswith("{"))

    def test_many_frames(self):
        draw = random.Random(3)
        places = [tuple(5 * draw.random() for _ in "xyz") for _ in range(120)]
        moved = [(x, y, z + 0.1 * draw.random()) for x, y, z in places]
        charges = [1, -1] * 60
        parts = [frame_text(5, places, charges),
                 frame_text(5, moved, charges),
                 frame_text(5.00001, places, charges),
                 frame_text(9, places, charges),
                 frame_text(9, places[:100], charges[:100])]
        self.write("in.xyz", "".join(parts))
        done = self.farsum("run", "in.xyz", "-o", "out.xyz", "--report",
                           "r.json", "--check")
        report, frames = self.json("r.json"), self.frames("out.xyz")
        self.assertEqual(len(frames), 5)
        self.assertEqual([f["frame"] for f in report["frames"]],
                         [1, 2, 3, 4, 5])
        plans = [f["new_plan"] for f in report["frames"]]
        self.assertEqual(plans[:3], [None] * 3)
        self.assertTrue(plans[3])
        self.assertIn("number of particles", plans[4])
        self.assertIn("frame 5 needs a new plan", done.out)
        self.assertEqual(report["energy"], report["frames"][-1]["energy"])
        self.assertEqual(report["n_sources"], 100)
        for frame, row in zip(frames, report["frames"]):
            self.assertAlmostEqual(float(frame.keys["energy"]), row["energy"],
                                   12)
            self.assertLessEqual(row["checked_error"], 1e-5)
        # each frame alone gives the same
        for text, row in zip(parts, report["frames"]):
            self.write("one.xyz", text)
            self.farsum("run", "one.xyz", "-o", "one_out.xyz")
            alone = float(self.frame("one_out.xyz").keys["energy"])
            self.assertAlmostEqual(alone / row["energy"], 1, 3)

    def test_targets(self):
        self.farsum("gen", "uniform", "-n", 300, "-o", "in.xyz")
        first = self.frame("in.xyz")
        self.write_targets("at.xyz", 100, 6)
        with open(self.path("at.xyz")) as file:
            lines = file.read().split("\n")
        # the first target lies on the first source: that pair is skipped
        lines[2] = " ".join(f"{v:.17g}" for v in first.columns["pos"][0])
        self.write("at.xyz", "\n".join(lines))
        self.farsum("run", "in.xyz", "-o", "out.xyz", "--tolerance", "1e-8")
        self.farsum("run", "in.xyz", "--targets", "at.xyz", "-o", "t.xyz",
                    "--tolerance", "1e-8", "--report", "r.json", "--check")
        own, at = self.frame("out.xyz"), self.frame("t.xyz")
        self.assertEqual(at.order, ["pos", "potential", "field"])
        self.assertAlmostEqual(at.columns["potential"][0],
                               own.columns["potential"][0], 5)
        q = own.columns["charge"][0]
        for axis in range(3):
            self.assertAlmostEqual(q * at.columns["field"][0][axis],
                                   own.columns["forces"][0][axis], 5)
        report = self.json("r.json")
        self.assertEqual((report["n_sources"], report["n_targets"]), (300, 100))
        self.assertIsNone(report["energy"])
        self.assertIsNone(report["virial"])
        self.farsum("check", "t.xyz")

    def test_targets_with_charges_have_forces(self):
        self.write("in.xyz", MIXED)
        self.write("at.xyz", "1\nProperties=pos:R:3:charge:R:1\n1.2 1.3 1.4 "
                             "2.5\n")
        self.farsum("run", "in.xyz", "--targets", "at.xyz", "-o", "t.xyz")
        at = self.frame("t.xyz")
        for axis in range(3):
            self.assertAlmostEqual(at.columns["forces"][0][axis],
                                   2.5 * at.columns["field"][0][axis], 12)

    def test_forces_that_overflow(self):
        """The fields are finite, but charges times fields overflow."""
        self.write("in.xyz", "2\nProperties=pos:R:3:charge:R:1\n0 0 0 1e151\n"
                             "1e-5 0 0 1e151\n")
        self.refused(1, "force on particle 1 is beyond", "run", "in.xyz",
                     "--periodic", "none", "--method", "direct", "-o",
                     "out.xyz")
        self.write("few.xyz", "1\nProperties=pos:R:3:charge:R:1\n0 0 0 1e20\n")
        self.write("at.xyz", "2\nProperties=pos:R:3:charge:R:1\n1 0 0 1\n"
                             "2 0 0 1e300\n")
        self.refused(1, "force on particle 2 is beyond", "run", "few.xyz",
                     "--periodic", "none", "--targets", "at.xyz", "-o",
                     "out.xyz")
        self.assertNotIn("out.xyz", self.files())

    def test_open_space(self):
        self.write("in.xyz", "2\nProperties=pos:R:3:charge:R:1\n"
                             "0 0 0 1\n0 0 2 -3\n")
        self.farsum("run", "in.xyz", "-o", "out.xyz", "--report", "r.json")
        self.assertEqual(self.json("r.json")["method"], "direct")
        frame = self.frame("out.xyz")
        self.assertEqual(frame.columns["potential"], [-1.5, 0.5])
        self.assertEqual(frame.columns["forces"], [[0, 0, 0.75],
                                                   [0, 0, -0.75]])
        self.assertEqual(float(frame.keys["energy"]), -1.5)
        self.farsum("check", "out.xyz")
        # with a cell it is periodic
        self.farsum("run", "in.xyz", "--cell", "8,8,8", "-o", "out.xyz",
                    "--report", "r.json")
        self.assertNotEqual(self.json("r.json")["method"], "direct")
        self.assertEqual(self.frame("out.xyz").keys["pbc"], "T T T")
        self.farsum("check", "out.xyz")
        self.refused(1, "give --cell", "run", "in.xyz", "--periodic", "xyz")

    def test_lammps_charges_by_type(self):
        self.write("in.data", "two atoms\n\n2 atoms\n2 atom types\n"
                   "0 4 xlo xhi\n0 4 ylo yhi\n0 4 zlo zhi\n\n"
                   "Atoms # atomic\n\n1 1 0.5 0.5 0.5\n2 2 2.5 2.5 2.5\n")
        self.farsum("run", "in.data", "--charge", "1=1", "--charge", "2=-1",
                    "--report", "r.json")
        # CsCl with nearest distance 2 sqrt(3)
        self.assertAlmostEqual(self.json("r.json")["energy"],
                               -1.76267477307099 / math.sqrt(12), 4)
        self.refused(1, "charge", "run", "in.data")



STARS = """3
Properties=species:S:1:pos:R:3:mass:R:1
A 0 0 0 2
B 3 0 0 1
C 0 4 0 5
"""


class Gravity(CommandTest):
    def loop(self, g, eps, places, masses, at):
        """Potential and acceleration at a point."""
        phi, pull = 0, [0, 0, 0]
        for place, mass in zip(places, masses):
            d = [p - a for p, a in zip(place, at)]
            r2 = sum(x * x for x in d)
            if r2 == 0:
                continue
            soft = math.sqrt(r2 + eps * eps)
            phi -= g * mass / soft
            pull = [a + g * mass * x / soft**3 for a, x in zip(pull, d)]
        return phi, pull

    def test_stars(self):
        self.write("in.xyz", STARS)
        for eps in [0, 1.5]:
            soft = ["--softening", eps] if eps else []
            self.farsum("run", "in.xyz", "--gravity", 2, *soft, "-o",
                        "out.xyz", "--report", "r.json", "--check")
            frame, report = self.frame("out.xyz"), self.json("r.json")
            places, masses = frame.columns["pos"], frame.columns["mass"]
            energy = 0
            for i, mass in enumerate(masses):
                phi, pull = self.loop(2, eps, places, masses, places[i])
                energy += mass * phi / 2
                self.assertAlmostEqual(frame.columns["potential"][i], phi, 12)
                for d in range(3):
                    self.assertAlmostEqual(
                        frame.columns["acceleration"][i][d], pull[d], 12)
                    self.assertAlmostEqual(frame.columns["forces"][i][d],
                                           mass * pull[d], 12)
            self.assertLess(report["energy"], 0)
            self.assertAlmostEqual(report["energy"], energy, 12)
            self.assertEqual(report["coulomb"], -2)
            self.assertEqual(report["softening"], eps or None)
            self.assertIn("measured", self.farsum("check", "out.xyz").out)

    def test_many_by_fmm(self):
        draw = random.Random(3)
        rows = "".join(f"X {draw.random()} {draw.random()} {draw.random()} "
                       f"{draw.random()}\n" for _ in range(3000))
        self.write("in.xyz", "3000\nProperties=species:S:1:pos:R:3:mass:R:1\n"
                   + rows)
        for eps in [1e-4, 0.01]:
            out = self.farsum("run", "in.xyz", "--gravity", 1, "--softening",
                              eps, "--tolerance", 1e-3, "--method", "fmm",
                              "--check").out
            self.assertIn(f"softened: r is sqrt(r^2 + {eps:g}^2)", out)
            self.assertIn("attract", out)

    def test_refused(self):
        self.write("in.xyz", STARS)
        self.write("charged.xyz", STARS.replace("mass", "charge"))
        self.refused(1, "no column 'mass'", "run", "charged.xyz", "--gravity",
                     1)
        self.refused(1, "no charges", "run", "in.xyz")
        self.refused(2, "--units", "run", "in.xyz", "--gravity", 1, "--units",
                     "real")
        self.refused(2, "require kernel laplace", "run", "in.xyz", "--kernel", "r6",
                     "--softening", 1)
        cell = "--gravity", 1, "--softening", 1, "--cell", "9,9,9"
        for method in "ewald", "spectral", "fmm":
            out = self.farsum("run", "in.xyz", *cell, "--method", method).out
            self.assertIn("softened: 1/r from r = 1 on", out)
        self.refused(1, "softening 200 is longer than", "run", "in.xyz",
                     *cell, "--softening", 200, "--method", "fmm")


if __name__ == "__main__":
    unittest.main()
