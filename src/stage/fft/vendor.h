/* SPDX-License-Identifier: Apache-2.0 */
/* vendor.h: common code of cufft and hipfft: in-place transforms by a vendor's
 * library, on the device's own stream, with a work area that we allocate. */
#ifndef FARSUM_STAGE_FFT_VENDOR_H
#define FARSUM_STAGE_FFT_VENDOR_H

#include "stage/fft/fft.h"

struct vendor;

/* Functions of a vendor's library.  They return the library's error, 0 for
 * none. */
struct vendor_calls {
    const char *name;    /* "cuFFT" */
    const char *backend; /* "cuda" */
    /* Opens the library, which is never unloaded; api has space for its
     * pointers. */
    farsum_status (*open)(void *api);
    /* Makes a plan without a work area on that stream, and returns the bytes
     * that it needs. */
    int (*make)(struct vendor *v, int backward, void *stream, size_t *bytes);
    int (*area)(struct vendor *v, int backward, void *memory);
    int (*move)(struct vendor *v, int backward, void *stream);
    /* transforms v->count meshes */
    int (*run)(struct vendor *v, int backward, void *data);
    void (*destroy)(struct vendor *v, int backward);
};

/* The arguments of the libraries' plans for several transforms; for a complex
 * transform both sides are `half`. */
struct vendor_shape {
    long long n[3], real[3], half[3]; /* mesh; its layout in reals and in
                                         complex numbers */
    long long reals, halves;          /* from one mesh to the next */
    int first; /* axes before it have length 1, and the library gets the
                  others */
};

enum { VENDOR_API = 16 };
struct vendor {
    const struct vendor_calls *calls;
    struct fft_args args;
    struct vendor_shape shape;
    void *api[VENDOR_API]; /* the variant's own struct of pointers */
    void *plan[2];         /* forward, backward: the variant's own */
    int made[2];
    int count[2];          /* meshes per call of a plan; a run has as many or a
                              multiple */
    void *stream;          /* stream of both plans */
    struct buf work;
};

farsum_status vendor_fits(const struct vendor_calls *calls,
                          const struct fft_args *args);
int64_t vendor_bytes(const struct fft_args *args);
farsum_status vendor_create(const struct vendor_calls *calls,
                            const struct fft_args *args, void **state);
farsum_status vendor_run(void *state, const void *io);
void vendor_destroy(void *state);
#endif
