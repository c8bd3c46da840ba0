/* SPDX-License-Identifier: Apache-2.0 */
/* io_h5_check.h: HDF5 files for the tests, written without our writer. */
#ifndef FARSUM_TEST_IO_H5_CHECK_H
#define FARSUM_TEST_IO_H5_CHECK_H

#include <hdf5.h>

#include "io_check.h"

static inline int read_all(const char *path, struct io_frame *frames,
                           int most) {
    char error[300] = "";
    struct io_reader *reader = NULL;
    if (io_open(path, NULL, &reader, error, sizeof error))
        fail_msg("%s", error);
    int n = 0, got = 1;
    while (n < most && got == 1) {
        got = io_read(reader, &frames[n], error, sizeof error);
        if (got < 0) fail_msg("%s", error);
        n += got;
    }
    io_close(reader);
    return n;
}

static hid_t groups; /* link creation that also creates groups */

static inline void put(hid_t file, const char *path, hid_t type, hid_t memory,
                int rank, const hsize_t *dims, const void *data) {
    hid_t space = rank ? H5Screate_simple(rank, dims, NULL)
                       : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, path, type, space, groups, H5P_DEFAULT,
                           H5P_DEFAULT);
    assert_true(set >= 0);
    if (data)
        assert_true(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                             data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static inline void put_reals(hid_t file, const char *path, int rank,
                      const hsize_t *dims, const double *data) {
    put(file, path, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, rank, dims, data);
}

static inline hid_t create(const char *path) {
    groups = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(groups, 1);
    return H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
}

static inline void finish(hid_t file) {
    H5Pclose(groups);
    assert_true(H5Fclose(file) >= 0);
}

static const double numbers[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
/* The attribute `boundary` of a box. */
static inline void put_boundary(hid_t file, const char *box, const char *a,
                                const char *b, const char *c) {
    const char *words[3] = {a, b, c};
    hsize_t three = 3;
    hid_t text = H5Tcopy(H5T_C_S1), space = H5Screate_simple(1, &three, NULL);
    H5Tset_size(text, H5T_VARIABLE);
    hid_t group = H5Lexists(file, box, H5P_DEFAULT) > 0
                      ? H5Gopen2(file, box, H5P_DEFAULT)
                      : H5Gcreate2(file, box, groups, H5P_DEFAULT,
                                   H5P_DEFAULT);
    hid_t attribute = H5Acreate2(group, "boundary", text, space, H5P_DEFAULT,
                                 H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, text, words) >= 0);
    H5Aclose(attribute);
    H5Gclose(group);
    H5Sclose(space);
    H5Tclose(text);
}

/* The attribute `unit` of an object. */
static inline void put_unit(hid_t file, const char *path, const char *unit) {
    hid_t text = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(text, strlen(unit) + 1);
    hid_t attribute = H5Acreate_by_name(file, path, "unit", text, space,
                                        H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Awrite(attribute, text, unit) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(text);
}

#define DIMS(...) ((const hsize_t[]){__VA_ARGS__})

static inline void refused(const char *path, const char *group,
                    const char *expected) {
    char error[400] = "";
    struct io_options options = {.group = group};
    struct io_reader *reader = NULL;
    struct io_frame frame = {0};
    int got = io_open(path, &options, &reader, error, sizeof error);
    if (got == 0) got = io_read(reader, &frame, error, sizeof error);
    assert_int_equal(got, -1);
    io_close(reader);
    const char *message = strstr(error, ".h5: ");
    assert_non_null(message);
    assert_string_equal(message + 5, expected);
    unlink(path);
}

#endif
