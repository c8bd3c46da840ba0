/* SPDX-License-Identifier: Apache-2.0 */
/* io_slices.c: frames read, packed and written in slices are those of whole
 * frames. */
#include "io_check.h"

#include "frame.h"
#if FARSUM_WITH_HDF5
#include "io_h5_check.h"
#endif
#include "pack.h"
#include "texts.h"

enum { PARTS = 3, FRAMES = 4 };

/* Frames in parts, each of which goes to one of several holders in turn. */
struct parts {
    struct io_frame part[PARTS];
    int64_t capacity[PARTS];
    int owner[100]; /* of each slice */
    int64_t rows[100];
    int slices;
    int64_t all;
    struct texts texts;
};

static int take(void *data, const struct io_frame *slice, int64_t all) {
    struct parts *p = data;
    struct pack pack = {0};
    int to = p->slices % PARTS;
    p->all = all;
    p->owner[p->slices] = to;
    p->rows[p->slices++] = slice->n;
    assert_int_equal(pack_frame(&pack, slice, 0, slice->n), 0);
    assert_int_equal(unpack_frame(&pack, &p->part[to], &p->capacity[to]), 0);
    assert_int_equal(texts_add(&p->texts, slice), 0);
    pack_clear(&pack);
    return 0;
}

static void clear(struct parts *p) {
    for (int k = 0; k < PARTS; k++) io_frame_clear(&p->part[k]);
    texts_clear(&p->texts);
    memset(p, 0, sizeof *p);
}

/* The end of a frame, which all parts get. */
static void take_end(struct parts *p, const struct io_frame *end) {
    struct pack pack = {0};
    assert_int_equal(end->n, 0);
    assert_int_equal(pack_frame(&pack, end, 0, 0), 0);
    for (int k = 0; k < PARTS; k++) {
        struct io_frame *f = &p->part[k];
        assert_int_equal(unpack_frame(&pack, f, &p->capacity[k]), 0);
        assert_int_equal(frame_fit(f, f->q != NULL), 0);
    }
    pack_clear(&pack);
}

/* Puts the parts together again, or writes them. */
static void join(struct parts *p, struct io_frame *out,
                 struct io_writer *writer) {
    struct pack pack = {0};
    struct io_frame head, slice;
    int64_t at[PARTS] = {0}, capacity = 0, all = 0;
    char error[300] = "";
    assert_int_equal(texts_head(&p->texts, &p->part[0], &head), 0);
    for (int k = 0; k < p->slices; k++) all += p->rows[k];
    memset(out, 0, sizeof *out);
    if (writer && io_write_begin(writer, &head, all, error, sizeof error))
        fail_msg("%s", error);
    for (int k = 0; k < p->slices; k++) {
        int from = p->owner[k];
        assert_int_equal(pack_frame(&pack, &p->part[from], at[from],
                                    p->rows[k]), 0);
        assert_int_equal(unpack_frame(&pack, out, &capacity), 0);
        at[from] += p->rows[k];
        memset(&slice, 0, sizeof slice);
        int64_t one = 0;
        assert_int_equal(unpack_frame(&pack, &slice, &one), 0);
        if (writer && io_write_slice(writer, &slice, error, sizeof error))
            fail_msg("%s", error);
        io_frame_clear(&slice);
    }
    if (writer && io_write_end(writer, &head, error, sizeof error))
        fail_msg("%s", error);
    texts_head_clear(&head);
    pack_clear(&pack);
}

static int read_frames(const char *path, const struct io_options *options,
                       struct io_frame frames[FRAMES]) {
    char error[300] = "";
    struct io_reader *reader = NULL;
    int n = 0, got;
    if (io_open(path, options, &reader, error, sizeof error))
        fail_msg("%s", error);
    while ((got = io_read(reader, &frames[n], error, sizeof error)) == 1) n++;
    if (got < 0) fail_msg("%s", error);
    io_close(reader);
    return n;
}

/* Reads the file in slices of `most` rows and writes it to `out`; compares. */
static void compare(const char *path, struct io_options options, int64_t most,
                    int parts, const char *out) {
    struct io_frame whole[FRAMES] = {0}, again[FRAMES] = {0}, one, end = {0};
    struct parts p = {0};
    struct io_slices slices = {most, parts, take, &p};
    struct io_reader *reader = NULL;
    struct io_writer *writer = NULL;
    char error[300] = "";
    int n = read_frames(path, &options, whole), got, k = 0;
    options.slices = &slices;
    if (io_open(path, &options, &reader, error, sizeof error) ||
        io_create(out, NULL, &writer, error, sizeof error))
        fail_msg("%s", error);
    while ((got = io_read(reader, &end, error, sizeof error)) == 1) {
        assert_true(k < n);
        for (int s = 0; s < p.slices; s++) assert_true(p.rows[s] <= most);
        take_end(&p, &end);
        join(&p, &one, writer);
        if (one.n > 0) io_check_same(&whole[k], &one);
        assert_int_equal(one.line, whole[k].line);
        assert_string_equal(one.format, whole[k].format);
        assert_string_equal(one.length_unit, whole[k].length_unit);
        k++;
        io_frame_clear(&one);
        clear(&p);
    }
    if (got < 0) fail_msg("%s", error);
    assert_int_equal(k, n);
    io_frame_clear(&end);
    io_close(reader);
    if (io_commit(writer, error, sizeof error)) fail_msg("%s", error);
    options.slices = NULL;
    options.n_type_charges = 0;
    assert_int_equal(read_frames(out, &(struct io_options){0}, again), n);
    for (k = 0; k < n; k++) {
        assert_int_equal(again[k].n, whole[k].n);
        io_check_doubles(again[k].x, whole[k].x, 3 * (int)whole[k].n);
        assert_int_equal(again[k].n_columns, whole[k].n_columns);
    }
    for (k = 0; k < FRAMES; k++) {
        io_frame_clear(&whole[k]);
        io_frame_clear(&again[k]);
    }
    unlink(out);
}

static void compare_all(const char *text, struct io_options options) {
    static const int64_t most[] = {1, 2, 3, 100};
    char path[200], out[200];
    snprintf(path, sizeof path, "%s", io_check_path("input"));
    io_check_put(path, text, strlen(text));
    for (size_t k = 0; k < IO_COUNT(most); k++) {
        snprintf(out, sizeof out, "%s", io_check_path("out.xyz"));
        compare(path, options, most[k], 1, out);
        compare(path, options, most[k], PARTS, out);
#if FARSUM_WITH_HDF5
        snprintf(out, sizeof out, "%s", io_check_path("out.h5"));
        compare(path, options, most[k], PARTS, out);
#endif
    }
    unlink(path);
}

static const char two_frames[] =
    "5\nLattice=\"10 0 0 1 11 0 2 3 12\" Origin=\"1 2 3\" pbc=\"T F T\" "
    "Properties=species:S:1:pos:R:3:charge:R:1:id:I:1:ok:L:1:name:S:2 "
    "energy=1.5 note=\"a b\"\n"
    "Na 0.1 -0.2 3e-1 1 7 T abc \"\"\n"
    "Cl 1 2 3 -1 -9223372036854775808 F \"x y\" z\n"
    "K 2 2 3 -1 5 F a a-text-that-is-longer-than-the-others\n"
    "Cl 3 2 3 -1 6 F x y\n"
    "Na 4 2 3 -1 8 F x y\n"
    "5\nLattice=\"10 0 0 1 11 0 2 3 12\" Origin=\"1 2 3\" pbc=\"T F T\" "
    "Properties=species:S:1:pos:R:3:charge:R:1:id:I:1:ok:L:1:name:S:2 "
    "energy=2.5 note=\"a b\"\n"
    "Na 0.1 -0.2 3e-1 1 7 T abc \"\"\n"
    "Cl 1 2 3 -1 4 F \"x y\" z\n"
    "K 2 2 3 -1 5 F a b\n"
    "Cl 3 2 3 -1 6 F x y\n"
    "Na 4 2 3 -1 8 F x y\n";

static void extxyz(void **state) {
    (void)state;
    compare_all(two_frames, (struct io_options){0});
}

static const char lammps_text[] =
    "title units = real\n\n4 atoms\n2 atom types\n0 10 xlo xhi\n0 11 ylo yhi\n"
    "0 12 zlo zhi\n\nAtom Type Labels\n\n1 O\n2 H\n\nAtoms # full\n\n"
    "3 1 O -0.8 1 2 3 0 0 1\n1 1 2 0.4 4 5 6 0 0 0\n2 1 2 0.4 7 8 9 0 0 0\n"
    "4 2 O 0 1 1 1 0 0 0\n";
static const char atomic_text[] =
    "title\n\n4 atoms\n2 atom types\n0 10 xlo xhi\n0 11 ylo yhi\n"
    "0 12 zlo zhi\n\nAtoms # atomic\n\n"
    "3 1 1 2 3\n1 2 4 5 6\n2 2 7 8 9\n4 1 1 1 1\n";

static void lammps(void **state) {
    (void)state;
    static const struct io_type_charge charges[] = {{.type = 1, .q = 1},
                                                    {.type = 2, .q = -1}};
    struct io_options given = {.n_type_charges = 2, .type_charges = charges,
                               .format = "lammps"};
    compare_all(lammps_text, (struct io_options){.format = "lammps"});
    compare_all(atomic_text, given);
}

static void pqr(void **state) {
    (void)state;
    static const char text[] =
        "CRYST1 10 11 12 90 90 90\nATOM 1 N ALA 1 1 2 3 0.5 1.5\n"
        "ATOM 2 CA ALA 1 2 2 3 0.5 1.5\nHETATM 3 O HOH 2 3 2 3 -1 1.5\n"
        "TER\nHETATM 4 O HOH B 3 4 2 3 -1 1.5\nEND\n"
        "ATOM 1 N ALA 1 1 2 3 0.5 1.5\nATOM 1 N ALA 1 3 2 3 0.5 1.5 N\n"
        "ATOM 2 CA ALA 1 2 2 3 0.5 1.5 C\nHETATM 3 O HOH 2 3 2 4 -1 1.5 O\n";
    static const char one[] =
        "CRYST1 10 11 12 90 90 90\nATOM 1 N ALA 1 1 2 3 0.5 1.5\n"
        "ATOM 2 CA ALA 1 2 2 3 0.5 1.5\nHETATM 3 O HOH 2 3 2 3 -1 1.5\n"
        "TER\nHETATM 4 O HOH B 3 4 2 3 -1 1.5\nEND\n";
    char path[200], out[200];
    snprintf(path, sizeof path, "%s", io_check_path("input"));
    snprintf(out, sizeof out, "%s", io_check_path("out.xyz"));
    io_check_put(path, text, strlen(text));
    for (int64_t most = 1; most < 20; most++)
        compare(path, (struct io_options){.format = "pqr"}, most, 1, out);
    unlink(path);
    compare_all(one, (struct io_options){.format = "pqr"});
}

#if FARSUM_WITH_HDF5
/* Rows with the id -1 are left out. */
static void hdf5(void **state) {
    (void)state;
    static const char filled[] =
        "5\nProperties=species:S:1:pos:R:3:charge:R:1:id:I:1\n"
        "A 1 1 1 1 4\nB 0 0 0 0 -1\nA 2 1 1 1 5\nA 0 0 0 0 -1\n"
        "A 2 1 2 1 6\n";
    const char *const texts[] = {two_frames, filled};
    for (int k = 0; k < 2; k++) {
        struct io_frame frames[FRAMES] = {0};
        struct io_writer *writer = NULL;
        char error[300] = "", path[200], out[200];
        snprintf(path, sizeof path, "%s", io_check_path("input"));
        io_check_put(path, texts[k], strlen(texts[k]));
        int n = read_frames(path, &(struct io_options){0}, frames);
        unlink(path);
        snprintf(path, sizeof path, "%s", io_check_path("input.h5"));
        if (io_create(path, NULL, &writer, error, sizeof error))
            fail_msg("%s", error);
        for (int f = 0; f < n; f++) {
            if (io_write(writer, &frames[f], error, sizeof error))
                fail_msg("%s", error);
            io_frame_clear(&frames[f]);
        }
        if (io_commit(writer, error, sizeof error)) fail_msg("%s", error);
        snprintf(out, sizeof out, "%s", io_check_path("out.h5"));
        for (int64_t most = 1; most < 7; most++)
            compare(path, (struct io_options){0}, most, 2, out);
        unlink(path);
    }
}

/* A packed chunk that is larger than the library's cache. */
static void large_chunk(void **state) {
    (void)state;
    enum { N = 50000 };
    const hsize_t dims[3] = {1, N, 3}, three = 3;
    double *x = malloc(3 * N * sizeof *x);
    char path[200], out[200];
    assert_non_null(x);
    for (int i = 0; i < 3 * N; i++) x[i] = i % 1009 + 1e-3 * i;
    snprintf(path, sizeof path, "%s", io_check_path("input.h5"));
    snprintf(out, sizeof out, "%s", io_check_path("out.h5"));
    hid_t file = create(path), list = H5Pcreate(H5P_DATASET_CREATE);
    hid_t space = H5Screate_simple(3, dims, NULL);
    assert_true(H5Pset_chunk(list, 3, dims) >= 0);
    assert_true(H5Pset_deflate(list, 1) >= 0);
    hid_t set = H5Dcreate2(file, "particles/all/position/value",
                           H5T_IEEE_F64LE, space, groups, list, H5P_DEFAULT);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                         x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
    put_reals(file, "particles/all/box/edges", 1, &three, numbers + 7);
    put_boundary(file, "particles/all/box", "periodic", "periodic", "periodic");
    finish(file);
    compare(path, (struct io_options){0}, 1000, 2, out);
    unlink(path);
    free(x);
}
#endif

/* Messages count the particles of the frame, not of the slice. */
static void messages(void **state) {
    (void)state;
    static const struct io_type_charge charges[] = {{.type = 1, .q = 1}};
    struct parts p = {0};
    struct io_slices slices = {2, 1, take, &p};
    struct io_options options = {.slices = &slices};
    io_check_refused("4\nProperties=pos:R:3\n1 1 1\n2 2 2\n3 3 3\n4 4 x\n",
                     &options, "input:6:5: expected a real number (pos 3 of "
                     "particle 4), found \"x\"");
    clear(&p);
    options.format = "pqr";
    io_check_refused("ATOM 1 N ALA 1 1 2 3 0.5 1.5\n"
                     "ATOM 2 CA ALA 1 2 2 3 0.5 1.5\n"
                     "HETATM 3 O HOH 2 3 2 3 -1 q\n", &options,
                     "input:3:27: expected a real number (radius of particle "
                     "3), found \"q\"");
    clear(&p);
    options.format = "lammps";
    options.n_type_charges = 1;
    options.type_charges = charges;
    io_check_refused(atomic_text, &options, "input: particle 2 has the type 2, "
                     "which has no charge: --charge 2=Q");
    clear(&p);
}

static int refuse(void *data, const struct io_frame *slice, int64_t all) {
    (void)data, (void)all;
    return slice->n > 0 ? -1 : 0;
}

static void not_taken(void **state) {
    (void)state;
    struct io_slices slices = {2, 1, refuse, NULL};
    struct io_options options = {.slices = &slices};
    io_check_refused(two_frames, &options,
                     "input: the particles were not taken");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extxyz), cmocka_unit_test(lammps),
        cmocka_unit_test(pqr),    cmocka_unit_test(messages),
        cmocka_unit_test(not_taken),
#if FARSUM_WITH_HDF5
        cmocka_unit_test(hdf5),   cmocka_unit_test(large_chunk),
#endif
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
