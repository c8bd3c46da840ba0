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

# The Fortran modules: structs and constants by both compilers, and programs.
if(FARSUM_FORTRAN)
  set(modules ${PROJECT_SOURCE_DIR}/bindings/fortran)
  set(link -I${PROJECT_SOURCE_DIR}/include -L${PROJECT_BINARY_DIR}
    -Wl,-rpath,${PROJECT_BINARY_DIR})
  farsum_ctest(bindings_fortran_structs ${Python3_EXECUTABLE} -B
    ${bindings}/fortran.py ${CMAKE_C_COMPILER} ${FARSUM_FORTRAN_COMPILER}
    ${PROJECT_SOURCE_DIR}/include/farsum/farsum.h ${modules}/farsum_c.f90 ${link}
    -lfarsum)
  farsum_ctest(bindings_fortran sh ${bindings}/fortran.sh ${PROJECT_BINARY_DIR}
    ${FARSUM_FORTRAN_COMPILER})
endif()
# They need the MPI's own compiler and its module mpi_f08.
if(FARSUM_FORTRAN AND FARSUM_MPI)
  string(REGEX REPLACE "mpicc([^/]*)$" "mpifort\\1" mpifort
    "${MPI_C_COMPILER}")
  farsum_ctest(bindings_fortran_mpi_structs ${Python3_EXECUTABLE} -B
    ${bindings}/fortran.py ${MPI_C_COMPILER} ${mpifort}
    ${PROJECT_SOURCE_DIR}/include/farsum/mpi.h
    ${modules}/farsum_c.f90,${modules}/farsum.f90,${modules}/farsum_mpi.f90
    ${link} -lfarsum_mpi -lfarsum)
  farsum_ctest(bindings_fortran_mpi sh ${bindings}/fortran.sh
    ${PROJECT_BINARY_DIR} ${mpifort} ${FARSUM_MPIEXEC} ${launcher_options})
  set_property(TEST bindings_fortran_mpi APPEND PROPERTY ENVIRONMENT
    "${launcher_environment}")
endif()
