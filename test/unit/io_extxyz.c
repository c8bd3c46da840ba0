/* SPDX-License-Identifier: Apache-2.0 */
/* io_extxyz.c: extended and plain XYZ: good files value by value, bad ones by
 * message. */
#include "io_check.h"

#include <locale.h>

static void extended(void **state) {
    (void)state;
    struct io_frame f = {0};
    const char *text =
        "2\n"
        "Lattice=\"10 0 0 1 11 0 -2.5 3 12\" Properties=species:S:1:pos:R:3:"
        "charge:R:1:forces:R:3:id:I:1:move:L:2:tag:S:1 pbc=\"T F T\" "
        "energy=-1.5e0 note=\"a \\\"b\\\" c\\nd\" old={1 2} list=[1, 2] "
        "Origin='1 2 3' flag\n"
        "Na 0.1 -0.2 3e-1 1 1 2 3 7 T F x\r\n"
        "Cl\t.5 6. +7 -1 nan inf -inf -8 F T \"two words\"";
    assert_int_equal(io_check_frames(text, NULL, &f), 1);
    assert_int_equal(f.n, 2);
    io_check_doubles(f.x, (double[]){0.1, -0.2, 0.3, 0.5, 6, 7}, 6);
    io_check_doubles(f.q, (double[]){1, -1}, 2);
    io_check_doubles(f.cell, (double[]){10, 0, 0, 1, 11, 0, -2.5, 3, 12}, 9);
    io_check_doubles(f.origin, (double[]){1, 2, 3}, 3);
    assert_true(f.has_cell);
    assert_memory_equal(f.periodic, ((int[]){1, 0, 1}), sizeof f.periodic);
    assert_int_equal(f.n_columns, 5);
    static const char *const names[] = {"species", "forces", "id", "move",
                                        "tag"};
    for (int k = 0; k < 5; k++)
        assert_string_equal(f.columns[k].name, names[k]);
    assert_string_equal(((char **)f.columns[0].data)[1], "Cl");
    io_check_doubles(f.columns[1].data, (double[]){1, 2, 3}, 3);
    assert_int_equal(((int64_t *)f.columns[2].data)[1], -8);
    assert_memory_equal(f.columns[3].data, ((char[]){1, 0, 0, 1}), 4);
    assert_string_equal(((char **)f.columns[4].data)[1], "two words");
    static const char *const keys[][2] = {
        {"energy", "-1.5e0"}, {"note", "a \"b\" c\nd"}, {"old", "1 2"},
        {"list", "[1, 2]"}, {"flag", "T"}};
    assert_int_equal(f.n_keys, 5);
    for (int k = 0; k < 5; k++) {
        assert_string_equal(f.keys[k].key, keys[k][0]);
        assert_string_equal(f.keys[k].value, keys[k][1]);
    }
    assert_null(io_frame_key(&f, "none"));
    assert_null(io_frame_column(&f, "none"));
    io_frame_clear(&f);
}

static void plain(void **state) {
    (void)state;
    struct io_frame f = {0};
    assert_int_equal(
        io_check_frames("\n 1 \n it's water\nO 1 2 3\n\n0\n\n1\na=b\nH 0 0 0\n",
                        &(struct io_options){.format = "extxyz"}, &f),
        3);
    assert_int_equal(f.n, 1);
    assert_null(f.q);
    assert_false(f.has_cell);
    assert_string_equal(io_frame_key(&f, "comment"), " it's water");
    io_check_doubles(f.x, (double[]){1, 2, 3}, 3);
    io_frame_clear(&f);
}

/* Words that resemble keys do not make a comment line extended. */
static void free_text(void **state) {
    (void)state;
    static const char *const lines[] = {"Origin = my desk",
                                        "Properties of water",
                                        "a=1 \"b",
                                        "Lattice of 5",
                                        "=",
                                        "x = {1",
                                        "origin=1,2,3 =7",
                                        "unit cell 3 of 5",
                                        "cell: 3 of 5",
                                        "molecule in box 12 from run 7",
                                        "periodic 3 of 5",
                                        "boundary 1 layer",
                                        "cell 0",
                                        "supercell 3 3 3 of NaCl",
                                        "lattice: fcc",
                                        "pbc F F F"};
    for (size_t k = 0; k < IO_COUNT(lines); k++) {
        struct io_frame f = {0};
        char text[100];
        snprintf(text, sizeof text, "1\n%s\nX 0 0 0\n", lines[k]);
        io_check_frames(text, &(struct io_options){.format = "extxyz"}, &f);
        assert_int_equal(f.n_keys, 1);
        assert_string_equal(io_frame_key(&f, "comment"), lines[k]);
        assert_true(f.origin[0] == 0 && !f.has_cell);
        io_frame_clear(&f);
    }
}

/* Empty values, as ASE writes them, and blanks around =. */
static void empty_values(void **state) {
    (void)state;
    static const struct {
        const char *line, *keys[6]; /* key, value, ... */
        int periodic;
    } cases[] = {
#define L "Lattice=\"1 0 0 0 1 0 0 0 1\" "
        {L "step=3 config_type= pbc=\"F F F\"",
         {"step", "3", "config_type", ""}, 0},
        {L "a= 'b c'=1 pbc=F", {"a", "", "b c", "1"}, 0},
        {L "a=   b  = 2 pbc=F", {"a", "", "b", "2"}, 0},
        {L "a = b pbc = F", {"a", "b"}, 0},
        {L "a= b pbc= F", {"a", "b"}, 0},
        {L "pbc=F a=", {"a", ""}, 0},
        {L "a=\"\" b={} pbc=F", {"a", "", "b", ""}, 0},
        {"a= " L, {"a", ""}, 1},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f = {0};
        char text[200];
        int n = 0;
        snprintf(text, sizeof text, "1\n%s\nX 0 0 0\n", cases[k].line);
        io_check_frames(text, NULL, &f);
        assert_true(f.has_cell);
        for (int d = 0; d < 3; d++)
            assert_int_equal(f.periodic[d], cases[k].periodic);
        for (; n < 3 && cases[k].keys[2 * n]; n++)
            assert_string_equal(io_frame_key(&f, cases[k].keys[2 * n]),
                                cases[k].keys[2 * n + 1]);
        assert_int_equal(f.n_keys, n);
        io_frame_clear(&f);
    }
}

/* Geometry that is incomplete, under other names, or inconsistent. */
static void geometry(void **state) {
    (void)state;
#define ADVICE "(--cell gives the cell, --periodic none says open space)"
    static const struct {
        const char *line, *message; /* NULL: read */
        bool cell; /* no error with --cell */
    } cases[] = {
        {"pbc=\"T T T\"", "2:1: expected Lattice=\"...\" with a pbc that "
                            "says periodic " ADVICE ", found \"pbc\"", true},
        {"x=1 PBC=[F,F,T]", "2:5: expected Lattice=\"...\" with a pbc that "
                            "says periodic " ADVICE ", found \"PBC\"", true},
        {"pbc= F", NULL, true},
        {"pbc= Properties=pos:R:3", "2:5: expected T or F, found the end of "
                                    "the line", false},
        {"Lattice= pbc=F", "2:9: expected a real number (Lattice 1), found the "
                           "end of the line", false},
        {"Properties=species:S:1:pos:R:3 cell=\"5 0 0 0 5 0 0 0 5\"",
         "2:32: expected a cell as Lattice=\"...\" " ADVICE
         ", found \"cell\"", true},
        {"Properties=species:S:1:pos:R:3 Box_Size=5",
         "2:32: expected a cell as Lattice=\"...\" " ADVICE
         ", found \"Box_Size\"", true},
        {"Properties=species:S:1:pos:R:3 cell=primitive box=T", NULL, true},
        {"Properties=species:S:1:pos:R:3 Origin=\"1 2 3\"",
         "2:32: expected Lattice=\"...\" with Origin " ADVICE
         ", found \"Origin\"", true},
        {L "cell=\"1 0 0 0 1 0 0 0 1\" box=[1,1,1] cellpar={1 1 1 90 90 90}",
         NULL, true},
        {L "cell=\"1 0 0 0 1 0 0 0 2\"", "2:29: expected no other cell than "
                                         "Lattice says " ADVICE
                                         ", found \"cell\"", true},
        {L "box=2", "2:29: expected no other cell than Lattice says " ADVICE
                    ", found \"box\"", true},
        {L "boundary=\"p p p\" periodic=xyz", NULL, true},
        {L "pbc=F boundary=none", NULL, true},
        {L "boundary=\"p p f\"",
         "2:29: expected the same periodic axes as by Lattice and pbc "
         "(--periodic xyz or none says which), found \"boundary\"", true},
        {L "periodic=grain",
         "2:29: expected pbc=\"T T T\", \"F F F\" or the like for the periodic "
         "axes (--periodic xyz, xy or none says which), found \"periodic\"",
         true},
        {"pbc=F periodic=T", "2:7: expected the same periodic axes as by pbc "
                             "(--periodic xyz or none says which, --cell the "
                             "cell), found \"periodic\"", true},
        {L "units=real units=metal", "2:46: expected units once, found "
                                     "\"metal\"", false},
        {L "cell=1 cell=2", "2:41: expected cell once, found \"2\"", false},
        {"# CELL(abcABC): 10 10 10 90 90 90  Step: 1",
         "2:3: expected Lattice=\"...\" and pbc=\"...\" for the cell in a "
         "comment line " ADVICE ", found \"CELL(abcABC):\"", true},
        {"a box 10 10 10", "2:3: expected Lattice=\"...\" and pbc=\"...\" for "
                           "the cell in a comment line " ADVICE
                           ", found \"box\"", true},
        {"water in a box of glass, cell 3b", NULL, true},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f = {0};
        char text[300], expected[400];
        struct io_options given = {.format = "extxyz", .cell_given = true,
                                   .periodic_given = true};
        snprintf(text, sizeof text, "1\n%s\n%s0 0 0\n", cases[k].line,
                 strstr(cases[k].line, "=pos") ? "" : "X ");
        if (cases[k].cell) io_check_frames(text, &given, &f);
        given.cell_given = given.periodic_given = false;
        if (!cases[k].message) {
            io_check_frames(text, &given, &f);
        } else {
            snprintf(expected, sizeof expected, "input:%s", cases[k].message);
            io_check_refused(text, &given, expected);
        }
        io_frame_clear(&f);
    }
    io_check_refused("1\n" L "\nX 0 0 0\n1\nstep 2\nX 0 0 0\n",
                     &(struct io_options){.format = "extxyz"},
                     "input:5:1: expected Lattice=\"...\" as in an earlier "
                     "frame, or pbc=\"F F F\" " ADVICE ", found \"step 2\"");
    struct io_frame f = {0};
    io_check_frames("1\n" L "\nX 0 0 0\n1\npbc=F\nX 0 0 0\n", NULL, &f);
    io_frame_clear(&f);
}

static void charge_names(void **state) {
    (void)state;
    static const struct {
        const char *properties;
        double q; /* 0: none */
        int columns;
    } cases[] = {
        {"pos:R:3:a:R:1:b:R:1", 0, 2},
        {"pos:R:3:charge:R:1:q:R:1", 1, 1},
        {"pos:R:3:q:R:1:charges:R:1", 2, 1},
        {"positions:R:3:a:S:1:initial_charges:I:1", 2, 1},
        {"pos:R:3:q:R:2", 0, 1},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f = {0};
        char text[200];
        snprintf(text, sizeof text, "1\nProperties=%s\n0 0 0 1 2\n",
                 cases[k].properties);
        io_check_frames(text, NULL, &f);
        assert_int_equal(f.q != NULL, cases[k].q != 0);
        if (f.q) io_check_doubles(f.q, &cases[k].q, 1);
        assert_int_equal(f.n_columns, cases[k].columns);
        io_frame_clear(&f);
    }
}

static void periodicity(void **state) {
    (void)state;
    static const struct {
        const char *keys;
        int periodic[3];
    } cases[] = {
        {"Lattice=\"1 0 0 0 1 0 0 0 1\"", {1, 1, 1}},
        {"lattice=[[1,0,0],[0,1,0],[0,0,1]] pbc=F", {0, 0, 0}},
        {"Lattice=\"1 0 0 0 1 0 0 0 1\" pbc=\"1 0 1\"", {1, 0, 1}},
        {"pbc=[True, false, T] Lattice={1 0 0 0 1 0 0 0 1}", {1, 0, 1}},
        {"Properties=species:S:1:pos:R:3", {0, 0, 0}},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f = {0};
        char text[200];
        snprintf(text, sizeof text, "1\n%s\nX 0 0 0\n", cases[k].keys);
        io_check_frames(text, NULL, &f);
        assert_memory_equal(f.periodic, cases[k].periodic, sizeof f.periodic);
        if (k < 4)
            io_check_doubles(f.cell, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9);
        io_frame_clear(&f);
    }
}

/* Columns of a line are words, so a long line is accepted; a comment line
 * without an end is not. */
static void long_lines(void **state) {
    (void)state;
    size_t n = (size_t)17 << 20;
    char error[300], *text = malloc(n + 1);
    assert_non_null(text);
    memset(text, 'x', n);
    memcpy(text, "1\n", 2);
    assert_int_equal(io_read_memory("extxyz", text, n, error, sizeof error),
                     -1);
    assert_string_equal(error, "memory:2:16777217: expected a line of at most "
                               "16777216 bytes, found a longer one");
    memcpy(text, "1\nwide=", 7);
    memcpy(text + n / 2, "\nO 1 2 3\n", 10);
    assert_int_equal(io_read_memory("extxyz", text, n / 2 + 9, error,
                                    sizeof error), 1);
    free(text);
}

static void another_language(void **state) {
    (void)state;
    struct io_frame f = {0};
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8")); /* test/locales.sh */
    char before[8], after[8];
    snprintf(before, sizeof before, "%.1f", 0.5);
    io_check_frames("1\n\nO 1.2345678901234567890123 0.5 1e-300\n",
                    &(struct io_options){.format = "extxyz"}, &f);
    snprintf(after, sizeof after, "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(before, "0,5");
    io_check_doubles(f.x, (double[]){1.2345678901234567890123, 0.5, 1e-300},
                     3);
    assert_string_equal(before, after);
    io_frame_clear(&f);
}

#define XYZ "Properties=species:S:1:pos:R:3:charge:R:1\n"
static const struct io_check_bad bad[] = {
    {"", "1:1: expected a number of particles, found the end of the file", 0},
    {"\n\n \n",
     "4:1: expected a number of particles, found the end of the file", 0},
    {"abc\n", "1:1: expected an integer (the number of particles), found "
              "\"abc\"", 0},
    {"  -3\n", "1:3: expected a number of particles from 0, found \"-3\"", 0},
    {"3.5\n", "1:1: expected an integer (the number of particles), found "
              "\"3.5\"", 0},
    {"99999999999999999999\n\n", "1:1: expected an integer of 64 bits (the "
                                 "number of particles), found "
                                 "\"99999999999999999999\"", 0},
    {"2 atoms\n", "1:3: expected the end of the line, found \"atoms\"", 0},
    {"2", "2:1: expected a comment line, found the end of the file", 0},
    {"9000000000000000000\n\nO 1 2 3\n",
     "4:1: expected particle 2 of 9000000000000000000, found the end of the "
     "file", 0},
    {"1\n\nO 1 2\n", "3:6: expected a real number (pos 3 of particle 1), found "
                     "the end of the line", 0},
    {"1\n\nO 1 2 3 4\n", "3:9: expected the end of the line, found \"4\"", 0},
    {"2\n\nO 1 2 3\nO 1 x2 3\n",
     "4:5: expected a real number (pos 2 of particle 2), found \"x2\"", 0},
    {"1\n\nO 1 nan 3\n",
     "3:5: expected a finite number (pos 2 of particle 1), found \"nan\"", 0},
    {"1\n" XYZ "O 1 2 3 -inf\n",
     "3:9: expected a finite number (charge of particle 1), found \"-inf\"", 0},
    {"1\n\nO 1 2 1e999\n", "3:7: expected a number within 1.8e308 (pos 3 of "
                           "particle 1), found \"1e999\"", 0},
    {"1\n\nO 1 2 \0003\n", "3:7: expected text, found a zero byte", 11},
    {"1\nA\0B\n", "2:2: expected text, found a zero byte", 6},
    {"1\n\nO 1,5 2 3\n",
     "3:3: expected a real number (pos 1 of particle 1), found \"1,5\"", 0},
    {"1\n\nO 0x1p3 2 3\n",
     "3:3: expected a real number (pos 1 of particle 1), found \"0x1p3\"", 0},
    {"1\n\nO \xc3\xa9\t2 3\n",
     "3:3: expected a real number (pos 1 of particle 1), found "
     "\"\\xc3\\xa9\"", 0},
    {"1\nLattice=\"1 0 0 0 1 0 0 0\"\n",
     "2:25: expected a real number (Lattice 9), found the end of the line", 0},
    {"1\nLattice=\"1 0 0 0 1 0 0 0 1 2\"\n",
     "2:28: expected 9 numbers for Lattice, found \"2\"", 0},
    {"1\nLattice=\"1 0 0 0 inf 0 0 0 1\"\n",
     "2:18: expected a finite number (Lattice 5), found \"inf\"", 0},
    {"1\nLattice=\"1 0 0\n",
     "2:15: expected a closing \", found the end of the line", 0},
    {"1\nLattice={1 0 0\n",
     "2:15: expected a closing }, found the end of the line", 0},
    {"1\nLattice=[1 0 0\n",
     "2:15: expected a closing ], found the end of the line", 0},
    {"1\nLattice=\"1\"x\n",
     "2:12: expected a space after the value, found \"x\"", 0},
    {"1\nLattice=\n",
     "2:9: expected a real number (Lattice 1), found the end of the line", 0},
    {"1\nlattice=\"1 2\"\n",
     "2:13: expected a real number (Lattice 3), found the end of the line", 0},
    {"1\n =3 Lattice=\n", "2:2: expected a key before =, found \"=3\"", 0},
    {"1\npbc=\"T T\"\n", "2:9: expected T or F, found the end of the line", 0},
    {"1\npbc=\"T T X\"\n", "2:10: expected T or F, found \"X\"", 0},
    {"1\npbc=\"T T T T\"\n",
     "2:12: expected three flags for pbc, found \"T\"", 0},
    {"1\nProperties=pos:R:2\n", "2:12: expected a property pos:R:3 or "
                                "positions:R:3, found \"pos:R:2\"", 0},
    {"1\nProperties=species:S:1\n",
     "2:12: expected a property pos:R:3 or positions:R:3, found "
     "\"species:S:1\"", 0},
    {"1\nProperties=pos:Q:3\n", "2:16: expected a property's type R, I, S or "
                                "L, found \"Q\"", 0},
    {"1\nProperties=pos:R:x\n",
     "2:18: expected an integer (a property's width), found \"x\"", 0},
    {"1\nProperties=pos:R:\n", "2:18: expected an integer (a property's "
                               "width), found the end of the line", 0},
    {"1\nProperties=pos:R:3:a:R:0\n",
     "2:24: expected a property's width from 1 to 65536, found \"0\"", 0},
    {"1\nProperties=pos:R:3:a:R:999999999\n",
     "2:24: expected a property's width from 1 to 65536, found \"999999999\"",
     0},
    {"1\nProperties=pos:R:3:pos:R:3\n",
     "2:20: expected each property once, found \"pos\"", 0},
    {"1\nProperties=pos:R:3::R:3\n",
     "2:20: expected a property's name, found the end of the line", 0},
    {"1\nProperties=pos:R:3:charge:S:1\n",
     "2:12: expected charge:R:1 among the properties, found "
     "\"pos:R:3:charge:S:1\"", 0},
    {"1\nProperties=pos:R:3 Properties=pos:R:3\n",
     "2:31: expected Properties once, found \"pos:R:3\"", 0},
    {"1\npbc=T PBC=F Lattice=\"1 0 0 0 1 0 0 0 1\"\n",
     "2:11: expected pbc once, found \"F\"", 0},
    {"1\nProperties=pos:R:3:n:I:1\n1 2 3 4.5\n",
     "3:7: expected an integer (n of particle 1), found \"4.5\"", 0},
    {"1\nProperties=pos:R:3:b:L:1\n1 2 3 1\n",
     "3:7: expected T or F, found \"1\"", 0},
    {"1\nProperties=pos:R:3:s:S:1\n1 2 3\n",
     "3:6: expected a word, found the end of the line", 0},
    {"1\nProperties=pos:R:3:s:S:1\n1 2 3 \"a b\n",
     "3:11: expected a closing \", found the end of the line", 0},
    {"1\n\nO 1 2 3\nrubbish\n", "4:1: expected an integer (the number of "
                                "particles), found \"rubbish\"", 0},
    {"1\n\nO 1 2 3\n2\n\nO 1 2 3\n",
     "7:1: expected particle 2 of 2, found the end of the file", 0},
    {"1\n\nO 1 2 "
     "33333333333333333333333333333333333333333333333333333333333333333333x\n",
     "3:7: expected a real number (pos 3 of particle 1), found "
     "\"3333333333333333333333333333333333333...\"", 0},
};

static void refused(void **state) {
    (void)state;
    io_check_table("extxyz", bad, IO_COUNT(bad));
}

static void formats_are_told(void **state) {
    (void)state;
    static const char *const bad_options[][3] = {
        {"1\n\nO 0 0 0\n", "xyz", "input: unknown format \"xyz\": there are "
                                  "extxyz, lammps, pqr and hdf5"},
        {"what is this\n", NULL, "input: neither its suffix nor its content "
                                 "tells the format: extxyz, lammps, pqr or "
                                 "hdf5?"},
        {"", NULL, "input: neither its suffix nor its content tells the "
                   "format: extxyz, lammps, pqr or hdf5?"},
    };
    for (size_t k = 0; k < IO_COUNT(bad_options); k++)
        io_check_refused(bad_options[k][0],
                         &(struct io_options){.format = bad_options[k][1]},
                         bad_options[k][2]);
    char error[200];
    struct io_reader *reader = NULL;
    assert_int_equal(io_open("/nowhere/a.xyz", NULL, &reader, error,
                             sizeof error), -1);
    assert_string_equal(error, "/nowhere/a.xyz: cannot open: No such file or "
                               "directory");
    assert_null(reader);
    assert_int_equal(io_open("/tmp", NULL, &reader, error, sizeof error), -1);
    assert_string_equal(error, "/tmp: cannot read: Is a directory");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extended),
        cmocka_unit_test(plain),
        cmocka_unit_test(free_text),
        cmocka_unit_test(empty_values),
        cmocka_unit_test(geometry),
        cmocka_unit_test(charge_names),
        cmocka_unit_test(periodicity),
        cmocka_unit_test(long_lines),
        cmocka_unit_test(another_language),
        cmocka_unit_test(refused),
        cmocka_unit_test(formats_are_told),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
