/* SPDX-License-Identifier: Apache-2.0 */
/* start.c: standard streams that are closed at start. */
#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int closed[3];

void start_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            /* opens the lowest free descriptor, which is this one */
            (void)!open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY);
            closed[fd] = 1;
        }
}

int start_closed(int descriptor)
{
    return descriptor >= 0 && descriptor < 3 && closed[descriptor];
}
