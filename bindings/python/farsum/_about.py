# SPDX-License-Identifier: Apache-2.0
"""Devices, and facts for reports of bugs."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import sys
from typing import Any, List, Optional

import numpy as np

from . import _c, _options, cache
from ._lib import PATH, VERSION, Error, lib, started
from ._plan import Plan
from ._result import Record


def devices() -> List[Record]:
    """The host, the devices, and a reason for each vendor without one.

    Fields: name, available, missing, model, arch, compiler, units, f64,
    memory, used, peak (bytes).
    """
    found: List[Record] = []
    while True:
        info = started(_c.farsum_device_info())
        if lib.farsum_list_devices(len(found), ctypes.byref(info)):
            return found
        found.append(Record(_options.plain(info)))


def _openmp() -> List[str]:
    """OpenMP libraries in this process; two do not know each other."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as maps:
            names = re.findall(r"(/\S*lib(?:gomp|iomp|omp)\S*\.so\S*)",
                               maps.read())
    except OSError:
        return []
    return sorted(set(names))


def show() -> None:
    """Prints versions, libraries, threads, the cache and devices."""
    cpus = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    try:
        folder, files, size = cache.files()
        stored = f"{folder or 'off'}, {files} files, {size} bytes"
    except Error as error:
        stored = str(error)
    lines = [
        f"farsum    {VERSION}, {PATH}",
        f"python    {sys.version.split()[0]}, {platform.platform()}",
        f"numpy     {np.__version__}",
        f"threads   {len(cpus(0))} processors, OMP_NUM_THREADS="
        f"{os.environ.get('OMP_NUM_THREADS', '')}",
        *(f"openmp    {name}" for name in _openmp()),
        f"cache     {stored}",
        f"kept      {len(cache.plans)} plans",
    ]
    for device in devices():
        state = device.model or "" if device.available else device.missing
        lines.append(f"{device.name:<9} {state}")
    print("\n".join(lines))


def warm(device: str, kernel: str = "laplace", precision: Optional[str] = None,
         cell: Any = 1.0, n: int = 100000) -> None:
    """Compiles the kernels of a device ahead, into the cache folder.

    cell None: those of open space.  n: the expected number of particles.
    Raises DeviceError.
    """
    Plan(kernel, cell=cell, n_sources=n, device=device, precision=precision,
         verify=False).close()
