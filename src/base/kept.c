/* SPDX-License-Identifier: Apache-2.0 */
/* kept.c: caches of computed values, kept until the process ends. */
#include "base/kept.h"

#include <string.h>

static char *slot_key(const struct kept *kept, int k)
{
    return (char *)kept->key + (size_t)k * kept->key_bytes;
}

static char *slot_value(const struct kept *kept, int k)
{
    return (char *)kept->value + (size_t)k * kept->value_bytes;
}

/* The slot of a key; -1: none. */
static int slot_of(const struct kept *kept, const void *key)
{
    for (int k = 0; k < kept->slots; k++)
        if (kept->used[k] != 0
            && memcmp(slot_key(kept, k), key, kept->key_bytes) == 0)
            return k;
    return -1;
}

int kept_find(struct kept *kept, const void *key, void *value, size_t bytes)
{
    fork_lock(&kept->lock);
    int k = slot_of(kept, key);
    if (k >= 0) {
        memcpy(value, slot_value(kept, k), bytes);
        kept->used[k] = ++kept->now;
        kept->there++;
    }
    fork_unlock(&kept->lock);
    return k >= 0;
}

void kept_store(struct kept *kept, const void *key, const void *value,
                size_t bytes)
{
    int oldest = 0;
    if (bytes > kept->value_bytes)
        return;
    fork_lock(&kept->lock);
    kept->made++;
    if (slot_of(kept, key) < 0) { /* no other thread has stored it first */
        for (int k = 1; k < kept->slots; k++)
            oldest = kept->used[k] < kept->used[oldest] ? k : oldest;
        memcpy(slot_key(kept, oldest), key, kept->key_bytes);
        memcpy(slot_value(kept, oldest), value, bytes);
        kept->used[oldest] = ++kept->now;
    }
    fork_unlock(&kept->lock);
}

void kept_counts(struct kept *kept, uint64_t *there, uint64_t *made)
{
    fork_lock(&kept->lock);
    *there = kept->there;
    *made = kept->made;
    fork_unlock(&kept->lock);
}
