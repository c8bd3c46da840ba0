#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates src/math/plane_wave_table.h: nodes of plane waves, math.md
(10.19).

    plane_wave_nodes.py NODES [WIDE] > src/math/plane_wave_table.h

Requires NumPy and SciPy.  For 3 .. NODES nodes, lambda and weights are fitted
by least squares (Levenberg and Marquardt).  The data are potentials (with
weight POTENTIAL) and fields of pairs of points in the far lists of cubes,
ws = 1, along each axis.  Random pairs are averaged in cells of (z, rho).  Sums
over far lists of evenly filled boxes at TARGETS points are added with weight
CROWD, because errors of pairs should cancel there.  The fit of one more node
starts from the previous nodes, stretched.  Then each node gets a multiple of
four angles, so many that their error adds little to that of the nodes.  Wide
tables are fitted to cubes and to bricks of 1 x 1 x 1/1.3 together.
"""
import itertools
import sys

import numpy as np
from scipy.optimize import least_squares
from scipy.special import j0, j1, jv

POTENTIAL, WIDE, SHARE, CROWD, TARGETS = 12.0, 1.3, 0.35, 8.0, 16


def pairs(count, seed, axis=None):
    """z, rho and weights of random pairs in far lists, a mean over octants."""
    rng = np.random.default_rng(seed)
    z, rho = [], []
    for octant in itertools.product((0, 1), repeat=3):
        for source in itertools.product(range(-2, 4), repeat=3):
            d = np.array(octant) - np.array(source)
            far = np.abs(d[::-1]) > 1
            if not far.any():
                continue
            main = 2 - int(np.argmax(far))
            x = rng.random((count, 3)) - rng.random((count, 3)) + d
            z.append(np.abs(x[:, main]))
            rho.append(np.sqrt(np.maximum((x * x).sum(1) - x[:, main]**2, 0)))
    z, rho = np.concatenate(z), np.concatenate(rho)
    return z, rho, np.full(len(z), 1 / 8 / count)


def cell_of(z, rho, most, nz=40, nr=64):
    i = np.minimum((nz * ((z - 1) / 3)**(2 / 3)).astype(int), nz - 1)
    return i * nr + np.minimum((nr * rho / most).astype(int), nr - 1), nz * nr


def cells(z, rho, weight):
    """Averages pairs in cells of (z, rho): z, rho and total weights."""
    k, n = cell_of(z, rho, rho.max())
    total = np.bincount(k, weight, n)
    there = total > 0
    mean = [np.bincount(k, weight * v, n)[there] / total[there]
            for v in (z, rho)]
    return mean[0], mean[1], total[there]


def crowds(stretch):
    """z and rho of cells, and their weights in sums over evenly filled far
    lists: for the potential and for its derivatives along z and rho."""
    rng = np.random.default_rng(3)
    g, w = np.polynomial.legendre.leggauss(4)
    points = np.array(list(itertools.product(g / 2, repeat=3)))
    share = np.array([a * b * c / 8 for a, b, c in
                      itertools.product(w, repeat=3)])
    found = []
    for t in range(TARGETS):
        octant, x = rng.integers(0, 2, 3), rng.random(3) - 0.5
        for source in itertools.product(range(-2, 4), repeat=3):
            d = octant - np.array(source)
            far = np.abs(d[::-1]) > 1
            if not far.any():
                continue
            main = 2 - int(np.argmax(far))
            r = d + x - points
            across = r.copy()
            across[:, main] = 0
            rho = np.sqrt((across**2).sum(1))
            along = np.zeros_like(r)
            along[:, main] = np.sign(r[:, main])
            found.append((np.full(len(r), t), np.abs(r[:, main]),
                          stretch * rho, share, along,
                          across / np.maximum(rho, 1e-9)[:, None]))
    t, z, rho, share = (np.concatenate([v[k] for v in found])
                        for k in range(4))
    along, across = (np.concatenate([v[k] for v in found]) for k in (4, 5))
    k, n = cell_of(z, rho, rho.max())
    total = np.bincount(k, share, n)
    there = total > 0
    number = np.cumsum(there) - 1
    mean = [np.bincount(k, share * v, n)[there] / total[there]
            for v in (z, rho)]
    rows = np.zeros((3, 4 * TARGETS, there.sum()))
    np.add.at(rows[0], (t, number[k]), POTENTIAL * share)
    for axis in range(3):
        at = (TARGETS * (1 + axis) + t, number[k])
        np.add.at(rows[1], at, share * along[:, axis])
        np.add.at(rows[2], at, share * across[:, axis])
    return mean[0], mean[1], rows * CROWD / np.sqrt(TARGETS)


def model(t, z, rho):
    s = len(t) // 2
    lam, w = np.exp(t[:s]), np.exp(t[s:])
    a = np.outer(rho, lam)
    e = np.exp(-np.outer(z, lam))
    return lam, w, e * j0(a), e * j1(a)


def parts(t, z, rho):
    lam, w, g, h = model(t, z, rho)
    r = np.hypot(z, rho)
    return (g @ w - 1 / r, z / r**3 - g @ (w * lam),
            rho / r**3 - h @ (w * lam))


def part_slopes(t, z, rho):
    lam, w, g, h = model(t, z, rho)
    z, rho = z[:, None], rho[:, None]
    dg = -z * g - rho * h
    dh = -z * h + rho * g - h / lam
    return [np.hstack([d * (w * lam), v * w])
            for v, d in ((g, dg), (-g * lam, -g - lam * dg),
                         (-h * lam, -h - lam * dh))]


def all_rows(t, z, rho, root, crowd):
    return np.concatenate([residual(t, z, rho, root)]
                          + [sum(m @ v for m, v in
                                 zip(c[2], parts(t, c[0], c[1])))
                             for c in crowd])


def all_slopes(t, z, rho, root, crowd):
    return np.vstack([slopes(t, z, rho, root)]
                     + [sum(m @ v for m, v in
                            zip(c[2], part_slopes(t, c[0], c[1])))
                        for c in crowd])


def residual(t, z, rho, root):
    f, along, across = parts(t, z, rho)
    return np.concatenate([POTENTIAL * f * root, along * root, across * root])


def slopes(t, z, rho, root):
    f, along, across = part_slopes(t, z, rho)
    return np.vstack([POTENTIAL * f, along, across]) * np.tile(root,
                                                               3)[:, None]


def errors(t, z, rho, root):
    r = residual(t, z, rho, root)**2
    return (np.sqrt(r[:len(z)].sum()) / POTENTIAL,
            np.sqrt(r[len(z):].sum()))


def angles(t, z, rho, weight, field):
    s = len(t) // 2
    out = []
    for lam, w in zip(np.exp(t[:s]), np.exp(t[s:])):
        q = weight * 2 * (w * lam * np.exp(-lam * z))**2
        m, left = 0, np.inf
        while left > SHARE * field / np.sqrt(s):
            m += 4
            a = lam * rho
            left = np.sqrt((q * (jv(m, a)**2
                                 + (jv(m - 1, a)**2 + jv(m + 1, a)**2) / 2)
                            ).sum())
        out.append(m)
    return out


def fit(most, wide):
    z, rho, weight = pairs(600, 1)
    if wide:
        z, weight = np.tile(z, 2), np.tile(weight, 2)
        rho = np.concatenate([rho, WIDE * rho])
    z, rho, weight = cells(z, rho, weight)
    root = np.sqrt(weight)
    crowd = [crowds(1)] + ([crowds(WIDE)] if wide else [])
    # Other pairs, to measure the remaining error.
    pz, prho, pweight = pairs(80, 2)
    if wide:
        prho = WIDE * prho
    t = np.log(np.array([0.3, 1.2, 0.7, 1.2]))
    for s in range(2, most + 1):
        t = least_squares(all_rows, t, all_slopes,
                          args=(z, rho, root, crowd), method="lm",
                          xtol=1e-14, ftol=1e-12, gtol=3e-16, max_nfev=300).x
        order = np.argsort(t[:s])
        t = np.concatenate([t[:s][order], t[s:][order]])
        e = errors(t, pz, prho, np.sqrt(pweight))
        if s > 2:
            m = angles(t, pz, prho, pweight, e[1])
            print(s, wide, "%.2e %.2e" % e, sum(m) // 4, m, file=sys.stderr,
                  flush=True)
            yield s, e, np.exp(t[:s]), np.exp(t[s:]), m
        lam = np.exp(t[:s])
        top = lam[-1] + 0.9 * (lam[-1] - lam[-2])
        y = np.linspace(0, 1, s + 1)
        more = (np.interp(y, np.linspace(0, 1, s), lam)
                * (1 + (top / lam[-1] - 1) * y))
        t = np.log(np.concatenate([more, np.gradient(more)]))


def main():
    print("/* SPDX-License-Identifier: Apache-2.0 */\n"
          "/* plane_wave_table.h: plane-wave nodes, generated by "
          "bench/plane_wave_nodes.py,\n * which describes the method. */\n"
          "/* nodes, wide, errors of potential and field of a far list, then "
          "lambda,\n * weight, angles of each node. */")
    for wide in map(int, sys.argv[2:]) if len(sys.argv) > 2 else (0, 1):
        for s, e, lam, w, m in fit(int(sys.argv[1]), wide):
            print("PLANE_WAVES(%d, %d, %.2e, %.2e," % (s, wide, *e))
            nodes = ["{%.11f, %.11f, %d}" % n for n in zip(lam, w, m)]
            lines = [", ".join(nodes[k:k + 2]) for k in range(0, s, 2)]
            print("    " + ",\n    ".join(lines) + ")")


main()
