# SPDX-License-Identifier: Apache-2.0
"""Sums by one call.  Plans are kept, so a loop tunes once."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional, Tuple

import numpy as np

from . import _options, cache
from ._arrays import Space, space_of
from ._lib import ArgumentError, PositionError, ToleranceError
from ._plan import Plan
from ._result import Result

# Coulomb's constant of each unit system; tools/farsum/units.c has the sources.
UNITS = {"reduced": 1.0, "real": 332.06371, "metal": 14.399645,
         "gromacs": 138.935458, "si": 8.9875517862e9}
# A kept plan serves other counts and cells if they are this close.
CLOSE = 0.25


class Request:
    """The arguments of a one-call function."""

    def __init__(self, kernel: str, x: Any, q: Any, cell: Any, periodic: Any,
                 targets: Any, exclude: Any, factors: Any,
                 options: Any) -> None:
        self.space: Space = space_of(x)
        self.x = self.space.take(x, "x")
        self.q, self.targets = q, targets
        self.kernel = kernel
        self.cell = None if cell is None else _options.cell_rows(cell)
        self.periodic = _options.axes(periodic, cell)
        self.exclude, self.factors = exclude, factors
        self.options = options
        if len(self.x.shape) != 2 or self.x.shape[1] != 3:
            raise ArgumentError(f"x has the shape {list(self.x.shape)}, not "
                                "[n, 3]")
        self.n = self.x.shape[0]
        self.m = 0 if targets is None else len(targets)
        pairs = None if exclude is None else (
            np.asarray(exclude, np.int64).tobytes(),
            None if factors is None else np.asarray(factors, float).tobytes())
        self.key = (kernel, self.space.key, self.cell is None, self.periodic,
                    targets is None, pairs,
                    tuple(sorted((k, _frozen(v)) for k, v in options.items())))

    def fits(self, plan: Plan) -> bool:
        """A kept plan may serve; its estimate after the sum decides."""
        n, m = plan.made_for
        if plan._handle is None or abs(self.n - n) > CLOSE * n \
                or abs(self.m - m) > CLOSE * max(m, 1):
            return False
        if self.cell is None or self.cell == plan.cell:
            return True
        assert plan.cell is not None
        size = max(map(abs, plan.cell))
        return all(abs(a - b) <= CLOSE * size
                   for a, b in zip(self.cell, plan.cell))

    def new(self) -> Plan:
        q = self.space.take(self.q, "q")
        one = q[0] if _has_rhs(q, self.n, self.kernel) else q
        options = dict(self.options)
        if self.m:
            options["n_targets"] = self.m
        return Plan(self.kernel, cell=self.cell, periodic=self.periodic,
                    sample=(self.x, one), exclude=self.exclude,
                    factors=self.factors, **options)

    def sum(self, plan: Plan) -> Result:
        with plan.lock:
            if self.cell is not None and self.cell != plan.cell:
                plan.set_cell(self.cell)
            plan.set_points(self.x, self.targets)
            result = plan.execute(self.q)
            result.error = plan.estimated_error()
        return result


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, np.ndarray)) else value


def _has_rhs(q: Any, n: int, kernel: str) -> bool:
    shape = tuple(q.shape)
    single = {"laplace": 1, "yukawa": 1, "r6": 1}.get(kernel)
    if single:
        return len(shape) == 2
    return len(shape) == 4 or len(shape) == 3 and shape != (n, 2, 3)


def total(kernel: str, x: Any, q: Any, *, cell: Any = None,
          periodic: Any = None, targets: Any = None, exclude: Any = None,
          factors: Any = None, **options: Any) -> Result:
    """Sums one kernel by a kept or a new plan.

    A kept plan serves while its estimate after the sum keeps the tolerance.
    If it does not, a new plan sums again.
    """
    if targets is not None:
        # the energy of separate targets does not exist
        options.setdefault("outputs", "velocity" if kernel in FLOWS
                           else "potential field")
    request = Request(kernel, x, q, cell, periodic, targets, exclude, factors,
                      options)
    return by_kept_plan(request, request.sum)


def by_kept_plan(request: Request, work: Callable[[Plan], Any]) -> Any:
    """Returns work(plan), a result with an `error`, by a kept or a new plan."""
    plan: Optional[Plan] = cache.plans.take(request.key, request.fits)
    if plan is not None:
        try:
            result = work(plan)
        except (ToleranceError, PositionError) as error:
            # points may leave the extent that a slab's plan sums
            whole = sum(request.periodic) in (0, 3)
            if isinstance(error, PositionError) and whole:
                cache.plans.give(request.key, plan)
                raise
            plan = None  # also freed by the last result that has it
        except BaseException:
            cache.plans.give(request.key, plan)
            raise
        else:
            if result.error <= plan.tolerance:
                cache.plans.give(request.key, plan)
                return result
    plan = request.new()
    result = work(plan)
    cache.plans.give(request.key, plan)
    return result


FLOWS = ("stokeslet", "rotlet", "stresslet")
SHARED = """
    cell      one edge, three edges or vectors as rows [3, 3], in the caller's
              length; None: open space
    periodic  True, False or one of them for each axis, as (True, True, False)
              for a slab (default: all with a cell)
    targets   [m, 3]: results there instead of at x
    exclude   pairs [k, 2] of indices to exclude, or to scale by factors [k]
    options   tolerance=1e-5, outputs="potential field", and all others of
              farsum.Plan

    Results are arrays of x's kind, precision and device.  Raises the classes of
    farsum.Error: PositionError, StrengthError, CellError, CoincidentError,
    ToleranceError and others.  Plans are kept for later calls: farsum.cache.
    """


def _documented(function: Any) -> Any:
    function.__doc__ = (function.__doc__ or "").rstrip() + "\n" + SHARED
    return function


@_documented
def coulomb(x: Any, q: Any, cell: Any = None, *, units: Optional[str] = None,
            **options: Any) -> Result:
    """Sums phi_i = C sum_j q_j / r_ij of charges q [n] at x [n, 3].

    Results: potential [n], field [n, 3], forces [n, 3], energy; virial [3, 3]
    with outputs="... virial".  q [R, n]: R sets of charges.
    units     "real", "metal", "gromacs", "si": sets C (default: 1, or the
              option coulomb)
    """
    if units is not None:
        if units not in UNITS:
            raise ArgumentError(f"units {units!r} is unknown; possible are "
                                + ", ".join(UNITS))
        options["coulomb"] = UNITS[units]
    return total("laplace", x, q, cell=cell, **options)


@_documented
def gravity(x: Any, m: Any, G: float = 1.0, softening: float = 0.0,
            **options: Any) -> Result:
    """Sums the gravity of masses m [n] at x [n, 3] in open space.

    Results: potential [n], acceleration [n, 3] (also field), forces [n, 3],
    energy.  softening: in open space Plummer's length, r becomes
    sqrt(r^2 + softening^2); in a cell the radius of balls (docs/math.md, 3).
    """
    return total("laplace", x, m, coulomb=-G, softening=softening or None,
                 **options)


@_documented
def yukawa(x: Any, q: Any, kappa: float, cell: Any = None,
           **options: Any) -> Result:
    """Sums phi_i = C sum_j q_j exp(-kappa r) / r; kappa: an inverse length.

    Results: potential [n], field [n, 3], forces [n, 3], energy; virial [3, 3].
    """
    return total("yukawa", x, q, cell=cell, kappa=kappa, **options)


@_documented
def r6(x: Any, c6_sqrt: Any, cell: Any = None, **options: Any) -> Result:
    """Sums phi_i = sum_j s_j / r^6 with s = sqrt(C6) [n].

    Results: potential [n], field [n, 3], forces [n, 3], energy.  Dispersion is
    minus this sum: pass coulomb=-1.
    """
    return total("r6", x, c6_sqrt, cell=cell, **options)


@_documented
def dipoles(x: Any, q: Any, p: Any, cell: Any = None, *,
            quadrupoles: Any = None, **options: Any) -> Result:
    """Sums charges q [n] and dipoles p [n, 3] at x [n, 3].

    q None: dipoles only.  Results: potential [n], field [n, 3], gradient
    [n, 6], forces [n, 3], torques [n, 3], energy; virial [3, 3].
    quadrupoles: [n, 6], sum q x_a x_b as xx xy xz yy yz zz.  They are summed
    on the host, without a cell by a slow method.  The result then also has third [n, 10].
    """
    space = space_of(x)
    p = space.take(p, "p")
    width = 4 if quadrupoles is None else 10
    both = space.empty(tuple(p.shape[:-1]) + (width,))
    both[..., 0] = 0 if q is None else space.take(q, "q")
    both[..., 1:4] = p
    if quadrupoles is not None:
        tensor = space.take(quadrupoles, "quadrupoles")
        shape = list(p.shape[:-1]) + [6]
        if list(tensor.shape) != shape:
            raise ArgumentError(f"quadrupoles has the shape "
                                f"{list(tensor.shape)}, not {shape}")
        both[..., 4:] = tensor
    options.setdefault("outputs", "potential field gradient"
                       + ("" if width == 4 else " third")
                       + ("" if "targets" in options else " energy"))
    return total("charge_dipole" if width == 4 else "charge_quadrupole", x,
                 both, cell=cell, **options)


@_documented
def stokes(x: Any, force: Any = None, *, torque: Any = None,
           stresslet: Any = None, viscosity: float = 1.0, cell: Any = None,
           **options: Any) -> Result:
    """Sums the Stokes flow of points at x [n, 3]; result: velocity [n, 3].

    Give one of force [n, 3], torque [n, 3] and stresslet [n, 2, 3], which has
    a strength and a normal vector.  viscosity: eta in 1/(8 pi eta).
    """
    given: Tuple[Tuple[str, Any], ...] = (
        ("stokeslet", force), ("rotlet", torque), ("stresslet", stresslet))
    named = [(kernel, q) for kernel, q in given if q is not None]
    if len(named) != 1:
        raise ArgumentError("give one of force, torque and stresslet")
    options["coulomb"] = 1 / (8 * math.pi * viscosity)
    kernel, q = named[0]
    return total(kernel, x, q, cell=cell, **options)
