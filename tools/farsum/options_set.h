/* SPDX-License-Identifier: Apache-2.0 */
/* options_set.h: parsers of option values, for options_table.c only. */
#ifndef FARSUM_TOOLS_OPTIONS_SET_H
#define FARSUM_TOOLS_OPTIONS_SET_H

#include "options.h"

#define OPTION_SETTER(kind)                                                    \
    int set_##kind(struct settings *s, const struct option_row *row,           \
                   const char *value, char *why, size_t size)
OPTION_SETTER(text);     /* const char * */
OPTION_SETTER(method);   /* const char *, translated if it is a synonym */
OPTION_SETTER(kernel);   /* as method */
OPTION_SETTER(flag);     /* int, 1 */
OPTION_SETTER(word);     /* int, index in row->words from 1 */
OPTION_SETTER(exclude);  /* coincident, bonds or a file; may be repeated */
OPTION_SETTER(factors);  /* three numbers in 0 .. 1 */
OPTION_SETTER(int);      /* int > 0 */
OPTION_SETTER(order);    /* int >= 0; 0 is FARSUM_ORDER_0 */
OPTION_SETTER(count);    /* int64_t > 0, 1e6 is legal */
OPTION_SETTER(real);     /* double > 0 */
OPTION_SETTER(signed);   /* double */
OPTION_SETTER(seed);     /* uint64_t seed and has_seed */
OPTION_SETTER(bytes);    /* uint64_t > 0 with K, M, G, T */
OPTION_SETTER(two);      /* int[2], AxB, either may be 0 */
OPTION_SETTER(three);    /* int64_t[3], AxBxC or one number for all */
OPTION_SETTER(cell);     /* 3 or 9 numbers; gen: or a name */
OPTION_SETTER(case);     /* const char *problem, a valid case */
OPTION_SETTER(periodic); /* xyz, xy, ..., none */
OPTION_SETTER(charge);   /* TYPE=Q, may be repeated */
#endif
