#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times OpenMM's steps of water: its own PME, and farsum.openmm, at equal
measured force error.

    openmm_steps.py data/water_spce_3k.xyz --copies 1,2,3 --platform CUDA \\
        --device cuda:0 --out openmm.csv
    openmm_steps.py data/water_spce_3k.xyz --platform CPU --out host.csv

Rigid water (SETTLE) moves by Langevin's middle integrator at 1 fs.
Lennard-Jones ends at 9 Angstrom with Farsum and at the cutoff of PME, since
OpenMM has one for both.  --copies are counts along each edge.

`step_ms` is the minimum over --repeats runs of --steps steps, `coulomb_ms` the
step minus that of a system without charges.  The error is RMS error over RMS
of the Coulomb forces without excluded pairs, in the timed precision, against
Farsum's sum at 1e-10 in f64.  PME has the cutoffs and OpenMM's error
tolerances below; a row is the fastest that meets the target.  Farsum has its
tolerance only: it starts at --loosest times the target and is halved until the
measured error meets the target.
"""
import argparse
import csv
import itertools
import time

import numpy as np
import openmm as mm
from openmm import unit

import common
import farsum
import farsum.openmm

CUTOFFS = (0.8, 0.9, 1.0, 1.2)
TOLERANCES = (5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 5e-6)
SIGMA, EPSILON = 0.3166, 0.6502  # SPC/E: nm, kJ/mol
COLUMNS = ("form", "version", "platform", "precision", "n", "target",
           "measured", "settings", "step_ms", "coulomb_ms")


class Water:
    """Molecules are consecutive O, H, H; lengths in nm."""

    def __init__(self, s):
        self.n, self.x, self.cell = s.n, s.pos / 10, s.cell / 10
        self.q = s.charge
        m = 3 * np.arange(s.n // 3)[:, None]
        self.pairs = np.concatenate([m + [0, 1], m + [0, 2], m + [1, 2]])
        one = self.x[:3]
        self.lengths = [float(np.linalg.norm(one[i] - one[j]))
                        for i, j in ((0, 1), (0, 2), (1, 2))]

    def system(self, charges, lj, moves=True):
        made = mm.System()
        made.setDefaultPeriodicBoxVectors(*self.cell.tolist())
        force = mm.NonbondedForce()
        force.setNonbondedMethod(force.PME if charges
                                 else force.CutoffPeriodic)
        force.setUseDispersionCorrection(False)
        force.setCutoffDistance(0.9)
        for i, q in enumerate(self.q.tolist()):
            oxygen = i % 3 == 0
            made.addParticle(15.9994 if oxygen else 1.008)
            force.addParticle(q if charges else 0.0, SIGMA,
                              EPSILON if lj and oxygen else 0.0)
        for i, j in self.pairs.tolist():
            force.addException(i, j, 0.0, 1.0, 0.0)
        if moves:
            for k, (i, j) in enumerate(self.pairs.tolist()):
                made.addConstraint(i, j, self.lengths[3 * k // self.n])
        made.addForce(force)
        return made, force

    def reference(self):
        r = farsum.coulomb(self.x, self.q, cell=self.cell, exclude=self.pairs,
                           coulomb=farsum.openmm.ONE_4PI_EPS0,
                           tolerance=1e-10, outputs="field")
        return np.asarray(r.forces)


class Timer:
    def __init__(self, a, water):
        self.a, self.water = a, water
        self.platform = mm.Platform.getPlatform(a.platform)
        self.more = {}
        if a.platform in ("CUDA", "OpenCL", "HIP"):
            self.more["Precision"] = a.precision
        if a.platform == "CPU":
            self.more["Threads"] = str(a.threads)

    def context(self, system):
        integrator = mm.LangevinMiddleIntegrator(300, 1, 0.001)
        integrator.setRandomNumberSeed(1)
        context = mm.Context(system, integrator, self.platform, self.more)
        context.setPositions(self.water.x)
        return context, integrator

    def forces(self, system):
        context, _ = self.context(system)
        got = context.getState(forces=True).getForces(asNumpy=True)
        return np.array(got._value)

    def step(self, system, repeats=None):
        """Milliseconds."""
        context, integrator = self.context(system)
        context.setVelocitiesToTemperature(300, 1)

        def run(count):
            integrator.step(count)
            context.getState(energy=True)  # waits
        run(10)
        begin = time.perf_counter()
        run(5)
        one = (time.perf_counter() - begin) / 5
        steps = max(5, min(self.a.steps, int(self.a.seconds / one)))
        best = np.inf
        for _ in range(repeats or self.a.repeats):
            begin = time.perf_counter()
            run(steps)
            best = min(best, (time.perf_counter() - begin) / steps)
        return 1e3 * best


def pme_settings(a, water):
    for rc, tolerance in itertools.product(a.cutoffs, a.tolerances):
        if 2 * rc < 0.95 * np.diag(water.cell).min():
            def change(force, rc=rc, tolerance=tolerance):
                force.setCutoffDistance(rc)
                force.setEwaldErrorTolerance(tolerance)
            yield f"cutoff {rc:g} nm tolerance {tolerance:g}", change


def error(found, exact):
    return float(np.sqrt(((found - exact) ** 2).sum() / (exact ** 2).sum()))


def pme_rows(a, water, timer, exact):
    """The loosest tolerance of each cutoff, and of these the fastest."""
    system, force = water.system(True, False, moves=False)
    errors = {}
    for name, change in pme_settings(a, water):
        cutoff = name.split()[1]
        if min([1] + [e for e, _, c in errors.values()
                      if c == cutoff]) > min(a.targets):
            change(force)
            errors[name] = error(timer.forces(system), exact), change, cutoff
    for target in a.targets:
        loosest = {}
        for name, (e, change, cutoff) in errors.items():
            if e <= target:
                loosest.setdefault(cutoff, (name, e, change))
        timed = []
        for name, e, change in loosest.values():
            system, force = water.system(True, True)
            change(force)
            timed.append((timer.step(system), name, e))
        if timed:
            yield (target, *min(timed))


def farsum_rows(a, water, timer, exact):
    options = {"precision": a.farsum_precision}
    if a.device != "host":
        options["device"] = a.device
    else:
        options["threads"] = a.threads
    for target in a.targets:
        tolerance = a.loosest * target
        while tolerance > target / 16:
            system, _ = water.system(True, False, moves=False)
            farsum.openmm.coulomb(system, tolerance=tolerance, **options)
            e = error(timer.forces(system), exact)
            if e <= target:
                system, _ = water.system(True, True)
                sums = farsum.openmm.coulomb(system, tolerance=tolerance,
                                             **options)
                step = timer.step(system)
                print(f"# {sums.plan}".replace("\n", "\n# "), flush=True)
                yield target, step, f"tolerance {tolerance:g}", e
                break
            tolerance /= 2


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("input")
    p.add_argument("--out", required=True)
    p.add_argument("--copies", type=common.numbers(int), default=[1])
    p.add_argument("--platform", default="CUDA")
    p.add_argument("--precision", default="mixed", help="of OpenMM's GPU code")
    p.add_argument("--device", default="host", help="of Farsum")
    p.add_argument("--farsum-precision", default="mixed")
    p.add_argument("--forms", type=common.numbers(str), default=["farsum", "pme"])
    p.add_argument("--targets", type=common.numbers(float), default=[1e-3, 1e-4])
    p.add_argument("--cutoffs", type=common.numbers(float), default=CUTOFFS)
    p.add_argument("--tolerances", type=common.numbers(float), default=TOLERANCES)
    p.add_argument("--loosest", type=float, default=2)
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--steps", type=int, default=200)
    p.add_argument("--seconds", type=float, default=1, help="of a run")
    p.add_argument("--repeats", type=int, default=3)
    a = p.parse_args()
    for fault in mm.Platform.getPluginLoadFailures():
        print("# openmm:", fault)
    versions = {"farsum": farsum.__version__, "pme": mm.__version__}
    with open(a.out, "a", newline="") as f:
        out = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if f.tell() == 0:
            out.writeheader()
        base = common.read(a.input)
        for copies in a.copies:
            water = Water(base.replicated([copies] * 3))
            timer, exact = Timer(a, water), water.reference()
            bare = timer.step(water.system(False, True)[0])
            for form in a.forms:
                rows = {"farsum": farsum_rows, "pme": pme_rows}[form]
                for target, step, name, e in rows(a, water, timer, exact):
                    precision = (a.farsum_precision if form == "farsum" else
                                 timer.more.get("Precision", "single"))
                    row = dict(form=form, version=versions[form],
                               platform=a.platform, precision=precision,
                               n=water.n, target=target,
                               measured=f"{e:.3g}", settings=name,
                               step_ms=f"{step:.4f}",
                               coulomb_ms=f"{step - bare:.4f}")
                    out.writerow(row)
                    f.flush()
                    print(row, flush=True)


if __name__ == "__main__":
    main()
