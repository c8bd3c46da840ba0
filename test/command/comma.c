/* SPDX-License-Identifier: Apache-2.0 */
/* comma.c: library for LD_PRELOAD that sets the command's locale from the
 * environment before it starts, as a host program or a library may do.
 * Programs started by the command (gnuplot) are not affected. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void __attribute__((constructor)) comma(void)
{
    static const char none[] = "comma.so: no locale with a decimal comma\n";
    if (strcmp(program_invocation_short_name, "farsum") != 0)
        return;
    if (setlocale(LC_ALL, "") && *localeconv()->decimal_point != '.')
        return;
    (void)!write(STDERR_FILENO, none, sizeof none - 1);
    _exit(99);
}
