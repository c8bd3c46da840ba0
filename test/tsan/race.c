/* SPDX-License-Identifier: Apache-2.0 */
/* race.c: with the argument "race", an intended race, which the thread
 * sanitizer must report.  Without it, two loops ordered only by the end of the
 * first one, about which it must report nothing. */
#include <stdio.h>
#include <string.h>

enum { N = 4096 };

int main(int argc, char **argv)
{
    static int a[N], b[N];
    int wanted = argc > 1 && strcmp(argv[1], "race") == 0, sum = 0;
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < N; i++)
        a[i] = i;
    /* another thread reads than wrote; the loop's end orders them */
#pragma omp parallel for num_threads(2) schedule(static)
    for (int i = 0; i < N; i++)
        b[i] = a[N - 1 - i];
    if (wanted) {
#pragma omp parallel for num_threads(2) schedule(static)
        for (int i = 0; i < N; i++)
            sum += b[i]; /* no reduction */
    }
    printf("%d %d\n", b[0], sum);
    return 0;
}
