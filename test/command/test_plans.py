# SPDX-License-Identifier: Apache-2.0
"""list, tune and bench."""

import csv
import os
import re
import shutil
import unittest
import xml.etree.ElementTree

from command import CommandTest

CASE = "laplace n=2000 tol=1e-4 seed=2"
STAGES = ["near", "spread", "fft", "scale", "interp"]


class Lists(CommandTest):
    def names(self, what):
        out = self.farsum("list", what).out
        return re.findall(r"(?m)^(\S+)", out)

    def test_lists(self):
        self.assertEqual(self.farsum("list").out,
                         self.farsum("list", "methods").out)
        for name in ["direct", "ewald", "spectral"]:
            self.assertIn(name, self.names("methods"))
        for stage in STAGES:
            self.assertIn(stage, self.names("stages"))
            self.assertEqual(self.names(stage)[0], "plain")
        for name in ["prolate", "gaussian"]:
            self.assertIn(name, self.names("splits"))
            self.assertIn(name, self.names("windows"))

    def test_nothing_of_that_name(self):
        self.refused(2, "unknown name 'noise'", "list", "noise")
        self.refused(2, "one name", "list", "near", "far")


def map_check(test, *options):
    """Draws a map.  Checks that the printed text and the picture agree, and
    returns the variants' names by stage."""
    out = test.farsum("tune", "--map", "m.svg", *options).out
    picture = xml.etree.ElementTree.parse(test.path("m.svg")).getroot()
    space = "{http://www.w3.org/2000/svg}"
    words = [t.text for t in picture.iter(space + "text")]
    picks = {}
    for title in picture.iter(space + "title"):
        found = re.fullmatch(r"(\w+) (\d+) points, (\S+) runs: (\w+) \((.*)\)",
                             title.text)
        test.assertTrue(found, title.text)
        stage, points, runs, name, why = found.groups()
        picks[stage, int(points), float(runs)] = name
        test.assertIn("points per mesh point", why)
    names = {"spread": set(), "interp": set()}
    for (stage, _, _), name in picks.items():
        names[stage].add(name)
        test.assertIn(name, words)  # in the legend
    told = 0
    for line in out.splitlines()[1:]:
        stage, points, rest = re.match(r"(\w+) +(\d+) points (.*)",
                                       line).groups()
        steps = [(1.0, rest.split(",")[0].strip())]
        for runs, name in re.findall(r"from (\S+) runs (\w+)", rest):
            steps.append((float(runs), name))
        for (s, n, runs), name in picks.items():
            if (s, n) == (stage, int(points)):
                test.assertEqual([v for r, v in steps if r <= runs][-1], name)
                told += 1
    test.assertEqual(told, len(picks))
    return names


class Map(CommandTest):
    def test_host(self):
        listed = self.farsum("list", "spread").out
        names = map_check(self, "--mesh", "32x36x40", "--precision", "f32",
                          "--components", 2, "--support", 4)
        self.assertGreater(len(names["spread"]), 1)
        for name in names["spread"]:
            self.assertRegex(listed, rf"(?m)^{name} ")
            self.assertFalse(name.startswith("gpu_"))

    def test_refused(self):
        self.refused(2, "--map accepts neither a file", "tune", "--map", "m.svg",
                     "--case", CASE)
        self.refused(2, "require --map", "tune", "--case", CASE,
                     "--components", 2)
        self.refused(1, "nowhere/m.svg", "tune", "--map", "nowhere/m.svg")
        self.refused(1, "support", "tune", "--map", "m.svg", "--support", 40)


OPERATIONS = ["fma", "add", "mul", "div", "rsqrt", "exp", "erfc"]


def measure_check(test, *options):
    """Plans with measured costs.  The second plan, and the third one without
    --measure, use the cached costs."""
    words = ["tune", "--case", "laplace n=3000 tol=1e-4", "--method",
             "spectral", "--threads", 1, *options]
    test.assertNotIn("measured times", test.farsum("cache").out)
    first = test.farsum(*words, "--measure").out
    test.assertIn("and measured times", test.farsum("cache").out)
    with open(os.path.join(os.environ["FARSUM_CACHE_DIR"], "wisdom")) as file:
        kept = file.read()
    for room in ("near", "spread", "fft", "scale", "interp", "m2l"):
        test.assertRegex(kept, rf"(?m)\|machine [0-9.]+ f64\|{room} 0 [0-9.e+-]+$")
    # The cache stores five digits.
    second = test.farsum(*words, "--measure").out
    test.assertEqual(len(second.split()), len(first.split()))
    test.assertEqual(test.farsum(*words).out, second)
    with open(os.path.join(os.environ["FARSUM_CACHE_DIR"], "wisdom")) as file:
        test.assertEqual(file.read(), kept)


def model_check(test, *options):
    """Checks the model of a small plan: its table, report and lines agree."""
    done = test.farsum("tune", "--model", *options, "--report", "m.json",
                       "--csv", "m.csv", "--repeats", 1)
    report = test.json("m.json")
    model, machine = report["model"], report["model"]["machine"]
    test.assertEqual(list(machine["operations"]), OPERATIONS)
    test.assertEqual(machine["operations"]["fma"]["flop_equivalents"], 2)
    test.assertRegex(done.out, r"(?m)^operation +" + " +".join(OPERATIONS))
    for one in machine["operations"].values():
        test.assertGreater(one["seconds"], 0)
    names = [s["stage"] for s in model["stages"]]
    test.assertEqual(names, ["set_points", "near", "spread", "fft", "scale",
                             "ifft", "interp", "ends"])
    chosen = {s["stage"]: s["variant"] for s in report["plan"]["stages"]}
    with open(test.path("m.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    test.assertEqual([r["stage"] for r in rows], names)
    for stage, row in zip(model["stages"], rows):
        line = re.search(rf"(?m)^{stage['stage']} +(\S+) +(\S+) +(\S+) +(\w+)",
                         done.out)
        test.assertEqual(line[1], stage["variant"])
        test.assertEqual(line[4], stage["bound"])
        test.assertAlmostEqual(float(line[2]) / (stage["flops"] / 1e9), 1, 2)
        at = model.get("near_machine", machine) if stage["stage"] == "near" \
            else machine
        flops = sum(stage["calls"][k]
                    * at["operations"][k]["flop_equivalents"]
                    for k in OPERATIONS)
        test.assertAlmostEqual(flops / stage["flops"], 1, 6)
        test.assertGreaterEqual(stage["predicted"] * 1.000001,
                                stage["flops"] / at["peak"])
        test.assertAlmostEqual(float(row["predicted"]) / stage["predicted"],
                               1, 4)
        if stage["measured"]:
            test.assertAlmostEqual(
                stage["share_of_peak"] * stage["measured"] * at["peak"]
                / stage["flops"], 1, 6)
        if stage["stage"] in chosen:
            test.assertEqual(stage["variant"], chosen[stage["stage"]])
    test.assertAlmostEqual(sum(s["predicted"] for s in model["stages"][1:])
                           / model["predicted"], 1, 6)
    test.assertGreater(model["measured"], 0)
    return model


class Model(CommandTest):
    def setUp(self):
        super().setUp()
        os.environ["FARSUM_CACHE_DIR"] = self.path("kept")
        self.addCleanup(os.environ.pop, "FARSUM_CACHE_DIR")

    def test_host(self):
        first = model_check(self, "--case", CASE, "--threads", 1)
        self.assertFalse(first["machine"]["kept"])
        os.unlink(self.path("m.csv"))
        self.farsum("gen", "uniform", "-n", 500, "--kernel", "stokeslet", "-o",
                    "f.xyz")
        flow = model_check(self, "f.xyz", "--kernel", "stokeslet",
                           "--threads", 1)
        self.assertTrue(flow["machine"]["kept"])
        self.assertEqual(first["machine"]["peak"], flow["machine"]["peak"])

    def test_mixed(self):
        """The model uses f32 rates for near pairs and f64 rates otherwise."""
        model = model_check(self, "--case", CASE, "--threads", 1,
                            "--precision", "mixed")
        self.assertGreater(model["near_machine"]["peak"],
                           1.2 * model["machine"]["peak"])

    def test_measure(self):
        """Costs of this machine are measured once, cached, and cleared."""
        measure_check(self)

    def test_more_neighbours(self):
        """Twice the cutoff gives eight times the pairs."""
        near = []
        for cutoff in (2, 4):
            self.farsum("tune", "--model", "--case", "laplace n=3000 tol=1e-4",
                        "--cutoff", cutoff, "--near", "plain", "--threads", 1,
                        "--repeats", 1, "--report", "r.json")
            stages = self.json("r.json")["model"]["stages"]
            near.append(stages[1]["calls"]["rsqrt"])
        self.assertAlmostEqual(near[1] / near[0], 8, delta=0.8)

    def test_refused(self):
        self.refused(2, "require --model", "tune", "--case", CASE, "--csv",
                     "m.csv")
        self.refused(2, "exclude each other", "tune", "--model", "--map",
                     "m.svg")
        self.refused(1, "method ewald", "tune", "--model", "--case",
                     "laplace n=100", "--method", "ewald")
        self.refused(1, "nowhere/m.csv", "tune", "--model", "--case", CASE,
                     "--csv", "nowhere/m.csv")


class Tune(CommandTest):
    def test_case_and_file(self):
        done = self.farsum("tune", "--case", CASE, "--report", "c.json")
        self.assertIn("estimated", done.out)
        self.farsum("gen", "--case", CASE, "-o", "a.xyz")
        self.farsum("tune", "a.xyz", "--tolerance", "1e-4", "--report",
                    "f.json")
        case, file = self.json("c.json"), self.json("f.json")
        for key in ["version", "n_sources", "kernel", "method", "device",
                    "precision", "threads", "tolerance", "estimated_error",
                    "plan"]:
            self.assertIn(key, case)
        self.assertEqual(case["n_sources"], 2000)
        self.assertEqual(case["tolerance"], 1e-4)
        self.assertEqual(case["method"], file["method"])
        self.assertEqual(case["plan"]["mesh"], file["plan"]["mesh"])
        self.assertGreater(case["plan"]["bytes"], 0)
        self.assertTrue(case["plan"]["text"])

    def test_crowding_from_the_sample(self):
        seen = {}
        for dist in ["uniform", "plummer"]:
            out = self.farsum("tune", "--case",
                              f"laplace n=5000 dist={dist} tol=1e-4").out
            seen[dist] = float(re.search(r"spread: .* crowding ([^,]+),",
                                         out)[1])
        self.assertLess(seen["uniform"], 1.5)
        self.assertGreater(seen["plummer"], 20)

    def test_what_is_fixed_is_kept(self):
        self.farsum("tune", "--case", CASE, "--method", "spectral", "--split",
                    "gaussian", "--window", "bspline", "--support", 6,
                    "--spread", "plain", "--report", "c.json")
        plan = self.json("c.json")["plan"]
        self.assertEqual(plan["split"], "gaussian")
        self.assertEqual(plan["window"], "bspline")
        self.assertEqual(plan["support"], 6)
        spread = [s for s in plan["stages"] if s["stage"] == "spread"]
        self.assertEqual(spread[0]["variant"], "plain")

    def test_options_go_before_the_case(self):
        self.farsum("tune", "--case", CASE, "--tolerance", "1e-2",
                    "--precision", "f32", "--report", "c.json")
        report = self.json("c.json")
        self.assertEqual(report["tolerance"], 1e-2)
        self.assertEqual(report["precision"], "f32")

    def test_refusals(self):
        self.refused(1, "tune: ", "tune", "--case", CASE, "--tolerance",
                     "1e-13", "--precision", "f32", "--method", "spectral")
        self.refused(2, "expected one file or --case", "tune", "--case", CASE,
                     "a.xyz")
        self.refused(1, "no.xyz", "tune", "no.xyz")


class Method(CommandTest):
    def test_auto(self):
        for words in [[], ["--method", "auto"]]:
            done = self.farsum("tune", "--case", CASE, *words, "--report",
                               "t.json")
            why = self.json("t.json")["plan"]["method_reason"]
            self.assertRegex(why, r"^spectral \S+ s estimated, fmm \S+ s; "
                             "direct: sums open boundaries")
            self.assertIn("method: " + why, done.out.splitlines())

    def test_by_options(self):
        out = self.farsum("tune", "--case", CASE, "--order", 8).out
        self.assertRegex(out, r"(?m)^method: fmm \S+ s estimated; .*"
                         "spectral: does not accept option order")
        self.refused(1, "no method supports this problem.*accept option order",
                     "tune", "--case", CASE,
                     "--order", 8, "--mesh", "32x32x32")

    def test_named(self):
        out = self.farsum("tune", "--case", CASE, "--method", "fmm").out
        self.assertRegex(out, r"(?m)^method: fmm \(named\) \S+ s estimated$")


    def test_order_that_misses(self):
        for order, misses in [(3, True), (20, False)]:
            done = self.farsum("tune", "--case", CASE, "--order", order,
                               "--tolerance", 1e-5)
            self.assertEqual("WARNING: order 3" in done.out, misses)
            self.assertEqual("ABOVE the tolerance" in done.out, misses)
        self.farsum("gen", "uniform", "-n", 500, "-o", "u.xyz")
        for order, misses in [(2, True), (20, False)]:
            done = self.farsum("run", "u.xyz", "--method", "fmm", "--order",
                               order, "--separation", 1, "--levels", 3,
                               "--report", "r.json", status=3 * misses)
            report = self.json("r.json")
            self.assertIs(report["order_misses_tolerance"], misses)
            self.assertEqual(report["estimated_error"] > 1e-5, misses)
            self.assertEqual("ABOVE the tolerance" in done.out, misses)

    def test_order_zero(self):
        out = self.farsum("tune", "--case", CASE, "--order", 0).out
        self.assertRegex(out, r"(?m)^order 0, separation")
        self.assertIn("WARNING: order 0", out)
        self.refused(2, "whole number from 0", "tune", "--case", CASE,
                     "--order", "-1")

    def test_strict(self):
        self.farsum("gen", "uniform", "-n", 500, "-o", "u.xyz")
        done = self.farsum("run", "u.xyz", "--strict", "--check", "--report",
                           "r.json")
        report = self.json("r.json")
        self.assertEqual(report["method"], "fmm")
        bound = report["plan"]["bound"]
        self.assertLessEqual(bound, 1e-5)
        self.assertLess(report["checked_error"], bound)
        self.assertRegex(done.out, r"estimated \S+, bound \S+, measured")
        self.farsum("run", "u.xyz", "--report", "r.json")
        self.assertNotIn("bound", self.json("r.json")["plan"])
        self.refused(1, "method spectral: .*not bounded", "run", "u.xyz",
                     "--strict", "--method", "spectral")

    def test_without_virial(self):
        self.farsum("gen", "uniform", "-n", 300, "-o", "u.xyz")
        why = []
        for words in [[], ["--no-virial"]]:
            self.farsum("run", "u.xyz", *words, "--report", "r.json", "-o",
                        "o.xyz")
            report = self.json("r.json")
            why.append(report["plan"]["method_reason"])
            self.assertEqual(report["virial"] is None, bool(words))
            self.assertEqual("virial" in self.frame("o.xyz").keys,
                             not words)
        self.assertRegex(why[0], "fmm: has no virial")
        self.assertRegex(why[1], "fmm .* s")
        self.assertNotIn("virial", why[1])

    def test_precision_auto(self):
        for tolerance, first in [(1e-3, r"(f32|mixed|f64) "),
                                 (1e-9, r"f64 .*; f32: ")]:
            done = self.farsum("tune", "--case", CASE, "--precision", "auto",
                               "--method", "spectral", "--tolerance",
                               tolerance, "--report", "t.json")
            why = self.json("t.json")["plan"]["precision_reason"]
            self.assertRegex(why, "^" + first)
            self.assertIn("precision: " + why, done.out.splitlines())
        self.farsum("gen", "uniform", "-n", 300, "-o", "u.xyz")
        self.farsum("run", "u.xyz", "--precision", "auto", "--check",
                    "--report", "r.json", "-o", "o.xyz")
        report = self.json("r.json")
        self.assertIn(report["precision"], ("f64", "f32", "mixed"))
        self.assertTrue(report["plan"]["precision_reason"].startswith(
            report["precision"] + " "))
        self.farsum("check", "o.xyz")
        self.farsum("run", "u.xyz", "--report", "r.json")
        self.assertNotIn("precision_reason", self.json("r.json")["plan"])

    def test_near_of_a_device(self):
        for words in [["--near-cells", 2], ["--near-team", "64x1"]]:
            self.refused(1, "require a device", "tune", "--case", CASE, *words)
        for team in ["64", "64x", "0x0", "-1x2", "8x8x8", "axb"]:
            self.refused(2, "expected AxB", "tune", "--case", CASE,
                         "--near-team=" + team)


class Bench(CommandTest):
    def test_every_stage(self):
        for stage in STAGES:
            self.farsum("bench", stage, "--case", CASE, "--method",
                        "spectral", "--repeats", 2, "--report", "b.json")
            report = self.json("b.json")
            rows = {row["variant"]: row for row in report["rows"]}
            self.assertIn("plain", rows)
            ran = [row for row in rows.values() if not row["refused"]]
            self.assertTrue(ran, report)
            # with equal settings otherwise
            self.assertEqual(len({row["parameters"] for row in ran}), 1)
            for row in ran:
                self.assertEqual(row["stage"], stage)
                self.assertGreater(row["min"], 0)
                self.assertGreaterEqual(row["median"], row["min"])

    def test_method(self):
        done = self.farsum("bench", "spectral", "--case", CASE, "--repeats", 2,
                           "--report", "b.json")
        rows = {row["stage"]: row for row in self.json("b.json")["rows"]}
        for stage in ["total", "set_points", "near", "spread", "interp"]:
            self.assertIn(stage, rows)
            self.assertIn(stage, done.out)
        self.assertGreaterEqual(rows["total"]["min"], rows["near"]["min"])

    def test_file(self):
        self.farsum("gen", "nacl", "--cells", 2, "-o", "salt.xyz")
        self.farsum("bench", "near", "--input", "salt.xyz", "--copies",
                    "1x2x3", "--repeats", 1, "--error", "potential",
                    "--report", "b.json")
        self.assertEqual(self.json("b.json")["n_sources"], 6 * 64)
        self.refused(2, "not both", "bench", "near", "--input", "salt.xyz",
                     "--case", CASE)
        self.refused(2, "--input", "bench", "near", "--copies", 2)

    def test_exclude(self):
        self.write("pairs", "1 2\n3 4 0.5\n")
        self.farsum("bench", "near", "--case", CASE, "--method", "spectral",
                    "--exclude", "pairs", "--repeats", 1, "--report", "b.json")
        self.assertIn(" exclusions=2", self.json("b.json")["case"])
        self.farsum("bench", "spectral", "--case", CASE, "--exclude",
                    "coincident", "--repeats", 1, "--report", "b.json")
        self.assertIn(" exclude=coincident", self.json("b.json")["case"])
        self.farsum("gen", "nacl", "--cells", 2, "-o", "salt.xyz")
        self.farsum("bench", "near", "--input", "salt.xyz", "--copies",
                    "1x2x3", "--repeats", 1, "--exclude", "pairs", "--report",
                    "b.json")
        self.assertIn(" exclusions=12", self.json("b.json")["case"])
        self.refused(1, "LAMMPS data", "bench", "near", "--case", CASE,
                     "--exclude", "bonds")
        self.write("pairs", "1 100000000\n")
        self.refused(1, "found no particle", "bench", "near", "--case",
                     CASE, "--exclude", "pairs")

    def test_csv_and_against(self):
        words = ["bench", "scale", "--case", CASE, "--method", "spectral",
                 "--repeats", 3]
        self.farsum(*words, "--csv", "b.csv")
        self.farsum(*words, "--csv", "b.csv")
        with open(self.path("b.csv")) as file:
            lines = file.read().splitlines()
        self.assertEqual(lines[0], "version,machine,date,case,stage,variant,"
                         "precision,threads,min,median,parameters")
        self.assertEqual(len([x for x in lines if x.startswith("version")]), 1)
        self.assertEqual(len(lines) % 2, 1)
        out = self.farsum(*words, "--against", "b.csv").out
        self.assertRegex(out, r"against +scale plain: (faster|slower|within)")
        # a run that was a hundred times as slow
        slow = re.sub(r",(\d[^,]*),(\d[^,]*),(\"[^\"]*\")$", r",10,10,\3",
                      "\n".join(lines) + "\n", flags=re.M)
        self.write("slow.csv", slow)
        self.assertIn("faster", self.farsum(*words, "--against",
                                            "slow.csv").out)
        fast = re.sub(r",(\d[^,]*),(\d[^,]*),(\"[^\"]*\")$", r",1e-9,1e-9,\3",
                      "\n".join(lines) + "\n", flags=re.M)
        self.write("fast.csv", fast)
        self.assertIn("slower", self.farsum(*words, "--against",
                                            "fast.csv").out)
        other = self.farsum("bench", "scale", "--case", CASE + " dist=slab",
                            "--method", "spectral", "--repeats", 2,
                            "--against", "b.csv").out
        self.assertIn("no earlier row", other)

    def test_csv_that_is_none(self):
        self.write("b.csv", "a,b\n1,2\n")
        self.refused(1, r"b\.csv:1:1", "bench", "near", "--case", CASE,
                     "--against", "b.csv")
        self.refused(1, "no.csv", "bench", "near", "--case", CASE, "--against",
                     "no.csv")
        self.refused(1, "No space left", "bench", "scale", "--case",
                     "laplace n=500", "--method", "spectral", "--repeats", 1,
                     "--csv", "/dev/full")

    def test_plot(self):
        if not shutil.which("gnuplot"):
            self.refused(1, "needs gnuplot", "bench", "--case", CASE, "--plot",
                         "p.svg")
            return
        self.farsum("bench", "spread", "--case", CASE, "--method", "spectral",
                    "--repeats", 1, "--plot", "p.svg")
        self.assertEqual(self.files(), ["p.svg"])
        with open(self.path("p.svg")) as file:
            text = file.read()
        self.assertIn("<svg", text)
        self.assertIn("spread plain", text)
        self.refused(1, "no/p.svg", "bench", "--case", CASE, "--plot",
                     "no/p.svg")

    def test_words(self):
        self.refused(2, "unknown stage or method", "bench", "coffee")
        self.refused(2, "at most", "bench", "near", "far")
        self.refused(1, "no stage 'spread'", "bench", "spread", "--case",
                     "laplace n=50", "--method", "direct", "--case",
                     "laplace n=50 cell=open")


if __name__ == "__main__":
    unittest.main()
