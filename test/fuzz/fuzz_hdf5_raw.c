/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hdf5_raw.c: any bytes as an HDF5 file, for manual use.  libhdf5 1.10 has
 * its own faults on damaged files (README.md), so a test runs only the seeds.
 * fuzz_hdf5 tests our code on valid files with unusual contents. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("hdf5", data, size);
}
