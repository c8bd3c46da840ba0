/* SPDX-License-Identifier: Apache-2.0 */
/* tree_copy.h: copies a host tree into the layout of a device's tree.  Trees
 * that a device builds are compared with the copy, and variants run on it. */
#ifndef FARSUM_TEST_TREE_COPY_H
#define FARSUM_TEST_TREE_COPY_H

#include "points/tree/tree_set.h"

struct device;
/* Makes tree->gpu, which must be NULL. */
farsum_status tree_copy(struct tree *tree, struct device *device);
#endif
