# SPDX-License-Identifier: Apache-2.0
"""farsum.torch: derivatives, batches and PyTorch's transformations.

FARSUM_TORCH_DEVICE=cuda runs the same tests on a GPU.
"""

import os

import pytest

torch = pytest.importorskip("torch")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402
from torch.library import opcheck  # noqa: E402

import farsum  # noqa: E402
import farsum.torch as ft  # noqa: E402
from farsum import _torch_ops as ops  # noqa: E402
from farsum import _systems as parts  # noqa: E402

DEVICE = os.environ.get("FARSUM_TORCH_DEVICE", "cpu")
FINE = {"tolerance": 1e-11}
if DEVICE != "cpu":  # differences ask for a hundredth; devices reach 1e-12
    FINE = {"tolerance": 1e-10, "deterministic": True}
# steps of the numerical derivatives, and what they leave
CHECK = {"eps": 1e-4, "atol": 1e-6, "rtol": 1e-5}


def tilted(n=8, seed=0, dtype=torch.float64):
    """Charges in a tilted cell, one outside it, one zero, with net charge."""
    rng = torch.Generator().manual_seed(seed)
    cell = torch.tensor([[4.0, 0, 0], [1.0, 3.5, 0], [-0.5, 0.7, 4.2]],
                        dtype=torch.float64)
    x = torch.rand(n, 3, generator=rng, dtype=torch.float64) @ cell
    q = torch.randn(n, generator=rng, dtype=torch.float64)
    x[2:3] += 2 * cell[1]
    q[3:4] = 0
    return [v.to(DEVICE, dtype).requires_grad_() for v in (x, q, cell)]


def outputs(r):
    return [v for v in r if v is not None]


KERNELS = {
    "laplace": lambda x, q, h, **o: ft.coulomb(x, q, h, **FINE, **o),
    "vacuum": lambda x, q, h, **o: ft.coulomb(
        x, q - q.mean(), h, surface="vacuum", coulomb=2.0, **FINE, **o),
    "yukawa": lambda x, q, h, **o: ft.yukawa(x, q, 0.7, h, **FINE, **o),
    "r6": lambda x, q, h, **o: ft.r6(x, q, h, coulomb=-1, **FINE, **o),
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_first_derivatives_of_all_outputs(kernel):
    def run(*inputs):
        return tuple(outputs(KERNELS[kernel](*inputs)))

    scale = 1e3 if kernel == "r6" else 1.0
    assert gradcheck(run, tilted(), eps=1e-4, atol=1e-6 * scale, rtol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS)
def test_second_derivatives_of_the_energy(kernel):
    def run(*inputs):
        return KERNELS[kernel](*inputs).energy

    scale = 1e3 if kernel == "r6" else 1.0
    assert gradgradcheck(run, tilted(), eps=1e-4, atol=1e-6 * scale, rtol=1e-5)


@pytest.mark.parametrize("periodic", [(True, True, False),
                                      (False, True, True),
                                      (False, True, False)])
def test_slabs_and_wires(periodic):
    if DEVICE != "cpu" and sum(periodic) == 1:
        pytest.skip("devices sum no wires")
    x, q, cell = tilted()
    if sum(periodic) == 1:
        cell = torch.diag(torch.diag(cell)).detach().requires_grad_()

    def run(*inputs):
        return tuple(outputs(ft.coulomb(*inputs, periodic=periodic, **FINE)))

    inputs = (x, q - q.mean(), cell)
    r = farsum.coulomb(*(v.detach() for v in inputs), periodic=periodic,
                       outputs="energy", **FINE)
    assert run(*inputs)[0].item() == pytest.approx(float(r.energy), rel=1e-9)
    assert gradcheck(run, inputs, **CHECK)
    if sum(periodic) == 2:  # wires take a minute
        assert gradgradcheck(lambda *v: run(*v)[0], inputs, **CHECK)


@pytest.mark.parametrize("row", [0.0, 1e6])
def test_open_vectors_do_not_matter(row):
    """Neither to values nor to derivatives of any order."""
    found = []
    for z in (4.2, row):
        x, q, cell = (v.detach() for v in tilted(12))
        q, cell[2] = q - q.mean(), torch.tensor([0.0, 0.0, z])
        x = (0.01 * x).requires_grad_()
        cell = (0.01 * cell).requires_grad_()
        r = ft.coulomb(x, q, cell, periodic=(True, True, False),
                       tolerance=1e-9)
        first = torch.autograd.grad(r.energy, (x, cell), retain_graph=True)
        second = torch.autograd.grad((r.forces[:, 0] * q).sum(), (x, cell))
        found.append((r.energy.detach(), *first, *second))
    for a, b in zip(*found):
        assert torch.isfinite(b).all()
        assert (a - b).norm() < 1e-5 * a.norm()


def test_batches_of_slabs():
    x, q, cell = tilted()
    both = ft.coulomb(torch.cat([x, x]), torch.cat([q, q]), cell,
                      torch.tensor([0] * 8 + [1] * 8, device=DEVICE),
                      periodic=(True, True, False), **FINE)
    one = ft.coulomb(x, q, cell, periodic=[True, True, False], **FINE)
    assert torch.allclose(both.energy, one.energy.expand(2))
    assert torch.allclose(both.forces, one.forces.repeat(2, 1))
    with pytest.raises(farsum.ArgumentError, match="no axis"):
        ft.coulomb(x, q, cell, periodic=False)


@pytest.mark.parametrize("softening", [0.0, 0.3])
def test_gravity_in_open_space(softening):
    x, m, _ = tilted()
    m = m.detach().abs().requires_grad_()

    def run(x, m):
        r = ft.gravity(x, m, 4.3, softening, **FINE)
        assert r.virial is None and r.stress is None
        return r.energy, r.potential, r.forces

    assert gradcheck(run, (x, m), **CHECK)
    assert gradgradcheck(lambda x, m: run(x, m)[0], (x, m), **CHECK)


def test_second_derivatives_of_potentials():
    x, q, cell = tilted(6)
    assert gradgradcheck(lambda *v: ft.coulomb(*v, **FINE).potential,
                         (x, q, cell), **CHECK)


def test_exclusions():
    pairs, factors = [[0, 1], [4, 2]], [0.5, 0.0]

    def run(*inputs):
        r = ft.coulomb(*inputs, exclude=pairs, factors=factors, **FINE)
        return r.energy, r.forces, r.stress

    inputs = tilted()
    assert gradcheck(run, inputs, **CHECK)
    assert gradgradcheck(lambda *v: run(*v)[0], inputs, **CHECK)
    whole = ft.coulomb(*inputs, **FINE).energy
    assert not torch.isclose(run(*inputs)[0], whole)


def test_dipoles_equal_differences():
    x, q, cell = tilted(20)
    f = torch.randn(1, 20, 3, dtype=x.dtype,
                    generator=torch.Generator().manual_seed(1)).to(DEVICE)
    how = parts.encoded("laplace", FINE)
    part, = parts.parts(x.detach(), q.detach()[None], cell.detach()[None], None,
                      None, None, 1)
    one = parts.by_dipoles(part, f, True, how)
    two = parts.by_differences(part, f, None, True, how)
    for a, b in zip(one, two):
        assert (a - b).norm() < 1e-7 * b.norm()


def test_result_is_that_of_the_library():
    x, q, cell = tilted(30)
    r = ft.coulomb(x, q, cell, units="metal", virial=True)
    s = farsum.coulomb(x, q, cell, units="metal",
                       outputs="potential field energy virial")
    assert r.energy.item() == pytest.approx(float(s.energy))
    for name in ("potential", "forces", "virial"):
        assert torch.allclose(getattr(r, name), getattr(s, name).to(DEVICE))
    volume = torch.linalg.det(cell)
    assert torch.allclose(r.stress, -s.virial.to(DEVICE) / volume)


def test_f32():
    wide = tilted(40)
    narrow = [v.detach().float().requires_grad_() for v in wide]
    for way in (lambda r: r.energy, lambda r: r.forces.square().sum(),
                lambda r: r.stress.square().sum()):
        want = torch.autograd.grad(way(ft.coulomb(*wide, **FINE)), wide)
        got = torch.autograd.grad(
            way(ft.coulomb(*narrow, tolerance=1e-5)), narrow)
        for a, b in zip(got, want):
            assert a.dtype == torch.float32
            assert (a - b).norm() < 1e-3 * b.norm()


def test_derivatives_hold_to_the_tolerance():
    rng = torch.Generator().manual_seed(2)
    grid = torch.cartesian_prod(*[torch.arange(7).double()] * 3)
    noise = torch.rand(300, 3, generator=rng, dtype=torch.float64)
    x = (grid[torch.randperm(343, generator=rng)[:300]] + 0.3 * noise) * 2
    q = 1.0 - 2.0 * (torch.arange(300) % 2).double()
    inputs = [v.to(DEVICE).requires_grad_()
              for v in (x, q, 14 * torch.eye(3, dtype=torch.float64))]
    along = noise.to(DEVICE) - 0.5

    def gradients(tolerance):
        r = ft.coulomb(*inputs, tolerance=tolerance)
        return [torch.autograd.grad(loss, inputs, retain_graph=True) for loss in
                (r.energy, (r.forces * along).sum(),
                 (r.stress * along[:3]).sum())]

    for got, want in zip(gradients(1e-5), gradients(1e-10)):
        for a, b in zip(got, want):
            assert (a - b).norm() < 5e-5 * b.norm()


def batch_of(sizes):
    systems = [tilted(n, seed) for seed, n in enumerate(sizes)]
    x, q = (torch.cat([s[k].detach() for s in systems]) for k in (0, 1))
    cell = torch.stack([s[2].detach() * (1 + 0.02 * k)
                        for k, s in enumerate(systems)])
    index = torch.repeat_interleave(torch.arange(len(sizes)),
                                    torch.tensor(sizes)).to(DEVICE)
    return x, q, cell, index


def test_a_batch_is_a_loop():
    x, q, cell, index = batch_of([8, 0, 11, 9])
    x, q, cell = (v.requires_grad_() for v in (x, q, cell))

    def loss(r):
        return r.energy.square().sum() + r.forces.square().sum() \
            + r.stress.square().sum()

    r = ft.coulomb(x, q, cell, index, **FINE)
    assert r.energy.shape == (4,) and r.energy[1] == 0
    got = torch.autograd.grad(loss(r), (x, q, cell))
    each = [ft.coulomb(x[index == k], q[index == k], cell[k], **FINE)
            for k in (0, 2, 3)]
    want = torch.autograd.grad(sum(map(loss, each)), (x, q, cell))
    for a, b in zip(got, want):
        assert torch.allclose(a, b, rtol=1e-7, atol=1e-9)
    # one cell for all, and open space
    assert ft.coulomb(x, q, cell[0], index).energy.shape == (4,)
    assert ft.coulomb(x, q, None, index).energy.shape == (4,)


def test_derivatives_of_a_batch():
    x, q, cell, index = batch_of([5, 6])
    inputs = [v.requires_grad_() for v in (x, q, cell)]

    def run(*v):
        return ft.coulomb(*v, index, exclude=[[0, 1], [6, 7]], **FINE).energy

    assert gradcheck(run, inputs, **CHECK)
    assert gradgradcheck(run, inputs, **CHECK)


def test_sets_of_charges():
    x, q, cell = tilted(6)
    sets = torch.stack([q.detach(), q.detach().flip(0) * 1e-3]).requires_grad_()
    r = ft.coulomb(x, sets, cell, **FINE)
    assert r.energy.shape == (2,) and r.stress.shape == (2, 3, 3)

    def run(*v):
        return tuple(outputs(ft.coulomb(*v, **FINE)))

    assert gradcheck(run, (x, sets, cell), **CHECK)
    assert gradgradcheck(lambda *v: run(*v)[0], (x, sets, cell), **CHECK)


def test_operators():
    x, q, cell = tilted(6)
    _, _, _, index = batch_of([4, 2])
    how = parts.encoded("laplace", FINE)
    pairs = torch.tensor([[0, 1]])
    half = torch.tensor([0.5])
    cells = cell.detach().expand(2, 3, 3).contiguous().requires_grad_()
    for cases in ((cells[:1].detach().requires_grad_(), None, None, None, 1),
                  (None, None, pairs, half, 1), (cells, index, None, None, 2)):
        h, at, exclude, factors, systems = cases
        opcheck(ops.sums, (x, q[None], h, at, exclude, factors, systems,
                           h is not None, how), atol=1e-7, rtol=1e-7)
        f = torch.randn(1, 6, 3, dtype=x.dtype, device=DEVICE)
        w = torch.randn(1, systems, 3, 3, dtype=x.dtype, device=DEVICE)
        plain = [None if v is None else v.detach() for v in (x, q[None], h)]
        opcheck(ops.pull_back, (*plain, at, exclude, factors, f, w, systems,
                                h is not None, how), atol=1e-7, rtol=1e-7)


def test_vmap():
    x, q, cell = (v.detach() for v in tilted(6))
    xs = torch.stack([x, x + 0.1 * torch.randn_like(x)])
    qs = torch.stack([q, 2 * q, q.flip(0)])

    def energy(x, q, cell):
        return ft.coulomb(x, q, cell, **FINE).energy

    def force_loss(x, q, cell):
        r = ft.coulomb(x, q, cell, virial=True, **FINE)
        return (r.forces ** 2).sum() + (r.stress ** 2).sum()

    got = torch.vmap(energy, (None, 0, None))(x, qs, cell)
    assert torch.allclose(got, torch.stack([energy(x, v, cell) for v in qs]))
    got = torch.vmap(energy, (0, None, None))(xs, q, cell)
    assert torch.allclose(got, torch.stack([energy(v, q, cell) for v in xs]))
    for loss in (energy, force_loss):
        slope = torch.func.grad(loss, (0, 1, 2))
        got = torch.vmap(slope, (0, None, None))(xs, q, cell)
        want = [slope(v, q, cell) for v in xs]
        for k, a in enumerate(got):
            b = torch.stack([v[k] for v in want])
            assert (a - b).norm() < 1e-6 * b.norm()
    jacobian = torch.func.jacrev(
        lambda q: ft.coulomb(x, q, cell, **FINE).potential)(q)
    assert torch.allclose(jacobian, jacobian.T)
    assert torch.allclose(jacobian @ q, ft.coulomb(x, q, cell, **FINE).potential)


def test_hessian():
    x, q, cell = (v.detach() for v in tilted(4))

    def energy(x):
        return ft.coulomb(x, q, cell, **FINE).energy

    one = torch.autograd.functional.hessian(energy, x)
    two = torch.func.jacrev(torch.func.jacrev(energy))(x)
    assert torch.allclose(one, two, atol=1e-8)
    assert torch.allclose(one.reshape(12, 12), one.reshape(12, 12).T, atol=1e-7)


def test_autocast():
    x, q, cell = tilted(20, dtype=torch.float32)
    half = q.detach().bfloat16().requires_grad_()
    want = ft.coulomb(x, half.float(), cell).energy
    with torch.autocast(DEVICE, torch.bfloat16):
        got = ft.coulomb(x, half, cell).energy
        raw = ops.sums(x, half[None], cell[None], None, None, None, 1, False,
                       parts.encoded("laplace", {}))[0]
    assert got.dtype == raw.dtype == torch.float32
    assert torch.allclose(got, want) and torch.allclose(raw[0, 0], want)
    got.backward()
    assert half.grad.dtype == torch.bfloat16


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compile(backend):
    x, q, cell = tilted(20)
    layer = ft.Coulomb(**FINE)

    def loss(x, q, cell):
        r = layer(x, q, cell)
        named = ft.coulomb(x, q * 2, cell, tolerance=1e-9, units="metal")
        return r.forces.square().sum() + r.stress.square().sum() \
            + r.energy + named.energy

    torch._dynamo.reset()
    fast = torch.compile(loss, fullgraph=True, backend=backend)
    want = torch.autograd.grad(loss(x, q, cell), (x, q, cell))
    got = torch.autograd.grad(fast(x, q, cell), (x, q, cell))
    for a, b in zip(got, want):
        assert (a - b).norm() < 1e-9 * b.norm()


def test_no_third_derivatives():
    x, q, cell = tilted(4)
    energy = ft.coulomb(x, q, cell).energy
    g, = torch.autograd.grad(energy, x, create_graph=True)
    h, = torch.autograd.grad(g.square().sum(), x, create_graph=True)
    with pytest.raises(farsum.UnsupportedError, match="derived once"):
        torch.autograd.grad(h.sum(), x)


def test_nothing_to_sum():
    x, q, cell = tilted()
    zero = torch.zeros_like(q).requires_grad_()
    r = ft.coulomb(x, zero, cell)
    assert r.energy == 0 and not r.forces.any()
    got = torch.autograd.grad(r.energy, (x, zero, cell), create_graph=True)
    assert not any(v.any() for v in got)
    # the potentials are linear, so their derivatives are not zero
    a, = torch.autograd.grad(r.potential[0], zero)
    unit = torch.zeros_like(q).index_fill(0, torch.tensor(0).to(DEVICE), 1.0)
    assert torch.allclose(a, ft.coulomb(x, unit, cell).potential, rtol=1e-4)


def test_refusals():
    x, q, cell = tilted()
    for call, error, words in [
            (lambda: ft.coulomb(x.half(), q, cell), ValueError, "f32 or f64"),
            (lambda: ft.coulomb(x.float(), q, cell), ValueError, "convert"),
            (lambda: ft.coulomb(x, q[:3], cell), ValueError, "8 positions"),
            (lambda: ft.coulomb(x, q, cell[:2]), ValueError, "shape"),
            (lambda: ft.coulomb(x.tolist(), q), ValueError, "tensor"),
            (lambda: ft.coulomb(x, q, cell, targets=x), NotImplementedError,
             "targets"),
            (lambda: ft.coulomb(x, q, cell, tolerence=1), TypeError, "did you"),
            (lambda: ft.yukawa(x, q, torch.ones(1, requires_grad=True)),
             NotImplementedError, "kappa"),
            (lambda: ft.coulomb(x, q, cell, log=print), ValueError, "log"),
            (lambda: ft.coulomb(x, q, cell, units="cgs"), ValueError, "metal"),
            (lambda: ft.coulomb(x * float("nan"), q, cell),
             farsum.PositionError, "finite"),
            (lambda: ft.coulomb(x, q, cell, exclude=[[0, 9]]), ValueError,
             "source 9"),
            (lambda: ft.coulomb(x, q, cell, torch.zeros(3)), ValueError,
             "batch"),
            (lambda: ft.coulomb(x, q, cell.expand(3, 3, 3)), ValueError,
             "batch"),
            (lambda: ft.coulomb(x, q, cell, batch_of([4, 4])[3].flip(0)),
             ValueError, "sorted")]:
        with pytest.raises(error, match=words):
            call()


def test_arguments_of_torch_pme():
    x, q, cell = tilted()
    half = ft.Calculator(prefactor=2.0, **FINE)(q[:, None], cell, x, None, None)
    whole = ft.coulomb(x, q, cell, **FINE)
    assert half.shape == (8, 1)
    assert torch.allclose(half[:, 0], whole.potential)
    energy = (q[:, None] * half).sum()
    assert torch.allclose(energy, 2 * whole.energy)
    assert gradcheck(lambda *v: ft.Calculator(**FINE)(v[1][:, None], v[2], v[0]),
                     (x, q, cell), **CHECK)
