/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h: common functions of the fuzz targets. */
#ifndef FARSUM_FUZZ_H
#define FARSUM_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

/* An error has a message with a position; success has no message. */
static inline int fuzz_read(const char *format, const uint8_t *data,
                            size_t size) {
    char error[1200] = "";
    int frames = io_read_memory(format, (const char *)data, size, error,
                                sizeof error);
    fuzz_require(frames >= -1, "number of frames");
    fuzz_require((frames == -1) == (error[0] != 0), "error without words");
    fuzz_require(frames >= 0 || strncmp(error, "memory:", 7) == 0,
                 "error without a place");
    return 0;
}

#endif
