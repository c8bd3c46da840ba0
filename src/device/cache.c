/* cache.c: compiled kernels on disk. */
#include "device/cache.h"

#include "base/mem.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 4, PATH_ROOM = 1200 };
static const int64_t cache_cap = 512ll << 20; /* bytes of the folder */
static const char cache_magic[8] = "FARSUMK1";
static const char cache_end[] = ".kernel";

/* What a file starts with; the key's parts and the binary follow. */
struct head {
    char magic[8];
    int64_t part[PARTS]; /* lengths, with the final 0 */
    int64_t bytes;
    uint64_t sum;        /* over parts and binary */
};

int cache_where(char *path, size_t size)
{
    const char *own = getenv("FARSUM_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own && !*own)
        return 0;
    if (!own && !(xdg && *xdg) && !(home && *home))
        return 0;
    int n = own           ? snprintf(path, size, "%s", own)
            : xdg && *xdg ? snprintf(path, size, "%s/farsum", xdg)
                          : snprintf(path, size, "%s/.cache/farsum", home);
    return n >= 0 && (size_t)n < size ? 1 : -1;
}

farsum_status cache_folder(char **folder)
{
    char *path = NULL;
    *folder = NULL;
    TRY(MEM_RAW(path, PATH_ROOM));
    int there = cache_where(path, PATH_ROOM - 100);
    if (there <= 0)
        mem_free(path);
    else
        *folder = path;
    if (there < 0)
        FAIL(ERR_ARGUMENT, "the cache folder's name is too long");
    return FARSUM_OK;
}

/* The folder and those above it. */
static farsum_status make_folder(char *path)
{
    for (char *at = path + 1;; at++)
        if (*at == '/' || !*at) {
            char was = *at;
            *at = 0;
            int failed = mkdir(path, 0777) != 0 && errno != EEXIST;
            int error = errno;
            *at = was;
            if (failed)
                FAIL(ERR_ARGUMENT, "the cache folder %s: %s", path,
                     strerror(error));
            if (!was)
                return FARSUM_OK;
        }
}

static int is_entry(const char *name)
{
    size_t n = strlen(name), end = sizeof cache_end - 1;
    return n == 32 + end && strcmp(name + 32, cache_end) == 0;
}

/* FOLDER/HASH.kernel */
static void entry_path(char *path, const char *folder,
                       const struct cache_key *key)
{
    XXH3_state_t *state = XXH3_createState();
    XXH128_hash_t hash = {0, 0};
    if (state) {
        XXH3_128bits_reset(state);
        for (int p = 0; p < PARTS; p++)
            XXH3_128bits_update(state, key->parts[p],
                                strlen(key->parts[p]) + 1);
        hash = XXH3_128bits_digest(state);
        XXH3_freeState(state);
    }
    snprintf(path, PATH_ROOM, "%s/%016llx%016llx%s", folder,
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

static int read_all(FILE *file, void *to, int64_t bytes)
{
    return fread(to, 1, (size_t)bytes, file) == (size_t)bytes;
}

/* The parts that the file holds are the key's. */
static int same_key(FILE *file, const struct head *head,
                    const struct cache_key *key)
{
    for (int p = 0; p < PARTS; p++) {
        int64_t n = (int64_t)strlen(key->parts[p]) + 1;
        char *text = NULL;
        if (head->part[p] != n || MEM_RAW(text, n) != FARSUM_OK)
            return 0;
        int same = read_all(file, text, n)
                   && memcmp(text, key->parts[p], (size_t)n) == 0;
        mem_free(text);
        if (!same)
            return 0;
    }
    return 1;
}

static int read_entry(FILE *file, const struct cache_key *key, void **binary,
                      int64_t *bytes)
{
    struct head head;
    struct stat about;
    char *image = NULL;
    if (!read_all(file, &head, sizeof head)
        || memcmp(head.magic, cache_magic, sizeof head.magic) != 0
        || fstat(fileno(file), &about) != 0 || head.bytes <= 0
        || head.bytes > about.st_size || !same_key(file, &head, key)
        || MEM_RAW(image, head.bytes) != FARSUM_OK)
        return 0;
    if (!read_all(file, image, head.bytes) || fgetc(file) != EOF
        || checksum(key, image, head.bytes) != head.sum) {
        mem_free(image);
        return 0;
    }
    *binary = image;
    *bytes = head.bytes;
    return 1;
}

int cache_get(const struct cache_key *key, void **binary, int64_t *bytes)
{
    char *folder = NULL, path[PATH_ROOM];
    if (cache_folder(&folder) != FARSUM_OK || !folder)
        return 0;
    entry_path(path, folder, key);
    mem_free(folder);
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    int found = read_entry(file, key, binary, bytes);
    fclose(file);
    return found;
}

static int write_all(FILE *file, const void *from, int64_t bytes)
{
    return fwrite(from, 1, (size_t)bytes, file) == (size_t)bytes;
}

static int write_entry(FILE *file, const struct cache_key *key,
                       const void *binary, int64_t bytes)
{
    struct head head = {.bytes = bytes, .sum = checksum(key, binary, bytes)};
    memcpy(head.magic, cache_magic, sizeof head.magic);
    for (int p = 0; p < PARTS; p++)
        head.part[p] = (int64_t)strlen(key->parts[p]) + 1;
    int good = write_all(file, &head, sizeof head);
    for (int p = 0; p < PARTS; p++)
        good = good && write_all(file, key->parts[p], head.part[p]);
    return good && write_all(file, binary, bytes);
}

/* Removes the oldest entries until the folder is within its cap. */
static void trim(const char *folder)
{
    for (;;) {
        char path[PATH_ROOM + 300], oldest[PATH_ROOM + 300] = "";
        struct stat about;
        int64_t sum = 0;
        time_t when = 0;
        DIR *dir = opendir(folder);
        if (!dir)
            return;
        for (struct dirent *e = readdir(dir); e; e = readdir(dir)) {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            if (!is_entry(e->d_name) || stat(path, &about) != 0)
                continue;
            sum += about.st_size;
            if (!*oldest || about.st_mtime < when) {
                when = about.st_mtime;
                memcpy(oldest, path, sizeof oldest);
            }
        }
        closedir(dir);
        if (sum <= cache_cap || !*oldest || remove(oldest) != 0)
            return;
    }
}

farsum_status cache_put(const struct cache_key *key, const void *binary,
                        int64_t bytes)
{
    farsum_status status = FARSUM_OK;
    char *folder = NULL, path[PATH_ROOM], beside[PATH_ROOM + 32];
    FILE *file = NULL;
    int made = 0;
    TRY(cache_folder(&folder));
    if (!folder)
        return FARSUM_OK;
    GO(make_folder(folder));
    entry_path(path, folder, key);
    snprintf(beside, sizeof beside, "%s.XXXXXX", path);
    made = mkstemp(beside);
    if (made < 0)
        GO_FAIL(ERR_ARGUMENT, "the cache folder %s: %s", folder,
                strerror(errno));
    file = fdopen(made, "wb");
    if (!file) {
        close(made);
        remove(beside);
        GO_FAIL(ERR_ARGUMENT, "%s: %s", beside, strerror(errno));
    }
    int good = write_entry(file, key, binary, bytes);
    good = fclose(file) == 0 && good;
    if (!good || rename(beside, path) != 0) {
        int error = errno;
        remove(beside);
        GO_FAIL(ERR_ARGUMENT, "the cache folder %s: %s", folder,
                strerror(error));
    }
    trim(folder);
done:
    mem_free(folder);
    return status;
}

/* The architecture that an entry was compiled for; "" if it is garbage. */
static void entry_arch(const char *path, char arch[64])
{
    struct head head;
    FILE *file = fopen(path, "rb");
    arch[0] = 0;
    if (!file)
        return;
    if (read_all(file, &head, sizeof head)
        && memcmp(head.magic, cache_magic, sizeof head.magic) == 0
        && head.part[0] > 0 && head.part[0] < 64 && head.part[1] > 0
        && head.part[1] <= 64) {
        char skip[64];
        if (!read_all(file, skip, head.part[0])
            || !read_all(file, arch, head.part[1]))
            arch[0] = 0;
        arch[63] = 0;
    }
    fclose(file);
}

farsum_status cache_list(void (*visit)(const char *file, const char *arch,
                                       int64_t bytes, void *data),
                         void *data, int64_t *files, int64_t *bytes)
{
    char *folder = NULL, path[PATH_ROOM + 300], arch[64];
    struct stat about;
    *files = *bytes = 0;
    TRY(cache_folder(&folder));
    DIR *dir = folder ? opendir(folder) : NULL;
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (!is_entry(e->d_name) || stat(path, &about) != 0)
            continue;
        ++*files;
        *bytes += about.st_size;
        entry_arch(path, arch);
        if (visit)
            visit(path, arch, about.st_size, data);
    }
    if (dir)
        closedir(dir);
    mem_free(folder);
    return FARSUM_OK;
}

static void remove_entry(const char *file, const char *arch, int64_t bytes,
                         void *data)
{
    int64_t *removed = data;
    (void)arch;
    (void)bytes;
    *removed += remove(file) == 0;
}

farsum_status cache_clear(int64_t *files)
{
    int64_t there = 0, bytes = 0;
    *files = 0;
    TRY(cache_list(remove_entry, files, &there, &bytes));
    if (*files < there)
        FAIL(ERR_ARGUMENT, "%lld of %lld files of the cache could not be "
             "removed", (long long)(there - *files), (long long)there);
    return FARSUM_OK;
}
