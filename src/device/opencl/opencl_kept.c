/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_kept.c: programs that PoCL built, kept for the process.
 *
 * For each text PoCL reads its headers again, a megabyte of them, only to find
 * the kernels on disk: 40 ms per text.  Devices of one kind share a context, so
 * that plans share its programs.  The KEPT programs used last stay; a new one
 * replaces the one unused for longest.  The contexts stay.  One lock protects
 * both and is never held during a build. */
#include "device/opencl/opencl.h"

#include "base/fork.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

enum { KEPT = 128, CONTEXTS = 8 };

static struct {
    struct fork_lock lock;
    uint64_t now;
    struct {
        cl_id device, context; /* context NULL: the slot is free */
    } own[CONTEXTS];
    struct {
        uint64_t used; /* 0: the slot is free */
        XXH128_hash_t key;
        cl_id context, program;
    } program[KEPT];
} kept = {.lock = FORK_LOCK};

static XXH128_hash_t kept_key(const struct opencl *cl, const char *text)
{
    return XXH3_128bits_withSeed(text, strlen(text),
                                 XXH3_64bits(cl->options,
                                             strlen(cl->options)));
}

/* Slot of a context, -1 if it is not one of these. */
static int kept_own(cl_id context)
{
    for (int k = 0; k < CONTEXTS && context; k++)
        if (kept.own[k].context == context)
            return k;
    return -1;
}

void opencl_kept_context(struct opencl *cl)
{
    fork_lock(&kept.lock);
    for (int k = 0; k < CONTEXTS && !cl->context; k++)
        if (kept.own[k].context && kept.own[k].device == cl->device
            && cl->api.clRetainContext(kept.own[k].context) == 0)
            cl->context = kept.own[k].context;
    fork_unlock(&kept.lock);
}

void opencl_keep_context(struct opencl *cl)
{
    int free_slot = -1, there = 0;
    fork_lock(&kept.lock);
    for (int k = CONTEXTS - 1; k >= 0; k--) {
        free_slot = kept.own[k].context ? free_slot : k;
        there |= kept.own[k].context && kept.own[k].device == cl->device;
    }
    if (!there && free_slot >= 0
        && cl->api.clRetainContext(cl->context) == 0) {
        kept.own[free_slot].device = cl->device;
        kept.own[free_slot].context = cl->context;
    }
    fork_unlock(&kept.lock);
}

/* Slot of a program, -1 if there is none.  Call with the lock. */
static int kept_find(const struct opencl *cl, XXH128_hash_t key)
{
    for (int k = 0; k < KEPT; k++)
        if (kept.program[k].used && kept.program[k].context == cl->context
            && XXH128_isEqual(kept.program[k].key, key))
            return k;
    return -1;
}

cl_id opencl_kept_program(struct opencl *cl, const char *text)
{
    const XXH128_hash_t key = kept_key(cl, text);
    cl_id program = NULL;
    fork_lock(&kept.lock);
    int k = kept_find(cl, key);
    if (k >= 0 && cl->api.clRetainProgram(kept.program[k].program) == 0) {
        program = kept.program[k].program;
        kept.program[k].used = ++kept.now;
    }
    fork_unlock(&kept.lock);
    return program;
}

void opencl_keep_program(struct opencl *cl, const char *text, cl_id program)
{
    const XXH128_hash_t key = kept_key(cl, text);
    cl_id old = NULL;
    fork_lock(&kept.lock);
    if (kept_own(cl->context) >= 0 && kept_find(cl, key) < 0
        && cl->api.clRetainProgram(program) == 0) {
        int k = 0;
        for (int i = 1; i < KEPT; i++)
            k = kept.program[i].used < kept.program[k].used ? i : k;
        old = kept.program[k].used ? kept.program[k].program : NULL;
        kept.program[k].used = ++kept.now;
        kept.program[k].key = key;
        kept.program[k].context = cl->context;
        kept.program[k].program = program;
    }
    fork_unlock(&kept.lock);
    if (old)
        cl->api.clReleaseProgram(old);
}
