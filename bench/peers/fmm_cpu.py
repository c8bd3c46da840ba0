#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares FMM3D, pyfmmlib and Farsum on the processor: fields of charges in
open space, at equal measured error, with equal threads.

    fmm_cpu.py --venv /tmp/fmm3d --build build --case "laplace n=1e5 cell=open" \\
        --errors 1e-3,1e-6,1e-9 --threads 1 --out bench/results/fmm_cpu.csv

FMM3D and pyfmmlib come from PyPI, in a virtual environment outside this tree
(--venv; created if it does not exist).  Errors are relative RMS of the force
against direct sums at some particles.  FMM3D's eps and Farsum's tolerance are
the largest that meet the requested error; pyfmmlib has whole digits only.
Programs alternate, --rounds times; time_ms is the minimum, and spread the
maximum over the minimum.  FMM3D and pyfmmlib build their tree in each call;
time_ms of farsum is set_points and execute together, and again_ms an execute
with new strengths at the same points, which the others do not support.  On a
busy machine preload cpu_clock.c's library, with one thread.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time

import common
import finufft_spread

COLUMNS = ("program", "version", "case", "n", "asked", "error", "setting",
           "threads", "time_ms", "spread", "again_ms", "rows")
TARGETS = 500


class Fmm3d:
    name = "FMM3D"

    def __init__(self, np, x, q):
        import fmm3dpy
        from importlib.metadata import version
        self.np, self.run, self.version = np, fmm3dpy.lfmm3d, version("fmm3dpy")
        self.x, self.q = np.asfortranarray(x.T), q

    def fields(self, eps):
        out = self.run(eps=eps, sources=self.x, charges=self.q, pg=2)
        return -4 * self.np.pi * out.grad.T

    def settings(self, want):
        """From the widest on; its errors are far below eps."""
        for k in range(12):
            yield min(0.5, 1000 * want / 4 ** k)


class Pyfmmlib:
    name = "pyfmmlib"

    def __init__(self, np, x, q):
        import pyfmmlib
        from importlib.metadata import version
        self.np, self.version = np, version("pyfmmlib")
        self.run = pyfmmlib.lfmm3dparttarg
        self.x, self.q = np.asfortranarray(x.T), q.astype(complex)
        self.vectors = np.zeros(self.x.shape, order="F")
        self.none = np.zeros((3, 1), order="F")
        self.number = np.zeros(1, dtype=complex)

    def fields(self, digits):
        fail, _, field, _, _ = self.run(
            iprec=digits, source=self.x, ifcharge=1, charge=self.q, ifdipole=0,
            dipstr=self.q, dipvec=self.vectors, ifpot=0, iffld=1, ntarget=0,
            target=self.none, ifpottarg=0, pottarg=self.number, iffldtarg=0,
            fldtarg=self.none.astype(complex, order="F"))
        if fail:
            raise RuntimeError("lfmm3dparttarg: %d" % fail)
        return field.real.T

    def settings(self, want):
        return range(-2, 6)


class Peer:
    """A program at the widest setting that keeps to an error."""

    def __init__(self, program, want, at, force, q, norm):
        self.program, self.times = program, []
        for self.setting in program.settings(want):
            start = time.perf_counter()
            field = program.fields(self.setting)
            self.times = [time.perf_counter() - start]
            off = q[at][:, None] * field[at] - force
            self.error = ((off ** 2).sum() / norm) ** 0.5
            if self.error <= want:
                return
        self.times = []

    def turn(self):
        start = time.perf_counter()
        self.program.fields(self.setting)
        self.times.append(time.perf_counter() - start)


class Farsum:
    def __init__(self, a, case, want, threads):
        self.words = [os.path.join(a.build, "bench/ewald_rows"), "host", case,
                      "reference=direct:%d" % TARGETS, "threads=%d" % threads]
        self.row = self.ask("want=%g,method=fmm" % want)
        self.again, self.times = [], []
        if self.row:
            self.keep(self.row)

    def ask(self, plan):
        done = subprocess.run(self.words + [plan], stdout=subprocess.PIPE,
                              text=True, check=True)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        return rows[0] if rows else None

    def keep(self, row):
        self.again.append(float(row["one_ms"]))
        self.times.append(float(row["one_ms"]) + float(row["set_ms"]))

    def turn(self):
        self.keep(self.ask("tol=%s,method=fmm" % self.row["tolerance"]))


def particles(a, case, np):
    """Particles of a case, from `farsum gen`."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "case.xyz")
        subprocess.run([os.path.join(a.build, "tools/farsum/farsum"), "gen",
                        "--case", case, "-o", path], check=True,
                       stdout=subprocess.DEVNULL)
        return common.read(path)


def compare(a, np, case, system, want, threads, write):
    x, q = system.pos, system.charge
    at = np.random.default_rng(5).integers(0, len(q), TARGETS)
    force = q[at][:, None] * common.fields(system, at)
    norm = (force ** 2).sum()
    peers = [Peer(kind(np, x, q), want, at, force, q, norm)
             for kind in (Fmm3d, Pyfmmlib)[:1 if a.fmm3d_only else 2]]
    peers = [p for p in peers if p.times]
    own = Farsum(a, case, want, threads)
    for _ in range(a.rounds - 1):
        for p in peers + ([own] if own.row else []):
            p.turn()
    for p in peers:
        write((p.program.name, p.program.version, case, len(q), want,
               "%.3g" % p.error, "%g" % p.setting, threads,
               "%.5g" % (1e3 * min(p.times)),
               "%.3g" % (max(p.times) / min(p.times)), "", ""))
    if own.row:
        write(("farsum", "", case, len(q), want, own.row["error"],
               own.row["tolerance"], threads, "%.5g" % min(own.times),
               "%.3g" % (max(own.times) / min(own.times)),
               "%.5g" % min(own.again),
               "p %s ws %s; %s" % (own.row["order"], own.row["separation"],
                                   own.row["rows"])))


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--venv", required=True, help="outside the tree")
    p.add_argument("--build", default="build")
    p.add_argument("--case", action="append", required=True)
    p.add_argument("--errors", default="1e-3,1e-6,1e-9,1e-12")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--fmm3d-only", action="store_true")
    p.add_argument("--out", required=True, help="CSV, appended")
    a = p.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(a.threads)
    finufft_spread.enter(a.venv, __file__, "fmm3dpy==2.1.0", "pyfmmlib==2026.1",
                         "numpy")
    import numpy as np
    new = not os.path.exists(a.out)
    with open(a.out, "a", newline="") as f:
        out = csv.writer(f, lineterminator="\n")
        if new:
            out.writerow(COLUMNS)
        for case in a.case:
            system = particles(a, case, np)
            for want in (float(e) for e in a.errors.split(",")):
                compare(a, np, case, system, want, a.threads, out.writerow)
                f.flush()


if __name__ == "__main__":
    sys.exit(main())
