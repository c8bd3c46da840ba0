# SPDX-License-Identifier: Apache-2.0
# The library's sources outside the rooms of src/stage.
set(farsum_sources
  src/devices.c src/plan.c src/plan_advice.c src/plan_apart.c src/plan_beside.c
  src/plan_choice.c src/plan_exclude.c src/plan_execute.c src/plan_memory.c src/plan_method.c
  src/plan_norm.c src/plan_precision.c src/plan_units.c src/plan_verify.c
  src/plan_verify_each.c src/plan_verify_energy.c src/plan_verify_late.c
  src/plan_verify_sum.c src/plan_verify_targets.c src/print.c
  src/problem.c
  src/base/args.c src/base/c_locale.c src/base/fork.c src/base/fpenv.c
  src/base/isa.c src/base/mem.c src/base/mem_allowed.c src/base/number.c
  src/base/par.c src/base/progress.c src/base/status.c src/base/store.c
  src/base/text.c
  src/device/aside.c src/device/buf.c src/device/cache.c src/device/compile.c
  src/device/cuda.c
  src/device/device.c
  src/device/dl.c src/device/driver.c src/device/driver_aside.c
  src/device/driver_graph.c
  src/device/hip.c src/device/hiprtc.c
  src/device/jit.c src/device/jit_late.c src/device/log.c src/device/nvlink.c src/device/nvrtc.c
  src/device/opencl.c
  src/device/opencl_aside.c src/device/opencl_facts.c
  src/device/opencl_managed.c src/device/opencl_program.c src/device/recording.c
  src/device/rtc.c
  src/math/count.cc src/math/multipole.c src/math/multipole_lattice.c
  src/math/plane_wave.c
  src/math/pair.c src/math/pair_r6.c src/math/pair_yukawa.c src/math/poly.c
  src/math/split.c src/math/prolate.c src/math/window.c
  src/math/window_table.c
  src/points/bins.c src/points/cell.c src/points/crowd.c
  src/points/exclusions.c src/points/points.c
  src/points/tiles.c src/points/tree.c src/points/tree_gpu.c src/points/tree_gpu_leaves.c
  src/points/tree_gpu_sparse.c
  src/points/tree_lists.c
  src/points/tree_region.c src/points/tree_sort.c src/points/tree_sparse.c
  src/points/tree_sparse_fill.c
  src/points/waves.c
  src/points/gpu.c src/points/gpu_cells.c src/points/gpu_columns.c
  src/points/gpu_columns_shape.c src/points/gpu_kept.c src/points/gpu_radix.c
  src/points/gpu_scan.c src/points/gpu_sort.c
  src/method/table.c src/method/exact.c src/method/exact_exclude.c
  src/method/exact_flows.c src/method/exact_kind.c
  src/method/exact_potentials.c
  src/method/direct.c src/method/direct_any.c src/method/direct_strict.c
  src/method/direct_sum.c
  src/method/ewald_any.c src/method/ewald_any_tune.c src/method/ewald_body.c
  src/method/ewald.c src/method/ewald_sum.c src/method/ewald_long.c
  src/method/ewald_lattice.c src/method/ewald_modes.c
  src/method/ewald_points.c src/method/ewald_search.c src/method/ewald_tune.c
  src/method/band.c src/method/band_table.c src/method/designs.c src/method/band_flow.c
  src/method/error.c src/method/error_pair.c
  src/method/sample.c src/method/sample_flow.c src/method/sample_local.c
  src/method/sample_pair.c src/method/sample_moments.c
  src/method/sample_near.c src/method/sample_order.c
  src/method/machine.c src/method/model.c src/method/model_gpu.c
  src/method/model_host.c src/method/model_rates.c
  src/method/planner.c src/method/planner_measure.c
  src/method/wisdom.c src/method/tune.c
  src/method/tune_refine.c src/method/tuned.c src/method/tuned_error.c
  src/method/spectral.c src/method/spectral_mixed.c
  src/method/spectral_exclude.c
  src/method/spectral_out.c
  src/method/spectral_gpu.c src/method/spectral_gpu_exclude.c
  src/method/spectral_gpu_flow.c src/method/spectral_gpu_mixed.c
  src/method/spectral_gpu_run.c src/method/spectral_gpu_sum.c
  src/method/mesh.c src/method/mesh_check.c src/method/mesh_gpu.c
  src/method/mesh_info.c src/method/mesh_plan.c src/method/mesh_run.c
  src/method/mesh_window.c
  src/method/fmm.c src/method/fmm_crowd.c src/method/fmm_crowd_fill.c
  src/method/fmm_error.c src/method/fmm_near.c src/method/fmm_facts.c
  src/method/fmm_found.c
  src/method/fmm_gpu.c src/method/fmm_gpu_crowd.c src/method/fmm_gpu_dense.c
  src/method/fmm_gpu_exclude.c
  src/method/fmm_gpu_open.c src/method/fmm_gpu_run.c src/method/fmm_gpu_sparse.c
  src/method/gpu_distinct.c src/method/gpu_ends.c
  src/method/gpu_excluded.c
  src/method/fmm_points.c src/method/fmm_run.c src/method/fmm_shape.c
  src/method/fmm_soften.c src/method/fmm_strict.c
  src/method/fmm_strict_gpu.c src/method/fmm_strict_order.c
  src/method/fmm_strict_near.c src/method/fmm_strict_tree.c
  src/method/fmm_uneven.c
  src/method/nufft.c src/method/nufft_gpu.c src/method/nufft_run.c
  src/method/nufft_tune.c
  src/stage/boxes.c src/stage/boxes_axes.c src/stage/boxes_axes_gpu.c src/stage/boxes_gpu.c
  src/stage/boxes_gpu_shifts.c src/stage/boxes_host.c src/stage/boxes_points.c
  src/stage/choose.c src/stage/gpu.c src/stage/gpu_rates.c
  src/stage/gpu_tiles.c
  src/stage/particles.c src/stage/rooms.c
  src/stage/fft/ops.c src/stage/fft/size.c src/stage/interp/ops.c
  src/stage/near/ops.c src/stage/p2p/ops.c src/stage/scale/ops.c
  src/stage/spread/ops.c
  src/stage/fft/copy.c src/stage/fft/vendor.c src/stage/fft/kiss_line.cc
  src/stage/scale/modes.c
  src/stage/spread/gpu_cusparse.c src/stage/spread/gpu_matrix.c
  src/stage/spread/gpu_room.c
  src/stage/interp/gpu_room.c
  src/stage/near/near_columns.c src/stage/near/near_gpu.c
  src/stage/near/near_outer.c src/stage/near/team.c
  src/stage/near/verlet_cost.c
)
set(farsum_kernels
  src/method/direct_any_kern.c src/method/direct_kern.c src/stage/boxes_axes_kern.c
  src/stage/boxes_kern.c
  src/method/ewald_any_kern.c src/method/ewald_kern.c
  src/method/model_rates_kern.c src/method/nufft_kern.c
  src/method/sample_kern.c
)
