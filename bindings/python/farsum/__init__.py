# SPDX-License-Identifier: Apache-2.0
"""Farsum sums long-range interactions to an error that you state.

    import farsum
    r = farsum.coulomb(x, q, cell=10.0, tolerance=1e-6)
    r.energy, r.forces, r.error

One call: coulomb, gravity, yukawa, r6, dipoles, stokes.  Many systems in one
call: coulomb_batch.  Plans for repeated sums: Plan.  Meshes: Mesh, nufft1,
nufft2.  docs/python.md explains them.
"""

from . import cache
from ._about import devices, show, warm
from ._batch import BatchResult, coulomb_batch
from ._lib import (ArgumentError, CellError, CoincidentError, CommError,
                   DeviceError, Error, InternalError, OutOfMemoryError,
                   PositionError, StateError, StrengthError, ToleranceError,
                   UnknownError, UnsupportedError)
from ._lib import VERSION as __version__
from ._mesh import Mesh, nufft1, nufft2, nufft3
from ._plan import Device, Plan
from ._result import Record, Result
from ._sums import UNITS, coulomb, dipoles, gravity, r6, stokes, yukawa

__all__ = [
    "ArgumentError", "BatchResult", "CellError", "CoincidentError",
    "CommError", "Device", "DeviceError", "Error", "InternalError", "Mesh",
    "OutOfMemoryError", "Plan", "PositionError", "Record", "Result",
    "StateError", "StrengthError", "ToleranceError", "UNITS",
    "UnknownError", "UnsupportedError", "__version__", "cache", "coulomb",
    "coulomb_batch", "devices", "dipoles", "gravity", "nufft1", "nufft2",
    "nufft3", "r6", "show", "stokes", "warm", "yukawa",
]
