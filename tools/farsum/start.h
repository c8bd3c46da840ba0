/* SPDX-License-Identifier: Apache-2.0 */
/* start.h: standard descriptors of the command at start. */
#ifndef FARSUM_TOOLS_START_H
#define FARSUM_TOOLS_START_H

/* Opens /dev/null on standard streams that are closed.  Otherwise a file opened
 * later would get their number, and their text. */
void start_descriptors(void);
/* 1: this one of 0, 1, 2 was closed. */
int start_closed(int descriptor);
#endif
