/* SPDX-License-Identifier: Apache-2.0 */
/* io_gzip.c: tests of gzip: text is read back in pieces, from several members
 * and in every format; truncated, damaged or endless files are refused with a
 * message. */
#include "io_check.h"

#include <zlib.h>

static const char text[] =
    "2\nProperties=species:S:1:pos:R:3:charge:R:1 pbc=F\n"
    "Na 1 2 3 1\nCl 4 5 6 -1\n1\n\nO 7 8 9\n";

/* Makes one member of a gzip file; returns its length. */
static size_t pack(const char *in, size_t n, unsigned char *out,
                   size_t capacity)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8,
                                  Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)in;
    z.avail_in = (uInt)n;
    z.next_out = out;
    z.avail_out = (uInt)capacity;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t length = capacity - z.avail_out;
    deflateEnd(&z);
    return length;
}

static int read_file(const char *name, const void *bytes, size_t n,
                     struct io_frame *first, char error[300]) {
    const char *path = io_check_path(name);
    struct io_reader *reader = NULL;
    struct io_frame frame = {0};
    int frames = 0, got;
    io_check_put(path, bytes, n);
    error[0] = 0;
    got = io_open(path, NULL, &reader, error, 300);
    while (got >= 0 && (got = io_read(reader, frames ? &frame : first, error,
                                      300)) == 1)
        frames++;
    io_close(reader);
    io_frame_clear(&frame);
    unlink(path);
    return got < 0 ? -1 : frames;
}

static void comes_back(void **state) {
    (void)state;
    static const char *const names[] = {"a.xyz", "a.xyz.gz", "A.XYZ.GZ", "a",
                                        "a.dat.gz"};
    unsigned char packed[1000];
    char error[300];
    /* two members, then zeros, as on tapes */
    size_t half = 60, n = pack(text, half, packed, sizeof packed);
    n += pack(text + half, sizeof text - 1 - half, packed + n,
              sizeof packed - n);
    memset(packed + n, 0, 20);
    n += 20;
    for (size_t k = 0; k < IO_COUNT(names); k++) {
        struct io_frame f = {0};
        if (read_file(names[k], packed, n, &f, error) != 2)
            fail_msg("%s: %s", names[k], error);
        io_check_doubles(f.x, (double[]){1, 2, 3, 4, 5, 6}, 6);
        io_check_doubles(f.q, (double[]){1, -1}, 2);
        io_frame_clear(&f);
    }
    assert_int_equal(io_read_memory("extxyz", (char *)packed, n, error,
                                    sizeof error), 2);
}

static void other_formats(void **state) {
    (void)state;
    static const char *const texts[] = {
        "t\n1 atoms\n0 1 xlo xhi\n0 1 ylo yhi\n0 1 zlo zhi\n\nAtoms # charge\n"
        "\n1 1 1 0.5 0.5 0.5\n",
        "ATOM 1 N A 1 0.5 0.5 0.5 1 1\nEND\n"};
    for (size_t k = 0; k < IO_COUNT(texts); k++) {
        unsigned char packed[500];
        char error[300];
        struct io_frame f = {0};
        size_t n = pack(texts[k], strlen(texts[k]), packed, sizeof packed);
        if (read_file("b", packed, n, &f, error) != 1) fail_msg("%s", error);
        io_check_doubles(f.x, (double[]){0.5, 0.5, 0.5}, 3);
        io_frame_clear(&f);
    }
    unsigned char packed[100];
    struct io_pairs pairs;
    char error[300];
    size_t n = pack("1 2\n3 4 0.5\n", 12, packed, sizeof packed);
    const char *path = io_check_path("pairs");
    io_check_put(path, (char *)packed, n);
    assert_int_equal(io_read_pairs(path, &pairs, error, sizeof error), 0);
    assert_int_equal(pairs.n, 2);
    assert_true(pairs.pair[1].factor == 0.5);
    io_pairs_clear(&pairs);
    unlink(path);
}

static void refused(const char *name, const void *bytes, size_t n,
                    const char *expected) {
    struct io_frame f = {0};
    char error[300];
    assert_int_equal(read_file(name, bytes, n, &f, error), -1);
    io_frame_clear(&f);
    const char *message = strstr(error, ": ");
    assert_non_null(message);
    assert_string_equal(message + 2, expected);
}

static void bad_archives(void **state) {
    (void)state;
    unsigned char packed[1000];
    size_t n = pack(text, sizeof text - 1, packed, sizeof packed - 10);
    for (size_t cut = 3; cut < n; cut++)
        refused("c.xyz", packed, cut, "gzip: cut off before its end");
    packed[n - 6] ^= 1;
    refused("c.xyz", packed, n, "gzip: damaged (the check sum is another)");
    packed[n - 6] ^= 1;
    memcpy(packed + n, "rubbish", 7);
    refused("c.xyz", packed, n + 7,
            "gzip: after its end there are bytes that are no gzip");
    packed[12] ^= 0x77;
    packed[11] = packed[10] = 0xff;
    refused("c.xyz", packed, n,
            "gzip: damaged (these are no packed bytes)");
    refused("d.h5", packed, n,
            "compressed by gzip, which hdf5 is not read from: gunzip it first");
    refused("e.xyz", "\375" "7zXZ\0\0\4", 8,
            "compressed by xz, of which only gzip's files are read: xz -dc "
            "FILE | farsum ... - reads it");
    refused("e.xyz", "BZh91AY", 7,
            "compressed by bzip2, of which only gzip's files are read: bzip2 "
            "-dc FILE | farsum ... - reads it");
    refused("e.xyz", "\050\265\057\375xx", 6,
            "compressed by zstd, of which only gzip's files are read: zstd -dc "
            "FILE | farsum ... - reads it");
}

/* 80 MB of blank lines in 80 KB. */
static void endless(void **state) {
    (void)state;
    size_t n = (size_t)80 << 20, capacity = 1 << 20;
    char *blank = malloc(n);
    unsigned char *packed = malloc(capacity);
    assert_non_null(blank);
    assert_non_null(packed);
    memset(blank, '\n', n);
    size_t length = pack(blank, n, packed, capacity);
    free(blank);
    refused("f.xyz", packed, length,
            "gzip: the text is more than 250 times as long as the file, which "
            "no text of particles is");
    free(packed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(other_formats),
        cmocka_unit_test(bad_archives),
        cmocka_unit_test(endless),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
