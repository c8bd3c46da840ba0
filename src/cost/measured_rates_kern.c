/* SPDX-License-Identifier: Apache-2.0 */
/* measured_rates_kern.c: repeated operations in independent chains, and a pass
 * over memory. */
#include "cost/measured_rates.h"

#include "base/simd.h"

#if FARSUM_BITS == 64
#define KERN_EXP exp
#define KERN_ERFC erfc
#else
#define KERN_EXP expf
#define KERN_ERFC erfcf
#endif

/* exp and erfc are the C library's, one number at a time, as the reference
 * sums use them.  They are followed by a multiply-add that keeps arguments
 * distinct. */
SIMD_FN vreal once(const int kind, vreal x, vreal a, vreal b, vreal apart)
{
    switch (kind) {
    case COUNT_FMA:
        return x * a + b;
    case COUNT_ADD:
        return x + b;
    case COUNT_MUL:
        return x * a;
    case COUNT_DIV:
        return a / x;
    case COUNT_RSQRT:
        return v_rsqrt(x);
    default:
        for (int l = 0; l < W; l++)
            x[l] = kind == COUNT_EXP ? KERN_EXP(-x[l]) : KERN_ERFC(x[l]);
        return x * a + apart;
    }
}

SIMD_FN double chains(const int kind, int64_t steps, const double *numbers)
{
    vreal a = v_set((real)numbers[0]), b = v_set((real)numbers[1]), apart;
    vreal x[MODEL_CHAINS], sum = {0};
    for (int l = 0; l < W; l++)
        apart[l] = (real)numbers[2] * (real)l / W;
    for (int c = 0; c < MODEL_CHAINS; c++)
        x[c] = R(1) + apart + R(0.01) * (real)c;
    for (int64_t s = 0; s < steps; s++)
#pragma GCC unroll 16
        for (int c = 0; c < MODEL_CHAINS; c++)
            x[c] = once(kind, x[c], a, b, apart);
    for (int c = 0; c < MODEL_CHAINS; c++)
        sum += x[c];
    return (double)v_sum(sum);
}

static double operations(int kind, int64_t steps, const double numbers[3])
{
    switch (kind) {
    case COUNT_FMA:
        return chains(COUNT_FMA, steps, numbers);
    case COUNT_ADD:
        return chains(COUNT_ADD, steps, numbers);
    case COUNT_MUL:
        return chains(COUNT_MUL, steps, numbers);
    case COUNT_DIV:
        return chains(COUNT_DIV, steps, numbers);
    case COUNT_RSQRT:
        return chains(COUNT_RSQRT, steps, numbers);
    case COUNT_EXP:
        return chains(COUNT_EXP, steps, numbers);
    default:
        return chains(COUNT_ERFC, steps, numbers);
    }
}

static void stream(void *x, int64_t bytes, double factor)
{
    real *p = x;
    int64_t n = bytes / (int64_t)sizeof *p;
    for (int64_t i = 0; i + W <= n; i += W)
        v_store(p + i, v_load(p + i) * (real)factor);
}

const struct model_kern ISA_NAME(model_rates) = {
    W * MODEL_CHAINS,
    operations,
    stream,
};
