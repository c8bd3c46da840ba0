/* bench_file.c: a benchmark's particles from a file, copied along the cell. */
#include "bench.h"
#include "system.h"

#include <stdlib.h>
#include <string.h>

/* Copies of the frame; those of its own cell come first. */
static int copy_out(const struct system *sys, const int64_t copies[3],
                    struct case_particles *p)
{
    int64_t n = sys->n, at = 0, many = copies[0] * copies[1] * copies[2];
    p->x = malloc((size_t)(3 * n * many) * sizeof *p->x);
    p->q = malloc((size_t)(n * many * sys->strengths) * sizeof *p->q);
    p->strengths = sys->strengths;
    if (!p->x || !p->q)
        return -1;
    for (int64_t a = 0; a < copies[0]; a++)
        for (int64_t b = 0; b < copies[1]; b++)
            for (int64_t c = 0; c < copies[2]; c++)
                for (int64_t i = 0; i < n; i++, at++) {
                    for (int d = 0; d < 3; d++)
                        p->x[3 * at + d] = sys->x[3 * i + d]
                                           + (double)a * sys->cell[d]
                                           + (double)b * sys->cell[3 + d]
                                           + (double)c * sys->cell[6 + d];
                    for (int k = 0; k < sys->strengths; k++)
                        p->q[at * sys->strengths + k] =
                            sys->q[i * sys->strengths + k];
                }
    for (int k = 0; k < 9; k++)
        p->cell[k] = (double)copies[k / 3] * sys->cell[k];
    memcpy(p->periodic, sys->periodic, sizeof p->periodic);
    p->n = at;
    return 0;
}

static int read_first(const struct settings *s, struct io_frame *frame,
                      char *error, size_t size)
{
    struct io_options io = options_io(s);
    struct io_reader *reader = NULL;
    if (io_open(s->input, &io, &reader, error, size) != 0)
        return -1;
    int got = io_read(reader, frame, error, size);
    io_close(reader);
    if (got == 0)
        snprintf(error, size, "%s: no particles", s->input);
    return got == 1 ? 0 : -1;
}

int bench_read(struct bench *b, char *error, size_t size)
{
    const struct settings *s = b->settings;
    struct io_frame frame = {0};
    struct system sys = {0};
    int64_t copies[3] = {1, 1, 1};
    if (s->copies[0] > 0)
        memcpy(copies, s->copies, sizeof copies);
    if (read_first(s, &frame, error, size) != 0)
        return -1;
    int bad = system_make(s, &frame, NULL, &sys, error, size);
    if (!bad && copies[0] * copies[1] * copies[2] > 1 &&
        !(sys.periodic[0] && sys.periodic[1] && sys.periodic[2])) {
        snprintf(error, size, "--copies asks for a periodic cell");
        bad = -1;
    }
    if (!bad && copy_out(&sys, copies, &b->particles) != 0) {
        snprintf(error, size, "no memory for the copies");
        bad = -1;
    }
    system_free(&sys);
    io_frame_clear(&frame);
    if (bad)
        return -1;
    b->spec.n = b->particles.n;
    const char *kernel = b->spec.kernel;
    if (strcmp(kernel, "laplace") == 0)
        kernel = ""; /* as rows were named before there were others */
    snprintf(b->case_text, sizeof b->case_text,
             "%s%s%s copies=%lldx%lldx%lld tol=%g error=%s prec=%s", kernel,
             *kernel ? " " : "", s->input, (long long)copies[0],
             (long long)copies[1], (long long)copies[2], b->spec.tolerance,
             options_word("error", (int)case_error(&b->spec)),
             options_word("precision", (int)b->spec.precision));
    return 0;
}
