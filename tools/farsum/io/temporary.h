/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.h: files that are not complete yet.  Whoever ends the process, a
 * handler of a signal above all, removes them first. */
#ifndef FARSUM_IO_TEMPORARY_H
#define FARSUM_IO_TEMPORARY_H

/* Watches a file from before it is made until it is renamed or removed; a
 * slot, or -1 if there is none or path is NULL. */
int temporary_watch(const char *path);
void temporary_unwatch(int slot); /* -1 is legal */
/* Removes what is watched; a handler may call it. */
void temporary_remove(void);

#endif
