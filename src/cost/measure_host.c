/* SPDX-License-Identifier: Apache-2.0 */
/* measure_host.c: rates of the processor, with all threads at work.  Only a
 * thread's own processor time counts, so other programs do not disturb the
 * result. */
#include "cost/measured_rates.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/par.h"

ISA_TABLE(struct model_kern, model_rates)

/* Bytes per pass: beyond the cache, and within. */
enum { FAR = 64 << 20, CACHED = 8 << 20, LEAST_CACHED = 64 << 10 };

struct host {
    const struct model_kern *kern;
    int threads, kind;
    double *x;     /* owned */
    int64_t bytes; /* bytes per pass */
};

static double thread_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static farsum_status run_operations(void *data, int64_t amount, double *seconds)
{
    const struct host *h = data;
    const double numbers[3] = {1 - 2e-7, 1e-7, 4};
    double sum = 0, most = 0;
    PAR_FOR(h->threads, schedule(static, 1) reduction(+ : sum)
                            reduction(max : most))
    for (int t = 0; t < h->threads; t++) {
        double start = thread_seconds();
        sum += h->kern->operations(h->kind, amount, numbers);
        most = fmax(most, thread_seconds() - start);
    }
    *seconds = most;
    if (!isfinite(sum)) /* uses the sum, so that compilers keep the
                           operations */
        FAIL(ERR_INTERNAL, "model: %s of %g", count_names[h->kind], sum);
    return FARSUM_OK;
}

static farsum_status run_stream(void *data, int64_t amount, double *seconds)
{
    const struct host *h = data;
    double most = 0;
    PAR_FOR(h->threads, schedule(static, 1) reduction(max : most))
    for (int t = 0; t < h->threads; t++) {
        double start = thread_seconds();
        int64_t n = h->bytes / 64, from = par_start(n, h->threads, t);
        int64_t bytes = 64 * (par_start(n, h->threads, t + 1) - from);
        for (int64_t k = 0; k < amount; k++)
            h->kern->stream(h->x + 8 * from, bytes, k % 2 ? 0.5 : 2);
        most = fmax(most, thread_seconds() - start);
    }
    *seconds = most;
    return FARSUM_OK;
}

/* Returns the cache of one thread, from the system.  The C library's value may
 * be the sum of all caches. */
static double cache_of_machine(void)
{
    static const char path[] = "/sys/devices/system/cpu/cpu0/cache/index3/size";
    double kilobytes = 0;
    char line[64];
    const char *end;
    FILE *f = fopen(path, "r");
    if (f && fgets(line, sizeof line, f))
        kilobytes = number_take(line, &end);
    if (f)
        fclose(f);
    if (kilobytes > 0)
        return 1024 * kilobytes;
#ifdef _SC_LEVEL3_CACHE_SIZE
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return bytes > 0 ? (double)bytes : 0;
#else
    return 0;
#endif
}

/* Counts each byte as read and written. */
static farsum_status measure_streams(struct host *h, struct model_rates *rates)
{
    double cached = fmin(rates->cache / 4, CACHED), pass;
    int64_t most = (int64_t)fmax(4 * rates->cache, FAR);
    if ((uint64_t)most > mem_machine() / 8)
        most = (int64_t)(mem_machine() / 8);
    TRY(MEM_RAW(h->x, most / 8));
    for (int64_t i = 0; i < most / 8; i++)
        h->x[i] = 1;
    h->bytes = most;
    TRY(model_time(run_stream, h, 0.05, &pass));
    rates->byte = pass / (2 * (double)most);
    if (cached < LEAST_CACHED)
        return FARSUM_OK;
    h->bytes = (int64_t)cached;
    TRY(model_time(run_stream, h, 0.01, &pass));
    rates->cache_byte = fmin(pass / (2 * cached), rates->byte);
    return FARSUM_OK;
}

farsum_status model_measure_host(const struct machine_place *place,
                                 struct model_rates *rates)
{
    farsum_status status = FARSUM_OK;
    struct host h = {
        .kern = isa_model_rates[place->isa][place->precision == FARSUM_F32],
        .threads = par_threads(place->threads)};
    for (int k = 0; k < COUNT_KINDS; k++) {
        h.kind = k;
        GO(model_time(run_operations, &h, 0.01, &rates->seconds[k]));
        rates->seconds[k] /= (double)h.kern->lanes * h.threads;
    }
    rates->cache = cache_of_machine();
    GO(measure_streams(&h, rates));
done:
    mem_free(h.x);
    return status;
}
