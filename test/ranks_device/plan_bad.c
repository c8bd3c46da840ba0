/* SPDX-License-Identifier: Apache-2.0 */
/* plan_bad.c: devices of plans over ranks that are not possible: all ranks fail
 * with the same words, and keep no memory.  Also which device a name means.
 * The back end is that of FARSUM_TEST_DEVICE; any number of devices will do. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check.h"
#include "plan/ranks.h"
#include "plan/ranks/device.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"
#include "ranks_device/rank_device.h"

#include <farsum/device.h>

enum { RANKS = 3, POINTS = 20, LONGEST = 512, NAME = 32 };

static const struct device_backend *backend;
static int n_devices; /* of the back end */

/* The name of a device of the back end; after: what follows the back end's
 * name.  The text lasts as long as the thread. */
static const char *named(const char *after)
{
    static _Thread_local char name[NAME];
    snprintf(name, sizeof name, "%s%s", backend->name, after);
    return name;
}

/* Another back end. */
static const char *other_backend(void)
{
    return strcmp(backend->name, "hip") == 0 ? "cuda" : "hip";
}

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
    const char *words; /* $: the back end, #: another one */
};

struct shared {
    const struct bad *bad;
    char words[RANKS][LONGEST];
};

static void host_of_1(struct given *g, int rank)
{
    g->options.device.name = rank == 1 ? "host" : named("");
}

static void other_back_end(struct given *g, int rank)
{
    g->options.device.name = rank == 2 ? other_backend() : named("");
}

static void too_high(struct given *g, int rank)
{
    g->options.device.name = named(rank == 2 ? ":9999" : "");
}

static void no_number(struct given *g, int rank)
{
    g->options.device.name = named(rank == 1 ? ":x" : ":0");
}

static void unknown(struct given *g, int rank)
{
    (void)rank;
    g->options.device.name = "opencel";
}

static void twice(struct given *g, int rank)
{
    g->options.device.name = named("");
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
    g->options.device.name = named("");
    g->transport = rank == 0 ? "nccl" : "stage";
}

static void transport_differs(struct given *g, int rank)
{
    g->options.device.name = named("");
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
    g->options.device.name = named("");
    g->options.method = "fmm";
    g->options.fmm.lattice = "gpu_dense";
}

static const struct bad bads[] = {
    {"a host", host_of_1, FARSUM_ERR_ARGUMENT,
     "device is $ on rank 0 and host on rank 1; set the same"},
    {"another back end", other_back_end, FARSUM_ERR_ARGUMENT,
     "device is $ on rank 0 and # on rank 2; set the same"},
    {"too high", too_high, FARSUM_ERR_DEVICE,
     "rank 2: device $:9999 does not exist"},
    {"no number", no_number, FARSUM_ERR_UNKNOWN,
     "rank 1: device \"$:x\": after the colon"},
    {"unknown", unknown, FARSUM_ERR_UNKNOWN,
     "rank 0: device \"opencel\" is not known"},
    {"name and handle", twice, FARSUM_ERR_ARGUMENT,
     "rank 1: device.name is \"$\", and device.handle is set too"},
    {"device arrays", device_arrays, FARSUM_ERR_ARGUMENT,
     "rank 0: memory is FARSUM_DEVICE, but"},
    {"unknown transport", transport_unknown, FARSUM_ERR_UNKNOWN,
     "rank 1: transport \"stage\" is not known; did you mean staged?"},
    {"other transport", transport_differs, FARSUM_ERR_ARGUMENT,
     "transport is staged on rank 0 and not set on rank 1; set the same"},
    {"transport of the host", transport_of_host, FARSUM_ERR_UNSUPPORTED,
     "rank 0: transport \"staged\" is between devices; this plan runs on"},
    {"lattice", other_lattice, FARSUM_ERR_UNSUPPORTED,
     "rank 0: method fmm: has variants gpu_fft and gpu_grid of lattice only "
     "over ranks, not \"gpu_dense\""},
};

static farsum_status work(struct comm *comm, void *data)
{
    struct shared *s = data;
    struct given g = {.problem = sums_problem("laplace", 1, 1e-4, 0, FARSUM_F64,
                                              FARSUM_TINFOIL),
                      .options = FARSUM_OPTIONS_INIT};
    farsum_plan *plan = NULL;
    int64_t before = mem_bytes();
    if (device_open(named(":0"), &g.device) != FARSUM_OK)
        check_stop("%s", farsum_message());
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

/* Words with the names of back ends. */
static void words_of(char to[LONGEST], const char *words)
{
    size_t n = 0;
    for (; *words && n < LONGEST - NAME; words++) {
        const char one[2] = {*words};
        n += (size_t)snprintf(to + n, NAME, "%s",
                              *words == '$'   ? backend->name
                              : *words == '#' ? other_backend()
                                              : one);
    }
}

static void bad_devices(void)
{
    char wanted[LONGEST];
    for (size_t k = 0; k < sizeof bads / sizeof *bads; k++) {
        static struct shared s;
        memset(&s, 0, sizeof s);
        s.bad = &bads[k];
        CHECK(ranks_run(RANKS, NULL, work, &s) == 0, "a rank failed");
        words_of(wanted, bads[k].words);
        for (int r = 0; r < RANKS; r++)
            CHECK(strstr(s.words[r], wanted)
                      && strcmp(s.words[r], s.words[0]) == 0,
                  "%s: rank %d says \"%s\", rank 0 \"%s\", wanted \"%s\"",
                  bads[k].name, r, s.words[r], s.words[0], wanted);
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
    char wanted[NAME], last[NAME];
    for (int rank = 0; rank < 5; rank++) {
        snprintf(wanted, sizeof wanted, "%s:%d", backend->name,
                 rank % n_devices);
        opens(rank, named(""), wanted);
        opens(rank, named(":0"), named(":0"));
    }
    snprintf(last, sizeof last, "%s:%d", backend->name, n_devices - 1);
    opens(0, last, last);
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
    CHECK_OK(farsum_device_open(named(":0"), &mine));
    o.device.name = NULL;
    o.device.handle = mine;
    CHECK_OK(ranks_device_open(&comm, &o, &device));
    CHECK(o.device.handle == mine && !device.opened, "handle");
    ranks_device_close(&device);
    farsum_device_close(mine);
}

/* Sets the back end.  Returns 0 if it has no devices here. */
static int find_backend(void)
{
    const char *name = rank_device_name();
    size_t length = strcspn(name, ":");
    for (int b = 0; device_backends[b]; b++)
        if (strlen(device_backends[b]->name) == length
            && strncmp(device_backends[b]->name, name, length) == 0)
            backend = device_backends[b];
    if (!backend)
        check_stop("FARSUM_TEST_DEVICE: device %s is not known", name);
    if (device_count(backend, &n_devices) != FARSUM_OK)
        n_devices = 0;
    printf("  %d devices of %s\n", n_devices, backend->name);
    return n_devices > 0;
}

int main(void)
{
    setenv("POCL_DEVICES", "pthread pthread", 0); /* two devices */
    if (!find_backend())
        return CHECK_SKIPPED;
    RUN(devices_by_rank);
    RUN(given_devices);
    RUN(bad_devices);
    return check_end();
}
