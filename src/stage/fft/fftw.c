/* SPDX-License-Identifier: Apache-2.0 */
/* fftw: FFTW 3, threaded (Frigo and Johnson, Proc. IEEE 93 (2005) 216).  The
 * fastest on a CPU; under the GPL, so a build may leave it out. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/par.h"
#include "stage/fft/copy.h"
#include "stage/fft/fftw_library.h"

/* FFTW's plans accept any address that is as aligned as the planner's.  A plan
 * for a group of short lines costs less than one for each. */
enum { ALIGNED = 16, GROUP = 8 };

struct state {
    struct fft_args args;
    fftw_plan forward, backward;      /* owned, f64 */
    fftwf_plan forward32, backward32; /* owned, f32 */
    struct fft_copy copy;
    int group; /* meshes of a plan: several short lines */
};

/* FFTW has one planner per process, which is not thread-safe, and its number of
 * threads belongs to the host program.  FFTW calls two hooks around all
 * planning, ours and the host program's.  fftw_make_planner_thread_safe sets
 * them to a lock, but does nothing in FFTW's OpenMP library.  So they are set
 * here: a planning thread holds the lock, and only our plans see our number of
 * threads. */
static struct fork_lock planner = FORK_LOCK;
static _Thread_local int wanted;  /* threads of our plan; 0: the host program
                                     plans */
static _Thread_local int callers; /* threads of the host program's plans */
static _Thread_local int inside;  /* how often this thread holds the lock */

/* Called around our planning, and around FFTW's own calls within it: they
 * nest. */
#define PLANNER_HOOKS(fftw)                                                    \
    static void fftw##_before(void)                                            \
    {                                                                          \
        if (inside++ > 0)                                                      \
            return;                                                            \
        fork_lock(&planner);                                                   \
        if (wanted) {                                                          \
            fftw##_init_threads();                                             \
            callers =                                                          \
                fftw##_planner_nthreads ? fftw##_planner_nthreads() : 1;       \
            fftw##_plan_with_nthreads(wanted);                                 \
        }                                                                      \
    }                                                                          \
    static void fftw##_after(void)                                             \
    {                                                                          \
        if (inside == 0 || --inside > 0)                                       \
            return;                                                            \
        if (wanted)                                                            \
            fftw##_plan_with_nthreads(callers);                                \
        fork_unlock(&planner);                                                 \
    }                                                                          \
    /* Our measurements, so that they do not change the host program's plans.  \
     * Guarded by planner. */                                                  \
    static char *fftw##_measured;                                              \
    static char *fftw##_wisdom_ours(void)                                      \
    {                                                                          \
        char *hosts = fftw##_export_wisdom_to_string();                        \
        if (fftw##_measured)                                                   \
            fftw##_import_wisdom_from_string(fftw##_measured);                 \
        return hosts;                                                          \
    }                                                                          \
    static void fftw##_wisdom_hosts(char *hosts)                               \
    {                                                                          \
        free(fftw##_measured);                                                 \
        fftw##_measured = fftw##_export_wisdom_to_string();                    \
        fftw##_forget_wisdom();                                                \
        if (hosts)                                                             \
            fftw##_import_wisdom_from_string(hosts);                           \
        free(hosts);                                                           \
    }
PLANNER_HOOKS(fftw)
PLANNER_HOOKS(fftwf)

/* Usually runs while the process has one thread, or when the library opens
 * FFTW. */
__attribute__((constructor)) static void set_hooks(void)
{
    if (fftw_set_planner_hooks)
        fftw_set_planner_hooks(fftw_before, fftw_after);
    if (fftwf_set_planner_hooks)
        fftwf_set_planner_hooks(fftwf_before, fftwf_after);
}

/* The library may be unloaded before FFTW. */
__attribute__((destructor)) static void clear_hooks(void)
{
    if (fftw_set_planner_hooks)
        fftw_set_planner_hooks(NULL, NULL);
    if (fftwf_set_planner_hooks)
        fftwf_set_planner_hooks(NULL, NULL);
}

static farsum_status fftw_row_fits(const void *args)
{
    const struct fft_args *a = args;
    TRY(fftw_library_open(set_hooks));
    for (int d = 0; d < 3; d++)
        if (a->mesh[d] > INT32_MAX)
            FAIL(ERR_UNSUPPORTED,
                 "an axis has %lld points; FFTW counts with int",
                 (long long)a->mesh[d]);
    return FARSUM_OK;
}

static double fftw_row_cost(const void *args)
{
    return fft_cost(args, 3.5e9);
}

static int64_t fftw_row_bytes(const void *args)
{
    return 4096 + fft_copy_bytes(args);
}

static void fftw_row_destroy(void *state)
{
    struct state *s = state;
    if (!s)
        return;
    int f32 = s->args.precision == FARSUM_F32;
    (f32 ? fftwf_before : fftw_before)();
    if (s->forward)
        fftw_destroy_plan(s->forward);
    if (s->backward)
        fftw_destroy_plan(s->backward);
    if (s->forward32)
        fftwf_destroy_plan(s->forward32);
    if (s->backward32)
        fftwf_destroy_plan(s->backward32);
    (f32 ? fftwf_after : fftw_after)();
    fft_copy_clear(&s->copy);
    mem_free(s);
}

/* Makes both plans over scratch of the mesh's size; planning may overwrite
 * it. */
static void fftw_row_plan(struct state *s, void *scratch)
{
    const int64_t *mesh = s->args.mesh;
    int n[3] = {(int)mesh[0], (int)mesh[1], (int)mesh[2]};
    int real[3] = {n[0], n[1], (int)s->args.ldz};
    int half[3] = {n[0], n[1], (int)s->args.ldz / 2};
    unsigned flags = s->args.patient ? FFTW_MEASURE : FFTW_ESTIMATE;
    int f32 = s->args.precision == FARSUM_F32;
    if (mesh[0] == 1 && fft_step(&s->args) * (f32 ? 4 : 8) % ALIGNED != 0)
        flags |= FFTW_UNALIGNED;
    int before = par_lend(s->args.threads);
    wanted = s->args.threads;
    (f32 ? fftwf_before : fftw_before)();
    char *hosts = s->args.patient
                      ? (f32 ? fftwf_wisdom_ours : fftw_wisdom_ours)()
                      : NULL;
    int many = s->group, next = many > 1 ? (int)fft_step(&s->args) / 2 : 0;
    if (s->args.is_complex && f32) {
        s->forward32 =
            fftwf_plan_many_dft(3, n, many, scratch, half, 1, next, scratch,
                                half, 1, next, FFTW_FORWARD, flags);
        s->backward32 =
            fftwf_plan_many_dft(3, n, many, scratch, half, 1, next, scratch,
                                half, 1, next, FFTW_BACKWARD, flags);
    } else if (s->args.is_complex) {
        s->forward =
            fftw_plan_many_dft(3, n, many, scratch, half, 1, next, scratch,
                               half, 1, next, FFTW_FORWARD, flags);
        s->backward =
            fftw_plan_many_dft(3, n, many, scratch, half, 1, next, scratch,
                               half, 1, next, FFTW_BACKWARD, flags);
    } else if (f32) {
        s->forward32 = fftwf_plan_many_dft_r2c(3, n, 1, scratch, real, 1, 0,
                                               scratch, half, 1, 0, flags);
        s->backward32 = fftwf_plan_many_dft_c2r(3, n, 1, scratch, half, 1, 0,
                                                scratch, real, 1, 0, flags);
    } else {
        s->forward = fftw_plan_many_dft_r2c(3, n, 1, scratch, real, 1, 0,
                                            scratch, half, 1, 0, flags);
        s->backward = fftw_plan_many_dft_c2r(3, n, 1, scratch, half, 1, 0,
                                             scratch, real, 1, 0, flags);
    }
    if (s->args.patient)
        (f32 ? fftwf_wisdom_hosts : fftw_wisdom_hosts)(hosts);
    (f32 ? fftwf_after : fftw_after)();
    wanted = 0;
    par_return(before);
}

/* 1: the batch is groups of complex lines on the host. */
static int fftw_row_lines(const struct fft_args *a)
{
    return !a->device && a->is_complex && a->mesh[0] == 1 && a->mesh[1] == 1
           && fft_batch(a, 0) % GROUP == 0 && fft_batch(a, 1) % GROUP == 0
           && GROUP * fft_step(a) <= INT32_MAX;
}

static farsum_status fftw_row_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct state *s = NULL;
    char *scratch = NULL;
    GO(MEM_NEW(s, 1));
    s->args = *(const struct fft_args *)args;
    s->group = fftw_row_lines(&s->args) ? GROUP : 1;
    int64_t points = (s->group - 1) * fft_step(&s->args)
                     + s->args.mesh[0] * s->args.mesh[1] * s->args.ldz;
    GO(MEM_RAW(scratch, points * (s->args.precision == FARSUM_F32 ? 4 : 8)));
    fftw_row_plan(s, scratch);
    GO(fft_copy_create(&s->copy, &s->args));
    if (!(s->forward && s->backward) && !(s->forward32 && s->backward32))
        GO_FAIL(ERR_UNSUPPORTED,
                "fft fftw: FFTW has no plan for %lld x %lld x %lld",
                (long long)s->args.mesh[0], (long long)s->args.mesh[1],
                (long long)s->args.mesh[2]);
    *state = s;
    s = NULL;
done:
    mem_free(scratch);
    fftw_row_destroy(s);
    return status;
}

/* Transforms one group. */
static void fftw_row_group(const struct state *s, void *data, int backward)
{
    if (s->args.is_complex && s->args.precision == FARSUM_F32) {
        fftwf_execute_dft(backward ? s->backward32 : s->forward32, data, data);
    } else if (s->args.is_complex) {
        fftw_execute_dft(backward ? s->backward : s->forward, data, data);
    } else if (s->args.precision == FARSUM_F32) {
        if (backward)
            fftwf_execute_dft_c2r(s->backward32, data, data);
        else
            fftwf_execute_dft_r2c(s->forward32, data, data);
    } else if (backward) {
        fftw_execute_dft_c2r(s->backward, data, data);
    } else {
        fftw_execute_dft_r2c(s->forward, data, data);
    }
}

static void fftw_row_transform(void *state, void *data, int count, int backward)
{
    const struct state *s = state;
    int64_t step = fft_step(&s->args);
    step *= s->args.precision == FARSUM_F32 ? 4 : 8;
    int before = par_lend(s->args.threads);
    for (int k = 0; k < count; k += s->group)
        fftw_row_group(s, (char *)data + k * step, backward);
    par_return(before);
}

static farsum_status fftw_row_run(void *state, const void *io)
{
    struct state *s = state;
    return fft_copy_run(&s->copy, &s->args, io, fftw_row_transform, s);
}

const struct variant fft_fftw = {
    .fits = fftw_row_fits,
    .cost = fftw_row_cost,
    .bytes = fftw_row_bytes,
    .create = fftw_row_create,
    .run = fftw_row_run,
    .destroy = fftw_row_destroy,
    .deterministic = 1,
    .needs = "FFTW 3",
};
