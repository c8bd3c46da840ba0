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

/* A device's transform takes a fifth longer for each factor 5 or 7 of its
 * length: cuFFT on an H200, f64, 300^3 to 500^3 against 216^3, 288^3, 512^3.
 * And a length with the factor 3^5 takes a third longer: 486^3 takes 33 ps per
 * point, 480^3 to 500^3 24 to 26; f32 14.5 against 10.5 to 11.3. */
static double size_slower(int64_t n)
{
    int fives = 0, slow = n % 243 == 0;
    for (; n > 0 && n % 5 == 0; n /= 5)
        fives++;
    for (; n > 0 && n % 7 == 0; n /= 7)
        fives++;
    return (1 + 0.2 * fives) * (slow ? 1.4 : 1);
}

int64_t fft_good_size_device(int64_t n)
{
    int64_t first = fft_good_size(n), best = first;
    for (int64_t m = first; m <= first + first / 8; m = fft_good_size(m + 1))
        if ((double)m * cbrt(size_slower(m))
            < (double)best * cbrt(size_slower(best)))
            best = m;
    return best;
}

/* A real transform moves the mesh about eight times: cuFFT 13 on an H200, with
 * 256 and 512 points along each axis, f64 and f32. */
double fft_cost_device(const struct fft_args *args)
{
    double slower = 0;
    for (int d = 0; d < 3; d++)
        slower += size_slower(args->mesh[d]) / 3;
    double bytes = (double)args->mesh[0] * (double)args->mesh[1]
                   * (double)args->ldz * gpu_real(args->precision);
    /* a complex transform has no separate copy of a part */
    double moves = args->is_complex ? 6 : 8;
    return slower * moves * bytes
               / gpu_rates(args->device, args->precision).bytes
           + 1e-5;
}
