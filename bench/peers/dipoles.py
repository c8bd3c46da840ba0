#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times forces of charges with dipoles, at equal measured error: Farsum,
nvalchemi-toolkit-ops' multipoles, and OpenMM's AMOEBA multipoles.

    dipoles.py --out host.csv --atoms 300,1000
    dipoles.py --out gpu.csv --device cuda --openmm CUDA

A system has one particle per cubic length unit in a tilted cell, 0.5 apart or
more, with alternating charges and dipoles of 0.3 in random directions.  The
error is RMS error over RMS of the forces, against Farsum's plain Ewald sum at a
tolerance of 1e-11.

For each peer the settings below are timed once if their error meets the target,
and then the fastest is timed again: `step_ms` is the minimum over some batches
of evaluations of energy and forces.  Farsum's gets new positions each time.
nvalchemi evaluates with an existing neighbour list; `list_ms` is its time.  Its
charges are Gaussians of width 0.04, which is no difference at these distances.
OpenMM makes its own lists; its polarisabilities are 0, so it has no induced
dipoles to find.  It computes torques, and Farsum gradients, which are torques
too.  nvalchemi's derivatives by the moments are not computed.
"""
import argparse
import csv
import math
import os

import numpy as np

import farsum
from batches import Batch, fastest, splits

COLUMNS = ("peer", "version", "device", "atoms", "target", "measured",
           "settings", "step_ms", "list_ms")


class System:
    """x [n, 3], q [n], p [n, 3], a cell and the forces."""

    def __init__(self, n):
        made = Batch(1, n)
        rng = np.random.default_rng(n)
        self.n, self.x, self.q, self.cell = n, made.x[0], made.q[0], made.cells[0]
        p = rng.standard_normal((n, 3))
        self.p = 0.3 * p / np.linalg.norm(p, axis=1)[:, None]
        self.forces = np.asarray(farsum.dipoles(
            self.x, self.q, self.p, self.cell, tolerance=1e-11,
            method="ewald").forces)
        self.pairs = made.pairs

    def error(self, forces):
        off = np.asarray(forces, float) - self.forces
        return math.sqrt((off**2).sum() / (self.forces**2).sum())


class Farsum:
    def __init__(self, a):
        self.a, self.version = a, farsum.__version__

    def settings(self, system, target):
        for part in (4, 2.8, 2, 1.4, 1, 0.7, 0.5):
            yield f"tolerance {part * target:.3g}", part * target

    def prepare(self, system, tolerance):
        strengths = np.concatenate([system.q[:, None], system.p], 1)
        x = system.x
        if self.a.device != "cpu":
            import torch
            strengths, x = (torch.as_tensor(v, device=self.a.device)
                            for v in (strengths, x))
        self.plan = farsum.Plan(
            "charge_dipole", cell=system.cell, tolerance=tolerance,
            sample=(x, strengths), outputs="potential field gradient energy",
            threads=self.a.threads, **(
                {"device": "cuda:0"} if self.a.device != "cpu" else {}))

        def one():
            self.plan.set_points(x)
            return self.plan.execute(strengths).forces
        self.one = one
        return 0.0

    def forces(self):
        f = self.one()
        return f.cpu().numpy() if self.a.device != "cpu" else f

    def wait(self, _):
        if self.a.device != "cpu":
            import torch
            torch.cuda.synchronize()


class NVAlchemi:
    """Energies by torch's autograd; the field constant is divided out."""

    WIDTH = 0.04

    def __init__(self, a):
        from importlib.metadata import version
        import torch
        import warp
        from nvalchemiops.torch.interactions import electrostatics
        from nvalchemiops.torch.interactions.electrostatics import pme_multipole
        warp.config.quiet = True
        torch.set_num_threads(a.threads)
        self.a, self.torch, self.el = a, torch, electrostatics
        self.unit = pme_multipole.FIELD_CONSTANT / (4 * math.pi)
        self.version = f"{version('nvalchemi-toolkit-ops')} warp {warp.__version__}"

    def settings(self, system, target):
        edge = np.linalg.norm(system.cell, axis=1).max()
        for rc, alpha, k in splits(target):
            yield (f"ewald cutoff {rc:g} alpha {alpha:.4g} k {k:.4g}",
                   (0, rc, alpha, k))
            for order in (5, 6):
                mesh = 2 ** math.ceil(math.log2(edge * k / math.pi))
                yield (f"pme cutoff {rc:g} alpha {alpha:.4g} mesh {mesh} order "
                       f"{order}", (order, rc, alpha, mesh))

    def prepare(self, system, how):
        t, (order, rc, alpha, size) = self.torch, how
        lists, seconds = system.pairs(rc)
        i, j, shift = lists[0]
        i, j, shift = (np.concatenate(v) for v in (
            (i, j), (j, i), (shift, -np.asarray(shift))))  # full lists
        order_i = np.argsort(i, kind="stable")
        begin = np.searchsorted(i[order_i], np.arange(system.n + 1))

        def there(v, kind=t.float64):
            return t.as_tensor(np.ascontiguousarray(v), dtype=kind,
                               device=self.a.device)
        x = there(system.x).requires_grad_(True)
        moments = there(np.concatenate(
            [system.q[:, None], system.p[:, (1, 2, 0)]], 1))  # q, y, z, x
        given = (x, moments, there(system.cell), there(j[order_i], t.int32),
                 there(begin, t.int32), there(shift[order_i], t.int32))
        if order:
            def energy():
                return self.el.multipole_particle_mesh_ewald(
                    *given, sigma=self.WIDTH, alpha=alpha,
                    mesh_dimensions=(size,) * 3, spline_order=order)
        else:
            def energy():
                return self.el.multipole_ewald_summation(
                    *given, sigma=self.WIDTH, alpha=alpha, k_cutoff=size)

        def one():
            return -t.autograd.grad(energy().sum(), x)[0] / self.unit
        self.one = one
        return seconds

    def forces(self):
        return self.one().detach().cpu().numpy()

    def wait(self, _):
        if self.a.device != "cpu":
            self.torch.cuda.synchronize()


class OpenMM:
    """AMOEBA's multipoles in the frame of the laboratory; nm, kJ/mol."""

    UNIT = 138.935457644

    def __init__(self, a):
        import openmm
        self.a, self.mm = a, openmm
        self.version = f"{openmm.__version__} {a.openmm}"

    def settings(self, system, target):
        edge = np.linalg.norm(system.cell, axis=1)
        for rc, alpha, k in splits(target):
            if 2 * rc < np.diag(system.cell).min():
                mesh = [max(6, 2 * math.ceil(e * k / math.pi / 2)) for e in edge]
                yield (f"cutoff {rc:g} alpha {alpha:.4g} mesh {mesh}",
                       (rc, alpha, mesh))

    def prepare(self, system, how):
        mm, (rc, alpha, mesh) = self.mm, how
        s, f = mm.System(), mm.AmoebaMultipoleForce()
        s.setDefaultPeriodicBoxVectors(*(mm.Vec3(*v) for v in system.cell))
        for q, p in zip(system.q, system.p):
            s.addParticle(1.0)
            f.addMultipole(q, p, [0.0] * 9, f.NoAxisType, -1, -1, -1, 0.39, 0.0,
                           0.0)
        f.setNonbondedMethod(f.PME)
        f.setPolarizationType(f.Direct)
        f.setCutoffDistance(rc)
        f.setPMEParameters(alpha, *mesh)
        s.addForce(f)
        self.kept = mm.VerletIntegrator(0.001)
        context = mm.Context(s, self.kept,
                             mm.Platform.getPlatformByName(self.a.openmm))
        context.setPositions(system.x)
        self.context = context

        def one():
            return context.getState(getForces=True, getEnergy=True)
        self.one = one
        return 0.0

    def forces(self):
        return self.one().getForces(asNumpy=True)._value / self.UNIT

    def wait(self, _):
        pass


PEERS = {"farsum": Farsum, "nvalchemi": NVAlchemi, "openmm": OpenMM}


def main():
    def numbers(kind):
        return lambda text: [kind(v) for v in text.split(",")]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--out", required=True)
    p.add_argument("--device", default="cpu", help="cpu or cuda")
    p.add_argument("--openmm", default="Reference", help="OpenMM's platform")
    p.add_argument("--peers", type=numbers(str), default=list(PEERS))
    p.add_argument("--atoms", type=numbers(int), default=[300, 1000, 3000])
    p.add_argument("--targets", type=numbers(float), default=[1e-3, 1e-5])
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--enough", type=int, default=1000,
                   help="settings that meet the target, then the scan ends")
    p.add_argument("--seconds", type=float, default=0.6)
    a = p.parse_args()
    peers = {name: PEERS[name](a) for name in a.peers}
    fresh = not os.path.exists(a.out)
    with open(a.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if fresh:
            w.writeheader()
        for n in a.atoms:
            system = System(n)
            for target in a.targets:
                for name, peer in peers.items():
                    found = fastest(a, peer, system, target)
                    if found is None:
                        print(f"# none {name} {n} {target:g}", flush=True)
                        continue
                    seconds, how, error, listed = found
                    row = dict(peer=name, version=peer.version,
                               device=a.device, atoms=n, target=f"{target:g}",
                               measured="%.3g" % error, settings=how,
                               step_ms="%.5g" % (1e3 * seconds),
                               list_ms="%.4g" % (1e3 * listed))
                    w.writerow(row)
                    f.flush()
                    print(row, flush=True)


if __name__ == "__main__":
    main()
