/* SPDX-License-Identifier: Apache-2.0 */
/* points_gpu_sort.c: sorts and cell lists on a device against bins_build. */
#include "unit/points_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "points/device/ordering.h"
#include "points/device/sort_state.h"

/* Orderings of the points p and q of a test. */
static struct gpu_ordering *held, *other_held;

static const int64_t sizes[] = {0, 1, 2, 1000, 100003};
static const int32_t tiles[][3] = {
    {1, 1, 1}, {3, 5, 7}, {27, 27, 27}, {50, 60, 70}, {1, 1, 300}};

/* CHECKs that every point is once in its tile; in the caller's order if
 * `stable`. */
static void check_sort(const struct points_gpu *p, const struct points *host,
                       int stable)
{
    const struct gpu_ordering *sort = held;
    const struct bins *bins = &host->bins;
    int64_t n = p->n, wrong = 0;
    uint32_t *start = taken(&sort->start, 4 * (sort->n_bins + 1));
    uint32_t *order = taken(&sort->item, 4 * n);
    double *s = taken(&sort->s, 24 * n);
    int64_t *bin = check_memory((size_t)n + 1, sizeof *bin);
    CHECK(sort->n == n && sort->n_bins == bins->n_bins, "%lld in %lld",
          (long long)sort->n, (long long)sort->n_bins);
    for (int64_t b = 0; b < bins->n_bins; b++)
        for (int64_t k = bins->start[b]; k < bins->start[b + 1]; k++)
            bin[bins->order[k]] = b + 1;
    for (int64_t b = 0; b <= bins->n_bins; b++)
        wrong += start[b] != (uint64_t)bins->start[b];
    CHECK(wrong == 0, "%lld tiles start elsewhere", (long long)wrong);
    for (int64_t b = 0; b < bins->n_bins && wrong == 0; b++)
        for (int64_t k = bins->start[b]; k < bins->start[b + 1]; k++) {
            int64_t i = order[k];
            if (i >= n || bin[i] != b + 1 || (stable && i != bins->order[k])) {
                wrong++;
                continue;
            }
            bin[i] = 0;
            for (int d = 0; d < 3; d++)
                wrong += s[d * n + k] != host->s[d][i];
        }
    CHECK(wrong == 0, "%lld points are elsewhere", (long long)wrong);
    free(start);
    free(order);
    free(s);
    free(bin);
}

static void check_filling(struct points_gpu *p, const struct points *host)
{
    struct gpu_filling filling;
    double squares = 0;
    int64_t most = 0, full = 0;
    CHECK_OK(gpu_ordering_measure(p, held, &filling));
    for (int64_t b = 0; b < host->bins.n_bins; b++) {
        int64_t c = host->bins.start[b + 1] - host->bins.start[b];
        most = c > most ? c : most;
        squares += (double)c * (double)c;
        full += c > 0;
    }
    CHECK(filling.most == most && filling.held == full
              && filling.squares == squares,
          "%lld %lld %g, not %lld %lld %g", (long long)filling.most,
          (long long)filling.held, filling.squares, (long long)most,
          (long long)full, squares);
}

void test_sorts(void)
{
    struct points_gpu *p = NULL;
    struct points host = {0};
    CHECK_OK(points_gpu_create(points_device, &p));
    for (int dist = 0; dist < DISTS; dist++)
        for (int k = 0; k < 5; k++) {
            cloud_set(p, sizes[k], (enum dist)dist, 11, &host);
            for (int t = 0; t < 5; t++) {
                CHECK_OK(bins_build(&host, tiles[t], 1));
                CHECK_OK(gpu_ordering_sort(p, tiles[t], 0, &held));
                CHECK(held->path == GPU_SORT_COUNTED, "%d", held->path);
                check_sort(p, &host, 0);
                p->inside->pack = (k + t) % 2 ? 1 : -1;
                p->inside->few_groups = (k + t) % 3 ? 64 : 0;
                p->inside->wide = (k + t) % 2;
                CHECK_OK(gpu_ordering_sort(p, tiles[t], 1, &held));
                CHECK(held->path == GPU_SORT_RADIX, "%d", held->path);
                check_sort(p, &host, 1);
                /* the present one serves both */
                CHECK_OK(gpu_ordering_sort(p, tiles[t], 0, &held));
                CHECK(held->path == GPU_SORT_RADIX, "sorted twice");
                check_filling(p, &host);
            }
        }
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}

/* From a stable order of the same positions into other tiles: every point is in
 * its own, equally each time. */
void test_sort_from(void)
{
    struct points_gpu *p = NULL;
    struct points host = {0};
    CHECK_OK(points_gpu_create(points_device, &p));
    p->inside->few = -1;
    for (int dist = 0; dist < DISTS; dist++)
        for (int k = 0; k < 5; k++)
            for (int t = 1; t < 5; t++) {
                int64_t n = sizes[k];
                void *first[2] = {NULL, NULL};
                p->inside->pack = (k + t) % 2 ? 1 : -1;
                p->inside->wide = t % 2;
                for (int turn = 0; turn < 2; turn++) {
                    cloud_set(p, n, (enum dist)dist, 11, &host);
                    CHECK_OK(gpu_ordering_sort(p, tiles[t - 1], 1, &held));
                    CHECK_OK(gpu_ordering_sort(p, tiles[t], 0, &held));
                    CHECK(held->path == GPU_SORT_FROM && !held->stable,
                          "path %d", held->path);
                    CHECK_OK(bins_build(&host, tiles[t], 1));
                    check_sort(p, &host, 0);
                    void *order = taken(&held->item, 4 * n);
                    if (turn)
                        CHECK(memcmp(order, first[0], (size_t)(4 * n)) == 0,
                              "another order");
                    first[turn] = order;
                }
                free(first[0]);
                free(first[1]);
            }
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}

void test_sort_again(void)
{
    struct points_gpu *p = NULL;
    struct points host = {0};
    struct cell cell = cloud_cell(1);
    const int32_t nb[3] = {9, 11, 13};
    CHECK_OK(points_gpu_create(points_device, &p));
    p->inside->few = -1;
    for (int dist = 0; dist < DISTS; dist++)
        for (int k = 0; k < 5; k++) {
            int64_t n = sizes[k];
            double *x = cloud(&cell, n, (enum dist)dist, FARSUM_F64, 3);
            for (int step = 0; step < 3; step++) {
                CHECK_OK(points_gpu_set(p, &cell, n, x, FARSUM_F64, "source"));
                CHECK_OK(
                    points_set(&host, &cell, n, x, FARSUM_F64, "source", 1));
                for (int d = 0; d < 3; d++)
                    CHECK_OK(buf_download(&p->s, 8 * d * n, host.s[d], 8 * n));
                CHECK_OK(gpu_ordering_sort(p, nb, 0, &held));
                CHECK((held->path == GPU_SORT_AGAIN)
                          == (step > 0
                              || (dist > 0 && n == held->n
                                  && sizes[(k + 4) % 5] == n)),
                      "path %d", held->path);
                CHECK_OK(bins_build(&host, nb, 1));
                check_sort(p, &host, 0);
                check_filling(p, &host);
                for (int64_t j = 0; j < 3 * n; j++)
                    x[j] += 0.02 * sin((double)j + step);
            }
            free(x);
        }
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}

/* The stable sort of equal positions gives equal bits, also in another object
 * and after other sorts. */
void test_sort_repeats(void)
{
    struct points_gpu *p = NULL, *q = NULL;
    struct points host = {0};
    const int32_t nb[3] = {16, 8, 32}, other[3] = {4, 4, 4};
    int64_t n = 200003;
    CHECK_OK(points_gpu_create(points_device, &p));
    CHECK_OK(points_gpu_create(points_device, &q));
    cloud_set(p, n, CLUSTERED, 7, &host);
    p->inside->few_groups = 1;
    CHECK_OK(gpu_ordering_sort(p, nb, 1, &held));
    CHECK_OK(bins_build(&host, nb, 1));
    check_sort(p, &host, 1);
    cloud_set(q, n, CLUSTERED, 7, &host);
    CHECK_OK(gpu_ordering_sort(q, other, 0, &other_held));
    CHECK_OK(gpu_ordering_sort(q, nb, 0, &other_held));
    CHECK_OK(gpu_ordering_sort(q, nb, 1, &other_held));
    void *a = taken(&held->s, 24 * n), *b = taken(&other_held->s, 24 * n);
    CHECK(memcmp(a, b, (size_t)(24 * n)) == 0, "coordinates differ");
    free(a);
    free(b);
    a = taken(&held->item, 4 * n);
    b = taken(&other_held->item, 4 * n);
    CHECK(memcmp(a, b, (size_t)(4 * n)) == 0, "orders differ");
    free(a);
    free(b);
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
    gpu_ordering_release(&other_held);
    points_gpu_destroy(q);
}

/* Who holds an ordering keeps it; holders of equal ones share it; what nobody
 * holds is the memory of the next. */
void test_orderings(void)
{
    struct points_gpu *p = NULL;
    struct points host = {0};
    struct gpu_ordering *shared = NULL, *cells = NULL;
    int64_t n = 1000;
    CHECK_OK(points_gpu_create(points_device, &p));
    cloud_set(p, n, UNIFORM, 5, &host);
    CHECK_OK(gpu_ordering_sort(p, tiles[1], 1, &held));
    CHECK_OK(gpu_ordering_sort(p, tiles[1], 0, &shared));
    CHECK(held == shared && held->holders == 2, "equal sorts are two");
    CHECK_OK(gpu_ordering_sort(p, tiles[2], 0, &other_held));
    CHECK_OK(gpu_ordering_cells(p, tiles[1], 4, &cells));
    CHECK(held != other_held && cells != held && cells != other_held,
          "orderings of different keys are one");
    CHECK(gpu_ordering_current(p, 1) == held, "the stable sort is not found");
    CHECK_OK(bins_build(&host, tiles[1], 1));
    check_sort(p, &host, 1);
    /* of the old positions, until its holder asks for another */
    void *before = taken(&held->item, 4 * n);
    cloud_set(p, n, CLUSTERED, 6, &host);
    CHECK(gpu_ordering_current(p, 0) == NULL, "an old sort is current");
    CHECK_OK(gpu_ordering_sort(p, tiles[1], 1, &shared));
    CHECK(held != shared, "new positions share an old sort");
    void *after = taken(&held->item, 4 * n);
    CHECK(memcmp(before, after, (size_t)(4 * n)) == 0, "a held sort changed");
    const struct gpu_ordering *old = held;
    CHECK_OK(gpu_ordering_sort(p, tiles[1], 1, &held));
    CHECK(held == shared && old->holders == 0, "the old sort is still held");
    gpu_ordering_release(&cells);
    gpu_ordering_release(&shared);
    CHECK_OK(bins_build(&host, tiles[1], 1));
    check_sort(p, &host, 1);
    points_gpu_destroy(p);
    free(after);
    after = taken(&held->item, 4 * n); /* held, it outlives the points */
    gpu_ordering_release(&held);
    gpu_ordering_release(&other_held);
    gpu_ordering_release(&other_held); /* NULL is legal */
    free(before);
    free(after);
    points_clear(&host);
}

/* Keys of a stage's own: a stable order, and the beginning of each value. */
void test_keys(void)
{
    struct points_gpu *p = NULL;
    struct buf order = {0}, start = {0}, *capacity = NULL;
    CHECK_OK(points_gpu_create(points_device, &p));
    for (int k = 0; k < 10; k++) {
        int64_t n = sizes[k % 5], n_bins = k < 5 ? 37 : 70001, wrong = 0;
        uint32_t *key = check_memory((size_t)n + 1, 4);
        for (int64_t i = 0; i < n; i++)
            key[i] = (uint32_t)((uint64_t)i * 2654435761u % (uint64_t)n_bins);
        CHECK_OK(gpu_keys_reserve(p, n, n_bins, &capacity));
        CHECK_OK(buf_upload(capacity, 0, key, 4 * n));
        CHECK_OK(gpu_keys_sort(p, n, n_bins, &order, &start));
        uint32_t *o = taken(&order, 4 * n);
        uint32_t *s = taken(&start, 4 * (n_bins + 1));
        for (int64_t b = 0; b < n_bins; b++)
            for (uint32_t j = s[b]; j < s[b + 1] && wrong == 0; j++)
                wrong += o[j] >= n || key[o[j]] != b
                         || (j > s[b] && o[j - 1] >= o[j]);
        CHECK(wrong == 0 && s[0] == 0 && s[n_bins] == n, "%lld keys of %lld",
              (long long)n, (long long)n_bins);
        free(key);
        free(o);
        free(s);
    }
    CHECK_FAILS(gpu_keys_reserve(p, GPU_POINTS_MOST + 1, 3, &capacity),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_FAILS(gpu_keys_reserve(p, 3, GPU_BINS_MOST + 1, &capacity),
                FARSUM_ERR_UNSUPPORTED);
    buf_clear(&order);
    buf_clear(&start);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}

static void check_cells(const struct points_gpu *p, const struct points *host)
{
    const struct gpu_ordering *cells = held;
    const struct bins *bins = &host->bins;
    int64_t pad = cells->pad, at = 0, wrong = 0, n = p->n;
    uint32_t *start = taken(&cells->start, 4 * (cells->n_bins + 1));
    uint32_t *item = taken(&cells->item, 4 * cells->capacity);
    int64_t *bin = check_memory((size_t)n + 1, sizeof *bin);
    for (int64_t b = 0; b < bins->n_bins; b++) {
        int64_t count = bins->start[b + 1] - bins->start[b];
        for (int64_t k = bins->start[b]; k < bins->start[b + 1]; k++)
            bin[bins->order[k]] = b + 1;
        wrong += start[b] != at;
        at += (count + pad - 1) / pad * pad;
        for (int64_t k = 0; k < at - start[b] && wrong == 0; k++) {
            uint32_t i = item[start[b] + k];
            if (k >= count) {
                wrong += i != GPU_CELLS_HOLE;
            } else if (i >= n || bin[i] != b + 1) {
                wrong++;
            } else {
                bin[i] = 0;
            }
        }
    }
    CHECK(at <= cells->capacity && start[bins->n_bins] == at && wrong == 0,
          "%lld of %lld items, %lld wrong", (long long)at,
          (long long)cells->capacity, (long long)wrong);
    free(start);
    free(item);
    free(bin);
}

void test_cells(void)
{
    static const int32_t pads[] = {1, 4, 32};
    struct points_gpu *p = NULL;
    struct points host = {0};
    CHECK_OK(points_gpu_create(points_device, &p));
    for (int k = 0; k < DISTS * 5; k++) {
        cloud_set(p, sizes[k % 5], (enum dist)(k / 5), 23, &host);
        for (int t = 0; t < 5; t++) {
            CHECK_OK(bins_build(&host, tiles[t], 1));
            CHECK_OK(gpu_ordering_cells(p, tiles[t], pads[(k + t) % 3], &held));
            check_cells(p, &host);
            CHECK_OK(gpu_ordering_cells(p, tiles[t], pads[(k + t) % 3], &held));
        }
    }
    const int32_t none[3] = {0, 1, 1};
    CHECK_FAILS(gpu_ordering_cells(p, none, 4, &held), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(gpu_ordering_cells(p, tiles[0], 0, &held), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(gpu_ordering_cells(p, tiles[3], 1 << 30, &held),
                FARSUM_ERR_UNSUPPORTED);
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}

/* Keys of three and of four digits; far more tiles than points. */
void test_many_tiles(void)
{
    static const int32_t many[][3] = {{70, 80, 90}, {3, 4100, 1400}};
    struct points_gpu *p = NULL;
    struct points host = {0};
    CHECK_OK(points_gpu_create(points_device, &p));
    cloud_set(p, 30011, CLUSTERED, 31, &host);
    for (int t = 0; t < 2; t++) {
        CHECK_OK(bins_build(&host, many[t], 1));
        for (int stable = 0; stable < 2; stable++) {
            CHECK_OK(gpu_ordering_sort(p, many[t], stable, &held));
            check_sort(p, &host, stable);
        }
        check_filling(p, &host);
    }
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}

/* Misuse, and memory that runs out: after a failure the object can be used. */
void test_refused(void)
{
    static const int32_t bad[][3] = {{0, 1, 1}, {1, -1, 1}, {2048, 2048, 1024}};
    const int32_t nb[3] = {5, 6, 7};
    struct points_gpu *p = NULL;
    struct points host = {0};
    struct gpu_box box;
    CHECK_OK(points_gpu_create(points_device, &p));
    CHECK_FAILS(gpu_ordering_sort(p, nb, 0, &held), FARSUM_ERR_STATE);
    CHECK_FAILS(gpu_ordering_cells(p, nb, 4, &held), FARSUM_ERR_STATE);
    CHECK_FAILS(points_gpu_box(p, &box), FARSUM_ERR_STATE);
    cloud_set(p, 5000, UNIFORM, 2, &host);
    for (int i = 0; i < 3; i++)
        CHECK_FAILS(gpu_ordering_sort(p, bad[i], 1, &held),
                    FARSUM_ERR_ARGUMENT);
    CHECK_OK(bins_build(&host, nb, 1));
    for (int stable = 0; stable < 2; stable++) {
        int64_t more = 100;
        farsum_status status = FARSUM_ERR_MEMORY;
        for (; status == FARSUM_ERR_MEMORY && more < 1 << 26; more *= 2) {
            points_device->limit = points_device->bytes + more;
            status = gpu_ordering_sort(p, nb, stable, &held);
        }
        points_device->limit = 0;
        CHECK(more > 200, "memory did not run out");
        CHECK_OK(status);
        check_sort(p, &host, stable);
    }
    /* no memory for packed coordinates: sorted all the same */
    p->inside->pack = 1;
    points_device->limit = points_device->bytes + 1000;
    held->version = 0;
    CHECK_OK(gpu_ordering_sort(p, nb, 1, &held));
    points_device->limit = 0;
    CHECK(p->inside->pack == -1, "packed without memory");
    check_sort(p, &host, 1);
    points_clear(&host);
    gpu_ordering_release(&held);
    points_gpu_destroy(p);
}
