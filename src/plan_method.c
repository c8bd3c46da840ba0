/* plan_method.c: which method: of those that fit the one whose execute should
 * take the least time, by what the methods' own tuning says. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "method/method.h"
#include "plan.h"

enum { METHODS = 16, WHY = 400 };

/* A row of the methods and what is known of it. */
struct candidate {
    const struct method_row *row;
    void *state;    /* of tune; owned */
    double seconds; /* of an execute; INFINITY: not tuned */
    double least;   /* below which they are not */
    farsum_status status;
    const char *behind; /* why it is not asked, since others fit */
    int refused;        /* by its tuning */
    char why[WHY];      /* not OK: why */
};

struct candidates {
    struct candidate one[METHODS];
    int n;
};

/* Options that only some methods have. */
static const struct {
    const char *name;
    enum method_options group;
    size_t at;
    enum { TEXT, REAL, INT, INTS, LONG } type;
} own[] = {
#define OWN(name, group, type)                                                 \
    {                                                                          \
        #name, group, offsetof(farsum_options, name), type                     \
    }
    OWN(cutoff, METHOD_CUTOFF, REAL),   OWN(split, METHOD_MESH, TEXT),
    OWN(window, METHOD_MESH, TEXT),     OWN(bandwidth, METHOD_MESH, REAL),
    OWN(mesh, METHOD_MESH, LONG),       OWN(upsampling, METHOD_MESH, REAL),
    OWN(support, METHOD_MESH, INT),     OWN(shape, METHOD_MESH, REAL),
    OWN(near, METHOD_MESH, TEXT),       OWN(spread, METHOD_MESH, TEXT),
    OWN(near_cells, METHOD_MESH, INT),  OWN(near_team, METHOD_MESH, INTS),
    OWN(fft, METHOD_MESH, TEXT),        OWN(scale, METHOD_MESH, TEXT),
    OWN(interp, METHOD_MESH, TEXT),     OWN(order, METHOD_BOXES, INT),
    OWN(separation, METHOD_BOXES, INT), OWN(levels, METHOD_BOXES, INT),
    OWN(boxes, METHOD_BOXES, LONG),     OWN(leaf, METHOD_BOXES, LONG),
    OWN(tree, METHOD_BOXES, TEXT),      OWN(p2p, METHOD_BOXES, TEXT),
    OWN(p2m, METHOD_BOXES, TEXT),       OWN(m2m, METHOD_BOXES, TEXT),
    OWN(m2l, METHOD_BOXES, TEXT),       OWN(lattice, METHOD_BOXES, TEXT),
    OWN(l2l, METHOD_BOXES, TEXT),       OWN(l2p, METHOD_BOXES, TEXT),
#undef OWN
};

static int option_given(const farsum_options *options, size_t k)
{
    const char *at = (const char *)options + own[k].at;
    switch (own[k].type) {
    case TEXT:
        return *(const char *const *)(const void *)at != NULL;
    case REAL:
        return *(const double *)(const void *)at != 0;
    case INT:
        return *(const int *)(const void *)at != 0;
    case INTS: /* two */
        return ((const int *)(const void *)at)[0] != 0
               || ((const int *)(const void *)at)[1] != 0;
    default:
        return *(const int64_t *)(const void *)at != 0;
    }
}

/* What was given is kept: a method that has no such thing does not fit. */
static farsum_status method_keeps(const struct farsum_plan *plan,
                                  const struct method *method)
{
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (!(method->options & own[k].group)
            && option_given(&plan->options, k))
            FAIL(ERR_UNSUPPORTED, "has no %s, which was given", own[k].name);
    return FARSUM_OK;
}

/* A bound that was asked for is proved, or the method does not fit. */
static farsum_status method_bounds(const struct farsum_plan *plan,
                                   const struct method *method)
{
    if (plan->options.strict && !method->bounded)
        FAIL(ERR_UNSUPPORTED, "its error is estimated, not bounded; methods "
                              "fmm and direct are strict");
    return FARSUM_OK;
}

static void candidate_fails(struct candidate *c, farsum_status status)
{
    c->status = status;
    snprintf(c->why, sizeof c->why, "%s", farsum_message());
}

/* Those of the table, or the one that is wanted, and whether they fit. */
static farsum_status method_table(const struct farsum_plan *plan,
                                  const char *wanted, struct candidates *all)
{
    const char *names[METHODS + 2];
    int n = 0;
    for (const struct method_row *row = method_rows; row->name; row++) {
        names[n++] = row->name;
        if (wanted && strcmp(wanted, row->name) != 0)
            continue;
        struct candidate *c = &all->one[all->n++];
        *c = (struct candidate){.row = row, .seconds = INFINITY};
        farsum_status status = method_bounds(plan, row->method);
        if (status == FARSUM_OK)
            status = row->method->fits(plan);
        if (wanted && status != FARSUM_OK)
            return status_prefix(status, "method %s", row->name);
        if (!wanted && status == FARSUM_OK)
            status = method_keeps(plan, row->method);
        if (status != FARSUM_OK)
            candidate_fails(c, status);
    }
    names[n++] = "auto";
    names[n] = NULL;
    return all->n > 0 ? FARSUM_OK : text_unknown("method", wanted, names);
}

/* Asked only where no method of a lesser rank fits: references, and what takes
 * another method's sum beside it for a part of the outputs. */
static int method_rank(const struct farsum_plan *plan,
                       const struct method *method)
{
    return plan_lacks(plan, method) ? 2 : method->reference ? 1 : 0;
}

static void method_behind(const struct farsum_plan *plan,
                          struct candidates *all)
{
    static const char *const why[] = {
        NULL, "a reference",
        "has no virial of a periodic cell, which others have at once"};
    int least = 2;
    for (int i = 0; i < all->n; i++) {
        int rank = method_rank(plan, all->one[i].row->method);
        if (all->one[i].status == FARSUM_OK && rank < least)
            least = rank;
    }
    for (int i = 0; i < all->n; i++) {
        int rank = method_rank(plan, all->one[i].row->method);
        if (all->one[i].status == FARSUM_OK && rank > least)
            all->one[i].behind = why[rank];
    }
}

/* Where none fits: the words of one that would but for the tolerance, or of
 * all. */
static farsum_status method_none(const struct candidates *all)
{
    char text[900] = "no method fits";
    for (int i = all->n - 1; i >= 0; i--)
        if (all->one[i].status == FARSUM_ERR_TOLERANCE)
            return status_fail(FARSUM_ERR_TOLERANCE, "method %s: %s",
                               all->one[i].row->name, all->one[i].why);
    for (int i = 0; i < all->n; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s %s: %s", i ? ";" : ":",
                 all->one[i].row->name, all->one[i].why);
    }
    return status_fail(FARSUM_ERR_UNSUPPORTED, "%s", text);
}

/* A method said no: another may do.  Anything else is wrong with the problem or
 * the machine. */
static int method_refuses(farsum_status status)
{
    return status == FARSUM_ERR_UNSUPPORTED || status == FARSUM_ERR_TOLERANCE
           || status == FARSUM_ERR_MEMORY;
}

/* The one of those not tuned yet that may take the least time. */
static struct candidate *method_next(struct candidates *all)
{
    struct candidate *next = NULL;
    for (int i = 0; i < all->n; i++) {
        struct candidate *c = &all->one[i];
        if (c->status == FARSUM_OK && !c->state && !c->behind
            && (!next || c->least < next->least))
            next = c;
    }
    return next;
}

/* Tunes them, the most promising first, until what is left cannot be faster;
 * *best is NULL if all refuse. */
static farsum_status method_tune(const struct farsum_plan *plan,
                                 struct candidates *all,
                                 struct candidate **best)
{
    struct candidate *c;
    *best = NULL;
    for (int i = 0; i < all->n; i++)
        if (all->one[i].status == FARSUM_OK)
            all->one[i].least = all->one[i].row->method->least(plan);
    while ((c = method_next(all)) && (!*best || c->least < (*best)->seconds)) {
        farsum_status status =
            c->row->method->tune(plan, &c->state, &c->seconds);
        if (status != FARSUM_OK && !method_refuses(status))
            return status;
        c->refused = status != FARSUM_OK;
        if (c->refused)
            candidate_fails(c, status);
        else if (!*best || c->seconds < (*best)->seconds)
            *best = c;
    }
    return FARSUM_OK;
}

/* "spectral 0.03 s estimated, fmm 0.2 s; direct: sums open ...". */
static void method_say(struct farsum_plan *plan, const struct candidates *all,
                       const struct candidate *best, int named)
{
    char *text = plan->method_reason;
    size_t size = sizeof plan->method_reason, used;
    used =
        (size_t)snprintf(text, size, "%s %s%.3g s estimated", best->row->name,
                         named ? "(named) " : "", best->seconds);
    for (int i = 0; i < all->n && used < size; i++) {
        const struct candidate *c = &all->one[i];
        if (c == best || c->status != FARSUM_OK || c->behind)
            continue;
        used += (size_t)snprintf(text + used, size - used, ", %s %s%.3g s",
                                 c->row->name, c->state ? "" : "at least ",
                                 c->state ? c->seconds : c->least);
    }
    for (int i = 0; i < all->n && used < size; i++) {
        const struct candidate *c = &all->one[i];
        if (c->behind)
            used += (size_t)snprintf(text + used, size - used, "; %s: %s",
                                     c->row->name, c->behind);
        else if (c->status != FARSUM_OK)
            used += (size_t)snprintf(text + used, size - used, "; %s: %s",
                                     c->row->name, c->why);
    }
}

farsum_status plan_method(struct farsum_plan *plan)
{
    farsum_status status = FARSUM_OK;
    const char *wanted = plan->options.method;
    struct candidates all = {.n = 0};
    struct candidate *best;
    GO(method_table(plan, wanted, &all));
    method_behind(plan, &all);
    if (!method_next(&all))
        GO(method_none(&all));
    GO(method_tune(plan, &all, &best));
    for (int i = 0; i < all.n && !best; i++)
        if (all.one[i].refused)
            GO(status_fail(all.one[i].status, "%s", all.one[i].why));
    plan->method = best->row->method;
    plan->state = best->state;
    best->state = NULL;
    plan->info.method = best->row->name;
    method_say(plan, &all, best, wanted != NULL);
    plan->info.method_reason = plan->method_reason;
    plan->method_seconds = best->seconds;
done:
    for (int i = 0; i < all.n; i++)
        if (all.one[i].state)
            all.one[i].row->method->destroy(all.one[i].state);
    return status;
}
