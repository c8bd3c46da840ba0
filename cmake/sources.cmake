# SPDX-License-Identifier: Apache-2.0
# The library's sources are all *.c and *.cc below src/, except for those of
# libfarsum_mpi in src/mpi/ (mpi.cmake).  Files *_kern.c are
# compiled once per instruction set.  FARSUM_WITHOUT names variants that the
# build leaves out: fft/fftw leaves out the files fftw and fftw_*.  Folders
# papers/ are compiled only with FARSUM_PAPERS.
#   library_sources(SOURCES KERNELS): sets SOURCES, and KERNELS to *_kern.c.
function(library_sources sources kernels)
  set(dir ${PROJECT_SOURCE_DIR}/src)
  file(GLOB_RECURSE all CONFIGURE_DEPENDS ${dir}/*.c ${dir}/*.cc)
  list(FILTER all EXCLUDE REGEX "/src/mpi/[^/]*$")
  foreach(variant IN LISTS FARSUM_WITHOUT)
    list(FILTER all EXCLUDE REGEX "/stage/${variant}(_[a-z0-9_]*)?[.]cc?$")
  endforeach()
  if(NOT FARSUM_PAPERS)
    list(FILTER all EXCLUDE REGEX "/papers/")
  endif()
  set(kern ${all})
  list(FILTER kern INCLUDE REGEX "_kern[.]c$")
  list(FILTER all EXCLUDE REGEX "_kern[.]c$")
  set(${sources} ${all} PARENT_SCOPE)
  set(${kernels} ${kern} PARENT_SCOPE)
endfunction()

# stage_variants(NAMES): sets NAMES to stage/stem for each line VARIANT(stage,
# stem, ...) or PAPER(...) of the stages' tables, except for variants that the
# build leaves out.
function(stage_variants names)
  file(GLOB_RECURSE tables CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/src/stage/*.def)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tables})
  set(found "")
  foreach(table IN LISTS tables)
    file(STRINGS ${table} lines REGEX "^ *(VARIANT|PAPER)\\(")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "\\( *([a-z0-9_]+) *, *([a-z0-9_]+)" _ "${line}")
      list(APPEND found ${CMAKE_MATCH_1}/${CMAKE_MATCH_2})
    endforeach()
  endforeach()
  if(FARSUM_WITHOUT)
    list(REMOVE_ITEM found ${FARSUM_WITHOUT})
  endif()
  set(${names} ${found} PARENT_SCOPE)
endfunction()
