/* SPDX-License-Identifier: Apache-2.0 */
/* methods.c: the methods, from methods.def. */
#include "task/method.h"

#define METHOD(name, note, needs) extern const struct method method_##name;
#include "plan/methods.def"
#undef METHOD

const struct method_row method_rows[] = {
#define METHOD(name, note, needs) {#name, note, needs, &method_##name},
#include "plan/methods.def"
#undef METHOD
    {NULL, NULL, NULL, NULL}};
