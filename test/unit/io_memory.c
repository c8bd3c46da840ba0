/* SPDX-License-Identifier: Apache-2.0 */
/* io_memory.c: each allocation during reading and writing fails in turn: always
 * an error, never a crash, and never a result. */
#include "io_check.h"

#include <errno.h>

/* Sanitizers and other checkers have their own allocators. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define OWN_ALLOCATOR 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define OWN_ALLOCATOR 0
#else
#define OWN_ALLOCATOR 1
#endif
#else
#define OWN_ALLOCATOR 1
#endif

#if OWN_ALLOCATOR && defined(__GLIBC__)
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static long left = -1; /* allocations until one fails; < 0: none fails */

static int fails(void) {
    if (left < 0 || left-- > 0) return 0;
    left = 0; /* and all that follow */
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }

void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n) {
    return fails() ? NULL : __libc_realloc(p, n);
}

static const struct {
    const char *format, *text;
} files[] = {
    {"extxyz",
     "2\nLattice=\"10 0 0 1 11 0 2 3 12\" Properties=species:S:1:pos:R:3:"
     "charge:R:1:id:I:1:ok:L:1 a=1 b=\"two words\"\n"
     "Na 0.1 -0.2 3e-1 1 7 T\nCl .5 6. +7 -1 8 F\n"
     "1\nwords= pbc=F\nO 1 2 3\n"},
    {"lammps", "t\n1 atoms\n1 atom types\n0 1 xlo xhi\n0 1 ylo yhi\n"
               "0 1 zlo zhi\nMasses\n\n1 1\nAtoms # full\n\n"
               "1 1 1 1 0 0 0 0 0 0\n"},
    {"pqr", "CRYST1 9 9 9 90 90 90\nATOM 1 N A B 1 0 0 0 1 1\nEND\n"
            "ATOM 1 N A 1 0 0 0 1 1\n"},
};

static void reading(void **state) {
    (void)state;
    for (size_t k = 0; k < IO_COUNT(files); k++) {
        char error[300] = "";
        size_t n = strlen(files[k].text);
        int got = -1, good = io_read_memory(files[k].format, files[k].text, n,
                                            error, sizeof error);
        assert_true(good > 0);
        long count = 0;
        for (; got < 0; count++) {
            error[0] = 0;
            left = count;
            got = io_read_memory(files[k].format, files[k].text, n, error,
                                 sizeof error);
            left = -1;
            if (got < 0 && !strstr(error, "out of memory"))
                fail_msg("%s, allocation %ld: %s", files[k].format, count,
                         error);
        }
        assert_int_equal(got, good);
        assert_true(count > 10);
    }
}

static int write_file(const char *path, const struct io_frame *frame,
                      char error[300]) {
    struct io_writer *writer = NULL;
    if (io_create(path, NULL, &writer, error, 300)) return -1;
    if (io_write(writer, frame, error, 300)) {
        io_abandon(writer);
        return -1;
    }
    return io_commit(writer, error, 300);
}

static void writing(void **state) {
    (void)state;
    struct io_frame frame = {0};
    io_check_frames(files[0].text, NULL, &frame);
    const char *path = io_check_path("out.xyz");
    char error[300] = "";
    int got = -1;
    long count = 0;
    for (; got < 0; count++) {
        error[0] = 0;
        left = count;
        got = write_file(path, &frame, error);
        left = -1;
        if (got < 0 && !strstr(error, "out of memory"))
            fail_msg("allocation %ld: %s", count, error);
        if (got < 0) assert_int_equal(access(path, F_OK), -1);
        if (count > 1000) fail_msg("no end");
    }
    assert_true(count > 5);
    io_frame_clear(&frame);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading),
        cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, io_check_setup, io_check_teardown);
}
#else
static void no_allocator(void **state) {
    (void)state;
    print_message("skipped: the allocator cannot be replaced here\n");
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
