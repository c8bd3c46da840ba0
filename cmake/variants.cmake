# Reads a room's variants.def: each row `VARIANT(room, stem, ...)` compiles
# src/stage/room/stem.c, and stem_kern.c for each instruction set if it is
# there.  Rows of variants that the build leaves out are named in
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
    if(EXISTS ${dir}/${stem}_kern.c)
      list(APPEND kern ${dir}/${stem}_kern.c)
    endif()
  endforeach()
  set(${sources} ${${sources}} ${src} PARENT_SCOPE)
  set(${kernels} ${${kernels}} ${kern} PARENT_SCOPE)
  set(${all_rows} ${${all_rows}} ${names} PARENT_SCOPE)
endfunction()
