/* SPDX-License-Identifier: Apache-2.0 */
/* model.h: performance model of a plan: operations and bytes of each stage,
 * counted from the parameters, and the machine's measured rates.
 *
 *     farsum_model model = FARSUM_MODEL_INIT;
 *     farsum_plan_get_model(plan, 0, &model);
 *
 * Operations are counted in the seven kinds of Kosmacher, Du, Bagge, Biros,
 * "Performance portable fast Ewald summation" (2025).  The flop-equivalents of
 * an operation are the multiply-add flops that fit in its time.  Bytes are
 * those that must be read from memory or written to it.  The prediction is the
 * longer of the two times that operations and bytes take: a lower bound for the
 * variant's algorithm, not an estimate of its losses. */
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
/* Returns the name of a kind: "fma", ...; NULL past the last. */
FARSUM_API const char *farsum_model_kind(int kind);

/* Rates of all the plan's threads together, or of its device, in one
 * precision. */
typedef struct farsum_model_machine {
    double seconds[FARSUM_MODEL_KINDS]; /* seconds per operation */
    double flop_equivalents[FARSUM_MODEL_KINDS]; /* per operation; 2 for a
                                                    multiply-add, by
                                                    definition */
    double peak;         /* flops per second, two per multiply-add */
    double memory;       /* bytes per second, read or written */
    double cache;        /* bytes per second of the last cache */
    double cache_bytes;  /* size of the last cache; 0: unknown */
    double launch;       /* seconds of an empty kernel; host: 0 */
    double transfer;     /* bytes per second from host to device; host: 0 */
    int kept;            /* 1: read from the timing cache */
} farsum_model_machine;

/* Work and time of one stage.  The plan owns the texts. */
typedef struct farsum_model_stage {
    const char *stage, *variant;
    double calls[FARSUM_MODEL_KINDS]; /* operations of each kind */
    double flops;            /* their flop-equivalents */
    double read, written;    /* bytes */
    double sums;             /* atomic additions to global memory */
    double predicted;        /* seconds */
    const char *bound;       /* what limits them: "flops", "bytes", "cache",
                                "sums", "launches" or "transfer" */
    double planned;          /* seconds by the tuner's cost; 0: none */
    double measured;         /* seconds in the last execute or set_points; 0:
                                none */
    double share_of_peak;    /* flops over measured over peak; 0: none */
    double share_of_memory;  /* bytes over measured over memory rate; 0:
                                none */
} farsum_model_stage;

enum { FARSUM_MODEL_STAGES = 16 };
/* The model of a plan. */
typedef struct farsum_model {
    size_t size;             /* set by FARSUM_MODEL_INIT */
    farsum_model_machine machine;
    farsum_model_machine near_machine; /* rates for near pairs: f32 in a mixed
                                plan, else equal to machine */
    int n_stages;            /* entries of stages: first set_points, then the
                                stages of an execute */
    farsum_model_stage stages[FARSUM_MODEL_STAGES];
    double predicted, planned, measured; /* seconds of an execute */
} farsum_model;
#define FARSUM_MODEL_INIT {.size = sizeof(farsum_model)}

/* Gets the model of a plan that create or tune made.  model: start from
 * FARSUM_MODEL_INIT.  again: 0: measure the machine's rates once (about a
 * second) and keep them in the cache folder; 1: measure them again.  Errors:
 * ERR_ARGUMENT, ERR_UNSUPPORTED (not spectral), ERR_MEMORY, ERR_DEVICE. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_get_model(const farsum_plan *plan, int again, farsum_model *model);

#ifdef __cplusplus
}
#endif
#endif
