/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_hdf5_raw.c: any bytes as an HDF5 file, for manual runs.  libhdf5 1.10
 * has faults of its own on damaged files (README.md), so the test runs only the
 * seeds; fuzz_hdf5 tests our code with valid files of unusual contents. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("hdf5", data, size);
}
