# SPDX-License-Identifier: Apache-2.0
"""Common code of the scripts in this folder: particles, cells, results, the
norm.

A result file (.npz) contains forces [N][3] and, if the peer computes them,
potential [N], energy and virial [3][3] (W = -dE/d strain), in the peer's units.
It also contains the peer's Coulomb constant in these units (`constant`) and
JSON text (`info`).  `reduced()` divides by the constant, so that peers can be
compared.  Lengths are in Angstrom everywhere except inside GROMACS.
"""
import itertools
import json
import math
import os
import shlex
import subprocess
import sys

import numpy as np

REAL = 332.06371  # kcal A / (mol e^2): LAMMPS, units real


class System:
    """Positions [N][3], charges [N], cell (rows a, b, c), species [N]."""

    def __init__(self, pos, charge, cell, species=None):
        self.pos = np.ascontiguousarray(pos, dtype=float)
        self.charge = np.ascontiguousarray(charge, dtype=float)
        self.cell = np.array(cell, dtype=float).reshape(3, 3)
        self.species = (np.array(species) if species is not None
                        else np.full(len(self.charge), "X"))

    @property
    def n(self):
        return len(self.charge)

    @property
    def volume(self):
        return abs(np.linalg.det(self.cell))

    def replicated(self, counts):
        """Copies along a, b, c; the original particles come first."""
        shift = np.array([(i, j, k) for i in range(counts[0])
                          for j in range(counts[1])
                          for k in range(counts[2])], dtype=float) @ self.cell
        m = len(shift)
        pos = (self.pos[None] + shift[:, None]).reshape(-1, 3)
        return System(pos, np.tile(self.charge, m),
                      self.cell * np.array(counts, dtype=float)[:, None],
                      np.tile(self.species, m))

    def lower(self):
        """The system rotated so that the cell is lower triangular with a
        positive diagonal, with particles wrapped into the cell; and the
        rotation R.  new = old @ R, so R.T rotates forces back."""
        q, r = np.linalg.qr(self.cell.T)
        sign = np.where(np.diag(r) < 0, -1.0, 1.0)
        rotation, cell = q * sign, (r * sign[:, None]).T
        if np.allclose(np.triu(self.cell, 1), 0, atol=1e-12) and \
                np.all(np.diag(self.cell) > 0):
            rotation, cell = np.eye(3), self.cell.copy()
        if np.linalg.det(rotation) < 0:
            raise SystemExit("common: the cell is left-handed")
        # Shorter tilts describe the same lattice; both programs require them.
        for row, col in ((2, 1), (2, 0), (1, 0)):
            cell[row] -= cell[col] * round(cell[row, col] / cell[col, col])
        pos = self.pos @ rotation
        frac = pos @ np.linalg.inv(cell)
        pos = pos - np.floor(frac) @ cell
        return System(pos, self.charge, cell, self.species), rotation


def read(path):
    """Extended XYZ (first frame) or LAMMPS data (charge or full)."""
    with open(path) as f:
        lines = f.read().splitlines()
    if path.endswith((".xyz", ".extxyz")):
        return _read_xyz(lines)
    return _read_lammps(lines)


def _keys(comment):
    # shlex keeps "a b" together and removes the quotes.
    pairs = (w.split("=", 1) for w in shlex.split(comment) if "=" in w)
    return {k.lower(): v for k, v in pairs}


def read_columns(lines):
    """First frame of an extended XYZ: dictionary of arrays, and of keys."""
    n = int(lines[0])
    keys = _keys(lines[1])
    spec = keys.get("properties", "species:S:1:pos:R:3").split(":")
    words = np.array([t.split() for t in lines[2:2 + n]])
    if len(words) != n:
        raise SystemExit("common: the file ends before its last particle")
    out, at = {}, 0
    for name, kind, width in zip(spec[::3], spec[1::3], spec[2::3]):
        part = words[:, at:at + int(width)]
        at += int(width)
        if kind == "R":
            part = part.astype(float)
        elif kind == "I":
            part = part.astype(int)
        out[name] = part[:, 0] if int(width) == 1 else part
    return out, keys


def _read_xyz(lines):
    col, keys = read_columns(lines)
    cell = [float(v) for v in keys["lattice"].split()]
    return System(col["pos"], col["charge"], cell, col.get("species"))


def _read_lammps(lines):
    head, tilt = {}, [0.0, 0.0, 0.0]
    names = ("Masses", "Atoms", "Bonds", "Angles", "Velocities", "Dihedrals",
             "Impropers", "Pair Coeffs", "Bond Coeffs", "Angle Coeffs")
    section, atoms, style = None, [], "full"
    for line in lines[1:]:
        text, _, note = line.partition("#")
        text = text.strip()
        if not text:
            continue
        if text in names:
            section = text
            if text == "Atoms" and note.strip():
                style = note.strip()
        elif section == "Atoms":
            atoms.append(text.split())
        elif section is None:
            word = text.split()
            if word[-2:] in (["xlo", "xhi"], ["ylo", "yhi"], ["zlo", "zhi"]):
                head[word[-1][0]] = float(word[0]), float(word[1])
            elif word[-3:] == ["xy", "xz", "yz"]:
                tilt = [float(v) for v in word[:3]]
    first = {"full": 3, "charge": 2}[style]  # column of the charge
    a = np.array([w[:first + 4] for w in atoms]).astype(float)
    a = a[np.argsort(a[:, 0])]
    low = np.array([head[k][0] for k in "xyz"])
    size = [head[k][1] - head[k][0] for k in "xyz"]
    cell = [size[0], 0, 0, tilt[0], size[1], 0, tilt[1], tilt[2], size[2]]
    kind = a[:, first - 1].astype(int).astype(str)
    return System(a[:, first + 1:first + 4] - low, a[:, first], cell, kind)


def write_water(path, s):
    """Writes LAMMPS data of flexible water: molecules are consecutive O, H, H."""
    edge, n = np.diag(s.cell), s.n // 3
    with open(path, "w") as f:
        f.write(f"water\n\n{s.n} atoms\n{2 * n} bonds\n{n} angles\n"
                "2 atom types\n1 bond types\n1 angle types\n\n")
        for a, length in zip("xyz", edge):
            f.write(f"0 {length:.17g} {a}lo {a}hi\n")
        f.write("\nMasses\n\n1 15.9994\n2 1.008\n\nAtoms # full\n\n")
        for i in range(s.n):
            f.write("%d %d %d %.17g %.17g %.17g %.17g\n"
                    % (i + 1, i // 3 + 1, 1 if i % 3 == 0 else 2, s.charge[i],
                       *s.pos[i]))
        f.write("\nBonds\n\n")
        for m, h in itertools.product(range(n), (2, 3)):
            f.write(f"{2 * m + h - 1} 1 {3 * m + 1} {3 * m + h}\n")
        f.write("\nAngles\n\n")
        for m in range(n):
            f.write(f"{m + 1} 1 {3 * m + 2} {3 * m + 1} {3 * m + 3}\n")


def fields(system, at):
    """Fields in open space at the particles `at`, by direct sums; constant 1."""
    x, q, out = system.pos, system.charge, np.zeros((len(at), 3))
    for k, i in enumerate(at):
        d = x[i] - x
        r2 = (d * d).sum(axis=1)
        r2[i] = np.inf
        out[k] = ((q * r2 ** -1.5)[:, None] * d).sum(axis=0)
    return out


def norm(forces, system, constant=1.0):
    """max(RMS|F|, C q_rms^2 (N/V)^(2/3)): what a force error is divided by."""
    rms = math.sqrt(np.mean(np.sum(forces ** 2, axis=1)))
    scale = constant * np.mean(system.charge ** 2) \
        * (system.n / system.volume) ** (2 / 3)
    return max(rms, scale)


def force_error(forces, reference, system):
    """Relative RMS difference of two sets of forces, both reduced()."""
    d = math.sqrt(np.mean(np.sum((forces - reference) ** 2, axis=1)))
    return d / norm(reference, system)


def save(path, constant, info, **arrays):
    given = {k: v for k, v in arrays.items() if v is not None}
    np.savez(path, constant=constant, info=json.dumps(info), **given)


def reduced(path):
    """A result as a dictionary, divided by the peer's Coulomb constant."""
    with np.load(path) as z:
        c = float(z["constant"])
        out = {k: z[k] / c for k in ("forces", "potential", "energy", "virial")
               if k in z.files}
        out["info"] = json.loads(str(z["info"]))
    return out


def need(*programs):
    """Exits with status 77, "skipped" for test runners, without a program."""
    from shutil import which
    missing = [p for p in programs if which(p) is None]
    if missing:
        print("skipped: not installed: " + " ".join(missing))
        sys.exit(77)


def call(command, cwd, env=None):
    """Runs a program and returns its output; a failure raises RuntimeError
    with the end of the output."""
    full = {**os.environ, "OMP_NUM_THREADS": "1", **(env or {})}
    done = subprocess.run(command, cwd=cwd, env=full, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise RuntimeError("%s: status %d\n%s" % (
            " ".join(command), done.returncode, done.stdout[-3000:]))
    return done.stdout


def numbers(kind):
    """The reader of an option such as 8,10,12."""
    return lambda text: [kind(v) for v in text.split(",")]


def triple(text):
    """Three counts from "4", "4,4,8" or "4x4x8"."""
    v = [int(w) for w in text.replace("x", ",").split(",")]
    return v * 3 if len(v) == 1 else v
