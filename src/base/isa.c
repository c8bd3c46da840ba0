/* SPDX-License-Identifier: Apache-2.0 */
/* isa.c: the instruction sets that this machine runs. */
#include "base/isa.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[ISA_COUNT] = {"base", "avx2", "avx512"};

const char *isa_name(enum isa isa)
{
    return names[isa];
}

static enum isa isa_machine(void)
{
#if FARSUM_HAVE_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512bw"))
        return ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return ISA_AVX2;
#endif
    return ISA_BASE;
}

enum isa isa_best(void)
{
    enum isa best = isa_machine();
    const char *wanted = secure_getenv("FARSUM_ISA");
    for (int i = 0; wanted && i < ISA_COUNT; i++)
        if (strcmp(wanted, names[i]) == 0 && (enum isa)i < best)
            return (enum isa)i;
    return best;
}

farsum_status isa_find(const char *name, enum isa *isa)
{
    if (!name) {
        *isa = isa_best();
        return FARSUM_OK;
    }
    for (int i = 0; i < ISA_COUNT; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        if ((enum isa)i > isa_machine())
            FAIL(ERR_UNSUPPORTED, "isa %s: this machine runs up to %s", name,
                 names[isa_machine()]);
        *isa = (enum isa)i;
        return FARSUM_OK;
    }
    FAIL(ERR_UNKNOWN, "isa \"%s\" is not known; known: base, avx2, avx512",
         name);
}
