/* SPDX-License-Identifier: Apache-2.0 */
/* words.c: translation of the library's terms to the command's.  The library
 * counts from 0 and names struct members; the command counts from 1 and names
 * its options. */
#include "words.h"

#include "say.h"

#include "base/number.h"

#include <farsum/farsum.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Phrases of the library, and of the command. */
static const char *const phrases[][2] = {
    {"exclude_coincident of the problem leaves such pairs out, an exclusion "
     "this one",
     "--exclude coincident leaves such pairs out, --exclude FILE those that it "
     "names"},
    {"and their exclusion's factor", "and the excluded pair's factor"},
    {"sources ", "particles "},
    {"source ", "particle "},
    {"this plan has no separate targets: set problem.n_targets before "
     "farsum_plan_create()",
     "the plan has no separate targets"},
    {"options.device ", "--device "},
    {"exclude_coincident", "--exclude coincident"},
    {"memory_limit", "--memory-limit"},
    {"near_cells", "--near-cells"},
    {"near_team", "--near-team"},
    {"n_sources is 0", "the number of particles is 0"},
};

/* Words before a number that counts from 0. */
static const char *const counted[] = {"source ", "sources ", "target ",
                                      "targets ", "strength ", "vector ",
                                      "component ", "right-hand side ",
                                      "axis ", "point "};

/* Copies the number at *p, which counts from 0, as one from 1. */
static size_t put_number(const char **p, char *out, size_t size)
{
    uint64_t at = 0;
    (void)number_count(*p, p, &at);
    int used = snprintf(out, size, "%llu", (unsigned long long)at + 1);
    return (size_t)used < size ? (size_t)used : size - 1;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Converts numbers before words, while the words are still the library's. */
static void count_from_one(const char *text, char *out, size_t size)
{
    size_t used = 0;
    for (const char *p = text; *p && used + 1 < size;) {
        size_t n = 0;
        int starts = p == text || p[-1] == ' ' || p[-1] == '(';
        for (size_t k = 0; k < sizeof counted / sizeof *counted && starts; k++)
            if (strncmp(p, counted[k], strlen(counted[k])) == 0 &&
                is_digit(p[strlen(counted[k])]))
                n = strlen(counted[k]);
        if (n == 0) {
            out[used++] = *p++;
            continue;
        }
        n = n < size - used ? n : size - used - 1;
        memcpy(out + used, p, n);
        used += n;
        p += n;
        used += put_number(&p, out + used, size - used);
        while (strncmp(p, " and ", 5) == 0 && is_digit(p[5]) &&
               used + 6 < size) {
            memcpy(out + used, p, 5);
            used += 5;
            p += 5;
            used += put_number(&p, out + used, size - used);
        }
    }
    out[used] = '\0';
}

void words_of(const char *text, char *out, size_t size)
{
    char counted_text[1200];
    size_t used = 0;
    count_from_one(text, counted_text, sizeof counted_text);
    for (const char *p = counted_text; *p && used + 1 < size;) {
        size_t k = 0, count = sizeof phrases / sizeof *phrases;
        while (k < count &&
               strncmp(p, phrases[k][0], strlen(phrases[k][0])) != 0)
            k++;
        if (k == count) {
            out[used++] = *p++;
            continue;
        }
        int n = snprintf(out + used, size - used, "%s", phrases[k][1]);
        used += (size_t)n < size - used ? (size_t)n : size - used - 1;
        p += strlen(phrases[k][0]);
    }
    out[used] = '\0';
}

const char *words_text(const char *message)
{
    static char text[1200];
    char advised[1200];
    words_of(say_advice(message, advised, sizeof advised), text, sizeof text);
    return text;
}

const char *words_message(void)
{
    return words_text(farsum_message());
}

/* --- names used by other programs --- */

struct other {
    const char *names; /* small letters and digits, between blanks */
    const char *ours;
};

static const struct other methods[] = {
    {" pme spme smoothpme p3m pppm particlemesh ewaldmesh meshewald "
     "particlemeshewald spectralewald fastewald ewaldpme pm ",
     "spectral"},
    {" fmm3d treecode tree barneshut multipole multipoles fastmultipole "
     "fastmultipoles fastmultipolemethod ",
     "fmm"},
    {" directsum pairs allpairs pairwise bruteforce naive n2 nbody ", "direct"},
    {" ewaldsum ewaldsummation ", "ewald"},
};
static const struct other kernels[] = {
    {" coulomb coulombic electrostatic electrostatics charge charges 1r "
     "poisson ",
     "laplace"},
    {" debye debyehuckel screened screenedcoulomb ", "yukawa"},
    {" dispersion vdw vanderwaals lennardjones lj 1r6 london ", "r6"},
    {" stokes oseen oseentensor ", "stokeslet"},
};

/* The name's letters and digits, in small letters between blanks. */
static void bare(const char *name, char out[40])
{
    size_t used = 0;
    out[used++] = ' ';
    for (; *name && used < 37; name++) {
        char c = (char)(*name >= 'A' && *name <= 'Z' ? *name | 32 : *name);
        if ((c >= 'a' && c <= 'z') || is_digit(c))
            out[used++] = c;
    }
    out[used++] = ' ';
    out[used] = '\0';
}

static const char *find(const char *name, const struct other *rows, size_t n)
{
    char word[40];
    bare(name, word);
    if (strcmp(word, "  ") == 0)
        return NULL;
    for (size_t k = 0; k < n; k++) {
        char own[40];
        bare(rows[k].ours, own);
        if (strcmp(word, own) == 0 || strstr(rows[k].names, word))
            return rows[k].ours;
    }
    return NULL;
}

const char *words_method(const char *name)
{
    return find(name, methods, sizeof methods / sizeof *methods);
}

const char *words_kernel(const char *name)
{
    return find(name, kernels, sizeof kernels / sizeof *kernels);
}

int words_is_gravity(const char *name)
{
    char word[40];
    bare(name, word);
    return strstr(" gravity gravitation gravitational newton newtonian mass "
                  "masses ", word) != NULL && strcmp(word, "  ") != 0;
}
