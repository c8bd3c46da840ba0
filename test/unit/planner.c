/* SPDX-License-Identifier: Apache-2.0 */
/* planner.c: tests of tune/measured_choice.c: clustering and its effects,
 * cached times, and bad cache files. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "check.h"
#include "farsum/device.h"
#include "tune/measured_choice.h"
#include "cost/kept_times.h"
#include "points/clustering.h"
#include "points/device/set.h"
#include "planner.h"

static char folder[] = "/tmp/farsum-planner-XXXXXX";
struct window window;
static struct cell cell;

/* Properties of an H200 for the variants' costs. */
static const struct device_backend nobody = {.name = "nobody"};
static struct device h200 = {.name = "nobody:0",
                             .backend = &nobody,
                             .properties = {.model = "H200",
                                            .arch = "sm_90",
                                            .units = 132,
                                            .group_max = 1024,
                                            .subgroup = 32,
                                            .shuffles = 1,
                                            .f64 = 1,
                                            .local = 232448,
                                            .memory = 1ll << 37,
                                            .alloc_max = 1ll << 37,
                                            .cache = 60ll << 20,
                                            .clock = 1.98e9}};

struct spread_args args_of(struct device *device, int64_t n, int64_t m)
{
    return (struct spread_args){.precision = FARSUM_F32,
                                .device = device,
                                .isa = isa_best(),
                                .threads = 1,
                                .mesh = {m, m, m},
                                .ldz = m,
                                .window = &window,
                                .n = n};
}

static double number(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

double *cloud(int64_t n, int clustered)
{
    double *x = check_memory((size_t)n * 3, sizeof *x);
    uint64_t seed = 5;
    for (int64_t i = 0; i < 3 * n; i++) {
        double u = number(&seed);
        x[i] = clustered && i / 3 % 2 ? 0.4 + 0.1 * u : u;
    }
    return x;
}

static double clustering_on(struct device *device, int64_t n, int clustered,
                            int64_t m)
{
    struct points points = {.n = 0};
    const int64_t mesh[3] = {m, m, m};
    double clustering = 0, *x = cloud(n, clustered);
    if (device) {
        CHECK_OK(points_gpu_create(device, &points.gpu));
        CHECK_OK(points_gpu_set(points.gpu, &cell, n, x, FARSUM_F64, "point"));
        points.n = n;
    } else
        CHECK_OK(points_set(&points, &cell, n, x, FARSUM_F64, "point", 1));
    CHECK_OK(clustering_measure(&points, mesh, &clustering));
    points_clear(&points);
    free(x);
    return clustering;
}

/* 1/4 of the points are in a thousandth of the volume, 3/4 anywhere. */
static void crowding(void)
{
    CHECK_NEAR(clustering_of(30, 10, 5), 5 * 20.0 / 90, 1e-12);
    CHECK_NEAR(clustering_of(10, 10, 1000), 1, 0);
    CHECK_NEAR(clustering_on(NULL, 20000, 0, 160), 1, 0.2);
    CHECK_NEAR(clustering_on(NULL, 20000, 1, 160), 250.75, 40);
    CHECK_NEAR(clustering_on(NULL, 300000, 1, 160), 250.75, 40);
    CHECK_NEAR(clustering_on(NULL, 300, 0, 160), 1, 0.5);
    CHECK_NEAR(clustering_on(NULL, 1, 0, 160), 1, 0);
    struct device *device = NULL;
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if (device_open(name ? name : "opencl:0", &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return;
    }
    /* the same points in the same tiles */
    CHECK_NEAR(clustering_on(device, 20000, 1, 160),
               clustering_on(NULL, 20000, 1, 160), 1e-9);
    device_close(device);
}

/* With one thread block per cell, the fullest cell determines the time; kept
 * matrices pay if runs are many. */
static void crowding_counts(void)
{
    struct choose_options none = {.name = NULL};
    struct choice even, clustered, often;
    struct spread_args args = args_of(&h200, 1000000, 128);
    CHECK_OK(choose(&spread_stage, &args, &none, &even));
    args.clustering = 1000;
    CHECK_OK(choose(&spread_stage, &args, &none, &clustered));
    CHECK(strstr(clustered.reason, "crowding 1e+03"), "%s", clustered.reason);
    CHECK(strstr(clustered.reason, "0.477 points per mesh point"), "%s",
          clustered.reason);
    CHECK(strstr(clustered.reason, " times;"), "%s", clustered.reason);
    args.repeats = 1e4; /* a matrix's set-up then matters less */
    const char *const slower[] = {"gpu_cell_grid", "gpu_group",
                                  "gpu_particle_cas", "gpu_hybrid_mesh",
                                  "gpu_stream"};
    for (const struct variant_row *r = spread_stage.rows; r->name; r++)
        for (size_t k = 0; k < sizeof slower / sizeof *slower; k++)
            if (strcmp(r->name, slower[k]) == 0) {
                args.clustering = 1;
                double one = r->variant->cost(&args);
                args.clustering = 1000;
                double many = r->variant->cost(&args);
                CHECK(many > 1.1 * one, "%s: %g, crowded %g", r->name, one,
                      many);
            }
    args.clustering = 1;
    args.repeats = 1e4;
    args.n = 1000;
    args.mesh[0] = args.mesh[1] = args.mesh[2] = args.ldz = 64;
    CHECK_OK(choose(&spread_stage, &args, &none, &often));
    args.repeats = 1;
    CHECK_OK(choose(&spread_stage, &args, &none, &even));
    CHECK(often.row != even.row, "%s for one run and for 1e4", even.row->name);
    CHECK(strstr(often.reason, "1e+04 runs per set"), "%s", often.reason);
}

static void key_of(char key[KEPT_TIMES_KEY], const struct spread_args *args)
{
    planner_key(key, NULL, args->isa, args->threads, &spread_stage, args);
}

static void put(const char *text, const char *mode)
{
    char file[100];
    snprintf(file, sizeof file, "%s/wisdom", folder);
    FILE *f = fopen(file, mode);
    if (!f)
        check_stop("%s cannot be written", file);
    fputs(text, f);
    fclose(f);
}

static void seen(const char *file, const char *arch, int64_t bytes, void *data)
{
    (void)file;
    (void)bytes;
    snprintf(data, 16, "%s", arch);
}

static void round_trip(void)
{
    char key[KEPT_TIMES_KEY], other[KEPT_TIMES_KEY], file[200];
    struct spread_args args = args_of(NULL, 5000, 20);
    struct choose_time times[CHOOSE_MOST];
    const struct choose_time kept[] = {{"plain", 0.5, 0.25},
                                       {"host_tile", 1e-5, 3e-6}};
    const struct choose_time newer = {"plain", 1, 2};
    int64_t lines, bytes;
    kept_times_clear();
    key_of(key, &args);
    CHECK(kept_times_load(key, times) == 0, "there are times before any");
    kept_times_keep(key, kept, 2);
    CHECK(kept_times_load(key, times) == 2, "not the two that were kept");
    CHECK(strcmp(times[0].row, "plain") == 0 && times[0].set == 0.5
              && times[0].run == 0.25,
          "%s %g %g", times[0].row, times[0].set, times[0].run);
    kept_times_keep(key, &newer, 1);
    CHECK(kept_times_load(key, times) == 2, "one replaces one");
    CHECK(times[1].run == 2, "%s is not the newer", times[1].row);
    args.clustering = 100;
    key_of(other, &args);
    CHECK(kept_times_load(other, times) == 0, "another crowding's times");
    args.clustering = 1;
    args.n = 5100; /* nearly the same */
    key_of(other, &args);
    CHECK(kept_times_load(other, times) == 2, "%s", other);
    args.threads = 7;
    key_of(other, &args);
    CHECK(kept_times_load(other, times) == 0, "another machine's times");
    kept_times_about(file, sizeof file, &lines, &bytes);
    CHECK(lines == 2 && bytes > 0 && strstr(file, folder), "%s: %lld lines",
          file, (long long)lines);
    char where[200], arch[16] = "";
    int64_t files = 0, all = 0;
    CHECK_OK(farsum_cache_list(seen, arch, where, sizeof where, &files, &all));
    CHECK(files == 1 && all == bytes && strcmp(arch, "times") == 0,
          "%lld files, %s", (long long)files, arch);
    CHECK_OK(farsum_cache_clear(&files));
    CHECK(files == 1, "%lld files removed", (long long)files);
    CHECK(kept_times_clear() == 0, "it is still there");
    CHECK(kept_times_load(key, times) == 0, "times after they were removed");
}

/* A measured time overrules the model, and the reason says so. */
static void times_decide(void)
{
    char key[KEPT_TIMES_KEY];
    struct spread_args args = args_of(NULL, 5000, 20);
    struct planner how = {.isa = args.isa, .threads = args.threads};
    const struct choose_time kept = {"plain", 0, 1e-9};
    struct choice choice;
    kept_times_clear();
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    CHECK(strcmp(choice.row->name, "plain") != 0, "plain by its model");
    CHECK(!choice.measured && strstr(choice.reason, "est "), "%s",
          choice.reason);
    key_of(key, &args);
    kept_times_keep(key, &kept, 1);
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    CHECK(strcmp(choice.row->name, "plain") == 0, "%s", choice.row->name);
    CHECK(choice.measured && strstr(choice.reason, "measured"), "%s",
          choice.reason);
    /* no model is more optimistic than the measured one */
    kept_times_clear();
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    struct choose_time slow = {"", 0, 100 * choice.cost};
    snprintf(slow.row, sizeof slow.row, "%s", choice.row->name);
    kept_times_keep(key, &slow, 1);
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    CHECK(strcmp(choice.row->name, slow.row) == 0, "%s by its model",
          choice.row->name);
    how.name = "host_tile";
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    CHECK(strcmp(choice.row->name, "host_tile") == 0, "named");
}

/* Lines without meaning are skipped; a good one among them is read. */
static void garbage(void)
{
    char key[KEPT_TIMES_KEY], line[KEPT_TIMES_KEY + 100];
    struct spread_args args = args_of(NULL, 5000, 20);
    struct choose_time times[CHOOSE_MOST];
    static const char *const bad[] = {
        "plain",
        "plain 1",
        "plain -1 1",
        "plain 1 nan",
        "plain 1 0",
        "plain 1 1 1",
        "plain x y",
        "plain 1 1e9",
        "a_name_that_is_longer_than_any_row_has_ever_had 1 1"};
    key_of(key, &args);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        snprintf(line, sizeof line, "%s%s\n", key, bad[k]);
        put(line, "w");
        CHECK(kept_times_load(key, times) == 0, "'%s' is a time", bad[k]);
    }
    put("\001\377 no text\n\n|||\n", "w");
    snprintf(line, sizeof line, "%splain 1 2\n", key);
    put(line, "a");
    CHECK(kept_times_load(key, times) == 1, "the good line is not read");
    /* a variant that no longer exists */
    snprintf(line, sizeof line, "%sgone 0 1e-9\n", key);
    put(line, "w");
    struct planner how = {.isa = args.isa, .threads = args.threads};
    struct choice choice;
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    const struct choose_time kept = {"host_tile", 1, 1};
    kept_times_keep(key, &kept, 1);
    CHECK(kept_times_load(key, times) == 2, "a line is lost");
}

/* An impossible folder: no failure, nothing kept. */
static void no_folder(void)
{
    char key[KEPT_TIMES_KEY], inside[200];
    struct spread_args args = args_of(NULL, 5000, 20);
    struct choose_time times[CHOOSE_MOST], kept = {"plain", 1, 1};
    struct planner how = {
        .isa = args.isa, .threads = args.threads, .measure = 1};
    struct choice choice;
    key_of(key, &args);
    put("x\n", "w");
    snprintf(inside, sizeof inside, "%s/wisdom/below", folder);
    setenv("FARSUM_CACHE_DIR", inside, 1);
    kept_times_keep(key, &kept, 1);
    CHECK(kept_times_load(key, times) == 0, "kept in no folder");
    CHECK_OK(planner_choose(&how, &spread_stage, &args, &choice));
    CHECK(choice.measured, "%s", choice.reason);
    setenv("FARSUM_CACHE_DIR", "", 1);
    kept_times_keep(key, &kept, 1);
    CHECK(kept_times_load(key, times) == 0, "kept though it is off");
    setenv("FARSUM_CACHE_DIR", folder, 1);
}

static void measuring(const struct stage *stage, const void *args,
                      struct device *device)
{
    char key[KEPT_TIMES_KEY];
    struct planner how = {
        .isa = isa_best(), .threads = 1, .measure = 1, .device = device};
    struct choose_time times[CHOOSE_MOST];
    struct choice first, second;
    kept_times_clear();
    CHECK_OK(planner_choose(&how, stage, args, &first));
    CHECK(first.measured, "%s: %s", stage->name, first.reason);
    planner_key(key, device, how.isa, 1, stage, args);
    int n = kept_times_load(key, times), faster = 0;
    CHECK(n > 0, "%s: nothing is kept", stage->name);
    for (int i = 0; i < n; i++) {
        CHECK(times[i].run > 1e-9 && times[i].run < 100, "%s %g", times[i].row,
              times[i].run);
        faster += times[i].run + times[i].set < 0.999 * first.cost;
    }
    CHECK(faster == 0, "%s: %d variants were faster", stage->name, faster);
    how.measure = 0;
    CHECK_OK(planner_choose(&how, stage, args, &second));
    CHECK(second.row == first.row && second.measured, "%s: %s, then %s",
          stage->name, first.row->name, second.row->name);
}

static void measured(void)
{
    struct spread_args spread = args_of(NULL, 3000, 20);
    struct interp_args interp = {.precision = FARSUM_F64,
                                 .isa = isa_best(),
                                 .threads = 1,
                                 .outputs = FARSUM_POTENTIAL | FARSUM_FIELD,
                                 .mesh = {12, 15, 18},
                                 .ldz = 20,
                                 .channels = 2,
                                 .parts = 2,
                                 .clustering = 30,
                                 .window = &window,
                                 .cell = &cell,
                                 .n = 2000};
    measuring(&spread_stage, &spread, NULL);
    measuring(&interp_stage, &interp, NULL);
    mem_fail_at(1); /* no memory to measure: the model decides */
    struct planner how = {.isa = isa_best(), .threads = 1, .measure = 1};
    struct choice choice;
    kept_times_clear();
    spread.n = 100000;
    farsum_status status =
        planner_choose(&how, &spread_stage, &spread, &choice);
    mem_fail_at(0);
    CHECK_OK(status);
}

int main(void)
{
    const double rows[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (!mkdtemp(folder))
        check_stop("no folder for the test");
    CHECK_OK(cell_set(&cell, rows, 1));
    CHECK_OK(window_set(&window, "prolate", 6, 0, 1.5, 1e-8));
    RUN(crowding);
    RUN(mesh_on_device);
    setenv("FARSUM_CACHE_DIR", folder, 1);
    RUN(crowding_counts);
    RUN(round_trip);
    RUN(times_decide);
    RUN(garbage);
    RUN(no_folder);
    RUN(measured);
    RUN(mesh_tunes);
    RUN(mesh_points);
    kept_times_clear();
    rmdir(folder);
    return check_end();
}
