# SPDX-License-Identifier: Apache-2.0
"""A force for OpenMM: charges, and on request dispersion, summed by Farsum."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import openmm
from openmm import unit

from ._lib import ArgumentError, UnsupportedError
from ._plan import Plan
from ._sums import total

# Coulomb's constant of OpenMM in kJ nm / (mol e^2): ONE_4PI_EPS0 of its
# SimTKOpenMMRealType.h.
ONE_4PI_EPS0 = 138.93545764438198


class Sum:
    """What a PythonForce calls: energy in kJ/mol, forces in kJ/mol/nm.

    strengths   [n] charges in e; dispersion: sqrt(C6) in sqrt(kJ/mol) nm^3
    offsets     parameter's name -> [n], added to the strengths times the
                parameter's value
    pairs       [k, 2], excluded: the system's exceptions
    force       the PythonForce (None in copies)
    dispersion  the Sum of dispersion, or None
    plan        farsum.Plan of the last call, or None

    Contexts that exist use changes of `strengths` from the next step on.
    """

    def __init__(self, kernel: str, strengths: Any, offsets: Dict[str, Any],
                 pairs: Any, periodic: bool, options: Dict[str, Any]) -> None:
        self.kernel, self.strengths, self.offsets = kernel, strengths, offsets
        self.pairs, self.periodic, self.options = pairs, periodic, options
        self.force: Any = None
        self.dispersion: Optional[Sum] = None
        self.plan: Optional[Plan] = None

    def __getstate__(self) -> Dict[str, Any]:
        return {**self.__dict__, "force": None, "plan": None}

    def __call__(self, state: Any) -> Tuple[float, Any]:
        x = state.getPositions(asNumpy=True).value_in_unit(unit.nanometer)
        cell = state.getPeriodicBoxVectors(asNumpy=True).value_in_unit(
            unit.nanometer) if self.periodic else None
        q = self.strengths
        if self.offsets:
            values = state.getParameters()
            q = q + sum(values[name] * scale
                        for name, scale in self.offsets.items())
        r = total(self.kernel, x, q, cell=cell, exclude=self.pairs,
                  outputs="field energy", **self.options)
        self.plan = r.plan
        return r.energy, np.ascontiguousarray(r.forces, float)

    def add_to(self, system: Any, name: str, group: int,
               parameters: Dict[str, float]) -> None:
        """Adds the force to a system."""
        self.force = openmm.PythonForce(self, parameters)
        self.force.setUsesPeriodicBoundaryConditions(self.periodic)
        self.force.setName(name)
        self.force.setForceGroup(group)
        system.addForce(self.force)


def coulomb(system: Any, tolerance: float = 1e-5, dispersion: bool = False,
            force_group: Optional[int] = None, **options: Any) -> Sum:
    """Moves the charges of a system's NonbondedForce to a force by Farsum.

    system       openmm.System whose NonbondedForce has the method PME, Ewald,
                 LJPME or NoCutoff.  It is changed: make Contexts afterwards
    tolerance    largest RMS error of the forces over their RMS
    dispersion   True: also sums -sqrt(C6_i C6_j) / r^6 over all images, as
                 LJPME does.  LJPME requires it
    force_group  group of the new forces (default: the NonbondedForce's)
    options      method, precision, device, threads, and all others of
                 farsum.Plan

    The NonbondedForce keeps Lennard-Jones within its cutoff, and the charge
    products of its exceptions, such as scaled 1-4 pairs.  Farsum excludes the
    pairs of all exceptions.  Charges may depend on global parameters.

    Returns the Sum, whose `plan` tells how it was summed.  Raises
    UnsupportedError for what cannot be moved; the system is then unchanged.
    Errors during a simulation are OpenMM's, with the words of Farsum.
    """
    old = _nonbonded(system)
    method = old.getNonbondedMethod()
    _refuse(old, method, dispersion, force_group)
    periodic = method != old.NoCutoff
    rows = [_particle(old, i) for i in range(old.getNumParticles())]
    charges, c6 = np.array(rows, float).reshape(-1, 2).T.copy()
    offsets, parameters = _offsets(old)
    if not charges.any() and not offsets:
        raise ArgumentError("the NonbondedForce has no charges, or they were "
                            "moved before")
    pairs = np.array([old.getExceptionParameters(k)[:2]
                      for k in range(old.getNumExceptions())],
                     np.int64).reshape(-1, 2)
    group = old.getForceGroup() if force_group is None else force_group
    common: Dict[str, Any] = {"tolerance": tolerance, **options}
    sums = Sum("laplace", charges, offsets, pairs, periodic,
               {"coulomb": ONE_4PI_EPS0, **common})
    if dispersion:
        sums.dispersion = Sum("r6", c6, {}, pairs, periodic,
                              {"coulomb": -1.0, **common})
    # nothing fails from here on
    _discharge(old)
    if periodic:
        old.setNonbondedMethod(old.CutoffPeriodic)
    sums.add_to(system, "FarsumCoulomb", group, parameters)
    if sums.dispersion:
        old.setUseDispersionCorrection(False)
        system.addForce(_near_dispersion(old, c6, pairs, group))
        sums.dispersion.add_to(system, "FarsumDispersion", group, {})
    return sums


def _nonbonded(system: Any) -> Any:
    if not hasattr(openmm, "PythonForce"):
        raise UnsupportedError("OpenMM has PythonForce from version 8.4 on; "
                               f"this is {openmm.version.version}")
    found: List[Any] = [f for f in system.getForces()
                        if isinstance(f, openmm.NonbondedForce)]
    if len(found) != 1:
        raise UnsupportedError(f"the system has {len(found)} forces of the "
                               "class NonbondedForce, not one")
    return found[0]


def _refuse(old: Any, method: int, dispersion: bool,
            force_group: Optional[int]) -> None:
    """Raises for settings whose energy Farsum would not reproduce."""
    why = None
    if method in (old.CutoffPeriodic, old.CutoffNonPeriodic):
        why = ("a NonbondedForce with a cutoff has a reaction field instead of "
               "a sum over images: set PME or NoCutoff first")
    elif not old.getIncludeDirectSpace():
        why = "IncludeDirectSpace is off: Farsum sums near and far pairs"
    elif force_group is None and old.getReciprocalSpaceForceGroup() not in (
            -1, old.getForceGroup()):
        why = ("near and reciprocal space have different force groups, but "
               "Farsum's sum has one: pass force_group")
    elif method == old.LJPME and not dispersion:
        why = ("LJPME also sums dispersion over all images: pass "
               "dispersion=True, or set PME for a cutoff")
    elif dispersion and method == old.NoCutoff:
        why = "without a cutoff OpenMM sums all dispersion: leave it there"
    elif dispersion and old.getUseSwitchingFunction():
        why = ("dispersion=True does not support a switching function: "
               "setUseSwitchingFunction(False)")
    elif dispersion and any(
            any(old.getParticleParameterOffset(k)[3:])
            for k in range(old.getNumParticleParameterOffsets())):
        why = ("dispersion=True does not support sigma and epsilon that depend "
               "on global parameters")
    if why:
        raise UnsupportedError(why)


def _particle(old: Any, i: int) -> Tuple[float, float]:
    """A particle's charge and sqrt(C6), C6 = 4 epsilon sigma^6."""
    charge, sigma, epsilon = (value._value for value in
                              old.getParticleParameters(i))
    return charge, 2 * epsilon ** 0.5 * sigma ** 3


def _offsets(old: Any) -> Tuple[Dict[str, Any], Dict[str, float]]:
    """Charge offsets by global parameter, and the parameters' defaults."""
    n = old.getNumParticles()
    offsets: Dict[str, Any] = {}
    for k in range(old.getNumParticleParameterOffsets()):
        name, i, charge, _, _ = old.getParticleParameterOffset(k)
        if charge:
            offsets.setdefault(name, np.zeros(n))[i] += charge
    defaults = {old.getGlobalParameterName(k):
                old.getGlobalParameterDefaultValue(k)
                for k in range(old.getNumGlobalParameters())}
    return offsets, {name: defaults[name] for name in offsets}


def _discharge(old: Any) -> None:
    """Removes the charges from a NonbondedForce."""
    for i in range(old.getNumParticles()):
        _, sigma, epsilon = old.getParticleParameters(i)
        old.setParticleParameters(i, 0.0, sigma, epsilon)
    for k in range(old.getNumParticleParameterOffsets()):
        name, i, _, sigma, epsilon = old.getParticleParameterOffset(k)
        old.setParticleParameterOffset(k, name, i, 0.0, sigma, epsilon)


def _near_dispersion(old: Any, c6: Any, pairs: Any, group: int) -> Any:
    """Adds sqrt(C6_i C6_j) / r^6 within the cutoff.

    There Farsum's sum replaces this part of Lennard-Jones, whose C6 are
    combined by other rules.
    """
    near = openmm.CustomNonbondedForce("c1*c2/r^6")
    near.addPerParticleParameter("c")
    for value in c6:
        near.addParticle([value])
    for i, j in pairs:
        near.addExclusion(int(i), int(j))
    near.setNonbondedMethod(near.CutoffPeriodic)
    near.setCutoffDistance(old.getCutoffDistance())
    near.setName("FarsumNearDispersion")
    near.setForceGroup(group)
    return near
