/* SPDX-License-Identifier: Apache-2.0 */
/* summary.c: delayed output of lines. */
#include "summary.h"

#include "io/output.h"

#include <stdlib.h>
#include <unistd.h>

static int is_standard_output(const char *path)
{
    return path && output_descriptor(path) == STDOUT_FILENO;
}

FILE *summary_stream(const char *output, const char *report)
{
    return is_standard_output(output) || is_standard_output(report) ? stderr
                                                                    : stdout;
}

int summary_open(struct summary *summary, const char *output,
                 const char *report)
{
    *summary = (struct summary){.to = summary_stream(output, report)};
    if (summary->to == stdout && (output || report))
        summary->to = open_memstream(&summary->held, &summary->bytes);
    return summary->to ? 0 : -1;
}

void summary_close(struct summary *summary)
{
    if (!summary->to || summary->to == stdout || summary->to == stderr)
        return;
    if (fclose(summary->to) == 0)
        fwrite(summary->held, 1, summary->bytes, stdout);
    free(summary->held);
    *summary = (struct summary){0};
}
