/* facts.h: what the kernels of a spectral plan share: the facts of a sum, f64,
 * and the caller's arrays and units.  Sums are in f64 and in a fixed order:
 * each group leaves a record of RECORD words, one group adds them.
 *
 * Who includes it defines RECORD. */
#ifndef FARSUM_LEAF_FACTS_H
#define FARSUM_LEAF_FACTS_H

#include "leaf/array.h"
#include "leaf/sum.h"

#define FACT_Q 0       /* sum q, caller's units */
#define FACT_Q2 1      /* sum q^2 */
#define FACT_UNIT 2    /* power of two that strengths are divided by */
#define FACT_DIPOLE 3  /* sum q x, three */
#define FACT_FORCE 6   /* sum q^2 E^2 of the results, caller's units */
#define FACT_PHI 7     /* sum phi^2 */
#define FACT_BAD 8     /* right-hand side of the first bad strength, -1: none */
#define FACT_BAD_AT 9  /* its index */
#define FACT_TWIN 10   /* the lesser of two coincident sources, -1: none */
#define FACT_TWIN_OF 11

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
    i32 spare;
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

/* The power of two at or below v. */
FN f64 power_below(f64 v)
{
    f64 unit = 1;
    for (i32 k = 0; k < 1100 && unit * 2 <= v; k++)
        unit *= 2;
    for (i32 k = 0; k < 1100 && unit > v; k++)
        unit /= 2;
    return unit;
}

/* The unit of the strengths, to every thread: word w of the records has minus
 * the largest, minus infinity where there is none. */
FN f64 facts_unit_of(GLOBAL const f64 *record, i64 records, i32 each, i32 w,
                     f64 none, LOCAL_PTR f64 *scratch)
{
    f64 most = -records_least_of(record, records, each, w, 0, scratch);
    return most > 0 && most < none ? power_below(most) : 1;
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
