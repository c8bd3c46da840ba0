# SPDX-License-Identifier: Apache-2.0
"""farsum.torch on a GPU: streams, the host's numbers, CUDA graphs."""

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)

import farsum  # noqa: E402
import farsum.torch as ft  # noqa: E402
from farsum import _systems  # noqa: E402


def system(n=500):
    rng = torch.Generator().manual_seed(3)
    cell = torch.diag(torch.tensor([9.0, 10.0, 11.0], dtype=torch.float64))
    x = torch.rand(n, 3, generator=rng, dtype=torch.float64) @ cell
    return x, 1.0 - 2.0 * (torch.arange(n) % 2), cell


def outputs_and_gradients(x, q, cell):
    inputs = [v.detach().double().requires_grad_() for v in (x, q, cell)]
    r = ft.coulomb(*inputs, tolerance=1e-9)
    loss = r.energy + r.forces.square().mean() + r.stress.square().sum()
    return [*r, *torch.autograd.grad(loss, inputs)]


def close(got, want):
    for a, b in zip(got, want):
        a, b = a.detach().cpu(), b.detach().cpu()
        assert (a - b).norm() < 1e-6 * b.norm()


def test_the_host_has_the_same_numbers():
    on_host = system()
    on_gpu = [v.cuda() for v in on_host]
    found = outputs_and_gradients(*on_gpu)
    assert all(v.is_cuda for v in found)
    close(found, outputs_and_gradients(*on_host))


def test_streams():
    """Kept plans follow the stream: slow writes come before, reads after."""
    x, q, cell = (v.cuda() for v in system())
    want = outputs_and_gradients(x, q, cell)  # plans on the default stream
    place = torch.full_like(x, float("nan"))
    torch.cuda.synchronize()
    for _ in range(3):
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            torch.cuda._sleep(100_000_000)
            place.copy_(x)
            got = outputs_and_gradients(place, q, cell)
            copies = [v.detach().clone() for v in got]
            place.fill_(float("nan"))
        side.synchronize()
        close(copies, want)
    farsum.cache.plans.clear()
    with torch.cuda.stream(torch.cuda.Stream()):
        outputs_and_gradients(x, q, cell)  # plans on another stream
    torch.cuda.synchronize()
    torch.cuda._sleep(100_000_000)
    place.copy_(x)
    close(outputs_and_gradients(place, q, cell), want)


def test_capture_is_refused():
    x, q, cell = (v.cuda() for v in system())
    q, on_host = q.double(), cell.cpu()
    ptr = [0, 100, len(q)]
    plan = farsum.Plan(cell=on_host, sample=(x, q), outputs="energy")
    plan.set_points(x)
    calls = {
        "torch": lambda: ft.coulomb(x, q, cell).energy,
        "batch": lambda: farsum.coulomb_batch(x, q, cell, ptr=ptr).energy,
        "new plan": lambda: farsum.coulomb(x, q, cell=on_host).energy,
        "plan": lambda: plan.execute(q).energy,
    }
    wanted = {name: call().clone() for name, call in calls.items()}
    torch.cuda.synchronize()
    for name, call in calls.items():
        with pytest.raises(farsum.UnsupportedError, match="CUDA graph"):
            with torch.cuda.graph(torch.cuda.CUDAGraph()):
                call()
        assert torch.allclose(call(), wanted[name]), name


@pytest.mark.parametrize("kind", [torch.float64, torch.float32])
@pytest.mark.parametrize("is_open", [False, True])
def test_batches_are_one_call(monkeypatch, kind, is_open):
    """Sums and derivatives of many systems, without plans of Python."""
    monkeypatch.setattr(_systems, "total", None)
    parts = [system(n) for n in (60, 7, 100, 800, 3)]
    sizes = torch.tensor([len(x) for x, _, _ in parts])
    x, q = (torch.cat([part[k] for part in parts]).to(kind) for k in (0, 1))
    cell = None if is_open else torch.stack([c for _, _, c in parts]).to(kind)
    index = torch.arange(len(parts)).repeat_interleave(sizes)
    tolerance, most = (1e-8, 1e-6) if kind == torch.float64 else (1e-5, 1e-3)
    results = []
    for place in ("cuda", "cpu"):
        inputs = [v.to(place).requires_grad_() for v in (x, q, cell)
                  if v is not None]
        given = inputs if not is_open else [*inputs, None]
        r = ft.coulomb(*given, index.to(place), tolerance=tolerance)
        loss = r.energy.square().sum() + r.forces.square().sum()
        results.append([r.energy, r.potential, r.forces,
                        *torch.autograd.grad(loss, inputs)])
    assert all(v.is_cuda and v.dtype == kind for v in results[0])
    for a, b in zip(*results):
        assert (a.cpu() - b).norm() < most * b.norm()


def test_a_batch_names_the_system_at_fault():
    x, q, cell = (v.cuda() for v in system())
    x[400] = float("nan")
    index = (torch.arange(len(x)) >= 300).long().cuda()
    with pytest.raises(farsum.PositionError, match="system 1: "):
        ft.coulomb(x, q.double(), cell, index)


def test_other_devices_are_refused():
    x, q, cell = system(20)
    with pytest.raises(ValueError, match="cuda"):
        ft.coulomb(x.cuda(), q, cell)
