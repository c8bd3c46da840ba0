/* SPDX-License-Identifier: Apache-2.0 */
/* options_set.c: parsers of option values.  An invalid value is refused with a
 * message, never changed. */
#include "options_set.h"

#include "case.h"
#include "nearest.h"
#include "say.h"
#include "words.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(struct settings *s, const struct option_row *row)
{
    return (char *)s + row->offset;
}

OPTION_SETTER(text)
{
    if (!*value) {
        snprintf(why, size, "expected %s, found nothing", row->takes);
        return -1;
    }
    *(const char **)field_of(s, row) = value;
    return 0;
}

/* Translates a name that other programs use to ours. */
static const char *ours(const struct option_row *row, const char *value,
                        const char *name)
{
    if (!name || strcmp(name, value) == 0)
        return value;
    say_note("--%s %s: here it is --%s %s", row->name, value, row->name, name);
    return name;
}

OPTION_SETTER(method)
{
    if (set_text(s, row, value, why, size) != 0)
        return -1;
    s->method = ours(row, value, words_method(value));
    return 0;
}

OPTION_SETTER(kernel)
{
    if (set_text(s, row, value, why, size) != 0)
        return -1;
    s->asks_gravity = words_is_gravity(value);
    s->kernel = s->asks_gravity ? "laplace"
                                : ours(row, value, words_kernel(value));
    return 0;
}

OPTION_SETTER(flag)
{
    (void)value, (void)why, (void)size;
    *(int *)field_of(s, row) = 1;
    return 0;
}

OPTION_SETTER(word)
{
    char near_words[128];
    size_t used = 0;
    for (int k = 0; row->words[k]; k++)
        if (strcmp(row->words[k], value) == 0) {
            *(int *)field_of(s, row) = k + 1;
            return 0;
        }
    used = (size_t)snprintf(why, size, "found '%s', expected one of", value);
    for (int k = 0; row->words[k] && used < size; k++)
        used += (size_t)snprintf(why + used, size - used, "%s %s",
                                 k ? "," : "", row->words[k]);
    nearest_word(value, row->words, near_words, sizeof near_words);
    if (*near_words && used < size)
        snprintf(why + used, size - used, "; did you mean %s?", near_words);
    return -1;
}

static int number(const char *value, double *v)
{
    *v = number_of(value);
    return isnan(*v) ? -1 : 0;
}

OPTION_SETTER(exclude)
{
    if (strcmp(value, row->words[0]) == 0) {
        *(int *)field_of(s, row) = 1;
        return 0;
    }
    if (strcmp(value, "bonds") == 0) {
        s->exclude_bonds = 1;
        return 0;
    }
    if (!*value || s->exclude_file) {
        snprintf(why, size, *value ? "found a second file of pairs, '%s'; one "
                                     "is allowed"
                                   : "expected coincident, bonds or a file%s",
                 value);
        return -1;
    }
    s->exclude_file = value;
    return 0;
}

OPTION_SETTER(factors)
{
    double v[IO_JOINS];
    const char *p = value, *end;
    (void)row;
    for (int k = 0; k < IO_JOINS; k++, p = end + 1) {
        v[k] = number_take(p, &end);
        if (end == p || *end != (k < IO_JOINS - 1 ? ',' : '\0') ||
            !(v[k] >= 0 && v[k] <= 1)) {
            snprintf(why, size, "expected three numbers from 0 to 1, as "
                     "0,0,0.5, found '%s'", value);
            return -1;
        }
    }
    memcpy(s->factors, v, sizeof v);
    s->has_factors = 1;
    return 0;
}

OPTION_SETTER(int)
{
    double v;
    if (number(value, &v) || v < 1 || v > 1e9 || v != floor(v)) {
        snprintf(why, size, "expected a whole number from 1, found '%s'",
                 value);
        return -1;
    }
    *(int *)field_of(s, row) = (int)v;
    return 0;
}

OPTION_SETTER(order)
{
    double v;
    if (number(value, &v) || v < 0 || v > 1e9 || v != floor(v)) {
        snprintf(why, size, "expected a whole number from 0, found '%s'",
                 value);
        return -1;
    }
    *(int *)field_of(s, row) = v > 0 ? (int)v : FARSUM_ORDER_0;
    return 0;
}

OPTION_SETTER(count)
{
    double v;
    if (number(value, &v) || v < 1 || v > 1e15 || v != floor(v)) {
        snprintf(why, size, "expected a count from 1, found '%s'", value);
        return -1;
    }
    *(int64_t *)field_of(s, row) = (int64_t)v;
    return 0;
}

OPTION_SETTER(real)
{
    double v;
    if (number(value, &v) || v <= 0) {
        snprintf(why, size, "expected a number above 0, found '%s'", value);
        return -1;
    }
    *(double *)field_of(s, row) = v;
    return 0;
}

OPTION_SETTER(signed)
{
    if (number(value, (double *)field_of(s, row)) == 0)
        return 0;
    snprintf(why, size, "expected a number, found '%s'", value);
    return -1;
}

OPTION_SETTER(seed)
{
    const char *end;
    uint64_t v = 0;
    if (number_count(value, &end, &v) != NUMBER_OK || *end) {
        snprintf(why, size, "expected a whole number from 0 to 2^64-1, found "
                 "'%s'", value);
        return -1;
    }
    *(uint64_t *)field_of(s, row) = v;
    s->has_seed = 1;
    return 0;
}

OPTION_SETTER(bytes)
{
    static const char suffixes[] = "KMGT";
    const char *end;
    double v = number_take(value, &end);
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    if (suffix) {
        v *= exp2(10.0 * (double)(suffix - suffixes + 1));
        end++;
    }
    if (end == value || *end || !(v >= 1) || v >= 0x1p63) {
        snprintf(why, size, "expected bytes, as 500M or 8G, found '%s'",
                 value);
        return -1;
    }
    *(uint64_t *)field_of(s, row) = (uint64_t)v;
    return 0;
}

/* True for a whole number from 0 that an int can hold. */
static int whole(double v)
{
    return v >= 0 && v <= 1e9 && v == floor(v);
}

OPTION_SETTER(two)
{
    int *out = field_of(s, row);
    double v[2];
    const char *end;
    v[0] = number_take(value, &end);
    int parted = end > value && *end == 'x';
    v[1] = parted ? number_of(end + 1) : -1;
    if (!whole(v[0]) || !whole(v[1]) || v[0] + v[1] == 0) {
        snprintf(why, size,
                 "expected %s, whole numbers of which one may be 0, found '%s'",
                 row->takes, value);
        return -1;
    }
    out[0] = (int)v[0];
    out[1] = (int)v[1];
    return 0;
}

OPTION_SETTER(three)
{
    int64_t *out = field_of(s, row);
    const char *p = value, *end;
    double v[3] = {0};
    int found = 0;
    for (; found < 3; found++) {
        v[found] = number_take(p, &end);
        if (end == p || !(v[found] >= 1) || v[found] > 1e9 ||
            v[found] != floor(v[found]))
            break;
        p = end;
        if (*p != 'x' || found == 2) {
            found++;
            break;
        }
        p++;
    }
    if (*p || (found != 1 && found != 3)) {
        snprintf(why, size, "expected %s, whole numbers from 1, found '%s'",
                 row->takes, value);
        return -1;
    }
    for (int d = 0; d < 3; d++)
        out[d] = (int64_t)v[found == 1 ? 0 : d];
    return 0;
}

/* Parses numbers separated by commas or spaces; returns how many, or -1. */
static int numbers(const char *value, double *v, int most)
{
    const char *p = value + strspn(value, " ");
    int found = 0;
    while (*p) {
        const char *end;
        double one = number_take(p, &end);
        if (end == p || !isfinite(one) || found == most)
            return -1;
        v[found++] = one;
        p = end + strspn(end, " ");
        if (*p == ',')
            p += 1 + strspn(p + 1, " ");
        else if (*p && p == end)
            return -1;
    }
    return found;
}

OPTION_SETTER(cell)
{
    double v[9];
    (void)row;
    int found = numbers(value, v, 9);
    if (found == 3 || found == 9) {
        memset(s->cell, 0, sizeof s->cell);
        for (int k = 0; k < found; k++)
            s->cell[found == 3 ? 4 * k : k] = v[k];
        s->has_cell = 1;
        return 0;
    }
    if (s->command == FOR_GEN && found < 0) {
        double cell[9];
        int periodic[3];
        s->cell_name = value;
        return case_cell(value, 1, cell, periodic, why, size);
    }
    snprintf(why, size, "expected 3 edges or 9 numbers (rows a, b, c), "
                        "separated by commas, found '%s'", value);
    return -1;
}

OPTION_SETTER(case)
{
    struct case_spec spec;
    (void)row;
    s->problem = value;
    return case_parse(value, &spec, why, size);
}

OPTION_SETTER(periodic)
{
    (void)row;
    int p[3] = {0}, good = *value != '\0';
    if (strcmp(value, "none") != 0)
        for (const char *c = value; *c && good; c++) {
            good = *c >= 'x' && *c <= 'z' && !p[*c - 'x'];
            if (good)
                p[*c - 'x'] = 1;
        }
    if (!good) {
        snprintf(why, size, "expected none or axes as xyz or xy, found '%s'",
                 value);
        return -1;
    }
    memcpy(s->periodic, p, sizeof p);
    s->has_periodic = 1;
    return 0;
}

/* Parses TYPE=Q of n bytes; the type is a number or a name. */
static int charge(struct settings *s, const char *value, size_t n, char *why,
                  size_t size)
{
    char text[64];
    struct io_type_charge one = {0};
    const char *equal = memchr(value, '=', n);
    size_t name = equal ? (size_t)(equal - value) : 0;
    int digits = name > 0 && strspn(value, "0123456789") >= name;
    size_t left = equal ? n - name - 1 : sizeof text;
    if (left < sizeof text)
        snprintf(text, sizeof text, "%.*s", (int)left, equal + 1);
    int64_t type = 0;
    if (digits && number_integer(value, name, &type) == NUMBER_OK)
        one.type = (long)type;
    if (name == 0 || (digits && one.type < 1) || left >= sizeof text
        || number(text, &one.q)) {
        snprintf(why, size, "expected TYPE=Q, as 1=-0.8476 or Na=1,Cl=-1, "
                 "found '%.*s'", (int)(n < 80 ? n : 80), value);
        return -1;
    }
    if (!digits) {
        one.name = value;
        one.length = name;
    }
    if (s->n_charges == MAX_CHARGES) {
        snprintf(why, size, "found more than %d types", (int)MAX_CHARGES);
        return -1;
    }
    for (int k = 0; k < s->n_charges; k++) {
        const struct io_type_charge *c = &s->charges[k];
        if (c->type == one.type && c->length == one.length &&
            (digits || memcmp(c->name, one.name, name) == 0)) {
            snprintf(why, size, "type %.*s has two charges",
                     (int)(name < 40 ? name : 40), value);
            return -1;
        }
    }
    s->charges[s->n_charges++] = one;
    return 0;
}

OPTION_SETTER(charge)
{
    (void)row;
    for (;;) {
        size_t n = strcspn(value, ",");
        if (charge(s, value, n, why, size) != 0)
            return -1;
        if (!value[n])
            return 0;
        value += n + 1;
    }
}
