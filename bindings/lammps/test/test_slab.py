# SPDX-License-Identifier: Apache-2.0
"""One and two periodic axes: against farsum's ewald, and for slabs against LAMMPS'
own sum."""

import ctypes

import numpy as np
import pytest

from conftest import BEGIN, SUMS, chains, differences, salt

SLAB = SUMS + "kspace_modify slab 3.0\n"
# boundary, and the axes of the reference
SIDES = {"p p f": (1, 1, 0), "p f p": (1, 0, 1), "f p p": (0, 1, 1),
         "f f p": (0, 0, 1), "f p f": (0, 1, 0), "p f f": (1, 0, 0)}


def layer(make, axes=(2,), **arguments):
    """Atoms in the middle of a box that is three times as long as they."""
    box = make(**arguments)
    for axis in axes:
        edge = box.cell[axis, axis]
        box.x[:, axis] += edge
        box.cell[axis, axis] = 3 * edge
    return box


def begin(boundary):
    return f"boundary {boundary}\n" + BEGIN


@pytest.mark.parametrize("make, arguments, special", [
    (salt, {}, (1, 1, 1)),
    (salt, {"n": 4, "tilt": (3, 0, 0)}, (1, 1, 1)),
    (chains, {"length": 3}, (0, 0, 0.5)),
])
def test_equals_ewald(run, make, arguments, special):
    """The accuracy is that of forces; the virial's error is much larger."""
    box = layer(make, **arguments)
    lmp = run(box, special, accuracy=1e-11, begin=begin("p p f"), sums=SLAB)
    want = box.reference(lmp.constant, special, periodic=(1, 1, 0))
    assert max(differences(lmp.kspace(), want)) < 1e-7


@pytest.mark.parametrize("boundary", SIDES)
def test_axes(run, boundary):
    """One or two axes, also without kspace_modify slab."""
    box = layer(salt, np.flatnonzero(np.equal(SIDES[boundary], 0)), n=4)
    lmp = run(box, accuracy=1e-10, begin=begin(boundary))
    want = box.reference(lmp.constant, periodic=SIDES[boundary])
    assert max(differences(lmp.kspace(), want)) < 1e-7


def test_equals_slab_of_lammps(run):
    """Energy and forces of LAMMPS' ewald with a dipole correction.  It leaves
    images of the layer behind a vacuum of eight in-plane periods, so the forces
    differ by its accuracy."""
    box = layer(salt, n=4)
    box.q[0] += 0.5  # a dipole across
    box.q[1] -= 0.5
    lmp = run(box, accuracy=1e-9, begin=begin("p p f"), sums=SLAB)
    energy, forces = lmp.kspace()[:2]
    theirs = run(box, begin=begin("p p f"), pair="lj/cut/coul/long 4 9",
                 accuracy=1e-8, sums=SLAB.replace("farsum", "ewald")
                 + "pair_coeff * * 0 1\n")
    theirs.command("run 0")
    total = theirs.get_thermo("elong") + theirs.get_thermo("ecoul")
    order = np.argsort(theirs.lmp.numpy.extract_atom("id")[:box.n])
    want = theirs.lmp.numpy.extract_atom("f")[:box.n][order]
    assert energy == pytest.approx(total, rel=1e-6)
    assert np.abs(forces - want).max() < 1e-5 * np.abs(want).max()


def test_atoms_that_leave(run):
    """An atom far above the layer, where the plan's cell ends: a new plan."""
    box = layer(salt, n=4)
    lmp = run(box, accuracy=1e-10, begin=begin("p p s"), sums=SLAB)
    lmp.kspace()
    for height in (3, 40, 0.5):
        box.x[7, 2] += height
        lmp.lmp.scatter_atoms("x", 1, 3, np.ctypeslib.as_ctypes(
            np.ascontiguousarray(box.x).ravel()))
        lmp.command("run 0")
        want = box.reference(lmp.constant, periodic=(1, 1, 0))
        order = np.argsort(lmp.lmp.numpy.extract_atom("id")[:box.n])
        found = lmp.lmp.numpy.extract_atom("f")[:box.n][order]
        assert lmp.get_thermo("elong") == pytest.approx(want[0], rel=1e-7)
        assert np.abs(found - want[1]).max() < 1e-7 * np.abs(want[1]).max()


def test_pressure_along_the_layer(run):
    """fix npt changes the periodic edges; the plan follows."""
    box = layer(salt, n=4)
    lmp = run(box, accuracy=1e-10, begin=begin("p p f"), sums=SLAB)
    lmp.kspace()
    lmp.command("change_box all x scale 1.03 y scale 0.98 remap")
    lmp.command("run 0")
    scale = np.array([1.03, 0.98, 1])
    middle = np.array([box.cell[0, 0], box.cell[1, 1], 0]) / 2
    box.x = (box.x - middle) * scale + middle
    box.cell = box.cell * scale
    want = box.reference(lmp.constant, periodic=(1, 1, 0))
    assert lmp.get_thermo("elong") == pytest.approx(want[0], rel=1e-7)
