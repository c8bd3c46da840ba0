/* SPDX-License-Identifier: Apache-2.0 */
/* io_h5md.c: tests of H5MD: box, rows without a particle, units, filters,
 * shapes. */
#include "io_check.h"

#if FARSUM_WITH_HDF5
#include <math.h>

#include "io_h5_check.h"

#define P "particles/all/"

static hid_t create_positions(const char *path, int frames) {
    hid_t file = create(path);
    if (frames == 1)
        put_reals(file, P "position", 2, DIMS(2, 3), numbers);
    else
        put_reals(file, P "position/value", 3, DIMS(2, 2, 3), numbers);
    return file;
}

/* Edges and boundary must agree. */
static void boxes(void **state) {
    (void)state;
    static const struct {
        int edges;
        const char *boundary[3], *message; /* NULL: read */
    } cases[] = {
        {1, {"periodic", "periodic", "periodic"}, NULL},
        {1, {"none", "none", "none"}, NULL},
        {0, {"none", "none", "none"}, NULL},
        {0, {NULL}, NULL},
        {1, {NULL}, "/particles/all/box has edges but no attribute boundary: "
                    "--periodic xyz or none says which axes are periodic"},
        {0, {"none", "periodic", "none"},
         "/particles/all/box has a boundary that says periodic, but no edges: "
         "--cell gives the cell, --periodic none says open space"},
        {1, {"periodic", "Periodic", "none"},
         "/particles/all/box: expected \"periodic\" or \"none\" in the "
         "attribute boundary, found \"Periodic\""},
    };
    const char *path = io_check_path("box.h5");
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        struct io_frame f[2] = {0};
        const char *const *b = cases[k].boundary;
        hid_t file = create_positions(path, 1);
        if (cases[k].edges)
            put_reals(file, P "box/edges", 1, DIMS(3), numbers + 7);
        if (b[0]) put_boundary(file, P "box", b[0], b[1], b[2]);
        finish(file);
        if (cases[k].message) {
            refused(path, NULL, cases[k].message);
            continue;
        }
        assert_int_equal(read_all(path, f, 2), 1);
        assert_int_equal(f[0].has_cell, cases[k].edges);
        for (int d = 0; d < 3; d++)
            assert_int_equal(f[0].periodic[d], b[d] && *b[d] == 'p');
        io_frame_clear(&f[0]);
        unlink(path);
    }
}

/* Edges as numbers or as vectors, each with any periodic axes; --periodic must
 * agree with them. */
static void periodic_axes(void **state)
{
    (void)state;
    static const char *const word[2] = {"none", "periodic"};
    static const double rows[9] = {7, 0, 0, 1, 8, 0, 0.5, -2, 9};
    const char *path = io_check_path("axes.h5");
    char error[1024];
    for (int bits = 0; bits < 16; bits++) {
        const int p[3] = {bits & 1, bits >> 1 & 1, bits >> 2 & 1};
        struct io_options given = {.periodic_given = true,
                                   .periodic = {!p[0], p[1], p[2]}};
        struct io_frame f[2] = {0};
        struct io_reader *reader = NULL;
        hid_t file = create_positions(path, 1);
        if (bits & 8)
            put_reals(file, P "box/edges", 2, DIMS(3, 3), rows);
        else
            put_reals(file, P "box/edges", 1, DIMS(3), numbers + 7);
        put_boundary(file, P "box", word[p[0]], word[p[1]], word[p[2]]);
        finish(file);
        assert_int_equal(read_all(path, f, 2), 1);
        assert_memory_equal(f[0].periodic, p, sizeof p);
        io_check_doubles(f[0].cell + 3, (double[]){bits & 8 ? 1 : 0, 8, 0}, 3);
        io_frame_clear(&f[0]);
        assert_int_equal(io_open(path, &given, &reader, error, sizeof error),
                         -1);
        assert_non_null(strstr(error, "contradicts --periodic"));
        given.periodic[0] = p[0];
        assert_int_equal(io_open(path, &given, &reader, error, sizeof error),
                         0);
        io_close(reader);
        unlink(path);
    }
}

/* A cell sampled once belongs to every frame; a cell with other steps to
 * none. */
static void sampled_once(void **state) {
    (void)state;
    const char *path = io_check_path("once.h5");
    struct io_frame f[3] = {0};
    const int64_t steps[2] = {0, 100}, others[2] = {0, 10};
    hid_t file = create_positions(path, 2);
    put_reals(file, P "box/edges/value", 2, DIMS(1, 3), numbers + 7);
    put_reals(file, P "charge/value", 2, DIMS(1, 2), numbers + 3);
    put_boundary(file, P "box", "periodic", "periodic", "periodic");
    finish(file);
    assert_int_equal(read_all(path, f, 3), 2);
    for (int k = 0; k < 2; k++) {
        io_check_doubles(f[k].cell, (double[]){7, 0, 0, 0, 8, 0, 0, 0, 9}, 9);
        io_check_doubles(f[k].q, numbers + 3, 2);
        io_check_doubles(f[k].x, numbers + 6 * k, 6);
        io_frame_clear(&f[k]);
    }
    unlink(path);
    file = create_positions(path, 2);
    put(file, P "position/step", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, DIMS(2),
        steps);
    put_reals(file, P "box/edges/value", 2, DIMS(2, 3), numbers + 1);
    put(file, P "box/edges/step", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, DIMS(2),
        others);
    put_boundary(file, P "box", "periodic", "periodic", "periodic");
    finish(file);
    refused(path, NULL, "/particles/all/box/edges: step 10 is no step of the "
                        "positions; frame 2 of the positions has step 100");
}

/* Steps by their distance and offset are compared like explicit ones. */
static void steps_at_a_distance(void **state)
{
    (void)state;
    const char *path = io_check_path("linear.h5");
    const int64_t step = 100, first = 50, explicit_steps[2] = {50, 150};
    struct io_frame f[3] = {0};
    for (int with = 0; with < 2; with++) {
        hid_t file = create_positions(path, 2);
        put(file, P "position/step", H5T_STD_I64LE, H5T_NATIVE_INT64, 0, NULL,
            &step);
        if (with) {
            hid_t space = H5Screate(H5S_SCALAR);
            hid_t set = H5Dopen2(file, P "position/step", H5P_DEFAULT);
            hid_t a = H5Acreate2(set, "offset", H5T_STD_I64LE, space,
                                 H5P_DEFAULT, H5P_DEFAULT);
            assert_true(H5Awrite(a, H5T_NATIVE_INT64, &first) >= 0);
            H5Aclose(a);
            H5Dclose(set);
            H5Sclose(space);
        }
        put_reals(file, P "box/edges/value", 2, DIMS(2, 3), numbers + 1);
        put(file, P "box/edges/step", H5T_STD_I64LE, H5T_NATIVE_INT64, 1,
            DIMS(2), explicit_steps);
        put_boundary(file, P "box", "periodic", "periodic", "periodic");
        finish(file);
        if (!with) {
            refused(path, NULL,
                    "/particles/all/box/edges: step 50 is no step of the "
                    "positions; frame 1 of the positions has step 0");
            continue;
        }
        assert_int_equal(read_all(path, f, 3), 2);
        for (int k = 0; k < 2; k++)
            io_frame_clear(&f[k]);
        unlink(path);
    }
}

/* A box without edges and boundary says nothing. */
static void empty_box(void **state)
{
    (void)state;
    const char *path = io_check_path("empty.h5");
    hid_t file = create_positions(path, 1);
    H5Gclose(H5Gcreate2(file, P "box", groups, H5P_DEFAULT, H5P_DEFAULT));
    finish(file);
    refused(path, NULL,
            "/particles/all/box has neither edges nor an attribute boundary: "
            "--cell gives the cell, --periodic none says open space");
}

/* The id -1 marks a row without a particle. */
static void filled_places(void **state) {
    (void)state;
    const char *path = io_check_path("filled.h5");
    char error[300] = "";
    const int64_t id[4] = {5, -1, -1, 3};
    double x[12];
    memcpy(x, numbers, sizeof x);
    x[4] = NAN;
    hid_t file = create(path), text = H5Tcopy(H5T_C_S1);
    const char *words[4] = {"a", "b", "c", "d"};
    H5Tset_size(text, H5T_VARIABLE);
    put_reals(file, P "position", 2, DIMS(4, 3), x);
    put_reals(file, P "charge", 1, DIMS(4), x + 2);
    put(file, P "id", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, DIMS(4), id);
    put(file, P "label", text, text, 1, DIMS(4), words);
    H5Tclose(text);
    finish(file);
    struct io_reader *reader = NULL;
    struct io_frame f = {0};
    assert_int_equal(io_open(path, NULL, &reader, error, sizeof error), 0);
    if (io_read(reader, &f, error, sizeof error) != 1) fail_msg("%s", error);
    assert_int_equal(f.n, 2);
    io_check_doubles(f.x, (double[]){0, 1, 2, 9, 10, 11}, 6);
    io_check_doubles(f.q, (double[]){2, 5}, 2);
    assert_memory_equal(io_frame_column(&f, "id")->data, ((int64_t[]){5, 3}),
                        16);
    assert_string_equal(((char **)io_frame_column(&f, "label")->data)[1], "d");
    assert_string_equal(io_reader_note(reader),
                        "2 of 4 places are filled with the id -1: they are "
                        "left out, and the column id says whose the others "
                        "are");
    io_frame_clear(&f);
    io_close(reader);
    unlink(path);
}

/* Ids sampled once, or without a sign, mark rows too; ids that belong to no
 * frame are an error, because rows without a particle would be summed. */
static void other_ids(void **state)
{
    (void)state;
    const char *path = io_check_path("ids.h5");
    const int64_t id[4] = {5, -1, 7, -1}, steps[2] = {0, 10},
                  others[2] = {0, 9};
    const uint32_t bare[2] = {7, UINT32_MAX};
    const uint16_t small[2] = {7, UINT16_MAX};
    const uint64_t wide[2] = {7, UINT64_MAX};
    const double real[2] = {7, -1};
    struct io_frame f[3] = {0};
    hid_t file = create_positions(path, 2); /* once */
    put(file, P "id/value", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, DIMS(1, 2), id);
    finish(file);
    assert_int_equal(read_all(path, f, 3), 2);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(f[k].n, 1);
        io_check_doubles(f[k].x, numbers + 6 * k, 3);
        io_frame_clear(&f[k]);
    }
    unlink(path);
    file = create_positions(path, 1); /* without a sign */
    put(file, P "id", H5T_STD_U32LE, H5T_NATIVE_UINT32, 1, DIMS(2), bare);
    finish(file);
    assert_int_equal(read_all(path, f, 3), 1);
    assert_int_equal(f[0].n, 1);
    io_frame_clear(&f[0]);
    unlink(path);
    file = create_positions(path, 1);
    put(file, P "id", H5T_STD_U16LE, H5T_NATIVE_UINT16, 1, DIMS(2), small);
    finish(file);
    assert_int_equal(read_all(path, f, 3), 1);
    assert_int_equal(f[0].n, 1);
    io_frame_clear(&f[0]);
    unlink(path);
    file = create_positions(path, 1);
    put(file, P "id", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, DIMS(2), wide);
    finish(file);
    assert_int_equal(read_all(path, f, 3), 1);
    assert_int_equal(f[0].n, 1);
    io_frame_clear(&f[0]);
    unlink(path);
    file = create_positions(path, 1);
    put_reals(file, P "id", 1, DIMS(2), real);
    finish(file);
    refused(path, NULL,
            "/particles/all/id: expected integers, found real "
            "numbers");
    file = create_positions(path, 1);
    put(file, P "id/value", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, DIMS(2, 2), id);
    finish(file);
    refused(path, NULL,
            "/particles/all/id: expected 1 frames as of the "
            "positions, found 2");
    file = create_positions(path, 1);
    put(file, P "id", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, DIMS(1), id);
    finish(file);
    refused(path, NULL,
            "/particles/all/id: expected as many ids as particles "
            "a frame, found 1");
    for (int late = 0; late < 2; late++) { /* at other steps */
        file = create_positions(path, 2);
        put(file, P "position/step", H5T_STD_I64LE, H5T_NATIVE_INT64, 1,
            DIMS(2), steps);
        put(file, late ? P "tag/value" : P "id/value", H5T_STD_I64LE,
            H5T_NATIVE_INT64, 2, DIMS(2, 2), id);
        put(file, late ? P "tag/step" : P "id/step", H5T_STD_I64LE,
            H5T_NATIVE_INT64, 1, DIMS(2), others);
        finish(file);
        if (!late) {
            refused(path, NULL,
                    "/particles/all/id: step 9 is no step of the "
                    "positions; frame 2 of the positions has step 10");
            continue;
        }
        assert_int_equal(read_all(path, f, 3), 2); /* another is passed over */
        for (int k = 0; k < 2; k++) {
            assert_null(io_frame_column(&f[k], "tag"));
            io_frame_clear(&f[k]);
        }
        unlink(path);
    }
}

static void units(void **state) {
    (void)state;
    const char *path = io_check_path("units.h5");
    struct io_frame f[3] = {0};
    hid_t file = create_positions(path, 2);
    put_reals(file, P "charge", 1, DIMS(2), numbers);
    put_unit(file, P "position/value", "nm");
    put_unit(file, P "charge", "e");
    finish(file);
    assert_int_equal(read_all(path, f, 3), 2);
    assert_string_equal(f[1].length_unit, "nm");
    assert_string_equal(f[1].charge_unit, "e");
    for (int k = 0; k < 2; k++) io_frame_clear(&f[k]);
    unlink(path);
    file = create_positions(path, 1);
    put_reals(file, P "box/edges", 1, DIMS(3), numbers + 7);
    put_boundary(file, P "box", "periodic", "periodic", "periodic");
    put_unit(file, P "position", "nm");
    put_unit(file, P "box/edges", "Angstrom");
    finish(file);
    refused(path, NULL, "/particles/all/box/edges has the unit \"Angstrom\", "
                        "/particles/all/position has \"nm\"");
    file = create_positions(path, 1); /* the box's unit is that of all */
    put_reals(file, P "box/edges", 1, DIMS(3), numbers + 7);
    put_boundary(file, P "box", "periodic", "periodic", "periodic");
    put_unit(file, P "box/edges", "nm");
    finish(file);
    assert_int_equal(read_all(path, f, 3), 1);
    assert_string_equal(f[0].length_unit, "nm");
    io_frame_clear(&f[0]);
    unlink(path);
}

static size_t pass(unsigned flags, size_t n, const unsigned values[],
                   size_t bytes, size_t *capacity, void **data)
{
    (void)flags, (void)n, (void)values, (void)capacity, (void)data;
    return bytes;
}

/* Written where a filter exists, read where it does not. */
static void lacking_filter(void **state) {
    (void)state;
    static const H5Z_class2_t lzf = {
        H5Z_CLASS_T_VERS, 32000, 1, 1, "", NULL, NULL, pass};
    const char *path = io_check_path("filter.h5");
    assert_true(H5Zregister(&lzf) >= 0);
    hid_t file = create(path), list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, DIMS(4, 3), NULL);
    H5Pset_chunk(list, 2, DIMS(4, 3));
    H5Pset_filter(list, 32000, H5Z_FLAG_OPTIONAL, 0, NULL);
    hid_t set = H5Dcreate2(file, P "position", H5T_IEEE_F64LE, space, groups,
                           list, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         numbers) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
    finish(file);
    assert_true(H5Zunregister(32000) >= 0);
    refused(path, NULL, "/particles/all/position: compressed by the filter "
                        "lzf, which this HDF5 lacks; h5repack -f GZIP=4 IN "
                        "OUT, where that filter is, writes a file that can "
                        "be read");
}

/* Changes the number of rows in the file's header. */
static void patch(const char *path, uint64_t from, uint64_t to) {
    static char bytes[4000000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, sizeof bytes, file), found = 0;
    fclose(file);
    for (size_t k = 0; k + 8 <= n; k++)
        if (memcmp(bytes + k, &from, 8) == 0) {
            memcpy(bytes + k, &to, 8);
            found++;
        }
    assert_true(found > 0);
    io_check_put(path, bytes, n);
}

static void put_chunks(hid_t file, const char *path, int rank,
                       const hsize_t *dims, const double *data) {
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(rank, dims, NULL);
    H5Pset_chunk(list, rank, rank == 2 ? DIMS(64, 3) : DIMS(1, 64, 3));
    hid_t set = H5Dcreate2(file, path, H5T_IEEE_F64LE, space, groups, list,
                           H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
}

/* The product of the dimensions overflows to fewer values than the file has. */
static void shapes_that_wrap(void **state) {
    (void)state;
    enum { ROWS = 1009 };
    static const uint64_t third = 0x5555555555555556; /* times 3: 2^64 + 2 */
    static const struct {
        int rank;
        hsize_t dims[3];
        uint64_t rows;
    } cases[] = {
        {2, {ROWS, 3}, third},
        {3, {1, ROWS, 3}, third},
        {3, {ROWS, 64, 3}, third}, /* frames */
        {2, {ROWS, 3}, (uint64_t)1 << 61},
    };
    const char *path = io_check_path("wrap.h5");
    double *zeros = calloc(192 * ROWS, sizeof *zeros);
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        hid_t file = create(path);
        put_chunks(file, cases[k].rank == 2 ? P "position"
                                            : P "position/value",
                   cases[k].rank, cases[k].dims, zeros);
        finish(file);
        patch(path, ROWS, cases[k].rows);
        refused(path, NULL, "/particles/all/position: the data are not all "
                            "there (truncated, or never written)");
    }
    free(zeros);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),          cmocka_unit_test(periodic_axes),
        cmocka_unit_test(sampled_once),   cmocka_unit_test(steps_at_a_distance),
        cmocka_unit_test(empty_box),      cmocka_unit_test(filled_places),
        cmocka_unit_test(other_ids),      cmocka_unit_test(units),
        cmocka_unit_test(lacking_filter), cmocka_unit_test(shapes_that_wrap),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
#else
int main(void) { return 77; }
#endif
