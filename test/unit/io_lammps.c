/* SPDX-License-Identifier: Apache-2.0 */
/* io_lammps.c: LAMMPS data files: good files value by value, bad ones by
 * message. */
#include "io_check.h"

#define HEADER                                                                 \
    "title 7 atoms\n\n 2 atoms # comment\n2 atom types\n"                      \
    "0 5 zlo zhi\n-1 3.5 xlo xhi # c\n1e0 2 ylo   yhi\n"
#define FULL                                                                   \
    HEADER "0.5 -0.25 .125 xy xz yz\n1 bonds\n1 bond types\n"                  \
           "1 crossterms\n\nMasses\n\n1 15.9 # O\n\n2 1.0\n\n"                 \
           "PairIJ Coeffs # lj/cut\n\n1 1 1 1\n1 2 1 1\n2 2 1 1\n\n"           \
           "Bond Coeffs\n\n1 450 1.0\n\nAtoms # full\n\n"                      \
           "2 1 2 0.5 3 2 1 0 -1 2\n1 1 1 -0.5d0 .5 1.5 2.5 0 0 0 # x\n\n"     \
           "Velocities\n\n1 0 0 0\n2 0 0 0\n\nBonds\n\n1 1 1 2\n\n"            \
           "CMAP\n\n1 1 2 3 4 5 6\nand more\n"

static void full(void **state) {
    (void)state;
    struct io_frame f = {0};
    assert_int_equal(io_check_frames(FULL, NULL, &f), 1);
    assert_int_equal(f.n, 2);
    io_check_doubles(f.x, (double[]){3, 2, 1, 0.5, 1.5, 2.5}, 6);
    io_check_doubles(f.q, (double[]){0.5, -0.5}, 2);
    io_check_doubles(f.cell,
                     (double[]){4.5, 0, 0, 0.5, 1, 0, -0.25, 0.125, 5}, 9);
    io_check_doubles(f.origin, (double[]){-1, 1, 0}, 3);
    assert_memory_equal(f.periodic, ((int[]){1, 1, 1}), sizeof f.periodic);
    static const struct {
        const char *name;
        int64_t values[6];
        int width;
    } columns[] = {{"id", {2, 1}, 1},
                   {"type", {2, 1}, 1},
                   {"mol", {1, 1}, 1},
                   {"image", {0, -1, 2, 0, 0, 0}, 3}};
    assert_int_equal(f.n_columns, 4);
    for (int k = 0; k < 4; k++) {
        assert_string_equal(f.columns[k].name, columns[k].name);
        assert_int_equal(f.columns[k].width, columns[k].width);
        assert_memory_equal(f.columns[k].data, columns[k].values,
                            8 * 2 * (size_t)columns[k].width);
    }
    io_frame_clear(&f);
}

/* The same atoms in every style: hinted, requested and guessed. */
static void styles(void **state) {
    (void)state;
    static const struct {
        const char *hint, *asked, *line;
        double q; /* 0: none */
    } cases[] = {
        {"", NULL, "1 2 0.1 0.2 0.3", 0},
        {"", NULL, "1 2 0.1 0.2 0.3 0 0 0", 0},
        {"", NULL, "1 2 -1.5 0.1 0.2 0.3", -1.5},
        {"", NULL, "1 2 -1 0.1 0.2 0.3 0 0 0", -1},
        {"", NULL, "1 9 2 -1 0.1 0.2 0.3", -1},
        {"", NULL, "1 9 2 -1 0.1 0.2 0.3 1 1 1", -1},
        {" # made by hand", NULL, "1 9 2 -1 0.1 0.2 0.3", -1},
        {" # charge", NULL, "1 2 1 0.1 0.2 0.3", 1},
        {"  #  molecular", NULL, "1 9 2 0.1 0.2 0.3", 0},
        {"# angle", NULL, "1 9 2 0.1 0.2 0.3 1 1 1", 0},
        {"#full", NULL, "1 9 2 -2 0.1 0.2 0.3", -2},
        {"", "charge", "1 2 1 0.1 0.2 0.3", 1},
        {"", "bond", "1 9 2 0.1 0.2 0.3", 0},
        {" # sphere", "charge", "1 2 1 0.1 0.2 0.3", 1},
        {" # dipole", "id type q x y z mux muy muz",
         "1 2 1 0.1 0.2 0.3 4 5 6", 1},
        {" # sphere", "id type - - x y z q", "1 2 7 8 0.1 0.2 0.3 -2", -2},
        {"", "Z,Y,X type q", "0.3 0.2 0.1 2 4 0 0 1", 4},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f = {0};
        char text[400];
        snprintf(text, sizeof text,
                 "t\n1 atoms\n2 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n"
                 "0 1 zlo zhi\n\nAtoms%s\n\n%s\n", cases[k].hint,
                 cases[k].line);
        struct io_options options = {.format = "lammps",
                                     .atom_style = cases[k].asked};
        io_check_frames(text, &options, &f);
        io_check_doubles(f.x, (double[]){0.1, 0.2, 0.3}, 3);
        assert_int_equal(f.q != NULL, cases[k].q != 0);
        if (f.q) io_check_doubles(f.q, &cases[k].q, 1);
        struct io_column *type = io_frame_column(&f, "type");
        assert_non_null(type);
        assert_int_equal(*(int64_t *)type->data, 2);
        io_frame_clear(&f);
    }
}

static struct io_type_charge charges[] = {
    {1, -1.5, NULL, 0}, {2, 3, NULL, 0}, {2, 0.75, NULL, 0}};

#define LABELS                                                                 \
    HEADER "\nAtom Type Labels\n\n2 Cl\n1 Na+\n\nMasses\n\nNa+ 23\nCl 35\n\n"
#define COLUMNS                                                                \
    "--atom-style \"id type q x y z -\" names the columns of another, - "      \
    "one to pass over"

/* Types by labels, and charges by labels and numbers. */
static void labels(void **state) {
    (void)state;
    struct io_frame f = {0};
    io_check_frames(LABELS "Atoms # charge\n\n7 Cl -1 0 0 0\n5 1 1 1 1 1\n",
                    NULL, &f);
    io_check_doubles(f.q, (double[]){-1, 1}, 2);
    assert_string_equal(f.columns[0].name, "species");
    assert_string_equal(((char **)f.columns[0].data)[0], "Cl");
    assert_string_equal(((char **)f.columns[0].data)[1], "Na+");
    assert_memory_equal(io_frame_column(&f, "type")->data,
                        ((int64_t[]){2, 1}), 16);
    static const struct io_type_charge given[] = {
        {0, -0.5, "Cl=-0.5", 2}, {1, 0.25, NULL, 0}, {0, 1, "Na+", 3}};
    struct io_options options = {.n_type_charges = 2, .type_charges = given};
    io_check_frames(LABELS "Atoms # atomic\n\n7 2 0 0 0\n5 Na+ 1 1 1\n",
                    &options, &f);
    io_check_doubles(f.q, (double[]){-0.5, 0.25}, 2);
    io_frame_clear(&f);
    options.n_type_charges = 1;
    io_check_refused(LABELS "Atoms # atomic\n\n7 2 0 0 0\n5 Na+ 1 1 1\n",
                     &options, "input: particle 2 has the type 1, \"Na+\", "
                     "which has no charge: --charge Na+=Q");
    options.n_type_charges = 3;
    io_check_refused(LABELS "Atoms # atomic\n\n7 2 0 0 0\n5 Na+ 1 1 1\n",
                     &options, "input: particle 2 has two charges by --charge, "
                     "0.25 and 1");
    io_check_refused(LABELS "Atoms # charge\n\n7 Br -1 0 0 0\n", NULL,
                     "input:21:3: expected a label of section Atom Type Labels "
                     "(type of particle 1), found \"Br\"");
    io_check_refused(HEADER "Atom Type Labels\n\n1 A\n1 B\n", NULL,
                     "input:11:1: expected each type from 1 to 2 once, found "
                     "\"1\"");
    io_check_refused(HEADER "Atom Type Labels\n\n1 A\nMasses\n", NULL,
                     "input:11:1: expected label 2 of 2, found \"Masses\"");
}

/* Columns of another style must not be read as charges. */
static void not_guessed(void **state) {
    (void)state;
    static const char *const lines[][2] = {
        /* dipole, its moments whole numbers */
        {"1 1 -1 0.1 0.2 0.3 1 0 0",
         "the last three columns may be image flags of style charge or belong "
         "to another, as dipole; --atom-style charge says the former, \"id "
         "type q x y z - - -\" the latter"},
        /* electron: q spin radius x y z */
        {"1 1 0.1 0.2 0.3 1 2 3",
         "the last three columns may be image flags of style atomic or belong "
         "to another, as dipole; --atom-style atomic says the former, \"id "
         "type q x y z - - -\" the latter"},
        /* sphere: diameter density x y z */
        {"1 1 1 2.5 0.1 0.2 0.3",
         "no charge would be below 0, so that column may be another style's, "
         "as a density; --atom-style full says that it is the charge, or name "
         "the columns as \"id type - - x y z\""},
    };
    for (size_t k = 0; k < IO_COUNT(lines); k++) {
        char text[300], message[500];
        snprintf(text, sizeof text,
                 "t\n1 atoms\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n"
                 "Atoms\n\n%s\n", lines[k][0]);
        snprintf(message, sizeof message, "input: the file does not name its "
                 "atom style (\"Atoms # STYLE\"): %s", lines[k][1]);
        io_check_refused(text, &(struct io_options){.format = "lammps"},
                         message);
    }
}

static void charges_by_type(void **state) {
    (void)state;
    struct io_frame f = {0};
    struct io_options options = {.n_type_charges = 3, .type_charges = charges};
    io_check_frames(HEADER "Atoms # atomic\n\n7 2 0 0 0\n5 1 1 1 1\n", &options,
                    &f);
    io_check_doubles(f.q, (double[]){0.75, -1.5}, 2);
    io_frame_clear(&f);
    options.n_type_charges = 1;
    io_check_refused(HEADER "Atoms # atomic\n\n7 2 0 0 0\n5 1 1 1 1\n",
                     &options,
                     "input: particle 1 has the type 2, which has no charge: "
                     "--charge 2=Q");
    io_check_refused(HEADER "Atoms # charge\n\n7 2 0 0 0 0\n5 1 0 1 1 1\n",
                     &options,
                     "input: the particles have charges of their own: --charge "
                     "is for files without them");
    options = (struct io_options){.atom_style = "sphere"};
    io_check_refused(HEADER "Atoms\n\n7 2 0 0 0 0\n", &options,
                     "input: unknown atom style \"sphere\": there are atomic, "
                     "charge, full, molecular, bond or angle; " COLUMNS);
    options = (struct io_options){.atom_style = "id type q x y"};
    io_check_refused(HEADER "Atoms\n\n7 2 0 0 0 0\n", &options,
                     "input: --atom-style \"id type q x y\": there is no "
                     "column z; known are id, type, mol, q, x, y and z");
    options = (struct io_options){.atom_style = "id x y z X"};
    io_check_refused(HEADER "Atoms\n\n7 2 0 0 0 0\n", &options,
                     "input: --atom-style \"id x y z X\": the column \"X\" "
                     "comes twice");
}

static void general_triclinic(void **state) {
    (void)state;
    struct io_frame f = {0};
    io_check_frames("t\n1 atoms\n1 2 3 avec\n4 5 6 bvec\n7 8 10 cvec\n"
                    "-1 -2 -3 abc origin\nAtoms # atomic\n\n1 1 0 0 0\n",
                    NULL, &f);
    io_check_doubles(f.cell, (double[]){1, 2, 3, 4, 5, 6, 7, 8, 10}, 9);
    io_check_doubles(f.origin, (double[]){-1, -2, -3}, 3);
    io_frame_clear(&f);
}

static void without_cell_or_atoms(void **state) {
    (void)state;
    struct io_frame f = {0};
    const char *text = "t\n1 atoms\nAtoms # atomic\n\n1 1 0 0 0";
    io_check_refused(text, NULL, "input: the header has no box (lines as \"LO "
                     "HI xlo xhi\"): --cell gives the cell, --periodic none "
                     "says open space");
    io_check_frames(text, &(struct io_options){.cell_given = true}, &f);
    io_check_frames(text, &(struct io_options){.open_given = true}, &f);
    assert_false(f.has_cell);
    io_check_frames("t\n0 atoms\n", NULL, &f);
    assert_int_equal(f.n, 0);
    assert_non_null(f.x);
    io_frame_clear(&f);
}

static void title_with_units(void **state) {
    (void)state;
    struct io_frame f = {0};
    io_check_frames("LAMMPS data file via write_data, version 2 Aug 2023, "
                    "timestep = 0, units = real\n0 atoms\n", NULL, &f);
    assert_string_equal(io_frame_key(&f, "units"), "real");
    io_frame_clear(&f);
}

#define BOX "0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n"
static const struct io_check_bad bad[] = {
    {"", "1:1: expected a title line, found the end of the file", 0},
    {"2 atoms\nAtoms\n\n",
     "2:1: expected a line \"N atoms\" in the header (the first line of a file "
     "is its title) before section Atoms, found \"Atoms\"", 0},
    {"t\n2 atoms\n", "3:1: expected section Atoms, found the end of the file",
     0},
    {"t\n2 atoms\nAtomz\n\n1 1 0 0 0\n",
     "6:1: expected section Atoms (line 3, \"Atomz\", names no section), found "
     "the end of the file", 0},
    {"t\n-2 atoms\n", "2:1: expected a number of atoms from 0, found \"-2\"",
     0},
    {"t\n2.5 atoms\n", "2:1: expected an integer (atoms), found \"2.5\"", 0},
    {"t\n1 2 atoms\n", "2:1: expected a line of the header, as \"N atoms\", "
                       "\"LO HI xlo xhi\" or \"XY XZ YZ xy xz yz\", found "
                       "\"1\"", 0},
    {"t\n99999999999999999999 atoms\n",
     "2:1: expected an integer of 64 bits (atoms), found "
     "\"99999999999999999999\"", 0},
    {"t\n9000000000000000000 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0\n",
     "9:1: expected atom 2 of 9000000000000000000, found the end of the file",
     0},
    {"t\n0 xlo xhi\n", "2:1: expected a line of the header, as \"N atoms\", "
                       "\"LO HI xlo xhi\" or \"XY XZ YZ xy xz yz\", found "
                       "\"0\"", 0},
    {"t\n1 atoms\n" BOX "1 2 3 xy yz xz\n",
     "6:1: expected a line of the header, as \"N atoms\", \"LO HI xlo xhi\" or "
     "\"XY XZ YZ xy xz yz\", found \"1\"", 0},
    {"t\n0 1x xlo xhi\n",
     "2:3: expected a real number (xlo xhi 2), found \"1x\"", 0},
    {"t\n1 -1 ylo yhi\n",
     "2:3: expected yhi above ylo by a finite length, found \"-1\"", 0},
    {"t\n-1e308 1e308 ylo yhi\n",
     "2:8: expected yhi above ylo by a finite length, found \"1e308\"", 0},
    {"t\n0 1e999 zlo zhi\n",
     "2:3: expected a number within 1.8e308 (zlo zhi 2), found \"1e999\"", 0},
    {"t\n0 0 xy xz yz\n", "2:1: expected a line of the header, as \"N "
                          "atoms\", \"LO HI xlo xhi\" or \"XY XZ YZ xy xz "
                          "yz\", found \"0\"", 0},
    {"t\n1 atoms\n0 1 xlo xhi\nAtoms # atomic\n\n1 1 0 0 0\n",
     " expected a line \"LO HI ylo yhi\" in the header, found the other two "
     "only", 0},
    {"t\n1 atoms\n1 0 0 avec\nAtoms # atomic\n\n1 1 0 0 0\n",
     " the header has some but not all of the lines avec, bvec, cvec", 0},
    {"t\n1 atoms\n" BOX "Masses\n\n1 1\n",
     " section Masses at line 6, but the header does not say how many lines it "
     "has", 0},
    {"t\n2 atoms\n2 atom types\n" BOX "Masses\n\n1 1\n\nAtoms\n",
     "11:1: expected line 2 of 2, found \"Atoms\"", 0},
    {"t\n2 atoms\n2 atom types\n" BOX "Masses\n\n1 1\n",
     "10:1: expected line 2 of 2 of section Masses, found the end of the file",
     0},
    {"t\n2 atoms\n1 atom types\n" BOX "Masses\n\n1 1\n2 1\n",
     "10:1: expected the name of a section, found \"2\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0\n2 1 0 0 0\n",
     "9:1: expected the name of a section, found \"2\"", 0},
    {"t\n2 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0\n\nVelocities\n",
     "10:1: expected atom 2 of 2, found \"Velocities\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # sphere\n\n1 1 0 0 0\n",
     "6:9: expected style atomic, charge, full, molecular, bond or angle "
     "(" COLUMNS "), found \"sphere\"", 0},
    {"t\n1 atoms\n" BOX "0 2 xlo xhi\nAtoms # atomic\n\n1 1 0 0 0\n",
     "6:1: expected the line \"xlo xhi\" once in the header, found \"0\"", 0},
    {"t\n1 atoms\n2 atoms\n",
     "3:1: expected the line \"atoms\" once in the header, found \"2\"", 0},
    {"t\n1 atoms\n" BOX "0 0 0 xy xz yz\n0 0 0 xy xz yz\n",
     "7:1: expected the line \"xy xz yz\" once in the header, found \"0\"", 0},
    {"t\n1 atoms\n1 0 0 avec\n1 0 0 avec\n",
     "4:1: expected the line \"avec\" once in the header, found \"1\"", 0},
    {"t\n1 atoms\n" BOX "1 0 0 avec\n0 1 0 bvec\n0 0 1 cvec\n"
     "Atoms # atomic\n\n1 1 0 0 0\n",
     " the header has avec, bvec, cvec and also xlo xhi: one of them gives the "
     "box", 0},
    {"t\n1 atoms\n0 0 0 xy xz yz\nAtoms # atomic\n\n1 1 0 0 0\n",
     " the header has no box (lines as \"LO HI xlo xhi\", besides xy xz yz): "
     "--cell gives the cell, --periodic none says open space", 0},
    {"t\n1 atoms\n" BOX "Atoms\n\n1 1 0 0\n",
     "8:1: expected 5 to 10 columns of style atomic, charge or full, found "
     "\"1 1 0 0\"", 0},
    {"t\n1 atoms\n" BOX "Atoms\n\n1 1 1 0 0 0\n",
     "8:1: expected --atom-style charge or molecular, as the file does not "
     "tell them apart (no hint \"Atoms # STYLE\"), found \"1 1 1 0 0 0\"", 0},
    {"t\n1 atoms\n2 atom types\n" BOX "Atoms\n\n1 3 -1 0 0 0\n",
     "9:3: expected a type from 1 to 2 (particle 1; --atom-style names another "
     "order of columns than the usual one), found \"3\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # charge\n\n1 0 1 0 0 0\n",
     "8:3: expected a type from 1 (particle 1), found \"0\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 C 0 0 0\n",
     "8:3: expected an integer (type of particle 1), found \"C\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # charge\n\n1 1 nan 0 0 0\n",
     "8:5: expected a finite number (charge of particle 1), found \"nan\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # charge\n\n1 1 1 0 inf 0\n",
     "8:9: expected a finite number (position 2 of particle 1), found "
     "\"inf\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # charge\n\n1 1 1 0 0\n",
     "8:10: expected a real number (position 3 of particle 1), found the end "
     "of the line", 0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0 1 1\n",
     "8:14: expected an integer (image flag 3 of particle 1), found the end of "
     "the line", 0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0 1 1 0.5\n",
     "8:15: expected an integer (image flag 3 of particle 1), found \"0.5\"",
     0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0 1 1 1 1\n",
     "8:17: expected the end of the line, found \"1\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 1 0 0 0\nAtoms # atomic\n",
     "9:1: expected one section Atoms, found \"Atoms\"", 0},
    {"t\n1 atoms\n" BOX "Atoms # atomic\n\n1 1\0000 0 0\n",
     "8:4: expected text, found a zero byte", 72},
};

static void refused(void **state) {
    (void)state;
    io_check_table("lammps", bad, IO_COUNT(bad));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full),
        cmocka_unit_test(styles),
        cmocka_unit_test(labels),
        cmocka_unit_test(not_guessed),
        cmocka_unit_test(charges_by_type),
        cmocka_unit_test(general_triclinic),
        cmocka_unit_test(without_cell_or_atoms),
        cmocka_unit_test(title_with_units),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
