/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h: incomplete files.  They are removed before the process ends, by
 * a signal handler if necessary. */
#ifndef FARSUM_IO_TEMPORARY_H
#define FARSUM_IO_TEMPORARY_H

/* Watches a file, from before its creation until it is renamed or removed.
 * Returns a slot, or -1 if there is none or path is NULL. */
int temporary_watch(const char *path);
void temporary_unwatch(int slot); /* -1 is legal */
/* Removes the watched files; a signal handler may call it. */
void temporary_remove(void);

#endif
