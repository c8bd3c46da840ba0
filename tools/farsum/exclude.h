/* exclude.h: the pairs that --exclude names, as the library takes them. */
#ifndef FARSUM_TOOLS_EXCLUDE_H
#define FARSUM_TOOLS_EXCLUDE_H

#include "options.h"

struct exclude_list {
    int64_t count;
    int64_t *pair;  /* owned, [count][2]: places in the frame, from 0 */
    double *factor; /* owned, [count] */
};

/* Of the file of pairs, and of the frame's bonds: a pair of the file counts
 * before one of bonds, a bond before an angle, that before a dihedral.  apart:
 * 1, there are targets in a file of their own.  0, or -1 with the reason. */
int exclude_make(const struct settings *s, const struct io_frame *frame,
                 int apart, struct exclude_list *list, char *error,
                 size_t size);
/* Of the targets index [count], places among the sources, the pairs of a target
 * (its place in index) and a source.  0, or -1: no memory. */
int exclude_targets(const struct exclude_list *list, int64_t n,
                    const int64_t *index, int64_t count,
                    struct exclude_list *out);
void exclude_clear(struct exclude_list *list);
#endif
