/* SPDX-License-Identifier: Apache-2.0 */
/* files.c: check whether different file names denote one file. */
#include "files.h"

#include "io/output.h"
#include "say.h"
#include "start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum role { READ, APPENDED, REPLACED, STREAM };
enum { FILES = 16 };

struct named {
    const char *option; /* as the user typed it */
    const char *path;   /* as the user typed it; NULL: a stream */
    enum role role;
    int descriptor;     /* denoted by the path, or -1 */
    /* identity: the file's own or, if it does not exist yet, its folder and its
     * name there; known 0: neither could be found */
    int known, device;
    dev_t dev;
    ino_t ino;
    char *own; /* owned; NULL: the file exists */
};

/* Identifies the file that opening the path gives: a link's target. */
static void identify(struct named *f)
{
    struct stat st;
    if (f->path && f->role == READ && strcmp(f->path, "-") == 0)
        f->descriptor = STDIN_FILENO;
    else if (f->path)
        f->descriptor = output_descriptor(f->path);
    int bad = f->descriptor >= 0 ? fstat(f->descriptor, &st)
                                 : stat(f->path, &st);
    if (bad == 0) {
        f->known = 1;
        f->device = S_ISCHR(st.st_mode);
    } else if (f->role != READ && f->descriptor < 0 && errno == ENOENT) {
        char *path = output_path(f->path);
        char *slash = path ? strrchr(path, '/') : NULL;
        if (path)
            f->own = strdup(slash ? slash + 1 : path);
        if (slash)
            slash[slash == path] = 0;
        f->known = f->own && stat(slash ? path : ".", &st) == 0;
        free(path);
    }
    if (f->known) {
        f->dev = st.st_dev;
        f->ino = st.st_ino;
    }
}

static int is_same(const struct named *a, const struct named *b)
{
    if (a->descriptor >= 0 && a->descriptor == b->descriptor)
        return 1;
    if (!a->known || !b->known || a->device || a->dev != b->dev
        || a->ino != b->ino)
        return 0;
    return a->own && b->own ? strcmp(a->own, b->own) == 0 : a->own == b->own;
}

/* True if the name ends as extended XYZ files do. */
static int is_extxyz(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".xyz") == 0 || strcmp(dot, ".extxyz") == 0);
}

/* True if a result replaces its input under the same name.  Nothing is lost,
 * because the result contains all that was read. */
static int is_in_place(const struct settings *s, const struct named *in,
                       const struct named *out)
{
    return s->command == FOR_RUN && !s->targets && out->path == s->output
           && in->path == s->words[0] && strcmp(in->path, out->path) == 0
           && is_extxyz(in->path)
           && (!s->format || strcmp(s->format, "extxyz") == 0);
}

/* True if the two may be one file: two readers, unless the file is one stream;
 * rows appended to the file they are compared with; a name of standard
 * output. */
static int is_legal(const struct settings *s, const struct named *a,
                    const struct named *b)
{
    if (a->role == READ && b->role == READ)
        return a->descriptor < 0 || a->descriptor != b->descriptor;
    if (b->role == STREAM)
        return a->descriptor == b->descriptor;
    const struct named *read = a->role == READ ? a : b;
    const struct named *other = a->role == READ ? b : a;
    if (read->role != READ)
        return 0;
    return is_in_place(s, read, other)
           || (other->role == APPENDED && read->path == s->against);
}

static void add(struct named *file, int *n, const char *option,
                const char *path, enum role role)
{
    if (path)
        file[(*n)++] = (struct named){option, path, role, -1, 0, 0, 0, 0, NULL};
}

/* Adds standard output, if it goes to a file. */
static void add_stream(struct named *file, int *n)
{
    struct stat st;
    if (fstat(STDOUT_FILENO, &st) == 0 && S_ISREG(st.st_mode))
        file[(*n)++] = (struct named){"standard output", NULL, STREAM,
                                      STDOUT_FILENO, 0, 0, 0, 0, NULL};
}

static int collect(const struct settings *s, struct named file[FILES])
{
    int n = 0;
    if (s->command & (FOR_RUN | FOR_CHECK | FOR_TUNE) && s->n_words == 1)
        add(file, &n, "the input", s->words[0], READ);
    add(file, &n, "--targets", s->targets, READ);
    add(file, &n, "--sources", s->sources, READ);
    add(file, &n, "--exclude", s->exclude_file, READ);
    add(file, &n, "--input", s->input, READ);
    add(file, &n, "--against", s->against, READ);
    add(file, &n, "--output",
        s->command == FOR_GEN && !s->output ? "-" : s->output, REPLACED);
    add(file, &n, "--report", s->report, REPLACED);
    add(file, &n, "--plot", s->plot, REPLACED);
    add(file, &n, "--map", s->map, REPLACED);
    add(file, &n, "--csv", s->csv, APPENDED);
    add_stream(file, &n);
    return n;
}

static const char *const streams[] = {"input", "output", "error"};

static void tell(const char *name, const struct named *a,
                 const struct named *b)
{
    int descriptor = a->descriptor;
    if (descriptor >= 0 && descriptor < 3 && b->descriptor == descriptor)
        say_error("%s: %s and %s cannot both be standard %s", name, a->option,
                  b->option, streams[descriptor]);
    else
        say_error("%s: %s and %s are one file, '%s'; give each a file of its "
                  "own", name, a->option, b->option,
                  b->path ? b->path : a->path);
}

int files_check(const struct settings *s, const char *name)
{
    struct named file[FILES];
    int n = collect(s, file), bad = 0;
    for (int k = 0; k < n; k++) {
        struct named *f = &file[k];
        identify(f);
        if (!bad && f->path && start_closed(f->descriptor)) {
            say_error("%s: %s is standard %s, which is closed", name, f->option,
                      streams[f->descriptor]);
            bad = -1;
        }
    }
    for (int b = 1; b < n && !bad; b++)
        for (int a = 0; a < b && !bad; a++)
            if (is_same(&file[a], &file[b])
                && !is_legal(s, &file[a], &file[b])) {
                tell(name, &file[a], &file[b]);
                bad = -1;
            }
    for (int k = 0; k < n; k++)
        free(file[k].own);
    return bad;
}

int files_are_one(const char *in, const char *out)
{
    struct named file[2];
    int n = 0;
    add(file, &n, "", in, READ);
    add(file, &n, "", out, REPLACED);
    identify(&file[0]);
    identify(&file[1]);
    int same = is_same(&file[0], &file[1]);
    free(file[0].own);
    free(file[1].own);
    return same;
}
