/* SPDX-License-Identifier: Apache-2.0 */
/* say.h: what the command tells the person in front of it: errors and notes to
 * stderr, progress there too, but only on a terminal. */
#ifndef FARSUM_TOOLS_SAY_H
#define FARSUM_TOOLS_SAY_H

#include <stddef.h>
#include <stdint.h>

/* The command's exit statuses. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3 };

/* "farsum: ..." and a line end. */
__attribute__((format(printf, 1, 2))) void say_error(const char *format, ...);
/* "farsum: note: ..." */
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);
/* One line that the next one replaces; nothing when stderr is not a terminal.
 * say_progress("") takes it away. */
__attribute__((format(printf, 1, 2))) void say_progress(const char *format,
                                                        ...);
/* As farsum_options.progress wants it, for a person: 1: there is one, on a
 * terminal. */
int say_listens(void);
int say_step(int64_t done, int64_t all, const char *what, void *data);
/* The library's message, its advice in words of the command: "use --precision
 * f64", "leave out --mesh". */
const char *say_advice(const char *message, char *text, size_t size);
/* As farsum_options.log wants it. */
void say_log(const char *line, void *data);
#endif
