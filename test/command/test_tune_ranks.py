# SPDX-License-Identifier: Apache-2.0
"""farsum tune --ranks: sums over ranks on paper, which need no MPI."""

import re
import unittest

from command import CommandTest


class TuneRanks(CommandTest):

    CASE = ("tune", "--case", "laplace n=30000 tol=1e-5", "--threads", 1)

    def numbers(self, text, name):
        row = re.search(rf"(?m)^{name} +(.*)$", text).group(1)
        return [float(v) for v in re.findall(r"[-+.\de]*\d[-+.\de]*", row)]

    def test_one_sum(self):
        over = ("--ranks", 4, "--method", "spectral", "--link-latency", "1e-3",
                "--link-bandwidth", "1e6")
        done = self.farsum(*self.CASE, *over)
        mesh = int(re.search(r"mesh (\d+) x", done.out).group(1))
        planes, whole, halo, points, ghosts = self.numbers(done.out, "slab")
        self.assertEqual((planes, whole), (-(-mesh // 4), mesh))
        self.assertAlmostEqual(points, 30000 * planes / mesh, delta=1)
        self.assertAlmostEqual(ghosts, 60000 * halo / mesh, delta=ghosts / 999)
        stages = [self.numbers(done.out, name) for name in (
            "near", "spread", "transform", "scale", "interp")]
        names = "agreements", "route", "ghosts", "planes", "transform"
        sent = [self.numbers(done.out[done.out.index("\nexchange"):], name)
                for name in names]
        sent[0].insert(0, 0)  # "-"
        # 3 messages to each rank: strengths there, potential and field back
        self.near([sent[1][1]], [3 * 3 * 1e-3 + sent[1][0] / 1e6], 1e-3)
        self.near([sent[4][1]], [2 * 3 * 1e-3 + sent[4][0] / 1e6], 1e-3)
        all_s, exchange, alone, efficiency = self.numbers(done.out, "sum")
        self.near([exchange], [sum(row[1] for row in sent)], 1e-3)
        # one process has a finer mesh and fewer near pairs
        self.assertLess(alone, sum(row[0] for row in stages))
        self.near([all_s], [exchange + sum(row[1] for row in stages)], 1e-3)
        self.near([efficiency], [alone / (4 * all_s)], 1e-2)
        self.farsum(*self.CASE, *over, "--report", "r.json")
        report, = self.json("r.json")["ranks"]
        self.assertEqual([report[k] for k in ("ranks", "planes", "halo")],
                         [4, planes, halo])
        self.near([report["exchanges"][name]["bytes"] for name in names[1:]],
                  [row[0] for row in sent[1:]], 1e-3)
        self.assertRegex(done.out, r"within a node 0.001 s .* 1e\+06 bytes")

    def test_fmm(self):
        over = ("--ranks", 4, "--method", "fmm", "--link-latency", "1e-3",
                "--link-bandwidth", "1e6")
        done = self.farsum(*self.CASE, *over, "--report", "r.json")
        roots = int(re.search(r"dense tree, .* (\d+) x \d+ x \d+ root",
                              done.out).group(1))
        layers, whole, halo, points, ghosts = self.numbers(done.out, "slab")
        self.assertEqual((layers, whole), (-(-roots // 4), roots))
        self.assertAlmostEqual(points, 30000 * layers / roots, delta=1)
        self.assertAlmostEqual(ghosts, 60000 * halo / roots, delta=1)
        sent = [self.numbers(done.out[done.out.index("\nexchange"):], name)
                for name in ("route", "ghosts", "transform")]
        self.near([sent[0][1]], [3 * 3 * 1e-3 + sent[0][0] / 1e6], 1e-3)
        self.near([sent[1][0]], [8 * ghosts], 1e-3)
        report, = self.json("r.json")["ranks"]
        self.assertEqual(report["method"], "fmm")
        self.assertEqual(report["mesh"][0], roots)
        all_s, exchange, alone, efficiency = self.numbers(done.out, "sum")
        self.near([exchange], [sum(row[1] for row in sent) + 0.012], 1e-3)
        self.near([all_s], [exchange + sum(v["rank"] for v in
                                           report["stages"].values())], 1e-3)
        self.near([efficiency], [alone / (4 * all_s)], 1e-2)
        weak = self.farsum(*self.CASE, *over[:4], "--weak")
        rows = weak.out[weak.out.index("\n ranks"):].split("\n")[2:5]
        self.assertEqual([row.split()[4] for row in rows],
                         ["1x1", "2x1", "4x1"])

    def test_nufft(self):
        case = ("tune", "--ranks", 3, "--modes", "30x24x20", "--points", 90000,
                "--threads", 1, "--link-latency", 0.001, "--link-bandwidth",
                "1e6")
        done = self.farsum(*case)
        rows = {name: self.numbers(done.out, name) for name in (
            "type 1", "type 2", "spread", "interp")}
        for name, row in rows.items():
            mesh, planes, halo, route, halos, columns = row[:6]
            stages, exchanges, all_s, alone, efficiency = row[6:]
            self.assertEqual(planes, -(-mesh // 3))
            nufft = name.startswith("type")
            share = planes / mesh
            points = share * 2 / 3 if name in ("type 2", "interp") else (
                (1 - share) / 3)
            self.near([route], [90000 * points * (16 if nufft else 8) / 1e6],
                      1e-3)
            self.assertEqual(columns > 0, nufft)
            self.assertGreater(exchanges, route + halos + columns)
            self.near([all_s], [stages + exchanges], 1e-3)
            self.assertAlmostEqual(efficiency, alone / (3 * all_s), delta=6e-4)
        self.refused(2, "tune: --modes requires --points", *case[:5])
        self.refused(2, "tune: --points requires --modes", "tune", "--points",
                     3, "--ranks", 2)
        self.refused(2, "tune: --modes requires --ranks", "tune", *case[3:7])
        for unused in ("--weak",), ("--kernel", "yukawa"), ("--method", "fmm"):
            self.refused(2, f"tune: --modes does not accept {unused[0]};",
                         *case, *unused)
        self.refused(2, "tune: --modes accepts no file", *case, "x.xyz")

    def test_choice(self):
        """Ranks choose between spectral and fmm, by exchanges too."""
        slow = "--link-latency", "1e-3", "--link-bandwidth", "1e6"
        for link, method in ((), "spectral"), (slow, "fmm"):
            self.farsum(*self.CASE, "--ranks", 4, "--report", "r.json", *link)
            report = self.json("r.json")
            self.assertEqual([report["method"], report["ranks"][0]["method"]],
                             [method, method])

    def near(self, a, b, part):
        for v, w in zip(a, b, strict=True):
            self.assertAlmostEqual(v, w, delta=part * abs(w))

    def test_weak(self):
        done = self.farsum(*self.CASE, "--ranks", 6, "--nodes", 3, "--weak")
        table = done.out[done.out.index("\n ranks"):].split("\n")[2:6]
        rows = [[float(v) for v in re.sub("x.*?(?= )", "", row).split()]
                for row in table]
        parts = [re.search(r" (\d+)x(\d+) ", row).groups() for row in table]
        self.assertEqual([int(a) * int(b) for a, b in parts], [1, 2, 4, 6])
        self.assertEqual([row.pop(4) for row in rows],
                         [int(a) for a, _ in parts])
        self.assertEqual([row[:3] for row in rows], [
            [1, 1, 3e4], [2, 1, 6e4], [4, 2, 1.2e5], [6, 3, 1.8e5]])
        for row in rows:
            self.near([row[9]], [row[7] + row[8]], 1e-3)
            self.near([row[10]], [rows[0][9] / row[9]], 1e-2)
        self.assertEqual(rows[0][8], 0)
        self.assertRegex(done.out, "between nodes 2e-06 s and 1e.10 bytes/s")

    def test_large(self):
        """No memory for particles or mesh is needed."""
        done = self.farsum("tune", "--case", "laplace n=1e9 tol=1e-4",
                           "--ranks", 5000, "--nodes", 100, "--threads", 1,
                           "--domain", "5000x1")
        self.assertRegex(done.out, r"(?m)^slab      1 of \d+ planes")
        self.assertRegex(done.out, r"(?m)^note      5000 ranks share \d+ "
                         r"planes: \d+ ranks have none and wait$")
        done = self.farsum(*self.CASE, "--ranks", 20, "--domain", "20x1")
        self.assertRegex(done.out, "(?m)^note      a slab is thinner than its ")

    def test_pencils(self):
        """Many ranks have pencils where these are faster."""
        case = ("tune", "--case", "laplace n=1e8 tol=1e-4", "--ranks", 512,
                "--nodes", 64, "--threads", 1, "--report", "r.json")
        done = self.farsum(*case)
        best, = self.json("r.json")["ranks"]
        a, b = best["domain"]
        self.assertEqual(a * b, 512)
        self.assertGreater(min(a, b), 1)
        self.assertIn(f"; {a} x {b} pencils; the rank with the most", done.out)
        planes, rows = (self.numbers(done.out, "pencil")[k] for k in (0, 2))
        self.assertEqual([best[k] for k in ("planes", "rows")], [planes, rows])
        self.assertEqual([-(-best["mesh"][d] // best["domain"][d])
                          for d in range(2)], [planes, rows])
        self.farsum(*case, "--domain", "512x1")
        slabs, = self.json("r.json")["ranks"]
        self.assertEqual(slabs["domain"], [512, 1])
        self.assertEqual([slabs["rows"], slabs["row_halo"]],
                         [slabs["mesh"][1], 0])
        self.assertLess(best["seconds"], slabs["seconds"])
        self.assertGreater(best["efficiency"], slabs["efficiency"])

    def test_refused(self):
        tests = (
            ("--nodes requires --ranks", "--nodes", 2),
            ("--weak requires --ranks", "--weak"),
            ("--domain requires --ranks", "--domain", "2x2"),
            ("--weak and --domain exclude", "--ranks", 4, "--weak", "--domain",
             "2x2"),
            ("--link-latency requires", "--link-latency", 1),
            ("--ranks and --model exclude", "--ranks", 2, "--model"),
            ("--ranks 1000001 is above 1000000", "--ranks", 1000001),
            ("--nodes 3 is above --ranks 2", "--ranks", 2, "--nodes", 3))
        for pattern, *words in tests:
            self.refused(2, "tune: " + pattern, *self.CASE, *words)
        self.refused(1, "domain is 3 x 2, which does not make 4, the number",
                     *self.CASE, "--ranks", 4, "--domain", "3x2")
        self.refused(2, "expected AxB, whole numbers of which one may be 0",
                     *self.CASE, "--ranks", 4, "--domain", "0x0")
        self.refused(1, "tune: method ewald: has no sums over ranks; spectral "
                     "and fmm have",
                     *self.CASE, "--ranks", 2, "--method", "ewald")


if __name__ == "__main__":
    unittest.main()
