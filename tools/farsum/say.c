/* say.c: messages and progress. */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int on_terminal(void)
{
    return isatty(STDERR_FILENO);
}

static void take_progress_away(void)
{
    if (on_terminal())
        fputs("\r\033[K", stderr);
}

void say_error(const char *format, ...)
{
    va_list list;
    take_progress_away();
    fputs("farsum: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

void say_note(const char *format, ...)
{
    va_list list;
    take_progress_away();
    fputs("farsum: note: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
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
    vfprintf(stderr, format, list);
    va_end(list);
    fflush(stderr);
}

void say_log(const char *line, void *data)
{
    (void)data;
    say_note("%s", line);
}
