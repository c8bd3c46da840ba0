# SPDX-License-Identifier: Apache-2.0
"""Sums of JAX arrays with derivatives by positions, charges and cell.

    import farsum.jax as fj
    slope = jax.grad(lambda x: fj.coulomb(x, q, cell, tolerance=1e-6).energy)

Functions: coulomb, gravity, yukawa, r6.  docs/jax.md explains them.

XLA calls the library without Python (bindings/python/xla).  _systems.py has the
formulas of the derivatives.
"""

from __future__ import annotations

import functools
from typing import Any, Tuple

import numpy as np

try:
    import jax
    import jax.numpy as jnp
    import jax.ffi
    from jax.custom_batching import custom_vmap
    from jax.custom_derivatives import SymbolicZero
except ImportError as _error:
    raise ImportError(
        "farsum.jax needs JAX 0.5 or later, which is not installed: "
        "pip install jax.  The package farsum works without it") from _error

from . import _xla
from ._doors import (Sums, as_asked, cell_shape, checked, functions, systems_of)
from ._lib import UnsupportedError

__all__ = ["Sums", "coulomb", "gravity", "r6", "yukawa"]


for _name in ("sums", "pull_back"):
    for _platform, _end in (("cpu", ""), ("CUDA", "_cuda")):
        jax.ffi.register_ffi_target(
            f"farsum_{_name}", jax.ffi.pycapsule(
                getattr(_xla.handlers, f"farsum_xla_{_name}{_end}")),
            platform=_platform)


def _call(name: str, shapes: Any, x: Any, *arrays: Any, **given: Any) -> Any:
    """Calls a handler; the results have x's precision."""
    results = tuple(jax.ShapeDtypeStruct(shape, x.dtype) for shape in shapes)
    # a handler takes an array without numbers for None
    arrays = tuple(jnp.zeros(0, x.dtype) if v is None else v for v in arrays)
    return tuple(jax.ffi.ffi_call(name, results)(x, *arrays, **given))


@functools.lru_cache(1024)
def _sums_of(systems: int, virial: bool, how: str) -> Any:
    """The sums of x, q, cell, index, exclude and factors."""
    @custom_vmap
    def sums(x: Any, q: Any, *more: Any) -> Any:
        sets, n = q.shape
        shapes = ((sets, systems), (sets, n), (sets, n, 3),
                  (sets, systems, 3, 3))
        return _call("farsum_sums", shapes, x, q, *more, how=_xla.lines(how),
                     virial=np.int32(virial))

    @sums.def_vmap
    def members(size: int, batched: Any, *given: Any) -> Any:
        if not any(jax.tree.leaves((batched[0], batched[2:]))):
            # more sets of charges at the same points
            x, q, *more = given
            out = sums(x, q.reshape(-1, q.shape[-1]), *more)
            return tuple(v.reshape(size, -1, *v.shape[1:]) for v in out), \
                (True,) * 4
        out = _sums_of(size * systems, virial, how)(
            *_stacked(size, batched, given, systems))
        return tuple(_apart(v, size) for v in out), (True,) * 4

    return sums


@functools.lru_cache(1024)
def _pull_back_of(systems: int, by_cell: bool, how: str) -> Any:
    """The derivatives of f.F + w.W; f and w follow the arguments of sums."""
    @custom_vmap
    def pull_back(x: Any, q: Any, *more: Any) -> Any:
        shapes = x.shape, q.shape, (systems, 3, 3)
        return _call("farsum_pull_back", shapes, x, q, *more,
                     how=_xla.lines(how), by_cell=np.int32(by_cell))

    @pull_back.def_vmap
    def members(size: int, batched: Any, *given: Any) -> Any:
        fw = [None if v is None else _together(_lead(v, b, size))
              for v, b in zip(given[6:], batched[6:])]
        gx, gq, gcell = _pull_back_of(size * systems, by_cell, how)(
            *_stacked(size, batched[:6], given[:6], systems), *fw)
        return (gx.reshape(size, -1, 3), _apart(gq, size),
                gcell.reshape(size, -1, 3, 3)), (True,) * 3

    return pull_back


def _lead(v: Any, batched: bool, size: int) -> Any:
    """v with a first axis of a vmap's members."""
    return v if batched else jnp.broadcast_to(v, (size, *v.shape))


def _together(v: Any) -> Any:
    """[members, R, N, ...] as [R, members N, ...]."""
    v = v.swapaxes(0, 1)
    return v.reshape(v.shape[0], -1, *v.shape[3:])


def _apart(v: Any, size: int) -> Any:
    """[R, members N, ...] as [members, R, N, ...]."""
    return v.reshape(v.shape[0], size, -1, *v.shape[2:]).swapaxes(0, 1)


def _stacked(size: int, batched: Any, given: Any, systems: int) -> Any:
    """The members of a vmap as further systems of a batch."""
    led: Any = [None if v is None else _lead(v, b, size)
                for v, b in zip(given, batched)]
    x, q, cell, index, exclude, factors = led
    n, at = x.shape[1], jnp.arange(size)
    index = at[:, None] * systems + (
        jnp.zeros((size, n), int) if index is None else index)
    if exclude is not None:
        exclude = (exclude + n * at[:, None, None]).reshape(-1, 2)
    return (x.reshape(-1, 3), _together(q),
            None if cell is None else cell.reshape(-1, 3, 3),
            index.reshape(-1), exclude,
            None if factors is None else factors.reshape(-1))


@functools.partial(jax.custom_vjp, nondiff_argnums=(6, 7, 8))
def _sums(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
          systems: int, virial: bool, how: str) -> Any:
    energy, potential, field, w = _sums_of(systems, virial, how)(
        x, q, cell, index, exclude, factors)
    return energy, potential, q[..., None] * field, w


def _forward(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
             systems: int, virial: bool, how: str) -> Any:
    by_cell = cell is not None and cell.perturbed
    # without the flags of what is derived
    given = [jax.tree.map(lambda v: v.value, v, is_leaf=_has_flag)
             for v in (x, q, cell, index, exclude, factors)]
    out = _sums(*given, systems, virial or by_cell, how)
    # by_cell as the length of an array: residuals are arrays
    return out, (given, out, jnp.zeros(int(by_cell)))


def _has_flag(v: Any) -> bool:
    return hasattr(v, "perturbed")


def _backward(systems: int, virial: bool, how: str, kept: Any,
              cotangents: Any) -> Any:
    (x, q, cell, index, exclude, factors), out, flag = kept
    _energy, potential, forces, w_out = out
    a, b, f, w = (None if isinstance(v, SymbolicZero) else v
                  for v in cotangents)
    by_cell = len(flag) == 1
    if not (virial or by_cell):
        w = None  # a constant
    gx, gq = jnp.zeros_like(x), jnp.zeros_like(q)
    total_w = jnp.zeros((systems, 3, 3), x.dtype)
    if a is not None:
        each = a if index is None else a[:, index]
        gq = gq + each * potential
        gx = gx - (each[..., None] * forces).sum(0)
        total_w = total_w + (a[..., None, None] * w_out).sum(0)
    if b is not None:
        by_system, s = _scale(q, b, index, systems)
        _, p, force, v = _sums(
            x, jnp.concatenate([q + s * b, q - s * b]), cell, index, exclude,
            factors, systems, by_cell, how)
        sets = len(q)
        gq = gq + (p[:sets] - p[sets:]) / (2 * s)
        gx = gx - ((force[:sets] - force[sets:]) / (2 * s[..., None])).sum(0)
        total_w = total_w + ((v[:sets] - v[sets:])
                             / (2 * by_system[..., None, None])).sum(0)
    gcell = _cell_gradient(x, cell, index, gx, total_w, systems) \
        if by_cell else None
    if f is not None or w is not None:
        to_x, to_q, to_cell = _pull_back(x, q, cell, index, exclude, factors,
                                         f, w, systems, by_cell, how)
        gx, gq = gx + to_x, gq + to_q
        gcell = gcell + to_cell if by_cell else None
    if cell is not None and gcell is None:
        gcell = jnp.zeros_like(cell)
    return gx, gq, gcell, None, None, None


_sums.defvjp(_forward, _backward, symbolic_zeros=True)


def _scale(q: Any, b: Any, index: Any, systems: int) -> Tuple[Any, Any]:
    """s of each system [R, S] and point [R, N or 1]: |s b| is half of |q|.

    Half, so that q + s b and q - s b do not vanish.
    """
    def square(v: Any) -> Any:
        v = jnp.square(jax.lax.stop_gradient(v))
        if index is None:
            return v.sum(-1, keepdims=True)
        return jnp.zeros((len(v), systems), v.dtype).at[:, index].add(v)

    q2, b2 = square(q), square(b)
    both = (q2 > 0) & (b2 > 0)
    s = jnp.where(both, 0.5 * jnp.sqrt(q2 / jnp.where(both, b2, 1)), 1)
    return s, s if index is None else s[:, index]


def _cell_gradient(x: Any, cell: Any, index: Any, g: Any, virial: Any,
                   systems: int) -> Any:
    """dU/dh of all systems; x, g [N, 3], others [S, 3, 3]."""
    moments = x[:, :, None] * g[:, None, :]
    at = jnp.zeros(len(x), int) if index is None else index
    moment = jnp.zeros((systems, 3, 3), x.dtype).at[at].add(moments)
    return jnp.linalg.solve(cell.mT, -virial.mT - moment)


@functools.partial(jax.custom_vjp, nondiff_argnums=(8, 9, 10))
def _pull_back(x: Any, q: Any, cell: Any, index: Any, exclude: Any,
               factors: Any, f: Any, w: Any, systems: int, by_cell: bool,
               how: str) -> Any:
    return _pull_back_of(systems, by_cell, how)(x, q, cell, index, exclude,
                                                factors, f, w)


def _refuse(*_: Any) -> Any:
    raise UnsupportedError("derivatives of forces and virials can be derived "
                           "once, not twice")


_pull_back.defvjp(_refuse, _refuse)


def _cells(cell: Any, x: Any) -> Any:
    """One cell [3, 3] or one for each system [S, 3, 3], in x's precision."""
    cell = jnp.asarray(cell, x.dtype)
    shape = cell_shape(cell)
    if shape == ():
        return cell * jnp.eye(3, dtype=x.dtype)
    return jnp.diag(cell) if shape == (3,) else cell


def _sum(how: str, x: Any, q: Any, cell: Any, batch: Any, virial: bool,
         exclude: Any, factors: Any) -> Sums:
    x, q = jnp.asarray(x), jnp.asarray(q)
    checked(x, q, jnp.float32, jnp.float64)
    q = q.astype(x.dtype)
    cells = None if cell is None else _cells(cell, x)
    if batch is not None:
        batch = jnp.asarray(batch)
    systems = systems_of(batch, cells, x, (jnp.int32, jnp.int64))
    volume = None
    if cells is not None:
        cells = jnp.broadcast_to(cells, (systems, 3, 3))
        if virial:
            volume = abs(jnp.linalg.det(cells))
    if exclude is not None:
        exclude = jnp.asarray(exclude, int).reshape(-1, 2)
    if factors is not None:
        factors = jnp.broadcast_to(jnp.asarray(factors, x.dtype),
                                   (len(exclude),))
    _xla.lines(how)  # refuses options before XLA does
    found = _sums(x, q[None] if q.ndim == 1 else q, cells, batch, exclude,
                  factors, systems, volume is not None, how)
    return as_asked(found, volume, batch, q)


coulomb, gravity, yukawa, r6 = functions(_sum)
