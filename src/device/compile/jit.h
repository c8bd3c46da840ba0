/* SPDX-License-Identifier: Apache-2.0 */
/* jit.h: kernels from embedded text, compiled when a plan asks for them.
 *
 *     struct jit jit = {0};
 *     jit_begin(&jit, device, "stage/spread/gpu_particle.k", precision);
 *     jit_define(&jit, "SUPPORT", "%d", 8);
 *     jit_build(&jit);
 *     jit_kernel(&jit, "spread_particle", 128, 0, &kernel);
 *     ...
 *     jit_clear(&jit);            (its kernels die with it)
 *
 * The text that the compiler sees is the dialect's words, the definitions in
 * the order of their names, the file, and what it includes, each once if it has
 * a guard, with #line marks so that messages name file and line.  Binaries are
 * kept on disk (cache.h). */
#ifndef FARSUM_DEVICE_COMPILE_JIT_H
#define FARSUM_DEVICE_COMPILE_JIT_H

#include "base/number.h"
#include "device/device.h"

enum { JIT_DEFINES = 48, JIT_KERNELS = 16 };

struct jit {
    struct device *device; /* borrowed */
    const char *file;      /* borrowed */
    farsum_precision precision;
    int n_defines;
    char *define[JIT_DEFINES]; /* owned: "NAME value" */
    void *module;
    int n_kernels;
    void *kernel[JIT_KERNELS];
    farsum_status failed;  /* of a define; build returns it */
    int nested;            /* 1: its kernels launch kernels */
    int cached;            /* 1: the binary was found on disk */
    struct jit_late *late; /* owned: what is compiled by another thread */
};

/* precision: of the word `real`. */
void jit_begin(struct jit *jit, struct device *device, const char *file,
               farsum_precision precision);
void jit_define(struct jit *jit, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A real that reads back exactly: R(NAME) in the text. */
void jit_define_real(struct jit *jit, const char *name, double value);
/* The same for text of any length. */
void jit_define_text(struct jit *jit, const char *name, const char *text);
/* A table of reals that the text sees as a list: {1.5,...} without braces. */
void jit_define_table(struct jit *jit, const char *name, const double *values,
                      int count);
/* A real as the text has it, with f32's suffix. */
struct number_text jit_real(double value, farsum_precision precision);
/* Its kernels launch kernels: for devices that device_nested says OK of. */
void jit_nested(struct jit *jit);
/* While its device gathers (device_gather) and if it compiles apart, returns at
 * once: others compile the text, and what they say is known when the device
 * settles, or when the first of its kernels is launched. */
farsum_status jit_build(struct jit *jit);
/* group: its size, as in KERNEL(n); arena: the most bytes that launches ask
 * for. */
farsum_status jit_kernel(struct jit *jit, const char *name, int32_t group,
                         int64_t arena, struct kernel *kernel);
void jit_clear(struct jit *jit);

/* The whole text, by mem_alloc; the caller's.  For tests that compile without
 * a device: words names the dialect's file. */
farsum_status jit_text(const struct jit *jit, const char *words, char **text);

/* An embedded text, ended by a row whose name is NULL. */
struct jit_file {
    const char *name; /* "stage/spread/gpu_particle.k" */
    const unsigned char *text;
    int64_t bytes;
};
extern const struct jit_file jit_files[];
#endif
