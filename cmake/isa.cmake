# SPDX-License-Identifier: Apache-2.0
# Compiles each *_kern.c file once per instruction set and precision (see
# src/base/isa.h).
#   isa_kernels(PREFIX OUT file...): sets OUT to the objects.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" isa_cpu)
if(isa_cpu MATCHES "x86_64|amd64")
  set(FARSUM_HAVE_X86 1)
  set(isa_list base avx2 avx512)
else()
  set(FARSUM_HAVE_X86 0)
  set(isa_list base)
endif()
set(isa_flags_base "")
set(isa_flags_avx2 -mavx2 -mfma)
set(isa_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma
    -mprefer-vector-width=512)

# Sanitized kernels take minutes to compile.  So only the instruction set
# FARSUM_SANITIZE_ISA is sanitized, which the presets select by the environment
# variable FARSUM_ISA.  The others are compiled without sanitizers and without
# optimisation.  For the sanitized one gcc calls functions for its address
# checks instead of inlining them, and omits checks that these include.
set(FARSUM_SANITIZE_ISA avx2 CACHE STRING "the instruction set to sanitize")
if(NOT FARSUM_SANITIZE_ISA IN_LIST isa_list)
  set(FARSUM_SANITIZE_ISA base)
endif()
add_library(farsum_unsanitized INTERFACE) # its options come last
target_compile_options(farsum_unsanitized INTERFACE -fno-sanitize=all -O0)
add_library(farsum_sanitized INTERFACE)
if(FARSUM_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(farsum_sanitized INTERFACE
    "SHELL:--param asan-instrumentation-with-call-threshold=0"
    -fno-sanitize=null,object-size,pointer-overflow)
endif()

function(isa_kernels prefix out)
  set(objects "")
  foreach(isa IN LISTS isa_list)
    foreach(bits 64 32)
      set(name ${prefix}_${isa}_f${bits})
      add_library(${name} OBJECT ${ARGN})
      target_link_libraries(${name} PRIVATE farsum_flags
        farsum_contracted)
      if(FARSUM_SANITIZE AND NOT isa STREQUAL FARSUM_SANITIZE_ISA)
        target_link_libraries(${name} PRIVATE farsum_unsanitized)
      elseif(FARSUM_SANITIZE)
        target_link_libraries(${name} PRIVATE farsum_sanitized)
      endif()
      target_compile_options(${name} PRIVATE ${isa_flags_${isa}})
      target_compile_definitions(${name} PRIVATE FARSUM_BITS=${bits}
                                 FARSUM_ISA=${isa})
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      list(APPEND objects $<TARGET_OBJECTS:${name}>)
    endforeach()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
