/* SPDX-License-Identifier: Apache-2.0 */
/* near_sums.h: what a target is given by pairs, and what of it goes to the
 * caller's arrays and to the groups' records.
 *
 * Known with the plan are numbers of a kernel, STRENGTHS and VALUES, and what
 * is wanted: POT, FIELD, VIRIAL.  WIDE: results are f64, and pairs of f32 are
 * summed in f32 only between near_spill and near_spill, which a row calls once
 * it may have summed some tens of them and before near_give.  Who includes it
 * defines GROUP. */
#ifndef FARSUM_LEAF_NEAR_SUMS_H
#define FARSUM_LEAF_NEAR_SUMS_H

#ifndef STRENGTHS
#define STRENGTHS 1
#define VALUES 1
#endif
#ifndef POT
#define POT 1
#endif
#ifndef FIELD
#define FIELD 0
#endif
#ifndef VIRIAL
#define VIRIAL 0
#endif
#ifndef WIDE
#define WIDE 0
#endif

#include "leaf/near_cells.h"

#if WIDE
typedef f64 sum_t;
#define SUMS(word) word##_wide
#else
typedef real sum_t;
#define SUMS(word) word
#endif

struct near_sums {
    real value[VALUES], field[3], virial[6]; /* xx xy xz yy yz zz */
#if WIDE
    f64 value_wide[VALUES], field_wide[3], virial_wide[6];
#endif
};

FN void near_clear(struct near_sums *sum)
{
    UNROLL
    for (i32 c = 0; c < VALUES; c++)
        sum->value[c] = sum->SUMS(value)[c] = R(0);
    UNROLL
    for (i32 j = 0; j < 3; j++)
        sum->field[j] = sum->SUMS(field)[j] = R(0);
    UNROLL
    for (i32 t = 0; t < 6; t++)
        sum->virial[t] = sum->SUMS(virial)[t] = R(0);
}

/* What was summed since the last time to where it is f64. */
FN void near_spill(struct near_sums *sum)
{
#if WIDE
    UNROLL
    for (i32 c = 0; c < VALUES; c++) {
        sum->value_wide[c] += (f64)sum->value[c];
        sum->value[c] = R(0);
    }
    UNROLL
    for (i32 j = 0; j < 3; j++) {
        sum->field_wide[j] += (f64)sum->field[j];
        sum->field[j] = R(0);
    }
    UNROLL
    for (i32 t = 0; t < 6; t++) {
        sum->virial_wide[t] += (f64)sum->virial[t];
        sum->virial[t] = R(0);
    }
#else
    (void)sum;
#endif
}

/* A pair's field g d; virial: 1 if its virial counts. */
FN void near_slope(real g, const real d[3], i32 virial, struct near_sums *sum)
{
    UNROLL
    for (i32 j = 0; j < 3; j++)
        sum->field[j] = FMA(g, d[j], sum->field[j]);
    if (virial) {
        sum->virial[0] += g * d[0] * d[0];
        sum->virial[1] += g * d[0] * d[1];
        sum->virial[2] += g * d[0] * d[2];
        sum->virial[3] += g * d[1] * d[1];
        sum->virial[4] += g * d[1] * d[2];
        sum->virial[5] += g * d[2] * d[2];
    }
}

/* What target k has, `to` in the caller's order, to the caller's arrays; its
 * energy and virial to those of the thread. */
FN void near_give(struct near_cells a, i64 k, i64 to, i32 virial,
                  GLOBAL const real *qs, GLOBAL sum_t *potential,
                  GLOBAL sum_t *field, const struct near_sums *sum,
                  f64 share[RECORD])
{
    UNROLL
    for (i32 c = 0; c < VALUES; c++)
        if (a.want & WANT_POTENTIAL)
            potential[c * a.n + to] += sum->SUMS(value)[c];
    UNROLL
    for (i32 j = 0; j < 3; j++)
        if (FIELD && (a.want & WANT_FIELD))
            field[3 * to + j] += sum->SUMS(field)[j];
    if (a.want & (WANT_ENERGY | WANT_VIRIAL)) { /* targets are sources */
        f64 half_q = 0.5 * (f64)qs[k];
        share[0] += half_q * (f64)sum->SUMS(value)[0];
        UNROLL
        for (i32 t = 0; t < 6; t++)
            if (virial)
                share[1 + t] += half_q * (f64)sum->SUMS(virial)[t];
    }
}

/* The threads' v to word t of the group's record. */
FN void near_word(f64 v, i32 t, GLOBAL f64 *record, LOCAL_PTR f64 *scratch)
{
    f64 total = group_total(v, scratch);
    if (LID == 0)
        record[GID * RECORD + t] = total;
}

/* The threads' shares to the group's record.  Every thread calls. */
FN void near_record(i32 want, i32 virial, const f64 share[RECORD],
                    GLOBAL f64 *record, LOCAL_PTR f64 *scratch)
{
    if (want & WANT_ENERGY)
        near_word(share[0], 0, record, scratch);
    for (i32 t = 1; virial && (want & WANT_VIRIAL) && t < RECORD; t++)
        near_word(share[t], t, record, scratch);
}
#endif
