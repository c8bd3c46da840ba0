/* rooms.c: all rooms, in the order of the spectral method. */
#include "stage/fft/fft.h"
#include "stage/interp/interp.h"
#include "stage/near/near.h"
#include "stage/scale/scale.h"
#include "stage/spread/spread.h"

const struct stage *const stage_rooms[] = {
    &near_stage, &spread_stage, &fft_stage, &scale_stage, &interp_stage, NULL,
};
