/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h: what a subcommand says of its result, after all files are
 * written: who reads it may have gone by then. */
#ifndef FARSUM_TOOLS_SUMMARY_H
#define FARSUM_TOOLS_SUMMARY_H

#include <stdio.h>

struct summary {
    FILE *to;     /* where lines go */
    char *held;   /* owned; those that wait, or NULL */
    size_t bytes;
};

/* Standard output, or standard error where one of the files, which may be NULL,
 * is standard output. */
FILE *summary_stream(const char *output, const char *report);
/* The same, and lines wait until summary_close where there are files.  0, or -1
 * for lack of memory. */
int summary_open(struct summary *summary, const char *output,
                 const char *report);
void summary_close(struct summary *summary);
#endif
