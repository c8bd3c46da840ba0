# SPDX-License-Identifier: Apache-2.0
"""--exclude: bonds of LAMMPS data and files of pairs, against sums over pairs
computed in this file."""

import math
import os
import random
import unittest

from command import CommandTest

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                    "data")
C = 332.06371


def molecules(count, edge, seed):
    """Chains of four atoms: bonds 1-2-3-4, angles, dihedral 1-4."""
    draw = random.Random(seed)
    atoms, joins = [], {"Bonds": [], "Angles": [], "Dihedrals": []}
    for m in range(count):
        at = [edge * draw.random() for _ in "xyz"]
        for k, q in enumerate((0.4, -0.7, 0.5, -0.2)):
            atoms.append((q, [v + 0.6 * k + 0.3 * draw.random() for v in at]))
        i = 4 * m + 1
        joins["Bonds"] += [(i, i + 1), (i + 1, i + 2), (i + 2, i + 3)]
        joins["Angles"] += [(i, i + 1, i + 2), (i + 1, i + 2, i + 3)]
        joins["Dihedrals"] += [(i, i + 1, i + 2, i + 3)]
    return atoms, joins


def lammps(atoms, joins, edge, order=None, number=lambda i: i):
    """Writes atoms in another order, with arbitrary ids."""
    text = f"chains\n\n{len(atoms)} atoms\n1 atom types\n"
    for name, rows in joins.items():
        text += f"{len(rows)} {name.lower()}\n1 {name[:-1].lower()} types\n"
    text += "".join(f"0 {edge} {a}lo {a}hi\n" for a in "xyz")
    text += "\nAtoms # full\n\n"
    for i in order or range(len(atoms)):
        q, x = atoms[i]
        text += f"{number(i + 1)} 1 1 {q} {x[0]!r} {x[1]!r} {x[2]!r}\n"
    for name, rows in joins.items():
        text += f"\n{name}\n\n"
        for k, row in enumerate(rows):
            text += f"{k + 1} 1 {' '.join(str(number(i)) for i in row)}\n"
    return text


def open_sum(atoms, factors):
    """Energy and forces of the pairs in open space.  factors: {pair: factor},
    with atoms counted from 1."""
    energy, forces = 0.0, [[0.0] * 3 for _ in atoms]
    for i, (qi, xi) in enumerate(atoms):
        for j, (qj, xj) in enumerate(atoms[:i]):
            d = [a - b for a, b in zip(xi, xj)]
            r = math.sqrt(sum(v * v for v in d))
            e = C * qi * qj / r * factors.get((j + 1, i + 1), 1)
            energy += e
            for k in range(3):
                forces[i][k] += e * d[k] / r ** 2
                forces[j][k] -= e * d[k] / r ** 2
    return energy, forces


def by_joins(joins, factors):
    """{pair: factor} for the end atoms of bonds, angles and dihedrals.  A
    bond's factor overrides an angle's, which overrides a dihedral's."""
    out = {}
    for name, factor in zip(("Dihedrals", "Angles", "Bonds"), factors[::-1]):
        for row in joins[name]:
            out[tuple(sorted((row[0], row[-1])))] = factor
    return out


class Exclude(CommandTest):
    def setUp(self):
        super().setUp()
        self.atoms, self.joins = molecules(12, 9, 4)

    def compare(self, frame, factors, order=None):
        energy, forces = open_sum(self.atoms, factors)
        self.assertAlmostEqual(float(frame.keys["energy"]), energy,
                               delta=1e-9 * abs(energy))
        found = frame.columns["forces"]
        for place, i in enumerate(order or range(len(self.atoms))):
            for a, b in zip(found[place], forces[i]):
                self.assertAlmostEqual(a, b, delta=1e-9 * (1 + abs(b)))

    def run_open(self, name, *words):
        self.farsum("run", name, "--units", "real", "--periodic", "none",
                    "-o", "out.xyz", *words)
        return self.frame("out.xyz")

    def test_bonds(self):
        self.write("in.data", lammps(self.atoms, self.joins, 12))
        self.compare(self.run_open("in.data"), {})
        self.compare(self.run_open("in.data", "--exclude", "bonds"),
                     by_joins(self.joins, (0, 0, 1)))
        frame = self.run_open("in.data", "--exclude", "bonds",
                              "--exclude-factors", "0,0,0.5")
        self.compare(frame, by_joins(self.joins, (0, 0, 0.5)))
        self.assertEqual(frame.keys["farsum_exclusions"], "72")
        self.compare(self.run_open("in.data", "--exclude", "bonds",
                                   "--exclude-factors", "0.25,1,1"),
                     by_joins(self.joins, (0.25, 1, 1)))

    def test_ids_in_any_order(self):
        order = list(range(len(self.atoms)))
        random.Random(2).shuffle(order)
        self.write("in.data", lammps(self.atoms, self.joins, 12, order,
                                     lambda i: 1000 - 7 * i))
        self.compare(self.run_open("in.data", "--exclude", "bonds"),
                     by_joins(self.joins, (0, 0, 1)), order)
        self.write("pairs", "  993 986 # ids\n\n# nothing\n979 986 0.75\n")
        self.compare(self.run_open("in.data", "--exclude", "pairs"),
                     {(1, 2): 0, (2, 3): 0.75}, order)
        self.write("pairs", "993 986\n1 2\n")
        self.refused(1, "pairs:2: found no particle with the id 1", "run",
                     "in.data", "--exclude", "pairs")

    def test_file(self):
        rows = "".join(f"{q} {x[0]!r} {x[1]!r} {x[2]!r}\n"
                       for q, x in self.atoms)
        self.write("in.xyz", f"{len(self.atoms)}\n"
                   f"Properties=charge:R:1:pos:R:3\n{rows}")
        self.write("pairs", "1 2\n5 3 0.5\n7 48 1\n")
        self.compare(self.run_open("in.xyz", "--exclude", "pairs"),
                     {(1, 2): 0, (3, 5): 0.5})
        self.farsum("check", "out.xyz", "--exclude", "pairs")
        self.refused(1, "2 pairs were excluded; give --exclude FILE", "check",
                     "out.xyz")
        for text, pattern in [
                ("1 2\n3 x\n", r"pairs:2:3: expected .*number"),
                ("1\n", "pairs:1:"), ("1 2 1.5\n", "factor from 0 to 1"),
                ("1 2 nan\n", "pairs:1:5"), ("1 2 0.5 7\n", "pairs:1:9"),
                ("1 2\n2 1\n", "pairs:2: repeats the pair of line 1"),
                ("4 4\n", "pairs:1: pairs particle 4 with itself"),
                ("0 4\n", "pairs:1: found no particle 0"),
                ("\n4 49\n", "pairs:2: found no particle 49")]:
            self.write("pairs", text)
            self.refused(1, pattern, "run", "in.xyz", "--exclude", "pairs")
        self.refused(1, "bonded", "run", "in.xyz", "--exclude", "bonded")
        self.refused(2, "a second file", "run", "in.xyz", "--exclude",
                     "pairs", "--exclude", "more")
        self.refused(1, "needs LAMMPS data", "run", "in.xyz", "--exclude",
                     "bonds")
        self.refused(1, "requires --exclude bonds", "run", "in.xyz",
                     "--exclude-factors", "0,0,1")

    def test_targets(self):
        """A pair names a target and a source by their numbers in their files.
        """
        rows = "".join(f"{q} {x[0]!r} {x[1]!r} {x[2]!r}\n"
                       for q, x in self.atoms)
        self.write("in.xyz", f"{len(self.atoms)}\n"
                   f"Properties=charge:R:1:pos:R:3\n{rows}")
        self.write_targets("at.xyz", 3, 9)
        at = self.frame("at.xyz").columns["pos"]
        self.write("pairs", "1 2\n3 3 0.25\n3 48\n")
        factors = {(1, 2): 0, (3, 3): 0.25, (3, 48): 0}
        frame = self.run_open("in.xyz", "--targets", "at.xyz", "--exclude",
                              "pairs")
        for i, y in enumerate(at):
            potential = sum(C * q / math.dist(x, y)
                            * factors.get((i + 1, j + 1), 1)
                            for j, (q, x) in enumerate(self.atoms))
            found = frame.columns["potential"][i]
            self.assertAlmostEqual(found, potential,
                                   delta=1e-9 * (1 + abs(potential)))
        words = ("--targets", "at.xyz", "--exclude", "pairs", "--units",
                 "real", "--cell", "12,12,12")
        self.farsum("run", "in.xyz", *words, "--check")
        for text, pattern in [
                ("4 1\n", "pairs:1: found no target 4"),
                ("1 49\n", "pairs:1: found no source 49"),
                ("2 7\n2 7\n", "pairs:2: repeats the pair of line 1")]:
            self.write("pairs", text)
            self.refused(1, pattern, "run", "in.xyz", *words)
        self.refused(1, "bonds join particles of one file", "run", "in.xyz",
                     "--targets", "at.xyz", "--exclude", "bonds", "--cell",
                     "12,12,12")

    def test_nearest_images_tie(self):
        """Rock salt of eight ions without next neighbours.  These are half an
        edge apart, so each has two nearest images."""
        places = [(0, 0, 0), (1, 1, 0), (1, 0, 1), (0, 1, 1),
                  (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
        r = 2.82
        rows = "".join(f"{1 - i // 4 * 2} {r * x} {r * y} {r * z}\n"
                       for i, (x, y, z) in enumerate(places))
        self.write("salt.xyz", f'8\nLattice="{2 * r} 0 0 0 {2 * r} 0 0 0 '
                   f'{2 * r}" Properties=charge:R:1:pos:R:3\n{rows}')
        self.write("pairs", "".join(
            f"{i + 1} {j + 1}\n" for i in range(4) for j in range(4, 8)
            if sum(a != b for a, b in zip(places[i], places[j])) == 1))
        # 4 times Madelung's constant of the lattice, minus the 12 pairs.
        energy = -4 * 1.747564594633182 / r + 12 / r
        for words in (), ("--method", "ewald"), ("--method", "spectral"), \
                ("--method", "fmm"), ("--precision", "f32"), \
                ("--precision", "mixed"), ("--verify", "off"), \
                ("--verify", "off", "--precision", "f32"):
            self.farsum("run", "salt.xyz", "--units", "reduced", "--exclude",
                        "pairs", "--check", "-o", "out.xyz", *words)
            frame = self.frame("out.xyz")
            self.assertAlmostEqual(float(frame.keys["energy"]), energy,
                                   delta=1e-5 * energy, msg=words)
            for row in frame.columns["forces"]:
                for force in row:
                    self.assertLess(abs(force), 1e-5 / r ** 2, msg=words)

    def test_file_before_bonds(self):
        self.write("in.data", lammps(self.atoms, self.joins, 12))
        self.write("pairs", "2 1 0.3\n1 4\n")
        factors = by_joins(self.joins, (0, 0, 1))
        factors.update({(1, 2): 0.3, (1, 4): 0})
        self.compare(self.run_open("in.data", "--exclude", "bonds",
                                   "--exclude", "pairs"), factors)

    def test_bad_bonds(self):
        self.write("in.data", lammps(self.atoms, self.joins, 12))
        text = lammps(self.atoms, self.joins, 12)
        for old, new, pattern in [
                ("\n3 1 3 4\n", "\n3 1 3 99\n",
                 "line [0-9]+: found no particle with the id 99"),
                ("\n3 1 3 4\n", "\n3 1 3 3\n", "particle 3 with itself"),
                ("\n3 1 3 4\n", "\n3 1 3\n", "bad.data:[0-9]+:"),
                ("\n3 1 3 4\n", "\n3 1 3 4 5\n", "bad.data:[0-9]+:"),
                ("\n3 1 3 4\n", "\n3 1 3 b\n", "bad.data:[0-9]+:7:"),
                ("\n3 1 3 4\n", "\n", "bond 36 of 36")]:
            self.assertIn(old, text)
            self.write("bad.data", text.replace(old, new, 1))
            self.refused(1, pattern, "run", "bad.data", "--exclude", "bonds")
        none = lammps(self.atoms, {}, 12)
        self.write("none.data", none)
        self.refused(1, "found no bonds", "run", "none.data", "--exclude",
                     "bonds")

    def test_water(self):
        water = os.path.join(DATA, "water_tric.data")
        plain = ("--units", "real", "--seed", 3, "--tolerance", "1e-4")
        for words in [(), ("--precision", "f32")]:
            done = self.farsum("run", water, *plain, "--exclude", "bonds",
                               "--check", "-o", "out.xyz", *words)
            self.assertIn("2187 pairs excluded", done.out)
        # the same list as a file, at the written particles
        pairs = "".join(f"{3 * k + a} {3 * k + b}\n" for k in range(729)
                        for a, b in ((1, 2), (1, 3), (2, 3)))
        self.write("pairs", pairs)
        self.farsum("check", "out.xyz", "--exclude", "pairs")
        self.farsum("run", water, *plain, "--exclude", "pairs", "--method",
                    "ewald", "-o", "same.xyz")
        one, two = self.frame("out.xyz"), self.frame("same.xyz")
        self.assertAlmostEqual(float(one.keys["energy"]),
                               float(two.keys["energy"]),
                               delta=1e-4 * abs(float(two.keys["energy"])))


if __name__ == "__main__":
    unittest.main()
