# SPDX-License-Identifier: Apache-2.0
# Tests of charges with dipoles.
foreach(subject direct ewald fmm screened spectral hvp)
  farsum_test(moments_${subject} moments/${subject}.c moments/sums.c
    moments/derivatives.c)
endforeach()
farsum_test(moments_device moments/device.c moments/sums.c)
farsum_test(moments_ranks moments/ranks.c moments/sums.c
  ranks/comm_threads.c)
farsum_test(moments_refused moments/refused.c moments/sums.c
  ranks/comm_threads.c)
foreach(subject quadrupole quadrupole_edges quadrupole_spectral)
  farsum_test(moments_${subject} moments/${subject}.c moments/quadrupoles.c)
endforeach()
