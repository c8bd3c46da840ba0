/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: tests of the memory limits of a plan and of a host program. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"

enum { N = 2000, MORE = 100 * N };

static double x[3 * MORE], y[3 * MORE];

static void particles(void)
{
    srand(9);
    for (int i = 0; i < 3 * MORE; i++) {
        x[i] = 8.0 * rand() / RAND_MAX;
        y[i] = 8.0 * rand() / RAND_MAX;
    }
}

struct way {
    const char *method, *kernel;
    int periodic, targets;
    const char *lattice;
};
static const struct way ways[] = {
    {"direct", "laplace", 0, 0, NULL},
    {"direct", "yukawa", 0, 1, NULL},
    {"direct", "stokeslet", 0, 0, NULL},
    {"ewald", "laplace", 1, 0, NULL},
    {"ewald", "r6", 1, 1, NULL},
    {"ewald", "stokeslet", 1, 0, NULL},
    {"spectral", "laplace", 1, 0, NULL},
    {"spectral", "stokeslet", 1, 1, NULL},
    {"fmm", "laplace", 1, 0, NULL},
    {"fmm", "laplace", 0, 1, NULL},
    {"fmm", "laplace", 1, 0, "plain"},
    {"fmm", "laplace", 1, 0, "fft"},
};
enum { WAYS = sizeof ways / sizeof *ways };

static farsum_status make(const struct way *w, int64_t n, uint64_t limit,
                          int dry, farsum_plan **plan)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    p.kernel = w->kernel;
    p.kappa = strcmp(w->kernel, "yukawa") == 0;
    p.cell[0] = p.cell[4] = p.cell[8] = 8;
    p.periodic[0] = p.periodic[1] = p.periodic[2] = w->periodic;
    p.n_sources = n;
    p.n_targets = w->targets ? n : 0;
    p.tolerance = 1e-3;
    o.method = w->method;
    o.fmm.lattice = w->lattice;
    o.memory_limit = limit;
    o.threads = 2;
    *plan = NULL;
    return dry ? farsum_plan_tune(&p, &o, plan)
               : farsum_plan_create(&p, &o, plan);
}

static uint64_t bytes_of(const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    return info.bytes;
}

static farsum_status points(const struct way *w, farsum_plan *plan, int64_t n)
{
    return farsum_plan_set_points(plan, n, x, w->targets ? n : 0,
                                  w->targets ? y : NULL);
}

/* The memory predicted by tune suffices for create and set_points.  If lists,
 * halos or boxes are guessed (spectral, fmm), twice as much does. */
static int guessed(const struct way *w)
{
    return !strcmp(w->method, "spectral") || !strcmp(w->method, "fmm");
}

static void announced(void)
{
    for (int k = 0; k < WAYS; k++) {
        const struct way *w = &ways[k];
        farsum_plan *plan;
        CHECK_OK(make(w, N, 0, 1, &plan));
        uint64_t told = bytes_of(plan) * (guessed(w) ? 2 : 1);
        farsum_plan_destroy(plan);
        farsum_status status = make(w, N, told, 0, &plan);
        if (status == FARSUM_OK)
            status = points(w, plan, N);
        CHECK(status == FARSUM_OK, "%s %s: with the %llu bytes of tune: %s",
              w->method, w->kernel, (unsigned long long)told,
              farsum_message());
        if (status == FARSUM_OK)
            CHECK(bytes_of(plan) <= told, "%s %s holds %llu of %llu bytes",
                  w->method, w->kernel, (unsigned long long)bytes_of(plan),
                  (unsigned long long)told);
        farsum_plan_destroy(plan);
    }
}

static void refused(farsum_status status, const struct way *w, uint64_t limit)
{
    char allowed[32];
    snprintf(allowed, sizeof allowed, "%llu", (unsigned long long)limit);
    CHECK(status == FARSUM_ERR_MEMORY, "%s %s, limit %s: status %d, %s",
          w->method, w->kernel, allowed, (int)status, farsum_message());
    if (status == FARSUM_ERR_MEMORY) {
        CHECK_SAYS("bytes");
        CHECK_SAYS(allowed);
    }
}

/* A plan never holds more than its limit, whatever the limit. */
static void limits(void)
{
    for (int k = 0; k < WAYS; k++) {
        const struct way *w = &ways[k];
        farsum_plan *plan;
        refused(make(w, MORE, 100000, 0, &plan), w, 100000);
        refused(make(w, MORE, 100000, 1, &plan), w, 100000);
        for (uint64_t limit = 20000; limit < 1 << 25; limit *= 4) {
            farsum_status status = make(w, N, limit, 0, &plan);
            if (status == FARSUM_OK)
                status = points(w, plan, N);
            if (status == FARSUM_OK)
                CHECK(bytes_of(plan) <= limit, "%s %s: %llu of %llu bytes",
                      w->method, w->kernel,
                      (unsigned long long)bytes_of(plan),
                      (unsigned long long)limit);
            else
                refused(status, w, limit);
            farsum_plan_destroy(plan);
        }
    }
}

/* More points than announced, then fewer: the plan stays valid. */
static void other_counts(void)
{
    for (int k = 0; k < WAYS; k++) {
        const struct way *w = &ways[k];
        farsum_plan *plan;
        CHECK_OK(make(w, N, 0, 1, &plan));
        uint64_t limit = bytes_of(plan) * (guessed(w) ? 2 : 1);
        farsum_plan_destroy(plan);
        CHECK_OK(make(w, N, limit, 0, &plan));
        CHECK_OK(points(w, plan, N));
        refused(points(w, plan, MORE), w, limit);
        CHECK(bytes_of(plan) <= limit, "%s holds %llu of %llu bytes",
              w->method, (unsigned long long)bytes_of(plan),
              (unsigned long long)limit);
        CHECK_OK(points(w, plan, N));
        static int64_t pairs[2 * MORE];
        for (int64_t i = 0; i < 2 * MORE; i++)
            pairs[i] = i % N;
        refused(farsum_plan_set_exclusions(plan, MORE, pairs, NULL), w, limit);
        farsum_plan_destroy(plan);
    }
}

/* `auto` selects a method that fits, or reports why none does. */
static void choice(void)
{
    struct way w = {.method = "auto", .kernel = "laplace"};
    farsum_plan *plan;
    farsum_status status = make(&w, MORE, 1 << 20, 0, &plan);
    CHECK(status != FARSUM_OK, "%d points within a megabyte", MORE);
    CHECK_SAYS("bytes");
}

/* A count whose bytes overflow to a small number. */
static void allocator(void)
{
    static const struct {
        int64_t count;
        size_t size;
    } wraps[] = {
        {((int64_t)1 << 61) + 1, 8}, {((int64_t)1 << 60) + 1, 16},
        {INT64_MAX, 2},              {INT64_MAX, 1},
        {INT64_MAX / 8 + 1, 24},     {-1, 1},
    };
    for (size_t k = 0; k < sizeof wraps / sizeof *wraps; k++) {
        void *p = &p;
        int64_t have = 0, before = mem_bytes();
        CHECK_FAILS(mem_alloc(&p, wraps[k].count, wraps[k].size, 0),
                    FARSUM_ERR_MEMORY);
        CHECK(!p && mem_bytes() == before, "case %zu allocated", k);
        CHECK_FAILS(mem_reserve(&p, &have, wraps[k].count, wraps[k].size),
                    FARSUM_ERR_MEMORY);
        CHECK(!p && have == 0, "case %zu is reserved", k);
    }
}

static char root[] = "farsum_memory_XXXXXX";

static void put(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s/%s", root, path);
    for (char *slash = whole + strlen(root) + 1;
         (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = 0;
        mkdir(whole, 0700);
        *slash = '/';
    }
    FILE *f = fopen(whole, "w");
    if (!f || fputs(text, f) < 0 || fclose(f) != 0)
        check_stop("%s cannot be written", whole);
}

static void group_is(uint64_t wanted, const char *what)
{
    uint64_t found = mem_cgroup(root);
    CHECK(found == wanted, "%s: %llu, not %llu", what,
          (unsigned long long)found, (unsigned long long)wanted);
}

/* Control groups in a folder, as Linux shows them. */
static void groups(void)
{
    if (!mkdtemp(root))
        check_stop("no folder");
    group_is(UINT64_MAX, "no groups at all");
    put("proc/self/cgroup", "0::/a/b/c\n");
    put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
    group_is(UINT64_MAX, "version 2 without a limit");
    put("sys/fs/cgroup/a/memory.max", "3000000000\n");
    group_is(3000000000u, "the limit of an outer group");
    put("sys/fs/cgroup/a/b/c/memory.max", "2000000000\n");
    group_is(2000000000u, "the limit of the inner group");
    put("sys/fs/cgroup/memory.max", "1000000000\n");
    group_is(1000000000u, "a container's own top");
    put("proc/self/cgroup", "12:cpu,cpuacct:/x\n4:memory:/host/of/it\n"
                            "1:name=systemd:/memory\n");
    group_is(UINT64_MAX, "version 1 without a limit");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    group_is(9223372036854771712u, "none, as version 1 says it");
    put("sys/fs/cgroup/memory/host/of/it/memory.limit_in_bytes",
        "700000000\n");
    group_is(700000000, "the limit of version 1");
    put("sys/fs/cgroup/memory/host/memory.limit_in_bytes", "600000000\n");
    group_is(600000000, "of the group around it");
    put("proc/self/cgroup", "4:memory:/host/of/it\n0::/u\n");
    put("sys/fs/cgroup/unified/u/memory.max", "500000000\n");
    group_is(500000000, "both versions");
    char command[600];
    snprintf(command, sizeof command, "rm -r %s", root);
    CHECK(system(command) == 0, "%s stays", root);
}

/* By default, 80 % of the smallest limit. */
static void address_space(void)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit space = {1u << 30, 1u << 30};
        struct way w = {"direct", "laplace", 0, 0, NULL};
        farsum_plan *plan;
        if (setrlimit(RLIMIT_AS, &space) != 0 || mem_allowed() != 1u << 30)
            _exit(1);
        /* between 0.8 and 1 of it: more than 56 + 24 + 16 bytes per particle */
        if (make(&w, 8500000, 0, 1, &plan) != FARSUM_ERR_MEMORY)
            _exit(2);
        if (!strstr(farsum_message(), "85899345"))
            _exit(3);
        _exit(make(&w, 1000000, 0, 1, &plan) == FARSUM_OK ? 0 : 4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0, "status %x", (unsigned)status);
    CHECK(mem_allowed() <= mem_machine(), "%llu bytes",
          (unsigned long long)mem_allowed());
}

int main(void)
{
    particles();
    RUN(allocator);
    RUN(groups);
    RUN(address_space);
    RUN(announced);
    RUN(limits);
    RUN(other_counts);
    RUN(choice);
    return check_end();
}
