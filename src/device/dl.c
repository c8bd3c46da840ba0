/* SPDX-License-Identifier: Apache-2.0 */
/* dl.c: vendors' libraries, opened at run time. */
#include "device/dl.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *dl_in(const char *folder, size_t length, const char *name)
{
    char path[1024];
    int n = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, name);
    if (length == 0 || n < 0 || (size_t)n >= sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Searches the folders of FARSUM_LIBRARY_PATH, separated by colons. */
static void *dl_named_by_user(const char *name)
{
    const char *folder = secure_getenv("FARSUM_LIBRARY_PATH");
    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        void *library = dl_in(folder, length, name);
        if (library)
            return library;
        folder += length + (folder[length] == ':');
    }
    return NULL;
}

static void *dl_find(const char *const *names, const char *const *folders)
{
    void *library = NULL;
    for (int i = 0; !library && names[i]; i++)
        library = dl_named_by_user(names[i]);
    for (int i = 0; !library && names[i]; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (int i = 0; !library && names[i]; i++)
        for (int f = 0; !library && folders && folders[f]; f++)
            library = dl_in(folders[f], strlen(folders[f]), names[i]);
    return library;
}

farsum_status dl_open(void **library, const char *const *names,
                      const char *const *folders, const char *const *symbols,
                      void **api)
{
    void *found = dl_find(names, folders);
    if (!found) {
        char all[256] = "";
        for (int i = 0; names[i]; i++)
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s",
                     i ? ", " : "", names[i]);
        FAIL(ERR_DEVICE, "no library %s was found (FARSUM_LIBRARY_PATH may "
             "name its folder)", all);
    }
    for (int i = 0; symbols[i]; i++) {
        api[i] = dlsym(found, symbols[i]);
        if (!api[i]) {
            struct link_map *map = NULL;
            int known = dlinfo(found, RTLD_DI_LINKMAP, &map) == 0;
            farsum_status status = status_fail(
                FARSUM_ERR_DEVICE,
                "the library %s has no %s: too old or too new",
                known ? map->l_name : names[0], symbols[i]);
            dlclose(found);
            return status;
        }
    }
    *library = found;
    return FARSUM_OK;
}

int dl_more(void *library, const char *const *symbols, void **api)
{
    int all = 1;
    for (int i = 0; symbols[i]; i++) {
        api[i] = dlsym(library, symbols[i]);
        all = all && api[i];
    }
    return all;
}

void dl_path(void *library, char *path, size_t capacity)
{
    struct link_map *map = NULL;
    struct stat about;
    path[0] = 0;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        return;
    char *whole = realpath(map->l_name, NULL);
    if (whole && stat(whole, &about) == 0)
        snprintf(path, capacity, "%s %lld", whole, (long long)about.st_size);
    free(whole);
}

/* Returns 1 if the folder has a readable file of that name. */
static int dl_reads(const char *folder, size_t length, const char *name,
                    char *path, size_t capacity)
{
    int n = snprintf(path, capacity, "%.*s/%s", (int)length, folder, name);
    return length > 0 && n > 0 && (size_t)n < capacity
           && access(path, R_OK) == 0;
}

farsum_status dl_file(void *library, const char *const *folders,
                      const char *name, char *path, size_t capacity)
{
    const char *folder = secure_getenv("FARSUM_LIBRARY_PATH");
    struct link_map *map = NULL;
    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        if (dl_reads(folder, length, name, path, capacity))
            return FARSUM_OK;
        folder += length + (folder[length] == ':');
    }
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) {
        const char *slash = strrchr(map->l_name, '/');
        if (slash
            && dl_reads(map->l_name, (size_t)(slash - map->l_name), name, path,
                        capacity))
            return FARSUM_OK;
    }
    for (int f = 0; folders && folders[f]; f++)
        if (dl_reads(folders[f], strlen(folders[f]), name, path, capacity))
            return FARSUM_OK;
    path[0] = 0;
    FAIL(ERR_DEVICE,
         "no %s was found (FARSUM_LIBRARY_PATH may name its "
         "folder)",
         name);
}

void dl_close(void *library)
{
    if (library)
        dlclose(library);
}
