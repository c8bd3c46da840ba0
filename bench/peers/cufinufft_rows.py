#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares cuFINUFFT and Farsum on one GPU in one run: only spreading and
interpolation (spreadinterponly), and whole transforms of types 1 and 2, in
three dimensions.

    cufinufft_rows.py --rows build/bench/mesh_rows --out out/cufinufft.csv
    cufinufft_rows.py --nufft build/bench/nufft_rows --out out/nufft.csv

Requires CuPy and cufinufft 2.5 (PyPI) on the module path.  Each line of the
file is one program on one case: seconds of setpts (its sort) and of execute,
minimum of the repeats, with arrays on the device and a plan created before.
Farsum's lines come from its own programs, for the variants expected to win.

Equal error: cuFINUFFT's error is measured for each tolerance as that of a
whole transform of type 1 against direct sums.  Farsum spreads with the
smallest support whose error, measured likewise (SUPPORT below), is no larger.
Strengths are complex on both sides.  cuFINUFFT runs with method 1 (one thread
per point), 2 (subproblems in shared memory), 3 (output driven), and 0, its
default.
"""
import argparse
import csv
import os
import subprocess
import sys
import time

import numpy as np

COLUMNS = ("program", "version", "what", "method", "precision", "tol", "P",
           "K", "N", "dist", "set_ms", "run_ms", "error", "default")
# Relative error of type 1 by support, with window prolate and twice as many
# mesh points as modes, measured with
# nufft_rows host PRECISION 32 20000 uniform TOLERANCE upsampling=2.
SUPPORT = {"f64": {4: 8.0e-4, 5: 7.6e-5, 6: 1.02e-5, 7: 1.1e-6, 8: 1.09e-7,
                   9: 1.13e-8, 10: 1.19e-9, 11: 1.1e-10, 12: 1.14e-11,
                   13: 1.12e-12, 14: 1.36e-13},
           "f32": {4: 8.0e-4, 5: 7.6e-5, 6: 1.02e-5, 7: 1.08e-6}}
OLD = ("gpu_particle_cas gpu_particle_stored gpu_gather gpu_single "
       "gpu_single_local gpu_group gpu_hybrid_mesh gpu_cusparse_csr "
       "gpu_cusparse_sell gpu_cell_grid").split()
TREE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TYPES = {"f32": (np.float32, np.complex64), "f64": (np.float64, np.complex128)}


def spread_cases():
    """Yields (precision, tol, K, N, dist), most important first."""
    for k, counts in ((128, (1e6, 1e7, 1e5, 1e4, 1e3)),
                      (64, (1e5, 1e4, 1e3, 1e6)), (256, (1e7, 1e6, 1e5))):
        for n in counts:
            for dist in ("uniform", "clustered"):
                yield "f64", 1e-6, k, int(n), dist
                yield "f32", 1e-5, k, int(n), dist
    for n in (1e6, 1e7):
        yield "f64", 1e-9, 128, int(n), "uniform"
    yield "f32", 1e-5, 256, int(1e8), "uniform"
    yield "f64", 1e-6, 256, int(1e8), "uniform"


def nufft_cases():
    for k, counts in ((64, (1e6, 1e5, 1e4, 1e3, 1e7)), (128, (1e7, 1e6, 1e5)),
                      (32, (1e5, 1e4, 1e3))):
        for n in counts:
            for dist in ("uniform", "clustered"):
                yield "f64", 1e-6, k, int(n), dist
                yield "f32", 1e-4, k, int(n), dist
    yield "f64", 1e-9, 128, int(1e7), "uniform"
    yield "f64", 1e-9, 64, int(1e6), "uniform"


def positions(cp, n, dist, real, seed=1):
    """Positions [3][n] in [-pi, pi), as in mesh_rows."""
    rng = cp.random.default_rng(seed)
    x = rng.random((3, n), dtype=cp.float64)
    if dist == "clustered":
        half = (n + 1) // 2
        v = rng.standard_normal((3, half))
        v *= rng.random(half) ** (1 / 3) / cp.sqrt((v * v).sum(axis=0))
        x[:, ::2] = 0.5 + 0.1 * v
    return cp.ascontiguousarray(2 * np.pi * x - np.pi, dtype=real)


class Clock:
    """Measures the time of calls on the null stream."""

    def __init__(self, cp):
        self.cp = cp
        self.start, self.end = cp.cuda.Event(), cp.cuda.Event()

    def least(self, work, repeats=7, long=0.5):
        """Milliseconds."""
        best, begin = float("inf"), time.time()
        for k in range(repeats):
            self.start.record()
            work()
            self.end.record()
            self.end.synchronize()
            best = min(best, self.cp.cuda.get_elapsed_time(self.start,
                                                           self.end))
            if k > 0 and time.time() - begin > long:
                break
        return best


def strengths(cp, shape, cplx, seed):
    rng = cp.random.default_rng(seed)
    return (rng.random(shape) - 0.5 + 1j * (rng.random(shape) - 0.5)).astype(
        cplx)


def peer(cufinufft, cp, clock, kind, method, precision, tol, k, x, alone):
    """(set_ms, run_ms, input, output).  Calls bypass the Python layer, whose
    checks take longer than a small transform."""
    cplx = TYPES[precision][1]
    n = x.shape[1]
    options = {"gpu_method": method} if method else {}
    if alone:
        options["gpu_spreadinterponly"] = 1
    plan = cufinufft.Plan(kind, (k, k, k), 1, eps=tol, dtype=cplx, **options)
    c = strengths(cp, (n,), cplx, 2)
    f = cp.zeros((k, k, k), dtype=cplx)
    if kind == 2:
        f, c = strengths(cp, (k, k, k), cplx, 3), cp.zeros((n,), dtype=cplx)
    plan.setpts(x[0], x[1], x[2])
    ptr = [x[d].data.ptr for d in (2, 1, 0)]

    def setpts():
        plan._setpts(plan._plan, n, *ptr, 0, None, None, None)

    def execute():
        if plan._exec_plan(plan._plan, c.data.ptr, f.data.ptr) != 0:
            raise RuntimeError("execute failed")
    setpts()
    execute()
    cp.cuda.Device().synchronize()
    times = clock.least(setpts), clock.least(execute)
    return times + ((c, f) if kind == 1 else (f, c))


def direct_1(cp, x, c, k, count=24, seed=5):
    """Indices of some modes in f, and their direct sums."""
    at = np.random.default_rng(seed).integers(0, k, (count, 3))
    xs = x.astype(cp.float64)
    out = []
    for m in at:
        phase = cp.zeros(x.shape[1])
        for d in range(3):
            phase += (int(m[d]) - k // 2) * xs[d]
        out.append(complex((c * cp.exp(1j * phase)).sum()))
    return at, np.array(out)


def error_1(cp, x, c, k, f):
    at, exact = direct_1(cp, x, c, k)
    got = np.array([complex(f[tuple(int(v) for v in m)]) for m in at])
    return float(np.sqrt((abs(got - exact) ** 2).sum()
                         / (abs(exact) ** 2).sum()))


def error_2(cp, x, f, k, c, count=24):
    """Error of type 2 against direct sums with cufinufft's sign, -1."""
    at = np.random.default_rng(5).integers(0, x.shape[1], count)
    modes = cp.arange(k) - k // 2
    wide = f.astype(cp.complex128)
    exact, got = [], []
    for j in at:
        e = [cp.exp(-1j * modes * float(x[d, int(j)])) for d in range(3)]
        exact.append(complex(wide.dot(e[2]).dot(e[1]).dot(e[0])))
        got.append(complex(c[int(j)]))
    exact, got = np.array(exact), np.array(got)
    return float(np.sqrt((abs(got - exact) ** 2).sum()
                         / (abs(exact) ** 2).sum()))


def tolerance_error(cufinufft, cp, clock, precision, tol):
    x = positions(cp, 20000, "uniform", TYPES[precision][0])
    _, _, c, f = peer(cufinufft, cp, clock, 1, 1, precision, tol, 32, x, False)
    return error_1(cp, x, c, 32, f)


def support(precision, error):
    """Our smallest P with at most this error, else the most accurate P."""
    table = SUPPORT[precision]
    good = [p for p, e in table.items() if e <= error]
    return min(good) if good else min(table, key=table.get)


def rooms_rows():
    import re
    names = []
    for room in ("spread", "interp"):
        with open(os.path.join(TREE, "src/stage", room, "variants.def")) as f:
            names += re.findall(r"VARIANT\(\w+, (gpu_\w+)", f.read())
    return [r for r in dict.fromkeys(names) if r not in OLD]


def ours(a, precision, p, k, n, dist, rows):
    """Lines of mesh_rows as dictionaries."""
    command = [a.rows, a.device, precision, str(p), "1", str(k), str(n), dist,
               "parts=2", "header=1"] + rows
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=200)
    except subprocess.TimeoutExpired:
        print("too long: %s" % " ".join(command), flush=True)
        return []
    lines = list(csv.DictReader(done.stdout.splitlines()))
    if done.returncode != 0 or not lines:
        print("%s\n%s" % (" ".join(command), done.stderr[-1000:]), flush=True)
    return lines


def our_lines(a, precision, tol, p, k, n, dist, rows, error):
    lines = ours(a, precision, p, k, n, dist, rows)
    points = [r for r in lines if r["room"] == "points"]
    taken = float(points[0]["run_min_ms"]) if points else 0.0
    for room in ("spread", "interp"):
        some = [r for r in lines if r["room"] == room]
        if not some:
            continue
        pick = min(some, key=lambda r: float(r["cost_ms"]))["row"]
        for r in some:
            yield ("farsum", "", room, r["row"], precision, tol, p, k, n, dist,
                   "%.5g" % (taken + float(r["set_ms"])), r["run_min_ms"],
                   "%.3g" % error, int(r["row"] == pick))


def warm(a, rows):
    """Compiles kernels in parallel."""
    jobs = [subprocess.Popen(
        [a.rows, a.device, precision, str(p), "1", "64", n, "uniform",
         "parts=2", row], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for precision, p in a.kernels for row in rows for n in ("1000",)]
    for j in jobs:
        j.wait()


def done(path):
    if not os.path.exists(path):
        return set()
    with open(path) as f:
        return {(r["program"], r["what"], r["precision"], float(r["tol"]),
                 int(r["K"]), int(r["N"]), r["dist"])
                for r in csv.DictReader(f)}


def alone(a, cufinufft, cp, write, finished, end):
    clock = Clock(cp)
    errors = {c: tolerance_error(cufinufft, cp, clock, *c)
              for c in {c[:2] for c in spread_cases()}}
    supports = {c: support(c[0], e) for c, e in errors.items()}
    for c, e in errors.items():
        print("%s tol %g: cuFINUFFT's error %.2g, our P = %d (%.2g)" % (
            *c, e, supports[c], SUPPORT[c[0]][supports[c]]), flush=True)
    rows = rooms_rows()
    a.kernels = sorted((c[0], p) for c, p in supports.items())
    warm(a, rows)
    for precision, tol, k, n, dist in spread_cases():
        if time.time() > end:
            print("cases left")
            return
        e, p = errors[precision, tol], supports[precision, tol]
        case = (precision, tol, k, n, dist)
        if ("cufinufft", "spread") + case not in finished:
            x = positions(cp, n, dist, TYPES[precision][0])
            for kind, what in ((1, "spread"), (2, "interp")):
                for method in (1, 2, 3, 0):
                    try:
                        s, r, *_ = peer(cufinufft, cp, clock, kind, method,
                                        precision, tol, k, x, True)
                    except RuntimeError as problem:
                        print("cufinufft %s method %d %s: %s" % (
                            what, method, case, problem), flush=True)
                        continue
                    write(("cufinufft", cufinufft.__version__, what, method,
                           precision, tol, "", k, n, dist, "%.5g" % s,
                           "%.5g" % r, "%.3g" % e, int(method == 0)))
            del x
            cp.get_default_memory_pool().free_all_blocks()
        if ("farsum", "spread") + case not in finished:
            for line in our_lines(a, precision, tol, p, k, n, dist, rows,
                                  SUPPORT[precision][p]):
                write(line)


def whole(a, cufinufft, cp, write, finished, end):
    clock = Clock(cp)
    for precision, tol, k, n, dist in nufft_cases():
        if time.time() > end:
            print("cases left")
            return
        case = (precision, tol, k, n, dist)
        best = 0
        x = positions(cp, n, dist, TYPES[precision][0])
        for kind in (1, 2):
            what = "type %d" % kind
            if ("cufinufft", what) + case in finished:
                continue
            for method in (1, 2, 3, 0):
                try:
                    s, r, given, got = peer(cufinufft, cp, clock, kind, method,
                                            precision, tol, k, x, False)
                except RuntimeError as problem:
                    print("cufinufft %s method %d %s: %s" % (
                        what, method, case, problem), flush=True)
                    continue
                e = (error_1 if kind == 1 else error_2)(cp, x, given, k, got)
                best = max(best, e)
                write(("cufinufft", cufinufft.__version__, what, method,
                       precision, tol, "", k, n, dist, "%.5g" % s, "%.5g" % r,
                       "%.3g" % e, int(method == 0)))
                del given, got
        del x
        cp.get_default_memory_pool().free_all_blocks()
        if not a.nufft or ("farsum", "type 1") + case in finished:
            continue
        # nufft_rows tightens its tolerance until its error is no larger than
        # the largest of the peer's methods.
        try:
            text = subprocess.run(
                [a.nufft, a.device, precision, str(k), str(n), dist, str(tol),
                 "%.3g" % best], stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=120).stdout
        except subprocess.TimeoutExpired:
            text = "too long: farsum " + str(case)
        for r in csv.reader(text.splitlines()):
            if len(r) == len(COLUMNS):
                write(r)
            else:
                print(",".join(r), flush=True)


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--device", default="cuda:0")
    p.add_argument("--rows", help="path of mesh_rows: compare only spreading "
                   "and interpolation")
    p.add_argument("--nufft", help="path of nufft_rows: compare whole "
                   "transforms")
    p.add_argument("--whole", action="store_true",
                   help="whole transforms; without --nufft only cuFINUFFT's")
    p.add_argument("--minutes", type=float, default=60)
    p.add_argument("--out", required=True, help="CSV file; lines are appended")
    a = p.parse_args()
    import cupy as cp
    import cufinufft
    end = time.time() + 60 * a.minutes
    finished = done(a.out)
    new = not os.path.exists(a.out)
    with open(a.out, "a", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        if new:
            out.writerow(COLUMNS)

        def write(line):
            out.writerow(line)
            f.flush()
        if a.rows:
            alone(a, cufinufft, cp, write, finished, end)
        if a.nufft or a.whole:
            whole(a, cufinufft, cp, write, finished, end)


if __name__ == "__main__":
    sys.exit(main())
