#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times whole LAMMPS steps of water, and their parts, at equal force error.

    lammps_steps.py data/water_spce_3k.xyz --plugin build-lammps/farsumplugin.so \\
        --out steps_3k.csv
    lammps_steps.py data/water_spce.xyz --replicate 2 2 1 --plugin ... \\
        --out steps_33k.csv

Four forms of a step sum Coulomb's interaction:

    pppm    pair_style lj/cut/coul/long and kspace_style pppm
    near    pair_style lj/cut/coul/farsum and kspace_style farsum
    mixed   the same with kspace_modify farsum precision mixed
    whole   pair_style lj/cut and kspace_style farsum

Each has the suffixes that LAMMPS' package has: none, opt, omp, intel.  Water, its
motion and the meaning of errors are those of lammps_plugin.py, and it needs the
same; but atoms have velocities of 300 K, and copies of a box (--replicate) are
first stirred.  One process, one thread.

1. Errors of all settings are measured, then each that meets a target, and at most
   four times better, is timed once.  The fastest of each form and suffix stays.
   These results are kept in OUT.json: a second call goes on there.
2. In each of --rounds rounds all that stay run --steps steps in turn, and so does
   lj/cut without charges.

The table has a line for each form and suffix.  `step` is the median time of a step,
`coulomb` that of the step minus the step without charges of the same round and
suffix.  The ratios are those of step and coulomb over those of the fastest `near`:
the median of all rounds, and the range of its middle half.  The parts are LAMMPS'
own times, in per cent of the step: near pairs and Lennard-Jones are both `Pair`.
Seconds are the processor's; LAMMPS' own are too if cpu_clock.c is preloaded.
"""
import argparse
import csv
import json
import pathlib
import re
import tempfile
import time

import numpy as np

import lammps_plugin as plugin
from lammps_plugin import common

PARTS = ("Pair", "Kspace", "Bond", "Neigh", "Comm", "Modify", "Output", "Other")
BARE = "pair_style lj/cut 10"


def settings(args):
    """Form, name and input lines of all that may be timed."""
    plugin.CUTOFFS, plugin.ACCURACIES = args.cutoffs, args.accuracies
    for name, lines in plugin.settings(args.orders):
        yield "pppm", name, lines
    for accuracy in args.accuracies:
        end = f"\nkspace_style farsum {accuracy}"
        for rc in args.cutoffs:
            name = f"cutoff {rc} accuracy {accuracy:.2g}"
            lines = f"pair_style lj/cut/coul/farsum 10 {rc}{end}"
            yield "near", name, lines
            yield ("mixed", name,
                   lines + "\nkspace_modify farsum precision mixed")
        yield "whole", f"accuracy {accuracy:.2g}", BARE + end


class Kept(dict):
    """Numbers by name, in a file that each new one rewrites."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        if self.path.exists():
            self.update(json.loads(self.path.read_text()))

    def get_or(self, key, make):
        if key not in self:
            self[key] = make()
            self.path.write_text(json.dumps(self, indent=0))
        return self[key]


def chosen(case, args, target, kept):
    """The fastest settings of each form and suffix: (name, lines, error)."""
    best = {}
    for form, name, lines in settings(args):
        if form not in args.forms:
            continue
        error = kept.get_or(f"error {form} {name}",
                            lambda: float(case.error("", lines)))
        if not target / 4 < error <= target:
            continue
        for suffix in args.suffix:
            seconds = kept.get_or(f"seconds {form} {suffix} {name}",
                                  lambda: case.seconds(suffix, lines))
            if seconds < best.get((form, suffix), (np.inf,))[0]:
                best[form, suffix] = seconds, name, lines, error
    return {key: v[1:] for key, v in best.items()}


class Runner:
    """An instance of LAMMPS that goes on."""

    def __init__(self, case, suffix, lines, log):
        self.log, self.seen = pathlib.Path(log), 0
        self.lmp = case.lammps(
            suffix, lines + plugin.MOVE + "velocity all create 300 1 loop all\n"
            "run 10 post no", log)
        self.steps, self.parts = [], []

    def run(self, steps):
        begin = time.process_time()
        self.lmp.command(f"run {steps} pre no")
        self.steps.append((time.process_time() - begin) / steps)
        self.lmp.flush_buffers()
        text = self.log.read_text()
        found = {m[1]: float(m[2] or 0) for m in re.finditer(
            r"^(\w+) +\|[^|]*\| *([\d.e+-]*) *\|", text[self.seen:], re.M)}
        self.seen = len(text)
        self.parts.append([found.get(part, 0) / steps for part in PARTS])


def stirred(case, args):
    """The atoms' positions after some motion, so that copies differ."""
    lmp = case.lammps("", "pair_style lj/cut/coul/farsum 9\n"
                      "kspace_style farsum 1e-4" + plugin.MOVE
                      + "velocity all create 300 7 loop all\n"
                      f"fix 2 all langevin 300 300 100 5\nrun {args.stir}")
    order = np.argsort(lmp.numpy.extract_atom("id")[:case.n])
    x = lmp.numpy.extract_atom("x")[:case.n][order].copy()
    lmp.close()
    return x


def prepared(args, work):
    """The case, with its data file."""
    s, data = common.read(args.input), work / "data"
    if args.replicate != [1, 1, 1]:
        s = s.replicated(args.replicate)
        common.write_water(data, s)
        s.pos = stirred(plugin.Case(args, data, s), args)
    common.write_water(data, s)
    return plugin.Case(args, data, s)


def timed(case, args, best, work):
    """Runners in turn: without charges by suffix, and by form and suffix."""
    runners = {("bare", suffix): Runner(case, suffix, BARE, work / f"b{suffix}")
               for suffix in {suffix for _, suffix in best}}
    for (form, suffix), (_, lines, _) in best.items():
        runners[form, suffix] = Runner(case, suffix, lines,
                                       work / f"{form}{suffix}")
    for _ in range(args.rounds):
        for one in runners.values():
            one.run(args.steps)
    for one in runners.values():
        one.lmp.close()
    return runners


def spread(values):
    low, middle, high = np.percentile(values, (25, 50, 75))
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def rows(case, target, best, runners):
    """The table's lines."""
    step = {key: np.array(one.steps) for key, one in runners.items()}
    coulomb = {key: v - step["bare", key[1]] for key, v in step.items()}
    ours = [key for key in best if key[0] == "near"] or list(best)
    base = min(ours, key=lambda key: np.median(step[key]))
    for (form, suffix), (name, _, error) in best.items():
        key = form, suffix
        parts = np.median(runners[key].parts, 0)
        shares = 100 * parts / max(parts.sum(), 1e-300)
        yield {"n": case.n, "target": target, "form": form,
               "suffix": suffix or "none", "settings": name,
               "error": f"{error:.3g}",
               "step": f"{np.median(step[key]):.6f}",
               "coulomb": f"{np.median(coulomb[key]):.6f}",
               "step_ratio": spread(step[key] / step[base]),
               "coulomb_ratio": spread(coulomb[key] / coulomb[base]),
               **{p: f"{v:.1f}" for p, v in zip(PARTS, shares)}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--replicate", type=int, nargs=3, default=[1, 1, 1])
    parser.add_argument("--stir", type=int, default=400, help="steps")
    parser.add_argument("--targets", type=float, nargs="+",
                        default=[1e-3, 1e-4, 1e-5])
    parser.add_argument("--forms", nargs="+", default=["pppm", "near", "mixed", "whole"])
    parser.add_argument("--suffix", nargs="+",
                        default=["", "opt", "omp", "intel"])
    parser.add_argument("--cutoffs", type=float, nargs="+",
                        default=[6, 7, 8, 9, 10, 12])
    parser.add_argument("--accuracies", type=float, nargs="+",
                        default=[10 ** (-k / 2) for k in range(5, 15)])
    parser.add_argument("--orders", type=int, nargs="+", default=[5, 7])
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--repeats", type=int, default=1,
                        help="runs that select the fastest settings")
    args = parser.parse_args()
    probe = plugin.lammps(cmdargs=["-log", "none", "-screen", "none"])
    args.suffix = [s for s in args.suffix if not s or probe.has_style(
        "pair", f"lj/cut/coul/long/{s}")]
    probe.close()
    kept = Kept(args.out + ".json")
    with tempfile.TemporaryDirectory() as folder, \
            open(args.out, "w", newline="") as f:
        work, out = pathlib.Path(folder), None
        case = prepared(args, work)
        for target in args.targets:
            best = chosen(case, args, target, kept)
            if not best:
                print(f"no settings have an error up to {target:g}")
                continue
            runners = timed(case, args, best, work)
            for row in rows(case, target, best, runners):
                if out is None:
                    out = csv.DictWriter(f, list(row))
                    out.writeheader()
                out.writerow(row)
                f.flush()
                print(" ".join(f"{k}={v}" for k, v in row.items() if k != "n"))


if __name__ == "__main__":
    main()
