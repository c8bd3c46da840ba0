/* SPDX-License-Identifier: Apache-2.0 */
/* ops.c: operations and bytes of a transform. */
#include "stage/fft/fft.h"

#include <math.h>

/* A butterfly of two complex numbers is a product and two sums, ten
 * operations: 2 multiplications, 2 multiply-adds, 4 additions. */
void fft_ops(const void *data, struct work *work)
{
    const struct fft_args *args = data;
    double real = args->precision == FARSUM_F32 ? 4 : 8;
    double points = (double)args->mesh[0] * (double)args->mesh[1]
                    * (double)args->mesh[2];
    double complexes = args->is_complex ? points : 0.5 * points;
    double butterflies = 0.5 * complexes * log2(fmax(points, 2));
    struct count *c = &work->count;
    int passes = 0;
    for (int d = 0; d < 3; d++)
        passes += args->mesh[d] > 1;
    count_calls(c, COUNT_MUL, 2 * butterflies);
    count_calls(c, COUNT_FMA, 2 * butterflies);
    count_calls(c, COUNT_ADD, 4 * butterflies);
    work->read += passes * 2 * real * complexes;
    work->written += passes * 2 * real * complexes;
    work->launches += args->device ? passes : 0;
}
