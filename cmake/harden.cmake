# SPDX-License-Identifier: Apache-2.0
# Adds flags to farsum_flags that make memory errors harder to exploit.  They
# apply to every object, the library, the command and the tests.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
check_c_compiler_flag(-fstack-protector-strong FARSUM_STACK_PROTECTOR)
if(FARSUM_STACK_PROTECTOR)
  target_compile_options(farsum_flags INTERFACE -fstack-protector-strong)
endif()
# Fortified functions require optimisation, and sanitizers find more without
# them.
if(NOT FARSUM_SANITIZE)
  target_compile_options(farsum_flags INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
endif()
# Full RELRO: the loader's tables become read-only when it has finished.
check_linker_flag(C -Wl,-z,relro,-z,now FARSUM_FULL_RELRO)
if(FARSUM_FULL_RELRO)
  target_link_options(farsum_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
