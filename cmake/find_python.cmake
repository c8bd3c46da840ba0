# SPDX-License-Identifier: Apache-2.0
# farsum_find_python(VARIABLE MODULES): sets the cache variable to a Python that
# has the modules ("numpy, pytest"), unless it is set.  The first Python found
# may lack them.
function(farsum_find_python variable modules)
  if(${variable})
    return()
  endif()
  foreach(python ${Python3_EXECUTABLE} /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import ${modules}"
      RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      set(${variable} ${python} CACHE FILEPATH "a Python with ${modules}")
      return()
    endif()
  endforeach()
endfunction()
