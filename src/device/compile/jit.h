/* SPDX-License-Identifier: Apache-2.0 */
/* jit.h: kernels from embedded text, compiled when a plan needs them.
 *
 *     struct jit jit = {0};
 *     jit_begin(&jit, device, "stage/spread/gpu_particle.k", precision);
 *     jit_define(&jit, "SUPPORT", "%d", 8);
 *     jit_build(&jit);
 *     jit_kernel(&jit, "spread_particle", 128, 0, &kernel);
 *     ...
 *     jit_clear(&jit);            (also destroys its kernels)
 *
 * The compiler's input is the dialect, the definitions in the order of their
 * names, the file, and the files that it includes.  A file with an include
 * guard appears once.  #line directives make messages name file and line.
 * Binaries are cached on disk (cache.h). */
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
    char *define[JIT_DEFINES]; /* owned; "NAME value" */
    void *module;
    int n_kernels;
    void *kernel[JIT_KERNELS];
    farsum_status failed;  /* first failure of a definition; jit_build returns
                              it */
    int nested;            /* 1: its kernels launch kernels */
    int cached;            /* 1: the binary came from the disk cache */
    struct jit_late *late; /* owned; compilation by another thread */
};

/* Starts a text.  precision: that of the type `real`. */
void jit_begin(struct jit *jit, struct device *device, const char *file,
               farsum_precision precision);
void jit_define(struct jit *jit, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Defines a real that reads back exactly; the text uses R(NAME). */
void jit_define_real(struct jit *jit, const char *name, double value);
/* Defines a text of any length. */
void jit_define_text(struct jit *jit, const char *name, const char *text);
/* Defines a table of reals, a list without braces for use as {TABLE}. */
void jit_define_table(struct jit *jit, const char *name, const double *values,
                      int count);
/* A real as a literal, with f32's suffix if needed. */
struct number_text jit_real(double value, farsum_precision precision);
/* Declares that its kernels launch kernels.  The device must support it, see
 * device_nested. */
void jit_nested(struct jit *jit);
/* Compiles the text.  If the device gathers (device_gather) and can compile in
 * several threads, returns immediately and other threads compile.  Failures are
 * then reported when the device settles or at the first launch of one of the
 * kernels. */
farsum_status jit_build(struct jit *jit);
/* Gets a kernel.  group: its block size, as in KERNEL(n).  arena: largest size
 * of dynamic shared memory of its launches, in bytes. */
farsum_status jit_kernel(struct jit *jit, const char *name, int32_t group,
                         int64_t arena, struct kernel *kernel);
void jit_clear(struct jit *jit);

/* Returns the whole text, allocated by mem_alloc; the caller owns it.  For
 * tests that compile without a device.  words: the dialect's file. */
farsum_status jit_text(const struct jit *jit, const char *words, char **text);

/* An embedded text; the last entry has the name NULL. */
struct jit_file {
    const char *name; /* "stage/spread/gpu_particle.k" */
    const unsigned char *text;
    int64_t bytes;
};
extern const struct jit_file jit_files[];
const struct jit_file *jit_find(const char *name); /* NULL: there is none */
#endif
