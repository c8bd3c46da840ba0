# SPDX-License-Identifier: Apache-2.0
"""Plans: a problem, the library's choices, and their memory."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np

from . import _c, _options, _show
from ._arrays import NUMPY, Space, space_of
from ._calls import Listener, Log, Progress
from ._lib import ArgumentError, StateError, check, lib, started
from ._result import (KERNELS, WIDTHS, Record, Result, check_hessian,
                      hessian_product, info_of)

KEYWORDS = _options.table(_c.farsum_problem, _c.farsum_options)
_alive: "weakref.WeakSet[Plan]" = weakref.WeakSet()


def _after_fork() -> None:
    # A thread that held a lock does not exist in the child.
    for plan in list(_alive):
        plan.lock = threading.RLock()


os.register_at_fork(after_in_child=_after_fork)


class Device:
    """A device that several plans share, on one queue.

    name: "cuda:0", "hip:0" or "opencl:0".  stream: the caller's CUDA or HIP
    stream as a number; None: a queue of its own.  Plans keep it open.
    """

    def __init__(self, name: str, stream: Optional[int] = None) -> None:
        handle = ctypes.c_void_p()
        if stream is None:
            check(lib.farsum_device_open(name.encode(), ctypes.byref(handle)))
        else:
            check(lib.farsum_device_adopt(name.encode(), None, stream,
                                          ctypes.byref(handle)))
        self.name, self.stream, self.handle = name, stream, handle
        weakref.finalize(self, lib.farsum_device_close, handle)


def _destroy(handle: ctypes.c_void_p, *_kept: Any) -> None:
    lib.farsum_plan_destroy(handle)


class Plan:
    """A plan: create once, then set_points and execute as often as needed.

    kernel      "laplace", "yukawa", "r6", "charge_dipole", "yukawa_dipole",
                "charge_quadrupole", "stokeslet", "rotlet", "stresslet"
    cell        one edge, three edges, or vectors as rows [3, 3], in the
                caller's length; None: open space
    periodic    True, False or three of them (default: True with a cell)
    sample      (x, q): a representative configuration [n, 3], [n] or
                [n, strengths].  Without it give n_sources
    exclude     pairs [k, 2] to exclude or scale; factors [k] in 0..1
    log         function of a line of text (default: the logger "farsum")
    progress    function (done, all, what); if it returns True the call stops.
                Ctrl-C stops it too.  progress=True: a bar of tqdm, or lines
                of the logger "farsum" at level INFO without tqdm
    device      name, or a farsum.Device
    tune_only   True: choices only, for info and print

    All other keywords are the fields of farsum_problem and farsum_options by
    their C names: tolerance, error, outputs, precision, method, threads, skin,
    mesh, order, ...  None leaves the default.  Texts are values of enums:
    error="force", precision="mixed", outputs="field energy".

    Raises the classes of farsum.Error.  One plan serves one thread at a time;
    others wait.
    """

    def __init__(self, kernel: str = "laplace", cell: Any = None,
                 periodic: Any = None, sample: Optional[Tuple[Any, Any]] = None,
                 exclude: Any = None, factors: Any = None,
                 log: Optional[Log] = None,
                 progress: Union[Progress, bool, None] = None,
                 device: Any = None, tune_only: bool = False,
                 **options: Any) -> None:
        problem = started(_c.farsum_problem())
        how = started(_c.farsum_options())
        self.lock = threading.RLock()
        self._listener = Listener(log, progress)
        self.kernel = kernel
        self.strengths = KERNELS.get(kernel, (0, 0))[0]
        space = space_of(sample[0]) if sample is not None \
            else NUMPY[options.get("arrays") or _arrays_of(options)]
        options["arrays"] = options.get("arrays") or space.arrays
        if space.arrays != options["arrays"]:
            space = NUMPY[options["arrays"]]
        self._device: Optional[Device] = None
        self._borrowed: Tuple[Any, ...] = ()
        if isinstance(device, Device):
            how.device.handle, self._device = device.handle, device
        elif space.device and device is None:
            self._device = Device(space.device, space.stream())
            how.device.handle = self._device.handle
            problem.memory = _c.ENUMS["farsum_memory"]["device"]
        else:
            how.device.name = device.encode() if device else None
        self._space = space
        self._memory = NUMPY[space.arrays] if not problem.memory else space
        _options.fill((problem, how), KEYWORDS, {"kernel": kernel, **options})
        problem.periodic[:] = _options.axes(periodic, cell)
        if cell is not None:
            problem.cell[:] = _options.cell_rows(cell)
        kept = self._sample(problem, sample) \
            + self._exclude(problem, exclude, factors)
        how.log, how.progress = self._listener.log, self._listener.progress
        self._create(problem, how, tune_only)
        del kept
        self.cell = None if cell is None else tuple(problem.cell)
        self.tolerance: float = self._fresh_info().tolerance

    def _create(self, problem: Any, how: Any, tune_only: bool) -> None:
        handle = ctypes.c_void_p()
        make = lib.farsum_plan_tune if tune_only else lib.farsum_plan_create
        self._listener.run(make, ctypes.byref(problem), ctypes.byref(how),
                           ctypes.byref(handle))
        self._handle: Optional[ctypes.c_void_p] = handle
        # the finalizer also keeps what must outlive the plan
        self._finalize = weakref.finalize(self, _destroy, handle,
                                          self._listener, self._device)
        self._info = started(_c.farsum_plan_info())
        self.n = self.m = self.apart = 0
        self.made_for = (problem.n_sources, problem.n_targets)
        outputs = problem.outputs
        if not outputs:
            outputs = _c.CONSTANTS["FARSUM_VELOCITY"]
            if KERNELS[self.kernel][1] != outputs:
                outputs = _options.bits("potential field energy",
                                        _options.BITS)
        self.outputs = tuple(name for name, bit in _options.BITS.items()
                             if outputs & bit)
        _alive.add(self)

    def _sample(self, problem: Any, sample: Any) -> Tuple[Any, ...]:
        """Sets the sample, in host memory; returns the arrays to keep."""
        if sample is None:
            return ()
        x, q = (on_host(value) for value in sample)
        host = NUMPY[self._space.arrays]
        x, q = host.take(x, "sample's x"), host.take(q, "sample's q")
        _check_points(x, "sample's x")
        if self.strengths and q.size != len(x) * self.strengths:
            raise ArgumentError(f"q has the shape {list(q.shape)}, but x has "
                                f"{len(x)} positions")
        problem.n_sources = len(x)
        problem.sample_x, problem.sample_q = host.pointer(x), host.pointer(q)
        return x, q

    @staticmethod
    def _pairs(exclude: Any, factors: Any) -> Tuple[Any, Any]:
        pairs = np.ascontiguousarray(exclude, np.int64).reshape(-1, 2)
        if factors is not None:
            factors = np.ascontiguousarray(np.broadcast_to(
                np.asarray(factors, float), (len(pairs),)))
        return pairs, factors

    def _exclude(self, problem: Any, exclude: Any, factors: Any) -> Tuple[Any, ...]:
        if exclude is None:
            return ()
        pairs, factors = self._pairs(exclude, factors)
        fields = _options.types_of(_c.farsum_problem)
        problem.n_exclusions = len(pairs)
        problem.exclusions = pairs.ctypes.data_as(fields["exclusions"])
        if factors is not None:
            problem.exclusion_factors = factors.ctypes.data_as(
                fields["exclusion_factors"])
        return pairs, factors

    def _open(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise StateError("the plan is closed")
        return self._handle

    def set_points(self, x: Any, targets: Any = None) -> None:
        """Sets the positions x [n, 3], and separate targets [m, 3].

        Counts may change.  Host arrays are copied; device arrays must not
        change until finish().  Raises PositionError, CoincidentError,
        ArgumentError, OutOfMemoryError.
        """
        space = self._memory
        x = space.take(x, "x")
        _check_points(x, "x")
        y = None
        if targets is not None:
            y = space.take(targets, "targets")
            _check_points(y, "targets")
        with self.lock, self._ordered():
            self._borrowed = (x, y)  # until finish
            self._listener.run(
                lib.farsum_plan_set_points, self._open(), x.shape[0],
                space.pointer(x), 0 if y is None else y.shape[0],
                None if y is None else space.pointer(y))
            if not self._device:
                self._borrowed = ()
            self.n = x.shape[0]
            self.m = self.n if y is None else y.shape[0]
            self.apart = int(y is not None)

    def set_cell(self, cell: Any) -> None:
        """Replaces the cell after a small change; then set the points again.

        Raises ToleranceError if the estimate would exceed the tolerance: the
        plan is then unchanged, and a new one is needed.
        """
        rows = _options.cell_rows(cell)
        with self.lock:
            self._listener.run(lib.farsum_plan_set_cell, self._open(),
                               (ctypes.c_double * 9)(*rows))
            self.cell = rows

    def set_exclusions(self, pairs: Any, factors: Any = None) -> None:
        """Excludes or scales pairs [k, 2] by factors [k] in 0..1 (default: 0).

        They hold until the next call; no pairs: none.
        """
        pairs, factors = self._pairs(pairs, factors)
        types = _c.FUNCTIONS["farsum_plan_set_exclusions"][1]
        with self.lock:
            self._listener.run(
                lib.farsum_plan_set_exclusions, self._open(), len(pairs),
                pairs.ctypes.data_as(types[2]),
                None if factors is None else factors.ctypes.data_as(types[3]))

    def near(self, r2: Any) -> Tuple[np.ndarray, np.ndarray]:
        """The near function u at squared distances r2, and du/d(r2).

        For codes that sum the pairs within info.cutoff themselves, and the
        rest by a plan with part="far": the potential gains coulomb q u, and
        the field -2 coulomb q du d.  Returns two f64 arrays of r2's shape.
        Raises UnsupportedError for kernels that are no function of r.
        """
        at = np.array(r2, np.float64, order="C")
        u, du = np.empty_like(at), np.empty_like(at)
        types: Any = _c.FUNCTIONS["farsum_plan_near"][1]
        with self.lock:
            self._listener.run(
                lib.farsum_plan_near, self._open(), at.size,
                *(a.ctypes.data_as(t) for a, t in zip((at, u, du), types[2:])))
        return u, du

    def set_widths(self, widths: Any = None) -> None:
        """Smears the sources into Gaussian clouds e^(-r^2/g^2), kernel laplace.

        widths [n]: g of each source, 0: a point; None: points.  Two clouds
        interact by erf(r/g)/r with g^2 = g_i^2 + g_j^2; a cloud with itself is
        left out.  set_points must follow.  Raises UnsupportedError (another
        kernel, device arrays, parts, targets, softening), ArgumentError.
        """
        own = np.ascontiguousarray([] if widths is None else widths, float)
        if own.ndim != 1:
            raise ArgumentError(f"widths has the shape {list(own.shape)}, "
                                "not [n]")
        types: Any = _c.FUNCTIONS["farsum_plan_set_widths"][1]
        with self.lock:
            self._listener.run(
                lib.farsum_plan_set_widths, self._open(), len(own),
                own.ctypes.data_as(types[2]) if len(own) else None)
            self.n = self.m = 0

    def execute(self, q: Any, out: Any = None) -> Result:
        """Sums strengths q and returns a Result.

        q: [n], or [n, strengths] for kernels with several numbers per source;
        a first axis [R] makes R right-hand sides.  out: a Result of this plan,
        or a dict of arrays by output, which are filled in place.  Raises
        StrengthError, StateError, ToleranceError (on_excess="fail").
        """
        space = self._memory
        q = space.take(q, "q")
        with self.lock, self._ordered():
            handle = self._open()
            rhs = self._count_rhs(q)
            result = Result(self, self._space.give(q))
            arrays = started(_c.farsum_result())
            lead = () if rhs is None else (rhs,)
            held = self._outputs(result, arrays, lead, out)
            self._listener.run(lib.farsum_plan_execute, handle, rhs or 1,
                               space.pointer(q), ctypes.byref(arrays))
            self._results(result, held, lead)
        return result

    def hvp(self, q: Any, v: Any) -> Any:
        """The energy's Hessian by positions times v [n, 3]; returns [n, 3].

        q [n]: charges.  The loss sum v.F has minus the product as its
        derivative by x.  The plan needs a kernel with dipoles and
        outputs="field gradient"; its tolerance holds for the sum of charges and
        dipoles q v.  Raises UnsupportedError (another kernel, separate
        targets), ArgumentError, StateError, StrengthError.
        """
        space = self._memory
        q, v = space.take(q, "q"), space.take(v, "v")
        with self.lock:
            handle, n = self._open(), self.n
            check_hessian(n, q, v)
            if space.device:
                return hessian_product(self, q, v, space.empty((2, n, 4)))
            product = space.empty((n, 3))
            self._listener.run(lib.farsum_plan_hvp, handle, space.pointer(q),
                               space.pointer(v), space.pointer(product))
        return self._space.give(product)

    def _count_rhs(self, q: Any) -> Optional[int]:
        """Right-hand sides; None: q has no axis for them."""
        shape, n, s = tuple(q.shape), self.n, self.strengths
        one = ((n,),) if s == 1 else ((n, s), (n, 2, 3))
        for form in one:
            if int(np.prod(form)) != n * s:
                continue
            if shape == form:
                return None
            if len(shape) == len(form) + 1 and shape[1:] == form and shape[0]:
                return shape[0]
        if n == 0:
            raise StateError("set_points comes before execute")
        wanted = f"[{n}]" if s == 1 else f"[{n}, {s}]"
        raise ArgumentError(f"q has the shape {list(shape)}, not {wanted}")

    def _outputs(self, result: Result, arrays: Any, lead: Tuple[int, ...],
                 out: Any) -> Dict[str, Any]:
        """Points the C result to arrays; the plan's, or those of `out`."""
        space = self._memory
        given = out if isinstance(out, dict) else out.__dict__ if out else {}
        held: Dict[str, Any] = {}
        wanted = [n for n in self.outputs if n in given] if given \
            else self.outputs
        for name in wanted:
            per_target = name in WIDTHS
            shape = lead + ((self.m,) + WIDTHS[name] if per_target
                            else (3, 3) if name == "virial" else ())
            if given and shape:
                value = space.check_out(given[name], shape, name,
                                        None if per_target else "f64")
            else:
                value = (space.empty if per_target else space.reals)(shape)
            held[name] = value
            pointer: Any = space.pointer(value)
            if not per_target:
                pointer = ctypes.cast(pointer, _REALS)
            setattr(arrays, name, pointer)
        return held

    def _results(self, result: Result, held: Dict[str, Any],
                 lead: Tuple[int, ...]) -> None:
        for name, value in held.items():
            if name == "energy" and not lead and self._memory is NUMPY[
                    self._memory.arrays]:
                value = float(value)
            setattr(result, name, self._space.give(value))

    def _ordered(self) -> "Ordered":
        return Ordered(self._memory, self._device)

    def finish(self) -> None:
        """Waits for the device, and raises the errors that it found."""
        with self.lock:
            self._listener.run(lib.farsum_plan_finish, self._open())
            self._borrowed = ()

    def _fresh_info(self) -> Any:
        check(lib.farsum_plan_get_info(self._open(), ctypes.byref(self._info)))
        return self._info

    def estimated_error(self) -> float:
        """The estimate after the last execute, in the tolerance's norm."""
        with self.lock:
            if self._device:
                self.finish()
            return self._fresh_info().estimated_error

    @property
    def info(self) -> Record:
        """All fields of farsum_plan_info; waits for the device."""
        with self.lock:
            if self._device:
                self.finish()
            return info_of(self._fresh_info())

    @property
    def options(self) -> Dict[str, Any]:
        """Keywords that repeat the choices of this plan."""
        how = started(_c.farsum_options())
        with self.lock:
            check(lib.farsum_plan_get_options(self._open(), ctypes.byref(how)))
        found = {}
        for keyword, path, _kind, enum in _options.fields(_c.farsum_options):
            place = how
            for name in path:
                place = getattr(place, name)
            value = tuple(place) if isinstance(place, ctypes.Array) else place
            if value and value != (0,) * 3 and value != (0, 0):
                found[keyword] = value.decode() if isinstance(value, bytes) \
                    else value
        if found.get("order") == _c.CONSTANTS["FARSUM_ORDER_0"]:
            found["order"] = 0
        return found

    def __str__(self) -> str:
        """One line per choice, with its reason, as the command prints it."""
        with self.lock:
            handle = self._open()
            text = ctypes.create_string_buffer(
                lib.farsum_plan_print_text(handle, None, 0) + 1)
            lib.farsum_plan_print_text(handle, text, len(text))
        return text.value.decode(errors="replace")

    def __repr__(self) -> str:
        if self._handle is None:
            return "<farsum.Plan, closed>"
        info = self.info
        parts = [info.kernel, info.method, f"n={info.n_sources}"]
        if info.cutoff:
            parts.append(f"rc={info.cutoff:.3g}")
        if any(info.mesh):
            parts.append("mesh=" + "x".join(map(str, info.mesh)))
            parts.append(f"P={info.support}")
        if info.order and info.method == "fmm":
            parts.append(f"p={info.order}")
        parts += [info.precision, f"error~{info.estimated_error:.2g}",
                  f"{info.device}:{info.threads}"]
        return f"<farsum.Plan {' '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Notebooks show the stages with their seconds, and all choices."""
        return _show.table(self, self._handle is None)

    def plot(self, ax: Any = None) -> Any:
        """Draws the seconds of each stage by matplotlib; returns the Axes."""
        return _show.plot(self, ax)

    def abandon(self) -> None:
        """Neither uses nor frees the plan again: it is of another process."""
        self._handle = None
        self._finalize.detach()

    def close(self) -> None:
        """Frees the plan; later calls raise StateError."""
        with self.lock:
            self._handle = None
            self._finalize()

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


_REALS: Any = _options.types_of(_c.farsum_result)["energy"]


class Ordered:
    """The library's queue waits for the caller's current stream, and back."""

    def __init__(self, space: Space, device: Optional[Device]) -> None:
        self.space, self.device = space, device

    def __enter__(self) -> None:
        if self.device and self.space.device:
            self.now = self.space.stream()
            self.space.order(self.now, self.device.stream)

    def __exit__(self, *_: Any) -> None:
        if self.device and self.space.device:
            self.space.order(self.device.stream, self.now)


def _arrays_of(options: Dict[str, Any]) -> str:
    """The library's default for arrays: as precision; f64 for mixed, auto."""
    return "f32" if options.get("precision") == "f32" else "f64"


def on_host(value: Any) -> Any:
    """A host copy of a device array."""
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "cpu"):
        return value.cpu()
    return value.get() if hasattr(value, "get") else value


def _check_points(x: Any, name: str) -> None:
    if len(x.shape) != 2 or x.shape[1] != 3:
        raise ArgumentError(f"{name} has the shape {list(x.shape)}, not [n, 3]")
