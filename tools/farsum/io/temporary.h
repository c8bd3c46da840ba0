/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h: removal of files that are not complete yet, before the process
 * ends, in particular by a signal handler. */
#ifndef FARSUM_IO_TEMPORARY_H
#define FARSUM_IO_TEMPORARY_H

/* Watches a file, from before it is created until it is renamed or removed.
 * Returns a slot, or -1 if none is free or path is NULL. */
int temporary_watch(const char *path);
void temporary_unwatch(int slot); /* -1 is legal */
/* Removes the watched files; a signal handler may call it. */
void temporary_remove(void);

#endif
