# SPDX-License-Identifier: Apache-2.0
"""Over ranks: the same numbers as on one, in sums and in dynamics."""

import numpy as np
import pytest

from conftest import chains, chains_script, differences, launch, salt

INPUT = chains_script()
# The same parameters for any number of ranks, to compare digits.
FIXED = """
kspace_modify farsum method spectral cutoff 5.5 bandwidth 24 support 12
kspace_modify mesh 48 40 40
"""
SUM = """
compute e all pe/atom kspace
compute k all pressure NULL kspace
thermo_style custom elong c_k[1] c_k[2] c_k[3] c_k[4] c_k[5] c_k[6]
thermo_modify norm no format float %.17g
pair_modify compute no
bond_coeff * 0 1
run 0
write_dump all custom dump id fx fy fz c_e modify sort id &
    format float %.17g
"""


def sums(ranks, path, script):
    """Energy, forces, virial and energies of atoms."""
    done = launch(ranks, script, path)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    lines = done.stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if "E_long" in line)
    thermo = np.array(lines[head + 1].split(), float)
    atoms = np.loadtxt(path / "dump", skiprows=9)
    return thermo[0], atoms[:, 1:4], thermo[1:], atoms[:, 4]


@pytest.mark.parametrize("tilt", [(0, 0, 0), (-6, 3, 4)])
def test_sums_equal_one_rank(tmp_path, tilt):
    chains(tilt=tilt).write(tmp_path / "data")
    one = sums(1, tmp_path, INPUT + FIXED + SUM)
    for ranks in (2, 3):
        assert max(differences(sums(ranks, tmp_path, INPUT + FIXED + SUM),
                               one)) < 1e-12


def test_dynamics_equal_one_rank(tmp_path):
    """20 steps in which atoms migrate and lists are built."""
    chains().write(tmp_path / "data")
    run = ("velocity all create 600 4928459 loop all\n"
           "neigh_modify every 5 delay 0 check no\n"
           "fix move all npt temp 600 600 50 iso 0 0 500\nrun 20\n")
    one = sums(1, tmp_path, INPUT + FIXED + run + SUM)
    two = sums(3, tmp_path, INPUT + FIXED + run + SUM)
    assert max(differences(two, one)) < 1e-9


def test_rank_that_loses_its_atoms(tmp_path):
    """Between two runs, all at a time: its lists are empty then."""
    box = salt(n=3, edge=6.0)
    box.cell = np.diag([60.0, 20.0, 20.0])
    box.x = box.x % 18 + [40, 1, 1]
    box.q[-1] = 0
    box.write(tmp_path / "data")
    script = "processors * 1 1\n" + chains_script("lj/cut/coul/farsum 6") + """
run 0
displace_atoms all move -22 0 0
thermo_style custom elong evdwl ecoul pe
thermo_modify norm no format float %.17g
run 0
"""
    found = []
    for ranks in (1, 2):
        done = launch(ranks, script, tmp_path)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        rows = [line.split() for line in done.stdout.splitlines()]
        head = max(i for i, row in enumerate(rows) if row[:1] == ["E_long"])
        found.append(np.array(rows[head + 1], float))
    assert np.all(np.isfinite(found))
    assert np.max(np.abs(found[1] / found[0] - 1)) < 1e-6, found


def test_chosen_parameters(tmp_path):
    """Each number of ranks may choose others, within the tolerance."""
    salt().write(tmp_path / "data")
    script = INPUT + "special_bonds lj/coul 1 1 1\n" + SUM
    one = sums(1, tmp_path, script)
    two = sums(2, tmp_path, script)
    assert max(differences(two, one)) < 1e-5


def test_a_rank_without_atoms(tmp_path):
    """All atoms are in the lower half of the box."""
    box = chains()
    box.x[:, 2] *= 0.4
    box.write(tmp_path / "data")
    one = sums(1, tmp_path, INPUT + FIXED + SUM)
    two = sums(2, tmp_path, INPUT.replace(
        "read_data", "processors 1 1 2\nread_data") + FIXED + SUM)
    assert max(differences(two, one)) < 1e-12


def test_errors_end_all_ranks(tmp_path):
    """With the words of the refusal."""
    salt().write(tmp_path / "data")
    done = launch(2, INPUT + "kspace_modify farsum cutoff -1\nrun 0\n",
                  tmp_path)
    assert done.returncode != 0
    assert "cutoff" in done.stdout + done.stderr


def test_fmm(tmp_path):
    """Over ranks it has no virial in a periodic box: refused."""
    salt().write(tmp_path / "data")
    script = INPUT + "kspace_modify farsum method fmm\n"
    done = launch(2, script + "run 0\n", tmp_path)
    assert done.returncode != 0
    assert "virial" in done.stdout + done.stderr


def test_slab(tmp_path):
    """Two periodic axes: as on one rank, or refused in Farsum's words."""
    salt(4).write(tmp_path / "data")
    script = INPUT.replace("read_data", "boundary p p f\nread_data") \
        + "special_bonds lj/coul 1 1 1\nkspace_modify slab 3.0\n"
    done = launch(2, script + "run 0\n", tmp_path)
    if done.returncode != 0:
        assert "over ranks" in done.stdout + done.stderr
        return
    one = sums(1, tmp_path, script + SUM)
    assert max(differences(sums(2, tmp_path, script + SUM), one)) < 1e-5
