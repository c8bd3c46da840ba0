# SPDX-License-Identifier: Apache-2.0
"""Meshes, and nonuniform Fourier transforms in three dimensions."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Optional, Tuple

from . import _c, _options, cache
from ._arrays import NUMPY, Space, space_of
from ._calls import Listener, Log, logger
from ._lib import ArgumentError, StateError, UnsupportedError, lib, started
from ._plan import Device, _check_points
from ._result import Record, info_of

MESH = _options.table(_c.farsum_mesh_problem, _c.farsum_mesh_options)
NUFFT = _options.table(_c.farsum_nufft_problem, _c.farsum_mesh_options)


class _Owner:
    """A mesh or NUFFT of the library."""

    stem: str
    _how: Any
    made_for: int  # points

    def _create(self, problem: Any, space: Space, log: Optional[Log],
                device: Any) -> None:
        how = self._how
        self._device = device if isinstance(device, Device) else None
        if self._device:
            how.on_device = self._device.handle
        elif space.device and device is None:
            self._device = Device(space.device, space.stream())
            how.on_device = self._device.handle
            problem.memory = _c.ENUMS["farsum_memory"]["device"]
        elif device:
            how.device = device.encode()
        self.space = space
        self.lock = threading.RLock()
        self.n = -1
        self._listener = Listener(log or logger.info)
        how.log = self._listener.log
        handle = ctypes.c_void_p()
        self._listener.run(self._call("create"), ctypes.byref(problem),
                           ctypes.byref(how), ctypes.byref(handle))
        self._handle: Optional[ctypes.c_void_p] = handle
        self._finalize = weakref.finalize(
            self, _destroy, self._call("destroy"), handle, self._listener,
            self._device)

    def _call(self, name: str) -> Any:
        return getattr(lib, f"farsum_{self.stem}_{name}")

    def _run(self, name: str, *arguments: Any) -> None:
        if self._handle is None:
            raise StateError(f"the {self.stem} is closed")
        self._listener.run(self._call(name), self._handle, *arguments)

    def abandon(self) -> None:
        """Neither uses nor frees the object again: it is of another process."""
        self._handle = None
        self._finalize.detach()

    def set_points(self, x: Any) -> None:
        """Sets the positions [n, 3]; host arrays are copied."""
        x = self.space.take(x, "x")
        _check_points(x, "x")
        with self.lock:
            self._run("set_points", x.shape[0], self.space.pointer(x))
            self.n, self._borrowed = x.shape[0], x if self._device else None

    def finish(self) -> None:
        """Waits for the device, and raises the errors that it found."""
        with self.lock:
            self._run("finish")

    @property
    def info(self) -> Record:
        """All fields of farsum_mesh_info."""
        info = started(_c.farsum_mesh_info())
        with self.lock:
            self._run("get_info", ctypes.byref(info))
        return info_of(info)

    def close(self) -> None:
        """Frees the memory; later calls raise StateError."""
        with self.lock:
            self._handle = None
            self._finalize()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _destroy(function: Any, handle: ctypes.c_void_p, *_kept: Any) -> None:
    function(handle)


class Mesh(_Owner):
    """Spreads strengths at points over a mesh, and interpolates it there.

    mesh        points along the axes, [3]
    cell        one edge, three edges, or vectors as rows [3, 3]
    periodic    True, False or three of them (default: True)
    like        an array whose kind, precision and device all arrays have
                (default: NumPy, f64 or `precision`)

    Other keywords are the fields of farsum_mesh_problem and
    farsum_mesh_options by their C names: tolerance, window, support, channels,
    is_complex, threads, ...  With channels > 1 a first axis counts them.
    """

    stem = "mesh"

    def __init__(self, mesh: Any, cell: Any, periodic: Any = True, *,
                 like: Any = None, log: Optional[Log] = None,
                 device: Any = None, **options: Any) -> None:
        problem = started(_c.farsum_mesh_problem())
        self._how = started(_c.farsum_mesh_options())
        space = space_of(like) if like is not None \
            else NUMPY[options.get("precision") or "f64"]
        options["precision"] = space.arrays
        _options.fill((problem, self._how), MESH, {"mesh": mesh, **options})
        problem.periodic[:] = _options.axes(periodic, cell)
        problem.cell[:] = _options.cell_rows(cell)
        self.shape = tuple(problem.mesh)
        self.row = problem.ldz or self.shape[2]
        self.channels = problem.channels or 1
        self._lead = (self.channels,) if self.channels > 1 else ()
        self.is_complex = bool(problem.is_complex)
        self._create(problem, space, log, device)

    def spread(self, q: Any, out: Any = None) -> Any:
        """Returns mesh_m = sum_j q_j W(m - u_j), [mesh0, mesh1, ldz].

        q: [n].  out: a mesh to write to.  Raises StrengthError, StateError.
        """
        space = self.space
        q = space.take(q, "q", self.is_complex)
        self._shaped(q, (self.n,), "q")
        shape = self._lead + (self.shape[0], self.shape[1], self.row)
        grid = space.empty(shape, self.is_complex) if out is None else \
            space.check_out(out, shape, "mesh", is_complex=self.is_complex)
        with self.lock:
            self._run("spread", space.pointer(q), space.pointer(grid))
        return space.give(grid)

    def interp(self, grid: Any, gradient: bool = False) -> Any:
        """Returns value_j = sum_m mesh_m W(m - u_j), [n].

        gradient=True: value and gradient [n, 3] per unit of length.
        """
        space = self.space
        grid = space.take(grid, "mesh", self.is_complex)
        self._shaped(grid, (self.shape[0], self.shape[1], self.row), "mesh")
        n = max(self.n, 0)
        value = space.empty(self._lead + (n,), self.is_complex)
        slope = space.empty(self._lead + (n, 3), self.is_complex) \
            if gradient else None
        with self.lock:
            self._run("interp", space.pointer(grid), space.pointer(value),
                      space.pointer(slope) if gradient else None)
        return (space.give(value), space.give(slope)) if gradient \
            else space.give(value)

    def hat(self, theta: float) -> float:
        """The window's Fourier transform at theta radians per spacing."""
        if self._handle is None:
            raise StateError("the mesh is closed")
        return lib.farsum_mesh_hat(self._handle, theta)

    def _shaped(self, array: Any, shape: Tuple[int, ...], name: str) -> None:
        if self.n < 0:
            raise StateError("set_points comes before spread and interp")
        if tuple(array.shape) != self._lead + shape:
            raise ArgumentError(f"{name} has the shape {list(array.shape)}, "
                                f"not {list(self._lead + shape)}")


class _Nufft(_Owner):
    stem = "nufft"

    def __init__(self, kind: int, space: Space, modes: Tuple[int, ...],
                 device: Any, **options: Any) -> None:
        problem = started(_c.farsum_nufft_problem())
        self._how = started(_c.farsum_mesh_options())
        _options.fill((problem, self._how), NUFFT,
                      {"type": kind, "modes": modes,
                       "precision": space.arrays, **options})
        self._create(problem, space, None, device)


def _modes(modes: Any) -> Tuple[int, int, int]:
    modes = tuple(int(n) for n in modes)
    if len(modes) != 3:
        raise UnsupportedError(f"nufft: {len(modes)} dimensions are not "
                               "supported, only three")
    return modes


def _transform(kind: int, x: Any, c: Any, f: Any, modes: Any, sign: int,
               tolerance: Optional[float], device: Any, options: Any) -> Any:
    space = space_of(x)
    x = space.take(x, "x")
    _check_points(x, "x")
    n = x.shape[0]
    given = space.take(c if kind == 1 else f, "c" if kind == 1 else "f", True)
    tail = (n,) if kind == 1 else modes
    lead = tuple(given.shape[:-len(tail)])
    if tuple(given.shape) != lead + tail or len(lead) > 1:
        raise ArgumentError(f"{'c' if kind == 1 else 'f'} has the shape "
                            f"{list(given.shape)}, not {list(tail)}")
    other = space.empty(lead + (modes if kind == 1 else (n,)), True)
    channels = lead[0] if lead else 1
    key = ("nufft", kind, space.key, modes, sign, tolerance, channels, device,
           tuple(sorted(options.items())))
    nufft = cache.plans.take(key, lambda one: n / 2 <= one.made_for <= 2 * n)
    if nufft is None:
        nufft = _Nufft(kind, space, modes, device, sign=sign, n_points=n or None,
                       tolerance=tolerance, channels=channels, **options)
        nufft.made_for = n
    try:
        nufft.set_points(x)
        pair = (given, other) if kind == 1 else (other, given)
        nufft._run("execute", *(space.pointer(part) for part in pair))
        if nufft._device:
            nufft.finish()
    finally:
        cache.plans.give(key, nufft)
    return space.give(other)


def nufft1(x: Any, c: Any, modes: Any, *, sign: int = 1,
           tolerance: Optional[float] = None, device: Any = None,
           **options: Any) -> Any:
    """Returns f_k = sum_j c_j exp(i sign k.x_j), [N0, N1, N2], complex.

    x: [n, 3], period 2 pi.  c: [n] or [channels, n], complex.  modes: N, three
    numbers; -N/2 <= k < N/2 in ascending order.  tolerance: relative error in
    the 2-norm (default: 1e-5).  Other keywords: farsum_mesh_options.  Raises
    ArgumentError, PositionError, StrengthError, ToleranceError; one and two
    dimensions: UnsupportedError.
    """
    return _transform(1, x, c, None, _modes(modes), sign, tolerance, device,
                      options)


def nufft2(x: Any, f: Any, *, sign: int = -1,
           tolerance: Optional[float] = None, device: Any = None,
           **options: Any) -> Any:
    """Returns c_j = sum_k f_k exp(i sign k.x_j), [n], complex.

    f: [N0, N1, N2] or [channels, N0, N1, N2], complex.  The rest is as for
    nufft1; with the default signs the two are adjoints of each other.
    """
    shape = tuple(f.shape)
    modes = shape[-3:] if len(shape) in (3, 4) else shape
    return _transform(2, x, None, f, _modes(modes), sign, tolerance, device,
                      options)


def nufft3(*_arguments: Any, **_options: Any) -> Any:
    """Type 3 does not exist yet; raises UnsupportedError."""
    raise UnsupportedError("nufft: type 3 is not supported, only 1 and 2")


