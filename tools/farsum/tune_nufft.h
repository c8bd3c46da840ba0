/* SPDX-License-Identifier: Apache-2.0 */
/* tune_nufft.h: NUFFTs and meshes over ranks on paper. */
#ifndef FARSUM_TOOLS_TUNE_NUFFT_H
#define FARSUM_TOOLS_TUNE_NUFFT_H

#include "options.h"

/* tune --ranks P --modes AxBxC --points N.  Returns an exit status. */
int tune_nufft(const struct settings *s);
#endif
