# SPDX-License-Identifier: Apache-2.0
"""Functions of one call."""

import numpy as np
import pytest

import farsum
from conftest import pairs


def rms(a):
    return np.sqrt(np.mean(np.square(a)))


def test_madelung():
    k = np.stack(np.meshgrid(*[range(4)] * 3, indexing="ij"), -1).reshape(-1, 3)
    q = np.where(k.sum(1) % 2, 1.0, -1.0)
    r = farsum.coulomb(k.astype(float), q, cell=4.0, tolerance=1e-9,
                       error="potential")
    assert np.allclose(r.potential * q, -1.74756459463318, rtol=1e-8)
    assert r.energy == pytest.approx(-1.74756459463318 * 32, rel=1e-8)


def test_against_the_reference(box):
    x, q, cell = box
    r = farsum.coulomb(x, q, cell=cell, tolerance=1e-8,
                       outputs="potential field energy virial")
    ewald = farsum.coulomb(x, q, cell=cell, tolerance=1e-12, method="ewald",
                           outputs="potential field energy virial")
    wrong = rms(r.forces - ewald.forces) / rms(ewald.forces)
    assert wrong < 1e-8
    assert wrong / 3 < r.error <= 1e-8
    assert r.energy == pytest.approx(ewald.energy, rel=1e-6)
    assert np.trace(r.virial) == pytest.approx(r.energy, rel=1e-6)
    assert r.forces == pytest.approx(q[:, None] * r.field)
    assert r.virial.shape == (3, 3)


def test_open_space(box):
    x, q, _ = box
    assert farsum.coulomb(x, q, tolerance=1e-9).potential == pytest.approx(
        pairs(x, q), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("periodic", [(1, 1, 0), [True, False, True],
                                      np.array([False, True, True])])
def test_slabs(box, periodic):
    x, q, cell = box
    how = dict(cell=cell, periodic=periodic, outputs="potential field energy "
               "virial")
    r = farsum.coulomb(x, q, tolerance=1e-8, **how)
    ewald = farsum.coulomb(x, q, tolerance=1e-12, method="ewald", **how)
    assert rms(r.forces - ewald.forces) < 1e-8 * rms(ewald.forces)
    assert r.energy == pytest.approx(ewald.energy, rel=1e-6)
    assert r.virial == pytest.approx(ewald.virial, rel=1e-5,
                                     abs=1e-6 * abs(ewald.energy))
    whole = farsum.coulomb(x, q, cell=cell, tolerance=1e-8)
    assert rms(whole.forces - ewald.forces) > 1e-3 * rms(ewald.forces)


def test_wires(box):
    x, q, cell = box
    r = farsum.coulomb(x, q, cell=cell, periodic=(0, 0, 1), tolerance=1e-9,
                       outputs="energy virial")
    assert np.trace(r.virial) == pytest.approx(r.energy, rel=1e-7)


@pytest.mark.parametrize("periodic", ["xy", (1, 1), (1, 1, 0, 0), 2])
def test_wrong_axes(box, periodic):
    x, q, cell = box
    with pytest.raises(farsum.ArgumentError, match="periodic"):
        farsum.coulomb(x, q, cell=cell, periodic=periodic)


def test_units(box):
    x, q, cell = box
    one = farsum.coulomb(x, q, cell=cell)
    metal = farsum.coulomb(x, q, cell=cell, units="metal")
    assert metal.energy == pytest.approx(one.energy * 14.399645, rel=1e-5)
    with pytest.raises(farsum.ArgumentError, match="metal"):
        farsum.coulomb(x, q, units="imperial")


def test_gravity(box):
    x, q, _ = box
    m = 1 + abs(q)
    r = farsum.gravity(x, m, G=2.0, softening=0.5, tolerance=1e-9)
    expected = -2 * pairs(x, m, lambda r: 1 / np.sqrt(r * r + 0.25))
    assert r.potential == pytest.approx(expected, rel=1e-6)
    assert r.acceleration is r.field
    assert r.forces == pytest.approx(m[:, None] * r.acceleration)
    assert r.energy == pytest.approx((m * expected).sum() / 2, rel=1e-6)


def test_yukawa_and_r6(box):
    x, q, cell = box
    r = farsum.yukawa(x, q, 0.7, tolerance=1e-8)
    assert r.potential == pytest.approx(
        pairs(x, q, lambda r: np.exp(-0.7 * r) / r), rel=1e-5, abs=1e-6)
    r = farsum.r6(x, abs(q), tolerance=1e-8)
    assert r.potential == pytest.approx(
        pairs(x, abs(q), lambda r: r**-6.0), rel=1e-5)
    assert farsum.yukawa(x, q, 0.7, cell=cell).error <= 1e-5
    assert farsum.r6(x, abs(q), cell).error <= 1e-5


def test_forces_and_torques_of_dipoles_are_derivatives(box):
    x, q, cell = box
    p = np.random.default_rng(3).normal(size=x.shape)

    def energy(x, p):
        return farsum.dipoles(x, q, p, cell=cell, tolerance=1e-11).energy

    r = farsum.dipoles(x, q, p, cell=cell, tolerance=1e-11)
    h = 1e-4
    for axis in range(3):
        step = np.zeros_like(x)
        step[7, axis] = h
        slope = (energy(x + step, p) - energy(x - step, p)) / (2 * h)
        assert r.forces[7, axis] == pytest.approx(-slope, rel=1e-5, abs=1e-5)
        turn = np.zeros_like(x)
        turn[7] = np.cross(np.eye(3)[axis], p[7]) * h
        slope = (energy(x, p + turn) - energy(x, p - turn)) / (2 * h)
        assert r.torques[7, axis] == pytest.approx(-slope, rel=1e-5, abs=1e-5)
    five = np.random.default_rng(4).normal(size=(len(x), 6))

    def energy_of(x, five=five):
        return farsum.dipoles(x, q, p, cell=cell, quadrupoles=five,
                              tolerance=1e-11).energy

    r = farsum.dipoles(x, q, p, cell=cell, quadrupoles=five, tolerance=1e-11)
    step = np.zeros_like(x)
    step[7, 1] = h
    slope = (energy_of(x + step) - energy_of(x - step)) / (2 * h)
    assert r.forces[7, 1] == pytest.approx(-slope, rel=1e-5, abs=1e-5)
    assert r.third.shape == (60, 10) and r.torques.shape == (60, 3)
    for wrong in (five[:, :1], five[0], 1.0):
        with pytest.raises(farsum.ArgumentError, match="quadrupoles has"):
            farsum.dipoles(x, q, p, cell=cell, quadrupoles=wrong)
    alone = farsum.dipoles(x, None, p, cell=cell)
    assert alone.energy != pytest.approx(energy(x, p), rel=1e-3)
    assert alone.gradient.shape == (60, 6)


def test_stokes(box):
    x, q, cell = box
    f = np.random.default_rng(3).normal(size=x.shape)
    r = farsum.stokes(x, f, viscosity=2.0, tolerance=1e-8)
    d = x[:, None] - x[None]
    r2 = (d * d).sum(-1)
    np.fill_diagonal(r2, np.inf)
    u = (f[None] / np.sqrt(r2)[..., None]
         + (d * f[None]).sum(-1, keepdims=True) * d / r2[..., None]**1.5)
    expected = u.sum(1) / (16 * np.pi)
    assert rms(r.velocity - expected) / rms(expected) < 1e-7
    assert farsum.stokes(x, torque=f, cell=cell).velocity.shape == x.shape
    two = np.stack([f, f[::-1]], 1)
    assert farsum.stokes(x, stresslet=two, cell=cell).velocity.shape == x.shape
    with pytest.raises(farsum.ArgumentError, match="one of"):
        farsum.stokes(x, f, torque=f)


def test_targets(box):
    x, q, cell = box
    y = x[:7] + 0.3
    r = farsum.coulomb(x, q, cell=cell, targets=y, tolerance=1e-8)
    all_in_one = farsum.coulomb(np.concatenate([x, y]),
                                np.concatenate([q, np.zeros(7)]), cell=cell,
                                tolerance=1e-9)
    assert r.potential == pytest.approx(all_in_one.potential[60:], abs=1e-6)
    assert r.field.shape == (7, 3)
    with pytest.raises(AttributeError, match="energy was not summed"):
        r.energy


def test_exclusions(box):
    x, q, cell = box
    pair = [[3, 9]]
    whole = farsum.coulomb(x, q, tolerance=1e-9)
    less = farsum.coulomb(x, q, exclude=pair, tolerance=1e-9)
    half = farsum.coulomb(x, q, exclude=pair, factors=[0.5], tolerance=1e-9)
    u = q[3] * q[9] / np.linalg.norm(x[3] - x[9])
    assert whole.energy - less.energy == pytest.approx(u, abs=1e-6)
    assert whole.energy - half.energy == pytest.approx(u / 2, abs=1e-6)


def test_right_hand_sides(box):
    x, q, cell = box
    both = np.stack([q, q[::-1]])
    r = farsum.coulomb(x, both, cell=cell, outputs="potential field energy virial")
    assert r.potential.shape == (2, 60) and r.forces.shape == (2, 60, 3)
    assert r.energy.shape == (2,) and r.virial.shape == (2, 3, 3)
    assert r.energy[0] == pytest.approx(
        farsum.coulomb(x, q, cell=cell).energy, rel=1e-5)


def test_words_of_the_library(box):
    x, q, cell = box
    with pytest.raises(farsum.CoincidentError, match="coincide|same") as caught:
        farsum.coulomb(np.concatenate([x, x[:1]]), np.append(q, 1.0), cell=cell)
    assert isinstance(caught.value, ValueError)
    bad = x.copy()
    bad[4, 1] = np.nan
    with pytest.raises(farsum.PositionError, match="4"):
        farsum.coulomb(bad, q, cell=cell)
    with pytest.raises(farsum.StrengthError):
        farsum.coulomb(x, q * np.inf, cell=cell)
    with pytest.raises(farsum.CellError):
        farsum.coulomb(x, q, cell=[[1, 0, 0], [2, 0, 0], [0, 0, 1]])
    with pytest.raises(farsum.UnknownError, match="spectral"):
        farsum.coulomb(x, q, cell=cell, method="spectrum")
    with pytest.raises(TypeError, match="did you mean 'tolerance'"):
        farsum.coulomb(x, q, cell=cell, tolerence=1e-3)
    with pytest.raises(farsum.ToleranceError):
        farsum.coulomb(x, q, cell=cell, tolerance=1e-20)
    with pytest.raises(farsum.DeviceError):
        farsum.coulomb(x, q, cell=cell, device="cuda:77")
    with pytest.raises(farsum.ArgumentError, match="error 'work'"):
        farsum.coulomb(x, q, cell=cell, error="work")


def test_particle_virial(box):
    x, q, cell = box
    for method in "ewald", "spectral":
        r = farsum.coulomb(x, q, cell=cell, method=method, tolerance=1e-8,
                           outputs="virial particle_virial")
        assert r.particle_virial.shape == (60, 3, 3)
        wrong = abs(r.particle_virial.sum(0) - r.virial)
        assert wrong.max() < 1e-7 * abs(r.particle_virial).sum()
    with pytest.raises(farsum.UnsupportedError, match="each particle"):
        farsum.coulomb(x, q, method="fmm", outputs="particle_virial")
