# SPDX-License-Identifier: Apache-2.0
# Tests of the virial of each particle.
farsum_test(particle_virial particle_virial/sums.c parts/parts.c)
farsum_test(particle_virial_ranks particle_virial/ranks.c parts/parts.c
  ranks/comm_threads.c)
farsum_test(particle_virial_device particle_virial/device.c parts/parts.c)
