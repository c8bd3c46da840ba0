# SPDX-License-Identifier: Apache-2.0
"""pair_style lj/cut/coul/farsum: near pairs by LAMMPS' loop, the far part by
kspace_style farsum."""

import numpy as np
import pytest

import farsum
from conftest import BEGIN, chains, chains_script, launch, salt

WHOLE = "lj/cut 6.0"
NEAR = "lj/cut/coul/farsum 6.0 {}"


def everything(lmp):
    """Energy, forces, pressures and energies of atoms."""
    lmp.commands_string("""
        compute each all pe/atom pair kspace
        thermo_style custom step pe pxx pyy pzz pxy pxz pyz evdwl ecoul elong
        run 0
    """)
    n = lmp.get_natoms()
    order = np.argsort(lmp.numpy.extract_atom("id")[:n])
    each = lmp.numpy.extract_compute("each", 1, 1)[:n][order].copy()
    return (lmp.get_thermo("pe"),
            lmp.numpy.extract_atom("f")[:n][order].copy(),
            np.array([lmp.get_thermo(p) for p in
                      ("pxx", "pyy", "pzz", "pxy", "pxz", "pyz")]), each)


def equal(got, want, most):
    for g, w, what in zip(got, want, ("energy", "forces", "pressures",
                                      "energies of atoms")):
        off = np.max(np.abs(np.asarray(g) - w)) / np.max(np.abs(w))
        assert off < most, what


BOXES = {
    "salt": (salt, {}, (1, 1, 1)),
    "tilted": (salt, {"tilt": (5, -4, 6)}, (1, 1, 1)),
    "water": (chains, {"length": 3}, (0, 0, 0.5)),
    "chains": (chains, {"length": 4, "tilt": (-7, 3, 4)}, (0, 0.25, 0.8333)),
}


@pytest.mark.parametrize("name", BOXES)
@pytest.mark.parametrize("cut", [5, 7.5])
def test_equals_whole(run, name, cut):
    make, arguments, special = BOXES[name]
    box = make(**arguments)
    want = everything(run(box, special, accuracy=1e-12, pair=WHOLE))
    lmp = run(box, special, accuracy=1e-12, pair=NEAR.format(cut))
    got = everything(lmp)
    equal(got, want, 1e-8)
    assert abs(lmp.get_thermo("ecoul")) > 1e-3 * abs(lmp.get_thermo("elong"))


@pytest.mark.parametrize("accuracy", [1e-3, 1e-5])
def test_accuracy(run, accuracy):
    """It is that of near and far part together."""
    box = salt()
    want = everything(run(box, accuracy=1e-11, pair=WHOLE))
    lmp = run(box, accuracy=accuracy, pair=NEAR.format(7))
    wrong = everything(lmp)[1] - want[1]
    rms = np.sqrt(np.mean(np.sum(wrong**2, 1))) / lmp.constant
    assert accuracy / 1000 < rms < accuracy


def test_device(run):
    """The far part on a device, if OpenCL has one."""
    if not any(d.available and d.name.startswith("opencl")
               for d in farsum.devices()):
        pytest.skip("no device of OpenCL")
    box = chains(length=3)
    want = everything(run(box, (0, 0, 0.5), accuracy=1e-10, pair=WHOLE))
    lmp = run(box, (0, 0, 0.5), accuracy=1e-10, pair=NEAR.format(6))
    lmp.command("kspace_modify farsum device opencl:0")
    equal(everything(lmp), want, 1e-6)


def test_newton_off(run):
    box = chains(length=3)
    want = everything(run(box, (0, 0, 0.5), accuracy=1e-11, pair=WHOLE))
    got = everything(run(box, (0, 0, 0.5), accuracy=1e-11,
                         pair=NEAR.format(6), begin="newton off\n" + BEGIN))
    equal(got, want, 1e-8)


def test_second_run_and_box(run):
    """A box that changes; other cutoffs and charges between runs."""
    box = chains(length=3)
    runs = [run(box, (0, 0, 0.5), accuracy=1e-11, pair=pair)
            for pair in (WHOLE, NEAR.format(6))]
    commands = ["change_box all x scale 1.02 y scale 0.99 remap",
                "set type 1 charge 0.5\nset type 2 charge -1.0",
                "kspace_modify mesh 60 48 48"]
    for more in commands:
        results = []
        for lmp in runs:
            lmp.commands_string(more + "\nrun 0")
            n = lmp.get_natoms()
            order = np.argsort(lmp.numpy.extract_atom("id")[:n])
            results.append(lmp.numpy.extract_atom("f")[:n][order].copy())
        off = np.max(np.abs(results[0] - results[1]))
        assert off < 1e-8 * np.max(np.abs(results[0])), more


def test_energy_is_conserved(run):
    drift = []
    for pair in (WHOLE, NEAR.format(6)):
        lmp = run(salt(5, noise=0.05), accuracy=1e-6, pair=pair)
        lmp.commands_string("""
            velocity all create 300 1234 loop all
            timestep 0.5
            fix 1 all nve
            thermo_style custom step etotal ke
            run 0
        """)
        start, kinetic = lmp.get_thermo("etotal"), lmp.get_thermo("ke")
        lmp.command("run 200")
        drift.append((lmp.get_thermo("etotal") - start) / kinetic)
    # lj/cut jumps at its cutoff; near and far part add nothing to that
    assert abs(drift[1] - drift[0]) < 1e-4
    assert abs(drift[1]) < 0.02


def test_pair_modify(run):
    """Mixing, shift and tail are those of lj/cut."""
    results = []
    for pair in (WHOLE, NEAR.format(7)):
        lmp = run(salt(), accuracy=1e-10, pair=pair)
        lmp.commands_string(f"""
            pair_style {pair}
            pair_coeff 1 1 0.05 2.5
            pair_coeff 2 2 0.1 3.0 5.5
            pair_modify tail yes mix arithmetic
        """)
        tail = everything(lmp)
        lmp.commands_string("uncompute each\npair_modify tail no shift yes")
        results.append((tail, everything(lmp)))
    for want, got in zip(*results):
        equal(got, want, 1e-7)
    assert abs(results[0][0][0] - results[0][1][0]) > 1e-3


def test_respa(run):
    """Near pairs on the inner level, the far part on the outer one."""
    box = chains(length=3)
    lmp = run(box, (0, 0, 0.5), accuracy=1e-5, pair=NEAR.format(6))
    lmp.commands_string("""
        velocity all create 300 1234 loop all
        timestep 0.5
        run_style respa 2 2 bond 1 pair 1 kspace 2
        fix 1 all nve
        thermo_style custom step etotal ke
        run 0
    """)
    start, kinetic = lmp.get_thermo("etotal"), lmp.get_thermo("ke")
    lmp.command("run 200")
    assert abs(lmp.get_thermo("etotal") - start) < 0.02 * kinetic


def test_constant_pressure(run):
    ends = []
    for pair in (WHOLE, NEAR.format(6)):
        lmp = run(salt(5, noise=0.05), accuracy=1e-7, pair=pair)
        lmp.commands_string("""
            velocity all create 300 1234 loop all
            fix 1 all npt temp 300 300 50 iso 0 0 200
            run 50
        """)
        ends.append((lmp.get_thermo("vol"), lmp.get_thermo("pe")))
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-6)


RUN = """
thermo_style custom step pe pxx pyy pzz pxy pxz pyz
thermo_modify norm no format float %.17g
run 0
write_dump all custom dump id fx fy fz modify sort id format float %.17g
"""


@pytest.mark.parametrize("tilt", [(0, 0, 0), (-6, 3, 4)])
def test_ranks(tmp_path, tilt):
    chains(tilt=tilt).write(tmp_path / "data")
    results = []
    for ranks, pair in ((1, WHOLE), (1, NEAR.format(6)), (2, NEAR.format(6))):
        done = launch(ranks, chains_script(pair, 1e-11) + RUN, tmp_path)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        lines = done.stdout.splitlines()
        head = next(i for i, line in enumerate(lines) if "PotEng" in line)
        thermo = np.array(lines[head + 1].split(), float)[1:]
        forces = np.loadtxt(tmp_path / "dump", skiprows=9)[:, 1:]
        results.append((thermo[0], forces, thermo[1:]))
    for got in results[1:]:
        equal(got, results[0], 1e-7)


@pytest.mark.parametrize("words, pair, sums", [
    ("requires kspace_style farsum", NEAR.format(6), ""),
    ("sums all Coulomb", "hybrid/overlay lj/cut/coul/farsum 6 zero 5",
     "kspace_style farsum 1e-5"),
    ("sums all Coulomb", NEAR.format(6), "kspace_style farsum/disp 1e-5\n"
     "kspace_modify farsum c6 * 1"),
    ("sets the cutoff", NEAR.format(6),
     "kspace_style farsum 1e-5\nkspace_modify farsum cutoff 7"),
    ("only spectral", NEAR.format(6),
     "kspace_style farsum 1e-5\nkspace_modify farsum method fmm"),
    ("not > 0", NEAR.format(-1), "kspace_style farsum 1e-5"),
])
def test_refused(run, words, pair, sums):
    with pytest.raises(Exception) as info:
        begin = BEGIN
        if "hybrid" in pair:
            begin = BEGIN.replace("pair_coeff * * 0.05 2.5", """
pair_coeff * * lj/cut/coul/farsum 0.05 2.5
pair_coeff * * zero""")
        lmp = run(salt(), pair=pair, sums=sums, begin=begin)
        lmp.command("run 0")
    assert words in str(info.value)
