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
 * sine and a cosine, and the sums of a channel, which take a third.  Of a
 * thread, and of a device. */
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
    mem_free(b->amp);
    mem_free(b);
}

farsum_status open_axis_fits(const struct task *task)
{
    if (task_axes(task) != 2)
        FAIL(ERR_UNSUPPORTED, "sums two periodic axes here; the problem has %d",
             task_axes(task));
    if (!task_is_slab(task))
        FAIL(ERR_UNSUPPORTED,
             "sums three periodic axes for kernel %s; the problem has 2",
             task->pair.name);
    if (task->device && !task->pair.kind->gradient)
        FAIL(ERR_UNSUPPORTED,
             "sums two periodic axes of kernel %s only on hosts, not on %s",
             task->pair.name, task->device->name);
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
    price *= (2 + task->pair.channels) / 3.0;
    if (task->links.ranks > 0) /* also on paper */
        price /= task->links.ranks;
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

static void mean_set(struct open_axis *b, double screen, double rc, int flow)
{
    double x = screen * b->edge;
    b->flat =
        flow ? 4 * M_PI / b->volume * b->edge * b->edge * mean_bare(x) : 0;
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
    b->images = open_axis_images(task->pair.name);
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
    mean_set(b, screen, t->rc, !task->pair.kind->gradient);
    cell_scale(&cell, &t->cell, t->rc);
    b->count = visit(b, &cell, screen, most);
    TRY(MEM_RAW(b->mode, b->count));
    visit(b, &cell, screen, most);
    return FARSUM_OK;
}

/* Numbers of all sums. */
static int64_t sums_count(const struct open_axis *b, const struct pair *pair)
{
    return pair->channels * (MODE_SUMS * b->count + 3);
}

static farsum_status both_take(const struct task *task, struct spectral *s,
                               int64_t m)
{
    struct open_axis *b = s->open_axis;
    const struct pair *pair = &task->pair;
    TRY(points_take(b, &s->source, s->x, &b->source));
    TRY(MEM_NEW(b->source.q, pair->channels * b->source.padded));
    TRY(MEM_RAW(b->sums, sums_count(b, pair)));
    TRY(MEM_RAW(b->amp, 2 * MODE_WAVES * open_axis_values(pair) * b->count));
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
    return task_agree(task, both_take(task, s, m));
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

void open_axis_wanted(farsum_result *wanted)
{
    if (wanted->virial) {
        wanted->field = wanted->virial; /* not NULL */
        wanted->energy = wanted->virial;
    }
}

/* Those of the mode 0 for each channel. */
static double *mean_sums(const struct open_axis *b, int channels)
{
    return b->sums + MODE_SUMS * channels * b->count;
}

/* Copies the channels, and sets the sums of the mode 0. */
static void strengths_take(const struct task *task, struct open_axis *b,
                           const struct spectral *s)
{
    const struct pair *pair = &task->pair;
    int channels = pair->channels;
    const void *q = pair->kind->apart ? s->channel : s->q;
    double *sum = mean_sums(b, channels);
    memset(sum, 0, (size_t)channels * 3 * sizeof *sum);
    for (int64_t i = 0; i < s->n; i++) {
        double v[2];
        open_mean_numbers(b->mean, b->source.z[i] - b->extent / 2, v);
        for (int c = 0; c < channels; c++) {
            double one =
                array_get(q, task->problem.precision, channels * i + c);
            b->source.q[c * b->source.padded + i] = one;
            sum[3 * c] += one;
            sum[3 * c + 1] += one * v[1];
            sum[3 * c + 2] += one * v[0];
        }
    }
}

/* Sets the sums of the mode 0 for each value. */
static void means_set(struct open_axis *b, int channels)
{
    const double *sum = mean_sums(b, channels);
    memcpy(b->mean.sum, sum, sizeof b->mean.sum);
    for (int k = 0; k < 3; k++) {
        double c[PAIR_CHANNELS], of[2][OPEN_VALUES];
        for (int a = 0; a < channels; a++)
            c[a] = sum[3 * a + k];
        b->images->plane(b->normal, c, of[0], of[1]);
        for (int w = 0; w < OPEN_VALUES; w++)
            for (int t = 0; t < 2; t++)
                b->means[w][t][k] = of[t][w];
    }
}

/* Adds up the sums over all ranks. */
static farsum_status ranks_add(const struct task *task, struct open_axis *b)
{
    const int64_t most = 1 << 20;
    farsum_status status = FARSUM_OK;
    int64_t all = sums_count(b, &task->pair);
    for (int64_t i = 0; i < all; i += most)
        KEEP_ON(task_sum(task, b->sums + i,
                         (int)(all - i < most ? all - i : most)));
    return status;
}

static void modes_sum(const struct task *task, struct open_axis *b)
{
    enum { TOGETHER = 8 };
    int channels = task->pair.channels;
    int64_t parts = (b->count + TOGETHER - 1) / TOGETHER;
    PAR_FOR(task->threads, schedule(dynamic))
    for (int64_t k = 0; k < parts; k++) {
        int64_t first = k * TOGETHER, left = b->count - first;
        isa_open_axis[task->isa][0]->gather(
            &b->source, b->mode + first, left < TOGETHER ? left : TOGETHER,
            channels, b->sums + MODE_SUMS * channels * first);
    }
}

/* Sets the amplitudes at the targets from the sums: u+ there belongs to images
 * above, and so to M-, (9.32). */
static void modes_waves(const struct task *task, struct open_axis *b)
{
    const struct pair *pair = &task->pair;
    int values = open_axis_values(pair), channels = pair->channels;
    PAR_FOR(task->threads)
    for (int64_t k = 0; k < b->count; k++) {
        const struct open_mode *mode = b->mode + k;
        const double(*sums)[2] = open_axis_sums(b, k, channels);
        double(*amp)[MODE_WAVES][2] =
            (double(*)[MODE_WAVES][2])(b->amp + 2 * MODE_WAVES * values * k);
        for (int below = 0; below < 2; below++) {
            double m[PAIR_CHANNELS][2], n[PAIR_CHANNELS][2];
            double at[2][OPEN_VALUES][2], sign = below ? -1 : 1;
            struct open_wave wave = {.size = mode->size,
                                     .front = mode->front,
                                     .lag = -b->edge
                                            / expm1(-mode->size * b->edge)};
            for (int d = 0; d < 3; d++) {
                wave.k[d] = mode->k[d];
                wave.e[d] = sign * b->normal[d];
            }
            for (int c = 0; c < channels; c++)
                for (int d = 0; d < 2; d++) {
                    m[c][d] = sums[4 * c + !below][d];
                    n[c][d] = sign * sums[4 * c + 2 + !below][d];
                }
            b->images->sheet(&wave, m, n, at[0], at[1]);
            for (int w = 0; w < values; w++)
                for (int d = 0; d < 2; d++) {
                    amp[w][below][d] = at[0][w][d];
                    amp[w][2 + below][d] = sign * at[1][w][d];
                }
        }
    }
}

/* Value w of the mode 0 at a target of these numbers. */
static double mean_value(const struct open_axis *b, int w, double part,
                         const double at[2])
{
    struct open_mean mean = b->mean;
    double even[2], slope[2];
    memcpy(mean.sum, b->means[w][0], sizeof mean.sum);
    open_mean_from(mean, part, at, even);
    memcpy(mean.sum, b->means[w][1], sizeof mean.sum);
    open_mean_from(mean, part, at, slope);
    return even[0] + b->flat * b->means[w][0][0] + slope[1];
}

static void add_to(void *to, farsum_precision type, int64_t i, double v)
{
    array_put(to, type, i, array_get(to, type, i) + v);
}

/* Adds the images at the targets from first on, at most OPEN_PAD of them. */
static void targets_add(const struct task *task, const struct spectral *s,
                        const struct open_points *to, int64_t first,
                        void *values, void *field)
{
    const struct open_axis *b = s->open_axis;
    const struct pair *pair = &task->pair;
    farsum_precision type = task->problem.precision;
    int count = open_axis_values(pair), waves = pair->kind->fall == 2 ? 4 : 2;
    double unit = pow(s->parameters.rc, pair->kind->power);
    double v[OPEN_VALUES][OPEN_PAD], part = exp(-b->mean.h);
    isa_open_axis[task->isa][0]->scatter(to, first, b->mode, b->count, count,
                                         waves, b->amp, v);
    for (int64_t i = first; i < first + OPEN_PAD && i < to->n; i++) {
        double at[2];
        open_mean_numbers(b->mean, to->z[i] - b->extent / 2, at);
        for (int w = 0; w < count; w++) {
            double all = unit * (v[w][i - first] + mean_value(b, w, part, at));
            if (values && w < pair->values)
                add_to(values, type, w * to->n + i, all);
            else if (field && w >= pair->values)
                add_to(field, type, 3 * i + w - 1, -s->parameters.rc * all);
        }
    }
}

farsum_status open_axis_add(const struct task *task, struct spectral *s,
                            const farsum_result *result,
                            struct spectral_sums *sums)
{
    struct open_axis *b = s->open_axis;
    const struct open_points *to = spectral_apart(s) ? &b->target : &b->source;
    void *values = result->potential || result->velocity ? s->potential : NULL;
    void *field = result->field ? s->field : NULL;
    double images[9];
    farsum_status status = open_axis_excludes(task, b);
    strengths_take(task, b, s);
    modes_sum(task, b);
    KEEP_ON(ranks_add(task, b));
    means_set(b, task->pair.channels);
    modes_waves(task, b);
    if (result->energy)
        sums->energy += s->parameters.rc * open_axis_energy(b, images);
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < (values || field ? to->padded : 0); i += OPEN_PAD)
        targets_add(task, s, to, i, values, field);
    if (result->virial)
        KEEP_ON(open_axis_virial(task, s, images, sums));
    return status;
}
