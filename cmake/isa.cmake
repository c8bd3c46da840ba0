# Compiles a *_kern.c file once for each instruction set and precision (see
# src/base/isa.h).  isa_kernels(PREFIX OUT file...) names the objects in
# OUT.
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

function(isa_kernels prefix out)
  set(objects "")
  foreach(isa IN LISTS isa_list)
    foreach(bits 64 32)
      set(name ${prefix}_${isa}_f${bits})
      add_library(${name} OBJECT ${ARGN})
      target_link_libraries(${name} PRIVATE farsum_flags)
      target_compile_options(${name} PRIVATE ${isa_flags_${isa}})
      target_compile_definitions(${name} PRIVATE FARSUM_BITS=${bits}
                                 FARSUM_ISA=${isa})
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      list(APPEND objects $<TARGET_OBJECTS:${name}>)
    endforeach()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
