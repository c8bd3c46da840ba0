# SPDX-License-Identifier: Apache-2.0
"""Keywords: the fields of the C structs by their names.

Groups are left out: skin= sets options.spectral.skin, and device= sets
options.device.name.
"""

from __future__ import annotations

import ctypes
import difflib
import numbers
from typing import Any, Dict, Iterable, List, Tuple

from . import _c
from ._lib import ArgumentError

# Fields that the package sets itself.
OWN = {"size", "reserved", "handle", "on_device", "sample_x", "sample_q",
       "n_exclusions", "exclusions", "exclusion_factors", "log", "log_data",
       "progress", "progress_data"}
BITS = {name[len("FARSUM_"):].lower(): bit
        for name, bit in _c.CONSTANTS.items()
        if name in ("FARSUM_POTENTIAL", "FARSUM_FIELD", "FARSUM_ENERGY",
                    "FARSUM_VIRIAL", "FARSUM_VELOCITY", "FARSUM_GRADIENT",
                    "FARSUM_PARTICLE_VIRIAL", "FARSUM_THIRD")}
USES = {name[len("FARSUM_MESH_"):].lower(): bit
        for name, bit in _c.CONSTANTS.items()
        if name in ("FARSUM_MESH_SPREAD", "FARSUM_MESH_VALUE",
                    "FARSUM_MESH_GRADIENT")}


def types_of(struct: Any) -> Dict[str, Any]:
    """The ctypes of a struct's fields."""
    return dict(struct._fields_)


def enum_of(struct: Any, name: str) -> Any:
    """The texts and numbers of a field's enum, or None."""
    return _c.ENUMS.get(struct.enums.get(name, ""))


def fields(struct: Any, path: Tuple[str, ...] = ()
           ) -> Iterable[Tuple[str, Tuple[str, ...], Any, Any]]:
    """Yields keyword, path, type and enum of each field of a struct."""
    for name, kind in struct._fields_:
        if name in OWN:
            continue
        if isinstance(kind, type) and issubclass(kind, ctypes.Structure):
            yield from fields(kind, path + (name,))
            continue
        keyword = path[-1] if name == "name" and path else name
        yield keyword, path + (name,), kind, enum_of(struct, name)


def table(*structs: Any) -> Dict[str, Tuple[int, Tuple[str, ...], Any, Any]]:
    """Keywords of several structs, with the struct's index; the first wins."""
    found: Dict[str, Tuple[int, Tuple[str, ...], Any, Any]] = {}
    for k, struct in enumerate(structs):
        for keyword, path, kind, enum in fields(struct):
            found.setdefault(keyword, (k, path, kind, enum))
    return found


def bits(value: Any, names: Dict[str, int]) -> int:
    """Bits of "field energy", of a list of names, or a number."""
    if isinstance(value, int):
        return value
    words: List[str] = value.split() if isinstance(value, str) else list(value)
    number = 0
    for word in words:
        if word not in names:
            raise ArgumentError(f"{word!r} is unknown; possible are "
                                + ", ".join(names))
        number |= names[word]
    return number


def _convert(keyword: str, value: Any, kind: Any, enum: Any) -> Any:
    if enum and isinstance(value, str):
        if value not in enum:
            raise ArgumentError(f"{keyword} {value!r} is unknown; possible "
                                "are " + ", ".join(enum))
        return enum[value]
    if keyword == "outputs":
        return bits(value, BITS)
    if keyword == "uses":
        return bits(value, USES)
    if keyword == "verify" and value is False:
        return _c.CONSTANTS["FARSUM_VERIFY_OFF"]
    if keyword == "order" and value == 0:
        return _c.CONSTANTS["FARSUM_ORDER_0"]
    if kind is ctypes.c_char_p:
        return str(value).encode()
    if kind is ctypes.c_double:
        return float(value)
    if issubclass(kind, ctypes.Array):
        return kind(*value)
    return int(value)


def fill(structs: Tuple[Any, ...], known: Dict[str, Any],
         given: Dict[str, Any]) -> None:
    """Sets the fields of structs by keywords; None leaves the default."""
    for keyword, value in given.items():
        if keyword not in known:
            near = difflib.get_close_matches(keyword, known, 1)
            raise TypeError(f"unknown option {keyword!r}"
                            + (f"; did you mean {near[0]!r}?" if near else ""))
        if value is None:
            continue
        index, path, kind, enum = known[keyword]
        place = structs[index]
        for name in path[:-1]:
            place = getattr(place, name)
        try:
            setattr(place, path[-1], _convert(keyword, value, kind, enum))
        except (TypeError, ValueError, OverflowError) as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(f"{keyword}: {value!r} is not possible: "
                                f"{error}") from None


def cell_rows(cell: Any) -> Tuple[float, ...]:
    """Nine numbers: a cube's edge, three edges, or rows [3, 3]."""
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if isinstance(cell, numbers.Real):
        cell = (cell, cell, cell)
    rows = tuple(float(v) for row in cell
                 for v in (row if hasattr(row, "__len__") else (row,)))
    if len(rows) == 9:
        return rows
    if len(rows) != 3:
        raise ArgumentError("cell: give one edge, three edges or three vectors "
                            f"as rows, not {len(rows)} numbers")
    a, b, c = rows
    return (a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c)


def axes(periodic: Any, cell: Any) -> Tuple[int, int, int]:
    """Periodic axes: all if there is a cell and periodic is None."""
    if periodic is None:
        periodic = cell is not None
    if isinstance(periodic, (bool, int)):
        return (int(periodic),) * 3
    found = () if isinstance(periodic, str) else tuple(periodic)
    if len(found) != 3:
        raise ArgumentError("periodic: give True, False or one of them for "
                            f"each axis, not {periodic!r}")
    a, b, c = found
    return int(a), int(b), int(c)


def plain(struct: Any) -> Dict[str, Any]:
    """The fields of a struct as Python values."""
    out = {}
    for name, _kind in struct._fields_:
        value = getattr(struct, name)
        enum = enum_of(struct, name)
        if enum:
            value = next((text for text, k in enum.items() if k == value), None)
        elif isinstance(value, bytes):
            value = value.decode(errors="replace")
        elif isinstance(value, ctypes.Array):
            value = tuple(value)
        if name not in ("size", "reserved"):
            out[name] = value
    return out
