# SPDX-License-Identifier: Apache-2.0
"""Arrays of a GPU: CuPy, PyTorch and JAX; skipped without a GPU."""
import numpy as np
import pytest

import farsum

cupy = pytest.importorskip("cupy")
try:
    devices = cupy.cuda.runtime.getDeviceCount()
except Exception:  # no driver
    devices = 0
if devices == 0:
    pytest.skip("no GPU", allow_module_level=True)

N, TOLERANCE = 2000, 1e-5


@pytest.fixture
def salt():
    rng = np.random.default_rng(5)
    x = rng.random((N, 3)) * 10
    q = np.tile([1.0, -1.0], N // 2)
    exact = farsum.coulomb(x, q, cell=[10, 10, 10], tolerance=1e-10)
    return x, q, exact


def off(found, exact):
    return float(np.sqrt(((found - exact) ** 2).sum() / (exact ** 2).sum()))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_cupy(salt, dtype):
    x, q, exact = salt
    r = farsum.coulomb(cupy.asarray(x, dtype), cupy.asarray(q, dtype),
                       cell=[10, 10, 10], tolerance=TOLERANCE)
    assert isinstance(r.forces, cupy.ndarray) and r.forces.dtype == dtype
    assert off(cupy.asnumpy(r.forces), exact.forces) < TOLERANCE
    assert abs(float(r.energy) - exact.energy) < 1e-5 * abs(exact.energy)


def test_streams(salt):
    """Work of the caller's stream comes before and after the sum."""
    x, q, exact = salt
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        slow = cupy.ones((3000, 3000))
        for _ in range(20):
            slow = slow @ slow
            slow /= slow.max()
        given = cupy.asarray(x) * slow[0, 0]
        r = farsum.coulomb(given, cupy.asarray(q), cell=[10] * 3,
                           tolerance=TOLERANCE)
        twice = 2 * r.forces
    stream.synchronize()
    assert off(cupy.asnumpy(twice), 2 * exact.forces) < TOLERANCE


def test_torch(salt):
    torch = pytest.importorskip("torch")
    x, q, exact = salt
    r = farsum.coulomb(torch.tensor(x, device="cuda"),
                       torch.tensor(q, device="cuda"), cell=[10] * 3,
                       tolerance=TOLERANCE)
    assert isinstance(r.forces, torch.Tensor) and r.forces.is_cuda
    assert off(r.forces.cpu().numpy(), exact.forces) < TOLERANCE


def test_jax(salt):
    jax = pytest.importorskip("jax")
    x, q, exact = salt
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    jax.config.update("jax_enable_x64", True)
    r = farsum.coulomb(jax.numpy.asarray(x), jax.numpy.asarray(q),
                       cell=[10] * 3, tolerance=TOLERANCE)
    assert off(cupy.asnumpy(r.forces), exact.forces) < TOLERANCE


def test_hvp(salt):
    x, q, _ = salt
    v = np.sin(np.arange(3.0 * N)).reshape(N, 3)
    got = []
    for place in (np, cupy):
        with farsum.Plan(kernel="charge_dipole", cell=[10, 10, 10],
                         tolerance=1e-9, outputs="field gradient",
                         sample=(place.asarray(x), place.asarray(
                             np.c_[q, q[:, None] * v]))) as plan:
            plan.set_points(place.asarray(x))
            product = plan.hvp(place.asarray(q), place.asarray(v))
            assert isinstance(product, place.ndarray)
            got.append(np.asarray(product.tolist()))
    assert off(got[1], got[0]) < 1e-7


def test_mesh_and_nufft():
    rng = np.random.default_rng(6)
    x = rng.random((N, 3)) * 2 * np.pi
    c = rng.standard_normal(N) + 1j * rng.standard_normal(N)
    f = farsum.nufft1(x, c, (16, 12, 10), tolerance=1e-8)
    g = farsum.nufft1(cupy.asarray(x), cupy.asarray(c), (16, 12, 10),
                      tolerance=1e-8)
    assert isinstance(g, cupy.ndarray)
    a, b = np.asarray(f), cupy.asnumpy(g)
    assert np.linalg.norm(a - b) < 3e-8 * np.linalg.norm(a)


def test_many_sums(salt):
    """A loop keeps its plan, and memory does not grow."""
    x, q, _ = salt
    gx, gq = cupy.asarray(x), cupy.asarray(q)
    for _ in range(3):
        farsum.coulomb(gx, gq, cell=[10] * 3, tolerance=TOLERANCE)
    free = cupy.cuda.runtime.memGetInfo()[0]
    for _ in range(100):
        farsum.coulomb(gx, gq, cell=[10] * 3, tolerance=TOLERANCE)
    cupy.get_default_memory_pool().free_all_blocks()
    assert cupy.cuda.runtime.memGetInfo()[0] > free - (32 << 20)


def test_batch():
    """Device arrays: the host's sums, on the device."""
    rng = np.random.default_rng(6)
    sizes = (60, 0, 300)
    cells = np.array([np.eye(3) * max(n, 1) ** (1 / 3) for n in sizes])
    x = np.concatenate([rng.random((n, 3)) @ h for n, h in zip(sizes, cells)])
    q = np.resize([1.0, -1.0], len(x))
    ptr = np.cumsum((0,) + sizes)
    for tolerance, most in ((1e-4, 1e-5), (1e-7, 1e-11)):
        exact = farsum.coulomb_batch(x, q, cells, ptr=ptr, tolerance=tolerance)
        r = farsum.coulomb_batch(cupy.asarray(x), cupy.asarray(q),
                                 cupy.asarray(cells), ptr=cupy.asarray(ptr),
                                 tolerance=tolerance)
        assert isinstance(r.field, cupy.ndarray)
        assert isinstance(r.energy, cupy.ndarray) and r.energy[1] == 0
        assert off(cupy.asnumpy(r.forces), exact.forces) < most
        assert off(cupy.asnumpy(r.energy), exact.energy) < most
