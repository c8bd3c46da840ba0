/* SPDX-License-Identifier: Apache-2.0 */
/* say.c: messages and progress. */
#include "say.h"

#include "base/c_locale.h"

#include <string.h>
#include <unistd.h>

static enum { SHOWN, KEPT, SILENT } errors;
static int quiet; /* 1: no notes and no progress */
static char kept[SAY_LONGEST];

void say_whole_lines(void)
{
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
}

static int on_terminal(void)
{
    return !quiet && isatty(STDERR_FILENO);
}

static void take_progress_away(void)
{
    if (on_terminal())
        fputs("\r\033[K", stderr);
}

void say_silence(void)
{
    errors = SILENT;
    quiet = 1;
}

void say_keep(int speaks)
{
    errors = KEPT;
    quiet = !speaks;
}

void say_show(void)
{
    errors = SHOWN;
    quiet = 0;
}

void say_take(char text[SAY_LONGEST])
{
    memset(text, 0, SAY_LONGEST);
    snprintf(text, SAY_LONGEST, "%s", kept);
    kept[0] = '\0';
}

void say_told(int rank, const char *text)
{
    take_progress_away();
    if (rank > 0)
        fprintf(stderr, "farsum: rank %d: %s\n", rank, text);
    else
        fprintf(stderr, "farsum: %s\n", text);
}

void say_error(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (errors == SHOWN) {
        take_progress_away();
        fputs("farsum: ", stderr);
        c_locale_vwrite(stderr, format, list);
        fputc('\n', stderr);
    } else if (!kept[0]) {
        c_locale_vtext(kept, sizeof kept, format, list);
    }
    va_end(list);
}

void say_note(const char *format, ...)
{
    va_list list;
    if (quiet)
        return;
    take_progress_away();
    fputs("farsum: note: ", stderr);
    va_start(list, format);
    c_locale_vwrite(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

void say_progress(const char *format, ...)
{
    va_list list;
    if (!on_terminal())
        return;
    take_progress_away();
    va_start(list, format);
    c_locale_vwrite(stderr, format, list);
    va_end(list);
    fflush(stderr);
}

int say_listens(void)
{
    return on_terminal();
}

int say_step(int64_t done, int64_t all, const char *what, void *data)
{
    (void)data;
    if (all > 1)
        say_progress("%s, %.0f %%", what, 100 * (double)done / (double)all);
    else
        say_progress("%s", what);
    return 0;
}

/* Copies a word with dashes before it; returns its end. */
static const char *option_put(const char *word, char *text, size_t size)
{
    size_t used = strlen(text), n = strcspn(word, " ;");
    snprintf(text + used, size - used, "--%.*s", (int)n, word);
    for (char *c = text + used; *c; c++)
        *c = *c == '_' ? '-' : *c;
    return word + n;
}

const char *say_advice(const char *message, char *text, size_t size)
{
    static const char *const verbs[] = {"use ", "leave out "};
    const char *last = strrchr(message, ';');
    size_t n = last ? (size_t)(last - message) : strlen(message);
    snprintf(text, size, "%.*s", (int)n, message);
    while (last && *last) {
        size_t used = strlen(text);
        int found = 0;
        for (int k = 0; k < 2 && !found && used > 0; k++)
            found = text[used - 1] == ' '
                    && strncmp(last, verbs[k], strlen(verbs[k])) == 0
                        ? k + 1
                        : 0;
        if (found) {
            snprintf(text + used, size - used, "%s", verbs[found - 1]);
            last = option_put(last + strlen(verbs[found - 1]), text, size);
        } else {
            snprintf(text + used, size - used, "%c", *last++);
        }
    }
    return text;
}

void say_log(const char *line, void *data)
{
    (void)data;
    say_note("%s", line);
}
