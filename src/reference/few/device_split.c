/* SPDX-License-Identifier: Apache-2.0 */
/* device_split.c: choice of the cheapest split for device.h, and its images and
 * modes. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "reference/few/device_state.h"

/* ---- 1/r with the functions of reference/kernels.h */

static void coulomb_far(const struct reference_split *p, const double k[3],
                        double s[][2], double v[][2])
{
    double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
    double g = 4 * M_PI * exp(-k2 / (4 * p->xi * p->xi)) / k2;
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1; /* E = -i k g S */
        v[0][i] = g * s[0][i];
        for (int a = 0; a < 3; a++)
            v[1 + a][!i] = sign * k[a] * g * s[0][i];
    }
}

/* The neutralising background of a total charge. */
static void coulomb_mean(const struct reference_split *p, double volume,
                         long double sum[][4], double mean[][4])
{
    mean[0][0] = (double)(-EWALD_PI * sum[0][0] / (p->xi * p->xi * volume));
}

static void coulomb_self(const struct reference_split *p, const double *c,
                         double *v)
{
    for (int a = 0; a < REFERENCE_VALUES; a++)
        v[a] = 0;
    v[0] = -M_2_SQRTPI * p->xi * c[0];
}

static const struct reference_kind coulomb = {
    .name = "laplace",
    .strengths = 1,
    .channels = 1,
    .values = REFERENCE_FIELD,
    .load = reference_load_scalar,
    .self = coulomb_self,
    .far = coulomb_far,
    .mean = coulomb_mean,
};

const struct reference_kind *few_device_kind(const struct task *task)
{
    if (task->pair.kind->moments)
        return NULL; /* its formulas are not in pair.kh */
    return task->pair.kind->charged ? &coulomb
                                    : reference_kind_find(task->pair.name);
}

int few_device_charged(const struct reference_kind *kind)
{
    return kind == &coulomb;
}

/* ---- the split */

/* f64 instructions: per summed pair (PAIR), per tested pair (LOOK), per mode,
 * source and channel (MODE).  OP_SECONDS: seconds per instruction on a typical
 * GPU; only the ratio to the host's part depends on it. */
#define PAIR_OPS 180
#define LOOK_OPS 25
#define MODE_OPS 4.2
#define OP_SECONDS 1.4e-13
/* The host's seconds per mode, target and value. */
#define EVAL_SECONDS 1.2e-10
/* Seconds of the same on the host: one core of a 2.4 GHz Zen 3 with AVX2. */
#define HOST_PAIR 4e-9
#define HOST_LOOK 1.5e-9
#define HOST_MODE 1.3e-10

/* The largest offset along an axis of an image within rc of a target. */
static int32_t images_along(const struct ewald_lattice *l, int axis, double rc)
{
    double most = ceil(rc / (double)l->height[axis] - 0.5);
    return most < 1 ? 0 : most > 1000 ? 1000 : (int32_t)most;
}

int32_t few_device_images(const struct ewald_lattice *l, double rc,
                          double *image)
{
    double reach = rc;
    int32_t most[3], count = 0;
    for (int d = 0; d < 3; d++) {
        most[d] = images_along(l, d, rc);
        reach += (double)l->length[d] / 2;
    }
    for (int32_t n = 0;
         n < (2 * most[0] + 1) * (2 * most[1] + 1) * (2 * most[2] + 1); n++) {
        /* 0, 1, -1, 2 ... along each axis */
        int32_t k[3] = {n % (2 * most[0] + 1),
                        n / (2 * most[0] + 1) % (2 * most[1] + 1),
                        n / (2 * most[0] + 1) / (2 * most[1] + 1)};
        double v[3] = {0}, r2 = 0;
        for (int t = 0; t < 3; t++) {
            double step = k[t] % 2 ? (k[t] + 1) / 2 : -k[t] / 2;
            for (int d = 0; d < 3; d++)
                v[d] += step * (double)l->a[3 * t + d];
        }
        for (int d = 0; d < 3; d++)
            r2 += v[d] * v[d];
        if (r2 > reach * reach)
            continue;
        if (image)
            memcpy(image + 3 * count, v, sizeof v);
        count++;
    }
    return count;
}

static void price(const void *data, const struct ewald_count *c,
                  const struct ewald_work *work, struct ewald_info *info)
{
    const struct few_device_split *w = data;
    const struct reference_kind *kind = w->kind;
    double images = 1;
    for (int d = 0; d < 3; d++)
        images *= 2 * images_along(&w->body.lattice, d, info->cutoff) + 1;
    /* the threads of a warp wait for each other's pairs */
    double pairs = fmin(images, 1 + 2 * work->pairs / (c->n * c->m));
    double ops = c->m * (images * LOOK_OPS + pairs * PAIR_OPS)
                 + work->modes * kind->channels * MODE_OPS;
    double each = ops * OP_SECONDS;
    if (w->host)
        each = (c->m * (images * HOST_LOOK + pairs * HOST_PAIR)
                + work->modes * kind->channels * HOST_MODE)
               / c->threads;
    info->seconds =
        c->n * each
        + c->m * work->modes * w->of->width * EVAL_SECONDS / c->threads;
    info->bytes =
        (uint64_t)(work->entries * (64. * kind->channels + 32. * kind->values));
}

farsum_status few_device_split(struct few_device_split *w)
{
    const struct few_device *of = w->of;
    const struct task *task = of->task;
    struct ewald_body *b = &w->body;
    struct ewald_boxes one = {.grid = {1, 1, 1}, .boxes = 1};
    struct ewald_setup setup = {
        .accuracy = of->accuracy,
        .n = of->n,
        .share_of = of->share_of,
        .m = of->m,
        .threads = task->threads,
        .isa = task->isa,
        .level = EWALD_F64,
        .price = price,
        .price_data = w,
    };
    double per = task_per(task), *y = NULL;
    farsum_status status = FARSUM_OK;
    memcpy(setup.cell, task->problem.cell, sizeof setup.cell);
    b->job.kind = w->kind;
    b->job.split.screen = task->pair.kappa;
    GO(ewald_body_open(b, &setup));
    if (w->kind == &coulomb)
        GO(ewald_tune(&b->lattice, &b->setup, &b->info));
    else
        GO(ewald_any_tune(w->kind, task->pair.kappa, &b->lattice, &b->setup,
                          &b->info));
    GO(MEM_RAW(y, 3 * of->m));
    for (int64_t i = 0; i < 3 * of->m; i++)
        y[i] = per * of->y[i];
    GO(ewald_modes_set(&b->modes, &b->lattice, b->info.kmax));
    GO(ewald_points_set(&b->targets, &b->lattice, &one, of->m, y, 0,
                        task->threads));
    b->setup.threads = task->threads * (w->host ? FEW_SLOTS : 1);
    GO(ewald_body_work(b, sizeof(double),
                       w->kind->channels * (w->host ? FEW_WORDS : 1),
                       of->width));
    b->job.threads = b->setup.threads = task->threads;
    b->job.width = of->width;
done:
    mem_free(y);
    return status;
}

/* Sets *next so that rows r .. *next - 1 are one thread's.  Returns the number
 * of modes in the longer row. */
static int32_t tile_rows(const struct ewald_modes *modes, int64_t r,
                         int64_t *next)
{
    const struct ewald_row *one = modes->row + r, *two = one + 1;
    int32_t length = one->length;
    *next = r + 1;
    if (*next == modes->rows || two->n1 != one->n1 || two->n2 != one->n2 + 1)
        return length;
    ++*next;
    return two->length > length ? two->length : length;
}

int32_t few_device_tiles(const struct ewald_modes *modes, int32_t (*tile)[3])
{
    int32_t count = 0;
    for (int64_t r = 0, next; r < modes->rows; r = next) {
        const struct ewald_row *row = modes->row + r;
        int32_t length = tile_rows(modes, r, &next);
        for (int32_t n = 0; n < length; n += MODES, count++)
            if (tile)
                memcpy(tile[count], (int32_t[3]){row->n1, row->n2, n},
                       sizeof *tile);
    }
    return count;
}

void few_device_spread(const struct ewald_modes *modes, int32_t tiles,
                       const double *from, double *to)
{
    int32_t t = 0;
    for (int64_t r = 0, next; r < modes->rows; r = next) {
        int32_t length = tile_rows(modes, r, &next);
        for (int32_t n0 = 0; n0 < length; n0 += MODES, t++)
            for (int k = 0; k < SUMS; k++) {
                int64_t at = r + k / 4 / MODES;
                int32_t n = n0 + k / 4 % MODES;
                if (at < next && n < modes->row[at].length)
                    to[8 * (modes->row[at].start + n) + k % 4] =
                        from[(int64_t)k * tiles + t];
            }
    }
}

/* Squared distance, over the square of the cell's smallest height, below which
 * a distance is computed with all its digits. */
#define CLOSE 1e-4

void few_device_args(const struct few_device *of, const struct ewald_body *body,
                     struct few_args *a)
{
    const struct task *task = of->task;
    double soft = task->problem.softening, shortest = INFINITY;
    *a = (struct few_args){
        .per = task_per(task),
        .per_q = {task->units.per[0], task->units.per[1]},
        .kappa = task->pair.kappa,
        .soft = soft * soft,
        .n = of->n,
        .m = of->m,
        .wide = task->problem.arrays != FARSUM_F32,
    };
    if (!body)
        return;
    const struct ewald_lattice *l = &body->lattice;
    for (int i = 0; i < 9; i++) {
        a->a[i] = (double)l->a[i];
        a->high[i] = (double)(float)l->a[i];
        a->rest[i] = (double)(l->a[i] - a->high[i]);
        a->inv[i] = (double)l->inv[i];
        a->inv_low[i] = (double)(l->inv[i] - a->inv[i]);
        shortest = fmin(shortest, (double)l->height[i / 3]);
    }
    a->xi = body->info.xi;
    a->rc2 = body->info.cutoff * body->info.cutoff;
    a->skip = body->job.coincide * body->job.coincide;
    a->close = CLOSE * shortest * shortest;
    memcpy(a->most, body->modes.most, sizeof a->most);
}

void few_device_mean(const struct few_device_split *split, long double sum[][4],
                     double *values)
{
    const struct few_device *of = split->of;
    const struct task *task = of->task;
    const struct ewald_body *b = &split->body;
    double volume = (double)b->lattice.volume, per = task_per(task);
    double mean[REFERENCE_VALUES][4] = {{0}};
    if (!split->kind->mean)
        return;
    split->kind->mean(&b->job.split, volume, sum, mean);
    int vacuum = few_device_charged(split->kind)
                 && task->problem.surface == FARSUM_VACUUM;
    for (int d = 0; d < 3 && vacuum; d++) {
        mean[0][1 + d] = 4 * M_PI / (3 * volume) * (double)sum[0][1 + d];
        mean[1 + d][0] = -mean[0][1 + d];
    }
    for (int64_t i = 0; i < of->m; i++)
        for (int v = 0; v < of->width; v++) {
            double *to = values + of->width * i + v;
            *to += mean[v][0];
            for (int d = 0; d < 3; d++)
                *to += mean[v][1 + d] * per * of->y[3 * i + d];
        }
}
