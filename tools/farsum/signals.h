/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h: signal handlers that leave no half-written file. */
#ifndef FARSUM_TOOLS_SIGNALS_H
#define FARSUM_TOOLS_SIGNALS_H

/* After this call, every signal that ends the process first removes the
 * temporary files (io/temporary.h), then ends it as before.  A broken pipe or a
 * file beyond its size limit does not end the process: the write fails with a
 * message.  Signals that the caller ignores stay ignored. */
void signals_catch(void);
/* The errno of the last failed write, if it failed for one of these two
 * reasons; 0: none.  Streams lose it. */
int signals_cause(void);
#endif
