# SPDX-License-Identifier: Apache-2.0
"""farsum.jax: XLA's handlers against the same sums from Python."""

import concurrent.futures
import locale

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp  # noqa: E402

import farsum  # noqa: E402
import farsum.jax as fj  # noqa: E402
from farsum import _systems  # noqa: E402

jax.config.update("jax_enable_x64", True)
INDEX = np.repeat([0, 2, 3], [20, 9, 31])
PAIRS = np.array([[0, 1], [22, 25], [40, 41]])
FACTORS = np.array([0.0, 0.5, 0.25])
KERNELS = {"laplace": {}, "yukawa": {"kappa": 0.4}, "r6": {}}


def four_systems(sets=2):
    """x, q, cells of systems in tilted cells; system 1 has no points."""
    rng = np.random.default_rng(5)
    cells = np.array([[[4.0, 0, 0], [1.0, 3.5, 0], [-0.5, 0.7, 4.2]]] * 4)
    cells *= np.array([1, 1, 0.8, 1.2])[:, None, None]
    x = np.einsum("ni,nij->nj", rng.random((60, 3)), cells[INDEX])
    q = rng.normal(size=(sets, 60))
    q[:, 3] = 0
    return x, q, cells


def close(got, want, part=1e-7):
    for a, b in zip(got, want):
        assert np.abs(a - b).max() <= part * max(np.abs(b).max(), 1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("is_open", [False, True])
def test_handlers_equal_python(kernel, pairs, is_open):
    # in open space devices do not have all kernels
    with jax.default_device(jax.devices("cpu")[0]):
        handlers_equal_python(kernel, pairs, is_open)


def handlers_equal_python(kernel, pairs, is_open):
    x, q, cells = four_systems()
    how = _systems.encoded(kernel, {"tolerance": 1e-9, **KERNELS[kernel]})
    given = (x, q, None if is_open else cells, INDEX,
             PAIRS if pairs else None, FACTORS if pairs else None)
    virial = not is_open
    close(fj._sums(*given, 4, virial, how),
          _systems.sums(*given, 4, virial, how))
    rng = np.random.default_rng(1)
    f, w = rng.normal(size=(2, 60, 3)), rng.normal(size=(2, 4, 3, 3))
    w = None if is_open else w
    close(fj._pull_back(*given, f, w, 4, virial, how),
          _systems.pull_back(*given, f, w, 4, virial, how), 1e-6)


def test_no_python_in_the_call():
    x, q, cells = four_systems(1)

    def loss(x):
        return (fj.coulomb(x, q[0], cells, INDEX).forces ** 2).sum()

    text = jax.jit(jax.grad(loss)).lower(x).as_text()
    assert "farsum_sums" in text and "farsum_pull_back" in text
    assert "callback" not in text


def test_vmap_is_one_call():
    x, q, cells = four_systems(3)

    def energy(x, q, cell):
        return fj.coulomb(x, q, cell, tolerance=1e-9).energy

    members = np.stack([x[:20], x[:20] + 0.1 * np.sin(x[:20])])
    run = jax.jit(jax.vmap(energy, (0, None, 0)))
    calls = run.lower(members, q[0, :20], cells[::2]).as_text()
    assert calls.count("@farsum_sums") == 1 and "while" not in calls
    want = [energy(a, q[0, :20], h) for a, h in zip(members, cells[::2])]
    close([run(members, q[0, :20], cells[::2])], [np.array(want)])
    sets = jax.vmap(energy, (None, 0, None))(x[:20], q[:, :20], cells[0])
    close([sets], [energy(x[:20], q[:, :20], cells[0])])
    nested = jax.vmap(jax.vmap(energy, (None, 0, None)), (0, None, 0))
    want = [energy(a, q[:, :20], h) for a, h in zip(members, cells[::2])]
    close([nested(members, q[:, :20], cells[::2])], [np.array(want)])


def test_nothing_to_sum():
    none, cell = jnp.zeros((0, 3)), 4 * jnp.eye(3)
    cells, index = jnp.stack([cell, cell]), jnp.zeros(0, int)
    assert fj.coulomb(none, none[:, 0], cell, virial=True).energy == 0
    assert fj.coulomb(none, none[:, 0], cells, index).energy.tolist() == [0, 0]
    assert fj.coulomb(none, none[:, 0], None, index).energy.shape == (0,)
    x, q = four_systems(1)[0][:20], jnp.zeros(20)
    got = jax.grad(lambda x: (fj.coulomb(x, q, cell).forces ** 2).sum())(x)
    assert (got == 0).all() and fj.coulomb(x, q, cell).energy == 0


def test_threads_share_the_kept_plans():
    x, q, cells = four_systems(1)
    run = jax.jit(jax.grad(lambda x, h: fj.coulomb(
        x, q[0, :20], h, tolerance=1e-8).energy))
    scales = 1 + 0.01 * np.arange(8)
    want = [np.asarray(run(s * x[:20], s * cells[0])) for s in scales]
    farsum.cache.plans.clear()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            got = pool.map(lambda s: np.asarray(
                run(s * x[:20], s * cells[0])), scales)
            close(got, want, 1e-6)


def test_errors_have_the_words_of_the_library(caplog):
    x, q, cells = four_systems(1)
    bad = x.copy()
    bad[23] = np.nan
    run = jax.jit(lambda x: fj.coulomb(x, q[0], cells, INDEX).energy)
    want = run(x)
    # a class of JAX: by its version and by the status
    with pytest.raises(Exception, match="system 2: .*source 3"):
        run(bad).block_until_ready()
    with pytest.raises(Exception, match="system 2: .*source 3"):
        fj.coulomb(bad, q[0], cells, INDEX, exclude=[[0, 1]]) \
            .energy.block_until_ready()
    with pytest.raises(Exception, match="sorted"):
        fj.coulomb(x, q[0], cells, INDEX[::-1]).energy.block_until_ready()
    with pytest.raises(Exception, match="two systems"):
        fj.coulomb(x, q[0], cells, INDEX, exclude=[[0, 59]]) \
            .energy.block_until_ready()
    for pair in ([-1, -2], [60, 61]):
        with pytest.raises(Exception, match="exclude names source"):
            fj.coulomb(x, q[0], cells, INDEX, exclude=[pair]) \
                .energy.block_until_ready()
    assert (run(x) == want).all()
    for wrong, error, words in [
            ({"tolerence": 1e-3}, TypeError, "tolerance"),
            ({"progress": True}, farsum.UnsupportedError, "progress"),
            ({"n_targets": 3}, farsum.UnsupportedError, "n_targets"),
            ({"method": "ewold"}, Exception, "ewald")]:
        with pytest.raises(error, match=words):
            fj.coulomb(x, q[0], cells[0], **wrong).energy.block_until_ready()
    skewed = cells[0] + 9 * np.outer([0, 1, 0], cells[0][0])
    fj.coulomb(x[:20], q[0, :20], skewed).energy.block_until_ready()
    assert "shorter basis" in caplog.text


def test_numbers_do_not_follow_the_locale():
    x, q, cells = four_systems(1)
    how = {"coulomb": 14.399645, "tolerance": 1e-6}
    want = fj.coulomb(x[:20], q[0, :20], cells[0], **how).energy
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
    except locale.Error:
        pytest.skip("no locale with a decimal comma")
    try:
        farsum.cache.plans.clear()
        got = fj.coulomb(x[:20], q[0, :20], cells[0], **how).energy
    finally:
        locale.setlocale(locale.LC_ALL, before)
    assert got == want


@pytest.mark.skipif(jax.default_backend() == "cpu", reason="no GPU")
def test_gpu_has_the_numbers_of_the_host():
    x, q, cells = four_systems()

    def outputs_and_slopes(x, q, cells):
        tolerance = 1e-9 if x.dtype == np.float64 else 1e-6

        def loss(x, q, cells):
            r = fj.coulomb(x, q, cells, INDEX, virial=True,
                           tolerance=tolerance)
            return r.energy.sum() + (r.forces ** 2).mean() \
                + (r.stress ** 2).sum()
        r = fj.coulomb(x, q, cells, INDEX, virial=True, tolerance=tolerance)
        return (*r, *jax.grad(loss, (0, 1, 2))(x, q, cells))

    for kind, part in ((np.float64, 1e-6), (np.float32, 1e-3)):
        given = [np.asarray(v, kind) for v in (x, q, cells)]
        found = [[np.asarray(v) for v in jax.jit(outputs_and_slopes)(
            *jax.device_put(given, jax.devices(where)[0]))]
            for where in ("gpu", "cpu")]
        close(*found, part)


@pytest.mark.skipif(jax.default_backend() == "cpu", reason="no GPU")
def test_gpu_sums_many_points():
    rng = np.random.default_rng(2)
    x, q = 30 * rng.random((20000, 3)), 1.0 - 2 * (np.arange(20000) % 2)
    run = jax.jit(lambda x, q: fj.coulomb(x, q, 30 * jnp.eye(3), virial=True))
    want = farsum.coulomb(x, q, 30.0, tolerance=1e-7)
    for _ in range(3):
        got = run(jnp.asarray(x), jnp.asarray(q))
        error = np.linalg.norm(got.forces - want.forces)
        assert error < 2e-5 * np.linalg.norm(want.forces)
