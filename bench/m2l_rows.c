/* m2l_rows.c: rows of m2l on a dense periodic tree of one root box, timed and
 * compared with the first of them; a CSV line each.
 *
 *     m2l_rows DEVICE PRECISION P DEPTH [WHAT...]
 *
 *     m2l_rows cuda:0 f32 12 5
 *     m2l_rows cuda:0 f64 8 4 gpu_dense gpu_walsh repeats=20
 *
 * WHAT: rows, in that order, none means all of the table but plain; ws=W;
 * root=K, K^3 root boxes; open=1, no axis periodic; repeats=R, runs timed at
 * most; header=0, no names of columns.
 *
 * seconds is the least of the runs, create what comes before them, operators
 * made and kernels compiled.  fma is what the row counts (a product or a sum by
 * itself is one), share that rate over what the cost model takes for the
 * device's peak.  off is the root mean square of the difference from the first
 * row over that of its values. */
#include "mesh_case.h"

#include "base/clock.h"
#include "base/isa.h"
#include "base/mem.h"
#include "points/points.h"
#include "stage/boxes.h"
#include "stage/gpu_rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 10, REPEATS_LEAST = 2 };
#define LONG 0.5 /* seconds for all runs of a row */

struct m2l_bench {
    struct boxes_args args;
    struct tree tree;
    struct boxes_io io;
    int64_t numbers, below; /* of an array; those of level 0 are not compared */
    int repeats;
    void *multipole, *local; /* the host's */
    double *reference;
    struct buf multipole_there, local_there;
};

static int64_t real_bytes(const struct m2l_bench *b)
{
    return b->args.precision == FARSUM_F32 ? 4 : 8;
}

/* Like those of charges in a box: degree n as 2^-n. */
static void take_arrays(struct m2l_bench *b)
{
    struct boxes_args *a = &b->args;
    uint64_t seed = 3;
    b->io.tree = &b->tree;
    b->io.stride = (b->tree.n_boxes + 31) / 32 * 32;
    b->numbers = multipole_size(a->p) * b->io.stride;
    bench_need(mem_alloc(&b->multipole, b->numbers, (size_t)real_bytes(b), 1));
    bench_need(mem_alloc(&b->local, b->numbers, (size_t)real_bytes(b), 1));
    for (int64_t i = 0; i < b->numbers; i++)
        boxes_set(a, b->multipole, i,
                  ldexp(bench_number(&seed) - 0.5,
                        -multipole_degree((int)(i / b->io.stride))));
    b->io.multipole = b->multipole;
    b->io.local = b->local;
    if (!a->device)
        return;
    int64_t bytes = b->numbers * real_bytes(b);
    bench_need(buf_alloc(&b->multipole_there, a->device, bytes));
    bench_need(buf_upload(&b->multipole_there, 0, b->multipole, bytes));
    bench_need(buf_alloc(&b->local_there, a->device, bytes));
    b->io.multipole = &b->multipole_there;
    b->io.local = &b->local_there;
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

/* Of the locals of levels >= 1, relative to the first row's. */
static double difference(struct m2l_bench *b)
{
    double sum = 0, norm = 0;
    int first = !b->reference;
    if (b->args.device)
        bench_need(buf_download(&b->local_there, 0, b->local,
                                b->numbers * real_bytes(b)));
    if (first)
        bench_need(MEM_RAW(b->reference, b->numbers));
    for (int64_t i = 0; i < b->numbers; i++) {
        int64_t box = i % b->io.stride;
        double v = boxes_number(&b->args, b->local, i);
        if (first)
            b->reference[i] = v;
        if (box < b->tree.first[1] || box >= b->tree.n_boxes)
            continue;
        double r = b->reference[i];
        sum += (v - r) * (v - r);
        norm += r * r;
    }
    return norm > 0 ? sqrt(sum / norm) : sqrt(sum);
}

struct measured {
    double create, run, off;
};

static farsum_status measure(struct m2l_bench *b, const struct variant *v,
                             void *state, struct stopwatch *watch,
                             struct measured *m)
{
    const struct points points = {.tree = &b->tree};
    double all = 0;
    if (v->set)
        TRY(v->set(state, &points, &points));
    if (b->args.device)
        TRY(buf_fill(&b->local_there, 0xff));
    TRY(v->run(state, &b->io));
    m->off = difference(b);
    m->run = INFINITY;
    for (int k = 0; k < b->repeats && (k < REPEATS_LEAST || all < LONG); k++) {
        double at = clock_seconds(), run;
        if (b->args.device)
            TRY(stopwatch_start(watch));
        TRY(v->run(state, &b->io));
        run = clock_seconds() - at;
        if (b->args.device) {
            TRY(stopwatch_stop(watch));
            TRY(stopwatch_seconds(watch, &run));
        }
        m->run = fmin(m->run, run);
        all += run;
    }
    return FARSUM_OK;
}

static void print(const struct m2l_bench *b, const struct variant_row *row,
                  const struct measured *m)
{
    const struct boxes_args *a = &b->args;
    struct work work = {0};
    stage_work(&m2l_stage, row, a, &work);
    const double *calls = work.count.calls;
    double fma = calls[COUNT_FMA] + calls[COUNT_ADD] + calls[COUNT_MUL];
    double share = 0;
    if (a->device)
        share = fma / m->run / gpu_rates(a->device, a->precision).flops;
    printf("%s,%s,%s,%d,%d,%d,%lld,%lld,%.5g,%.5g,%.5g,%.3g,%.3g,%.5g\n",
           a->device ? a->device->name : "host", row->name,
           a->precision == FARSUM_F32 ? "f32" : "f64", a->p, a->depth, a->ws,
           (long long)a->root[0], (long long)a->n_boxes, m->create, m->run, fma,
           share, m->off, row->variant->cost(a));
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
    for (const struct variant_row *r = m2l_stage.rows; r->name; r++)
        if (strcmp(r->name, name) == 0) {
            row(b, r);
            return;
        }
    fprintf(stderr, "# no row %s\n", name);
}

static int number(const char *word, const char *name, int *value)
{
    size_t length = strlen(name);
    if (strncmp(word, name, length) != 0)
        return 0;
    *value = atoi(word + length);
    return 1;
}

int main(int argc, char **argv)
{
    static struct m2l_bench b = {.repeats = REPEATS};
    int root = 1, open = 0, header = 1, rows = 0;
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
        if (!number(argv[i], "ws=", &b.args.ws)
            && !number(argv[i], "root=", &root)
            && !number(argv[i], "open=", &open)
            && !number(argv[i], "repeats=", &b.repeats)
            && !number(argv[i], "header=", &header))
            argv[5 + rows++] = argv[i];
    if (b.args.p < 0 || b.args.p > MULTIPOLE_MOST || b.repeats < 1) {
        fprintf(stderr, "m2l_rows: orders are 0 .. %d, repeats at least 1\n",
                MULTIPOLE_MOST);
        return 2;
    }
    if (!device_is_host(argv[1]))
        bench_need(device_open(argv[1], &b.args.device));
    take_tree(&b, atoi(argv[4]), root, open);
    if (header)
        printf("device,row,precision,p,depth,ws,root,boxes,create_s,seconds,"
               "fma,share,off,cost_s\n");
    for (int i = 0; i < rows; i++)
        asked(&b, argv[5 + i]);
    for (const struct variant_row *r = m2l_stage.rows; !rows && r->name; r++)
        if (r != m2l_stage.rows)
            row(&b, r);
    tree_clear(&b.tree);
    buf_clear(&b.multipole_there);
    buf_clear(&b.local_there);
    mem_free(b.multipole);
    mem_free(b.local);
    mem_free(b.reference);
    device_close(b.args.device);
    return 0;
}
