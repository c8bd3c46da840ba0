/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the options of options.def, by index. */
#ifndef FARSUM_PLAN_OPTIONS_H
#define FARSUM_PLAN_OPTIONS_H

#include "farsum/expert.h"
#include "task/method.h"

struct option_row {
    const char *name, *field;
    farsum_option_kind kind;
    int methods;     /* METHOD_...; SETTING */
    size_t at, size; /* in farsum_options */
};
enum { SETTING = -1 };

extern const struct option_row option_rows[]; /* ended by a NULL name */

/* 1: the option is set. */
int option_is_set(const farsum_options *options, const struct option_row *row);
void option_clear(farsum_options *options, const struct option_row *row);
/* Checks that real numbers are finite and not negative, and that the groups'
 * reserved fields are 0. */
farsum_status options_check_kinds(const farsum_options *options);
/* Checks that a device is not both named and given. */
farsum_status options_check_device(const farsum_options *options);
/* Clears all texts. */
void options_forget_texts(farsum_options *options);
/* The option that names a stage's variant; NULL: there is none. */
const struct option_row *option_of_stage(const char *stage);
#endif
