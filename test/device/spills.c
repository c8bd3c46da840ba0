/* SPDX-License-Identifier: Apache-2.0 */
/* spills.c: register spills in compiled kernels. */
#include "device/spills.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

static void spills_add(struct spills *s, const char *name, int registers,
                       int64_t bytes)
{
    size_t n = strlen(s->names);
    s->kernels++;
    s->bytes += bytes;
    if (registers > s->registers)
        s->registers = registers;
    if (bytes > 0)
        snprintf(s->names + n, sizeof s->names - n, " %s:%lld", name,
                 (long long)bytes);
}

/* The number before `word` in a line of n characters; -1: none. */
static int64_t number_before(const char *line, int n, const char *word)
{
    const char *at = memmem(line, (size_t)n, word, strlen(word));
    if (!at)
        return -1;
    while (at > line && strchr("0123456789", at[-1]))
        at--;
    return atoll(at);
}

void spills_cuda(const char *log, struct spills *spills)
{
    char name[NAME] = "?";
    int64_t bytes = 0;
    *spills = (struct spills){0};
    for (const char *line = log, *end; line && *line;
         line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        int n = (int)(end ? end - line : (long)strlen(line));
        const char *entry = strstr(line, "Compiling entry function '");
        int64_t stores = number_before(line, n, " bytes spill stores");
        int64_t used = number_before(line, n, " registers");
        if (entry && entry < line + n) {
            sscanf(entry, "Compiling entry function '%127[^']", name);
            bytes = 0;
        }
        if (stores > 0) /* of the kernel and of its callees */
            bytes += stores;
        if (used >= 0)
            spills_add(spills, name, (int)used, bytes);
    }
}

/* A number of the notes (MessagePack): one byte, or a mark and 2 or 4 bytes. */
static int64_t note_number(const unsigned char *at)
{
    switch (*at) {
    case 0xcc:
        return at[1];
    case 0xcd:
        return at[1] << 8 | at[2];
    case 0xce:
        return (int64_t)at[1] << 24 | at[2] << 16 | at[3] << 8 | at[4];
    default:
        return *at < 0x80 ? *at : -1;
    }
}

/* The value after the next `key` from `at` on; NULL: none. */
static const unsigned char *note_find(const unsigned char *at,
                                      const unsigned char *end, const char *key)
{
    size_t n = strlen(key);
    const unsigned char *found =
        at < end ? memmem(at, (size_t)(end - at), key, n) : NULL;
    return found && found + n + 8 < end ? found + n : NULL;
}

/* A kernel's keys are in alphabetical order: .symbol, then .vgpr_count and
 * .vgpr_spill_count.  Their unit is registers of 4 bytes for each of 64
 * threads; here bytes per thread. */
void spills_hip(const void *binary, int64_t bytes, struct spills *spills)
{
    const unsigned char *at = binary, *end = at + bytes, *symbol;
    *spills = (struct spills){0};
    while ((symbol = note_find(at, end, ".symbol")) != NULL) {
        const unsigned char *used = note_find(symbol, end, ".vgpr_count");
        const unsigned char *spilt =
            note_find(symbol, end, ".vgpr_spill_count");
        if (!used || !spilt)
            return;
        /* a text of up to 31 bytes has one byte before it, a longer one two */
        int long_one = *symbol == 0xd9;
        int n = long_one ? symbol[1] : *symbol & 31;
        char name[NAME];
        snprintf(name, sizeof name, "%.*s", n > 3 ? n - 3 : 0,
                 (const char *)symbol + 1 + long_one); /* without .kd */
        spills_add(spills, name, (int)note_number(used),
                   4 * note_number(spilt));
        at = spilt;
    }
}
