/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c: farsum run --ranks N, which starts itself under a
 * launcher. */
#include "ranks/ranks.h"

#include "say.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Launchers by the words with which their MPI names itself.  The general names
 * come last: where several MPIs are installed, they may be another's. */
static const struct {
    const char *version;
    const char *names[6];
} launchers[] = {
    {"Open MPI", {"mpirun.openmpi", "mpiexec.openmpi", "mpirun", "mpiexec"}},
    {"MPICH", {"mpiexec.mpich", "mpirun.mpich", "mpiexec.hydra", "mpirun",
               "mpiexec"}},
    {"Intel", {"mpiexec.hydra", "mpirun", "mpiexec"}},
    {"", {"mpirun", "mpiexec"}},
};

/* In the environment of launched copies: a launcher without marks would make
 * them launch further ones. */
static const char guard[] = "FARSUM_LAUNCHED";

/* Finds a program in the folders of PATH. */
static int is_on_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];
    while (path && *path) {
        int n = (int)strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", n ? n : 1, n ? path : ".", name);
        if (access(file, X_OK) == 0)
            return 1;
        path += n + (path[n] == ':');
    }
    return 0;
}

/* The launcher for an MPI that describes itself so; NULL: none. */
static const char *find_launcher(const char *version)
{
    size_t k = 0;
    while (!strstr(version, launchers[k].version))
        k++;
    for (int j = 0; launchers[k].names[j]; j++)
        if (is_on_path(launchers[k].names[j]))
            return launchers[k].names[j];
    return NULL;
}

static const char *own_file(const char *called)
{
    static char file[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", file, sizeof file - 1);
    return n > 0 ? file : called;
}

static int no_launcher(const char *command, const char *version)
{
    say_error("%s: --ranks needs a launcher of MPI, and none is on the PATH, "
              "mpirun or mpiexec; install the one of %.*s", command,
              *version ? (int)strcspn(version, ",\n") : 3,
              *version ? version : "MPI");
    return EXIT_FAILED;
}

int ranks_launch(int ranks, int argc, char **argv)
{
    static char version[1 << 14]; /* MPICH needs 8192 */
    struct ranks_library library = {0};
    char error[1024], number[16];
    const char *command = argv[1];
    int length = 0, n = 0;
    if (getenv(guard)) {
        say_error("%s: the launcher that --ranks %d started sets no variable "
                  "with the rank, so its MPI is unknown; leave out --ranks",
                  command, ranks);
        return EXIT_FAILED;
    }
    if (ranks_library(&library, error, sizeof error) != 0) {
        say_error("%s: --ranks needs libfarsum_mpi: %s; build Farsum where "
                  "MPI is installed, or leave out --ranks", command, error);
        return EXIT_FAILED;
    }
    if (library.mpi_version)
        library.mpi_version(version, &length);
    const char *launcher = find_launcher(version);
    const char **words = malloc(((size_t)argc + 8) * sizeof *words);
    if (!launcher || !words) {
        free(words);
        return launcher ? (say_error("%s: out of memory", command), EXIT_FAILED)
                        : no_launcher(command, version);
    }
    snprintf(number, sizeof number, "%d", ranks);
    words[n++] = launcher;
    words[n++] = "-n";
    words[n++] = number;
    words[n++] = own_file(argv[0]);
    for (int k = 1; k < argc; k++)
        words[n++] = argv[k];
    words[n] = NULL;
    setenv(guard, number, 1);
    fflush(NULL);
    execvp(launcher, (char *const *)(uintptr_t)words);
    say_error("%s: cannot start %s: %s", command, launcher, strerror(errno));
    free(words);
    return EXIT_FAILED;
}
