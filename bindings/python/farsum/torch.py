# SPDX-License-Identifier: Apache-2.0
"""Sums of PyTorch tensors with derivatives by positions, charges and cell.

    import farsum.torch as ft
    r = ft.coulomb(x, q, cell, tolerance=1e-6)
    r.energy.backward()

Functions: coulomb, gravity, yukawa, r6.  Modules: Coulomb, and Calculator with
torch-pme's arguments.  docs/torch.md explains them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

try:
    import torch
    from torch.library import register_autocast as _  # noqa: F401
except ImportError as _error:
    raise ImportError(
        "farsum.torch needs PyTorch 2.7 or later, which is not installed: "
        "pip install torch.  The package farsum works without it") from _error

from . import _torch_ops as ops
from ._lib import ArgumentError, UnsupportedError
from ._sums import UNITS
from ._systems import encoded

__all__ = ["Calculator", "Coulomb", "Sums", "coulomb", "gravity", "r6",
           "yukawa"]


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

    energy: torch.Tensor
    potential: torch.Tensor
    forces: torch.Tensor
    virial: Optional[torch.Tensor]
    stress: Optional[torch.Tensor]


def _cells(cell: Any, x: torch.Tensor) -> torch.Tensor:
    """One cell [3, 3] or one for each system [S, 3, 3], in x's precision."""
    if not isinstance(cell, torch.Tensor):
        cell = torch.as_tensor(cell, dtype=x.dtype, device=x.device)
    cell = cell.to(x)
    if cell.dim() == 0:
        return cell * torch.eye(3, dtype=x.dtype, device=x.device)
    if cell.dim() == 1:
        return torch.diag(cell)
    if cell.dim() > 3 or cell.shape[-2:] != (3, 3):
        raise ArgumentError(f"cell has the shape {list(cell.shape)}, not [], "
                            "[3], [3, 3] or [S, 3, 3]")
    return cell


def _checked(x: Any, q: Any) -> torch.Tensor:
    """The charges in the precision of x."""
    for name, value in (("x", x), ("q", q)):
        if not isinstance(value, torch.Tensor):
            raise ArgumentError(f"{name} must be a tensor; farsum.coulomb "
                                "takes other arrays")
    if x.dtype not in (torch.float32, torch.float64):
        raise ArgumentError(f"x is {x.dtype}: positions must be f32 or f64")
    if x.dim() != 2 or x.shape[1] != 3:
        raise ArgumentError(f"x has the shape {list(x.shape)}, not [N, 3]")
    if q.dim() not in (1, 2) or q.shape[-1] != x.shape[0]:
        raise ArgumentError(f"q has the shape {list(q.shape)}, but x has "
                            f"{x.shape[0]} positions")
    if q.dtype == torch.float64 and x.dtype == torch.float32:
        raise ArgumentError("q is f64, but the positions are f32: convert one "
                            "of them")
    if q.device != x.device:
        raise ArgumentError(f"q is on {q.device}, the positions are on "
                            f"{x.device}")
    return q.to(x.dtype)


def _sum(how: str, x: Any, q: Any, cell: Any, batch: Any, virial: Any,
         exclude: Any, factors: Any) -> Sums:
    q = _checked(x, q)
    cells = None if cell is None else _cells(cell, x)
    systems = 1
    if batch is not None:
        if batch.dtype != torch.int64 or batch.shape != x.shape[:1]:
            raise ArgumentError(f"batch must be int64 of the shape "
                                f"[{x.shape[0]}]: the system of each point")
        systems = cells.shape[0] if cells is not None and cells.dim() == 3 \
            else int(batch[-1]) + 1 if len(batch) else 0
    if cells is not None:
        if cells.dim() == 3 and cells.shape[0] != systems:
            raise ArgumentError(f"{cells.shape[0]} cells need batch, the "
                                "system of each point")
        cells = cells.expand(systems, 3, 3)
    virial = cells is not None and (bool(virial) or cells.requires_grad)
    if exclude is not None:
        exclude = torch.as_tensor(exclude, dtype=torch.int64).reshape(-1, 2)
    if factors is not None:
        factors = torch.as_tensor(factors, dtype=torch.float64).expand(
            len(exclude))
    energy, potential, forces, w = ops.differentiable(
        x, q[None] if q.dim() == 1 else q, cells, batch, exclude, factors,
        systems, virial, how)
    stress = None
    if cells is not None and virial:
        stress = -w / torch.linalg.det(cells).abs()[:, None, None]
    shown = [energy, potential, forces, w if virial else None, stress]
    for k in (0, 3, 4):
        if batch is None and shown[k] is not None:
            shown[k] = shown[k].squeeze(1)
    if q.dim() == 1:
        shown = [None if v is None else v.squeeze(0) for v in shown]
    return Sums(*shown)


_SHARED = """
    x         [N, 3], f32 or f64, on the host or a GPU
    cell      one edge, three edges, vectors as rows [3, 3], or one for each
              system [S, 3, 3]; None: open space
    batch     [N] int64, sorted: the system of each point (default: one system)
    virial    True: also sum virial and stress.  They are always summed if the
              cell requires a gradient (not gravity)
    exclude   pairs [k, 2] of indices to exclude, or to scale by factors [k]
    options   tolerance=1e-5, method, threads and all others of farsum.Plan,
              except for targets, outputs and periodic

    Returns Sums.  energy and potential can be derived twice by x, q and cell,
    forces, virial and stress once.  The derivatives hold to the tolerance.
    """


def _documented(function: Any) -> Any:
    function.__doc__ = (function.__doc__ or "").rstrip() + "\n" + _SHARED
    return function


def _how(kernel: str, options: Any) -> str:
    for name in ("targets", "outputs", "periodic"):
        if name in options:
            raise UnsupportedError(f"farsum.torch does not support {name}=; "
                                   f"farsum.{kernel} does")
    return encoded(kernel, options)


def _coulomb(units: Optional[str], options: Any) -> str:
    if units is not None:
        if units not in UNITS:
            raise ArgumentError(f"units {units!r} is unknown; possible are "
                                + ", ".join(UNITS))
        options = {"coulomb": UNITS[units], **options}
    return _how("laplace", options)


@_documented
def coulomb(x: Any, q: Any, cell: Any = None, batch: Any = None, *,
            units: Optional[str] = None, virial: bool = False,
            exclude: Any = None, factors: Any = None, **options: Any) -> Sums:
    """Sums phi_i = C sum_j q_j / r_ij of charges q [N] or [R, N].

    units     "real", "metal", "gromacs", "si": sets C (default: 1, or the
              option coulomb)
    """
    return _sum(_coulomb(units, options), x, q, cell, batch, virial, exclude,
                factors)


@_documented
def gravity(x: Any, q: Any, G: float = 1.0, softening: float = 0.0,
            batch: Any = None, *, exclude: Any = None, factors: Any = None,
            **options: Any) -> Sums:
    """Sums the gravity of masses q [N] in open space.

    softening: Plummer's length; r becomes sqrt(r^2 + softening^2).
    """
    options = {"coulomb": -G, "softening": softening or None, **options}
    return _sum(_how("laplace", options), x, q, None, batch, False, exclude,
                factors)


@_documented
def yukawa(x: Any, q: Any, kappa: float, cell: Any = None, batch: Any = None,
           *, virial: bool = False, exclude: Any = None,
           factors: Any = None, **options: Any) -> Sums:
    """Sums phi_i = C sum_j q_j exp(-kappa r) / r.

    kappa: an inverse length, a number without a derivative.
    """
    options = {"kappa": kappa, **options}
    return _sum(_how("yukawa", options), x, q, cell, batch, virial, exclude,
                factors)


@_documented
def r6(x: Any, q: Any, cell: Any = None, batch: Any = None, *,
       virial: bool = False, exclude: Any = None,
       factors: Any = None, **options: Any) -> Sums:
    """Sums phi_i = sum_j q_j / r^6 with q = sqrt(C6) [N].

    Dispersion is minus this sum: pass coulomb=-1.
    """
    return _sum(_how("r6", options), x, q, cell, batch, virial, exclude,
                factors)


class Coulomb(torch.nn.Module):
    """coulomb() with fixed options: layer(x, q, cell, batch) returns Sums.

    virial    True: also sum virial and stress
    """

    def __init__(self, *, units: Optional[str] = None,
                 virial: bool = False, **options: Any) -> None:
        super().__init__()
        self.virial = virial
        self.how = _coulomb(units, options)

    def forward(self, x: Any, q: Any, cell: Any = None, batch: Any = None,
                exclude: Any = None, factors: Any = None) -> Sums:
        return _sum(self.how, x, q, cell, batch, self.virial, exclude, factors)

    def extra_repr(self) -> str:
        return self.how


class Calculator(torch.nn.Module):
    """Coulomb potentials with the arguments and results of torch-pme.

    prefactor: Coulomb's constant.  Options are those of coulomb().
    """

    def __init__(self, prefactor: float = 1.0, **options: Any) -> None:
        super().__init__()
        self.how = _coulomb(None, {"coulomb": prefactor, **options})

    def forward(self, charges: Any, cell: Any, positions: Any,
                neighbor_indices: Any = None, neighbor_distances: Any = None,
                periodic: Any = None) -> torch.Tensor:
        """Returns half the potentials [N, channels] of charges [N, channels].

        The neighbours are not used: the whole sum does not need them.
        """
        if periodic is not None and not bool(torch.as_tensor(periodic).all()):
            raise UnsupportedError("one or two periodic axes are not supported")
        r = _sum(self.how, positions, charges.mT.contiguous(), cell, None,
                 False, None, None)
        return r.potential.mT / 2
