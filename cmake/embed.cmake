# SPDX-License-Identifier: Apache-2.0
# Embeds the texts of kernels in the library as byte arrays: every *.k and *.kh
# and every header of src/dialect, under their names in src/.
#   embed_kernels(OUT): sets OUT to a C file, rewritten when a text changes.
set(embed_script ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)
function(embed_kernels out)
  set(dir ${PROJECT_SOURCE_DIR}/src)
  file(GLOB_RECURSE texts RELATIVE ${dir} CONFIGURE_DEPENDS ${dir}/*.k
    ${dir}/*.kh)
  if(NOT FARSUM_PAPERS)
    list(FILTER texts EXCLUDE REGEX "/papers/")
  endif()
  file(GLOB headers RELATIVE ${dir} CONFIGURE_DEPENDS ${dir}/dialect/*.h)
  list(APPEND texts ${headers})
  list(SORT texts)
  set(depends "")
  foreach(text IN LISTS texts)
    list(APPEND depends ${dir}/${text})
  endforeach()
  set(made ${PROJECT_BINARY_DIR}/kernels.c)
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DOUT=${made} -DDIR=${dir} "-DTEXTS=${texts}"
      -P ${embed_script}
    DEPENDS ${depends} ${embed_script} VERBATIM)
  set(${out} ${made} PARENT_SCOPE)
endfunction()
