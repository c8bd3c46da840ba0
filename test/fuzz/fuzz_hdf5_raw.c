/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an HDF5 file.  For a look by hand: libhdf5 1.10 has faults of
 * its own on damaged files (README.md), so only the seeds are run as a test;
 * what our code makes of sound files with odd contents is fuzz_hdf5's. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("hdf5", data, size);
}
