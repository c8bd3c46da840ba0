# SPDX-License-Identifier: Apache-2.0
"""The blocks of docs/torch.md, and tensors on the host in farsum's functions."""

import pytest

torch = pytest.importorskip("torch")

import farsum  # noqa: E402
from conftest import run_blocks  # noqa: E402


def test_blocks(capsys):
    run_blocks("docs/torch.md")
    assert capsys.readouterr().out


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_tensors_on_the_host(box, dtype):
    x, q, cell = (torch.tensor(v, dtype=dtype) for v in box)
    r = farsum.coulomb(x, q.requires_grad_(), cell)
    s = farsum.coulomb(x.numpy(), q.detach().numpy(), cell.numpy())
    for name in ("potential", "forces"):
        value = getattr(r, name)
        assert isinstance(value, torch.Tensor) and value.dtype == dtype
        assert (value.numpy() == getattr(s, name)).all()
    assert r.energy == s.energy
    with farsum.Plan(cell=cell, sample=(x, q)) as plan:
        plan.set_points(x)
        first = plan.execute(q)
        place = first.field.data_ptr()
        first.field.zero_()
        again = plan.execute(q, out=first)
        assert again.field.data_ptr() == place and again.field.any()
