/* SPDX-License-Identifier: Apache-2.0 */
/* say.h: messages to the user: errors and notes to stderr; progress too, but
 * only on a terminal. */
#ifndef FARSUM_TOOLS_SAY_H
#define FARSUM_TOOLS_SAY_H

#include <stddef.h>
#include <stdint.h>

/* The command's exit statuses. */
enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_EXCEEDED = 3 };

enum { SAY_LONGEST = 1400 }; /* bytes of an error among ranks */

/* Makes stderr write whole lines: else a launcher of ranks, which passes
 * on what comes, could print its own words within a line of ours.  To be called
 * before anything is printed. */
void say_whole_lines(void);
/* Prints "farsum: ..." and a newline. */
__attribute__((format(printf, 1, 2))) void say_error(const char *format, ...);
/* Prints "farsum: note: ..." and a newline. */
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);
/* Prints one line that the next one replaces; prints nothing if stderr is not a
 * terminal.  say_progress("") clears it. */
__attribute__((format(printf, 1, 2))) void say_progress(const char *format,
                                                        ...);
/* Among copies that a launcher started, one speaks for all.  say_silence: this
 * copy prints nothing any more.  say_keep: errors are kept for say_take, and
 * notes and progress are printed only if `speaks`.  say_show: everything is
 * printed again. */
void say_silence(void);
void say_keep(int speaks);
void say_show(void);
/* Copies the first error that was kept ("": none), and forgets it. */
void say_take(char text[SAY_LONGEST]);
/* Prints an error of a copy, which the text names unless it is 0. */
void say_told(int rank, const char *text);
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
