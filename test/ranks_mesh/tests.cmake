# SPDX-License-Identifier: Apache-2.0
# Tests of meshes and NUFFTs over ranks, which are threads of one process,
# except for those of the public functions.
# With devices, a part of the cases.
foreach(subject mesh nufft faults)
  foreach(on_device 0 1)
    set(name ranks_mesh_${subject})
    if(on_device)
      set(name ranks_device_mesh_${subject})
    endif()
    farsum_test(${name} ranks_mesh/${subject}.c ranks_device/rank_device.c
      ranks/comm_threads.c)
    target_compile_definitions(test_${name} PRIVATE ON_DEVICE=${on_device})
  endforeach()
endforeach()
farsum_test(ranks_mesh_model ranks_mesh/model.c ranks/comm_threads.c)
target_compile_definitions(test_ranks_device_mesh_faults PRIVATE STRIDE=3)
if(FARSUM_SANITIZE) # slow
  target_compile_definitions(test_ranks_mesh_faults PRIVATE STRIDE=7)
endif()
if(FARSUM_MPI) # the public functions
  farsum_program(ranks_mesh_door farsum_shared ranks_mesh/door.c)
  target_link_libraries(test_ranks_mesh_door PRIVATE farsum_mpi_shared)
  foreach(ranks 1 2 3 4 7)
    farsum_mpi_test(ranks_mesh_door_${ranks} ${ranks} test_ranks_mesh_door host)
  endforeach()
  farsum_mpi_test(ranks_mesh_door_device 2 test_ranks_mesh_door opencl)
  set_property(TEST ranks_mesh_door_device PROPERTY SKIP_RETURN_CODE 77)
  set_property(TEST ranks_mesh_door_device APPEND PROPERTY ENVIRONMENT
    ${device_environment})
endif()
