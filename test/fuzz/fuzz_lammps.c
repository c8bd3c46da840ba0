/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of this format: read to the end or refused in words. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("lammps", data, size);
}
