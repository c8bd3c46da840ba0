/* fft.h: real three-dimensional transforms, in place, not normalised.
 *
 * Forward: real [mesh0][mesh1][ldz] to complex [mesh0][mesh1][ldz/2], of which
 * mesh2/2 + 1 are used, sign e^{-i}.  Backward: the reverse, e^{+i}. */
#ifndef FARSUM_STAGE_FFT_FFT_H
#define FARSUM_STAGE_FFT_FFT_H

#include "device/buf.h"
#include "stage/stage.h"

struct fft_args {
    farsum_precision precision;
    int threads;
    int64_t mesh[3];
    int64_t ldz;  /* reals a row: 2 (mesh2/2 + 1) or more, even */
    int patient;  /* 1: try harder when planning */
    struct device *device; /* borrowed; NULL: the host */
};

struct fft_io {
    void *data;   /* 64-byte aligned; on a device a struct buf * */
    int backward;
};

/* The smallest n' >= n that is fast: only factors 2, 3, 5, 7, and even. */
int64_t fft_good_size(int64_t n);
/* Seconds of one transform by the machine's constants; variants share it. */
double fft_cost(const struct fft_args *args, double rate);
/* The same of a device's own transform. */
double fft_cost_device(const struct fft_args *args);

extern const struct stage fft_stage;
#endif
