/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_rotation_text.c: generates the text of swaps and translations for
 * gpu_rotation.k, and the vectors' rotations. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/hypot.h"
#include "stage/m2l/rotation/gpu_rotation_make.h"

/* Smaller values are zero except for rounding. */
#define NOTHING 1e-15

/* Text of limited length; NULL: none.  Counts of terms written, and of all
 * terms without text. */
struct words {
    char *text;
    int64_t n;
    double *number;
    int64_t terms;
};

enum { TERM = 64 }; /* maximum characters per term */

/* Numbers of a vector that the kernel reads to rotate it to z. */
static void rotation_vector(int p, const double r[3], double *turn)
{
    double rho = hypot_of(r[0], r[1]), radius = hypot_of(rho, r[2]);
    double alpha = atan2(r[0], r[1]), beta = atan2(rho, r[2]);
    for (int m = 0; m <= p; m++) {
        turn[2 * m] = cos(m * alpha);
        turn[2 * m + 1] = sin(m * alpha);
        turn[2 * (p + 1) + 2 * m] = cos(m * beta);
        turn[2 * (p + 1) + 2 * m + 1] = sin(m * beta);
    }
    for (int n = 0; n <= p + 1; n++)
        turn[4 * (p + 1) + n] = pow(radius, -n);
}

farsum_status rotation_turns(struct boxes_gpu *g, int by_source)
{
    const struct boxes_args *a = &g->args;
    int64_t one = rotation_turn(a->p), n = 0;
    int64_t bytes = boxes_real(a);
    double side = by_source ? -1 : 1;
    farsum_status status = FARSUM_OK;
    int32_t(*d)[3] = NULL;
    double *turn = NULL;
    GO(boxes_gpu_lists(g, &d, &n));
    GO(MEM_RAW(turn, n * one));
    for (int64_t i = 0; i < n; i++) {
        double r[3];
        for (int x = 0; x < 3; x++)
            r[x] = side * d[i][x] * a->box[x];
        rotation_vector(a->p, r, turn + i * one);
    }
    GO(buf_alloc(&g->operators, a->device, bytes * n * one));
    GO(boxes_gpu_upload(&g->operators, a->precision, 0, turn, n * one));
done:
    mem_free(d);
    mem_free(turn);
    return status;
}

static void words_term(struct words *w, char kind, int to, int from,
                       double value, farsum_precision precision)
{
    if (w->text && fabs(value) < NOTHING)
        return;
    if (w->text)
        w->n += snprintf(w->text + w->n, TERM, "%c(%d,%d,%lld,%s) ", kind, to,
                         from, (long long)w->terms,
                         jit_real(value, precision).text);
    w->number[w->terms++] = value;
}

static void words_open(struct words *w, char kind, int number)
{
    if (w->text)
        w->n += sprintf(w->text + w->n, "%c(%d, ", kind, number);
}

static void words_close(struct words *w)
{
    if (w->text)
        w->n += sprintf(w->text + w->n, ") ");
}

/* D(n, ...) for all degrees: elements that are not zero by symmetry. */
static void words_swaps(struct words *w, int p, farsum_precision precision)
{
    double b[(2 * ROTATION_ORDER + 1) * (2 * ROTATION_ORDER + 1)];
    for (int n = 0; n <= p; n++) {
        multipole_swap(n, b);
        words_open(w, 'D', n);
        for (int m = -n; m <= n; m++) {
            int l = (n + (m < 0 ? -m : m)) % 2 + (m < 0);
            for (; l <= n; l += 2) {
                int from = (m < 0 ? -l : l) + n;
                words_term(w, 'F', m + n, from, b[(m + n) * (2 * n + 1) + from],
                           precision);
            }
        }
        words_close(w);
    }
}

/* O(m, ...) for all orders: (10.12) along z at distance 1. */
static void words_shifts(struct words *w, int p, farsum_precision precision)
{
    for (int m = 0; m <= p; m++) {
        words_open(w, 'O', m);
        for (int n = m; n <= p; n++)
            for (int k = m; k <= p; k++)
                words_term(w, 'T', n - m, k - m,
                           ((n + m) % 2 ? -1 : 1)
                               * multipole_factor(n, m, k, -m),
                           precision);
        words_close(w);
    }
}

farsum_status rotation_text(struct jit *jit, int p, int text)
{
    int64_t most = multipole_swaps(p) + rotation_shifts(p);
    farsum_status status = FARSUM_OK;
    struct words w = {0};
    if (text)
        GO(MEM_RAW(w.text, TERM * (most + 2 * p + 2)));
    GO(MEM_RAW(w.number, most));
    words_swaps(&w, p, jit->precision);
    if (text)
        jit_define_text(jit, "DEGREES", w.text);
    w.n = 0;
    words_shifts(&w, p, jit->precision);
    if (text)
        jit_define_text(jit, "ORDERS", w.text);
    jit_define(jit, "TEXT", "%d", text);
    jit_define_table(jit, "NUMBERS", w.number, (int)w.terms);
done:
    mem_free(w.text);
    mem_free(w.number);
    return status;
}
