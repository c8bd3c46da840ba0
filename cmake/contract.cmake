# SPDX-License-Identifier: Apache-2.0
# A compiler may contract a * b + c to one fused instruction, here and not
# there, so that equal expressions in two places differ by rounding.  On
# processors whose base set has such instructions (64-bit ARM) that moves points
# across planes.  So only the kernels (*_kern.c, isa.cmake) are contracted:
# they link farsum_contracted, whose options come last.
include(CheckCCompilerFlag)
add_library(farsum_contracted INTERFACE)
check_c_compiler_flag(-ffp-contract=off FARSUM_FP_CONTRACT)
if(FARSUM_FP_CONTRACT)
  target_compile_options(farsum_flags INTERFACE -ffp-contract=off)
  target_compile_options(farsum_contracted INTERFACE -ffp-contract=fast)
endif()
