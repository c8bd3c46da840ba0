/* SPDX-License-Identifier: Apache-2.0 */
/* io_pqr.c: PQR: good files value by value, bad ones by message. */
#include "io_check.h"

#include <math.h>

static const struct io_options pqr = {.format = "pqr"};

static void one_model(void **state) {
    (void)state;
    struct io_frame f = {0};
    const char *text =
        "REMARK   1 made by hand\r\n"
        "# a comment\n"
        "CRYST1   50.000   60.000   70.000  90.00  90.00 120.00 P 1       1\n"
        "ATOM      1  N   ALA A   1      46.457  12.189  21.556  0.1414 1.824\n"
        "HETATM12345  O   HOH  1000  1 -2.5 3e0 -0.8 1.5\n"
        "TER\nCONECT 1 2\nEND\n";
    assert_int_equal(io_check_frames(text, NULL, &f), 1);
    assert_int_equal(f.n, 2);
    io_check_doubles(f.x, (double[]){46.457, 12.189, 21.556, 1, -2.5, 3}, 6);
    io_check_doubles(f.q, (double[]){0.1414, -0.8}, 2);
    assert_true(f.has_cell);
    assert_memory_equal(f.periodic, ((int[]){1, 1, 1}), sizeof f.periodic);
    io_check_doubles(f.cell,
                     (double[]){50, 0, 0, -30, 60 * sqrt(0.75), 0, 0, 0, 70},
                     9);
    static const char *const columns[][3] = {{"serial", "1", "12345"},
                                             {"name", "N", "O"},
                                             {"resname", "ALA", "HOH"},
                                             {"chain", "A", ""},
                                             {"resid", "1", "1000"}};
    assert_int_equal(f.n_columns, 6);
    for (int k = 0; k < 5; k++) {
        assert_string_equal(f.columns[k].name, columns[k][0]);
        for (int i = 0; i < 2; i++)
            assert_string_equal(((char **)f.columns[k].data)[i],
                                columns[k][1 + i]);
    }
    assert_string_equal(f.columns[5].name, "radius");
    io_check_doubles(f.columns[5].data, (double[]){1.824, 1.5}, 2);
    io_frame_clear(&f);
}

static void cells(void **state) {
    (void)state;
    static const struct {
        const char *record;
        double cell[9]; /* zeros: none */
    } cases[] = {
        {"", {0}},
        {"CRYST1 1 1 1 90 90 90 P 1\n", {0}},
        {"CRYST1 0.0 0.0 0.0 90 90 90\n", {0}},
        {"CRYST1 2 3 4 90 90 90\n", {2, 0, 0, 0, 3, 0, 0, 0, 4}},
        {"CRYST110000.000 3 4 90 90 90\n", {10000, 0, 0, 0, 3, 0, 0, 0, 4}},
    };
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f = {0};
        char text[300];
        snprintf(text, sizeof text, "%sATOM 1 N A 1 0 0 0 1 1\n",
                 cases[k].record);
        io_check_frames(text, &pqr, &f);
        assert_int_equal(f.has_cell, cases[k].cell[0] != 0);
        io_check_doubles(f.cell, cases[k].cell, 9);
        assert_null(io_frame_column(&f, "chain"));
        io_frame_clear(&f);
    }
}

/* As GROMACS editconf writes them: the last column is an element. */
static void elements(void **state) {
    (void)state;
    struct io_frame f = {0};
    const char *text =
        "CRYST1   35.060   34.040   38.990  90.00  90.00  90.00 P 1           1"
        "\nMODEL        1\n"
        "ATOM      1  N   MET A   1       1.952  12.151   2.219  0.16  1.62   "
        "        N\n"
        "ATOM      2  NA  ION     2       0.317   2.933   8.543 -0.29  1.65   "
        "       NA\n"
        "ATOM      3  C   MET A   3       9.856   2.309   2.940  0.13  1.65\n"
        "TER\nENDMDL\n";
    assert_int_equal(io_check_frames(text, &pqr, &f), 1);
    io_check_doubles(f.x, (double[]){1.952, 12.151, 2.219, 0.317, 2.933, 8.543,
                                     9.856, 2.309, 2.940}, 9);
    io_check_doubles(f.q, (double[]){0.16, -0.29, 0.13}, 3);
    io_check_doubles(io_frame_column(&f, "radius")->data,
                     (double[]){1.62, 1.65, 1.65}, 3);
    static const char *const texts[][4] = {{"species", "N", "NA", ""},
                                           {"chain", "A", "", "A"},
                                           {"resid", "1", "2", "3"}};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            assert_string_equal(
                ((char **)io_frame_column(&f, texts[k][0])->data)[i],
                texts[k][1 + i]);
    io_frame_clear(&f);
}

static void many_models(void **state) {
    (void)state;
    struct io_frame f = {0};
    const char *text = "CRYST1 9 9 9 90 90 90\n"
                       "MODEL 1\nATOM 1 N A 1 0 0 0 1 1\nENDMDL\n"
                       "MODEL 2\nATOM 1 N A 1 2 0 0 1 1\nTER\nENDMDL\n"
                       "ATOM 1 N A 1 0 0 0 1 1\nEND\nEND\n\n";
    assert_int_equal(io_check_frames(text, &pqr, &f), 3);
    assert_true(f.has_cell);
    io_frame_clear(&f);
}

static const struct io_check_bad bad[] = {
    {"", "1:1: expected a record ATOM or HETATM, found the end of the file",
     0},
    {"REMARK\nEND\n",
     "3:1: expected a record ATOM or HETATM, found the end of the file", 0},
    {"ATON 1 N A 1 0 0 0 1 1\n",
     "1:1: expected a record ATOM, HETATM, CRYST1 or another of the PDB, found "
     "\"ATON\"", 0},
    {"ATOM 1 N A 1 0 0 1 1\n",
     "1:21: expected 10 or 11 columns: record serial name residue [chain] "
     "number x y z charge radius, found the end of the line", 0},
    {"ATOM 1 N A B 1 0 0 0 1 1 7\n",
     "1:26: expected the end of the line after 11 columns, found \"7\"", 0},
    {"ATOM 1 N A 1 0 0 0 1 1\nATOM 2 N A 1 0 -1.0-2.0 0 1 1\n",
     "2:16: expected a real number (y of particle 2), found \"-1.0-2.0\"", 0},
    {"ATOM 1 N A 1 0 0 nan 1 1\n",
     "1:18: expected a finite number (z of particle 1), found \"nan\"", 0},
    {"ATOM 1 N A 1 0 0 0 1e400 1\n",
     "1:20: expected a number within 1.8e308 (charge of particle 1), found "
     "\"1e400\"", 0},
    {"ATOM 1 N A 1 0 0 0 1 x\n",
     "1:22: expected a real number (radius of particle 1), found \"x\"", 0},
    {"ATOM 1 N A 1.5 0 0 0 1 1\n",
     "1:12: expected a residue's number before x y z charge radius [element], "
     "found \"1.5\"", 0},
    {"ATOM 1 N A 1 0.5 0 0 1 1 7\n",
     "1:14: expected a residue's number before x y z charge radius [element], "
     "found \"0.5\"", 0},
    {"ATOM 1 N A B 1 0 0 0 1 1 N 7\n",
     "1:28: expected the end of the line after 12 columns, found \"7\"", 0},
    {"CRYST1 2 3 4 90 90 90\nCRYST1 2 3 5 90 90 90\n",
     "2:8: expected the same cell as in an earlier CRYST1 of this model, found "
     "\"2\"", 0},
    {"CRYST1 2 3\n",
     "1:11: expected a real number (c), found the end of the line", 0},
    {"CRYST1 2 3 -4 90 90 90\n",
     "1:8: expected lengths and angles of a cell (a b c alpha beta gamma), "
     "found \"2\"", 0},
    {"CRYST1 2 3 4 30 90 150\n",
     "1:8: expected lengths and angles of a cell (a b c alpha beta gamma), "
     "found \"2\"", 0},
    {"CRYST1 2 3 inf 90 90 90\n",
     "1:12: expected a finite number (c), found \"inf\"", 0},
    {"MODEL 1\nATOM 1 N A 1 0 0 0 1 1\nMODEL 2\n",
     "3:1: expected ENDMDL before the next model, found \"MODEL\"", 0},
    {"ATOM 1 N A\0 1 0 0 0 1 1\n", "1:11: expected text, found a zero byte",
     24},
};

static void refused(void **state) {
    (void)state;
    io_check_table("pqr", bad, IO_COUNT(bad));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_model),
        cmocka_unit_test(cells),
        cmocka_unit_test(elements),
        cmocka_unit_test(many_models),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
