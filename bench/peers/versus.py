#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Compares Farsum, LAMMPS and GROMACS on the same particles, at equal error.

    ewald.py data/water_spce_3k.xyz --out ref.npz
    scan.py data/water_spce_3k.xyz --reference ref.npz --out scan.csv
    versus.py data/water_spce_3k.xyz --reference ref.npz --scan scan.csv \\
        --farsum build/tools/farsum/farsum --replicate 1 --replicate 2 \\
        --threads 1,2 --errors 1e-3,1e-4,1e-6 --out versus.csv

For each peer, the sets of scan.csv for an error (cutoff, splitting parameter,
order and mesh spacing) are timed again on the box, and the --keep fastest are
used.  For copies of the box, the mesh grows with the edges; its error is
measured again, and the mesh is refined until the error meets the target.
Farsum chooses its parameters itself.  Its tolerance is tightened until its
measured error meets the target.

Then the programs alternate, --rounds times.  Each row has one program's minimum
and median time of a step with an existing list (near field and mesh; in Farsum
`execute`), and the additional time for a new configuration (pair list; in
Farsum `set_points`).  "ratio" is the peer's minimum step over Farsum's, and
"ratio_all" the same with the additional time.  --precision is Farsum's.
"""
import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

import numpy as np

import common
import scan

COLUMNS = ("program", "variant", "n", "threads", "target", "measured", "cutoff",
           "order", "mesh", "step_min", "step_median", "list_min",
           "list_median", "ratio", "ratio_all")
EXTRA = {p: dict(v) for p, (v, _) in scan.PEERS.items()}


def farsum(a, *words):
    done = subprocess.run([a.farsum, *map(str, words)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise RuntimeError("farsum: " + done.stderr[-500:])


def farsum_error(a, base, reference, tolerance):
    """Farsum's error on the box: RMS force error over the RMS force."""
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out.xyz")
        farsum(a, "run", a.input, "--tolerance", tolerance, "--precision",
               a.precision, "-o", out)
        with open(out) as f:
            columns, _ = common.read_columns(f.read().splitlines())
    return common.force_error(columns["forces"], reference, base)


def farsum_tolerance(a, base, reference, target):
    """(tolerance, error): a measured error just below the target."""
    tolerance = 1.6 * target
    while True:
        e = farsum_error(a, base, reference, tolerance)
        if e <= target:
            return tolerance, e
        tolerance *= 0.85


def farsum_time(a, counts, threads, tolerance):
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "b.json")
        farsum(a, "bench", "all", "--input", a.input, "--copies",
               "x".join(map(str, counts)), "--tolerance", tolerance,
               "--precision", a.precision, "--threads", threads, "--repeats",
               a.repeats, "--report", out)
        with open(out) as f:
            rows = {r["stage"]: r for r in json.load(f)["rows"]}
    points = rows["set_points"][a.of]
    return {"step": rows["total"][a.of] - points, "neigh": points,
            "what": rows["total"]["parameters"]}


def candidates(a, base, scanner, peer, target):
    """The scan's fastest sets for the target, by new times on the box."""
    rows = []
    for path in a.scan:
        with open(path) as f:
            rows += [r for r in csv.DictReader(f)
                     if r["peer"] == peer and float(r["target"]) == target
                     and int(r["n"]) == base.n and int(r["threads"]) == 1
                     and (r["variant"] in (a.variants or [r["variant"]]))]
    rows.sort(key=lambda r: float(r["step"] or 0))
    rows = rows[:a.consider]
    timed = []
    for row in rows:
        s = peer_set(base, row)
        s["mesh"] = [int(m) for m in row["mesh"].split("x")]
        e = scanner.evaluate(peer, base, s, 1, 10, 1)
        if e and e[0] <= target:
            timed.append((e[1]["info"]["seconds"]["step"], len(timed), s))
    return [s for _, _, s in sorted(timed)[:a.keep]]


def peer_set(base, row):
    edge = np.linalg.norm(base.cell, axis=1)
    mesh = [int(m) for m in row["mesh"].split("x")]
    return {"variant": row["variant"],  # in the form of scan.py's sets
            "extra": EXTRA[row["peer"]][row["variant"]],
            "rc": float(row["cutoff"]), "alpha": float(row["alpha"]),
            "order": int(row["order"]), "spacing": max(edge / mesh)}


def hold(scanner, peer, system, s, threads, target):
    """Refines s["mesh"] until the error on the system meets the target; returns
    the error, or None."""
    s["mesh"] = scan.mesh_for(system, s["spacing"])
    for _ in range(4):
        e = scanner.evaluate(peer, system, s, threads)
        if e is None:
            return None
        if e[0] <= target:
            return e[0]
        s["mesh"] = [scan.SIZES[scan.SIZES.index(m) + 1] for m in s["mesh"]]
    return None


def compare(a, base, scanner, counts, threads, target):
    """One row per program and set, for one size."""
    system = base.replicated(counts)
    tolerance, error = a.tolerances[target]
    rows = [dict(program="farsum", variant=a.precision, measured=error,
                 cutoff="", order="", mesh="", times=[])]
    for peer in a.peers.split(","):
        for s in a.sets[peer, target]:
            e = hold(scanner, peer, system, s, threads, target)
            if e is not None:
                rows.append(dict(program=peer, variant=s["variant"], set=s,
                                 measured=e, cutoff=s["rc"], order=s["order"],
                                 mesh="x".join(map(str, s["mesh"])), times=[]))
    steps = max(3, min(200, math.ceil(a.work / system.n)))
    for _ in range(a.rounds):
        for r in rows:
            if r["program"] == "farsum":
                t = farsum_time(a, counts, threads, tolerance)
                r["mesh"] = t["what"]
            else:
                e = scanner.evaluate(r["program"], system, r["set"], threads,
                                     steps, 1)
                t = e[1]["info"]["seconds"]
            r["times"].append((t["step"], t["neigh"]))
    return rows


def write(w, rows, n, threads, target):
    own = None
    for r in rows:
        step, more = zip(*r["times"])
        own = own or (min(step), min(more))
        w.writerow((r["program"], r["variant"], n, threads, target,
                    "%.3g" % r["measured"], r["cutoff"], r["order"], r["mesh"],
                    "%.4g" % min(step), "%.4g" % statistics.median(step),
                    "%.4g" % min(more), "%.4g" % statistics.median(more),
                    "%.3g" % (min(step) / own[0]),
                    "%.3g" % ((min(step) + min(more)) / sum(own))))


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("input")
    p.add_argument("--reference", required=True, help=".npz of the same input")
    p.add_argument("--scan", required=True, help="CSV files of scan.py",
                   type=lambda t: t.split(","))
    p.add_argument("--variants", type=lambda t: t.split(","))
    p.add_argument("--consider", type=int, default=100,
                   help="number of the scan's fastest sets to time on the box")
    p.add_argument("--of", choices=("min", "median"), default="min",
                   help="which time of Farsum's executes per round")
    p.add_argument("--repeats", type=int, default=5,
                   help="Farsum's executes per round")
    p.add_argument("--farsum", required=True, help="path of the command")
    p.add_argument("--precision", default="f64", choices=("f64", "f32"))
    p.add_argument("--peers", default="lammps,gromacs")
    p.add_argument("--errors", default="1e-3,1e-4,1e-6",
                   type=lambda t: [float(v) for v in t.split(",")])
    p.add_argument("--replicate", type=common.triple, action="append")
    p.add_argument("--threads", default="1")
    p.add_argument("--keep", type=int, default=2, help="sets per peer")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--work", type=float, default=6e5,
                   help="particles times steps of a peer's run")
    p.add_argument("--out", required=True, help="CSV file; lines are appended")
    a = p.parse_args()
    base = common.read(a.input)
    reference = common.reduced(a.reference)["forces"]
    scanner = scan.Scan(base, reference, a)
    a.tolerances = {t: farsum_tolerance(a, base, reference, t)
                    for t in a.errors}
    a.sets = {(peer, t): candidates(a, base, scanner, peer, t)
              for peer in a.peers.split(",") for t in a.errors}
    new = not os.path.exists(a.out)
    with open(a.out, "a", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        if new:
            w.writerow(COLUMNS)
        for counts in a.replicate or [[1, 1, 1]]:
            for threads in (int(t) for t in a.threads.split(",")):
                for target in a.errors:
                    rows = compare(a, base, scanner, counts, threads, target)
                    write(w, rows, base.n * math.prod(counts), threads, target)
                    f.flush()


if __name__ == "__main__":
    sys.exit(main())
