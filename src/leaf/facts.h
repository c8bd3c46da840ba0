/* SPDX-License-Identifier: Apache-2.0 */
/* facts.h: what the kernels of a spectral plan share: the facts of a sum, f64,
 * and the caller's arrays and units.  Sums are in f64 and in a fixed order:
 * each group leaves a record of RECORD words, one group adds them.
 *
 * Who includes it defines RECORD. */
#ifndef FARSUM_LEAF_FACTS_H
#define FARSUM_LEAF_FACTS_H

#include "leaf/array.h"
#include "leaf/sum.h"

#define FACT_Q 0       /* sum q, in units of the strengths, as all below */
#define FACT_Q2 1      /* sum q^2 */
#define FACT_UNIT 2    /* power of two that strengths are divided by */
#define FACT_DIPOLE 3  /* sum q x, three */
#define FACT_FORCE 6   /* sum q^2 E^2 of the results */
#define FACT_PHI 7     /* sum phi^2 */
#define FACT_BAD 8     /* right-hand side of the first bad strength, -1: none */
#define FACT_BAD_AT 9  /* its index */
#define FACT_TWIN 10   /* the lesser of two coincident sources, -1: none */
#define FACT_TWIN_OF 11
#define FACT_UNIT_2 22 /* of a stresslet's second vectors */
#define FACT_RANGE 23  /* right-hand side of the first results that are not in
                          the range of their type, -1: none */

struct spectral_units {
    f64 coulomb, cutoff;
    f64 background; /* (5.5) over the net charge */
    f64 surface;    /* (5.6) over the dipole; 0: tin foil */
    f64 none;       /* larger than any index */
    i64 n, targets;
    i64 first_q, first_out; /* where this right-hand side begins */
    i64 rhs;
    i32 wide;       /* 1: the caller's arrays are f64 */
    i32 apart;      /* 1: targets are not the sources */
    i32 potential, field, energy, virial; /* 1: wanted */
    i32 beside;     /* 1: near results are apart from those of the mesh */
    i32 exponent;   /* a value inside is 2^(exponent) of the caller's over a
                       unit strength, */
    i32 length;     /* a length 2^length */
    i32 spare;
    f64 per;        /* a coordinate that is given, times per, is inside */
};

/* The least of the group, to every thread. */
FN f64 group_least(f64 v, LOCAL_PTR f64 *scratch)
{
#if HAS_SUBGROUP && GROUP % SG_SIZE == 0
    UNROLL
    for (i32 by = SG_SIZE / 2; by > 0; by /= 2) {
        f64 other = sg_shuffle_xor(v, by);
        v = other < v ? other : v;
    }
    if (LID % SG_SIZE == 0)
        scratch[LID / SG_SIZE] = v;
    BARRIER();
    f64 least = scratch[0];
    UNROLL
    for (i32 w = 1; w < GROUP / SG_SIZE; w++)
        least = scratch[w] < least ? scratch[w] : least;
#else
    scratch[LID] = v;
    BARRIER();
    for (i32 by = GROUP / 2; by > 0; by /= 2) {
        if (LID < by && scratch[LID + by] < scratch[LID])
            scratch[LID] = scratch[LID + by];
        BARRIER();
    }
    f64 least = scratch[0];
#endif
    BARRIER();
    return least;
}

/* Of records of `each` words. */
FN f64 records_least_of(GLOBAL const f64 *record, i64 records, i32 each, i32 w,
                        f64 none, LOCAL_PTR f64 *scratch)
{
    f64 least = none;
    for (i64 g = LID; g < records; g += GROUP)
        least = record[g * each + w] < least ? record[g * each + w] : least;
    return group_least(least, scratch);
}

FN f64 records_least(GLOBAL const f64 *record, i64 records, i32 w, f64 none,
                     LOCAL_PTR f64 *scratch)
{
    return records_least_of(record, records, RECORD, w, none, scratch);
}

/* The power of two at or below v > 0; a normal number, as is what it is 1
 * over. */
FN f64 power_below(f64 v)
{
    i32 e = ilogb(v);
    return ldexp((f64)1, e < -1022 ? -1022 : e > 1022 ? 1022 : e);
}

/* The same of minus a group's largest strength; 1 where there is none. */
FN f64 power_of(f64 minus_most, f64 none)
{
    f64 most = -minus_most;
    return most > 0 && most < none ? power_below(most) : 1;
}

/* Word w of the records, each in units of its group's own: of minus the largest
 * in word w_most, to `power`, and in w_other too unless that is below 0. */
FN f64 records_scaled(GLOBAL const f64 *record, i64 records, i32 each, i32 w,
                      i32 w_most, i32 w_other, i32 power, f64 unit, f64 none,
                      LOCAL_PTR f64 *scratch)
{
    f64 sum = 0;
    for (i64 g = LID; g < records; g += GROUP) {
        f64 own = power_of(record[g * each + w_most], none);
        if (w_other >= 0)
            own *= power_of(record[g * each + w_other], none);
        own /= unit;
        sum += record[g * each + w] * (power == 2 ? own * own : own);
    }
    return group_total(sum, scratch);
}

/* 2^e as two factors, to what one f64 does not hold. */
struct out_scale {
    f64 a, b;
};
FN struct out_scale out_scale(i32 e)
{
    struct out_scale s;
    e = e < -2044 ? -2044 : e > 2044 ? 2044 : e;
    s.a = ldexp((f64)1, e / 2);
    s.b = ldexp((f64)1, e - e / 2);
    return s;
}

/* The least normal number of a result's type. */
FN f64 out_least(i32 wide)
{
    return wide ? 2.2250738585072014e-308 : 1.1754943508222875e-38;
}

/* The larger by size of `most` and what v has become outside: infinite if that
 * is not finite in its type, out_least for all below. */
FN f64 out_most(f64 most, f64 v, f64 given, i32 wide, f64 none)
{
    f64 size = fabs(wide ? given : (f64)(f32)given), least = out_least(wide);
    size = v != 0 && size < least ? least : size;
    return size <= most ? most : size < none ? size : none;
}

/* 1: of such results the largest is in the range of its type. */
FN i32 out_good(f64 most, i32 wide, f64 none)
{
    return most == 0 || (most > out_least(wide) && most < none);
}

FN void facts_range(GLOBAL f64 *fact, i32 good, i64 rhs)
{
    if (!good && fact[FACT_RANGE] < 0)
        fact[FACT_RANGE] = (f64)rhs;
}

/* Records that have minus the largest result in `count` words from w on, by one
 * group. */
FN void facts_ranges(GLOBAL const f64 *record, i64 records, i32 each, i32 w,
                     i32 count, GLOBAL f64 *fact, i32 wide, i64 rhs, f64 none,
                     LOCAL_PTR f64 *scratch)
{
    i32 good = 1;
    for (i32 c = 0; c < count; c++) {
        f64 most = -records_least_of(record, records, each, w + c, 0, scratch);
        good = out_good(most, wide, none) ? good : 0;
    }
    if (LID == 0)
        facts_range(fact, good, rhs);
}

/* The unit of the strengths, to every thread: word w of the records has minus
 * the largest, minus infinity where there is none. */
FN f64 facts_unit_of(GLOBAL const f64 *record, i64 records, i32 each, i32 w,
                     f64 none, LOCAL_PTR f64 *scratch)
{
    return power_of(records_least_of(record, records, each, w, 0, scratch),
                    none);
}

FN f64 facts_unit(GLOBAL const f64 *record, i64 records, i32 w, f64 none,
                  LOCAL_PTR f64 *scratch)
{
    return facts_unit_of(record, records, RECORD, w, none, scratch);
}

/* What a sum is known by; bad: the first strength that is none. */
FN void facts_of(GLOBAL f64 *fact, f64 sum, f64 square, f64 unit, f64 bad,
                 struct spectral_units a)
{
    fact[FACT_Q] = sum;
    fact[FACT_Q2] = square;
    fact[FACT_UNIT] = unit;
    if (bad < a.none && fact[FACT_BAD] < 0) {
        fact[FACT_BAD] = (f64)a.rhs;
        fact[FACT_BAD_AT] = bad;
    }
}

/* Zeros, by all groups. */
FN void facts_clear(GLOBAL real *to, i64 n)
{
    for (i64 i = GID * GROUP + LID; i < n; i += NGROUPS * GROUP)
        to[i] = R(0);
}

/* By one. */
FN void facts_clear_sums(GLOBAL f64 *energy, GLOBAL f64 *virial,
                         struct spectral_units a)
{
    if (a.energy && LID == 0)
        energy[0] = 0;
    if (a.virial && LID < 9)
        virial[LID] = 0;
}

/* `count` words of the records, from fact `to` on. */
FN void facts_fold(GLOBAL const f64 *record, GLOBAL f64 *fact, i64 records,
                   i32 to, i32 count, LOCAL_PTR f64 *scratch)
{
    for (i32 w = 0; w < count; w++) {
        f64 total = records_total(record, records, RECORD, w, scratch);
        if (LID == 0)
            fact[to + w] = total;
    }
}
#endif
