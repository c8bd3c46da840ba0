/* SPDX-License-Identifier: Apache-2.0 */
/* methods.c: the tolerance sweep.
 *
 *     test_methods [--full] [--csv FILE] [--filter "key=a,b key=c ..."]
 *                  [--threads N] [--verbose] [--device]
 *
 * Keys of the filter: group (ladder, potential, absolute, fixed, kernels,
 * cross), kernel, system, precision (f64, f32, mixed), split, window, tol
 * (1e-05).  Without --full a subset runs in which each pair of (system,
 * tolerance, split, window) occurs and, in group cross, each pair of (kernel,
 * cell, distribution, precision, split, window, tolerance).  FARSUM_TEST_ALL=1:
 * all of it.  --device: on FARSUM_TEST_DEVICE (default: opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check.h"
#include "device/device.h"
#include "methods.h"

static void print_cell(const struct ladder_cell *c)
{
    printf("%-9s %-9s %s %-8s %-13s %-8.2g ", c->group, c->system->name,
           ladder_precision(c->precision), c->split, c->window,
           c->tolerance);
    if (c->status == FARSUM_OK)
        printf("est %.3g meas %.3g P=%d c=%.4g sigma=%.3g rc=%.4g "
               "mesh=%lldx%lldx%lld %.2f s\n",
               c->estimate, c->measured, c->info.support, c->info.bandwidth,
               c->info.upsampling, c->info.cutoff, (long long)c->info.mesh[0],
               (long long)c->info.mesh[1], (long long)c->info.mesh[2],
               c->seconds);
    else
        printf("refused: %s\n", c->message);
    fflush(stdout);
}

/* 1: the device for the cases is available. */
static int device_wanted(void)
{
    struct device *device = NULL;
    if (!getenv("FARSUM_TEST_DEVICE"))
        setenv("FARSUM_TEST_DEVICE", "opencl:0", 1);
    farsum_status status = device_open(getenv("FARSUM_TEST_DEVICE"), &device);
    device_close(device);
    if (status != FARSUM_OK)
        printf("no device: %s\n", farsum_message());
    return status == FARSUM_OK;
}

int main(int argc, char **argv)
{
    const char *csv = NULL, *filter = NULL;
    int full = 0, verbose = 0, device = 0;
    struct ladder ladder = {0};
    struct system systems[METHODS_SYSTEMS + METHODS_CROSS];
    double start = clock_seconds();
    memset(systems, 0, sizeof systems);
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--full") == 0)
            full = 1;
        else if (strcmp(argv[i], "--verbose") == 0)
            verbose = 1;
        else if (strcmp(argv[i], "--device") == 0)
            device = 1;
        else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc)
            csv = argv[++i];
        else if (strcmp(argv[i], "--filter") == 0 && i + 1 < argc)
            filter = argv[++i];
        else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            ladder.threads = atoi(argv[++i]);
        else
            check_stop("%s: unknown option; methods.c lists them", argv[i]);
    }
    if (device && !device_wanted())
        return CHECK_SKIPPED;
    methods_systems(systems, filter);
    ladder_fill(&ladder, systems, full, filter);
    ladder_fill_cross(&ladder, systems + METHODS_SYSTEMS, full, filter);
    printf("references: %.1f s\n", clock_seconds() - start);
    for (int i = 0; i < ladder.n; i++) {
        ladder_run(&ladder.cell[i], ladder.threads);
        if (verbose || ladder.cell[i].status != FARSUM_OK)
            print_cell(&ladder.cell[i]);
    }
    ladder_print(&ladder);
    if (csv)
        ladder_csv(&ladder, csv);
    ladder_check(&ladder);
    for (int i = 0; i < METHODS_SYSTEMS + METHODS_CROSS; i++)
        system_free(&systems[i]);
    free(ladder.cell);
    printf("%.1f s\n", clock_seconds() - start);
    return check_end();
}
