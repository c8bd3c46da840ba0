/* SPDX-License-Identifier: Apache-2.0 */
/* variants_locale.c: runs of device variants in the locale FARSUM_TEST_LOCALE,
 * with a decimal comma.  Their compiled text is compared with that in C, byte
 * by byte.  Every text passes through cache_get, or through opencl_kept_program
 * for PoCL; the linker wraps both. */
#include "variants.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/compile/cache.h"
#include "device/opencl/opencl.h"

static struct texts *recorded;

int __real_cache_get(const struct cache_key *key, void **binary,
                     int64_t *bytes);
int __wrap_cache_get(const struct cache_key *key, void **binary,
                     int64_t *bytes);

cl_id __real_opencl_kept_program(struct opencl *cl, const char *text);
cl_id __wrap_opencl_kept_program(struct opencl *cl, const char *text);

static void text_record(const char *text)
{
    struct texts *to = recorded;
    if (!to)
        return;
    if (to->n == TEXTS)
        check_stop("more than %d texts", TEXTS);
    to->text[to->n] = strdup(text);
    if (!to->text[to->n++])
        check_stop("no memory for a text");
}

int __wrap_cache_get(const struct cache_key *key, void **binary, int64_t *bytes)
{
    for (size_t i = 0; i < sizeof key->parts / sizeof key->parts[0]; i++)
        text_record(key->parts[i]);
    return __real_cache_get(key, binary, bytes);
}

/* A text is asked for here once or twice, so each is recorded once. */
cl_id __wrap_opencl_kept_program(struct opencl *cl, const char *text)
{
    int known = 0;
    for (int i = 0; recorded && i < recorded->n; i++)
        known |= strcmp(recorded->text[i], text) == 0;
    if (!known)
        text_record(text);
    return __real_opencl_kept_program(cl, text);
}

void texts_record(struct texts *to)
{
    recorded = to;
}

void texts_clear(struct texts *texts)
{
    for (int i = 0; i < texts->n; i++)
        free(texts->text[i]);
    texts->n = 0;
}

void texts_same(const char *what, const struct texts *found,
                const struct texts *wanted)
{
    CHECK(found->n == wanted->n, "%s: %d texts, in C %d", what, found->n,
          wanted->n);
    for (int i = 0; i < found->n && i < wanted->n; i++) {
        const char *a = found->text[i], *b = wanted->text[i];
        size_t at = 0;
        while (a[at] && a[at] == b[at])
            at++;
        size_t from = at > 30 ? at - 30 : 0;
        CHECK(a[at] == b[at],
              "%s: text %d, byte %zu: \"%.60s\", in C "
              "\"%.60s\"",
              what, i, at, a + from, b + from);
    }
}

int locale_test(int in)
{
    const char *name = getenv("FARSUM_TEST_LOCALE");
    if (!name)
        return 0;
    if (!setlocale(LC_ALL, in ? name : "C")
        || (*localeconv()->decimal_point == '.') == in)
        check_stop("no locale %s with a decimal comma", name);
    return 1;
}
