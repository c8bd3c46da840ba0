/* SPDX-License-Identifier: Apache-2.0 */
/* same.c: checks that all ranks pass the same problem and options. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/args.h"
#include "base/number.h"
#include "plan/options.h"
#include "plan/ranks.h"
#include "plan/ranks/device.h"
#include "ranks/same.h"

enum { FIELDS = SAME_MOST, TEXT = SAME_TEXT };

enum kind { NAME, REAL, WHOLE };

static const struct {
    const char *name;
    enum kind kind;
    int count; /* of an array */
    size_t at;
} rows[] = {
#define FIELD(name, kind, count)                                               \
    {#name, kind, count, offsetof(farsum_problem, name)}
    FIELD(kernel, NAME, 1),    FIELD(kappa, REAL, 1),
    FIELD(cell, REAL, 9),      FIELD(periodic, WHOLE, 3),
    FIELD(surface, WHOLE, 1),  FIELD(coulomb, REAL, 1),
    FIELD(softening, REAL, 1), FIELD(precision, WHOLE, 1),
    FIELD(arrays, WHOLE, 1),   FIELD(memory, WHOLE, 1),
    FIELD(tolerance, REAL, 1), FIELD(error, WHOLE, 1),
    FIELD(outputs, WHOLE, 1),  FIELD(exclude_coincident, WHOLE, 1),
    FIELD(part, WHOLE, 1),
#undef FIELD
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Options that each rank may set as its machine requires.  Of devices only the
 * back end must be the same. */
static int own_option(const struct option_row *row)
{
    return strcmp(row->name, "threads") == 0 || strcmp(row->name, "isa") == 0
           || strcmp(row->name, "memory_limit") == 0
           || strcmp(row->name, "device") == 0;
}

/* Element i of row r of the problem. */
static void problem_field(const farsum_problem *p, int r, int i,
                          struct same_field *field)
{
    const char *at = (const char *)p + rows[r].at;
    const char *text = NULL;
    double real = 0;
    int whole = 0;
    if (rows[r].count > 1)
        snprintf(field->name, sizeof field->name, "%s[%d]", rows[r].name, i);
    else
        snprintf(field->name, sizeof field->name, "%s", rows[r].name);
    if (rows[r].kind == NAME) {
        memcpy(&text, at, sizeof text);
        snprintf(field->text, TEXT, "%s", text ? text : "NULL");
    } else if (rows[r].kind == REAL) {
        memcpy(&real, at + (size_t)i * sizeof real, sizeof real);
        snprintf(field->text, TEXT, "%s", number_text(real).text);
    } else {
        memcpy(&whole, at + (size_t)i * sizeof whole, sizeof whole);
        snprintf(field->text, TEXT, "%d", whole);
    }
}

/* Returns the number of fields. */
static int fields_get(const farsum_problem *problem,
                      const farsum_options *options, const char *transport,
                      const struct ranks_shape *shape,
                      struct same_field fields[FIELDS])
{
    int n = 3;
    fields[0] = (struct same_field){.name = "device"};
    fields[1] = (struct same_field){.name = "transport"};
    fields[2] = (struct same_field){.name = "domain"};
    snprintf(fields[2].text, TEXT, "%d x %d", shape->ranks[0], shape->ranks[1]);
    ranks_device_kind(options, fields[0].text, TEXT);
    snprintf(fields[1].text, TEXT, "%s", transport ? transport : "not set");
    for (int r = 0; r < ROWS; r++)
        for (int i = 0; i < rows[r].count; i++)
            problem_field(problem, r, i, &fields[n++]);
    for (const struct option_row *row = option_rows; row->name; row++) {
        if (own_option(row) || n == FIELDS)
            continue;
        struct same_field *f = &fields[n++];
        snprintf(f->name, sizeof f->name, "%s", row->name);
        if (farsum_options_get(options, row->name, f->text, TEXT) != FARSUM_OK
            || !*f->text)
            snprintf(f->text, TEXT, "not set");
    }
    return n;
}

farsum_status ranks_same(struct comm *comm, const farsum_problem *problem,
                         const farsum_options *options, const char *transport,
                         const struct ranks_shape *shape)
{
    farsum_status status = FARSUM_OK;
    farsum_problem given = FARSUM_PROBLEM_INIT;
    struct same_field fields[FIELDS];
    if (!problem)
        status = status_fail(FARSUM_ERR_ARGUMENT, "problem is NULL");
    else
        status = struct_take(&given, sizeof given, problem, problem->size,
                             "FARSUM_PROBLEM_INIT");
    TRY(comm_agree(comm, status));
    int n = fields_get(&given, options, transport, shape, fields);
    return same_check(comm, fields, n);
}
