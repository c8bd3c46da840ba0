/* SPDX-License-Identifier: Apache-2.0 */
/* m2l_rows.c: variants of m2l, m2m or l2l on a dense periodic tree with one
 * root box, timed and compared with the first variant; one CSV line each.
 *
 *     m2l_rows DEVICE PRECISION P DEPTH [WHAT...]
 *
 *     m2l_rows cuda:0 f32 12 5
 *     m2l_rows cuda:0 f64 8 4 gpu_dense gpu_walsh repeats=20
 *     m2l_rows host f64 12 4 stage=m2m
 *     m2l_rows cuda:0 f32 17 7 group=128 groups=264 gpu_rotation_tiled
 *     m2l_rows cuda:0 f32 12 4 images=4 gpu_symmetric images=8 gpu_symmetric
 *
 * WHAT: variants, in that order (default: all of the table except plain);
 *     stage=m2m      stage: m2m or l2l (default: m2l)
 *     ws=W          separation
 *     root=K        K^3 root boxes
 *     open=1        no periodic axis
 *     repeats=R     maximum number of timed runs, after an untimed first run;
 *                   0: only the first run
 *     header=0      no names of columns
 * The following words affect variants named after them, where supported; 0: the
 * variant's default:
 *     group=N       threads per thread block
 *     groups=N      thread blocks per launch
 *     images=N      gpu_symmetric and gpu_sorted: only operators for 1, 2, 4 or
 *                   8 targets
 *     apart=1       one launch per level
 *
 * seconds is the minimum over the runs; create is the time before them, to
 * build operators and compile kernels.  fma is the variant's count (a single
 * product or sum counts as one).  share is that rate over the device's peak in
 * the cost model.  off is the root mean square difference from the first
 * variant over that of its values.  With many boxes, only the first and the
 * last ones are compared; numbers of sources repeat there.  setting: the words
 * above that change a variant.  stage: m2l, m2m or l2l. */
#include "mesh_case.h"

#include "base/clock.h"
#include "base/isa.h"
#include "base/mem.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"
#include "cost/expected_rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 10, REPEATS_LEAST = 2, CHUNK = 1 << 22 };
#define LONG 0.5 /* seconds for all runs of a variant */
#define COMPARED 3e7 /* approximate number of compared values */

struct m2l_bench {
    const struct stage *stage;
    struct boxes_args args;
    struct tree tree;
    struct boxes_io io;
    int64_t numbers; /* of an array */
    int repeats;
    void *multipole, *local; /* on the host, for its variants */
    void *seen;              /* numbers of some boxes */
    int64_t most;            /* boxes compared at each end */
    double *reference;       /* [numbers of an expansion][2 most] */
    struct buf multipole_there, local_there;
    char setting[100];
};

static int64_t real_bytes(const struct m2l_bench *b)
{
    return b->args.precision == FARSUM_F32 ? 4 : 8;
}

/* Random numbers like the expansions of charges in a box: degree n scales as
 * 2^-n.  They repeat after CHUNK boxes. */
static void take_numbers(struct m2l_bench *b, void *array, struct buf *there)
{
    int64_t stride = b->io.stride, n = stride < CHUNK ? stride : CHUNK;
    int64_t real = real_bytes(b);
    uint64_t seed = 3;
    void *some = NULL;
    bench_need(mem_alloc(&some, n, (size_t)real, 1));
    for (int k = 0; k < multipole_size(b->args.p); k++) {
        for (int64_t i = 0; i < n; i++)
            boxes_set(&b->args, some, i,
                      ldexp(bench_number(&seed) - 0.5, -multipole_degree(k)));
        for (int64_t i = 0; i < stride; i += n) {
            int64_t at = real * (k * stride + i);
            int64_t bytes = real * (n < stride - i ? n : stride - i);
            if (b->args.device)
                bench_need(buf_upload(there, at, some, bytes));
            else
                memcpy((char *)array + at, some, (size_t)bytes);
        }
    }
    mem_free(some);
}

static void take_arrays(struct m2l_bench *b)
{
    struct boxes_args *a = &b->args;
    int64_t bytes, all = b->tree.n_boxes - b->tree.first[1];
    b->io.tree = &b->tree;
    b->io.stride = (b->tree.n_boxes + 31) / 32 * 32;
    b->numbers = multipole_size(a->p) * b->io.stride;
    b->most = (int64_t)(COMPARED / 2 / multipole_size(a->p));
    if (2 * b->most > all)
        b->most = (all + 1) / 2;
    bytes = b->numbers * real_bytes(b);
    if (a->device) {
        bench_need(buf_alloc(&b->multipole_there, a->device, bytes));
        bench_need(buf_alloc(&b->local_there, a->device, bytes));
        b->io.multipole = &b->multipole_there;
        b->io.local = &b->local_there;
    } else {
        bench_need(mem_alloc(&b->multipole, bytes, 1, 1));
        bench_need(mem_alloc(&b->local, bytes, 1, 1));
        b->io.multipole = b->multipole;
        b->io.local = b->local;
    }
    bench_need(mem_alloc(&b->seen, b->most, (size_t)real_bytes(b), 1));
    take_numbers(b, b->multipole, &b->multipole_there);
}

static void take_tree(struct m2l_bench *b, int depth, int root, int open)
{
    struct boxes_args *a = &b->args;
    struct tree_args args = {.dense = 1, .depth = depth, .ws = a->ws,
                             .precision = a->precision, .threads = a->threads};
    const struct tree_given none = {.n = 0};
    for (int d = 0; d < 3; d++) {
        args.root[d] = root;
        args.edge[d] = 1;
        args.periodic[d] = !open;
    }
    bench_need(tree_set(&b->tree, &args, &none, NULL));
    a->dense = 1;
    a->depth = depth;
    a->n_boxes = b->tree.n_boxes;
    a->n_leaves = b->tree.n_leaves;
    a->n_sources = a->n_targets = 8 * a->n_leaves;
    for (int d = 0; d < 3; d++) {
        a->periodic[d] = !open;
        a->root[d] = root;
        a->box[d] = b->tree.box[d];
    }
    take_arrays(b);
}

/* RMS difference from the first variant, relative, of the locals of levels >=
 * 1; for m2m, of all multipoles. */
static double difference(struct m2l_bench *b)
{
    int64_t real = real_bytes(b), bytes = b->most * real;
    double sum = 0, norm = 0, *r = b->reference;
    int first = !r, size = multipole_size(b->args.p);
    int up = b->stage == &m2m_stage;
    const char *array = up ? b->multipole : b->local;
    const struct buf *there = up ? &b->multipole_there : &b->local_there;
    int64_t begin = up ? 0 : b->tree.first[1];
    if (first)
        bench_need(MEM_RAW(b->reference, 2 * size * b->most));
    r = b->reference;
    for (int k = 0; k < 2 * size; k++, r += b->most) {
        int64_t box = k < size ? begin : b->tree.n_boxes - b->most;
        int64_t at = real * (k % size * b->io.stride + box);
        if (b->args.device)
            bench_need(buf_download(there, at, b->seen, bytes));
        else
            memcpy(b->seen, array + at, (size_t)bytes);
        for (int64_t i = 0; i < b->most; i++) {
            double v = boxes_number(&b->args, b->seen, i);
            if (first)
                r[i] = v;
            sum += (v - r[i]) * (v - r[i]);
            norm += r[i] * r[i];
        }
    }
    return norm > 0 ? sqrt(sum / norm) : sqrt(sum);
}

struct measured {
    double create, run, off;
};

static farsum_status timed(struct m2l_bench *b, const struct variant *v,
                           void *state, struct stopwatch *watch,
                           double *seconds)
{
    double at = clock_seconds();
    if (b->args.device)
        TRY(stopwatch_start(watch));
    TRY(v->run(state, &b->io));
    *seconds = clock_seconds() - at;
    if (!b->args.device)
        return FARSUM_OK;
    TRY(stopwatch_stop(watch));
    return stopwatch_seconds(watch, seconds);
}

static farsum_status measure(struct m2l_bench *b, const struct variant *v,
                             void *state, struct stopwatch *watch,
                             struct measured *m)
{
    const struct points points = {.tree = &b->tree};
    double all = 0;
    if (v->set)
        TRY(v->set(state, &points, &points));
    if (b->stage == &m2m_stage)
        take_numbers(b, b->multipole, &b->multipole_there);
    else if (b->stage == &l2l_stage)
        take_numbers(b, b->local, &b->local_there);
    else if (b->args.device)
        TRY(buf_fill(&b->local_there, 0xff));
    TRY(timed(b, v, state, watch, &m->run));
    m->off = difference(b);
    for (int k = 0; k < b->repeats && (k < REPEATS_LEAST || all < LONG); k++) {
        double run;
        TRY(timed(b, v, state, watch, &run));
        m->run = k ? fmin(m->run, run) : run;
        all += run;
    }
    return FARSUM_OK;
}

static void print(const struct m2l_bench *b, const struct variant_row *row,
                  const struct measured *m)
{
    const struct boxes_args *a = &b->args;
    struct work work = {0};
    stage_work(b->stage, row, a, &work);
    const double *calls = work.count.calls;
    double fma = calls[COUNT_FMA] + calls[COUNT_ADD] + calls[COUNT_MUL];
    double share = 0;
    if (a->device)
        share = fma / m->run / gpu_rates(a->device, a->precision).flops;
    printf("%s,%s,%s,%d,%d,%d,%lld,%lld,%.5g,%.5g,%.5g,%.3g,%.3g,%.5g,%s,%s\n",
           a->device ? a->device->name : "host", row->name,
           a->precision == FARSUM_F32 ? "f32" : "f64", a->p, a->depth, a->ws,
           (long long)a->root[0], (long long)a->n_boxes, m->create, m->run, fma,
           share, m->off, row->variant->cost(a), b->setting, b->stage->name);
    fflush(stdout);
}

static void row(struct m2l_bench *b, const struct variant_row *row)
{
    const struct variant *v = row->variant;
    struct stopwatch watch = {0};
    struct measured m = {0};
    void *state = NULL;
    double at = clock_seconds();
    if ((v->fits && v->fits(&b->args) != FARSUM_OK)
        || v->create(&b->args, &state) != FARSUM_OK) {
        fprintf(stderr, "# %s: %s\n", row->name, farsum_message());
        return;
    }
    const struct points points = {.tree = &b->tree};
    if (v->set)
        bench_need(v->set(state, &points, &points));
    m.create = clock_seconds() - at;
    if (b->args.device)
        bench_need(stopwatch_create(&watch, b->args.device));
    if (measure(b, v, state, &watch, &m) == FARSUM_OK)
        print(b, row, &m);
    else
        fprintf(stderr, "# %s: %s\n", row->name, farsum_message());
    v->destroy(state);
    stopwatch_clear(&watch);
}

static void asked(struct m2l_bench *b, const char *name)
{
    for (const struct variant_row *r = b->stage->rows; r->name; r++)
        if (strcmp(r->name, name) == 0) {
            row(b, r);
            return;
        }
    fprintf(stderr, "# no row %s\n", name);
}

/* "stage=..." */
static int stage_of(const char *word, const struct stage **stage)
{
    if (strncmp(word, "stage=", 6) != 0)
        return 0;
    *stage = stage_find(word + 6);
    if (*stage == &m2m_stage || *stage == &m2l_stage || *stage == &l2l_stage)
        return 1;
    fprintf(stderr, "m2l_rows: stage= expects m2m, m2l or l2l\n");
    exit(2);
}

static int number(const char *word, const char *name, int *value)
{
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0)
        return 0;
    *value = atoi(word + length);
    return 1;
}

/* Changes the settings of later variants; their lines report it. */
static int setting(struct m2l_bench *b, const char *word)
{
    struct boxes_shape *a = &b->args.shape, before = *a;
    const struct {
        const char *name;
        int *value;
    } all[] = {{"group=", &a->group},
               {"groups=", &a->groups},
               {"images=", &a->images},
               {"apart=", &a->apart}};
    int known = 0, at = 0;
    b->setting[0] = '\0';
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        known |= number(word, all[k].name, all[k].value);
        if (*all[k].value)
            at += snprintf(b->setting + at, sizeof b->setting - (size_t)at,
                           "%s%s%d", at ? " " : "", all[k].name, *all[k].value);
    }
    if (a->images != before.images) { /* the sums change */
        mem_free(b->reference);
        b->reference = NULL;
    }
    return known;
}

int main(int argc, char **argv)
{
    static struct m2l_bench b = {.stage = &m2l_stage, .repeats = REPEATS};
    int root = 1, open = 0, header = 1, words = 0, rows = 0;
    if (argc < 5) {
        fprintf(stderr, "usage: m2l_rows DEVICE PRECISION P DEPTH [WHAT...]\n");
        return 2;
    }
    b.args.ws = 1;
    b.args.threads = 1;
    b.args.isa = isa_best();
    b.args.precision = strcmp(argv[2], "f32") == 0 ? FARSUM_F32 : FARSUM_F64;
    b.args.p = atoi(argv[3]);
    for (int i = 5; i < argc; i++)
        if (!stage_of(argv[i], &b.stage) && !number(argv[i], "ws=", &b.args.ws)
            && !number(argv[i], "root=", &root)
            && !number(argv[i], "open=", &open)
            && !number(argv[i], "repeats=", &b.repeats)
            && !number(argv[i], "header=", &header))
            argv[5 + words++] = argv[i];
    if (b.args.p < 0 || b.args.p > MULTIPOLE_MOST || b.repeats < 0) {
        fprintf(stderr, "m2l_rows: orders are 0 .. %d, repeats at least 0\n",
                MULTIPOLE_MOST);
        return 2;
    }
    if (!device_is_host(argv[1]))
        bench_need(device_open(argv[1], &b.args.device));
    take_tree(&b, atoi(argv[4]), root, open);
    if (header)
        printf("device,row,precision,p,depth,ws,root,boxes,create_s,seconds,"
               "fma,share,off,cost_s,setting,room\n");
    for (int i = 0; i < words; i++)
        if (!setting(&b, argv[5 + i])) {
            asked(&b, argv[5 + i]);
            rows++;
        }
    for (const struct variant_row *r = b.stage->rows; !rows && r->name; r++)
        if (r != b.stage->rows)
            row(&b, r);
    tree_clear(&b.tree);
    buf_clear(&b.multipole_there);
    buf_clear(&b.local_there);
    mem_free(b.multipole);
    mem_free(b.local);
    mem_free(b.seen);
    mem_free(b.reference);
    device_close(b.args.device);
    return 0;
}
