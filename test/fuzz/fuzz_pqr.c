/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_pqr.c: any bytes as a file of this format are read to the end or refused
 * with a message. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("pqr", data, size);
}
