/* SPDX-License-Identifier: Apache-2.0 */
/* fftw_library.c: opens FFTW at run time. */
#ifdef FARSUM_FFTW_DLOPEN
#define FFTW_LIBRARY_KEEPS_NAMES
#include "stage/fft/fftw_library.h"

#include "base/fork.h"
#include "device/dl.h"

struct fftw_library fftw_library;

#define NAME(name) #name,
static const char *const symbols64[] = {FFTW_LIBRARY_NAMES(NAME, fftw) NULL};
static const char *const symbols32[] = {FFTW_LIBRARY_NAMES(NAME, fftwf) NULL};
/* their dependencies are the libraries without threads */
static const char *const names64[] = {"libfftw3_omp.so.3", NULL};
static const char *const names32[] = {"libfftw3f_omp.so.3", NULL};

static struct fork_lock lock = FORK_LOCK;
static int tried;        /* guarded by lock */
static void *library[2]; /* open until the process ends */

farsum_status fftw_library_open(void (*opened)(void))
{
    fork_lock(&lock);
    if (!tried) {
        tried = 1;
        if (dl_open(&library[0], names64, NULL, symbols64,
                    (void **)&fftw_library.f64)
                == FARSUM_OK
            && dl_open(&library[1], names32, NULL, symbols32,
                       (void **)&fftw_library.f32)
                   == FARSUM_OK)
            opened();
    }
    int open = library[0] && library[1];
    fork_unlock(&lock);
    if (!open)
        FAIL(ERR_UNSUPPORTED,
             "%s or %s, 3.3.9 or later, was not found "
             "(FARSUM_LIBRARY_PATH may name its folder)",
             names64[0], names32[0]);
    return FARSUM_OK;
}
#else
typedef int fftw_library_is_linked; /* a file must not be empty */
#endif
