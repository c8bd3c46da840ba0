/* SPDX-License-Identifier: Apache-2.0 */
/* start.h: the descriptors that the command was started with. */
#ifndef FARSUM_TOOLS_START_H
#define FARSUM_TOOLS_START_H

/* Puts /dev/null in place of standard streams that are closed: else a file
 * that is opened later would take their number, and their text. */
void start_descriptors(void);
/* 1: this one of 0, 1, 2 was closed. */
int start_closed(int descriptor);
#endif
