/* SPDX-License-Identifier: Apache-2.0 */
/* bessel.c: Bessel functions against the C library's and known values. */
#include "check.h"
#include "math/bessel.h"

static void turning(void)
{
    for (int i = 0; i < 4000; i++) {
        double x = i < 2000 ? 0.02 * i : 3.7 * (i - 2000), j[2];
        bessel_j(x, j);
        CHECK_NEAR(j[0], j0(x), 5e-16 + 2e-16 * sqrt(x));
        CHECK_NEAR(j[1], j1(x), 5e-16 + 2e-16 * sqrt(x));
    }
}

static void falling(void)
{
    static const double known[][3] = {
        {0.001, 7.0236888005623813, 999.99623815608557},
        {0.1, 2.4270690247020166, 9.8538447808706061},
        {1, 0.42102443824070833, 0.60190723019723457},
        {10, 1.7780062316167652e-5, 1.8648773453825585e-5},
        {100, 4.656628229175902e-45, 4.6798537356369093e-45},
    };
    for (int i = 0; i < 5; i++) {
        double k[2];
        bessel_k(known[i][0], k);
        CHECK_NEAR(k[0], known[i][1], 2e-15 * known[i][1]);
        CHECK_NEAR(k[1], known[i][2], 2e-15 * known[i][2]);
    }
}

int main(void)
{
    RUN(turning);
    RUN(falling);
    return check_end();
}
