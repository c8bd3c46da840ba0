/* cache.c: compiled kernels on disk: what there is, away with it, more. */
#include "command.h"
#include "say.h"

#include <farsum/device.h>
#include <string.h>

static void print_entry(const char *file, const char *arch, int64_t bytes,
                        void *data)
{
    const char *name = strrchr(file, '/');
    (void)data;
    printf("%-14s %9lld B  %s\n", arch, (long long)bytes,
           name ? name + 1 : file);
}

static int cache_list_main(void)
{
    char folder[1024] = "";
    int64_t files = 0, bytes = 0;
    if (farsum_cache_list(print_entry, NULL, folder, sizeof folder, &files,
                          &bytes)
        != FARSUM_OK) {
        say_error("cache: %s", farsum_message());
        return EXIT_FAILED;
    }
    if (!*folder)
        puts("no folder: the cache is off");
    else
        printf("%lld kernel file%s, %.3g MB, in %s\n", (long long)files,
               files == 1 ? "" : "s", 1e-6 * (double)bytes, folder);
    return EXIT_DONE;
}

static int cache_clear_main(void)
{
    int64_t files = 0;
    if (farsum_cache_clear(&files) != FARSUM_OK) {
        say_error("cache: %s", farsum_message());
        return EXIT_FAILED;
    }
    printf("%lld kernel file%s removed\n", (long long)files,
           files == 1 ? "" : "s");
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
