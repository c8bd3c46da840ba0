#!/usr/bin/python3
"""PME programs for GPUs on our inputs: OpenMM, torch-pme, jax-pme; Coulomb
forces alone, every pair, at a measured error.

    ewald.py data/water_spce_3k.xyz --out ref.npz
    gpu_pme.py scan data/water_spce_3k.xyz --reference ref.npz --sets sets.csv
    gpu_pme.py time data/water_spce_3k.xyz --reference ref.npz --sets sets.csv \\
        --device cuda --copies 1,2,4,7 --out peers.csv

`scan`, which needs no GPU: for each error, cutoff, order and variant the
splitting parameter puts --share of the error in the cut-off pairs (as scan.py)
and the coarsest mesh whose measured error keeps to the target is found, in f64.
Sets hold for copies of the box too.  `time`: every set on the box, the --keep
fastest of the size before on a larger one; errors are measured again, in the
precision that is timed, and rows whose error is above 1.05 of the target are
left out.

step_ms is one evaluation of the forces with a standing list of pairs, the least
of some batches, each waited for at its end, data on the GPU; list_ms what a new
list takes where it is made by the script (vesin, on the processor).  OpenMM's
step is one of its Verlet integrator with a step of 1e-9 ps, which is how it is
meant to run.  One row a set, as it is timed.
"""
import argparse
import csv
import math
import os
import sys
import time

import numpy as np

import common
import scan

COLUMNS = ("peer", "version", "device", "variant", "precision", "n", "target",
           "measured", "cutoff", "alpha", "order", "mesh", "step_ms",
           "list_ms")
SETS = ("peer", "variant", "target", "cutoff", "alpha", "order", "spacing")
CUTOFFS = (5, 6, 7.5, 9, 12)
POWERS = [2 ** k for k in range(3, 11)]  # what two of them round up to


class OpenMM:
    """Smooth PME of order 5, fixed."""
    variants = (("pme", (5,)),)
    precisions = {"f32": "single", "f64": "double"}

    def __init__(self, device):
        import openmm
        self.mm = openmm
        self.version = openmm.__version__
        for fault in openmm.Platform.getPluginLoadFailures():
            print("# openmm: %s" % fault, file=sys.stderr)
        self.platform = openmm.Platform.getPlatformByName(
            "CUDA" if device == "cuda" else "Reference")
        self.cuda = device == "cuda"
        self.context = None

    sizes = scan.SIZES

    def prepare(self, system, s, mesh, precision):
        mm = self.mm
        self.context = None  # frees the last one
        sys_ = mm.System()
        sys_.setDefaultPeriodicBoxVectors(*(system.cell / 10).tolist())
        force = mm.NonbondedForce()
        force.setNonbondedMethod(mm.NonbondedForce.PME)
        force.setCutoffDistance(s["cutoff"] / 10)
        force.setPMEParameters(10 * s["alpha"], *mesh)
        force.setUseDispersionCorrection(False)
        for q in system.charge.tolist():
            sys_.addParticle(1.0)
            force.addParticle(q, 1.0, 0.0)
        sys_.addForce(force)
        self.integrator = mm.VerletIntegrator(1e-9)
        more = {"Precision": self.precisions[precision]} if self.cuda else {}
        self.context = mm.Context(sys_, self.integrator, self.platform, more)
        self.context.setPositions(system.pos / 10)
        return 0.0

    def forces(self):
        # kJ/mol/nm, with OpenMM's own constant
        f = self.context.getState(getForces=True).getForces(asNumpy=True)
        return np.array(f._value) / 138.93545764438198 / 100

    def steps(self, count):
        if count > 1:
            self.integrator.step(count - 1)
        self.context.getState(getEnergy=True)  # one more, and waits


def pair_list(system, cutoff):
    """i, j, shifts of a half list, and seconds."""
    from vesin import NeighborList
    start = time.time()
    i, j, shift = NeighborList(cutoff=cutoff, full_list=False).compute(
        points=system.pos, box=system.cell, periodic=True, quantities="ijS")
    return i, j, shift, time.time() - start


class TorchPME:
    variants = (("pme", (4, 6, 7)), ("p3m", (4, 5)))
    sizes = POWERS

    def __init__(self, device):
        import torch
        import torchpme
        self.torch, self.pme = torch, torchpme
        self.version = "%s, torch %s" % (torchpme.__version__,
                                         torch.__version__)
        self.device = torch.device(device)

    def prepare(self, system, s, mesh, precision):
        t = self.torch
        real = t.float32 if precision == "f32" else t.float64
        i, j, shift, seconds = pair_list(system, s["cutoff"])

        def there(a, dtype=real):
            return t.as_tensor(np.ascontiguousarray(a), dtype=dtype,
                               device=self.device)
        self.pairs = there(np.stack([i, j], 1).astype(np.int64), t.int64)
        self.cell, self.q = there(system.cell), there(system.charge[:, None])
        self.x = there(system.pos).requires_grad_(True)
        self.shift = there(shift) @ self.cell
        kind = self.pme.PMECalculator if s["variant"] == "pme" \
            else self.pme.P3MCalculator
        # ns = the power of two from 2 ceil(L / spacing) + 1 on
        edge = np.linalg.norm(system.cell, axis=1).max()
        self.sum = kind(
            self.pme.CoulombPotential(smearing=1 / (math.sqrt(2) * s["alpha"])),
            mesh_spacing=edge / (max(mesh) / 2 - 1) * (1 + 1e-9),
            interpolation_nodes=s["order"]).to(device=self.device, dtype=real)
        return seconds

    def one(self):
        d = self.x[self.pairs[:, 1]] - self.x[self.pairs[:, 0]] + self.shift
        v = self.sum(self.q, self.cell, self.x, self.pairs,
                     self.torch.linalg.norm(d, dim=1))
        return -self.torch.autograd.grad((self.q * v).sum(), self.x)[0]

    def forces(self):
        return self.one().detach().cpu().double().numpy()

    def steps(self, count):
        for _ in range(count):
            f = self.one()
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()
        return f


class JaxPME:
    variants = (("pme", (4,)), ("p3m", (4, 5)))
    sizes = POWERS

    def __init__(self, device):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jaxpme
        jax.config.update("jax_enable_x64", True)
        self.jax, self.pme = jax, jaxpme
        self.version = "%s, jax %s" % (jaxpme.__version__, jax.__version__)

    def prepare(self, system, s, mesh, precision):
        np_real = np.float32 if precision == "f32" else np.float64
        i, j, shift, seconds = pair_list(system, s["cutoff"])
        kind = self.pme.PME if s["variant"] == "pme" else self.pme.P3M
        put = self.jax.device_put
        self.given = [put(a.astype(np_real)) for a in
                      (system.charge, system.cell, system.pos)] + [
            put(i.astype(np.int32)), put(j.astype(np.int32)),
            put(shift.astype(np_real)), put(np.ones(mesh, np_real)),
            np_real(1 / (math.sqrt(2) * s["alpha"]))]
        self.sum = self.jax.jit(kind(
            prefactor=1.0, interpolation_nodes=s["order"]).energy_forces)
        return seconds

    def forces(self):
        return np.asarray(self.sum(*self.given)[1], dtype=float)

    def steps(self, count):
        for _ in range(count):
            f = self.sum(*self.given)[1]
        f.block_until_ready()


PEERS = {"openmm": OpenMM, "torch-pme": TorchPME, "jax-pme": JaxPME}


def error(peer, system, reference):
    copies = system.n // len(reference)
    return common.force_error(peer.forces(), np.tile(reference, (copies, 1)),
                              system)


def mesh_of(peer, system, spacing):
    edges = np.linalg.norm(system.cell, axis=1)
    return [next(m for m in peer.sizes if m >= e / spacing - 1e-9)
            for e in edges]


def coarsest(peer, system, reference, s, target):
    """The widest spacing that holds the target, or None."""
    edge = np.linalg.norm(system.cell, axis=1).max()
    sizes = [m for m in peer.sizes if 0.2 <= edge / m <= 4.0]
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
    with open(a.sets, "a", newline="") as f:
        w = csv.DictWriter(f, SETS, lineterminator="\n")
        if f.tell() == 0:
            w.writeheader()
        for name in a.peers:
            peer = PEERS[name](a.device)
            for target in a.errors:
                for variant, orders in peer.variants:
                    for order in orders:
                        for rc in a.cutoffs:
                            alpha = scan.splitting(base, rc, target * a.share,
                                                   scale)
                            s = dict(peer=name, variant=variant, target=target,
                                     cutoff=rc, alpha=alpha, order=order)
                            spacing = coarsest(peer, base, reference, s, target)
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


def measure(a, peer, name, system, reference, s, precision):
    mesh = mesh_of(peer, system, s["spacing"])
    try:
        listed = peer.prepare(system, s, mesh, precision)
        e = error(peer, system, reference)
        if e > 1.05 * s["target"]:
            print("# %s %s %s %d: error %.3g" % (name, s, precision, system.n,
                                                 e), file=sys.stderr)
            return None
        step = least_step(peer, a.seconds)
    except Exception as fault:  # no memory, a compiler's: the others go on
        print("# %s %s %d: %s" % (name, s, system.n, str(fault)[:300]),
              file=sys.stderr, flush=True)
        return None
    return dict(peer=name, version=peer.version.replace(",", ""),
                device=a.device, variant=s["variant"], precision=precision,
                n=system.n, target=s["target"], measured="%.3g" % e,
                cutoff=s["cutoff"], alpha="%.6g" % s["alpha"],
                order=s["order"], mesh="x".join(map(str, mesh)),
                step_ms="%.5g" % (1e3 * step),
                list_ms="%.5g" % (1e3 * listed))


def finished(path):
    if not os.path.exists(path):
        return set()
    with open(path) as f:
        return {line.strip() for line in f if line.startswith("# done ")}


def fastest(a, sets, name, target, precision, n):
    """Of these sets, by what stands in the file."""
    def same(s, r):
        return (s["variant"], s["order"], s["cutoff"]) == (
            r["variant"], int(r["order"]), float(r["cutoff"]))
    with open(a.out) as f:
        rows = [r for r in csv.DictReader(f)
                if r["peer"] == name and r["n"] == str(n)
                and r["precision"] == precision and float(r["target"]) == target]
    rows.sort(key=lambda r: float(r["step_ms"]))
    return [next(s for s in sets if same(s, r)) for r in rows[:a.keep]]


def time_sets(a, base, reference):
    end = time.time() + 60 * a.minutes
    sets = list(read_sets(a))
    before = finished(a.out)
    for name in a.peers:
        peer = PEERS[name](a.device)
        for target in a.errors:
            chosen = [s for s in sets
                      if s["peer"] == name and s["target"] == target]
            for precision in ("f32", "f64"):
                if (precision == "f32") != (target > 5e-6):
                    continue
                some = chosen
                for copies in a.copies:
                    key = "# done %s %g %s %d" % (name, target, precision,
                                                  copies)
                    if key in before:
                        some = fastest(a, some, name, target, precision,
                                       base.n * copies ** 3)
                        continue
                    if time.time() > end or not some:
                        continue
                    system = base.replicated([copies] * 3)
                    rows = []
                    for s in some:
                        r = measure(a, peer, name, system, reference, s,
                                    precision)
                        if r:
                            rows.append((float(r["step_ms"]), len(rows), s))
                            write(a.out, r)
                    with open(a.out, "a") as f:
                        f.write(key + "\n")
                    some = [r[2] for r in sorted(rows, key=lambda r: r[:2])[:a.keep]]


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
    p.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    p.add_argument("--peers", type=numbers(str), default=list(PEERS))
    p.add_argument("--errors", type=numbers(float), default=[1e-4, 1e-3, 1e-5])
    p.add_argument("--cutoffs", type=numbers(float), default=CUTOFFS)
    p.add_argument("--copies", type=numbers(int), default=[1, 2, 4, 7])
    p.add_argument("--share", type=float, default=0.6)
    p.add_argument("--keep", type=int, default=2)
    p.add_argument("--seconds", type=float, default=0.6)
    p.add_argument("--minutes", type=float, default=60)
    a = p.parse_args()
    base = common.read(a.input)
    reference = common.reduced(a.reference)["forces"]
    (find_sets if a.what == "scan" else time_sets)(a, base, reference)


if __name__ == "__main__":
    sys.exit(main())
