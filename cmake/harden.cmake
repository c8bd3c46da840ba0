# SPDX-License-Identifier: Apache-2.0
# Flags that make a memory error harder to exploit.  They join farsum_flags: every
# object, the library, the command and the tests have them.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
check_c_compiler_flag(-fstack-protector-strong FARSUM_STACK_PROTECTOR)
if(FARSUM_STACK_PROTECTOR)
  target_compile_options(farsum_flags INTERFACE -fstack-protector-strong)
endif()
# Fortified functions need an optimiser, and sanitizers see more without them.
if(NOT FARSUM_SANITIZE)
  target_compile_options(farsum_flags INTERFACE
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE>
    $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)
endif()
# Full RELRO: the tables of the loader are read-only once it has run.
check_linker_flag(C -Wl,-z,relro,-z,now FARSUM_FULL_RELRO)
if(FARSUM_FULL_RELRO)
  target_link_options(farsum_flags INTERFACE -Wl,-z,relro,-z,now)
endif()
