/* SPDX-License-Identifier: Apache-2.0 */
/* tree_sort.c: a stable radix sort, lowest digit first.  Each pass is a
 * counting sort, parallel over parts of its input order. */
#include "points/tree/tree_set.h"

#include "base/mem.h"
#include "base/par.h"

enum { DIGIT = 11, DIGITS = 1 << DIGIT, PART_LEAST = 4096 };

struct radix {
    int64_t n;
    int parts, shift;
    const uint64_t *from;
    const int64_t *from_order; /* NULL: 0, 1, 2, ... */
    uint64_t *to;
    int64_t *to_order;
    int64_t *count; /* [parts][DIGITS] */
};

static inline int radix_digit(const struct radix *r, uint64_t key)
{
    return (int)(key >> r->shift) & (DIGITS - 1);
}

static void radix_count(const struct radix *r, int part)
{
    int64_t *count = r->count + (int64_t)part * DIGITS;
    int64_t end = par_start(r->n, r->parts, part + 1);
    for (int k = 0; k < DIGITS; k++)
        count[k] = 0;
    for (int64_t i = par_start(r->n, r->parts, part); i < end; i++)
        count[radix_digit(r, r->from[i])]++;
}

/* Converts counts to positions. */
static void radix_places(const struct radix *r)
{
    int64_t at = 0;
    for (int k = 0; k < DIGITS; k++)
        for (int p = 0; p < r->parts; p++) {
            int64_t *count = &r->count[(int64_t)p * DIGITS + k], n = *count;
            *count = at;
            at += n;
        }
}

static void radix_move(const struct radix *r, int part)
{
    int64_t *place = r->count + (int64_t)part * DIGITS;
    int64_t end = par_start(r->n, r->parts, part + 1);
    for (int64_t i = par_start(r->n, r->parts, part); i < end; i++) {
        int64_t k = place[radix_digit(r, r->from[i])]++;
        r->to[k] = r->from[i];
        r->to_order[k] = r->from_order ? r->from_order[i] : i;
    }
}

static void radix_pass(const struct radix *r)
{
    PAR_FOR(r->parts, schedule(static, 1))
    for (int p = 0; p < r->parts; p++)
        radix_count(r, p);
    radix_places(r);
    PAR_FOR(r->parts, schedule(static, 1))
    for (int p = 0; p < r->parts; p++)
        radix_move(r, p);
}

/* An even number of passes ends in the original arrays. */
farsum_status tree_sort(int64_t n, int bits, uint64_t *key, int64_t *order,
                        int threads)
{
    farsum_status status = FARSUM_OK;
    uint64_t *other = NULL;
    int64_t *other_order = NULL;
    struct radix r = {.n = n, .parts = par_threads(threads)};
    int64_t most = n / PART_LEAST;
    r.parts = r.parts > most ? (most > 1 ? (int)most : 1) : r.parts;
    int passes = (bits + DIGIT - 1) / DIGIT;
    passes += passes & 1;
    passes = passes == 0 ? 2 : passes;
    GO(MEM_RAW(other, n));
    GO(MEM_RAW(other_order, n));
    GO(MEM_RAW(r.count, (int64_t)r.parts * DIGITS));
    for (int p = 0; p < passes; p++) {
        int back = p & 1;
        r.shift = p * DIGIT;
        r.from = back ? other : key;
        r.from_order = p == 0 ? NULL : back ? other_order : order;
        r.to = back ? key : other;
        r.to_order = back ? order : other_order;
        radix_pass(&r);
    }
done:
    mem_free(other);
    mem_free(other_order);
    mem_free(r.count);
    return status;
}
