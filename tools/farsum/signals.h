/* SPDX-License-Identifier: Apache-2.0 */
/* signals.h: no signal leaves a half-written file. */
#ifndef FARSUM_TOOLS_SIGNALS_H
#define FARSUM_TOOLS_SIGNALS_H

/* From now on every signal that ends the process removes the temporary files
 * (io/temporary.h) first, then ends it as it would have.  A broken pipe and a
 * file beyond its limit end nothing: the write fails and says so.  What the
 * caller ignores stays ignored. */
void signals_catch(void);
/* Why a write failed last, of these two reasons, as errno says it; 0: none has.
 * Streams forget it. */
int signals_cause(void);
#endif
