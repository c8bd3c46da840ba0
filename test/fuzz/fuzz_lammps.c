/* Any bytes as a file of format lammps: read to the end or refused with words. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return fuzz_read("lammps", data, size);
}
