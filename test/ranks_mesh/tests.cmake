# SPDX-License-Identifier: Apache-2.0
# Tests of meshes and NUFFTs over ranks, which are threads of one process, except
# for those of the public functions.
foreach(subject mesh nufft faults)
  farsum_test(ranks_mesh_${subject} ranks_mesh/${subject}.c ranks/comm_threads.c)
endforeach()
if(FARSUM_MPI) # the public functions
  farsum_program(ranks_mesh_door farsum_shared ranks_mesh/door.c)
  target_link_libraries(test_ranks_mesh_door PRIVATE farsum_mpi_shared)
  foreach(ranks 1 2 3 4 7)
    farsum_mpi_test(ranks_mesh_door_${ranks} ${ranks} test_ranks_mesh_door)
  endforeach()
endif()
