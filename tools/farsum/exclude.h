/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.h: pairs that --exclude names, in the library's form. */
#ifndef FARSUM_TOOLS_EXCLUDE_H
#define FARSUM_TOOLS_EXCLUDE_H

#include "options.h"

struct ranks;
struct spread;

struct exclude_list {
    int64_t count, all; /* all: on all ranks */
    int64_t *pair;  /* owned, [count][2]: indices in the frame, from 0; or a
                       target's index and a source's */
    double *factor; /* owned, [count] */
};

/* Collects pairs from the file of pairs and from the frame's bonds.  A pair of
 * the file has priority over one of bonds, a bond over an angle, an angle over
 * a dihedral.  targets: from a file of their own, or NULL; with them a pair of
 * the file is a target and a source.  Returns 0, or -1 with the reason. */
int exclude_make(const struct settings *s, const struct io_frame *sources,
                 const struct io_frame *targets, struct exclude_list *list,
                 char *error, size_t size);
/* The same over ranks, which is collective.  The list is on rank 0, with the
 * plan's numbers.  A rank that did not fail itself has no error. */
struct exclude_over {
    struct ranks *ranks;
    const struct spread *sources, *targets;
};
int exclude_make_over(const struct settings *s, const struct io_frame *sources,
                      const struct io_frame *targets,
                      const struct exclude_over *over,
                      struct exclude_list *list, char *error, size_t size);
/* Selects the pairs of the targets index [count], which are indices among n
 * sources or (apart) among n targets.  The new pairs have a target's position
 * in `index` and a source.  Returns 0, or -1 if there is no memory. */
int exclude_targets(const struct exclude_list *list, int64_t n, int apart,
                    const int64_t *index, int64_t count,
                    struct exclude_list *out);
void exclude_clear(struct exclude_list *list);
#endif
