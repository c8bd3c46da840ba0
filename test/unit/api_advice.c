/* SPDX-License-Identifier: Apache-2.0 */
/* api_advice.c: tests that each refusal names the failure and a remedy, and
 * that the remedy works. */
#include "api.h"

#include <stdlib.h>

#include "cases.h"

/* A refused sum: the request, the particles, and words of the reason. */
struct refused {
    const char *system;
    farsum_precision precision, arrays;
    double tolerance;
    const char *method, *fails; /* fails: words of the message */
    int64_t mesh, limit;
    int support, strict;
    double cutoff;
};

static const struct refused cases[] = {
    {.system = "laplace n=300 seed=4", .tolerance = 1e-12,
     .precision = FARSUM_F32, .arrays = FARSUM_F64, .fails = "f32 reaches"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-12,
     .precision = FARSUM_F32, .fails = "f32 reaches"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-12,
     .precision = FARSUM_MIXED, .method = "spectral",
     .fails = "mixed reaches"},
    {.system = "laplace n=6000 seed=4", .tolerance = 1e-12,
     .precision = FARSUM_MIXED, .method = "spectral",
     .fails = "mixed reaches"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-12,
     .precision = FARSUM_F32, .method = "fmm", .fails = "f32 reaches"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-9,
     .precision = FARSUM_F64, .arrays = FARSUM_F32, .fails = "f32 arrays"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-9,
     .precision = FARSUM_F32, .arrays = FARSUM_F32, .method = "ewald",
     .fails = "f32 arrays"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-16,
     .fails = "f64 reaches"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-16, .method = "ewald",
     .fails = "below 1e-14"},
    {.system = "laplace n=300 seed=4 cell=open", .tolerance = 1e-18,
     .method = "direct", .fails = "1e-15"},
    {.system = "laplace n=300 seed=4 cell=open", .tolerance = 1e-12,
     .precision = FARSUM_F32, .method = "fmm", .fails = "f32 reaches"},
    {.system = "laplace n=30000 seed=4 cell=open", .tolerance = 1e-7,
     .precision = FARSUM_F32, .arrays = FARSUM_F64, .fails = "f32 reaches"},
    {.system = "r6 n=300 seed=4 cell=open", .tolerance = 1e-4,
     .method = "spectral", .fails = "not of kernel r6"},
    {.system = "laplace n=300 seed=4 cell=open", .tolerance = 1e-4,
     .method = "ewald", .fails = "three periodic"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-4, .method = "direct",
     .fails = "open boundaries"},
    {.system = "yukawa n=300 seed=4 kappa=1", .tolerance = 1e-4,
     .method = "fmm", .fails = "kernel yukawa"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-10,
     .mesh = 8, .cutoff = 1.5, .fails = "8 x 8 x 8"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-10,
     .method = "spectral", .support = 3, .fails = "support 3"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-4,
     .method = "spectral", .strict = 1, .fails = "not bounded"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-4, .limit = 1000,
     .fails = "limit is 1000"},
    {.system = "laplace n=300 seed=4", .tolerance = 1e-4,
     .mesh = 128, .limit = 1000000, .fails = "memory_limit"},
};

/* Follows the advice after the last "; "; 0: there is none. */
static int follow(const char *message, farsum_problem *p, farsum_options *o)
{
    static char word[64];
    int did = 0;
    const char *at = strrchr(message, ';');
    while (at && *at) {
        char name[32] = "";
        if (sscanf(at, "use precision %60[a-z0-9]", word) == 1)
            p->precision = strcmp(word, "f64") == 0 ? FARSUM_F64 : FARSUM_F32;
        else if (sscanf(at, "use arrays %60[a-z0-9]", word) == 1)
            p->arrays = FARSUM_F64;
        else if (sscanf(at, "use method %60[a-z]", word) == 1)
            o->method = word;
        else if (strncmp(at, "use device host", 15) == 0)
            o->device.name = NULL;
        else if (sscanf(at, "use tolerance %60[-e.0-9]", word) == 1)
            p->tolerance = strtod(word, NULL);
        else if (sscanf(at, "use memory_limit %60[0-9]", word) == 1)
            o->memory_limit = strtoull(word, NULL, 10);
        else if (sscanf(at, "leave out %30[a-z_0-9]", name) == 1) {
            if (strcmp(name, "mesh") == 0)
                memset(o->spectral.mesh, 0, sizeof o->spectral.mesh);
            else if (strcmp(name, "support") == 0)
                o->spectral.support = 0;
            else if (strcmp(name, "strict") == 0)
                o->strict = 0;
            else if (strcmp(name, "cutoff") == 0)
                o->cutoff = 0;
            else
                return 0;
        } else {
            at++;
            continue;
        }
        did = 1;
        at += 4;
    }
    return did;
}

static farsum_status sums(const farsum_problem *p, const farsum_options *o,
                          const struct system *s)
{
    double *out = check_memory(4 * (size_t)s->p.n, sizeof *out);
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    result.potential = out;
    result.field = out + s->p.n;
    farsum_status status = farsum_plan_create(p, o, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, s->p.n, s->p.x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, s->p.q, &result);
    farsum_plan_destroy(plan);
    free(out);
    return status;
}

/* Runs a case as requested, with f32 arrays if it has these. */
static void one(const struct refused *c)
{
    struct system s;
    farsum_options o = FARSUM_OPTIONS_INIT;
    char message[1024];
    system_load(&s, "refused", c->system);
    farsum_problem p = system_problem(&s);
    float *narrow = check_memory(4 * (size_t)s.p.n, sizeof *narrow);
    for (int64_t i = 0; i < 4 * s.p.n; i++)
        narrow[i] = (float)(i < 3 * s.p.n ? s.p.x[i] : s.p.q[i - 3 * s.p.n]);
    p.precision = c->precision;
    p.arrays = c->arrays;
    p.tolerance = c->tolerance;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    if (c->arrays == FARSUM_F32 || (!c->arrays && c->precision == FARSUM_F32)) {
        p.sample_x = narrow;
        p.sample_q = narrow + 3 * s.p.n;
    }
    o.method = c->method;
    o.cutoff = c->cutoff;
    o.spectral.mesh[0] = o.spectral.mesh[1] = o.spectral.mesh[2] = c->mesh;
    o.memory_limit = (uint64_t)c->limit;
    o.spectral.support = c->support;
    o.strict = c->strict;
    o.threads = 1;
    farsum_plan *plan = NULL;
    farsum_status status = farsum_plan_create(&p, &o, &plan);
    snprintf(message, sizeof message, "%s", farsum_message());
    printf("%s\n", message);
    if (!CHECK(status != FARSUM_OK, "%s, %s: not refused", c->system,
               c->fails))
        farsum_plan_destroy(plan);
    else if (CHECK(strstr(message, c->fails), "\"%s\" is not in \"%s\"",
                   c->fails, message)
             && CHECK(follow(message, &p, &o), "no advice: \"%s\"", message)) {
        p.sample_x = s.p.x; /* f64 arrays from here on */
        p.sample_q = s.p.q;
        p.arrays = FARSUM_F64;
        status = sums(&p, &o, &s);
        CHECK(status == FARSUM_OK, "\"%s\" was followed: \"%s\"", message,
              farsum_message());
    }
    free(narrow);
    system_free(&s);
}

static void advice_holds(void)
{
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        one(&cases[k]);
}

/* A pair much closer than the extent of open space: the rounding of positions
 * fails, not the order, and the advice sums it. */
static void near_pairs(void)
{
    struct system s;
    char message[1024];
    system_load(&s, "open", "laplace n=400 cell=open seed=3");
    farsum_problem p = system_problem(&s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    for (int64_t i = 0; i < 3 * s.p.n; i++)
        s.p.x[i] *= 1e6;
    for (int d = 0; d < 3; d++)
        s.p.x[3 + d] = s.p.x[d] + (d == 0 ? 1e-6 : 0);
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    p.tolerance = 1e-10;
    o.method = "fmm";
    CHECK_FAILS(sums(&p, &o, &s), FARSUM_ERR_TOLERANCE);
    snprintf(message, sizeof message, "%s", farsum_message());
    printf("%s\n", message);
    CHECK_SAYS("positions rounded to f64");
    CHECK(!strstr(message, "orders up to"), "\"%s\"", message);
    if (CHECK(follow(message, &p, &o), "no advice: \"%s\"", message))
        CHECK_OK(sums(&p, &o, &s));
    system_free(&s);
}

void api_advice(void)
{
    RUN(advice_holds);
    RUN(near_pairs);
}
