# SPDX-License-Identifier: Apache-2.0
# Tests of the bindings for other languages, compiled as users compile them.
set(bindings ${CMAKE_CURRENT_SOURCE_DIR}/bindings)

# farsum.hpp by the compilers of this machine.
foreach(compiler ${CMAKE_CXX_COMPILER} clang++)
  get_filename_component(name ${compiler} NAME)
  string(REPLACE "+" "p" name ${name})
  farsum_ctest(bindings_${name} sh ${bindings}/cpp.sh ${PROJECT_BINARY_DIR}
    ${compiler})
endforeach()
farsum_ctest(bindings_cpp20 sh ${bindings}/cpp.sh ${PROJECT_BINARY_DIR}
  ${CMAKE_CXX_COMPILER} -std=c++20)
set_property(TEST bindings_cpp20 APPEND PROPERTY ENVIRONMENT
  FARSUM_TEST_DEVICE=opencl)
