/* SPDX-License-Identifier: Apache-2.0 */
/* kept.h: caches of computed values, kept until the process ends.
 *
 * A cache has a fixed number of slots in static arrays, so that it needs no
 * allocation that could fail; pages of slots that were never filled take no
 * memory.  The slot unused for longest is replaced.  One lock guards the cache,
 * and is not held while a value is computed.  Keys are compared by their bytes,
 * padding included. */
#ifndef FARSUM_BASE_KEPT_H
#define FARSUM_BASE_KEPT_H

#include <stddef.h>
#include <stdint.h>

#include "base/fork.h"

struct kept {
    struct fork_lock lock;
    int slots;
    size_t key_bytes, value_bytes; /* of a slot */
    uint64_t *used;                /* [slots]; 0: the slot is free */
    void *key, *value;             /* [slots] */
    uint64_t now, there, made;     /* uses, values found, values stored */
};
/* Initialises a static cache in arrays of the same name and _used, _key and
 * _value. */
#define KEPT(name)                                                             \
    {.lock = FORK_LOCK, .slots = sizeof name##_used / sizeof *name##_used,     \
     .key_bytes = sizeof *name##_key, .value_bytes = sizeof *name##_value,     \
     .used = name##_used, .key = name##_key, .value = name##_value}

/* Copies the value of a key, `bytes` long; returns 1 if it was found. */
int kept_find(struct kept *kept, const void *key, void *value, size_t bytes);
/* Stores a value that was computed, if it fits into a slot. */
void kept_store(struct kept *kept, const void *key, const void *value,
                size_t bytes);
/* For tests: how many values were found, and how many were stored. */
void kept_counts(struct kept *kept, uint64_t *there, uint64_t *made);
#endif
