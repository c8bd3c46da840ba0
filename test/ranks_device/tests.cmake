# SPDX-License-Identifier: Apache-2.0
# Tests of ranks with devices; the ranks are threads of one process, except for
# those by MPI.
farsum_test(ranks_device_transport ranks_device/transport.c
  ranks_device/transport_cases.c ranks/comm_threads.c)
farsum_ctest(ranks_device_nccl test_ranks_device_transport nccl)
foreach(backend cuda hip) # simulated
  set(name ranks_device_nccl_fake_${backend})
  farsum_ctest(${name} test_ranks_device_transport nccl)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
    FARSUM_LIBRARY_PATH=${fakes} FARSUM_TEST_DEVICE=${backend}:0)
endforeach()
foreach(subject faults graphs)
  farsum_test(ranks_device_nccl_${subject} ranks_device/nccl_${subject}.c
    ranks/comm_threads.c)
  target_compile_definitions(test_ranks_device_nccl_${subject}
    PRIVATE FARSUM_FAKES="${fakes}")
endforeach()
foreach(program ranks_device_transport ranks_device_nccl_faults
    ranks_device_nccl_graphs)
  add_dependencies(test_${program} fake_libcuda_so_1 fake_libamdhip64_so_6
    fake_libnvrtc_so_13 fake_libhiprtc_so_6 fake_libnccl_so_2 fake_librccl_so_1)
endforeach()
if(FARSUM_MPI)
  farsum_program(ranks_device_mpi farsum_static ranks_device/transport_mpi.c
    ranks_device/transport_cases.c)
  target_link_libraries(test_ranks_device_mpi PRIVATE farsum_mpi_static)
  foreach(ranks 1 2 3)
    farsum_mpi_test(ranks_device_mpi_${ranks} ${ranks} test_ranks_device_mpi)
    set_property(TEST ranks_device_mpi_${ranks} PROPERTY SKIP_RETURN_CODE 77)
    set_property(TEST ranks_device_mpi_${ranks} APPEND PROPERTY ENVIRONMENT
      ${device_environment})
  endforeach()
endif()

set(ranks_device ranks_device/rank_device.c ${ranks_search})
foreach(subject places planes sends)
  farsum_test(ranks_device_${subject} ranks_device/${subject}.c ${ranks_device})
endforeach()
farsum_test(ranks_device_slab ranks_device/slab.c ranks_device/slab_arrays.c
  ranks_device/slab_perf.c ranks/slab_case.c ranks/comm_threads.c)
farsum_test(ranks_device_lattice ranks_device/lattice.c ranks/lattice_case.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_m2l ranks_device/m2l.c)
farsum_test(ranks_device_plan ranks_device/plan.c ranks_device/sums.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_exclude ranks_device/exclude.c ranks_device/sums.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_outputs ranks_device/outputs.c ranks_device/sums.c
  ranks_device/rank_device.c ranks/comm_threads.c)
set(life_device ranks_device/life_device.c ranks_device/rank_device.c
  ranks/life_faults.c ranks/plan_life.c ranks/comm_threads.c)
farsum_test(ranks_device_plan_faults ranks_device/plan_faults.c ${life_device})
farsum_test(ranks_device_plan_bad ranks_device/plan_bad.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_balance ranks_device/balance.c ranks/balance_case.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_fmm ranks_device/fmm.c ranks/fmm_case.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_fmm_levels ranks_device/fmm_levels.c ranks/fmm_case.c
  ranks_device/rank_device.c ranks/comm_threads.c)
farsum_test(ranks_device_fmm_faults ranks_device/fmm_faults.c ${life_device})
