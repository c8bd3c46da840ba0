/* SPDX-License-Identifier: Apache-2.0 */
/* same.h: checks that all ranks pass the same arguments.
 *
 * Each rank turns each field into text and the text into a number.  Two maxima,
 * of the numbers and of their negatives, show every rank which fields
 * differ. */
#ifndef FARSUM_RANKS_SAME_H
#define FARSUM_RANKS_SAME_H

#include "comm/comm.h"

enum { SAME_TEXT = 64, SAME_MOST = 96 /* fields */ };

struct same_field {
    char name[32], text[SAME_TEXT];
};

/* Fails on all ranks, with the field's name and the texts of two ranks, if a
 * field's text differs.  n <= SAME_MOST and the names are the same on all
 * ranks.  Collective. */
farsum_status same_check(struct comm *comm, const struct same_field *fields,
                         int n);
#endif
