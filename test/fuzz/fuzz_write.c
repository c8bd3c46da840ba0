/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_write.c: any bytes that read as extended XYZ: the written file reads
 * back as the same numbers, and writing these again gives the same bytes. */
#include <unistd.h>

#include "fuzz.h"

static char folder[] = "/tmp/farsum-fuzz-XXXXXX";
static char names[3][64]; /* input, first copy, second copy */

static void clean(void) {
    for (int k = 0; k < 3; k++) unlink(names[k]);
    rmdir(folder);
}

static void prepare(void) {
    if (names[0][0]) return;
    fuzz_require(mkdtemp(folder) != NULL, "no folder");
    static const char *const ends[] = {"in.xyz", "a.xyz", "b.xyz"};
    for (int k = 0; k < 3; k++)
        snprintf(names[k], sizeof names[k], "%s/%s", folder, ends[k]);
    atexit(clean);
}

static void put(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "wb");
    fuzz_require(file != NULL, "no file");
    fuzz_require(fwrite(data, 1, size, file) == size, "no room");
    fclose(file);
}

/* Copies all frames; -1 if a frame cannot be written. */
static int copy(const char *from, const char *to) {
    char error[1200];
    struct io_reader *reader = NULL;
    struct io_writer *writer = NULL;
    struct io_frame frame = {0};
    fuzz_require(io_open(from, NULL, &reader, error, sizeof error) == 0, error);
    fuzz_require(io_create(to, NULL, &writer, error, sizeof error) == 0, error);
    int got, bad = 0;
    while ((got = io_read(reader, &frame, error, sizeof error)) == 1 && !bad)
        bad = io_write(writer, &frame, error, sizeof error);
    fuzz_require(bad || got == 0, error);
    io_frame_clear(&frame);
    io_close(reader);
    if (bad) io_abandon(writer);
    else fuzz_require(io_commit(writer, error, sizeof error) == 0, error);
    return bad;
}

static int same_frame(const struct io_frame *a, const struct io_frame *b) {
    size_t n = (size_t)a->n;
    return a->n == b->n && a->n_columns == b->n_columns &&
           a->n_keys == b->n_keys && a->has_cell == b->has_cell &&
           memcmp(a->cell, b->cell, sizeof a->cell) == 0 &&
           memcmp(a->origin, b->origin, sizeof a->origin) == 0 &&
           memcmp(a->periodic, b->periodic, sizeof a->periodic) == 0 &&
           memcmp(a->x, b->x, 3 * n * sizeof(double)) == 0 &&
           (a->q != NULL) == (b->q != NULL) &&
           (!a->q || memcmp(a->q, b->q, n * sizeof(double)) == 0);
}

static void compare_frames(const char *first, const char *second) {
    char error[1200];
    struct io_reader *one = NULL, *two = NULL;
    struct io_frame a = {0}, b = {0};
    fuzz_require(io_open(first, NULL, &one, error, sizeof error) == 0, error);
    fuzz_require(io_open(second, NULL, &two, error, sizeof error) == 0, error);
    for (;;) {
        int got = io_read(one, &a, error, sizeof error);
        fuzz_require(got >= 0, error);
        fuzz_require(io_read(two, &b, error, sizeof error) == got, error);
        if (got == 0) break;
        fuzz_require(same_frame(&a, &b), "a frame changed");
    }
    io_frame_clear(&a);
    io_frame_clear(&b);
    io_close(one);
    io_close(two);
}

static void compare_bytes(const char *first, const char *second) {
    FILE *one = fopen(first, "rb"), *two = fopen(second, "rb");
    fuzz_require(one && two, "no copies");
    int a, b;
    do {
        a = getc(one);
        b = getc(two);
        fuzz_require(a == b, "the second copy differs from the first");
    } while (a != EOF);
    fclose(one);
    fclose(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char error[1200];
    if (io_read_memory("extxyz", (const char *)data, size, error,
                       sizeof error) < 1)
        return 0;
    prepare();
    put(names[0], data, size);
    if (copy(names[0], names[1])) return 0;
    compare_frames(names[0], names[1]);
    fuzz_require(copy(names[1], names[2]) == 0, "a copy of a copy");
    compare_bytes(names[1], names[2]);
    return 0;
}
