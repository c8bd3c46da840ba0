# SPDX-License-Identifier: Apache-2.0
# Tests of charges smeared into Gaussian clouds.
farsum_test(smear smear/clouds.c parts/parts.c)
