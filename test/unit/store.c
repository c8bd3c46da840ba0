/* SPDX-License-Identifier: Apache-2.0 */
/* store.c: tests of the folder of cached kernels and times: nothing is lost
 * between writers, no writer blocks another, and files that other users could
 * have written are not read. */
#include "base/store.h"

#include "check.h"
#include "farsum/device.h"
#include "device/compile/cache.h"
#include "cost/kept_times.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 25, ROWS = 3, PROCESSES = 20, THREADS = 8 };
static char folder[64] = "/tmp/farsum-store-XXXXXX", file[192];
static const char kept_times_key_text[] = "host of a test|spread|";
static const struct choose_time one = {"plain", 0.5, 0.25};

static const char *in(const char *name)
{
    snprintf(file, sizeof file, "%s/%s", folder, name);
    return file;
}

static void use(const char *path)
{
    CHECK(setenv("FARSUM_CACHE_DIR", path, 1) == 0, "setenv");
}

static void empty(void)
{
    int64_t files = 0;
    CHECK_OK(farsum_cache_clear(&files));
}

static int kept(void)
{
    struct choose_time times[KEPT_TIMES_MOST];
    return kept_times_load(kept_times_key_text, times);
}

/* --- who writes at the same time --- */

static void keep_many(int writer)
{
    for (int k = 0; k < KEYS; k++) {
        struct choose_time times[ROWS];
        char key[KEPT_TIMES_KEY];
        snprintf(key, sizeof key, "writer %d|stage %d|", writer, k);
        for (int r = 0; r < ROWS; r++) {
            times[r] = (struct choose_time){.set = 0.5, .run = r + 1};
            snprintf(times[r].row, sizeof times[r].row, "row%d", r);
        }
        kept_times_keep(key, times, ROWS);
    }
}

static void count_kept(int writers)
{
    int all = 0, right = 0;
    for (int w = 0; w < writers; w++)
        for (int k = 0; k < KEYS; k++) {
            struct choose_time times[KEPT_TIMES_MOST];
            char key[KEPT_TIMES_KEY];
            snprintf(key, sizeof key, "writer %d|stage %d|", w, k);
            int n = kept_times_load(key, times);
            all += n;
            for (int r = 0; r < n; r++)
                right += times[r].set == 0.5 && times[r].run == r + 1;
        }
    CHECK(all == writers * KEYS * ROWS && right == all,
          "%d writers: %d lines of %d, %d of them right", writers, all,
          writers * KEYS * ROWS, right);
}

static void processes_lose_nothing(void)
{
    for (int p = 0; p < PROCESSES; p++) {
        pid_t child = fork();
        if (child == 0) {
            keep_many(p);
            _exit(0);
        }
        CHECK(child > 0, "fork");
    }
    while (wait(NULL) > 0)
        continue;
    count_kept(PROCESSES);
    empty();
}

static void *thread_keeps(void *number)
{
    keep_many(*(int *)number);
    return NULL;
}

static void threads_lose_nothing(void)
{
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int t = 0; t < THREADS; t++) {
        number[t] = t;
        CHECK(pthread_create(&thread[t], NULL, thread_keeps, &number[t]) == 0,
              "thread %d", t);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    count_kept(THREADS);
    empty();
}

/* --- what is no plain file of ours --- */

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in(name), "w");
    if (!f)
        check_stop("%s cannot be written", file);
    fputs(text, f);
    fclose(f);
    chmod(file, 0600);
}

static const char good_line[] = "host of a test|spread|plain 1 2\n";

/* A pipe, a device or a folder under the names that are read and written. */
static void nothing_waits(void)
{
    double start = clock_seconds();
    CHECK(mkfifo(in("wisdom"), 0600) == 0, "mkfifo");
    CHECK(kept() == 0, "a time out of a pipe");
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 1, "the pipe is not replaced");
    empty();
    CHECK(symlink("/dev/zero", in("wisdom")) == 0, "symlink");
    CHECK(kept() == 0, "a time out of /dev/zero");
    empty();
    CHECK(mkdir(in("wisdom"), 0700) == 0, "mkdir");
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 0, "a time out of a folder");
    rmdir(in("wisdom"));
    unlink(in("lock"));
    CHECK(mkfifo(in("lock"), 0600) == 0, "mkfifo");
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 0, "kept without a lock");
    unlink(in("lock"));
    put("wisdom", good_line);
    CHECK(truncate(in("wisdom"), (off_t)1 << 40) == 0, "truncate");
    CHECK(kept() == 0, "a file of a terabyte was read");
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 1, "the terabyte is not replaced");
    empty();
    CHECK(clock_seconds() - start < 4, "%g s", clock_seconds() - start);
}

static void links_are_not_followed(void)
{
    char text[64] = "", victim[128];
    snprintf(victim, sizeof victim, "%s/victim", folder);
    put("victim", good_line);
    CHECK(symlink(victim, in("wisdom")) == 0, "symlink");
    CHECK(kept() == 0, "a time through a link");
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 1, "the link is not replaced");
    FILE *f = fopen(victim, "r");
    CHECK(f && fgets(text, sizeof text, f) && strcmp(text, good_line) == 0,
          "the link's target has changed: %s", text);
    if (f)
        fclose(f);
    unlink(victim);
    empty();
}

/* --- the name of a temporary file --- */

static int drawn; /* of the next name, if it is known; else 0 */

/* The store calls this one instead of the C library's. */
ssize_t getrandom(void *bytes, size_t n, unsigned flags)
{
    if (drawn == 0)
        return (ssize_t)syscall(SYS_getrandom, bytes, n, flags);
    memset(bytes, drawn++ - 1, n);
    return (ssize_t)n;
}

/* Somebody guessed the name of the temporary file and made it a second name of
 * another file.  O_NOFOLLOW does not notice this. */
static void taken_names_are_not_used(void)
{
    char text[64] = "", victim[128];
    snprintf(victim, sizeof victim, "%s/victim", folder);
    put("victim", good_line);
    CHECK(link(victim, in("wisdom.tmp-aaaaaa")) == 0, "link");
    drawn = 1;
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(drawn == 3, "%d names were drawn, not 2", drawn - 1);
    drawn = 0;
    CHECK(kept() == 1, "not kept under the second name");
    FILE *f = fopen(victim, "r");
    CHECK(f && fgets(text, sizeof text, f) && strcmp(text, good_line) == 0,
          "the file of that name has changed: %s", text);
    if (f)
        fclose(f);
    unlink(victim);
    empty();
}

/* --- who else can write there --- */

static void others_can_write(void)
{
    struct store store;
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 1, "not kept");
    static const mode_t open_modes[] = {0770, 0707, 01777};
    for (int k = 0; k < 3; k++) {
        CHECK(chmod(folder, open_modes[k]) == 0, "chmod");
        CHECK(kept() == 0, "mode %o: read", (unsigned)open_modes[k]);
        CHECK_FAILS(store_open(&store, 1), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("chmod go-w");
        store_close(&store);
    }
    CHECK(chmod(folder, 0755) == 0, "chmod");
    CHECK(kept() == 1, "mode 755: not read");
    CHECK(chmod(in("wisdom"), 0666) == 0, "chmod");
    CHECK(kept() == 0, "a file that others can write was read");
    CHECK(chmod(in("wisdom"), 0644) == 0, "chmod");
    CHECK(kept() == 1, "mode 644: not read");
    if (geteuid() == 0) {
        CHECK(chown(in("wisdom"), 12345, 0) == 0, "chown");
        CHECK(kept() == 0, "another's file was read");
        CHECK(chown(folder, 12345, 0) == 0, "chown");
        CHECK_FAILS(store_open(&store, 1), FARSUM_ERR_ARGUMENT);
        CHECK_SAYS("belongs to user 12345");
        CHECK(chown(folder, 0, 0) == 0, "chown");
    }
    CHECK(chmod(folder, 0700) == 0, "chmod");
    empty();
}

static mode_t mode_of(const char *name)
{
    struct stat about;
    return stat(in(name), &about) == 0 ? about.st_mode & 07777 : 0;
}

static void folders_are_ours(void)
{
    mode_t mask = umask(0);
    char path[128];
    snprintf(path, sizeof path, "%s/a/b", folder);
    use(path);
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(mode_of("a") == 0700 && mode_of("a/b") == 0700, "%o, %o",
          (unsigned)mode_of("a"), (unsigned)mode_of("a/b"));
    CHECK(mode_of("a/b/wisdom") == 0600, "%o",
          (unsigned)mode_of("a/b/wisdom"));
    umask(mask);
    empty();
    CHECK(rmdir(path) == 0 && rmdir(in("a")) == 0, "it is not empty");
    use(folder);
}

static void relative_homes(void)
{
    char path[STORE_PATH], home[128];
    unsetenv("FARSUM_CACHE_DIR");
    snprintf(home, sizeof home, "%s/.cache/farsum", folder);
    CHECK(setenv("HOME", folder, 1) == 0, "setenv");
    CHECK(setenv("XDG_CACHE_HOME", "here", 1) == 0, "setenv");
    CHECK(store_where(path) == 1 && strcmp(path, home) == 0, "%s", path);
    CHECK(setenv("HOME", "there", 1) == 0, "setenv");
    CHECK(store_where(path) == 0, "%s", path);
    CHECK(setenv("XDG_CACHE_HOME", "/x", 1) == 0, "setenv");
    CHECK(store_where(path) == 1 && strcmp(path, "/x/farsum") == 0, "%s", path);
    use(folder);
}

/* A copy of this program, which returns 1 if it accepts a folder, else 0. */
static int copy_knows(void)
{
    pid_t child = fork();
    int status = -1;
    if (child == 0) {
        execl(in("copy"), "copy", "where", (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A program with another user's rights ignores the environment. */
static void raised_rights(void)
{
    struct statvfs where;
    char command[300];
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
    return; /* a sanitizer's runtime needs the environment */
#endif
    if (geteuid() != 0 || statvfs(folder, &where) != 0
        || (where.f_flag & ST_NOSUID))
        return;
    snprintf(command, sizeof command, "cp /proc/%ld/exe %s", (long)getpid(),
             in("copy"));
    CHECK(system(command) == 0 && chmod(folder, 0755) == 0
              && chown(in("copy"), 65534, 65534) == 0
              && chmod(in("copy"), 0755) == 0,
          "no copy");
    CHECK(copy_knows() == 1, "the copy knows no folder");
    CHECK(chmod(in("copy"), 04755) == 0, "chmod");
    CHECK(copy_knows() == 0, "a set-user-ID program follows the environment");
    unlink(in("copy"));
    CHECK(chmod(folder, 0700) == 0, "chmod");
}

/* --- limits --- */

/* Files may not grow: the process goes on, and no incomplete file remains. */
static void no_memory(void)
{
    struct rlimit was, tight;
    kept_times_keep(kept_times_key_text, &one, 1);
    getrlimit(RLIMIT_FSIZE, &was);
    tight = was;
    tight.rlim_cur = 16;
    CHECK(setrlimit(RLIMIT_FSIZE, &tight) == 0, "setrlimit");
    kept_times_keep("host of another test|spread|", &one, 1);
    setrlimit(RLIMIT_FSIZE, &was);
    CHECK(kept() == 1, "the old contents are lost");
    empty();
    CHECK(rmdir(folder) == 0 && mkdir(folder, 0700) == 0, "files are left");
}

static void lock_is_held(void)
{
    int fd = open(in("lock"), O_RDWR | O_CREAT, 0600);
    double start = clock_seconds();
    CHECK(fd >= 0 && flock(fd, LOCK_EX) == 0, "flock");
    kept_times_keep(kept_times_key_text, &one, 1);
    double waited = clock_seconds() - start;
    CHECK(waited > 0.5 && waited < 20, "%g s", waited);
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(clock_seconds() - start - waited < 0.5, "a second wait");
    CHECK(kept() == 0, "kept without the lock");
    flock(fd, LOCK_UN);
    kept_times_keep(kept_times_key_text, &one, 1);
    CHECK(kept() == 1, "not kept with the lock");
    close(fd);
    empty();
}

/* --- kernels --- */

static farsum_status kernel_put(const char *options, const char *binary)
{
    const struct cache_key key = {{"1", "arch", options, "text"}};
    return cache_put(&key, binary, (int64_t)strlen(binary));
}

static int kernel_is(const char *options, const char *binary)
{
    const struct cache_key key = {{"1", "arch", options, "text"}};
    void *found = NULL;
    int64_t bytes = 0;
    int same = cache_get(&key, &found, &bytes)
               && bytes == (int64_t)strlen(binary)
               && memcmp(found, binary, (size_t)bytes) == 0;
    mem_free(found);
    return same;
}

static void kernels(void)
{
    char longest[400], other[400];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    memcpy(other, longest, sizeof other);
    other[sizeof other - 2] = 'y';
    CHECK_OK(kernel_put(longest, "binary"));
    CHECK(kernel_is(longest, "binary"), "not found");
    CHECK(!kernel_is(other, "binary"), "found by other options");
    CHECK(chmod(folder, 0777) == 0, "chmod");
    CHECK(!kernel_is(longest, "binary"), "out of a folder of anybody's");
    CHECK(chmod(folder, 0700) == 0, "chmod");
    CHECK(kernel_is(longest, "binary"), "not found again");
    empty();
}

static void *thread_puts(void *number)
{
    char options[32], binary[32];
    for (int k = 0; k < 50; k++) {
        snprintf(options, sizeof options, "option %d", k);
        snprintf(binary, sizeof binary, "binary %d", k);
        *(int *)number += kernel_put(options, binary) == FARSUM_OK
                          && kernel_is(options, binary);
    }
    return NULL;
}

static void kernels_by_threads(void)
{
    pthread_t thread[THREADS];
    int found[THREADS] = {0};
    for (int t = 0; t < THREADS; t++)
        CHECK(pthread_create(&thread[t], NULL, thread_puts, &found[t]) == 0,
              "thread %d", t);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        CHECK(found[t] == 50, "thread %d: %d of 50", t, found[t]);
    }
    int64_t files = 0, bytes = 0;
    CHECK_OK(cache_list(NULL, NULL, &files, &bytes));
    CHECK(files == 50, "%lld files", (long long)files);
    empty();
}

/* --- what a writer that was killed leaves --- */

static void see_left(const char *path, const char *arch, int64_t bytes,
                     void *data)
{
    (void)path, (void)bytes;
    *(int *)data += strcmp(arch, "left over") == 0;
}

static void left_overs(void)
{
    static const char hash[] = "0123456789abcdef0123456789abcdef.kernel";
    static const char *const others[] = {
        "notes.tmp-abcdef", "wisdom.txt", "wisdom.tmp-abc",
        "0123456789abcdef.kernel.tmp-abcdef"};
    char name[100];
    int64_t files = 0, bytes = 0;
    int left = 0;
    put("wisdom.tmp-aB3dEf", "half");
    put("wisdom.1234", "half, as earlier versions left it");
    snprintf(name, sizeof name, "%s.tmp-ABCDEF", hash);
    put(name, "half");
    snprintf(name, sizeof name, "%s.x1y2z3", hash);
    put(name, "half, as earlier versions left it");
    for (int k = 0; k < 4; k++)
        put(others[k], "another's");
    CHECK_OK(cache_list(see_left, &left, &files, &bytes));
    CHECK(left == 4 && files == 4, "%d of %lld", left, (long long)files);
    CHECK_OK(farsum_cache_clear(&files));
    CHECK(files == 4, "%lld removed", (long long)files);
    for (int k = 0; k < 4; k++)
        CHECK(unlink(in(others[k])) == 0, "%s is gone", others[k]);
    CHECK(rmdir(folder) == 0 && mkdir(folder, 0700) == 0, "files are left");
}

int main(int argc, char **argv)
{
    char path[STORE_PATH];
    if (argc > 1 && strcmp(argv[1], "where") == 0)
        return store_where(path);
    if (!mkdtemp(folder))
        check_stop("no folder");
    umask(022);
    signal(SIGXFSZ, SIG_DFL);
    use(folder);
    alarm(300); /* a call that blocks for ever has failed */
    RUN(nothing_waits);
    RUN(links_are_not_followed);
    RUN(taken_names_are_not_used);
    RUN(others_can_write);
    RUN(folders_are_ours);
    RUN(relative_homes);
    RUN(raised_rights);
    RUN(processes_lose_nothing);
    RUN(threads_lose_nothing);
    RUN(no_memory);
    RUN(kernels);
    RUN(kernels_by_threads);
    RUN(left_overs);
    RUN(lock_is_held);
    rmdir(folder);
    return check_end();
}
