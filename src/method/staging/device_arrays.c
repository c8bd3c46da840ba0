/* SPDX-License-Identifier: Apache-2.0 */
/* device_arrays.c: transfers of strengths to a device and of results from
 * it. */
#include "method/staging/device_arrays.h"

#include "base/arrays.h"

struct gpu_counts gpu_counts(const struct task *task, int64_t n, int64_t m)
{
    return (struct gpu_counts){n, m, array_size(task->problem.arrays),
                               task->pair.strengths};
}

farsum_status gpu_arrays_reserve(struct gpu_arrays *a, const struct task *task,
                                 int64_t n, int64_t m)
{
    struct device *device = task->device;
    const struct gpu_counts c = gpu_counts(task, n, m);
    unsigned outputs = task->problem.outputs;
    if (task->problem.memory == FARSUM_DEVICE)
        return FARSUM_OK;
    TRY(buf_reserve(&a->q, device, n * c.strengths * c.size));
    if (outputs & FARSUM_POTENTIAL)
        TRY(buf_reserve(&a->potential, device, m * c.size));
    if (outputs & FARSUM_FIELD)
        TRY(buf_reserve(&a->field, device, 3 * m * c.size));
    if (outputs & FARSUM_GRADIENT)
        TRY(buf_reserve(&a->gradient, device, 6 * m * c.size));
    if (outputs & FARSUM_VELOCITY)
        TRY(buf_reserve(&a->velocity, device, 3 * m * c.size));
    if (outputs & FARSUM_PARTICLE_VIRIAL)
        TRY(buf_reserve(&a->particle_virial, device, 9 * m * c.size));
    TRY(buf_reserve(&a->energy, device, 8));
    return buf_reserve(&a->virial, device, 72);
}

void gpu_arrays_clear(struct gpu_arrays *a)
{
    buf_clear(&a->q);
    buf_clear(&a->potential);
    buf_clear(&a->field);
    buf_clear(&a->gradient);
    buf_clear(&a->energy);
    buf_clear(&a->virial);
    buf_clear(&a->velocity);
    buf_clear(&a->particle_virial);
}

farsum_status gpu_arrays_given(struct gpu_arrays *a, struct device *device,
                               const struct gpu_counts *c, int rhs,
                               const void *q, const farsum_result *result)
{
    int64_t out = rhs * c->m * c->size;
    TRY(buf_given(&a->q, device, q, rhs * c->n * c->strengths * c->size,
                  "strengths"));
    TRY(buf_given(&a->velocity, device, result->velocity, 3 * out, "velocity"));
    TRY(buf_given(&a->potential, device, result->potential, out, "potential"));
    TRY(buf_given(&a->field, device, result->field, 3 * out, "field"));
    TRY(buf_given(&a->gradient, device, result->gradient, 6 * out, "gradient"));
    TRY(buf_given(&a->particle_virial, device, result->particle_virial, 9 * out,
                  "particle_virial"));
    TRY(buf_given(&a->energy, device, result->energy, 8 * (int64_t)rhs,
                  "energy"));
    return buf_given(&a->virial, device, result->virial, 72 * (int64_t)rhs,
                     "virial");
}

farsum_status gpu_arrays_upload(struct gpu_arrays *a,
                                const struct gpu_counts *c, int r,
                                const void *q)
{
    int64_t bytes = c->n * c->strengths * c->size;
    return buf_upload(&a->q, 0, (const char *)q + r * bytes, bytes);
}

static farsum_status ends_back(const struct buf *from, int r, void *to,
                               int64_t bytes)
{
    if (!to)
        return FARSUM_OK;
    return buf_download(from, 0, (char *)to + r * bytes, bytes);
}

farsum_status gpu_arrays_download(const struct gpu_arrays *a,
                                  const struct gpu_counts *c, int r,
                                  const farsum_result *result)
{
    int64_t out = c->m * c->size;
    TRY(ends_back(&a->potential, r, result->potential, out));
    TRY(ends_back(&a->field, r, result->field, 3 * out));
    TRY(ends_back(&a->gradient, r, result->gradient, 6 * out));
    TRY(ends_back(&a->velocity, r, result->velocity, 3 * out));
    TRY(ends_back(&a->particle_virial, r, result->particle_virial, 9 * out));
    TRY(ends_back(&a->energy, r, result->energy, 8));
    return ends_back(&a->virial, r, result->virial, 72);
}

farsum_status gpu_ends_host(struct device *device, const farsum_result *result)
{
    TRY(buf_given_host(device, result->potential, 8, "potential"));
    TRY(buf_given_host(device, result->field, 8, "field"));
    TRY(buf_given_host(device, result->gradient, 8, "gradient"));
    TRY(buf_given_host(device, result->velocity, 8, "velocity"));
    TRY(buf_given_host(device, result->particle_virial, 8, "particle_virial"));
    TRY(buf_given_host(device, result->energy, 8, "energy"));
    return buf_given_host(device, result->virial, 8, "virial");
}

farsum_status gpu_ends_range(const struct task *task, int64_t r)
{
    FAIL(ERR_STRENGTH,
         "right-hand side %lld: a result is not finite in %s, or the largest "
         "of one kind is below its normal numbers: take other units of lengths "
         "or strengths, or points that lie less close",
         (long long)r, task->problem.arrays == FARSUM_F32 ? "f32" : "f64");
}

struct gpu_ends gpu_ends(const struct gpu_arrays *a,
                         const farsum_result *result)
{
    return (struct gpu_ends){
        .q = &a->q,
        .potential = result->potential ? &a->potential : NULL,
        .field = result->field ? &a->field : NULL,
        .gradient = result->gradient ? &a->gradient : NULL,
        .energy = result->energy ? &a->energy : NULL,
        .virial = result->virial ? &a->virial : NULL,
        .velocity = result->velocity ? &a->velocity : NULL,
        .particle_virial = result->particle_virial ? &a->particle_virial : NULL,
    };
}

farsum_status gpu_ends_spare(struct gpu_ends *ends, struct device *device,
                             struct buf *spare, int rhs,
                             const farsum_result *asked,
                             const farsum_result *result)
{
    int energy = asked->energy && !result->energy;
    int virial = asked->virial && !result->virial;
    if (!energy && !virial)
        return FARSUM_OK;
    TRY(buf_reserve(spare, device, 72 * (int64_t)rhs));
    if (energy)
        ends->energy = spare;
    if (virial)
        ends->virial = spare;
    return FARSUM_OK;
}
