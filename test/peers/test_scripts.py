#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The peers' scripts against a plain Ewald sum in numpy, without farsum.

The systems are a charged, tilted cell in a general orientation and a small
rock salt crystal.  A mistake of bench/peers/ in reading, rotation, order,
constants or the virial's sign shows here instead of as farsum's error.
"""
import os
import sys

import compare


def cases(np, common):
    """(name, system, cutoff)."""
    rng = np.random.default_rng(7)
    cell = np.array([[14.0, 3.0, 0.0], [-2.0, 15.0, 4.0], [5.0, -3.0, 16.0]])
    frac = np.indices((6, 6, 6)).reshape(3, -1).T / 6.0
    pos = frac @ cell + rng.uniform(-0.7, 0.7, (216, 3)) + [3.0, -20.0, 8.0]
    charge = rng.choice([-1.0, 0.5, 0.75], 216)
    yield "tilted, charged", common.System(pos, charge, cell), 5.5
    grid = np.indices((6, 6, 6)).reshape(3, -1).T
    sign = 1.0 - 2.0 * (grid.sum(axis=1) % 2)
    moved = grid * 2.8 + rng.uniform(-0.2, 0.2, (216, 3))
    yield "rock salt", common.System(moved, sign, np.eye(3) * 16.8), 8.0


def worst(system, rc):
    """Bounds for the errors of the energy and of a potential from LAMMPS's erfc
    (error up to 1.5e-7), if no two errors of pairs within rc cancel."""
    import numpy as np
    d = system.pos[:, None] - system.pos[None]
    d -= np.rint(d @ np.linalg.inv(system.cell)) @ system.cell
    r = np.sqrt(np.einsum("ijk,ijk->ij", d, d))
    r[(r == 0) | (r > rc)] = np.inf
    v = np.abs(system.charge) / r
    return {"energy": 1.5e-7 * 0.5 * np.abs(system.charge) @ v.sum(axis=1),
            "potential": 1.5e-7 * v.sum(axis=1).max()}


def compared(np, common, check, what, system, got, exact, bound, extra):
    """Compares results.  bound is relative; extra are the bounds of worst()."""
    check.line(what + "forces", common.force_error(
        got["forces"], exact["forces"], system), bound)
    w, v = got["virial"], exact["virial"]
    if abs(system.charge.sum()) > 1e-9:
        # The peers' virials lack some or all of the background's pressure.
        w, v = (u - np.trace(u) / 3 * np.eye(3) for u in (w, v))
    for k, a, b in (("energy", got["energy"], exact["energy"]),
                    ("virial", w, v),
                    ("potential", got.get("potential"), exact["potential"])):
        if a is not None:
            size = np.abs(b).max()
            more = extra.get("potential" if k == "potential" else "energy", 0)
            check.line(what + k, np.abs(a - b).max() / size,
                       bound + more / size)


def main():
    os.environ.setdefault("FARSUM", "/bin/true")  # not used here
    compare.need("lmp", "mpirun", "gmx_d")
    import numpy as np
    import common
    import ewald
    import gromacs
    import lammps
    check = compare.Check()
    for name, system, rc in cases(np, common):
        exact = ewald.ewald(system)
        limit = worst(system, rc)
        settings = dict(method="ewald", accuracy=1e-9, cutoff=rc)
        for peer, bound, extra, module, o in (
                ("lammps", 1.5e-7, limit, lammps,
                 lammps.options(per_atom=True, **settings)),
                ("lammps, 2 ranks", 1.5e-7, limit, lammps,
                 lammps.options(threads=2, **settings)),
                ("gromacs", 2e-9, {}, gromacs, gromacs.options(
                    cutoff=rc, rtol=1e-13, order=12, spacing=0.25))):
            r = module.run(system, o)
            got = {k: np.asarray(r[k]) / module.CONSTANT for k in (
                "forces", "energy", "virial", "potential")
                if r.get(k) is not None}
            compared(np, common, check, "%s, %s: " % (name, peer), system, got,
                     exact, bound, extra)
    check.end()


if __name__ == "__main__":
    sys.exit(main())
