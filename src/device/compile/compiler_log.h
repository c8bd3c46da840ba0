/* SPDX-License-Identifier: Apache-2.0 */
/* compiler_log.h: compiler messages with the files and lines of our kernels. */
#ifndef FARSUM_DEVICE_COMPILE_COMPILER_LOG_H
#define FARSUM_DEVICE_COMPILE_COMPILER_LOG_H

#include "base/status.h"

/* Replaces places in a compiler's log by file and line.  Some compilers ignore
 * #line and count the lines of the whole text: "<kernel>:812:7: error: ...".
 * *named is the log with each such place converted to its file, "words.k:16:7:
 * error: ...".  A place is kept if a #line names its file, or if the text does
 * not have its line.  *named is allocated by mem_alloc; the caller owns it. */
farsum_status log_named(const char *text, const char *log, char **named);
#endif
