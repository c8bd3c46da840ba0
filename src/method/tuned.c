/* tuned.c: what a set of parameters means: arguments, bytes, error. */
#include "method/tuned.h"

#include <math.h>

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
        t->seconds += both * t->choice[r].cost;
    }
    t->bytes = tuned_bytes(t, plan);
    return FARSUM_OK;
}

/* (6.7): rounding adds what no parameter takes away: relative to the field. */
static double tuned_rounding(const struct farsum_plan *plan)
{
    return plan->problem.precision == FARSUM_F32 ? 2.5e-7 : 1e-15;
}

void tuned_error(struct tuned *t, const struct farsum_plan *plan)
{
    (void)plan;
    error_cut(&t->split, t->cell.volume, 0, &t->field);
    t->field.mesh = error_mesh(&t->split, &t->alias, &t->cell, t->mesh, 0);
    error_cut(&t->split, t->cell.volume, 1, &t->potential);
    t->potential.mesh = error_mesh(&t->split, &t->alias, &t->cell, t->mesh, 1);
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

double tuned_estimate(const struct tuned *t, const struct farsum_plan *plan,
                      double q2, int64_t n, int potential)
{
    const struct error_parts *p = potential ? &t->potential : &t->field;
    /* crowding where the error of each part lives: at the cutoff; at the
     * scale of the shortest wave kept */
    double wave = M_PI / t->split.c;
    double near = sample_crowd(&plan->sample, t->rc);
    double far = fmax(1, sample_crowd(&plan->sample, t->rc * wave));
    double sum = p->cut_near * fmax(near, 1) + (p->cut_far + p->mesh) * far;
    double q = n > 0 ? sqrt(q2 / (double)n) : 0;
    double error = sqrt(q2 * sum) / (potential ? t->rc : t->rc * t->rc);
    double round = tuned_rounding(plan) * tuned_norm(plan);
    if (potential)
        return hypot(plan->problem.coulomb * error,
                     tuned_rounding(plan) * plan->problem.coulomb * q / t->rc);
    return hypot(plan->problem.coulomb * error * q,
                 plan->problem.error == FARSUM_ERROR_FORCE ? round : 0);
}
