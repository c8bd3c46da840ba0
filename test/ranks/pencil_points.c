/* SPDX-License-Identifier: Apache-2.0 */
/* pencil_points.c: route and ghosts of pencils against a search of all points
 * and images along both axes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/cuts.h"
#include "ranks/ghosts.h"
#include "ranks/route.h"

enum { POINTS = 50, BYTES = 24 };

struct setting {
    int ranks[2], threads;
    int64_t mesh[2], halo[2], n;
    int64_t begin[2][CUTS_RANKS + 1];
    int64_t first[CUTS_RANKS + 1]; /* points that each rank gives */
    double *s[3];
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails; 0: none */
};

static int64_t plane_of(const struct setting *t, int d, int64_t i)
{
    return (int64_t)floor(t->s[d][i] * (double)t->mesh[d]);
}

/* The part that has a plane: the only one that is not empty there. */
static int part_of(const struct setting *t, int d, int64_t plane)
{
    for (int r = 0; r < t->ranks[d]; r++)
        if (t->begin[d][r] <= plane && plane < t->begin[d][r + 1])
            return r;
    check_stop("plane %lld has no owner", (long long)plane);
}

static int owner_of(const struct setting *t, int64_t i)
{
    return part_of(t, 0, plane_of(t, 0, i)) * t->ranks[1]
           + part_of(t, 1, plane_of(t, 1, i));
}

/* 1: part r needs a plane along axis d, moved by whole periods. */
static int near_part(const struct setting *t, int d, int r, int64_t plane)
{
    const int64_t *begin = t->begin[d];
    return begin[r] < begin[r + 1] && plane >= begin[r] - t->halo[d]
           && plane < begin[r + 1] + t->halo[d];
}

struct image {
    int64_t i, k[2];
};

/* Lists the images of point i that a rank needs; list NULL: counts.  Axis 1 of
 * slabs is periodic in the own cell. */
static int64_t images_of(const struct setting *t, int rank, int64_t i,
                         struct image *list)
{
    int64_t n = 0, reach[2];
    int own = owner_of(t, i) == rank;
    for (int d = 0; d < 2; d++)
        reach[d] = t->ranks[1] > 1 || d == 0 ? t->halo[d] / t->mesh[d] + 2 : 0;
    for (int64_t a = -reach[0]; a <= reach[0]; a++)
        for (int64_t b = -reach[1]; b <= reach[1]; b++) {
            int64_t x = plane_of(t, 0, i) + a * t->mesh[0];
            int64_t y = plane_of(t, 1, i) + b * t->mesh[1];
            if (!near_part(t, 0, rank / t->ranks[1], x)
                || (t->ranks[1] > 1 && !near_part(t, 1, rank % t->ranks[1], y))
                || (own && a == 0 && b == 0))
                continue;
            if (list)
                list[n] = (struct image){i, {a, b}};
            n++;
        }
    return n;
}

/* The fraction in the own cell must be right to 1e-15 of the longer cell. */
static int is_off(const struct setting *t, int d, int r, double found, double s,
                  int64_t image)
{
    int64_t low = t->begin[d][r] - t->halo[d];
    double planes = (double)(t->begin[d][r + 1] - low + t->halo[d]);
    double mesh = (double)t->mesh[d];
    long double right = ((long double)s * (long double)mesh
                         + (long double)(image * t->mesh[d] - low))
                        / (long double)planes;
    return !(fabs((double)(found - right)) <= 1e-15 * fmax(1, mesh / planes))
           || !(found >= 0 && found < 1);
}

static void check_ghosts(const struct setting *t, int rank,
                         const struct ghosts *ghosts, const int64_t *numbers)
{
    int64_t n = 0, bad = 0;
    struct image *list = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass)
            list = check_memory((size_t)n + 1, sizeof *list);
        n = 0;
        for (int owner = 0; owner < t->ranks[0] * t->ranks[1]; owner++)
            for (int64_t i = 0; i < t->n; i++)
                if (owner_of(t, i) == owner)
                    n += images_of(t, rank, i, list ? list + n : NULL);
    }
    if (CHECK(ghosts->n == n, "%lld ghosts, not %lld", (long long)ghosts->n,
              (long long)n))
        for (int64_t g = 0; g < n; g++) {
            const struct image *at = &list[g];
            bad += numbers[g] != at->i || ghosts->s[2][g] != t->s[2][at->i];
            bad += is_off(t, 0, rank / t->ranks[1], ghosts->s[0][g],
                          t->s[0][at->i], at->k[0]);
            bad += t->ranks[1] > 1
                       ? is_off(t, 1, rank % t->ranks[1], ghosts->s[1][g],
                                t->s[1][at->i], at->k[1])
                       : ghosts->s[1][g] != t->s[1][at->i];
        }
    CHECK(bad == 0, "%lld of %lld ghosts are wrong", (long long)bad,
          (long long)n);
    free(list);
}

/* What a rank makes. */
struct made {
    struct domain domain;
    struct route route;
    struct ghosts ghosts;
    double *s[3];
    int64_t *own, *numbers;
};

static farsum_status makes(struct comm *comm, const struct setting *t,
                           struct made *m)
{
    farsum_status status = FARSUM_OK;
    const int64_t *const begin[2] = {t->begin[0], t->begin[1]};
    int64_t first = t->first[comm->rank];
    int64_t n = t->first[comm->rank + 1] - first;
    double *const given[3] = {t->s[0] + first, t->s[1] + first,
                              t->s[2] + first};
    double *back = NULL;
    KEEP_ON(domain_create_pencils(&m->domain, comm->rank, t->ranks, t->mesh,
                                  t->halo, begin));
    KEEP_ON(route_create(&m->route, comm, BYTES, t->threads));
    KEEP_ON(ghosts_create(&m->ghosts, comm, BYTES, t->threads));
    TRY(comm_agree(comm, status));
    TRY(route_set(&m->route, comm, &m->domain, n, given));
    int64_t own = m->route.n_own;
    KEEP_ON(MEM_RAW(m->own, own + 1));
    KEEP_ON(MEM_RAW(back, n + 1));
    for (int d = 0; d < 3; d++)
        KEEP_ON(MEM_RAW(m->s[d], own + 1));
    GO(comm_agree(comm, status));
    for (int d = 0; d < 3; d++)
        KEEP_ON(route_there(&m->route, comm, given[d], 8, m->s[d]));
    KEEP_ON(route_numbers(&m->route, comm, m->own));
    KEEP_ON(route_back(&m->route, comm, m->s[2], 8, back));
    GO(comm_agree(comm, status));
    CHECK(memcmp(back, given[2], (size_t)n * 8) == 0, "there and back differ");
    GO(ghosts_set(&m->ghosts, comm, &m->domain, own, m->s));
    GO(comm_agree(comm, MEM_RAW(m->numbers, m->ghosts.n + 1)));
    GO(comm_agree(comm, ghosts_send(&m->ghosts, comm, m->own, 8, m->numbers)));
done:
    mem_free(back);
    return status;
}

static void made_clear(struct made *m)
{
    ghosts_destroy(&m->ghosts);
    route_destroy(&m->route);
    domain_destroy(&m->domain);
    for (int d = 0; d < 3; d++)
        mem_free(m->s[d]);
    mem_free(m->own);
    mem_free(m->numbers);
}

static farsum_status work(struct comm *comm, void *data)
{
    const struct setting *t = data;
    struct made m = {.own = NULL};
    int64_t before = mem_bytes(), n = 0;
    mem_fail_at(comm->rank == t->fail_rank ? t->fail_at : 0);
    farsum_status status = makes(comm, t, &m);
    mem_fail_at(0);
    for (int64_t i = 0; status == FARSUM_OK && i < t->n; i++)
        if (owner_of(t, i) == comm->rank) {
            CHECK(n < m.route.n_own && m.own[n] == i, "own point %lld",
                  (long long)n);
            n++;
        }
    if (status == FARSUM_OK) {
        CHECK(n == m.route.n_own, "%lld own points, not %lld",
              (long long)m.route.n_own, (long long)n);
        check_ghosts(t, comm->rank, &m.ghosts, m.numbers);
    }
    made_clear(&m);
    CHECK(mem_bytes() == before, "%lld bytes are kept",
          (long long)(mem_bytes() - before));
    return status;
}

/* A fraction; every second one on a plane, or next to one. */
static double place(uint64_t *random, int64_t mesh)
{
    double s = (double)(random_next(random) >> 11) * 0x1p-53;
    uint64_t side = random_next(random) % 6;
    if (side < 3)
        s = floor(s * (double)mesh) / (double)mesh;
    if (side == 1)
        s = nextafter(s, -1);
    if (side == 2)
        s = nextafter(s, 2);
    return s >= 0 && s < 1 ? s : 0;
}

static struct setting setting_of(int p1, int p2, const int64_t mesh[2],
                                 const int64_t halo[2], int kind, int64_t n)
{
    struct setting t = {.ranks = {p1, p2}, .threads = 1, .n = n};
    uint64_t random = (uint64_t)(n + kind);
    for (int d = 0; d < 2; d++) {
        t.mesh[d] = mesh[d];
        t.halo[d] = halo[d];
        cut(t.begin[d], mesh[d], t.ranks[d], (kind + d) % CUTS);
    }
    for (int d = 0; d < 3; d++) {
        t.s[d] = check_memory((size_t)n + 1, sizeof(double));
        for (int64_t i = 0; i < n; i++)
            t.s[d][i] = place(&random, d < 2 ? mesh[d] : 8);
    }
    for (int r = 0; r <= p1 * p2; r++) /* the last two ranks give none */
        t.first[r] = p1 * p2 < 4 ? n * r / (p1 * p2)
                                 : n * (r < p1 * p2 - 2 ? r : p1 * p2 - 2)
                                       / (p1 * p2 - 2);
    return t;
}

static void setting_free(const struct setting *t)
{
    for (int d = 0; d < 3; d++)
        free(t->s[d]);
}

static const int shapes[][2] = {{1, 1}, {1, 2}, {2, 2}, {3, 1},
                                {3, 2}, {2, 3}, {1, 7}, {7, 1},
                                {3, 3}, {3, 4}, {4, 3}, {1, 13}};

static void all_shapes(void)
{
    static const int64_t meshes[][2] = {{16, 12}, {5, 9}, {1, 3}};
    static const int64_t halos[][2] = {{0, 0}, {1, 2}, {4, 3}, {13, 20}};
    struct ranks_play play = {.delay = 30, .seed = 3};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int m = 0; m < 3; m++)
            for (int h = 0; h < 4; h++)
                for (int kind = 0; kind < CUTS; kind++) {
                    int p1 = shapes[k][0], p2 = shapes[k][1];
                    struct setting t =
                        setting_of(p1, p2, meshes[m], halos[h], kind, POINTS);
                    CHECK(ranks_run(p1 * p2, h == 1 ? &play : NULL, work, &t)
                              == 0,
                          "a rank of %d x %d failed", p1, p2);
                    setting_free(&t);
                }
}

static void threads_and_few(void)
{
    static const int64_t mesh[2] = {16, 12}, halo[2] = {4, 3};
    for (int64_t n = 0; n < 3; n++) {
        struct setting t = setting_of(2, 3, mesh, halo, 0, n);
        CHECK(ranks_run(6, NULL, work, &t) == 0, "%lld points", (long long)n);
        setting_free(&t);
    }
    struct setting t = setting_of(2, 2, mesh, halo, 1, 60000);
    t.threads = 4;
    CHECK(ranks_run(4, NULL, work, &t) == 0, "many points");
    setting_free(&t);
}

/* Each allocation of a rank fails: all ranks report it. */
static void failures(void)
{
    static const int64_t mesh[2] = {16, 12}, halo[2] = {4, 3};
    for (int64_t at = 1, failed = 4; failed == 4; at++) {
        struct setting t = setting_of(2, 2, mesh, halo, 0, POINTS);
        t.fail_rank = 2;
        t.fail_at = at;
        failed = ranks_run(4, NULL, work, &t);
        CHECK(failed == 4 || (failed == 0 && at > 30),
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)at);
        setting_free(&t);
    }
}

/* Each call of a rank fails.  The last agreement's failure is told by the next
 * one. */
static void calls(void)
{
    static const int64_t mesh[2] = {16, 12}, halo[2] = {4, 3};
    struct setting t = setting_of(2, 2, mesh, halo, 0, POINTS);
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = ranks_run(4, &play, work, &t);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 4 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
    }
    CHECK(most > 15, "%lld calls", (long long)most);
    setting_free(&t);
}

/* A point in no plane along axis 1 is named. */
static farsum_status work_bad(struct comm *comm, void *data)
{
    struct setting t = *(struct setting *)data;
    double s1[POINTS] = {0.25, 0.5};
    struct made m = {.own = NULL};
    t.s[1] = s1 - t.first[comm->rank];
    if (comm->rank == 1)
        s1[2] = 1;
    CHECK_FAILS(makes(comm, &t, &m), FARSUM_ERR_POSITION);
    CHECK_SAYS("rank 1: point 2: its fraction 1 of the cell is not in planes "
               "0 .. 11 of 12 along axis 1");
    made_clear(&m);
    return FARSUM_OK;
}

static void bad_points(void)
{
    static const int64_t mesh[2] = {16, 12}, halo[2] = {4, 3};
    struct setting t = setting_of(2, 2, mesh, halo, 0, POINTS);
    CHECK(ranks_run(4, NULL, work_bad, &t) == 0, "a rank failed");
    setting_free(&t);
}

/* The own cell of a pencil, and its creation's failures. */
static void domains(void)
{
    static const double rows[9] = {1, 0.1, 0.3, 0.2, 1.1, -0.2, 0.1, -0.3, 0.9};
    static const int64_t mesh[2] = {16, 12}, halo[2] = {4, 3};
    static const int ranks[2] = {2, 3}, none[2] = {2, 0};
    const int64_t *const begin[2] = {NULL, NULL};
    struct cell whole, own;
    struct domain d;
    CHECK_OK(cell_set(&whole, rows, 1));
    CHECK_OK(domain_create_pencils(&d, 5, ranks, mesh, halo, begin));
    CHECK(d.rank == 1 && d.size == 2 && d.across->rank == 2
              && d.across->size == 3 && domain_rank(&d, 1, 2) == 5,
          "parts of rank 5");
    domain_cell(&d, &whole, &own);
    for (int j = 0; j < 3; j++) {
        CHECK_NEAR(own.a[j], whole.a[j], 1e-15); /* 8 + 8 of 16 planes */
        CHECK_NEAR(own.a[3 + j], whole.a[3 + j] * 10 / 12, 1e-15);
        CHECK_NEAR(own.a[6 + j], whole.a[6 + j], 1e-15);
        CHECK_NEAR(own.inv[3 * j + 1], whole.inv[3 * j + 1] * 1.2, 1e-14);
    }
    CHECK_NEAR(own.height[1], whole.height[1] * 10 / 12, 1e-15);
    CHECK_NEAR(own.volume, whole.volume * 10 / 12, 1e-15);
    domain_destroy(&d);
    CHECK_FAILS(domain_create_pencils(&d, 6, ranks, mesh, halo, begin),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("pencils of ranks: rank 6 of 2 x 3");
    CHECK_FAILS(domain_create_pencils(&d, 0, none, mesh, halo, begin),
                FARSUM_ERR_ARGUMENT);
    for (int at = 1; at < 4; at++) {
        int64_t before = mem_bytes();
        mem_fail_at(at);
        CHECK_FAILS(domain_create_pencils(&d, 0, ranks, mesh, halo, begin),
                    FARSUM_ERR_MEMORY);
        mem_fail_at(0);
        CHECK(mem_bytes() == before && !d.across, "allocation %d", at);
    }
}

int main(void)
{
    RUN(domains);
    RUN(all_shapes);
    RUN(threads_and_few);
    RUN(failures);
    RUN(calls);
    RUN(bad_points);
    return check_end();
}
