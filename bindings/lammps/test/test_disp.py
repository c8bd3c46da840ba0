# SPDX-License-Identifier: Apache-2.0
"""kspace_style farsum/disp: Coulomb and -sqrt(C_i C_j) / r^6."""

import numpy as np
import pytest

from conftest import BEGIN, SUMS, chains, differences, salt

DISP = SUMS.replace("farsum {accuracy}", "farsum/disp {accuracy}") + """
kspace_modify farsum c6 1 900 c6 2 2500
"""


def reference(box, constant, special, charges=True):
    """Of both kernels by farsum's ewald."""
    root = np.where(box.types == 1, 30.0, 50.0)
    parts = [box.reference(-1.0, special, root, "r6")]
    if charges:
        parts.append(box.reference(constant, special))
    return [sum(part) for part in zip(*parts)]


@pytest.mark.parametrize("name, box, special", [
    ("salt", salt(), (1, 1, 1)),
    ("tilted", salt(tilt=(5, -4, 6)), (1, 1, 1)),
    ("chains", chains(), (0, 0, 0.5)),
])
def test_equals_ewald(run, name, box, special):
    lmp = run(box, special, accuracy=1e-10, sums=DISP)
    want = reference(box, lmp.constant, special)
    assert max(differences(lmp.kspace(), want)) < 1e-7


def test_special_bonds_of_lj(run):
    """Dispersion follows special_lj, Coulomb special_coul."""
    box, coul, lj = chains(), (0, 0, 0.5), (0.2, 0.4, 1)
    lmp = run(box, coul, accuracy=1e-10, sums=DISP)
    lmp.command("special_bonds lj %g %g %g coul %g %g %g" % (*lj, *coul))
    want = [a + b for a, b in zip(
        box.reference(lmp.constant, coul),
        box.reference(-1.0, lj, np.where(box.types == 1, 30.0, 50.0), "r6"))]
    assert max(differences(lmp.kspace(), want)) < 1e-7


def test_without_charges(run):
    """Atoms may have no charges."""
    box = salt()
    create = "".join(f"create_atoms {t} single {x:.17g} {y:.17g} {z:.17g}\n"
                     for t, (x, y, z) in zip(box.types, box.x))
    begin = ("units real\natom_modify map yes\n"
             f"region box block 0 {box.cell[0, 0]:.17g} 0 "
             f"{box.cell[1, 1]:.17g} 0 {box.cell[2, 2]:.17g}\n"
             "create_box 2 box\nmass * 20\npair_style {pair}\n"
             "pair_coeff * * 0 1\n" + create)
    lmp = run(box, accuracy=1e-10, begin=begin, sums=DISP)
    want = reference(box, 0, (1, 1, 1), charges=False)
    assert max(differences(lmp.kspace(), want)) < 1e-7


def test_two_atoms(run):
    """4 epsilon sigma^6 / r^6 is what a pair of Lennard-Jones attracts by."""
    box = salt(2)
    box.x, box.q, box.types = (box.x[:2] * 0 + [[1, 1, 1], [1, 1, 4.0]],
                               np.zeros(2), np.array([1, 1]))
    box.n = 2
    lmp = run(box, accuracy=1e-9, begin="boundary f f f\n" + BEGIN,
              sums=SUMS.replace("farsum {", "farsum/disp {"))
    lmp.command("kspace_modify farsum c6 * %.17g" % (4 * 0.2 * 2.5**6))
    energy, forces = lmp.kspace()[:2]
    assert energy == pytest.approx(-4 * 0.2 * (2.5 / 3)**6, rel=1e-6)
    assert forces[0, 2] == pytest.approx(6 * 4 * 0.2 * (2.5 / 3)**6 / 3,
                                         rel=1e-6)


@pytest.mark.parametrize("line, words", [
    ("run 0", "c6 of type 1"),
    ("kspace_modify farsum c6 1 900\nrun 0", "c6 of type 2"),
    ("kspace_modify farsum c6 1 -5", "below 0"),
    ("kspace_modify farsum c6 3 5", "3"),
    ("kspace_modify farsum c6 1", "c6"),
])
def test_refused(run, line, words):
    lmp = run(salt(), sums=SUMS.replace("farsum {", "farsum/disp {"))
    with pytest.raises(Exception, match=words):
        lmp.commands_string(line)
