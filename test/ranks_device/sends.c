/* SPDX-License-Identifier: Apache-2.0 */
/* sends.c: exchanges of points' numbers between devices against ranks/sends.c,
 * bit for bit. */
#include "ranks/device/sends.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "ranks/comm_threads.h"
#include "ranks/wanted.h"
#include "ranks_device/rank_device.h"

enum { MOST = 7, FIRST = 5 }; /* numbers of a point; offset of values */

struct trial {
    const struct given *given;
    int ghosts; /* 1: sends of ghosts, 0: of a route */
    farsum_precision precision;
};

/* What one rank compares. */
struct work {
    struct comm *comm;
    struct rank_device of;
    struct gpu_sends gpu;
    struct sends *host;
    int64_t n, bytes; /* points of `values`; bytes of a real */
    struct buf values, own, more, got;
};

static int64_t at_of(const struct gpu_values *v, int64_t i, int w)
{
    return v->first + i * v->point + w * v->number;
}

static void put(void *to, int64_t bytes, int64_t i, double v)
{
    if (bytes == 4)
        ((float *)to)[i] = (float)v;
    else
        ((double *)to)[i] = v;
}

/* a = b + c, rounded as `real`. */
static void add(void *a, const void *b, const void *c, int64_t bytes, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (bytes == 4)
            ((float *)a)[i] = ((const float *)b)[i] + ((const float *)c)[i];
        else
            ((double *)a)[i] = ((const double *)b)[i] + ((const double *)c)[i];
    }
}

/* Numbers by point, [n][width], for the host. */
static char *numbers(const struct work *x, int64_t n, int width, int64_t kind)
{
    uint64_t state = (uint64_t)(kind * 100 + x->comm->rank);
    char *made = check_memory((size_t)(n * width + 1), (size_t)x->bytes);
    for (int64_t i = 0; i < n * width; i++)
        put(made, x->bytes, i, (double)(int64_t)random_next(&state) * 0x1p-63);
    return made;
}

/* Uploads them in the layout v, among NANs. */
static farsum_status upload(struct work *x, struct buf *buf,
                            struct gpu_values *v, const char *from, int64_t n,
                            int width, int by_point)
{
    int64_t all = FIRST + (n + 3) * (width + 1);
    char *laid = check_memory((size_t)all, (size_t)x->bytes);
    *v = by_point ? (struct gpu_values){buf, FIRST, width + 1, 1}
                  : (struct gpu_values){buf, FIRST, 1, n + 3};
    memset(laid, 0xff, (size_t)(all * x->bytes));
    for (int64_t i = 0; i < n; i++)
        for (int w = 0; w < width; w++)
            memcpy(laid + at_of(v, i, w) * x->bytes,
                   from + (i * width + w) * x->bytes, (size_t)x->bytes);
    farsum_status status = rank_device_put(&x->of, buf, laid, all * x->bytes);
    free(laid);
    return status;
}

static void compare(const struct work *x, const char *found,
                    const struct gpu_values *v, const char *wanted, int64_t n,
                    int width, const char *what)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < n; i++)
        for (int w = 0; w < width; w++)
            wrong +=
                memcmp(found + at_of(v, i, w) * x->bytes,
                       wanted + (i * width + w) * x->bytes, (size_t)x->bytes)
                != 0;
    CHECK(wrong == 0, "%s, rank %d of %d, width %d: %lld of %lld numbers", what,
          x->comm->rank, x->comm->size, width, (long long)wrong,
          (long long)(n * width));
}

static farsum_status there(struct work *x, int width, int by_point)
{
    farsum_status status = FARSUM_OK;
    int64_t n_got = x->gpu.n_got, first = by_point ? 0 : 11;
    struct gpu_values v, arrived = {&x->got, first, width, 1};
    char *in = numbers(x, x->n, width, 1);
    char *right = check_memory((size_t)(n_got * width + 1), (size_t)x->bytes);
    int64_t bytes = (first + n_got * width) * x->bytes;
    char *found = check_memory((size_t)bytes + 1, 1);
    KEEP_ON(upload(x, &x->values, &v, in, x->n, width, by_point));
    KEEP_ON(buf_reserve(&x->got, x->of.device, bytes));
    int64_t held = x->of.device->bytes;
    KEEP_ON(gpu_sends_there(&x->gpu, width, &v, &x->got, first));
    CHECK(x->of.device->bytes == held, "the exchange allocates");
    KEEP_ON(sends_there(x->host, x->comm, in, width * x->bytes, right));
    KEEP_ON(buf_download(&x->got, 0, found, bytes));
    compare(x, found, &arrived, right, n_got, width, "there");
    free(in);
    free(right);
    free(found);
    return status;
}

static farsum_status back(struct work *x, int width, int by_point, int adds)
{
    farsum_status status = FARSUM_OK;
    int64_t n_got = x->gpu.n_got, all = FIRST + (x->n + 3) * (width + 1);
    struct gpu_values v, own_at, more_at;
    char *values = numbers(x, x->n, width, 1);
    char *own = numbers(x, n_got, width, 2),
         *more = numbers(x, n_got, width, 3);
    char *found = check_memory((size_t)all, (size_t)x->bytes);
    KEEP_ON(upload(x, &x->values, &v, values, x->n, width, by_point));
    KEEP_ON(upload(x, &x->own, &own_at, own, n_got, width, !by_point));
    KEEP_ON(upload(x, &x->more, &more_at, more, n_got, width, by_point));
    KEEP_ON(
        gpu_sends_back(&x->gpu, width, &own_at, adds ? &more_at : NULL, &v));
    if (adds)
        add(own, own, more, x->bytes, n_got * width);
    KEEP_ON(sends_back(x->host, x->comm, own, width * x->bytes, values));
    KEEP_ON(buf_download(&x->values, 0, found, all * x->bytes));
    compare(x, found, &v, values, x->n, width, "back");
    free(values);
    free(own);
    free(more);
    free(found);
    return status;
}

/* Gives the device the points that the host's sends have. */
static farsum_status copy_sends(struct work *x)
{
    struct gpu_sends *gpu = &x->gpu;
    farsum_status status = FARSUM_OK;
    int64_t n = x->host->n_sent;
    uint32_t *index = check_memory((size_t)n + 1, sizeof *index);
    for (int64_t k = 0; k < n; k++)
        index[k] = (uint32_t)x->host->index[k];
    memcpy(gpu->to, x->host->to, (size_t)gpu->size * sizeof *gpu->to);
    gpu->n_sent = n;
    KEEP_ON(gpu_sends_count(gpu, x->comm));
    KEEP_ON(gpu_sends_reserve(gpu, 1));
    if (status == FARSUM_OK)
        status = buf_upload(&gpu->index, 0, index, n * 4);
    CHECK(gpu->n_got == x->host->n_got, "%lld points arrive, not %lld",
          (long long)gpu->n_got, (long long)x->host->n_got);
    free(index);
    return status;
}

static farsum_status exchanges(struct work *x, int ghosts)
{
    farsum_status status = FARSUM_OK;
    for (int by_point = 0; by_point < 2; by_point++)
        for (int width = 1; width <= MOST; width += 2 - by_point) {
            KEEP_ON(there(x, width, by_point));
            for (int adds = 0; !ghosts && adds < 2; adds++)
                KEEP_ON(back(x, width, by_point, adds));
        }
    return comm_agree(x->comm, status);
}

static void clear(struct work *x)
{
    buf_clear(&x->values);
    buf_clear(&x->own);
    buf_clear(&x->more);
    buf_clear(&x->got);
    gpu_sends_clear(&x->gpu);
    rank_device_close(&x->of);
}

static farsum_status work(struct comm *comm, void *data)
{
    const struct trial *trial = data;
    const struct given *g = trial->given;
    farsum_status status = FARSUM_OK;
    struct wanted w = wanted_of(g, comm->rank);
    struct domain domain = {.rank = 0};
    struct route route = {.n = 0};
    struct ghosts ghosts = {.n = 0};
    struct work x = {.comm = comm,
                     .host = trial->ghosts ? &ghosts.sends : &route.sends,
                     .n = trial->ghosts ? w.n_own : w.n,
                     .bytes = trial->precision == FARSUM_F32 ? 4 : 8};
    GO(domain_create(&domain, comm->rank, comm->size, g->mesh0, g->halo,
                     g->begin));
    GO(route_create(&route, comm, 8 * MOST, 1));
    GO(ghosts_create(&ghosts, comm, 8 * MOST, 1));
    GO(route_set(&route, comm, &domain, w.n, w.given_s));
    GO(ghosts_set(&ghosts, comm, &domain, w.n_own, w.s));
    GO(rank_device_open(&x.of, comm));
    GO(comm_agree(comm, gpu_sends_create(&x.gpu, x.of.device, x.of.transport,
                                         x.host->part, comm->size, MOST,
                                         trial->precision)));
    GO(comm_agree(comm, copy_sends(&x)));
    GO(exchanges(&x, trial->ghosts));
done:
    clear(&x);
    ghosts_destroy(&ghosts);
    route_destroy(&route);
    domain_destroy(&domain);
    wanted_free(&w);
    return status;
}

static void one(int size, int64_t halo, enum given_cut cut, int64_t n,
                enum given_share share, enum given_places places, int k)
{
    struct given g;
    given_make(&g, size, 16, halo, cut, n, share, places, 21);
    struct trial trial = {&g, k % 2, k / 2 % 2 ? FARSUM_F32 : FARSUM_F64};
    int failed = ranks_run(size, NULL, work, &trial);
    CHECK(failed == 0, "%d of %d ranks failed", failed, size);
    given_free(&g);
}

static void shapes(void)
{
    for (const int *size = given_sizes; *size; size++)
        for (int k = 0; k < 4; k++) {
            one(*size, 5, CUT_UNEVEN, 700, SHARE_EVEN, PLACES_UNIFORM, k);
            one(*size, 40, CUT_EVEN, 60, SHARE_RANDOM, PLACES_EDGES, k);
            one(*size, 2, CUT_ONE, 300, SHARE_ALL, PLACES_PLANE, k);
        }
}

static void few_points(void)
{
    for (int64_t n = 0; n < 3; n++)
        for (int k = 0; k < 4; k++)
            one(4, 7, CUT_EVEN, n, SHARE_EVEN, PLACES_UNIFORM, k);
}

int main(void)
{
    RUN(shapes);
    RUN(few_points);
    return check_end();
}
