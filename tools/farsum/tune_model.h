/* SPDX-License-Identifier: Apache-2.0 */
/* tune_model.h: 'tune --model'. */
#ifndef FARSUM_TOOLS_TUNE_MODEL_H
#define FARSUM_TOOLS_TUNE_MODEL_H

#include "options.h"

#include <farsum/model.h>
#include <jansson.h>

/* Sets the problem's points, with y the targets or NULL, sums several times,
 * and fills the model from the fastest.  Returns -1 after printing the
 * reason. */
int model_take(const struct settings *s, const farsum_problem *problem,
               const double *y, farsum_plan *plan, farsum_model *model);
void model_print(const farsum_plan_info *info, const farsum_model *model,
                 FILE *out);
json_t *model_report(const farsum_plan_info *info, const farsum_model *model);
/* Appends one line per stage.  Returns 0, or -1 with the reason. */
int model_csv(const struct settings *s, const farsum_plan_info *info,
              const farsum_model *model, char *error, size_t size);
#endif
