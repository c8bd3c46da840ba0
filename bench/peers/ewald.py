#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A plain Ewald sum in numpy, converged to rounding, without code of any other
program: the reference for peers (and us) on small systems.

    ewald.py data/water_tric.data --out reference.npz [--first 300]

Tin-foil boundary, uniform background for a charged cell, Coulomb constant 1.
P.  P.  Ewald, Ann. Phys. 369, 253 (1921).  The time grows as N^1.5 at best:
seconds for 2000 particles, a minute or two for 10000.
"""
import argparse
import math
import sys

import numpy as np

import common

REACH = 6.2  # erfc(6.2) = 2e-18, exp(-6.2^2) = 2e-17


def half_heights(cell):
    """The smallest distance between opposite faces, halved."""
    inverse = np.linalg.inv(cell)  # columns: reciprocal vectors over 2 pi
    return 0.5 / np.linalg.norm(inverse, axis=0).max()


def near(system, alpha, rc):
    """Real-space potential, field and virial, from pairs of nearest images.
    With rc below half the smallest height no other image counts."""
    x, q, cell = system.pos, system.charge, system.cell
    inverse = np.linalg.inv(cell)
    n = system.n
    phi, field, virial = np.zeros(n), np.zeros((n, 3)), np.zeros((3, 3))
    step = max(1, 2000000 // n)
    for i0 in range(0, n, step):
        i1 = min(n, i0 + step)
        d = x[i0:i1, None] - x[None]
        d -= np.rint(d @ inverse) @ cell
        r2 = np.einsum("ijk,ijk->ij", d, d)
        r2[np.arange(i1 - i0), np.arange(i0, i1)] = np.inf
        i, j = np.nonzero(r2 < rc * rc)
        d, r2 = d[i, j], r2[i, j]
        r = np.sqrt(r2)
        e = np.fromiter(map(math.erfc, alpha * r), float, len(r)) / r
        g = (e + 2 * alpha / math.sqrt(math.pi) * np.exp(-alpha ** 2 * r2)) \
            / r2
        f = (q[j] * g)[:, None] * d
        i += i0
        phi += np.bincount(i, q[j] * e, n)
        for k in range(3):
            field[:, k] += np.bincount(i, f[:, k], n)
        virial += 0.5 * (f * q[i][:, None]).T @ d
    return phi, field, virial


def wave_vectors(cell, kmax):
    """Half of the reciprocal lattice vectors with 0 < |k| < kmax."""
    reciprocal = 2 * math.pi * np.linalg.inv(cell).T
    m = [int(kmax * np.linalg.norm(row) / (2 * math.pi)) + 1 for row in cell]
    grid = np.indices([2 * v + 1 for v in m]).reshape(3, -1).T - np.array(m)
    upper = (grid[:, 0] > 0) | ((grid[:, 0] == 0) & (
        (grid[:, 1] > 0) | ((grid[:, 1] == 0) & (grid[:, 2] > 0))))
    k = grid[upper] @ reciprocal
    return k[np.einsum("ij,ij->i", k, k) < kmax ** 2]


def far(system, alpha):
    """Wave-space potential, field and virial, self and background terms."""
    x, q, volume = system.pos, system.charge, system.volume
    k = wave_vectors(system.cell, 2 * alpha * REACH)
    phi, field, virial = np.zeros(system.n), np.zeros((system.n, 3)), \
        np.zeros((3, 3))
    step = max(1, 4000000 // system.n)
    for k0 in range(0, len(k), step):
        part = k[k0:k0 + step]
        k2 = np.einsum("ij,ij->i", part, part)
        w = 8 * math.pi / volume * np.exp(-k2 / (4 * alpha ** 2)) / k2
        phase = x @ part.T
        cos, sin = np.cos(phase), np.sin(phase)
        re, im = q @ cos, q @ sin
        phi += cos @ (w * re) + sin @ (w * im)
        field += sin @ ((w * re)[:, None] * part) \
            - cos @ ((w * im)[:, None] * part)
        energy = 0.5 * w * (re ** 2 + im ** 2)
        virial += energy.sum() * np.eye(3) - (part * (
            2 * energy * (1 / k2 + 0.25 / alpha ** 2))[:, None]).T @ part
    total = q.sum()
    phi -= 2 * alpha / math.sqrt(math.pi) * q \
        + math.pi * total / (alpha ** 2 * volume)
    virial -= math.pi * total ** 2 / (2 * alpha ** 2 * volume) * np.eye(3)
    return phi, field, virial


def ewald(system, rc=None):
    """Potential, forces, energy and virial, with Coulomb constant 1."""
    rc = min(rc or 18.0, 0.9999 * half_heights(system.cell))
    alpha = REACH / rc
    a, b = near(system, alpha, rc), far(system, alpha)
    phi, field, virial = (u + v for u, v in zip(a, b))
    q = system.charge
    return {"potential": phi, "forces": q[:, None] * field,
            "energy": 0.5 * float(q @ phi), "virial": virial}


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("input")
    p.add_argument("--first", type=int, help="use only the first N particles")
    p.add_argument("--rc", type=float, help="cutoff, Angstrom")
    p.add_argument("--out", required=True)
    a = p.parse_args()
    s = common.read(a.input)
    if a.first:
        s = common.System(s.pos[:a.first], s.charge[:a.first], s.cell)
    r = ewald(s, a.rc)
    common.save(a.out, 1.0, {"peer": "numpy ewald", "input": a.input,
                             "n": s.n}, **r)
    print("N %d  energy %.15g  RMS force %.10g" % (
        s.n, r["energy"], math.sqrt(np.mean(np.sum(r["forces"] ** 2, 1)))))


if __name__ == "__main__":
    sys.exit(main())
