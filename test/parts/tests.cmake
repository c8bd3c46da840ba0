# SPDX-License-Identifier: Apache-2.0
# Tests of parts of a sum.
foreach(subject law sums refused)
  farsum_test(parts_${subject} parts/${subject}.c parts/parts.c)
endforeach()
farsum_test(parts_ranks parts/ranks.c parts/parts.c ranks/comm_threads.c)
farsum_test(parts_device parts/device.c parts/parts.c)
