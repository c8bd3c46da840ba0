/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c: tests of kernels that other threads compile
 * (device/compile/parallel.h, jit_late.h), with a simulated back end whose
 * binaries are the text. */
#include "check.h"

#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "device/compile/parallel.h"
#include "device/compile/jit.h"

static atomic_int calls, at_once, most_at_once, odd, loads, launches, unloads;
static atomic_int refuses; /* so many loads fail */
static atomic_int failed;  /* steps of test_threads */

/* Compiles a text in 20 ms; "#error" fails. */
static farsum_status play_compile(struct device *device, const char *text,
                                  void **binary, int64_t *bytes)
{
    char *copy = NULL;
    sigset_t held;
    int now = atomic_fetch_add(&at_once, 1) + 1, most = most_at_once;
    (void)device;
    calls++;
    while (now > most && !atomic_compare_exchange_weak(&most_at_once, &most,
                                                       now))
        ;
    pthread_sigmask(SIG_SETMASK, NULL, &held);
    odd += fegetround() != FE_TONEAREST || fegetexcept() != 0
           || sigismember(&held, SIGUSR1) != 1
           || strcmp(localeconv()->decimal_point, ".") != 0;
    usleep(20000);
    at_once--;
    if (strstr(text, "WRONG 1"))
        FAIL(ERR_DEVICE, "line 3 is wrong");
    *bytes = (int64_t)strlen(text) + 1;
    TRY(MEM_RAW(copy, *bytes));
    memcpy(copy, text, (size_t)*bytes);
    *binary = copy;
    return FARSUM_OK;
}
static farsum_status play_load(struct device *device, const void *binary,
                               int64_t bytes, void **module)
{
    (void)device;
    (void)bytes;
    if (refuses > 0) {
        refuses--;
        FAIL(ERR_DEVICE, "an old binary");
    }
    loads++;
    *module = strdup(binary);
    return *module ? FARSUM_OK : FARSUM_ERR_MEMORY;
}
static void play_unload(struct device *device, void *module)
{
    (void)device;
    unloads++;
    free(module);
}
static farsum_status play_kernel(struct device *device, void *module,
                                 const char *name, int64_t arena,
                                 void **kernel)
{
    (void)device;
    (void)arena;
    if (strcmp(name, "absent") == 0)
        FAIL(ERR_DEVICE, "no kernel %s", name);
    *kernel = module;
    return FARSUM_OK;
}
static void play_release(struct device *device, void *kernel)
{
    (void)device;
    (void)kernel;
}
static const char *launched; /* the text of the last kernel */
static farsum_status play_launch(struct device *device,
                                 const struct launch *what)
{
    (void)device;
    launched = what->kernel;
    launches++;
    return FARSUM_OK;
}

static const struct device_backend play = {.name = "play",
                                           .words = "dialect/opencl.h",
                                           .compile = play_compile,
                                           .apart = 1,
                                           .load = play_load,
                                           .unload = play_unload,
                                           .kernel = play_kernel,
                                           .release_kernel = play_release,
                                           .launch = play_launch};

static void device_begin(struct device *d)
{
    *d = (struct device){.backend = &play, .name = "play:0"};
    snprintf(d->properties.arch, sizeof d->properties.arch, "played");
    snprintf(d->properties.compiler, sizeof d->properties.compiler, "player");
    d->properties.makers = "player 1";
    d->properties.group_max = 1024;
    calls = most_at_once = odd = loads = launches = unloads = refuses = 0;
}

/* A different text for each number; below 0: an invalid one. */
static farsum_status begin(struct jit *jit, struct device *d, int number)
{
    jit_begin(jit, d, "points/device/scan.k", FARSUM_F64);
    jit_define(jit, "NUMBER", "%d", number);
    if (number < 0)
        jit_define(jit, "WRONG", "1");
    return jit_build(jit);
}

enum { TEXTS = 12 };

/* Each text is compiled once, however often it is requested; several run in
 * parallel. */
static void test_once(void)
{
    struct device d, other;
    struct jit jit[3][TEXTS];
    struct kernel kernel[3][TEXTS];
    device_begin(&d);
    other = d;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < TEXTS; k++) {
            struct device *on = i == 2 ? &other : &d;
            device_gather(on);
            CHECK_OK(begin(&jit[i][k], on, k));
            CHECK_OK(jit_kernel(&jit[i][k], "one", 64, 0, &kernel[i][k]));
            CHECK(jit[i][k].late, "compiled immediately");
        }
    CHECK_OK(device_settle(&d, FARSUM_OK));
    CHECK_OK(device_settle(&other, FARSUM_OK));
    CHECK(!d.late && !other.late && !d.gathers, "not settled");
    CHECK(calls == TEXTS, "%d compilations of %d texts", calls, TEXTS);
    CHECK(loads == 3 * TEXTS, "%d loads", loads);
    CHECK(most_at_once <= COMPILE_THREADS + 1, "%d in parallel", most_at_once);
    CHECK(sysconf(_SC_NPROCESSORS_ONLN) < 2 || most_at_once > 1,
          "one after another");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < TEXTS; k++) {
            char line[40];
            snprintf(line, sizeof line, "NUMBER %d\n", k);
            CHECK_OK(kernel_launch(&kernel[i][k], 1, 0, NULL));
            CHECK(strstr(launched, line), "another text than %d's", k);
            jit_clear(&jit[i][k]);
        }
    CHECK(unloads == 3 * TEXTS, "%d unloads", unloads);
}

/* Settings of the caller's thread do not reach the compiler. */
static void test_apart(void)
{
    struct device d;
    struct jit jit[TEXTS];
    device_begin(&d);
    fesetround(FE_UPWARD);
    feenableexcept(FE_DIVBYZERO | FE_INVALID);
    device_gather(&d);
    for (int k = 0; k < TEXTS; k++)
        CHECK_OK(begin(&jit[k], &d, k));
    while (calls < TEXTS)
        usleep(1000); /* not this thread */
    CHECK_OK(device_settle(&d, FARSUM_OK));
    CHECK(odd == 0, "%d compilations in the caller's environment", odd);
    CHECK(fegetround() == FE_UPWARD
              && fegetexcept() == (FE_DIVBYZERO | FE_INVALID),
          "the caller's environment was changed");
    fedisableexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    for (int k = 0; k < TEXTS; k++)
        jit_clear(&jit[k]);
}

/* A text that does not compile: its file is named, the others are good. */
static void test_wrong(void)
{
    struct device d;
    struct jit good, bad, lacks;
    struct kernel kernel, wrong;
    device_begin(&d);
    device_gather(&d);
    CHECK_OK(begin(&good, &d, 1));
    CHECK_OK(jit_kernel(&good, "one", 64, 0, &kernel));
    CHECK_OK(begin(&bad, &d, -1));
    CHECK_OK(jit_kernel(&bad, "one", 64, 0, &wrong));
    CHECK_FAILS(device_settle(&d, FARSUM_OK), FARSUM_ERR_DEVICE);
    CHECK_SAYS("points/device/scan.k on play:0: line 3 is wrong");
    CHECK_FAILS(kernel_launch(&wrong, 1, 0, NULL), FARSUM_ERR_DEVICE);
    CHECK_SAYS("line 3 is wrong");
    CHECK_OK(kernel_launch(&kernel, 1, 0, NULL));
    device_gather(&d);
    CHECK_OK(begin(&lacks, &d, 2));
    char name[] = "absent"; /* on the caller's stack, reused soon */
    CHECK_OK(jit_kernel(&lacks, name, 64, 0, &wrong));
    memset(name, '?', sizeof name - 1);
    CHECK_FAILS(device_settle(&d, FARSUM_OK), FARSUM_ERR_DEVICE);
    CHECK_SAYS("absent");
    CHECK_FAILS(jit_kernel(&good, "one", 4096, 0, &kernel),
                FARSUM_ERR_UNSUPPORTED);
    jit_clear(&good);
    jit_clear(&bad);
    jit_clear(&lacks);
}

/* A launch waits for its own kernels; so does the release of kernels not
 * used. */
static void test_launch(void)
{
    struct device d;
    struct jit jit[TEXTS];
    struct kernel kernel;
    device_begin(&d);
    device_gather(&d);
    for (int k = 0; k < TEXTS; k++)
        CHECK_OK(begin(&jit[k], &d, k));
    CHECK_OK(jit_kernel(&jit[TEXTS - 1], "one", 64, 0, &kernel));
    CHECK_OK(kernel_launch(&kernel, 1, 0, NULL));
    CHECK(launches == 1 && loads == 1, "%d loads", loads);
    for (int k = 0; k < TEXTS; k++)
        jit_clear(&jit[k]);
    CHECK(!d.late && unloads == 1, "%d unloads", unloads);
    CHECK_FAILS(device_settle(&d, status_fail(FARSUM_ERR_MEMORY, "before")),
                FARSUM_ERR_MEMORY);
    /* without gathering: immediately */
    CHECK_OK(begin(&jit[0], &d, 0));
    CHECK(!jit[0].late && jit[0].module, "late");
    jit_clear(&jit[0]);
}

/* Kept binaries are not compiled again, unless the driver refuses them. */
static void test_kept(void)
{
    struct device d;
    struct jit jit;
    char folder[] = "/tmp/farsum-compile-XXXXXX";
    int64_t files = 0;
    device_begin(&d);
    if (!mkdtemp(folder) || setenv("FARSUM_CACHE_DIR", folder, 1) != 0)
        check_stop("no folder");
    for (int turn = 0; turn < 3; turn++) {
        refuses = turn == 2;
        device_gather(&d);
        CHECK_OK(begin(&jit, &d, 1));
        CHECK_OK(device_settle(&d, FARSUM_OK));
        jit_clear(&jit);
        CHECK(calls == (turn == 2 ? 2 : 1), "turn %d: %d compilations", turn,
              calls);
    }
    CHECK_OK(cache_clear(&files));
    CHECK(files == 1, "%lld files", (long long)files);
    setenv("FARSUM_CACHE_DIR", "", 1);
    rmdir(folder);
}

static void *asks(void *data)
{
    struct device d = *(struct device *)data;
    struct jit jit[TEXTS];
    for (int turn = 0; turn < 3; turn++) {
        device_gather(&d);
        for (int k = 0; k < TEXTS; k++)
            if (begin(&jit[k], &d, turn * TEXTS + k) != FARSUM_OK)
                failed++;
        if (turn != 1 && device_settle(&d, FARSUM_OK) != FARSUM_OK)
            failed++;
        for (int k = 0; k < TEXTS; k++)
            jit_clear(&jit[k]);
    }
    return NULL;
}

/* Plans of several threads. */
static void test_threads(void)
{
    struct device d;
    pthread_t thread[4];
    device_begin(&d);
    for (int t = 0; t < 4; t++)
        if (pthread_create(&thread[t], NULL, asks, &d) != 0)
            check_stop("no thread");
    for (int t = 0; t < 4; t++)
        pthread_join(thread[t], NULL);
    CHECK(failed == 0, "%d went wrong", failed);
    CHECK(loads == unloads && loads >= 2 * 4 * TEXTS, "%d loads, %d unloads",
          loads, unloads);
    CHECK(calls <= 3 * 4 * TEXTS, "%d compilations", calls);
}

int main(void)
{
    setenv("FARSUM_CACHE_DIR", "", 1);
    RUN(test_once);
    RUN(test_apart);
    RUN(test_wrong);
    RUN(test_launch);
    RUN(test_kept);
    RUN(test_threads);
    return check_end();
}
