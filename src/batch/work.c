/* SPDX-License-Identifier: Apache-2.0 */
/* work.c: the threads' arrays, and failures of single systems. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "batch/batch.h"

int64_t batch_reals(const struct batch_choice *choice, int64_t padded)
{
    const int *m = choice->most;
    int64_t turns = 2 * (m[0] + m[1] + m[2] + 3) + 4;
    /* tables and turn, q, potential, field, slope, and q and integers in f32;
     * then weights, sums, power of the entries */
    return padded * (turns + 1 + 1 + 3 + 3 + 2) + choice->entries * (2 + 4 + 2)
           + 3 * WAVES_IMAGES;
}

farsum_status batch_reserve(struct farsum_batch *b,
                            const struct batch_choice *choice, int64_t padded)
{
    int64_t reals = batch_reals(choice, padded);
    if (b->gpu)
        return FARSUM_OK;
    if (reals > b->real_have) {
        b->real_have = 0;
        for (int t = 0; t < b->threads; t++) {
            mem_free(b->work[t].real);
            TRY(MEM_RAW(b->work[t].real, reals));
        }
        b->real_have = reals;
    }
    if (choice->rows > b->row_have) {
        b->row_have = 0;
        for (int t = 0; t < b->threads; t++) {
            mem_free(b->work[t].row);
            TRY(MEM_RAW(b->work[t].row, choice->rows));
        }
        b->row_have = choice->rows;
    }
    return FARSUM_OK;
}

void batch_fail(struct farsum_batch *b, struct batch_fault *fault,
                struct batch_system *system, farsum_status status)
{
    int64_t index = system - b->system;
    system->status = status;
#pragma omp critical(farsum_batch_fault)
    if (fault->system < 0 || index < fault->system) {
        fault->system = index;
        fault->status = status;
        snprintf(fault->text, sizeof fault->text, "%s", farsum_message());
    }
}
