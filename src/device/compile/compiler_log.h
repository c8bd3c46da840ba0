/* SPDX-License-Identifier: Apache-2.0 */
/* compiler_log.h: what a compiler says, with the files and lines of our
 * texts. */
#ifndef FARSUM_DEVICE_COMPILE_COMPILER_LOG_H
#define FARSUM_DEVICE_COMPILE_COMPILER_LOG_H

#include "base/status.h"

/* Some compilers count the lines of the whole text and pass over its #line
 * marks: "<kernel>:812:7: error: ...".  *named: the log with each such place
 * as the marks have it, "words.k:16:7: error: ...".  A place whose file a mark
 * names is left, and so is a line that is not in the text.  By mem_alloc; the
 * caller's. */
farsum_status log_named(const char *text, const char *log, char **named);
#endif
