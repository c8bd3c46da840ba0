/* SPDX-License-Identifier: Apache-2.0 */
/* shim.c: library for LD_PRELOAD that intercepts the command's file operations,
 * for test_named.py.  It writes one line per call to $SHIM_LOG, and makes the
 * call named by $SHIM_FAIL fail on temporary files. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SHIM __attribute__((visibility("default")))

static void note(const char *what, const char *path, const char *more)
{
    char line[9000];
    const char *log = getenv("SHIM_LOG");
    int n = snprintf(line, sizeof line, "%s %s %s\n", what, path, more);
    int fd = log ? (int)syscall(SYS_openat, AT_FDCWD, log,
                                O_WRONLY | O_CREAT | O_APPEND, 0600)
                 : -1;
    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, line, (size_t)n);
        syscall(SYS_close, fd);
    }
}

static void path_of(int fd, char path[4096])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, 4095);
    path[n < 0 ? 0 : n] = 0;
}

static int fails(const char *call, const char *path, int error)
{
    const char *wanted = getenv("SHIM_FAIL");
    if (!wanted || strcmp(wanted, call) != 0 || !strstr(path, ".tmp-"))
        return 0;
    errno = error;
    return 1;
}

SHIM int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        va_end(list);
        note("open", path, flags & O_EXCL ? "excl" : "");
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

SHIM int fsync(int fd)
{
    char path[4096];
    path_of(fd, path);
    note("fsync", path, "");
    return fails("fsync", path, EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

SHIM ssize_t write(int fd, const void *from, size_t n)
{
    char path[4096];
    path_of(fd, path);
    if (strstr(path, ".tmp-"))
        note("write", path, "");
    return fails("write", path, ENOSPC) ? -1 : syscall(SYS_write, fd, from, n);
}

SHIM int rename(const char *from, const char *to)
{
    note("rename", from, to);
    return fails("rename", from, EIO)
               ? -1
               : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
