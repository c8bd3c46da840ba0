/* SPDX-License-Identifier: Apache-2.0 */
/* planes.c: halo planes on devices against ranks/planes.c, bit for bit.  The
 * numbers are random, so sums in another order have other bits. */
#include "ranks/device/planes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/cuts.h"
#include "ranks_device/rank_device.h"

struct setting {
    int size, channels;
    int64_t plane, gap; /* reals: of a plane, between channels */
    int64_t mesh0, halo, begin[CUTS_RANKS + 1];
    farsum_precision precision;
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails; 0: none */
    int disturbed;   /* 1: a call of comm fails, so results may differ */
};

struct work {
    const struct setting *s;
    struct comm *comm;
    struct rank_device of;
    struct planes *host;
    struct gpu_planes *gpu;
    int64_t channel, bytes; /* reals of a channel; bytes of the mesh */
    void *right, *found;    /* mesh of the host, copy of the device's */
    struct buf mesh;
};

static void fill(const struct work *x, uint64_t turn)
{
    int64_t reals = x->bytes / (x->s->precision == FARSUM_F32 ? 4 : 8);
    int64_t seed = 10 * x->comm->rank + (int64_t)turn;
    for (int64_t i = 0; i < reals; i++) {
        double v = cut_value(seed, i);
        if (x->s->precision == FARSUM_F32)
            ((float *)x->right)[i] = (float)v;
        else
            ((double *)x->right)[i] = v;
    }
}

typedef farsum_status host_run(struct planes *, void *, int64_t, int);
typedef farsum_status gpu_run(struct gpu_planes *, struct buf *, int64_t, int);

/* Both change one mesh.  channels: at most the plan's. */
static farsum_status both(struct work *x, host_run *host, gpu_run *gpu,
                          int channels, const char *what)
{
    const struct setting *s = x->s;
    farsum_status status = FARSUM_OK;
    fill(x, (uint64_t)channels);
    KEEP_ON(rank_device_put(&x->of, &x->mesh, x->right, x->bytes));
    int64_t held = x->of.device->bytes;
    KEEP_ON(gpu(x->gpu, &x->mesh, x->channel, channels));
    CHECK(x->of.device->bytes == held, "a run allocates");
    KEEP_ON(host(x->host, x->right, x->channel, channels));
    KEEP_ON(buf_download(&x->mesh, 0, x->found, x->bytes));
    CHECK(s->disturbed || memcmp(x->found, x->right, (size_t)x->bytes) == 0,
          "%s, rank %d of %d: %lld planes, halo %lld, %d channels of %lld "
          "reals",
          what, x->comm->rank, x->comm->size, (long long)s->mesh0,
          (long long)s->halo, channels, (long long)x->channel);
    return status;
}

static farsum_status runs(struct work *x)
{
    const struct setting *s = x->s;
    farsum_status status = FARSUM_OK;
    int64_t own = s->begin[x->comm->rank + 1] - s->begin[x->comm->rank];
    int64_t planes = own > 0 ? own + 2 * s->halo : 0;
    x->channel = planes * s->plane + s->gap;
    x->bytes = s->channels * x->channel * (s->precision == FARSUM_F32 ? 4 : 8);
    x->right = check_memory((size_t)x->bytes + 1, 1);
    x->found = check_memory((size_t)x->bytes + 1, 1);
    for (int channels = s->channels; channels > 0; channels -= 2) {
        KEEP_ON(both(x, planes_add, gpu_planes_add, channels, "add"));
        KEEP_ON(both(x, planes_fill, gpu_planes_fill, channels, "fill"));
    }
    return status;
}

static farsum_status work(struct comm *comm, void *data)
{
    const struct setting *s = data;
    farsum_status status = FARSUM_OK;
    struct work x = {.s = s, .comm = comm};
    struct planes_args args = {.comm = comm,
                               .begin = s->begin,
                               .halo = s->halo,
                               .plane = s->plane,
                               .channels = s->channels,
                               .threads = 1,
                               .precision = s->precision};
    GO(rank_device_open(&x.of, comm));
    GO(planes_create(&args, &x.host));
    mem_fail_at(comm->rank == s->fail_rank ? s->fail_at : 0);
    status = gpu_planes_create(&args, x.of.device, x.of.transport, &x.gpu);
    mem_fail_at(0);
    GO(status);
    GO(comm_agree(comm, runs(&x)));
done:
    free(x.right);
    free(x.found);
    buf_clear(&x.mesh);
    gpu_planes_destroy(x.gpu);
    planes_destroy(x.host);
    rank_device_close(&x.of);
    return status;
}

static struct setting setting_of(int size, int64_t mesh0, int64_t halo,
                                 int kind)
{
    static const int64_t planes[] = {37, 40, 40, 2053, 6144};
    static const int64_t gaps[] = {5, 3, 8, 0, 4};
    int k = (int)((size + mesh0 + halo + kind) % 5);
    struct setting s = {.size = size,
                        .channels = 1 + (int)((halo + kind) % 3),
                        .plane = planes[k],
                        .gap = gaps[k],
                        .mesh0 = mesh0,
                        .halo = halo,
                        .precision = kind / 2 ? FARSUM_F32 : FARSUM_F64};
    cut(s.begin, mesh0, size, kind);
    return s;
}

static void halos(void)
{
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    static const int64_t meshes[][2] = {{12, 2}, {12, 0}, {9, 5},  {5, 7},
                                        {1, 3},  {2, 9},  {16, 16}};
    for (int k = 0; k < 6; k++)
        for (int m = 0; m < 7; m++)
            for (int kind = 0; kind < CUTS; kind++) {
                struct setting s =
                    setting_of(sizes[k], meshes[m][0], meshes[m][1], kind);
                CHECK(ranks_run(sizes[k], NULL, work, &s) == 0,
                      "a rank failed");
            }
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
              "%lld ranks failed, allocation %lld", (long long)failed,
              (long long)at);
    }
}

/* A failed call of comm fails on all ranks, except in the last agreement. */
static void calls(void)
{
    int64_t most = 0;
    for (int64_t call = 0; call <= most; call++) {
        struct setting s = setting_of(3, 12, 3, 0);
        struct ranks_play play = {.fail_rank = 1, .fail_call = call};
        s.disturbed = call > 0;
        int failed = ranks_run(3, &play, work, &s);
        most = call == 0 ? ranks_calls() : most;
        CHECK(failed == (call > 0 && call < most ? 3 : 0),
              "call %lld of %lld: %d ranks failed", (long long)call,
              (long long)most, failed);
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
