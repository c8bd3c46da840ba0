/* SPDX-License-Identifier: Apache-2.0 */
/* split.c: the table of splits. */
#include "math/split.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "math/prolate.h"

_Static_assert((int)SPLIT_TERMS == (int)PROLATE_TERMS, "one series");

struct split_kind {
    const char *name;
    void (*set)(struct split *split);
    double (*e)(const struct split *split, double x);
    double (*de)(const struct split *split, double x);
    double (*d2e)(const struct split *split, double x);
    double (*hat)(const struct split *split, double kappa);
    double (*dhat)(const struct split *split, double kappa);
    double (*curvature)(const struct split *split);
};

/* Gaussian, (2.4).  xi rc = sqrt(c/2) makes the error of the cutoff in r,
 * e^{-xi^2 rc^2}, equal to that of the cutoff in k, e^{-k_max^2/4 xi^2}. */
static void gaussian_set(struct split *split)
{
    split->xi = sqrt(split->c / 2);
}

static double gaussian_e(const struct split *split, double x)
{
    return erf(split->xi * x);
}

static double gaussian_de(const struct split *split, double x)
{
    double z = split->xi * x;
    return 2 / sqrt(M_PI) * split->xi * exp(-z * z);
}

static double gaussian_d2e(const struct split *split, double x)
{
    return -2 * split->xi * split->xi * x * gaussian_de(split, x);
}

static double gaussian_hat(const struct split *split, double kappa)
{
    double z = kappa / (2 * split->xi);
    return exp(-z * z);
}

static double gaussian_dhat(const struct split *split, double kappa)
{
    return -kappa / (2 * split->xi * split->xi) * gaussian_hat(split, kappa);
}

static double gaussian_curvature(const struct split *split)
{
    return -1 / (4 * split->xi * split->xi);
}

/* Prolate, (2.5).  E is the integral of psi, with support rc.  Inside the band
 * its transform is psi itself: hat(kappa) = psi(kappa/c)/psi(0). */
static void prolate_set(struct split *split)
{
    split->n = prolate_series(split->c, split->a);
}

static double prolate_e(const struct split *split, double x)
{
    return x <= 1 ? prolate_integral(split->a, split->n, x) : 1;
}

static double prolate_de(const struct split *split, double x)
{
    return x <= 1 ? prolate_value(split->a, split->n, x) : 0;
}

static double prolate_d2e(const struct split *split, double x)
{
    return x <= 1 ? prolate_slope(split->a, split->n, x) : 0;
}

static double prolate_gamma(const struct split *split, double kappa)
{
    if (kappa > split->c)
        return prolate_hat(split->a, split->n, kappa);
    return prolate_value(split->a, split->n, kappa / split->c)
           / prolate_value(split->a, split->n, 0);
}

static double prolate_dgamma(const struct split *split, double kappa)
{
    if (kappa > split->c)
        return prolate_hat_slope(split->a, split->n, kappa);
    return prolate_slope(split->a, split->n, kappa / split->c)
           / (split->c * prolate_value(split->a, split->n, 0));
}

static double prolate_bend(const struct split *split)
{
    return prolate_curvature(split->a, split->n, 0)
           / (2 * split->c * split->c
              * prolate_value(split->a, split->n, 0));
}

static const struct split_kind kinds[] = {
    {"prolate", prolate_set, prolate_e, prolate_de, prolate_d2e, prolate_gamma,
     prolate_dgamma, prolate_bend},
    {"gaussian", gaussian_set, gaussian_e, gaussian_de, gaussian_d2e,
     gaussian_hat, gaussian_dhat, gaussian_curvature},
};

const char *const split_names[] = {"prolate", "gaussian", NULL};

farsum_status split_set(struct split *split, const char *name, double c)
{
    if (!(c >= 1 && c <= 100))
        FAIL(ERR_ARGUMENT, "split bandwidth %g is not in 1 .. 100", c);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, name) != 0)
            continue;
        memset(split, 0, sizeof *split);
        split->kind = &kinds[i];
        split->c = c;
        split->kind->set(split);
        return FARSUM_OK;
    }
    return text_unknown("split", name, split_names);
}

const char *split_name(const struct split *split)
{
    return split->kind->name;
}

double split_e(const struct split *split, double x)
{
    return split->kind->e(split, x);
}

double split_de(const struct split *split, double x)
{
    return split->kind->de(split, x);
}

double split_d2e(const struct split *split, double x)
{
    return split->kind->d2e(split, x);
}

double split_hat(const struct split *split, double kappa)
{
    return split->kind->hat(split, kappa);
}

double split_dhat(const struct split *split, double kappa)
{
    return split->kind->dhat(split, kappa);
}

double split_curvature(const struct split *split)
{
    return split->kind->curvature(split);
}
