/* SPDX-License-Identifier: Apache-2.0 */
/* open_axis.c: images of a slab above and below, subtracted at the points. */
#include "method/open_axis/inside.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"

ISA_TABLE(struct open_axis_kern, open_axis)

/* Seconds per point and mode, of sources and of targets: two exponentials, a
 * sine and a cosine.  Of a thread, and of a device. */
#define PRICE 4e-9
#define PRICE_DEVICE 2e-11

static void points_free(struct open_points *p)
{
    mem_free(p->s[0]);
    mem_free(p->s[1]);
    mem_free(p->z);
    mem_free(p->q);
}

void open_axis_destroy(struct open_axis *b)
{
    if (!b)
        return;
    points_free(&b->source);
    points_free(&b->target);
    mem_free(b->mode);
    mem_free(b->sums);
    mem_free(b);
}

farsum_status open_axis_fits(const struct task *task)
{
    if (task_axes(task) != 2)
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes, or two of kernels laplace and yukawa; "
             "the problem has %d",
             task_axes(task));
    if (!task_is_slab(task))
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes for kernel %s; the problem has 2",
             task->pair.name);
    if (task->links.ranks > 0 && task->device)
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes over ranks of devices; the problem "
             "has 2");
    return FARSUM_OK;
}

/* The open row of the task's cell. */
static int open_row(const struct task *task)
{
    const int *periodic = task->problem.periodic;
    return !periodic[0] ? 0 : !periodic[1] ? 1 : 2;
}

double open_axis_seconds(const struct task *task, const struct parameters *t)
{
    double rc = t->rc, extent = task->sample.extent;
    double edge = rc * t->cell.height[open_row(task)];
    double area = t->cell.volume * rc * rc * rc / edge;
    double k = task_decay(task) / (edge - extent);
    double points =
        (double)(task->sample.n
                 + (task->sample.m > 0 ? task->sample.m : task->sample.n));
    double price = task->device ? PRICE_DEVICE : PRICE / task->threads;
    if (task->comm)
        price /= task->comm->size;
    return price * points * area * k * k / (8 * M_PI);
}

/* z of point i, from the lowest point. */
static double height(const struct open_axis *b, const double *x, int64_t i)
{
    return x[3 * i] * b->normal[0] + x[3 * i + 1] * b->normal[1]
           + x[3 * i + 2] * b->normal[2] - b->low;
}

static farsum_status points_take(const struct open_axis *b,
                                 const struct points *from, const double *x,
                                 struct open_points *to)
{
    int64_t n = from->n, padded = (n + OPEN_PAD - 1) / OPEN_PAD * OPEN_PAD;
    *to = (struct open_points){.n = n, .padded = padded, .extent = b->extent};
    TRY(MEM_NEW(to->s[0], padded));
    TRY(MEM_NEW(to->s[1], padded));
    TRY(MEM_NEW(to->z, padded));
    memcpy(to->s[0], from->s[b->row[0]], (size_t)n * sizeof *to->z);
    memcpy(to->s[1], from->s[b->row[1]], (size_t)n * sizeof *to->z);
    for (int64_t i = 0; i < n; i++)
        to->z[i] = height(b, x, i);
    return FARSUM_OK;
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

/* Visits half of the modes within `most`, without the mode 0; stores them if
 * there is memory. */
static int64_t visit(struct open_axis *b, const struct cell *cell,
                     double screen, double most)
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
            double k2 = screen * screen, gap = b->edge - b->extent;
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

double open_axis_bare(const struct open_axis *b)
{
    return b->bare;
}

/* 1/x^2 - 1/(x (e^x - 1)); without screening, its part that is finite. */
static double mean_bare(double x)
{
    static const double series[] = {-1.0 / 12,         1.0 / 720,
                                    -1.0 / 30240,      1.0 / 1209600,
                                    -1.0 / 47900160,   691.0 / 1307674368000,
                                    -1.0 / 74724249600};
    double sum = 0, power = 1;
    if (x > 0.5)
        return 1 / (x * x) - 1 / (x * expm1(x));
    for (int k = 0; k < 7; k++, power *= x * x)
        sum += series[k] * power;
    return x > 0 ? sum + 1 / (2 * x) : sum;
}

static void mean_set(struct open_axis *b, double screen, double rc)
{
    double x = screen * b->edge;
    b->bare = b->edge * b->edge / (rc * rc) * mean_bare(x);
    b->mean = (struct open_mean){.s = screen,
                                 .h = screen * b->extent / 2,
                                 .front = -4 * M_PI / b->volume
                                          * exp(-screen * (b->edge - b->extent))
                                          / open_mean_fall(x)};
}

farsum_status open_axis_begin(const struct task *task, struct spectral *s)
{
    const struct parameters *t = &s->parameters;
    struct cell cell;
    int at = 0;
    cell_scale(&cell, &t->cell, t->rc);
    open_axis_destroy(s->open_axis);
    s->open_axis = NULL;
    TRY(MEM_NEW(s->open_axis, 1));
    struct open_axis *b = s->open_axis;
    for (int d = 0; d < 3; d++)
        b->row[task->problem.periodic[d] ? at++ : 2] = d;
    b->edge = cell.height[b->row[2]];
    b->volume = cell.volume;
    for (int d = 0; d < 3; d++)
        b->normal[d] = cell.a[3 * b->row[2] + d] / b->edge;
    return FARSUM_OK;
}

farsum_status open_axis_extent(const struct task *task, struct spectral *s,
                               double low, double high)
{
    const struct parameters *t = &s->parameters;
    struct open_axis *b = s->open_axis;
    struct cell cell;
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
    double most = task_decay(task) / gap, screen = t->pair.kappa / t->rc;
    mean_set(b, screen, t->rc);
    cell_scale(&cell, &t->cell, t->rc);
    b->count = visit(b, &cell, screen, most);
    TRY(MEM_RAW(b->mode, b->count));
    visit(b, &cell, screen, most);
    return FARSUM_OK;
}

static farsum_status both_take(struct spectral *s, int64_t m)
{
    struct open_axis *b = s->open_axis;
    TRY(points_take(b, &s->source, s->x, &b->source));
    TRY(MEM_NEW(b->source.q, b->source.padded));
    TRY(MEM_RAW(b->sums, MODE_SUMS * b->count + 3));
    return m > 0 ? points_take(b, &s->target, s->y, &b->target) : FARSUM_OK;
}

farsum_status open_axis_set_points(const struct task *task, struct spectral *s,
                                   int64_t n, int64_t m)
{
    double low = INFINITY, high = -INFINITY;
    TRY(task_agree(task, open_axis_begin(task, s)));
    struct open_axis *b = s->open_axis;
    widen(b, s->x, n, &low, &high);
    if (m > 0)
        widen(b, s->y, m, &low, &high);
    double ends[2] = {-low, high};
    TRY(task_max(task, ends, 2));
    TRY(task_agree(task, open_axis_extent(task, s, -ends[0], ends[1])));
    return task_agree(task, both_take(s, m));
}

farsum_status open_axis_excludes(const struct task *task,
                                 const struct open_axis *b)
{
    if (task->exclusions.count > 0 && b->edge < 2.001 * b->extent)
        FAIL(ERR_UNSUPPORTED,
             "method spectral: exclusions with two periodic axes need a plan "
             "that is created with exclusions, for points that extend over "
             "%.6g along the open axis; this one allows %.6g",
             task_length(task, b->extent), task_length(task, b->edge / 2));
    return FARSUM_OK;
}

/* Re of a conj(b). */
static double real_of(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* The energy of all images without the constant of (9.32), and its virial along
 * the periodic axes: u delta_ab + u' kappa_a kappa_b/s per mode, u' = du/ds. */
static double images_energy(const struct open_axis *b, double virial[9])
{
    double energy = open_mean_energy(b->mean);
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
 * wrap; and the trace of unsoftened 1/r is the energy. */
static farsum_status virial_set(const struct task *task,
                                const struct spectral *s,
                                const double images[9],
                                struct spectral_sums *sums)
{
    const struct open_axis *b = s->open_axis;
    const double *q = b->source.q, *e = b->normal;
    double rc = s->parameters.rc, v[3] = {0}, half[9] = {0}, flat[9] = {0};
    double back = 0.5 * spectral_background(s, sums->q1) * sums->q1;
    double trace = 0, along = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++)
            v[d] += q[i]
                    * array_get(s->field, task->problem.precision, 3 * i + d)
                    * (b->source.z[i] - b->extent / 2) / rc;
    farsum_status status = task_sum(task, v, 3);
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
    int no_trace = task->pair.kind->screened || task->problem.softening > 0;
    double last = no_trace ? along - back : sums->energy - trace - 2 * back;
    for (int a = 0; a < 9; a++) {
        int c = a / 3, d = a % 3;
        sums->virial[a] = flat[a] + (v[c] - along * e[c]) * e[d]
                          + e[c] * (v[d] - along * e[d]) + last * e[c] * e[d];
    }
    return status;
}

void open_axis_wanted(farsum_result *wanted)
{
    if (wanted->virial) {
        wanted->field = wanted->virial; /* not NULL */
        wanted->energy = wanted->virial;
    }
}

/* Copies the strengths, and sets their moments. */
static void strengths_take(const struct task *task, struct open_axis *b,
                           const struct spectral *s)
{
    memset(b->mean.sum, 0, sizeof b->mean.sum);
    for (int64_t i = 0; i < s->n; i++) {
        double v[2], q = array_get(s->q, task->problem.precision, i);
        b->source.q[i] = q;
        open_mean_numbers(b->mean, b->source.z[i] - b->extent / 2, v);
        b->mean.sum[0] += q;
        b->mean.sum[1] += q * v[1];
        b->mean.sum[2] += q * v[0];
    }
}

static void modes_sum(const struct task *task, struct open_axis *b)
{
    enum { TOGETHER = 8 };
    int64_t parts = (b->count + TOGETHER - 1) / TOGETHER;
    PAR_FOR(task->threads, schedule(dynamic))
    for (int64_t k = 0; k < parts; k++) {
        int64_t first = k * TOGETHER, left = b->count - first;
        isa_open_axis[task->isa][0]->gather(&b->source, b->mode + first,
                                            left < TOGETHER ? left : TOGETHER);
    }
}

/* Adds up the modes' sums over all ranks. */
static farsum_status ranks_add(const struct task *task, struct open_axis *b)
{
    double *sums = b->sums, *mean = sums + MODE_SUMS * b->count;
    if (!task->comm)
        return FARSUM_OK;
    for (int64_t k = 0; k < b->count; k++) {
        memcpy(sums + MODE_SUMS * k, b->mode[k].sum, sizeof b->mode[k].sum);
        memcpy(sums + MODE_SUMS * k + 4, b->mode[k].slope,
               sizeof b->mode[k].slope);
    }
    memcpy(mean, b->mean.sum, sizeof b->mean.sum);
    farsum_status status = comm_sum(task->comm, sums, MODE_SUMS * b->count + 3);
    for (int64_t k = 0; k < b->count; k++) {
        memcpy(b->mode[k].sum, sums + MODE_SUMS * k, sizeof b->mode[k].sum);
        memcpy(b->mode[k].slope, sums + MODE_SUMS * k + 4,
               sizeof b->mode[k].slope);
    }
    memcpy(b->mean.sum, mean, sizeof b->mean.sum);
    return status;
}

/* Adds the images at the targets from first on, at most OPEN_PAD of them. */
static void targets_add(const struct task *task, const struct spectral *s,
                        const struct open_points *to, int64_t first,
                        void *potential, void *field)
{
    const struct open_axis *b = s->open_axis;
    farsum_precision type = task->problem.precision;
    double rc = s->parameters.rc, v[5][OPEN_PAD];
    isa_open_axis[task->isa][0]->scatter(to, first, b->mode, b->count, v);
    for (int64_t i = first; i < first + OPEN_PAD && i < to->n; i++) {
        double mean[2];
        int64_t k = i - first;
        open_mean_at(b->mean, to->z[i] - b->extent / 2, mean);
        if (potential)
            array_put(potential, type, i,
                      array_get(potential, type, i) + rc * (v[0][k] + mean[0]));
        for (int d = 0; field && d < 3; d++)
            array_put(
                field, type, 3 * i + d,
                array_get(field, type, 3 * i + d)
                    - rc * rc
                          * (v[1 + d][k] + (v[4][k] + mean[1]) * b->normal[d]));
    }
}

farsum_status open_axis_add(const struct task *task, struct spectral *s,
                            const farsum_result *result,
                            struct spectral_sums *sums)
{
    struct open_axis *b = s->open_axis;
    const struct open_points *to = spectral_apart(s) ? &b->target : &b->source;
    void *potential = result->potential ? s->potential : NULL;
    void *field = result->field ? s->field : NULL;
    double images[9];
    farsum_status status = open_axis_excludes(task, b);
    strengths_take(task, b, s);
    modes_sum(task, b);
    KEEP_ON(ranks_add(task, b));
    if (result->energy)
        sums->energy += s->parameters.rc * images_energy(b, images);
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < (potential || field ? to->padded : 0);
         i += OPEN_PAD)
        targets_add(task, s, to, i, potential, field);
    if (result->virial)
        KEEP_ON(virial_set(task, s, images, sums));
    return status;
}
