# SPDX-License-Identifier: Apache-2.0
# Finds a library on the system, else its copy in third_party/.
option(FARSUM_BUNDLED "use the copies in third_party/ instead of the system's" OFF)
set(bundled_dir ${PROJECT_SOURCE_DIR}/third_party)
set(FARSUM_BUNDLED_HEADERS "") # folders of the copies that are used

# bundled_header(VARIABLE HEADER FOLDER): sets VARIABLE to the folder of HEADER.
macro(bundled_header variable header folder)
  if(NOT FARSUM_BUNDLED)
    find_path(${variable} ${header})
  endif()
  if(FARSUM_BUNDLED OR NOT ${variable})
    set(${variable} ${bundled_dir}/${folder})
    list(APPEND FARSUM_BUNDLED_HEADERS ${bundled_dir}/${folder})
  endif()
endmacro()

# bundled_jansson(VARIABLE): sets VARIABLE to a target.
function(bundled_jansson variable)
  if(NOT FARSUM_BUNDLED AND PKG_CONFIG_FOUND)
    pkg_check_modules(JANSSON IMPORTED_TARGET jansson>=2.10)
  endif()
  if(JANSSON_FOUND AND NOT FARSUM_BUNDLED)
    set(${variable} PkgConfig::JANSSON PARENT_SCOPE)
    return()
  endif()
  set(dir ${bundled_dir}/jansson)
  file(GLOB sources ${dir}/*.c)
  add_library(farsum_jansson STATIC ${sources})
  target_include_directories(farsum_jansson SYSTEM PUBLIC ${dir})
  target_compile_definitions(farsum_jansson PRIVATE HAVE_CONFIG_H)
  set(${variable} farsum_jansson PARENT_SCOPE)
endfunction()
