/* tuned.c: what a set of parameters means: arguments, bytes, error. */
#include "method/tuned.h"

#include <math.h>

_Static_assert((int)MACHINE_ROOMS == (int)ROOM_COUNT, "a factor a room");

static const struct stage *const rooms[ROOM_COUNT] = {
    &near_stage, &spread_stage, &fft_stage, &scale_stage, &interp_stage,
};

void tuned_args(const struct tuned *t, const struct farsum_plan *plan,
                union room_args args[ROOM_COUNT])
{
    const farsum_problem *p = &plan->problem;
    const int64_t n = plan->sample.n, m = plan->sample.m;
    double around = sample_around(&plan->sample, &t->cell, 1);
    const int64_t *mesh = t->mesh;
    struct cell cell; /* the sample's radii are in the caller's lengths */
    cell_scale(&cell, &t->cell, t->rc);
    around = sample_around(&plan->sample, &cell, t->rc);
    args[ROOM_NEAR].near = (struct near_args){
        p->precision, plan->isa, plan->threads, p->outputs, &t->cell,
        &t->poly,     n,         m,             around};
    args[ROOM_SPREAD].spread = (struct spread_args){
        p->precision, plan->isa, plan->threads, {mesh[0], mesh[1], mesh[2]},
        t->ldz,       &t->window, n};
    args[ROOM_FFT].fft = (struct fft_args){
        p->precision, plan->threads, {mesh[0], mesh[1], mesh[2]}, t->ldz,
        plan->options.measure};
    args[ROOM_SCALE].scale = (struct scale_args){
        p->precision, plan->isa, plan->threads, {mesh[0], mesh[1], mesh[2]},
        t->ldz,       &t->split, &t->window,    &t->cell};
    args[ROOM_INTERP].interp = (struct interp_args){
        p->precision,
        plan->isa,
        plan->threads,
        p->outputs & (FARSUM_POTENTIAL | FARSUM_FIELD),
        {mesh[0], mesh[1], mesh[2]},
        t->ldz,
        &t->window,
        &t->cell,
        m > 0 ? m : n};
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
    tuned_args(t, plan, args);
    for (int r = 0; r < ROOM_COUNT; r++) {
        const struct variant *v = t->choice[r].row ? t->choice[r].row->variant
                                                   : NULL;
        bytes += v && v->bytes ? v->bytes(&args[r]) : 0;
    }
    return bytes;
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
        struct choose_options how = {names[r], o->deterministic};
        TRY(choose(rooms[r], &args[r], &how, &t->choice[r]));
        double both = r == ROOM_FFT ? 2 : 1; /* there and back */
        t->seconds += both * t->choice[r].cost * plan->machine.factor[r];
    }
    t->bytes = tuned_bytes(t, plan);
    return FARSUM_OK;
}

/* (6.7): rounding adds what no parameter takes away: relative to the field. */
static double tuned_rounding(const struct farsum_plan *plan)
{
    return plan->problem.precision == FARSUM_F32 ? 2.5e-7 : 1e-15;
}

double tuned_norm(const struct farsum_plan *plan)
{
    const struct sample *s = &plan->sample;
    double n = (double)s->n, c = plan->problem.coulomb, volume;
    const double *a = plan->problem.cell;
    volume = a[0] * (a[4] * a[8] - a[5] * a[7])
             - a[1] * (a[3] * a[8] - a[5] * a[6])
             + a[2] * (a[3] * a[7] - a[4] * a[6]);
    if (plan->problem.error == FARSUM_ERROR_ABSOLUTE)
        return 1;
    if (plan->problem.error == FARSUM_ERROR_POTENTIAL)
        return c * sqrt(s->q2 / n) * cbrt(n / volume);
    return c * sample_force_norm(s, volume);
}

/* Mean over the sample's targets of q^w times the square error that the
 * charges in the shells around them make, by (6.8); *cut and *mesh: the part
 * of a disordered system's squares that the shells stand for. */
static double tuned_local(const struct tuned *t, const struct sample *s,
                          int potential, double *cut, double *mesh)
{
    struct error_pair pair[SAMPLE_SHELLS], own;
    double r[SAMPLE_SHELLS], zero = 0, sum = 0, last = 0;
    double density = 1 / t->cell.volume;
    for (int k = 0; k < SAMPLE_SHELLS; k++) {
        double outer = s->radius[k] / t->rc;
        r[k] = (outer + last) / 2;
        last = outer;
    }
    error_pairs(pair, r, SAMPLE_SHELLS, &t->band, &t->alias, &t->cell, t->mesh,
                potential);
    error_pairs(&own, &zero, 1, &t->band, &t->alias, &t->cell, t->mesh,
                potential);
    *cut = *mesh = last = 0;
    for (int k = 0; k < SAMPLE_SHELLS; k++) {
        double outer = s->radius[k] / t->rc;
        double shell = 4 * M_PI / 3 * (pow(outer, 3) - pow(last, 3)) * density;
        *cut += shell * pair[k].cut * pair[k].cut;
        *mesh += shell * pair[k].mesh * pair[k].mesh;
        last = outer;
    }
    double whole = t->mesh[0] ? error_pairs_mesh(&t->band, &t->alias, &t->cell,
                                                 t->mesh, potential)
                              : 0;
    const struct error_parts *p = potential ? &t->potential : &t->field;
    /* what aliases weigh more than as if the same in every direction */
    double more = whole > 0 ? fmax(p->mesh / whole, 1) : 1;
    *mesh *= more;
    for (int64_t i = 0; i < s->n_targets; i++) {
        const struct sample_target *at = &s->target[i];
        double alias = at->q * own.mesh, left[3] = {0}, square;
        for (int k = at->first; k < SAMPLE_SHELLS; k++) {
            alias += at->charge[k] * pair[k].mesh;
            for (int d = 0; d < 3; d++)
                left[d] += (potential ? (d ? 0 : at->charge[k])
                                      : at->dipole[k][d])
                           * pair[k].cut;
        }
        left[0] += potential ? at->q * t->band.self : 0;
        square = more * alias * alias + left[0] * left[0] + left[1] * left[1]
                 + left[2] * left[2];
        sum += potential ? square : square * at->q * at->q;
    }
    return sum / (double)s->n_targets;
}

/* Square of the RMS error of force or potential for the sample's charges,
 * units of the cutoff. */
static double tuned_square(const struct tuned *t, const struct sample *s,
                           int potential)
{
    const struct error_parts *p = potential ? &t->potential : &t->field;
    double q2 = s->q2, mean = q2 / (double)s->n, w = potential ? 1 : mean;
    double cut = p->cut_near + p->cut_far, inner_cut, inner_mesh;
    double plain = w * (q2 * (cut + p->mesh) + mean * p->self);
    if (s->n_targets == 0)
        return plain;
    double local = tuned_local(t, s, potential, &inner_cut, &inner_mesh);
    /* what the shells do not reach has no order */
    local += w * q2
             * (fmax(cut - inner_cut, 0) + fmax(p->mesh - inner_mesh, 0));
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
    double c = plan->problem.coulomb, round = tuned_rounding(plan), rc = t->rc;
    double other = s->q2 > 0 ? q2 / s->q2 : 0;
    double error = sqrt(potential ? t->square * other
                                  : t->square * other * other
                                        * ((double)s->n / (double)n));
    if (potential)
        return c * hypot(error / rc, round * sqrt(q2 / (double)n) / rc);
    error /= rc * rc;
    if (plan->problem.error != FARSUM_ERROR_FORCE)
        return c * error;
    return hypot(c * error, round * tuned_norm(plan));
}
