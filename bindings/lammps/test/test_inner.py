# SPDX-License-Identifier: Apache-2.0
"""The pair loop of lj/cut/coul/farsum against its pairs one by one, which
compute pe/atom requires."""

import numpy as np
import pytest

from conftest import BEGIN, chains, salt

PAIR = "lj/cut/coul/farsum 5.0 6.0"
# no Lennard-Jones; within the Coulomb cutoff; and beyond it
COEFF = """
pair_coeff 1 1 0 1
pair_coeff 1 2 0.05 2.5
pair_coeff 2 2 0.1 3.0 7.5
pair_modify shift yes
thermo_style custom step pe evdwl ecoul pxx pyy pzz pxy pxz pyz
"""
BOXES = {
    "salt": (salt, {}, (1, 1, 1)),
    "water": (chains, {"length": 3}, (0, 0, 0.5)),
    "chains": (chains, {"length": 4, "tilt": (-7, 3, 4)}, (0, 1, 0.8333)),
}


def results(lmp):
    n = lmp.get_natoms()
    order = np.argsort(lmp.numpy.extract_atom("id")[:n])
    return (lmp.numpy.extract_atom("f")[:n][order].copy(),
            np.array([lmp.get_thermo(w) for w in ("evdwl", "ecoul")]),
            np.array([lmp.get_thermo(w) for w in
                      ("pxx", "pyy", "pzz", "pxy", "pxz", "pyz")]))


def single_pairs(lmp):
    lmp.commands_string("compute each all pe/atom pair\nrun 0")
    got = results(lmp)
    each = lmp.numpy.extract_compute("each", 1, 1)[:lmp.get_natoms()]
    np.testing.assert_allclose(np.sum(each), np.sum(got[1]), rtol=1e-10)
    lmp.command("uncompute each")
    return got


def off(got, want):
    return max(np.max(np.abs(g - w)) / np.max(np.abs(w))
               for g, w in zip(got, want))


@pytest.mark.parametrize("name", BOXES)
@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_equals_single_pairs(run, monkeypatch, name, isa):
    """A higher instruction set than the machine's gives that of the machine."""
    monkeypatch.setenv("FARSUM_ISA", isa)
    make, arguments, special = BOXES[name]
    for accuracy in (1e-3, 1e-9):
        lmp = run(make(**arguments), special, accuracy=accuracy, pair=PAIR)
        lmp.commands_string(COEFF + "run 0")
        assert off(results(lmp), single_pairs(lmp)) < 1e-12


@pytest.mark.parametrize("isa", ["base", "avx2", "avx512"])
def test_f32(run, monkeypatch, isa):
    monkeypatch.setenv("FARSUM_ISA", isa)
    lmp = run(chains(length=3), (0, 0, 0.5), accuracy=1e-4, pair=PAIR)
    lmp.commands_string("kspace_modify farsum precision mixed\n" + COEFF
                        + "run 0")
    assert 1e-10 < off(results(lmp), single_pairs(lmp)) < 3e-5


def test_f32_far_from_zero(run):
    """f32 rounds distances, not the place of the box."""
    box = salt(noise=0.1)
    box.origin = 1e5
    lmp = run(box, accuracy=1e-4, pair=PAIR)
    lmp.commands_string("kspace_modify farsum precision mixed\n" + COEFF
                        + "run 0")
    assert 1e-10 < off(results(lmp), single_pairs(lmp)) < 3e-5


def test_f32_in_small_units(run):
    """sigma^12 is no number of f32: the pairs are summed in f64."""
    small = 1e-4
    begin = BEGIN.replace("units real", "units lj").replace(
        "neighbor 1.0", f"neighbor {small}").replace("0.05 2.5", "1e-3 2.5e-4")
    lmp = run(salt(edge=2.8 * small, noise=0.1 * small), accuracy=1e3,
              begin=begin, pair="lj/cut/coul/farsum 5e-4 6e-4")
    lmp.commands_string("kspace_modify farsum precision mixed\n"
                        "thermo_style custom step pe evdwl ecoul pxx pyy pzz "
                        "pxy pxz pyz\nthermo_modify norm no\nrun 0")
    assert off(results(lmp), single_pairs(lmp)) < 1e-10


MOVE = COEFF + """
velocity all create 1500 1 loop all
timestep 2
fix 1 all nve
"""


def test_moving(run):
    """Lists of earlier steps."""
    lmp = run(salt(noise=0.1), accuracy=1e-5, pair=PAIR)
    lmp.commands_string(MOVE + "thermo 7")
    for steps in (1, 5, 9, 14):
        lmp.command(f"run {steps}")
        got = results(lmp)
        assert off(got, single_pairs(lmp)) < 1e-10, steps


def test_newton_off(run):
    """Its energies are those of single pairs, but not its steps."""
    ends = []
    for newton in ("on", "off"):
        lmp = run(salt(noise=0.1), accuracy=1e-5, pair=PAIR,
                  begin=f"newton {newton}\n" + BEGIN)
        lmp.commands_string(MOVE + "thermo 100\nrun 20")
        ends.append(results(lmp))
    assert off(*ends) < 1e-8
