/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_device.c: tests of the public mesh on a device, FARSUM_TEST_DEVICE
 * (default: opencl:0), against the host's; arrays on either side.  `large [n]`,
 * on a device with enough memory, runs every variant with more products of
 * weights than 32 bits can count. */
#include "mesh_device.h"

#include "base/mem.h"

const char *name;
farsum_device *device;

static int real_of(const farsum_mesh_problem *p)
{
    return p->precision == FARSUM_F32 ? 4 : 8;
}

double get(const struct arrays *a, int which, int64_t i)
{
    return a->problem->precision == FARSUM_F32
               ? (double)((float *)a->host[which])[i]
               : ((double *)a->host[which])[i];
}

void put(struct arrays *a, int which, int64_t i, double v)
{
    if (a->problem->precision == FARSUM_F32)
        ((float *)a->host[which])[i] = (float)v;
    else
        ((double *)a->host[which])[i] = v;
}

static double random_unit(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static farsum_memory memory_of(const farsum_mesh_problem *p, int which)
{
    const farsum_memory given[] = {p->x_memory, p->q_memory, p->grid_memory,
                                   p->value_memory, p->value_memory};
    farsum_memory memory = given[which] ? given[which] : p->memory;
    return memory ? memory : FARSUM_HOST;
}

void *pointer(struct arrays *a, int which)
{
    return memory_of(a->problem, which) == FARSUM_DEVICE
               ? a->there[which].handle
               : a->host[which];
}

int64_t bytes_of(const struct arrays *a, int which)
{
    return a->count[which] * real_of(a->problem);
}

void up(struct arrays *a, int which)
{
    if (memory_of(a->problem, which) == FARSUM_DEVICE)
        CHECK_OK(buf_upload(&a->there[which], 0, a->host[which],
                            bytes_of(a, which)));
}

static void down(struct arrays *a, int which)
{
    if (memory_of(a->problem, which) == FARSUM_DEVICE)
        CHECK_OK(buf_download(&a->there[which], 0, a->host[which],
                              bytes_of(a, which)));
}

void arrays_make(struct arrays *a, const farsum_mesh_problem *p, int64_t n,
                 double spread)
{
    uint64_t state = 3;
    int64_t parts = p->is_complex ? 2 : 1;
    int64_t channels = p->channels > 0 ? p->channels : 1;
    int64_t ldz = p->ldz > 0 ? p->ldz : p->mesh[2],
            values = n * parts * channels;
    memset(a, 0, sizeof *a);
    a->problem = p;
    a->n = n;
    a->count[X] = 3 * n;
    a->count[Q] = a->count[VALUE] = values;
    a->count[GRADIENT] = 3 * values;
    a->count[GRID] = channels * p->mesh[0] * p->mesh[1] * ldz * parts;
    for (int k = 0; k < ARRAYS; k++) {
        a->host[k] = check_memory((size_t)a->count[k] + 1, sizeof(double));
        for (int64_t i = 0; k != X && i < a->count[k]; i++)
            put(a, k, i, random_unit(&state) - 0.5);
    }
    for (int64_t i = 0; i < n; i++) {
        double s[3], x[3];
        for (int d = 0; d < 3; d++)
            s[d] = spread * random_unit(&state)
                   + (p->periodic[d] ? (double)(i % 3) - 1 : 0);
        for (int j = 0; j < 3; j++) {
            x[j] = s[0] * p->cell[j] + s[1] * p->cell[3 + j]
                   + s[2] * p->cell[6 + j];
            put(a, X, 3 * i + j, x[j]);
        }
    }
    for (int k = 0; k < ARRAYS; k++)
        if (memory_of(p, k) == FARSUM_DEVICE) {
            CHECK_OK(buf_alloc(&a->there[k], device->device, bytes_of(a, k)));
            up(a, k);
        }
}

void arrays_free(struct arrays *a)
{
    for (int k = 0; k < ARRAYS; k++) {
        free(a->host[k]);
        buf_clear(&a->there[k]);
    }
}

farsum_mesh *made(const farsum_mesh_problem *p, farsum_device *where,
                  int deterministic)
{
    farsum_mesh *mesh = NULL;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    o.threads = 2;
    o.on_device = where;
    o.deterministic = deterministic;
    if (farsum_mesh_create(p, &o, &mesh) != FARSUM_OK)
        check_stop("no mesh: %s", farsum_message());
    return mesh;
}

void work(farsum_mesh *mesh, struct arrays *a)
{
    struct arrays grid;
    CHECK_OK(farsum_mesh_set_points(mesh, a->n, pointer(a, X)));
    arrays_make(&grid, a->problem, a->n, 1);
    CHECK_OK(farsum_mesh_spread(mesh, pointer(a, Q), pointer(a, GRID)));
    CHECK_OK(farsum_mesh_interp(mesh, pointer(&grid, GRID), pointer(a, VALUE),
                                pointer(a, GRADIENT)));
    CHECK_OK(farsum_mesh_finish(mesh));
    down(a, GRID);
    down(a, VALUE);
    down(a, GRADIENT);
    arrays_free(&grid);
}

void same(const struct arrays *a, const struct arrays *b, int which,
          double most)
{
    const farsum_mesh_problem *p = a->problem;
    int64_t parts = p->is_complex ? 2 : 1, bad = 0;
    double size = 0, off = 0;
    for (int64_t i = 0; i < a->count[which]; i++) {
        if (which == GRID && p->ldz > 0 && i / parts % p->ldz >= p->mesh[2])
            continue;
        double d = fabs(get(a, which, i) - get(b, which, i));
        bad += !(d < HUGE_VAL);
        off = fmax(off, d);
        size = fmax(size, fabs(get(b, which, i)));
    }
    CHECK(!bad && off <= most * size && (size > 0 || a->n == 0),
          "array %d: off by %g of %g, %lld are no numbers", which, off, size,
          (long long)bad);
}

/* The variations of a case. */
static farsum_mesh_problem varied(int i)
{
    farsum_mesh_problem p = skewed();
    p.precision = i % 4 == 2 ? FARSUM_F32 : FARSUM_F64;
    p.is_complex = i % 2;
    p.channels = 1 + i % 3;
    p.ldz = i % 3 == 1 ? p.mesh[2] + 3 : 0;
    p.support = 3 + i;
    if (i >= 2)
        p.periodic[i % 3] = 0;
    if (i == 4) /* narrower than the window */
        p.mesh[0] = 2, p.mesh[1] = 5, p.mesh[2] = 1;
    return p;
}

static void as_on_the_host(void)
{
    static const int64_t counts[] = {200, 0, 300, 1, 150, 257};
    for (int i = 0; i < 6; i++) {
        farsum_mesh_problem p = varied(i), h = p;
        struct arrays a, b;
        farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
        double most = p.precision == FARSUM_F32 ? 2e-5 : 1e-12;
        double spread = i == 5 ? 1e-3 : 1; /* all in one cell of the mesh */
        arrays_make(&b, &h, counts[i], spread);
        farsum_mesh *host = made(&h, NULL, 0);
        work(host, &b);
        farsum_mesh_destroy(host);
        /* each array on each side, among the cases */
        p.memory = i % 2 ? FARSUM_DEVICE : FARSUM_HOST;
        p.x_memory = i & 2 ? FARSUM_DEVICE : FARSUM_HOST;
        p.q_memory = i & 4 ? FARSUM_DEVICE : 0;
        p.grid_memory = i % 3 == 1 ? FARSUM_DEVICE : FARSUM_HOST;
        arrays_make(&a, &p, counts[i], spread);
        farsum_mesh *mesh = made(&p, device, 0);
        work(mesh, &a);
        same(&a, &b, GRID, most);
        same(&a, &b, VALUE, most);
        same(&a, &b, GRADIENT, most);
        CHECK_OK(farsum_mesh_get_info(mesh, &info));
        CHECK(strcmp(info.device, device->device->name) == 0
                  && info.device_model && info.device_bytes > 0
                  && info.n_points == counts[i],
              "%s, %llu bytes", info.device,
              (unsigned long long)info.device_bytes);
        if (counts[i] > 0)
            CHECK(info.stages[0].seconds > 0 && info.stages[1].seconds > 0,
                  "%g and %g s", info.stages[0].seconds,
                  info.stages[1].seconds);
        farsum_mesh_destroy(mesh);
        arrays_free(&a);
        arrays_free(&b);
    }
}

/* spread and interp allocate nothing, and deterministic variants repeat. */
static void repeats(void)
{
    farsum_mesh_problem p = skewed();
    struct arrays a, b;
    p.memory = FARSUM_DEVICE;
    arrays_make(&a, &p, 500, 0.2);
    arrays_make(&b, &p, 500, 0.2);
    farsum_mesh *mesh = made(&p, device, 1);
    work(mesh, &a);
    work(mesh, &b);
    for (int k = GRID; k < ARRAYS; k++)
        CHECK(memcmp(a.host[k], b.host[k], (size_t)bytes_of(&a, k)) == 0,
              "array %d differs", k);
    int64_t held = device->device->bytes, host = mem_bytes();
    CHECK_OK(farsum_mesh_spread(mesh, pointer(&a, Q), pointer(&a, GRID)));
    CHECK_OK(farsum_mesh_interp(mesh, pointer(&a, GRID), NULL,
                                pointer(&a, GRADIENT)));
    CHECK(device->device->bytes == held && mem_bytes() == host,
          "%lld and %lld bytes were taken",
          (long long)(device->device->bytes - held),
          (long long)(mem_bytes() - host));
    CHECK_OK(farsum_mesh_finish(mesh));
    CHECK_OK(farsum_mesh_finish(mesh)); /* no work is pending now */
    /* repeated calls, which may become a graph */
    for (int turn = 0; turn < 4; turn++) {
        CHECK_OK(buf_fill(&b.there[GRID], 0xff));
        CHECK_OK(buf_fill(&b.there[VALUE], 0xff));
        CHECK_OK(farsum_mesh_spread(mesh, pointer(&b, Q), pointer(&b, GRID)));
        CHECK_OK(farsum_mesh_interp(mesh, pointer(&b, GRID), pointer(&b, VALUE),
                                    NULL));
        CHECK_OK(farsum_mesh_finish(mesh));
        down(&b, GRID);
        down(&b, VALUE);
        same(&b, &a, GRID, 0);
        if (turn == 0)
            memcpy(a.host[VALUE], b.host[VALUE], (size_t)bytes_of(&a, VALUE));
        same(&b, &a, VALUE, 0);
    }
    farsum_mesh_destroy(mesh);
    arrays_free(&a);
    arrays_free(&b);
}

int main(int argc, char **argv)
{
    name = getenv("FARSUM_TEST_DEVICE");
    name = name && *name ? name : "opencl:0";
    if (farsum_device_open(name, &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return CHECK_SKIPPED;
    }
    if (argc > 1 && strcmp(argv[1], "large") == 0) {
        large(argc > 2 ? atoll(argv[2]) : 9000000);
        farsum_device_close(device);
        return check_end();
    }
    int64_t held = device->device->bytes;
    RUN(as_on_the_host);
    RUN(repeats);
    RUN(late_failures);
    RUN(results_not_finite);
    RUN(failures_at_once);
    RUN(memory_ends);
    RUN(by_name_and_adopted);
    RUN(wrong_kind);
    RUN(refusals);
    RUN(many_products);
    RUN(little_local);
    CHECK(device->device->bytes == held, "%lld bytes are left on the device",
          (long long)(device->device->bytes - held));
    farsum_device_close(device);
    return check_end();
}
