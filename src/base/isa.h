/* SPDX-License-Identifier: Apache-2.0 */
/* isa.h: one source for several instruction sets and precisions.
 *
 * A file *_kern.c is compiled once per instruction set and precision
 * (cmake/isa.cmake), with FARSUM_BITS 32 or 64 and FARSUM_ISA base, avx2 or
 * avx512.  It exports one struct of function pointers named ISA_NAME(stem).
 * Its host file reaches these structs through a table:
 *
 *     ISA_TABLE(struct near_kern, near_host_cluster)
 *     ... isa_near_host_cluster[isa][precision == FARSUM_F32] ... */
#ifndef FARSUM_BASE_ISA_H
#define FARSUM_BASE_ISA_H

#include "base/status.h"

enum isa { ISA_BASE, ISA_AVX2, ISA_AVX512, ISA_COUNT };

const char *isa_name(enum isa isa);
/* Returns the best instruction set that both this machine and the build
 * support.  The environment variable FARSUM_ISA lowers it if it names one that
 * runs. */
enum isa isa_best(void);
/* Finds an instruction set by name; NULL: the best.  Fails on unknown names and
 * on sets that this machine cannot run. */
farsum_status isa_find(const char *name, enum isa *isa);

#if defined(FARSUM_ISA) && defined(FARSUM_BITS)
#define ISA_PASTE2(stem, bits, isa) stem##_f##bits##_##isa
#define ISA_PASTE(stem, bits, isa) ISA_PASTE2(stem, bits, isa)
#define ISA_NAME(stem) ISA_PASTE(stem, FARSUM_BITS, FARSUM_ISA)
#endif

#if FARSUM_HAVE_X86
#define ISA_TABLE(type, stem)                                                  \
    extern const type stem##_f64_base, stem##_f32_base, stem##_f64_avx2,       \
        stem##_f32_avx2, stem##_f64_avx512, stem##_f32_avx512;                 \
    static const type *const isa_##stem[ISA_COUNT][2] = {                      \
        {&stem##_f64_base, &stem##_f32_base},                                  \
        {&stem##_f64_avx2, &stem##_f32_avx2},                                  \
        {&stem##_f64_avx512, &stem##_f32_avx512}};
#else
#define ISA_TABLE(type, stem)                                                  \
    extern const type stem##_f64_base, stem##_f32_base;                        \
    static const type *const isa_##stem[ISA_COUNT][2] = {                      \
        {&stem##_f64_base, &stem##_f32_base}};
#endif
#endif
