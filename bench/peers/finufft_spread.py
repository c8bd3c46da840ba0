#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times only the spreading and interpolation of FINUFFT (spreadinterponly),
3-D.

    finufft_spread.py --venv /tmp/finufft --points 1000000 --mesh 128 \\
        --tol 1e-6 --precision f64,f32 --threads 1,2 --out spread.csv

FINUFFT comes from PyPI, in a virtual environment outside this tree (--venv;
created with the release below if it is missing).  Plans are created
beforehand.  "set" is setpts (its sort), "execute" only the spread or
interpolation; both have minimum and median of --repeats.  FINUFFT's strengths
and mesh are complex, so one of its transforms processes two real right-hand
sides: "rhs" counts the real ones of a CSV row.  Points are uniform in the cell,
or the particles of the file --input, copied by --replicate.  --mesh is the mesh
written to: this mode adds no upsampling.
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import time

RELEASE = "finufft==2.5.1"
COLUMNS = ("peer", "version", "what", "precision", "n", "mesh", "tol",
           "upsampling", "threads", "rhs", "set_min", "set_median",
           "execute_min", "execute_median", "points_per_second")


def enter(venv, script=__file__, *releases):
    """Runs the script again with the environment's interpreter.  Creates a
    missing environment with these packages of PyPI."""
    python = os.path.join(venv, "bin", "python")
    if os.path.abspath(sys.prefix) == os.path.abspath(venv):
        return
    here = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
    if os.path.realpath(venv).startswith(here + os.sep):
        sys.exit("finufft_spread: --venv must lie outside the tree")
    if not os.path.exists(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "-q", "install",
                        *(releases or [RELEASE])], check=True)
    os.execv(python, [python, os.path.abspath(script)] + sys.argv[1:])


def clock(function, repeats):
    times = []
    for _ in range(repeats):
        t = time.perf_counter()
        function()
        times.append(time.perf_counter() - t)
    return min(times), statistics.median(times)


def points(a, np):
    """Positions [3][n] in [-pi, pi)."""
    if not a.input:
        return np.random.default_rng(a.seed).uniform(
            -np.pi, np.pi, (3, a.points))
    import common
    s = common.read(a.input).replicated(a.replicate)
    frac = s.pos @ np.linalg.inv(s.cell)
    return 2 * np.pi * (frac - np.floor(frac)).T - np.pi


def measure(a, np, finufft, precision, threads):
    """Rows of the CSV file for spread and interp."""
    real, cplx = {"f64": (np.float64, np.complex128),
                  "f32": (np.float32, np.complex64)}[precision]
    x = np.ascontiguousarray(points(a, np), dtype=real)
    n, mesh = x.shape[1], tuple(a.mesh)
    rng = np.random.default_rng(a.seed + 1)
    c = (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(cplx)
    grid = np.zeros(mesh, dtype=cplx)
    out = np.zeros(n, dtype=cplx)
    for kind, what in ((1, "spread"), (2, "interp")):
        plan = finufft.Plan(kind, mesh, 1, eps=a.tol, dtype=cplx,
                            spreadinterponly=1, nthreads=threads,
                            upsampfac=a.upsampling)
        def set_points():
            plan.setpts(*x)
        set_points()
        if kind == 1:
            def work():
                plan.execute(c, out=grid)
        else:
            def work():
                plan.execute(grid, out=out)
        work()
        set_min, set_median = clock(set_points, a.repeats)
        low, median = clock(work, a.repeats)
        yield ("finufft", finufft.__version__, what, precision, n,
               "x".join(str(m) for m in mesh), a.tol, a.upsampling, threads, 2,
               "%.6g" % set_min, "%.6g" % set_median, "%.6g" % low,
               "%.6g" % median, "%.6g" % (n / low))


def triple(text):
    v = [int(w) for w in text.replace("x", ",").split(",")]
    return v * 3 if len(v) == 1 else v


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--venv", required=True,
                   help="virtual environment, outside the tree")
    p.add_argument("--points", type=int, default=1000000)
    p.add_argument("--mesh", type=triple, default=[128, 128, 128],
                   help="128 or 128,128,96")
    p.add_argument("--tol", type=float, default=1e-6)
    p.add_argument("--upsampling", type=float, default=2.0,
                   help="upsampling that determines the kernel's shape")
    p.add_argument("--precision", default="f64,f32")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--repeats", type=int, default=7)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--input", help="extended XYZ or LAMMPS data")
    p.add_argument("--replicate", type=triple, default=[1, 1, 1])
    p.add_argument("--out", help="CSV file; lines are appended (default: "
                   "standard output)")
    a = p.parse_args()
    enter(a.venv)
    import numpy as np
    import finufft
    new = not a.out or not os.path.exists(a.out)
    f = open(a.out, "a", newline="") if a.out else sys.stdout
    w = csv.writer(f, lineterminator="\n")
    if new:
        w.writerow(COLUMNS)
    for precision in a.precision.split(","):
        for threads in (int(t) for t in a.threads.split(",")):
            w.writerows(measure(a, np, finufft, precision, threads))
            f.flush()


if __name__ == "__main__":
    sys.exit(main())
