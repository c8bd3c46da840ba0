/* SPDX-License-Identifier: Apache-2.0 */
/* io_check.h: common code of the tests of particle files. */
#ifndef FARSUM_TEST_IO_CHECK_H
#define FARSUM_TEST_IO_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

#define IO_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Temporary folder; io_check_path gives names in it. */
static char io_check_folder[] = "/tmp/farsum-io-XXXXXX";

static inline int io_check_setup(void **state) {
    (void)state;
    return mkdtemp(io_check_folder) ? 0 : -1;
}

static inline int io_check_teardown(void **state) {
    (void)state;
    return rmdir(io_check_folder); /* fails if a test left a file */
}

static inline const char *io_check_path(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", io_check_folder, name);
    return path;
}

static inline void io_check_put(const char *path, const char *text, size_t n) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Reads the first frame of a text; returns the number of frames. */
static inline int io_check_frames(const char *text,
                                  const struct io_options *options,
                                  struct io_frame *first) {
    const char *path = io_check_path("input");
    char error[1024] = "";
    struct io_reader *reader = NULL;
    struct io_frame frame = {0};
    io_check_put(path, text, strlen(text));
    if (io_open(path, options, &reader, error, sizeof error))
        fail_msg("%s", error);
    int frames = 0, got;
    while ((got = io_read(reader, frames ? &frame : first, error,
                          sizeof error)) == 1)
        frames++;
    if (got < 0) fail_msg("%s", error);
    io_frame_clear(&frame);
    io_close(reader);
    unlink(path);
    return frames;
}

/* CHECKs the message from reading the text with these options. */
static inline void io_check_refused(const char *text,
                                    const struct io_options *options,
                                    const char *expected) {
    const char *path = io_check_path("input");
    char error[1024] = "";
    struct io_reader *reader = NULL;
    struct io_frame frame = {0};
    io_check_put(path, text, strlen(text));
    int got = io_open(path, options, &reader, error, sizeof error);
    do got = got < 0 ? -1 : io_read(reader, &frame, error, sizeof error);
    while (got == 1);
    assert_int_equal(got, -1);
    assert_null(frame.x);
    char again[1024] = ""; /* after an error the reader does not go on */
    if (reader) {
        assert_int_equal(io_read(reader, &frame, again, sizeof again), -1);
        assert_string_equal(again, error);
    }
    io_close(reader);
    unlink(path);
    /* FILE:LINE:COL: ... without the name of the folder */
    const char *shown = strstr(error, "/input");
    assert_non_null(shown);
    assert_string_equal(shown + 1, expected);
}

/* A table of malformed texts: bytes, and the expected message. */
struct io_check_bad {
    const char *text;
    const char *message; /* after "memory:" */
    size_t n;            /* 0: strlen(text) */
};

static inline void io_check_table(const char *format,
                                  const struct io_check_bad *bad, size_t n) {
    for (size_t k = 0; k < n; k++) {
        char error[1024] = "", expected[1024];
        size_t size = bad[k].n ? bad[k].n : strlen(bad[k].text);
        snprintf(expected, sizeof expected, "memory:%s", bad[k].message);
        int got = io_read_memory(format, bad[k].text, size, error,
                                 sizeof error);
        if (got != -1 || strcmp(error, expected) != 0)
            fail_msg("%s[%zu]: %d\n  got:      %s\n  expected: %s", format, k,
                     got, error, expected);
    }
}

static inline void io_check_doubles(const double *a, const double *b, int n) {
    for (int k = 0; k < n; k++)
        if (memcmp(&a[k], &b[k], sizeof a[k]) != 0)
            fail_msg("value %d: %.17g is not %.17g", k, a[k], b[k]);
}

/* Compares two frames completely, bit by bit. */
static inline void io_check_same(const struct io_frame *a,
                                 const struct io_frame *b) {
    assert_int_equal(a->n, b->n);
    io_check_doubles(a->x, b->x, 3 * (int)a->n);
    assert_int_equal(a->q != NULL, b->q != NULL);
    if (a->q) io_check_doubles(a->q, b->q, (int)a->n);
    io_check_doubles(a->cell, b->cell, 9);
    io_check_doubles(a->origin, b->origin, 3);
    assert_memory_equal(a->periodic, b->periodic, sizeof a->periodic);
    assert_int_equal(a->has_cell, b->has_cell);
    assert_int_equal(a->n_keys, b->n_keys);
    for (int k = 0; k < a->n_keys; k++) {
        assert_string_equal(a->keys[k].key, b->keys[k].key);
        assert_string_equal(a->keys[k].value, b->keys[k].value);
    }
    assert_int_equal(a->n_columns, b->n_columns);
    for (int k = 0; k < a->n_columns; k++) {
        const struct io_column *c = &a->columns[k], *d = &b->columns[k];
        assert_string_equal(c->name, d->name);
        assert_int_equal(c->type, d->type);
        assert_int_equal(c->width, d->width);
        int values = (int)a->n * c->width;
        if (c->type == IO_REAL) io_check_doubles(c->data, d->data, values);
        if (c->type == IO_INT)
            assert_memory_equal(c->data, d->data, 8 * values);
        if (c->type == IO_BOOL) assert_memory_equal(c->data, d->data, values);
        for (int i = 0; i < values && c->type == IO_TEXT; i++)
            assert_string_equal(((char **)c->data)[i], ((char **)d->data)[i]);
    }
}

#endif
