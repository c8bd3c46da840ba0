/* SPDX-License-Identifier: Apache-2.0 */
/* spills.h: register spills in compiled kernels, from the compilers' output. */
#ifndef FARSUM_TEST_DEVICE_SPILLS_H
#define FARSUM_TEST_DEVICE_SPILLS_H

#include <stdint.h>

struct spills {
    int kernels;     /* kernels seen */
    int registers;   /* maximum of all kernels */
    int64_t bytes;   /* spilled by all kernels */
    char names[256]; /* of kernels that spill */
};

/* From the log of NVRTC with --ptxas-options=-v. */
void spills_cuda(const char *log, struct spills *spills);
/* From the notes of an AMD code object. */
void spills_hip(const void *binary, int64_t bytes, struct spills *spills);
#endif
