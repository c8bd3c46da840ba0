/* SPDX-License-Identifier: Apache-2.0 */
/* life_faults.h: lives in which allocations and calls fail in turn, and the
 * small plan of method fmm that such tests make. */
#ifndef FARSUM_TEST_RANKS_LIFE_FAULTS_H
#define FARSUM_TEST_RANKS_LIFE_FAULTS_H

#include "ranks/plan_life.h"

/* Lets every `stride`-th allocation of each rank fail, and sets how many did:
 * failed [life->size].  what: for messages. */
void life_no_memory(struct life *life, const char *what, int stride,
                    int64_t *failed);
/* Lets every `stride`-th call of comm fail on each rank.  If it is the last one
 * of a step, the next step fails. */
void life_no_network(struct life *life, const char *what, int stride);
/* Method fmm, open or periodic. */
struct life life_fmm(int size, int open, int verify);
#endif
