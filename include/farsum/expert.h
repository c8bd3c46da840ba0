/* SPDX-License-Identifier: Apache-2.0 */
/* farsum/expert.h: options by name, stages of a plan, a plan as text, products
 * with the Hessian, the near function, and initial structs for other languages.
 * A first program needs farsum/farsum.h only.
 *
 * Several threads may call all functions simultaneously.  Outputs keep their
 * values on failure; farsum_message() states the reason. */
#ifndef FARSUM_EXPERT_H
#define FARSUM_EXPERT_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set a struct to its initial value, as the macros FARSUM_..._INIT do.  size:
 * the struct's sizeof in the caller; an older version's smaller size is legal.
 * Errors: ERR_ARGUMENT if the pointer is NULL, or if size is larger than in
 * this version or smaller than a size_t. */
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
    FARSUM_OPTION_TRIPLE,  /* three whole numbers: 32x32x48 */
} farsum_option_kind;

/* One field of farsum_options. */
typedef struct farsum_option_info {
    size_t size;      /* set by FARSUM_OPTION_INFO_INIT */
    const char *name; /* "order"; static */
    farsum_option_kind kind;
    int chosen;       /* 1: a parameter that the plan chooses if it is unset */
    const char *field; /* the field of farsum_options: "fmm.order"; static */
} farsum_option_info;
#define FARSUM_OPTION_INFO_INIT {.size = sizeof(farsum_option_info)}

/* Gets option `index` = 0, 1, ... of those that have a value.  Errors:
 * ERR_ARGUMENT past the last. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_options(int index, farsum_option_info *info);

/* Sets one option by its name: farsum_options_set(&o, "m2l", "gpu_dense").
 * value: "" or "auto" unsets the option; "0" sets order to FARSUM_ORDER_0.  A
 * text is borrowed until a plan is created with the options, which checks the
 * value.  Errors: ERR_UNKNOWN if no option has the name, ERR_ARGUMENT if the
 * value is malformed. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_options_set(farsum_options *options, const char *name,
                   const char *value);
/* Writes an option's value as farsum_options_set reads it; "" if it is unset.
 * text: out, [size]; a longer value is truncated. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_options_get(const farsum_options *options, const char *name, char *text,
                   size_t size);

/* Gets stage `index` = 0, 1, ... of a plan: its variant, the reason, and its
 * seconds in the last execute.  The plan owns the texts.  Errors: ERR_ARGUMENT
 * past the last. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_stage(const farsum_plan *plan, int index, farsum_stage_info *stage);

/* Writes the output of farsum_plan_print into text: out, [size], with the final
 * zero; a longer text is truncated.  text may be NULL if size is 0.  Returns
 * the length of the whole text, 0 if memory is short. */
FARSUM_API size_t farsum_plan_print_text(const farsum_plan *plan, char *text,
                                         size_t size);

/* Multiplies the Hessian of the energy of charges, d2U/dx_i dx_j, with a
 * vector, as the derivative of a loss of forces requires: sum_i v_i.F_i has the
 * derivative -product by the positions.  This is one execute with two
 * right-hand sides, of a plan of kernel charge_dipole or yukawa_dipole whose
 * outputs include field and gradient; its errors are theirs.  q: [n] charges;
 * v: [n][3]; product: out, [n][3]; all of type `arrays`, in host memory.
 * Errors: those of execute, ERR_ARGUMENT (other outputs), ERR_UNSUPPORTED
 * (another kernel, separate targets, device arrays, ranks), ERR_MEMORY. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_hvp(farsum_plan *plan, const void *q, const void *v, void *product);

/* Makes the sources Gaussian clouds: charges smeared in proportion to
 * e^(-r^2/g^2), each with its own width g >= 0, a length; 0: a point.  Two
 * clouds interact by C q_i q_j erf(r/g)/r with g^2 = g_i^2 + g_j^2.  A cloud's
 * energy with itself, C q^2/(g sqrt(2 pi)), is left out.  Excluded pairs take
 * the same function.  widths: [n], on the host, copied; they hold until the
 * next call; n = 0 and NULL: points.  set_points must follow, with n sources.
 * Each sum then adds its pairs within some six widths, so widths far above the
 * distance of neighbours are slow; set_points: ERR_ARGUMENT if more than 2^20
 * images of the cell are that near.  Clouds much closer than they are wide lose
 * digits to the rounding of positions: estimated_error contains that, and
 * execute fails with ERR_TOLERANCE if it exceeds the forces of neighbours at
 * the mean distance.  Errors: ERR_ARGUMENT (a width), ERR_STATE
 * (a plan made by farsum_plan_tune), ERR_UNSUPPORTED (kernels other than
 * laplace, softening, parts, separate targets, device arrays, ranks),
 * ERR_MEMORY.  docs/api.md, 15. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_set_widths(farsum_plan *plan, int64_t n, const double *widths);

/* Computes the near function of a spectral plan, for codes that sum the pairs
 * within the cutoff (info.cutoff) themselves, and the rest by a plan with
 * problem.part = FARSUM_FAR.  With u at r2 = r^2 and du = du/d(r^2), a pair
 * with d = x_i - x_j adds
 *
 *     phi_i += C q_j u,   E_i += -2 C q_j du d,
 *     U += C q_i q_j u,   W_ab += -2 C q_i q_j du d_a d_b
 *
 * and U and W count each pair once.  u = du = 0 from the cutoff on.  At r2 = 0
 * both lack the singular part: this cancels the far part of particles that
 * coincide.  A particle with itself is no pair; the far part knows that.  r2,
 * u, du: [n], on the host; u or du may be NULL.  They depend on the plan, not
 * on points and cell.  laplace: 1/r - u is a polynomial in r2 with
 * info.near_coefficients coefficients.  Errors: ERR_ARGUMENT (r2 below 0 or not
 * a number), ERR_UNSUPPORTED (another method; kernels that are no function of
 * r).  docs/api.md, 13. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_plan_near(const farsum_plan *plan, int64_t n, const double *r2,
                 double *u, double *du);

#ifdef __cplusplus
}
#endif
#endif
