#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Finds each peer's best settings at a measured force error, and their times.

    ewald.py data/water_spce.xyz --out ref.npz
    scan.py data/water_spce.xyz --reference ref.npz --errors 1e-3,1e-4,1e-6 \\
        --replicate 1 --replicate 2,2,1 --replicate 3,3,4 --replicate 5 \\
        --threads 1,2 --out scan.csv

The first phase uses the original box.  For each cutoff, order and variant, the
splitting parameter puts --share of the error in the cut-off pairs (Kolafa and
Perram, Mol. Simul. 9, 351 (1992), eq.  18).  Bisection then finds the coarsest
mesh whose measured error meets the target.  These sets of (cutoff, splitting
parameter, order, spacing) are valid for replicas too, because the error of a
replica is that of the box.

The second phase times the sets for each size and number of threads: every set
if the box is small (--all-below), else the --keep fastest of the next smaller
size.  It measures the error again each time and refines the mesh until the
error meets the target.  Rows are written as soon as they are measured; the last
column marks the fastest of its (peer, n, threads, target).

"step" is one evaluation with an existing pair list, "neigh" one rebuild of it.
"""
import argparse
import csv
import math
import os
import sys

import numpy as np

import common
import gromacs
import lammps

COLUMNS = ("peer", "version", "variant", "n", "replicate", "threads", "target",
           "measured", "cutoff", "alpha", "order", "mesh", "pair", "kspace",
           "neigh", "step", "particles_per_second", "best")
# For each peer: variants (name, settings) and orders.  GROMACS's two programs
# have two precisions.  LAMMPS differentiates in wave space (ik) or analytically
# (ad), or sums waves (ewald, whose "mesh" is twice the largest wave number).
PEERS = {
    "lammps": ((("ik", {"diff": "ik", "table": 12}),
                ("ad", {"diff": "ad", "table": 12}),
                ("ewald", {"method": "ewald", "table": 12})), (3, 5, 7)),
    "gromacs": ((("mixed", {"program": "gmx"}),
                 ("double", {"program": "gmx_d"})), (4, 5, 6, 8)),
}


def smooth(limit):
    """Mesh sizes with factors 2, 3, 5 only."""
    return sorted({2 ** a * 3 ** b * 5 ** c for a in range(12)
                   for b in range(7) for c in range(5)
                   if 2 ** a * 3 ** b * 5 ** c <= limit})


SIZES = smooth(2048)


def mesh_for(system, spacing):
    """The smallest mesh of SIZES whose spacing along the edges is at most
    `spacing`."""
    edges = np.linalg.norm(system.lower()[0].cell, axis=1)
    return [next(m for m in SIZES if m >= e / spacing - 1e-9) for e in edges]


def splitting(system, rc, target, scale):
    """alpha for which the pairs beyond rc make the error `target` (eq. 18)."""
    front = 2 * np.sum(system.charge ** 2) / scale / math.sqrt(
        system.n * rc * system.volume)
    return math.sqrt(max(1e-3, math.log(front / target))) / rc


def settings(peer, extra, rc, alpha, order, mesh, threads, steps, repeats):
    """The peer's run() and its options."""
    given = dict(extra, cutoff=rc, order=order, mesh=mesh, threads=threads,
                 steps=steps, repeats=repeats)
    if peer == "lammps":
        return lammps.run, lammps.options(gewald=alpha, accuracy=1e-5, **given)
    return gromacs.run, gromacs.options(rtol=math.erfc(alpha * rc), **given)


class Scan:
    def __init__(self, system, reference, args):
        self.base, self.reference, self.args = system, reference, args
        self.scale = common.norm(reference, system)

    def error(self, peer, result, system):
        c = {"lammps": lammps, "gromacs": gromacs}[peer].CONSTANT
        copies = system.n // self.base.n
        return common.force_error(result["forces"] / c,
                                  np.tile(self.reference, (copies, 1)), system)

    def evaluate(self, peer, system, s, threads=1, steps=0, repeats=1):
        """(error, result) of one set s on a system, or None if it fails."""
        run, o = settings(peer, s["extra"], s["rc"], s["alpha"], s["order"],
                          s["mesh"], threads, steps, repeats)
        try:
            r = run(system, o)
        except RuntimeError as fault:
            print("scan: %s %s: %s" % (peer, s, str(fault)[-300:]),
                  file=sys.stderr)
            return None
        return self.error(peer, r, system), r

    def coarsest(self, peer, s, target):
        """The coarsest spacing whose error meets the target, or None.  Changes
        s["mesh"]."""
        edge = np.linalg.norm(self.base.cell, axis=1).max()
        sizes = [m for m in SIZES if 0.4 <= edge / m <= 4.0]
        low, high = -1, len(sizes)  # low misses the target, high meets it
        while high - low > 1:
            middle = (low + high) // 2
            s["mesh"] = mesh_for(self.base, edge / sizes[middle])
            e = self.evaluate(peer, self.base, s)
            if e and e[0] <= target:
                high = middle
            else:
                low = middle
        return edge / sizes[high] if high < len(sizes) else None

    def sets(self, peer, target):
        """All sets (cutoff, variant, order) with their coarsest meshes."""
        variants, every = PEERS[peer]
        square = np.allclose(self.base.cell, np.diag(np.diag(self.base.cell)))
        out = []
        for rc in self.args.cutoffs:
            alpha = splitting(self.base, rc, target * self.args.share,
                              self.scale)
            for name, extra in variants:
                if name == "ad" and not square:
                    continue  # LAMMPS requires ik for such cells
                if name not in (self.args.variants or [name]):
                    continue
                orders = self.args.orders or every
                for order in (0,) if name == "ewald" else orders:
                    s = dict(variant=name, extra=extra, rc=rc, alpha=alpha,
                             order=order)
                    s["spacing"] = self.coarsest(peer, s, target)
                    if s["spacing"]:
                        out.append(s)
        return out

    def timed(self, peer, system, s, threads, target):
        """The set with its times and error, or None.  Refines the mesh until
        the error meets the target."""
        s = dict(s, mesh=mesh_for(system, s["spacing"]))
        for _ in range(4):
            e = self.evaluate(peer, system, s, threads, 4, 1)
            if e is None:
                return None
            if e[0] <= target:
                break
            s["mesh"] = [SIZES[SIZES.index(m) + 1] for m in s["mesh"]]
        else:
            return None
        step = max(e[1]["info"]["seconds"]["step"], 1e-5)
        steps = min(2000, max(4, math.ceil(self.args.seconds / step)))
        e = self.evaluate(peer, system, s, threads, steps, self.args.repeats)
        return e and dict(s, measured=e[0], info=e[1]["info"])


def write(writer, peer, system, counts, threads, target, rows):
    best = min(rows, key=lambda r: r["info"]["seconds"]["step"])
    for r in rows:
        t = r["info"]["seconds"]
        writer.writerow((
            peer, r["info"]["found_version"], r["variant"], system.n,
            "x".join(map(str, counts)), threads, target,
            "%.3g" % r["measured"], r["rc"], "%.6g" % r["alpha"], r["order"],
            "x".join(map(str, r["mesh"])), "%.4g" % t["pair"],
            "%.4g" % t["kspace"], "%.4g" % t["neigh"], "%.4g" % t["step"],
            "%.4g" % (system.n / t["step"]), int(r is best)))


def main():
    def numbers(text):
        return [float(v) for v in text.split(",")]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("input")
    p.add_argument("--reference", required=True, help=".npz of the same input")
    p.add_argument("--peers", default="lammps,gromacs")
    p.add_argument("--errors", type=numbers, default=[1e-3, 1e-4, 1e-6])
    p.add_argument("--cutoffs", type=numbers, default=[
        5, 6, 7, 8, 9, 10, 12, 14])
    p.add_argument("--orders", type=lambda t: [int(v) for v in t.split(",")],
                   help="default: all orders of each peer")
    p.add_argument("--variants", type=lambda t: t.split(","))
    p.add_argument("--share", type=float, default=0.6)
    p.add_argument("--replicate", type=common.triple, action="append")
    p.add_argument("--threads", default="1")
    p.add_argument("--all-below", type=int, default=20000)
    p.add_argument("--keep", type=int, default=5)
    p.add_argument("--seconds", type=float, default=1.0,
                   help="length of each timed run")
    p.add_argument("--repeats", type=int, default=3)
    p.add_argument("--out", required=True, help="CSV file; lines are appended")
    a = p.parse_args()
    common.need(*{"lammps": ["lmp"], "gromacs": ["gmx", "gmx_d"]}.get(
        a.peers, ["lmp", "gmx", "gmx_d"]))
    base = common.read(a.input)
    scan = Scan(base, common.reduced(a.reference)["forces"], a)
    new = not os.path.exists(a.out)
    with open(a.out, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(COLUMNS)
        for peer in a.peers.split(","):
            for target in a.errors:
                found = scan.sets(peer, target)
                for threads in (int(t) for t in a.threads.split(",")):
                    sets = found
                    for counts in a.replicate or [[1, 1, 1]]:
                        system = base.replicated(counts)
                        if system.n > a.all_below:
                            sets = sets[:a.keep]
                        rows = [r for r in (scan.timed(
                            peer, system, s, threads, target)
                            for s in sets) if r]
                        if not rows:
                            continue
                        write(w, peer, system, counts, threads, target, rows)
                        f.flush()
                        rows.sort(key=lambda r: r["info"]["seconds"]["step"])
                        sets = rows


if __name__ == "__main__":
    sys.exit(main())
