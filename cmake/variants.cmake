# SPDX-License-Identifier: Apache-2.0
# Reads a room's variants.def: each row `VARIANT(room, stem, ...)` compiles
# src/stage/room/stem.c and its parts stem_*.c, those that end in _kern.c for
# each instruction set.  Rows of variants that the build leaves out are named in
# FARSUM_WITHOUT (for example fft/fftw).
function(variants_room room sources kernels all_rows)
  set(dir ${PROJECT_SOURCE_DIR}/src/stage/${room})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
               ${dir}/variants.def)
  file(STRINGS ${dir}/variants.def lines REGEX "^ *VARIANT\\(")
  set(src ${dir}/table.c)
  set(kern "")
  set(names "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "VARIANT\\( *[a-z0-9_]+ *, *([a-z0-9_]+)" _ "${line}")
    set(stem ${CMAKE_MATCH_1})
    if("${room}/${stem}" IN_LIST FARSUM_WITHOUT)
      continue()
    endif()
    list(APPEND src ${dir}/${stem}.c)
    list(APPEND names ${room}/${stem})
    file(GLOB parts CONFIGURE_DEPENDS ${dir}/${stem}_*.c)
    foreach(part IN LISTS parts)
      if(part MATCHES "_kern\\.c$")
        list(APPEND kern ${part})
      else()
        list(APPEND src ${part})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES src) # a part of gpu_mine may be a row: gpu_mine_too
  list(REMOVE_DUPLICATES kern)
  set(${sources} ${${sources}} ${src} PARENT_SCOPE)
  set(${kernels} ${${kernels}} ${kern} PARENT_SCOPE)
  set(${all_rows} ${${all_rows}} ${names} PARENT_SCOPE)
endfunction()
