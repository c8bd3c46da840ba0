#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generates random cases for the planner, as a shell script of mesh_rows'
commands.

    planner_cases.py --device cuda:0 --seed 1 --cases 40 >cases.sh
    FARSUM_CACHE_DIR=folder sh cases.sh rows.csv
    mesh_costs <rows.csv | planner_check.py -

Each seed gives other meshes, densities, windows, channels, precisions and
distributions, so that costs are tested with cases that they were not fitted
to.  Variants that would take long where they cannot win are omitted.  The
script first runs the cases in parallel, so that their kernels are compiled and
cached, then one by one, and those times count.
"""
import argparse
import math
import random
import sys

EDGES = (24, 32, 40, 48, 64, 72, 96, 100, 128, 160, 192, 216, 256)
DISTS = ("uniform",) * 5 + ("clustered", "clustered", "shell", "gauss", "gauss")
ALWAYS = ("gpu_particle_warp", "gpu_cell_hybrid", "gpu_output", "gpu_stream",
          "gpu_stream_mma", "gpu_walk", "gpu_walk_mma", "gpu_particle_sorted",
          "gpu_cell", "gpu_tile", "gpu_tile_warp", "gpu_column_mma")
# Low rates of atomic sums per second: to scattered words, and to runs.
SCATTERED, RUNS = 17e9, 60e9
SCRIPT = """#!/bin/sh
# planner_cases.py --seed {seed} --cases {cases} --most {most:g}
# sh THIS OUT.csv; MESH_ROWS: the program
rows=${{MESH_ROWS:-build/bench/mesh_rows}}
cases() {{
    cat <<'END'
{lines}
END
}}
cases | xargs -P {jobs} -L 1 "$rows" >/dev/null 2>&1
cases | while read -r line; do
    # shellcheck disable=SC2086
    "$rows" $line </dev/null
done >"${{1:-rows.csv}}"
"""


def draw(rng, most):
    """One case: (precision, P, channels, K, N, distribution)."""
    while True:
        k = rng.choice(EDGES)
        n = int(10 ** rng.uniform(3, 7))
        precision = rng.choice(("f32", "f64"))
        # In f32 wider windows gain nothing, because rounding limits.
        support = rng.randint(4, 12 if precision == "f64" else 8)
        channels = rng.choice((1, 1, 2, 3))
        density = n / k ** 3
        if (2e-4 < density < 40 and k ** 3 * channels <= 2.1e7
                and n * support ** 3 * channels < most):
            return precision, support, channels, k, n, rng.choice(DISTS)


def rows(case):
    precision, support, channels, _, n, _ = case
    sums = n * support ** 3 * channels
    names = [r for r in ALWAYS
             if r != "gpu_particle_warp" or sums / RUNS < 0.05]
    if sums / SCATTERED < 0.05:
        names.append("gpu_particle")
    if n * support ** 3 < 3e7:
        names += ["gpu_single", "gpu_hybrid_mesh", "gpu_cusparse_sell"]
    if n * support ** 3 < 3e8:
        names.append("gpu_group")
    return names


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--device", default="cuda:0")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cases", type=int, default=40)
    p.add_argument("--most", type=float, default=8e9,
                   help="maximum weight products of a case (default: 8e9)")
    p.add_argument("--jobs", type=int, default=8)
    a = p.parse_args()
    rng = random.Random(a.seed)
    lines = []
    for _ in range(a.cases):
        case = draw(rng, a.most)
        lines.append("%s %s %d %d %d %d %s %s" % (
            (a.device,) + case + (" ".join(rows(case)),)))
    print(SCRIPT.format(seed=a.seed, cases=a.cases, most=a.most, jobs=a.jobs,
                        lines="\n".join(lines)), end="")


if __name__ == "__main__":
    sys.exit(main())
