/* SPDX-License-Identifier: Apache-2.0 */
/* fake_link.c: simulated nvJitLink.  The binary is the part after a line with
 * the architecture and the library.  FAKE_LINK names the call that fails. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { INVALID = 3, UNDEFINED = 6, CUBIN = 1, LIBRARY = 6 };

struct link {
    char arch[32], runtime[1024], *part;
    size_t bytes;
};

static int links; /* existing now */
EXPORT int fake_links(void)
{
    return links;
}

static int told(const char *word)
{
    const char *fail = getenv("FAKE_LINK");
    return fail && strcmp(fail, word) == 0;
}

EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    *major = told("version") ? 12 : 13;
    *minor = 4;
    return 0;
}
EXPORT int nvJitLinkCreate(void **link, unsigned n, const char **options)
{
    struct link *l = NULL;
    if (told("create") || n != 1 || strncmp(options[0], "-arch=", 6) != 0)
        return INVALID;
    l = calloc(1, sizeof *l);
    snprintf(l->arch, sizeof l->arch, "%s", options[0]);
    *link = l;
    links++;
    return 0;
}
EXPORT int nvJitLinkDestroy(void **link)
{
    struct link *l = *link;
    free(l->part);
    free(l);
    links--;
    *link = NULL;
    return 0;
}
EXPORT int nvJitLinkAddData(void *link, int kind, const void *data,
                            size_t bytes, const char *name)
{
    struct link *l = link;
    if (kind != CUBIN || !name)
        return INVALID;
    l->part = malloc(bytes);
    l->bytes = bytes;
    memcpy(l->part, data, bytes);
    return 0;
}
EXPORT int nvJitLinkAddFile(void *link, int kind, const char *path)
{
    struct link *l = link;
    snprintf(l->runtime, sizeof l->runtime, "%s", path);
    return kind == LIBRARY ? 0 : INVALID;
}
EXPORT int nvJitLinkComplete(void *link)
{
    struct link *l = link;
    return l->part && l->runtime[0] && !told("complete") ? 0 : UNDEFINED;
}
EXPORT int nvJitLinkGetLinkedCubinSize(void *link, size_t *bytes)
{
    struct link *l = link;
    *bytes = strlen("FAKE linked \n ") + strlen(l->arch) + strlen(l->runtime)
             + l->bytes + 1;
    return 0;
}
EXPORT int nvJitLinkGetLinkedCubin(void *link, void *cubin)
{
    struct link *l = link;
    if (told("cubin"))
        return INVALID;
    sprintf(cubin, "FAKE linked %s %s\n%s", l->arch, l->runtime, l->part);
    return 0;
}
EXPORT int nvJitLinkGetErrorLogSize(void *link, size_t *bytes)
{
    (void)link;
    *bytes = 64;
    return 0;
}
EXPORT int nvJitLinkGetErrorLog(void *link, char *log)
{
    (void)link;
    strcpy(log, "error: Undefined reference to 'it'");
    return 0;
}
