# SPDX-License-Identifier: Apache-2.0
# Tests of charges with dipoles.
foreach(subject direct ewald)
  farsum_test(moments_${subject} moments/${subject}.c moments/sums.c
    moments/derivatives.c)
endforeach()
