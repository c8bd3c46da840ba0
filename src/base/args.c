/* SPDX-License-Identifier: Apache-2.0 */
/* args.c: checks of a caller's structs and counts. */
#include "base/args.h"

#include <string.h>

/* The most bytes by which a newer version's struct may be larger.  A size
 * beyond that is no valid size. */
enum { GROWTH = 4096 };

static farsum_status struct_tail(const void *given, size_t size, size_t known,
                                 const char *init)
{
    if (size < sizeof(size_t) || size > known + GROWTH)
        FAIL(ERR_ARGUMENT,
             "a struct's size is %zu, not %zu: it was not made by %s", size,
             known, init);
    for (size_t i = known; i < size; i++)
        if (((const unsigned char *)given)[i])
            FAIL(ERR_ARGUMENT,
                 "a struct of a newer %s (size %zu, not %zu) sets what this "
                 "version, %s, does not know",
                 init, size, known, farsum_version());
    return FARSUM_OK;
}

farsum_status struct_take(void *to, size_t to_size, const void *from,
                          size_t from_size, const char *init)
{
    TRY(struct_tail(from, from_size, to_size, init));
    memset(to, 0, to_size);
    memcpy(to, from, from_size < to_size ? from_size : to_size);
    memcpy(to, &to_size, sizeof to_size);
    return FARSUM_OK;
}

farsum_status struct_give(void *to, size_t to_size, const void *from,
                          size_t from_size, const char *init)
{
    TRY(struct_tail(to, to_size, from_size, init));
    memcpy(to, from, from_size < to_size ? from_size : to_size);
    memcpy(to, &to_size, sizeof to_size);
    return FARSUM_OK;
}

farsum_status count_check(int64_t count, const char *name)
{
    if (count < 0)
        FAIL(ERR_ARGUMENT, "%s is %lld, below 0", name, (long long)count);
    if (count > COUNT_MOST)
        FAIL(ERR_MEMORY, "%s is %lld, above 2^48: beyond any memory", name,
             (long long)count);
    return FARSUM_OK;
}

farsum_status count_product(const int64_t *count, int counts, const char *name)
{
    int64_t product = 1;
    for (int i = 0; i < counts; i++) {
        TRY(count_check(count[i], name));
        if (count[i] > 0 && product > COUNT_MOST / count[i])
            FAIL(ERR_MEMORY, "%s: their product is above 2^48, beyond any "
                             "memory",
                 name);
        product *= count[i];
    }
    return FARSUM_OK;
}
