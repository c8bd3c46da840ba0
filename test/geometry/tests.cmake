# SPDX-License-Identifier: Apache-2.0
# Tests of one and two periodic axes.
farsum_test(geometry_bare geometry/bare.c)
farsum_test(geometry_bessel geometry/bessel.c)
farsum_test(geometry_boxes geometry/boxes.c geometry/slab_case.c
  geometry/sums.c)
farsum_ctest(geometry_boxes_full test_geometry_boxes --full)
set_tests_properties(geometry_boxes_full PROPERTIES LABELS full)
farsum_test(geometry_fast_laws geometry/fast_laws.c geometry/sums.c)
farsum_test(geometry_laws geometry/laws.c moments/sums.c moments/derivatives.c)
farsum_test(geometry_open geometry/open.c geometry/sums.c)
farsum_test(geometry_refused geometry/refused.c moments/sums.c
  ranks/comm_threads.c)
farsum_test(geometry_slab geometry/slab.c geometry/slab_case.c geometry/sums.c)
farsum_test(geometry_slab_device geometry/slab_device.c geometry/slab_case.c
  geometry/sums.c)
farsum_test(geometry_slab_flow geometry/slab_flow.c geometry/slab_flow_case.c
  geometry/sums.c)
farsum_test(geometry_slab_flow_ranks geometry/slab_flow_ranks.c
  geometry/slab_flow_case.c geometry/sums.c ranks/comm_threads.c)
farsum_test(geometry_slab_ranks geometry/slab_ranks.c geometry/slab_case.c
  geometry/sums.c ranks_device/rank_device.c ranks/comm_threads.c)
farsum_ctest(geometry_slab_ranks_device test_geometry_slab_ranks device)
farsum_ctest(geometry_slab_ranks_device_full test_geometry_slab_ranks device
  --full)
set_tests_properties(geometry_slab_ranks_device_full PROPERTIES LABELS full)
farsum_test(geometry_soften geometry/soften.c geometry/soften_cloud.c
  geometry/sums.c)
farsum_test(geometry_soften_device geometry/soften_device.c
  geometry/soften_cloud.c geometry/sums.c)
farsum_ctest(geometry_soften_device_full test_geometry_soften_device --full)
set_tests_properties(geometry_soften_device_full PROPERTIES LABELS full)
farsum_test(geometry_wire geometry/wire.c geometry/sums.c)
