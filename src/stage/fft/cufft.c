/* SPDX-License-Identifier: Apache-2.0 */
/* cufft: NVIDIA's transforms, loaded at run time.  The fastest on NVIDIA
 * GPUs. */
#define HANDLE int
#define SYMBOL(name) "cufft" #name
#define LIBRARY "cuFFT"
#define BACKEND "cuda"
#define NAMES                                                                  \
    "libcufft.so.12", "libcufft.so.11", "libcufft.so.10", "libcufft.so"
#define FOLDERS "/usr/local/cuda/lib64"
#include "stage/fft/vendor_library.h"

const struct variant fft_cufft = {
    .fits = fits,
    .cost = cost,
    .bytes = bytes,
    .create = create,
    .run = vendor_run,
    .destroy = vendor_destroy,
    .deterministic = 1,
    .needs = "cuFFT and a CUDA device",
};
