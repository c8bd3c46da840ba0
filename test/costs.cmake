# SPDX-License-Identifier: Apache-2.0
# The longest tests and their approximate seconds; only the order matters.
# ctest starts tests by falling COST, and those without one last, so that none
# of these runs alone at the end.  Tests that compile many kernels come first.
# Measured times: grep sec build/Testing/Temporary/LastTest.log
# farsum_costs(): applies the list to the tests of the calling folder.
set(test_costs
  api_device 170 mixed 170 exclude_device 150 variant_fft_vkfft 120
  unit_tree_gpu 100 fmm_rounding_device 100 compile_hip 95 compile_nvrtc 80
  ranks_device_fmm_levels 69 command_ranks 68 ranks_device_balance 58
  ranks_device_exclude 52 ranks_plan_faults 43 ranks_patience 41
  ranks_device_plan 36 ranks_fmm 34 variant_m2l_fft_lm 33
  ranks_pencil_faults 33 command_device 33 command_pages 32
  variant_m2l_gpu_walsh 31 geometry_slab 30 fmm_strict_device 29 campaign 27
  ranks_fmm_faults 25 unit_points_gpu 25 variant_m2l_gpu_walsh_families 24
  variant_near_gm_2d 24 methods 23 ranks_pencil_plan 23 geometry_laws 22
  fmm_ladder 22 ranks_device_mesh_faults 22 fmm_strict 22 ranks_device_fmm 20
  ranks_pencil 20 install 19 python_life 18 campaign_norms 18 command_plans 18
  variant_m2l_gpu_rotation_hybrid 18 unit_machine 16 skin_device 16
  ranks_slab 16 variant_m2l_wigner 15 fmm_exclude_device 14 fmm_crystals 14
  ranks_plan 14 variant_m2l_host_dense 14 unit_near_wide 14
  ranks_mesh_nufft 14 fmm_ladder_device 14 fmm_laws 14 fmm_edges 13
  ranks_plan_late 12 ranks_device_lattice 12 verify_order_device 12
  ranks_device_mesh_nufft 11 fmm_device 11 ranks_balance_faults 10
  variant_m2l_plain 10 fmm_orders 10 laws 10 variant_m2l_host_rotation 10
  ranks_plan_stop 10 ranks_lattice 10)
function(farsum_costs)
  set(rest ${test_costs})
  while(rest)
    list(POP_FRONT rest name seconds)
    if(TEST ${name})
      set_tests_properties(${name} PROPERTIES COST ${seconds})
    endif()
  endwhile()
endfunction()
