/* SPDX-License-Identifier: Apache-2.0 */
/* api_choice.c: tests of unknown names, options that conflict, memory limits
 * and lists. */
#include "api.h"

#include <stdlib.h>

static void unknown_names(void)
{
    REFUSED(s.problem.kernel = "laplase", ERR_UNKNOWN, "laplase",
            "did you mean laplace");
    REFUSED(s.options.method = "spectrl", ERR_UNKNOWN, "method \"spectrl\"",
            "did you mean spectral", "direct, ewald, spectral");
    REFUSED(s.options.spectral.split = "gausian", ERR_UNKNOWN,
            "split \"gausian\"", "did you mean gaussian", "prolate");
    REFUSED(s.options.spectral.window = "kaiser-bessel", ERR_UNKNOWN,
            "window \"kaiser-bessel\"", "did you mean kaiser_bessel",
            "bspline");
    REFUSED(s.options.spectral.near = "host_clusters", ERR_UNKNOWN, "near",
            "did you mean host_cluster");
    REFUSED(s.options.spectral.spread = "host_tyle", ERR_UNKNOWN, "spread",
            "did you mean host_tile");
    REFUSED(s.options.spectral.fft = "kis", ERR_UNKNOWN, "fft",
            "did you mean kiss");
    REFUSED(s.options.spectral.scale = "plane", ERR_UNKNOWN, "scale",
            "did you mean plain");
    REFUSED(s.options.spectral.interp = "nothing_alike", ERR_UNKNOWN, "interp",
            "plain, host_tile");
    REFUSED(s.options.isa = "avx3", ERR_UNKNOWN, "avx3", "base, avx2, avx512");
    REFUSED(s.options.device.name = "quda:0", ERR_UNKNOWN, "quda:0", "host",
            "opencl");
}

static void options(void)
{
    REFUSED(s.options.cutoff = -1, ERR_ARGUMENT, "cutoff is -1");
    REFUSED(s.options.repeats = -2, ERR_ARGUMENT, "repeats is -2");
    REFUSED(s.options.spectral.bandwidth = NAN, ERR_ARGUMENT,
            "bandwidth is nan");
    REFUSED(s.options.spectral.shape = INFINITY, ERR_ARGUMENT, "shape is inf");
    REFUSED(s.options.spectral.upsampling = 0.5, ERR_ARGUMENT,
            "upsampling is 0.5");
    REFUSED(s.options.spectral.support = 17, ERR_ARGUMENT, "support is 17",
            "2 .. 16");
    REFUSED(s.options.spectral.support = 1, ERR_ARGUMENT, "support is 1");
    REFUSED(s.options.spectral.mesh[1] = 32, ERR_ARGUMENT, "0 x 32 x 0",
            "all three");
    REFUSED((s.options.spectral.mesh[0] = s.options.spectral.mesh[1] = 32,
             s.options.spectral.mesh[2] = -32),
            ERR_ARGUMENT, "32 x 32 x -32");
    REFUSED(s.options.spectral.near_cells = -1, ERR_ARGUMENT, "near_cells");
    REFUSED(s.options.spectral.near_team[1] = -8, ERR_ARGUMENT, "near_team");
    REFUSED(s.options.spectral.near_cells = 2, ERR_UNSUPPORTED, "near_cells",
            "host");
    REFUSED(s.options.spectral.near_team[0] = 64, ERR_UNSUPPORTED, "near_team",
            "host");
    REFUSED(s.options.method = "direct", ERR_UNSUPPORTED, "method direct",
            "periodic");
    REFUSED((s.options.method = "ewald",
             memset(s.problem.periodic, 0, sizeof s.problem.periodic)),
            ERR_UNSUPPORTED, "method ewald",
            "three periodic axes; the problem has none");
    REFUSED((s.options.method = "ewald",
             s.problem.error = FARSUM_ERROR_ABSOLUTE),
            ERR_UNSUPPORTED, "relative tolerance");
}

static void mesh_set(farsum_options *options, int64_t points)
{
    for (int d = 0; d < 3; d++)
        options->spectral.mesh[d] = points;
}

/* A mesh that memory cannot hold is refused before it is allocated. */
static void memory(void)
{
    REFUSED(mesh_set(&s.options, 16384), ERR_MEMORY, "16384 x 16384 x 16384",
            "bytes", "limit");
    REFUSED(mesh_set(&s.options, INT64_C(1) << 40), ERR_MEMORY,
            "1099511627776");
    REFUSED(s.options.memory_limit = 1000, ERR_MEMORY, "bytes",
            "limit is 1000");
    REFUSED((s.problem.n_sources = INT64_C(1) << 40,
             s.problem.sample_x = s.problem.sample_q = NULL,
             s.problem.tolerance = 1e-2),
            ERR_MEMORY, "bytes");
}

struct lines {
    int n;
    char last[256];
};

static void keep_line(const char *line, void *data)
{
    struct lines *l = data;
    l->n++;
    snprintf(l->last, sizeof l->last, "%s", line);
}

/* The log reports a cell that was reduced, and nothing otherwise. */
static void log_lines(void)
{
    struct lines lines = {0};
    struct salt s;
    salt_set(&s);
    s.options.log = keep_line;
    s.options.log_data = &lines;
    CHECK_OK(salt_create(&s));
    CHECK(lines.n == 0, "%d lines for a cube: %s", lines.n, lines.last);
    s.problem.cell[3] = 4 * SALT_SIDE; /* b = (4, 1) sides */
    CHECK_OK(salt_create(&s));
    CHECK(lines.n == 1 && strstr(lines.last, "tilted"), "%d lines: %s", lines.n,
          lines.last);
}

static void lists(void)
{
    farsum_variant_info info = FARSUM_VARIANT_INFO_INIT;
    int stages = 0;
    CHECK_OK(farsum_list_variants("method", 0, &info));
    CHECK(info.name && info.note && info.note[0], "a method without a note");
    for (const char *name; (name = farsum_list_stages(stages)); stages++) {
        int rows = 0;
        while (farsum_list_variants(name, rows, &info) == FARSUM_OK) {
            CHECK(rows > 0 || strcmp(info.name, "plain") == 0,
                  "stage %s begins with %s", name, info.name);
            CHECK(info.note[0] && info.needs, "%s %s: no note", name,
                  info.name);
            rows++;
        }
        CHECK(rows >= 2, "stage %s has %d variants", name, rows);
        CHECK_FAILS(farsum_list_variants(name, rows, &info),
                    FARSUM_ERR_ARGUMENT);
        CHECK_SAYS(name);
        CHECK_FAILS(farsum_list_variants(name, -1, &info),
                    FARSUM_ERR_ARGUMENT);
    }
    CHECK(stages == 12, "%d stages", stages);
    CHECK(!farsum_list_stages(-1) && !farsum_list_stages(1000), "no stage");
    CHECK_FAILS(farsum_list_variants("spred", 0, &info), FARSUM_ERR_UNKNOWN);
    CHECK_SAYS("did you mean spread");
    CHECK_FAILS(farsum_list_variants(NULL, 0, &info), FARSUM_ERR_ARGUMENT);
    CHECK_FAILS(farsum_list_variants("near", 0, NULL), FARSUM_ERR_ARGUMENT);
    info.size = 1;
    CHECK_FAILS(farsum_list_variants("near", 0, &info), FARSUM_ERR_ARGUMENT);
    static const char *const kinds[] = {"split", "window"};
    static const int wanted[] = {2, 5};
    for (int k = 0; k < 2; k++) {
        int n = 0;
        while (farsum_list_names(kinds[k], n))
            n++;
        CHECK(n == wanted[k], "%d names of a %s", n, kinds[k]);
        CHECK(strcmp(farsum_list_names(kinds[k], 0), "prolate") == 0,
              "the first %s is %s", kinds[k], farsum_list_names(kinds[k], 0));
        CHECK(!farsum_list_names(kinds[k], -1), "name -1");
    }
    CHECK(!farsum_list_names("windows", 0), "names of no kind");
    CHECK(!farsum_list_names(NULL, 0), "names of NULL");
}

/* plan_print agrees with info. */
static void printed(void)
{
    struct salt s;
    char *text = NULL, number[64];
    size_t size = 0;
    salt_set(&s);
    s.options.spectral.fft = "kiss";
    farsum_plan *plan = salt_plan(&s);
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        check_stop("no memory stream");
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_print(plan, out);
    farsum_plan_print(NULL, out);
    farsum_plan_print(plan, NULL);
    fclose(out);
    snprintf(number, sizeof number, "mesh %lld x %lld x %lld",
             (long long)info.mesh[0], (long long)info.mesh[1],
             (long long)info.mesh[2]);
    const char *const words[] = {number,   info.split,  info.window,
                                 "kiss",   "(named)",   "64 sources",
                                 "laplace", "spectral", "tolerance 0.0001",
                                 "near:",  "spread:",   "scale:"};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        CHECK(strstr(text, words[w]), "\"%s\" is not in:\n%s", words[w], text);
    free(text);
    farsum_plan_destroy(plan);
}

void api_choices(void)
{
    RUN(unknown_names);
    RUN(options);
    RUN(memory);
    RUN(log_lines);
    RUN(lists);
    RUN(printed);
}
