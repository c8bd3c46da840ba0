# SPDX-License-Identifier: Apache-2.0
"""Plans that the one-call functions keep, and kernels on disk.

    farsum.cache.plans.clear()      frees the kept plans
    farsum.cache.plans.most = 2     keeps fewer (default: 8)
    farsum.cache.files()            folder, number of files, bytes
    farsum.cache.clear()            removes the files
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Callable, List, Optional, Tuple

from . import _c
from ._lib import check, lib


class Kept:
    """The plans used last.  A plan is taken out while a thread uses it."""

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self.others: List[Callable[[int], Any]] = []  # keep as many elsewhere
        self.reset()

    @property
    def most(self) -> int:
        return self._most

    @most.setter
    def most(self, number: int) -> None:
        self._most = number
        for other in self.others:
            other(number)

    def reset(self) -> None:
        self._lock = threading.Lock()
        self._plans: List[Tuple[Any, Any]] = []

    def take(self, key: Any, fits: Callable[[Any], bool]) -> Optional[Any]:
        """Removes and returns the latest plan of a key that fits."""
        with self._lock:
            for at in range(len(self._plans) - 1, -1, -1):
                if self._plans[at][0] == key and fits(self._plans[at][1]):
                    return self._plans.pop(at)[1]
        return None

    def give(self, key: Any, plan: Any) -> None:
        """Keeps a plan.  Plans beyond `most` are freed with their results."""
        with self._lock:
            self._plans.append((key, plan))
            dropped = self._plans[:-self.most or None]
            del self._plans[:len(dropped)]
        del dropped  # after the lock

    def clear(self) -> None:
        with self._lock:
            dropped, self._plans = self._plans, []
        del dropped
        for other in self.others:
            other(0)
            other(self.most)

    def __len__(self) -> int:
        return len(self._plans)


plans = Kept()


def _after_fork() -> None:
    # Other threads of the parent may have been in these plans: the child
    # neither uses nor frees them.
    for _, plan in plans._plans:
        plan.abandon()
    plans.reset()


os.register_at_fork(after_in_child=_after_fork)


def files() -> Tuple[str, int, int]:
    """The folder of compiled kernels and measured times, files and bytes."""
    folder = ctypes.create_string_buffer(4096)
    count, size = ctypes.c_int64(), ctypes.c_int64()
    check(lib.farsum_cache_list(_c.farsum_cache_visit(), None, folder,
                                len(folder), ctypes.byref(count),
                                ctypes.byref(size)))
    return folder.value.decode(), count.value, size.value


def clear() -> int:
    """Removes the files of the cache folder; returns their number."""
    count = ctypes.c_int64()
    check(lib.farsum_cache_clear(ctypes.byref(count)))
    return count.value
