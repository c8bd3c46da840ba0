/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_costs.h: cuts by weight of `spectral` over ranks: what a sum costs. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_COSTS_H
#define FARSUM_METHOD_SPECTRAL_RANKS_COSTS_H

#include "method/spectral/ranks_cut.h"
#include "method/staging/ranks_balance.h"

/* Makes the balance of slabs.  As ranks_balance_create. */
farsum_status spectral_ranks_balance(struct ranks_balance *balance,
                                     const struct task *task,
                                     const struct parameters *t,
                                     const struct ranks_cut *cut,
                                     struct comm *comm);
#endif
