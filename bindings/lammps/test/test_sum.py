# SPDX-License-Identifier: Apache-2.0
"""Energy, forces, virial and energies of atoms against farsum's ewald."""

import numpy as np
import pytest

import farsum
from conftest import BEGIN, chains, differences, salt

BOXES = {
    "salt": (salt, {}, (1, 1, 1)),
    "tilted": (salt, {"tilt": (5, -4, 6)}, (1, 1, 1)),
    "water": (chains, {"length": 3}, (0, 0, 0.5)),
    "chains": (chains, {"length": 4}, (0, 0.25, 0.8333)),
    "tilted chains": (chains, {"length": 4, "tilt": (-7, 3, 4)}, (0, 0, 0.5)),
    "all bonds": (chains, {"length": 4}, (1, 1, 1)),
}


@pytest.mark.parametrize("name", BOXES)
def test_equals_ewald(run, name):
    make, arguments, special = BOXES[name]
    box = make(**arguments)
    # accuracy limits forces; test_error_of_the_virial tells why it is so small
    lmp = run(box, special, accuracy=1e-12)
    want = box.reference(lmp.constant, special)
    assert max(differences(lmp.kspace(), want)) < 1e-8


@pytest.mark.parametrize("accuracy", [1e-3, 1e-5, 1e-7])
def test_accuracy_is_that_of_lammps(run, accuracy):
    """It bounds the RMS force error over the force of two unit charges at one
    Angstrom; the error is not smaller by orders either."""
    box = salt(8)
    lmp = run(box, accuracy=accuracy)
    wrong = lmp.kspace()[1] - box.reference(lmp.constant)[1]
    rms = np.sqrt(np.mean(np.sum(wrong**2, 1))) / lmp.constant
    assert accuracy / 1000 < rms < accuracy


def told(lmp, capfd, name):
    """A number of the plugin's report."""
    lmp.lmp.flush_buffers()
    return float(capfd.readouterr().out.split(f"{name} = ")[1].split()[0])


@pytest.mark.parametrize("name", ["tilted", "tilted chains"])
@pytest.mark.parametrize("accuracy", [1e-5, 1e-8])
def test_error_of_the_virial(run, capfd, name, accuracy):
    """The report estimates it, for displaced atoms."""
    make, arguments, special = BOXES[name]
    box = make(**arguments)
    lmp = run(box, special, accuracy=accuracy, args=["-screen", "/dev/stdout"])
    want = box.reference(lmp.constant, special)
    wrong = abs(np.trace(lmp.kspace()[2] - want[2])) / np.sum(np.abs(want[3]))
    estimate = told(lmp, capfd, "estimated relative error of the virial's trace")
    assert estimate / 10 < wrong < 10 * estimate


def test_accuracy_of_a_lattice(run, capfd):
    """The estimate is that of displaced atoms, not that of symmetry."""
    box = salt()
    x = box.x
    box.x = salt(noise=0).x
    lmp = run(box, accuracy=1e-4, args=["-screen", "/dev/stdout"])
    lmp.command("run 0")
    estimate = told(lmp, capfd, "estimated relative force accuracy")
    lmp.lmp.scatter_atoms("x", 1, 3, np.ctypeslib.as_ctypes(x.ravel()))
    box.x = x
    wrong = lmp.kspace()[1] - box.reference(lmp.constant)[1]
    rms = np.sqrt(np.mean(np.sum(wrong**2, 1))) / lmp.constant
    assert estimate / 10 < rms < 10 * estimate < 1e-3


def test_accuracy_by_force(run):
    """kspace_modify force is absolute."""
    box = salt()
    lmp = run(box, accuracy=1e-3)
    lmp.command("kspace_modify force 1e-4")
    wrong = lmp.kspace()[1] - box.reference(lmp.constant)[1]
    assert np.sqrt(np.mean(np.sum(wrong**2, 1))) < 1e-4


def test_open_space(run):
    """Without periodic axes: pairs, plainly."""
    box = salt(5)
    lmp = run(box, accuracy=1e-9, begin="boundary f f f\n" + BEGIN)
    d = box.x[:, None] - box.x[None]
    r = np.sqrt((d * d).sum(-1)) + np.eye(box.n) * 1e100
    forces = lmp.constant * box.q[:, None] * np.einsum(
        "ij,ijk->ik", box.q / r**3, d)
    energy, got = lmp.kspace()[:2]
    want = lmp.constant * np.sum(np.outer(box.q, box.q) / r) / 2
    assert max(differences([energy, got], [want, forces])) < 1e-7


def test_device(run):
    """On a device, if OpenCL has one."""
    if not any(d.available and d.name.startswith("opencl")
               for d in farsum.devices()):
        pytest.skip("no device of OpenCL")
    box = chains()
    lmp = run(box, (0, 0, 0.5), accuracy=1e-9)
    lmp.command("kspace_modify farsum device opencl:0")
    want = box.reference(lmp.constant, (0, 0, 0.5))
    assert max(differences(lmp.kspace(), want)) < 1e-5


def test_dielectric(run):
    box = salt()
    lmp = run(box, accuracy=1e-10)
    one = lmp.kspace()
    lmp.command("dielectric 2.5")
    lmp.command("run 0")
    assert lmp.get_thermo("elong") == pytest.approx(one[0] / 2.5, rel=1e-8)


def test_no_charges(run):
    """Charges may be zero: there is no sum then."""
    box = salt()
    lmp = run(box)
    lmp.command("set group all charge 0")
    energy, forces = lmp.kspace()[:2]
    assert energy == 0 and not forces.any()


def test_options(run):
    """Options reach the plan, which may refuse them in its own words."""
    box = salt()
    lmp = run(box, accuracy=1e-6)
    lmp.command("kspace_modify farsum method spectral precision mixed cutoff 7"
                " skin 0.5 threads 1 deterministic yes verify no compute yes")
    lmp.command("kspace_modify mesh 24 24 24")
    want = box.reference(lmp.constant)
    assert max(differences(lmp.kspace(), want)) < 1e-4
    lmp.command("kspace_modify farsum method fast")
    with pytest.raises(Exception, match='Farsum .laplace.: .*"fast"'):
        lmp.command("run 0")
