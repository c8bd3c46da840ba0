/* SPDX-License-Identifier: Apache-2.0 */
/* farsum/expert.h: options by name, stages of a plan, a plan as text, and
 * initial structs for other languages.  A first program needs farsum/farsum.h
 * only.
 *
 * All functions may be called from several threads.  A failure leaves its
 * outputs untouched; farsum_message() says why. */
#ifndef FARSUM_EXPERT_H
#define FARSUM_EXPERT_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets a struct to its initial value, as the macros FARSUM_..._INIT do.
 * size: sizeof the struct, as the caller was compiled; the struct may be that
 * of an older version.  Fails with FARSUM_ERR_ARGUMENT where the pointer is
 * NULL or the size is none of a struct. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_problem_init(farsum_problem *problem, size_t size);
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_options_init(farsum_options *options, size_t size);
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_result_init(farsum_result *result, size_t size);
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_info_init(farsum_plan_info *info, size_t size);

/* How an option's value is written. */
typedef enum farsum_option_kind {
    FARSUM_OPTION_TEXT,    /* a name */
    FARSUM_OPTION_VARIANT, /* a variant of the stage that the option names */
    FARSUM_OPTION_REAL,    /* a decimal number */
    FARSUM_OPTION_INTEGER, /* a whole number, with a sign if negative */
    FARSUM_OPTION_COUNT,   /* a whole number >= 0 */
    FARSUM_OPTION_PAIR,    /* two whole numbers: 8x4 */
    FARSUM_OPTION_TRIPLE,  /* three: 32x32x48 */
} farsum_option_kind;

typedef struct farsum_option_info {
    size_t size;      /* set by FARSUM_OPTION_INFO_INIT */
    const char *name; /* the field of farsum_options; static */
    farsum_option_kind kind;
    int chosen;       /* 1: a parameter that a plan chooses where it is unset */
} farsum_option_info;
#define FARSUM_OPTION_INFO_INIT {.size = sizeof(farsum_option_info)}

/* Lists the options that have a value: index 0, 1, ...; FARSUM_ERR_ARGUMENT
 * past the last. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_options(int index, farsum_option_info *info);

/* Sets one option by its name: farsum_options_set(&o, "m2l", "gpu_dense").
 * value "" or "auto" unsets it; "0" sets order to FARSUM_ORDER_0.  A text is
 * borrowed until a plan is made with the options.  Making the plan checks
 * whether it accepts the value.  Fails with FARSUM_ERR_UNKNOWN where there is
 * no such option, with FARSUM_ERR_ARGUMENT where the value is malformed. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_options_set(farsum_options *options, const char *name,
                   const char *value);
/* Writes an option's value as farsum_options_set reads it; "" where it is
 * unset.  text: size bytes, of which a longer value fills all, cut. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_options_get(const farsum_options *options, const char *name, char *text,
                   size_t size);

/* Gives stage `index` = 0, 1, ... of a plan: its variant, why it was chosen,
 * its seconds in the last execute.  Texts live as long as the plan.
 * FARSUM_ERR_ARGUMENT past the last. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_stage(const farsum_plan *plan, int index, farsum_stage_info *stage);

/* Writes what farsum_plan_print prints into text, size bytes with the final
 * zero; a longer text is cut.  Returns the length of the whole text, 0 where
 * there is no memory.  text may be NULL if size is 0. */
FARSUM_API size_t farsum_plan_print_text(const farsum_plan *plan, char *text,
                                         size_t size);

#ifdef __cplusplus
}
#endif
#endif
