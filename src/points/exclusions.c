/* SPDX-License-Identifier: Apache-2.0 */
/* exclusions.c: checks the caller's list of excluded pairs, and sorts it into
 * one row per target. */
#include "points/exclusions.h"

#include <stdlib.h>

#include "base/args.h"
#include "base/mem.h"

void exclusions_clear(struct exclusions *e)
{
    mem_free(e->pair);
    mem_free(e->factor);
    mem_free(e->target);
    mem_free(e->start);
    mem_free(e->source);
    mem_free(e->lost);
    *e = (struct exclusions){.version = e->version};
}

farsum_status exclusions_set(struct exclusions *e, int64_t count,
                             const int64_t *pair, const double *factor)
{
    farsum_status status = FARSUM_OK;
    struct exclusions made = {.version = e->version + 1};
    if (count < 0 || (count > 0 && !pair))
        FAIL(ERR_ARGUMENT, "%lld exclusions with %s pairs", (long long)count,
             pair ? "given" : "no");
    TRY(count_check(count, "the number of exclusions"));
    for (int64_t k = 0; factor && k < count; k++)
        if (!(factor[k] >= 0 && factor[k] <= 1))
            FAIL(ERR_ARGUMENT,
                 "exclusion %lld, pair %lld %lld: factor %g is not 0 .. 1",
                 (long long)k, (long long)pair[2 * k],
                 (long long)pair[2 * k + 1], factor[k]);
    if (count > 0) {
        GO(MEM_RAW(made.pair, 2 * count));
        GO(MEM_RAW(made.factor, count));
    }
    for (int64_t k = 0; k < count; k++) {
        made.pair[2 * k] = pair[2 * k];
        made.pair[2 * k + 1] = pair[2 * k + 1];
        made.factor[k] = factor ? factor[k] : 0;
    }
    made.count = count;
    exclusions_clear(e);
    *e = made;
    made = (struct exclusions){0};
done:
    exclusions_clear(&made);
    return status;
}

/* A member of a row during sorting. */
struct member {
    int64_t source, index;
};

static int member_order(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

farsum_status exclusions_check(const struct exclusions *e, int64_t n,
                               int64_t m)
{
    for (int64_t k = 0; k < e->count; k++)
        for (int side = 0; side < 2; side++) {
            int64_t at = e->pair[2 * k + side];
            int64_t most = side == 0 && m > 0 ? m : n;
            if (at < 0 || at >= most)
                FAIL(ERR_ARGUMENT,
                     "exclusion %lld, pair %lld %lld: there is no %s %lld, "
                     "they are 0 .. %lld",
                     (long long)k, (long long)e->pair[2 * k],
                     (long long)e->pair[2 * k + 1],
                     side == 0 && m > 0 ? "target" : "source", (long long)at,
                     (long long)most - 1);
        }
    for (int64_t k = 0; m == 0 && k < e->count; k++)
        if (e->pair[2 * k] == e->pair[2 * k + 1])
            FAIL(ERR_ARGUMENT,
                 "exclusion %lld, pair %lld %lld: a particle with itself",
                 (long long)k, (long long)e->pair[2 * k],
                 (long long)e->pair[2 * k + 1]);
    return FARSUM_OK;
}

/* Stores the members of each target from start[target] on, and advances
 * start[target] to their end. */
static void rows_fill(const struct exclusions *e, int64_t m, int64_t *start,
                      struct member *member)
{
    int sides = m > 0 ? 1 : 2;
    for (int64_t k = 0; k < e->count; k++)
        for (int side = 0; side < sides; side++) {
            int64_t to = e->pair[2 * k + side];
            member[start[to]++] = (struct member){e->pair[2 * k + 1 - side], k};
        }
}

/* Sorts each row; fails if a pair occurs twice. */
static farsum_status rows_sort(struct exclusions *made,
                               const struct exclusions *e,
                               struct member *member, int64_t twice[2])
{
    for (int64_t r = 0; r < made->rows; r++) {
        int64_t from = made->start[r], end = made->start[r + 1];
        qsort(member + from, (size_t)(end - from), sizeof *member,
              member_order);
        for (int64_t k = from; k < end; k++) {
            if (k > from && member[k].source == member[k - 1].source) {
                twice[0] = member[k - 1].index;
                twice[1] = member[k].index;
                FAIL(ERR_ARGUMENT,
                     "exclusions %lld and %lld name the same pair, %lld %lld",
                     (long long)twice[0], (long long)twice[1],
                     (long long)e->pair[2 * twice[1]],
                     (long long)e->pair[2 * twice[1] + 1]);
            }
            made->source[k] = member[k].source;
            made->lost[k] = 1 - e->factor[member[k].index];
        }
    }
    return FARSUM_OK;
}

/* Makes made->target and made->start from the number of members per target. */
static void rows_compress(struct exclusions *made, const int64_t *count,
                          int64_t targets)
{
    int64_t at = 0, r = 0;
    for (int64_t i = 0; i < targets; i++) {
        if (count[i] == 0)
            continue;
        made->target[r] = i;
        made->start[r++] = at;
        at += count[i];
    }
    made->start[r] = at;
}

static farsum_status rows_make(struct exclusions *made,
                               const struct exclusions *e, int64_t twice[2])
{
    farsum_status status = FARSUM_OK;
    int64_t targets = made->m > 0 ? made->m : made->n;
    int64_t *count = NULL;
    struct member *member = NULL;
    GO(MEM_NEW(count, targets));
    made->entries = e->count * (made->m > 0 ? 1 : 2);
    for (int64_t k = 0; k < made->entries; k++) {
        int64_t i = made->m > 0 ? e->pair[2 * k] : e->pair[k];
        made->rows += count[i]++ == 0;
    }
    GO(MEM_RAW(made->target, made->rows));
    GO(MEM_RAW(made->start, made->rows + 1));
    GO(MEM_RAW(made->source, made->entries));
    GO(MEM_RAW(made->lost, made->entries));
    GO(MEM_RAW(member, made->entries));
    rows_compress(made, count, targets);
    for (int64_t r = 0; r < made->rows; r++)
        count[made->target[r]] = made->start[r];
    rows_fill(e, made->m, count, member);
    GO(rows_sort(made, e, member, twice));
done:
    mem_free(member);
    mem_free(count);
    return status;
}

void exclusions_take_rows(struct exclusions *e, struct exclusions *from)
{
    struct exclusions taken = *from;
    mem_free(e->target);
    mem_free(e->start);
    mem_free(e->source);
    mem_free(e->lost);
    taken.count = e->count;
    taken.pair = e->pair;
    taken.factor = e->factor;
    taken.version = e->version;
    *e = taken;
    from->target = from->start = from->source = NULL;
    from->lost = NULL;
    from->n = from->m = from->rows = from->entries = 0;
}

/* Replaces the rows by those of n sources and m targets. */
static farsum_status rows_replace(struct exclusions *e, int64_t n, int64_t m,
                                  int64_t twice[2])
{
    struct exclusions made = {.n = n, .m = m};
    farsum_status status = rows_make(&made, e, twice);
    if (status == FARSUM_OK) {
        exclusions_take_rows(e, &made);
        e->version++;
    }
    exclusions_clear(&made);
    return status;
}

farsum_status exclusions_rows(struct exclusions *e, int64_t n, int64_t m)
{
    int64_t twice[2];
    if (e->count == 0 || (e->n == n && e->m == m))
        return FARSUM_OK;
    TRY(exclusions_check(e, n, m));
    return rows_replace(e, n, m, twice);
}

farsum_status exclusions_one_way(struct exclusions *e, int64_t targets,
                                 int64_t twice[2])
{
    twice[0] = twice[1] = -1;
    return e->count == 0 ? FARSUM_OK : rows_replace(e, 0, targets, twice);
}

/* Returns the index of v among n ascending numbers, or -1. */
static int64_t find(const int64_t *a, int64_t n, int64_t v)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (a[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && a[low] == v ? low : -1;
}

int64_t exclusions_row(const struct exclusions *e, int64_t i)
{
    return find(e->target, e->rows, i);
}

double exclusions_lost(const struct exclusions *e, int64_t i, int64_t j)
{
    int64_t r = exclusions_row(e, i);
    if (r < 0)
        return 0;
    int64_t from = e->start[r];
    int64_t at = find(e->source + from, e->start[r + 1] - from, j);
    return at < 0 ? 0 : e->lost[from + at];
}

struct exclusions *exclusions_of_sources(struct exclusions *e)
{
    return e && e->m == 0 && e->rows > 0 ? e : NULL;
}
