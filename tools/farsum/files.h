/* SPDX-License-Identifier: Apache-2.0 */
/* files.h: check of the files named by a subcommand's options. */
#ifndef FARSUM_TOOLS_FILES_H
#define FARSUM_TOOLS_FILES_H

#include "options.h"

/* Called before the work.  Fails if a written file is named twice, by any
 * names, or if a closed stream is named.  Returns 0, or -1 after printing the
 * reason.  name: the subcommand. */
int files_check(const struct settings *s, const char *name);
/* 1: the input file is also written. */
int files_are_one(const char *in, const char *out);
#endif
