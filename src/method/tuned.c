/* tuned.c: what a set of parameters means: arguments, bytes, error. */
#include "method/tuned.h"

#include <math.h>

#include "method/planner.h"
#include "points/crowd.h"

_Static_assert((int)MACHINE_ROOMS == (int)ROOM_COUNT, "a factor a room");

static const struct stage *const rooms[ROOM_COUNT] = {
    &near_stage, &spread_stage, &fft_stage, &scale_stage, &interp_stage,
};

/* As points/crowd.h, from the sample: the sources within a ball of a tile's
 * volume over those of a uniform system; a ball of enough for the order of a
 * crystal not to count. */
static double tuned_crowd(const struct tuned *t, const struct sample *s,
                          const struct cell *cell)
{
    enum { ENOUGH = 16 };
    double points = (double)t->mesh[0] * (double)t->mesh[1]
                    * (double)t->mesh[2];
    double tile = CROWD_EDGE * CROWD_EDGE * CROWD_EDGE, n = (double)s->n;
    double share = fmin(fmax(tile / fmax(points, 1), ENOUGH / n), 1);
    double radius = cbrt(share * cell->volume * 3 / (4 * M_PI));
    return fmax(sample_around(s, cell, radius) / (share * n), 1);
}

void tuned_args(const struct tuned *t, const struct farsum_plan *plan,
                union room_args args[ROOM_COUNT])
{
    const farsum_problem *p = &plan->problem;
    const int64_t n = plan->sample.n, m = plan->sample.m;
    const int64_t *mesh = t->mesh;
    struct cell cell; /* the sample's radii are in the caller's lengths */
    cell_scale(&cell, &t->cell, t->rc);
    double around = sample_around(&plan->sample, &cell, t->rc);
    double crowd = tuned_crowd(t, &plan->sample, &cell);
    args[ROOM_NEAR].near = (struct near_args){
        p->precision, plan->isa, plan->threads, p->outputs, &t->cell,
        &t->poly,     n,         m,             around,     plan->device};
    args[ROOM_SPREAD].spread = (struct spread_args){
        .precision = p->precision,
        .device = plan->device,
        .isa = plan->isa,
        .threads = plan->threads,
        .mesh = {mesh[0], mesh[1], mesh[2]},
        .ldz = t->ldz,
        .crowd = crowd,
        .window = &t->window,
        .n = n};
    args[ROOM_FFT].fft = (struct fft_args){
        p->precision, plan->threads, {mesh[0], mesh[1], mesh[2]}, t->ldz,
        plan->options.measure, plan->device, 0};
    args[ROOM_SCALE].scale = (struct scale_args){
        p->precision, plan->isa, plan->threads, {mesh[0], mesh[1], mesh[2]},
        t->ldz,       &t->split, &t->window,    &t->cell,      plan->device};
    args[ROOM_INTERP].interp = (struct interp_args){
        .precision = p->precision,
        .device = plan->device,
        .isa = plan->isa,
        .threads = plan->threads,
        .outputs = p->outputs & (FARSUM_POTENTIAL | FARSUM_FIELD),
        .mesh = {mesh[0], mesh[1], mesh[2]},
        .ldz = t->ldz,
        .window = &t->window,
        .crowd = m > 0 ? 1 : crowd,
        .cell = &t->cell,
        .n = m > 0 ? m : n};
}

/* Of points on a device: keys and indices of a sort, and beyond half of its
 * cache the coordinates packed. */
static int64_t tuned_sort_bytes(const struct device *device, int64_t n)
{
    int64_t cache = device->facts.cache;
    return n * (16 + (cache > 0 && 48 * n > cache ? 32 : 0));
}

/* What two rooms count that is there once. */
static int64_t tuned_twice(const struct tuned *t,
                           const union room_args args[ROOM_COUNT])
{
    uint64_t key[ROOM_COUNT] = {0};
    int64_t bytes[ROOM_COUNT] = {0}, twice = 0;
    for (int r = 0; r < ROOM_COUNT; r++) {
        const struct variant_row *row = t->choice[r].row;
        if (row && row->variant->shared)
            bytes[r] = row->variant->shared(&args[r], &key[r]);
        for (int k = 0; bytes[r] > 0 && k < r; k++)
            if (bytes[k] > 0 && key[k] == key[r]) {
                twice += bytes[r];
                break;
            }
    }
    return twice;
}

int64_t tuned_bytes(const struct tuned *t, const struct farsum_plan *plan)
{
    union room_args args[ROOM_COUNT];
    int64_t real = plan->problem.precision == FARSUM_F32 ? 4 : 8;
    int64_t n = plan->sample.n, m = plan->sample.m > 0 ? plan->sample.m : 0;
    /* mesh; per point: s, sorted s, order; q, potential, field */
    int64_t bytes = t->mesh[0] * t->mesh[1] * t->ldz * real
                    + (n + m) * (24 + 24 + 8) + n * real
                    + (m > 0 ? m : n) * 4 * real;
    if (plan->device) { /* and the caller's arrays */
        int64_t given = plan->problem.arrays == FARSUM_F32 ? 4 : 8;
        bytes += tuned_sort_bytes(plan->device, n)
                 + tuned_sort_bytes(plan->device, m);
        if (plan->problem.memory == FARSUM_HOST)
            bytes += (n + (m > 0 ? m : n) * 4) * given;
    }
    tuned_args(t, plan, args);
    for (int r = 0; r < ROOM_COUNT; r++) {
        const struct variant *v = t->choice[r].row ? t->choice[r].row->variant
                                                   : NULL;
        bytes += v && v->bytes ? v->bytes(&args[r]) : 0;
    }
    return bytes - (m > 0 ? 0 : tuned_twice(t, args));
}

farsum_status tuned_choose(struct tuned *t, const struct farsum_plan *plan)
{
    const farsum_options *o = &plan->options;
    const char *names[ROOM_COUNT] = {o->near, o->spread, o->fft, o->scale,
                                     o->interp};
    union room_args args[ROOM_COUNT];
    tuned_args(t, plan, args);
    t->seconds = 0;
    for (int r = 0; r < ROOM_COUNT; r++) {
        struct choose_options how = {.name = names[r],
                                     .deterministic = o->deterministic};
        TRY(choose(rooms[r], &args[r], &how, &t->choice[r]));
        double both = r == ROOM_FFT ? 2 : 1; /* there and back */
        t->seconds += both * t->choice[r].cost * plan->machine.factor[r];
    }
    t->bytes = tuned_bytes(t, plan);
    return FARSUM_OK;
}

farsum_status tuned_measured(struct tuned *t, const struct farsum_plan *plan)
{
    static const int kept[] = {ROOM_SPREAD, ROOM_INTERP};
    const farsum_options *o = &plan->options;
    union room_args args[ROOM_COUNT];
    tuned_args(t, plan, args);
    for (int k = 0; k < 2; k++) {
        int r = kept[k];
        struct planner how = {.name = r == ROOM_SPREAD ? o->spread : o->interp,
                              .deterministic = o->deterministic,
                              .measure = o->measure,
                              .device = plan->device,
                              .isa = plan->isa,
                              .threads = plan->threads};
        struct choice old = t->choice[r];
        TRY(planner_choose(&how, rooms[r], &args[r], &t->choice[r]));
        double factor = plan->machine.factor[r];
        t->seconds += t->choice[r].cost * (t->choice[r].measured ? 1 : factor)
                      - old.cost * factor;
    }
    t->bytes = tuned_bytes(t, plan);
    return FARSUM_OK;
}

static double tuned_volume(const struct farsum_plan *plan)
{
    const double *a = plan->problem.cell;
    return a[0] * (a[4] * a[8] - a[5] * a[7])
           - a[1] * (a[3] * a[8] - a[5] * a[6])
           + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* (6.7), C = 1, caller's length: what rounding adds to a potential, or to a
 * force: of the sum, and of the positions, which the near field holds to a part
 * of the cutoff. */
static double tuned_rounding(const struct tuned *t, const struct farsum_plan *p,
                             int potential)
{
    const struct sample *s = &p->sample;
    int f32 = p->problem.precision == FARSUM_F32;
    double sum = f32 ? 2.5e-7 : 1e-15, place = f32 ? 0x1p-27 : 0x1p-52;
    double volume = tuned_volume(p), n = (double)s->n;
    if (potential)
        return sum * sqrt(s->q2 / n) * fmax(1 / t->rc, cbrt(n / volume));
    return hypot(sum * sample_force_norm(s, volume), place * t->rc * s->close);
}

double tuned_norm(const struct farsum_plan *plan)
{
    const struct sample *s = &plan->sample;
    double n = (double)s->n, c = plan->problem.coulomb;
    double volume = tuned_volume(plan);
    if (plan->problem.error == FARSUM_ERROR_ABSOLUTE)
        return 1;
    if (plan->problem.error == FARSUM_ERROR_POTENTIAL)
        return c * sqrt(s->q2 / n) * cbrt(n / volume);
    if (s->m > 0) /* of targets apart from the sources nothing is known */
        return c * s->q2 / n * pow(n / volume, 2.0 / 3);
    return c * sample_force_norm(s, volume);
}

/* Shells of charges: those of the sample's targets, then wider ones of which
 * the mean number of charges is known. */
enum { WIDE = 16, SHELLS = SAMPLE_SHELLS + WIDE };

/* What the shells stand for of a disordered system's squares, what the wider
 * ones add per q^2 of a charge in them, and how much more the aliases weigh
 * than as if the same in every direction. */
struct reach {
    double cut, gather, spread, wide, more_gather, more_spread;
};

/* 0 and outer radii, units of the cutoff. */
static void tuned_shells(const struct tuned *t, const struct sample *s,
                         double edge[SHELLS + 1])
{
    double *radius = edge + 1;
    edge[0] = 0;
    double inner = s->radius[SAMPLE_SHELLS - 1];
    double last = s->radius0 * pow(s->step, SAMPLE_RADII - 1);
    for (int k = 0; k < SAMPLE_SHELLS; k++)
        radius[k] = s->radius[k] / t->rc;
    for (int k = 0; k < WIDE; k++)
        radius[SAMPLE_SHELLS + k] = inner / t->rc
                                    * pow(fmax(last / inner, 1),
                                          (k + 1.0) / WIDE);
}

static struct reach tuned_reach(const struct tuned *t, const struct sample *s,
                                const double edge[SHELLS + 1],
                                const struct error_pair *pair, int potential)
{
    const struct error_parts *p = potential ? &t->potential : &t->field;
    struct reach reach = {0, 0, 0, 0, 1, 1};
    struct cell cell; /* the sample's radii are in the caller's lengths */
    double last = 0, gather, spread, inside = 0, wide[3] = {0};
    cell_scale(&cell, &t->cell, t->rc);
    for (int k = 0; k < SHELLS; k++) {
        double outer = edge[k + 1];
        double shell = 4 * M_PI / 3 * (pow(outer, 3) - pow(last, 3))
                       / t->cell.volume;
        double square[3] = {pair[k].cut * pair[k].cut,
                            pair[k].gather * pair[k].gather,
                            pair[k].spread * pair[k].spread};
        reach.cut += shell * square[0];
        reach.gather += shell * square[1];
        reach.spread += shell * square[2];
        last = outer;
        if (k < SAMPLE_SHELLS - 1)
            continue;
        double around = sample_around(s, &cell, outer * t->rc);
        for (int a = 0; a < 3 && k >= SAMPLE_SHELLS; a++)
            wide[a] += (around - inside) * square[a];
        inside = around;
    }
    reach.wide = wide[0];
    if (t->mesh[0] == 0)
        return reach;
    error_pairs_whole(&t->band, &t->alias, &t->cell, t->mesh, potential,
                      &gather, &spread);
    reach.more_gather = gather > 0 ? fmax(p->gather / gather, 1) : 1;
    reach.more_spread = spread > 0 ? fmax(p->spread / spread, 1) : 1;
    reach.gather *= reach.more_gather;
    reach.spread *= reach.more_spread;
    reach.wide += reach.more_gather * wide[1] + reach.more_spread * wide[2];
    return reach;
}

/* Square error at one target from the charges in its shells, the first lines of
 * (6.15). */
static double tuned_target(const struct tuned *t,
                           const struct sample_target *at,
                           const struct error_pair *pair,
                           const struct error_pair *own,
                           const struct reach *reach, int potential)
{
    /* its own aliases of spread and interp are in phase */
    double gather = at->q * (own->gather + (potential ? own->spread : 0));
    double left[3] = {potential ? at->q * t->band.self : 0, 0, 0}, spread = 0;
    for (int k = at->first; k < SAMPLE_SHELLS; k++) {
        gather += at->charge[k] * pair[k].gather;
        spread += at->square[k] * pair[k].spread * pair[k].spread;
        for (int d = 0; d < 3; d++)
            left[d] += pair[k].cut
                       * (!potential ? at->dipole[k][d]
                          : d == 0   ? at->charge[k]
                                     : 0);
    }
    return reach->more_gather * gather * gather + reach->more_spread * spread
           + left[0] * left[0] + left[1] * left[1] + left[2] * left[2];
}

/* Square of the RMS error of force or potential for the sample's charges,
 * units of the cutoff. */
static double tuned_square(const struct tuned *t, const struct sample *s,
                           int potential)
{
    const struct error_parts *p = potential ? &t->potential : &t->field;
    double q2 = s->q2, mean = q2 / (double)s->n, w = potential ? 1 : mean;
    double cut = p->cut_near + p->cut_far, local = 0;
    double plain = w * (q2 * (cut + p->gather + p->spread) + mean * p->self);
    struct error_pair pair[SHELLS], own;
    double edge[SHELLS + 1];
    const double none[2] = {0, 0};
    if (s->n_targets == 0)
        return plain;
    tuned_shells(t, s, edge);
    error_pairs(pair, edge, SHELLS, &t->band, &t->alias, &t->cell, t->mesh,
                potential);
    error_pairs(&own, none, 1, &t->band, &t->alias, &t->cell, t->mesh,
                potential);
    struct reach reach = tuned_reach(t, s, edge, pair, potential);
    for (int64_t i = 0; i < s->n_targets; i++) {
        double q = s->target[i].q;
        local += tuned_target(t, &s->target[i], pair, &own, &reach, potential)
                 * (potential ? 1 : q * q) / (double)s->n_targets;
    }
    /* what the targets' shells do not reach has no order */
    local += w * mean * reach.wide;
    local += w * q2
             * (fmax(cut - reach.cut, 0) + fmax(p->gather - reach.gather, 0)
                + fmax(p->spread - reach.spread, 0));
    return fmax(local, 0.1 * plain);
}

void tuned_error(struct tuned *t, const struct farsum_plan *plan)
{
    int potential = plan->problem.error == FARSUM_ERROR_POTENTIAL;
    struct error_parts *p = potential ? &t->potential : &t->field;
    if (t->mesh[0])
        error_set(p, &t->band, &t->alias, &t->cell, t->mesh, potential);
    t->square = tuned_square(t, &plan->sample, potential);
    t->error = tuned_estimate(t, plan, plan->sample.q2, plan->sample.n,
                              potential)
               / tuned_norm(plan);
}

double tuned_estimate(const struct tuned *t, const struct farsum_plan *plan,
                      double q2, int64_t n, int potential)
{
    const struct sample *s = &plan->sample;
    double other = s->q2 > 0 ? q2 / s->q2 : 0, rc = t->rc;
    double error = sqrt(t->square) / (potential ? rc : rc * rc);
    /* a force has two charges, a potential one; the mean is over n */
    double to = potential ? sqrt(other * (double)s->n / (double)n)
                          : other * sqrt((double)s->n / (double)n);
    error = potential ? error * sqrt(other) : error * to;
    return plan->problem.coulomb
           * hypot(error, tuned_rounding(t, plan, potential) * to);
}
