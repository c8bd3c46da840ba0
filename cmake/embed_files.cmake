# SPDX-License-Identifier: Apache-2.0
# Writes the C file OUT with the bytes of TEXTS (names below DIR).
set(arrays "")
set(rows "")
set(k 0)
foreach(text IN LISTS TEXTS)
  file(READ ${DIR}/${text} bytes HEX)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(............................................................)" "\\1\n"
    bytes "${bytes}")
  string(APPEND arrays "static const unsigned char text_${k}[] = {\n${bytes}0};\n")
  string(APPEND rows "    {\"${text}\", text_${k}, ${length}},\n")
  math(EXPR k "${k} + 1")
endforeach()
file(WRITE ${OUT} "/* made by cmake/embed_files.cmake */
#include \"device/compile/jit.h\"

${arrays}
const struct jit_file jit_files[] = {
${rows}    {0, 0, 0}};
")
