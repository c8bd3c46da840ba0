# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, PyTorch, CuPy, JAX and others, without copies.

A Space is a kind of arrays on one device in one precision.  Results are made
in the space of the positions.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._lib import ArgumentError, UnsupportedError

FLOATS: Dict[str, Any] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
COMPLEX: Dict[str, Any] = {"f32": np.dtype(np.complex64), "f64": np.dtype(np.complex128)}


class Space:
    """NumPy arrays on the host; also lists and other host arrays."""

    device: Optional[str] = None  # "cuda:0"; None: the host

    def __init__(self, arrays: str) -> None:
        self.arrays = arrays  # "f32" or "f64"
        self.key: Tuple[Any, ...] = (type(self), arrays)

    def take(self, value: Any, name: str, is_complex: bool = False) -> Any:
        """The array in this space; copied only if it has to be converted."""
        wanted = (COMPLEX if is_complex else FLOATS)[self.arrays]
        if type(value) is not np.ndarray:
            value = as_numpy(value, name)
        if value.dtype == wanted and value.flags.c_contiguous:
            return value
        if value.dtype.kind not in "fiub" + "c" * is_complex:
            raise ArgumentError(f"{name}: numbers are expected, not "
                                f"{value.dtype}")
        if self.arrays == "f32" and value.dtype.kind in "fc" \
                and value.dtype.itemsize > wanted.itemsize:
            raise ArgumentError(f"{name} is {value.dtype}, but the positions "
                                f"are f32: convert one of them")
        return np.ascontiguousarray(value, wanted)

    def pointer(self, value: Any) -> int:
        return value.__array_interface__["data"][0]

    def empty(self, shape: Tuple[int, ...], is_complex: bool = False) -> Any:
        return np.empty(shape, (COMPLEX if is_complex else FLOATS)[self.arrays])

    def reals(self, shape: Tuple[int, ...]) -> Any:
        """Energies and virials, which are always f64."""
        return np.empty(shape)

    def give(self, value: Any) -> Any:
        """A result as the caller's kind of array."""
        return value

    def check_out(self, value: Any, shape: Tuple[int, ...], name: str,
                  arrays: Optional[str] = None, is_complex: bool = False) -> Any:
        """An array that the caller has for results: it is never copied."""
        if module_of(value) == "torch":
            value = as_numpy(value, name)  # the same memory
        wanted = (COMPLEX if is_complex else FLOATS)[arrays or self.arrays]
        if not (isinstance(value, np.ndarray) and value.dtype == wanted
                and value.shape == shape and value.flags.carray):
            raise ArgumentError(f"out: {name} must be a writable contiguous "
                                f"{wanted} array of the shape {shape}")
        return value

    def stream(self) -> Optional[int]:
        """The caller's current stream.  Refuses one that a graph captures."""
        return None

    def order(self, before: Optional[int], after: Optional[int]) -> None:
        """Work on `after` waits for the current work on `before`."""


class JaxSpace(Space):
    """JAX arrays on the host.  Results are new arrays."""

    def give(self, value: Any) -> Any:
        import jax.numpy
        return jax.numpy.asarray(value)


class TorchSpace(Space):
    """PyTorch tensors, on the host or on a GPU."""

    def __init__(self, arrays: str, where: Any) -> None:
        import torch
        self.torch = torch
        self.arrays = arrays
        self.where = where
        self.types = {"f32": (torch.float32, torch.complex64),
                      "f64": (torch.float64, torch.complex128)}
        if where.type == "cuda":
            vendor = "hip" if torch.version.hip else "cuda"
            self.device = f"{vendor}:{where.index or 0}"
        elif where.type != "cpu":
            raise UnsupportedError(f"tensors on {where} are not supported")
        self.key = (type(self), arrays, str(where))

    def take(self, value: Any, name: str, is_complex: bool = False) -> Any:
        kind = self.types[self.arrays][is_complex]
        if isinstance(value, self.torch.Tensor):
            if value.device != self.where:
                raise ArgumentError(f"{name} is on {value.device}, the "
                                    f"positions are on {self.where}")
            if self.arrays == "f32" and value.dtype == self.torch.float64:
                raise ArgumentError(f"{name} is f64, but the positions are "
                                    "f32: convert one of them")
            return value.detach().to(kind).contiguous()
        return self.torch.as_tensor(value, dtype=kind, device=self.where)

    def pointer(self, value: Any) -> int:
        return value.data_ptr()

    def give(self, value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return self.torch.from_numpy(value)
        return value

    def empty(self, shape: Tuple[int, ...], is_complex: bool = False) -> Any:
        return self.torch.empty(shape, dtype=self.types[self.arrays][is_complex],
                                device=self.where)

    def reals(self, shape: Tuple[int, ...]) -> Any:
        return self.torch.empty(shape, dtype=self.torch.float64,
                                device=self.where)

    def check_out(self, value: Any, shape: Tuple[int, ...], name: str,
                  arrays: Optional[str] = None, is_complex: bool = False) -> Any:
        wanted = self.types[arrays or self.arrays][is_complex]
        if not (isinstance(value, self.torch.Tensor) and value.dtype == wanted
                and tuple(value.shape) == shape and value.is_contiguous()
                and value.device == self.where):
            raise ArgumentError(f"out: {name} must be a contiguous {wanted} "
                                f"tensor of the shape {shape} on {self.where}")
        return value

    def stream(self) -> Optional[int]:
        if not self.device:
            return None
        _refuse_capture(self.torch.cuda.is_current_stream_capturing())
        return self.torch.cuda.current_stream(self.where).cuda_stream

    def order(self, before: Optional[int], after: Optional[int]) -> None:
        if before != after:
            self._stream(after).wait_stream(self._stream(before))

    def _stream(self, number: Optional[int]) -> Any:
        cuda = self.torch.cuda
        # ExternalStream(0) is a new stream, not the default one
        return cuda.ExternalStream(number, device=self.where) if number \
            else cuda.default_stream(self.where)


class CupySpace(Space):
    """CuPy arrays, and others with __cuda_array_interface__ or DLPack."""

    def __init__(self, arrays: str, index: int) -> None:
        import cupy
        super().__init__(arrays)
        self.cupy = cupy
        self.index = index
        vendor = "hip" if cupy.cuda.runtime.is_hip else "cuda"
        self.device = f"{vendor}:{index}"
        self.key = (type(self), arrays, index)

    def take(self, value: Any, name: str, is_complex: bool = False) -> Any:
        wanted = (COMPLEX if is_complex else FLOATS)[self.arrays]
        if not isinstance(value, self.cupy.ndarray) \
                and hasattr(value, "__dlpack__"):
            value = self.cupy.from_dlpack(value)
        value = self.cupy.asarray(value)
        if self.arrays == "f32" and value.dtype == np.float64:
            raise ArgumentError(f"{name} is f64, but the positions are f32: "
                                "convert one of them")
        return self.cupy.ascontiguousarray(value, wanted)

    def pointer(self, value: Any) -> int:
        return value.data.ptr

    def empty(self, shape: Tuple[int, ...], is_complex: bool = False) -> Any:
        return self.cupy.empty(shape,
                               (COMPLEX if is_complex else FLOATS)[self.arrays])

    def reals(self, shape: Tuple[int, ...]) -> Any:
        return self.cupy.empty(shape)

    def check_out(self, value: Any, shape: Tuple[int, ...], name: str,
                  arrays: Optional[str] = None, is_complex: bool = False) -> Any:
        wanted = (COMPLEX if is_complex else FLOATS)[arrays or self.arrays]
        if not (isinstance(value, self.cupy.ndarray) and value.dtype == wanted
                and value.shape == shape and value.flags.c_contiguous):
            raise ArgumentError(f"out: {name} must be a contiguous {wanted} "
                                f"CuPy array of the shape {shape}")
        return value

    def stream(self) -> Optional[int]:
        with self.cupy.cuda.Device(self.index):
            stream = self.cupy.cuda.get_current_stream()
            _refuse_capture(stream.is_capturing())
            return stream.ptr

    def order(self, before: Optional[int], after: Optional[int]) -> None:
        if before == after:
            return
        external = self.cupy.cuda.ExternalStream
        external(after, self.index).wait_event(
            external(before, self.index).record())


def _refuse_capture(capturing: bool) -> None:
    if capturing:
        raise UnsupportedError("sums cannot be captured in a CUDA graph: their "
                               "calls wait for the GPU and copy from the host, "
                               "which a replay would not repeat")


def module_of(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def as_numpy(value: Any, name: str) -> np.ndarray:
    """A host array without a copy if possible."""
    if module_of(value) == "torch":
        value = value.detach()
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError) as error:
            raise ArgumentError(f"{name}: {error}") from None
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name}: {error}") from None


def name_of(kind: np.dtype) -> str:
    """f32 for floats of up to four bytes in any byte order, else f64."""
    narrow = kind.kind == "f" and kind.itemsize <= 4 \
        or kind.kind == "c" and kind.itemsize <= 8
    return "f32" if narrow else "f64"


def space_of(x: Any, name: str = "x") -> Space:
    """The space of an array of positions."""
    if type(x) is np.ndarray:
        return NUMPY[name_of(x.dtype)]
    module = module_of(x)
    if module == "torch" and "torch" in sys.modules:
        narrow = x.dtype == sys.modules["torch"].float32
        return TorchSpace("f32" if narrow else "f64", x.device)
    if hasattr(x, "__cuda_array_interface__"):
        kind = np.dtype(x.__cuda_array_interface__["typestr"])
        index = getattr(getattr(x, "device", None), "id", 0)
        return CupySpace(name_of(kind), index)
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] not in (1, 3):
        return CupySpace("f32" if str(x.dtype) == "float32" else "f64",
                         x.__dlpack_device__()[1])
    arrays = name_of(as_numpy(x, name).dtype)
    return JaxSpace(arrays) if module.startswith("jax") else NUMPY[arrays]


NUMPY = {arrays: Space(arrays) for arrays in FLOATS}
