# SPDX-License-Identifier: Apache-2.0
# Tests of the method fmm in open space, for other kernels than 1/r.
farsum_test(fmm_kernels fmm_kernels/kernels.c fmm_kernels/clouds.c)
farsum_test(fmm_kernels_refused fmm_kernels/refused.c fmm_kernels/clouds.c
  ranks/comm_threads.c)
