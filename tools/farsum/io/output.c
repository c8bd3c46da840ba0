/* SPDX-License-Identifier: Apache-2.0 */
/* output.c: files that appear under their name when they are complete. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/c_locale.h"
#include "base/number.h"
#include "temporary.h"

#define OUTPUT_BUFFER ((size_t)256 << 10)

int output_fail(struct output *o, const char *format, ...) {
    size_t n = strlen(o->name);
    int used = snprintf(o->message, sizeof o->message, "%s: ",
                        n > 400 ? o->name + n - 400 : o->name);
    va_list list;
    va_start(list, format);
    c_locale_vtext(o->message + used, sizeof o->message - (size_t)used, format,
              list);
    va_end(list);
    return -1;
}

int output_descriptor(const char *name) {
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0) return 1;
    if (strcmp(name, "/dev/stdin") == 0) return 0;
    if (strcmp(name, "/dev/stderr") == 0) return 2;
    for (int k = 0; k < 2; k++) {
        size_t n = strlen(folders[k]);
        const char *end;
        uint64_t at = 0;
        if (strncmp(name, folders[k], n) == 0 &&
            number_count(name + n, &end, &at) == NUMBER_OK && !*end &&
            at < 1000000)
            return (int)at;
    }
    return -1;
}

/* The target of a link, relative to the current folder; NULL: it is not a
 * link. */
static char *link_target(const char *path) {
    char target[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0) return NULL;
    target[n] = 0;
    const char *slash = *target == '/' ? NULL : strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    char *whole = malloc(folder + (size_t)n + 1);
    if (!whole) return NULL;
    memcpy(whole, path, folder);
    memcpy(whole + folder, target, (size_t)n + 1);
    return whole;
}

char *output_path(const char *name) {
    char *path = realpath(name, NULL);
    if (path || errno != ENOENT) return path;
    path = strdup(name);
    for (char *next = path ? link_target(path) : NULL; next;
         next = link_target(path)) { /* no endless loop: realpath has
                                        succeeded */
        free(path);
        path = next;
    }
    return path;
}

/* Unpredictable letters. */
static int draw_letters(char *to, int n) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char random[16];
    if (getrandom(random, (size_t)n, 0) != n) return -1;
    for (int k = 0; k < n; k++) to[k] = letters[random[k] % 62];
    return 0;
}

/* Works as mkstemp, but with the mode that the user's mask gives. */
static int open_temporary(struct output *o) {
    size_t n = strlen(o->path);
    o->temporary = malloc(n + sizeof ".tmp-XXXXXX");
    if (!o->temporary) return output_fail(o, "out of memory");
    memcpy(o->temporary, o->path, n);
    memcpy(o->temporary + n, ".tmp-XXXXXX", sizeof ".tmp-XXXXXX");
    for (int attempt = 0; attempt < 100; attempt++) {
        if (draw_letters(o->temporary + n + 5, 6)) break;
        o->slot = temporary_watch(o->temporary);
        o->fd = open(o->temporary,
                     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (o->fd >= 0) return 0;
        int cause = errno;
        temporary_unwatch(o->slot);
        errno = cause;
        if (cause != EEXIST) break;
    }
    int cause = errno;
    free(o->temporary);
    o->temporary = NULL;
    return output_fail(o, "cannot create a file there: %s", strerror(cause));
}

/* Chooses how to write, depending on the existing file of that name. */
static int open_target(struct output *o) {
    struct stat status;
    int descriptor = output_descriptor(o->name);
    if (descriptor >= 0) {
        o->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
        return o->fd < 0 ? output_fail(o, "cannot write: %s", strerror(errno))
                         : 0;
    }
    if (!*o->name) return output_fail(o, "the file's name is empty");
    o->path = output_path(o->name);
    if (!o->path) return output_fail(o, "cannot create: %s", strerror(errno));
    if (stat(o->path, &status) != 0) {
        if (errno != ENOENT)
            return output_fail(o, "cannot create: %s", strerror(errno));
        return open_temporary(o);
    }
    if (S_ISDIR(status.st_mode)) return output_fail(o, "is a directory");
    if (access(o->path, W_OK) != 0)
        return output_fail(o, "cannot write: %s", strerror(errno));
    if (!S_ISREG(status.st_mode)) { /* a device or a pipe: never renamed over */
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return o->fd < 0 ? output_fail(o, "cannot write: %s", strerror(errno))
                         : 0;
    }
    o->mode = (int)(status.st_mode & 0777);
    return open_temporary(o);
}

int output_create(const char *path, struct output **output) {
    struct output *o = calloc(1, sizeof *o);
    *output = o;
    if (!o) return -1;
    o->fd = -1;
    o->mode = -1;
    o->slot = -1;
    o->name = strdup(path);
    o->buffer = malloc(OUTPUT_BUFFER);
    if (!o->name || !o->buffer) {
        snprintf(o->message, sizeof o->message, "out of memory");
        return -1;
    }
    return open_target(o);
}

int output_flush(struct output *o) {
    const char *p = o->buffer;
    while (o->used > 0) {
        ssize_t n = write(o->fd, p, o->used);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return output_fail(o, "cannot write: %s", strerror(errno));
        p += n;
        o->used -= (size_t)n;
    }
    return 0;
}

int output_put(struct output *o, const char *p, size_t n) {
    while (n > 0) {
        if (o->used == OUTPUT_BUFFER && output_flush(o)) return -1;
        size_t capacity = OUTPUT_BUFFER - o->used,
               part = n < capacity ? n : capacity;
        memcpy(o->buffer + o->used, p, part);
        o->used += part;
        p += part;
        n -= part;
    }
    return 0;
}

int output_text(struct output *o, const char *text) {
    return output_put(o, text, strlen(text));
}

int output_real(struct output *o, double value) {
    char text[NUMBER_TEXT];
    return output_put(o, text, number_print_real(text, value));
}

int output_integer(struct output *o, int64_t value) {
    char text[NUMBER_TEXT];
    return output_put(o, text, number_print_integer(text, value));
}

/* Makes the new name survive a power failure too.  Some file systems cannot
 * sync a directory; the file itself is safe by then. */
static void sync_folder(const char *path) {
    char *copy = strdup(path);
    if (!copy) return;
    char *slash = strrchr(copy, '/');
    if (slash) slash[slash == copy] = 0;
    int fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!fsync(fd);
        close(fd);
    }
    free(copy);
}

int output_commit(struct output *o) {
    if (output_flush(o)) return -1;
    if (o->temporary && o->mode >= 0 && fchmod(o->fd, (mode_t)o->mode) != 0)
        return output_fail(o, "cannot keep its mode: %s", strerror(errno));
    if (o->temporary && fsync(o->fd) != 0)
        return output_fail(o, "cannot write: %s", strerror(errno));
    int closed = close(o->fd);
    o->fd = -1;
    if (closed != 0)
        return output_fail(o, "cannot write: %s", strerror(errno));
    if (!o->temporary) return 0;
    if (rename(o->temporary, o->path) != 0)
        return output_fail(o, "cannot rename: %s", strerror(errno));
    temporary_unwatch(o->slot);
    free(o->temporary);
    o->temporary = NULL;
    sync_folder(o->path);
    return 0;
}

void output_destroy(struct output *o) {
    if (!o) return;
    if (o->fd >= 0) close(o->fd);
    if (o->temporary) {
        unlink(o->temporary);
        temporary_unwatch(o->slot);
    }
    free(o->temporary);
    free(o->buffer);
    free(o->path);
    free(o->name);
    free(o);
}

int output_append(const char *path, const char *text, size_t n,
                  size_t header) {
    int descriptor = output_descriptor(path);
    int fd = descriptor >= 0
                 ? fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
                 : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    struct stat status;
    if (fd < 0) return -1;
    int bad = fstat(fd, &status) != 0;
    size_t skip = !bad && status.st_size > 0 ? header : 0;
    errno = 0;
    if (!bad && write(fd, text + skip, n - skip) != (ssize_t)(n - skip)) {
        int why = errno ? errno : ENOSPC;
        if (S_ISREG(status.st_mode) && ftruncate(fd, status.st_size) != 0)
            why = errno;
        errno = why;
        bad = 1;
    }
    int why = errno;
    if (close(fd) != 0 && !bad) return -1;
    errno = why;
    return bad ? -1 : 0;
}
