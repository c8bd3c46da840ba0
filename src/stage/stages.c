/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c: all rooms, in the order of the methods: spectral, fmm. */
#include "stage/expansions/expansions.h"
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/near/near.h"
#include "stage/p2p/p2p.h"
#include "stage/scale/scale.h"
#include "stage/spread/spread.h"

const struct stage *const stage_rooms[] = {
    &near_stage, &spread_stage, &fft_stage, &scale_stage,   &interp_stage,
    &p2p_stage,  &p2m_stage,    &m2m_stage, &m2l_stage,     &lattice_stage,
    &l2l_stage,  &l2p_stage,    NULL,
};
