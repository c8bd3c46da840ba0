# SPDX-License-Identifier: Apache-2.0
# Tests of libfarsum_mpi, which the launcher of its MPI starts.
include(CheckSymbolExists)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(OMPI_MAJOR_VERSION mpi.h FARSUM_OPEN_MPI)
unset(CMAKE_REQUIRED_LIBRARIES)
if(FARSUM_OPEN_MPI) # Waiting ranks give up their core.  Containers forbid "cma".
  set(launchers mpiexec.openmpi)
  set(launcher_options --oversubscribe --allow-run-as-root)
  set(launcher_environment OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_hwloc_base_binding_policy=none
    OMPI_MCA_btl_vader_single_copy_mechanism=none)
else()
  set(launchers mpiexec.mpich mpiexec.hydra)
  set(launcher_options "")
  set(launcher_environment "")
endif()
get_filename_component(mpi_folder ${MPI_C_COMPILER} DIRECTORY)
find_program(FARSUM_MPIEXEC NAMES ${launchers} mpiexec HINTS ${mpi_folder}
  REQUIRED)

# farsum_mpi_run(NAME RANKS PROGRAM ARGUMENT...)
function(farsum_mpi_run name ranks program)
  add_test(NAME ${name} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/ranks/launch.sh
    ${FARSUM_MPIEXEC} ${launcher_options} -n ${ranks}
    $<TARGET_FILE:${program}> ${ARGN})
  set_tests_properties(${name} PROPERTIES TIMEOUT 330 PROCESSORS ${ranks}
    ENVIRONMENT "${launcher_environment}")
endfunction()
# The same for a program whose last argument is the number of ranks.
function(farsum_mpi_test name ranks program)
  farsum_mpi_run(${name} ${ranks} ${program} ${ARGN} ${ranks})
endfunction()

farsum_program(ranks_mpi farsum_static ranks/mpi.c ranks/comm_cases.c)
target_link_libraries(test_ranks_mpi PRIVATE farsum_mpi_static)
foreach(ranks 1 2 3 4 7)
  farsum_mpi_test(ranks_mpi_${ranks} ${ranks} test_ranks_mpi cases)
endforeach()
farsum_mpi_test(ranks_mpi_single 2 test_ranks_mpi single)
# When a rank ends, the launcher ends the job, or another rank notices and ends
# it.  Launchers differ in the job's status.
farsum_mpi_test(ranks_mpi_exit 3 test_ranks_mpi exit)
set_property(TEST ranks_mpi_exit APPEND PROPERTY ENVIRONMENT
  "LAUNCH_FAILS=rank 2 ends early")
# The public functions.
farsum_program(ranks_door farsum_shared ranks/door.c
  ranks/door_bad.c)
target_link_libraries(test_ranks_door PRIVATE farsum_mpi_shared)
foreach(ranks 1 2 3 4 7)
  farsum_mpi_test(ranks_door_${ranks} ${ranks} test_ranks_door cases)
endforeach()
farsum_mpi_test(ranks_door_single 2 test_ranks_door single)
# A program without MPI opens the library.
farsum_program(ranks_world farsum_shared ranks/world.c)
add_dependencies(test_ranks_world farsum_mpi_shared)
foreach(ranks 1 3)
  farsum_mpi_test(ranks_world_${ranks} ${ranks} test_ranks_world
    $<TARGET_FILE:farsum_mpi_shared> ends)
endforeach()
farsum_mpi_test(ranks_world_abort 3 test_ranks_world
  $<TARGET_FILE:farsum_mpi_shared> aborts)
set_property(TEST ranks_world_abort APPEND PROPERTY ENVIRONMENT
  "LAUNCH_FAILS=rank 2 aborts")
# 5 GB of memory
farsum_mpi_test(ranks_mpi_large 2 test_ranks_mpi large)
set_property(TEST ranks_mpi_large PROPERTY LABELS full)
if(FARSUM_EXAMPLES)
  farsum_mpi_run(example_ranks 3 example_ranks)
  farsum_mpi_run(example_ranks_nufft 3 example_ranks_nufft)
endif()

farsum_program(ranks_plan_exit farsum_static ranks/plan_exit.c)
target_link_libraries(test_ranks_plan_exit PRIVATE farsum_mpi_static)
# The text that the job prints before it ends with an error.
set(plan_exit_exits "rank 1 exits")
set(plan_exit_hangs "rank 2 waited 2 s for")
set(plan_exit_late "rank 1 waited 2 s for")
foreach(how exits hangs late)
  farsum_mpi_test(ranks_plan_${how} 3 test_ranks_plan_exit ${how})
  set_property(TEST ranks_plan_${how} APPEND PROPERTY ENVIRONMENT
    "LAUNCH_FAILS=${plan_exit_${how}}")
  set_property(TEST ranks_plan_${how} PROPERTY PROCESSORS 1) # they wait
endforeach()
