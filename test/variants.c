/* SPDX-License-Identifier: Apache-2.0 */
/* variants.c: test_variants STAGE STEM [CASE...]: variant STEM of a stage
 * against the stage's plain variant, for each precision, available instruction
 * set, number of threads, and case (of many cases, alternating).  Runs on the
 * host and on the device FARSUM_TEST_DEVICE (default: opencl:0; "host": none).
 * Deterministic variants run twice and are compared bitwise.  Everything runs
 * in the locale FARSUM_TEST_LOCALE, if that is set; a variant on a device then
 * compiles the same as in C.  Exit status 77: the variant supports none of the
 * cases. */
#include "variants.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "points/device/set.h"
#include "points/wrap.h"

enum { MANY = 40 };

static const struct harness *const harnesses[] = {
    &harness_near, &harness_spread, &harness_interp, &harness_fft,
    &harness_scale, &harness_p2p, &harness_p2m, &harness_m2m, &harness_m2l,
    &harness_lattice, &harness_l2l, &harness_l2p, NULL};

double *outcome_part(struct outcome *outcome, const char *name, int64_t n,
                     double floor)
{
    double *v = check_memory((size_t)n, sizeof *v);
    if (outcome->n == PARTS_MAX)
        check_stop("too many parts");
    outcome->part[outcome->n++] = (struct part){name, n, v, floor};
    return v;
}

void outcome_clear(struct outcome *outcome)
{
    for (int p = 0; p < outcome->n; p++)
        free(outcome->part[p].v);
    outcome->n = 0;
}

void *trial_array(const struct trial *trial, int64_t n)
{
    /* aligned as the library's own */
    size_t bytes = (size_t)n * (trial->precision == FARSUM_F32 ? 4 : 8);
    void *p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    if (!p)
        check_stop("no memory for %zu bytes", bytes);
    memset(p, 0, (bytes + 64) / 64 * 64);
    return p;
}

void trial_put(const struct trial *trial, void *array, int64_t i, double v)
{
    if (trial->precision == FARSUM_F32)
        ((float *)array)[i] = (float)v;
    else
        ((double *)array)[i] = v;
}

double trial_get(const struct trial *trial, const void *array, int64_t i)
{
    return trial->precision == FARSUM_F32 ? (double)((const float *)array)[i]
                                          : ((const double *)array)[i];
}

double trial_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

void *trial_io(const struct trial *trial, struct buf *buf, void *array)
{
    return trial->device ? (void *)buf : array;
}

void trial_send(const struct trial *trial, struct buf *buf, const void *array,
                int64_t bytes)
{
    if (trial->device
        && (buf_reserve(buf, trial->device, bytes) != FARSUM_OK
            || buf_upload(buf, 0, array, bytes) != FARSUM_OK))
        check_stop("to the device: %s", farsum_message());
}

void trial_fetch(const struct trial *trial, const struct buf *buf, void *array,
                 int64_t bytes)
{
    if (trial->device && buf_download(buf, 0, array, bytes) != FARSUM_OK)
        check_stop("from the device: %s", farsum_message());
}

void trial_points(const struct trial *trial, struct points *points,
                  const struct cell *cell, const double *x)
{
    if (trial->device
        && (points_gpu_create(trial->device, &points->gpu) != FARSUM_OK
            || points_gpu_set(points->gpu, cell, points->n, x, FARSUM_F64,
                              "source")
                   != FARSUM_OK))
        check_stop("points on the device: %s", farsum_message());
}

farsum_status trial_run(const struct trial *trial, const void *args,
                        const struct points *sources,
                        const struct points *targets, const void *io,
                        void (*again)(void *data), void *data)
{
    const struct variant *v = trial->variant;
    farsum_status status = FARSUM_OK;
    void *state = NULL;
    if (v->fits)
        TRY(v->fits(args));
    GO(v->create(args, &state));
    if (v->set)
        GO(v->set(state, sources, targets));
    for (int r = 0; r < trial->runs; r++) {
        again(data);
        GO(v->run(state, io));
    }
done:
    v->destroy(state);
    return status;
}

static double rms(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return n > 0 ? sqrt(sum / (double)n) : 0;
}

/* NaN counts as infinitely different. */
static void compare(const char *what, const struct outcome *found,
                    const struct outcome *wanted, double bound)
{
    CHECK(found->n == wanted->n, "%s: %d outputs, not %d", what, found->n,
          wanted->n);
    int first = found->error > 0 ? found->n - 1 : 0;
    for (int p = first; p < wanted->n && p < found->n; p++) {
        const struct part *a = &found->part[p], *b = &wanted->part[p];
        double sum = 0, scale = fmax(rms(b->v, b->n), b->floor), most = 0;
        for (int64_t i = 0; i < b->n; i++) {
            double d = a->v[i] - b->v[i];
            sum += d * d;
            most = fmax(most, fabs(b->v[i]));
        }
        double error = b->n > 0 ? sqrt(sum / (double)b->n) : 0;
        CHECK(error <= bound * scale, "%s: %s differs from plain by %.3g of "
              "%.3g: %.3g relative, above %.3g", what, a->name, error, scale,
              error / scale, bound);
        for (int64_t i = 0; i < b->n; i++) {
            double d = fabs(a->v[i] - b->v[i]);
            if (!(d <= 30 * bound * fmax(most, scale))) {
                CHECK(0, "%s: %s [%lld] is %.17g, plain gives %.17g", what,
                      a->name, (long long)i, a->v[i], b->v[i]);
                break;
            }
        }
    }
}

static void same(const char *what, const struct outcome *a,
                 const struct outcome *b)
{
    for (int p = 0; p < a->n; p++)
        CHECK(memcmp(a->part[p].v, b->part[p].v,
                     (size_t)a->part[p].n * sizeof *a->part[p].v) == 0,
              "%s: %s does not repeat bitwise", what, a->part[p].name);
}

/* The result of plain in f64, if it has not been computed yet. */
static void want(const struct harness *h, int k, const struct variant *plain,
                 struct outcome *wanted)
{
    struct trial trial = {plain, FARSUM_F64, ISA_BASE, 1, 1, NULL};
    if (wanted->n == 0 && h->run(k, &trial, wanted) != FARSUM_OK)
        check_stop("%s plain, case %d: %s", h->stage, k, farsum_message());
}

/* On a device, the first case of each precision: the same texts as in C. */
static void same_texts(const struct harness *h, int k,
                       const struct trial *trial, const char *what,
                       const struct texts *found)
{
    static int seen[2];
    struct texts plain = {0};
    struct outcome again = {0};
    if (!trial->device || seen[trial->precision == FARSUM_F32]++
        || !locale_test(0))
        return;
    texts_record(&plain);
    CHECK_OK(h->run(k, trial, &again));
    texts_record(NULL);
    locale_test(1);
    texts_same(what, found, &plain);
    texts_clear(&plain);
    outcome_clear(&again);
}

/* 1: the variant ran; 0: it does not fit. */
static int run_one(const struct harness *h, int k, const struct trial *trial,
                   const char *name, const struct variant *plain,
                   struct outcome *wanted)
{
    char what[400], label[200];
    struct outcome found = {0}, second = {0};
    h->name(k, label, sizeof label);
    snprintf(what, sizeof what, "%s %s %s %s, %d threads, case %d (%s)",
             h->stage, name, trial->precision == FARSUM_F32 ? "f32" : "f64",
             trial->device ? trial->device->name : isa_name(trial->isa),
             trial->threads, k, label);
    struct texts texts = {0};
    texts_record(&texts);
    farsum_status status = h->run(k, trial, &found);
    texts_record(NULL);
    if (status == FARSUM_ERR_UNSUPPORTED) {
        printf("%s: does not fit: %s\n", what, farsum_message());
        outcome_clear(&found);
        texts_clear(&texts);
        return 0;
    }
    if (CHECK(status == FARSUM_OK, "%s: %s: %s", what,
              farsum_status_text(status), farsum_message())) {
        want(h, k, plain, wanted);
        compare(what, &found, wanted,
                fmax(found.error, h->bound(k, trial->precision)));
        if (trial->variant->deterministic) {
            struct trial twice = *trial;
            twice.runs = 2;
            if (CHECK(h->run(k, &twice, &second) == FARSUM_OK, "%s: again: %s",
                      what, farsum_message()))
                same(what, &found, &second);
        }
        if (h->more)
            h->more(k, trial, name);
        same_texts(h, k, trial, what, &texts);
    }
    texts_clear(&texts);
    outcome_clear(&found);
    outcome_clear(&second);
    return 1;
}

/* If there are many cases, each has every other combination of instruction set,
 * precision and threads; FARSUM_TEST_ALL=1: all. */
static int in_turn(const struct harness *h, int k, int combination)
{
    return (k + combination) % 2 == 0 || h->cases < MANY
           || getenv("FARSUM_TEST_ALL");
}

/* Plain has one thread and one instruction set; its f64 results are the
 * reference. */
static int is_new(const struct trial *trial)
{
    return trial->precision == FARSUM_F32 && trial->isa == ISA_BASE
           && trial->threads == 1;
}

static void run_case(const struct harness *h, int k,
                     const struct variant_row *plain,
                     const struct variant_row *row, struct device *device,
                     int *fitted, int *refused)
{
    struct trial trial = {row->variant, FARSUM_F64, ISA_BASE, 1, 1, NULL};
    struct outcome wanted = {0};
    for (int isa = 0; isa <= (int)isa_best(); isa++)
        for (int p = 0; p < 2; p++)
            for (int threads = 1; threads <= 3; threads += 2) {
                trial.isa = (enum isa)isa;
                trial.precision = p ? FARSUM_F32 : FARSUM_F64;
                trial.threads = threads;
                if (row == plain ? !is_new(&trial)
                                 : !in_turn(h, k, isa + p + threads / 2))
                    continue;
                if (run_one(h, k, &trial, row->name, plain->variant, &wanted))
                    ++*fitted;
                else
                    ++*refused;
            }
    trial = (struct trial){row->variant, FARSUM_F64, ISA_BASE, 1, 1, device};
    uint64_t some = k < 64 ? h->on_device : h->more_on_device;
    int there = device
                && (h->on_device == 0 || getenv("FARSUM_TEST_ALL")
                    || (k < 128 && some >> k % 64 & 1));
    for (int p = 0; there && p < 2; p++) {
        trial.precision = p ? FARSUM_F32 : FARSUM_F64;
        if (run_one(h, k, &trial, row->name, plain->variant, &wanted))
            ++*fitted;
        else
            ++*refused;
    }
    outcome_clear(&wanted);
}

static int wanted_case(int argc, char **argv, int k)
{
    for (int i = 3; i < argc; i++)
        if (atoi(argv[i]) == k)
            return 1;
    return argc == 3;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        check_stop("usage: test_variants STAGE STEM [CASE...]");
    setvbuf(stdout, NULL, _IOLBF, 0); /* an aborted run shows how far it came */
    const struct stage *stage = stage_find(argv[1]);
    const struct harness *h = NULL;
    for (int i = 0; harnesses[i]; i++)
        if (strcmp(harnesses[i]->stage, argv[1]) == 0)
            h = harnesses[i];
    if (!stage || !h)
        check_stop("no stage %s, or no test for it", argv[1]);
    const struct variant_row *row = stage->rows;
    while (row->name && strcmp(row->name, argv[2]) != 0)
        row++;
    if (!row->name)
        check_stop("%s has no variant %s", argv[1], argv[2]);
    CHECK(strcmp(stage->rows->name, "plain") == 0,
          "the first variant of %s is %s, not plain", stage->name,
          stage->rows->name);
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct device *device = NULL;
    locale_test(1);
    int fitted = 0, refused = 0;
    if ((!name || !device_is_host(name))
        && device_open(name ? name : "opencl:0", &device) != FARSUM_OK)
        printf("no device: %s\n", farsum_message());
    for (int k = 0; k < h->cases; k++)
        if (wanted_case(argc, argv, k))
            run_case(h, k, stage->rows, row, device, &fitted, &refused);
    if (fitted == 0 && row->variant->fits) {
        /* it requires another device than this one */
        printf("%s %s: skipped: %s\n", argv[1], argv[2], farsum_message());
        device_close(device);
        return 77;
    }
    CHECK(fitted > 0, "%s %s fits no case", argv[1], argv[2]);
    device_close(device);
    printf("%s %s: %d runs, %d did not fit\n", argv[1], argv[2], fitted,
           refused);
    return check_end();
}
