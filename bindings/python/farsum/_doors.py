# SPDX-License-Identifier: Apache-2.0
"""The functions that farsum.torch and farsum.jax share."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple, Optional, Tuple

from ._lib import ArgumentError, UnsupportedError
from ._options import axes
from ._sums import UNITS
from ._systems import encoded


class Sums(NamedTuple):
    """What a sum gave.  All but the stress are outputs of one operator.

    energy      []       with batch [S]; U = (1/2) sum of q phi
    potential   [N]      phi = dU/dq
    forces      [N, 3]   -dU/dx
    virial      [3, 3]   W_ab = -dU/d(strain_ab); with batch [S, 3, 3].  None in
                         open space, and if it was not summed
    stress      [3, 3]   -W / volume; None as the virial

    R sets of charges [R, N] add a first axis R.
    """

    energy: Any
    potential: Any
    forces: Any
    virial: Any
    stress: Any


def checked(x: Any, q: Any, f32: Any, f64: Any) -> None:
    """Checks positions and charges; f32 and f64 are the module's types."""
    if x.dtype not in (f32, f64):
        raise ArgumentError(f"x is {x.dtype}: positions must be f32 or f64")
    if len(x.shape) != 2 or x.shape[1] != 3:
        raise ArgumentError(f"x has the shape {list(x.shape)}, not [N, 3]")
    if len(q.shape) not in (1, 2) or q.shape[-1] != x.shape[0]:
        raise ArgumentError(f"q has the shape {list(q.shape)}, but x has "
                            f"{x.shape[0]} positions")
    if q.dtype == f64 and x.dtype == f32:
        raise ArgumentError("q is f64, but the positions are f32: convert one "
                            "of them")


def systems_of(batch: Any, cells: Any, x: Any, int64: Any) -> int:
    """The number of systems."""
    several = cells is not None and len(cells.shape) == 3
    if batch is None:
        if several and cells.shape[0] != 1:
            raise ArgumentError(f"{cells.shape[0]} cells need batch, the "
                                "system of each point")
        return 1
    if batch.dtype not in int64 or batch.shape != x.shape[:1]:
        raise ArgumentError(f"batch must hold {x.shape[0]} integers: the "
                            "system of each point")
    if several:
        return cells.shape[0]
    return int(batch[-1]) + 1 if len(batch) else 0


def cell_shape(cell: Any) -> Tuple[int, ...]:
    shape = tuple(cell.shape)
    if shape not in ((), (3,)) and (len(shape) > 3 or shape[-2:] != (3, 3)):
        raise ArgumentError(f"cell has the shape {list(shape)}, not [], [3], "
                            "[3, 3] or [S, 3, 3]")
    return shape


def as_asked(found: Any, volume: Any, batch: Any, q: Any) -> Sums:
    """Sums without the axes that the caller does not have.

    volume [S]; None: no virial.
    """
    energy, potential, forces, w = found
    stress = None if volume is None else -w / volume[:, None, None]
    shown = [energy, potential, forces, None if volume is None else w, stress]
    if batch is None:
        shown = [v if k in (1, 2) or v is None else v[:, 0]
                 for k, v in enumerate(shown)]
    if len(q.shape) == 1:
        shown = [None if v is None else v[0] for v in shown]
    return Sums(*shown)


SHARED = """
    x         [N, 3], f32 or f64
    cell      one edge, three edges, vectors as rows [3, 3], or one for each
              system [S, 3, 3]; None: open space
    batch     [N] integers, sorted: the system of each point (default: one
              system)
    virial    True: also sum virial and stress
    exclude   pairs [k, 2] of indices to exclude, or to scale by factors [k]
    options   tolerance=1e-5, method, threads and all others of farsum.Plan,
              except for targets and outputs; farsum.jax also lacks periodic

    Returns Sums.  energy and potential can be derived twice by x, q and cell,
    forces, virial and stress once, in error by a few tolerances.
    """


def documented(function: Any) -> Any:
    function.__doc__ = (function.__doc__ or "").rstrip() + "\n" + SHARED
    return function


def described(kernel: str, units: Optional[str] = None, **options: Any) -> str:
    """The kernel and the options of a sum as one text."""
    for name in ("targets", "outputs"):
        if name in options:
            raise UnsupportedError(f"sums with derivatives do not support "
                                   f"{name}=; farsum.Plan does")
    if units is not None:
        if units not in UNITS:
            raise ArgumentError(f"units {units!r} is unknown; possible are "
                                + ", ".join(UNITS))
        options = {"coulomb": UNITS[units], **options}
    periodic = options.pop("periodic", None)
    which = axes(periodic, True)
    if not any(which):
        raise ArgumentError("periodic names no axis: leave out the cell for "
                            "open space")
    if not all(which):
        options["periodic"] = which
    return encoded(kernel, options)


# run(how, x, q, cell, batch, virial, exclude, factors)
Run = Callable[[str, Any, Any, Any, Any, bool, Any, Any], Sums]


def functions(run: Run) -> Tuple[Callable[..., Sums], ...]:
    """coulomb, gravity, yukawa and r6 by a function that sums."""

    @documented
    def coulomb(x: Any, q: Any, cell: Any = None, batch: Any = None, *,
                units: Optional[str] = None, virial: bool = False,
                exclude: Any = None, factors: Any = None,
                **options: Any) -> Sums:
        """Sums phi_i = C sum_j q_j / r_ij of charges q [N] or [R, N].

        units     "real", "metal", "gromacs", "si": sets C (default: 1, or
                  the option coulomb)
        """
        return run(described("laplace", units, **options), x, q, cell, batch,
                   virial, exclude, factors)

    @documented
    def gravity(x: Any, q: Any, G: float = 1.0, softening: float = 0.0,
                batch: Any = None, *, exclude: Any = None, factors: Any = None,
                **options: Any) -> Sums:
        """Sums the gravity of masses q [N] in open space, without a virial.

        softening: in open space Plummer's length, r becomes
        sqrt(r^2 + softening^2); in a cell the radius of balls (docs/math.md, 3).
        """
        how = described("laplace", coulomb=-G, softening=softening or None,
                        **options)
        return run(how, x, q, None, batch, False, exclude, factors)

    @documented
    def yukawa(x: Any, q: Any, kappa: float, cell: Any = None,
               batch: Any = None, *, virial: bool = False, exclude: Any = None,
               factors: Any = None, **options: Any) -> Sums:
        """Sums phi_i = C sum_j q_j exp(-kappa r) / r.

        kappa: an inverse length, a number without a derivative.
        """
        return run(described("yukawa", kappa=kappa, **options), x, q, cell,
                   batch, virial, exclude, factors)

    @documented
    def r6(x: Any, q: Any, cell: Any = None, batch: Any = None, *,
           virial: bool = False, exclude: Any = None, factors: Any = None,
           **options: Any) -> Sums:
        """Sums phi_i = sum_j q_j / r^6 with q = sqrt(C6) [N].

        Dispersion is minus this sum: pass coulomb=-1.
        """
        return run(described("r6", **options), x, q, cell, batch, virial,
                   exclude, factors)

    return coulomb, gravity, yukawa, r6
