# SPDX-License-Identifier: Apache-2.0
"""Results of a sum, and the choices of a plan."""

from __future__ import annotations

import ctypes
from typing import Any, Dict, Tuple

from . import _c, _options
from ._lib import ArgumentError, StateError, UnsupportedError

# Output: numbers per target; 0: one per right-hand side.
WIDTHS: Dict[str, Tuple[int, ...]] = {
    "potential": (), "field": (3,), "velocity": (3,), "gradient": (6,),
    "particle_virial": (3, 3), "third": (10,)}

# The numbers of a symmetric tensor xx xy xz yy yz zz by its axes.
SIX = ((0, 1, 2), (1, 3, 4), (2, 4, 5))


class Result:
    """What a sum gave.  R right-hand sides [R, ...] come first, if q has them.

    potential   [N]      phi
    field       [N, 3]   E = -grad phi
    forces      [N, 3]   q E; dipoles: q E - G p; quadrupoles: q E - G p
                         - Q:grad G/2
    torques     [N, 3]   p x E; quadrupoles: p x E - eps:(Q G) (kernels with
                         dipoles)
    gradient    [N, 6]   grad grad phi: xx xy xz yy yz zz (the same kernels)
    third       [N, 10]  its derivatives: xxx xxy xxz xyy xyz xzz yyy yyz yzz
                         zzz (charge_quadrupole)
    velocity    [N, 3]   of flows
    energy      []       (1/2) sum of (q phi - p.E + Q:G/2)
    virial      [3, 3]   W_ab = -dU / d(strain_ab)
    particle_virial [N, 3, 3]  each particle's share of the virial
    error       float    estimated error in the tolerance's norm
    plan        Plan     how it was summed

    Only the outputs of the plan exist; the others raise AttributeError.
    Forces and torques are computed at first use, from the q of the sum.
    """

    error: float

    def __init__(self, plan: Any, q: Any) -> None:
        self.plan = plan
        self._q = q

    def __getattr__(self, name: str) -> Any:
        if name in ("forces", "torques"):
            value = self._forces() if name == "forces" else self._torques()
        elif name == "acceleration":
            value = self.field
        elif name == "error":
            value = self.plan.estimated_error()
        elif name in _options.BITS:
            raise AttributeError(
                f"{name} was not summed: add it to outputs=")
        else:
            raise AttributeError(name)
        setattr(self, name, value)
        return value

    def _forces(self) -> Any:
        q, field = self._q, self.field
        if self.plan.strengths == 1:
            return q[..., None] * field
        if self.plan.strengths == 4:
            return dipole_forces(q, field, self.gradient)
        if self.plan.strengths == 10:
            return quadrupole_forces(q, field, self.gradient, self.third)
        raise AttributeError("flows have no forces")

    def _torques(self) -> Any:
        if self.plan.strengths not in (4, 10):
            raise AttributeError("only kernels with dipoles have torques")
        p, e = self._q[..., 1:4], self.field
        torques = p * 0
        for a, b, c in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            torques[..., a] = p[..., b] * e[..., c] - p[..., c] * e[..., b]
            for d in range(3) if self.plan.strengths == 10 else ():
                torques[..., a] -= \
                    self._q[..., 4 + SIX[b][d]] * self.gradient[..., SIX[d][c]] \
                    - self._q[..., 4 + SIX[c][d]] * self.gradient[..., SIX[d][b]]
        return torques

    def __repr__(self) -> str:
        names = [n for n in (*_options.BITS, "error") if n in self.__dict__]
        return f"<farsum.Result {' '.join(names)} by {self.plan!r}>"


def dipole_forces(q: Any, field: Any, gradient: Any) -> Any:
    """q E - G p of charges and dipoles [..., 4]."""
    forces = q[..., :1] * field
    for a, row in enumerate(SIX):
        for b, at in enumerate(row):
            forces[..., a] -= gradient[..., at] * q[..., 1 + b]
    return forces


def quadrupole_forces(q: Any, field: Any, gradient: Any, third: Any) -> Any:
    """q E - G p - Q:grad G/2 of charges, dipoles and quadrupoles [..., 10]."""
    forces = dipole_forces(q, field, gradient)
    for a in range(3):
        for b in range(3):
            for c in range(3):
                row = sum(axis > 0 for axis in (a, b, c))
                at = row * (row + 1) // 2 + sum(axis > 1 for axis in (a, b, c))
                forces[..., a] -= 0.5 * third[..., at] * q[..., 4 + SIX[b][c]]
    return forces


def check_hessian(n: int, q: Any, v: Any) -> None:
    """Raises unless q is [n] and v is [n, 3]."""
    if n == 0:
        raise StateError("set_points comes before hvp")
    for name, value, shape in (("q", q, (n,)), ("v", v, (n, 3))):
        if tuple(value.shape) != shape:
            raise ArgumentError(f"{name} has the shape {list(value.shape)}, "
                                f"not {list(shape)}")


def hessian_product(plan: Any, q: Any, v: Any, both: Any) -> Any:
    """farsum_plan_hvp of arrays of any kind, such as those of a device.

    both [2, n, 4]: space for the charges, and for the dipoles q v.
    """
    if plan.strengths != 4:
        raise UnsupportedError(
            "the Hessian requires a plan of kernel charge_dipole or "
            f"yukawa_dipole; this is {plan.kernel}")
    if not {"field", "gradient"} <= set(plan.outputs):
        raise ArgumentError("the Hessian requires the outputs field and "
                            "gradient, which the plan does not list")
    if plan.apart:
        raise UnsupportedError("the Hessian requires targets that are the "
                               "sources")
    both[:] = 0
    both[0, :, 0] = q
    both[1, :, 1:] = q[:, None] * v
    r = plan.execute(both)
    sums = both[1] + both[0]
    return -dipole_forces(sums, r.field[1], r.gradient[0])


class Record:
    """Fields of a C struct as attributes."""

    def __init__(self, values: Dict[str, Any]) -> None:
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no field {name!r}")

    def __repr__(self) -> str:
        return "Record(" + ", ".join(
            f"{name}={value!r}" for name, value in self.__dict__.items()) + ")"


def info_of(struct: Any) -> Record:
    """A plan's or mesh's info with its stages as a tuple of Records."""
    values = _options.plain(struct)
    values["stages"] = tuple(
        Record(_options.plain(stage))
        for stage in struct.stages[:struct.n_stages])
    return Record(values)


def kernels() -> Dict[str, Tuple[int, int]]:
    """Kernels: numbers per source, and possible outputs."""
    from ._lib import check, lib, started
    found: Dict[str, Tuple[int, int]] = {}
    while True:
        info = started(_c.farsum_kernel_info())
        if lib.farsum_list_kernels(len(found), ctypes.byref(info)):
            break
        found[info.name.decode()] = (info.strengths, info.outputs)
    if not found:
        check(_c.ENUMS["farsum_status"]["err_internal"])
    return found


KERNELS = kernels()
