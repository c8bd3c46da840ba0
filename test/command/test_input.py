# SPDX-License-Identifier: Apache-2.0
"""Realistic input files: incomplete or contradictory geometry and units,
dialects of other programs, compressed text, results of other calculations."""

import gzip
import os
import unittest

from command import CommandTest

ROWS = "Na 1 2 3 1\nCl 4 5 6 -1\n"
LATTICE = 'Lattice="10 0 0 0 10 0 0 0 10"'
PROPERTIES = "Properties=species:S:1:pos:R:3:charge:R:1"
PERIODIC = -0.23620329644  # two charges in a cube of 10
OPEN = -0.192450089729875
BOX = "0 10 xlo xhi\n0 10 ylo yhi\n0 10 zlo zhi\n"


class InputTest(CommandTest):
    def xyz(self, comment, name="in.xyz", rows=ROWS):
        return self.write(name, f"{len(rows.splitlines())}\n{comment} "
                                f"{PROPERTIES}\n{rows}")

    def energy(self, *words, **options):
        done = self.farsum("run", *words, "--tolerance", "1e-9", **options)
        return float(done.out.split("energy")[1].split()[0])

    def sums(self, right, *words, **options):
        self.assertAlmostEqual(self.energy(*words, **options), right,
                               delta=1e-8 * max(1, abs(right)))


class Geometry(InputTest):
    def test_empty_value(self):
        rows = ("Na 1.0 2.0 3.0 1.0\nCl 4.0 5.0 6.5 -1.0\nNa 7.0 1.5 2.5 1.0\n"
                "Cl 2.5 7.0 8.0 -1.0\n")
        cell = 'Lattice="9.0 0.0 0.0 0.0 9.0 0.0 0.0 0.0 9.0"'
        self.sums(-0.0867720875, self.xyz(
            f'{cell} step=3 config_type= pbc="F F F"', rows=rows))

    def test_pbc_without_lattice(self):
        file = self.xyz('pbc="T T T"')
        self.refused(1, r'Lattice="\.\.\." with a pbc.*--cell.*--periodic '
                     'none', "run", file)
        self.sums(PERIODIC, file, "--cell", "10,10,10")
        self.sums(OPEN, file, "--periodic", "none")

    def test_cell_in_place_of_lattice(self):
        file = self.xyz('cell="10 0 0 0 10 0 0 0 10"')
        self.refused(1, 'found "cell"', "run", file)
        self.sums(PERIODIC, file, "--cell", "10,10,10", "-o", "out.xyz")
        self.assertNotIn("cell", self.frame("out.xyz").keys)
        self.farsum("check", "out.xyz")
        self.refused(1, 'found "box"', "run", self.xyz(LATTICE + " box=11"))
        self.sums(PERIODIC, self.xyz(LATTICE + " box=10"))

    def test_names_that_resemble_a_cell(self):
        """Without Lattice and pbc they would be passed over: open space."""
        nine = '"10 0 0 0 10 0 0 0 10"'
        for key in ("Latice=" + nine, "XLattice=" + nine,
                    "unit_cell_matrix=" + nine, "Lx=10 Ly=10 Lz=10",
                    "lattice_a=10", "box_x=10", "cell(10,10,10)",
                    "simBoxSize=10", 'dimensions="10 10 10"',
                    "a=10 b=10 c=10 alpha=90 beta=90 gamma=90"):
            name = key.split("=")[0].split("(")[0]
            self.refused(1, 'expected a cell as Lattice="..."' + ".*found \""
                         + name, "run", self.xyz(key))
            self.sums(OPEN, self.xyz(key + ' pbc="F F F"'))
        self.refused(1, 'found "cell"', "run", self.xyz("cell=10x10x10"))
        self.sums(PERIODIC, self.xyz("Lx=10"), "--cell", "10,10,10")
        # these are no cells
        self.sums(OPEN, self.xyz("n_cells=3 cell_index=4 lattice_energy=-3 "
                                 "a=10 step=1 box=sim flattened=3 "
                                 "cell_density=0.5 latte_charges=3"))
        for key in ("cell=3T3", "supercell=2x2x2"):
            self.sums(OPEN, self.xyz(key + ' pbc="F F F"'))
        # edges without angles may be any three numbers
        self.sums(OPEN, self.xyz("a=1 b=2 c=3"))
        self.sums(OPEN, self.xyz("alpha=0.5 beta=2"))

    def test_cells_in_free_text(self):
        """Numbers that may be a cell are an error; one that counts is not."""
        for text in ("Lx 10 Ly 10", "box 10, 10, 10", "box 10x10x10",
                     "box 10 x 10 x 10", "box 10nm", "box 10 nm",
                     "cell 10.5 run", "cell 7", "box 10 step 5",
                     "cell: 10 step: 5", "Box (nm): 10 10 10", "cell 10 10",
                     "supercell 10.5 10.5 10.5", "pbc T T T", "boundary ppf",
                     "pbc xyz", "pbc 1 1 1", "periodic: T"):
            file = self.write("plain.xyz", f"1\n{text}\nNa 1 2 3\n")
            name = text.split()[0]
            self.refused(1, f'found "{name}"', "run", file, "--charge", "Na=1")
        for text in ("unit cell 3 of 5", "cell: 3 of 5", "box 12 run",
                     "periodic 3 of 5", "boundary 1 layer", "cell 3/5",
                     "supercell 3 3 3 of NaCl", "boundary f f f", "a 1 b 2 c 3"):
            file = self.write("plain.xyz", f"1\n{text}\nNa 1 2 3\n")
            self.farsum("run", file, "--charge", "Na=1")

    def test_words_for_open_space(self):
        for key in ("nonperiodic", "open=T", "aperiodic=T"):
            self.refused(1, "same periodic axes as by Lattice and pbc", "run",
                         self.xyz(f"{LATTICE} {key}"))
            self.sums(OPEN, self.xyz(f'{LATTICE} {key} pbc="F F F"'))
            self.sums(OPEN, self.xyz(key))
        self.sums(PERIODIC, self.xyz(f"{LATTICE} aperiodic=F"))

    def test_lammps_without_a_box(self):
        file = self.write("in.data", "t\n\n2 atoms\n\nAtoms # charge\n\n"
                          "1 1 1 1 2 3\n2 1 -1 4 5 6\n")
        self.refused(1, "no box.*--cell.*--periodic none", "run", file)
        self.sums(OPEN, file, "--periodic", "none")
        self.sums(PERIODIC, file, "--cell", "10,10,10")

    def test_dipoles_are_no_image_flags(self):
        rows = "1 1 1.5 1 2 3 1 0 0\n2 1 -1.5 4 5 6 0 -1 0\n"
        head = "t\n\n2 atoms\n1 atom types\n" + BOX
        file = self.write("in.data", f"{head}\nAtoms\n\n{rows}")
        self.refused(1, "image flags of style charge or.*dipole.*--atom-style",
                     "run", file)
        self.sums(2.25 * PERIODIC, file, "--atom-style", "charge")
        self.sums(2.25 * PERIODIC, file, "--atom-style",
                  "id type q x y z mux muy muz")
        file = self.write("in.data", f"{head}\nAtoms # dipole\n\n{rows}")
        self.refused(1, 'found "dipole"', "run", file)

    def test_targets_in_another_cell(self):
        file = self.xyz(LATTICE)
        for cell, what in (('Lattice="9 0 0 0 9 0 0 0 9"', "another cell"),
                           (LATTICE + ' pbc="T T F"', "other periodic axes"),
                           (LATTICE + ' pbc="F F F"', "other periodic axes")):
            other = self.write("at.xyz", f"1\n{cell} Properties=pos:R:3\n"
                               "1 1 1\n")
            self.refused(1, f"the targets' file at.xyz has {what} than the "
                         "particles; --cell.*--periodic none", "run", file,
                         "--targets", other)
            self.refused(1, what, "tune", file, "--targets", other)
            for words in (["--cell", "10,10,10"], ["--periodic", "none"]):
                done = self.farsum("run", file, "--targets", other, *words)
                self.assertEqual(done.err, "")
        digits = self.write("at.xyz", '1\nLattice="10.0001 0 0 0 10 0 0 0 10" '
                            "Properties=pos:R:3\n1 1 1\n")
        self.farsum("run", file, "--targets", digits)
        periodic = self.write("at.xyz", f"1\n{LATTICE} Properties=pos:R:3\n"
                              "1 1 1\n")
        self.farsum("run", file, "--targets", periodic)
        self.refused(1, "other periodic axes", "run", self.xyz("step=1"),
                     "--targets", periodic)
        # one frame of targets serves every frame of a changing cell
        head = f"2\n{LATTICE} {PROPERTIES}\n{ROWS}"
        two = self.write("two.xyz", head + head.replace("10", "12"))
        self.farsum("run", two, "--targets", periodic, "-o", "out.xyz")
        self.assertEqual([f.keys["Lattice"][:2] for f in
                          self.frames("out.xyz")], ["10", "12"])
        # axes that are open, and a file that states no cell
        slab = self.xyz('Lattice="10 0 0 0 10 0 0 0 3" pbc="T T F"')
        for comment in ('Lattice="10 0 0 0 10 0 0 0 9" pbc="T T F"',
                        'pbc="F F F"', "step=1"):
            self.farsum("run", slab, "--targets", self.write(
                "at.xyz", f"1\n{comment} Properties=pos:R:3\n1 1 4\n"))


class Units(InputTest):
    def test_comment_line(self):
        file = self.xyz(LATTICE + " units=real")
        self.refused(1, "says units=real, the command --units metal", "run",
                     file, "--units", "metal")
        self.sums(332.06371 * PERIODIC, file, "--units", "real")
        file = self.xyz(LATTICE + " length_unit=nm")
        self.refused(1, "lengths are in \"nm\".*--units real", "run", file,
                     "--units", "real")
        self.sums(138.935458 * PERIODIC, file, "--units", "gromacs")

    def test_spellings(self):
        """Names of systems in any letters, and keys of lengths and charges."""
        for key in ("units=Real", "Units=LJ", "unit_system=SI", "units=atomic",
                    "unit=kpc", "length_unit=pc", "position_unit=nm",
                    "unit_length=nm", "lengthUnits=nm", "distance_unit=km",
                    "cell_unit=nm", "charge_unit=C", 'unit_of_length="nm"'):
            self.refused(1, key.split("=")[0] + "=|lengths are in|charges are "
                         "in", "run", self.xyz(f"{LATTICE} {key}"), "--units",
                         "metal")
        for key in ("units=Metal", "units=eV", "length_unit=angstrom",
                    "length_unit=", "energy_unit=kcal/mol", "charge_unit=e",
                    "time_unit=ps", "length_unit=3.4"):
            self.sums(14.399645 * PERIODIC, self.xyz(f"{LATTICE} {key}"),
                      "--units", "metal")
        done = self.farsum("run", self.xyz(f"{LATTICE} units=METAL"))
        self.assertIn("has units=METAL, but Coulomb's constant is 1; give "
                      "--units metal", done.err)

    def test_targets_in_another_unit(self):
        file = self.xyz(LATTICE + " units=metal")
        other = self.write("at.xyz", "1\nlength_unit=nm Properties=pos:R:3\n"
                           "1 1 1\n")
        self.refused(1, "the particles' lengths are in \"A\", the targets' in "
                     "\"nm\"", "run", file, "--targets", other)
        same = self.write("at.xyz", "1\nlength_unit=Angstrom "
                          "Properties=pos:R:3\n1 1 1\n")
        self.farsum("run", file, "--targets", same)
        atomic = self.xyz(LATTICE + " units=electron")
        self.refused(1, "lengths are in \"bohr\"", "run", atomic, "--targets",
                     same)
        same = self.write("at.xyz", "1\nlength_unit=a0 Properties=pos:R:3\n"
                          "1 1 1\n")
        self.farsum("run", atomic, "--targets", same)

    def test_lammps_title(self):
        file = self.write("in.data", "LAMMPS data file, units = metal\n\n"
                          f"2 atoms\n{BOX}\nAtoms # charge\n\n"
                          "1 1 1 1 2 3\n2 1 -1 4 5 6\n")
        self.refused(1, "units=metal", "run", file, "--units", "real")
        done = self.farsum("run", file)
        self.assertIn("--units metal", done.err)


class Dialects(InputTest):
    def test_gromacs_editconf(self):
        file = self.write("in.pqr", """\
REMARK    The B-factors in this file hold atomic radii
TITLE     two ions
CRYST1   10.000   10.000   10.000  90.00  90.00  90.00 P 1           1
MODEL        1
ATOM      1  NA  ION A   1       1.000   2.000   3.000  1.00  1.62          NA
ATOM      2  CL  ION     2       4.000   5.000   6.000 -1.00  1.65          CL
TER
ENDMDL
""")
        self.sums(PERIODIC, file, "-o", "out.xyz")
        frame = self.frame("out.xyz")
        self.assertEqual(frame.columns["species"], ["NA", "CL"])
        self.assertEqual(frame.columns["radius"], [1.62, 1.65])

    LABELS = ("two ions\n\n2 atoms\n2 atom types\n" + BOX +
              "\nAtom Type Labels\n\n1 Na\n2 Cl\n\nMasses\n\nNa 22.99\n"
              "Cl 35.45\n\n")

    def test_type_labels(self):
        file = self.write("in.data", self.LABELS + "Atoms # charge\n\n"
                          "1 Na 1.0 1 2 3\n2 Cl -1.0 4 5 6\n")
        self.sums(PERIODIC, file, "-o", "out.xyz")
        frame = self.frame("out.xyz")
        self.assertEqual(frame.columns["species"], ["Na", "Cl"])
        self.assertEqual(frame.columns["type"], [1, 2])
        self.refused(1, "charges of their own", "run", file, "--charge", "Na=1")

    def test_labels_tell_styles_apart(self):
        """Six whole numbers may be charges or molecules; a label is neither."""
        file = self.write("in.data", self.LABELS + "Atoms\n\n"
                          "1 Na 1 1 2 3\n2 Cl -1 4 5 6\n")
        self.sums(PERIODIC, file)
        file = self.write("in.data", self.LABELS + "Atoms\n\n"
                          "1 7 Na 1 2 3\n2 7 Cl 4 5 6\n")
        self.sums(PERIODIC, file, "--charge", "Na=1,Cl=-1")
        file = self.write("in.data", self.LABELS + "Atoms\n\n"
                          "1 1 1 1 2 3\n2 2 -1 4 5 6\n")
        self.refused(1, "does not tell them apart", "run", file)

    def test_charges_by_name(self):
        file = self.write("in.data", self.LABELS + "Atoms # atomic\n\n"
                          "1 Na 1 2 3\n2 Cl 4 5 6\n")
        for words in (["--charge", "Na=1,Cl=-1"],
                      ["--charge", "Na=1", "--charge", "2=-1"],
                      ["--charge", "1=1,2=-1"]):
            self.sums(PERIODIC, file, *words)
        self.refused(1, 'particle 2 has the type 2, "Cl".*--charge Cl=Q', "run",
                     file, "--charge", "Na=1")
        for word in ("Na", "Na=", "=1", "0=1", "Na=1,,Cl=2", "Na=1,Na=2"):
            self.refused(2, "--charge", "run", file, "--charge", word)
        plain = self.write("in.xyz", f"2\n{LATTICE}\nNa 1 2 3\nCl 4 5 6\n")
        self.sums(PERIODIC, plain, "--charge", "Na=1,Cl=-1")

    def test_words_after_atoms(self):
        text = (f"t\n\n2 atoms\n1 atom types\n{BOX}\nAtoms # by hand\n\n"
                "1 1 1.0 1 2 3\n2 1 -1.0 4 5 6\n")
        done = self.farsum("run", self.write("in.data", text))
        self.assertRegex(done.err, '"Atoms # by" names no atom style.*charge')
        text = text.replace("by hand", "sphere").replace("1 1 1.0", "1 1 7 8")
        text = text.replace("2 1 -1.0", "2 1 7 8").replace(" 3\n2", " 3 1\n2")
        text = text.replace(" 5 6", " 5 6 -1")
        file = self.write("in.data", text)
        self.refused(1, "--atom-style \"id type", "run", file)
        self.sums(PERIODIC, file, "--atom-style",
                  "id type diameter density x y z q")


class Packed(InputTest):
    def test_gzip(self):
        self.xyz(LATTICE)
        with open(self.path("in.xyz"), "rb") as file:
            packed = gzip.compress(file.read())
        for name in ("a.xyz.gz", "a.xyz", "A.XYZ.GZ", "a"):
            with open(self.path(name), "wb") as file:
                file.write(packed)
            self.sums(PERIODIC, name)
        with open(self.path("cut.xyz"), "wb") as file:
            file.write(packed[:-3])
        self.refused(1, "cut off before its end", "run", "cut.xyz")

    def test_suffixes_in_capitals(self):
        self.xyz(LATTICE, name="IN.XYZ")
        self.sums(PERIODIC, "IN.XYZ", "-o", "OUT.XYZ")
        self.write("IN.DATA", f"t\n\n2 atoms\n{BOX}\nAtoms # charge\n\n"
                   "1 1 1 1 2 3\n2 1 -1 4 5 6\n")
        self.sums(PERIODIC, "IN.DATA")
        self.write("IN.PQR", "CRYST1 10 10 10 90 90 90\n"
                   "ATOM 1 NA ION 1 1 2 3 1 1\nATOM 2 CL ION 2 4 5 6 -1 1\n")
        self.sums(PERIODIC, "IN.PQR")
        self.with_hdf5()
        self.farsum("run", "IN.XYZ", "-o", "OUT.H5")
        self.sums(PERIODIC, "OUT.H5")


class Foreign(InputTest):
    def test_results_of_others_go(self):
        file = self.write("in.xyz", f"2\n{LATTICE} energy=7 free_energy=7 "
                          "stress=\"1 2 3 4 5 6\" virial=\"1 0 0 0 1 0 0 0 1\" "
                          "magmom=3 tag=keep "
                          f"{PROPERTIES}:forces:R:3:magmoms:R:1:mass:R:1\n"
                          "Na 1 2 3 1 9 9 9 2 23\nCl 4 5 6 -1 8 8 8 3 35\n")
        done = self.farsum("run", file, "-o", "out.xyz", "--no-virial",
                           "--tolerance", "1e-9")
        for name in ("energy", "free_energy", "stress", "virial", "magmom",
                     "the column forces", "the column magmoms"):
            self.assertIn(name, done.err)
        frame = self.frame("out.xyz")
        self.assertAlmostEqual(float(frame.keys["energy"]), PERIODIC, delta=1e-8)
        for key in ("free_energy", "stress", "virial", "magmom"):
            self.assertNotIn(key, frame.keys)
        self.assertEqual(frame.keys["tag"], "keep")
        self.assertNotIn("magmoms", frame.columns)
        self.assertEqual(frame.columns["mass"], [23, 35])
        self.assertLess(abs(frame.columns["forces"][0][0]), 1)
        done = self.farsum("run", "out.xyz", "-o", "again.xyz")
        self.assertNotIn("results of another calculation", done.err)

    def test_targets_keep_none(self):
        file = self.xyz(LATTICE)
        self.write("at.xyz", "1\nenergy=7 Properties=pos:R:3:forces:R:3\n"
                   "1 1 1 9 9 9\n")
        self.farsum("run", file, "--targets", "at.xyz", "-o", "out.xyz")
        frame = self.frame("out.xyz")
        self.assertNotIn("energy", frame.keys)
        self.assertNotIn("forces", frame.columns)


class Cells(InputTest):
    def test_left_handed(self):
        left = 'Lattice="0 10 0 10 0 0 0 0 10"'
        file = self.xyz(left)
        done = self.farsum("run", file, "-o", "out.xyz", "--check",
                           "--tolerance", "1e-9")
        self.assertIn("note: the cell is left-handed", done.err)
        frame = self.frame("out.xyz")
        self.assertIn(frame.keys["Lattice"], left)
        self.assertAlmostEqual(float(frame.keys["energy"]), PERIODIC, delta=1e-8)
        self.farsum("check", "out.xyz")
        self.sums(PERIODIC, file, "--cell", "10,10,-10")
        self.sums(PERIODIC, file, "--method", "ewald")

    def test_surface_vacuum(self):
        text = "depend on the images that the particles are given by"
        done = self.farsum("run", self.xyz(LATTICE), "--surface", "vacuum")
        self.assertIn(text + "\n", done.out)
        done = self.farsum("run", self.xyz(LATTICE, rows="Na 1 2 3 1\n"),
                           "--surface", "vacuum")
        self.assertIn(text + " and, with their net charge, on the origin",
                      done.out)
        self.assertNotIn(text, self.farsum("run", self.xyz(LATTICE)).out)
        page = " ".join(self.farsum("help", "run").out.split())
        self.assertIn("net charge, on the origin", page)


class Together(InputTest):
    """An excluded pair at one position acts as one charge."""

    ROWS = "O 1 2 3 1.5\nD 1 2 3 -0.5\nCl 4 5 6 -1\n"

    def test_drude(self):
        file = self.xyz(LATTICE, rows=self.ROWS)
        pairs = self.write("pairs.txt", "1 2\n")
        self.refused(1, "particles 1 and 2 coincide; --exclude coincident.*"
                     "--exclude FILE", "run", file)
        for words in ([], ["--method", "ewald"], ["--check"],
                      ["--near", "plain"]):
            self.sums(PERIODIC, file, "--exclude", pairs, *words)
        for method in ("direct", "fmm"):
            self.sums(OPEN, file, "--exclude", pairs, "--periodic", "none",
                      "--method", method)
        half = self.write("half.txt", "1 2 0.5\n")
        self.refused(1, "particles 1 and 2 coincide, and the excluded pair's "
                     "factor 0.5", "run", file, "--exclude", half)
        other = self.write("other.txt", "1 3\n")
        self.refused(1, "particles 1 and 2 coincide", "run", file, "--exclude",
                     other)

    def test_frames_and_check(self):
        apart = "O 1 2 3 1.5\nD 1 2 3.1 -0.5\nCl 4 5 6 -1\n"
        comment = f"3\n{LATTICE} {PROPERTIES}\n"
        file = self.write("in.xyz", comment + self.ROWS + comment + apart +
                          comment + self.ROWS)
        pairs = self.write("pairs.txt", "1 2\n")
        done = self.farsum("run", file, "--exclude", pairs, "-o", "out.xyz",
                           "--tolerance", "1e-9")
        energies = [float(f.keys["energy"]) for f in self.frames("out.xyz")]
        self.assertAlmostEqual(energies[0], PERIODIC, delta=1e-8)
        self.assertAlmostEqual(energies[2], PERIODIC, delta=1e-8)
        self.assertNotIn("new plan", done.out)
        self.farsum("check", "out.xyz", "--exclude", pairs)

    def test_bonds(self):
        file = self.write("in.data", f"t\n\n3 atoms\n1 bonds\n{BOX}\n"
                          "Atoms # charge\n\n1 1 1.5 1 2 3\n2 1 -0.5 1 2 3\n"
                          "3 1 -1 4 5 6\n\nBonds\n\n1 1 1 2\n")
        self.sums(PERIODIC, file, "--exclude", "bonds")
        self.refused(1, "coincide.*factor 0.5", "run", file, "--exclude",
                     "bonds", "--exclude-factors", "0.5,0,1")


class Names(InputTest):
    def test_methods_and_kernels(self):
        file = self.xyz(LATTICE)
        for name in ("pme", "PME", "spme", "P3M", "pppm", "ewald-mesh",
                     "particle_mesh_ewald", "Spectral"):
            done = self.farsum("run", file, "--method", name)
            self.assertIn("by spectral", done.out)
            self.assertIn("--method spectral", done.err)
        for name in ("coulomb", "Coulomb", "electrostatics", "1/r", "Laplace"):
            done = self.farsum("run", file, "--kernel", name)
            self.assertIn("laplace by", done.out)
            self.assertIn("--kernel laplace", done.err)
        self.refused(2, "magic.*not known; known: direct", "run", file, "--method",
                     "magic")
        self.refused(1, "--kappa", "run", file, "--kernel", "debye")

    def test_gravity(self):
        file = self.write("in.xyz", "2\nProperties=pos:R:3:mass:R:1 pbc=F\n"
                          "0 0 0 2\n0 0 2 3\n")
        self.refused(2, "--gravity G", "run", file, "--kernel", "gravity")
        self.sums(-3, file, "--kernel", "gravity", "--gravity", "1")
        self.sums(-3, file, "--kernel", "Newton", "--gravity", "1")
        self.refused(2, "--masses", "gen", "uniform", "--kernel", "gravity")


if __name__ == "__main__":
    unittest.main()
