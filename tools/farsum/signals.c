/* signals.c: the list of temporary files, and the handler that removes them. */
#include "signals.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { WATCHED = 8, LONGEST = 4096 };

/* What a handler may touch: fixed storage, one flag a slot. */
static char watched[WATCHED][LONGEST];
static volatile sig_atomic_t in_use[WATCHED];

static void remove_watched(int number)
{
    for (int k = 0; k < WATCHED; k++)
        if (in_use[k])
            unlink(watched[k]);
    /* the handler was for one signal: again, and it ends the process */
    raise(number);
}

void signals_catch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction now, old;
        memset(&now, 0, sizeof now);
        now.sa_handler = remove_watched;
        now.sa_flags = (int)SA_RESETHAND;
        sigemptyset(&now.sa_mask);
        if (sigaction(numbers[k], NULL, &old) == 0 &&
            old.sa_handler != SIG_IGN)
            sigaction(numbers[k], &now, NULL);
    }
}

int signals_watch(const char *path)
{
    if (!path || strlen(path) >= LONGEST)
        return -1;
    for (int k = 0; k < WATCHED; k++)
        if (!in_use[k]) {
            memcpy(watched[k], path, strlen(path) + 1);
            in_use[k] = 1;
            return k;
        }
    return -1;
}

void signals_unwatch(int slot)
{
    if (slot >= 0)
        in_use[slot] = 0;
}
