/* SPDX-License-Identifier: Apache-2.0 */
/* transforms.h: one state of a transform per thread.  A thread copies its
 * numbers before or after the transform, while they are in its cache. */
#ifndef FARSUM_RANKS_TRANSFORMS_H
#define FARSUM_RANKS_TRANSFORMS_H

#include "ranks/slab.h"
#include "stage/fft/fft.h"

struct transforms {
    int n; /* states; thread t < n uses state t */
    const struct variant *variant;
    void **state; /* owned, [n], and of the variant */
};

/* fft is one state's. */
farsum_status transforms_create(struct transforms *transforms,
                                const struct slab_args *args,
                                const struct fft_args *fft, int n);
void transforms_clear(struct transforms *transforms);
farsum_status transforms_run(const struct transforms *transforms, int t,
                             void *data, int backward);
/* Sets this thread's message for a status that another thread of the team
 * returned: messages are per thread. */
farsum_status transforms_status(int status);
#endif
