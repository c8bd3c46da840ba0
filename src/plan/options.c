/* SPDX-License-Identifier: Apache-2.0 */
/* options.c: options by name. */
#include "plan/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/fpenv.h"
#include "base/number.h"
#include "base/text.h"

const struct option_row option_rows[] = {
#define OPTION(name, kind, field, methods)                                     \
    {#name, #field, FARSUM_OPTION_##kind, methods,                             \
     offsetof(farsum_options, field), sizeof(((farsum_options *)0)->field)},
#include "plan/options.def"
#undef OPTION
    {NULL, NULL, FARSUM_OPTION_TEXT, 0, 0, 0}};

enum { OPTIONS = sizeof option_rows / sizeof *option_rows - 1 };

int option_is_set(const farsum_options *options, const struct option_row *row)
{
    const unsigned char *at = (const unsigned char *)options + row->at;
    if (row->kind == FARSUM_OPTION_REAL) { /* -0 is not set */
        double value;
        memcpy(&value, at, sizeof value);
        return value != 0;
    }
    for (size_t i = 0; i < row->size; i++)
        if (at[i])
            return 1;
    return 0;
}

void option_clear(farsum_options *options, const struct option_row *row)
{
    memset((char *)options + row->at, 0, row->size);
}

static farsum_status option_reserved(const char *group, const int *reserved,
                                     size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (reserved[k])
            FAIL(ERR_ARGUMENT, "options.%s.reserved sets what this version, "
                               "%s, does not know; initialise it with 0",
                 group, farsum_version());
    return FARSUM_OK;
}

farsum_status options_check_kinds(const farsum_options *options)
{
    double value;
#define RESERVED(group)                                                        \
    TRY(option_reserved(#group, options->group.reserved,                       \
                        sizeof options->group.reserved / sizeof(int)))
    RESERVED(device);
    RESERVED(spectral);
    RESERVED(fmm);
#undef RESERVED
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (row->kind != FARSUM_OPTION_REAL)
            continue;
        memcpy(&value, (const char *)options + row->at, sizeof value);
        if (!(value >= 0) || !isfinite(value))
            FAIL(ERR_ARGUMENT, "%s is %g, not a positive number", row->name,
                 value);
    }
    return FARSUM_OK;
}

farsum_status options_check_device(const farsum_options *options)
{
    const farsum_device_options *o = &options->device;
    if (o->handle && o->name)
        FAIL(ERR_ARGUMENT, "device.name is \"%s\", and device.handle is set "
                           "too; set one of them",
             o->name);
    return FARSUM_OK;
}

void options_forget_texts(farsum_options *options)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->kind == FARSUM_OPTION_TEXT
            || row->kind == FARSUM_OPTION_VARIANT)
            option_clear(options, row);
}

const struct option_row *option_of_stage(const char *stage)
{
    for (const struct option_row *row = option_rows; row->name; row++)
        if (row->kind == FARSUM_OPTION_VARIANT && strcmp(row->name, stage) == 0)
            return row;
    return NULL;
}

/* The row of a name in options that are large enough to have it. */
static farsum_status option_find(const farsum_options *options,
                                 const char *name,
                                 const struct option_row **found)
{
    const char *names[OPTIONS + 1] = {NULL};
    if (!options || !name)
        FAIL(ERR_ARGUMENT, "%s is NULL", options ? "name" : "options");
    for (int k = 0; k < OPTIONS; k++) {
        const struct option_row *row = &option_rows[k];
        names[k] = row->name;
        if (strcmp(row->name, name) != 0)
            continue;
        if (row->at + row->size > options->size)
            FAIL(ERR_ARGUMENT,
                 "options have %zu bytes, too few for %s: set them by "
                 "FARSUM_OPTIONS_INIT",
                 options->size, name);
        *found = row;
        return FARSUM_OK;
    }
    return text_unknown("option", name, names);
}

/* n whole numbers with x between them. */
static int option_counts(const char *text, int n, int64_t *value)
{
    for (int k = 0; k < n; k++) {
        size_t length = k < n - 1 ? strcspn(text, "x") : strlen(text);
        if (length == 0
            || number_integer(text, length, &value[k]) != NUMBER_OK)
            return 0;
        text += length;
        if (k < n - 1 && *text++ != 'x')
            return 0;
    }
    return 1;
}

static farsum_status option_malformed(const char *name, const char *value,
                                      const char *what)
{
    FAIL(ERR_ARGUMENT, "option %s: \"%s\" is not %s", name, value, what);
}

static farsum_status option_set_int(int *to, const struct option_row *row,
                                    const char *value)
{
    int64_t whole[2];
    int n = row->kind == FARSUM_OPTION_PAIR ? 2 : 1;
    if (!option_counts(value, n, whole))
        return option_malformed(row->name, value,
                                n == 2 ? "two whole numbers, as 8x4"
                                       : "a whole number");
    for (int k = 0; k < n; k++)
        if (whole[k] < -1000000000 || whole[k] > 1000000000)
            return option_malformed(row->name, value, "within 1e9");
    for (int k = 0; k < n; k++)
        to[k] = (int)whole[k];
    if (strcmp(row->name, "order") == 0 && to[0] == 0)
        to[0] = FARSUM_ORDER_0;
    return FARSUM_OK;
}

static farsum_status option_set_counts(int64_t *to,
                                       const struct option_row *row,
                                       const char *value)
{
    int64_t whole[3];
    int n = row->kind == FARSUM_OPTION_TRIPLE ? 3 : 1;
    if (!option_counts(value, n, whole))
        return option_malformed(row->name, value,
                                n == 3 ? "three whole numbers, as 32x32x48"
                                       : "a whole number");
    for (int k = 0; k < n; k++)
        if (whole[k] < 0)
            return option_malformed(row->name, value, "0 or more");
    memcpy(to, whole, (size_t)n * sizeof *to);
    return FARSUM_OK;
}

farsum_status farsum_options_set(farsum_options *options, const char *name,
                                 const char *value)
{
    FP_GUARD;
    const struct option_row *row = NULL;
    TRY(option_find(options, name, &row));
    if (!value)
        FAIL(ERR_ARGUMENT, "value is NULL");
    void *at = (char *)options + row->at;
    if (!*value || strcmp(value, "auto") == 0) {
        option_clear(options, row);
        return FARSUM_OK;
    }
    double real;
    switch (row->kind) {
    case FARSUM_OPTION_TEXT:
    case FARSUM_OPTION_VARIANT:
        memcpy(at, &value, sizeof value);
        return FARSUM_OK;
    case FARSUM_OPTION_REAL:
        real = number_of(value);
        if (!isfinite(real))
            return option_malformed(name, value, "a finite number");
        memcpy(at, &real, sizeof real);
        return FARSUM_OK;
    case FARSUM_OPTION_INTEGER:
    case FARSUM_OPTION_PAIR:
        return option_set_int(at, row, value);
    default:
        return option_set_counts(at, row, value);
    }
}

farsum_status farsum_options_get(const farsum_options *options,
                                 const char *name, char *text, size_t size)
{
    FP_GUARD;
    const struct option_row *row = NULL;
    TRY(option_find(options, name, &row));
    if (!text || size == 0)
        FAIL(ERR_ARGUMENT, "text is %s", text ? "of size 0" : "NULL");
    const void *at = (const char *)options + row->at;
    const int *whole = at;
    const int64_t *count = at;
    *text = 0;
    if (!option_is_set(options, row))
        return FARSUM_OK;
    switch (row->kind) {
    case FARSUM_OPTION_TEXT:
    case FARSUM_OPTION_VARIANT:
        snprintf(text, size, "%s", *(const char *const *)at);
        break;
    case FARSUM_OPTION_REAL:
        snprintf(text, size, "%s", number_text(*(const double *)at).text);
        break;
    case FARSUM_OPTION_INTEGER:
        snprintf(text, size, "%d",
                 row->at == offsetof(farsum_options, fmm.order)
                         && *whole == FARSUM_ORDER_0
                     ? 0
                     : *whole);
        break;
    case FARSUM_OPTION_PAIR:
        snprintf(text, size, "%dx%d", whole[0], whole[1]);
        break;
    case FARSUM_OPTION_COUNT:
        snprintf(text, size, "%lld", (long long)*count);
        break;
    case FARSUM_OPTION_TRIPLE:
        snprintf(text, size, "%lldx%lldx%lld", (long long)count[0],
                 (long long)count[1], (long long)count[2]);
        break;
    }
    return FARSUM_OK;
}

farsum_status farsum_list_options(int index, farsum_option_info *info)
{
    if (!info)
        FAIL(ERR_ARGUMENT, "info is NULL");
    if (index < 0 || index >= OPTIONS)
        FAIL(ERR_ARGUMENT, "there is no option %d", index);
    const struct option_row *row = &option_rows[index];
    farsum_option_info found = {sizeof found, row->name, row->kind,
                                row->methods > METHOD_ANY, row->field};
    return struct_give(info, info->size, &found, sizeof found,
                       "FARSUM_OPTION_INFO_INIT");
}
