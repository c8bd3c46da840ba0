/* SPDX-License-Identifier: Apache-2.0 */
/* fft_lm: (10.7) is a correlation over degrees and orders, so it is a product
 * of transforms, with (2p + 1)^2 complex numbers per box and per vector
 * (Elliott and Board, SIAM J. Sci. Comput. 17, 398 (1996)).  It has the fewest
 * operations per pair of boxes among all variants.  Transforms are direct sums;
 * they are short, and there is one per 189 pairs.
 *
 * Coefficients of all degrees are mixed in a transform, without the scaling of
 * (10.4), which is not part of a correlation.  So digits are lost as p grows,
 * and no error bound of the method includes this.  Therefore it computes in a
 * wider type than the plan's and refuses orders at which the plan's precision
 * would be missed.  (comparison) */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/par.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"

/* Maximum orders with accurate results, measured against plain with vectors of
 * two boxes of edges 0.6 and more. */
enum { MOST_32 = 20, MOST_64 = 12 };

/* Workspace of one thread; owned. */
struct lm_thread {
    void *x, *row, *sum;
    struct tree_far *list;
};

struct state {
    struct boxes_args args;
    long double *scale; /* owned: inverse of the scaling (10.4) and of a unit's
                           power */
    double *field;      /* owned */
    void *e, *fields;   /* owned: table, [offset][wave] */
    void *waves;        /* owned: for a level's boxes */
    int64_t have_waves;
    struct lm_thread *thread; /* owned, [threads] */
};

/* Real numbers of a transform. */
static int64_t lm_wave(int p)
{
    return 2 * (int64_t)(2 * p + 1) * (2 * p + 1);
}

#define WIDE double
#define NAME(x) lm_double_##x
#include "stage/m2l/papers/fft_lm_sums.h"
#undef WIDE
#undef NAME
#define WIDE long double
#define NAME(x) lm_long_##x
#include "stage/m2l/papers/fft_lm_sums.h"

static size_t lm_real(const struct boxes_args *a)
{
    return a->precision == FARSUM_F32 ? sizeof(double) : sizeof(long double);
}

static int64_t lm_offsets(const struct boxes_args *a)
{
    int64_t side = boxes_far_side(a->ws);
    return side * side * side;
}

static int64_t lm_list(const struct boxes_args *a)
{
    int64_t side = 2 * a->ws + 1;
    return 7 * side * side * side;
}

static farsum_status lm_fits(const void *args)
{
    const struct boxes_args *a = args;
    int most = a->precision == FARSUM_F32 ? MOST_32 : MOST_64;
    TRY(boxes_host_fits(args));
    if (a->p > most)
        FAIL(ERR_UNSUPPORTED,
             "transforms over degrees lose digits; use an order up to %d in %s",
             most, a->precision == FARSUM_F32 ? "f32" : "f64");
    return FARSUM_OK;
}

/* A model: one product per cycle at 3 GHz, x87 a tenth of it. */
static double lm_cost(const void *args)
{
    const struct boxes_args *a = args;
    double side = 2 * a->p + 1, p1 = a->p + 1;
    double pair = 4 * side * side, box = 4 * side * side * p1 * 3;
    double rate = a->precision == FARSUM_F32 ? 3e9 : 3e8;
    return (double)a->n_boxes * ((double)lm_list(a) * pair + box)
           / (rate * par_threads(a->threads));
}

static int64_t lm_bytes(const void *args)
{
    const struct boxes_args *a = args;
    int64_t real = (int64_t)lm_real(a);
    return real * lm_wave(a->p) * (lm_offsets(a) + a->n_boxes + a->threads * 2)
           + a->threads * lm_list(a) * (int64_t)sizeof(struct tree_far);
}

static void lm_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    for (int t = 0; s->thread && t < s->args.threads; t++) {
        mem_free(s->thread[t].x);
        mem_free(s->thread[t].row);
        mem_free(s->thread[t].sum);
        mem_free(s->thread[t].list);
    }
    mem_free(s->thread);
    mem_free(s->scale);
    mem_free(s->field);
    mem_free(s->e);
    mem_free(s->fields);
    mem_free(s->waves);
    mem_free(s);
}

static farsum_status lm_threads(struct state *s)
{
    const struct boxes_args *a = &s->args;
    int64_t field = multipole_size(2 * a->p), wave = lm_wave(a->p);
    TRY(MEM_NEW(s->thread, a->threads));
    for (int t = 0; t < a->threads; t++) {
        struct lm_thread *h = &s->thread[t];
        TRY(mem_alloc(&h->x, field, lm_real(a), 1));
        TRY(mem_alloc(&h->row, wave, lm_real(a), 1));
        TRY(mem_alloc(&h->sum, wave, lm_real(a), 1));
        TRY(MEM_RAW(h->list, lm_list(a)));
    }
    return FARSUM_OK;
}

static farsum_status lm_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct boxes_args *)args;
    const struct boxes_args *a = &s->args;
    int64_t field = multipole_size(2 * a->p);
    /* raised to the power of a degree: the tried value that loses least */
    const long double unit = 1 + 0.6L * a->p;
    GO(MEM_RAW(s->scale, field));
    GO(MEM_RAW(s->field, field));
    for (int n = 0; n <= 2 * a->p; n++) {
        const long double power = powl(unit, -n);
        for (int m = -n; m <= n; m++)
            s->scale[multipole_at(n, m)] =
                expl((lgammal(n - m + 1.0L) + lgammal(n + m + 1.0L)) / 2)
                * power;
    }
    GO(mem_alloc(&s->e, 2 * (4 * a->p + 2), lm_real(a), 1));
    GO(mem_alloc(&s->fields, lm_offsets(a) * lm_wave(a->p), lm_real(a), 1));
    GO(lm_threads(s));
    if (a->precision == FARSUM_F32)
        lm_double_fields(s);
    else
        lm_long_fields(s);
    *state = s;
    s = NULL;
done:
    lm_destroy(s);
    return status;
}

static farsum_status lm_set(void *state, const struct points *sources,
                            const struct points *targets)
{
    struct state *s = state;
    int64_t most = 0;
    (void)targets;
    for (int level = 1; level <= sources->tree->depth; level++) {
        int64_t n = tree_boxes(sources->tree, level);
        most = n > most ? n : most;
    }
    return mem_reserve(&s->waves, &s->have_waves, most * lm_wave(s->args.p),
                       lm_real(&s->args));
}

static farsum_status lm_run(void *state, const void *data)
{
    struct state *s = state;
    const struct boxes_io *io = data;
    for (int level = 1; level <= io->tree->depth; level++) {
        if (s->args.precision == FARSUM_F32)
            lm_double_level(s, io, level);
        else
            lm_long_level(s, io, level);
    }
    return FARSUM_OK;
}

const struct variant m2l_fft_lm = {
    .fits = lm_fits,
    .cost = lm_cost,
    .bytes = lm_bytes,
    .create = lm_create,
    .set = lm_set,
    .run = lm_run,
    .destroy = lm_destroy,
    .deterministic = 1,
    .needs = "",
};
