#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the data of bench/reports/spreading.md on one device, in parts.

    spreading.py cuda:0 results/h200 --rows build/bench/mesh_rows
    spreading.py cuda:0 results/h200 --part figures32 --minutes 3

Appends mesh_rows' lines to OUT/spreading.csv and refusals of variants to
OUT/spreading.log.  A case that is already in the file is skipped, so an
interrupted run continues.  Kernels are compiled first, in parallel, and kept
in FARSUM_CACHE_DIR (default: OUT/kernels).  Parts:

  table      the P2G and G2P cases of the 2025 slides and of our goals, every
             variant: f64, P = 8, three channels; f32, P = 6
  figures32  the 2015 paper's cases in f32: p = 6 B-splines, K = 32, 64, 128,
             256, N = 1e3 ... 1e7, in steps of 1, 2, 5 at K = 128; every variant
             and the shadow without atomics
  figures64  the same in f64
  scans      K = 128: sizes of compute units (gpu_single by shuffles and by
             shared memory) and of thread blocks (gpu_group), f32 and f64

mesh_report.py writes tables and pictures from the file.
"""
import argparse
import os
import sys
import time

import parts

PAPER = ["stage=spread", "window=bspline"]
DECADES = (1000, 10000, 100000, 1000000, 10000000)
STEPS = tuple(m * 10 ** e for e in range(3, 7) for m in (2, 5))
# (precision, P, channels, K, N, distribution), most important first
TABLE = (("f64", 8, 3, 216, 1000000, "uniform"),
         ("f64", 8, 3, 344, 4000000, "uniform"),
         ("f64", 8, 3, 216, 3000000, "uniform"),
         ("f64", 8, 3, 216, 10000000, "uniform"),
         ("f32", 6, 1, 216, 10000000, "uniform"),
         ("f64", 8, 3, 216, 1000000, "clustered"),
         ("f32", 6, 1, 128, 1000000, "uniform"),
         ("f32", 6, 1, 128, 1000000, "clustered"),
         ("f64", 6, 1, 128, 100000, "uniform"),
         ("f32", 6, 1, 64, 100000, "uniform"),
         ("f32", 6, 1, 64, 10000, "uniform"),
         ("f64", 6, 1, 64, 10000, "uniform"),
         ("f64", 6, 1, 64, 1000, "uniform"),
         ("f64", 8, 1, 216, 1000000, "uniform"),
         ("f64", 8, 3, 216, 1000000, "cell"))
IN_A_CELL = ("gpu_particle", "gpu_particle_warp", "gpu_stream",
             "gpu_stream_mma", "gpu_walk", "gpu_walk_mma", "gpu_particle_sorted",
             "gpu_cell", "gpu_tile", "gpu_column_mma")


def units():
    return ["%s:unit=%d" % (row, u)
            for row in ("gpu_single", "gpu_single_local")
            for u in (1, 2, 4, 8, 16, 32)] + \
        ["gpu_group:group=%d" % g for g in (16, 32, 64, 128, 256)]


def figures(precision):
    """The paper's figures 8 and 9 show K = 128 in fine steps."""
    rows = ["all", "gpu_particle_shadow"]
    for k in (128, 64, 32, 256):
        for n in DECADES:
            yield (precision, 6, 1, k, n, "uniform"), PAPER + rows
    for n in STEPS:
        yield (precision, 6, 1, 128, n, "uniform"), PAPER + rows


def scans():
    for precision in ("f32", "f64"):
        for n in DECADES + STEPS:
            if precision == "f32" or n in DECADES:
                # A scan builds the matrix again for each size.
                some = units() if n < 10000000 else [
                    u for u in units() if "local" not in u]
                yield (precision, 6, 1, 128, n, "uniform"), PAPER + some


def table():
    for case in TABLE:
        yield case, list(IN_A_CELL) if case[5] == "cell" else []


PARTS = {"table": table, "figures32": lambda: figures("f32"),
         "figures64": lambda: figures("f64"), "scans": scans}


def command(a, case, words):
    return [a.rows, a.device] + [str(w) for w in case] + words + ["header=1"]


def warm(a, cases):
    """Compiles the cases' kernels, by two small runs for each variant."""
    seen = set()
    both = parts.device_rows("spread") + parts.device_rows("interp")
    for case, words in cases:
        options = [w for w in words if "=" in w and ":" not in w]
        rows = [w for w in words if w not in options] or ["all"]
        for row in both if "all" in rows else rows:
            for n in (1000, 100000):
                seen.add((case[:3] + (64, n, "uniform"),
                          tuple(options) + (row,)))
    parts.quietly([command(a, c[0], list(c[1]))
                   for c in sorted(seen, key=str)], a.jobs, 600)


def measure(a, part, end):
    path = os.path.join(a.out, "spreading.csv")
    by_key = {key(part, c): c for c in PARTS[part]()}
    left = parts.left(path, [(k, command(a, *c)) for k, c in by_key.items()])
    start = time.time()
    if left:
        warm(a, [by_key[k] for k, _ in left])
    print("%s: kernels %.0f s" % (part, time.time() - start), flush=True)
    not_begun = parts.run(path, left, end, a.most)
    print("%s: %.0f s" % (part, time.time() - start) if not not_begun
          else "%s: %d cases left" % (part, not_begun), flush=True)


def key(part, case):
    return part + " " + " ".join(str(w) for w in case[0])


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("device")
    p.add_argument("out")
    p.add_argument("--rows", default="build/bench/mesh_rows")
    p.add_argument("--part", action="append", choices=sorted(PARTS),
                   help="may be repeated (default: all parts)")
    p.add_argument("--minutes", type=float, default=60,
                   help="no case starts after this time")
    p.add_argument("--most", type=float, default=90,
                   help="time limit of a case, seconds")
    p.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    os.environ.setdefault("FARSUM_CACHE_DIR", os.path.join(a.out, "kernels"))
    end = time.time() + 60 * a.minutes
    for part in a.part or ("table", "figures32", "figures64", "scans"):
        measure(a, part, end)


if __name__ == "__main__":
    sys.exit(main())
