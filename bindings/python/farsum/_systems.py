# SPDX-License-Identifier: Apache-2.0
"""Sums of a batch of systems, and derivatives of their forces and virials.

For arrays of NumPy and PyTorch.

Let U = (1/2) q.G q be the energy of charges, with the potential phi = G q, the
forces F = -dU/dx and the virial W.  sums() returns them.  Cotangents a, b,
f and w of these four outputs pull back to x, q and the cell as follows.

  a U     a phi to q, -a F to x, and the virial a W.

  b.phi   The form is bilinear, so it is (U(q + s b) - U(q - s b))/(2 s) for any
          s.  Its derivatives are the same differences of phi, -F and W.  They
          are sums() too, and so can be derived again.

  f.F     This is sum_i q_i f_i.E_i, the cross energy of the charges q and the
          dipoles -q f.  Two sums of charges with dipoles give its derivatives:
          pull_back().  Kernels without dipoles take differences.

  w.W     -dU/dt along x + t x w^T, cell + t cell w^T: differences too.

A virial and a gradient g by x give the derivative by the cell h at constant x
(rows are vectors),

    dU/dh = h^-T (-W^T - x^T g).
"""

from __future__ import annotations

import ast
import functools
import sys
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from ._arrays import as_numpy, module_of, space_of
from ._batch import total_batch
from ._lib import ArgumentError, UnsupportedError
from ._plan import on_host
from ._result import Record
from ._sums import Request, by_kept_plan, total

# A difference moves points by this part of their typical distance, and strains
# the cell by as much.  Its sums are f64 and have this part of the tolerance, as
# the steps amplify errors that are not smooth.
STEP = 3e-4
STRICTER = 1e-2
FINEST = 1e-13
# Displacements of the dipoles' charges in typical distances: then charges and
# dipoles contribute alike to the forces, which the tolerance limits.
DIPOLE = 0.25
# Options that also hold for the sums of derivatives.
COMMON = ("tolerance", "error", "coulomb", "softening", "surface", "kappa",
          "periodic", "threads", "memory_limit", "exclude_coincident", "deterministic",
          "on_excess")


def encoded(kernel: str, options: Dict[str, Any]) -> str:
    """The kernel and its options as an operator's argument.

    torch.compile traces this function.
    """
    words = []
    for name in sorted(options):
        value = options[name]
        if getattr(value, "requires_grad", False):
            raise UnsupportedError(f"{name}: sums have no derivative by it; "
                                   "detach it")
        if hasattr(value, "tolist"):
            value = value.tolist()
        if not isinstance(value, (bool, int, float, str, list, tuple,
                                  type(None))):
            raise ArgumentError(f"{name}: options of derivatives are numbers "
                                "or texts")
        words.append(f"{name!r}: {value!r}")
    return f"{kernel!r}, {{{', '.join(words)}}}"


@functools.lru_cache(256)
def decoded(how: str) -> Tuple[str, Dict[str, Any]]:
    kernel, options = ast.literal_eval(how)
    return kernel, options


def functions_of(x: Any) -> Any:
    """The module of an array's functions: numpy or torch."""
    return sys.modules["torch"] if module_of(x) == "torch" else np


def zeros(x: Any, *shape: int) -> Any:
    """Zeros as x."""
    return x.new_zeros(shape) if module_of(x) == "torch" \
        else np.zeros(shape, x.dtype)


def like(v: Any, x: Any) -> Any:
    """v in the precision and on the device of x."""
    return v.to(x) if module_of(x) == "torch" else np.asarray(v, x.dtype)


def wide(v: Any) -> Any:
    return v.double() if module_of(v) == "torch" else v.astype(np.float64)


class Part(NamedTuple):
    """One system of a batch."""

    at: int
    points: slice
    x: Any                   # [n, 3]
    q: Any                   # [R, n]
    cell: Any                # [3, 3] or None
    pairs: Dict[str, Any]    # exclude= and factors= of the system

    def spacing(self, periodic: Any = None) -> float:
        """A typical distance of points; open vectors have no part in it."""
        cell = None if self.cell is None or periodic else self.cell[None]
        return float(spacings(self.x, cell, None, 1)[0])


def by_system(v: Any, index: Any, systems: int) -> Any:
    """Sums [S, ...] of v [N, ...] over the points of each system."""
    if index is None:
        return v.sum(0)[None]
    out = zeros(v, systems, *v.shape[1:])
    if module_of(v) == "torch":
        return out.index_add(0, index, v)
    np.add.at(out, index, v)
    return out


def spacings(x: Any, cell: Any, index: Any, systems: int) -> Any:
    """A typical distance of points in each system [S]; 1 if it has none."""
    xp = functions_of(x)
    n = by_system(zeros(x, len(x)) + 1, index, systems)
    size = _extents(x, index, systems) if cell is None \
        else abs(xp.linalg.det(cell)) ** (1 / 3)
    size = size / xp.where(n > 0, n, 1) ** (1 / 3)
    return like(xp.where((n > 0) & (size > 0), size, 1), x)


def _extents(x: Any, index: Any, systems: int) -> Any:
    """The longest edge [S] of the box around each system's points."""
    xp = functions_of(x)
    if index is None:
        return xp.amax(xp.amax(x, 0) - xp.amin(x, 0), -1)[None]
    low, high = zeros(x, systems, 3) + np.inf, zeros(x, systems, 3) - np.inf
    if module_of(x) == "torch":
        at = index[:, None].expand(-1, 3)
        low = low.scatter_reduce(0, at, x, "amin")
        high = high.scatter_reduce(0, at, x, "amax")
    else:
        np.minimum.at(low, index, x)
        np.maximum.at(high, index, x)
    return xp.amax(high - low, -1)


def ends_of(x: Any, index: Any, systems: int) -> List[int]:
    """The number of points up to the end of each system."""
    if index is None:
        return [len(x)]
    if bool((index[1:] < index[:-1]).any()):
        raise ArgumentError("batch must be sorted: the systems come one after "
                            "another")
    counts = functions_of(x).bincount(index, minlength=systems)
    if len(counts) != systems:
        raise ArgumentError(f"batch names system {len(counts) - 1}, but there "
                            f"are {systems}")
    return counts.cumsum(0).tolist()


def parts(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
          systems: int) -> Iterator[Part]:
    """The systems that have points and charges: without, all sums are 0."""
    if exclude is not None:
        exclude = as_numpy(on_host(exclude), "exclude")
        outside = exclude[(exclude < 0) | (exclude >= len(x))]
        if len(outside):
            raise ArgumentError(f"exclude names source {outside[0]}, but there "
                                f"are {len(x)}")
    if factors is not None:
        factors = as_numpy(on_host(factors), "factors")
    begin = 0
    for at, end in enumerate(ends_of(x, index, systems)):
        points = slice(begin, end)
        if end > begin and bool(q[:, points].any()):
            yield Part(at, points, x[points], q[:, points],
                       None if cell is None else cell[at],
                       _pairs_of(exclude, factors, begin, end))
        begin = end


def _pairs_of(pairs: Any, factors: Any, begin: int, end: int) -> Dict[str, Any]:
    if pairs is None:
        return {}
    inside = (pairs >= begin) & (pairs < end)
    if (inside[:, 0] != inside[:, 1]).any():
        raise ArgumentError("exclude: a pair joins two systems")
    own = inside[:, 0]
    return {"exclude": pairs[own] - begin,
            "factors": None if factors is None else factors[own]}


def sums(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
         systems: int, virial: bool, how: str) -> Tuple[Any, Any, Any, Any]:
    """Energy [R, S], potential [R, N], forces [R, N, 3], virial [R, S, 3, 3].

    The virial is 0 if it is not requested.
    """
    kernel, options = decoded(how)
    outputs = "potential field energy" + " virial" * virial
    sets, n = q.shape
    if index is not None and exclude is None and "periodic" not in options:
        try:
            return _by_batch(kernel, x, q, cell, index, systems, outputs,
                             options)
        except UnsupportedError:
            pass  # batches have few options; plans say what they refuse
    energy, potential = zeros(x, sets, systems), zeros(x, sets, n)
    forces, w = zeros(x, sets, n, 3), zeros(x, sets, systems, 3, 3)
    for part in parts(x, q, cell, index, exclude, factors, systems):
        r = total(kernel, part.x, part.q, cell=part.cell, outputs=outputs,
                  **part.pairs, **options)
        energy[:, part.at] = r.energy
        potential[:, part.points] = r.potential
        forces[:, part.points] = r.forces
        if virial:
            w[:, part.at] = r.virial
    return energy, potential, forces, w


def _rows(x: Any, cell: Any, index: Any, systems: int
          ) -> Tuple[np.ndarray, Optional[np.ndarray]]:
    """Offsets [S + 1] and cells [S, 3, 3] of the library's batches."""
    cells = None if cell is None else np.ascontiguousarray(
        as_numpy(on_host(cell), "cell"), np.float64)
    return np.array([0] + ends_of(x, index, systems), np.int64), cells


def _by_batch(kernel: str, x: Any, q: Any, cell: Any, index: Any, systems: int,
              outputs: str, options: Dict[str, Any]
              ) -> Tuple[Any, Any, Any, Any]:
    """sums() of all systems in one call of the library."""
    offsets, cells = _rows(x, cell, index, systems)
    space = space_of(x)
    r = total_batch(kernel, space, space.take(x, "x"), space.take(q, "q"),
                    offsets, cells, outputs, "raise", options)
    w = r.virial if "virial" in outputs else zeros(x, len(q), systems, 3, 3)
    return like(r.energy, x), r.potential, r.forces, like(w, x)


def pull_back(x: Any, q: Any, cell: Any, index: Any, exclude: Any, factors: Any,
              f: Any, w: Any, systems: int, by_cell: bool, how: str
              ) -> Tuple[Any, Any, Any]:
    """Derivatives of f.F + w.W by x [N, 3], q [R, N] and the cell [S, 3, 3].

    f [R, N, 3] and w [R, S, 3, 3]; None: zero.
    """
    gx, gq = zeros(x, *x.shape), zeros(x, *q.shape)
    gcell = zeros(x, systems, 3, 3)
    kernel, options = decoded(how)
    dipoles = kernel == "laplace" and "periodic" not in options and (
        cell is None or not options.get("softening"))
    if f is not None and dipoles and index is not None and exclude is None:
        gx, gq, gcell = dipoles_by_batch(x, q, cell, index, f, by_cell, systems,
                                         how)
        f = None
    if f is None and w is None:
        return gx, gq, gcell
    for part in parts(x, q, cell, index, exclude, factors, systems):
        own_f = None if f is None else f[:, part.points]
        own_w = None if w is None else w[:, part.at]
        if own_f is not None and not bool(own_f.any()):
            own_f = None
        if own_w is not None and not bool(own_w.any()):
            own_w = None
        found = []
        if own_f is not None and dipoles:
            found.append(by_dipoles(part, own_f, by_cell, how))
            own_f = None
        if own_f is not None or own_w is not None:
            found.append(by_differences(part, own_f, own_w, by_cell, how))
        for to_x, to_q, to_cell in found:
            gx[part.points] += to_x
            gq[:, part.points] += to_q
            if to_cell is not None:
                gcell[part.at] += to_cell
    return gx, gq, gcell


Gradients = Tuple[Any, Any, Any]


def cell_slope(x: Any, cell: Any, g: Any, virial: Any, index: Any = None,
               periodic: Any = None) -> Any:
    """dU/dh from g = dU/dx and the virial: [3, 3] of a system, [S, 3, 3].

    periodic: which axes are, if not all.  Open vectors have no part in U.
    """
    moment = x.swapaxes(0, 1) @ g if index is None \
        else by_system(x[:, :, None] * g[:, None, :], index, len(cell))
    linalg = functions_of(x).linalg
    right = -virial.swapaxes(-1, -2) - moment
    if periodic is None:
        return linalg.solve(cell.swapaxes(-1, -2), right)
    kept = zeros(x, 3, 1)
    for d in range(3):
        kept[d] = float(periodic[d])
    return linalg.pinv(kept * cell).swapaxes(-1, -2) @ right


def by_dipoles(part: Part, f: Any, by_cell: bool, how: str) -> Gradients:
    """Derivatives of f.F by two sums per set, with charges q and dipoles -+c."""
    cells = None if part.cell is None else part.cell[None]
    s = _dipole_scales(part.x, part.q, f, cells, None, 1)
    strengths = _with_dipoles(part.q, f, s)

    def summed(x: Any, strengths: Any) -> Any:
        return total("charge_dipole", x, strengths, cell=part.cell,
                     outputs=_dipole_outputs(by_cell), **part.pairs,
                     **_common(how))

    r = _or_on_host(summed, part.x, strengths)
    gx, gq = _dipole_slopes(r, part.q, f, s)
    gcell = None
    if by_cell and part.cell is not None:
        virial = _half(r.virial, s[:, :, None], part.q).sum(0)
        gcell = cell_slope(part.x, part.cell, gx, virial)
    return gx, gq, gcell


def dipoles_by_batch(x: Any, q: Any, cell: Any, index: Any, f: Any,
                     by_cell: bool, systems: int, how: str) -> Gradients:
    """by_dipoles() of all systems in one call of the library."""
    offsets, cells = _rows(x, cell, index, systems)
    scales = _dipole_scales(x, q, f, cell, index, systems)
    s = scales[:, index]

    def summed(x: Any, strengths: Any) -> Any:
        space = space_of(x)
        return total_batch("charge_dipole", space, space.take(x, "x"),
                           space.take(strengths, "q"), offsets, cells,
                           _dipole_outputs(by_cell), "raise", _common(how))

    r = _or_on_host(summed, x, _with_dipoles(q, f, s))
    gx, gq = _dipole_slopes(r, q, f, s)
    gcell = zeros(x, systems, 3, 3)
    if by_cell and cell is not None:
        virial = _half(r.virial, scales[..., None, None], q).sum(0)
        gcell = cell_slope(x, cell, gx, virial, index)
    return gx, gq, gcell


def _or_on_host(summed: Any, x: Any, strengths: Any) -> Any:
    """A sum of dipoles; on the host if the device of x has no such sum."""
    try:
        return summed(x, strengths)
    except UnsupportedError:
        if not space_of(x).device:
            raise
        return summed(on_host(x), on_host(strengths))


def _common(how: str) -> Dict[str, Any]:
    return {k: v for k, v in decoded(how)[1].items() if k in COMMON}


def _dipole_outputs(by_cell: bool) -> str:
    return "potential field gradient" + " virial" * by_cell


def _dipole_scales(x: Any, q: Any, f: Any, cell: Any, index: Any,
                   systems: int) -> Any:
    """s [R, S] of the dipoles c = s q f, which makes both of like strength."""
    xp = functions_of(x)

    def square(v: Any) -> Any:
        return by_system(xp.square(v).swapaxes(0, 1), index, systems)

    size = square(q[..., None] * f).sum(-1)
    size, feels = xp.where(size > 0, size, 1), size > 0
    s = DIPOLE * spacings(x, cell, index, systems)[:, None] \
        * xp.sqrt(square(q) / size)
    # where the charges do not feel f, s does not matter
    return like(xp.where(feels, s, 1), q).swapaxes(0, 1)


def _with_dipoles(q: Any, f: Any, s: Any) -> Any:
    """Charges with dipoles -c, then with c; s [R, N or 1]."""
    concatenate, charges = functions_of(q).concatenate, q[..., None]
    c = s[..., None] * charges * f
    return concatenate([concatenate([charges, -c], -1),
                        concatenate([charges, c], -1)])


def _half(v: Any, s: Any, q: Any) -> Any:
    """The difference of both sums by 2 s."""
    return like(v[:len(q)] - v[len(q):], q) / (2 * s)


def _dipole_slopes(r: Any, q: Any, f: Any, s: Any) -> Tuple[Any, Any]:
    """Derivatives of f.F by x [N, 3] and q [R, N] from both sums."""
    sets = len(q)
    own = like(r.field[:sets] + r.field[sets:], q) / 2
    return (-_half(r.forces, s[..., None], q).sum(0),
            _half(r.potential, s, q) + (f * own).sum(-1))


def by_differences(part: Part, f: Any, w: Any, by_cell: bool, how: str
                   ) -> Gradients:
    """Derivatives of f.F + w.W = -dU/dt along x + t (f + x w^T), h + t h w^T.

    With g = dU/dx and H = dU/dh at t these are -d/dt of phi, g (1 + t w) and
    H (1 + t w): central differences of the fourth order, all by one plan.
    """
    kernel, given = decoded(how)
    options = {k: v for k, v in given.items() if k in COMMON}
    options["tolerance"] = max(STRICTER * options.get("tolerance", 1e-5),
                               FINEST)
    by_cell = by_cell and part.cell is not None
    periodic = options.pop("periodic", None)
    options["outputs"] = "potential field" + " virial" * by_cell
    precise = part._replace(x=wide(part.x), q=wide(part.q), cell=None
                            if part.cell is None else wide(part.cell))
    sets = [_Direction(precise, precise.q[r],
                       None if f is None else wide(f[r]),
                       None if w is None else wide(w[r]), by_cell, periodic)
            for r in range(len(part.q))]
    used = [one for one in sets if one.step]

    def summed(plan: Any) -> Record:
        return Record({"error": max(one.sum(plan) for one in used)})

    if used:
        request = Request(kernel, precise.x, used[0].q, precise.cell,
                          periodic, None, part.pairs.get("exclude"),
                          part.pairs.get("factors"), options)
        by_kept_plan(request, summed)
    stack = functions_of(part.x).stack
    gx, gq, gcell = (like(stack(v), part.x) for v in zip(*(
        (one.gx, one.gq, one.gcell) for one in sets)))
    return gx.sum(0), gq, gcell.sum(0) if by_cell else None


class _Direction:
    """The derivatives of one set of charges along one f and w."""

    def __init__(self, part: Part, q: Any, f: Any, w: Any, by_cell: bool,
                 periodic: Any) -> None:
        self.x, self.q, self.cell, self.by_cell = part.x, q, part.cell, by_cell
        self.periodic = periodic
        self.f = zeros(self.x, *self.x.shape) if f is None else f
        self.one = like(functions_of(q).eye(3), q)
        self.w = zeros(self.x, 3, 3) if w is None else w
        size = max(float(abs(self.f).max()) / part.spacing(periodic),
                   float(abs(self.w).max()))
        self.step = STEP / size if size and bool(q.any()) else 0.0
        self._clear()

    def _clear(self) -> None:
        self.gx = zeros(self.x, *self.x.shape)
        self.gq = zeros(self.x, *self.q.shape)
        self.gcell = zeros(self.x, 3, 3)

    def sum(self, plan: Any) -> float:
        """Sums at the four steps; returns the largest error of a sum."""
        self._clear()
        return max(self._at(plan, k * self.step, -weight / (12 * self.step))
                   for k, weight in ((1, 8), (-1, -8), (2, -1), (-2, 1)))

    def _at(self, plan: Any, t: float, weight: float) -> float:
        strain = self.one + t * self.w
        x = self.x @ strain.swapaxes(0, 1) + t * self.f
        h = None
        if self.cell is not None:
            h = self.cell @ strain.swapaxes(0, 1)
            plan.set_cell(h)
        plan.set_points(x)
        r = plan.execute(self.q)
        error = float(plan.estimated_error())
        g = -r.forces
        self.gq += weight * r.potential
        self.gx += weight * (g @ strain)
        if h is not None and self.by_cell:
            slope = cell_slope(x, h, g, r.virial, None, self.periodic)
            self.gcell += weight * (slope @ strain)
        return error
