#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the use of an NVIDIA GPU by a whole sum's stages, by Nsight
Compute's counters; one CSV line per stage of a sum with four points per box.

    fmm_stages.py cuda:0 f32 11 7 gpu_rotation_tiled --build build

compute: per cent of the multiprocessors' peak.  memory: per cent of the peak of
the memory's slowest part.  Both are means over the stage's kernels, weighted by
time.  ms: their total time, at the GPU's current clock.  The counters may
require root.
"""
import argparse
import csv
import subprocess
import sys

import m2l_mix

STAGES = ("p2p", "p2m", "m2m", "m2l", "l2l", "l2p")
SHARES = {"compute": "sm__throughput" + m2l_mix.PEAK + "elapsed",
          "memory": "gpu__compute_memory_throughput" + m2l_mix.PEAK
                    + "elapsed"}
COLUMNS = ["device", "stage", "precision", "p", "depth", "m2l", "ms"] \
    + list(SHARES)


def launches(a):
    """Counters of one sum, one row per kernel, and the unit of time.  m2l
    clears its sums first, by a kernel of its own."""
    plan = "method=fmm,boxes=1,prec=%s,order=%s,levels=%d,m2l=%s" % (
        a.precision, a.p, int(a.depth) + 1, a.row)
    done = subprocess.run(
        ["ncu", "--clock-control", "none", "--csv", "--page", "raw",
         "-k", "regex:^(%s)_" % "|".join(STAGES), "--kill", "yes",
         "-c", str(5 + 2 * int(a.depth)),
         "--metrics", ",".join([m2l_mix.TIME] + list(SHARES.values())),
         a.build + "/bench/ewald_rows", a.device,
         "laplace n=%d" % (4 * 8 ** int(a.depth)), plan],
        capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line[:1] == '"']
    if len(lines) < 3:
        raise SystemExit("%s: no counters\n%s%s" % (a.row, done.stdout[-800:],
                                                    done.stderr[-800:]))
    names, units, *rows = csv.reader(lines)
    return ([dict(zip(names, row)) for row in rows],
            m2l_mix.UNITS[units[names.index(m2l_mix.TIME)]])


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in ("device", "precision", "p", "depth", "row"):
        ask.add_argument(name)
    ask.add_argument("--build", default="build")
    a = ask.parse_args()
    rows, unit = launches(a)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS)
    for stage in STAGES:
        some = [r for r in rows if r["Kernel Name"].startswith(stage + "_")]
        took = [m2l_mix.value(r[m2l_mix.TIME]) * unit for r in some]
        if sum(took) > 0:
            out.writerow([a.device, stage, a.precision, a.p, a.depth, a.row,
                          "%.4g" % sum(took)] + [
                "%.3g" % (sum(t * m2l_mix.value(r[metric])
                              for t, r in zip(took, some)) / sum(took))
                for metric in SHARES.values()])


if __name__ == "__main__":
    sys.exit(main())
