# SPDX-License-Identifier: Apache-2.0
"""The calculator for ASE."""

import os
import subprocess
import sys

import numpy as np
import pytest

import farsum
from conftest import ROOT

pytest.importorskip("ase")
from ase import Atoms  # noqa: E402
from ase.build import bulk  # noqa: E402
from ase.calculators.calculator import (  # noqa: E402
    PropertyNotImplementedError)
from ase.calculators import fd  # noqa: E402
from ase.calculators.lj import LennardJones  # noqa: E402
from ase.calculators.mixing import SumCalculator  # noqa: E402

from farsum.ase import Coulomb  # noqa: E402


@pytest.fixture
def salt():
    atoms = bulk("NaCl", "rocksalt", a=5.64, cubic=True)
    atoms.set_initial_charges([1 if s == "Na" else -1 for s in atoms.symbols])
    return atoms


def test_madelung(salt):
    salt.calc = Coulomb(tolerance=1e-8)
    pair = -1.74756459463318 * farsum.UNITS["metal"] / 2.82
    assert salt.get_potential_energy() == pytest.approx(4 * pair, rel=1e-7)
    assert salt.get_potential_energies() == pytest.approx(
        np.full(8, pair / 2), rel=1e-6)


def test_forces_and_stress_are_derivatives(salt):
    salt.rattle(0.1, seed=3)
    salt.set_cell(salt.cell[:] + [[0, 0, 0], [0.4, 0, 0], [0, -0.3, 0.2]],
                  scale_atoms=True)
    salt.calc = Coulomb(tolerance=1e-10)
    assert salt.get_forces()[2] == pytest.approx(
        fd.calculate_numerical_forces(salt, 1e-4, [2])[0], abs=1e-5)
    assert salt.get_stress() == pytest.approx(
        fd.calculate_numerical_stress(salt, 1e-4), abs=1e-6)


def test_charges(salt):
    base = salt.get_initial_charges()
    salt.calc = Coulomb()
    one = salt.get_potential_energy()
    salt.calc = Coulomb(charges=lambda atoms: 2 * base)
    assert salt.get_potential_energy() == pytest.approx(4 * one)
    salt.calc = Coulomb(charges=3 * base)
    assert salt.get_potential_energy() == pytest.approx(9 * one)


def test_with_a_short_range_potential(salt):
    both = SumCalculator([LennardJones(sigma=2.3, epsilon=0.01, rc=5.0),
                          Coulomb()])
    salt.calc = both
    whole = salt.get_potential_energy()
    salt.calc = Coulomb()
    assert whole != pytest.approx(salt.get_potential_energy())
    assert both.get_property("stress", salt).shape == (6,)


def test_open_space():
    pair = Atoms("NaCl", [(0, 0, 0), (0, 0, 3)])
    pair.set_initial_charges([1, -1])
    pair.calc = Coulomb()
    assert pair.get_potential_energy() == pytest.approx(
        -farsum.UNITS["metal"] / 3)
    with pytest.raises(PropertyNotImplementedError):
        pair.get_stress()


def test_slab_of_known_energy():
    """A square lattice of alternating charges; no third cell vector."""
    layer = Atoms("NaClClNa", [(0, 0, 0), (2, 0, 0), (0, 2, 0), (2, 2, 0)],
                  cell=[[4, 0, 0], [0, 4, 0], [0, 0, 0]], pbc=(1, 1, 0))
    layer.set_initial_charges([1, -1, -1, 1])
    layer.calc = Coulomb(tolerance=1e-9, method="ewald")
    assert layer.get_potential_energy() == pytest.approx(
        -1.6155426267128 * farsum.UNITS["metal"], rel=1e-9)


@pytest.mark.parametrize("pbc", [(1, 1, 0), (1, 0, 1), (0, 1, 1), (0, 0, 1)])
def test_forces_and_stress_of_open_axes(salt, pbc):
    salt.rattle(0.1, seed=3)
    salt.pbc = pbc
    salt.calc = Coulomb(tolerance=1e-10)
    assert salt.get_forces()[2] == pytest.approx(
        fd.calculate_numerical_forces(salt, 1e-4, [2])[0], abs=1e-5)
    assert salt.get_stress() == pytest.approx(
        fd.calculate_numerical_stress(salt, 1e-4), abs=1e-6)
    assert sum(salt.get_potential_energies()) == pytest.approx(
        salt.get_potential_energy())


def test_atoms_that_leave_a_layer(salt):
    """A kept plan sums up to some thickness; then a new one serves."""
    salt.pbc = (1, 1, 0)
    for height in (0, 2, 30, 300):
        salt.positions[1, 2] += height
        salt.calc = Coulomb(tolerance=1e-8)
        one = salt.get_potential_energy()
        salt.calc = Coulomb(tolerance=1e-10, method="ewald")
        assert one == pytest.approx(salt.get_potential_energy(), rel=1e-7)


def test_the_driver_for_ipi(salt, tmp_path):
    """ASE's server speaks i-PI's protocol; the example is its client."""
    from ase.calculators.socketio import SocketIOCalculator
    salt.rattle(0.1, seed=1)
    start = tmp_path / "start.xyz"
    salt.write(start, format="extxyz")
    name = f"farsum_{os.getpid()}"

    def launch(atoms, properties, port, unixsocket):
        return subprocess.Popen([sys.executable, "-B", str(
            ROOT / "examples" / "python" / "ipi.py"), str(start), name])

    moved = salt.copy()
    moved.rattle(0.05, seed=2)
    moved.set_cell(moved.cell[:] * 1.01, scale_atoms=True)
    with SocketIOCalculator(unixsocket=name, timeout=60,
                            launch_client=launch) as server:
        for atoms in (salt, moved):
            right = atoms.copy()
            right.calc = Coulomb(tolerance=1e-6)
            atoms.calc = server
            assert atoms.get_potential_energy() == pytest.approx(
                right.get_potential_energy(), rel=1e-6)
            assert atoms.get_forces() == pytest.approx(right.get_forces(),
                                                       abs=1e-5)
            assert atoms.get_stress() == pytest.approx(right.get_stress(),
                                                       abs=1e-6)
