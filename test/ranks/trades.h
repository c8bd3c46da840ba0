/* SPDX-License-Identifier: Apache-2.0 */
/* trades.h: shapes of exchanges: what each rank sends to each other. */
#ifndef FARSUM_TEST_RANKS_TRADES_H
#define FARSUM_TEST_RANKS_TRADES_H

#include <stdint.h>

/* Bytes from rank a to rank b. */
typedef int64_t trade_bytes(int a, int b, int size);

static inline int64_t uneven(int a, int b, int size)
{
    (void)size;
    return (5 * a + 3 * b) % 4 * 129 + (a == b) * 7;
}

static inline int64_t none(int a, int b, int size)
{
    return 0 * (a + b + size);
}

static inline int64_t to_last(int a, int b, int size)
{
    return b == size - 1 ? 1000 + a : 0;
}

static inline int64_t from_last(int a, int b, int size)
{
    return a == size - 1 ? 1000 + b : 0;
}

static inline int64_t to_self(int a, int b, int size)
{
    (void)size;
    return a == b ? 300 : 0;
}

static inline int64_t to_next(int a, int b, int size)
{
    return b == (a + 1) % size ? 70000 + a : 0;
}

static inline int64_t even(int a, int b, int size)
{
    return 4096 + 0 * (a + b + size);
}
#endif
