# SPDX-License-Identifier: Apache-2.0
# Tests of the virial of each particle.
farsum_test(particle_virial particle_virial/sums.c parts/parts.c)
