#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares three-dimensional transforms of types 1 and 2 by FINUFFT and Farsum
on the processor, at equal measured error.

    finufft_nufft.py --venv /tmp/finufft --nufft build/bench/nufft_rows \\
        --modes 64 --points 1e6 --tol 1e-3,1e-6,1e-9 --precision f64 \\
        --threads 1,2 --out bench/results/nufft_host.csv

FINUFFT comes from PyPI, in a virtual environment outside this tree, as created
by finufft_spread.py.  Its error is measured against direct sums at some modes
and points; nufft_rows then tightens its tolerance until its own error is no
larger.  The programs alternate, --rounds times, and the minimum counts.  Times
are those of set points and of execute, with plans created before.
"""
import argparse
import csv
import os
import subprocess
import sys

import finufft_spread

COLUMNS = ("program", "version", "what", "method", "precision", "tol", "P",
           "K", "N", "dist", "set_ms", "run_ms", "error", "default", "threads")


def direct(np, kind, x, given, k, at):
    """Direct sums at the modes `at` (flat indices), or at the points `at`."""
    axis = np.arange(k) - k // 2
    out = []
    for a in at:
        if kind == 1:
            m = [axis[a // (k * k)], axis[a // k % k], axis[a % k]]
            phase = sum(int(m[d]) * x[d].astype(float) for d in range(3))
            out.append((given * np.exp(1j * phase)).sum())
        else:
            e = [np.exp(-1j * axis * float(x[d][a])) for d in range(3)]
            out.append(given.astype(complex) @ e[2] @ e[1] @ e[0])
    return np.array(out)


def theirs(a, np, finufft, kind, precision, tol, threads, x):
    """(function that sets points, function that executes, error)"""
    real, cplx = {"f64": (np.float64, np.complex128),
                  "f32": (np.float32, np.complex64)}[precision]
    n, k = x.shape[1], a.modes
    rng = np.random.default_rng(2)
    shape = (n,) if kind == 1 else (k, k, k)
    given = (rng.random(shape) - 0.5 + 1j * (rng.random(shape) - 0.5)).astype(
        cplx)
    out = np.zeros((k, k, k) if kind == 1 else (n,), dtype=cplx)
    plan = finufft.Plan(kind, (k, k, k), 1, eps=tol, dtype=cplx,
                        isign=1 if kind == 1 else -1, nthreads=threads)
    plan.setpts(*x)
    plan.execute(given, out=out)
    at = np.random.default_rng(5).integers(0, out.size, 24)
    exact = direct(np, kind, x, given, k, at)
    got = out.reshape(-1)[at]
    error = np.sqrt((abs(got - exact) ** 2).sum() / (abs(exact) ** 2).sum())
    return (lambda: plan.setpts(*x)), (lambda: plan.execute(given, out=out)), \
        float(error)


def ours(a, precision, tol, threads, error):
    done = subprocess.run(
        [a.nufft, "host", precision, str(a.modes), str(a.points), a.dist,
         str(tol), "%.3g" % error, "threads=%d" % threads],
        stdout=subprocess.PIPE, text=True, check=True)
    return {r[2]: r for r in csv.reader(done.stdout.splitlines())}


def cloud(np, n, dist):
    rng = np.random.default_rng(1)
    x = rng.random((3, n))
    if dist == "clustered":
        v = rng.standard_normal((3, (n + 1) // 2))
        v *= rng.random(v.shape[1]) ** (1 / 3) / np.sqrt((v * v).sum(axis=0))
        x[:, ::2] = 0.5 + 0.1 * v
    return 2 * np.pi * x - np.pi


def case(a, np, finufft, write, precision, tol, threads):
    real = np.float64 if precision == "f64" else np.float32
    x = np.ascontiguousarray(cloud(np, int(a.points), a.dist), dtype=real)
    work, best = {}, {}
    for kind in (1, 2):
        work[kind] = theirs(a, np, finufft, kind, precision, tol, threads, x)
    worst = max(w[2] for w in work.values())
    for _ in range(a.rounds):
        for kind in (1, 2):
            name = "type %d" % kind
            s, _ = finufft_spread.clock(work[kind][0], 2)
            r, _ = finufft_spread.clock(work[kind][1], 2)
            old = best.get(("finufft", name), (1e9, 1e9))
            best["finufft", name] = min(old[0], 1e3 * s), min(old[1], 1e3 * r)
        for name, r in ours(a, precision, tol, threads, worst).items():
            old = best.get(("farsum", name), (1e9, 1e9) + (r,))
            best["farsum", name] = (min(old[0], float(r[10])),
                                    min(old[1], float(r[11])), r)
    for (program, name), b in sorted(best.items()):
        kind = int(name[-1])
        if program == "finufft":
            write((program, finufft.__version__, name, "", precision, tol, "",
                   a.modes, int(a.points), a.dist, "%.5g" % b[0], "%.5g" % b[1],
                   "%.3g" % work[kind][2], 1, threads))
        else:
            write(b[2][:10] + ["%.5g" % b[0], "%.5g" % b[1]] + b[2][12:]
                  + [threads])


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--venv", required=True,
                   help="virtual environment, outside the tree")
    p.add_argument("--nufft", required=True, help="path of our nufft_rows")
    p.add_argument("--modes", type=int, default=64)
    p.add_argument("--points", type=float, default=1e6)
    p.add_argument("--dist", default="uniform",
                   choices=("uniform", "clustered"))
    p.add_argument("--tol", default="1e-3,1e-6,1e-9")
    p.add_argument("--precision", default="f64")
    p.add_argument("--threads", default="1,2")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--out", required=True, help="CSV file; lines are appended")
    a = p.parse_args()
    finufft_spread.enter(a.venv, __file__)
    import numpy as np
    import finufft
    new = not os.path.exists(a.out)
    with open(a.out, "a", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        if new:
            out.writerow(COLUMNS)
        for precision in a.precision.split(","):
            for tol in (float(t) for t in a.tol.split(",")):
                if precision == "f32" and tol < 1e-5:
                    continue
                for threads in (int(t) for t in a.threads.split(",")):
                    case(a, np, finufft, out.writerow, precision, tol, threads)
                    f.flush()


if __name__ == "__main__":
    sys.exit(main())
