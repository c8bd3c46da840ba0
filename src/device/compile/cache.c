/* SPDX-License-Identifier: Apache-2.0 */
/* cache.c: compiled kernels on disk. */
#include "device/compile/cache.h"

#include "base/mem.h"
#include "base/store.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARTS = 4 };
static const int64_t cache_cap = 512ll << 20;  /* limit of the folder, bytes */
static const int64_t cache_most = 128ll << 20; /* limit of one file */
static const time_t cache_stale = 3600; /* seconds; no writer takes as long */
static const char cache_magic[8] = "FARSUMK1";
static const char cache_end[] = ".kernel";
enum { HASH = 32 }; /* hexadecimal digits of a name */

/* Start of a file; the key's parts and the binary follow. */
struct head {
    char magic[8];
    int64_t part[PARTS]; /* lengths, including the final 0 */
    int64_t bytes;
    uint64_t sum;        /* checksum of the parts and the binary */
};

static int is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == HASH
           && strcmp(name + HASH, cache_end) == 0;
}

static int is_ours(const char *name)
{
    return is_entry(name) || strcmp(name, "wisdom") == 0;
}

/* Returns 1 for files left by killed writers, also of earlier versions:
 * HASH.kernel.XXXXXX, and wisdom.PID of the timing cache. */
static int is_left_over(const char *name)
{
    char entry[HASH + sizeof cache_end];
    size_t n = sizeof entry - 1;
    if (store_left_over(name, is_ours))
        return 1;
    if (strncmp(name, "wisdom.", 7) == 0)
        return name[7] && strspn(name + 7, "0123456789") == strlen(name + 7);
    if (strlen(name) != n + 7 || name[n] != '.')
        return 0;
    memcpy(entry, name, n);
    entry[n] = 0;
    return is_entry(entry);
}

/* HASH.kernel, where HASH is the hash of the whole key. */
static void entry_name(char name[STORE_NAME], const struct cache_key *key)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    for (int p = 0; p < PARTS; p++)
        XXH3_128bits_update(&state, key->parts[p], strlen(key->parts[p]) + 1);
    XXH128_hash_t hash = XXH3_128bits_digest(&state);
    snprintf(name, STORE_NAME, "%016llx%016llx%s",
             (unsigned long long)hash.high64, (unsigned long long)hash.low64,
             cache_end);
}

static uint64_t checksum(const struct cache_key *key, const void *binary,
                         int64_t bytes)
{
    uint64_t sum = XXH3_64bits(binary, (size_t)bytes);
    for (int p = 0; p < PARTS; p++)
        sum = XXH3_64bits_withSeed(key->parts[p], strlen(key->parts[p]) + 1,
                                   sum);
    return sum;
}

/* Returns the offset of the binary in a file of this key; 0 if the file does
 * not match. */
static int64_t entry_binary(const char *file, int64_t size,
                            const struct cache_key *key, int64_t *bytes)
{
    struct head head;
    int64_t at = sizeof head;
    if (size < at)
        return 0;
    memcpy(&head, file, sizeof head);
    if (memcmp(head.magic, cache_magic, sizeof head.magic) != 0)
        return 0;
    for (int p = 0; p < PARTS; p++) {
        int64_t n = (int64_t)strlen(key->parts[p]) + 1;
        if (head.part[p] != n || n > size - at
            || memcmp(file + at, key->parts[p], (size_t)n) != 0)
            return 0;
        at += n;
    }
    if (head.bytes <= 0 || head.bytes != size - at
        || checksum(key, file + at, head.bytes) != head.sum)
        return 0;
    *bytes = head.bytes;
    return at;
}

int cache_get(const struct cache_key *key, void **binary, int64_t *bytes)
{
    struct store store;
    char name[STORE_NAME], *file = NULL;
    int64_t size = 0, at = 0, n = 0;
    if (store_open(&store, 0) == FARSUM_OK) {
        entry_name(name, key);
        if (store_read(&store, name, cache_most, &file, &size))
            at = entry_binary(file, size, key, &n);
    }
    store_close(&store);
    if (at == 0) {
        mem_free(file);
        return 0;
    }
    memmove(file, file + at, (size_t)n);
    *binary = file;
    *bytes = n;
    return 1;
}

/* --- the folder --- */

struct entry {
    char name[HASH + sizeof cache_end];
    int64_t bytes;
    time_t when;
};

struct entries {
    struct entry *entry; /* owned */
    int64_t n, capacity, bytes;
    farsum_status status;
};

/* Adds entries to the list and removes old left-over files. */
static void trim_see(const struct store *store, const char *name,
                     const struct stat *about, void *data)
{
    struct entries *all = data;
    if (is_left_over(name) && about->st_mtime + cache_stale < time(NULL))
        store_remove(store, name);
    if (!is_entry(name) || all->status != FARSUM_OK)
        return;
    if (all->n == all->capacity) {
        struct entry *more = NULL;
        all->status = MEM_RAW(more, 2 * all->capacity + 64);
        if (all->status != FARSUM_OK)
            return;
        if (all->n > 0)
            memcpy(more, all->entry, (size_t)all->n * sizeof *more);
        mem_free(all->entry);
        all->entry = more;
        all->capacity = 2 * all->capacity + 64;
    }
    struct entry *e = &all->entry[all->n++];
    memcpy(e->name, name, sizeof e->name);
    e->bytes = (int64_t)about->st_size;
    e->when = about->st_mtime;
    all->bytes += e->bytes;
}

static int older(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return (x->when > y->when) - (x->when < y->when);
}

/* Removes the oldest entries until the folder is within its cap. */
static void trim(const struct store *store)
{
    struct entries all = {.status = FARSUM_OK};
    store_each(store, trim_see, &all);
    if (all.bytes > cache_cap)
        qsort(all.entry, (size_t)all.n, sizeof *all.entry, older);
    for (int64_t k = 0; k < all.n && all.bytes > cache_cap; k++) {
        store_remove(store, all.entry[k].name);
        all.bytes -= all.entry[k].bytes;
    }
    mem_free(all.entry);
}

farsum_status cache_put(const struct cache_key *key, const void *binary,
                        int64_t bytes)
{
    farsum_status status = FARSUM_OK;
    struct head head = {.bytes = bytes, .sum = checksum(key, binary, bytes)};
    struct store_part part[PARTS + 2] = {{&head, sizeof head}};
    struct store store;
    char name[STORE_NAME];
    memcpy(head.magic, cache_magic, sizeof head.magic);
    for (int p = 0; p < PARTS; p++) {
        head.part[p] = (int64_t)strlen(key->parts[p]) + 1;
        part[p + 1] = (struct store_part){key->parts[p], head.part[p]};
    }
    part[PARTS + 1] = (struct store_part){binary, bytes};
    GO(store_open(&store, 1));
    if (store.folder < 0)
        goto done;
    entry_name(name, key);
    GO(store_write(&store, name, part, PARTS + 2));
    trim(&store);
done:
    store_close(&store);
    return status;
}

/* The architecture of an entry; "" if the file is damaged. */
static void entry_arch(const struct store *store, const char *name,
                       char arch[64])
{
    struct head head;
    char start[sizeof head + 128];
    int64_t n = store_start(store, name, start, sizeof start);
    arch[0] = 0;
    if (n < (int64_t)sizeof head)
        return;
    memcpy(&head, start, sizeof head);
    n -= (int64_t)sizeof head;
    if (memcmp(head.magic, cache_magic, sizeof head.magic) == 0
        && head.part[0] > 0 && head.part[0] < 64 && head.part[1] > 0
        && head.part[1] <= 64 && head.part[0] + head.part[1] <= n)
        snprintf(arch, 64, "%.*s", (int)head.part[1],
                 start + sizeof head + head.part[0]);
}

struct listing {
    void (*visit)(const char *file, const char *arch, int64_t bytes,
                  void *data);
    void *data;
    int64_t files, bytes, removed;
    int remove;
};

static void list_see(const struct store *store, const char *name,
                     const struct stat *about, void *data)
{
    struct listing *all = data;
    char path[STORE_PATH + 300], arch[64] = "left over";
    int left = is_left_over(name);
    if (!left && !is_entry(name))
        return;
    all->files++;
    all->bytes += (int64_t)about->st_size;
    if (all->remove) {
        all->removed += store_remove(store, name);
    } else if (all->visit) {
        if (!left)
            entry_arch(store, name, arch);
        snprintf(path, sizeof path, "%s/%s", store->path, name);
        all->visit(path, arch, (int64_t)about->st_size, all->data);
    }
}

farsum_status cache_list(void (*visit)(const char *file, const char *arch,
                                       int64_t bytes, void *data),
                         void *data, int64_t *files, int64_t *bytes)
{
    struct listing all = {.visit = visit, .data = data};
    struct store store;
    *files = *bytes = 0;
    TRY(store_open(&store, 0));
    store_each(&store, list_see, &all);
    store_close(&store);
    *files = all.files;
    *bytes = all.bytes;
    return FARSUM_OK;
}

farsum_status cache_clear(int64_t *files)
{
    struct listing all = {.remove = 1};
    struct store store;
    *files = 0;
    TRY(store_open(&store, 0));
    /* without the lock too: a current writer only loses its file */
    if (store.folder >= 0 && store_lock(&store) != FARSUM_OK)
        store.lock = -1;
    store_each(&store, list_see, &all);
    store_forget_lock(&store);
    store_close(&store);
    *files = all.removed;
    if (all.removed < all.files)
        FAIL(ERR_ARGUMENT, "%lld of %lld files of the cache could not be "
             "removed", (long long)(all.files - all.removed),
             (long long)all.files);
    return FARSUM_OK;
}
