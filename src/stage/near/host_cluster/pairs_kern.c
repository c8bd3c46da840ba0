/* SPDX-License-Identifier: Apache-2.0 */
/* pairs_kern.c: sums of the listed pairs; SIMD code of the scalar kernels. */
#include "stage/near/host_cluster/segment.h"

#define RAW(name) (strcmp(#name, "laplace") == 0)
#define BODY(name, n, to, output, newton, kernel, soft)                        \
    static void sum_##name##_##n##_##to(struct segment *s)                     \
    {                                                                          \
        segment_pairs(s, (struct pair_how){n, newton, output, 1, RAW(kernel),  \
                                           pair_##kernel,                      \
                                           pair_##kernel##_slope, soft, 0});   \
    }
#define BODIES(name, n, kernel, soft)                                          \
    BODY(name, n, pot, CLUSTER_POT, 0, kernel, soft)                           \
    BODY(name, n, field, CLUSTER_FIELD, 0, kernel, soft)                       \
    BODY(name, n, both, CLUSTER_BOTH, 0, kernel, soft)                         \
    BODY(name, n, pot_newton, CLUSTER_POT, 1, kernel, soft)                    \
    BODY(name, n, field_newton, CLUSTER_FIELD, 1, kernel, soft)                \
    BODY(name, n, both_newton, CLUSTER_BOTH, 1, kernel, soft)
#define KERNELS(name, strengths, n) BODIES(name, n, name, 0)
#define SOFTENED(name, strengths, n) BODIES(name, n, laplace, 1)
#define KERNEL_ROW(name, strengths, n)                                         \
    {n,                                                                        \
     {{sum_##name##_##n##_pot, sum_##name##_##n##_field,                       \
       sum_##name##_##n##_both},                                               \
      {sum_##name##_##n##_pot_newton, sum_##name##_##n##_field_newton,         \
       sum_##name##_##n##_both_newton}}},

/* Each kernel of pair.def has a line here. */
#define COEFS_laplace COEFS
#define COEFS_yukawa COEFS_FEW
#define COEFS_r6 COEFS_FEW

#define FLOW(name, strengths, channels, polys, note)
#define SCALAR(name, polys, note)                                              \
    COEFS_##name(KERNELS, name, 1)                                             \
    static const struct pair_kernel kernels_##name[]                           \
        = {COEFS_##name(KERNEL_ROW, name, 1)};
#include "math/pair.def"
#undef SCALAR
COEFS_FEW(SOFTENED, softened, 1)
static const struct pair_kernel kernels_softened[] = {
    COEFS_FEW(KERNEL_ROW, softened, 1)};

static const struct pair_kernels softened = {"laplace", 1, kernels_softened};
static const struct pair_kernels scalars[] = {
#define SCALAR(name, polys, note) {#name, RAW(name), kernels_##name},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
    {NULL, 0, NULL}};

static const struct pair_kernels *sum_kernels(const struct pair *pair,
                                              double soft)
{
    const struct pair_kernels *k =
        soft > 0               ? &softened
        : pair->kind->moments  ? ISA_NAME(near_host_cluster_moments)
        : pair->kind->gradient ? scalars
                               : ISA_NAME(near_host_cluster_flow);
    while (k->name && strcmp(k->name, pair->name) != 0)
        k++;
    return k;
}

/* The smallest compiled kernel that holds the polynomials and is as
 * accurate. */
static const struct pair_kernel *sum_kernel(const struct pair_kernels *kernels,
                                            const struct cluster_sum *sum)
{
    const struct near_poly *poly = sum->poly;
    int n = poly->n, used = kernels->raw;
    while (!used && n > 1) { /* drop coefficients that are 0 in each */
        for (int k = 0; k < sum->pair->polys; k++)
            used |= poly->c[k][n - 1] != 0;
        n -= !used;
    }
    int from = FARSUM_BITS == 64 && poly->error < 1e-9 ? CLUSTER_FULL_FROM : 0;
    const struct pair_kernel *kernel = kernels->kernel;
    while (kernel->n < n || kernel->n < from)
        kernel++;
    return kernel;
}

static void sum_table(struct pair_table *table, const struct cluster_sum *sum,
                      int raw)
{
    double unit = sum->grid->unit;
    memset(table, 0, sizeof *table);
    table->cut = v_set((real)(unit * unit));
    table->skip = v_set((real)(sum->skip * sum->skip));
    table->two = v_set((real)(2 / (unit * unit)));
    table->unit = v_set((real)unit);
    table->part = v_set((real)(1 / unit));
    table->kappa = v_set((real)sum->pair->kappa);
    if (sum->soft > 0) {
        table->soft = v_set((real)(sum->soft * sum->soft));
        table->per[0] = v_set((real)(1 / (sum->soft * sum->soft)));
        table->per[1] = v_set((real)(1 / sum->soft));
        table->per[2] = v_set((real)pow(sum->soft, -3));
    }
    for (int k = 0; k < sum->pair->polys; k++) {
        double scale = !raw ? 1 : k ? unit * unit * unit : unit;
        for (int i = 0; i < sum->poly->n; i++)
            table->c[k][i] = v_set((real)(sum->poly->c[k][i] / scale));
    }
}

/* Loads the group's points, moved by the image; returns the mask of existing
 * points. */
static unsigned sum_points(const struct cluster_sum *sum, int64_t c, int sub,
                           struct segment *s)
{
    const coord *x = cluster_x(sum->targets, c) + sub;
    unsigned valid = 0;
    for (int i = 0; i < G; i++) {
        valid |= (unsigned)(sum->targets->order[c * W + sub + i] >= 0) << i;
        for (int j = 0; j < 3; j++)
            s->point[i].x[j] = c_set(x[j * W + i] - coord_of(s->shift[j]));
        s->point[i].q[0] = v_set(((const real *)x)[3 * W + i]);
    }
    for (int i = 0; i < G && sum->targets->rows > 4; i++)
        for (int j = 4; j < sum->targets->rows; j++)
            s->point[i].q[j - 3] = v_set(((const real *)x)[j * W + i]);
    return valid;
}

/* Subtracts an image's shift times its force on point i of the group. */
static void sum_shift(const struct cluster_sum *sum, const struct segment *s,
                      int i)
{
    const vreal *q = s->point[i].q;
    double force[3], at[CLUSTER_PARTS], own[4];
    for (int k = 0; k < SUMS(sum->output); k++)
        at[k] = (double)v_sum(s->acc[i][k]);
    memcpy(force, at, sizeof force);
    if (sum->output == CLUSTER_ALL) {
        for (int k = 0; k < 4; k++)
            own[k] = (double)q[k][0];
        cluster_force(own, at, force);
    }
    for (int k = 0; k < 9; k++)
        sum->virial[k] -= s->shift[k / 3] / sum->grid->unit * force[k % 3];
}

/* Adds the sums of the image to the total, and its part to the virial. */
static void sum_image(const struct cluster_sum *sum, struct segment *s)
{
    const int sums = SUMS(sum->output);
    for (int i = 0; i < G && sum->virial && s->moved; i++)
        sum_shift(sum, s, i);
    s->terms = 0;
    for (int i = 0; i < G; i++)
        for (int j = 0; j < sums; j++) {
            if (sum->wide) {
                real acc[W];
                v_store(acc, s->acc[i][j]);
                for (int l = 0; l < W; l++)
                    s->wide[i][j][l] += (double)acc[l];
            } else {
                s->total[i][j] += s->acc[i][j];
            }
            s->acc[i][j] = v_set(0);
        }
}

/* Starts an image.  Lists of one image may span several segments, depending on
 * where blocks ended; this must not affect the order of the sums. */
static void sum_move(const struct cluster_sum *sum, const uint32_t k[3],
                     int64_t c, int sub, struct segment *s)
{
    const struct cluster_grid *grid = sum->grid;
    if (memcmp(k, s->k, sizeof s->k) == 0)
        return;
    sum_image(sum, s);
    memcpy(s->k, k, sizeof s->k);
    s->moved = k[0] || k[1] || k[2];
    for (int j = 0; j < 3; j++)
        s->shift[j] = (double)(int32_t)k[0] * grid->p[0][j]
                      + (double)(int32_t)k[1] * grid->p[1][j]
                      + (double)(int32_t)k[2] * grid->p[2][j];
    sum_points(sum, c, sub, s);
}

/* Sums the segment at `word`. */
static void sum_segment(const struct cluster_sum *sum, const uint32_t *word,
                        int64_t c, int sub, struct segment *s)
{
    int64_t base = (int64_t)(word[5] | (uint64_t)word[6] << 32);
    sum_move(sum, word + 2, c, sub, s);
    s->entry = word + CLUSTER_HEADER;
    s->count = word[0];
    s->slow = word[1] == CLUSTER_SLOW;
    s->x = cluster_x(sum->sources, base);
    if (sum->newton)
        s->f =
            (real *)sum->out + cluster_out(sum, base) * PART(sum->output) * W;
    if (s->slow)
        memset(s->lanes, 0xff, sizeof s->lanes);
    if (!sum->wide) {
        s->kernel(s);
        return;
    }
    for (int64_t left = word[0]; left > 0; left -= s->count) {
        s->count = WIDE_TERMS - s->terms;
        s->count = left < s->count ? left : s->count;
        s->kernel(s);
        s->entry += s->count;
        s->terms += s->count;
        if (s->terms == WIDE_TERMS) /* of the image, not of this segment */
            sum_image(sum, s);
    }
}

/* Sums pairs within the group's own cluster: each point with the lanes after
 * it. */
static void sum_own(const struct cluster_sum *sum, int64_t c, int sub,
                    struct segment *s)
{
    static const uint32_t home[3];
    sum_move(sum, home, c, sub, s);
    const uint32_t entry = sum_points(sum, c, sub, s);
    s->entry = &entry;
    s->count = 1;
    s->slow = 1;
    s->x = cluster_x(sum->sources, c);
    s->f = (real *)sum->out + cluster_out(sum, c) * PART(sum->output) * W;
    for (int i = 0; i < G; i++)
        for (int l = 0; l < W; l++)
            s->lanes[i][l] = l > sub + i ? -1 : 0;
    s->kernel(s);
}

static void sum_group(const struct cluster_sum *sum, int64_t c, int sub,
                      struct segment *s)
{
    static const double none[3];
    const int parts = PART(sum->output);
    const uint32_t *word = sum->pool + sum->start[c * (W / G) + sub / G];
    memset(s->k, 0, sizeof s->k);
    memcpy(s->shift, none, sizeof none);
    for (int i = 0; i < G; i++) {
        const size_t sums = (size_t)SUMS(sum->output);
        memset(s->acc[i], 0, sums * sizeof **s->acc);
        memset(s->total[i], 0, sums * sizeof **s->total);
        if (sum->wide)
            memset(s->wide[i], 0, sums * sizeof **s->wide);
    }
    s->terms = 0;
    s->moved = 0;
    sum_points(sum, c, sub, s);
    while (word[0]) {
        if (word[1] == CLUSTER_JUMP) {
            word = sum->pool + (word[5] | (uint64_t)word[6] << 32);
            continue;
        }
        sum_segment(sum, word, c, sub, s);
        word += CLUSTER_HEADER + word[0];
    }
    if (sum->newton)
        sum_own(sum, c, sub, s);
    sum_image(sum, s);
    const int64_t at = cluster_out(sum, c) * parts * W + sub;
    real *to = (real *)sum->out + at;
    for (int i = 0; i < G; i++)
        for (int j = 0; j < parts; j++) {
            const int from = sum->output == CLUSTER_POT ? 3 : j;
            for (int l = 0; sum->wide && l < W; l++)
                sum->wide[at + j * W + i] += s->wide[i][from][l];
            if (!sum->wide)
                to[j * W + i] += v_sum(s->total[i][from]);
        }
}

/* Sums target clusters begin .. end, column by column.  Sums to which both
 * points of a pair add are spilled. */
static void sum_columns(const struct cluster_sum *sum, struct segment *s)
{
    const int64_t *column = sum->targets->column;
    int64_t k = 0;
    for (int64_t c = sum->begin; c < sum->end;) {
        while (column[k + 1] <= c)
            k++;
        int64_t step = cluster_step(sum, k, W), end = column[k + 1];
        end = end < sum->end ? end : sum->end;
        end = end < c + step ? end : c + step;
        const int32_t points = (int32_t)(end - c) * W,
                      clustering = sum->clustering[k];
        for (; c < end; c++)
            for (int sub = 0; sub < W; sub += G)
                sum_group(sum, c, sub, s);
        cluster_spill(sum, k, points < clustering ? points : clustering, W);
    }
    cluster_spill_all(sum, W);
}

static int cluster_raw(const struct pair *pair)
{
    return sum_kernels(pair, 0)->raw;
}

static void cluster_sum(const struct cluster_sum *sum)
{
    const struct pair_kernels *kernels = sum_kernels(sum->pair, sum->soft);
    struct pair_table table;
    struct segment s = {.table = &table,
                        .kernel = sum_kernel(kernels, sum)
                                      ->sum[sum->newton][sum->output]};
    const int parts = PART(sum->output);
    sum_table(&table, sum, kernels->raw);
    memset(sum->out, 0, (size_t)(sum->count * parts * W) * sizeof(real));
    if (sum->wide)
        memset(sum->wide, 0, (size_t)(sum->count * parts * W) * sizeof(double));
    if (sum->wide && sum->newton) {
        sum_columns(sum, &s);
        return;
    }
    for (int64_t c = sum->begin; c < sum->end; c++)
        for (int sub = 0; sub < W; sub += G)
            sum_group(sum, c, sub, &s);
}

const struct cluster_kern ISA_NAME(near_host_cluster) = {cluster_raw,
                                                          cluster_sum};
