# SPDX-License-Identifier: Apache-2.0
# Removes the files of the last installation, which MANIFEST lists, and folders
# of farsum that are then empty.
#     cmake -DMANIFEST=install_manifest.txt -P uninstall.cmake
if(NOT EXISTS ${MANIFEST})
  message(FATAL_ERROR "${MANIFEST} is missing: nothing was installed from here")
endif()
file(STRINGS ${MANIFEST} files)
set(folders "")
foreach(file IN LISTS files)
  set(file $ENV{DESTDIR}${file})
  if(EXISTS ${file} OR IS_SYMLINK ${file})
    file(REMOVE ${file})
    message(STATUS "Removed ${file}")
  endif()
  get_filename_component(folder ${file} DIRECTORY)
  get_filename_component(above ${folder} DIRECTORY)
  list(APPEND folders ${folder} ${above})
endforeach()
list(REMOVE_DUPLICATES folders)
foreach(folder IN LISTS folders) # share/farsum/fortran, then share/farsum
  file(GLOB left ${folder}/*)
  if(folder MATCHES "/farsum(/[a-z]+)?$" AND IS_DIRECTORY ${folder} AND NOT left)
    file(REMOVE_RECURSE ${folder})
  endif()
endforeach()
