/* SPDX-License-Identifier: Apache-2.0 */
/* slices.c: frames whose particles a reader gives away slice by slice. */
#include "slices.h"

#include <stdlib.h>

#include "charges.h"
#include "frame.h"

void slices_begin(struct io_reader *r, int64_t all) {
    r->all = all;
    r->given = 0;
}

int64_t slices_rows(const struct io_reader *r) {
    const struct io_slices *s = r->options.slices;
    int64_t most = s->most > 0 ? s->most : 1, parts = s->parts;
    if (r->all == 0) return most / 4 + 1;
    return r->all / parts < most ? (r->all + parts - 1) / parts : most;
}

int slices_give(struct io_reader *r, struct io_frame *frame, bool last) {
    const struct io_slices *s = r->options.slices;
    if (charges_by_type(&r->text, &r->options, frame, r->given)) return -1;
    r->given += frame->n;
    if (frame->n > 0 && s->take(s->data, frame, r->all))
        return text_fail(&r->text, "the particles were not taken");
    frame_empty(frame);
    if (!last && r->options.n_type_charges > 0) {
        free(frame->q);
        frame->q = NULL;
    }
    return 0;
}

int slices_row(struct io_reader *r, struct io_frame *frame, bool charged,
               int64_t *capacity) {
    if (r->options.slices && frame->n >= slices_rows(r) &&
        slices_give(r, frame, false))
        return -1;
    return frame_grow(frame, charged, capacity) ? text_no_memory(&r->text) : 0;
}
