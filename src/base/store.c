/* SPDX-License-Identifier: Apache-2.0 */
/* store.c: the folder of kept files. */
#include "base/store.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char store_mark[] = ".tmp-", store_lock_name[] = "lock";
enum { RANDOM = 6, WAIT_MS = 5000, PATIENCE_S = 30 };
static const char store_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

int store_where(char path[STORE_PATH])
{
    const char *own = secure_getenv("FARSUM_CACHE_DIR");
    const char *xdg = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    size_t size = STORE_PATH - 100;
    int n = 0;
    *path = 0;
    if (own)
        n = snprintf(path, size, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(path, size, "%s/farsum", xdg);
    else if (home && *home == '/')
        n = snprintf(path, size, "%s/.cache/farsum", home);
    if (n < 0 || (size_t)n >= size) {
        *path = 0;
        return -1;
    }
    return n > 0;
}

/* Creates the folder and those above it. */
static farsum_status store_make(const char *path)
{
    char part[STORE_PATH];
    snprintf(part, sizeof part, "%s", path);
    for (char *at = part + 1;; at++)
        if (*at == '/' || !*at) {
            char was = *at;
            *at = 0;
            if (mkdir(part, 0700) != 0 && errno != EEXIST)
                FAIL(ERR_ARGUMENT, "the cache folder %s: %s", part,
                     strerror(errno));
            *at = was;
            if (!was)
                return FARSUM_OK;
        }
}

/* Returns 1 if only this user and root can have written there. */
static int store_own(const struct stat *about)
{
    return (about->st_uid == geteuid() || about->st_uid == 0)
           && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static farsum_status store_trust(const struct store *store)
{
    struct stat about;
    if (fstat(store->folder, &about) != 0)
        FAIL(ERR_ARGUMENT, "the cache folder %s: %s", store->path,
             strerror(errno));
    if (store_own(&about))
        return FARSUM_OK;
    if (about.st_uid != geteuid() && about.st_uid != 0)
        FAIL(ERR_ARGUMENT,
             "the cache folder %.600s belongs to user %u, not to user %u or "
             "root; it is not used: name another by FARSUM_CACHE_DIR",
             store->path, (unsigned)about.st_uid, (unsigned)geteuid());
    FAIL(ERR_ARGUMENT,
         "the cache folder %.600s can be written by others (mode %03o); it is "
         "not used: chmod go-w it, or name another by FARSUM_CACHE_DIR",
         store->path, (unsigned)about.st_mode & 0777);
}

farsum_status store_open(struct store *store, int make)
{
    const int how = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
    store->folder = store->lock = -1;
    int there = store_where(store->path);
    if (there < 0)
        FAIL(ERR_ARGUMENT, "the cache folder's name is too long");
    if (there == 0)
        return FARSUM_OK;
    store->folder = open(store->path, how);
    if (store->folder < 0 && errno == ENOENT && make) {
        TRY(store_make(store->path));
        store->folder = open(store->path, how);
    }
    if (store->folder < 0 && (errno == ENOENT || errno == ENOTDIR) && !make)
        return FARSUM_OK;
    if (store->folder < 0)
        FAIL(ERR_ARGUMENT, "the cache folder %s: %s", store->path,
             strerror(errno));
    farsum_status status = store_trust(store);
    if (status != FARSUM_OK)
        store_close(store);
    return status;
}

void store_close(struct store *store)
{
    if (store->lock >= 0)
        close(store->lock);
    if (store->folder >= 0)
        close(store->folder);
    store->folder = store->lock = -1;
}

/* Opens a regular file of this name that is trusted, for reading or for the
 * lock. */
static int store_file(const struct store *store, const char *name, int how,
                      struct stat *about)
{
    if (store->folder < 0)
        return -1;
    int fd = openat(store->folder, name,
                    how | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd >= 0
        && (fstat(fd, about) != 0 || !S_ISREG(about->st_mode)
            || !store_own(about))) {
        close(fd);
        errno = EPERM;
        fd = -1;
    }
    return fd;
}

/* --- the lock --- */

static int64_t store_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* After a wait in vain, later calls do not wait again soon: the holder of the
 * lock may be stopped, and every plan would have to wait. */
static _Atomic int64_t store_gave_up;

static int store_flock(int fd, int64_t until)
{
    struct timespec pause = {0, 500000};
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return -1;
        if (store_now_ms() >= until) {
            atomic_store(&store_gave_up, store_now_ms());
            errno = EWOULDBLOCK;
            return -1;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 4000000)
            pause.tv_nsec += pause.tv_nsec / 4;
    }
    return 0;
}

farsum_status store_lock(struct store *store)
{
    int64_t now = store_now_ms(), failed = atomic_load(&store_gave_up);
    int64_t until =
        now + (failed > 0 && now - failed < 1000 * PATIENCE_S ? 0 : WAIT_MS);
    for (;;) {
        struct stat mine, there;
        int fd = store_file(store, store_lock_name, O_RDWR | O_CREAT, &mine);
        if (fd < 0 || store_flock(fd, until) != 0) {
            int error = errno;
            if (fd >= 0)
                close(fd);
            FAIL(ERR_STATE, "the lock of the cache folder %s: %s", store->path,
                 strerror(error));
        }
        /* another process may have removed it meanwhile */
        if (fstatat(store->folder, store_lock_name, &there,
                    AT_SYMLINK_NOFOLLOW) == 0
            && there.st_dev == mine.st_dev && there.st_ino == mine.st_ino) {
            store->lock = fd;
            return FARSUM_OK;
        }
        close(fd);
    }
}

void store_forget_lock(struct store *store)
{
    if (store->lock >= 0)
        unlinkat(store->folder, store_lock_name, 0);
}

/* --- files --- */

/* Reads from the file's start; returns the number of bytes read. */
static int64_t store_get(int fd, char *to, int64_t capacity)
{
    int64_t n = 0;
    while (n < capacity) {
        ssize_t got = read(fd, to + n, (size_t)(capacity - n));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += got;
    }
    return n;
}

int store_read(const struct store *store, const char *name, int64_t most,
               char **data, int64_t *bytes)
{
    struct stat about;
    *data = NULL;
    int fd = store_file(store, name, O_RDONLY, &about);
    if (fd < 0)
        return 0;
    int64_t size = (int64_t)about.st_size;
    int whole = size <= most && MEM_RAW(*data, size + 1) == FARSUM_OK
                && store_get(fd, *data, size) == size;
    close(fd);
    if (!whole) {
        mem_free(*data);
        *data = NULL;
        return 0;
    }
    (*data)[size] = 0;
    *bytes = size;
    return 1;
}

int64_t store_start(const struct store *store, const char *name, void *to,
                    int64_t capacity)
{
    struct stat about;
    int fd = store_file(store, name, O_RDONLY, &about);
    int64_t n = fd >= 0 ? store_get(fd, to, capacity) : 0;
    if (fd >= 0)
        close(fd);
    return n;
}

static int store_put(int fd, const struct store_part *part, int parts)
{
    struct rlimit most;
    int64_t sum = 0;
    for (int i = 0; i < parts; i++)
        sum += part[i].bytes;
    /* a longer write would end the process by a signal */
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY
        && (uint64_t)sum > (uint64_t)most.rlim_cur) {
        errno = EFBIG;
        return -1;
    }
    for (int i = 0; i < parts; i++)
        for (int64_t n = 0; n < part[i].bytes;) {
            ssize_t put = write(fd, (const char *)part[i].data + n,
                                (size_t)(part[i].bytes - n));
            if (put < 0 && errno == EINTR)
                continue;
            if (put < 0)
                return -1;
            n += put;
        }
    return 0;
}

/* Creates NAME.tmp-XXXXXX, which must not exist. */
static int store_beside(const struct store *store, const char *name,
                        char beside[STORE_NAME + 16])
{
    for (int attempt = 0; attempt < 100; attempt++) {
        unsigned char random[RANDOM];
        if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
            return -1;
        int n = snprintf(beside, STORE_NAME + 16, "%.*s%s", STORE_NAME - 1,
                         name, store_mark);
        for (int i = 0; i < RANDOM; i++)
            beside[n++] = store_letters[random[i] % 62];
        beside[n] = 0;
        int fd = openat(store->folder, beside,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

farsum_status store_write(const struct store *store, const char *name,
                          const struct store_part *part, int parts)
{
    char beside[STORE_NAME + 16];
    int fd = store_beside(store, name, beside), bad = fd < 0, error = errno;
    if (fd >= 0) {
        bad = store_put(fd, part, parts) != 0;
        error = errno;
        if (close(fd) != 0 && !bad) {
            bad = 1;
            error = errno;
        }
        if (!bad && renameat(store->folder, beside, store->folder, name) != 0) {
            bad = 1;
            error = errno;
        }
        if (bad)
            unlinkat(store->folder, beside, 0);
    }
    if (bad)
        FAIL(ERR_ARGUMENT, "the cache folder %s: %s", store->path,
             strerror(error));
    return FARSUM_OK;
}

int store_remove(const struct store *store, const char *name)
{
    return store->folder >= 0 && unlinkat(store->folder, name, 0) == 0;
}

void store_each(const struct store *store,
                void (*visit)(const struct store *store, const char *name,
                              const struct stat *about, void *data),
                void *data)
{
    struct stat about;
    int fd = store->folder < 0 ? -1
                               : openat(store->folder, ".",
                                        O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir))
        if (fstatat(store->folder, e->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0
            && S_ISREG(about.st_mode))
            visit(store, e->d_name, &about, data);
    if (dir)
        closedir(dir);
}

int store_left_over(const char *name, int (*ours)(const char *name))
{
    char file[STORE_NAME];
    size_t n = strlen(name), mark = sizeof store_mark - 1;
    if (n <= mark + RANDOM || n - mark - RANDOM >= sizeof file)
        return 0;
    const char *end = name + n - RANDOM;
    if (strspn(end, store_letters) != RANDOM
        || memcmp(end - mark, store_mark, mark) != 0)
        return 0;
    n -= mark + RANDOM;
    memcpy(file, name, n);
    file[n] = 0;
    return ours(file);
}
