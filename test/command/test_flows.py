# SPDX-License-Identifier: Apache-2.0
"""Flows (stokeslet, rotlet, stresslet): input columns and velocities."""

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
        self.refused(2, "--case excludes the other options", "gen",
                     "--case", case,
                     "--kernel", "rotlet")

    def test_mistakes(self):
        self.refused(2, "unknown kernel 'stokslet'; similar names: stokeslet",
                     "gen",
                     "uniform", "--kernel", "stokslet")
        self.refused(2, "unknown kernel 'stokslet'", "gen", "--case",
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
        self.bad(GOOD, "found no column 'torque'; kernel rotlet needs "
                       "torque:R:3", "rotlet")
        self.bad(GOOD, "found no column 'strength'; kernel stresslet needs "
                       "strength:R:3 and normal:R:3", "stresslet")
        self.bad(GOOD.replace("force", "strength"),
                 "found no column 'normal'", "stresslet")
        # forces, as a sum of charges writes them, are not taken silently
        self.bad(GOOD.replace("force", "forces"), "found no column 'force'"
                                                  ".*; similar names: forces")
        self.bad(GOOD, "found no charges but a column 'force'; "
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
        self.refused(1, r"in\.h5: frame 1: found no column 'force'", "run",
                     "in.h5", "--kernel", "stokeslet")


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def flow_of(kernel, frame, target):
    """The velocity at a target in open space, pair by pair."""
    u = [0.0] * 3
    columns = [frame.columns[name] for name, _ in FLOWS[kernel]]
    for place, *q in zip(frame.columns["pos"], *columns):
        d = [t - p for t, p in zip(target, place)]
        r = math.hypot(*d)
        if r == 0:
            continue
        if kernel == "stokeslet":
            part = [f / r + dot(q[0], d) * x / r ** 3
                    for f, x in zip(q[0], d)]
        elif kernel == "rotlet":
            part = [x / r ** 3 for x in cross(q[0], d)]
        else:
            part = [-6 * dot(q[0], d) * dot(q[1], d) * x / r ** 5 for x in d]
        u = [a + b for a, b in zip(u, part)]
    return u


class Sums(CommandTest):
    def gen(self, kernel, *words):
        self.farsum("gen", "uniform", "-n", 200, "--kernel", kernel, *words,
                    "-o", "in.xyz")
        return self.frame("in.xyz")

    def near(self, found, expected, tolerance):
        """Expects vectors that differ by at most `tolerance` of their RMS."""
        self.assertEqual(len(found), len(expected))
        scale = math.sqrt(sum(dot(v, v) for v in expected) / len(expected))
        for a, b in zip(found, expected):
            self.assertLess(math.dist(a, b), tolerance * scale)

    def test_open_space(self):
        for kernel, columns in FLOWS.items():
            before = self.gen(kernel, "--cell", "open")
            self.farsum("run", "in.xyz", "--kernel", kernel, "-o", "out.xyz",
                        "--report", "r.json", "--check")
            after = self.frame("out.xyz")
            self.assertEqual(after.order,
                             ["pos"] + [c for c, _ in columns] + ["velocity"])
            for name in before.columns:
                self.assertEqual(before.columns[name], after.columns[name])
            self.near(after.columns["velocity"],
                      [flow_of(kernel, before, p)
                       for p in before.columns["pos"]], 1e-4)
            self.assertEqual(self.json("r.json")["check"]["method"], "direct")
            self.farsum("check", "out.xyz")

    def test_report(self):
        self.gen("stokeslet")
        done = self.farsum("run", "in.xyz", "--kernel", "stokeslet",
                           "--tolerance", "1e-4", "--check", "--report",
                           "r.json", "-o", "out.xyz")
        report = self.json("r.json")
        for key in ["energy", "virial", "viscosity"]:
            self.assertIsNone(report[key])
        for key, value in [("kernel", "stokeslet"), ("error", "velocity"),
                           ("units", "reduced"), ("coulomb", 1),
                           ("n_sources", 200), ("n_targets", 200)]:
            self.assertEqual(report[key], value)
        self.assertLessEqual(report["checked_error"], 1e-4)
        self.assertRegex(done.out, r"velocity +mean .*RMS")
        self.assertIn("relative RMS of the velocity", done.out)
        self.assertNotIn("energy", done.out)
        keys = self.frame("out.xyz").keys
        self.assertEqual(keys["farsum_kernel"], "stokeslet")
        self.assertEqual(keys["farsum_error"], "velocity")
        for key in ["energy", "virial", "farsum_surface", "farsum_viscosity"]:
            self.assertNotIn(key, keys)

    def test_periodic(self):
        for kernel in FLOWS:
            self.gen(kernel, "--cell", "triclinic")
            self.farsum("run", "in.xyz", "--kernel", kernel, "--tolerance",
                        "1e-6", "--check", "-o", "out.xyz", "--report",
                        "r.json")
            report = self.json("r.json")
            self.assertEqual(report["check"]["method"], "ewald")
            self.assertLessEqual(report["checked_error"], 1e-6)
            self.farsum("check", "out.xyz", "--report", "c.json")
            self.assertAlmostEqual(self.json("c.json")["checked_error"]
                                   / report["checked_error"], 1, 5)
            if kernel == "stresslet":
                continue # the mean flow depends on the chosen images
            # A shift by a cell vector changes nothing.
            frame = self.frame("in.xyz")
            cell = [float(v) for v in frame.keys["Lattice"].split()]
            self.write("in.xyz", self.shifted(cell[3:6]))
            self.farsum("run", "in.xyz", "--kernel", kernel, "--tolerance",
                        "1e-6", "-o", "moved.xyz")
            self.near(self.frame("moved.xyz").columns["velocity"],
                      self.frame("out.xyz").columns["velocity"], 1e-4)

    def shifted(self, by):
        """The text of in.xyz with its first particle moved."""
        with open(self.path("in.xyz")) as file:
            lines = file.read().split("\n")
        words = lines[2].split()
        moved = [repr(float(w) + b) for w, b in zip(words, by)]
        lines[2] = " ".join(moved + words[3:])
        return "\n".join(lines)

    def test_one_force_in_a_cube(self):
        # The images' flow is -(4/3) 2.837297 / L; times 1/(8 pi mu) in a fluid.
        self.write("in.xyz", '1\nLattice="2 0 0 0 2 0 0 0 2" '
                             "Properties=pos:R:3:force:R:3\n0 0 0 0 0 3\n")
        self.farsum("run", "in.xyz", "--kernel", "stokeslet", "--tolerance",
                    "1e-8", "--viscosity", "0.5", "-o", "out.xyz")
        u = self.frame("out.xyz").columns["velocity"][0]
        expected = -4 * 2.837297479480619 / 2 / (4 * math.pi)
        self.assertAlmostEqual(u[2] / expected, 1, 7)
        self.assertAlmostEqual(u[0], 0, 8)

    def test_viscosity(self):
        self.gen("rotlet")
        words = ["run", "in.xyz", "--kernel", "rotlet", "--tolerance", "1e-6"]
        self.farsum(*words, "-o", "bare.xyz")
        self.farsum(*words, "-o", "out.xyz", "--viscosity", "1e-3", "--report",
                    "r.json")
        factor = 1 / (8 * math.pi * 1e-3)
        self.near(self.frame("out.xyz").columns["velocity"],
                  [[factor * x for x in v]
                   for v in self.frame("bare.xyz").columns["velocity"]], 1e-5)
        report = self.json("r.json")
        self.assertEqual(report["viscosity"], 1e-3)
        self.assertAlmostEqual(report["coulomb"] / factor, 1, 14)
        self.assertEqual(self.frame("out.xyz").keys["farsum_viscosity"],
                         "0.001")
        self.farsum("check", "out.xyz")
        for other in ["2e-3", "0.5e-3"]:
            done = self.run_farsum("check", "out.xyz", "--viscosity", other)
            self.assertEqual(done.status, 3, done.err)

    def test_targets(self):
        for kernel in FLOWS:
            first = self.gen(kernel, "--cell", "open").columns["pos"][0]
            self.write_targets("at.xyz", 40, 6)
            with open(self.path("at.xyz")) as file:
                lines = file.read().split("\n")
            # one target lies on a source: that pair is skipped
            lines[2] = " ".join(f"{v:.17g}" for v in first)
            self.write("at.xyz", "\n".join(lines))
            self.farsum("run", "in.xyz", "--kernel", kernel, "--targets",
                        "at.xyz", "-o", "t.xyz", "--report", "r.json",
                        "--check")
            at = self.frame("t.xyz")
            self.assertEqual(at.order, ["pos", "velocity"])
            sources = self.frame("in.xyz")
            self.near(at.columns["velocity"],
                      [flow_of(kernel, sources, p)
                       for p in at.columns["pos"]], 1e-4)
            self.assertEqual(self.json("r.json")["n_targets"], 40)
            self.farsum("check", "t.xyz")
            # in a cell
            self.farsum("run", "in.xyz", "--kernel", kernel, "--targets",
                        "at.xyz", "-o", "t.xyz", "--cell",
                        ",".join(sources.keys["Lattice"].split()), "--check")
            self.farsum("check", "t.xyz")

    def test_a_wrong_velocity_is_found(self):
        self.gen("stresslet")
        self.farsum("run", "in.xyz", "--kernel", "stresslet", "-o", "out.xyz")
        self.farsum("check", "out.xyz")
        with open(self.path("out.xyz")) as file:
            text = file.read()
        self.write("out.xyz", re.sub(r"[-+0-9.e]+\n\Z", "7e7\n", text))
        self.assertEqual(self.run_farsum("check", "out.xyz").status, 3)
        self.write("out.xyz", text.replace(":velocity:R", ":other:R"))
        self.refused(1, "no column 'velocity' of 3 real", "check", "out.xyz")

    def test_absolute(self):
        self.gen("stokeslet", "--cell", "open")
        self.farsum("run", "in.xyz", "--kernel", "stokeslet", "--error",
                    "absolute", "--tolerance", "1e-4", "--check", "-o",
                    "out.xyz", "--report", "r.json")
        self.assertLessEqual(self.json("r.json")["checked_error"], 1e-4)
        self.assertIn("absolute", self.farsum("check", "out.xyz").out)

    def test_frames(self):
        self.gen("stokeslet")
        with open(self.path("in.xyz")) as file:
            text = file.read()
        self.write("two.xyz", text + self.shifted([0.1, 0.1, 0.1]))
        self.farsum("run", "two.xyz", "--kernel", "stokeslet", "-o",
                    "out.xyz", "--check", "--report", "r.json")
        frames = self.json("r.json")["frames"]
        self.assertEqual([f["new_plan"] for f in frames], [None, None])
        self.assertEqual(len(self.frames("out.xyz")), 2)
        self.farsum("check", "out.xyz")
        self.write("two.xyz", text + self.shifted([math.inf] * 3))
        self.refused(1, r"two\.xyz:205:", "run", "two.xyz", "--kernel",
                     "stokeslet")

    def test_coincident(self):
        self.write("in.xyz", GOOD.replace("2 2 2.5", "4 4 4"))
        self.refused(1, "in.xyz", "run", "in.xyz", "--kernel", "stokeslet")
        self.farsum("run", "in.xyz", "--kernel", "stokeslet", "--exclude",
                    "coincident", "-o", "out.xyz")
        self.farsum("check", "out.xyz")

    def test_hdf5(self):
        self.with_hdf5()
        for kernel, columns in FLOWS.items():
            self.gen(kernel)
            self.farsum("gen", "uniform", "-n", 200, "--kernel", kernel, "-o",
                        "in.h5")
            self.farsum("run", "in.h5", "--kernel", kernel, "-o", "out.h5")
            self.farsum("check", "out.h5")
            # targets from a second file
            self.farsum("gen", "uniform", "-n", 30, "--seed", 8, "--cell",
                        self.edges("in.xyz"), "-o", "at.h5")
            self.farsum("run", "in.h5", "--kernel", kernel, "--targets",
                        "at.h5", "-o", "t.h5", "--report", "r.json", "--check")
            self.assertEqual(self.json("r.json")["n_targets"], 30)
            self.farsum("check", "t.h5")
            # once more, from HDF5: the names are the same in every format
            self.farsum("run", "out.h5", "--kernel", kernel, "-o", "out.xyz")
            after = self.frame("out.xyz")
            self.assertEqual(after.order,
                             ["pos"] + [c for c, _ in columns] + ["velocity"])
            self.farsum("check", "out.xyz")
            self.farsum("run", "in.xyz", "--kernel", kernel, "-o", "x.xyz")
            self.near(after.columns["velocity"],
                      self.frame("x.xyz").columns["velocity"], 1e-9)

    def test_plans(self):
        for kernel in FLOWS:
            case = f"{kernel} n=400 tol=1e-3 seed=2"
            out = self.farsum("tune", "--case", case, "--report", "t.json").out
            self.assertIn(f"kernel {kernel}", out)
            self.assertEqual(self.json("t.json")["kernel"], kernel)
            out = self.farsum("bench", "all", "--case", case, "--repeats", 2,
                              "--report", "b.json").out
            self.assertIn("error=velocity", out)
            self.gen(kernel)
            self.assertIn(f"kernel {kernel}", self.farsum(
                "tune", "in.xyz", "--kernel", kernel).out)
            self.farsum("bench", "all", "--input", "in.xyz", "--kernel",
                        kernel, "--copies", "2x1x1", "--repeats", 1,
                        "--report", "b.json")
            report = self.json("b.json")
            self.assertEqual(report["n_sources"], 400)
            self.assertTrue(report["case"].startswith(kernel + " in.xyz"))
        # the option goes before the case's word
        self.assertIn("kernel rotlet", self.farsum(
            "tune", "--case", "laplace n=400", "--kernel", "rotlet").out)


if __name__ == "__main__":
    unittest.main()
