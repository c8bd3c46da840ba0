/* SPDX-License-Identifier: Apache-2.0 */
/* p2p.c: the pairs of near leaves against sums without a tree.  With the word
 * perf it times them instead (p2p_perf.c). */
#include <string.h>

#include "base/isa.h"
#include "base/mem.h"
#include "stage/p2p/p2p.h"
#include "unit/p2p_perf.h"
#include "unit/tree_case.h"

enum { N = 250, M = 90 };

/* Points, strengths and results, found and expected, in the caller's order. */
struct sums {
    struct tree_args shape;
    struct p2p_args args;
    double x[3 * N], y[3 * M], q[N];
    int64_t n, m;                       /* m 0: the targets are the sources */
    double found[4 * N], wanted[4 * N]; /* potential, field */
};

static const double *sums_target(const struct sums *s, int64_t i)
{
    return s->m > 0 ? s->y + 3 * i : s->x + 3 * i;
}

static void sums_pair(struct sums *s, int64_t i, int64_t j, const double d[3])
{
    double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double eps = s->args.softening;
    if (r2 == 0)
        return;
    double y = 1 / sqrt(r2 + eps * eps), w = r2 / (eps * eps);
    double y3 = y * y * y;
    if (s->args.balls) {
        y = 1 / sqrt(r2);
        y3 = y / r2;
    }
    if (s->args.balls && w < 1) {
        y = (35 - 35 * w + 21 * w * w - 5 * w * w * w) / (16 * eps);
        y3 = (35 - 42 * w + 15 * w * w) / (8 * eps * eps * eps);
    }
    s->wanted[4 * i] += s->q[j] * y;
    for (int a = 0; a < 3; a++)
        s->wanted[4 * i + 1 + a] += s->q[j] * d[a] * y3;
}

static void sums_start(struct sums *s, enum tree_dist dist, int64_t n,
                       int64_t m)
{
    uint64_t seed = 77;
    s->n = n;
    s->m = m;
    tree_fractions(dist, n, 3, s->x);
    tree_fractions(TREE_UNIFORM, m, 4, s->y);
    for (int64_t i = 0; i < m; i += 5)
        memcpy(s->y + 3 * i, s->x + 3 * (i % n), 3 * sizeof *s->x);
    tree_positions(&s->shape, n, s->x);
    tree_positions(&s->shape, m, s->y);
    for (int64_t j = 0; j < n; j++)
        s->q[j] = tree_random(&seed) - 0.3;
    memset(s->found, 0, sizeof s->found);
    memset(s->wanted, 0, sizeof s->wanted);
}

static struct tree_given given(const double *x, int64_t n)
{
    return (struct tree_given){.n = n, .x = {x, x + 1, x + 2}, .step = 3};
}

/* Results of a variant in the caller's order; does not change the tree. */
static void sums_run(struct sums *s, const struct variant *row,
                     struct tree *tree)
{
    struct tree_given sources = given(s->x, s->n), targets = given(s->y, s->m);
    double q[N], potential[N] = {0}, field[3 * N] = {0};
    void *state = NULL;
    CHECK_OK(tree_set(tree, &s->shape, &sources, s->m > 0 ? &targets : NULL));
    s->args.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    s->args.isa = isa_best();
    s->args.threads = 2;
    s->args.rhs = 1;
    s->args.n_sources = s->n;
    s->args.n_targets = s->m;
    s->args.dense = s->shape.dense;
    s->args.ws = s->shape.ws;
    const struct tree_points *t = tree_targets(tree);
    for (int64_t k = 0; k < s->n; k++)
        q[k] = s->q[tree->source.order[k]];
    struct p2p_io io = {tree, q, potential, field, 0, NULL};
    if (CHECK_OK(row->fits(&s->args))
        && CHECK_OK(row->create(&s->args, &state)))
        CHECK_OK(row->run(state, &io));
    for (int64_t k = 0; k < t->n; k++) {
        double *out = s->found + 4 * t->order[k];
        out[0] = potential[k];
        for (int a = 0; a < 3; a++)
            out[1 + a] = field[a * t->n + k];
    }
    row->destroy(state);
}

static void sums_check(const struct sums *s, const char *what)
{
    int64_t n = s->m > 0 ? s->m : s->n;
    double off[2] = {0, 0}, scale[2] = {0, 0}; /* potential, field */
    for (int64_t k = 0; k < 4 * n; k++) {
        int field = k % 4 > 0;
        double d = s->found[k] - s->wanted[k];
        off[field] = d == d ? fmax(off[field], fabs(d)) : INFINITY;
        scale[field] = fmax(scale[field], fabs(s->wanted[k]));
    }
    for (int field = 0; field < 2; field++)
        CHECK(scale[field] > 0 && off[field] <= 2e-13 * scale[field],
              "%s: %s is off by %g of %g", what, field ? "field" : "potential",
              off[field], scale[field]);
}

static const struct tree_args cube = {
    .dense = 1,
    .ws = 1,
    .leaf = 6,
    .root = {1, 1, 1},
    .edge = {2, 2, 2},
    .threads = 2,
};

/* One box: all pairs. */
static void one_box(void)
{
    for (const struct variant_row *row = p2p_stage.rows; row->name; row++)
        for (int m = 0; m <= M; m += M)
            for (int soft = 0; soft < 3; soft++) {
                if (strncmp(row->name, "gpu", 3) == 0)
                    continue;
                struct sums s = {.shape = cube};
                struct tree tree = {0};
                s.shape.dense = m == 0;
                s.shape.leaf = N + M;
                s.shape.depth = s.shape.dense ? 0 : 9;
                s.args.softening = soft ? 0.3 * soft : 0;
                s.args.balls = soft == 2;
                sums_start(&s, TREE_UNIFORM, N, m);
                for (int64_t i = 0; i < (m > 0 ? m : N); i++)
                    for (int64_t j = 0; j < N; j++) {
                        const double *x = sums_target(&s, i);
                        sums_pair(&s, i, j,
                                  (double[3]){x[0] - s.x[3 * j],
                                              x[1] - s.x[3 * j + 1],
                                              x[2] - s.x[3 * j + 2]});
                    }
                sums_run(&s, row->variant, &tree);
                sums_check(&s, row->name);
                tree_clear(&tree);
            }
}

/* Periodic bricks: pairs of near boxes, found by their positions. */
static void bricks(void)
{
    for (const struct variant_row *row = p2p_stage.rows; row->name; row++)
        for (int ws = 1; ws <= 2; ws++) {
            if (strncmp(row->name, "gpu", 3) == 0)
                continue;
            struct sums s = {.shape = cube};
            struct tree tree = {0};
            s.shape.depth = 1;
            s.shape.ws = ws;
            for (int d = 0; d < 3; d++) {
                s.shape.root[d] = 1 + d; /* 2, 4 and 6 boxes */
                s.shape.edge[d] = 0.9 + 1.1 * d;
                s.shape.corner[d] = -0.25;
                s.shape.periodic[d] = 1;
            }
            sums_start(&s, TREE_UNIFORM, N, M);
            for (int64_t i = 0; i < M; i++)
                for (int64_t c = 0; c < N * 125; c++) {
                    int64_t j = c / 125,
                            image[3] = {c % 5, c / 5 % 5, c / 25 % 5};
                    double r[3];
                    int near = 1;
                    for (int d = 0; d < 3; d++) {
                        double edge = s.shape.edge[d];
                        double n = (double)(2 * s.shape.root[d]);
                        double t = s.y[3 * i + d], x = s.x[3 * j + d];
                        double k = (double)image[d] - 2;
                        double bt = floor((t + 0.25) / edge * n);
                        double bx = floor((x + 0.25) / edge * n) + k * n;
                        near &= fabs(bt - bx) <= ws;
                        r[d] = t - x - k * edge;
                    }
                    if (near)
                        sums_pair(&s, i, j, r);
                }
            sums_run(&s, row->variant, &tree);
            sums_check(&s, row->name);
            tree_clear(&tree);
        }
}

/* Box of a level for each source, in the caller's order. */
static void boxes_of(const struct tree *tree, const struct tree_points *p,
                     int level, int64_t *box)
{
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t b = tree_leaf_box(tree, leaf);
        int l = tree_level(tree, b);
        for (; l > level; l--)
            b = tree_parent(tree, l, b);
        for (int64_t k = p->begin[leaf]; k < p->begin[leaf + 1]; k++)
            box[p->order[k]] = l == level ? b : -1;
    }
}

/* Open space: near pairs, and pairs of far boxes summed directly, are all
 * pairs. */
static void whole(void)
{
    for (const struct variant_row *row = p2p_stage.rows; row->name; row++)
        for (int dist = 0; dist <= TREE_FACES; dist++) {
            if (dist == TREE_STEEP)
                continue;
            if (strncmp(row->name, "gpu", 3) == 0)
                continue;
            struct sums s = {.shape = cube};
            struct tree tree = {0};
            s.shape.dense = 0;
            s.shape.depth = 20;
            sums_start(&s, (enum tree_dist)dist, N, 0);
            sums_run(&s, row->variant, &tree);
            struct tree_far *far =
                check_memory((size_t)tree_far_most(&tree), sizeof *far);
            int64_t box[N];
            for (int level = 1; level <= tree.depth; level++) {
                boxes_of(&tree, &tree.source, level, box);
                for (int64_t i = 0; i < N; i++) {
                    int64_t n =
                        box[i] < 0 ? 0 : tree_far(&tree, level, box[i], far);
                    for (int64_t e = 0; e < n; e++)
                        for (int64_t j = 0; j < N; j++)
                            if (box[j] == far[e].box)
                                sums_pair(&s, i, j,
                                          (double[3]){
                                              s.x[3 * i] - s.x[3 * j],
                                              s.x[3 * i + 1] - s.x[3 * j + 1],
                                              s.x[3 * i + 2] - s.x[3 * j + 2]});
                }
            }
            for (int k = 0; k < 4 * N; k++) {
                s.found[k] += s.wanted[k];
                s.wanted[k] = 0;
            }
            for (int64_t i = 0; i < N; i++)
                for (int64_t j = 0; j < N; j++)
                    sums_pair(&s, i, j,
                              (double[3]){s.x[3 * i] - s.x[3 * j],
                                          s.x[3 * i + 1] - s.x[3 * j + 1],
                                          s.x[3 * i + 2] - s.x[3 * j + 2]});
            sums_check(&s, row->name);
            free(far);
            tree_clear(&tree);
        }
}

/* Potentials in f32 of two charges of 1 that are d apart in a box of edge 2. */
static void pair_f32(const struct variant *row, double d, float found[2])
{
    const double x[6] = {0.71, 0.52, 0.83, 0.71 + d, 0.52, 0.83};
    const struct tree_given sources = given(x, 2);
    const float q[2] = {1, 1};
    struct tree_args shape = cube;
    struct tree tree = {0};
    struct p2p_args args = {.precision = FARSUM_F32,
                            .isa = isa_best(),
                            .threads = 1,
                            .rhs = 1,
                            .outputs = FARSUM_POTENTIAL,
                            .n_sources = 2,
                            .dense = 1,
                            .ws = 1};
    void *state = NULL;
    shape.precision = FARSUM_F32;
    found[0] = found[1] = 0;
    CHECK_OK(tree_set(&tree, &shape, &sources, NULL));
    const struct p2p_io io = {&tree, q, found, NULL, 0, NULL};
    if (CHECK_OK(row->fits(&args)) && CHECK_OK(row->create(&args, &state)))
        CHECK_OK(row->run(state, &io));
    row->destroy(state);
    tree_clear(&tree);
}

/* The low bits that f32 drops separate two points that coincide in f32; not
 * those one step of the low bits apart. */
static void close_f32(void)
{
    for (const struct variant_row *row = p2p_stage.rows; row->name; row++) {
        float found[2];
        if (strncmp(row->name, "gpu", 3) == 0)
            continue;
        pair_f32(row->variant, 2e-8, found);
        for (int i = 0; i < 2; i++)
            CHECK(fabs(found[i] * 2e-8 - 1) < 0.02, "%s: %g, not 5e7",
                  row->name, (double)found[i]);
        pair_f32(row->variant, 1.2e-10, found);
        CHECK(found[0] == 0 && found[1] == 0, "%s: %g of points at one place",
              row->name, (double)found[0]);
    }
}

/* A tree that is rebuilt in another precision, including targets. */
static void precisions(void)
{
    double x[30], y[30];
    struct tree tree = {0};
    tree_fractions(TREE_UNIFORM, 10, 5, x);
    tree_fractions(TREE_UNIFORM, 10, 6, y);
    const struct tree_given sources = given(x, 10), targets = given(y, 10);
    for (int step = 0; step < 4; step++) {
        struct tree_args shape = cube;
        shape.precision = step == 1 || step == 2 ? FARSUM_F32 : FARSUM_F64;
        CHECK_OK(
            tree_set(&tree, &shape, &sources, step == 1 ? NULL : &targets));
        CHECK((tree.source.low != NULL) == (shape.precision == FARSUM_F32),
              "step %d", step);
        CHECK(step == 1 || (tree.target.low != NULL) == (step == 2), "step %d",
              step);
    }
    tree_clear(&tree);
}

static void refuses(void)
{
    const struct p2p_args good = {
        .threads = 1,
        .outputs = FARSUM_POTENTIAL,
        .rhs = 1,
        .dense = 1,
        .ws = 1,
    };
    struct p2p_args bad = good;
    CHECK_OK(p2p_check(&good));
    bad.rhs = 0;
    CHECK_FAILS(p2p_check(&bad), FARSUM_ERR_ARGUMENT);
    bad = good;
    bad.softening = -1;
    CHECK_FAILS(p2p_check(&bad), FARSUM_ERR_ARGUMENT);
    bad.softening = NAN;
    CHECK_FAILS(p2p_check(&bad), FARSUM_ERR_ARGUMENT);
    bad = good;
    bad.outputs |= FARSUM_VIRIAL;
    CHECK_FAILS(p2p_check(&bad), FARSUM_ERR_UNSUPPORTED);
    struct tree tree = {.dense = 1, .ws = 2};
    double out[1];
    struct p2p_io io = {&tree, out, out, NULL, 0, NULL};
    CHECK_FAILS(p2p_check_io(&good, &io), FARSUM_ERR_ARGUMENT);
    tree.ws = 1;
    CHECK_OK(p2p_check_io(&good, &io));
    tree.precision = FARSUM_F32;
    CHECK_FAILS(p2p_check_io(&good, &io), FARSUM_ERR_ARGUMENT);
    tree.precision = FARSUM_F64;
    io.field = out;
    CHECK_FAILS(p2p_check_io(&good, &io), FARSUM_ERR_ARGUMENT);
}

/* Whatever allocation fails, nothing leaks. */
static void memory(void)
{
    const struct p2p_args args = {
        .threads = 3,
        .outputs = FARSUM_POTENTIAL,
        .rhs = 1,
        .ws = 1,
    };
    int64_t held = mem_bytes();
    for (const struct variant_row *row = p2p_stage.rows; row->name; row++) {
        int failures = 0, ok = 0;
        if (strncmp(row->name, "gpu", 3) == 0)
            continue;
        for (int k = 1; k < 100 && !ok; k++) {
            void *state = NULL;
            mem_fail_at(k);
            farsum_status status = row->variant->create(&args, &state);
            mem_fail_at(0);
            ok = status == FARSUM_OK;
            failures += !ok;
            CHECK(ok || status == FARSUM_ERR_MEMORY, "%s: status %d", row->name,
                  status);
            CHECK(ok || (state == NULL && mem_bytes() == held),
                  "%s: memory is kept", row->name);
            if (ok)
                row->variant->destroy(state);
        }
        CHECK(ok && failures > 1, "%s: %d failures", row->name, failures);
        CHECK(mem_bytes() == held, "%s: memory is kept", row->name);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "perf") == 0) {
        p2p_perf(argc > 2 ? atoll(argv[2]) : 100000,
                 argc > 3 ? atoi(argv[3]) : 4, argc > 4 ? atoi(argv[4]) : 1,
                 argc > 5 ? atoi(argv[5]) : 1);
        return check_end();
    }
    RUN(one_box);
    RUN(bricks);
    RUN(whole);
    RUN(close_f32);
    RUN(precisions);
    RUN(refuses);
    RUN(memory);
    return check_end();
}
