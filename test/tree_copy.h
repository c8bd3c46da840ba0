/* SPDX-License-Identifier: Apache-2.0 */
/* tree_copy.h: a tree of the host as it is to be on a device: what a device
 * builds itself is compared with that, and rows work in it. */
#ifndef FARSUM_TEST_TREE_COPY_H
#define FARSUM_TEST_TREE_COPY_H

#include "points/tree/tree_set.h"

struct device;
/* tree->gpu; it must be NULL. */
farsum_status tree_copy(struct tree *tree, struct device *device);
#endif
