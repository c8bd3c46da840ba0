/* SPDX-License-Identifier: Apache-2.0 */
/* jit.c: the compiler's input, and the kernels in its binary. */
#include "device/compile/jit.h"

#include "base/c_locale.h"
#include "base/mem.h"
#include "base/progress.h"
#include "device/compile/cache.h"
#include "device/compile/jit_late.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JIT_FILES = 32, JIT_DEPTH = 8 };

/* A text that grows. */
struct out {
    char *text; /* owned */
    int64_t n, capacity;
    const char *seen[JIT_FILES]; /* files included so far */
    int n_seen;
};

static farsum_status out_put(struct out *out, const char *text, int64_t n)
{
    if (out->n + n + 1 > out->capacity) {
        int64_t capacity = 2 * (out->n + n + 1);
        char *more = NULL;
        TRY(MEM_RAW(more, capacity));
        if (out->n > 0)
            memcpy(more, out->text, (size_t)out->n);
        mem_free(out->text);
        out->text = more;
        out->capacity = capacity;
    }
    memcpy(out->text + out->n, text, (size_t)n);
    out->n += n;
    out->text[out->n] = 0;
    return FARSUM_OK;
}

static farsum_status out_line(struct out *out, int line, const char *name)
{
    char mark[256];
    int n = snprintf(mark, sizeof mark, "#line %d \"%s\"\n", line, name);
    return out_put(out, mark, n);
}

static const struct jit_file *jit_named(const char *name, int64_t length)
{
    for (const struct jit_file *f = jit_files; f->name; f++)
        if ((int64_t)strlen(f->name) == length
            && memcmp(f->name, name, (size_t)length) == 0)
            return f;
    return NULL;
}

const struct jit_file *jit_find(const char *name)
{
    return jit_named(name, (int64_t)strlen(name));
}

/* The name in a line `#include "name"`; NULL for other lines. */
static const char *included(const char *line, int64_t n, int64_t *length)
{
    int64_t i = 0;
    static const char word[] = "include \"";
    while (i < n && line[i] == ' ')
        i++;
    if (i >= n || line[i++] != '#')
        return NULL;
    while (i < n && line[i] == ' ')
        i++;
    if (n - i < (int64_t)sizeof word - 1
        || memcmp(line + i, word, sizeof word - 1) != 0)
        return NULL;
    i += (int64_t)sizeof word - 1;
    const char *end = memchr(line + i, '"', (size_t)(n - i));
    if (!end)
        return NULL;
    *length = end - (line + i);
    return line + i;
}

/* Reads a file from disk instead, for the development of kernels. */
static farsum_status jit_from_disk(const char *folder, const char *name,
                                   char **text, int64_t *bytes)
{
    farsum_status status = FARSUM_OK;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        FAIL(ERR_ARGUMENT, "FARSUM_KERNEL_DIR has no %s", path);
    long n = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (n < 0 || fseek(file, 0, SEEK_SET) != 0)
        GO_FAIL(ERR_ARGUMENT, "%s could not be read", path);
    GO(MEM_RAW(*text, n + 1));
    if (fread(*text, 1, (size_t)n, file) != (size_t)n)
        GO_FAIL(ERR_ARGUMENT, "%s could not be read", path);
    *bytes = n;
done:
    fclose(file);
    return status;
}

static farsum_status jit_include(struct out *out, const char *name,
                                 int64_t length, int depth);

/* Appends the lines of a text; each include is replaced by the file's text. */
static farsum_status jit_lines(struct out *out, const char *name,
                               const char *text, int64_t bytes, int depth)
{
    int line = 1;
    TRY(out_line(out, 1, name));
    for (int64_t at = 0; at < bytes; line++) {
        const char *end = memchr(text + at, '\n', (size_t)(bytes - at));
        int64_t n = end ? end - (text + at) + 1 : bytes - at, length = 0;
        const char *other = included(text + at, n, &length);
        if (other) {
            TRY(jit_include(out, other, length, depth + 1));
            TRY(out_line(out, line + 1, name));
        } else {
            TRY(out_put(out, text + at, n));
        }
        at += n;
    }
    return out_put(out, "\n", 1);
}

/* Returns 1 if a second include of the file has no effect. */
static int jit_guarded(const struct jit_file *file)
{
    static const char guard[] = "#ifndef FARSUM_";
    return memmem(file->text, (size_t)file->bytes, guard, sizeof guard - 1)
           != NULL;
}

static farsum_status jit_include(struct out *out, const char *name,
                                 int64_t length, int depth)
{
    const struct jit_file *file = jit_named(name, length);
    const char *folder = secure_getenv("FARSUM_KERNEL_DIR");
    int disk = folder && *folder;
    if ((!file && !disk) || depth > JIT_DEPTH || out->n_seen == JIT_FILES)
        FAIL(ERR_INTERNAL, "no text \"%.*s\" is embedded", (int)length, name);
    for (int i = 0; file && i < out->n_seen; i++)
        if (out->seen[i] == file->name)
            return FARSUM_OK;
    if (file && jit_guarded(file))
        out->seen[out->n_seen++] = file->name;
    if (!disk)
        return jit_lines(out, file->name, (const char *)file->text,
                         file->bytes, depth);
    char *text = NULL, path[256];
    int64_t bytes = 0;
    snprintf(path, sizeof path, "%.*s", (int)length, name);
    farsum_status status = jit_from_disk(folder, path, &text, &bytes);
    if (status != FARSUM_OK && file) /* not overridden */
        return jit_lines(out, file->name, (const char *)file->text,
                         file->bytes, depth);
    if (status == FARSUM_OK)
        status = jit_lines(out, path, text, bytes, depth);
    mem_free(text);
    return status;
}

void jit_begin(struct jit *jit, struct device *device, const char *file,
               farsum_precision precision)
{
    *jit = (struct jit){.device = device, .file = file,
                        .precision = precision};
}

static void jit_own(struct jit *jit, char *text)
{
    if (jit->n_defines == JIT_DEFINES) {
        mem_free(text);
        jit->failed = status_fail(FARSUM_ERR_INTERNAL,
                                  "%s: more than %d definitions", jit->file,
                                  JIT_DEFINES);
        return;
    }
    jit->define[jit->n_defines++] = text;
}

void jit_define(struct jit *jit, const char *name, const char *format, ...)
{
    char value[512], *text = NULL;
    va_list args;
    va_start(args, format);
    int n = c_locale_vtext(value, sizeof value, format, args);
    va_end(args);
    if (jit->failed != FARSUM_OK)
        return;
    if (n < 0 || n >= (int)sizeof value) {
        jit->failed = status_fail(FARSUM_ERR_INTERNAL,
                                  "%s: the definition of %s is too long",
                                  jit->file, name);
        return;
    }
    int64_t capacity = (int64_t)strlen(name) + n + 2;
    jit->failed = MEM_RAW(text, capacity);
    if (jit->failed != FARSUM_OK)
        return;
    snprintf(text, (size_t)capacity, "%s %s", name, value);
    jit_own(jit, text);
}

void jit_define_text(struct jit *jit, const char *name, const char *value)
{
    int64_t n = (int64_t)strlen(name), more = (int64_t)strlen(value);
    char *text = NULL;
    if (jit->failed != FARSUM_OK)
        return;
    jit->failed = MEM_RAW(text, n + more + 2);
    if (jit->failed != FARSUM_OK)
        return;
    memcpy(text, name, (size_t)n);
    text[n] = ' ';
    memcpy(text + n + 1, value, (size_t)more + 1);
    jit_own(jit, text);
}

void jit_define_real(struct jit *jit, const char *name, double value)
{
    jit_define(jit, name, "%s", number_text(value).text);
}

struct number_text jit_real(double value, farsum_precision precision)
{
    if (precision != FARSUM_F32)
        return number_scientific(value, 17);
    struct number_text out = number_scientific(value, 9);
    strcat(out.text, "f");
    return out;
}

void jit_define_table(struct jit *jit, const char *name, const double *values,
                      int count)
{
    struct out out = {0};
    farsum_status status = FARSUM_OK;
    if (jit->failed != FARSUM_OK)
        return;
    GO(out_put(&out, name, (int64_t)strlen(name)));
    GO(out_put(&out, " ", 1));
    for (int i = 0; i < count; i++) {
        struct number_text one = jit_real(values[i], jit->precision);
        GO(out_put(&out, ",", i > 0));
        GO(out_put(&out, one.text, (int64_t)strlen(one.text)));
    }
done:
    jit->failed = status;
    if (status == FARSUM_OK)
        jit_own(jit, out.text);
    else
        mem_free(out.text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

farsum_status jit_text(const struct jit *jit, const char *words, char **text)
{
    farsum_status status = FARSUM_OK;
    struct out out = {0};
    char bits[64];
    const char *define[JIT_DEFINES];
    int n = snprintf(bits, sizeof bits, "#define REAL_BITS %d\n",
                     jit->precision == FARSUM_F32 ? 32 : 64);
    GO(out_put(&out, bits, n));
    GO(jit_include(&out, words, (int64_t)strlen(words), 0));
    for (int i = 0; i < jit->n_defines; i++)
        define[i] = jit->define[i];
    qsort(define, (size_t)jit->n_defines, sizeof define[0], by_name);
    for (int i = 0; i < jit->n_defines; i++) {
        GO(out_put(&out, "#define ", 8));
        GO(out_put(&out, define[i], (int64_t)strlen(define[i])));
        GO(out_put(&out, "\n", 1));
    }
    GO(jit_include(&out, jit->file, (int64_t)strlen(jit->file), 0));
    *text = out.text;
done:
    if (status != FARSUM_OK)
        mem_free(out.text);
    return status;
}

void jit_nested(struct jit *jit)
{
    jit->nested = 1;
}

/* The compiler, and the linker if there is one.  Allocated by mem_alloc; the
 * caller owns it. */
static farsum_status jit_makers(const struct jit *jit, char **makers)
{
    const struct device_properties *properties = &jit->device->properties;
    if (jit->nested)
        TRY(device_nested(jit->device));
    const char *linker = jit->nested ? properties->linker : "";
    int64_t n = (int64_t)(strlen(properties->makers) + strlen(linker)) + 2;
    TRY(MEM_RAW(*makers, n));
    snprintf(*makers, (size_t)n, "%s%s%s", properties->makers,
             jit->nested ? "\n" : "", linker);
    return FARSUM_OK;
}

farsum_status jit_build(struct jit *jit)
{
    farsum_status status = FARSUM_OK;
    struct device *d = jit->device;
    char *text = NULL, *makers = NULL;
    void *binary = NULL;
    int64_t bytes = 0;
    TRY(jit->failed);
    GO(jit_makers(jit, &makers));
    GO(jit_text(jit, d->backend->words, &text));
    const struct cache_key key = {
        {farsum_version(), d->properties.arch, makers, text}};
    if (d->gathers && d->backend->apart && !jit->nested) {
        GO(jit_late_start(d, jit->file, &key, &jit->late));
        goto done;
    }
    jit->cached = cache_get(&key, &binary, &bytes);
    if (jit->cached
        && d->backend->load(d, binary, bytes, &jit->module) == FARSUM_OK)
        goto done;
    jit->cached = 0;
    mem_free(binary);
    binary = NULL;
    GO(progress_step(0, 0, "compiling %s", jit->file));
    void *before = c_locale_enter(); /* compilers read numbers in the locale
                                           too */
    status = (jit->nested ? d->backend->compile_nested
                          : d->backend->compile)(d, text, &binary, &bytes);
    c_locale_leave(before);
    if (status != FARSUM_OK) {
        status = status_prefix(status, "%s on %s", jit->file, d->name);
        goto done;
    }
    GO(d->backend->load(d, binary, bytes, &jit->module));
    /* a cache that cannot be written only costs time later */
    (void)!cache_put(&key, binary, bytes);
done:
    mem_free(text);
    mem_free(makers);
    mem_free(binary);
    return status;
}

farsum_status jit_kernel(struct jit *jit, const char *name, int32_t group,
                         int64_t arena, struct kernel *kernel)
{
    struct device *d = jit->device;
    void *handle = NULL;
    if (jit->n_kernels == JIT_KERNELS)
        FAIL(ERR_INTERNAL, "%s: more than %d kernels", jit->file, JIT_KERNELS);
    if (strlen(name) >= KERNEL_NAME)
        FAIL(ERR_INTERNAL, "%s: the name %s is too long", jit->file, name);
    if (group > d->properties.group_max)
        FAIL(ERR_UNSUPPORTED,
             "%s has groups of %d threads at most, %s wants "
             "%d",
             d->name, d->properties.group_max, name, group);
    if (arena > d->properties.local)
        FAIL(ERR_UNSUPPORTED,
             "%s needs %lld bytes of shared memory, %s has %lld", name,
             (long long)arena, d->name, (long long)d->properties.local);
    *kernel = (struct kernel){.device = d,
                              .handle = jit->late,
                              .group = group,
                              .arena = arena,
                              .late = jit->late};
    snprintf(kernel->name, sizeof kernel->name, "%s", name);
    if (jit->late)
        return jit_late_kernel(jit->late, name, arena, &kernel->slot);
    TRY(d->backend->kernel(d, jit->module, name, arena, &handle));
    jit->kernel[jit->n_kernels++] = handle;
    kernel->handle = handle;
    return FARSUM_OK;
}

void jit_clear(struct jit *jit)
{
    struct device *d = jit->device;
    jit_late_destroy(jit->late);
    for (int i = 0; i < jit->n_kernels; i++)
        d->backend->release_kernel(d, jit->kernel[i]);
    if (jit->module) {
        d->backend->unload(d, jit->module);
        d->unloaded++;
    }
    for (int i = 0; i < jit->n_defines; i++)
        mem_free(jit->define[i]);
    *jit = (struct jit){0};
}
