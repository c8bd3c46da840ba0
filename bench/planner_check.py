#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures how well the planner's costs select variants.

    mesh_costs <rows.csv | planner_check.py -

For each case of mesh_rows' lines, to which mesh_costs adds the costs, for 1,
20 and 1e4 runs on the same positions: prints the variant with the lowest cost,
the fastest variant, and the ratio of their times (set-up over the number of
runs, plus a run); then the share of cases within 10 %.
"""
import argparse
import collections
import csv
import sys

REPEATS = (1, 20, 1e4)


def read(path, half):
    cases = collections.OrderedDict()
    lines = sys.stdin if path == "-" else open(path)
    for w in csv.reader(lines):
        if len(w) < 19 or w[0] == "room":
            continue
        try:
            costs = [float(c) for c in w[15:18]]
        except ValueError:
            continue
        key = tuple(w[3:9]) + tuple(w[19:21])
        rooms = cases.setdefault(key, {})
        rooms.setdefault(w[0], {})[w[1]] = (float(w[9]), float(w[10]), costs,
                                            float(w[18]))
    if half:
        keys = list(cases)
        wanted = keys[0::2] if half == "odd" else keys[1::2]
        cases = {k: cases[k] for k in wanted}
    return cases


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("csv")
    p.add_argument("--half", choices=("odd", "even"),
                   help="use every other case; the first case is odd")
    p.add_argument("--rows", action="store_true",
                   help="print cost over time for each variant")
    p.add_argument("--bad", action="store_true",
                   help="print only the cases beyond 10 %%")
    p.add_argument("--least", type=float, default=0,
                   help="exit status 1 if a smaller share is within 10 %%")
    a = p.parse_args()
    within = collections.Counter()
    count = collections.Counter()
    worst = collections.defaultdict(float)
    for key, rooms in read(a.csv, a.half).items():
        for room, rows in rooms.items():
            if len(rows) < 2:
                continue
            for k, repeats in enumerate(REPEATS):
                time = {n: r[0] / repeats + r[1] for n, r in rows.items()}
                cost = {n: r[2][k] for n, r in rows.items()}
                best = min(time, key=time.get)
                pick = min(cost, key=cost.get)
                ratio = time[pick] / time[best]
                at = room, repeats
                count[at] += 1
                within[at] += ratio <= 1.1
                worst[at] = max(worst[at], ratio)
                if ratio <= 1.1 and a.bad:
                    continue
                print("%-6s %-44s %6g  %-19s %-19s %.2f%s" % (
                    room, " ".join(key) + " x%.3g" % rows[pick][3], repeats,
                    pick, best, ratio, "" if ratio <= 1.1 else "  <--"))
                if a.rows:
                    print("      " + "  ".join("%s %.4g*%.2f" % (
                        n, time[n], cost[n] / time[n])
                        for n in sorted(time, key=time.get)[:7]))
    for at in sorted(count):
        print("%-6s %6g runs: %d of %d within 10 %%, worst %.2f" % (
            at + (within[at], count[at], worst[at])))
    all_, good = sum(count.values()), sum(within.values())
    if not all_:
        sys.exit("found no costs; give lines of mesh_costs")
    print("all: %.1f %% within 10 %%" % (100 * good / all_))
    return good < a.least * all_


if __name__ == "__main__":
    sys.exit(main())
