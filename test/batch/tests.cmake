# SPDX-License-Identifier: Apache-2.0
# Tests of batches (farsum/batch.h).
farsum_test(batch batch/batch.c batch/systems.c)
farsum_test(batch_device batch/device.c batch/systems.c)
