/* gpu_cells: a thread a target, cells of half a cutoff, every cell that the
 * cutoff reaches; straightforward.  Points are sorted by a stable sort and no
 * sum is shared, so results repeat bitwise.
 *
 * In f32 coordinates are integers modulo 2^32 (docs/decisions/0007). */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "points/gpu.h"
#include "stage/gpu.h"
#include "stage/gpu_rates.h"
#include "stage/near/near_gpu.h"

enum {
    GROUP = 128,
    RECORD = 7,
    FOLDED = 256,   /* records that one group adds */
    UNIT_BITS = 29, /* f32: at most so many raw units in a cutoff, 2^ */
    CELLS_A_POINT = 8,
    CELLS_LEAST = 4096,
};

/* The host's twin of gpu_cells.k's struct. */
struct near_cells {
    double a[9], skip, per_raw;
    int64_t n;
    int32_t nb[3], reach[3], image[9], want;
};
_Static_assert(sizeof(struct near_cells) == 160, "as gpu_cells.k has it");
_Static_assert(FARSUM_POTENTIAL == 1 && FARSUM_FIELD == 2 && FARSUM_ENERGY == 4
                   && FARSUM_VIRIAL == 8,
               "as gpu_cells.k has them");

/* Points in the order of cells. */
struct placed {
    int64_t n;
    struct buf x, cell, order; /* [3][n] coord; [n] u32; [n] u32 */
};

struct state {
    struct near_args args;
    struct jit jit;
    struct kernel place, charges, sum, sum_virial, fold, total;
    struct near_cells cells;
    struct placed source, target;
    struct buf start, q; /* [cells + 1] u32; [n] real, sorted */
    struct buf record, folded;
    int same, ready; /* targets are the sources; set was a success */
};

static farsum_status cells_fits(const void *args)
{
    const struct near_args *a = args;
    return gpu_wanted(a->device);
}

/* Operations counted from the kernel, at 0.3 of the peak: within a factor 1.5
 * of what an H200 takes for 1e6 uniform points with 11 neighbours in f32 and 25
 * in f64. */
static double cells_cost(const void *args)
{
    const struct near_args *a = args;
    double n = (double)(a->n_targets ? a->n_targets : a->n_sources);
    /* 125 cells of half an edge hold 3.7 times the neighbours; a lane waits
     * for its group */
    double looked = 3.7 * a->neighbours;
    double work = 10 * looked + near_work(a) * looked;
    return n * work / (0.3 * gpu_rates(a->device, a->precision).flops) + 2e-5;
}

static int64_t cells_bytes(const void *args)
{
    const struct near_args *a = args;
    int64_t real = gpu_real(a->precision), n = a->n_sources + a->n_targets;
    return n * (3 * real + 8) + a->n_sources * near_kernel(a)->strengths * real
           + 4 * (CELLS_A_POINT * a->n_sources + CELLS_LEAST)
           + n / GROUP * 8 * RECORD;
}

static void placed_clear(struct placed *p)
{
    buf_clear(&p->x);
    buf_clear(&p->cell);
    buf_clear(&p->order);
}

static void cells_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    placed_clear(&s->source);
    placed_clear(&s->target);
    buf_clear(&s->start);
    buf_clear(&s->q);
    buf_clear(&s->record);
    buf_clear(&s->folded);
    if (s->jit.device)
        jit_clear(&s->jit);
    mem_free(s);
}

static farsum_status cells_kernels(struct state *s)
{
    const struct near_args *a = &s->args;
    int virial = (a->outputs & FARSUM_VIRIAL) != 0;
    jit_begin(&s->jit, a->device, "stage/near/gpu_cells.k", a->precision);
    jit_define(&s->jit, "GROUP", "%d", GROUP);
    near_gpu_defines(&s->jit, a);
    jit_define(&s->jit, "POT", "%d",
               (a->outputs
                & (FARSUM_POTENTIAL | FARSUM_ENERGY | FARSUM_VELOCITY)) != 0);
    jit_define(&s->jit, "FIELD", "%d",
               (a->outputs & (FARSUM_FIELD | FARSUM_VIRIAL)) != 0);
    jit_define(&s->jit, "VIRIAL", "%d", virial);
    TRY(jit_build(&s->jit));
    TRY(jit_kernel(&s->jit, "near_place", GROUP, 0, &s->place));
    TRY(jit_kernel(&s->jit, "near_charges", GROUP, 0, &s->charges));
    TRY(jit_kernel(&s->jit, "near_sum", GROUP, 0, &s->sum));
    TRY(jit_kernel(&s->jit, "near_fold", GROUP, 0, &s->fold));
    TRY(jit_kernel(&s->jit, "near_total", GROUP, 0, &s->total));
    if (virial)
        TRY(jit_kernel(&s->jit, "near_sum_virial", GROUP, 0, &s->sum_virial));
    return FARSUM_OK;
}

static farsum_status cells_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct near_args *)args;
    GO(cells_kernels(s));
    *state = s;
    s = NULL;
done:
    cells_destroy(s);
    return status;
}

/* Cells of half a cutoff, wider ones where there would be many for n points. */
static void cells_grid(struct state *s, int64_t n)
{
    const struct cell *cell = s->args.cell;
    struct near_cells *c = &s->cells;
    double most = (double)CELLS_A_POINT * (double)n + CELLS_LEAST, all = most;
    for (double a_cutoff = 2; all >= most; a_cutoff *= 0.9) {
        all = 1;
        for (int d = 0; d < 3; d++) {
            double nb = floor(fmin(a_cutoff * cell->height[d], 1e9));
            c->nb[d] = nb > 1 ? (int32_t)nb : 1;
            all *= c->nb[d];
        }
    }
    for (int d = 0; d < 3; d++)
        c->reach[d] = (int32_t)ceil(c->nb[d] / cell->height[d]);
}

/* Raw units: as many as leave the difference of any two points that are looked
 * at below 2^31 of them. */
static void cells_units(struct state *s)
{
    const struct cell *cell = s->args.cell;
    struct near_cells *c = &s->cells;
    double unit = 1, skip = near_skip(&s->args);
    if (s->args.precision == FARSUM_F32) {
        double far = 0;
        for (int j = 0; j < 3; j++) {
            double x = 0;
            for (int d = 0; d < 3; d++)
                x += fabs(cell->a[3 * d + j]) * (c->reach[d] + 1) / c->nb[d];
            far = fmax(far, x);
        }
        unit = ldexp(1, UNIT_BITS);
        while (far * unit >= 0x1p31)
            unit /= 2;
    }
    for (int k = 0; k < 9; k++) {
        c->a[k] = unit * cell->a[k];
        c->image[k] = unit > 1 ? (int32_t)(uint32_t)llrint(c->a[k]) : 0;
    }
    c->per_raw = 1 / unit;
    c->skip = skip * skip;
}

/* Sorts, and keeps what the next sort of these points would take away. */
static farsum_status cells_place(struct state *s, const struct points *points,
                                 struct placed *p, struct buf *start)
{
    struct device *device = s->args.device;
    struct points_gpu *gpu = points->gpu;
    int64_t real = gpu_real(s->args.precision);
    if (!gpu)
        FAIL(ERR_INTERNAL, "near gpu_cells: the points are not on the device");
    TRY(gpu_sort_build(gpu, s->cells.nb, 1));
    p->n = points->n;
    TRY(buf_reserve(&p->x, device, 3 * p->n * real));
    TRY(buf_reserve(&p->cell, device, 4 * p->n));
    TRY(buf_reserve(&p->order, device, 4 * p->n));
    TRY(buf_copy(&p->order, 0, &gpu->sort.order, 0, 4 * p->n));
    if (start) {
        TRY(buf_reserve(start, device, 4 * (gpu->sort.n_bins + 1)));
        TRY(buf_copy(start, 0, &gpu->sort.start, 0,
                     4 * (gpu->sort.n_bins + 1)));
    }
    s->cells.n = p->n;
    return LAUNCH(&s->place, kernel_groups(&s->place, p->n),
                  ARG_BUF(&gpu->sort.s), ARG_BUF(&p->x), ARG_BUF(&p->cell),
                  ARG_STRUCT(s->cells));
}

static farsum_status cells_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct state *s = state;
    struct device *device = s->args.device;
    s->ready = 0;
    s->same = !targets || targets == sources;
    cells_grid(s, sources->n);
    cells_units(s);
    TRY(cells_place(s, sources, &s->source, &s->start));
    if (!s->same)
        TRY(cells_place(s, targets, &s->target, NULL));
    TRY(buf_reserve(&s->q, device,
                    sources->n * near_kernel(&s->args)->strengths
                        * gpu_real(s->args.precision)));
    if (s->same) {
        int64_t groups = kernel_groups(&s->sum, sources->n);
        TRY(buf_reserve(&s->record, device, 8 * RECORD * groups));
        TRY(buf_reserve(&s->folded, device, 8 * RECORD * FOLDED));
    }
    s->ready = 1;
    return FARSUM_OK;
}

/* Energy and virial from the groups' records. */
static farsum_status cells_total(struct state *s, const struct near_io *io,
                                 int64_t groups)
{
    int32_t want = s->cells.want;
    const struct buf *from = &s->record;
    if (groups > FOLDED) {
        TRY(LAUNCH(&s->fold, FOLDED, ARG_BUF(&s->record), ARG_BUF(&s->folded),
                   ARG_I64(groups), ARG_I32(want)));
        groups = FOLDED;
        from = &s->folded;
    }
    /* where no result is wanted nothing is written */
    return LAUNCH(&s->total, 1, ARG_BUF(from),
                  ARG_BUF(io->energy ? io->energy : from),
                  ARG_BUF(io->virial ? io->virial : from), ARG_I64(groups),
                  ARG_I32(want));
}

static farsum_status cells_run(void *state, const void *data)
{
    struct state *s = state;
    const struct near_io *io = data;
    const struct placed *source = &s->source;
    const struct placed *target = s->same ? source : &s->target;
    const struct buf *none = &s->start;
    if (!s->ready)
        FAIL(ERR_STATE, "near gpu_cells: no points were set");
    if (!s->same && (io->energy || io->virial))
        FAIL(ERR_ARGUMENT, "near gpu_cells: energy and virial want targets "
                           "that are the sources");
    TRY(LAUNCH(&s->charges, kernel_groups(&s->charges, source->n),
               ARG_BUF(io->q), ARG_BUF(&source->order), ARG_BUF(&s->q),
               ARG_I64(source->n)));
    s->cells.n = target->n;
    s->cells.want =
        (io->potential ? FARSUM_POTENTIAL : 0) | (io->field ? FARSUM_FIELD : 0)
        | (io->energy ? FARSUM_ENERGY : 0) | (io->virial ? FARSUM_VIRIAL : 0);
    const struct kernel *sum = io->virial ? &s->sum_virial : &s->sum;
    int64_t groups = kernel_groups(sum, target->n);
    TRY(LAUNCH(sum, groups, ARG_BUF(&source->x), ARG_BUF(&s->q),
               ARG_BUF(&s->start), ARG_I64(source->n), ARG_BUF(&target->x),
               ARG_BUF(&target->cell), ARG_BUF(&target->order),
               ARG_BUF(io->potential ? io->potential : none),
               ARG_BUF(io->field ? io->field : none),
               ARG_BUF(s->same ? &s->record : none), ARG_STRUCT(s->cells)));
    if (!io->energy && !io->virial)
        return FARSUM_OK;
    return cells_total(s, io, groups);
}

const struct variant near_gpu_cells = {
    .fits = cells_fits,
    .cost = cells_cost,
    .bytes = cells_bytes,
    .create = cells_create,
    .set = cells_set,
    .run = cells_run,
    .destroy = cells_destroy,
    .deterministic = 1,
    .needs = "a device",
};
