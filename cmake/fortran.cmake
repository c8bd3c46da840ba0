# SPDX-License-Identifier: Apache-2.0
# The Fortran modules are installed as sources, because a .mod file belongs to
# one compiler.  A compiler is needed by their tests only.
find_program(FARSUM_FORTRAN_COMPILER gfortran)
if(FARSUM_FORTRAN_COMPILER)
  set(farsum_have_fortran ON)
else()
  set(farsum_have_fortran OFF)
endif()
option(FARSUM_FORTRAN
  "install the Fortran modules and test them (default: if gfortran is found)"
  ${farsum_have_fortran})
if(NOT FARSUM_FORTRAN)
  message(STATUS "Without the Fortran modules")
endif()
