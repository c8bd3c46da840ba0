/* SPDX-License-Identifier: Apache-2.0 */
/* size.c: fast transform lengths, and the cost of a transform. */
#include <math.h>

#include "stage/fft/copy.h"
#include "stage/device.h"
#include "cost/expected_rates.h"

int64_t fft_good_size(int64_t n)
{
    for (n = n < 2 ? 2 : n + n % 2;; n += 2) {
        int64_t m = n;
        static const int factors[] = {2, 3, 5, 7};
        int sevens = 0;
        for (int i = 0; i < 4; i++)
            while (m % factors[i] == 0) {
                m /= factors[i];
                sevens += factors[i] == 7;
            }
        if (m == 1 && sevens <= 1)
            return n;
    }
}

double fft_cost(const struct fft_args *args, double rate)
{
    double n = (double)args->mesh[0] * (double)args->mesh[1]
               * (double)args->mesh[2];
    /* 2.5 n log2 n flops of a real transform over the rate of a thread; threads
     * share one memory */
    double threads = pow(args->threads, 0.8);
    double width = args->precision == FARSUM_F32 ? 0.55 : 1;
    double kind = args->is_complex ? 2 : 1;
    return 2.5 * kind * n * log2(n + 2) * width / (rate * threads) + 2e-6
           + fft_copy_cost(args);
}

/* The time per point of cuFFT's real transforms of n^3 points, relative to
 * 512^3: f64 and f32, on an H100 (bench/results/fft_lengths_h100.csv).  No rule
 * predicts it. */
static const struct {
    int64_t n;
    double slower[2];
} size_measured[] = {
    {216, {1.03, 0.96}}, {224, {1.39, 1.40}}, {240, {1.33, 1.25}},
    {250, {1.22, 1.30}}, {252, {1.18, 1.24}}, {256, {1.02, 1.02}},
    {270, {1.13, 1.16}}, {280, {1.38, 1.31}}, {288, {1.15, 1.18}},
    {300, {1.46, 1.19}}, {320, {1.21, 1.21}}, {324, {1.15, 1.14}},
    {336, {1.36, 1.32}}, {350, {1.40, 1.28}}, {360, {1.14, 1.12}},
    {378, {1.10, 1.10}}, {384, {1.20, 1.20}}, {400, {1.53, 1.55}},
    {420, {1.45, 1.15}}, {432, {1.33, 1.12}}, {448, {1.36, 1.34}},
    {450, {1.22, 1.23}}, {480, {1.46, 1.14}}, {486, {1.89, 1.46}},
    {500, {2.17, 1.53}}, {504, {1.03, 1.07}}, {512, {1.00, 1.00}},
    {540, {2.28, 1.11}}, {560, {1.34, 1.07}}, {576, {1.44, 1.19}},
    {600, {2.35, 1.54}}, {640, {1.80, 1.09}},
};

/* Other lengths take about a fifth longer for each factor 5 or 7, and a
 * multiple of 3^5 half as long again. */
static double size_slower(int64_t n, farsum_precision precision)
{
    enum { MEASURED = sizeof size_measured / sizeof *size_measured };
    int fives = 0, slow = n % 243 == 0;
    for (int k = 0; k < MEASURED; k++)
        if (size_measured[k].n == n)
            return size_measured[k].slower[precision == FARSUM_F32];
    for (; n > 0 && n % 5 == 0; n /= 5)
        fives++;
    for (; n > 0 && n % 7 == 0; n /= 7)
        fives++;
    return (1 + 0.2 * fives) * (slow ? 1.5 : 1);
}

int64_t fft_good_size_device(int64_t n, farsum_precision precision)
{
    int64_t first = fft_good_size(n), best = first;
    for (int64_t m = first; m <= first + first / 8; m = fft_good_size(m + 1))
        if ((double)m * cbrt(size_slower(m, precision))
            < (double)best * cbrt(size_slower(best, precision)))
            best = m;
    return best;
}

/* A real transform moves the mesh about eight times: cuFFT 13 on an H200, with
 * 256 and 512 points along each axis, f64 and f32. */
double fft_cost_device(const struct fft_args *args)
{
    double slower = 0;
    for (int d = 0; d < 3; d++)
        slower += size_slower(args->mesh[d], args->precision) / 3;
    double bytes = (double)args->mesh[0] * (double)args->mesh[1]
                   * (double)args->ldz * gpu_real(args->precision);
    /* a complex transform has no separate copy of a part */
    double moves = args->is_complex ? 6 : 8;
    return slower * moves * bytes
               / gpu_rates(args->device, args->precision).bytes
           + 1e-5;
}
