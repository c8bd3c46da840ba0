/* SPDX-License-Identifier: Apache-2.0 */
/* images_kern.c: the lines that a pair's images form, by the trapezoidal rule
 * of images.c.  Loops over the sources of a block are vectorised. */
#include "reference/few/images_kern.h"

#include "base/simd.h"

#if FARSUM_BITS == 64
#include <math.h>
#include <string.h>

#include "math/quick.h"

enum { B = IMAGES_BLOCK };

/* A line: distances rho and e^{2 pi i z}; sums potential and derivatives by rho
 * and z. */
struct line {
    double rho[B], y[B], c[B], s[B], v[3][B];
};

static void node_add(double a, double weight, int count, struct line *l)
{
#pragma omp simd
    for (int i = 0; i < count; i++) {
        double at = -a * l->rho[i];
        double e = quick_exp(at < -500 ? -500 : at), c = l->c[i];
        double d = 1 / (1 - 2 * e * c + e * e);
        /* q/(1 - q) and 1/(1 - q) of q = e (c + i s) */
        double p = (e * c - e * e) * d, im = e * l->s[i] * d;
        double u = (1 - e * c) * d;
        l->v[0][i] += weight * p;
        l->v[1][i] -= weight * a * (p * u - im * im);
        l->v[2][i] -= weight * 2 * M_PI * im * (p + u);
    }
}

/* Sets the line's geometry and returns its least distance. */
static double line_set(const struct few_images *w, const struct images_block *b,
                       const double (*turn)[B], int m, struct line *l)
{
    const double *by = w->turn[m + IMAGES_ROWS];
    double least = INFINITY, floor = m == 0 ? IMAGES_NEAR : 0;
    for (int i = 0; i < b->count; i++) {
        l->y[i] = b->y[i] + m * w->across;
        double rho = sqrt(b->x[i] * b->x[i] + l->y[i] * l->y[i]);
        l->rho[i] = rho < floor ? floor : rho;
        l->c[i] = turn[0][i] * by[0] - turn[1][i] * by[1];
        l->s[i] = turn[0][i] * by[1] + turn[1][i] * by[0];
        least = l->rho[i] < least ? l->rho[i] : least;
    }
    memset(l->v, 0, sizeof l->v);
    return least;
}

static void lines(const struct few_images *w, const struct images_block *b,
                  double v[4])
{
    struct line l;
    double turn[2][B];
#pragma omp simd
    for (int i = 0; i < b->count; i++) {
        turn[0][i] = quick_sin(2 * M_PI * (b->z[i] + 0.25));
        turn[1][i] = quick_sin(2 * M_PI * b->z[i]);
    }
    for (int m = -w->rows; m <= w->rows; m++) {
        double least = line_set(w, b, turn, m, &l);
        for (int j = 0; j < IMAGES_NODES; j++) {
            double a = 2 * M_PI * w->node[j];
            if (a * least >= 2 * M_PI * w->reach)
                break;
            node_add(a, (j ? 4 : 2) * w->step, b->count, &l);
        }
        for (int i = 0; i < b->count; i++) {
            double q = m ? b->charge[i] : b->own[i];
            double radial = q * l.v[1][i] / l.rho[i];
            v[0] += q * l.v[0][i];
            v[1] += q * l.v[2][i];
            v[2] += radial * l.y[i];
            v[3] += radial * b->x[i];
        }
    }
}

extern const struct images_kern ISA_NAME(images);
const struct images_kern ISA_NAME(images) = {lines};
#else
/* Built in f64 only. */
extern const struct images_kern ISA_NAME(images);
const struct images_kern ISA_NAME(images) = {0};
#endif
