# SPDX-License-Identifier: Apache-2.0
"""The force for OpenMM, against OpenMM's own Ewald sum."""

import copy
import os
import re
import signal
import threading
import time

import numpy as np
import pytest

import farsum
from conftest import ROOT

mm = pytest.importorskip("openmm")
from openmm import app, unit  # noqa: E402

import farsum.openmm  # noqa: E402

TIGHT = 1e-6
NM, PS = unit.nanometer, unit.picosecond


def rms(a):
    return np.sqrt(np.mean(np.square(a)))


def state_of(system, x, box=None, platform="Reference"):
    """Energy and forces; virtual sites are placed first."""
    context = mm.Context(system, mm.VerletIntegrator(0.001),
                         mm.Platform.getPlatform(platform))
    if box is not None:
        context.setPeriodicBoxVectors(*box)
    context.setPositions(x)
    context.computeVirtualSites()
    return values_of(context)


def values_of(context):
    state = context.getState(energy=True, forces=True)
    return (state.getPotentialEnergy()._value,
            state.getForces(asNumpy=True)._value)


def nonbonded(system):
    return next(f for f in system.getForces()
                if isinstance(f, mm.NonbondedForce))


def ewald(system):
    """A copy that OpenMM sums to 1e-7: by Ewald's method in straight cells,
    and by PME with a fine mesh in tilted ones, where it has no other."""
    system = copy.deepcopy(system)
    force = nonbonded(system)
    box = np.array([row._value for row in
                    system.getDefaultPeriodicBoxVectors()])
    if np.count_nonzero(box) > 3:
        force.setPMEParameters(5.0, 96, 96, 96)
        force.setLJPMEParameters(5.5, 96, 96, 96)
    elif force.getNonbondedMethod() == force.PME:
        force.setNonbondedMethod(force.Ewald)
    force.setEwaldErrorTolerance(1e-7)
    return system


def agree(system, x, box=None):
    """Farsum's energies and forces are those of OpenMM's Ewald sum."""
    right = state_of(ewald(system), x, box)
    farsum.openmm.coulomb(system, TIGHT)
    found = state_of(system, x, box)
    assert rms(found[1] - right[1]) < 1.5e-6 * rms(right[1])
    assert found[0] == pytest.approx(right[0], rel=2e-6)


def water(model, count=60):
    """Water molecules with bonds and angles, from no file."""
    field = app.ForceField({"tip3p": "tip3p.xml", "tip4pew": "tip4pew.xml"}
                           [model])
    box = app.Modeller(app.Topology(), [] * NM)
    box.addSolvent(field, model=model, numAdded=count)
    system = field.createSystem(box.topology, nonbondedMethod=app.PME,
                                nonbondedCutoff=0.55 * NM)
    return system, box.positions


def ions(n=40, net=0.0, method=mm.NonbondedForce.PME):
    """Ions in a tilted cell; pairs 0-1 .. 6-7 are exceptions of all kinds."""
    rng = np.random.default_rng(3)
    system, force = mm.System(), mm.NonbondedForce()
    box = np.array([[2.0, 0, 0], [0.6, 2.1, 0], [-0.5, 0.7, 1.9]])
    system.setDefaultPeriodicBoxVectors(*box)
    x = []
    while len(x) < n:
        y = rng.random(3) @ box
        d = np.array([y - z for z in x]).reshape(-1, 3)
        d -= np.round(d @ np.linalg.inv(box)) @ box
        if not len(d) or np.min((d * d).sum(1)) > 0.2 ** 2:
            x.append(y)
    x = np.array(x)
    for k in range(0, 8, 2):
        x[k + 1] = x[k] + [0.12, 0.05 * k, -0.06]
    for k in range(n):
        system.addParticle(20.0)
        force.addParticle((-1.0) ** k + net / n, 0.18, 0.2)
    for k, product in ((0, 0.0), (2, -0.5), (4, 0.8333 * -1), (6, 3.0)):
        force.addException(k, k + 1, product, 0.2, 0.1)
    force.setNonbondedMethod(method)
    force.setCutoffDistance(0.8)
    force.setUseDispersionCorrection(False)
    system.addForce(force)
    return system, x, box


def test_the_constant_is_that_of_openmm():
    system, force = mm.System(), mm.NonbondedForce()
    for _ in range(2):
        system.addParticle(1)
        force.addParticle(1, 0.1, 0)
    system.addForce(force)
    energy, _ = state_of(system, [[0, 0, 0], [1, 0, 0]])
    assert energy == farsum.openmm.ONE_4PI_EPS0


@pytest.mark.parametrize("model", ["tip3p", "tip4pew"])
def test_water(model):
    """tip4pew has virtual sites, which carry the charge."""
    system, x = water(model)
    assert system.isVirtualSite(3) == (model == "tip4pew")
    agree(system, x)


@pytest.mark.parametrize("net", [0.0, 3.0])
def test_ions_in_a_tilted_cell(net):
    agree(*ions(net=net))


def test_open_space():
    system, x, _ = ions(method=mm.NonbondedForce.NoCutoff)
    agree(system, x)


def test_charges_that_follow_a_parameter():
    system, x, box = ions()
    force = nonbonded(system)
    force.addGlobalParameter("scale", 1.0)
    for k in range(10):
        force.addParticleParameterOffset("scale", k, -0.3 * (-1) ** k, 0.01, 0)
    force.addExceptionParameterOffset("scale", 1, 0.4, 0, 0)
    own = ewald(system)
    farsum.openmm.coulomb(system, TIGHT)
    for value in (1.0, 0.25, 0.0):
        found = []
        for one in (own, system):
            context = mm.Context(one, mm.VerletIntegrator(0.001),
                                 mm.Platform.getPlatform("Reference"))
            context.setPositions(x)
            context.setParameter("scale", value)
            found.append(values_of(context))
        assert found[1][0] == pytest.approx(found[0][0], rel=2e-6)
        assert found[1][1] == pytest.approx(found[0][1], rel=1e-4, abs=0.02)


def test_all_charges_may_vanish():
    system, x, box = ions()
    sums = farsum.openmm.coulomb(system, TIGHT)
    sums.strengths = sums.strengths * 0
    none, _, _ = ions()
    force = nonbonded(none)
    for k in range(force.getNumParticles()):
        force.setParticleParameters(k, 0, *force.getParticleParameters(k)[1:])
    assert state_of(system, x, box)[0] == pytest.approx(
        state_of(ewald(none), x, box)[0], rel=1e-9)


def test_dispersion():
    """Forces as by LJPME, whose energy also has a shift at the cutoff."""
    system, x, box = ions(method=mm.NonbondedForce.LJPME)
    force = nonbonded(system)
    for k in range(0, 40, 3):
        force.setParticleParameters(k, force.getParticleParameters(k)[0],
                                    0.25, 0.4)
    right = state_of(ewald(system), x, box)[1]
    sums = farsum.openmm.coulomb(system, TIGHT, dispersion=True)
    found = state_of(system, x, box)[1]
    assert rms(found - right) < 1.5e-6 * rms(right)
    assert sums.dispersion.plan.kernel == "r6"


def test_constant_pressure():
    """A barostat's cells are taken by the plan; the ensemble's are kept."""
    system, x = water("tip3p", 216)
    system.addForce(mm.MonteCarloBarostat(1 * unit.bar, 300, 5))
    sums = farsum.openmm.coulomb(system, 1e-4)
    integrator = mm.LangevinMiddleIntegrator(300, 1 / PS, 0.002)
    integrator.setRandomNumberSeed(1)
    context = mm.Context(system, integrator, mm.Platform.getPlatform("CPU"))
    context.setPositions(x)
    mm.LocalEnergyMinimizer.minimize(context, 100, 50)
    context.setVelocitiesToTemperature(300, 2)
    plans, volumes = set(), set()
    for _ in range(10):
        integrator.step(10)
        plans.add(id(sums.plan))
        state = context.getState(positions=True, energy=True, forces=True)
        volumes.add(state.getPeriodicBoxVolume()._value)
    assert len(volumes) > 3 and len(plans) < 4
    assert 0.7 < 216 * 0.0299 / state.getPeriodicBoxVolume()._value < 1.3
    whole, _ = water("tip3p", 216)
    energy, forces = state_of(ewald(whole),
                              state.getPositions(asNumpy=True),
                              state.getPeriodicBoxVectors())
    found = state.getForces(asNumpy=True)._value
    assert rms(found - forces) < 2e-4 * rms(forces)
    assert state.getPotentialEnergy()._value == pytest.approx(energy, rel=1e-4)


def test_energy_is_conserved():
    system, x = water("tip3p", 216)
    for i in reversed(range(system.getNumForces())):
        if isinstance(system.getForce(i), mm.CMMotionRemover):
            system.removeForce(i)
    farsum.openmm.coulomb(system, 1e-5)
    integrator = mm.VerletIntegrator(0.0005)
    context = mm.Context(system, integrator, mm.Platform.getPlatform("CPU"))
    context.setPositions(x)
    mm.LocalEnergyMinimizer.minimize(context, 100, 50)
    context.setVelocitiesToTemperature(300, 2)
    context.applyVelocityConstraints(1e-6)
    totals = []
    for _ in range(10):
        integrator.step(10)
        state = context.getState(energy=True)
        totals.append((state.getPotentialEnergy()
                       + state.getKineticEnergy())._value)
    kinetic = state.getKineticEnergy()._value
    assert np.ptp(totals) < 0.02 * kinetic


def test_a_copied_system_and_xml():
    system, x, box = ions()
    farsum.openmm.coulomb(system, TIGHT)
    right = state_of(system, x, box)
    text = mm.XmlSerializer.serialize(system)
    for copied in (copy.deepcopy(system), mm.XmlSerializer.deserialize(text)):
        assert state_of(copied, x, box)[0] == pytest.approx(right[0], rel=1e-9)


def test_ctrl_c_stops_a_simulation():
    """OpenMM's exception comes within a second, and the plan stays usable."""
    system, x, box = ions()
    farsum.openmm.coulomb(system, 1e-4)
    integrator = mm.LangevinMiddleIntegrator(10, 1000 / PS, 1e-7)
    context = mm.Context(system, integrator, mm.Platform.getPlatform("CPU"))
    context.setPositions(x)
    integrator.step(1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    began = time.monotonic()
    with pytest.raises(mm.OpenMMException):
        integrator.step(10 ** 7)
    assert time.monotonic() - began < 5  # other tests load the machine
    integrator.step(1)


def test_errors_during_a_simulation_have_words():
    system, x, box = ions()
    farsum.openmm.coulomb(system, TIGHT)
    x[3] = np.nan
    with pytest.raises(mm.OpenMMException, match="source 3: x = nan"):
        state_of(system, x, box)


REFUSED = [
    (lambda s, f: f.setNonbondedMethod(f.CutoffPeriodic), {}, "reaction field"),
    (lambda s, f: f.setNonbondedMethod(f.LJPME), {}, "dispersion=True"),
    (lambda s, f: f.setReciprocalSpaceForceGroup(2), {}, "force_group"),
    (lambda s, f: f.setIncludeDirectSpace(False), {}, "IncludeDirectSpace"),
    (lambda s, f: s.addForce(mm.NonbondedForce()), {}, "2 forces"),
    (lambda s, f: f.setNonbondedMethod(f.NoCutoff), {"dispersion": True},
     "without a cutoff"),
    (lambda s, f: f.setUseSwitchingFunction(True), {"dispersion": True},
     "switching"),
]


@pytest.mark.parametrize("change, options, words", REFUSED)
def test_refused(change, options, words):
    system, x, box = ions()
    change(system, nonbonded(system))
    before = mm.XmlSerializer.serialize(system)
    with pytest.raises(farsum.UnsupportedError, match=words):
        farsum.openmm.coulomb(system, **options)
    assert mm.XmlSerializer.serialize(system) == before


def test_twice_is_refused():
    system, _, _ = ions()
    farsum.openmm.coulomb(system)
    nonbonded(system).setNonbondedMethod(mm.NonbondedForce.PME)
    with pytest.raises(farsum.ArgumentError, match="moved before"):
        farsum.openmm.coulomb(system)


def test_the_page(capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    # OpenMM's OpenCL platform crashes on PoCL, with and without Farsum
    monkeypatch.setenv("OPENMM_DEFAULT_PLATFORM", "CPU")
    text = (ROOT / "docs" / "openmm.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)
    assert len(blocks[0].splitlines()) <= 10
    names = {}
    for block in blocks:
        exec(compile(block, "docs/openmm.md", "exec"), names)
    assert capsys.readouterr().out
