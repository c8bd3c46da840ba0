# SPDX-License-Identifier: Apache-2.0
# Refuses versions older than the oldest that are known to work.

# floor_of_header(NAME FLOOR HEADER MAJOR MINOR RELEASE): the header defines its
# version by three macros, and the version must be FLOOR or later.
function(floor_of_header name floor header major minor release)
  file(STRINGS ${header} lines REGEX "^#[ ]*define (${major}|${minor}|${release}) ")
  set(version "")
  foreach(macro ${major} ${minor} ${release})
    string(REGEX MATCH "define ${macro} +([0-9]+)" found "${lines}")
    list(APPEND version ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN version "." version)
  if(version VERSION_LESS floor)
    message(FATAL_ERROR "${header} is ${name} ${version}: ${floor} or a later "
                        "version is needed")
  endif()
endfunction()

if(CMAKE_C_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_C_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "GCC ${CMAKE_C_COMPILER_VERSION}: 11 or a later version "
                      "is needed")
elseif(CMAKE_C_COMPILER_ID STREQUAL "Clang"
       AND CMAKE_C_COMPILER_VERSION VERSION_LESS 14)
  message(FATAL_ERROR "Clang ${CMAKE_C_COMPILER_VERSION}: 14 or a later version "
                      "is needed")
endif()
