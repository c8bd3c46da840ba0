# SPDX-License-Identifier: Apache-2.0
"""run --check and check: the measured error, and exit status 3."""

import json
import re
import unittest

from command import CommandTest


class Check(CommandTest):
    def setUp(self):
        super().setUp()
        self.farsum("gen", "uniform", "-n", 200, "--cell", "triclinic", "-o",
                    "in.xyz")

    def edit(self, name, old, new):
        with open(self.path(name)) as file:
            text = file.read()
        self.assertRegex(text, old)
        self.write(name, re.sub(old, new, text, count=1))

    def test_agrees(self):
        done = self.farsum("run", "in.xyz", "--check", "-o", "out.xyz",
                           "--report", "r.json")
        for word in ["tolerance 1e-05", "estimated", "measured"]:
            self.assertIn(word, done.out)
        report = self.json("r.json")
        self.assertEqual(report["check"]["method"], "ewald")
        self.assertEqual(report["check"]["targets"], 200)
        self.assertLessEqual(report["check"]["tolerance"], 1e-8)
        done = self.farsum("check", "out.xyz", "--report", "c.json")
        again = self.json("c.json")
        self.assertAlmostEqual(again["checked_error"] / report["checked_error"],
                               1, 6)
        self.assertEqual(again["tolerance"], 1e-5)
        self.assertIn("estimated", done.out)

    def test_plans_are_verified(self):
        """Clustered masses have a larger error than the estimate; --verify
        corrects the plan."""
        self.farsum("gen", "dense", "-n", 1000, "--masses", "-o", "p.xyz")
        run = ["run", "p.xyz", "--gravity", 1, "--tolerance", "1e-5", "--check",
               "--report", "r.json"]
        self.assertIn("ABOVE", self.farsum(*run, "--verify", "off",
                                           status=3).out)
        self.assertIsNone(self.json("r.json")["verified_error"])
        for verify in [["--verify", "on"], ["--verify", "auto"], []]:
            done = self.farsum(*run, *verify)
            self.assertRegex(done.out, r"by a second sum of \d+ targets")
            report = self.json("r.json")
            self.assertLessEqual(report["checked_error"], 1e-5)
            self.assertAlmostEqual(report["verified_error"]
                                   / report["checked_error"], 1, delta=0.5)

    def test_targets_apart_are_verified(self):
        """With separate targets the first sum is measured.  The measured error
        becomes the estimate, and the plan does not change."""
        self.farsum("gen", "dense", "-n", 1000, "--masses", "-o", "p.xyz")
        self.farsum("gen", "uniform", "-n", 400, "--cell", self.edges("p.xyz"),
                    "-o", "t.xyz")
        run = ["run", "p.xyz", "--gravity", 1, "--tolerance", "1e-5",
               "--targets", "t.xyz", "--check", "--report", "r.json"]
        self.farsum(*run, "--verify", "off")
        self.assertIsNone(self.json("r.json")["verified_error"])
        for verify in [["--verify", "on"], ["--verify", "auto"], []]:
            done = self.farsum(*run, *verify)
            self.assertRegex(done.out, r"by a second sum of \d+ targets")
            report = self.json("r.json")
            self.assertAlmostEqual(report["estimated_error"]
                                   / report["verified_error"], 1, 12)
            self.assertAlmostEqual(report["verified_error"]
                                   / report["checked_error"], 1, delta=0.5)

    def test_targets_apart_in_open_space(self):
        """The result's frame says which cell was used: none, unlike the
        sources' file."""
        self.farsum("gen", "uniform", "-n", 50, "-o", "p.xyz")
        self.write_targets("t.xyz", 9, 3)
        run = ["run", "p.xyz", "--targets", "t.xyz", "--periodic", "none", "-o"]
        self.farsum(*run, "out.xyz")
        self.farsum("check", "out.xyz")
        self.with_hdf5()
        self.farsum(*run, "out.h5")
        self.farsum("check", "out.h5")

    def test_absolute_of_targets_apart(self):
        """The plan and the command use the same norm: the field's error times
        the RMS charge, here 3.  Both check all 40 targets."""
        self.farsum("gen", "uniform", "-n", 300, "-o", "p.xyz")
        frame = self.frame("p.xyz")
        rows = "".join(f"{3 * q:g} {x[0]!r} {x[1]!r} {x[2]!r}\n" for q, x in
                       zip(frame.columns["charge"], frame.columns["pos"]))
        self.write("q.xyz", f'300\nLattice="{frame.keys["Lattice"]}" '
                   f"Properties=charge:R:1:pos:R:3\n{rows}")
        self.farsum("gen", "uniform", "-n", 40, "--seed", 5, "--cell",
                    self.edges("p.xyz"), "-o", "t.xyz")
        for words in ("--tolerance", "1e-1"), ("--tolerance", "1e-2"):
            done = self.farsum("run", "q.xyz", "--targets", "t.xyz", "--error",
                               "absolute", "--units", "reduced", "--check",
                               "--report", "r.json", *words)
            self.assertIn("RMS of the field times the RMS charge", done.out)
            report = self.json("r.json")
            self.assertAlmostEqual(report["verified_error"]
                                   / report["checked_error"], 1, delta=1e-3)

    def test_energy_and_virial(self):
        """Energy and virial have an estimated and a measured error each."""
        self.farsum("run", "in.xyz", "--check", "-o", "out.xyz", "--report",
                    "r.json")
        report = self.json("r.json")
        for what in ["energy", "virial"]:
            estimated = report["estimated_%s_error" % what]
            self.assertAlmostEqual(
                estimated / report["checked_%s_error" % what], 1, delta=0.1)
            self.assertEqual(report["frames"][0]["estimated_%s_error" % what],
                             estimated)
        part = report["estimated_energy_error"] / \
            report["estimated_energy_error_of_itself"]
        self.assertTrue(0 < part <= 1)
        done = self.farsum("check", "out.xyz", "--report", "c.json")
        self.assertRegex(done.out, r"energy \S+, virial \S+")
        again = self.json("c.json")["frames"][0]
        self.assertAlmostEqual(again["checked_virial_error"]
                               / report["checked_virial_error"], 1, 3)
        out = self.farsum("run", "in.xyz", "--no-virial").out
        self.assertRegex(out, r"estimated energy \S+ \(\S+ of itself\)\n")

    def test_norms(self):
        """A tolerance for the force limits none of these norms for clustered
        charges; --error does."""
        self.farsum("gen", "dense", "-n", 400, "--masses", "-o", "p.xyz")
        run = ["run", "p.xyz", "--gravity", 1, "--tolerance", "1e-5", "--check",
               "--report", "r.json", "-o", "out.xyz"]
        self.farsum(*run)
        of_force = self.json("r.json")
        for norm in ["energy", "pressure", "each"]:
            done = self.farsum(*run, "--error", norm)
            report = self.json("r.json")
            self.assertEqual(report["error"], norm)
            self.assertLessEqual(report["checked_error"], 1e-5, norm)
            self.assertAlmostEqual(report["verified_error"]
                                   / report["checked_error"], 1, delta=0.5)
            self.assertIn("second sum of 400 targets", done.out)
            self.farsum("check", "out.xyz", "--report", "c.json")
            self.assertAlmostEqual(self.json("c.json")["checked_error"]
                                   / report["checked_error"], 1, 3)
            if norm == "pressure":
                self.assertEqual(report["checked_virial_error"],
                                 report["checked_error"])
        self.assertGreater(of_force["checked_virial_error"], 1e-5)
        refused = self.farsum("run", "p.xyz", "--gravity", 1, "--no-virial",
                              "--error", "pressure", status=1)
        self.assertIn("not among the outputs", refused.err)
        refused = self.farsum("run", "in.xyz", "--targets", "in.xyz", "--error",
                              "energy", status=1)
        self.assertIn("separate targets", refused.err)

    def test_units_of_any_size(self):
        """The forces are in the range of f64, their squares are not."""
        for edge in ["1", "1e80", "1e-18", "1e-75", "1e-100"]:
            self.farsum("gen", "uniform", "-n", 64, "--cell",
                        ",".join([edge] * 3), "-o", "a.xyz")
            for precision in ["f32", "f64"]:
                self.farsum("run", "a.xyz", "--tolerance", "1e-3",
                            "--precision", precision, "--check", "--report",
                            "r.json")
                error = self.json("r.json")["checked_error"]
                self.assertLessEqual(error, 1e-3)
                self.assertGreater(error, 1e-9)

    def test_a_galaxy_in_centimetres(self):
        self.farsum("gen", "plummer", "-n", 3000, "--masses", "--periodic",
                    "none", "--cell", "1e24,1e24,1e24", "-o", "s.xyz")
        for precision in ["auto", "f32"]:
            self.farsum("run", "s.xyz", "--gravity", 1, "--tolerance", "1e-3",
                        "--precision", precision, "--method", "fmm", "--check",
                        "--report", "r.json")
            report = self.json("r.json")
            self.assertLessEqual(report["checked_error"], 1e-3)

    def test_every_norm(self):
        for kind in ["force", "potential", "absolute"]:
            self.farsum("run", "in.xyz", "--error", kind, "--tolerance",
                        "1e-4", "--check", "-o", "out.xyz", "--report",
                        "r.json")
            done = self.farsum("check", "out.xyz", "--report", "c.json")
            self.assertIn(kind, done.out)
            self.assertAlmostEqual(
                self.json("c.json")["checked_error"]
                / self.json("r.json")["checked_error"], 1, 6)

    def test_a_subset(self):
        self.farsum("run", "in.xyz", "-o", "out.xyz")
        self.farsum("check", "out.xyz", "--report", "all.json")
        all_targets = self.json("all.json")["checked_error"]
        for seed in [1, 2]:
            self.farsum("check", "out.xyz", "--check-targets", 50, "--seed",
                        seed, "--report", "c.json")
            report = self.json("c.json")
            # 50 at random, and the five with the largest forces
            self.assertEqual(report["frames"][0]["targets"], 55)
            self.assertLess(report["checked_error"], 2 * all_targets)
            self.assertGreater(report["checked_error"], all_targets / 2)

    def test_report_on_standard_output(self):
        self.farsum("run", "in.xyz", "-o", "out.xyz")
        done = self.farsum("check", "out.xyz", "--report", "-")
        self.assertEqual(len(json.loads(done.out)["frames"]), 1)
        self.assertIn("measured", done.err)

    def test_exceeds(self):
        self.farsum("run", "in.xyz", "--tolerance", "1e-3", "-o", "out.xyz")
        done = self.run_farsum("check", "out.xyz", "--tolerance", "1e-12")
        self.assertEqual(done.status, 3)
        self.assertIn("ABOVE", done.out)

    def test_a_wrong_force_is_found(self):
        self.farsum("run", "in.xyz", "-o", "out.xyz")
        self.farsum("check", "out.xyz")
        number = r"[-+0-9.e]+"
        # the last line's last number
        self.edit("out.xyz", rf"({number})\n\Z", r"1\1\n")
        done = self.run_farsum("check", "out.xyz", "--report", "c.json")
        self.assertEqual(done.status, 3)
        self.assertTrue(self.json("c.json")["frames"][0]["exceeded"])
        self.edit("out.xyz", rf"({number})\n\Z", "nan\n")
        self.assertNotEqual(self.run_farsum("check", "out.xyz").status, 0)

    def test_a_wrong_potential_is_found(self):
        self.farsum("run", "in.xyz", "-o", "out.xyz", "--error", "potential")
        self.farsum("check", "out.xyz")
        self.edit("out.xyz", r"(?m)^(\S+ \S+ \S+ \S+) (\S+)", r"\1 77")
        self.assertEqual(self.run_farsum("check", "out.xyz").status, 3)

    def test_settings_that_are_missing(self):
        self.farsum("run", "in.xyz", "-o", "out.xyz", "--units", "real",
                    "--tolerance", "1e-6")
        self.edit("out.xyz", r" farsum_\S+=.*", "")
        self.refused(1, r"give --tolerance --error --units --kernel", "check",
                     "out.xyz")
        words = ["--tolerance", "1e-6", "--error", "force", "--kernel",
                 "laplace"]
        self.refused(1, r"give --units", "check", "out.xyz", *words)
        self.farsum("check", "out.xyz", "--units", "real", *words)
        # with another constant the forces are wrong
        done = self.run_farsum("check", "out.xyz", "--units", "metal", *words)
        self.assertEqual(done.status, 3)

    def test_not_a_result(self):
        self.refused(1, "comment line", "check", "in.xyz")
        self.refused(1, "no column 'potential'", "check", "in.xyz",
                     "--tolerance", "1e-5", "--error", "force", "--units",
                     "reduced", "--kernel", "laplace")
        self.farsum("run", "in.xyz", "-o", "out.xyz")
        self.edit("out.xyz", "farsum_units=reduced", "farsum_units=cgs")
        self.refused(1, "unknown value .*cgs", "check", "out.xyz")

    def test_precision(self):
        self.farsum("run", "in.xyz", "--precision", "f32", "--tolerance",
                    "1e-4", "--check", "-o", "out.xyz")
        self.farsum("check", "out.xyz")

    def test_many_frames(self):
        with open(self.path("in.xyz")) as file:
            text = file.read()
        self.write("two.xyz", text + text)
        self.farsum("run", "two.xyz", "-o", "out.xyz")
        self.farsum("check", "out.xyz", "--report", "c.json")
        self.assertEqual(len(self.json("c.json")["frames"]), 2)
        self.edit("out.xyz", r"([-+0-9.e]+)\n\Z", r"1\1\n")
        done = self.run_farsum("check", "out.xyz", "--report", "c.json")
        self.assertEqual(done.status, 3)
        self.assertEqual([f["exceeded"] for f in self.json("c.json")["frames"]],
                         [False, True])

    def test_hdf5(self):
        self.with_hdf5()
        self.farsum("run", "in.xyz", "-o", "out.h5")
        self.farsum("check", "out.h5")

    def test_sources_elsewhere(self):
        self.write_targets("at.xyz", 100, 4)
        self.farsum("run", "in.xyz", "--targets", "at.xyz", "-o", "t.xyz")
        self.farsum("check", "t.xyz")
        self.edit("t.xyz", r" farsum_sources=\S+", "")
        self.refused(1, "no column 'forces'.*--sources", "check", "t.xyz")
        self.farsum("check", "t.xyz", "--sources", "in.xyz")


if __name__ == "__main__":
    unittest.main()
