#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the force error of other programs with their default settings.

    defaults.py data/water_spce_3k.xyz >defaults.csv

GROMACS with the manual's defaults of `rcoulomb`, `fourierspacing`, `pme-order`
and `ewald-rtol`; OpenMM with a default NonbondedForce and PME; LAMMPS, which
has no default accuracy, with 1e-4 as in its examples.  Errors are in the norm
of docs/accuracy.md, over all particles, against `ewald.py`.  OpenMM (from
PyPI) is skipped if it is not installed.
"""
import argparse

import common
import ewald
import gromacs
import lammps


def of_gromacs(system):
    o = gromacs.options(program="gmx", cutoff=10, rtol=1e-5, order=4,
                        spacing=1.2)
    return gromacs.run(system, o)["forces"] / gromacs.CONSTANT


def of_lammps(system):
    o = lammps.options(accuracy=1e-4, cutoff=10, order=5)
    return lammps.run(system, o)["forces"] / lammps.CONSTANT


def of_openmm(system):
    """Forces in charge squared over length squared, or None if skipped."""
    try:
        import openmm
        from openmm import unit
    except ImportError:
        return None
    force, all_of = openmm.NonbondedForce(), openmm.System()
    force.setNonbondedMethod(openmm.NonbondedForce.PME)
    all_of.setDefaultPeriodicBoxVectors(
        *[openmm.Vec3(*row) for row in system.cell / 10])
    for q in system.charge:
        all_of.addParticle(1)
        force.addParticle(float(q), 1, 0)
    all_of.addForce(force)
    context = openmm.Context(all_of, openmm.VerletIntegrator(0.001),
                             openmm.Platform.getPlatformByName("Reference"))
    context.setPositions(system.pos / 10)
    found = context.getState(getForces=True).getForces(asNumpy=True)
    return found.value_in_unit(unit.kilojoule_per_mole / unit.nanometer) \
        / 138.935456 / 100


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    a = parser.parse_args()
    system = common.read(a.input)
    right = ewald.ewald(system)["forces"]
    print("program,settings,force_error")
    rows = [("GROMACS mixed", "rcoulomb 1; fourierspacing 0.12; pme-order 4; "
             "ewald-rtol 1e-5", lambda: of_gromacs(system)),
            ("LAMMPS", "pppm 1e-4; cutoff 10; order 5",
             lambda: of_lammps(system)),
            ("OpenMM", "cutoff 1 nm; ewaldErrorTolerance 5e-4",
             lambda: of_openmm(system))]
    for name, settings, run in rows:
        forces = run()
        if forces is not None:
            print("%s,%s,%.3g" % (name, settings,
                                  common.force_error(forces, right, system)))


if __name__ == "__main__":
    main()
