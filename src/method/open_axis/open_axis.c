/* SPDX-License-Identifier: Apache-2.0 */
/* open_axis.c: images of a slab above and below, subtracted at the points. */
#include "method/open_axis/open_axis.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"

/* Seconds per point and mode: two exponentials, a sine and a cosine. */
#define PRICE 6e-8

/* kappa = 2 pi (n[0] s_p + n[1] s_q), s_p and s_q the points' fractions along
 * the periodic rows; sum: M+ and M-; slope: the same of q z, z from the
 * middle. */
struct open_mode {
    int n[2];
    double k[3], size, front; /* |kappa|; 2 f: both half planes */
    double sum[2][2], slope[2][2];
};

struct open_axis {
    int row[3]; /* of the cell: the two periodic ones, and the open one */
    double normal[3], low, extent; /* z is x.normal - low */
    double edge, volume;           /* of the cell with the gap */
    double moment[3];              /* sum of q z^k, z from the middle */
    int64_t count;
    struct open_mode *mode; /* owned */
};

void open_axis_destroy(struct open_axis *b)
{
    if (!b)
        return;
    mem_free(b->mode);
    mem_free(b);
}

farsum_status open_axis_fits(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    if (task_axes(task) != 2)
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes, or two of kernel laplace; the problem "
             "has %d",
             task_axes(task));
    if (strcmp(task->pair.name, "laplace") != 0)
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes for kernel %s; the problem has 2",
             task->pair.name);
    if (task->device || task->comm)
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes on devices and over ranks; the problem "
             "has 2");
    if (task->pairs != FARSUM_F64 || p->precision != FARSUM_F64)
        FAIL(ERR_UNSUPPORTED, "sums two periodic axes with precision f64 only");
    return FARSUM_OK;
}

double open_axis_seconds(const struct task *task, const struct parameters *t)
{
    double rc = t->rc, extent = task->sample.extent, edge = 0;
    for (int d = 0; d < 3; d++)
        edge = task->problem.periodic[d] ? edge : rc * t->cell.height[d];
    double area = t->cell.volume * rc * rc * rc / edge;
    double k = task_decay(task) / (edge - extent);
    double points =
        (double)(task->sample.n
                 + (task->sample.m > 0 ? task->sample.m : task->sample.n));
    return PRICE * points * area * k * k / (8 * M_PI) / task->threads;
}

/* z of point i, from the lowest point. */
static double height(const struct open_axis *b, const double *x, int64_t i)
{
    return x[3 * i] * b->normal[0] + x[3 * i + 1] * b->normal[1]
           + x[3 * i + 2] * b->normal[2] - b->low;
}

static void widen(const struct open_axis *b, const double *x, int64_t n,
                  double *low, double *high)
{
    for (int64_t i = 0; i < n; i++) {
        double z = height(b, x, i);
        *low = fmin(*low, z);
        *high = fmax(*high, z);
    }
}

/* Visits half of the modes within `most`; stores them if there is memory. */
static int64_t visit(struct open_axis *b, const struct cell *cell, double most)
{
    int64_t count = 0;
    int reach[2];
    for (int d = 0; d < 2; d++) {
        const double *a = cell->a + 3 * b->row[d];
        double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        reach[d] = (int)fmin(most * length / (2 * M_PI), 1 << 20);
    }
    for (int i = 0; i <= reach[0]; i++)
        for (int j = i ? -reach[1] : 1; j <= reach[1]; j++) {
            struct open_mode mode = {.n = {i, j}};
            double k2 = 0, gap = b->edge - b->extent;
            for (int d = 0; d < 3; d++) {
                const double *inv = cell->inv + 3 * d;
                mode.k[d] =
                    2 * M_PI * (i * inv[b->row[0]] + j * inv[b->row[1]]);
                k2 += mode.k[d] * mode.k[d];
            }
            mode.size = sqrt(k2);
            if (mode.size > most)
                continue;
            mode.front = -4 * M_PI * b->edge / (b->volume * mode.size)
                         * exp(-mode.size * gap) / -expm1(-mode.size * b->edge);
            if (b->mode)
                b->mode[count] = mode;
            count++;
        }
    return count;
}

farsum_status open_axis_set_points(const struct task *task, struct spectral *s,
                                   int64_t n, int64_t m)
{
    const struct parameters *t = &s->parameters;
    struct cell cell;
    cell_scale(&cell, &t->cell, t->rc);
    open_axis_destroy(s->open_axis);
    s->open_axis = NULL;
    TRY(MEM_NEW(s->open_axis, 1));
    struct open_axis *b = s->open_axis;
    int at = 0;
    for (int d = 0; d < 3; d++)
        b->row[task->problem.periodic[d] ? at++ : 2] = d;
    b->edge = cell.height[b->row[2]];
    b->volume = cell.volume;
    for (int d = 0; d < 3; d++)
        b->normal[d] = cell.a[3 * b->row[2] + d] / b->edge;
    double low = INFINITY, high = -INFINITY;
    widen(b, s->x, n, &low, &high);
    if (m > 0)
        widen(b, s->y, m, &low, &high);
    b->low = low;
    b->extent = high - low;
    double gap = b->edge - b->extent;
    double least =
        fmax(t->rc, t->window.support * b->edge / (double)t->mesh[b->row[2]]);
    if (!(gap >= least))
        FAIL(ERR_POSITION,
             "the points extend over %.6g along the open axis; this plan sums "
             "up to %.6g: give a sample, or a longer cell vector %c",
             task_length(task, b->extent), task_length(task, b->edge - least),
             'a' + b->row[2]);
    double most = task_decay(task) / gap;
    b->count = visit(b, &cell, most);
    TRY(MEM_RAW(b->mode, b->count));
    visit(b, &cell, most);
    return FARSUM_OK;
}

/* Sets the sums over the sources of one mode, (9.31). */
static void mode_sum(const struct open_axis *b, const struct spectral *s,
                     struct open_mode *mode)
{
    const double *q = s->q, *sp = s->source.s[b->row[0]],
                 *sq = s->source.s[b->row[1]];
    double sum[2][2] = {{0}}, slope[2][2] = {{0}};
    for (int64_t i = 0; i < s->n; i++) {
        double turn = 2 * M_PI * (mode->n[0] * sp[i] + mode->n[1] * sq[i]);
        double z = height(b, s->x, i), c = q[i] * cos(turn);
        double sine = -q[i] * sin(turn);
        const double u[2] = {exp(mode->size * (z - b->extent)),
                             exp(-mode->size * z)};
        for (int k = 0; k < 2; k++) {
            sum[k][0] += u[k] * c;
            sum[k][1] += u[k] * sine;
            slope[k][0] += u[k] * c * (z - b->extent / 2);
            slope[k][1] += u[k] * sine * (z - b->extent / 2);
        }
    }
    memcpy(mode->sum, sum, sizeof sum);
    memcpy(mode->slope, slope, sizeof slope);
}

/* Adds potential v[0] and field v[1..3] of all modes at a target, (9.32). */
static void modes_at(const struct open_axis *b, double sp, double sq, double z,
                     double v[4])
{
    for (int64_t k = 0; k < b->count; k++) {
        const struct open_mode *m = b->mode + k;
        double turn = 2 * M_PI * (m->n[0] * sp + m->n[1] * sq);
        double c = m->front * cos(turn), s = m->front * sin(turn);
        double up = exp(m->size * (z - b->extent)), down = exp(-m->size * z);
        /* of the images below, and of those above */
        double low[2] = {up * m->sum[1][0], up * m->sum[1][1]};
        double high[2] = {down * m->sum[0][0], down * m->sum[0][1]};
        double real = c * (low[0] + high[0]) - s * (low[1] + high[1]);
        double imag = c * (low[1] + high[1]) + s * (low[0] + high[0]);
        double slope =
            m->size * (c * (low[0] - high[0]) - s * (low[1] - high[1]));
        v[0] += real;
        for (int d = 0; d < 3; d++)
            v[1 + d] += m->k[d] * imag - slope * b->normal[d];
    }
}

/* Re of a conj(b). */
static double real_of(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* The energy of all images, and its virial along the periodic axes: u delta_ab
 * + u' kappa_a kappa_b/kappa per mode, u' = du/dkappa. */
static double images_energy(const struct open_axis *b, double virial[9])
{
    const double *m = b->moment;
    double energy =
        -2 * M_PI / b->volume
        * (m[0] * m[2] - m[1] * m[1] + b->edge * b->edge / 12 * m[0] * m[0]);
    memset(virial, 0, 9 * sizeof *virial);
    for (int64_t k = 0; k < b->count; k++) {
        const struct open_mode *mode = b->mode + k;
        const double(*sum)[2] = mode->sum, (*slope)[2] = mode->slope;
        double u = mode->front * real_of(sum[0], sum[1]);
        double by =
            -u * (1 / mode->size - b->edge / expm1(-mode->size * b->edge))
            + mode->front
                  * (real_of(slope[0], sum[1]) - real_of(sum[0], slope[1]));
        energy += u;
        for (int a = 0; a < 9; a++)
            virial[a] += by * mode->k[a / 3] * mode->k[a % 3] / mode->size;
    }
    for (int a = 0; a < 9; a++)
        virial[a] +=
            energy * ((a % 4 == 0) - b->normal[a / 3] * b->normal[a % 3]);
    return energy;
}

/* The virial, from that of the cell with the gap and the images' one, both
 * along the periodic axes, (9.33).  Along the open one, v = sum F z does not
 * wrap; and the trace is the energy. */
static void virial_set(const struct open_axis *b, const struct spectral *s,
                       const double images[9], struct spectral_sums *sums)
{
    const double *q = s->q, *field = s->field, *e = b->normal;
    double rc = s->parameters.rc, v[3] = {0}, half[9] = {0}, flat[9] = {0};
    double back = 0.5 * spectral_background(s, sums->q1) * sums->q1;
    double trace = 0, along = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++)
            v[d] += q[i] * field[3 * i + d]
                    * (height(b, s->x, i) - b->extent / 2) / rc;
    for (int a = 0; a < 9; a++) /* P W P, P = 1 - n n */
        for (int d = 0; d < 3; d++)
            half[a] +=
                ((a / 3 == d) - e[a / 3] * e[d])
                * (sums->virial[3 * d + a % 3] + rc * images[3 * d + a % 3]);
    for (int a = 0; a < 9; a++)
        for (int d = 0; d < 3; d++)
            flat[a] += half[a - a % 3 + d] * ((a % 3 == d) - e[a % 3] * e[d]);
    for (int d = 0; d < 3; d++) {
        trace += flat[4 * d];
        along += v[d] * e[d];
    }
    /* spectral_out adds `back` to the energy and to the diagonal */
    double last = sums->energy - trace - 2 * back;
    for (int a = 0; a < 9; a++) {
        int c = a / 3, d = a % 3;
        sums->virial[a] = flat[a] + (v[c] - along * e[c]) * e[d]
                          + e[c] * (v[d] - along * e[d]) + last * e[c] * e[d];
    }
}

void open_axis_wanted(const struct spectral *s, farsum_result *wanted)
{
    if (wanted->virial) {
        wanted->field = s->field;
        wanted->energy = wanted->virial; /* not NULL */
    }
}

static void heights(struct open_axis *b, const struct spectral *s)
{
    const double *q = s->q;
    memset(b->moment, 0, sizeof b->moment);
    for (int64_t i = 0; i < s->n; i++) {
        double z = height(b, s->x, i) - b->extent / 2;
        b->moment[0] += q[i];
        b->moment[1] += q[i] * z;
        b->moment[2] += q[i] * z * z;
    }
}

farsum_status open_axis_add(const struct task *task, struct spectral *s,
                            const farsum_result *result,
                            struct spectral_sums *sums)
{
    struct open_axis *b = s->open_axis;
    double rc = s->parameters.rc, front = 2 * M_PI / b->volume;
    const struct points *to = spectral_apart(s) ? &s->target : &s->source;
    const double *x = spectral_apart(s) ? s->y : s->x;
    double *potential = result->potential ? s->potential : NULL;
    double *field = result->field ? s->field : NULL;
    /* else another image would be nearer than the pair itself */
    if (task->exclusions.count > 0 && b->edge < 2.001 * b->extent)
        FAIL(ERR_UNSUPPORTED,
             "method spectral: exclusions with two periodic axes need a plan "
             "that is created with exclusions, for points that extend over "
             "%.6g along the open axis; this one allows %.6g",
             task_length(task, b->extent), task_length(task, b->edge / 2));
    heights(b, s);
    const double *moment = b->moment;
    PAR_FOR(task->threads, schedule(dynamic))
    for (int64_t k = 0; k < b->count; k++)
        mode_sum(b, s, b->mode + k);
    double images[9];
    if (result->energy)
        sums->energy += rc * images_energy(b, images);
    if (!potential && !field)
        return FARSUM_OK;
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < spectral_targets(s); i++) {
        double z = height(b, x, i), at = z - b->extent / 2;
        double v[4] = {-front
                       * (moment[0] * at * at - 2 * at * moment[1] + moment[2]
                          + b->edge * b->edge / 6 * moment[0])};
        for (int d = 0; d < 3; d++)
            v[1 + d] = 2 * front * (moment[0] * at - moment[1]) * b->normal[d];
        modes_at(b, to->s[b->row[0]][i], to->s[b->row[1]][i], z, v);
        if (potential)
            potential[i] += rc * v[0];
        for (int d = 0; field && d < 3; d++)
            field[3 * i + d] += rc * rc * v[1 + d];
    }
    if (result->virial)
        virial_set(b, s, images, sums);
    return FARSUM_OK;
}
