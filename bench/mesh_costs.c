/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_costs.c: predicted costs of variants on an H200, for comparison with
 * measured times.  Reads lines of mesh_rows and writes them with the costs of
 * this build; requires no device.
 *
 *     mesh_costs <rows.csv >costs.csv */
#include "mesh_case.h"

#include "base/isa.h"
#include "base/mem.h"
#include "points/clustering.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 18, MOST_POINTS = 1000000, COSTS = 3 };
static const double costs[COSTS] = {1, 20, 1e4};

static struct device h200 = {.name = "cuda:0",
                             .properties = {.model = "NVIDIA H200",
                                            .arch = "sm_90",
                                            .units = 132,
                                            .group_max = 1024,
                                            .subgroup = 32,
                                            .shuffles = 1,
                                            .f64 = 1,
                                            .local = 232448,
                                            .memory = 150ll << 30,
                                            .alloc_max = 150ll << 30,
                                            .cache = 60ll << 20,
                                            .clock = 1.98e9}};

static double crowding(const char *dist, const int64_t mesh[3], int64_t n)
{
    static char last[64];
    static double clustering;
    char key[64];
    snprintf(key, sizeof key, "%.20s %lld %lld", dist, (long long)mesh[0],
             (long long)n);
    if (strcmp(key, last) == 0)
        return clustering;
    strcpy(last, key);
    struct points points = {.n = n < MOST_POINTS ? n : MOST_POINTS};
    struct bench b = {.dist = dist, .spread.mesh = {mesh[0], mesh[1], mesh[2]}};
    uint64_t seed = 1;
    for (int d = 0; d < 3; d++)
        bench_need(MEM_RAW(points.s[d], points.n));
    for (int64_t i = 0; i < points.n; i++) {
        double x[3];
        bench_position(&b, i, &seed, x);
        for (int d = 0; d < 3; d++)
            points.s[d][i] = x[d] - (double)(int)x[d] + (x[d] < 0);
    }
    bench_need(clustering_measure(&points, mesh, &clustering));
    for (int d = 0; d < 3; d++)
        mem_free(points.s[d]);
    return clustering;
}

static void line(char *text)
{
    char *word[COLUMNS];
    int n = 0;
    for (char *w = strtok(text, ",\n"); w && n < COLUMNS;
         w = strtok(NULL, ",\n"))
        word[n++] = w;
    const struct stage *stage = n > 9 ? stage_find(word[0]) : NULL;
    if (!stage)
        return;
    struct window window;
    struct cell cell;
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    int f32 = strcmp(word[3], "f32") == 0, channels = atoi(word[5]);
    int64_t mesh = atoll(word[6]), count = atoll(word[7]);
    bench_need(cell_set(&cell, rows, 1));
    bench_need(window_set(&window, n > 16 ? word[16] : "prolate", atoi(word[4]),
                          0, 1.5, f32 ? 1e-8 : 1e-14));
    struct spread_args spread = {.precision = f32 ? FARSUM_F32 : FARSUM_F64,
                                 .device = &h200,
                                 .isa = isa_best(),
                                 .threads = 16,
                                 .mesh = {mesh, mesh, mesh},
                                 .ldz = mesh,
                                 .channels = channels,
                                 .parts = n > 17 ? atoi(word[17]) : 1,
                                 .window = &window,
                                 .n = count};
    spread.clustering = crowding(word[8], spread.mesh, count);
    struct interp_args interp = {.precision = spread.precision,
                                 .device = &h200,
                                 .isa = spread.isa,
                                 .threads = 16,
                                 .outputs = FARSUM_POTENTIAL,
                                 .mesh = {mesh, mesh, mesh},
                                 .ldz = mesh,
                                 .channels = channels,
                                 .parts = n > 17 ? atoi(word[17]) : 1,
                                 .clustering = spread.clustering,
                                 .window = &window,
                                 .cell = &cell,
                                 .n = count};
    for (const struct variant_row *row = stage->rows; row->name; row++) {
        if (strcmp(row->name, word[1]) != 0)
            continue;
        for (int k = 0; k < 15; k++)
            printf("%s,", k < n ? word[k] : "");
        for (int k = 0; k < COSTS; k++) {
            spread.repeats = interp.repeats = costs[k];
            printf("%.4g,", 1e3
                                * row->variant->cost(stage == &spread_stage
                                                         ? (void *)&spread
                                                         : (void *)&interp));
        }
        printf("%.4g,%s,%d\n", spread.clustering, window_name(&window),
               spread_parts(&spread));
    }
}

int main(void)
{
    char text[1024];
    while (fgets(text, sizeof text, stdin))
        line(text);
    return 0;
}
