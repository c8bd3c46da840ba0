/* SPDX-License-Identifier: Apache-2.0 */
/* vendor.h: what cufft and hipfft share: a transform in place by a vendor's
 * library, on the device's own stream, its work area ours. */
#ifndef FARSUM_STAGE_FFT_VENDOR_H
#define FARSUM_STAGE_FFT_VENDOR_H

#include "stage/fft/fft.h"

struct vendor;

/* What a row says of its library.  The functions return the library's error,
 * 0 for none. */
struct vendor_calls {
    const char *name;    /* "cuFFT" */
    const char *backend; /* "cuda" */
    /* Opens the library, which then stays loaded; api has room for it. */
    farsum_status (*open)(void *api);
    /* A plan without a work area, the bytes that it wants, on that stream. */
    int (*make)(struct vendor *v, int backward, void *stream, size_t *bytes);
    int (*area)(struct vendor *v, int backward, void *memory);
    int (*move)(struct vendor *v, int backward, void *stream);
    int (*run)(struct vendor *v, int backward, void *data); /* v->count */
    void (*destroy)(struct vendor *v, int backward);
};

/* What the libraries call a many-transform plan's arguments; of a complex
 * transform both sides are `half`. */
struct vendor_shape {
    long long n[3], real[3], half[3]; /* mesh; how it lies, in reals, complex */
    long long reals, halves;          /* from one mesh to the next */
};

enum { VENDOR_API = 16 };
struct vendor {
    const struct vendor_calls *calls;
    struct fft_args args;
    struct vendor_shape shape;
    void *api[VENDOR_API]; /* the row's own struct of pointers */
    void *plan[2];         /* forward, backward: the row's own */
    int made[2];
    int count[2];          /* meshes that a plan transforms; a run's are as many
                              or a multiple */
    void *stream;          /* that both plans are on */
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
