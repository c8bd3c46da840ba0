/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: what a plan's stages do, counted from its parameters, what this
 * machine does in a second, measured, and what the one says of the other.
 *
 *     farsum_model model = FARSUM_MODEL_INIT;
 *     farsum_plan_get_model(plan, 0, &model);
 *
 * Operations of a stage are counted in seven kinds, those of Kosmacher, Du,
 * Bagge, Biros, "Performance portable fast Ewald summation" (2025); each is
 * worth so many flop-equivalents as flops of multiply-adds fit in its time.
 * Bytes are those that must come from memory and go there.  Of the times that
 * both would take alone the longer is the prediction: a bound, with the row's
 * way of work, not a guess of what it loses. */
#ifndef FARSUM_MODEL_H
#define FARSUM_MODEL_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of operations, in the order of calls below. */
enum {
    FARSUM_MODEL_FMA,
    FARSUM_MODEL_ADD,
    FARSUM_MODEL_MUL,
    FARSUM_MODEL_DIV,
    FARSUM_MODEL_RSQRT,
    FARSUM_MODEL_EXP,
    FARSUM_MODEL_ERFC,
    FARSUM_MODEL_KINDS
};
/* "fma", ...; NULL past the last. */
FARSUM_API const char *farsum_model_kind(int kind);

/* What the plan's threads, or its device, do together in a precision. */
typedef struct farsum_model_machine {
    double seconds[FARSUM_MODEL_KINDS]; /* of one call */
    double flop_equivalents[FARSUM_MODEL_KINDS]; /* of one: of a multiply-add 2,
                                                    by definition */
    double peak;         /* flops a second: two a multiply-add */
    double memory;       /* bytes a second, read or written */
    double cache;        /* the same of the last cache */
    double cache_bytes;  /* which holds so many; 0: not known */
    double launch;       /* seconds of a kernel that does nothing; host: 0 */
    double transfer;     /* bytes a second from host to device; host: 0 */
    int kept;            /* 1: measured before, and kept */
} farsum_model_machine;

typedef struct farsum_model_stage {
    const char *stage, *variant; /* borrowed from the plan */
    double calls[FARSUM_MODEL_KINDS];
    double flops;            /* flop-equivalents of them */
    double read, written;    /* bytes */
    double sums;             /* atomic sums to global memory */
    double predicted;        /* seconds */
    const char *bound;       /* of them: "flops", "bytes", "cache", "sums",
                                "launches" or "transfer" */
    double planned;          /* seconds, by the cost that the tuner goes by; 0:
                                it has none */
    double measured;         /* in the last execute or set_points; 0: none */
    double share_of_peak;    /* flops over measured over the peak; 0: none */
    double share_of_memory;  /* bytes over measured over the rate of memory */
} farsum_model_stage;

enum { FARSUM_MODEL_STAGES = 16 };
typedef struct farsum_model {
    size_t size;             /* set by FARSUM_MODEL_INIT */
    farsum_model_machine machine;
    farsum_model_machine near_machine; /* at near pairs: of a mixed plan in f32,
                                else the same */
    int n_stages;            /* the first is set_points, which comes once; the
                                others make an execute */
    farsum_model_stage stages[FARSUM_MODEL_STAGES];
    double predicted, planned, measured; /* seconds of an execute */
} farsum_model;
#define FARSUM_MODEL_INIT {.size = sizeof(farsum_model)}

/* Of a plan of the method `spectral`, made or only tuned.  What the machine
 * does is measured the first time (about a second) and kept beside the
 * compiled kernels; again = 1: measured anew. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_get_model(const farsum_plan *plan, int again, farsum_model *model);

#ifdef __cplusplus
}
#endif
#endif
