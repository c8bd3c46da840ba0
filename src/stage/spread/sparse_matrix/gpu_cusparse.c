/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_cusparse.c: cuSPARSE multiplies the spreading matrix by the strengths,
 * one channel at a time. */
#include "stage/spread/sparse_matrix/gpu_cusparse.h"

#include "base/mem.h"

#include <math.h>
#include "device/dl.h"
#include "device/driver/driver.h"
#include "device/graph.h"

#include <string.h>

enum { GROUP = 256 };

/* Constants of cuSPARSE. */
enum {
    NO_TRANSPOSE = 0,
    INDEX_32 = 2,
    BASE_ZERO = 0,
    TYPE_F32 = 0,
    TYPE_F64 = 1,
    ALGORITHM_DEFAULT = 0,
};

struct calls {
#define SYM(result, name, parameters) result(*name) parameters;
#include "stage/spread/sparse_matrix/gpu_cusparse.sym"
#undef SYM
};

struct state {
    struct spread_matrix matrix;
    struct calls calls;
    struct jit jit;
    struct kernel pack;
    void *handle, *sparse, *x, *y; /* owned, cuSPARSE's */
    int64_t entries;   /* entries of the matrix; 0: it is not created */
    struct buf start;  /* i32 */
    struct buf packed; /* [n] reals: contiguous strengths */
    struct buf work;
};

static farsum_status open_calls(struct calls *calls)
{
    static const char *const names[] = {"libcusparse.so.12", "libcusparse.so",
                                        NULL};
    static const char *const folders[] = {"/usr/local/cuda/lib64", NULL};
    static const char *const symbols[] = {
#define SYM(result, name, parameters) #name,
#include "stage/spread/sparse_matrix/gpu_cusparse.sym"
#undef SYM
        NULL};
    void *library = NULL; /* never unloaded */
    return dl_open(&library, names, folders, symbols, (void **)calls);
}

farsum_status spread_cusparse_fits(const void *a)
{
    const struct spread_args *args = a;
    struct calls calls;
    TRY(gpu_wanted(args->device));
    if (strcmp(args->device->backend->name, "cuda") != 0)
        FAIL(ERR_UNSUPPORTED,
             "cuSPARSE runs only on cuda; this plan uses device %s",
             args->device->name);
    TRY(spread_matrix_fits(args));
    if (spread_parts(args) != 1)
        FAIL(ERR_UNSUPPORTED, "cuSPARSE multiplies a real matrix only by "
                              "real strengths; these are complex");
    double most = spread_matrix_entries(args);
    if (most > INT32_MAX || spread_gpu_rows(args) > INT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "%.4g contributions to %lld mesh points; cuSPARSE with 32-bit "
             "indices takes at most %d",
             most, (long long)spread_gpu_rows(args), INT32_MAX);
    /* a window that wraps around a mesh meets a point twice; cuSPARSE refuses
     * more entries than a matrix has elements */
    for (int d = 0; d < 3; d++)
        if (args->mesh[d] < args->window->support)
            FAIL(ERR_UNSUPPORTED,
                 "the window spans %d mesh points, more than the %lld of the "
                 "mesh",
                 args->window->support, (long long)args->mesh[d]);
    if (open_calls(&calls) != FARSUM_OK)
        return status_prefix(FARSUM_ERR_UNSUPPORTED, "cuSPARSE");
    return FARSUM_OK;
}

double spread_cusparse_cost(const void *a)
{
    const struct spread_args *args = a;
    struct gpu_rates rates = spread_gpu_rates(args);
    struct spread_args one = *args;
    one.channels = 1;
    double points = (double)spread_gpu_rows(args);
    double longest = (9e-8 * spread_matrix_entries(args) / points
                          * pow(spread_clustering(args), 1.3)
                      + 8e-12 * points) / rates.share;
    return spread_channels(args)
               * (spread_matrix_product(&one) + longest)
           + (spread_matrix_build(args) + 5e-5) / spread_repeats(args);
}

int64_t spread_cusparse_bytes(const void *a)
{
    const struct spread_args *args = a;
    return (int64_t)sizeof(struct state) + spread_matrix_bytes(args)
           + 4 * (spread_gpu_rows(args) + 1)
           + args->n * gpu_real(args->precision);
}

static farsum_status failed(const struct state *s, int error, const char *what)
{
    if (error == 0)
        return FARSUM_OK;
    /* 2: out of memory */
    return status_fail(error == 2 ? FARSUM_ERR_MEMORY : FARSUM_ERR_DEVICE,
                       "cuSPARSE on %s: %s: error %d (%s)",
                       s->matrix.gpu.args.device->name, what, error,
                       s->calls.cusparseGetErrorString(error));
}

static int type_of(const struct state *s)
{
    return s->matrix.gpu.args.precision == FARSUM_F32 ? TYPE_F32 : TYPE_F64;
}

/* 1 and 0 in the precision. */
static const void *scalar(const struct state *s, int one)
{
    static const float f32[2] = {0, 1};
    static const double f64[2] = {0, 1};
    return type_of(s) == TYPE_F32 ? (const void *)&f32[one]
                                  : (const void *)&f64[one];
}

/* Frees the objects made by a set; the context is current. */
static void forget(struct state *s)
{
    if (s->sparse)
        s->calls.cusparseDestroySpMat(s->sparse);
    if (s->x)
        s->calls.cusparseDestroyDnVec(s->x);
    if (s->y)
        s->calls.cusparseDestroyDnVec(s->y);
    s->sparse = s->x = s->y = NULL;
}

void spread_cusparse_destroy(void *state)
{
    struct state *s = state;
    int before = 0;
    if (!s)
        return;
    const struct device *device = s->matrix.gpu.args.device;
    if (s->handle && driver_enter(device->inside, &before) == FARSUM_OK) {
        forget(s);
        s->calls.cusparseDestroy(s->handle);
        if (driver_leave(device->inside, before, 0, "") != FARSUM_OK)
            before = 0; /* errors can no longer be handled */
    }
    buf_clear(&s->start);
    buf_clear(&s->packed);
    buf_clear(&s->work);
    if (s->jit.device)
        jit_clear(&s->jit);
    spread_matrix_clear(&s->matrix);
    mem_free(s);
}

farsum_status spread_cusparse_create(const struct spread_args *args,
                                     enum spread_layout layout, void **state)
{
    farsum_status status = FARSUM_OK;
    struct driver *driver = args->device->inside;
    struct state *s = NULL;
    int before = 0;
    TRY(MEM_NEW(s, 1));
    GO(open_calls(&s->calls));
    GO(spread_matrix_create(&s->matrix, args, layout));
    jit_begin(&s->jit, args->device,
              "stage/spread/sparse_matrix/gpu_cusparse.k",
              args->precision);
    jit_define(&s->jit, "GROUP", "%d", GROUP);
    GO(jit_build(&s->jit));
    GO(jit_kernel(&s->jit, "cusparse_pack", GROUP, 0, &s->pack));
    GO(driver_enter(driver, &before));
    int error = s->calls.cusparseCreate(&s->handle);
    if (error == 0)
        error = s->calls.cusparseSetStream(s->handle, driver->queue);
    GO(driver_leave(driver, before, 0, ""));
    GO(failed(s, error, "creating a handle on the queue"));
    *state = s;
done:
    if (status != FARSUM_OK)
        spread_cusparse_destroy(s);
    return status;
}

/* Contributions off an open axis are not in the matrix; the device knows their
 * number.  Synchronises with the device in that case. */
static farsum_status count_entries(struct state *s)
{
    struct spread_matrix *m = &s->matrix;
    const struct spread_args *args = &m->gpu.args;
    int64_t P = args->window->support;
    s->entries = m->gpu.n * P * P * P;
    if (args->open[0] || args->open[1] || args->open[2]) {
        if (m->layout == SPREAD_ROWS) {
            int32_t found = 0;
            TRY(buf_download(&s->start, 4 * spread_gpu_rows(args), &found, 4));
            s->entries = found;
        } else if (s->entries > m->words) {
            s->entries = m->words;
        }
    }
    return FARSUM_OK;
}

/* Describes the matrix to cuSPARSE, and the vectors whose data a run replaces;
 * the context is current. */
static int describe(struct state *s)
{
    const struct spread_matrix *m = &s->matrix;
    int64_t rows = spread_gpu_rows(&m->gpu.args), n = m->gpu.n;
    int type = type_of(s), error;
    if (m->layout == SPREAD_ROWS)
        error = s->calls.cusparseCreateCsr(
            &s->sparse, rows, n, s->entries, s->start.handle, m->column.handle,
            m->value.handle, INDEX_32, INDEX_32, BASE_ZERO, type);
    else
        error = s->calls.cusparseCreateSlicedEll(
            &s->sparse, rows, n, s->entries, m->words, SPREAD_SLICE,
            s->start.handle, m->column.handle, m->value.handle, INDEX_32,
            INDEX_32, BASE_ZERO, type);
    if (error == 0)
        error = s->calls.cusparseCreateDnVec(&s->x, n, s->packed.handle, type);
    if (error == 0) /* a run sets the mesh; until then any array will do */
        error =
            s->calls.cusparseCreateDnVec(&s->y, rows, m->count.handle, type);
    return error;
}

static farsum_status prepare(struct state *s)
{
    size_t bytes = 0;
    TRY(failed(s, describe(s), "describing the matrix"));
    TRY(failed(s,
               s->calls.cusparseSpMV_bufferSize(
                   s->handle, NO_TRANSPOSE, scalar(s, 1), s->sparse, s->x,
                   scalar(s, 0), s->y, type_of(s), ALGORITHM_DEFAULT, &bytes),
               "querying the size of its memory"));
    TRY(buf_reserve(&s->work, s->matrix.gpu.args.device, (int64_t)bytes));
    if (s->matrix.layout != SPREAD_ROWS)
        return FARSUM_OK;
    return failed(s,
                  s->calls.cusparseSpMV_preprocess(
                      s->handle, NO_TRANSPOSE, scalar(s, 1), s->sparse, s->x,
                      scalar(s, 0), s->y, type_of(s), ALGORITHM_DEFAULT,
                      s->work.handle),
                  "preparing the product");
}

farsum_status spread_cusparse_set(void *state, const struct points *sources,
                                  const struct points *targets)
{
    struct state *s = state;
    struct spread_matrix *m = &s->matrix;
    struct device *device = m->gpu.args.device;
    int64_t rows = spread_gpu_rows(&m->gpu.args);
    int before = 0;
    (void)targets;
    s->entries = 0;
    TRY(spread_matrix_set(m, sources));
    int64_t starts = m->layout == SPREAD_ROWS
                         ? rows + 1
                         : (rows + SPREAD_SLICE - 1) / SPREAD_SLICE + 1;
    if (m->words > INT32_MAX)
        FAIL(ERR_UNSUPPORTED,
             "cuSPARSE: %lld contributions; at most %d are possible",
             (long long)m->words, INT32_MAX);
    if (m->gpu.n == 0)
        return FARSUM_OK;
    TRY(spread_matrix_narrow(m, starts, &s->start));
    TRY(buf_reserve(&s->packed, device,
                    m->gpu.n * gpu_real(m->gpu.args.precision)));
    TRY(count_entries(s));
    if (s->entries == 0)
        return FARSUM_OK;
    TRY(driver_enter(device->inside, &before));
    forget(s);
    farsum_status status = prepare(s);
    farsum_status left = driver_leave(device->inside, before, 0, "");
    return status != FARSUM_OK ? status : left;
}

/* Computes channel c; the context is current. */
static farsum_status product(const struct state *s, const struct spread_io *io,
                             const struct mesh_args *mesh, int c)
{
    const struct buf *q = io->q, *to = io->mesh;
    int64_t size = gpu_real(s->matrix.gpu.args.precision);
    char *x = (char *)q->handle + c * mesh->q_channel * size;
    char *y = (char *)to->handle + c * mesh->mesh_channel * size;
    if (mesh->q_point != 1) {
        TRY(LAUNCH(&s->pack, kernel_groups(&s->pack, mesh->n), ARG_BUF(q),
                   ARG_BUF(&s->packed), ARG_I64(c * mesh->q_channel),
                   ARG_I64(mesh->q_point), ARG_I64(mesh->n)));
        x = s->packed.handle;
    }
    int error = s->calls.cusparseDnVecSetValues(s->x, x);
    if (error == 0)
        error = s->calls.cusparseDnVecSetValues(s->y, y);
    if (error == 0)
        error = s->calls.cusparseSpMV(
            s->handle, NO_TRANSPOSE, scalar(s, 1), s->sparse, s->x,
            scalar(s, 0), s->y, type_of(s), ALGORITHM_DEFAULT, s->work.handle);
    return failed(s, error, "a product");
}

farsum_status spread_cusparse_run(void *state, const void *a)
{
    const struct state *s = state;
    const struct spread_args *args = &s->matrix.gpu.args;
    const struct spread_io *io = a;
    farsum_status status = FARSUM_OK;
    struct mesh_args mesh;
    int before = 0;
    TRY(spread_gpu_io(&s->matrix.gpu, io, &mesh));
    TRY(graph_refuses(args->device, "cuSPARSE"));
    if (s->entries == 0)
        return spread_gpu_zero(&s->matrix.gpu, io);
    TRY(driver_enter(args->device->inside, &before));
    for (int c = 0; c < spread_channels(args) && status == FARSUM_OK; c++)
        status = product(s, io, &mesh, c);
    farsum_status left = driver_leave(args->device->inside, before, 0, "");
    return status != FARSUM_OK ? status : left;
}
