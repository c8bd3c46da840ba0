# SPDX-License-Identifier: Apache-2.0
"""Particles that make sums inaccurate, by order in space, near pairs or one
large strength; and ordinary particles."""

import math

KERNELS = {"laplace": 1, "yukawa": 1, "r6": 1, "stokeslet": 3, "rotlet": 3,
           "stresslet": 6, "charge_dipole": 4, "yukawa_dipole": 4,
           "charge_quadrupole": 10}
FLOWS = ["stokeslet", "rotlet", "stresslet"]
DIPOLES = ["charge_dipole", "yukawa_dipole", "charge_quadrupole"]
COLUMNS = {"laplace": ["charge:R:1"], "yukawa": ["charge:R:1"],
           "r6": ["charge:R:1"], "stokeslet": ["force:R:3"],
           "rotlet": ["torque:R:3"], "stresslet": ["strength:R:3",
                                                   "normal:R:3"],
           "charge_dipole": ["charge:R:1", "dipole:R:3"],
           "yukawa_dipole": ["charge:R:1", "dipole:R:3"],
           "charge_quadrupole": ["charge:R:1", "dipole:R:3",
                                 "quadrupole:R:6"]}


class System:
    """Positions in a unit cube, and strengths.  Dipoles and quadrupoles are in
    units of the cube's edge: all alike, or each in its own direction."""

    def __init__(self, r, kernel):
        self.r, self.kernel = r, kernel
        self.x, self.q = [], []
        if kernel in DIPOLES:
            self.charge = r.choice([0, 1, 1])
            self.moment = r.choice([0, 1e-3, 0.03, 1])
            self.moment = self.moment if self.charge else 0.1
            self.along = r.choice([None, self.way()])

    def strength(self, mean, spread):
        if self.kernel in DIPOLES:
            way = self.along or self.way()
            q = [self.charge * self.r.gauss(mean, spread)] + [
                self.moment * a for a in way]
            if self.kernel == "charge_quadrupole":
                size = self.moment * self.r.choice([0, 0.1, 1])
                q += [size * (way[a] * way[b] - (a == b) / 3)
                      for a in range(3) for b in range(a, 3)]
            return q
        return [self.r.gauss(mean, spread) for _ in range(KERNELS[self.kernel])]

    def add(self, x, mean, spread=0):
        self.x.append(list(x))
        self.q.append(self.strength(mean, spread))

    def way(self):
        """A random unit vector."""
        v = [self.r.gauss(0, 1) for _ in range(3)]
        size = math.sqrt(sum(a * a for a in v)) or 1
        return [a / size for a in v]

    def centre(self):
        return [self.r.random() for _ in range(3)]

    def ball(self, n, size, mean, spread=0):
        centre = self.centre()
        for _ in range(n):
            self.add([self.r.gauss(c, size) for c in centre], mean, spread)

    def uniform(self, n, mean, spread=0):
        for _ in range(n):
            self.add(self.centre(), mean, spread)

    def grid(self, n, jitter, sign):
        edge = max(2, round(n ** (1 / 3)))
        for i in range(edge ** 3):
            at = (i % edge, i // edge % edge, i // edge ** 2)
            self.add([(a + 0.5 + jitter * self.r.uniform(-0.5, 0.5)) / edge
                      for a in at], sign(at))


def one_ball(s, n):
    s.ball(n, s.r.choice([0.01, 0.03, 0.1]), 1, s.r.choice([0, 0.3]))


def plummer(s, n):
    centre = s.centre()
    for _ in range(n):
        far = 0.05 / math.sqrt(max(s.r.random(), 1e-6) ** (-2 / 3) - 0.99999)
        s.add([c + min(far, 0.5) * w for c, w in zip(centre, s.way())], 1)


def cusp(s, n):
    """A density that rises towards the centre as r^-3."""
    centre = s.centre()
    for _ in range(n):
        far = 10 ** s.r.uniform(-4, -0.5)
        s.add([c + far * w for c, w in zip(centre, s.way())], 1)


def halos(s, n):
    for _ in range(s.r.randint(2, 6)):
        s.ball(max(1, n // 5), s.r.uniform(0.005, 0.05), 1)


def hierarchy(s, n):
    """Clusters of clusters."""
    for _ in range(n):
        x = [0.5] * 3
        for level in range(4):
            x = [a + (s.r.randint(0, 1) - 0.5) * 0.6 / 4 ** level for a in x]
        s.add([a + s.r.gauss(0, 1e-3) for a in x], 1, 0.1)


def colloid(s, n):
    s.ball(n // 2 + 1, s.r.choice([0.02, 0.05]), 1)
    s.uniform(n // 2 + 1, -1)


def shells(s, n):
    """Two charged spheres of opposite sign, one around the other."""
    centre, radius = s.centre(), s.r.uniform(0.02, 0.3)
    for k in range(n):
        sign, far = (1, radius) if k % 2 else (-1, radius * 1.1)
        s.add([c + far * w for c, w in zip(centre, s.way())], sign)


def balls(s, n):
    size = s.r.choice([0.02, 0.05])
    s.ball(n // 2 + 1, size, 1)
    s.ball(n // 2 + 1, size, -1)


def thread(s, n):
    """A chain of one sign."""
    x = s.centre()
    for _ in range(n):
        x = [a + 0.01 * w for a, w in zip(x, s.way())]
        s.add(x, 1)


def slab(s, n):
    """A layer with each sign of charge on one side, in empty space."""
    for k in range(n):
        x = s.centre()
        sign = 1 - 2 * (k % 2)
        x[2] = 0.5 + 0.05 * sign + s.r.gauss(0, 0.01)
        s.add(x, sign)


def planes(s, n):
    s.grid(n, s.r.choice([0, 0.2, 0.6]), lambda at: 1 - 2 * (at[2] % 2))


def lattice(s, n):
    s.grid(n, 0, lambda at: 1)


def jittered(s, n):
    s.grid(n, s.r.choice([0.1, 0.3, 0.6]), lambda at: 1)


def salt(s, n):
    s.grid(n, s.r.choice([0, 0.3]), lambda at: 1 - 2 * (sum(at) % 2))


def dipoles(s, n):
    """Pairs of opposite sign, all in one direction or each in its own."""
    way, apart = s.way(), 10 ** s.r.uniform(-3, -1.5)
    any_way = s.r.random() < 0.5
    for _ in range(n // 2 + 1):
        x = s.centre()
        w = s.way() if any_way else way
        s.add(x, 1)
        s.add([a + apart * b for a, b in zip(x, w)], -1)


def huge(s, n):
    s.uniform(n, 0, 1)
    k = s.r.randrange(n)
    s.q[k] = [v * s.r.choice([30, 100, 1000]) for v in s.q[k]]


def decades(s, n):
    """Strengths over six decades."""
    s.uniform(n, 0, 1)
    for q in s.q:
        size = 10 ** s.r.uniform(-4, 2)
        q[:] = [v * size for v in q]


def near(s, n):
    s.uniform(max(n, 2), 0, 1)
    for k in range(s.r.choice([1, 3])):
        if 2 * k + 1 < len(s.x):
            s.x[2 * k + 1] = list(s.x[2 * k])
            s.x[2 * k + 1][s.r.randrange(3)] += 10 ** s.r.uniform(-5, -2)


def corner(s, n):
    """A cluster around a corner of the cell, on both sides of its faces."""
    for _ in range(n):
        s.add([s.r.gauss(0, 0.02) % 1 for _ in range(3)], s.r.choice([1, -1]))


def few(s, n):
    s.uniform(s.r.randint(1, 4), 1 if s.r.random() < 0.5 else 0, 1)


def net(s, n):
    s.uniform(n, 1, s.r.choice([0, 0.5]))


def tame(s, n):
    s.uniform(n, 0, 1)


def sheet(s, n):
    """A sheet of no thickness, of one sign or of both."""
    signs, height = s.r.choice([[1], [1, -1]]), s.r.random()
    for k in range(n):
        s.add(s.centre()[:2] + [height], signs[k % len(signs)], 0.1)


def square(s, n):
    """A square lattice in a plane; jittered a little, or not."""
    edge, signs = max(2, round(n ** 0.5)), s.r.choice([1, -1])
    jitter = s.r.choice([0, 0, 1e-3, 0.2])
    for k in range(edge * edge):
        at = [k % edge, k // edge]
        s.add([(a + jitter * s.r.random()) / edge for a in at] + [0.5],
              signs ** sum(at))


def capacitor(s, n):
    """Two sheets of opposite sign, near each other or far."""
    gap = 10 ** s.r.uniform(-3, 0)
    for k in range(n):
        s.add(s.centre()[:2] + [(k % 2) * gap], 1 - 2 * (k % 2))


def heights(s, n):
    """A layer, and a few particles far above and below it."""
    for k in range(n):
        x = s.centre()
        x[2] = s.r.choice([-1, 1]) * 10 ** s.r.uniform(0, 1.5) if k % 50 == 0 \
            else 0.1 * x[2]
        s.add(x, s.r.choice([0, 1]), 1)


def needle(s, n):
    """Particles on a line."""
    x, way = s.centre(), s.r.choice([s.way(), [0, 0, 1], [1, 0, 0]])
    mean = s.r.choice([0, 1])
    for _ in range(n):
        far = s.r.random()
        s.add([a + far * b for a, b in zip(x, way)], mean, 1 - mean)


def edges(s, n):
    """Particles on the cell's faces, edges and corners, or just inside."""
    low = s.r.choice([0.0, 1 - 2 ** -53])
    spots = {(low, low, low)}
    while len(spots) < min(n, 500):
        spots.add(tuple(s.r.choice([low, 0.25, 0.5, s.r.random()])
                        for _ in range(3)))
    for x in sorted(spots):
        s.add(x, 0, 1)


def across(s, n):
    """Near pairs across the cell's faces."""
    s.uniform(max(n, 2), s.r.choice([0, 1]), 1)
    for k in range(s.r.choice([1, 3])):
        if 2 * k + 1 < len(s.x):
            axis, apart = s.r.randrange(3), 10 ** s.r.uniform(-5, -2)
            s.x[2 * k][axis] = 1 - apart / 2
            s.x[2 * k + 1] = list(s.x[2 * k])
            s.x[2 * k + 1][axis] = apart / 2


def two(s, n):
    s.uniform(2, 0, 1)
    if s.r.random() < 0.5:
        s.x[1] = [a + 10 ** s.r.uniform(-4, -1) for a in s.x[0]]


def one(s, n):
    s.uniform(1, 1)


CLASSES = [one_ball, plummer, cusp, halos, hierarchy, colloid, shells, balls,
           thread, slab, planes, lattice, jittered, salt, dipoles, huge,
           decades, near, corner, few, net, tame]
FLAT = [sheet, square, capacitor, heights, needle, edges, across, two, one,
        slab, thread, huge, lattice, planes, net, tame]


class Cell:
    """rows: the vectors of the particles' cube.  given: those of the file.
    Along open axes these may differ.  axes: the file's periodic axes."""

    def __init__(self, kind, edge, rows, given, axes):
        self.kind, self.edge, self.rows = kind, edge, rows
        self.given, self.axes = given, axes

    def whole(self):
        return self.axes == "T T T"


def low_cell(r, kind, edge):
    """A slab or a wire.  It is thin or thick, and its periodic vectors are
    oblique, even strongly.  The vectors along open axes are arbitrary."""
    tilt = r.choice([0, 0.4, 1.5]) * r.uniform(-1, 1)
    thick = 10 ** r.uniform(-2.5, 0.7)
    open_axes = [2] if kind == "slab" else [1, 2]
    rows = [[edge, 0, 0], [0, edge * r.uniform(0.3, 3), 0], [0, 0, edge]]
    if kind == "slab":
        rows[1][0] = tilt * edge
    for d in open_axes:
        rows[d] = [v * thick for v in rows[d]]
    given = [list(row) for row in rows]
    for d in open_axes:
        given[d][d] = edge * max(3 * thick, r.choice([0.1, 1, 10]))
        if r.random() < 0.3:
            given[d][0] = edge * r.uniform(-1, 1)
    turn = r.randrange(3)

    def turned(m):
        return [[m[(i - turn) % 3][(j - turn) % 3] for j in range(3)]
                for i in range(3)]
    axes = ["F" if (i - turn) % 3 in open_axes else "T" for i in range(3)]
    return Cell(kind, edge, turned(rows), turned(given), " ".join(axes))


def cell_of(r, kinds):
    kind = r.choice(kinds)
    edge = 10 ** r.uniform(-1, 2)
    if kind in ("slab", "wire"):
        return low_cell(r, kind, edge)
    rows = [[edge, 0, 0], [0, edge, 0], [0, 0, edge]]
    if kind == "brick":
        rows = [[edge * r.uniform(0.5, 2) if i == j else 0 for j in range(3)]
                for i in range(3)]
    if kind == "triclinic":
        rows = [[edge, 0, 0], [edge * r.uniform(-0.4, 0.4), edge, 0],
                [edge * r.uniform(-0.4, 0.4), edge * r.uniform(-0.4, 0.4),
                 edge]]
    return Cell(kind, edge, rows, rows,
                "F F F" if kind == "open" else "T T T")


def write(path, s, cell, apart):
    """Writes the particles; apart: as separate targets, without strengths."""
    rows = cell.rows
    place = [[sum(x[i] * rows[i][j] for i in range(3)) for j in range(3)]
             for x in s.x]
    box = " ".join("%.17g" % v for row in cell.given for v in row)
    head = 'pbc="F F F"' if cell.kind == "open" \
        else 'Lattice="%s" pbc="%s"' % (box, cell.axes)
    per = [1] + 3 * [cell.edge] + 6 * [cell.edge ** 2] \
        if s.kernel in DIPOLES else 6 * [1]
    columns = [] if apart else COLUMNS[s.kernel]
    with open(path, "w") as f:
        f.write("%d\n%s Properties=%s\n" % (
            len(place), head, ":".join(["species:S:1", "pos:R:3"] + columns)))
        for x, q in zip(place, s.q):
            f.write("X " + " ".join("%.17g" % v for v in
                                    x + ([] if apart else [
                                        a * b for a, b in zip(q, per)])) + "\n")
