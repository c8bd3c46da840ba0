# SPDX-License-Identifier: Apache-2.0
# libfarsum_mpi: the communication among ranks by MPI.  MPI_C_COMPILER chooses
# among several installed MPIs (mpicc.openmpi, mpicc.mpich).
if(FARSUM_SANITIZE) # MPI libraries are not sanitized
  set(FARSUM_MPI OFF)
endif()
if(NOT DEFINED FARSUM_MPI OR FARSUM_MPI)
  find_package(MPI 3.0 COMPONENTS C)
endif()
option(FARSUM_MPI "build libfarsum_mpi (default: if MPI is found)"
  ${MPI_C_FOUND})
if(NOT FARSUM_MPI)
  message(STATUS "Without libfarsum_mpi")
  return()
endif()
if(NOT MPI_C_FOUND)
  message(FATAL_ERROR "MPI 3.0 was not found: install it (Debian: "
    "libopenmpi-dev), name its compiler by MPI_C_COMPILER, or set "
    "FARSUM_MPI=OFF")
endif()

file(GLOB farsum_mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/mpi/*.c)
add_library(farsum_mpi_objects OBJECT ${farsum_mpi_sources})
target_link_libraries(farsum_mpi_objects PRIVATE farsum_flags MPI::MPI_C)
set_target_properties(farsum_mpi_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON)
foreach(kind shared static)
  string(TOUPPER ${kind} type)
  add_library(farsum_mpi_${kind} ${type} $<TARGET_OBJECTS:farsum_mpi_objects>)
  set_target_properties(farsum_mpi_${kind} PROPERTIES OUTPUT_NAME farsum_mpi
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_link_libraries(farsum_mpi_${kind} PUBLIC farsum_${kind} MPI::MPI_C
    PRIVATE $<BUILD_INTERFACE:farsum_flags>)
endforeach()
add_library(farsum::farsum_mpi ALIAS farsum_mpi_shared)
add_library(farsum::farsum_mpi_static ALIAS farsum_mpi_static)
farsum_exports(farsum_mpi_shared)
if(UNIX AND NOT APPLE) # libfarsum must export all that libfarsum_mpi calls
  target_link_options(farsum_mpi_shared PRIVATE -Wl,-z,defs)
endif()
