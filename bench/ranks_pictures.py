#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A picture of weak scaling over GPUs, from the tables of bench/results.

    python3 bench/ranks_pictures.py [FOLDER]

Needs matplotlib and Pillow.  FOLDER: default bench/reports/ranks.
"""
import csv
import os
import sys

from report_pictures import plots, save

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = "osv^D<"


def read(name):
    with open(os.path.join(HERE, "results", name), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def curve(rows, wanted, *times):
    """{ranks: one GPU's time over theirs}, from the least sums of times."""
    found = {}
    for row in rows:
        if all(row[k] == v for k, v in wanted.items()):
            ranks = int(row["ranks"])
            found[ranks] = min(sum(float(row[time]) for time in times),
                               found.get(ranks, 1e30))
    return {p: found[1] / t for p, t in sorted(found.items())}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        HERE, "reports", "ranks")
    os.makedirs(folder, exist_ok=True)
    plt = plots()
    figure, axes = plt.subplots(figsize=(5, 3))
    rows = read("ranks_four_h200.csv")
    cases = {}
    for row in rows:
        if row["scaling"] == "weak":
            cases.setdefault(row["case"], None)
    for mark, case in zip(MARKS, cases):
        share = curve(rows, {"scaling": "weak", "case": case}, "execute_ms")
        axes.plot(list(share), [100 * v for v in share.values()],
                  marker=mark, label=case)
    for mark, what in zip("ph", ("type1", "type2")):
        share = curve(read("ranks_nufft_h200.csv"),
                      {"what": what, "precision": "f64"},
                      "set_points_ms", "ms")
        axes.plot(list(share), [100 * v for v in share.values()],
                  marker=mark, label=f"NUFFT f64 1e-06, {what}, 10e6 each")
    axes.axhline(90, color="black", linestyle=":", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks([1, 2, 4], ["1", "2", "4"])
    axes.set_ylim(0, 110)
    axes.set_xlabel("GPUs, one rank each")
    axes.set_ylabel("efficiency of weak scaling, percent")
    axes.legend(loc="lower left")
    print(save(plt, figure, folder, "weak.png"))


if __name__ == "__main__":
    main()
