/* near_gpu.h: what the rows on a device share. */
#ifndef FARSUM_STAGE_NEAR_NEAR_GPU_H
#define FARSUM_STAGE_NEAR_NEAR_GPU_H

#include "device/jit.h"
#include "stage/near/near.h"

/* The kernel's words for leaf/near.h, and STRENGTHS, VALUES. */
void near_gpu_defines(struct jit *jit, const struct near_args *args);
/* Operations of a pair within the cutoff: of a laplace both outputs. */
double near_work(const struct near_args *args);
#endif
