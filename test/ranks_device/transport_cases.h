/* SPDX-License-Identifier: Apache-2.0 */
/* transport_cases.h: tests that every transport must pass. */
#ifndef FARSUM_TEST_TRANSPORT_CASES_H
#define FARSUM_TEST_TRANSPORT_CASES_H

#include "ranks/device/transport_inside.h"

extern const char *device_name; /* FARSUM_TEST_DEVICE, or opencl:0 */
extern int device_apart; /* 1: rank r of a machine uses its device r */
/* Opens the device of a rank with this number on its machine. */
struct device *rank_device(int number);

struct job {
    const char *name; /* of the transport; NULL: the chosen one */
    int fail_rank;
    int64_t fail_at; /* allocation of fail_rank that fails in create; 0: none */
    int quiet;       /* 1: failures are expected */
};
/* For ranks_run, data: a struct job.  Creates a transport and uses it for
 * everything.  Collective. */
farsum_status transport_cases(struct comm *comm, void *data);
/* One exchange, and an agreement.  number: of the sizes, from 0 on.  reserve 0:
 * without memory. */
farsum_status case_trade(struct comm *comm, struct device *device,
                         struct transport *t, int number, int reserve);
farsum_status case_gather(struct comm *comm, struct device *device,
                          struct transport *t, int64_t bytes);
#endif
