/* SPDX-License-Identifier: Apache-2.0 */
/* io_hdf5.c: tests of HDF5: our own files are read back bit by bit, files of
 * other programs are understood, and missing parts are reported. */
#include "io_check.h"

#if FARSUM_WITH_HDF5
#include <math.h>

#include "io_h5_check.h"

static void write_frames(const char *path, struct io_frame *frames, int n) {
    char error[300] = "";
    struct io_writer *writer = NULL;
    if (io_create(path, NULL, &writer, error, sizeof error))
        fail_msg("%s", error);
    for (int k = 0; k < n; k++)
        if (io_write(writer, &frames[k], error, sizeof error))
            fail_msg("%s", error);
    if (io_commit(writer, error, sizeof error)) fail_msg("%s", error);
}

static const char two_frames[] =
    "2\nLattice=\"10 0 0 1 11 0 2 3 12\" Origin=\"1 2 3\" pbc=\"T F T\" "
    "Properties=species:S:1:pos:R:3:charge:R:1:forces:R:3:id:I:1:ok:L:1:name:"
    "S:2:potential:R:1 energy=1.5 note=\"a b\"\n"
    "Na 0.1 -0.2 3e-1 1 1 2 3 7 T abc \"\" 0.5\n"
    "Cl 1 2 3 -1 4 5 6 -9223372036854775808 F \"x y\" z 1e-300\n"
    "2\nLattice=\"20 0 0 1 11 0 2 3 12\" Origin=\"1 2 4\" pbc=\"T F T\" "
    "Properties=species:S:1:pos:R:3:charge:R:1:forces:R:3:id:I:1:ok:L:1:name:"
    "S:2:potential:R:1 energy=-2.5 other\n"
    "Cl 0.3 -0.2 3e-1 2 1 2 3 7 F abcdefg \"\" 0.5\n"
    "Cl 1 2 3 -1 4 5 6 -8 F \"x y\" z nan\n";

static void round_trip(void **state) {
    (void)state;
    struct io_frame a[3] = {0}, b[3] = {0};
    const char *xyz = io_check_path("a.xyz");
    io_check_put(xyz, two_frames, sizeof two_frames - 1);
    assert_int_equal(read_all(xyz, a, 3), 2);
    unlink(xyz);
    const char *h5 = io_check_path("a.h5");
    for (int frames = 1; frames <= 2; frames++) {
        write_frames(h5, a, frames);
        assert_int_equal(read_all(h5, b, 3), frames);
        for (int k = 0; k < frames; k++) {
            io_check_same(&a[k], &b[k]);
            io_frame_clear(&b[k]);
        }
    }
    unlink(h5);
    for (int k = 0; k < 2; k++) io_frame_clear(&a[k]);
}

/* The names and shapes that H5MD requires. */
static void layout(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int rank;
        hsize_t dims[3];
    } sets[] = {
        {"/particles/all/position/value", 3, {2, 2, 3}},
        {"/particles/all/position/step", 1, {2}},
        {"/particles/all/force/value", 3, {2, 2, 3}},
        {"/particles/all/charge/value", 2, {2, 2}},
        {"/particles/all/potential/value", 2, {2, 2}},
        {"/particles/all/species/value", 2, {2, 2}},
        {"/particles/all/box/edges/value", 3, {2, 3, 3}},
    };
    struct io_frame a[3] = {0};
    const char *xyz = io_check_path("a.xyz");
    io_check_put(xyz, two_frames, sizeof two_frames - 1);
    read_all(xyz, a, 3);
    unlink(xyz);
    const char *h5 = io_check_path("a.h5");
    write_frames(h5, a, 2);
    hid_t file = H5Fopen(h5, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    for (size_t k = 0; k < IO_COUNT(sets); k++) {
        hsize_t dims[8] = {0};
        hid_t set = H5Dopen2(file, sets[k].path, H5P_DEFAULT);
        hid_t space = H5Dget_space(set);
        assert_int_equal(H5Sget_simple_extent_ndims(space), sets[k].rank);
        H5Sget_simple_extent_dims(space, dims, NULL);
        assert_memory_equal(dims, sets[k].dims,
                            sizeof(hsize_t) * (size_t)sets[k].rank);
        H5Sclose(space);
        H5Dclose(set);
    }
    assert_true(H5Aexists_by_name(file, "/h5md", "version", H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/h5md/creator", "version",
                                  H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/particles/all/box", "boundary",
                                  H5P_DEFAULT) > 0);
    assert_true(H5Aexists_by_name(file, "/parameters", "energy",
                                  H5P_DEFAULT) > 0);
    H5Fclose(file);
    unlink(h5);
    for (int k = 0; k < 2; k++) io_frame_clear(&a[k]);
}

/* --- files of other programs --- */

static void foreign(void **state) {
    (void)state;
    const char *path = io_check_path("foreign.h5");
    const char *words[2] = {"one", "two words"};
    const int species[2] = {3, 5};
    hid_t file = create(path), text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    put_reals(file, "particles/atoms/position/value", 3, DIMS(2, 2, 3),
              numbers);
    put_reals(file, "particles/atoms/charge", 1, DIMS(2), numbers + 1);
    put_reals(file, "particles/atoms/box/edges", 1, DIMS(3), numbers + 7);
    put_boundary(file, "particles/atoms/box", "periodic", "periodic",
                 "periodic");
    put(file, "particles/atoms/species", H5T_STD_I16BE, H5T_NATIVE_INT, 1,
        DIMS(2), species);
    put(file, "particles/atoms/label", text, text, 1, DIMS(2), words);
    put_reals(file, "particles/atoms/velocity/value", 3, DIMS(1, 2, 3),
              numbers); /* another number of frames: left out */
    put_reals(file, "particles/atoms/mass", 1, DIMS(2), numbers + 4);
    put_reals(file, "particles/atoms/summary", 0, NULL, numbers);
    put_reals(file, "observables/energy", 0, NULL, numbers);
    H5Tclose(text);
    finish(file);

    struct io_frame f[3] = {0};
    assert_int_equal(read_all(path, f, 3), 2);
    io_check_doubles(f[1].x, numbers + 6, 6);
    io_check_doubles(f[0].q, numbers + 1, 2);
    io_check_doubles(f[1].q, numbers + 1, 2);
    io_check_doubles(f[1].cell, (double[]){7, 0, 0, 0, 8, 0, 0, 0, 9}, 9);
    assert_memory_equal(f[0].periodic, ((int[]){1, 1, 1}), sizeof(int[3]));
    assert_int_equal(f[0].n_columns, 3);
    assert_string_equal(
        ((char **)io_frame_column(&f[1], "label")->data)[1], "two words");
    assert_int_equal(
        ((int64_t *)io_frame_column(&f[0], "species")->data)[1], 5);
    io_check_doubles(io_frame_column(&f[0], "masses")->data, numbers + 4, 2);
    for (int k = 0; k < 2; k++) io_frame_clear(&f[k]);
    unlink(path);
}

/* --- what is refused --- */

static void bad_numbers(void **state) {
    (void)state;
    const char *path = io_check_path("bad.h5");
    double x[6] = {0, 1, 2, 3, NAN, 5};
    hid_t file = create(path);
    put_reals(file, "particles/all/position", 2, DIMS(2, 3), x);
    finish(file);
    refused(path, NULL, "/particles/all/position: expected a finite number "
                        "(frame 1, row 2, column 2), found nan");
    uint64_t id[2] = {1, UINT64_MAX - 1};
    file = create(path);
    put_reals(file, "particles/all/position", 2, DIMS(2, 3), numbers);
    put(file, "particles/all/id", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, DIMS(2),
        id);
    finish(file);
    refused(path, NULL,
            "/particles/all/id: expected integers below 2^63 (frame "
            "1, value 2), found 18446744073709551614");
    file = create(path);
    put_reals(file, "particles/all/position", 2, DIMS(2, 3), numbers);
    x[0] = INFINITY;
    put_reals(file, "particles/all/charge", 1, DIMS(2), x);
    finish(file);
    refused(path, NULL, "/particles/all/charge: expected a finite number "
                        "(frame 1, row 1, column 1), found inf");
}

static void bad_shapes(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int rank;
        hsize_t dims[3];
        const char *message;
    } cases[] = {
        {"charge", 1, {3}, "/particles/all/charge: expected as many charges "
                           "as particles a frame, found 3"},
        {"charge/value", 2, {3, 2}, "/particles/all/charge: expected 2 frames "
                                    "as of the positions, found 3"},
        {"box/edges", 2, {2, 2}, "/particles/all/box/edges: expected edges 3 "
                                 "or 3 x 3 a frame, found 2 x 2"},
        {"box/edges/value", 2, {3, 3}, "/particles/all/box/edges: expected 2 "
                                       "frames as of the positions, found 3"},
    };
    const char *path = io_check_path("bad.h5");
    for (size_t k = 0; k < IO_COUNT(cases); k++) {
        char name[100];
        hid_t file = create(path);
        put_reals(file, "particles/all/position/value", 3, DIMS(2, 2, 3),
                  numbers);
        snprintf(name, sizeof name, "particles/all/%s", cases[k].path);
        put_reals(file, name, cases[k].rank, cases[k].dims, numbers);
        finish(file);
        refused(path, NULL, cases[k].message);
    }
    hid_t file = create(path);
    put_reals(file, "particles/all/position", 2, DIMS(4, 2), numbers);
    finish(file);
    refused(path, NULL, "/particles/all/position: expected positions N x 3 a "
                        "frame, found 4 x 2");
}

static void bad_files(void **state) {
    (void)state;
    const char *path = io_check_path("bad.h5");
    io_check_put(path, "not HDF5", 8);
    char error[300] = "";
    struct io_reader *reader = NULL;
    assert_int_equal(io_open(path, NULL, &reader, error, sizeof error), -1);
    assert_non_null(strstr(error, "bad.h5: cannot open as HDF5: "));
    hid_t file = create(path);
    finish(file);
    refused(path, NULL, "expected a group /particles (H5MD), found none");
    file = create(path);
    put_reals(file, "particles/a/velocity", 2, DIMS(2, 3), numbers);
    finish(file);
    refused(path, NULL, "expected a group with \"position\" in /particles, "
                        "found none");
    for (int k = 0; k < 2; k++) {
        file = create(path);
        put_reals(file, "particles/a/position", 2, DIMS(2, 3), numbers);
        put_reals(file, "particles/b/position", 2, DIMS(2, 3), numbers);
        finish(file);
        refused(path, k ? "c" : NULL,
                k ? "there is no group /particles/c"
                  : "several groups of particles (a, b): which one?");
    }
    /* a data set of 8 TB without data */
    file = create(path);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(2, DIMS((hsize_t)1 << 38, 3), NULL);
    H5Pset_chunk(list, 2, DIMS(1024, 3));
    hid_t set = H5Dcreate2(file, "particles/all/position", H5T_IEEE_F64LE,
                           space, groups, list, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
    finish(file);
    refused(path, NULL, "/particles/all/position: the data are not all there "
                        "(truncated, or never written)");
}

/* An interrupted run: the second frame has space but no data. */
static void unfinished(void **state) {
    (void)state;
    const char *path = io_check_path("bad.h5");
    char error[300] = "";
    hid_t file = create(path);
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(3, DIMS(2, 2, 3), NULL);
    hid_t memory = H5Screate_simple(3, DIMS(1, 2, 3), NULL);
    H5Pset_chunk(list, 3, DIMS(1, 1, 3));
    H5Pset_shuffle(list);
    hid_t set = H5Dcreate2(file, "particles/all/position/value",
                           H5T_IEEE_F64LE, space, groups, list, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, DIMS(0, 0, 0), NULL,
                        DIMS(1, 2, 3), NULL);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT,
                         numbers) >= 0);
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    H5Pclose(list);
    finish(file);
    struct io_reader *reader = NULL;
    struct io_frame frame = {0};
    assert_int_equal(io_open(path, NULL, &reader, error, sizeof error), 0);
    assert_int_equal(io_read(reader, &frame, error, sizeof error), 1);
    io_check_doubles(frame.x, numbers, 6);
    assert_int_equal(io_read(reader, &frame, error, sizeof error), -1);
    assert_non_null(strstr(error, "bad.h5: /particles/all/position: frame 2 is "
                                  "not all there (truncated, or never "
                                  "written)"));
    io_close(reader);
    unlink(path);
}

/* --- what cannot be written --- */

static void cannot_write(const char *text, const char *expected) {
    char error[400] = "";
    struct io_frame f[3] = {0};
    struct io_writer *writer = NULL;
    const char *xyz = io_check_path("a.xyz");
    io_check_put(xyz, text, strlen(text));
    int n = read_all(xyz, f, 3), bad = 0;
    unlink(xyz);
    assert_int_equal(io_create(io_check_path("a.h5"), NULL, &writer, error,
                               sizeof error), 0);
    for (int k = 0; k < n && !bad; k++)
        bad = io_write(writer, &f[k], error, sizeof error);
    assert_int_equal(bad, -1);
    const char *message = strstr(error, ".h5: ");
    assert_non_null(message);
    assert_string_equal(message + 5, expected);
    /* the first error is reported again, and no file appears */
    assert_int_equal(io_commit(writer, error, sizeof error), -1);
    assert_string_equal(strstr(error, ".h5: ") + 5, expected);
    assert_int_equal(access(io_check_path("a.h5"), F_OK), -1);
    for (int k = 0; k < n; k++) io_frame_clear(&f[k]);
}

static void frames_that_differ(void **state) {
    (void)state;
    cannot_write("1\npbc=F\nO 1 2 3\n2\npbc=F\nO 1 2 3\nO 2 3 4\n",
                 "frame 2 has 2 particles, the first had 1: one HDF5 file "
                 "needs the same number");
    cannot_write("1\nLattice=\"9 0 0 0 9 0 0 0 9\" pbc=F\nO 1 2 3\n"
                 "1\nLattice=\"9 0 0 0 9 0 0 0 9\" pbc=T\nO 1 2 3\n",
                 "frame 2 has other columns, charges, cell or periodicity than "
                 "the first: one HDF5 file needs the same");
    cannot_write("1\npbc=F\nO 1 2 3\n1\nProperties=pos:R:3:a:S:1\n1 2 3 O\n",
                 "frame 2 has other columns, charges, cell or periodicity than "
                 "the first: one HDF5 file needs the same");
    cannot_write("1\npbc=F\nO 1 2 3\n1\npbc=F\nNa 1 2 3\n",
                 "frame 2 has the species \"Na\", the first had none of it: "
                 "one HDF5 file needs the same");
    cannot_write("1\nProperties=pos:R:3:a:S:1\n1 2 3 x\n"
                 "1\nProperties=pos:R:3:a:S:1\n1 2 3 0123456789abcdef\n",
                 "frame 2 has a longer text in column a than the first (15 "
                 "bytes fit)");
    cannot_write("1\nProperties=pos:R:3:a/b:R:1\n1 2 3 4\n",
                 "the column name \"a/b\" is not allowed in a file of this "
                 "format");
    cannot_write("1\nProperties=pos:R:3:position:R:1\n1 2 3 4\n",
                 "two columns of the name \"position\"");
}

static void no_frame(void **state) {
    (void)state;
    char error[300];
    struct io_writer *writer = NULL;
    assert_int_equal(io_create(io_check_path("a.h5"), NULL, &writer, error,
                               sizeof error), 0);
    assert_int_equal(io_commit(writer, error, sizeof error), -1);
    assert_non_null(strstr(error, "a.h5: no frame was written"));
    assert_int_equal(io_create("-", "hdf5", &writer, error, sizeof error), -1);
    assert_string_equal(error, "-: HDF5 needs an ordinary file");
    struct io_reader *reader = NULL;
    struct io_options options = {.format = "hdf5"};
    assert_int_equal(io_open("-", &options, &reader, error, sizeof error), -1);
    assert_string_equal(error, "-: hdf5 cannot be read from standard input");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),
        cmocka_unit_test(layout),
        cmocka_unit_test(foreign),
        cmocka_unit_test(bad_numbers),
        cmocka_unit_test(bad_shapes),
        cmocka_unit_test(bad_files),
        cmocka_unit_test(unfinished),
        cmocka_unit_test(frames_that_differ),
        cmocka_unit_test(no_frame),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
#else
static void says_so(void **state) {
    (void)state;
    char error[300];
    struct io_reader *reader = NULL;
    struct io_writer *writer = NULL;
    assert_int_equal(io_open("a.h5", NULL, &reader, error, sizeof error), -1);
    assert_string_equal(error, "a.h5: this program was built without HDF5");
    const char *path = io_check_path("a.h5");
    assert_int_equal(io_create(path, NULL, &writer, error, sizeof error), -1);
    assert_non_null(strstr(error, ": this program was built without HDF5"));
    assert_int_equal(access(path, F_OK), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(says_so)};
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
#endif
