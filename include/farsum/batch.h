/* SPDX-License-Identifier: Apache-2.0 */
/* batch.h: sums of many separate systems in one call.
 *
 * A system is a set of sources with a cell of its own.  Systems do not act on
 * each other.  A batch is one problem and one tolerance for all of them:
 *
 *     farsum_batch *batch = NULL;
 *     farsum_batch_create(&problem, NULL, &batch);
 *     farsum_batch_set(batch, systems, offsets, cells, x);
 *     farsum_result out = FARSUM_RESULT_INIT;
 *     out.energy = energy; out.field = field;
 *     farsum_batch_execute(batch, 1, q, &out);
 *     farsum_batch_destroy(batch);
 *
 * Small systems of 1/r with three periodic axes are summed over pairs and waves
 * without a mesh, larger ones and other problems by plans that the batch keeps.
 * The results of a system are the same bits whatever the other systems are and
 * however many threads sum them.  There are two exceptions: a system of 20000
 * sources or more uses all threads, and its bits may depend on their number; a
 * system that plans sum on a device repeats its bits with deterministic = 1.
 *
 * With options.device a few launches sum all small systems together, of up to
 * some thousand sources each, by the host's method; plans sum the others one by
 * one.  problem.memory says where x, q and all results are, energies and
 * virials too.  offsets and cells are on the host.
 *
 * A system at fault is named in the message, "system 17: ...", and spoils no
 * other: the call sums all others, and returns the status of the first system
 * at fault.  That system's results may be those of before or of this call.
 * farsum_batch_get_system() has the status of each. */
#ifndef FARSUM_BATCH_H
#define FARSUM_BATCH_H

#include <farsum/farsum.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct farsum_batch farsum_batch; /* opaque */

/* A system's state.  Lengths are in the caller's unit.  Texts are static. */
typedef struct farsum_batch_system {
    size_t size;            /* set by FARSUM_BATCH_SYSTEM_INIT */
    farsum_status status;   /* of the last set and execute */
    int64_t n;              /* sources */
    const char *method;     /* "waves": pairs and waves without a mesh; or a
                               plan's method.  NULL: an empty system, or one
                               that is not summed yet */
    double estimated_error; /* in the tolerance's norm, in the last execute */
    double norm;            /* divisor of relative errors in it */
    double cutoff;          /* of pairs; 0: none */
    double bandwidth;       /* of the split; 0: none */
    int64_t waves;          /* wave vectors, k and -k counted once; else 0 */
    int images;             /* images of each pair that are summed; else 0 */
    int sums;               /* sums in the last execute; above 1: the first
                               missed the tolerance, by its estimate */
    int f32_pairs;          /* 1: the pairs were summed in f32, because its
                               rounding is negligible at the tolerance */
} farsum_batch_system;
#define FARSUM_BATCH_SYSTEM_INIT {.size = sizeof(farsum_batch_system)}

/* Creates a batch.  problem: as for farsum_plan_create; n_sources, cell and
 * sample_q describe a typical system and may be left out; sample_q is on the
 * host.  options: NULL, or method, isa, device.name or device.handle (which
 * must outlive the batch), threads, deterministic, measure, verify,
 * memory_limit (for each plan), log and on_excess.  batch: out; the caller owns
 * *batch.  Errors: those of farsum_plan_create, and ERR_UNSUPPORTED for
 * separate targets, exclusions and other options.  Blocks. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_batch_create(const farsum_problem *problem,
                    const farsum_options *options, farsum_batch **batch);
/* Frees a batch and all that it owns.  NULL is legal. */
FARSUM_API void farsum_batch_destroy(farsum_batch *batch);

/* Sets the systems.  System s has the sources offsets[s] .. offsets[s + 1] - 1
 * and the cell of the rows cells[s]; offsets[0] = 0.  A system may be empty.
 * offsets: [systems + 1].  cells: [systems][9]; NULL in open space.  x:
 * [offsets[systems]][3], type `arrays`.  All are copied.  Counts and cells may
 * differ from earlier calls.  Errors: of one system ERR_CELL, ERR_POSITION; the
 * batch is then set, and execute sums the others.  With a device, execute
 * reports ERR_POSITION.  Of the call ERR_ARGUMENT, ERR_MEMORY, ERR_DEVICE; the
 * batch then has no systems.  Blocks; x on a device is copied in the order of
 * the device's queue. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_batch_set(farsum_batch *batch, int64_t systems, const int64_t *offsets,
                 const double *cells, const void *x);
/* Sums rhs >= 1 sets of strengths of all systems.  q: [rhs][N][strengths], all
 * systems behind each other.  result: potential, field, velocity and gradient
 * as of a plan of N = offsets[systems] sources; energy [rhs][systems], virial
 * [rhs][systems][9].  An empty system has no energy and no virial.  A system
 * whose estimate exceeds the tolerance is summed again by a finer choice; if
 * that is not enough it is named to log, and with FARSUM_EXCESS_FAIL it is at
 * fault.  Errors of one system: ERR_COINCIDENT, ERR_STRENGTH, ERR_TOLERANCE,
 * and those of set again.  Of the call: ERR_STATE (no systems), ERR_ARGUMENT,
 * ERR_MEMORY, ERR_DEVICE.  Blocks, on a device too. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_batch_execute(farsum_batch *batch, int rhs, const void *q,
                     farsum_result *result);
/* Gets the state of a system.  info: start from FARSUM_BATCH_SYSTEM_INIT.
 * Errors: ERR_ARGUMENT. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_batch_get_system(const farsum_batch *batch, int64_t system,
                        farsum_batch_system *info);
#ifdef __cplusplus
}
#endif
#endif
