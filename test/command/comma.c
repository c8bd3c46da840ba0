/* comma.c: preloaded, it puts a program in the locale of its environment before
 * the program starts, as a host program or a library may. */
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void __attribute__((constructor)) comma(void)
{
    static const char none[] = "comma.so: no locale with a decimal comma\n";
    if (setlocale(LC_ALL, "") && *localeconv()->decimal_point != '.')
        return;
    (void)!write(STDERR_FILENO, none, sizeof none - 1);
    _exit(99);
}
