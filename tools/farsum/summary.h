/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h: a subcommand's text output, printed after all files are written,
 * because its reader may have closed the stream by then. */
#ifndef FARSUM_TOOLS_SUMMARY_H
#define FARSUM_TOOLS_SUMMARY_H

#include <stdio.h>

struct summary {
    FILE *to;     /* destination */
    char *held;   /* owned; the delayed lines, or NULL */
    size_t bytes;
};

/* Standard output, or standard error if one of the files, which may be NULL, is
 * standard output. */
FILE *summary_stream(const char *output, const char *report);
/* The same; with files, lines are delayed until summary_close.  Returns 0, or
 * -1 if there is no memory. */
int summary_open(struct summary *summary, const char *output,
                 const char *report);
void summary_close(struct summary *summary);
#endif
