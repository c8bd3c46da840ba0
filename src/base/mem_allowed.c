/* SPDX-License-Identifier: Apache-2.0 */
/* mem_allowed.c: the memory that this process may use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/number.h"

enum { PATH = 4096 };

/* Returns the number in a file, or UINT64_MAX if there is no file or no number
 * in it ("max"). */
static uint64_t number_in(const char *path)
{
    char text[64];
    uint64_t found = UINT64_MAX;
    FILE *f = fopen(path, "re");
    if (!f)
        return found;
    const char *end;
    if (fgets(text, sizeof text, f))
        (void)number_count(text, &end, &found);
    fclose(f);
    return found;
}

/* Returns the smallest number in `file` of a group and of the groups above it.
 * A container may see its own group at the top, and the host's path to it, none
 * of whose folders exist in the container. */
static uint64_t least_above(const char *top, const char *group,
                            const char *file)
{
    char path[PATH], inner[PATH];
    uint64_t least = UINT64_MAX;
    int n = snprintf(inner, sizeof inner, "%s", group);
    if (n < 0 || (size_t)n >= sizeof inner)
        return least;
    for (;;) {
        n = snprintf(path, sizeof path, "%s%s/%s", top, inner, file);
        uint64_t here = n > 0 && (size_t)n < sizeof path ? number_in(path)
                                                         : UINT64_MAX;
        if (here < least)
            least = here;
        char *slash = strrchr(inner, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

/* Returns 1 if the comma-separated list `names` contains `name`. */
static int has_name(const char *names, const char *name)
{
    size_t length = strlen(name);
    while (*names) {
        size_t n = strcspn(names, ",");
        if (n == length && strncmp(names, name, n) == 0)
            return 1;
        names += n + (names[n] == ',');
    }
    return 0;
}

/* Reads a line of /proc/self/cgroup: "4:memory:/path" in version 1, "0::/path"
 * in version 2. */
static uint64_t line_limit(const char *root, char *line)
{
    char top[PATH];
    uint64_t least = UINT64_MAX, here;
    char *names = strchr(line, ':'), *path;
    if (!names || !(path = strchr(++names, ':')))
        return least;
    *path++ = 0;
    path[strcspn(path, "\n")] = 0;
    if (*names) {
        if (!has_name(names, "memory"))
            return least;
        snprintf(top, sizeof top, "%s/sys/fs/cgroup/memory", root);
        return least_above(top, path, "memory.limit_in_bytes");
    }
    snprintf(top, sizeof top, "%s/sys/fs/cgroup", root);
    least = least_above(top, path, "memory.max");
    snprintf(top, sizeof top, "%s/sys/fs/cgroup/unified", root);
    here = least_above(top, path, "memory.max");
    return here < least ? here : least;
}

uint64_t mem_cgroup(const char *root)
{
    char line[PATH];
    uint64_t least = UINT64_MAX;
    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    FILE *f = fopen(line, "re");
    while (f && fgets(line, sizeof line, f)) {
        uint64_t here = line_limit(root, line);
        if (here < least)
            least = here;
    }
    if (f)
        fclose(f);
    return least;
}

uint64_t mem_allowed(void)
{
    uint64_t least = mem_machine(), group = mem_cgroup("");
    struct rlimit space;
    if (group < least)
        least = group;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY
        && space.rlim_cur < least)
        least = space.rlim_cur;
    return least;
}
