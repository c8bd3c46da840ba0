/* SPDX-License-Identifier: Apache-2.0 */
/* device_plans.c: systems of a batch that plans sum on a device, with the
 * caller's arrays there.  A plan's arrays are the batch's own, because not all
 * devices can address a part of the caller's. */
#include <string.h>

#include "base/arrays.h"
#include "batch/device.h"

/* The caller's array of an output, [rhs][systems or sources][each]. */
struct output {
    void *given;
    int64_t size, at, count; /* bytes of a number; first number, and how many */
    const char *what;
};

static void outputs_of(const struct farsum_batch *b,
                       const struct batch_system *s, int r,
                       const farsum_result *out, struct output to[6])
{
    int64_t size = array_size(b->problem.arrays);
    int64_t at = r * b->sources + s->first;
    int64_t one = r * b->systems + (s - b->system);
    to[0] = (struct output){out->potential, size, at, s->n, "potential"};
    to[1] = (struct output){out->field, size, 3 * at, 3 * s->n, "field"};
    to[2] = (struct output){out->energy, 8, one, 1, "energy"};
    to[3] = (struct output){out->virial, 8, 9 * one, 9, "virial"};
    to[4] = (struct output){out->velocity, size, 3 * at, 3 * s->n, "velocity"};
    to[5] = (struct output){out->gradient, size, 6 * at, 6 * s->n, "gradient"};
}

/* Copies `count` numbers from number `at` of the caller's array to `to`. */
static farsum_status part_in(struct batch_gpu *gpu, struct buf *to,
                             const struct buf *from, int64_t at, int64_t count,
                             int64_t size)
{
    TRY(batch_gpu_room(gpu, to, count * size));
    return buf_copy(to, 0, from, at * size, count * size);
}

farsum_status batch_gpu_plan(const struct farsum_batch *b,
                             const struct batch_system *s, farsum_plan *plan,
                             int r, const void *q, const farsum_result *out)
{
    struct batch_gpu *gpu = b->gpu;
    int64_t size = array_size(b->problem.arrays), each = b->pair.strengths;
    int64_t at = (r * b->sources + s->first) * each;
    struct output to[6];
    struct buf given;
    farsum_result one = FARSUM_RESULT_INIT;
    void *place[6] = {NULL};
    outputs_of(b, s, r, out, to);
    TRY(buf_given(&given, gpu->device, q, (at + s->n * each) * size,
                  "strengths"));
    TRY(part_in(gpu, &gpu->given_q, &given, at, s->n * each, size));
    if (r == 0) {
        TRY(part_in(gpu, &gpu->given_x, &gpu->x, 3 * s->first, 3 * s->n, size));
        TRY(farsum_plan_set_points(plan, s->n, gpu->given_x.handle, 0, NULL));
    }
    for (int i = 0; i < 6; i++) {
        if (!to[i].given)
            continue;
        TRY(batch_gpu_room(gpu, &gpu->out[i], to[i].count * to[i].size));
        place[i] = gpu->out[i].handle;
    }
    one.potential = place[0], one.field = place[1], one.energy = place[2];
    one.virial = place[3], one.velocity = place[4], one.gradient = place[5];
    TRY(farsum_plan_execute(plan, 1, gpu->given_q.handle, &one));
    TRY(farsum_plan_finish(plan));
    for (int i = 0; i < 6; i++) {
        int64_t from = to[i].at * to[i].size, bytes = to[i].count * to[i].size;
        if (!to[i].given)
            continue;
        TRY(buf_given(&given, gpu->device, to[i].given, from + bytes,
                      to[i].what));
        TRY(buf_copy(&given, from, &gpu->out[i], 0, bytes));
    }
    return FARSUM_OK;
}

farsum_status batch_gpu_empty(struct farsum_batch *b, int rhs, int64_t system,
                              const farsum_result *out)
{
    const struct {
        void *given;
        int64_t each;
        const char *what;
    } all[] = {{out->energy, 8, "energy"}, {out->virial, 72, "virial"}};
    struct buf given;
    for (int i = 0; i < 2; i++)
        for (int r = 0; r < rhs && all[i].given; r++) {
            int64_t at = (r * b->systems + system) * all[i].each;
            TRY(buf_given(&given, b->gpu->device, all[i].given,
                          at + all[i].each, all[i].what));
            TRY(buf_fill_part(&given, at, 0, all[i].each));
        }
    return FARSUM_OK;
}
