/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_pairs.c: any bytes as a file of pairs are read to the end or refused
 * with a message that begins with the file's name. */
#include "fuzz.h"

#include <unistd.h>

static char path[] = "/tmp/farsum-fuzz-pairs-XXXXXX";

static void forget(void) {
    unlink(path);
}

/* One file, rewritten each time. */
static void put(const uint8_t *data, size_t size) {
    static int fd = -1;
    if (fd < 0) {
        fd = mkstemp(path);
        fuzz_require(fd >= 0, "no file");
        atexit(forget);
    }
    fuzz_require(ftruncate(fd, 0) == 0
                     && pwrite(fd, data, size, 0) == (ssize_t)size,
                 "the file cannot be written");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct io_pairs pairs;
    char error[1200] = "";
    put(data, size);
    int bad = io_read_pairs(path, &pairs, error, sizeof error);
    fuzz_require(bad == 0 || bad == -1, "status");
    fuzz_require((bad != 0) == (error[0] != 0), "error without words");
    fuzz_require(!bad || strncmp(error, path, strlen(path)) == 0,
                 "error without a place");
    fuzz_require(!bad || pairs.n == 0, "pairs of a file that is refused");
    for (int64_t i = 0; i < pairs.n; i++)
        fuzz_require(pairs.pair[i].factor >= 0 && pairs.pair[i].factor <= 1
                         && pairs.pair[i].line > 0,
                     "a pair");
    io_pairs_clear(&pairs);
    return 0;
}
