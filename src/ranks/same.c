/* SPDX-License-Identifier: Apache-2.0 */
/* same.c: comparison of texts among ranks. */
#include "ranks/same.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a, cut to the digits of a double. */
static double number_of_text(const char *text)
{
    uint64_t h = 14695981039346656037u;
    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    return ldexp((double)(h >> 11), -53);
}

/* The same message on all ranks. */
static farsum_status differs(struct comm *comm, const struct same_field *field)
{
    const char *all = comm->pieces;
    char words[3 * SAME_TEXT + 100];
    int r = 1;
    TRY(comm_gather(comm, field->text, comm->pieces, SAME_TEXT));
    while (r < comm->size - 1 && strcmp(all, all + (size_t)r * SAME_TEXT) == 0)
        r++;
    snprintf(words, sizeof words,
             "%s is %s on rank 0 and %s on rank %d; set the same on all ranks",
             field->name, all, all + (size_t)r * SAME_TEXT, r);
    TRY(comm_agree(comm, FARSUM_OK)); /* the network may have failed */
    return status_fail(FARSUM_ERR_ARGUMENT, "%s", words);
}

farsum_status same_check(struct comm *comm, const struct same_field *fields,
                         int n)
{
    double most[2 * SAME_MOST];
    for (int k = 0; k < n; k++) {
        most[2 * k] = number_of_text(fields[k].text);
        most[2 * k + 1] = -most[2 * k];
    }
    TRY(comm_agree(comm, comm_max(comm, most, 2 * n)));
    for (int k = 0; k < n; k++)
        if (most[2 * k] != -most[2 * k + 1])
            return differs(comm, &fields[k]);
    return FARSUM_OK;
}
