#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""farsum against LAMMPS (Debian's lmp): `ewald` at 1e-8 and `pppm` at 1e-6.

LAMMPS's accuracy is the printed one (absolute RMS force) plus its minimum
error.  Its erfc is formula 7.1.26 of Abramowitz and Stegun with an error of up
to 1.5e-7.  A pair's force is then off by 1.5e-7 C q q / r^2 and its energy by
1.5e-7 C q q / r, for any --accuracy.
"""
import sys

import compare

ERFC = 1.5e-7


def floor(system):
    """Errors of forces, potential and energy from LAMMPS's erfc.

    Forces: errors of a particle's pairs add like independent errors.
    Potential and energy: errors of pairs within a molecule add in full, because
    all molecules have the same distances.  Errors of other pairs have both
    signs, because the polynomial's error oscillates and molecules are neutral,
    so they add like independent errors."""
    import numpy as np
    import common
    some = np.random.default_rng(1).permutation(system.n)[:600]
    d = system.pos[some, None] - system.pos[None]
    d -= np.rint(d @ np.linalg.inv(system.cell)) @ system.cell
    r2 = np.einsum("ijk,ijk->ij", d, d)
    r2[np.arange(len(some)), some] = np.inf
    q, qj = system.charge[some][:, None], system.charge[None]
    force = np.sqrt(np.mean(np.sum((q * qj / r2) ** 2, axis=1)))
    own = r2 < 1.7 ** 2  # the three atoms of one molecule
    v = np.abs(qj) / np.sqrt(r2)
    potential = np.sum(np.where(own, v, 0), axis=1) + np.sqrt(
        np.sum(np.where(own, 0, v) ** 2, axis=1))
    energy = 0.5 * system.n * np.mean(
        np.abs(q[:, 0]) * np.sum(np.where(own, v, 0), axis=1))
    return ERFC * force, ERFC * np.sqrt(np.mean(potential ** 2)), \
        ERFC * energy


def main():
    compare.need("lmp")
    import numpy as np
    import common
    import lammps
    check = compare.Check()
    for box in compare.BOXES:
        system, ours = compare.farsum(box, 1e-6)
        force, potential, energy = floor(system)
        for method, accuracy, order in (("ewald", 1e-8, None),
                                        ("pppm", 1e-6, 7)):
            r = lammps.run(system, lammps.options(
                method=method, accuracy=accuracy, order=order, per_atom=True))
            c = lammps.CONSTANT
            peer = {k: r[k] / c for k in (
                "forces", "energy", "virial", "potential")}
            stated = r["info"]["found_absolute_accuracy"] / c / common.norm(
                peer["forces"], system)
            phi = np.sqrt(np.mean(peer["potential"] ** 2))
            # LAMMPS states only the force's accuracy.  The same relative error
            # is assumed for potentials and energy.
            check.against(
                "%s, %s" % (box, method), system, ours, 1e-6, peer, {
                    "forces": stated + force / common.norm(
                        peer["forces"], system),
                    "potential": stated + potential / phi,
                    "energy": stated + energy / abs(peer["energy"])})
    check.end()


if __name__ == "__main__":
    sys.exit(main())
