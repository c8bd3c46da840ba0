# SPDX-License-Identifier: Apache-2.0
# Makes assertions name files by their path within the source or build tree, so
# that two folders give the same bytes.  Configurations that define NDEBUG have
# no assertions, and so no paths.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fmacro-prefix-map=/a/=/b/ FARSUM_MACRO_PREFIX_MAP)
if(FARSUM_MACRO_PREFIX_MAP)
  foreach(folder IN ITEMS ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    target_compile_options(farsum_flags INTERFACE
      $<$<NOT:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-fmacro-prefix-map=${folder}/=>)
  endforeach()
endif()
