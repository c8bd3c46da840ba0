/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: runs a fuzz target without libFuzzer: every seed unchanged, then
 * -runs=N mutations of them, always the same ones for the same -seed=S.
 *
 *     fuzz_extxyz -runs=20000 test/fuzz/corpus/extxyz */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_MAX 65536

struct seed {
    char *name; /* owned */
    uint8_t *data; /* owned */
    size_t size;
};

struct seeds {
    struct seed *list; /* owned */
    size_t n;
};

/* The input under test, for the crash handler. */
static uint8_t input[INPUT_MAX];
static size_t input_size;

static void keep_input(int number) {
    FILE *file = fopen("crash-input", "wb");
    if (file) {
        fwrite(input, 1, input_size, file);
        fclose(file);
    }
    fprintf(stderr, "fuzz: signal %d; the input is in ./crash-input\n", number);
    signal(number, SIG_DFL);
    raise(number);
}

/* --- seeds --- */

static void add_file(struct seeds *s, const char *path) {
    FILE *file = fopen(path, "rb");
    fuzz_require(file != NULL, path);
    struct seed seed = {strdup(path), malloc(INPUT_MAX), 0};
    s->list = realloc(s->list, (s->n + 1) * sizeof *s->list);
    fuzz_require(seed.name && seed.data && s->list, "memory");
    seed.size = fread(seed.data, 1, INPUT_MAX, file);
    fclose(file);
    s->list[s->n++] = seed;
}

static void add_path(struct seeds *s, const char *path) {
    struct stat status;
    fuzz_require(stat(path, &status) == 0, path);
    if (!S_ISDIR(status.st_mode)) {
        add_file(s, path);
        return;
    }
    DIR *folder = opendir(path);
    fuzz_require(folder != NULL, path);
    for (struct dirent *e; (e = readdir(folder)) != NULL;) {
        char name[1024];
        if (e->d_name[0] == '.') continue;
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        add_file(s, name);
    }
    closedir(folder);
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct seed *)a)->name,
                  ((const struct seed *)b)->name);
}

/* --- mutations --- */

static uint64_t next(uint64_t *state, uint64_t below) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return below ? *state % below : 0;
}

/* Replaces `cut` bytes at `at` by others. */
static void splice(size_t at, size_t cut, const void *data, size_t n) {
    if (cut > input_size - at) cut = input_size - at;
    if (n > INPUT_MAX - (input_size - cut)) n = INPUT_MAX - (input_size - cut);
    memmove(input + at + n, input + at + cut, input_size - at - cut);
    if (n > 0) memcpy(input + at, data, n);
    input_size += n - cut;
}

static void mutate(uint64_t *state, const struct seeds *s) {
    static const char *const words[] = {
        "nan", "inf", "-1", "0", "99999999999999999999", "1e999", "1e-400",
        "\n", "\n\n", "\r\n", "\"", "\\", "'", "{", "}", "=", ":", " ", "\t",
        "#", "-9223372036854775808", "9223372036854775807", "2147483648",
        "4294967296", ".", "+", "e", "\xff", "\xef\xbb\xbf", "0x10", "1,0"};
    const struct seed *other = &s->list[next(state, s->n)];
    size_t at = next(state, input_size + 1), size = input_size - at;
    uint8_t byte = (uint8_t)next(state, 256);
    uint8_t copy[64];
    switch (next(state, 8)) {
    case 0: splice(at, 1, &byte, 1); break;
    case 1: splice(at, 0, &byte, 1); break;
    case 2: splice(at, next(state, 16), NULL, 0); break;
    case 3:
        if (size > 0) input[at] ^= (uint8_t)(1u << (byte & 7));
        break;
    case 4:
    case 5: {
        const char *word = words[next(state, sizeof words / sizeof words[0])];
        splice(at, next(state, 4), word, strlen(word));
        break;
    }
    case 6:
        if (size > sizeof copy) size = sizeof copy;
        memcpy(copy, input + at, size);
        splice(next(state, input_size + 1), 0, copy, size);
        break;
    default: {
        size_t from = next(state, other->size + 1);
        size_t n = next(state, other->size - from + 1);
        if (next(state, 8) == 0) input_size = at; /* cut off */
        else splice(at, next(state, 64), other->data + from, n);
    }
    }
}

int main(int argc, char **argv) {
    struct seeds s = {NULL, 0};
    unsigned long long runs = 0, state_of_run = 1;
    for (int k = 1; k < argc; k++) {
        if (strncmp(argv[k], "-runs=", 6) == 0)
            runs = strtoull(argv[k] + 6, NULL, 10);
        else if (strncmp(argv[k], "-seed=", 6) == 0)
            state_of_run = strtoull(argv[k] + 6, NULL, 10);
        else
            add_path(&s, argv[k]);
    }
    fuzz_require(s.n > 0, "usage: [-runs=N] [-seed=S] FOLDER_OF_SEEDS...");
    qsort(s.list, s.n, sizeof *s.list, by_name); /* a folder has no order */
    signal(SIGABRT, keep_input);
    signal(SIGSEGV, keep_input);
    for (unsigned long long run = 0; run < s.n + runs; run++) {
        uint64_t state = (state_of_run << 32) + run + 88172645463325252u;
        for (int warm = 0; warm < 4; warm++) next(&state, 0);
        const struct seed *seed =
            &s.list[run < s.n ? run : next(&state, s.n)];
        memcpy(input, seed->data, seed->size);
        input_size = seed->size;
        if (run >= s.n)
            for (uint64_t k = 1 + next(&state, 6); k > 0; k--)
                mutate(&state, &s);
        /* A copy of exact size, so that access beyond its end is detected. */
        uint8_t *copy = malloc(input_size ? input_size : 1);
        fuzz_require(copy != NULL, "memory");
        memcpy(copy, input, input_size);
        LLVMFuzzerTestOneInput(copy, input_size);
        free(copy);
    }
    printf("%zu seeds, %llu mutations: no fault\n", s.n, runs);
    for (size_t k = 0; k < s.n; k++) {
        free(s.list[k].name);
        free(s.list[k].data);
    }
    free(s.list);
    return 0;
}
