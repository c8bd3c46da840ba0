/* SPDX-License-Identifier: Apache-2.0 */
/* tree_copy.h: expected device copy of a tree on the host.  Trees built by a
 * device are compared with it, and variants are tested with it. */
#ifndef FARSUM_TEST_TREE_COPY_H
#define FARSUM_TEST_TREE_COPY_H

#include "points/tree/tree_set.h"

struct device;
/* Makes tree->gpu, which must be NULL. */
farsum_status tree_copy(struct tree *tree, struct device *device);
#endif
