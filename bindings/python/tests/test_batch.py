# SPDX-License-Identifier: Apache-2.0
"""Batches of systems."""

import numpy as np
import pytest

import farsum

SIZES = (60, 0, 7, 100, 800)


@pytest.fixture
def many():
    """Systems in tilted cells: x, q, cells, ptr."""
    rng = np.random.default_rng(3)
    x, q, cells = [], [], []
    for n in SIZES:
        cell = np.diag([max(n, 1) ** (1 / 3)] * 3)
        cell[1, 0] = 0.2 * cell[0, 0]
        cells.append(cell)
        x.append(rng.random((n, 3)) @ cell)
        q.append(np.where(np.arange(n) % 2, 1.0, -1.0))
    return (np.concatenate(x), np.concatenate(q), np.array(cells),
            np.cumsum((0,) + SIZES))


def test_equals_the_loop(many):
    x, q, cells, ptr = many
    r = farsum.coulomb_batch(x, q, cells, ptr=ptr, tolerance=1e-7,
                             outputs="potential field energy virial")
    assert r.energy.shape == (5,) and r.virial.shape == (5, 3, 3)
    assert r.energy[1] == 0 and not r.faults
    assert (r.error <= 1e-7).all()
    for s, (a, b) in enumerate(zip(ptr, ptr[1:])):
        if a == b:
            continue
        one = farsum.coulomb(x[a:b], q[a:b], cell=cells[s], tolerance=1e-9,
                             outputs="potential field energy virial")
        norm = np.sqrt(np.mean(one.forces ** 2))
        assert np.sqrt(np.mean((r.forces[a:b] - one.forces) ** 2)) < 1e-7 * norm
        assert r.energy[s] == pytest.approx(one.energy, rel=1e-5)
        assert r.virial[s] == pytest.approx(one.virial, abs=1e-4 * norm * (b - a))
    assert [s.method for s in r.systems][0] == "waves"
    assert r.systems[4].method == "spectral"


def test_batch_index_and_company(many):
    x, q, cells, ptr = many
    index = np.repeat(np.arange(5), SIZES)
    a = farsum.coulomb_batch(x, q, cells, batch=index)
    b = farsum.coulomb_batch(x, q, cells, ptr=ptr)
    assert (a.energy == b.energy).all() and (a.field == b.field).all()
    one = farsum.coulomb_batch(x[67:167], q[67:167], cells[3], ptr=[0, 100])
    assert one.energy[0] == a.energy[3]
    assert (one.field == a.field[67:167]).all()


def test_right_hand_sides_and_f32(many):
    x, q, cells, ptr = many
    two = np.stack([q, -2 * q]).astype(np.float32)
    r = farsum.coulomb_batch(x.astype(np.float32), two, cells, ptr=ptr,
                             tolerance=1e-4)
    assert r.potential.dtype == np.float32 and r.energy.shape == (2, 5)
    assert r.energy[1] == pytest.approx(4 * r.energy[0], rel=1e-3)


def test_faults(many):
    x, q, cells, ptr = many
    good = farsum.coulomb_batch(x, q, cells, ptr=ptr)
    x[61] = np.nan
    with pytest.raises(farsum.PositionError, match="system 2: .*source 1"):
        farsum.coulomb_batch(x, q, cells, ptr=ptr)
    r = farsum.coulomb_batch(x, q, cells, ptr=ptr, faults="nan")
    assert list(r.faults) == [2] and "source 1" in r.faults[2]
    assert np.isnan(r.energy[2]) and np.isnan(r.field[60:67]).all()
    rest = [0, 1, 3, 4]
    assert (r.energy[rest] == good.energy[rest]).all()
    x[70] = x[71]
    r = farsum.coulomb_batch(x, q, cells, ptr=ptr, faults="nan")
    assert sorted(r.faults) == [2, 3]


def test_arguments(many):
    x, q, cells, ptr = many
    for wrong in ({}, {"ptr": ptr, "batch": ptr}, {"ptr": ptr[:-1]},
                  {"batch": np.zeros(3, int)}, {"ptr": ptr, "units": "inch"},
                  {"ptr": ptr, "faults": "hide"},
                  {"ptr": ptr, "outputs": "velocity"}):
        with pytest.raises(farsum.ArgumentError):
            farsum.coulomb_batch(x, q, cells, **wrong)
    with pytest.raises(farsum.ArgumentError, match="cells"):
        farsum.coulomb_batch(x, q, cells[:2], ptr=ptr)
    with pytest.raises(farsum.UnknownError, match="nowhere"):
        farsum.coulomb_batch(x, q, cells, ptr=ptr, device="nowhere:0")
    none = farsum.coulomb_batch(np.empty((0, 3)), np.empty(0), 1.0, ptr=[0])
    assert none.energy.shape == (0,)


@pytest.mark.parametrize("kernel", ["laplace", "yukawa"])
def test_sums_with_derivatives_use_batches(many, monkeypatch, kernel):
    from farsum import _systems
    x, q, cells, _ = many
    index = np.repeat(np.arange(5), SIZES)
    sets = np.stack([q, np.sin(np.arange(len(q)))])
    options = {"tolerance": 1e-8}
    if kernel == "yukawa":
        options["kappa"] = 0.5
    total, called = _systems.total, []
    monkeypatch.setattr(_systems, "total", lambda *v, **k: called.append(1)
                        or total(*v, **k))

    def sums(exclude=None, **more):
        return _systems.sums(x, sets, cells, index, exclude, None, 5, True,
                             _systems.encoded(kernel, {**options, **more}))

    by_batch = sums()
    assert not called
    by_plans = sums(upsampling=1.5) if kernel == "laplace" \
        else sums(exclude=np.empty((0, 2), int))
    assert len(called) == 4  # an option that batches refuse; exclusions
    for a, b in zip(by_batch, by_plans):
        assert np.abs(a - b).max() < 1e-6 * np.abs(b).max()


@pytest.mark.parametrize("is_open", [False, True])
def test_derivatives_of_forces_use_batches(many, monkeypatch, is_open):
    from farsum import _systems
    x, q, cells, ptr = many
    f = np.cos(np.arange(2 * x.size)).reshape(2, *x.shape)
    sets = np.stack([q, np.sin(np.arange(len(q)))])
    how = _systems.encoded("laplace", {"tolerance": 1e-8})
    wanted = [_systems.pull_back(
        x[a:b], sets[:, a:b], None if is_open else cells[s:s + 1], None, None,
        None, f[:, a:b], None, 1, True, how)
        for s, (a, b) in enumerate(zip(ptr, ptr[1:]))]
    monkeypatch.setattr(_systems, "total", None)
    gx, gq, gcell = _systems.pull_back(
        x, sets, None if is_open else cells, np.repeat(np.arange(5), SIZES),
        None, None, f, None, 5, True, how)
    for s, (a, b) in enumerate(zip(ptr, ptr[1:])):
        for got, want in zip((gx[a:b], gq[:, a:b], gcell[s:s + 1]), wanted[s]):
            assert got.shape == want.shape
            assert np.abs(got - want).max(initial=0) \
                <= 1e-5 * np.abs(want).max(initial=0)


def test_torch(many):
    torch = pytest.importorskip("torch")
    x, q, cells, ptr = many
    r = farsum.coulomb_batch(*map(torch.tensor, (x, q, cells)), ptr=ptr)
    assert isinstance(r.forces, torch.Tensor) and r.energy.shape == (5,)


def test_on_a_device(many):
    """The host's sums by a device that shares its memory."""
    names = [d.name for d in farsum.devices()
             if d.available and d.name.startswith("opencl")]
    if not names:
        pytest.skip("no OpenCL device")
    x, q = many[0][:167], many[1][:167]
    cells, ptr = many[2][:4], many[3][:5]
    a, b = (farsum.coulomb_batch(x, q, cells, ptr=ptr, tolerance=1e-7,
                                 device=name) for name in (None, names[0]))
    assert (b.error <= 1e-7).all() and b.systems[2].method == "waves"
    assert abs(a.energy - b.energy).max() < 1e-5 * abs(a.energy).max()
    assert abs(a.field - b.field).max() < 1e-5 * abs(a.field).max()
    assert abs(a.energy[2] - b.energy[2]) < 1e-11 * abs(a.energy[2])
