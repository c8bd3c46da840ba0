/* SPDX-License-Identifier: Apache-2.0 */
/* temporary.c: removal of incomplete files. */
#include "temporary.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { WATCHED = 8, LONGEST = 4096 };

/* State that a signal handler may use: fixed storage, one flag per slot. */
static char watched[WATCHED][LONGEST];
static volatile sig_atomic_t in_use[WATCHED];

int temporary_watch(const char *path) {
    if (!path || strlen(path) >= LONGEST) return -1;
    for (int k = 0; k < WATCHED; k++)
        if (!in_use[k]) {
            memcpy(watched[k], path, strlen(path) + 1);
            in_use[k] = 1;
            return k;
        }
    return -1;
}

void temporary_unwatch(int slot) {
    if (slot >= 0) in_use[slot] = 0;
}

void temporary_remove(void) {
    for (int k = 0; k < WATCHED; k++)
        if (in_use[k]) unlink(watched[k]);
}
