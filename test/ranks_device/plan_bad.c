/* SPDX-License-Identifier: Apache-2.0 */
/* plan_bad.c: devices of plans over ranks that are not possible: all ranks fail
 * with the same words, and keep no memory.  Also which device a name means. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "plan/ranks.h"
#include "plan/ranks/device.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

#include <farsum/device.h>

enum { RANKS = 3, POINTS = 20, LONGEST = 512 };

/* What one rank passes. */
struct given {
    farsum_problem problem;
    farsum_options options;
    const char *transport;
    struct device *device; /* owned: of options.device.handle, if any */
    farsum_device handle;
};

/* Bad input: what it changes on a rank, and the end on all. */
struct bad {
    const char *name;
    void (*spoil)(struct given *given, int rank);
    farsum_status status;
    const char *words;
};

struct shared {
    const struct bad *bad;
    char words[RANKS][LONGEST];
};

static void host_of_1(struct given *g, int rank)
{
    g->options.device.name = rank == 1 ? "host" : "opencl";
}

static void other_back_end(struct given *g, int rank)
{
    g->options.device.name = rank == 2 ? "hip:0" : "opencl";
}

static void too_high(struct given *g, int rank)
{
    g->options.device.name = rank == 2 ? "opencl:70" : "opencl";
}

static void no_number(struct given *g, int rank)
{
    g->options.device.name = rank == 1 ? "opencl:x" : "opencl:0";
}

static void unknown(struct given *g, int rank)
{
    (void)rank;
    g->options.device.name = "opencel";
}

static void twice(struct given *g, int rank)
{
    g->options.device.name = "opencl";
    if (rank == 1)
        g->options.device.handle = &g->handle;
}

static void device_arrays(struct given *g, int rank)
{
    (void)rank;
    g->problem.memory = FARSUM_DEVICE;
}

static void transport_unknown(struct given *g, int rank)
{
    g->options.device.name = "opencl";
    g->transport = rank == 0 ? "nccl" : "stage";
}

static void transport_differs(struct given *g, int rank)
{
    g->options.device.name = "opencl";
    g->transport = rank == 0 ? "staged" : NULL;
}

static void transport_of_host(struct given *g, int rank)
{
    (void)rank;
    g->transport = "staged";
}

static void other_lattice(struct given *g, int rank)
{
    (void)rank;
    g->problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    g->options.device.name = "opencl";
    g->options.method = "fmm";
    g->options.fmm.lattice = "gpu_dense";
}

static const struct bad bads[] = {
    {"a host", host_of_1, FARSUM_ERR_ARGUMENT,
     "device is opencl on rank 0 and host on rank 1; set the same"},
    {"another back end", other_back_end, FARSUM_ERR_ARGUMENT,
     "device is opencl on rank 0 and hip on rank 2; set the same"},
    {"too high", too_high, FARSUM_ERR_DEVICE,
     "rank 2: device opencl:70 does not exist"},
    {"no number", no_number, FARSUM_ERR_UNKNOWN,
     "rank 1: device \"opencl:x\": after the colon"},
    {"unknown", unknown, FARSUM_ERR_UNKNOWN,
     "rank 0: device \"opencel\" is not known"},
    {"name and handle", twice, FARSUM_ERR_ARGUMENT,
     "rank 1: device.name is \"opencl\", and device.handle is set too"},
    {"device arrays", device_arrays, FARSUM_ERR_ARGUMENT,
     "rank 0: memory is FARSUM_DEVICE, but"},
    {"unknown transport", transport_unknown, FARSUM_ERR_UNKNOWN,
     "rank 1: transport \"stage\" is not known; did you mean staged?"},
    {"other transport", transport_differs, FARSUM_ERR_ARGUMENT,
     "transport is staged on rank 0 and not set on rank 1; set the same"},
    {"transport of the host", transport_of_host, FARSUM_ERR_UNSUPPORTED,
     "rank 0: transport \"staged\" is between devices; this plan runs on"},
    {"lattice", other_lattice, FARSUM_ERR_UNSUPPORTED,
     "rank 0: method fmm: has variant gpu_fft of lattice only over ranks, not "
     "\"gpu_dense\""},
};

static farsum_status work(struct comm *comm, void *data)
{
    struct shared *s = data;
    struct given g = {.problem = sums_problem("laplace", 1, 1e-4, 0, FARSUM_F64,
                                              FARSUM_TINFOIL),
                      .options = FARSUM_OPTIONS_INIT};
    farsum_plan *plan = NULL;
    int64_t before = mem_bytes();
    CHECK_OK(device_open("opencl", &g.device));
    g.handle.device = g.device;
    g.problem.n_sources = POINTS;
    g.options.threads = 1;
    s->bad->spoil(&g, comm->rank);
    CHECK_FAILS(plan_over_ranks_by(comm, &g.problem, &g.options, g.transport,
                                   &plan),
                s->bad->status);
    snprintf(s->words[comm->rank], LONGEST, "%s", farsum_message());
    CHECK(!plan, "%s: a plan was made", s->bad->name);
    device_close(g.device);
    CHECK(mem_bytes() == before, "%s: rank %d keeps %lld bytes", s->bad->name,
          comm->rank, (long long)(mem_bytes() - before));
    return FARSUM_OK;
}

static void bad_devices(void)
{
    for (size_t k = 0; k < sizeof bads / sizeof *bads; k++) {
        static struct shared s;
        memset(&s, 0, sizeof s);
        s.bad = &bads[k];
        CHECK(ranks_run(RANKS, NULL, work, &s) == 0, "a rank failed");
        for (int r = 0; r < RANKS; r++)
            CHECK(strstr(s.words[r], bads[k].words)
                      && strcmp(s.words[r], s.words[0]) == 0,
                  "%s: rank %d says \"%s\", rank 0 \"%s\", wanted \"%s\"",
                  bads[k].name, r, s.words[r], s.words[0], bads[k].words);
    }
}

/* The name of the device that rank 50 opens by this name, if it is rank `rank`
 * of its machine. */
static void opens(int rank, const char *name, const char *wanted)
{
    struct comm comm = {.rank = 50, .size = 100, .node_rank = rank};
    struct ranks_device device = {.opened = 0};
    farsum_options o = FARSUM_OPTIONS_INIT;
    o.device.name = name;
    CHECK_OK(ranks_device_open(&comm, &o, &device));
    CHECK(!o.device.name && o.device.handle == &device.handle, "options");
    CHECK(strcmp(device.handle.device->name, wanted) == 0,
          "rank %d opens %s by %s, not %s", rank, device.handle.device->name,
          name, wanted);
    ranks_device_close(&device);
}

static void devices_by_rank(void)
{
    const struct device_backend *opencl = NULL;
    int n = 0;
    char wanted[32];
    for (int b = 0; device_backends[b]; b++)
        if (strcmp(device_backends[b]->name, "opencl") == 0)
            opencl = device_backends[b];
    CHECK_OK(device_count(opencl, &n));
    printf("  %d devices\n", n);
    for (int rank = 0; rank < 5; rank++) {
        snprintf(wanted, sizeof wanted, "opencl:%d", rank % n);
        opens(rank, "opencl", wanted);
        opens(rank, "opencl:0", "opencl:0");
    }
    snprintf(wanted, sizeof wanted, "opencl:%d", n - 1);
    opens(0, wanted, wanted);
}

/* The host and a caller's device stay. */
static void given_devices(void)
{
    struct comm comm = {.rank = 1, .size = 2};
    struct ranks_device device = {.opened = 0};
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_device *mine = NULL;
    CHECK_OK(ranks_device_open(&comm, &o, &device));
    o.device.name = "host";
    CHECK_OK(ranks_device_open(&comm, &o, &device));
    CHECK(!o.device.handle && strcmp(o.device.name, "host") == 0, "host");
    CHECK_OK(farsum_device_open("opencl", &mine));
    o.device.name = NULL;
    o.device.handle = mine;
    CHECK_OK(ranks_device_open(&comm, &o, &device));
    CHECK(o.device.handle == mine && !device.opened, "handle");
    ranks_device_close(&device);
    farsum_device_close(mine);
}

int main(void)
{
    setenv("POCL_DEVICES", "pthread pthread", 0); /* two devices */
    RUN(devices_by_rank);
    RUN(given_devices);
    RUN(bad_devices);
    return check_end();
}
