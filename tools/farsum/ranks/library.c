/* SPDX-License-Identifier: Apache-2.0 */
/* library.c: libfarsum_mpi, opened at run time. */
#include "ranks/ranks.h"

#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)
#define VERSION TEXT(FARSUM_VERSION_MAJOR) "." TEXT(FARSUM_VERSION_MINOR)
#ifdef __APPLE__
#define NAME "libfarsum_mpi." VERSION ".dylib"
#else
#define NAME "libfarsum_mpi.so." VERSION
#endif

/* Opens it in the folder of a file. */
static void *open_beside(char *file)
{
    char path[PATH_MAX + sizeof NAME + 2];
    snprintf(path, sizeof path, "%s/%s", dirname(file), NAME);
    /* plug-ins of MPI libraries expect MPI's symbols to be global */
    return access(path, F_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL)
                                   : NULL;
}

static void *open_library(char *error, size_t size)
{
    char file[PATH_MAX] = "";
    Dl_info info;
    void *library = NULL;
    dlerror();
    if (dladdr((void *)(uintptr_t)farsum_version, &info) && info.dli_fname) {
        snprintf(file, sizeof file, "%s", info.dli_fname);
        library = open_beside(file);
    }
    ssize_t n = library ? 0 : readlink("/proc/self/exe", file, sizeof file - 1);
    if (n > 0) {
        file[n] = '\0';
        library = open_beside(file);
    }
    if (!library)
        library = dlopen(NAME, RTLD_NOW | RTLD_GLOBAL);
    const char *why = library ? NULL : dlerror();
    if (!library)
        snprintf(error, size, "%s", why ? why : NAME " cannot be opened");
    return library;
}

int ranks_library(struct ranks_library *library, char *error, size_t size)
{
    void *handle = open_library(error, size);
    if (!handle)
        return -1;
    *(void **)&library->world = dlsym(handle, "farsum_mpi_world");
    *(void **)&library->world_end = dlsym(handle, "farsum_mpi_world_end");
    *(void **)&library->world_abort = dlsym(handle, "farsum_mpi_world_abort");
    *(void **)&library->mpi_version = dlsym(handle, "MPI_Get_library_version");
    if (library->world && library->world_end && library->world_abort)
        return 0;
    snprintf(error, size, "%s belongs to another version of Farsum; install "
             "that of %s", NAME, farsum_version());
    return -1;
}
