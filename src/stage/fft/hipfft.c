/* SPDX-License-Identifier: Apache-2.0 */
/* hipfft: AMD's transforms, loaded at run time.  It has not run on hardware. */
#define HANDLE void *
#define SYMBOL(name) "hipfft" #name
#define LIBRARY "hipFFT"
#define BACKEND "hip"
#define NAMES "libhipfft.so.0", "libhipfft.so"
#define FOLDERS "/opt/rocm/lib"
#include "stage/fft/vendor_library.h"

const struct variant fft_hipfft = {
    .fits = fits,
    .cost = cost,
    .bytes = bytes,
    .create = create,
    .run = vendor_run,
    .destroy = vendor_destroy,
    .deterministic = 1,
    .needs = "hipFFT and a HIP device",
};
