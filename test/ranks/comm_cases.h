/* SPDX-License-Identifier: Apache-2.0 */
/* comm_cases.h: tests that every back end of comm.h must pass. */
#ifndef FARSUM_TEST_COMM_CASES_H
#define FARSUM_TEST_COMM_CASES_H

#include "comm/comm.h"

/* Checks all functions of comm.h.  Collective. */
void comm_cases(struct comm *comm);
/* Calls all functions.  A rank whose call fails continues until the next
 * comm_agree, and returns its status. */
farsum_status comm_cases_flow(struct comm *comm);
enum { COMM_FLOW_CALLS = 10 }; /* of comm_cases_flow */
#endif
