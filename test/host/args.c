/* SPDX-License-Identifier: Apache-2.0 */
/* args.c: tests of structs from another version's header, and of counts too
 * large for any memory. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "farsum/device.h"
#include "farsum/mesh.h"
#include "farsum/model.h"

enum { N = 64, TAIL = 64 };

/* A struct followed by a newer version's members. */
#define NEWER(type)                                                            \
    struct {                                                                   \
        type own;                                                              \
        char tail[TAIL];                                                       \
    }

static double x[3 * N], q[N], potential[N];

static void particles(void)
{
    srand(3);
    for (int i = 0; i < 3 * N; i++)
        x[i] = 8.0 * rand() / RAND_MAX;
    for (int i = 0; i < N; i++)
        q[i] = i % 2 ? 1 : -1;
}

static farsum_problem crystal(void)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.cell[0] = p.cell[4] = p.cell[8] = 8;
    p.periodic[0] = p.periodic[1] = p.periodic[2] = 1;
    p.n_sources = N;
    p.tolerance = 1e-3;
    return p;
}

static farsum_plan *ready(void)
{
    farsum_problem p = crystal();
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = "spectral";
    if (farsum_plan_create(&p, &o, &plan) != FARSUM_OK
        || farsum_plan_set_points(plan, N, x, 0, NULL) != FARSUM_OK)
        check_stop("no plan: %s", farsum_message());
    return plan;
}

/* `call` takes `s.own`: of equal size; larger, with a zero or nonzero tail; and
 * of size 0. */
#define SIZES(type, init, s, call)                                             \
    do {                                                                       \
        CHECK_OK(call);                                                        \
        (s).own.size = sizeof(s);                                              \
        CHECK_OK(call);                                                        \
        CHECK((s).own.size == sizeof(s) || strcmp(init, "FARSUM_RESULT_INIT"), \
              "size %zu", (s).own.size);                                       \
        (s).tail[TAIL - 1] = 1;                                                \
        CHECK_FAILS(call, FARSUM_ERR_ARGUMENT);                                \
        CHECK_SAYS(init);                                                      \
        CHECK_SAYS("newer");                                                   \
        (s).tail[TAIL - 1] = 0;                                                \
        (s).own.size = 7;                                                      \
        CHECK_FAILS(call, FARSUM_ERR_ARGUMENT);                                \
        CHECK_SAYS(init);                                                      \
        (s).own.size = (size_t)-8;                                             \
        CHECK_FAILS(call, FARSUM_ERR_ARGUMENT);                                \
        CHECK_SAYS(init);                                                      \
        (s).own.size = sizeof(type);                                           \
    } while (0)

static farsum_status made(const farsum_problem *p, const farsum_options *o)
{
    farsum_plan *plan = NULL;
    farsum_status status = farsum_plan_create(p, o, &plan);
    farsum_plan_destroy(plan);
    return status;
}

static void inputs(void)
{
    NEWER(farsum_problem) p = {crystal(), {0}};
    NEWER(farsum_options) o = {FARSUM_OPTIONS_INIT, {0}};
    SIZES(farsum_problem, "FARSUM_PROBLEM_INIT", p, made(&p.own, &o.own));
    SIZES(farsum_options, "FARSUM_OPTIONS_INIT", o, made(&p.own, &o.own));
    /* a struct that ends before a member reads as 0 there */
    o.own.size = offsetof(farsum_options, threads);
    o.own.threads = -5;
    o.own.memory_limit = 1;
    CHECK_OK(made(&p.own, &o.own));
    o.own.size = sizeof o.own;
    CHECK_FAILS(made(&p.own, &o.own), FARSUM_ERR_ARGUMENT);
    p.own.exclude_coincident = 1;
    p.own.n_exclusions = -1;
    p.own.size = offsetof(farsum_problem, n_exclusions);
    CHECK_OK(made(&p.own, NULL));
    p.own.size = sizeof p.own;
    CHECK_FAILS(made(&p.own, NULL), FARSUM_ERR_ARGUMENT);
}

/* A group keeps its size: what a newer version stores in it is refused. */
static void groups(void)
{
    farsum_problem p = crystal();
    farsum_options o = FARSUM_OPTIONS_INIT;
    int *const reserved[] = {
        &o.spectral.reserved[0], &o.spectral.reserved[7], &o.fmm.reserved[0],
        &o.fmm.reserved[6], &o.device.reserved[0], &o.device.reserved[6]};
    static const char *const group[] = {"spectral", "fmm", "device"};
    for (int k = 0; k < 6; k++) {
        *reserved[k] = 1;
        CHECK_FAILS(made(&p, &o), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS(group[k / 2]);
        CHECK_SAYS("reserved");
        *reserved[k] = 0;
    }
    CHECK_OK(made(&p, &o));
    /* a struct that ends within a group */
    o.size = offsetof(farsum_options, fmm.tree);
    o.fmm.tree = "none";
    CHECK_OK(made(&p, &o));
    o.size = sizeof o;
    CHECK_FAILS(made(&p, &o), FARSUM_ERR_UNKNOWN);
}

/* `size` bytes before a page that may not be read. */
static void *page_end(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (two == MAP_FAILED || mprotect(two + page, page, PROT_NONE) != 0)
        check_stop("no pages");
    return two + page - size;
}

/* A plan that cannot be made proposes changes; it reads no farther than an
 * older version's structs. */
static void refusals(void)
{
    size_t problem = offsetof(farsum_problem, n_exclusions);
    size_t options = offsetof(farsum_options, verify);
    farsum_problem *p = page_end(problem), p0 = crystal();
    farsum_options *o = page_end(options), o0 = FARSUM_OPTIONS_INIT;
    p0.size = problem;
    o0.size = options;
    o0.method = "direct";
    memcpy(p, &p0, problem);
    memcpy(o, &o0, options);
    CHECK_FAILS(made(p, o), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("use method");
}

static void results(void)
{
    farsum_plan *plan = ready();
    NEWER(farsum_result) r = {FARSUM_RESULT_INIT, {0}};
    NEWER(farsum_plan_info) i = {FARSUM_PLAN_INFO_INIT, {0}};
    r.own.potential = potential;
    SIZES(farsum_result, "FARSUM_RESULT_INIT", r,
          farsum_plan_execute(plan, 1, q, &r.own));
    /* members that a smaller struct lacks are not read */
    static double velocity[3 * N];
    r.own.velocity = velocity; /* not among the outputs */
    CHECK_FAILS(farsum_plan_execute(plan, 1, q, &r.own), FARSUM_ERR_ARGUMENT);
    r.own.size = offsetof(farsum_result, velocity);
    CHECK_OK(farsum_plan_execute(plan, 1, q, &r.own));
    SIZES(farsum_plan_info, "FARSUM_PLAN_INFO_INIT", i,
          farsum_plan_get_info(plan, &i.own));
    /* nor written */
    memset(&i, 0x55, sizeof i);
    i.own.size = offsetof(farsum_plan_info, threads);
    CHECK_OK(farsum_plan_get_info(plan, &i.own));
    CHECK(i.own.size == offsetof(farsum_plan_info, threads), "size %zu",
          i.own.size);
    CHECK(strcmp(i.own.method, "spectral") == 0, "method %s", i.own.method);
    const char *rest = (const char *)&i + i.own.size;
    size_t same = 0, all = sizeof i - i.own.size;
    while (same < all && rest[same] == 0x55)
        same++;
    CHECK(same == all, "byte %zu behind the struct was written", same);
    NEWER(farsum_model) m = {FARSUM_MODEL_INIT, {0}};
    SIZES(farsum_model, "FARSUM_MODEL_INIT", m,
          farsum_plan_get_model(plan, 0, &m.own));
    farsum_plan_destroy(plan);
}

static farsum_status mesh_made(const farsum_mesh_problem *p,
                               const farsum_mesh_options *o)
{
    farsum_mesh *mesh = NULL;
    farsum_status status = farsum_mesh_create(p, o, &mesh);
    farsum_mesh_destroy(mesh);
    return status;
}

static farsum_status nufft_made(const farsum_nufft_problem *p,
                                const farsum_mesh_options *o)
{
    farsum_nufft *nufft = NULL;
    farsum_status status = farsum_nufft_create(p, o, &nufft);
    farsum_nufft_destroy(nufft);
    return status;
}

static farsum_mesh_problem small_mesh(void)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    for (int d = 0; d < 3; d++)
        p.cell[4 * d] = 8, p.mesh[d] = 8, p.periodic[d] = 1;
    return p;
}

static farsum_nufft_problem small_nufft(void)
{
    farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
    p.type = 1, p.sign = 1;
    p.modes[0] = p.modes[1] = p.modes[2] = 6;
    return p;
}

static void meshes(void)
{
    NEWER(farsum_mesh_problem) p = {small_mesh(), {0}};
    NEWER(farsum_mesh_options) o = {FARSUM_MESH_OPTIONS_INIT, {0}};
    NEWER(farsum_nufft_problem) t = {small_nufft(), {0}};
    NEWER(farsum_mesh_info) i = {FARSUM_MESH_INFO_INIT, {0}};
    farsum_mesh *mesh = NULL;
    farsum_nufft *nufft = NULL;
    SIZES(farsum_mesh_problem, "FARSUM_MESH_PROBLEM_INIT", p,
          mesh_made(&p.own, &o.own));
    SIZES(farsum_mesh_options, "FARSUM_MESH_OPTIONS_INIT", o,
          mesh_made(&p.own, &o.own));
    SIZES(farsum_nufft_problem, "FARSUM_NUFFT_PROBLEM_INIT", t,
          nufft_made(&t.own, &o.own));
    CHECK_OK(farsum_mesh_create(&p.own, NULL, &mesh));
    SIZES(farsum_mesh_info, "FARSUM_MESH_INFO_INIT", i,
          farsum_mesh_get_info(mesh, &i.own));
    farsum_mesh_destroy(mesh);
    CHECK_OK(farsum_nufft_create(&t.own, NULL, &nufft));
    SIZES(farsum_mesh_info, "FARSUM_MESH_INFO_INIT", i,
          farsum_nufft_get_info(nufft, &i.own));
    farsum_nufft_destroy(nufft);
}

static void lists(void)
{
    NEWER(farsum_variant_info) v = {FARSUM_VARIANT_INFO_INIT, {0}};
    NEWER(farsum_kernel_info) k = {FARSUM_KERNEL_INFO_INIT, {0}};
    NEWER(farsum_device_info) d = {FARSUM_DEVICE_INFO_INIT, {0}};
    SIZES(farsum_variant_info, "FARSUM_VARIANT_INFO_INIT", v,
          farsum_list_variants("spread", 0, &v.own));
    SIZES(farsum_variant_info, "FARSUM_VARIANT_INFO_INIT", v,
          farsum_list_variants("method", 0, &v.own));
    SIZES(farsum_kernel_info, "FARSUM_KERNEL_INFO_INIT", k,
          farsum_list_kernels(0, &k.own));
    SIZES(farsum_device_info, "FARSUM_DEVICE_INFO_INIT", d,
          farsum_list_devices(0, &d.own));
}

/* Counts about 2^48 and far beyond. */
static const int64_t huge[] = {((int64_t)1 << 48) + 1, (int64_t)5e16,
                               INT64_MAX / 24, INT64_MAX / 8, INT64_MAX / 2,
                               INT64_MAX};
enum { HUGE_ONES = sizeof huge / sizeof *huge };

static void refused(farsum_status status, int64_t count, const char *what)
{
    CHECK(status == FARSUM_ERR_MEMORY, "%s %lld: status %d, %s", what,
          (long long)count, (int)status, farsum_message());
    CHECK_SAYS("2^48");
}

static void plans_huge(void)
{
    static const char *const methods[] = {"auto", "direct", "ewald",
                                          "spectral", "fmm"};
    for (int h = 0; h < HUGE_ONES; h++) {
        for (int m = 0; m < 5; m++) {
            farsum_problem p = crystal();
            farsum_options o = FARSUM_OPTIONS_INIT;
            o.method = methods[m];
            p.n_sources = huge[h];
            refused(made(&p, &o), huge[h], "n_sources");
            p.n_sources = N, p.n_targets = huge[h];
            refused(made(&p, &o), huge[h], "n_targets");
            p.n_targets = 0, p.n_exclusions = huge[h];
            p.exclusions = (const int64_t *)x;
            refused(made(&p, &o), huge[h], "n_exclusions");
            p.n_exclusions = 0;
            o.fmm.leaf = huge[h];
            refused(made(&p, &o), huge[h], "leaf");
            o.fmm.leaf = 0;
            o.fmm.boxes[0] = huge[h], o.fmm.boxes[1] = o.fmm.boxes[2] = 1;
            refused(made(&p, &o), huge[h], "boxes");
        }
        farsum_plan *plan = ready();
        refused(farsum_plan_set_points(plan, huge[h], x, 0, NULL), huge[h],
                "sources");
        refused(farsum_plan_set_points(plan, N, x, huge[h], x), huge[h],
                "targets");
        refused(farsum_plan_set_exclusions(plan, huge[h], (int64_t *)x, NULL),
                huge[h], "exclusions");
        farsum_plan_destroy(plan);
    }
    farsum_problem p = crystal();
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = "spectral";
    o.spectral.mesh[0] = o.spectral.mesh[1] = o.spectral.mesh[2] = 1 << 19;
    refused(made(&p, &o), o.spectral.mesh[0], "mesh");
}

static void meshes_huge(void)
{
    for (int h = 0; h < HUGE_ONES; h++) {
        farsum_mesh_problem p = small_mesh();
        farsum_nufft_problem t = small_nufft();
        farsum_mesh *mesh = NULL;
        farsum_nufft *nufft = NULL;
        p.n_points = huge[h];
        refused(mesh_made(&p, NULL), huge[h], "n_points");
        p = small_mesh(), p.ldz = huge[h];
        refused(mesh_made(&p, NULL), huge[h], "ldz");
        p = small_mesh(), p.channels = 1 << 20, p.n_points = (int64_t)1 << 40;
        refused(mesh_made(&p, NULL), p.n_points, "n_points, channels");
        t.n_points = huge[h];
        refused(nufft_made(&t, NULL), huge[h], "n_points");
        p = small_mesh(), t = small_nufft();
        CHECK_OK(farsum_mesh_create(&p, NULL, &mesh));
        refused(farsum_mesh_set_points(mesh, huge[h], x), huge[h], "points");
        farsum_mesh_destroy(mesh);
        CHECK_OK(farsum_nufft_create(&t, NULL, &nufft));
        refused(farsum_nufft_set_points(nufft, huge[h], x), huge[h], "points");
        farsum_nufft_destroy(nufft);
    }
    farsum_nufft_problem t = small_nufft();
    t.modes[0] = t.modes[1] = 1 << 24, t.channels = 16;
    refused(nufft_made(&t, NULL), t.modes[0], "modes");
}

/* Just below: no overflow on the way to the refusal. */
static void plans_large(void)
{
    static const char *const methods[] = {"direct", "ewald", "spectral", "fmm"};
    for (int m = 0; m < 4; m++)
        for (int targets = 0; targets < 2; targets++) {
            farsum_problem p = crystal();
            farsum_options o = FARSUM_OPTIONS_INIT;
            farsum_plan *plan = NULL;
            if (m == 0)
                memset(p.periodic, 0, sizeof p.periodic);
            o.method = methods[m];
            o.memory_limit = 1 << 30;
            for (int log2 = 43; log2 <= 48; log2 += 5) {
                p.n_sources = targets ? N : (int64_t)1 << log2;
                p.n_targets = targets ? (int64_t)1 << log2 : 0;
                CHECK_FAILS(farsum_plan_create(&p, &o, &plan),
                            FARSUM_ERR_MEMORY);
                CHECK_SAYS("bytes");
                CHECK_FAILS(farsum_plan_tune(&p, &o, &plan),
                            FARSUM_ERR_MEMORY);
            }
        }
}

int main(void)
{
    particles();
    RUN(inputs);
    RUN(groups);
    RUN(refusals);
    RUN(results);
    RUN(meshes);
    RUN(lists);
    RUN(plans_huge);
    RUN(meshes_huge);
    RUN(plans_large);
    return check_end();
}
