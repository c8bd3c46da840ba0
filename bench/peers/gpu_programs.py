# SPDX-License-Identifier: Apache-2.0
"""PME programs for GPUs behind one interface, for gpu_pme.py: input, one
evaluation of the forces, and a batch of evaluations with a wait at its end.
"""
import math
import os
import sys
import time

import numpy as np

import scan

LARGE = 2000000  # particles: from here a new context takes half a minute
POWERS = [2 ** k for k in range(3, 11)]  # sizes of torch-pme and jax-pme


class OpenMM:
    """Smooth PME, which has the fixed order 5.  bare: a step without forces."""
    variants = (("pme", (5,)),)
    precisions = {"f32": "single", "f64": "double"}
    sizes = scan.SIZES

    def __init__(self, device):
        import openmm
        self.mm = openmm
        self.version = openmm.__version__
        for fault in openmm.Platform.getPluginLoadFailures():
            print("# openmm: %s" % fault, file=sys.stderr)
        self.platform = openmm.Platform.getPlatformByName(
            {"cuda": "CUDA", "cpu": "Reference"}.get(device, device))
        self.cuda = device == "cuda"
        self.context = self.made = None

    def masses(self, system):
        made = self.mm.System()
        made.setDefaultPeriodicBoxVectors(*(system.cell / 10).tolist())
        for _ in range(system.n):
            made.addParticle(1.0)
        return made

    def program(self, system):
        """Particles and their force, made once per system: it is slow."""
        if self.made is None or self.made[0] is not system:
            force = self.mm.NonbondedForce()
            force.setNonbondedMethod(self.mm.NonbondedForce.PME)
            force.setUseDispersionCorrection(False)
            for q in system.charge.tolist():
                force.addParticle(q, 1.0, 0.0)
            masses = self.masses(system)
            masses.addForce(force)  # the system owns the force from here on
            self.made = system, masses, force
        return self.made[1:]

    def make(self, system, sys_, precision):
        mm = self.mm
        integrator = mm.VerletIntegrator(1e-9)
        more = {"Precision": self.precisions[precision]} if self.cuda else {}
        context = mm.Context(sys_, integrator, self.platform, more)
        context.setPositions(system.pos / 10)
        return context, integrator

    def prepare(self, system, s, mesh, precision):
        self.context = self.integrator = None  # frees the previous context
        self.groups = -1
        masses, force = self.program(system)
        force.setCutoffDistance(s["cutoff"] / 10)
        force.setPMEParameters(10 * s["alpha"], *mesh)
        self.context, self.integrator = self.make(system, masses, precision)
        return 0.0

    def forces(self):
        # From kJ/mol/nm, by OpenMM's own Coulomb constant.
        f = self.context.getState(getForces=True).getForces(asNumpy=True)
        return np.array(f._value) / 138.93545764438198 / 100

    def steps(self, count):
        if count > 1:
            self.integrator.step(count - 1)
        # Evaluates once more and waits.
        self.context.getState(getEnergy=True, groups=self.groups)

    def bare(self, system, precision, least):
        """Seconds of a step without forces; `least` measures them."""
        if system.n > LARGE:
            self.groups = 0
            self.integrator.setIntegrationForceGroups(0)
        else:
            self.context = self.integrator = None
            self.context, self.integrator = self.make(
                system, self.masses(system), precision)
        return least(self)


def pair_list(system, cutoff):
    """i, j and shifts of a half list, and the seconds to build it."""
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
        # The mesh is the next power of two from 2 ceil(L / spacing) + 1 on.
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
    """Uses full precision for matrix products.  JAX's default on such GPUs is
    TF32, which loses the last digits of the forces."""
    variants = (("pme", (4,)), ("p3m", (4, 5)))
    sizes = POWERS

    def __init__(self, device):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        import jax
        import jaxpme
        jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", "highest")
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


class NVAlchemi:
    """Direct forces, its fastest, with its own neighbour matrix.  Data that
    depends only on the cell and the mesh is computed before.
    graph: a step is captured once and replayed."""
    variants = (("pme", (4, 5, 6)), ("pme graph", (4, 5, 6)))
    sizes = scan.SIZES

    def __init__(self, device):
        import torch
        import warp
        from importlib.metadata import version
        from nvalchemiops.torch import neighbors
        from nvalchemiops.torch.interactions import electrostatics
        from nvalchemiops.torch.interactions.electrostatics import pme
        warp.config.quiet = True
        self.torch, self.el, self.pme = torch, electrostatics, pme
        self.list = neighbors.neighbor_list
        self.version = "%s, warp %s" % (version("nvalchemi-toolkit-ops"),
                                        warp.__version__)
        self.device = torch.device(device)

    def wait(self):
        if self.device.type == "cuda":
            self.torch.cuda.synchronize()

    def neighbours(self, cutoff):
        return self.list(
            self.x, cutoff, cell=self.cell, method="cell_list",
            pbc=self.torch.ones(1, 3, dtype=self.torch.bool,
                                device=self.device),
            max_neighbors=int(1.25 * 4 / 3 * math.pi * cutoff ** 3
                              * self.density) + 32)

    def prepare(self, system, s, mesh, precision):
        t = self.torch
        real = t.float32 if precision == "f32" else t.float64
        self.density = system.n / system.volume

        def there(a):
            return t.as_tensor(np.ascontiguousarray(a), dtype=real,
                               device=self.device)
        self.x, self.q = there(system.pos), there(system.charge)
        self.cell = there(system.cell)[None]
        self.neighbours(s["cutoff"])
        self.wait()
        start = time.time()
        matrix, count, shifts = self.neighbours(s["cutoff"])
        self.wait()
        seconds = time.time() - start
        if int(count.max()) > matrix.shape[1]:
            raise RuntimeError("more neighbours than the matrix holds")
        k, k2 = self.el.generate_k_vectors_pme(self.cell, tuple(mesh))
        alpha = there(np.array([s["alpha"]]))
        axes = [t.fft.fftfreq(m, 1 / m, device=self.device, dtype=real)
                for m in mesh[:2]]
        axes.append(t.fft.rfftfreq(mesh[2], 1 / mesh[2], device=self.device,
                                   dtype=real))
        moduli = [self.pme.compute_bspline_moduli_1d(m, n, s["order"])
                  for m, n in zip(axes, mesh)]
        inverse = t.linalg.inv(self.cell[0]).T.contiguous()[None]
        volume = t.linalg.det(self.cell).abs()

        def one():
            near = self.el.ewald_real_space(
                self.x, self.q, self.cell, alpha, neighbor_matrix=matrix,
                neighbor_matrix_shifts=shifts, compute_forces=True)[1]
            far = self.el.pme_reciprocal_space(
                self.x, self.q, self.cell, alpha, mesh_dimensions=tuple(mesh),
                spline_order=s["order"], k_vectors=k, k_squared=k2,
                compute_forces=True, cell_inv_t=inverse, volume=volume,
                moduli_x=moduli[0], moduli_y=moduli[1], moduli_z=moduli[2])[1]
            return near + far
        self.one = one
        if s["variant"] == "pme graph" and self.device.type == "cuda":
            self.captured(one)
        return seconds

    def captured(self, one):
        t = self.torch
        side = t.cuda.Stream()
        with t.cuda.stream(side):
            for _ in range(3):
                one()
        self.wait()
        graph = t.cuda.CUDAGraph()
        with t.cuda.graph(graph):
            out = one()

        def again():
            graph.replay()
            return out
        self.one = again

    def forces(self):
        return self.one().detach().cpu().double().numpy()

    def steps(self, count):
        for _ in range(count):
            self.one()
        self.wait()


PEERS = {"openmm": OpenMM, "torch-pme": TorchPME, "jax-pme": JaxPME,
         "nvalchemi": NVAlchemi}
