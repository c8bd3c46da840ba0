/* SPDX-License-Identifier: Apache-2.0 */
/* compile_all.c: compilation of every embedded kernel by every available
 * compiler.
 *
 *     test_compile_all [--full] [nvrtc|hip|opencl|words ...] [TEXT]
 *
 * Compiles each recipe of a file: by NVRTC and hipRTC, which require no device,
 * and by the drivers of all OpenCL devices.  "words": the C compiler searches
 * for undefined macros in #if.  A file's first recipe is compiled for one
 * architecture by each: in both precisions by OpenCL, in f32 by NVRTC and in
 * f64 by hipRTC or, for the next file, the other way round.  The other recipes
 * are compiled for one architecture in one precision each, alternately by NVRTC
 * or hipRTC.  --full or FARSUM_TEST_ALL=1: all combinations.  TEXT: only files
 * whose name contains it.
 * FARSUM_REQUIRE_DEVICES=nvrtc,hip,opencl: fails if these are not available.
 *
 * Kernels that launch kernels are linked, if CUDA's linker is available.
 * Registers and spills are listed and never fail the test.  Each compiler runs
 * in a process of its own, because compilers with an LLVM each conflict. */
#include "check.h"

#include "base/mem.h"
#include "device/driver/cuda.h"
#include "device/driver/hip.h"
#include "device/recipe.h"
#include "device/spills.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TARGETS = 24 };

/* A target of compilation. */
struct target {
    const char *kind;   /* "nvrtc" */
    const char *vendor; /* name in recipes; "": not used */
    const char *words;  /* the dialect's file */
    char arch[64];
    struct device *device; /* OpenCL; owned */
};

static struct target target[TARGETS];
static int n_targets, compiled, skipped, spilling;
static const char *only_file = "";
static int full;
static int linker; /* 1: it links kernels that launch kernels */

static void target_add(const char *kind, const char *vendor, const char *words,
                       const char *arch, struct device *device)
{
    if (n_targets == TARGETS)
        check_stop("more than %d targets", TARGETS);
    struct target *t = &target[n_targets++];
    *t = (struct target){kind, vendor, words, "", device};
    snprintf(t->arch, sizeof t->arch, "%s", arch);
}

static void absent(const char *kind)
{
    const char *must = getenv("FARSUM_REQUIRE_DEVICES");
    printf("%s: not here: %s\n", kind, farsum_message());
    CHECK(!must || !strstr(must, kind), "%s is required and not here", kind);
}

static void find_nvrtc(void)
{
    static const char *const archs[] = {"sm_75", "sm_80", "sm_90", "sm_100"};
    struct nvrtc nvrtc;
    if (nvrtc_open(&nvrtc, 0) != FARSUM_OK) {
        absent("nvrtc");
        return;
    }
    struct nvlink link;
    printf("nvrtc: %s\n", nvrtc.rtc.makers);
    linker = nvlink_find(&link, &nvrtc) == FARSUM_OK;
    printf("nvrtc: %s\n", linker ? link.path : farsum_message());
    for (int i = 0; i < 4; i++) {
        if (nvrtc_knows(&nvrtc, archs[i]))
            target_add("nvrtc", "CUDA", "dialect/cuda.h", archs[i], NULL);
        else
            printf("nvrtc: %s is not known to it\n", archs[i]);
    }
}

static void find_hip(void)
{
    static const char *const archs[] = {"gfx90a", "gfx942"};
    struct rtc rtc;
    if (hiprtc_open(&rtc, 0) != FARSUM_OK) {
        absent("hip");
        return;
    }
    printf("hip: %s\n", rtc.makers);
    for (int i = 0; i < 2; i++) {
        if (hiprtc_knows(archs[i]) != 0)
            target_add("hip", "HIP", "dialect/hip.h", archs[i], NULL);
        else
            printf("hip: %s is not known to it\n", archs[i]);
    }
}

static void find_opencl(void)
{
    for (int i = 0;; i++) {
        struct device *device = NULL;
        char name[32];
        snprintf(name, sizeof name, "opencl:%d", i);
        if (device_open(name, &device) != FARSUM_OK) {
            if (i == 0)
                absent("opencl");
            return;
        }
        printf("%s: %s, %s\n", name, device->properties.model,
               device->properties.compiler);
        target_add("opencl", "OPENCL", "dialect/opencl.h", name, device);
    }
}

static void find_words(void)
{
    target_add("words", "", "dialect/cuda.h", "", NULL);
}

/* Compiles a text. */
static farsum_status compile(const struct target *t, const char *text,
                             int nested, struct spills *spills)
{
    void *binary = NULL;
    int64_t bytes = 0;
    char *log = NULL;
    farsum_status status;
    *spills = (struct spills){0};
    if (t->device)
        status = t->device->backend->compile(t->device, text, &binary, &bytes);
    else if (strcmp(t->kind, "nvrtc") == 0)
        status = (nested ? cuda_compile_nested_for : cuda_compile_for)(
            t->arch, text, &binary, &bytes, &log);
    else
        status = hip_compile_for(t->arch, text, &binary, &bytes, NULL);
    if (status == FARSUM_OK && log)
        spills_cuda(log, spills);
    else if (status == FARSUM_OK && !t->device)
        spills_hip(binary, bytes, spills);
    mem_free(binary);
    mem_free(log);
    return status;
}

/* The C compiler's preprocessor, which warns about unknown names in #if. */
static int preprocess(const char *text)
{
    FILE *cc = popen(FARSUM_CC " -E -P -Wundef -Werror -xc -D__CUDA_ARCH__=900"
                               " - >/dev/null",
                     "w");
    if (!cc)
        check_stop("no preprocessor");
    size_t n = strlen(text), put = fwrite(text, 1, n, cc);
    return pclose(cc) == 0 && put == n;
}

/* The reason why a recipe is not for a target, or NULL. */
static const char *not_for(const struct target *t, const struct recipe *r,
                           int bits)
{
    if (r->bits && r->bits != bits)
        return "the other precision alone";
    if (r->vendor[0] && t->vendor[0] && strcmp(r->vendor, t->vendor) != 0)
        return "for another vendor alone";
    if (r->nested && strcmp(t->kind, "nvrtc") == 0 && !linker)
        return "there is no linker for kernels that launch kernels";
    if (r->sm > 0 && strcmp(t->vendor, "CUDA") == 0
        && atoi(t->arch + strlen("sm_")) < r->sm)
        return "for newer architectures alone";
    return NULL;
}

static void one(const struct target *t, const char *file,
                const struct recipe *r, int bits)
{
    struct jit jit;
    struct spills s = {0};
    char *text = NULL;
    const char *why = not_for(t, r, bits);
    printf("%-7s %-9s f%d %s%s: ", t->kind, t->arch, bits, file, r->line);
    if (why) {
        printf("skipped, %s\n", why);
        skipped++;
        return;
    }
    jit_begin(&jit, NULL, file, bits == 32 ? FARSUM_F32 : FARSUM_F64);
    farsum_status status = recipe_define(r, &jit);
    if (status == FARSUM_OK)
        status = jit_text(&jit, t->words, &text);
    if (status == FARSUM_OK && strcmp(t->kind, "words") == 0) {
        int good = preprocess(text);
        printf("%s\n", good ? "as it should be" : "FAILED");
        CHECK(good, "%s%s: the preprocessor warns", file, r->line);
    } else {
        if (status == FARSUM_OK)
            status = compile(t, text, r->nested, &s);
        if (status == FARSUM_OK && s.kernels > 0)
            printf("%d kernels, at most %d registers%s%s\n", s.kernels,
                   s.registers, s.bytes > 0 ? "; spilled bytes:" : "", s.names);
        else
            printf("%s\n", status == FARSUM_OK ? "compiled" : "FAILED");
        check_status(status, FARSUM_OK, file, __FILE__, __LINE__);
        if (!t->device && status == FARSUM_OK)
            CHECK(s.kernels > 0, "%s: the compiler reports no kernels",
                  file);
    }
    fflush(stdout);
    compiled += status == FARSUM_OK;
    spilling += s.bytes > 0;
    mem_free(text);
    jit_clear(&jit);
}

/* 1: it is this target's turn among the targets of the recipe. */
static int target_turn(const struct recipe *r, int turn, int t, int bits)
{
    int able = 0, before = 0;
    for (int i = 0; i < n_targets; i++)
        if (!not_for(&target[i], r, bits)) {
            before += i < t;
            able++;
        }
    return able > 0 && before == turn % able && !not_for(&target[t], r, bits);
}

/* 1: the k-th recipe of the f-th file is for this target and precision. */
static int in_turn(const struct recipe *r, int f, int k, int t, int bits)
{
    int only = r->bits ? r->bits : (f + k) % 2 ? 64 : 32;
    int hip = strcmp(target[t].kind, "hip") == 0;
    int rtc = hip || strcmp(target[t].kind, "nvrtc") == 0;
    if (k > 0 && rtc && !r->vendor[0] && k % 2 != hip)
        return 0;
    if (k > 0)
        return bits == only && target_turn(r, (f + k) / 2, t, bits);
    if (rtc && !r->bits && !r->vendor[0] && (bits == 64) != ((f + hip) % 2))
        return 0;
    return target_turn(r, rtc ? f / 2 : f + (bits == 64), t, bits);
}

static void all_of(int f, const char *file, const char *text, int64_t bytes)
{
    struct recipe recipe;
    const char *wrong = NULL;
    int got;
    if (!strstr(file, only_file))
        return;
    for (int k = 0; (got = recipe_get(text, bytes, k, &recipe, &wrong)) == 1;
         k++)
        for (int t = 0; t < n_targets; t++)
            for (int bits = 32; bits <= 64; bits += 32)
                if (full || in_turn(&recipe, f, k, t, bits))
                    one(&target[t], file, &recipe, bits);
    CHECK(got == 0, "%s: compile:%s ...: %s", file, recipe.line, wrong);
}

/* A text that is not code fails with the file and line of the error. */
static void test_refused(void)
{
    for (int t = 0; t < n_targets; t++) {
        struct spills s;
        if (strcmp(target[t].kind, "words") == 0) {
            CHECK(!preprocess("#if NOT_KNOWN\n#endif\n"), "not seen");
            continue;
        }
        CHECK_FAILS(
            compile(&target[t], "#line 7 \"wrong.k\"\nnot code\n", 0, &s),
            FARSUM_ERR_DEVICE);
        CHECK_SAYS("wrong.k");
        CHECK_SAYS("7");
    }
}

/* A kernel that needs too many registers is reported to spill. */
static void test_spills(void)
{
    static const char text[] =
        "extern \"C\" __global__ void __launch_bounds__(1024) many(double *p)\n"
        "{\n    double a[150];\n#pragma unroll\n"
        "    for (int i = 0; i < 150; i++)\n"
        "        a[i] = p[i * 1024 + threadIdx.x];\n    __syncthreads();\n"
        "#pragma unroll\n    for (int i = 0; i < 150; i++)\n"
        "        p[(149 - i) * 1024 + threadIdx.x + 1] = a[i] * a[149 - "
        "i];\n}\n";
    for (int t = 0; t < n_targets; t++) {
        struct spills s;
        if (target[t].device || strcmp(target[t].kind, "words") == 0)
            continue;
        CHECK_OK(compile(&target[t], text, 0, &s));
        CHECK(s.kernels == 1 && s.bytes > 0 && s.registers >= 32
                  && strstr(s.names, "many"),
              "%s: %d kernels, %lld bytes, %d registers,%s", target[t].arch,
              s.kernels, (long long)s.bytes, s.registers, s.names);
    }
}

static void test_recipes(void)
{
    static const char text[] = "/* a file\n * compile: A=1 WINDOW B= F64\n"
                               " * compile: sm_90 C=x*y */\nbody\n";
    static const char wrong_text[] = "/* compile: A=1 WHAT */";
    struct recipe r;
    const char *wrong = NULL;
    int64_t n = (int64_t)sizeof text - 1;
    CHECK(recipe_get(text, n, 0, &r, &wrong) == 1 && r.n == 2 && r.window
              && r.bits == 64 && strcmp(r.name[1], "B") == 0
              && r.value[1][0] == 0,
          "the first:%s", r.line);
    CHECK(recipe_get(text, n, 1, &r, &wrong) == 1 && r.n == 1 && r.sm == 90
              && strcmp(r.value[0], "x*y") == 0,
          "the second:%s", r.line);
    CHECK(recipe_get(text, n, 2, &r, &wrong) == 0, "a third:%s", r.line);
    CHECK(recipe_get("body", 4, 0, &r, &wrong) == 1 && r.n == 0, "none");
    CHECK(recipe_get(wrong_text, sizeof wrong_text - 1, 0, &r, &wrong) == -1,
          "not refused");
}

static void test_kernels(void)
{
    int n_files = 0;
    for (const struct jit_file *f = jit_files; f->name; f++) {
        size_t n = strlen(f->name);
        if (n > 2 && strcmp(f->name + n - 2, ".k") == 0)
            all_of(n_files++, f->name, (const char *)f->text, f->bytes);
    }
    all_of(0, "words.k", "/* compile: TABLE=1,2,3 */", 26);
}

static const struct kind {
    const char *name;
    void (*find)(void);
} kinds[] = {{"nvrtc", find_nvrtc},
             {"hip", find_hip},
             {"opencl", find_opencl},
             {"words", find_words}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int run(const struct kind *kind)
{
    kind->find();
    RUN(test_recipes);
    if (n_targets == 0)
        return check_end() == 0 ? CHECK_SKIPPED : 1;
    RUN(test_refused);
    RUN(test_spills);
    RUN(test_kernels);
    printf("%d compiled, %d skipped, %d of them spill registers\n", compiled,
           skipped, spilling);
    CHECK(compiled > 0, "nothing was compiled");
    for (int t = 0; t < n_targets; t++)
        device_close(target[t].device);
    return check_end();
}

/* Runs the kind in its own process; returns the exit status. */
static int run_apart(const struct kind *kind)
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        check_stop("no process");
    if (child == 0)
        exit(run(kind));
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
    int asked[KINDS] = {0}, any = 0, worst = 0, ran = 0;
    for (int i = 1; i < argc; i++) {
        int kind = 0;
        while (kind < KINDS && strcmp(argv[i], kinds[kind].name) != 0)
            kind++;
        if (strcmp(argv[i], "--full") == 0)
            full = 1;
        else if (kind < KINDS)
            asked[kind] = any = 1;
        else
            only_file = argv[i];
    }
    full = full || getenv("FARSUM_TEST_ALL");
    /* words.k is not embedded */
    if (setenv("FARSUM_KERNEL_DIR", FARSUM_TEST_DIR "/device", 1) != 0)
        check_stop("setenv");
    for (int k = 0; k < KINDS; k++) {
        if (any && !asked[k])
            continue;
        int status = run_apart(&kinds[k]);
        ran += status != CHECK_SKIPPED;
        if (status != 0 && status != CHECK_SKIPPED)
            worst = 1;
    }
    return worst || ran ? worst : CHECK_SKIPPED;
}
