#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the Coulomb part of a LAMMPS step: pppm, and Farsum's plugin.

    lammps_plugin.py data/water_spce_3k.xyz --plugin build/farsumplugin.so \\
        --out plugin.csv

Needs a Python with lammps, numpy and Farsum's package (PYTHONPATH: the build
tree's python/), and the plugin of docs/lammps.md.  One process, one thread.

Flexible water moves with fix nve, with a list skin of 2 Angstrom.  The Coulomb
part is the time of a step with charges minus that of a step with lj/cut only,
at the same Lennard-Jones cutoff.  Seconds are those of the processor, so that
other programs disturb less; each is the minimum of --repeats runs.

The error is RMS error over RMS of the Coulomb forces, without bonded pairs, of
the first configuration, against Farsum's sum at 1e-11.  For pppm all cutoffs,
accuracies and orders below are timed, with each suffix; a row is the fastest
whose error meets the target.  Farsum has its accuracy only.
"""
import argparse
import csv
import itertools
import pathlib
import sys
import tempfile
import time

import numpy as np

sys.path.append(sys.path.pop(0))  # this folder has a lammps.py, too
from lammps import lammps  # noqa: E402

import common  # noqa: E402
import farsum  # noqa: E402

CUTOFFS = (7, 8, 9, 10, 12)
ACCURACIES = [10 ** (-k / 2) for k in range(5, 15)]
INPUT = """
units real
atom_style full
bond_style harmonic
angle_style harmonic
special_bonds lj/coul 0 0 0
read_data {data}
bond_coeff 1 450 1.0
angle_coeff 1 55 109.47
neighbor 2.0 bin
timestep 0.5
thermo_style custom step etotal
"""

# Only oxygens have Lennard-Jones interactions: other pairs need no list for them.
MOVE = """
pair_coeff * * 0 1 1
pair_coeff 1 1 0.1553 3.166
fix 1 all nve
"""


class Case:
    def __init__(self, args, data, system):
        self.args, self.data, self.n = args, data, system.n
        m = 3 * np.arange(system.n // 3)[:, None]
        pairs = np.concatenate([m + [0, 1], m + [0, 2], m + [1, 2]])
        sums = farsum.coulomb(system.pos, system.charge, cell=system.cell,
                              tolerance=1e-11, exclude=pairs)
        self.forces = common.REAL * system.charge[:, None] * sums.field

    def lammps(self, suffix, lines, log="none"):
        words = {"": [], "opt": ["-sf", "opt"],
                 "omp": ["-pk", "omp", "1", "-sf", "omp"],
                 "intel": ["-pk", "intel", "0", "-sf", "intel"]}[suffix]
        lmp = lammps(cmdargs=["-log", str(log), "-screen", "none", *words])
        lmp.command(f"plugin load {self.args.plugin}")
        lmp.commands_string(INPUT.format(data=self.data) + lines)
        return lmp

    def error(self, suffix, lines):
        """Of the forces without Lennard-Jones and bonds."""
        lmp = self.lammps(suffix, lines + "\npair_coeff * * 0 1\n"
                          "bond_coeff 1 0 1\nangle_coeff 1 0 109\nrun 0 post no")
        order = np.argsort(lmp.numpy.extract_atom("id")[:self.n])
        got = lmp.numpy.extract_atom("f")[:self.n][order].copy()
        lmp.close()
        return np.sqrt(((got - self.forces)**2).sum()
                       / (self.forces**2).sum())

    def seconds(self, suffix, lines):
        """Processor time of a step."""
        best = 1e9
        lmp = self.lammps(suffix, lines + MOVE + "run 5 post no")
        for _ in range(self.args.repeats):
            begin = time.process_time()
            lmp.command(f"run {self.args.steps} pre no post no")
            best = min(best, time.process_time() - begin)
        lmp.close()
        return best / self.args.steps


def settings(orders):
    for rc, accuracy, order in itertools.product(CUTOFFS, ACCURACIES, orders):
        yield (f"cutoff {rc} accuracy {accuracy:.2g} order {order}",
               f"pair_style lj/cut/coul/long 10 {rc}\n"
               f"kspace_style pppm {accuracy}\nkspace_modify order {order}")


def pppm_rows(case, targets):
    """The fastest for each target."""
    bare = {s: case.seconds(s, "pair_style lj/cut 10") for s in case.args.suffix}
    errors = {name: (case.error("", lines), lines)
              for name, lines in settings(case.args.orders)}
    timed = {}
    for target in targets:
        good = sorted((e, name) for name, (e, _) in errors.items()
                      if target / 4 < e <= target)
        rows = []
        for e, name in good:
            for suffix in case.args.suffix:
                key = (suffix, name)
                if key not in timed:
                    timed[key] = case.seconds(suffix, errors[name][1])
                rows.append((timed[key] - bare[suffix], suffix, name, e))
        if rows:
            yield (target, *min(rows))


def farsum_rows(case, targets):
    bare = case.seconds("opt", "pair_style lj/cut 10")
    for target in targets:
        for accuracy in ACCURACIES:
            lines = f"pair_style lj/cut 10\nkspace_style farsum {accuracy}"
            error = case.error("opt", lines)
            if error <= target:
                yield (target, case.seconds("opt", lines) - bare, "opt",
                       f"accuracy {accuracy:.2g}", error)
                break


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--targets", default="1e-3,1e-4,1e-5")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--orders", type=int, nargs="+", default=[5, 7])
    parser.add_argument("--programs", nargs="+", default=["farsum", "pppm"])
    parser.add_argument("--suffix", nargs="+", default=["opt", "omp"])
    args = parser.parse_args()
    system = common.read(args.input)
    targets = [float(t) for t in args.targets.split(",")]
    with tempfile.TemporaryDirectory() as work, open(args.out, "w",
                                                     newline="") as f:
        data = pathlib.Path(work) / "data"
        common.write_water(data, system)
        case = Case(args, data, system)
        out = csv.writer(f)
        out.writerow(["program", "n", "target", "seconds", "suffix",
                      "settings", "measured"])
        for program in args.programs:
            rows = {"farsum": farsum_rows, "pppm": pppm_rows}[program]
            for target, seconds, suffix, name, error in rows(case, targets):
                out.writerow([program, system.n, target, f"{seconds:.6f}",
                              suffix, name, f"{error:.3g}"])
                f.flush()


if __name__ == "__main__":
    main()
