/* SPDX-License-Identifier: Apache-2.0 */
/* planes.c: halo planes against sums over all images, and add against fill. */
#include "ranks/planes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/cuts.h"

enum { PLANE = 37, MOST = 3 }; /* reals of a plane, channels */

struct setting {
    int size, kind, threads, channels;
    int64_t mesh0, halo, begin[CUTS_RANKS + 1];
    farsum_precision precision;
    double *found, *wanted; /* [channel][mesh0][PLANE] of planes_add */
    double products[2];     /* <add u, v> and <u, fill v>, by rank 0 */
    int64_t bad;            /* planes that fill left wrong, all ranks */
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails; 0: none */
};

static int64_t planes_of(const struct setting *s, int r)
{
    int64_t n = s->begin[r + 1] - s->begin[r];
    return n ? n + 2 * s->halo : 0;
}

/* The spread values of a rank, small integers: sums are exact. */
static double spread(int r, int c, int64_t p, int64_t i)
{
    return (double)((r * 7919 + c * 104729 + p * 1299709 + i * 31) % 201 - 100);
}

static double owned(int c, int64_t plane, int64_t i)
{
    return (double)((c * 523 + plane * 7927 + i * 17) % 199 - 99);
}

static void put(const struct setting *s, void *mesh, int64_t i, double v)
{
    if (s->precision == FARSUM_F32)
        ((float *)mesh)[i] = (float)v;
    else
        ((double *)mesh)[i] = v;
}

static double get(const struct setting *s, const void *mesh, int64_t i)
{
    return s->precision == FARSUM_F32 ? (double)((const float *)mesh)[i]
                                      : ((const double *)mesh)[i];
}

/* <add u, v> over own planes; keeps what was added. */
static double check_add(struct setting *s, int r, const void *mesh,
                        int64_t channel)
{
    double product = 0;
    int64_t own = s->begin[r + 1] - s->begin[r];
    for (int c = 0; c < s->channels; c++)
        for (int64_t p = 0; p < own; p++)
            for (int64_t i = 0; i < PLANE; i++) {
                int64_t plane = s->begin[r] + p;
                double v =
                    get(s, mesh, c * channel + (p + s->halo) * PLANE + i);
                s->found[(c * s->mesh0 + plane) * PLANE + i] = v;
                product += v * owned(c, plane, i);
            }
    return product;
}

/* <u, fill v> over the extended mesh; *bad: numbers that the owner lacks. */
static double check_fill(const struct setting *s, int r, const void *mesh,
                         int64_t channel, int64_t *bad)
{
    double product = 0;
    for (int c = 0; c < s->channels; c++)
        for (int64_t p = 0; p < planes_of(s, r); p++)
            for (int64_t i = 0; i < PLANE; i++) {
                int64_t plane = s->begin[r] - s->halo + p;
                plane = (plane % s->mesh0 + s->mesh0) % s->mesh0;
                double v = get(s, mesh, c * channel + p * PLANE + i);
                *bad += v != owned(c, plane, i);
                product += v * spread(r, c, p, i);
            }
    return product;
}

static farsum_status rank_runs(struct comm *comm, struct setting *s,
                               struct planes *planes)
{
    int r = comm->rank;
    int64_t n = planes_of(s, r), channel = n * PLANE + 5, bad = 0;
    void *mesh = check_memory((size_t)(s->channels * channel), 8);
    int64_t bytes = mem_bytes();
    for (int c = 0; c < s->channels; c++)
        for (int64_t i = 0; i < n * PLANE; i++)
            put(s, mesh, c * channel + i, spread(r, c, i / PLANE, i % PLANE));
    farsum_status status = planes_add(planes, mesh, channel, s->channels);
    double sums[2] = {check_add(s, r, mesh, channel), 0};
    for (int c = 0; c < s->channels; c++)
        for (int64_t p = 0; p < n; p++)
            for (int64_t i = 0; i < PLANE; i++)
                put(s, mesh, c * channel + p * PLANE + i,
                    p < s->halo || p >= n - s->halo
                        ? NAN
                        : owned(c, s->begin[r] - s->halo + p, i));
    farsum_status second = planes_fill(planes, mesh, channel, s->channels);
    sums[1] = check_fill(s, r, mesh, channel, &bad);
    bad += mem_bytes() != bytes;
    free(mesh);
    status = comm_agree(comm, status != FARSUM_OK ? status : second);
    if (status == FARSUM_OK)
        status = comm_sum(comm, sums, 2);
    if (status == FARSUM_OK)
        status = comm_sum_counts(comm, &bad, 1);
    if (status == FARSUM_OK && r == 0) {
        memcpy(s->products, sums, sizeof sums);
        s->bad = bad;
    }
    return status;
}

static farsum_status work(struct comm *comm, void *data)
{
    struct setting *s = data;
    struct planes_args args = {.comm = comm,
                               .begin = s->begin,
                               .halo = s->halo,
                               .plane = PLANE,
                               .channels = s->channels,
                               .threads = s->threads,
                               .precision = s->precision};
    struct planes *planes = NULL;
    int64_t bytes = mem_bytes();
    mem_fail_at(comm->rank == s->fail_rank ? s->fail_at : 0);
    farsum_status status = planes_create(&args, &planes);
    mem_fail_at(0);
    if (status == FARSUM_OK)
        status = comm_agree(comm, rank_runs(comm, s, planes));
    planes_destroy(planes);
    CHECK(mem_bytes() == bytes, "rank %d keeps %lld bytes", comm->rank,
          (long long)(mem_bytes() - bytes));
    return status;
}

/* Every rank's value for every image of a plane, one after another. */
static void brute(const struct setting *s)
{
    memset(s->wanted, 0, sizeof(double) * (size_t)(MOST * s->mesh0 * PLANE));
    for (int r = 0; r < s->size; r++)
        for (int c = 0; c < s->channels; c++)
            for (int64_t p = 0; p < planes_of(s, r); p++)
                for (int64_t i = 0; i < PLANE; i++) {
                    int64_t plane = s->begin[r] - s->halo + p + 64 * s->mesh0;
                    s->wanted[(c * s->mesh0 + plane % s->mesh0) * PLANE + i] +=
                        spread(r, c, p, i);
                }
}

static struct setting setting_of(int size, int64_t mesh0, int64_t halo,
                                 int kind)
{
    struct setting s = {.size = size,
                        .kind = kind,
                        .threads = 1 + kind % 2 * 2,
                        .channels = 1 + (int)(halo % MOST),
                        .mesh0 = mesh0,
                        .halo = halo,
                        .precision = kind / 2 ? FARSUM_F32 : FARSUM_F64};
    cut(s.begin, mesh0, size, kind);
    s.found = check_memory((size_t)(MOST * mesh0 * PLANE), sizeof(double));
    s.wanted = check_memory((size_t)(MOST * mesh0 * PLANE), sizeof(double));
    return s;
}

static void one(int size, int64_t mesh0, int64_t halo, int kind)
{
    struct setting s = setting_of(size, mesh0, halo, kind);
    struct ranks_play play = {.delay = 20, .seed = (uint64_t)(size + kind)};
    brute(&s);
    CHECK(ranks_run(size, &play, work, &s) == 0, "a rank failed");
    size_t bytes = sizeof(double) * (size_t)(s.channels * mesh0 * PLANE);
    CHECK(memcmp(s.found, s.wanted, bytes) == 0,
          "sums of %d ranks, %lld planes, halo %lld, cut %d", size,
          (long long)mesh0, (long long)halo, kind);
    CHECK(s.bad == 0,
          "%lld numbers of %d ranks, %lld planes, halo %lld, cut "
          "%d",
          (long long)s.bad, size, (long long)mesh0, (long long)halo, kind);
    CHECK(s.products[0] == s.products[1], "%.17g, %.17g", s.products[0],
          s.products[1]);
    free(s.found);
    free(s.wanted);
}

static void halos(void)
{
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    static const int64_t meshes[][2] = {{12, 2}, {12, 0}, {9, 5},  {5, 7},
                                        {1, 3},  {2, 9},  {16, 16}};
    for (int k = 0; k < 6; k++)
        for (int m = 0; m < 7; m++)
            for (int kind = 0; kind < CUTS; kind++)
                one(sizes[k], meshes[m][0], meshes[m][1], kind);
}

/* An allocation fails on one rank: all ranks report it. */
static void failures(void)
{
    for (int64_t at = 1, failed = 3; failed == 3; at++) {
        struct setting s = setting_of(3, 12, 3, 0);
        s.fail_rank = 1;
        s.fail_at = at;
        failed = ranks_run(3, NULL, work, &s);
        CHECK(failed == 3 || (failed == 0 && at > 8),
              "%lld ranks failed, "
              "allocation %lld",
              (long long)failed, (long long)at);
        free(s.found);
        free(s.wanted);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement: the
 * next one would tell it. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct setting s = setting_of(3, 12, 3, 0);
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        int failed = ranks_run(3, &play, work, &s);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 3 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
        free(s.found);
        free(s.wanted);
    }
    CHECK(most >= 4, "%lld calls", (long long)most);
}

int main(void)
{
    RUN(halos);
    RUN(failures);
    RUN(calls);
    return check_end();
}
