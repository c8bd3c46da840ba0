/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: the kernel cache on disk: list, clear, fill. */
#include "command.h"
#include "say.h"
#include "words.h"

#include "base/c_locale.h"

#include <farsum/device.h>
#include <string.h>

/* Other files in the cache besides kernels. */
struct seen {
    int print;
    int64_t times; /* 1: a file of measured times exists */
    int64_t left;  /* files left by killed runs */
    int64_t bytes; /* of all files */
};

static void see(const char *file, const char *arch, int64_t bytes, void *data)
{
    const char *name = strrchr(file, '/');
    struct seen *seen = data;
    int times = strcmp(arch, "times") == 0;
    int left = strcmp(arch, "left over") == 0;
    seen->times += times;
    seen->left += left;
    if (times || left)
        seen->bytes += bytes;
    if (seen->print)
        printf("%-14s %9lld B  %s\n", arch, (long long)bytes,
               name ? name + 1 : file);
}

static int look(struct seen *seen, char *folder, size_t size, int64_t *kernels,
                int64_t *bytes)
{
    if (farsum_cache_list(see, seen, folder, size, kernels, bytes)
        != FARSUM_OK) {
        say_error("cache: %s", words_message());
        return -1;
    }
    *kernels -= seen->times + seen->left;
    *bytes -= seen->bytes;
    return 0;
}

/* " and measured times and 2 left over" */
static const char *beside(const struct seen *seen, char *text, size_t size)
{
    int n = snprintf(text, size, "%s",
                     seen->times ? " and measured times" : "");
    if (seen->left)
        snprintf(text + n, size - (size_t)n, " and %lld left over",
                 (long long)seen->left);
    return text;
}

static int cache_list_main(void)
{
    char text[80];
    char folder[1024] = "";
    struct seen seen = {.print = 1};
    int64_t files = 0, bytes = 0;
    if (look(&seen, folder, sizeof folder, &files, &bytes) != 0)
        return EXIT_FAILED;
    if (!*folder)
        puts("the cache is off, since it has no folder");
    else
        c_locale_write(stdout, "%lld kernel file%s, %.3g MB%s%s, in %s\n",
                       (long long)files, files == 1 ? "" : "s",
                       1e-6 * (double)bytes, seen.times || seen.left ? "," : "",
                       beside(&seen, text, sizeof text), folder);
    return EXIT_DONE;
}

static int cache_clear_main(void)
{
    struct seen seen = {.print = 0};
    char text[80];
    int64_t files = 0, bytes = 0;
    if (look(&seen, NULL, 0, &files, &bytes) != 0)
        return EXIT_FAILED;
    if (farsum_cache_clear(&files) != FARSUM_OK) {
        say_error("cache: %s", words_message());
        return EXIT_FAILED;
    }
    files -= seen.times + seen.left;
    printf("%lld kernel file%s%s removed\n", (long long)files,
           files == 1 ? "" : "s", beside(&seen, text, sizeof text));
    return EXIT_DONE;
}

int cache_main(struct settings *s)
{
    const char *what = s->n_words ? s->words[0] : "list";
    if (strcmp(what, "warm") == 0) {
        s->n_words--;
        memmove(s->words, s->words + 1, (size_t)s->n_words * sizeof *s->words);
        return warm_main(s);
    }
    if (s->n_words > 1 || (strcmp(what, "list") && strcmp(what, "clear"))) {
        say_error("cache: expected list, clear or warm; see 'farsum help "
                  "cache'");
        return EXIT_USAGE;
    }
    return strcmp(what, "list") == 0 ? cache_list_main() : cache_clear_main();
}
