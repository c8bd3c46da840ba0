# SPDX-License-Identifier: Apache-2.0
"""gen: crystals and distributions."""

import math
import unittest

from command import CommandTest

# sites of the cubic and of the primitive cell
CRYSTALS = {"nacl": (8, 2), "cscl": (2, 2), "zns": (8, 2), "caf2": (12, 3),
            "perovskite": (5, 5)}
DISTS = ["uniform", "clustered", "plummer", "lattice", "slab", "dense",
         "sediment"]
# periodic axes, default size, number of particles, extent
ASSEMBLIES = {
    "film": ("T T F", (8, 8, 4), lambda k, l, m: 3 * k * l * m,
             lambda k, l, m: (3.104 * k, 3.104 * l, 3.104 * m)),
    "water": ("T T T", (8, 8, 8), lambda k, l, m: k * l * m,
              lambda k, l, m: (3.104 * k, 3.104 * l, 3.104 * m)),
    "wire": ("F F T", (2, 2, 8), lambda k, l, m: 8 * k * l * m,
             lambda k, l, m: (5.64 * k, 5.64 * l, 5.64 * m)),
    "capacitor": ("T T F", (8, 8, 2), lambda k, l, m: 2 * k * l,
                  lambda k, l, m: (10 * k, 10 * l, 10 * m)),
    "membrane": ("T T F", (2, 2, 3), lambda k, l, m: k * l * (64 + 150 * m),
                 lambda k, l, m: (15.52 * k, 15.52 * l, 49 + 6.208 * m)),
}


def volume(lattice):
    a, b, c = lattice[:3], lattice[3:6], lattice[6:]
    return (a[0] * (b[1] * c[2] - b[2] * c[1])
            - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0]))


def lattice_of(frame):
    return [float(v) for v in frame.keys["Lattice"].split()]


class Gen(CommandTest):
    def gen(self, *words):
        self.farsum("gen", *words, "-o", "g.xyz")
        return self.frame("g.xyz")

    def test_crystals(self):
        for name, (cubic, primitive) in CRYSTALS.items():
            for words, sites in [([], cubic), (["--primitive"], primitive)]:
                one = self.gen(name, *words)
                many = self.gen(name, "--cells", "2x1x3", *words)
                self.assertEqual(len(one.columns["charge"]), sites)
                self.assertEqual(len(many.columns["charge"]), 6 * sites)
                self.assertEqual(sum(many.columns["charge"]), 0)
                self.assertAlmostEqual(volume(lattice_of(one)),
                                       sites / cubic, 14)
                self.assertAlmostEqual(volume(lattice_of(many)),
                                       6 * sites / cubic, 14)
                places = {tuple(p) for p in many.columns["pos"]}
                self.assertEqual(len(places), 6 * sites)

    def test_charges_of_crystals(self):
        frame = self.gen("caf2")
        pairs = set(zip(frame.columns["species"], frame.columns["charge"]))
        self.assertEqual(pairs, {("Ca", 2), ("F", -1)})
        frame = self.gen("perovskite")
        pairs = set(zip(frame.columns["species"], frame.columns["charge"]))
        self.assertEqual(pairs, {("Ca", 2), ("Ti", 4), ("O", -2)})

    def test_assemblies(self):
        """Counts, neutrality, axes, the cell, and the vacuum around."""
        for name, (axes, default, count, edges) in ASSEMBLIES.items():
            for cells in (default, (2, 1, 3)):
                words = [] if cells == default else ["--cells", "2x1x3"]
                frame = self.gen(name, *words)
                x, q = frame.columns["pos"], frame.columns["charge"]
                self.assertEqual(len(q), count(*cells))
                self.assertEqual(sum(q), 0)
                self.assertEqual(frame.keys["pbc"], axes)
                self.assertEqual(frame.keys["units"], "real")
                cell = lattice_of(frame)
                for d, flag in enumerate(axes.split()):
                    edge = edges(*cells)[d]
                    self.assertAlmostEqual(
                        cell[4 * d], edge if flag == "T" else 3 * edge, 10)
                    if flag == "F": # in the middle, to an atom's size
                        self.assertGreater(min(p[d] for p in x), edge - 1.2)
                        self.assertLess(max(p[d] for p in x), 2 * edge + 1.2)
                self.assertGreater(min(
                    math.dist(a, b) for i, a in enumerate(x[:300])
                    for b in x[:i]), 0.5)
                again = self.gen(name, *words, "--seed", 1)
                self.assertEqual(frame.columns, again.columns)
                other = self.gen(name, *words, "--seed", 2)
                self.assertNotEqual(x, other.columns["pos"])
                self.assertEqual(q, other.columns["charge"])

    def test_water(self):
        """Bonds of 1 and the angle of SPC/E; no mean dipole."""
        x = self.gen("film").columns["pos"]
        for o, a, b in zip(x[::3], x[1::3], x[2::3]):
            self.assertAlmostEqual(math.dist(o, a), 1, 12)
            self.assertAlmostEqual(math.dist(o, b), 1, 12)
            self.assertAlmostEqual(math.dist(a, b), math.sqrt(8 / 3), 12)
        for d in range(3):
            dipole = sum(a[d] + b[d] - 2 * o[d] for o, a, b in
                         zip(x[::3], x[1::3], x[2::3]))
            # the directions are random: 256 of length 2 sqrt(1/3)
            self.assertLess(abs(dipole), 4 * 2 / 3 * 16)

    def test_layers_of_the_membrane(self):
        frame = self.gen("membrane", "--cells", "1x1x2")
        middle = lattice_of(frame)[8] / 2
        far = {}
        for p, s in zip(frame.columns["pos"], frame.columns["species"]):
            far.setdefault(s, []).append(abs(p[2] - middle))
        self.assertLess(max(far["C"]), 15)
        self.assertTrue(all(18 <= z <= 19 for z in far["P"]))
        self.assertTrue(all(21.5 <= z <= 22.5 for z in far["Na"]))
        self.assertGreater(min(far["O"]), 24.5)
        self.assertEqual([len(far[s]) for s in ("C", "P", "Na", "O", "H")],
                         [48, 8, 8, 100, 200])

    def test_capacitor(self):
        """The jump of the potential is 4 pi times charge over area times
        distance, up to the displacements of the charges."""
        self.gen("capacitor", "--cells", "8x8x3")
        self.write("at.xyz", "2\nProperties=pos:R:3\n40 40 0\n40 40 90\n")
        self.farsum("run", "g.xyz", "--units", "reduced", "--targets", "at.xyz",
                    "--tolerance", "1e-6", "-o", "out.xyz", "--method", "ewald")
        below, above = self.frame("out.xyz").columns["potential"]
        self.assertAlmostEqual(below - above, 4 * math.pi / 100 * 30, 2)

    def test_runs_as_written(self):
        for name in ASSEMBLIES:
            self.gen(name, "--cells", "2x2x1")
            self.farsum("run", "g.xyz", "--units", "real", "--tolerance",
                        "1e-3")
        for words, says in (
                (("film", "-n", 30), "set its size by --cells"),
                (("wire", "--primitive"), "no primitive cell"),
                (("film", "--kernel", "stokeslet"), "fixed charges"),
                (("film", "--kernel", "charge_dipole"), "fixed charges"),
                (("nacl", "--kernel", "charge_dipole"), "fixed charges"),
                (("capacitor", "--net", 1), "fixed charges"),
                (("nacl", "--seed", 1), "no seed"),
                (("membrne",), "similar names: membrane")):
            self.refused(2, says, "gen", *words)
        self.refused(1, "from 1 to 2e9", "gen", "film", "--cells", "2000")

    def test_distributions(self):
        for name in DISTS:
            frame = self.gen(name, "-n", 1001, "--seed", 5)
            charges = frame.columns["charge"]
            self.assertEqual(len(charges), 1001)
            self.assertEqual(charges.count(1), 500)
            self.assertEqual(charges.count(-1), 500)
            self.assertAlmostEqual(volume(lattice_of(frame)), 1001, 9)
            again = self.gen(name, "-n", 1001, "--seed", 5)
            self.assertEqual(frame.columns, again.columns)
            other = self.gen(name, "-n", 1001, "--seed", 6)
            self.assertNotEqual(frame.columns, other.columns)

    def test_the_generator_is_the_same_everywhere(self):
        frame = self.gen("uniform", "-n", 2, "--cell", "1,1,1", "--seed", 1)
        # xoshiro256** after splitmix64(1), the first three numbers
        expected = reference_uniform(1, 3)
        self.assertEqual(frame.columns["pos"][0], expected)

    def test_formulas(self):
        half = 5.0
        slab = self.gen("slab", "-n", 1000).columns["pos"]
        self.assertTrue(all(10 / 3 <= p[2] <= 20 / 3 for p in slab))
        heights = [p[2] for p in self.gen("sediment", "-n",
                                          1000).columns["pos"]]
        self.assertAlmostEqual(sum(heights) / 1000, 0.5, delta=0.1)
        dense = self.gen("dense", "-n", 1000).columns["pos"]
        near = [p for p in dense if math.dist(p, [half] * 3) <= 0.5]
        self.assertGreaterEqual(len(near), 900)
        plummer = self.gen("plummer", "-n", 1000).columns["pos"]
        radii = sorted(math.dist(p, [half] * 3) for p in plummer)
        self.assertLessEqual(radii[-1], 5)
        # half the mass within a / sqrt(2^(2/3) - 1) = 1.3048 a, a = 0.5
        self.assertAlmostEqual(radii[500], 0.652, delta=0.06)
        lattice = self.gen("lattice", "-n", 1000).columns["pos"]
        self.assertEqual(len({tuple(p) for p in lattice}), 1000)
        self.assertAlmostEqual(lattice[0][0], 0.5, 12)

    def test_cells(self):
        frame = self.gen("uniform", "-n", 10, "--cell", "1x1x10")
        cell = lattice_of(frame)
        self.assertAlmostEqual(cell[8] / cell[0], 10, 12)
        cell = lattice_of(self.gen("uniform", "-n", 8, "--cell", "tilted"))
        self.assertAlmostEqual(cell[3] / cell[0], 0.9, 12)
        cell = lattice_of(self.gen("uniform", "--cell", "3,4,5"))
        self.assertEqual([cell[0], cell[4], cell[8]], [3, 4, 5])
        frame = self.gen("uniform", "--cell", "open")
        self.assertEqual(frame.keys["pbc"], "F F F")
        self.refused(1, "singular", "gen", "uniform", "--cell",
                     "1,1,0,1,1,0,0,0,1")
        cell = lattice_of(self.gen("uniform", "--cell", "1,1,-1"))
        self.assertEqual(cell[8], -1)

    def test_cells_of_any_size(self):
        """In cells of edge 2^k positions are 2^k times those of edge 1."""
        for name in ["uniform", "clustered", "plummer", "lattice", "slab",
                     "sediment", "dense"]:
            one = self.gen(name, "-n", 20, "--cell", "1,1,1")
            for power in [600, -500]:
                edge = repr(2.0 ** power)
                found = self.gen(name, "-n", 20, "--cell",
                                 ",".join([edge] * 3))
                self.assertEqual(
                    found.columns["pos"],
                    [[v * 2.0 ** power for v in x]
                     for x in one.columns["pos"]], (name, power))
        cell = lattice_of(self.gen("uniform", "-n", 8, "--cell",
                                   "1e200x1e200x1e200"))
        for k in [0, 4, 8]:
            self.assertAlmostEqual(cell[k], 2, 12)
        self.refused(2, "too far apart", "gen", "uniform", "--cell",
                     "1e200x1x1")
        self.refused(1, "beyond 1.8e308", "gen", "clustered", "--cell",
                     "1.7e308,1.7e308,1.7e308")

    def test_case(self):
        case = "laplace n=100 cell=triclinic dist=clustered seed=3"
        frame = self.gen("--case", case)
        same = self.gen("clustered", "-n", 100, "--cell", "triclinic",
                        "--seed", 3)
        self.assertEqual(frame.columns, same.columns)
        self.refused(2, "--case excludes the other options", "gen",
                     "--case", case,
                     "-n", 3)

    def test_masses(self):
        frame = self.gen("plummer", "-n", 200, "--masses", "--periodic", "none")
        self.assertEqual(frame.columns["mass"], [1 / 200] * 200)
        self.assertNotIn("charge", frame.columns)
        self.farsum("run", "g.xyz", "--gravity", 1, "-o", "out.xyz")
        self.assertIn("acceleration", self.frame("out.xyz").columns)

    def test_what_does_not_go_together(self):
        self.refused(2, "masses", "gen", "uniform", "--masses", "--net", 1)
        self.refused(2, "crystal", "gen", "nacl", "--masses")
        self.refused(2, "is a crystal", "gen", "nacl", "-n", 5)
        self.refused(2, "is a distribution", "gen", "slab", "--cells", 5)
        self.refused(2, "one crystal, assembly or distribution", "gen")

    def test_where_it_goes(self):
        out = self.farsum("gen", "cscl").out
        self.assertEqual(out.split("\n")[0], "2")
        self.refused(1, "no/where", "gen", "cscl", "-o", "no/where.xyz")
        self.refused(1, "No space left", "gen", "uniform", "-n", 1000, "-o",
                     "/dev/full")

    def test_hdf5(self):
        self.with_hdf5()
        self.farsum("gen", "zns", "--cells", 2, "-o", "g.h5")
        self.farsum("run", "g.h5", "-o", "out.xyz")
        self.assertEqual(len(self.frame("out.xyz").columns["charge"]), 64)


def reference_uniform(seed, count):
    """xoshiro256** as published, in Python."""
    mask = (1 << 64) - 1
    state = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        state.append(z ^ (z >> 31))

    def rotl(v, k):
        return ((v << k) | (v >> (64 - k))) & mask

    out = []
    for _ in range(count):
        out.append((rotl(state[1] * 5 & mask, 7) * 9 & mask) >> 11)
        t = state[1] << 17 & mask
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= t
        state[3] = rotl(state[3], 45)
    return [v * 2.0 ** -53 for v in out]


if __name__ == "__main__":
    unittest.main()
