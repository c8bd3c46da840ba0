#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times forces of batches of small systems, at equal measured error: Farsum,
torch-pme, jax-pme and nvalchemi-toolkit-ops.

    batches.py --out host.csv --peers farsum,torch-pme --systems 1,8 --atoms 20,100
    batches.py --out gpu.csv --device cuda          # all, on a GPU

A batch has systems of the same count of atoms, one per cubic length unit, in
cells of different shapes; atoms are at least 0.5 apart and their charges
alternate.  The error is RMS error over RMS of the forces of all systems,
against Farsum's batch on the host at a tolerance of 1e-10.

For each peer the settings below are timed once if their error meets the target,
and then the fastest is timed again: `step_ms` is the minimum over some batches
of evaluations.  Positions are new in each of Farsum's, which includes its
sorting and choices.  Peers evaluate with existing neighbour lists; `list_ms` is
the time to make those lists (torch-pme and jax-pme: by vesin on the host).

With --graphs the evaluations of torch-pme and nvalchemi are also captured in a
CUDA graph and replayed, where that is possible.  --cutoffs and --parts make
the scan shorter.

torch-pme sums a batch by `torch.vmap` over Ewald sums, or by a loop over PME
from 200 atoms on.  jax-pme has `batched_mixed.Ewald`, nvalchemi `batch_idx`.

A second call with the same --out goes on where the first one stopped: a row, or
a line "# none", is written for each peer, target and size.  --minutes ends a
part.
"""
import argparse
import csv
import itertools
import math
import os
import sys
import time

import numpy as np

import farsum

COLUMNS = ("peer", "version", "device", "precision", "systems", "atoms",
           "target", "measured", "settings", "step_ms", "us_per_system",
           "list_ms")
CUTOFFS = (1.5, 2, 2.5, 3, 4, 5)
PARTS = (0.8, 0.9, 1.0, 1.12)


class Batch:
    """x [S, n, 3], q [S, n], cells [S, 3, 3] and the forces."""

    def __init__(self, systems, n, seed=1):
        rng = np.random.default_rng([seed, systems, n])
        edge = n ** (1 / 3)
        self.cells = np.tile(np.eye(3) * edge, (systems, 1, 1))
        self.cells *= rng.uniform(0.92, 1.08, (systems, 3, 1))
        self.cells[:, 1, 0] = rng.uniform(-0.3, 0.3, systems) * edge
        self.x = np.stack([self.placed(rng, n, c) for c in self.cells])
        self.q = np.tile(1.0 - 2.0 * (np.arange(n) % 2), (systems, 1))
        self.ptr = n * np.arange(systems + 1)
        self.n, self.systems = n, systems
        self.forces = farsum.coulomb_batch(
            self.x.reshape(-1, 3), self.q.reshape(-1), self.cells, ptr=self.ptr,
            tolerance=1e-10, outputs="field").forces.reshape(self.x.shape)

    @staticmethod
    def placed(rng, n, cell):
        """Random sites of a lattice, moved by up to 0.2 of its edge."""
        m = math.ceil(n ** (1 / 3) - 1e-9)
        sites = np.stack(np.meshgrid(*[np.arange(m)] * 3, indexing="ij"),
                         -1).reshape(-1, 3)[rng.permutation(m**3)[:n]]
        return (sites + rng.uniform(0.3, 0.7, (n, 3))) / m @ cell

    def error(self, forces):
        off = np.asarray(forces, float).reshape(self.forces.shape) - self.forces
        return math.sqrt((off**2).sum() / (self.forces**2).sum())

    def pairs(self, cutoff):
        """Full lists i, j, shifts of all systems, by vesin, and seconds."""
        from vesin import NeighborList
        found = NeighborList(cutoff=cutoff, full_list=False)
        start = time.perf_counter()
        out = [found.compute(points=x, box=c, periodic=True, quantities="ijS")
               for x, c in zip(self.x, self.cells)]
        return out, time.perf_counter() - start


def splits(target):
    """Cutoffs with alpha and the largest wave number, for a split by Gaussians:
    both errors are near exp(-s^2)."""
    base = math.sqrt(-math.log(target))
    for rc, a, k in itertools.product(CUTOFFS, PARTS, PARTS):
        alpha = base * a / rc
        yield rc, alpha, 2 * alpha * base * k


class Farsum:
    def __init__(self, a):
        self.a, self.version = a, farsum.__version__
        self.torch = None
        if a.device != "cpu":
            import torch
            self.torch = torch

    def settings(self, batch, target):
        for part in (4, 2.8, 2, 1.4, 1, 0.7, 0.5, 0.25):
            yield f"tolerance {part * target:.3g}", part * target

    def prepare(self, batch, tolerance):
        kind = np.float32 if self.a.precision == "f32" else np.float64
        x, q = (v.reshape(-1, *v.shape[2:]).astype(kind)
                for v in (batch.x, batch.q))
        if self.torch:
            x, q = (self.torch.as_tensor(v, device=self.a.device)
                    for v in (x, q))

        def one():
            return farsum.coulomb_batch(
                x, q, batch.cells, ptr=batch.ptr, tolerance=tolerance,
                outputs="field energy", threads=self.a.threads).forces
        self.one = one
        return 0.0

    def forces(self):
        f = self.one()
        return f.cpu().numpy() if self.torch else f

    def wait(self, _):
        if self.torch:
            self.torch.cuda.synchronize()


class Torch:
    """Common to the peers that use PyTorch."""

    def __init__(self, a):
        import torch
        self.a, self.torch = a, torch
        torch.set_num_threads(a.threads)
        self.real = torch.float32 if a.precision == "f32" else torch.float64

    def there(self, v, kind=None):
        return self.torch.as_tensor(np.ascontiguousarray(v), device=self.a.device,
                                    dtype=kind or self.real)

    def forces(self):
        return self.one().detach().cpu().double().numpy()

    def wait(self, _):
        if self.a.device != "cpu":
            self.torch.cuda.synchronize()

    def capture(self):
        """Replaces `one` by the replay of a graph, if it can be captured."""
        t, one = self.torch, self.one
        side = t.cuda.Stream()
        with t.cuda.stream(side):
            for _ in range(2):
                one()
        t.cuda.synchronize()
        graph = t.cuda.CUDAGraph()
        with t.cuda.graph(graph):
            found = one()

        def replay():
            graph.replay()
            return found
        self.one = replay


class TorchPME(Torch):
    def __init__(self, a):
        super().__init__(a)
        import torchpme
        self.pme = torchpme
        self.version = f"{torchpme.__version__} torch {self.torch.__version__}"

    def settings(self, batch, target):
        for rc, alpha, k in splits(target):
            yield (f"ewald cutoff {rc:g} alpha {alpha:.4g} k {k:.4g}",
                   ("ewald", rc, alpha, k))
            if batch.n >= 200:  # a mesh of two points per wave
                for nodes in (4, 6):
                    yield (f"pme cutoff {rc:g} alpha {alpha:.4g} spacing "
                           f"{math.pi / k:.4g} nodes {nodes}",
                           (nodes, rc, alpha, math.pi / k))

    def prepare(self, batch, how):
        kind, rc, alpha, size = how
        lists, seconds = batch.pairs(rc)
        potential = self.pme.CoulombPotential(
            smearing=1 / (math.sqrt(2) * alpha))
        if kind == "ewald":
            sum_ = self.pme.EwaldCalculator(potential,
                                            lr_wavelength=2 * math.pi / size)
        else:
            sum_ = self.pme.PMECalculator(potential, mesh_spacing=size,
                                          interpolation_nodes=kind)
        self.sum = sum_.to(device=self.a.device, dtype=self.real)
        self.q, self.cells = self.there(batch.q), self.there(batch.cells)
        self.x = self.there(batch.x).requires_grad_(True)
        if kind == "ewald":
            self.padded(batch, lists, size)
        else:
            self.looped(batch, lists)
        return seconds

    def energy(self, x, q, cell, pairs, shift, **more):
        d = x[pairs[:, 1]] - x[pairs[:, 0]] + shift @ cell
        v = self.sum(q[:, None], cell, x, pairs,
                     self.torch.linalg.norm(d, dim=1), **more)
        return (q[:, None] * v).sum()

    def slope(self, energy):
        return -self.torch.autograd.grad(energy, self.x)[0]

    def looped(self, batch, lists):
        each = [(self.there(np.stack([i, j], 1), self.torch.int64),
                 self.there(shift)) for i, j, shift in lists]

        def one():
            return self.slope(sum(
                self.energy(self.x[s], self.q[s], self.cells[s], *each[s])
                for s in range(batch.systems)))
        self.one = one

    def padded(self, batch, lists, k):
        most = max(len(i) for i, _, _ in lists)
        pairs = np.zeros((batch.systems, most, 2), np.int64)
        shifts = np.full((batch.systems, most, 3), 9.0)  # padding is far off
        mask = np.zeros((batch.systems, most), bool)
        for s, (i, j, shift) in enumerate(lists):
            pairs[s, :len(i)] = np.stack([i, j], 1)
            shifts[s, :len(i)], mask[s, :len(i)] = shift, True
        waves = [half_waves(c, k) for c in batch.cells]
        vectors = np.zeros((batch.systems, max(map(len, waves)), 3))
        for s, w in enumerate(waves):
            vectors[s, :len(w)] = w  # a zero vector adds nothing
        given = (self.there(pairs, self.torch.int64), self.there(shifts),
                 self.there(mask, self.torch.bool), self.there(vectors))

        def energy(x, q, cell, pairs, shift, mask, kvectors):
            return self.energy(x, q, cell, pairs, shift, pair_mask=mask,
                               kvectors=kvectors)
        many = self.torch.vmap(energy)

        def one():
            return self.slope(many(self.x, self.q, self.cells, *given).sum())
        self.one = one


def half_waves(cell, k):
    """All wave vectors up to k, as torch-pme makes them, except zero."""
    inverse = 2 * math.pi * np.linalg.inv(cell).T
    most = [int(k * np.linalg.norm(row) / (2 * math.pi)) + 1 for row in cell]
    m = np.stack(np.meshgrid(*[np.arange(-n, n + 1) for n in most],
                             indexing="ij"), -1).reshape(-1, 3)
    w = m @ inverse
    size = np.linalg.norm(w, axis=1)
    return w[(size > 0) & (size <= k)]


class JaxPME:
    def __init__(self, a):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jaxpme
        from jaxpme.batched_mixed.calculators import Ewald
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
        self.a, self.jax, self.sum = a, jax, Ewald(prefactor=1.0)
        self.version = f"{jaxpme.__version__} jax {jax.__version__}"

    def settings(self, batch, target):
        for rc, alpha, k in splits(target):
            k *= 1.5  # its grid ends below the wave number that it is given
            yield (f"ewald cutoff {rc:g} alpha {alpha:.4g} k {k:.4g}",
                   (rc, alpha, k))

    def prepare(self, batch, how):
        from ase import Atoms
        rc, alpha, k = how
        many = [Atoms(["H"] * batch.n, positions=x, cell=c, pbc=True, charges=q)
                for x, c, q in zip(batch.x, batch.cells, batch.q)]
        start = time.perf_counter()
        given = self.sum.prepare(many, cutoff=rc, lr_wavelength=2 * math.pi / k,
                                 smearing=1 / (math.sqrt(2) * alpha))
        seconds = time.perf_counter() - start
        if self.a.precision == "f32":
            given = self.jax.tree.map(
                lambda v: v.astype(np.float32) if v.dtype == np.float64 else v,
                given)
        given = self.jax.device_put(given)
        run = self.jax.jit(self.sum.energy_forces)
        self.one = lambda: run(*given)[1]
        self.count = batch.n * batch.systems
        return seconds

    def forces(self):
        return np.asarray(self.one(), float)[:self.count]

    def wait(self, last):
        last.block_until_ready()


class NVAlchemi(Torch):
    def __init__(self, a):
        super().__init__(a)
        import warp
        from importlib.metadata import version
        from nvalchemiops.torch import neighbors
        from nvalchemiops.torch.interactions import electrostatics
        warp.config.quiet = True
        self.el, self.list = electrostatics, neighbors.neighbor_list
        self.version = f"{version('nvalchemi-toolkit-ops')} warp {warp.__version__}"

    def settings(self, batch, target):
        edge = max(np.linalg.norm(batch.cells, axis=2).max(), 1)
        for rc, alpha, k in splits(target):
            yield (f"ewald cutoff {rc:g} alpha {alpha:.4g} k {k:.4g}",
                   (0, rc, alpha, k))
            if batch.n >= 200:
                for order in (4, 6):
                    mesh = 2 ** math.ceil(math.log2(edge * k / math.pi))
                    yield (f"pme cutoff {rc:g} alpha {alpha:.4g} mesh {mesh} "
                           f"order {order}", (order, rc, alpha, mesh))

    def prepare(self, batch, how):
        t, (order, rc, alpha, size) = self.torch, how
        x = self.there(batch.x.reshape(-1, 3))
        q, cells = self.there(batch.q.reshape(-1)), self.there(batch.cells)
        index = self.there(np.repeat(np.arange(batch.systems), batch.n), t.int32)
        ptr = self.there(batch.ptr, t.int32)
        pbc = t.ones(batch.systems, 3, dtype=t.bool, device=self.a.device)

        def neighbours():
            return self.list(x, rc, cell=cells, pbc=pbc, batch_idx=index,
                             batch_ptr=ptr, max_neighbors=32 + int(
                                 1.6 * 4 / 3 * math.pi * rc**3))
        neighbours()
        self.wait(None)
        start = time.perf_counter()
        matrix, count, shifts = neighbours()
        self.wait(None)
        seconds = time.perf_counter() - start
        if int(count.max()) > matrix.shape[1]:
            raise RuntimeError("more neighbours than the matrix holds")
        given = dict(alpha=self.there(np.full(batch.systems, alpha)),
                     batch_idx=index, neighbor_matrix=matrix,
                     neighbor_matrix_shifts=shifts, compute_forces=True)
        if order:
            given.update(mesh_dimensions=(size,) * 3, spline_order=order)
            self.one = lambda: self.el.particle_mesh_ewald(x, q, cells,
                                                           **given)[1]
        else:
            waves = self.el.generate_k_vectors_ewald_summation(cells, size)
            given["k_vectors"] = waves
            self.one = lambda: self.el.ewald_summation(x, q, cells, **given)[1]
        return seconds


PEERS = {"farsum": Farsum, "torch-pme": TorchPME, "jax-pme": JaxPME,
         "nvalchemi": NVAlchemi}


def seconds_of(peer, least):
    """The least time of an evaluation, over three runs of `least` seconds."""
    peer.wait(peer.one())
    best, count = math.inf, 1
    for _ in range(4):
        start = time.perf_counter()
        for _ in range(count):
            last = peer.one()
        peer.wait(last)
        best = min(best, (time.perf_counter() - start) / count)
        count = max(1, min(1000, int(least / 3 / best)))
    return best


def fastest(a, peer, batch, target):
    """(seconds, name, error, seconds of lists) of the best settings, or None."""
    found = []
    for name, how in peer.settings(batch, target):
        try:
            listed = peer.prepare(batch, how)
            error = batch.error(peer.forces())
            if error <= target:
                found.append((seconds_of(peer, a.seconds / 10), name, how,
                              False))
                if a.graphs and hasattr(peer, "capture"):
                    peer.capture()
                    if batch.error(peer.forces()) <= target:
                        found.append((seconds_of(peer, a.seconds / 10), name,
                                      how, True))
        except Exception as fault:  # such as out of memory; others go on
            print(f"# {name}: {str(fault)[:200]}", file=sys.stderr, flush=True)
        if len(found) >= a.enough:
            break
    if not found:
        return None
    _, name, how, graph = min(found, key=lambda v: v[0])
    listed = peer.prepare(batch, how)
    if graph:
        peer.capture()
        name += " graph"
    error = batch.error(peer.forces())
    return seconds_of(peer, a.seconds), name, error, listed


def finished(a):
    if not os.path.exists(a.out):
        return set()
    with open(a.out) as f:
        lines = f.read().splitlines()
    rows = {tuple(r[k] for k in ("peer", "device", "precision", "systems",
                                 "atoms", "target"))
            for r in csv.DictReader(v for v in lines if v[0] != "#")}
    return rows | {tuple(v.split()[2:]) for v in lines if v[0] == "#"}


def write(a, key, peer, batch, found):
    if found is None:
        with open(a.out, "a") as f:
            f.write("# none " + " ".join(key) + "\n")
        return
    seconds, name, error, listed = found
    row = dict(zip(("peer", "device", "precision", "systems", "atoms", "target"),
                   key), version=peer.version, measured="%.3g" % error,
               settings=name, step_ms="%.5g" % (1e3 * seconds),
               us_per_system="%.4g" % (1e6 * seconds / batch.systems),
               list_ms="%.4g" % (1e3 * listed))
    with open(a.out, "a", newline="") as f:
        w = csv.DictWriter(f, COLUMNS, lineterminator="\n")
        if f.tell() == 0:
            w.writeheader()
        w.writerow(row)
    print(row, flush=True)


def main():
    global CUTOFFS, PARTS
    def numbers(kind):
        return lambda text: [kind(v) for v in text.split(",")]
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--out", required=True)
    p.add_argument("--device", default="cpu", help="cpu or cuda")
    p.add_argument("--precision", choices=("f32", "f64"), default="f64")
    p.add_argument("--peers", type=numbers(str), default=list(PEERS))
    p.add_argument("--systems", type=numbers(int), default=[1, 8, 64, 512])
    p.add_argument("--atoms", type=numbers(int),
                   default=[20, 60, 200, 600, 2000, 5000])
    p.add_argument("--targets", type=numbers(float), default=[1e-3, 1e-5])
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--largest", type=int, default=2000000,
                   help="atoms in a batch")
    p.add_argument("--enough", type=int, default=1000,
                   help="settings that meet the target, then the scan ends")
    p.add_argument("--seconds", type=float, default=0.6)
    p.add_argument("--cutoffs", type=numbers(float), default=CUTOFFS)
    p.add_argument("--parts", type=numbers(float), default=PARTS)
    p.add_argument("--graphs", action="store_true")
    p.add_argument("--minutes", type=float, default=1e9)
    a = p.parse_args()
    CUTOFFS, PARTS = a.cutoffs, a.parts
    end = time.time() + 60 * a.minutes
    done = finished(a)
    peers = {name: PEERS[name](a) for name in a.peers}
    for n, systems in itertools.product(a.atoms, a.systems):
        keys = {(name, a.device, a.precision, str(systems), str(n), f"{t:g}"):
                (name, t) for name in a.peers for t in a.targets}
        keys = {k: v for k, v in keys.items() if k not in done}
        if not keys or n * systems > a.largest:
            continue
        batch = Batch(systems, n)
        for key, (name, target) in keys.items():
            if time.time() > end:
                return
            write(a, key, peers[name], batch,
                  fastest(a, peers[name], batch, target))


if __name__ == "__main__":
    main()
