/* host_cluster_kern.c: the pairs of the lists. */
#include "stage/near/host_cluster_pair.h"

enum { CHUNK = 127 }; /* entries that are taken apart at once */

/* A group, and a stretch of its list, all of one image. */
struct segment {
    const struct pair_table *table;
    void (*kernel)(struct segment *s);
    uint32_t k[3];           /* the image; where it moves the sources */
    double shift[3];
    int moved;               /* 1: k is not 0 */
    const uint32_t *entry;   /* [count] */
    int64_t count;
    const coord *x;          /* clusters of the sources, from the base on */
    real *f;                 /* their sums */
    struct pair_point point[CLUSTER_GROUP]; /* moved against the image */
    int slow;                /* 1: only these lanes of the sources, and some
                                pair coincides */
    vmask lanes[CLUSTER_GROUP];
    vreal acc[CLUSTER_GROUP][4], total[CLUSTER_GROUP][4]; /* the image's sums,
                                and those of images before */
};

/* For each point of the group the clusters that it meets. */
SIMD_FN void segment_open(const uint32_t *entry, int count,
                          uint32_t to[CLUSTER_GROUP][CHUNK + 1],
                          int n[CLUSTER_GROUP])
{
    int n0 = 0, n1 = 0, n2 = 0, n3 = 0;
    for (int m = 0; m < count; m++) {
        uint32_t e = entry[m], c = e >> CLUSTER_GROUP;
        to[0][n0] = c;
        n0 += e & 1;
        to[1][n1] = c;
        n1 += e >> 1 & 1;
        if (G == 2)
            continue;
        to[2][n2] = c;
        n2 += e >> 2 & 1;
        to[3][n3] = c;
        n3 += e >> 3 & 1;
    }
    n[0] = n0;
    n[1] = n1;
    n[2] = n2;
    n[3] = n3;
    for (int i = 0; i < G; i++)
        to[i][n[i]] = 0; /* looked at, not used */
}

/* One point with the clusters of its list. */
SIMD_FN void segment_fast(const struct segment *s, const uint32_t *list,
                          const int n, const int coefs, const int output,
                          const int newton, const struct pair_point *point,
                          vreal acc[4])
{
    const vmask all = {0};
    struct pair_half next = pair_open(point, s->x + (int64_t)list[0] * (4 * W));
    for (int m = 0; m < n; m++) {
        struct pair_half half = next;
        next = pair_open(point, s->x + (int64_t)list[m + 1] * (4 * W));
        pair_close(coefs, output, newton, 0, s->table, point, half,
                   s->x + (int64_t)list[m] * (4 * W),
                   s->f + (int64_t)list[m] * (PART(output) * W), all, acc);
    }
}

SIMD_FN void segment_pairs(struct segment *s, const int coefs, const int output,
                           const int newton)
{
    uint32_t list[CLUSTER_GROUP][CHUNK + 1];
    int n[CLUSTER_GROUP];
    for (int64_t from = 0; from < s->count; from += CHUNK) {
        int64_t left = s->count - from;
        segment_open(s->entry + from, left < CHUNK ? (int)left : CHUNK, list,
                     n);
        for (int i = 0; i < G; i++) {
            const struct pair_point point = s->point[i];
            vreal acc[4];
            for (int j = 0; j < 4; j++)
                acc[j] = s->acc[i][j];
            if (!s->slow)
                segment_fast(s, list[i], n[i], coefs, output, newton, &point,
                             acc);
            for (int m = 0; s->slow && m < n[i]; m++) {
                const coord *x = s->x + (int64_t)list[i][m] * (4 * W);
                pair_close(coefs, output, newton, 1, s->table, &point,
                           pair_open(&point, x), x,
                           s->f + (int64_t)list[i][m] * (PART(output) * W),
                           s->lanes[i], acc);
            }
            for (int j = 0; j < 4; j++)
                s->acc[i][j] = acc[j];
        }
    }
}

/* The kernels: numbers of coefficients x outputs x newton. */
#define COEFS(X)                                                               \
    X(6) X(8) X(10) X(12) X(14) X(16) X(18) X(20) X(22) X(24) X(28) X(32)      \
    X(40) X(48)
#define KERNELS(n)                                                             \
    static void sum_##n##_pot(struct segment *s)                               \
    {                                                                          \
        segment_pairs(s, n, CLUSTER_POT, 0);                                   \
    }                                                                          \
    static void sum_##n##_field(struct segment *s)                             \
    {                                                                          \
        segment_pairs(s, n, CLUSTER_FIELD, 0);                                 \
    }                                                                          \
    static void sum_##n##_both(struct segment *s)                              \
    {                                                                          \
        segment_pairs(s, n, CLUSTER_BOTH, 0);                                  \
    }                                                                          \
    static void sum_##n##_pot_newton(struct segment *s)                        \
    {                                                                          \
        segment_pairs(s, n, CLUSTER_POT, 1);                                   \
    }                                                                          \
    static void sum_##n##_field_newton(struct segment *s)                      \
    {                                                                          \
        segment_pairs(s, n, CLUSTER_FIELD, 1);                                 \
    }                                                                          \
    static void sum_##n##_both_newton(struct segment *s)                       \
    {                                                                          \
        segment_pairs(s, n, CLUSTER_BOTH, 1);                                  \
    }
COEFS(KERNELS)

static const struct pair_kernel {
    int n;
    void (*sum[2][3])(struct segment *s); /* [newton][output] */
} kernels[] = {
#define KERNEL_ROW(n)                                                          \
    {n,                                                                        \
     {{sum_##n##_pot, sum_##n##_field, sum_##n##_both},                        \
      {sum_##n##_pot_newton, sum_##n##_field_newton, sum_##n##_both_newton}}},
    COEFS(KERNEL_ROW)};

/* The smallest that holds the polynomial and is as good. */
static const struct pair_kernel *sum_kernel(const struct near_poly *poly)
{
    int from = FARSUM_BITS == 64 && poly->error < 1e-9 ? CLUSTER_FULL_FROM : 0;
    const struct pair_kernel *kernel = kernels;
    while (kernel->n < poly->n || kernel->n < from)
        kernel++;
    return kernel;
}

static void sum_table(struct pair_table *table, const struct cluster_sum *sum)
{
    double unit = sum->grid->unit;
    memset(table, 0, sizeof *table);
    table->cut = v_set((real)(unit * unit));
    table->skip = v_set((real)(sum->skip * sum->skip));
    table->two = v_set((real)(2 / (unit * unit)));
    for (int k = 0; k < sum->poly->n; k++) {
        table->p[k] = v_set((real)(sum->poly->p[k] / unit));
        table->g[k] = v_set((real)(sum->poly->g[k] / (unit * unit * unit)));
    }
}

/* Where `out` holds cluster c. */
static int64_t sum_place(const struct cluster_sum *sum, int64_t c)
{
    int64_t k = c - sum->first;
    return k >= 0 ? k : k + sum->targets->n_clusters;
}

/* The group's points, moved by the image; the bits of those that are there. */
static unsigned sum_points(const struct cluster_sum *sum, int64_t c, int sub,
                           struct segment *s)
{
    const coord *x = cluster_x(sum->targets, c) + sub;
    unsigned valid = 0;
    for (int i = 0; i < G; i++) {
        valid |= (unsigned)(sum->targets->order[c * W + sub + i] >= 0) << i;
        for (int j = 0; j < 3; j++)
            s->point[i].x[j] = c_set(x[j * W + i] - coord_of(s->shift[j]));
        s->point[i].q = v_set(((const real *)x)[3 * W + i]);
    }
    return valid;
}

/* The end of an image: what it has summed goes to the total, and what it takes
 * from the virial, shift times force. */
static void sum_image(const struct cluster_sum *sum, struct segment *s)
{
    for (int i = 0; i < G; i++)
        for (int k = 0; k < 9 && sum->virial && s->moved; k++)
            sum->virial[k] -= s->shift[k / 3] / sum->grid->unit
                              * (double)v_sum(s->acc[i][k % 3]);
    for (int i = 0; i < G; i++)
        for (int j = 0; j < 4; j++) {
            s->total[i][j] += s->acc[i][j];
            s->acc[i][j] = v_set(0);
        }
}

/* Lists of one image may come in several segments, depending on where blocks
 * ended: that must not show in the order of the sums. */
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

/* The segment at `word`. */
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
        s->f = (real *)sum->out + sum_place(sum, base) * PART(sum->output) * W;
    if (s->slow)
        memset(s->lanes, 0xff, sizeof s->lanes);
    s->kernel(s);
}

/* Pairs inside the group's own cluster: each with the lanes behind it. */
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
    s->f = (real *)sum->out + sum_place(sum, c) * PART(sum->output) * W;
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
    memset(s->acc, 0, sizeof s->acc);
    memset(s->total, 0, sizeof s->total);
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
    real *to = (real *)sum->out + sum_place(sum, c) * parts * W + sub;
    for (int i = 0; i < G; i++)
        for (int j = 0; j < parts; j++)
            to[j * W + i]
                += v_sum(s->total[i][sum->output == CLUSTER_POT ? 3 : j]);
}

static void cluster_sum(const struct cluster_sum *sum)
{
    struct pair_table table;
    struct segment s = {.table = &table,
                        .kernel = sum_kernel(sum->poly)
                                      ->sum[sum->newton][sum->output]};
    const int parts = PART(sum->output);
    sum_table(&table, sum);
    memset(sum->out, 0, (size_t)(sum->count * parts * W) * sizeof(real));
    for (int64_t c = sum->begin; c < sum->end; c++)
        for (int sub = 0; sub < W; sub += G)
            sum_group(sum, c, sub, &s);
}

const struct cluster_kern ISA_NAME(near_host_cluster) = {cluster_sum};
