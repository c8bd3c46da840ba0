/* SPDX-License-Identifier: Apache-2.0 */
/* place.c: the processor's name. */
#include "cost/place.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 256 };

void machine_name(char *name, size_t size)
{
    char line[LINE];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(name, size, "%s", strchr(line, ':') + 2);
            name[strcspn(name, "\n|")] = 0;
            break;
        }
    if (f)
        fclose(f);
}
