# SPDX-License-Identifier: Apache-2.0
"""The C library: its functions, and its statuses as exceptions."""

from __future__ import annotations

import ctypes
import pathlib
from typing import Any

from . import _c

HERE = pathlib.Path(__file__).absolute().parent
VERSION = ".".join(str(_c.CONSTANTS["FARSUM_VERSION_" + part])
                   for part in ("MAJOR", "MINOR", "PATCH"))
# Until 1.0 the library's name has the minor version, as its SONAME does.
PATH = HERE / "lib" / ("libfarsum.so." + VERSION.rpartition(".")[0])


class Error(RuntimeError):
    """An error of the library; the text is the library's message.

    status: the number of the C status, such as farsum.Error.status == 8.
    """

    status = 0


class ArgumentError(Error, ValueError):
    """An argument is not valid."""


class OutOfMemoryError(Error, MemoryError):
    """Memory, or the option memory_limit, does not suffice."""


class UnknownError(Error, LookupError):
    """No method, variant, kernel, split or window has the name."""


class UnsupportedError(Error, NotImplementedError):
    """The method or variant does not support the problem."""


class CellError(Error, ValueError):
    """The cell is not valid."""


class PositionError(Error, ValueError):
    """A position is not finite or not in range."""


class StrengthError(Error, ValueError):
    """A strength or a result is not finite or not in range."""


class CoincidentError(Error, ValueError):
    """Two sources have the same position."""


class ToleranceError(Error):
    """No choice meets the tolerance, or a sum missed it."""


class DeviceError(Error):
    """The device or its library is missing, or failed."""


class StateError(Error):
    """The call comes too early or too late."""


class InternalError(Error):
    """A check inside the library failed; please report it."""


class CommError(Error):
    """Another rank failed or cannot be reached."""


ERRORS = {
    "ERR_ARGUMENT": ArgumentError, "ERR_MEMORY": OutOfMemoryError,
    "ERR_UNKNOWN": UnknownError, "ERR_UNSUPPORTED": UnsupportedError,
    "ERR_CELL": CellError, "ERR_POSITION": PositionError,
    "ERR_STRENGTH": StrengthError, "ERR_COINCIDENT": CoincidentError,
    "ERR_TOLERANCE": ToleranceError, "ERR_DEVICE": DeviceError,
    "ERR_STATE": StateError, "ERR_INTERNAL": InternalError,
    "ERR_COMM": CommError,
}
for _number, (_name, _) in _c.STATUS.items():
    if _name in ERRORS:
        ERRORS[_name].status = _number


def _load() -> Any:
    library = ctypes.CDLL(str(PATH))
    for name, (result, arguments) in _c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    found = library.farsum_version().decode()
    if found != VERSION:
        raise ImportError(f"farsum: {PATH} has version {found}, the package "
                          f"{VERSION}: install both again")
    return library


lib: Any = _load()


def check(status: int) -> None:
    """Raises the exception of a status, with the thread's message."""
    if status:
        words = lib.farsum_message() or lib.farsum_status_text(status)
        raise ERRORS.get(_c.STATUS[status][0], Error)(
            words.decode(errors="replace"))


def started(struct: Any) -> Any:
    """Sets the size of a new struct, as the macros FARSUM_..._INIT do."""
    struct.size = ctypes.sizeof(struct)
    return struct
