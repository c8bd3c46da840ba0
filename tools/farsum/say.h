/* SPDX-License-Identifier: Apache-2.0 */
/* say.h: messages to the user: errors and notes to stderr; progress too, but
 * only on a terminal. */
#ifndef FARSUM_TOOLS_SAY_H
#define FARSUM_TOOLS_SAY_H

#include <stddef.h>
#include <stdint.h>

/* The command's exit statuses. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3 };

/* Prints "farsum: ..." and a newline. */
__attribute__((format(printf, 1, 2))) void say_error(const char *format, ...);
/* Prints "farsum: note: ..." and a newline. */
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);
/* Prints one line that the next one replaces; prints nothing if stderr is not a
 * terminal.  say_progress("") clears it. */
__attribute__((format(printf, 1, 2))) void say_progress(const char *format,
                                                        ...);
/* Callbacks for farsum_options.progress.  say_listens returns 1 if stderr is a
 * terminal. */
int say_listens(void);
int say_step(int64_t done, int64_t all, const char *what, void *data);
/* The library's message, with its advice in terms of the command: "use
 * --precision f64", "leave out --mesh". */
const char *say_advice(const char *message, char *text, size_t size);
/* Callback for farsum_options.log. */
void say_log(const char *line, void *data);
#endif
