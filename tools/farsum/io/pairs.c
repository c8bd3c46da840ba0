/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.c: reader of files of pairs. */
#include "pairs.h"

#include <stdlib.h>

int io_pairs_add(struct io_pairs *pairs, struct io_pair pair) {
    if (pairs->n == pairs->capacity) {
        int64_t capacity = pairs->capacity + pairs->capacity / 2 + 16;
        struct io_pair *more =
            realloc(pairs->pair, (size_t)capacity * sizeof *more);
        if (!more) return -1;
        pairs->pair = more;
        pairs->capacity = capacity;
    }
    pairs->pair[pairs->n++] = pair;
    return 0;
}

void io_pairs_clear(struct io_pairs *pairs) {
    free(pairs->pair);
    *pairs = (struct io_pairs){0};
}

static int read_line(struct text *t, struct io_pairs *pairs) {
    struct io_pair pair = {.line = t->number};
    const struct text_item numbers = {"number of a particle", 0, 0};
    const struct text_item factor = {"factor", 0, 0};
    if (text_integer(t, text_next_word(t), numbers, &pair.a) ||
        text_integer(t, text_next_word(t), numbers, &pair.b))
        return -1;
    if (!text_blank(t)) {
        struct text_word word = text_next_word(t);
        if (text_real(t, word, factor, true, &pair.factor)) return -1;
        if (!(pair.factor >= 0 && pair.factor <= 1))
            return text_expected(t, word, "a factor from 0 to 1");
    }
    if (text_finish_line(t)) return -1;
    return io_pairs_add(pairs, pair) ? text_no_memory(t) : 0;
}

int pairs_read(struct text *t, struct io_pairs *pairs) {
    for (;;) {
        int got = text_next_line(t);
        if (got != 1) return got;
        text_cut(t, '#');
        if (!text_blank(t) && read_line(t, pairs)) return -1;
    }
}
