/* SPDX-License-Identifier: Apache-2.0 */
/* mesh_device.h: common code of the tests of meshes on a device. */
#ifndef FARSUM_TEST_MESH_DEVICE_H
#define FARSUM_TEST_MESH_DEVICE_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "farsum/device.h"
#include "mesh_case.h"
#include "plan/plan.h"

extern const char *name;      /* of the device */
extern farsum_device *device; /* open for all tests */

enum { X, Q, GRID, VALUE, GRADIENT, ARRAYS };

/* Arrays of one mesh, filled the same way each time. */
struct arrays {
    const farsum_mesh_problem *problem;
    int64_t n, count[ARRAYS];
    void *host[ARRAYS];
    struct buf there[ARRAYS];
};

double get(const struct arrays *a, int which, int64_t i);
void put(struct arrays *a, int which, int64_t i, double v);
int64_t bytes_of(const struct arrays *a, int which);
/* The pointer that is passed to a call. */
void *pointer(struct arrays *a, int which);
/* Uploads the array if it is on the device. */
void up(struct arrays *a, int which);
/* spread: 1: points in the whole cell; smaller: in a corner of it */
void arrays_make(struct arrays *a, const farsum_mesh_problem *p, int64_t n,
                 double spread);
void arrays_free(struct arrays *a);

farsum_mesh *made(const farsum_mesh_problem *p, farsum_device *where,
                  int deterministic);
/* spread, then interp of another grid. */
void work(farsum_mesh *mesh, struct arrays *a);
/* Compares array `which` of both, except for the padding of a mesh. */
void same(const struct arrays *a, const struct arrays *b, int which,
          double most);

/* mesh_device_bad.c */
void late_failures(void);
void results_not_finite(void);
void failures_at_once(void);
void memory_ends(void);
void by_name_and_adopted(void);
void wrong_kind(void);
void refusals(void);

/* mesh_device_large.c */
void many_products(void);
void little_local(void);
/* Runs every variant of spread and interp with so many points. */
void large(int64_t n);
#endif
