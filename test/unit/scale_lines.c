/* SPDX-License-Identifier: Apache-2.0 */
/* scale_lines.c: a spectrum of lines along axis 0 against whole rows, on the
 * host and on FARSUM_TEST_DEVICE (default: opencl:0; "host": none). */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "stage/scale/scale.h"

static const int64_t meshes[][3] = {
    {12, 10, 14}, {7, 9, 11}, {150, 3, 6}, {6, 5, 1}, {1, 8, 9}};
static const char *const kernels[] = {"laplace",   "yukawa", "r6",
                                      "stokeslet", "rotlet", "stresslet"};
enum {
    MESHES = sizeof meshes / sizeof *meshes,
    KERNELS = sizeof kernels / sizeof *kernels,
    GAP = 10 /* numbers between channels */
};

static const double rows[9] = {2.1, 0, 0, 0.3, 1.9, 0, -0.2, 0.4, 2.3};
static struct device *device; /* NULL: none */

struct setting {
    struct cell cell;
    struct split split;
    struct window window;
    struct pair pair;
    const int64_t *mesh;
    int64_t *columns; /* [mesh1] */
    double *given;    /* [channel][rows of whole] */
};

/* Results in f64, in the layout that ran. */
struct sums {
    double *spectrum, energy, virial[9];
};

static double number(int64_t i)
{
    uint64_t z = (uint64_t)(i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)(z >> 11) * 0x1p-53 - 0.5;
}

static int64_t ldz_of(const int64_t *mesh)
{
    return 2 * (mesh[2] / 2 + 1) + 2;
}

static int64_t whole_channel(const struct setting *s)
{
    return s->mesh[0] * s->mesh[1] * ldz_of(s->mesh);
}

static struct scale_args whole_args(const struct setting *s)
{
    return (struct scale_args){.precision = FARSUM_F64,
                               .threads = 2,
                               .mesh = {s->mesh[0], s->mesh[1], s->mesh[2]},
                               .ldz = ldz_of(s->mesh),
                               .split = &s->split,
                               .window = &s->window,
                               .cell = &s->cell,
                               .pair = &s->pair};
}

/* c: the bandwidth.  all: columns beyond it too. */
static void setting_make(struct setting *s, int mesh, const char *kernel,
                         double c, int all)
{
    memset(s, 0, sizeof *s);
    s->mesh = meshes[mesh];
    s->pair = *pair_find(kernel);
    s->pair.kappa = s->pair.kind->screened ? 3 : 0;
    CHECK_OK(cell_set(&s->cell, rows, 1));
    CHECK_OK(split_set(&s->split, "prolate", c));
    CHECK_OK(window_set(&s->window, "kaiser_bessel", 5, 0, 1.3, 0));
    struct scale_args args = whole_args(s);
    s->columns = check_memory((size_t)s->mesh[1], sizeof *s->columns);
    scale_columns(&args, s->columns);
    for (int64_t i = 0; all && i < s->mesh[1]; i++)
        s->columns[i] = s->mesh[2] / 2 + 1;
    int64_t n = s->pair.channels * whole_channel(s);
    s->given = check_memory((size_t)n, sizeof *s->given);
    for (int64_t i = 0; i < n; i++)
        s->given[i] = number(i);
}

static void setting_free(struct setting *s)
{
    free(s->columns);
    free(s->given);
}

/* A walk over the modes of lines, in their order. */
struct walk {
    const struct setting *s;
    int64_t i0, i1, i2, line;
};

/* The next mode of the lines of rows up to `end`; 0: none. */
static int walk_next(struct walk *w, int64_t end)
{
    if (w->line >= 0 && ++w->i0 < w->s->mesh[0])
        return 1;
    w->i0 = 0;
    w->line++;
    w->i2 += w->line > 0;
    while (w->i1 < end && w->i2 >= w->s->columns[w->i1]) {
        w->i1++;
        w->i2 = 0;
    }
    return w->i1 < end;
}

static struct walk walk_begin(const struct setting *s, int64_t first)
{
    return (struct walk){s, 0, first, 0, -1};
}

/* Number of the mode's real part in a channel of whole rows, and of lines. */
static int64_t walk_whole(const struct walk *w)
{
    const int64_t *mesh = w->s->mesh;
    return (w->i0 * mesh[1] + w->i1) * ldz_of(mesh) + 2 * w->i2;
}
static int64_t walk_lines(const struct walk *w)
{
    return 2 * (w->line * w->s->mesh[0] + w->i0);
}

static const struct variant *variant_of(const char *name)
{
    const struct variant_row *row = scale_stage.rows;
    while (row->name && strcmp(row->name, name) != 0)
        row++;
    if (!row->name)
        check_stop("no variant %s", name);
    return row->variant;
}

static void on_device(struct buf *buf, const void *from, int64_t bytes)
{
    if (!device)
        return;
    CHECK_OK(buf_alloc(buf, device, bytes + 1));
    CHECK_OK(buf_upload(buf, 0, from, bytes));
}

/* Runs a variant on n numbers, in the precision of args; on the device if args
 * have it.  outputs: with the spectrum (1), with energy and virial (2). */
static void run(const char *name, const struct scale_args *args, int outputs,
                int64_t channel, int64_t n, struct sums *sums)
{
    const struct variant *v = variant_of(name);
    int f32 = args->precision == FARSUM_F32, there = args->device != NULL;
    int64_t size = f32 ? 4 : 8;
    double *data = aligned_alloc(64, (size_t)(n * 8 / 64 + 1) * 64);
    struct buf buf[3] = {0};
    void *state = NULL;
    for (int64_t i = 0; i < n; i++)
        if (f32)
            ((float *)data)[i] = (float)sums->spectrum[i];
        else
            data[i] = sums->spectrum[i];
    on_device(&buf[0], data, n * size);
    on_device(&buf[1], &sums->energy, sizeof sums->energy);
    on_device(&buf[2], sums->virial, sizeof sums->virial);
    void *energy = there ? (void *)&buf[1] : &sums->energy;
    void *virial = there ? (void *)&buf[2] : sums->virial;
    struct scale_io io = {.spectrum = there ? (void *)&buf[0] : data,
                          .keep = outputs & 1,
                          .energy = outputs & 2 ? energy : NULL,
                          .virial = outputs & 2 ? virial : NULL,
                          .mesh_channel = channel};
    CHECK_OK(v->fits(args));
    CHECK_OK(v->create(args, &state));
    CHECK_OK(v->set(state, NULL, NULL));
    CHECK_OK(v->run(state, &io));
    if (there) {
        CHECK_OK(buf_download(&buf[0], 0, data, n * size));
        CHECK_OK(buf_download(&buf[1], 0, &sums->energy, sizeof sums->energy));
        CHECK_OK(buf_download(&buf[2], 0, sums->virial, sizeof sums->virial));
    }
    for (int64_t i = 0; i < n; i++)
        sums->spectrum[i] = f32 ? (double)((float *)data)[i] : data[i];
    v->destroy(state);
    for (int i = 0; i < 3; i++)
        buf_clear(&buf[i]);
    free(data);
}

/* Lines of rows first .. first + count of axis 1 (0: all), with gaps between
 * the channels, whose numbers must stay.  Writes the spectrum of one channel
 * into whole rows. */
static void run_lines(const struct setting *s, const char *name,
                      struct scale_args args, int outputs, struct sums *total)
{
    struct sums sums = {.energy = total->energy};
    args.columns = s->columns;
    args.ldz = 0;
    int64_t one = 2 * s->mesh[0] * scale_lines(&args);
    int64_t channel = args.count ? one + GAP : one, whole = whole_channel(s);
    int64_t n = s->pair.channels * channel;
    int64_t end = args.first + scale_rows(&args);
    memcpy(sums.virial, total->virial, sizeof sums.virial);
    sums.spectrum = check_memory((size_t)n + 1, sizeof *sums.spectrum);
    for (int64_t i = 0; i < n; i++)
        sums.spectrum[i] = 7;
    for (struct walk w = walk_begin(s, args.first); walk_next(&w, end);)
        for (int64_t k = 0; k < 2 * s->pair.channels; k++)
            sums.spectrum[k / 2 * channel + walk_lines(&w) + k % 2] =
                s->given[k / 2 * whole + walk_whole(&w) + k % 2];
    run(name, &args, outputs, args.count ? channel : 0, n, &sums);
    for (struct walk w = walk_begin(s, args.first); walk_next(&w, end);)
        for (int64_t k = 0; k < 2 * s->pair.channels; k++)
            total->spectrum[k / 2 * whole + walk_whole(&w) + k % 2] =
                sums.spectrum[k / 2 * channel + walk_lines(&w) + k % 2];
    for (int64_t c = 0; c < s->pair.channels; c++)
        for (int64_t i = one; i < channel; i++)
            CHECK(sums.spectrum[c * channel + i] == 7, "between channels: %g",
                  sums.spectrum[c * channel + i]);
    total->energy = sums.energy;
    memcpy(total->virial, sums.virial, sizeof sums.virial);
    free(sums.spectrum);
}

/* Lines of all rows in `parts`, in whole rows; 0 where no line is. */
static struct sums lines_of(const struct setting *s, const char *name,
                            const struct scale_args *args, int outputs,
                            int parts)
{
    struct sums sums = {0};
    struct scale_args part = *args;
    int64_t n = s->pair.channels * whole_channel(s), rest = s->mesh[1];
    sums.spectrum = check_memory((size_t)n, sizeof *sums.spectrum);
    for (int p = 0; p < parts && rest > 0; p++) {
        part.first = s->mesh[1] - rest;
        part.count = p + 1 < parts ? (rest + 2) / 3 : rest;
        rest -= part.count;
        if (parts == 1)
            part.count = 0;
        run_lines(s, name, part, outputs, &sums);
    }
    return sums;
}

static struct sums whole_of(const struct setting *s, const char *name,
                            const struct scale_args *args, int outputs)
{
    struct sums sums = {0};
    int64_t n = s->pair.channels * whole_channel(s);
    sums.spectrum = check_memory((size_t)n, sizeof *sums.spectrum);
    memcpy(sums.spectrum, s->given, (size_t)n * sizeof *sums.spectrum);
    run(name, args, outputs, 0, n, &sums);
    return sums;
}

/* Where `lines` has no line, the whole must be 0.  outputs as in run.  bound:
 * of an RMS error; that of a single number may be 30 times as large, as in
 * variants.c. */
static void compare(const struct setting *s, const struct sums *lines,
                    const struct sums *whole, int outputs, double bound)
{
    const int64_t *mesh = s->mesh;
    int64_t ldz = ldz_of(mesh), half = mesh[2] / 2 + 1;
    double most = 0, unit = fabs(whole->energy);
    bound *= 30;
    for (int64_t i = 0; i < s->pair.values * whole_channel(s); i++)
        if (i % ldz < 2 * half)
            most = fmax(most, fabs(whole->spectrum[i]));
    CHECK(most > 0, "the spectrum is 0");
    for (int64_t i = 0; i < s->pair.values * whole_channel(s); i++)
        if ((outputs & 1) && i % ldz < 2 * half)
            CHECK_NEAR(lines->spectrum[i], whole->spectrum[i], bound * most);
    CHECK((unit > 0) == ((outputs & 2) != 0), "energy %g", unit);
    CHECK_NEAR(lines->energy, whole->energy, bound * unit);
    for (int i = 0; i < 9; i++)
        CHECK_NEAR(lines->virial[i], whole->virial[i], bound * unit);
}

/* Lines against whole rows of the same variant and of another. */
static void one_setting(int mesh, const char *kernel, double c, int all)
{
    struct setting s;
    setting_make(&s, mesh, kernel, c, all);
    struct scale_args args = whole_args(&s);
    int outputs = s.pair.kind->gradient ? 3 : 1;
    struct sums table = whole_of(&s, "host_table", &args, outputs);
    struct sums plain = whole_of(&s, "plain", &args, outputs);
    for (int parts = 1; parts <= 3; parts += 2) {
        struct sums lines = lines_of(&s, "plain", &args, outputs, parts);
        compare(&s, &lines, &table, outputs, 1e-12);
        compare(&s, &lines, &plain, outputs, 1e-15);
        free(lines.spectrum);
    }
    args.device = device;
    for (int k = 0; device && k < 4; k++) {
        args.precision = k % 2 ? FARSUM_F32 : FARSUM_F64;
        struct sums lines =
            lines_of(&s, "gpu_table", &args, outputs, k < 2 ? 1 : 3);
        compare(&s, &lines, &plain, outputs, k % 2 ? 1e-6 : 1e-12);
        struct sums whole = whole_of(&s, "gpu_table", &args, outputs);
        compare(&s, &lines, &whole, outputs, k % 2 ? 1e-8 : 1e-15);
        free(whole.spectrum);
        free(lines.spectrum);
    }
    free(table.spectrum);
    free(plain.spectrum);
    setting_free(&s);
}

static void lines_are_whole_rows(void)
{
    for (int k = 0; k < KERNELS; k++)
        for (int m = 0; m < MESHES; m++) {
            if (k > 0 && k < 5 && m > 1) /* the same code */
                continue;
            one_setting(m, kernels[k], 9, 0);
            one_setting(m, kernels[k], 14, k % 2);
        }
}

/* Energy and virial alone, and the spectrum alone. */
static void outputs_alone(void)
{
    for (int outputs = 1; outputs <= 2; outputs++) {
        struct setting s;
        setting_make(&s, 0, "laplace", 12, 0);
        struct scale_args args = whole_args(&s);
        struct sums plain = whole_of(&s, "plain", &args, outputs);
        args.device = device;
        struct sums lines =
            lines_of(&s, device ? "gpu_table" : "plain", &args, outputs, 3);
        compare(&s, &lines, &plain, outputs, 1e-12);
        free(plain.spectrum);
        free(lines.spectrum);
        setting_free(&s);
    }
}

/* Rows without a line add nothing. */
static void no_lines(void)
{
    struct setting s;
    struct sums sums = {.energy = 3};
    double data[2] = {1, 2};
    setting_make(&s, 0, "laplace", 9, 0);
    struct scale_args args = whole_args(&s);
    s.columns[5] = 0;
    args.columns = s.columns;
    args.first = 5;
    args.count = 1;
    sums.spectrum = data;
    run("plain", &args, 3, 0, 2, &sums);
    args.device = device;
    if (device)
        run("gpu_table", &args, 3, 0, 2, &sums);
    CHECK(sums.energy == 3 && sums.virial[0] == 0 && data[0] == 1
              && data[1] == 2,
          "energy %g", sums.energy);
    setting_free(&s);
}

/* The work counts modes of lines. */
static void work_of_lines(void)
{
    struct setting s;
    struct work work[2];
    int64_t lines = 0;
    memset(work, 0, sizeof work);
    setting_make(&s, 0, "laplace", 9, 0);
    struct scale_args args = whole_args(&s);
    for (int64_t i = 2; i < 7; i++)
        lines += s.columns[i];
    scale_ops(&args, &work[0]);
    double modes = (double)(s.mesh[0] * s.mesh[1] * (s.mesh[2] / 2 + 1));
    args.columns = s.columns;
    args.first = 2;
    args.count = 5;
    CHECK(scale_lines(&args) == lines && lines > 0, "%lld lines",
          (long long)scale_lines(&args));
    scale_ops(&args, &work[1]);
    CHECK_NEAR(work[1].read / work[0].read, (double)(12 * lines) / modes,
               1e-12);
    args.device = NULL;
    CHECK_FAILS(variant_of("host_table")->fits(&args), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("lines");
    setting_free(&s);
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    if ((!name || strcmp(name, "host") != 0)
        && device_open(name ? name : "opencl:0", &device) != FARSUM_OK)
        printf("no device: %s\n", farsum_message());
    RUN(lines_are_whole_rows);
    RUN(outputs_alone);
    RUN(no_lines);
    RUN(work_of_lines);
    device_close(device);
    return check_end();
}
