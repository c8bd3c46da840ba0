#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times LAMMPS steps of water over ranks of MPI, at equal force error.

    venv/bin/mpicc -O2 -shared -fPIC bench/peers/mpi_clock.c -o mpi_clock.so
    lammps_ranks.py data/water_spce_3k.xyz --plugin build-lammps/farsumplugin.so \\
        --mpiexec venv/bin/mpiexec --clock ./mpi_clock.so --out ranks_3k.csv

Forms, suffixes, errors, water and its motion are those of lammps_steps.py, and it
needs the same; mpicc and mpiexec are those of the package mpich.  Each rank has one
thread.

1. One process measures the errors of all settings.  For each form, cutoff and order
   the fewest digits whose error meets the target stay.
2. mpiexec starts this script again, as --ranks copies.  Each setting runs --steps
   steps, and the fastest of each form and suffix stays.
3. In each of --rounds rounds those run --steps steps in turn, and so does lj/cut
   without charges.
Results of 1 and 2 are kept in OUT.json: a second call goes on there.

`step` is the median over the rounds of a step's processor time outside of MPI, on the
rank with the most.  So it contains uneven work and work that ranks do twice, but no
messages and no waiting, which on a busy machine is mostly for a processor.  `wall` are
the minimum elapsed seconds of a step.  `coulomb` is the step minus the step without
charges of the same round.  The ratios are those of step and coulomb over those of
`near`: the median of all rounds, and the range of its middle half.
"""
import argparse
import csv
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import lammps_plugin as plugin
import lammps_steps as steps

# MPICH's ranks give the processor away while they wait.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1"}


class Started(plugin.Case):
    """A case whose reference is not needed."""

    def __init__(self, args, data):
        self.args, self.data = args, data


def instance(case, job):
    """LAMMPS, after its first steps."""
    return case.lammps(job["suffix"], job["lines"] + plugin.MOVE
                       + "velocity all create 300 1 loop all\nrun 10 post no")


class Clock:
    """Processor time outside of MPI, and elapsed time."""

    def __init__(self, path):
        self.inside = ctypes.CDLL(path).mpi_clock_inside
        self.inside.restype = ctypes.c_double

    def now(self):
        return np.array([time.process_time() - self.inside(),
                         time.perf_counter()])

    def step(self, lmp, count):
        begin = self.now()
        lmp.command(f"run {count} pre no post no")
        return list((self.now() - begin) / count)


def work(args):
    """What each copy does with the jobs of a file."""
    order = json.loads(pathlib.Path(args.worker).read_text())
    case, found = Started(args, order["data"]), []
    clock = Clock(args.clock)
    if order["rounds"] == 0:  # one after another, as there may be many
        for job in order["jobs"]:
            lmp = instance(case, job)
            found.append([clock.step(lmp, args.steps)])
            rank = lmp.extract_setting("world_rank")
            lmp.close()
    else:
        all_of = [instance(case, job) for job in order["jobs"]]
        found = [[] for _ in all_of]
        for _ in range(order["rounds"]):
            for times, lmp in zip(found, all_of):
                times.append(clock.step(lmp, args.steps))
        rank = all_of[0].extract_setting("world_rank")
    pathlib.Path(f"{args.worker}.{rank}").write_text(json.dumps(found))


def over_ranks(args, folder, data, ranks, jobs, rounds):
    """[job][round][outside of MPI, elapsed], the most of a rank."""
    order = folder / "order.json"
    order.write_text(json.dumps(
        {"data": str(data), "jobs": jobs, "rounds": rounds}))
    subprocess.run([args.mpiexec, "-n", str(ranks), sys.executable,
                    os.path.abspath(__file__), args.input, "--plugin",
                    args.plugin, "--out", args.out, "--steps", str(args.steps),
                    "--clock", args.clock, "--worker", str(order)],
                   env={**os.environ, **ENVIRONMENT, "LD_PRELOAD": args.clock},
                   check=True)
    return np.max([json.loads(pathlib.Path(f"{order}.{r}").read_text())
                   for r in range(ranks)], 0)


def candidates(case, args, target, kept):
    """Settings whose error meets the target, with the fewest digits."""
    loosest = {}
    for form, name, lines in steps.settings(args):
        if form not in args.forms:
            continue
        words = name.split()
        same = (form, *(words[k + 1] for k in range(0, len(words), 2)
                        if words[k] != "accuracy"))
        error = kept.get_or(f"error {form} {name}",
                            lambda: float(case.error("", lines)))
        if error <= target and error > loosest.get(same, {"error": 0})["error"]:
            loosest[same] = {"form": form, "name": name, "lines": lines,
                             "error": error}
    return [{**job, "suffix": suffix} for job in loosest.values()
            for suffix in args.suffix]


def fastest(args, folder, case, ranks, jobs, kept):
    """The fastest of each form and suffix."""
    def key(job):
        return f"{ranks} {job['form']} {job['suffix']} {job['name']}"
    new = [job for job in jobs if key(job) not in kept]
    if new:
        times = over_ranks(args, folder, case.data, ranks, new, 0)
        for job, one in zip(new, times):
            kept.get_or(key(job), lambda one=one: one[0][0])
    best = {}
    for job in sorted(jobs, key=lambda job: kept[key(job)]):
        best.setdefault((job["form"], job["suffix"]), job)
    return list(best.values())


def rows(args, folder, case, target, ranks, jobs):
    """The table's lines."""
    bare = [{"form": "bare", "suffix": suffix, "lines": steps.BARE}
            for suffix in args.suffix]
    times = over_ranks(args, folder, case.data, ranks, bare + jobs, args.rounds)
    cpu = {(job["form"], job["suffix"]): one[:, 0]
           for job, one in zip(bare + jobs, times)}
    coulomb = {key: v - cpu["bare", key[1]] for key, v in cpu.items()}
    ours = [key for key in cpu if key[0] == "near"] or [
        (job["form"], job["suffix"]) for job in jobs]
    base = min(ours, key=lambda key: np.median(cpu[key]))
    for job, one in zip(jobs, times[len(bare):]):
        key = job["form"], job["suffix"]
        yield {"n": case.n, "ranks": ranks, "target": target,
               "form": job["form"], "suffix": job["suffix"] or "none",
               "settings": job["name"], "error": f"{job['error']:.3g}",
               "step": f"{np.median(cpu[key]):.6f}",
               "coulomb": f"{np.median(coulomb[key]):.6f}",
               "wall": f"{one[:, 1].min():.6f}",
               "step_ratio": steps.spread(cpu[key] / cpu[base]),
               "coulomb_ratio": steps.spread(coulomb[key] / coulomb[base])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--clock", required=True, type=os.path.abspath)
    parser.add_argument("--out", required=True)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--replicate", type=int, nargs=3, default=[1, 1, 1])
    parser.add_argument("--stir", type=int, default=400, help="steps")
    parser.add_argument("--targets", type=float, nargs="+",
                        default=[1e-3, 1e-4, 1e-5])
    parser.add_argument("--forms", nargs="+", default=["pppm", "near", "whole"])
    parser.add_argument("--suffix", nargs="+", default=["opt"])
    parser.add_argument("--cutoffs", type=float, nargs="+",
                        default=[6, 7, 8, 9, 10, 12])
    parser.add_argument("--accuracies", type=float, nargs="+",
                        default=[10 ** (-k / 2) for k in range(5, 15)])
    parser.add_argument("--orders", type=int, nargs="+", default=[5, 7])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        work(args)
        return
    kept = steps.Kept(args.out + ".json")
    with tempfile.TemporaryDirectory() as name, \
            open(args.out, "w", newline="") as f:
        folder, out = pathlib.Path(name), None
        case = steps.prepared(args, folder)
        for target in args.targets:
            jobs = candidates(case, args, target, kept)
            if not jobs:
                print(f"no settings have an error up to {target:g}")
                continue
            for ranks in args.ranks:
                best = fastest(args, folder, case, ranks, jobs, kept)
                for row in rows(args, folder, case, target, ranks, best):
                    if out is None:
                        out = csv.DictWriter(f, list(row))
                        out.writeheader()
                    out.writerow(row)
                    f.flush()
                    print(" ".join(f"{k}={v}" for k, v in row.items()))


if __name__ == "__main__":
    main()
