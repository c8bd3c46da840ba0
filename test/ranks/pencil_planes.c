/* SPDX-License-Identifier: Apache-2.0 */
/* pencil_planes.c: halos of pencils along two axes, corners too, against a sum
 * of all ranks' values at each mesh point. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/cuts.h"
#include "ranks/planes.h"

enum { LINE = 6, CHANNELS = 2 }; /* reals per row */

struct setting {
    int ranks[2], threads;
    int64_t mesh[2], halo[2], begin[2][CUTS_RANKS + 1];
    farsum_precision precision;
    double *wanted; /* [channel][mesh0][mesh1][LINE] */
    int fail_rank;
    int64_t fail_at;
};

static void put(const struct setting *t, void *data, int64_t i, double v)
{
    if (t->precision == FARSUM_F32)
        ((float *)data)[i] = (float)v;
    else
        ((double *)data)[i] = v;
}

static double get(const struct setting *t, const void *data, int64_t i)
{
    return t->precision == FARSUM_F32 ? (double)((const float *)data)[i]
                                      : ((const double *)data)[i];
}

/* A small whole number, so that sums are exact in any order. */
static double value(int rank, int64_t at)
{
    return floor(64 * cut_value(rank, at));
}

/* A rank's extended mesh. */
struct part {
    int r[2], empty;
    int64_t own[2], n[2], channel; /* planes and rows: own; with halos */
};

static struct part part_of(const struct setting *t, int rank)
{
    struct part p = {.r = {rank / t->ranks[1], rank % t->ranks[1]}};
    for (int d = 0; d < 2; d++) {
        p.own[d] = t->begin[d][p.r[d] + 1] - t->begin[d][p.r[d]];
        p.n[d] = p.own[d] + 2 * (t->ranks[d] > 1 || d == 0 ? t->halo[d] : 0);
        p.empty |= p.own[d] == 0;
    }
    p.channel = p.n[0] * p.n[1] * LINE + 3;
    return p;
}

/* The whole mesh's row at plane x and row y of a part. */
static int64_t row_of(const struct setting *t, const struct part *p, int64_t x,
                      int64_t y)
{
    int64_t at[2] = {x - (p->n[0] - p->own[0]) / 2,
                     y - (p->n[1] - p->own[1]) / 2};
    for (int d = 0; d < 2; d++) {
        at[d] = (at[d] + t->begin[d][p->r[d]]) % t->mesh[d];
        at[d] += at[d] < 0 ? t->mesh[d] : 0;
    }
    return at[0] * t->mesh[1] + at[1];
}

static int is_own(const struct part *p, int64_t x, int64_t y)
{
    int64_t h0 = (p->n[0] - p->own[0]) / 2, h1 = (p->n[1] - p->own[1]) / 2;
    return x >= h0 && x < h0 + p->own[0] && y >= h1 && y < h1 + p->own[1];
}

/* Every rank's value of every image. */
static void brute(const struct setting *t)
{
    int64_t all = t->mesh[0] * t->mesh[1] * LINE;
    for (int rank = 0; rank < t->ranks[0] * t->ranks[1]; rank++) {
        struct part p = part_of(t, rank);
        for (int64_t c = 0; !p.empty && c < CHANNELS; c++)
            for (int64_t i = 0; i < p.n[0] * p.n[1] * LINE; i++) {
                int64_t x = i / LINE / p.n[1], y = i / LINE % p.n[1];
                t->wanted[c * all + row_of(t, &p, x, y) * LINE + i % LINE] +=
                    value(rank, c * p.channel + i);
            }
    }
}

/* Compares the mesh with the sums: of own points only, or of all. */
static int64_t differs(const struct setting *t, const struct part *p,
                       const void *mesh, int all)
{
    int64_t bad = 0, whole = t->mesh[0] * t->mesh[1] * LINE;
    for (int64_t c = 0; !p->empty && c < CHANNELS; c++)
        for (int64_t i = 0; i < p->n[0] * p->n[1] * LINE; i++) {
            int64_t x = i / LINE / p->n[1], y = i / LINE % p->n[1];
            if (all || is_own(p, x, y))
                bad += get(t, mesh, c * p->channel + i)
                       != t->wanted[c * whole + row_of(t, p, x, y) * LINE
                                    + i % LINE];
        }
    return bad;
}

static farsum_status create(struct comm *comm, const struct setting *t,
                            const struct part *p, struct planes *planes[2])
{
    struct planes_args args = {.comm = comm,
                               .channels = CHANNELS,
                               .threads = t->threads,
                               .precision = t->precision};
    int64_t plane = p->n[1] * LINE;
    args.begin = t->begin[0];
    args.halo = t->halo[0];
    args.group = group_axis(comm->rank, t->ranks, 0);
    args.step = plane;
    args.plane = p->own[1] * LINE;
    args.first = (p->n[1] - p->own[1]) / 2 * LINE;
    args.blocks = 1;
    if (t->ranks[1] == 1) { /* a slab's */
        args.plane = plane;
        args.step = 0;
    }
    TRY(planes_create(&args, &planes[0]));
    if (t->ranks[1] == 1)
        return FARSUM_OK;
    args.begin = t->begin[1];
    args.halo = t->halo[1];
    args.group = group_axis(comm->rank, t->ranks, 1);
    args.step = args.plane = LINE;
    args.first = 0;
    args.blocks = p->own[0] > 0 ? p->n[0] : 0;
    args.block_step = plane;
    return planes_create(&args, &planes[1]);
}

static farsum_status runs(struct comm *comm, const struct setting *t,
                          const struct part *p, struct planes *planes[2])
{
    farsum_status status = FARSUM_OK;
    void *mesh = check_memory((size_t)(CHANNELS * p->channel), 8);
    int64_t bytes = mem_bytes();
    for (int64_t i = 0; i < CHANNELS * p->channel; i++)
        put(t, mesh, i, p->empty ? NAN : value(comm->rank, i));
    for (int d = 1; d >= 0; d--)
        if (planes[d])
            KEEP_ON(planes_add(planes[d], mesh, p->channel, CHANNELS));
    int64_t bad[2] = {differs(t, p, mesh, 0), 0};
    for (int64_t i = 0; !p->empty && i < CHANNELS * p->channel; i++)
        if (!is_own(p, i % p->channel / LINE / p->n[1],
                    i % p->channel / LINE % p->n[1]))
            put(t, mesh, i, NAN);
    for (int d = 0; d < 2; d++)
        if (planes[d])
            KEEP_ON(planes_fill(planes[d], mesh, p->channel, CHANNELS));
    bad[1] = differs(t, p, mesh, 1);
    CHECK(mem_bytes() == bytes, "a run allocates");
    free(mesh);
    TRY(comm_agree(comm, status));
    CHECK(bad[0] == 0 && bad[1] == 0,
          "%lld sums and %lld halo values of rank %d of %d x %d",
          (long long)bad[0], (long long)bad[1], comm->rank, t->ranks[0],
          t->ranks[1]);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    const struct setting *t = data;
    struct part p = part_of(t, comm->rank);
    struct planes *planes[2] = {NULL, NULL};
    int64_t bytes = mem_bytes();
    mem_fail_at(comm->rank == t->fail_rank ? t->fail_at : 0);
    farsum_status status = create(comm, t, &p, planes);
    mem_fail_at(0);
    if (status == FARSUM_OK)
        status = runs(comm, t, &p, planes);
    planes_destroy(planes[0]);
    planes_destroy(planes[1]);
    CHECK(mem_bytes() == bytes, "rank %d keeps %lld bytes", comm->rank,
          (long long)(mem_bytes() - bytes));
    return status;
}

static struct setting setting_of(int p1, int p2, const int64_t mesh[2],
                                 const int64_t halo[2], int kind)
{
    struct setting t = {.ranks = {p1, p2},
                        .threads = 1 + kind % 2,
                        .precision = kind / 2 ? FARSUM_F32 : FARSUM_F64};
    for (int d = 0; d < 2; d++) {
        t.mesh[d] = mesh[d];
        t.halo[d] = halo[d];
        cut(t.begin[d], mesh[d], t.ranks[d], (kind + d) % CUTS);
    }
    t.wanted = check_memory((size_t)(CHANNELS * mesh[0] * mesh[1] * LINE),
                            sizeof(double));
    memset(t.wanted, 0,
           (size_t)(CHANNELS * mesh[0] * mesh[1] * LINE) * sizeof(double));
    brute(&t);
    return t;
}

static void halos(void)
{
    static const int shapes[][2] = {{1, 1}, {1, 2}, {2, 2}, {3, 1}, {3, 2},
                                    {2, 3}, {1, 7}, {3, 3}, {3, 4}, {1, 13}};
    static const int64_t meshes[][2] = {{12, 10}, {5, 9}, {1, 2}};
    static const int64_t widths[][2] = {{0, 0}, {2, 1}, {0, 3}, {7, 11}};
    struct ranks_play play = {.delay = 20, .seed = 5};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (int m = 0; m < 3; m++)
            for (int h = 0; h < 4; h++)
                for (int kind = 0; kind < CUTS; kind++) {
                    int p1 = shapes[k][0], p2 = shapes[k][1];
                    struct setting t =
                        setting_of(p1, p2, meshes[m], widths[h], kind);
                    CHECK(ranks_run(p1 * p2, h == 1 ? &play : NULL, work, &t)
                              == 0,
                          "a rank of %d x %d failed", p1, p2);
                    free(t.wanted);
                }
}

static const int64_t mesh_small[2] = {6, 5}, halo_small[2] = {2, 1};

/* An allocation fails on one rank: all ranks report it. */
static void failures(void)
{
    for (int64_t at = 1, failed = 4; failed == 4; at++) {
        struct setting t = setting_of(2, 2, mesh_small, halo_small, 0);
        t.fail_rank = 1;
        t.fail_at = at;
        failed = ranks_run(4, NULL, work, &t);
        CHECK(failed == 4 || (failed == 0 && at > 18),
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)at);
        free(t.wanted);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct setting t = setting_of(2, 2, mesh_small, halo_small, 0);
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = ranks_run(4, &play, work, &t);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 4 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
        free(t.wanted);
    }
    CHECK(most == 7, "%lld calls", (long long)most);
}

int main(void)
{
    RUN(halos);
    RUN(failures);
    RUN(calls);
    return check_end();
}
