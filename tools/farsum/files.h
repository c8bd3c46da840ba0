/* SPDX-License-Identifier: Apache-2.0 */
/* files.h: the files that a subcommand's options name. */
#ifndef FARSUM_TOOLS_FILES_H
#define FARSUM_TOOLS_FILES_H

#include "options.h"

/* Before anything is done: no file that is written is named twice, by whatever
 * names, and no stream that was closed is named.  0, or -1 after saying what is
 * wrong.  name: of the subcommand. */
int files_check(const struct settings *s, const char *name);
/* 1: a file that is read is one that will be written. */
int files_are_one(const char *in, const char *out);
#endif
