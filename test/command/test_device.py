# SPDX-License-Identifier: Apache-2.0
"""Devices: their list, sums on one of them, the kernel cache on disk.

$FARSUM_TEST_DEVICE is the device (default: opencl:0).
"""

import os
import re
import subprocess
import unittest

from command import FARSUM, CommandTest
from test_plans import map_check, measure_check, model_check

DEVICE = os.environ.get("FARSUM_TEST_DEVICE", "opencl:0")
CASE = "laplace n=300 tol=1e-3 seed=3 prec=f32"


def devices(test):
    out = test.farsum("list", "devices").out
    return {m[1]: m[2] for m in re.finditer(r"(?m)^(\S+) +(.*)$", out)}


class Devices(CommandTest):
    def cache(self, folder):
        """Sets the folder of this test's kernel cache; "": no cache."""
        before = os.environ.get("FARSUM_CACHE_DIR")
        os.environ["FARSUM_CACHE_DIR"] = folder
        if before is None:
            self.addCleanup(os.environ.pop, "FARSUM_CACHE_DIR")
        else:
            self.addCleanup(os.environ.update, FARSUM_CACHE_DIR=before)

    def need(self):
        if DEVICE not in devices(self):
            self.skipTest(f"there is no {DEVICE}")

    def test_list(self):
        found = devices(self)
        self.assertIn("host", found)
        for vendor in ["cuda", "hip", "opencl"]:
            self.assertTrue([d for d in found if d.split(":")[0] == vendor],
                            vendor)

    def test_run_and_cache(self):
        self.need()
        self.cache(self.path("kernels"))
        self.farsum("gen", "--case", CASE, "-o", "a.xyz")
        done = self.farsum("run", "a.xyz", "--device", DEVICE, "--tolerance",
                           "1e-3", "--precision", "f32", "--check", "--report",
                           "r.json", "-o", "out.xyz")
        self.assertIn(f"on {DEVICE}", done.out)
        report = self.json("r.json")
        self.assertEqual(report["device"], DEVICE)
        self.assertTrue(report["device_model"])
        self.assertLessEqual(report["checked_error"], 1e-3)
        self.farsum("check", "out.xyz")
        out = self.farsum("cache").out
        files = int(re.search(r"(\d+) kernel files", out)[1])
        self.assertGreater(files, 3)
        self.assertIn(self.path("kernels"), out)
        # the same plan compiles nothing more
        self.farsum("cache", "warm", "--device", DEVICE, "a.xyz",
                    "--tolerance", "1e-3", "--precision", "f32")
        again = self.farsum("cache", "list").out
        self.assertEqual(int(re.search(r"(\d+) kernel files", again)[1]),
                         files)
        self.assertIn(f"{files} kernel files removed",
                      self.farsum("cache", "clear").out)
        self.assertIn("0 kernel files", self.farsum("cache").out)

    def test_fmm(self):
        """Clustered points, periodic and open, meet the tolerance."""
        self.need()
        for name, cell, tree in [("cell", "cubic", "dense"),
                                 ("open", "open", "sparse")]:
            self.farsum("gen", "--case", f"laplace n=600 cell={cell} "
                        "dist=clustered seed=4", "-o", f"{name}.xyz")
            done = self.farsum("run", f"{name}.xyz", "--device", DEVICE,
                               "--method", "fmm", "--tree", tree,
                               "--tolerance", "1e-3", "--precision", "f32",
                               "--check", "--report", "r.json", "-o",
                               "out.xyz")
            self.assertIn(f"on {DEVICE}", done.out)
            report = self.json("r.json")
            self.assertEqual(report["method"], "fmm")
            self.assertEqual(report["device"], DEVICE)
            self.assertEqual(report["plan"]["tree"], tree)
            self.assertLessEqual(report["checked_error"], 1e-3)
            self.farsum("check", "out.xyz")

    def test_map(self):
        self.need()
        names = map_check(self, "--device", DEVICE, "--mesh", "48x48x48")
        for name in names["spread"]:
            self.assertTrue(name.startswith("gpu_"), name)

    def test_model(self):
        self.need()
        model = model_check(self, "--device", DEVICE, "--case", CASE,
                            "--method", "spectral")
        self.assertGreater(model["machine"]["launch"], 0)
        self.assertGreater(model["machine"]["transfer"], 0)
        near = model["stages"][1]
        self.assertTrue(near["variant"].startswith("gpu_"), near["variant"])

    def test_model_of_the_paper(self):
        """The Gaussian split in closed form: erfc and exp per pair."""
        self.need()
        self.farsum("tune", "--model", "--device", DEVICE, "--case",
                    "stokeslet n=300 tol=1e-3", "--split", "gaussian",
                    "--near", "gm_1d", "--spread", "gpu_particle",
                    "--repeats", 1, "--report", "r.json")
        stages = self.json("r.json")["model"]["stages"]
        near, spread = stages[1]["calls"], stages[2]
        self.assertEqual(near["erfc"], near["rsqrt"])
        self.assertEqual(near["erfc"], near["exp"])
        self.assertGreater(near["erfc"], 300)
        self.assertEqual(spread["sums"] % (300 * 3), 0)

    def test_measure(self):
        self.need()
        self.cache(self.path("measured"))
        measure_check(self, "--device", DEVICE)

    def test_cache_off(self):
        self.cache("")
        self.assertIn("the cache is off", self.farsum("cache").out)

    def test_together(self):
        """Programs may compile the same kernels simultaneously.  PoCL then
        caches no kernel for work-groups of any size (folder 0-0-0)."""
        self.need()
        kept = self.path("kept")
        own = dict(os.environ, FARSUM_CACHE_DIR=self.path("kernels"),
                   POCL_CACHE_DIR=kept)
        self.farsum("gen", "--case", CASE, "-o", "a.xyz")
        started = [subprocess.Popen(
            [FARSUM, "run", "a.xyz", "--device", DEVICE, "--tolerance", "1e-3",
             "--precision", "f32", "--check", "-o", f"out{k}.xyz"],
            cwd=self.folder, env=own, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT) for k in range(3)]
        for one in started:
            out = one.communicate(timeout=300)[0]
            self.assertEqual(one.returncode, 0, out)
        made = [folder for _, folders, _ in os.walk(kept)
                for folder in folders]
        self.assertNotIn("0-0-0", made)

    def test_near_cells_and_team(self):
        self.need()
        words = ["tune", "--case", CASE, "--device", DEVICE, "--method",
                 "spectral"]
        out = self.farsum(*words, "--near", "gpu_cells", "--near-cells", 3).out
        self.assertRegex(out, r"near: gpu_cells \(named; 3 cells per cutoff\)")
        out = self.farsum(*words, "--near", "gpu_cells").out
        self.assertRegex(out,
                         r"near: gpu_cells \(named; [1-4] cells? per cutoff")
        self.farsum(*words, "--split", "gaussian", "--near", "gm_1d",
                    "--near-team", "32x1")
        self.refused(1, "does not accept --near-team", *words, "--near",
                     "gpu_cells", "--near-team", "32x1")
        self.refused(1, "9 cells per cutoff", *words, "--near", "gpu_cells",
                     "--near-cells", 9)

    def test_bench_arrays(self):
        """bench uses arrays on the device unless --arrays host is given."""
        self.need()
        words = ["bench", "spectral", "--case", CASE, "--repeats", 2,
                 "--report", "r.json"]
        for more, where in [([], "device"), (["--arrays", "host"], "host"),
                            (["--arrays", "device"], "device")]:
            out = self.farsum(*words, "--device", DEVICE, *more).out
            self.assertIn(f"arrays on the {where}", out)
            report = self.json("r.json")
            self.assertEqual(report["arrays"], where)
            for row in report["rows"]:
                self.assertGreaterEqual(row["min"], 0, row)
            calls = [row for row in report["rows"]
                     if row["stage"] in ("total", "set_points")]
            self.assertEqual(len(calls), 2)
            self.assertTrue(all(row["min"] > 0 for row in calls))
        self.assertIn("arrays on the host", self.farsum(*words).out)
        self.refused(1, "requires --device", *words, "--arrays", "device")

    def test_one_level(self):
        """A crystal with one level of boxes uses no variant that shifts
        expansions between levels."""
        self.need()
        self.farsum("gen", "perovskite", "--cells", 3, "-o", "p.xyz")
        out = self.farsum("run", "p.xyz", "--method", "fmm", "--device",
                          DEVICE, "--tolerance", "1e-10", "--no-virial",
                          "--check").out
        self.assertIn("1 level", out)
        self.assertNotRegex(out, r"(?m)^m2l")

    def test_near_pair(self):
        """If fmm fails on a device and on the host, the refusal offers direct.
        """
        self.need()
        self.write("near.xyz", "3\nProperties=species:S:1:pos:R:3:charge:R:1\n"
                   "A 0 0 0 1\nB 1e-6 0 0 -1\nA 1e6 3e5 2e5 1\n")
        words = ["run", "near.xyz", "--periodic", "none", "--tolerance",
                 "1e-10"]
        done = self.refused(1, "positions rounded to f64", *words, "--method",
                            "fmm", "--device", DEVICE)
        self.assertIn("use --device host and use --method", done.err)
        self.farsum(*words, "--method", "direct")

    def test_refused(self):
        self.refused(2, "'farsum help cache'", "cache", "burn")
        self.refused(2, "--device", "cache", "warm", "--case", CASE)
        self.refused(2, 'device "quda:0" is not known', "tune", "--case", CASE,
                     "--device", "quda:0")
        self.refused(1, "opencl:99", "tune", "--case", CASE, "--device",
                     "opencl:99")


if __name__ == "__main__":
    unittest.main()
