# SPDX-License-Identifier: Apache-2.0
"""Many separate systems in one call."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Dict, Optional, Tuple

import numpy as np

from . import _c, _options, cache
from ._arrays import Space, as_numpy, space_of
from ._calls import Listener
from ._lib import ArgumentError, Error, check, lib, started
from ._plan import KEYWORDS, Device, Ordered, on_host
from ._result import KERNELS, Record, dipole_forces, quadrupole_forces
from ._sums import UNITS, _frozen

_types = {name: _options.types_of(_c.farsum_result)[name]
          for name in ("energy", "virial")}
_set: Any = _c.FUNCTIONS["farsum_batch_set"][1]


class BatchResult:
    """What a batch of S systems with N sources in all gave.

    potential   [N]         phi
    field       [N, 3]      E = -grad phi
    forces      [N, 3]      q E
    energy      [S]         (1/2) sum of q phi of each system
    virial      [S, 3, 3]   with outputs="... virial"
    error       [S]         estimated errors in the tolerance's norm
    faults      {s: text}   systems at fault; their results are NaN
    systems     how each was summed: a list of Records, the fields of
                farsum_batch_system

    q [R, N] puts an axis [R] first.
    """

    def __init__(self, q: Any, arrays: Dict[str, Any],
                 systems: Any, faults: Dict[int, str]) -> None:
        self._q, self._systems, self.faults = q, systems, faults
        self.__dict__.update(arrays)
        self.error = np.array([s.estimated_error for s in systems])

    def __getattr__(self, name: str) -> Any:
        if name == "forces":
            held = self.__dict__
            if "gradient" not in held:
                self.forces = self._q[..., None] * self.field
            elif self._q.shape[-1] == 4:
                self.forces = dipole_forces(self._q, self.field, self.gradient)
            else:
                self.forces = quadrupole_forces(self._q, self.field,
                                                self.gradient, self.third)
            return self.forces
        if name == "systems":  # at first use: conversion takes longer than sums
            self.systems = [Record(_options.plain(s)) for s in self._systems]
            return self.systems
        if name in _options.BITS:
            raise AttributeError(f"{name} was not summed: add it to outputs=")
        raise AttributeError(name)

    def __repr__(self) -> str:
        return (f"<farsum.BatchResult of {len(self._systems)} systems, "
                f"{len(self.faults)} at fault>")


class _Batch:
    """A batch of the library, which one thread uses at a time."""

    def __init__(self, space: Space, options: Dict[str, Any],
                 periodic: bool) -> None:
        problem = started(_c.farsum_problem())
        how = started(_c.farsum_options())
        handle = ctypes.c_void_p()
        self._space = space
        self._device: Optional[Device] = None
        self._listener = Listener(options.pop("log", None))
        device = options.pop("device", None)
        if space.device:
            name = getattr(device, "name", device)
            if name not in (None, space.device, space.device.split(":")[0]):
                raise ArgumentError(f"device is {name!r}, but the arrays are "
                                    f"on {space.device!r}")
            if not isinstance(device, Device):
                device = Device(space.device, space.stream())
            problem.memory = _c.ENUMS["farsum_memory"]["device"]
        if isinstance(device, Device):
            how.device.handle, self._device = device.handle, device
        elif device:
            how.device.name = device.encode()
        _options.fill((problem, how), KEYWORDS,
                      {"arrays": space.arrays, **options})
        problem.periodic[:] = (int(periodic),) * 3
        how.log = self._listener.log
        self._listener.run(lib.farsum_batch_create, ctypes.byref(problem),
                           ctypes.byref(how), ctypes.byref(handle))
        self.handle = handle
        self._finalize = weakref.finalize(
            self, lambda h, *_kept: lib.farsum_batch_destroy(h), handle,
            self._listener, self._device)

    def abandon(self) -> None:
        """In a forked child: neither uses nor frees it."""
        self._finalize.detach()

    def set(self, offsets: np.ndarray, cells: Optional[np.ndarray],
            pointer: int) -> None:
        with Ordered(self._space, self._device):
            self._listener.run(
                lib.farsum_batch_set, self.handle, len(offsets) - 1,
                offsets.ctypes.data_as(_set[2]),
                None if cells is None else cells.ctypes.data_as(_set[3]),
                pointer)

    def execute(self, rhs: int, pointer: int, result: Any) -> None:
        with Ordered(self._space, self._device):
            self._listener.run(lib.farsum_batch_execute, self.handle, rhs,
                               pointer, ctypes.byref(result))

    def systems(self, count: int) -> Any:
        """An array of farsum_batch_system; their texts are static."""
        found = (_c.farsum_batch_system * count)()
        size = ctypes.sizeof(_c.farsum_batch_system)
        for s, info in enumerate(found):
            info.size = size
            check(lib.farsum_batch_get_system(self.handle, s,
                                              ctypes.byref(info)))
        return found


def _offsets(n: int, batch: Any, ptr: Any, cells: Any) -> np.ndarray:
    """offsets [S + 1] of sorted system numbers [N], or of ptr."""
    if (batch is None) == (ptr is None):
        raise ArgumentError("give one of batch, the sorted number of each "
                            "source's system, and ptr, the offsets [S + 1]")
    if ptr is not None:
        offsets = np.ascontiguousarray(as_numpy(ptr, "ptr"), np.int64)
        if offsets.ndim != 1 or len(offsets) < 1 or offsets[-1] != n:
            raise ArgumentError(f"ptr must have S + 1 entries and end with the "
                                f"number of sources, {n}")
        return offsets
    index = np.asarray(as_numpy(batch, "batch"))
    if index.shape != (n,) or index.dtype.kind not in "iu":
        raise ArgumentError(f"batch has the shape {list(index.shape)} and the "
                            f"type {index.dtype}, not [{n}] integers")
    if n and (index[0] < 0 or (np.diff(index.astype(np.int64)) < 0).any()):
        raise ArgumentError("batch must be sorted and start at 0 or more")
    count = int(index[-1]) + 1 if n else 0
    if cells is not None and getattr(cells, "ndim", 0) == 3:
        count = max(count, len(cells))
    return np.searchsorted(index, np.arange(count + 1)).astype(np.int64)


def _cells(cells: Any, count: int) -> Optional[np.ndarray]:
    if cells is None:
        return None
    if np.ndim(cells) == 3:
        rows = np.ascontiguousarray(as_numpy(cells, "cells"), np.float64)
        if rows.shape != (count, 3, 3):
            raise ArgumentError(f"cells has the shape {list(rows.shape)}, not "
                                f"[{count}, 3, 3]")
        return rows
    one = np.array(_options.cell_rows(cells)).reshape(1, 3, 3)
    return np.ascontiguousarray(np.broadcast_to(one, (count, 3, 3)))


def _arrays(space: Space, outputs: Tuple[str, ...], lead: Tuple[int, ...],
            n: int, count: int) -> Tuple[Dict[str, Any], Any]:
    """Arrays full of NaN, and the C result that points to them."""
    shapes = {"potential": (n,), "field": (n, 3), "gradient": (n, 6),
              "third": (n, 10), "energy": (count,), "virial": (count, 3, 3)}
    result = started(_c.farsum_result())
    held: Dict[str, Any] = {}
    for name in outputs:
        if name not in shapes:
            raise ArgumentError(f"outputs: batches have no {name}")
        make = space.reals if name in _types else space.empty
        held[name] = value = make(lead + shapes[name])
        value[...] = float("nan")
        pointer: Any = space.pointer(value)
        if name in _types:
            pointer = ctypes.cast(pointer, _types[name])
        setattr(result, name, pointer)
    return held, result


def _run(kept: _Batch, rhs: int, space: Space, given: Tuple[Any, ...],
         result: Any, count: int, raises: bool) -> Tuple[Any, Dict[int, str]]:
    """Sets and sums; returns the systems and the faults."""
    x, q, offsets, cells = given
    faults: Dict[int, str] = {}
    for call in (lambda: kept.set(offsets, cells, space.pointer(x)),
                 lambda: kept.execute(rhs, space.pointer(q), result)):
        try:
            call()
        except Error as error:
            text = str(error)
            if raises or not text.startswith("system "):
                raise
            faults[int(text.split(":")[0].split()[1])] = text
    systems = kept.systems(count)
    for s, system in enumerate(systems):
        if system.status:
            faults.setdefault(s, f"system {s}: {_c.STATUS[system.status][1]}")
    return systems, faults


def total_batch(kernel: str, space: Space, x: Any, q: Any, offsets: np.ndarray,
                cells: Optional[np.ndarray], outputs: Any, faults: str,
                options: Dict[str, Any]) -> BatchResult:
    """Sums one kernel by a kept or a new batch of the library.

    x [N, 3] and q [N] or [R, N], of charge_dipole [N, 4] or [R, N, 4], in the
    space; offsets [S + 1] and cells [S, 3, 3].
    """
    n, count = len(x), len(offsets) - 1
    lead = tuple(q.shape[:-1 if KERNELS[kernel][0] == 1 else -2])
    bits = _options.bits(outputs, _options.BITS)
    options = {"kernel": kernel, **options, "outputs": bits}
    held, result = _arrays(
        space, tuple(name for name, bit in _options.BITS.items() if bits & bit),
        lead, n, count)
    key = ("batch", space.key, cells is None, threading.get_ident(),
           tuple(sorted((k, _frozen(v)) for k, v in options.items())))
    kept = cache.plans.take(key, lambda _: True) \
        or _Batch(space, dict(options), cells is not None)
    try:
        systems, found = _run(kept, lead[0] if lead else 1, space,
                              (x, q, offsets, cells), result, count,
                              faults == "raise")
    finally:
        cache.plans.give(key, kept)
    for s in found:  # the library may have written some of its results
        own = slice(int(offsets[s]), int(offsets[s + 1]))
        for name, value in held.items():
            at: Any = s if name in ("energy", "virial") else own
            value[(slice(None),) * len(lead) + (at,)] = float("nan")
    return BatchResult(space.give(q), {k: space.give(v) for k, v in
                                       held.items()}, systems, found)


def coulomb_batch(x: Any, q: Any, cells: Any = None, *, batch: Any = None,
                  ptr: Any = None, units: Optional[str] = None,
                  outputs: Any = "potential field energy",
                  faults: str = "raise", **options: Any) -> BatchResult:
    """Sums the Coulomb interaction in each of S separate systems.

    x [N, 3] and q [N] or [R, N] hold all systems behind each other.

    cells     [S, 3, 3], or one cell for all as in coulomb(); None: open space
    batch     [N]: the sorted number of each source's system, as PyTorch
              Geometric has it; or
    ptr       [S + 1]: system s has the sources ptr[s] .. ptr[s + 1] - 1
    units     as in coulomb()
    outputs   "potential field energy virial" or some of them
    faults    "raise": a system at fault raises, and its number is in the
              text; "nan": its results are NaN, and result.faults has its
              number
    options   tolerance=1e-5, error, precision, coulomb, surface,
              exclude_coincident, threads, isa, method, on_excess, log, device

    Returns a BatchResult.  Small systems take some microseconds each, and their
    results are the same bits whatever the other systems are.  Arrays x on a
    GPU are summed there; the results are there, too.
    """
    if units is not None:
        if units not in UNITS:
            raise ArgumentError(f"units {units!r} is unknown; possible are "
                                + ", ".join(UNITS))
        options["coulomb"] = UNITS[units]
    if faults not in ("raise", "nan"):
        raise ArgumentError(f"faults is {faults!r}, not 'raise' or 'nan'")
    space = space_of(x)
    space.stream()  # refuses capture
    if space.device:  # the library reads them on the host
        batch, ptr, cells = on_host(batch), on_host(ptr), on_host(cells)
    x, q = space.take(x, "x"), space.take(q, "q")
    n = x.shape[0] if len(x.shape) else 0
    if tuple(x.shape) != (n, 3):
        raise ArgumentError(f"x has the shape {list(x.shape)}, not [n, 3]")
    if len(q.shape) not in (1, 2) or q.shape[-1] != n or 0 in q.shape[:-1]:
        raise ArgumentError(f"q has the shape {list(q.shape)}, not [{n}] or "
                            f"[R, {n}]")
    offsets = _offsets(n, batch, ptr, cells)
    return total_batch("laplace", space, x, q, offsets,
                       _cells(cells, len(offsets) - 1), outputs, faults, options)
