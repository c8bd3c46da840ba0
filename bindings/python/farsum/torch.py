# SPDX-License-Identifier: Apache-2.0
"""Sums of PyTorch tensors with derivatives by positions, charges and cell.

    import farsum.torch as ft
    r = ft.coulomb(x, q, cell, tolerance=1e-6)
    r.energy.backward()

Functions: coulomb, gravity, yukawa, r6.  Modules: Coulomb, and Calculator with
torch-pme's arguments.  docs/torch.md explains them.
"""

from __future__ import annotations

from typing import Any, Optional

try:
    import torch
    from torch.library import register_autocast as _  # noqa: F401
except ImportError as _error:
    raise ImportError(
        "farsum.torch needs PyTorch 2.7 or later, which is not installed: "
        "pip install torch.  The package farsum works without it") from _error

from . import _torch_ops as ops
from ._doors import (Sums, as_asked, cell_shape, checked, described, functions,
                     systems_of)
from ._lib import ArgumentError

__all__ = ["Calculator", "Coulomb", "Sums", "coulomb", "gravity", "r6",
           "yukawa"]


def _cells(cell: Any, x: torch.Tensor) -> torch.Tensor:
    """One cell [3, 3] or one for each system [S, 3, 3], in x's precision."""
    if not isinstance(cell, torch.Tensor):
        cell = torch.as_tensor(cell, dtype=x.dtype, device=x.device)
    cell = cell.to(x)
    shape = cell_shape(cell)
    if shape == ():
        return cell * torch.eye(3, dtype=x.dtype, device=x.device)
    return torch.diag(cell) if shape == (3,) else cell


def _sum(how: str, x: Any, q: Any, cell: Any, batch: Any, virial: bool,
         exclude: Any, factors: Any) -> Sums:
    """The virial is also summed if the cell requires a gradient."""
    for name, value in (("x", x), ("q", q)):
        if not isinstance(value, torch.Tensor):
            raise ArgumentError(f"{name} must be a tensor; farsum.coulomb "
                                "takes other arrays")
    checked(x, q, torch.float32, torch.float64)
    if q.device != x.device:
        raise ArgumentError(f"q is on {q.device}, the positions are on "
                            f"{x.device}")
    q = q.to(x.dtype)
    cells = None if cell is None else _cells(cell, x)
    systems = systems_of(batch, cells, x, (torch.int64,))
    volume = None
    if cells is not None:
        cells = cells.expand(systems, 3, 3)
        if virial or cells.requires_grad:
            volume = torch.linalg.det(cells).abs()
    if exclude is not None:
        exclude = torch.as_tensor(exclude, dtype=torch.int64).reshape(-1, 2)
    if factors is not None:
        factors = torch.as_tensor(factors, dtype=torch.float64).expand(
            len(exclude))
    found = ops.differentiable(
        x, q[None] if q.dim() == 1 else q, cells, batch, exclude, factors,
        systems, volume is not None, how)
    return as_asked(found, volume, batch, q)


coulomb, gravity, yukawa, r6 = functions(_sum)


class Coulomb(torch.nn.Module):
    """coulomb() with fixed options: layer(x, q, cell, batch) returns Sums.

    virial    True: also sum virial and stress
    """

    def __init__(self, *, units: Optional[str] = None, virial: bool = False,
                 **options: Any) -> None:
        super().__init__()
        self.virial = virial
        self.how = described("laplace", units, **options)

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
        self.options = {"coulomb": prefactor, **options}
        self.how = described("laplace", **self.options)

    def forward(self, charges: Any, cell: Any, positions: Any,
                neighbor_indices: Any = None, neighbor_distances: Any = None,
                periodic: Any = None) -> torch.Tensor:
        """Returns half the potentials [N, channels] of charges [N, channels].

        The neighbours are not used: the whole sum does not need them.

        periodic: three truth values, one per axis (default: all are periodic).
        """
        how = self.how
        if periodic is not None:
            axes = torch.as_tensor(periodic).tolist()
            if any(axes):
                how = described("laplace", periodic=axes, **self.options)
            else:
                cell = None
        r = _sum(how, positions, charges.mT.contiguous(), cell, None, False,
                 None, None)
        return r.potential.mT / 2
