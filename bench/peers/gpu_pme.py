#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Times PME programs for GPUs on our inputs, at a measured error: OpenMM,
torch-pme, jax-pme, nvalchemi-toolkit-ops.  They compute only Coulomb forces, of
all pairs.

    ewald.py data/water_spce_3k.xyz --out ref.npz
    gpu_pme.py scan data/water_spce_3k.xyz --reference ref.npz --sets sets.csv
    gpu_pme.py time data/water_spce_3k.xyz --reference ref.npz --sets sets.csv \\
        --device cuda --copies 1,2,4,7 --out peers.csv

`scan` requires no GPU.  For each error, cutoff, order and variant, it chooses
the splitting parameter that puts --share of the error in the cut-off pairs (as
scan.py).  Then it finds the coarsest mesh whose measured error in f64 meets the
target.  These settings are valid for copies of the box too.

`time` runs every setting on the box, and the --keep fastest of each size on the
next larger one.  It measures errors again in the timed precision and omits rows
with an error above 1.05 of the target.  It uses f32 for every error and f64 for
errors of --double and below, as far as --precisions allows.  A mesh with too
large an error is refined at most --finer times.  Coarse even meshes require
that: there the error of copies differs from that of the box, because a spline
of odd order has no value at the mesh's highest wave.

step_ms is one evaluation of the forces with an existing pair list and data on
the GPU: the minimum over some batches, each of which ends with a wait for the
GPU.  list_ms is the time of a new list where it is built separately: by the
script (vesin, on the processor), or by nvalchemi (on the GPU).  OpenMM's step
is one of its Verlet integrator with a time step of 1e-9 ps, its intended use.
bare_ms is the time of such a step without a force (above 2e6 particles: with
its force excluded from the step), so the forces take step_ms - bare_ms.  Each
row is written as soon as its setting is timed.

A cutoff above half the box requires a larger one: --copies 2 scans copies of
it.
"""
import argparse
import csv
import os
import sys
import time

import numpy as np

import common
import scan
from gpu_programs import PEERS

COLUMNS = ("peer", "version", "device", "variant", "precision", "n", "target",
           "measured", "cutoff", "alpha", "order", "mesh", "step_ms",
           "list_ms", "bare_ms")
SETS = ("peer", "variant", "target", "cutoff", "alpha", "order", "spacing")
CUTOFFS = (5, 6, 7.5, 9, 12)


def error(peer, system, reference):
    copies = system.n // len(reference)
    return common.force_error(peer.forces(), np.tile(reference, (copies, 1)),
                              system)


def mesh_of(peer, system, spacing):
    edges = np.linalg.norm(system.cell, axis=1)
    return [next(m for m in peer.sizes
                 if m >= e / spacing * (1 - 1e-5))  # six digits are stored
            for e in edges]


def coarsest(peer, system, reference, s, target, finest):
    """The largest mesh spacing whose error meets the target, or None."""
    edge = np.linalg.norm(system.cell, axis=1).max()
    sizes = [m for m in peer.sizes if finest <= edge / m <= 4.0]
    low, high = -1, len(sizes)
    while high - low > 1:
        middle = (low + high) // 2
        peer.prepare(system, s, [sizes[middle]] * 3, "f64")
        if error(peer, system, reference) <= target:
            high = middle
        else:
            low = middle
    return edge / sizes[high] if high < len(sizes) else None


def find_sets(a, base, reference):
    scale = common.norm(reference, base)
    base = base.replicated([(a.copies or [1])[0]] * 3)
    with open(a.sets, "a", newline="") as f:
        w = csv.DictWriter(f, SETS, lineterminator="\n")
        if f.tell() == 0:
            w.writeheader()
        for name in a.peers:
            peer = PEERS[name](a.device)
            for target in a.errors:
                for variant, orders in peer.variants:
                    if variant not in (a.variants or [variant]):
                        continue
                    for order in orders:
                        for rc in a.cutoffs:
                            if too_long(base, rc):
                                continue
                            alpha = scan.splitting(base, rc, target * a.share,
                                                   scale)
                            s = dict(peer=name, variant=variant, target=target,
                                     cutoff=rc, alpha=alpha, order=order)
                            spacing = coarsest(peer, base, reference, s, target,
                                               a.finest)
                            if spacing:
                                w.writerow(dict(s, spacing="%.6g" % spacing))
                                f.flush()


def read_sets(a):
    with open(a.sets) as f:
        for r in csv.DictReader(f):
            yield dict(r, target=float(r["target"]), cutoff=float(r["cutoff"]),
                       alpha=float(r["alpha"]), order=int(r["order"]),
                       spacing=float(r["spacing"]))


def least_step(peer, seconds):
    peer.steps(2)
    start = time.time()
    peer.steps(2)
    one = (time.time() - start) / 2
    count = max(1, min(500, int(seconds / 3 / max(one, 1e-6))))
    best = one
    for _ in range(3):
        start = time.time()
        peer.steps(count)
        best = min(best, (time.time() - start) / count)
    return best


def bare_step(a, peer, name, system, precision):
    """Seconds of a step without forces, or 0 if the program has none.  Measured
    once per size."""
    key = (name, system.n, precision)
    if key not in a.bare:
        a.bare[key] = peer.bare(system, precision, lambda p: least_step(
            p, a.seconds)) if hasattr(peer, "bare") else 0.0
    return a.bare[key]


def prepared(a, peer, name, system, reference, s, precision):
    """(mesh, seconds of the list, error) for the first mesh that meets 1.05 of
    the target, or None."""
    mesh = mesh_of(peer, system, s["spacing"])
    for more in range(a.finer, -1, -1):
        listed = peer.prepare(system, s, mesh, precision)
        e = error(peer, system, reference)
        if e <= 1.05 * s["target"]:
            return mesh, listed, e
        print("# %s %s %s %d %s: error %.3g" % (name, s, precision, system.n,
                                                mesh, e),
              file=sys.stderr, flush=True)
        if more:
            mesh = [next(v for v in peer.sizes if v > m) for m in mesh]
    return None


def too_long(system, cutoff):
    """Whether the cutoff exceeds half the box, where nearest images end."""
    half = 0.5 / np.linalg.norm(np.linalg.inv(system.cell), axis=0).max()
    if cutoff > half:
        print("# cutoff %g: half the box is %g" % (cutoff, half),
              file=sys.stderr, flush=True)
    return cutoff > half


def measure(a, peer, name, system, reference, s, precision):
    if too_long(system, s["cutoff"]):
        return None
    try:
        found = prepared(a, peer, name, system, reference, s, precision)
        if found is None:
            return None
        mesh, listed, e = found
        step = least_step(peer, a.seconds)
        bare = bare_step(a, peer, name, system, precision)
    except Exception as fault:  # such as out of memory; other settings go on
        print("# %s %s %d: %s" % (name, s, system.n, str(fault)[:300]),
              file=sys.stderr, flush=True)
        return None
    return dict(peer=name, version=peer.version.replace(",", ""),
                device=a.device, variant=s["variant"], precision=precision,
                n=system.n, target=s["target"], measured="%.3g" % e,
                cutoff=s["cutoff"], alpha="%.6g" % s["alpha"],
                order=s["order"], mesh="x".join(map(str, mesh)),
                step_ms="%.5g" % (1e3 * step),
                list_ms="%.5g" % (1e3 * listed),
                bare_ms="%.5g" % (1e3 * bare))


def finished(path):
    if not os.path.exists(path):
        return set()
    with open(path) as f:
        return {line.strip() for line in f if line.startswith("# done ")}


def fastest(a, sets, name, target, precision, n):
    """The fastest of these settings, by the lines in the file."""
    def same(s, r):
        return (s["variant"], s["order"], s["cutoff"]) == (
            r["variant"], int(r["order"]), float(r["cutoff"]))
    with open(a.out) as f:
        rows = [r for r in csv.DictReader(f)
                if r["peer"] == name and r["n"] == str(n)
                and r["precision"] == precision and float(r["target"]) == target]
    rows.sort(key=lambda r: float(r["step_ms"]))
    found = [s for r in rows for s in sets if same(s, r)]
    return found[:a.keep]


def time_sizes(a, end, peer, name, target, precision, sets, base, reference):
    """Times each size with the fastest settings of the next smaller one."""
    some = sets
    for copies in a.copies or [1, 2, 4, 7]:
        n = base.n * copies ** 3
        key = "# done %s %g %s %d" % (",".join([name] + (a.variants or [])),
                                      target, precision, copies)
        if key not in finished(a.out):
            if time.time() > end or not some:
                return
            system = base.replicated([copies] * 3)
            for s in some:
                if time.time() > end:
                    return
                r = measure(a, peer, name, system, reference, s, precision)
                if r:
                    write(a.out, r)
            with open(a.out, "a") as f:
                f.write(key + "\n")
        some = fastest(a, sets, name, target, precision, n)


def time_sets(a, base, reference):
    end = time.time() + 60 * a.minutes
    sets = list(read_sets(a))
    for name in a.peers:
        peer = PEERS[name](a.device)
        for target in a.errors:
            chosen = [s for s in sets if s["peer"] == name
                      and s["target"] == target
                      and s["variant"] in (a.variants or [s["variant"]])]
            for precision in ("f32", "f64")[:1 + (target <= a.double)]:
                if precision in a.precisions:
                    time_sizes(a, end, peer, name, target, precision, chosen,
                               base, reference)


def write(path, row):
    with open(path, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if f.tell() == 0:
            w.writeheader()
        w.writerow(row)


def main():
    def numbers(kind):
        return lambda t: [kind(v) for v in t.split(",")]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("what", choices=("scan", "time"))
    p.add_argument("input")
    p.add_argument("--reference", required=True, help=".npz of the same input")
    p.add_argument("--sets", required=True)
    p.add_argument("--out")
    p.add_argument("--device", default="cpu")
    p.add_argument("--peers", type=numbers(str), default=list(PEERS))
    p.add_argument("--errors", type=numbers(float), default=[1e-4, 1e-3, 1e-5])
    p.add_argument("--cutoffs", type=numbers(float), default=CUTOFFS)
    p.add_argument("--copies", type=numbers(int),
                   help="copies along each axis (default: 1,2,4,7 for time, "
                   "1 for scan)")
    p.add_argument("--finest", type=float, default=0.2,
                   help="scan: the smallest mesh spacing to try")
    p.add_argument("--finer", type=int, default=0)
    p.add_argument("--precisions", type=numbers(str), default=["f32", "f64"])
    p.add_argument("--variants", type=numbers(str))
    p.add_argument("--double", type=float, default=5e-6)
    p.add_argument("--share", type=float, default=0.6)
    p.add_argument("--keep", type=int, default=2)
    p.add_argument("--seconds", type=float, default=0.6)
    p.add_argument("--minutes", type=float, default=60)
    a = p.parse_args()
    a.bare = {}
    base = common.read(a.input)
    reference = common.reduced(a.reference)["forces"]
    (find_sets if a.what == "scan" else time_sets)(a, base, reference)


if __name__ == "__main__":
    sys.exit(main())
