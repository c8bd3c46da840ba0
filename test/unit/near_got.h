/* SPDX-License-Identifier: Apache-2.0 */
/* near_got.h: a near variant's results for a case, and their distance from the
 * formulas. */
#ifndef FARSUM_TEST_NEAR_GOT_H
#define FARSUM_TEST_NEAR_GOT_H

#include "unit/near_case.h"

/* Results of a run, in double. */
struct got {
    double *potential, *field, energy, virial[9];
};

static inline void got_clear(struct got *got)
{
    free(got->potential);
    free(got->field);
}

static inline void *as_real(const double *x, int64_t n, int f32)
{
    void *to = case_new(n, sizeof(double));
    for (int64_t k = 0; k < n; k++)
        if (f32)
            ((float *)to)[k] = (float)x[k];
        else
            ((double *)to)[k] = x[k];
    return to;
}

static inline double *as_double(void *x, int64_t n, int f32)
{
    double *to = case_new(n, sizeof *to);
    for (int64_t k = 0; k < n; k++)
        to[k] = f32 ? (double)((float *)x)[k] : ((double *)x)[k];
    free(x);
    return to;
}

static inline struct near_args case_args(const struct near_case *c,
                                         farsum_precision precision)
{
    return (struct near_args){
        .precision = precision,
        .isa = ISA_BASE,
        .threads = 1,
        .outputs =
            FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL,
        .cell = &c->cell,
        .poly = &c->poly,
        .n_sources = c->sources.n,
        .n_targets = c->targets.n,
        .neighbours = 4.19 * (double)c->sources.n / c->cell.volume,
    };
}

/* Runs a state on the case; results are added to the old values. */
static inline void state_run(const struct variant *row, void *state,
                             const struct near_case *c,
                             const struct near_args *args, unsigned outputs,
                             struct got *got)
{
    int f32 = args->precision == FARSUM_F32;
    int64_t n = case_targets(c);
    void *q = as_real(c->q, c->sources.n, f32);
    void *potential = case_new(n, sizeof(double));
    void *field = case_new(3 * n, sizeof(double));
    memset(got, 0, sizeof *got);
    const struct near_io io = {
        .q = q,
        .potential = outputs & FARSUM_POTENTIAL ? potential : NULL,
        .field = outputs & FARSUM_FIELD ? field : NULL,
        .energy = outputs & FARSUM_ENERGY ? &got->energy : NULL,
        .virial = outputs & FARSUM_VIRIAL ? got->virial : NULL,
    };
    int64_t before = mem_bytes();
    assert_int_equal(row->run(state, &io), FARSUM_OK);
    assert_int_equal(mem_bytes(), before);
    got->potential = as_double(potential, n, f32);
    got->field = as_double(field, 3 * n, f32);
    free(q);
}

/* Largest |got - want| / allowed.  f64: a few roundings of each term, and the
 * uncertainty of positions from the size of the cell.  f32: 1/r and the
 * polynomials in single precision, positions to 2^-27 of a cutoff. */
static inline double worst_of(const struct near_case *c,
                              const struct near_args *args, unsigned outputs,
                              const struct got *got, double root)
{
    double eps = args->precision == FARSUM_F32 ? 1e-6 : 3e-15, move = 0;
    for (int k = 0; k < 9; k++)
        move = fmax(move, fabs(c->cell.a[k]));
    move = 1e-15 * move + (args->precision == FARSUM_F32 ? 3e-8 : 0);
    double length = 1, virial = 0, worst = 0;
    for (int k = 0; k < 9; k++)
        length = fmax(length, 2 * fabs(c->cell.a[k]));
    eps += root;
    for (int64_t i = 0; i < case_targets(c); i++) {
        double allow = eps * c->potential_size[i] + move * c->potential_move[i];
        if (outputs & FARSUM_POTENTIAL)
            worst = fmax(worst, fabs(got->potential[i] - c->potential[i])
                                    / (allow + 1e-300));
        allow = 3 * (eps * c->field_size[i] + move * c->field_move[i]);
        for (int a = 0; a < 3 && outputs & FARSUM_FIELD; a++)
            worst =
                fmax(worst, fabs(got->field[3 * i + a] - c->field[3 * i + a])
                                / (allow + 1e-300));
        if (!c->targets.n)
            virial += fabs(c->q[i]) * allow * length;
    }
    if (outputs & FARSUM_ENERGY)
        worst = fmax(worst, fabs(got->energy - c->energy)
                                / (eps * c->energy_size + move * c->energy_move
                                   + 1e-300));
    for (int a = 0; a < 9 && outputs & FARSUM_VIRIAL; a++)
        worst = fmax(worst,
                     fabs(got->virial[a] - c->virial[a]) / (virial + 1e-300));
    return worst;
}
#endif
