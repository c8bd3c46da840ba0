/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.h: the pairs that --exclude names, as the library takes them. */
#ifndef FARSUM_TOOLS_EXCLUDE_H
#define FARSUM_TOOLS_EXCLUDE_H

#include "options.h"

struct exclude_list {
    int64_t count;
    int64_t *pair;  /* owned, [count][2]: places in the frame, from 0; or a
                       target's place and a source's */
    double *factor; /* owned, [count] */
};

/* Of the file of pairs, and of the frame's bonds: a pair of the file counts
 * before one of bonds, a bond before an angle, that before a dihedral.
 * targets: of a file of their own, or NULL; then a pair of the file is a target
 * and a source.  0, or -1 with the reason. */
int exclude_make(const struct settings *s, const struct io_frame *sources,
                 const struct io_frame *targets, struct exclude_list *list,
                 char *error, size_t size);
/* Of the targets index [count], places among n sources, or (apart) among n
 * targets, the pairs of a target (its place in index) and a source.  0, or -1:
 * no memory. */
int exclude_targets(const struct exclude_list *list, int64_t n, int apart,
                    const int64_t *index, int64_t count,
                    struct exclude_list *out);
void exclude_clear(struct exclude_list *list);
#endif
