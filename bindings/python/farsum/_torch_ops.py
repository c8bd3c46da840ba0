# SPDX-License-Identifier: Apache-2.0
"""PyTorch's operators farsum::sums and farsum::sums_pull_back.

_systems.py has the formulas.
"""

# No future annotations here: custom_op reads the types of its function.

from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.library import custom_op

from . import _systems
from ._arrays import space_of
from ._lib import UnsupportedError

@custom_op("farsum::sums", mutates_args=())
def sums(x: Tensor, q: Tensor, cell: Optional[Tensor], index: Optional[Tensor],
         exclude: Optional[Tensor], factors: Optional[Tensor], systems: int,
         virial: bool, how: str) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    """Energy [R, S], potential [R, N], forces [R, N, 3], virial [R, S, 3, 3]."""
    space_of(x).stream()  # refuses capture
    return _systems.sums(x, q, cell, index, exclude, factors, systems, virial,
                         how)


def _like(x: Tensor, q: Tensor, systems: int
          ) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    sets, n = q.shape
    return (x.new_empty(sets, systems), x.new_empty(sets, n),
            x.new_empty(sets, n, 3), x.new_empty(sets, systems, 3, 3))


@sums.register_fake
def _(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
      systems: int, virial: bool, how: str) -> Any:
    return _like(x, q, systems)


@custom_op("farsum::sums_pull_back", mutates_args=())
def pull_back(x: Tensor, q: Tensor, cell: Optional[Tensor],
              index: Optional[Tensor], exclude: Optional[Tensor],
              factors: Optional[Tensor], f: Optional[Tensor],
              w: Optional[Tensor], systems: int, by_cell: bool, how: str
              ) -> Tuple[Tensor, Tensor, Tensor]:
    """Derivatives of f.F + w.W by x [N, 3], q [R, N] and the cell [S, 3, 3]."""
    space_of(x).stream()  # refuses capture
    return _systems.pull_back(x, q, cell, index, exclude, factors, f, w,
                              systems, by_cell, how)


@pull_back.register_fake
def _(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
      f: Any, w: Any, systems: int, by_cell: bool, how: str) -> Any:
    return (torch.empty_like(x), torch.empty_like(q),
            x.new_empty(systems, 3, 3))


def _keep(ctx: Any, inputs: Any, output: Any) -> None:
    ctx.set_materialize_grads(False)
    x, q, cell, index, exclude, factors, systems, virial, how = inputs
    _energy, potential, forces, w = output
    ctx.save_for_backward(x, q, cell, index, exclude, factors, potential,
                          forces, w)
    ctx.rest = systems, virial, how


def _sums_backward(ctx: Any, a: Optional[Tensor], b: Optional[Tensor],
                   f: Optional[Tensor], w: Optional[Tensor]) -> Any:
    """_systems.py has the formulas; a, b, f and w are its cotangents."""
    (x, q, cell, index, exclude, factors, potential, forces,
     virial) = ctx.saved_tensors
    systems, has_virial, how = ctx.rest
    by_cell = cell is not None and ctx.needs_input_grad[2]
    if not has_virial:
        w = None  # a constant
        if by_cell:
            raise UnsupportedError("the operator did not sum the virial, which "
                                   "is the derivative by the cell")
    gx, gq = torch.zeros_like(x), torch.zeros_like(q)
    total_w = x.new_zeros(systems, 3, 3)
    if a is not None:
        each = a.expand_as(q) if index is None else a[:, index]
        gq = gq + each * potential
        gx = gx - (each[..., None] * forces).sum(0)
        total_w = total_w + (a[..., None, None] * virial).sum(0)
    if b is not None:
        by_system, s = _scale(q, b, index, systems)
        _, p, force, v = differentiable(
            x, torch.cat([q + s * b, q - s * b]), cell, index, exclude,
            factors, systems, by_cell, how)
        sets = len(q)
        gq = gq + (p[:sets] - p[sets:]) / (2 * s)
        gx = gx - ((force[:sets] - force[sets:]) / (2 * s[..., None])).sum(0)
        total_w = total_w + ((v[:sets] - v[sets:])
                             / (2 * by_system[..., None, None])).sum(0)
    gcell = None
    if by_cell:
        gcell = _systems.cell_slope(x, cell, gx, total_w, index,
                                    _systems.decoded(how)[1].get("periodic"))
    if f is not None or w is not None:
        to_x, to_q, to_cell = pull_back_once(
            x, q, cell, index, exclude, factors, f, w, systems, by_cell, how)
        gx, gq = gx + to_x, gq + to_q
        gcell = gcell + to_cell if by_cell else None
    return gx, gq, gcell, None, None, None, None, None, None


def _scale(q: Tensor, b: Tensor, index: Optional[Tensor], systems: int
           ) -> Tuple[Tensor, Tensor]:
    """s of each system [R, S] and point [R, N or 1]: |s b| is half of |q|.

    Half, so that q + s b and q - s b do not vanish.
    """
    def square(v: Tensor) -> Tensor:
        v = v.detach().square()
        if index is None:
            return v.sum(-1, keepdim=True)
        return v.new_zeros(len(v), systems).index_add(1, index, v)

    q2, b2 = square(q), square(b)
    s = torch.where((q2 > 0) & (b2 > 0), 0.5 * (q2 / b2).sqrt(), 1.0)
    return s, s if index is None else s[:, index]


def _refuse(ctx: Any, *_: Any) -> Any:
    raise UnsupportedError("derivatives of forces and virials can be derived "
                           "once, not twice")


sums.register_autograd(_sums_backward, setup_context=_keep)
pull_back.register_autograd(_refuse)


def _stacked(info: Any, dims: Any, x: Tensor, q: Tensor,
             cell: Optional[Tensor], index: Optional[Tensor],
             exclude: Optional[Tensor], factors: Optional[Tensor],
             systems: int) -> Tuple[Any, ...]:
    """The members of a vmap as further systems of a batch."""
    size = info.batch_size
    x, q = (_first(v, dim, size) for v, dim in zip((x, q), dims))
    n = x.shape[1]
    q = q.transpose(0, 1).reshape(q.shape[1], size * n)
    if cell is not None:
        cell = _first(cell, dims[2], size).reshape(size * systems, 3, 3)
    at = torch.arange(size, device=x.device)
    index = torch.zeros(n, dtype=torch.int64, device=x.device) \
        if index is None else index
    index = _first(index, dims[3], size) + systems * at[:, None]
    if exclude is not None:
        exclude = (_first(exclude, dims[4], size)
                   + n * at[:, None, None].to(exclude.device)).reshape(-1, 2)
    if factors is not None:
        factors = _first(factors, dims[5], size).reshape(-1)
    return (x.reshape(size * n, 3), q, cell, index.reshape(-1), exclude,
            factors)


def _first(v: Tensor, dim: Optional[int], size: int) -> Tensor:
    return v.expand(size, *v.shape) if dim is None else v.movedim(dim, 0)


def _apart(v: Tensor, at: int, size: int) -> Tensor:
    """Axis `at` of members times points as two axes."""
    return v.unflatten(at, (size, v.shape[at] // size))


def _sums_vmap(info: Any, dims: Any, x: Tensor, q: Tensor, cell: Any,
               index: Any, exclude: Any, factors: Any, systems: int,
               virial: bool, how: str) -> Any:
    size = info.batch_size
    if all(dim is None for k, dim in enumerate(dims) if k != 1):
        # more sets of charges at the same points
        q = q.movedim(dims[1], 0).flatten(0, 1)
        out = sums(x, q, cell, index, exclude, factors, systems, virial, how)
        return tuple(_apart(v, 0, size) for v in out), (0,) * 4
    out = sums(*_stacked(info, dims, x, q, cell, index, exclude, factors,
                         systems), size * systems, virial, how)
    return tuple(_apart(v, 1, size) for v in out), (1,) * 4


def _pull_back_vmap(info: Any, dims: Any, x: Tensor, q: Tensor, cell: Any,
                    index: Any, exclude: Any, factors: Any, f: Any, w: Any,
                    systems: int, by_cell: bool, how: str) -> Any:
    size = info.batch_size
    f, w = (None if v is None
            else _first(v, dim, size).transpose(0, 1).flatten(1, 2)
            for v, dim in zip((f, w), dims[6:8]))
    gx, gq, gcell = pull_back(
        *_stacked(info, dims, x, q, cell, index, exclude, factors, systems),
        f, w, size * systems, by_cell, how)
    return ((_apart(gx, 0, size), _apart(gq, 1, size),
             _apart(gcell, 0, size)), (0, 1, 0))


sums.register_vmap(_sums_vmap)
pull_back.register_vmap(_pull_back_vmap)
for _device in ("cpu", "cuda"):
    sums.register_autocast(_device, torch.float32)
    pull_back.register_autocast(_device, torch.float32)


def _for_func(op: Any, keep: Any, derive: Any, members: Any) -> Any:
    """The operator, also inside torch.func.grad and its like.

    They refuse operators of torch.library that have derivatives.
    """
    class Transformed(torch.autograd.Function):
        @staticmethod
        def forward(*inputs: Any) -> Any:
            return op(*inputs)

        setup_context = staticmethod(keep)
        backward = staticmethod(derive)
        vmap = staticmethod(members)

    def call(*inputs: Any) -> Any:
        if not torch.compiler.is_compiling() \
                and torch._C._are_functorch_transforms_active():
            return Transformed.apply(*inputs)
        return op(*inputs)

    return call


differentiable = _for_func(sums, _keep, _sums_backward, _sums_vmap)
pull_back_once = _for_func(pull_back, lambda *_: None, _refuse,
                           _pull_back_vmap)
