/* SPDX-License-Identifier: Apache-2.0 */
/* gunzip.c: decompression of gzip files. */
#include "gunzip.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if FARSUM_WITH_ZLIB
#include <zlib.h>
#endif

bool gunzip_begins(const char *p, size_t n) {
    return n >= 3 && memcmp(p, "\037\213\010", 3) == 0;
}

bool gunzip_is_gzip(const char *path) {
    char first[3];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = fd < 0 ? -1 : read(fd, first, sizeof first);
    if (fd >= 0) close(fd);
    return n > 0 && gunzip_begins(first, (size_t)n);
}

const char *gunzip_other(const char *p, size_t n) {
    if (n >= 6 && memcmp(p, "\375" "7zXZ\0", 6) == 0) return "xz";
    if (n >= 4 && memcmp(p, "\050\265\057\375", 4) == 0) return "zstd";
    if (n >= 4 && memcmp(p, "BZh", 3) == 0 && p[3] >= '1' && p[3] <= '9')
        return "bzip2";
    return NULL;
}

#if FARSUM_WITH_ZLIB
#define PACKED ((size_t)64 << 10)
/* Limit of the compression ratio, beyond the first FREE_BYTES.  Text of
 * particles compresses five to thirty times.  A few bytes that expand more than
 * this are not such text and would fill the memory. */
#define RATIO 250
#define FREE_BYTES ((uint64_t)64 << 20)

struct gunzip {
    z_stream z;
    gunzip_source *source;
    void *data;
    char *packed; /* owned */
    bool ended, member; /* no more bytes; inside a member of the file */
    uint64_t in, out;
};

struct gunzip *gunzip_open(gunzip_source *source, void *data, const char *p,
                           size_t n) {
    struct gunzip *g = calloc(1, sizeof *g);
    size_t capacity = n > PACKED ? n : PACKED;
    if (!g) return NULL;
    g->packed = malloc(capacity);
    /* 31: windows of any size, gzip's header and trailer */
    if (!g->packed || inflateInit2(&g->z, 31) != Z_OK) {
        free(g->packed);
        free(g);
        return NULL;
    }
    memcpy(g->packed, p, n);
    g->z.next_in = (Bytef *)g->packed;
    g->z.avail_in = (uInt)n;
    g->in = n;
    g->source = source;
    g->data = data;
    g->member = true;
    return g;
}

void gunzip_close(struct gunzip *g) {
    if (!g) return;
    inflateEnd(&g->z);
    free(g->packed);
    free(g);
}

/* Reads more packed bytes, if none are left.  Returns 0, or -1. */
static int feed(struct gunzip *g) {
    if (g->z.avail_in > 0 || g->ended) return 0;
    ptrdiff_t n = g->source(g->data, g->packed, PACKED);
    if (n < 0) return -1;
    g->z.next_in = (Bytef *)g->packed;
    g->z.avail_in = (uInt)n;
    g->in += (uint64_t)n;
    g->ended = n == 0;
    return 0;
}

/* After a member: another one, the end, or zeros up to the end.  Returns 0, or
 * -1. */
static int next_member(struct gunzip *g, const char **why) {
    for (;;) {
        if (feed(g)) return -1;
        if (g->z.avail_in == 0) return 0;
        if (*g->z.next_in != 0) break;
        g->z.next_in++;
        g->z.avail_in--;
    }
    if (*g->z.next_in != 0x1f || inflateReset(&g->z) != Z_OK) {
        *why = "gzip: after its end there are bytes that are no gzip";
        return -1;
    }
    g->member = true;
    return 0;
}

ptrdiff_t gunzip_read(struct gunzip *g, char *out, size_t capacity,
                      const char **why)
{
    *why = NULL;
    if (capacity > INT32_MAX)
        capacity = INT32_MAX;
    g->z.next_out = (Bytef *)out;
    g->z.avail_out = (uInt)capacity;
    while (g->z.avail_out == capacity) {
        if (!g->member && next_member(g, why)) return -1;
        if (!g->member) return 0;
        if (feed(g)) return -1;
        int got = inflate(&g->z, Z_NO_FLUSH);
        if (got == Z_STREAM_END) {
            g->member = false;
        } else if (got == Z_MEM_ERROR) {
            *why = "gzip: out of memory";
            return -1;
        } else if (got != Z_OK && got != Z_BUF_ERROR) {
            *why = got == Z_DATA_ERROR && g->z.msg &&
                           strcmp(g->z.msg, "incorrect data check") == 0
                       ? "gzip: damaged (the check sum is another)"
                       : "gzip: damaged (these are no packed bytes)";
            return -1;
        } else if (g->ended && g->z.avail_in == 0
                   && g->z.avail_out == capacity) {
            *why = "gzip: cut off before its end";
            return -1;
        }
    }
    size_t n = capacity - g->z.avail_out;
    g->out += n;
    if (g->out > FREE_BYTES && g->out / RATIO > g->in) {
        *why = "gzip: the text is more than 250 times as long as the file, "
               "which no text of particles is";
        return -1;
    }
    return (ptrdiff_t)n;
}
#else
struct gunzip *gunzip_open(gunzip_source *source, void *data, const char *p,
                           size_t n)
{
    static char opened;
    (void)source, (void)data, (void)p, (void)n;
    return (struct gunzip *)&opened;
}

void gunzip_close(struct gunzip *g)
{
    (void)g;
}

ptrdiff_t gunzip_read(struct gunzip *g, char *out, size_t capacity,
                      const char **why)
{
    (void)g, (void)out, (void)capacity;
    *why = "gzip: this program was built without zlib";
    return -1;
}
#endif
