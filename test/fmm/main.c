/* SPDX-License-Identifier: Apache-2.0 */
/* main.c: test_fmm [laws|edges|crystals|ladder|orders|strict|cells|virial
 * [device]], and common code.  device: sums on FARSUM_TEST_DEVICE (default:
 * opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "farsum/device.h"
#include "fmm/fmm.h"

static farsum_device *device;

farsum_device *fmm_device(void)
{
    return device;
}

int fmm_all(void)
{
    return getenv("FARSUM_TEST_ALL") != NULL;
}

void fmm_system(struct system *s, const char *name, const char *what,
                int positive)
{
    system_load(s, name, what);
    for (int64_t i = 0; positive && i < s->p.n; i++)
        s->p.q[i] = 1;
}

farsum_problem fmm_problem(const struct system *s, double tolerance)
{
    farsum_problem p = system_problem(s);
    p.tolerance = tolerance;
    p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                | (s->p.periodic[0] ? 0 : FARSUM_VIRIAL);
    return p;
}

farsum_options fmm_options(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.method = "fmm";
    o.threads = 2;
    o.device.handle = device;
    o.verify = FARSUM_VERIFY_OFF; /* estimates not corrected by a check */
    return o;
}

farsum_status fmm_try(const struct system *s, const farsum_problem *problem,
                      const farsum_options *options, struct fmm_sums *sums)
{
    farsum_result out = FARSUM_RESULT_INIT;
    memset(sums, 0, sizeof *sums);
    sums->m = s->p.n;
    sums->potential = check_memory((size_t)s->p.n, sizeof(double));
    sums->field = check_memory(3 * (size_t)s->p.n, sizeof(double));
    out.potential = sums->potential;
    out.field = sums->field;
    out.energy = &sums->energy;
    out.virial = problem->outputs & FARSUM_VIRIAL ? sums->virial : NULL;
    return sum_once(problem, options, s->p.n, s->p.x, 0, NULL, s->p.q, &out,
                    &sums->info);
}

int fmm_do(const struct system *s, const farsum_problem *problem,
           const farsum_options *options, struct fmm_sums *sums)
{
    farsum_status status = fmm_try(s, problem, options, sums);
    return CHECK(status == FARSUM_OK, "%s: %s: %s", s->name,
                 farsum_status_text(status), farsum_message());
}

void fmm_free(struct fmm_sums *sums)
{
    free(sums->potential);
    free(sums->field);
    memset(sums, 0, sizeof *sums);
}

double fmm_gap(int64_t n, const double *a, const double *b)
{
    double gap = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        gap += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(gap / size);
}

double fmm_force_gap(const struct system *s, const double *a, const double *b)
{
    double gap = 0, f2 = 0, q2 = 0, n = (double)s->p.n;
    for (int64_t i = 0; i < s->p.n; i++) {
        double q = s->p.q[i];
        q2 += q * q;
        for (int d = 0; d < 3; d++) {
            double f = q * b[3 * i + d], e = q * a[3 * i + d] - f;
            gap += e * e;
            f2 += f * f;
        }
    }
    double least = s->p.periodic[0]
                       ? q2 / n * pow(n / cell_determinant(s->p.cell), 2.0 / 3)
                       : 0;
    return sqrt(gap / n) / fmax(sqrt(f2 / n), least);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"laws", fmm_laws},         {"edges", fmm_edges},
                 {"crystals", fmm_crystals}, {"ladder", fmm_ladder},
                 {"orders", fmm_orders},     {"strict", fmm_strict},
                 {"rounding", fmm_strict_rounding}, {"cells", fmm_cells},
                 {"virial", fmm_virial}};
    if (argc > 2 && strcmp(argv[2], "device") == 0) {
        const char *name = getenv("FARSUM_TEST_DEVICE");
        if (farsum_device_open(name ? name : "opencl:0", &device)
            != FARSUM_OK) {
            printf("no device: %s\n", farsum_message());
            return CHECK_SKIPPED;
        }
    }
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (argc < 2 || strcmp(argv[1], parts[k].name) == 0)
            parts[k].run();
    if (argc > 1 && strcmp(argv[1], "few") == 0) /* a part of edges */
        fmm_few();
    farsum_device_close(device);
    return check_end();
}
