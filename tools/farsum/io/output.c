#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"

#define OUTPUT_BUFFER ((size_t)256 << 10)

int output_fail(struct output *o, const char *format, ...) {
    size_t n = strlen(o->name);
    int used = snprintf(o->message, sizeof o->message, "%s: ",
                        n > 400 ? o->name + n - 400 : o->name);
    va_list list;
    va_start(list, format);
    vsnprintf(o->message + used, sizeof o->message - (size_t)used, format,
              list);
    va_end(list);
    return -1;
}

/* Like mkstemp, but with the mode that the user's mask gives. */
static int open_temporary(struct output *o) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t n = strlen(o->path);
    o->temporary = malloc(n + sizeof ".tmp-XXXXXX");
    if (!o->temporary) return output_fail(o, "out of memory");
    memcpy(o->temporary, o->path, n);
    memcpy(o->temporary + n, ".tmp-XXXXXX", sizeof ".tmp-XXXXXX");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed = (uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 30 ^
                    (uint64_t)getpid() << 40;
    for (int attempt = 0; attempt < 100; attempt++) {
        for (int k = 0; k < 6; k++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            o->temporary[n + 5 + (size_t)k] = letters[(seed >> 33) % 62];
        }
        o->fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0 || errno != EEXIST) break;
    }
    if (o->fd >= 0) return 0;
    int cause = errno;
    free(o->temporary);
    o->temporary = NULL;
    return output_fail(o, "cannot create a file there: %s", strerror(cause));
}

/* What stands under the name now decides how it is written. */
static int open_target(struct output *o) {
    struct stat status;
    if (strcmp(o->name, "-") == 0) {
        o->fd = dup(STDOUT_FILENO);
        return o->fd < 0 ? output_fail(o, "cannot write: %s", strerror(errno))
                         : 0;
    }
    if (stat(o->name, &status) != 0) {
        if (errno != ENOENT)
            return output_fail(o, "cannot create: %s", strerror(errno));
        return open_temporary(o);
    }
    if (S_ISDIR(status.st_mode)) return output_fail(o, "is a directory");
    if (access(o->name, W_OK) != 0)
        return output_fail(o, "cannot write: %s", strerror(errno));
    if (!S_ISREG(status.st_mode)) { /* a device, a pipe: never renamed over */
        o->fd = open(o->name, O_WRONLY | O_CLOEXEC);
        return o->fd < 0 ? output_fail(o, "cannot write: %s", strerror(errno))
                         : 0;
    }
    free(o->path);
    o->path = realpath(o->name, NULL);
    if (!o->path) return output_fail(o, "cannot write: %s", strerror(errno));
    o->mode = (int)(status.st_mode & 0777);
    return open_temporary(o);
}

int output_create(const char *path, struct output **output) {
    struct output *o = calloc(1, sizeof *o);
    *output = o;
    if (!o) return -1;
    o->fd = -1;
    o->mode = -1;
    o->name = strdup(path);
    o->path = strdup(path);
    o->buffer = malloc(OUTPUT_BUFFER);
    if (!o->name || !o->path || !o->buffer) {
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
        size_t room = OUTPUT_BUFFER - o->used, part = n < room ? n : room;
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

/* The new name must survive a power failure too.  Some file systems cannot
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
    free(o->temporary);
    o->temporary = NULL;
    sync_folder(o->path);
    return 0;
}

void output_destroy(struct output *o) {
    if (!o) return;
    if (o->fd >= 0) close(o->fd);
    if (o->temporary) unlink(o->temporary);
    free(o->temporary);
    free(o->buffer);
    free(o->path);
    free(o->name);
    free(o);
}
