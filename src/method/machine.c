/* machine.c: measure, keep, load. */
#include "method/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "method/spectral.h"

enum { LINE = 256, PROBE = 20000, REPEATS = 4 };

/* Folder and file; 0: there is no place. */
static int machine_path(char *folder, char *file, size_t size)
{
    const char *own = getenv("FARSUM_CACHE_DIR");
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (own)
        snprintf(folder, size, "%s", own);
    else if (xdg)
        snprintf(folder, size, "%s/farsum", xdg);
    else if (home)
        snprintf(folder, size, "%s/.cache/farsum", home);
    else
        return 0;
    return (size_t)snprintf(file, size, "%s/machine", folder) < size;
}

void machine_name(char *name, size_t size)
{
    char line[LINE];
    FILE *f = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "model name", 10) == 0 && strchr(line, ':')) {
            snprintf(name, size, "%s", strchr(line, ':') + 2);
            name[strcspn(name, "\n|")] = 0;
            break;
        }
    if (f)
        fclose(f);
}

/* "CPU NAME|avx2|f64|2": what a line is found by. */
static void machine_key(char *key, size_t size, enum isa isa,
                        farsum_precision precision, int threads)
{
    char name[LINE];
    machine_name(name, sizeof name);
    snprintf(key, size, "%.120s|%s|%s|%d|", name, isa_name(isa),
             precision == FARSUM_F32 ? "f32" : "f64", threads);
}

static int machine_parse(const char *line, const char *key,
                         struct machine *machine)
{
    struct machine m = {.measured = 1};
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0
        || sscanf(line + n, "%lf %lf %lf %lf %lf", &m.factor[0], &m.factor[1],
                  &m.factor[2], &m.factor[3], &m.factor[4])
               != MACHINE_ROOMS)
        return 0;
    for (int r = 0; r < MACHINE_ROOMS; r++)
        if (!(m.factor[r] > 1e-3 && m.factor[r] < 1e3))
            return 0;
    *machine = m;
    return 1;
}

void machine_load(struct machine *machine, enum isa isa,
                  farsum_precision precision, int threads)
{
    char folder[512], file[512], key[LINE], line[LINE];
    for (int r = 0; r < MACHINE_ROOMS; r++)
        machine->factor[r] = 1;
    machine->measured = 0;
    if (!machine_path(folder, file, sizeof file))
        return;
    FILE *f = fopen(file, "r");
    machine_key(key, sizeof key, isa, precision, threads);
    while (f && fgets(line, sizeof line, f))
        if (machine_parse(line, key, machine))
            break;
    if (f)
        fclose(f);
}

/* The other lines and ours into a file beside, then renamed over it. */
static void machine_keep(const struct machine *machine, const char *key)
{
    char folder[512], file[512], beside[530], line[LINE];
    if (!machine_path(folder, file, sizeof file))
        return;
    for (char *p = folder + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(folder, 0777);
            *p = '/';
        }
    mkdir(folder, 0777);
    snprintf(beside, sizeof beside, "%s.%ld", file, (long)getpid());
    FILE *old = fopen(file, "r"), *f = fopen(beside, "w");
    while (f && old && fgets(line, sizeof line, old))
        if (strncmp(line, key, strlen(key)) != 0)
            fputs(line, f);
    if (old)
        fclose(old);
    if (!f)
        return;
    fputs(key, f);
    for (int r = 0; r < MACHINE_ROOMS; r++)
        fprintf(f, "%s%.4g", r ? " " : "", machine->factor[r]);
    fputc('\n', f);
    int bad = ferror(f) | fclose(f);
    if (bad || rename(beside, file) != 0)
        remove(beside);
}

/* A uniform system by a low-discrepancy sequence (the R3 sequence: multiples
 * of powers of the root of x^4 = x + 1). */
static farsum_status machine_probe(farsum_plan *plan, double *x, double *q,
                                   double *out, struct machine *machine)
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893,
                                   0.5497004779019703};
    double edge = cbrt(PROBE);
    farsum_result result = FARSUM_RESULT_INIT;
    struct spectral *s = plan->state;
    for (int64_t i = 0; i < 3 * PROBE; i++)
        x[i] = edge * fmod((double)(i / 3 + 1) * step[i % 3], 1);
    for (int64_t i = 0; i < PROBE; i++)
        q[i] = i % 2 ? 1 : -1;
    result.potential = out;
    result.field = out + PROBE;
    TRY(farsum_plan_set_points(plan, PROBE, x, 0, NULL));
    for (int r = 0; r < MACHINE_ROOMS; r++)
        machine->factor[r] = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        TRY(farsum_plan_execute(plan, 1, q, &result));
        for (int r = 0; r < MACHINE_ROOMS; r++) {
            double model = s->tuned.choice[r].cost * (r == ROOM_FFT ? 2 : 1);
            machine->factor[r] = fmin(machine->factor[r],
                                      s->seconds[r] / model);
        }
    }
    machine->measured = 1;
    return FARSUM_OK;
}

farsum_status machine_measure(struct machine *machine, enum isa isa,
                              farsum_precision precision, int threads)
{
    farsum_status status = FARSUM_OK;
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    double *x = NULL;
    char key[LINE];
    double edge = cbrt(PROBE);
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = edge;
        problem.periodic[d] = 1;
    }
    problem.precision = precision;
    problem.arrays = FARSUM_F64;
    problem.n_sources = PROBE;
    problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    problem.tolerance = 1e-5;
    options.isa = isa_name(isa);
    options.threads = threads;
    options.method = "spectral";
    GO(MEM_RAW(x, 8 * PROBE));
    GO(farsum_plan_create(&problem, &options, &plan));
    GO(machine_probe(plan, x, x + 3 * PROBE, x + 4 * PROBE, machine));
    machine_key(key, sizeof key, isa, precision, threads);
    machine_keep(machine, key);
done:
    farsum_plan_destroy(plan);
    mem_free(x);
    return status;
}
