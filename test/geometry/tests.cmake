# SPDX-License-Identifier: Apache-2.0
# Tests of one and two periodic axes.
farsum_test(geometry_bare geometry/bare.c)
