/* SPDX-License-Identifier: Apache-2.0 */
/* lammps.hpp: the headers of LAMMPS and of Farsum. */
#ifndef FARSUM_LAMMPS_LAMMPS_HPP
#define FARSUM_LAMMPS_LAMMPS_HPP

/* LAMMPS' headers have unused parameters and undefined macros. */
#pragma GCC system_header
#pragma GCC visibility push(default)

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "kspace.h"
#include "library.h"
#include "memory.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "update.h"
#include "utils.h"
#pragma GCC visibility pop

#endif
