# SPDX-License-Identifier: Apache-2.0
"""Meshes and nonuniform Fourier transforms."""

import numpy as np
import pytest

import farsum

MODES = (6, 7, 4)


def waves(modes):
    return np.stack(np.meshgrid(*[np.arange(-(n // 2), (n + 1) // 2)
                                  for n in modes], indexing="ij"), -1)


@pytest.fixture
def points():
    rng = np.random.default_rng(5)
    x = rng.random((40, 3)) * 2 * np.pi
    return x, rng.normal(size=40) + 1j * rng.normal(size=40)


def test_nufft(points):
    x, c = points
    phase = np.tensordot(waves(MODES), x, (3, 1))
    f = farsum.nufft1(x, c, MODES, tolerance=1e-10)
    right = np.exp(1j * phase) @ c
    assert np.linalg.norm(f - right) < 1e-9 * np.linalg.norm(right)
    back = farsum.nufft2(x, f, tolerance=1e-10)
    right = np.tensordot(f, np.exp(-1j * phase), 3)
    assert np.linalg.norm(back - right) < 1e-9 * np.linalg.norm(right)
    # adjoints: <f, F c> = <F* f, c>
    assert np.vdot(f, f) == pytest.approx(np.vdot(back, c), rel=1e-8)


def test_nufft_of_several_vectors_and_f32(points):
    x, c = points
    both = farsum.nufft1(x, np.stack([c, 2j * c]), MODES)
    assert both.shape == (2, *MODES)
    assert np.allclose(both[1], 2j * both[0], rtol=1e-4, atol=1e-4)
    narrow = farsum.nufft1(x.astype("f4"), c.astype("c8"), MODES, tolerance=1e-4)
    assert narrow.dtype == np.complex64
    assert np.allclose(narrow, both[0], rtol=1e-2, atol=1e-2)
    assert farsum.nufft2(x, both).shape == (2, 40)
    assert len(farsum.cache.plans) == 3


def test_nufft_refusals(points):
    x, c = points
    with pytest.raises(farsum.UnsupportedError, match="2 dimensions"):
        farsum.nufft1(x, c, (8, 8))
    with pytest.raises(farsum.UnsupportedError, match="type 3"):
        farsum.nufft3(x, c, x)
    with pytest.raises(farsum.ArgumentError, match="c has the shape"):
        farsum.nufft1(x, c[:-1], MODES)
    with pytest.raises(farsum.ToleranceError):
        farsum.nufft1(x, c, MODES, tolerance=1e-30)
    with pytest.raises(farsum.PositionError):
        farsum.nufft1(x * np.nan, c, MODES)


def test_mesh(points):
    x, c = points
    q = c.real.copy()
    with farsum.Mesh((16, 20, 18), cell=2 * np.pi, window="bspline",
                     support=5) as mesh:
        with pytest.raises(farsum.StateError, match="set_points"):
            mesh.spread(q)
        mesh.set_points(x)
        rho = mesh.spread(q)
        assert rho.shape == (16, 20, 18)
        assert rho.sum() == pytest.approx(q.sum())
        value, gradient = mesh.interp(rho, gradient=True)
        assert value.shape == (40,) and gradient.shape == (40, 3)
        assert q @ value == pytest.approx((rho * rho).sum())
        step = np.zeros_like(x)
        step[:, 1] = 1e-5
        mesh.set_points(x + step)
        up = mesh.interp(rho)
        mesh.set_points(x - step)
        assert (up - mesh.interp(rho)) / 2e-5 == pytest.approx(
            gradient[:, 1], abs=1e-6)
        assert mesh.hat(0.0) == pytest.approx(mesh.info.integral)
        assert mesh.info.window == "bspline" and mesh.info.support == 5
        out = np.empty_like(rho)
        assert mesh.spread(q, out=out) is out
        with pytest.raises(farsum.ArgumentError, match="q has the shape"):
            mesh.spread(q[:-1])
    with pytest.raises(farsum.StateError, match="closed"):
        mesh.set_points(x)


def test_complex_channels(points):
    x, c = points
    with farsum.Mesh((8, 8, 8), cell=2 * np.pi, tolerance=1e-4, channels=2,
                     is_complex=True) as mesh:
        mesh.set_points(x)
        rho = mesh.spread(np.stack([c, c.conj()]))
        assert rho.shape == (2, 8, 8, 8) and rho.dtype == np.complex128
        assert np.allclose(rho[1], rho[0].conj())
