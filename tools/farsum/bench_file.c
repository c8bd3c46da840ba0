/* SPDX-License-Identifier: Apache-2.0 */
/* bench_file.c: particles of a benchmark from a file, with copies along the
 * cell. */
#include "bench.h"
#include "system.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies the frame.  Copies in the same cell are consecutive. */
static int copy_out(const struct system *sys, const int64_t copies[3],
                    struct case_particles *p)
{
    int64_t n = sys->n, at = 0, many = copies[0] * copies[1] * copies[2];
    p->x = malloc((size_t)(3 * n * many) * sizeof *p->x);
    p->q = malloc((size_t)(n * many * sys->strengths) * sizeof *p->q);
    p->strengths = sys->strengths;
    if (!p->x || !p->q)
        return -1;
    for (int64_t a = 0; a < copies[0]; a++)
        for (int64_t b = 0; b < copies[1]; b++)
            for (int64_t c = 0; c < copies[2]; c++)
                for (int64_t i = 0; i < n; i++, at++) {
                    for (int d = 0; d < 3; d++)
                        p->x[3 * at + d] = sys->x[3 * i + d]
                                           + (double)a * sys->cell[d]
                                           + (double)b * sys->cell[3 + d]
                                           + (double)c * sys->cell[6 + d];
                    for (int k = 0; k < sys->strengths; k++)
                        p->q[at * sys->strengths + k] =
                            sys->q[i * sys->strengths + k];
                }
    for (int k = 0; k < 9; k++)
        p->cell[k] = (double)copies[k / 3] * sys->cell[k];
    memcpy(p->periodic, sys->periodic, sizeof p->periodic);
    p->n = at;
    return 0;
}

/* Lattice vectors from j to its image nearest to i, by their fractions. */
static void nearest_image(const struct system *sys, int64_t i, int64_t j,
                          int64_t k[3])
{
    const double *h = sys->cell, *a = h, *b = h + 3, *c = h + 6;
    double d[3], volume = 0;
    const double *next[3][2] = {{b, c}, {c, a}, {a, b}};
    for (int m = 0; m < 3; m++)
        d[m] = sys->x[3 * i + m] - sys->x[3 * j + m];
    for (int axis = 0; axis < 3; axis++) {
        const double *u = next[axis][0], *v = next[axis][1];
        const double cross[3] = {u[1] * v[2] - u[2] * v[1],
                                 u[2] * v[0] - u[0] * v[2],
                                 u[0] * v[1] - u[1] * v[0]};
        double part = 0;
        volume = 0;
        for (int m = 0; m < 3; m++) {
            volume += h[3 * axis + m] * cross[m];
            part += d[m] * cross[m];
        }
        k[axis] = llround(part / volume);
    }
}

/* Copies the exclusions.  The two particles of a pair are those nearest to each
 * other, and may be in two copies. */
static int copy_exclusions(const struct system *sys, const int64_t copies[3],
                           struct exclude_list *to)
{
    const struct exclude_list *from = &sys->exclude;
    int64_t many = copies[0] * copies[1] * copies[2];
    size_t capacity = (size_t)(from->count * many) + 1;
    to->pair = malloc(2 * capacity * sizeof *to->pair);
    to->factor = malloc(capacity * sizeof *to->factor);
    if (!to->pair || !to->factor)
        return -1;
    for (int64_t e = 0; e < from->count; e++) {
        const int64_t i = from->pair[2 * e], j = from->pair[2 * e + 1];
        int64_t k[3] = {0, 0, 0};
        if (many > 1)
            nearest_image(sys, i, j, k);
        for (int64_t copy = 0; copy < many; copy++) {
            int64_t at[3] = {copy / copies[2] / copies[1],
                             copy / copies[2] % copies[1], copy % copies[2]};
            for (int d = 0; d < 3; d++)
                at[d] = ((at[d] + k[d]) % copies[d] + copies[d]) % copies[d];
            int64_t other = (at[0] * copies[1] + at[1]) * copies[2] + at[2];
            to->pair[2 * to->count] = copy * sys->n + i;
            to->pair[2 * to->count + 1] = other * sys->n + j;
            to->factor[to->count++] = from->factor[e];
        }
    }
    return 0;
}

static int read_first(const struct settings *s, struct io_frame *frame,
                      char *error, size_t size)
{
    struct io_options io = options_io(s);
    struct io_reader *reader = NULL;
    if (io_open(s->input, &io, &reader, error, size) != 0)
        return -1;
    int got = io_read(reader, frame, error, size);
    io_close(reader);
    if (got == 0)
        snprintf(error, size, "%s: found no particles", s->input);
    return got == 1 ? 0 : -1;
}

int bench_read(struct bench *b, char *error, size_t size)
{
    const struct settings *s = b->settings;
    struct io_frame frame = {0};
    struct system sys = {0};
    int64_t copies[3] = {1, 1, 1};
    if (s->copies[0] > 0)
        memcpy(copies, s->copies, sizeof copies);
    if (read_first(s, &frame, error, size) != 0)
        return -1;
    int bad = system_make(s, &frame, NULL, &sys, error, size);
    if (!bad && copies[0] * copies[1] * copies[2] > 1 &&
        !(sys.periodic[0] && sys.periodic[1] && sys.periodic[2])) {
        snprintf(error, size, "--copies requires a periodic cell");
        bad = -1;
    }
    if (!bad
        && (copy_out(&sys, copies, &b->particles) != 0
            || copy_exclusions(&sys, copies, &b->exclude) != 0)) {
        snprintf(error, size, "no memory for the copies");
        bad = -1;
    }
    system_free(&sys);
    io_frame_clear(&frame);
    if (bad)
        return -1;
    b->spec.n = b->particles.n;
    const char *kernel = b->spec.kernel;
    if (strcmp(kernel, "laplace") == 0)
        kernel = ""; /* older rows were named without a kernel */
    snprintf(b->case_text, sizeof b->case_text,
             "%s%s%s copies=%lldx%lldx%lld tol=%s error=%s prec=%s", kernel,
             *kernel ? " " : "", s->input, (long long)copies[0],
             (long long)copies[1], (long long)copies[2],
             number_digits(b->spec.tolerance, 6).text,
             options_word("error", (int)case_error(&b->spec)),
             options_word("precision", (int)b->spec.precision));
    return 0;
}
