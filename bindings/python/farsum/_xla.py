# SPDX-License-Identifier: Apache-2.0
"""The handlers that XLA calls, in the library libfarsum_xla.

A call has the kernel and its options as one text of lines NAME=VALUE, which the
handlers read: a compiled program may outlive this process.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any, List

from . import _c, _options, cache
from ._lib import HERE, UnsupportedError, check, lib, started
from ._plan import KEYWORDS
from ._show import logger
from ._systems import decoded

handlers: Any = ctypes.CDLL(str(HERE / "lib" / "libfarsum_xla.so"))
# fields of the problem; the handlers set the others by the arrays
PROBLEM = ("kernel", "kappa", "surface", "coulomb", "softening", "precision",
           "tolerance", "error", "exclude_coincident")


@ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
def _log(line: bytes, _data: Any) -> None:
    logger.warning(line.decode(errors="replace"))


handlers.farsum_xla_log(_log)
handlers.farsum_xla_keep.argtypes = [ctypes.c_size_t]
handlers.farsum_xla_keep(cache.plans.most)
cache.plans.others.append(handlers.farsum_xla_keep)


@functools.lru_cache(1)
def _names() -> List[str]:
    """The names of the options."""
    found: List[str] = []
    info = started(_c.farsum_option_info())
    while not lib.farsum_list_options(len(found), ctypes.byref(info)):
        found.append(info.name.decode())
    return found


@functools.lru_cache(256)
def lines(how: str) -> str:
    """The lines of an operator's argument `how`."""
    kernel, options = decoded(how)
    for name in options:
        if name in ("periodic", "log", "progress", "sample", "tune_only") or \
                name in KEYWORDS and name not in (*PROBLEM, *_names()):
            raise UnsupportedError(f"farsum.jax does not support {name}=; "
                                   "farsum.Plan does")
    problem = started(_c.farsum_problem())
    fields = started(_c.farsum_options())
    _options.fill((problem, fields), KEYWORDS, {"kernel": kernel, **options})
    found = []
    for name in PROBLEM:
        value = getattr(problem, name)
        if value:
            found.append(f"{name}={value.decode()}" if name == "kernel"
                         else f"{name}={value!r}")
    text = ctypes.create_string_buffer(256)
    for name in _names():
        check(lib.farsum_options_get(ctypes.byref(fields), name.encode(), text,
                                     len(text)))
        if text.value:
            found.append(f"{name}={text.value.decode()}")
    return "\n".join(found)
