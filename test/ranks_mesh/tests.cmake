# SPDX-License-Identifier: Apache-2.0
# Tests of meshes and NUFFTs over ranks, which are threads of one process.
foreach(subject mesh nufft faults)
  farsum_test(ranks_mesh_${subject} ranks_mesh/${subject}.c ranks/comm_threads.c)
endforeach()
