# SPDX-License-Identifier: Apache-2.0
"""The virial of each atom: against farsum's ewald, over ranks, beside the pairs
of lj/cut/coul/farsum, against LAMMPS' own pppm and ewald."""

import numpy as np
import pytest

import farsum
from conftest import (BEGIN, SUMS, chains, chains_script, differences, launch,
                      salt)

STRESS = """
compute s all stress/atom NULL kspace
compute all all reduce sum c_s[1] c_s[2] c_s[3] c_s[4] c_s[5] c_s[6]
thermo_style custom step pe c_all[1] c_all[2] c_all[3] c_all[4] c_all[5] c_all[6]
pair_modify compute no
run 0
"""
ALL_PARTS = STRESS.replace("NULL kspace", "NULL pair kspace").replace(
    "pair_modify compute no", "")


def virials(lmp, text=STRESS):
    """Of the atoms, xx yy zz xy xz yz: minus stress times volume."""
    lmp.commands_string(text)
    n = lmp.lmp.get_natoms()
    order = np.argsort(lmp.lmp.numpy.extract_atom("id")[:n])
    s = lmp.lmp.numpy.extract_compute("s", 1, 2)[:n][order].copy()
    return -s / lmp.lmp.extract_global("nktv2p")


def shares(box, constant, special=(1, 1, 1), **options):
    pairs, factors = box.special(special)
    r = farsum.coulomb(box.x, box.q, cell=box.cell, tolerance=1e-12,
                       outputs="particle_virial virial", method="ewald",
                       exclude=pairs if len(pairs) else None,
                       factors=factors if len(pairs) else None, **options)
    w = constant * np.asarray(r.particle_virial).reshape(-1, 9)
    return w[:, [0, 4, 8, 1, 2, 5]]


@pytest.mark.parametrize("make, special", [
    (lambda: salt(tilt=(5, -4, 6)), (1, 1, 1)),
    (lambda: chains(length=4, tilt=(-7, 3, 4)), (0, 0.25, 0.5))])
def test_equals_ewald(run, make, special):
    box = make()
    lmp = run(box, special, accuracy=1e-12)
    want = shares(box, lmp.constant, special)
    assert max(differences([virials(lmp)], [want])) < 1e-8


def test_sum_is_the_virial(run):
    box = salt(tilt=(5, -4, 6))
    lmp = run(box, accuracy=1e-8)
    each = virials(lmp)
    total = run(box, accuracy=1e-8).kspace()[2]
    total = total[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    assert max(differences([each.sum(0)], [total])) < 1e-7


def test_far_part(run):
    """With LAMMPS' near pairs all parts together are the same as without."""
    box = chains(length=4, tilt=(-7, 3, 4))
    one = virials(run(box, (0, 0.25, 0.5), accuracy=1e-10), ALL_PARTS)
    two = virials(run(box, (0, 0.25, 0.5), accuracy=1e-10,
                      pair="lj/cut/coul/farsum 6.0 6.0"), ALL_PARTS)
    assert max(differences([two], [one])) < 1e-6


@pytest.mark.parametrize("style", ["ewald", "pppm"])
def test_equals_lammps(run, style):
    """LAMMPS' own solvers, with their near pairs, have the same virial of each
    atom."""
    box = salt(8, tilt=(5, -4, 6))
    got = virials(run(box, accuracy=1e-7), ALL_PARTS)
    lmp = run(box, accuracy=1e-6, pair="lj/cut/coul/long 6.0",
              sums=SUMS.replace("farsum", style))
    want = virials(lmp, ALL_PARTS)
    assert max(differences([got, got.sum(0)], [want, want.sum(0)])) < 5e-5
    trace = [w[:, :3].sum() for w in (got, want)]
    assert abs(trace[0] / trace[1] - 1) < 5e-5


def test_dispersion(run):
    """Of both sums."""
    box = salt()
    sums = (SUMS.replace("farsum {accuracy}", "farsum/disp {accuracy}")
            + "kspace_modify farsum c6 1 900 c6 2 2500\n")
    lmp = run(box, accuracy=1e-10, sums=sums)
    r = farsum.r6(box.x, np.where(box.types == 1, 30.0, 50.0), cell=box.cell,
                  tolerance=1e-12, outputs="particle_virial", method="ewald")
    each = -np.asarray(r.particle_virial).reshape(-1, 9)[:, [0, 4, 8, 1, 2, 5]]
    want = shares(box, lmp.constant) + each
    assert max(differences([virials(lmp)], [want])) < 1e-7


def test_open_box(run):
    """By method direct only, which the input must name."""
    box = salt(4)
    lmp = run(box, accuracy=1e-10, begin="boundary f f f\n" + BEGIN,
              sums=SUMS + "kspace_modify farsum method direct\n")
    r = farsum.coulomb(box.x, box.q, outputs="particle_virial",
                       method="direct")
    want = lmp.constant * np.asarray(r.particle_virial).reshape(-1, 9)
    want = want[:, [0, 4, 8, 1, 2, 5]]
    assert max(differences([virials(lmp)], [want])) < 1e-10


def test_later_and_other_boxes(run):
    """Asked for between two runs; the plan follows the box."""
    box = salt()
    lmp = run(box, accuracy=1e-10)
    lmp.commands_string("run 0\nchange_box all x scale 1.01 remap")
    each = virials(lmp)
    lo, hi = lmp.lmp.extract_box()[:2]
    n = lmp.lmp.get_natoms()
    order = np.argsort(lmp.lmp.numpy.extract_atom("id")[:n])
    box.x = lmp.lmp.numpy.extract_atom("x")[:n][order].copy()
    box.cell = np.diag(np.array(hi) - np.array(lo))
    assert max(differences([each], [shares(box, lmp.constant)])) < 1e-7


def test_ranks(tmp_path):
    chains().write(tmp_path / "data")
    script = (chains_script() + "kspace_modify farsum method spectral cutoff 5.5"
              " bandwidth 24 support 12\nkspace_modify mesh 48 40 40\n" + STRESS
              + "write_dump all custom dump id c_s[1] c_s[2] c_s[3] c_s[4]"
              " c_s[5] c_s[6] modify sort id format float %.17g\n")
    found = []
    for ranks in (1, 2, 3):
        done = launch(ranks, script, tmp_path)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        found.append(np.loadtxt(tmp_path / "dump", skiprows=9)[:, 1:])
    assert max(differences(found[1:], [found[0]] * 2)) < 1e-12
