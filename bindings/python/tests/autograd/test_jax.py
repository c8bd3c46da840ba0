# SPDX-License-Identifier: Apache-2.0
"""farsum.jax: derivatives, batches and JAX's transformations."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402
from jax.test_util import check_grads  # noqa: E402

import farsum  # noqa: E402
import farsum.jax as fj  # noqa: E402
from conftest import run_blocks  # noqa: E402

FINE = {"tolerance": 1e-11}
CHECK = {"modes": ["rev"], "eps": 1e-4, "atol": 1e-5, "rtol": 1e-5}
jax.config.update("jax_enable_x64", True)


def tilted(n=8, seed=0):
    """Charges in a tilted cell, one outside it, one zero, with net charge."""
    rng = np.random.default_rng(seed)
    cell = np.array([[4.0, 0, 0], [1.0, 3.5, 0], [-0.5, 0.7, 4.2]])
    x, q = rng.random((n, 3)) @ cell, rng.normal(size=n)
    x[2] += 2 * cell[1]
    q[3] = 0
    return x, q, cell


def test_blocks(capsys):
    run_blocks("docs/jax.md")
    assert capsys.readouterr().out


def test_result_is_that_of_the_library():
    x, q, cell = tilted(30)
    r = fj.coulomb(x, q, cell, units="metal", virial=True)
    s = farsum.coulomb(x, q, cell, units="metal",
                       outputs="potential field energy virial")
    for name in ("energy", "potential", "forces", "virial"):
        assert np.allclose(getattr(r, name), getattr(s, name))
    assert np.allclose(r.stress, -s.virial / np.linalg.det(cell))
    assert fj.coulomb(x, q, cell).virial is None


@pytest.mark.parametrize("name", ["coulomb", "yukawa", "open"])
def test_derivatives(name):
    x, q, cell = tilted()

    def sums(x, q, cell):
        if name == "yukawa":
            return fj.yukawa(x, q, 0.7, cell, virial=True, **FINE)
        if name == "open":
            return fj.gravity(x, q, 2.0, 0.1, **FINE)
        return fj.coulomb(x, q, cell, virial=True, exclude=[[0, 1]],
                          factors=[0.5], **FINE)

    check_grads(lambda *v: tuple(sums(*v)), (x, q, cell), order=1, **CHECK)
    check_grads(lambda *v: sums(*v).energy, (x, q, cell), order=2, **CHECK)


def test_batches_and_sets():
    x, q, cell = tilted(12)
    index = np.repeat([0, 2], [5, 7])
    cells = np.stack([cell, cell, 1.05 * cell])

    def loss(x, q, cells):
        r = fj.coulomb(x, q, cells, index, virial=True, **FINE)
        return r.energy[0] ** 2 + (r.forces ** 2).sum() + (r.stress ** 2).sum()

    r = fj.coulomb(x, q, cells, index, **FINE)
    one = fj.coulomb(x[5:], q[5:], cells[2], **FINE)
    assert r.energy.shape == (3,) and r.energy[1] == 0
    assert np.allclose(r.energy[2], one.energy)
    check_grads(loss, (x, q, cells), order=1, modes=["rev"], eps=1e-5,
                atol=1e-4, rtol=1e-4)
    sets = jnp.stack([q, 1e-3 * q[::-1]])
    assert fj.coulomb(x, sets, cell).energy.shape == (2,)
    check_grads(lambda *v: fj.coulomb(*v, **FINE).energy, (x, sets, cell),
                order=2, **CHECK)


def test_transformations():
    x, q, cell = tilted()

    def energy(x, q, cell):
        return fj.coulomb(x, q, cell, **FINE).energy

    slopes = jax.grad(energy, (0, 1, 2))
    for a, b in zip(jax.jit(slopes)(x, q, cell), slopes(x, q, cell)):
        assert np.allclose(a, b)
    many = jnp.stack([x, x + 0.1 * np.sin(x)])
    got = jax.vmap(slopes, (0, None, None))(many, q, cell)
    want = [slopes(v, q, cell) for v in many]
    for k, a in enumerate(got):
        assert np.allclose(a, np.stack([v[k] for v in want]), atol=1e-9)
    hessian = jax.jacrev(jax.jacrev(energy))(x, q, cell).reshape(24, 24)
    assert np.allclose(hessian, hessian.T, atol=1e-8)
    with pytest.raises(farsum.UnsupportedError, match="derived once"):
        jax.grad(lambda x: (jax.grad(lambda x: (jax.grad(energy)(
            x, q, cell) ** 2).sum())(x) ** 2).sum())(x)


def test_f32():
    x, q, cell = tilted(40)
    narrow = [jnp.asarray(v, jnp.float32) for v in (x, q, cell)]

    def loss(*v, **options):
        r = fj.coulomb(*v, virial=True, **options)
        return (r.forces ** 2).sum() + (r.stress ** 2).sum() + r.energy

    got = jax.grad(loss, (0, 1, 2))(*narrow)
    want = jax.grad(lambda *v: loss(*v, **FINE), (0, 1, 2))(x, q, cell)
    for a, b in zip(got, want):
        assert a.dtype == jnp.float32
        assert np.linalg.norm(a - b) < 1e-3 * np.linalg.norm(b)


def test_refusals():
    x, q, cell = tilted()
    for call, error, words in [
            (lambda: fj.coulomb(x, q[:3], cell), ValueError, "8 positions"),
            (lambda: fj.coulomb(x, q, cell[:2]), ValueError, "shape"),
            (lambda: fj.coulomb(x, q, cell, targets=x), NotImplementedError,
             "targets"),
            (lambda: fj.coulomb(x.astype(int), q, cell), ValueError, "f32"),
            (lambda: fj.coulomb(x * np.nan, q, cell).energy
             .block_until_ready(), Exception, "not finite"),
            (lambda: jax.jit(fj.coulomb)(x * np.nan, q, cell).energy
             .block_until_ready(), Exception, "not finite")]:
        with pytest.raises(error, match=words):
            call()
