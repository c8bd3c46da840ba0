# SPDX-License-Identifier: Apache-2.0
# Tests of sums over ranks.  Ranks are threads of one process, except for those
# of mpi.cmake.
farsum_test(ranks_domain ranks/domain.c ranks/given.c)
farsum_test(ranks_best_cuts ranks/best_cuts.c)
set(ranks_search ranks/comm_threads.c ranks/given.c ranks/wanted.c)
foreach(subject route ghosts faults)
  farsum_test(ranks_${subject} ranks/${subject}.c ${ranks_search})
endforeach()
farsum_test(ranks_comm ranks/comm.c ranks/comm_cases.c ranks/comm_threads.c)
if(FARSUM_MPI)
  include(ranks/mpi.cmake)
endif()
farsum_test(ranks_planes ranks/planes.c ranks/comm_threads.c)
farsum_test(ranks_slab ranks/slab.c ranks/slab_case.c ranks/comm_threads.c)
farsum_test(ranks_pencil ranks/pencil.c ranks/slab_case.c ranks/comm_threads.c)
foreach(subject points planes)
  farsum_test(ranks_pencil_${subject} ranks/pencil_${subject}.c
    ranks/comm_threads.c)
endforeach()
farsum_test(ranks_lattice ranks/lattice.c ranks/lattice_case.c
  ranks/comm_threads.c)
farsum_test(ranks_model ranks/model.c ranks/comm_threads.c)
farsum_test(ranks_fmm_model ranks/fmm_model.c ranks/comm_threads.c)
farsum_test(ranks_choice ranks/choice.c ranks/comm_threads.c)
farsum_test(ranks_m2l ranks/m2l.c)
farsum_test(ranks_shape ranks/shape.c ranks/comm_threads.c)
farsum_test(ranks_sum ranks/sum.c ranks/comm_threads.c)
farsum_test(ranks_plan ranks/plan.c ranks/comm_threads.c)
farsum_test(ranks_balance ranks/balance.c ranks/balance_case.c
  ranks/comm_threads.c)
farsum_test(ranks_balance_faults ranks/balance_faults.c ranks/balance_case.c
  ranks/comm_threads.c)
farsum_test(ranks_fmm_balance ranks/fmm_balance.c ranks/balance_case.c
  ranks/comm_threads.c)
farsum_test(ranks_fmm_balance_faults ranks/balance_faults.c
  ranks/balance_case.c ranks/comm_threads.c)
target_compile_definitions(test_ranks_fmm_balance_faults PRIVATE FMM=1)
foreach(subject plan exclude exclude_bad)
  farsum_test(ranks_pencil_${subject} ranks/${subject}.c ranks/comm_threads.c)
  target_compile_definitions(test_ranks_pencil_${subject} PRIVATE PENCILS=1)
endforeach()
foreach(subject bad stop)
  farsum_test(ranks_plan_${subject} ranks/plan_${subject}.c ranks/plan_life.c
    ranks/comm_threads.c)
endforeach()
farsum_test(ranks_plan_faults ranks/plan_faults.c ranks/life_faults.c
  ranks/plan_life.c ranks/comm_threads.c)
farsum_test(ranks_pencil_faults ranks/pencil_faults.c ranks/life_faults.c
  ranks/plan_life.c ranks/comm_threads.c)
if(FARSUM_SANITIZE) # slow
  target_compile_definitions(test_ranks_plan_faults PRIVATE STRIDE=7)
endif()
farsum_test(ranks_patience ranks/patience.c ranks/comm_threads.c)
farsum_test(ranks_fetch ranks/fetch.c ranks/comm_threads.c)
farsum_test(ranks_exclude ranks/exclude.c ranks/comm_threads.c)
farsum_test(ranks_exclude_bad ranks/exclude_bad.c ranks/comm_threads.c)
farsum_test(ranks_exclude_check ranks/exclude_check.c ranks/comm_threads.c)
farsum_test(ranks_check ranks/check.c ranks/comm_threads.c)
farsum_test(ranks_check_faults ranks/check_faults.c ranks/comm_threads.c)
farsum_test(ranks_check_sum ranks/check_sum.c ranks/comm_threads.c)
farsum_test(ranks_fmm ranks/fmm.c ranks/fmm_case.c ranks/comm_threads.c)
include(ranks_mesh/tests.cmake)
farsum_test(ranks_fmm_faults ranks/fmm_faults.c ranks/life_faults.c
  ranks/plan_life.c ranks/comm_threads.c)
