/* SPDX-License-Identifier: Apache-2.0 */
/* io.c: table of formats; opening, reading and writing of particle files. */
#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "charges.h"
#include "format.h"
#include "frame.h"
#include "gunzip.h"
#include "output.h"
#include "pairs.h"
#include "slices.h"

#include "base/c_locale.h"

const struct format *const formats[] = {&format_extxyz, &format_lammps,
                                        &format_pqr, &format_hdf5, NULL};

static int tell(char *error, size_t size, const char *message) {
    if (error && size > 0) snprintf(error, size, "%s", message);
    return -1;
}

/* --- choice of the format --- */

static const struct format *format_by_name(const char *name) {
    for (int k = 0; formats[k]; k++)
        if (strcmp(formats[k]->name, name) == 0) return formats[k];
    return NULL;
}

/* Copies the last suffix before `end`, in small letters between blanks; returns
 * its start, or NULL. */
static const char *suffix(const char *path, const char *end, char word[16]) {
    const char *dot = end;
    while (dot > path && *dot != '.' && *dot != '/') dot--;
    if (*dot != '.' || dot == end || end - dot > 12) return NULL;
    size_t n = (size_t)(end - dot);
    word[0] = word[n + 1] = ' ';
    word[n + 2] = 0;
    for (size_t k = 0; k < n; k++)
        word[1 + k] = (char)(dot[k] >= 'A' && dot[k] <= 'Z' ? dot[k] | 32
                                                            : dot[k]);
    return dot;
}

/* packed: a suffix of gzip may follow. */
static const struct format *format_by_suffix(const char *path, bool packed) {
    char word[16];
    const char *dot = suffix(path, path + strlen(path), word);
    if (dot && packed &&
        (strcmp(word, " .gz ") == 0 || strcmp(word, " .gzip ") == 0))
        dot = suffix(path, dot, word);
    if (!dot) return NULL;
    for (int k = 0; formats[k]; k++)
        if (strstr(formats[k]->suffixes, word)) return formats[k];
    return NULL;
}

static bool starts(const char *p, const char *end, const char *what) {
    size_t n = strlen(what);
    return (size_t)(end - p) >= n && memcmp(p, what, n) == 0;
}

/* "1234 atoms" */
static bool counts_atoms(const char *p, const char *end) {
    const char *digits = p;
    while (p < end && *p >= '0' && *p <= '9') p++;
    if (p == digits) return false;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    return starts(p, end, "atoms");
}

/* Recognises the format by the first lines; the last one may be incomplete at
 * `end`. */
static const struct format *format_by_content(const char *p,
                                              const char *end) {
    if (starts(p, end, "\211HDF\r\n\032\n")) return &format_hdf5;
    for (int line = 0; p < end && line < 100; line++) {
        while (p < end && (*p == ' ' || *p == '\t')) p++;
        const char *stop = p;
        while (stop < end && *stop != '\n') stop++;
        const char *q = p;
        while (q < stop && *q >= '0' && *q <= '9') q++;
        bool number = q > p;
        while (q < stop && (*q == ' ' || *q == '\t' || *q == '\r')) q++;
        if (line == 0 && number && q == stop) return &format_extxyz;
        if (starts(p, stop, "ATOM") || starts(p, stop, "HETATM") ||
            starts(p, stop, "CRYST1") || starts(p, stop, "REMARK"))
            return &format_pqr;
        if (counts_atoms(p, stop)) return &format_lammps;
        p = stop < end ? stop + 1 : end;
    }
    return NULL;
}

static int no_format(struct text *t, const char *name) {
    if (name)
        return text_fail(t, "unknown format \"%s\": there are extxyz, lammps, "
                            "pqr and hdf5", name);
    return text_fail(t, "neither its suffix nor its content tells the format: "
                        "extxyz, lammps, pqr or hdf5?");
}

/* --- reading --- */

static int choose_and_open(struct io_reader *r, const char *path) {
    const char *name = r->options.format;
    r->format = name ? format_by_name(name) : format_by_suffix(path, true);
    bool binary = r->format && r->format->binary;
    if (binary) {
        r->text.fd = -1;
        r->text.name = strdup(path);
        if (!r->text.name) return tell(r->text.message, TEXT_MESSAGE,
                                       "out of memory");
        if (gunzip_is_gzip(path))
            return text_fail(&r->text, "compressed by gzip, which %s is not "
                             "read from: gunzip it first", r->format->name);
    } else if (text_open(&r->text, path)) {
        return -1;
    }
    if (!r->format && !name)
        r->format = format_by_content(r->text.buffer + r->text.begin,
                                      r->text.buffer + r->text.end);
    if (!r->format) return no_format(&r->text, name);
    if (r->format->binary && r->text.gunzip)
        return text_fail(&r->text, "compressed by gzip, which %s is not read "
                         "from: gunzip it first", r->format->name);
    if (r->format->binary && strcmp(path, "-") == 0)
        return text_fail(&r->text, "%s cannot be read from standard input",
                         r->format->name);
    return r->format->open ? r->format->open(r) : 0;
}

int io_open(const char *path, const struct io_options *options,
            struct io_reader **reader, char *error, size_t size) {
    struct io_reader *r = calloc(1, sizeof *r);
    if (!r) return tell(error, size, "out of memory");
    r->text.fd = -1;
    if (options) r->options = *options;
    void *before = c_locale_enter();
    int bad = choose_and_open(r, path);
    c_locale_leave(before);
    if (bad) {
        tell(error, size, r->text.message);
        io_close(r);
        return -1;
    }
    *reader = r;
    return 0;
}

int io_read(struct io_reader *r, struct io_frame *frame, char *error,
            size_t size) {
    io_frame_clear(frame);
    if (r->broken) return tell(error, size, r->text.message);
    void *before = c_locale_enter();
    *r->note = 0;
    int got = r->format->read(r, frame);
    if (got == 1 && (r->options.slices
                         ? slices_give(r, frame, true)
                         : charges_by_type(&r->text, &r->options, frame, 0)))
        got = -1;
    c_locale_leave(before);
    if (got < 0) {
        io_frame_clear(frame);
        r->broken = true;
        return tell(error, size, r->text.message);
    }
    r->frames += got;
    frame->format = got ? r->format->name : NULL;
    return got;
}

const char *io_reader_note(const struct io_reader *r) {
    return *r->note ? r->note : NULL;
}

const char *io_reader_format(const struct io_reader *r) {
    return r->format->name;
}

void io_close(struct io_reader *r) {
    if (!r) return;
    if (r->format && r->format->close) r->format->close(r);
    text_close(&r->text);
    free(r);
}

int io_read_pairs(const char *path, struct io_pairs *pairs, char *error,
                  size_t size) {
    struct text text = {.fd = -1};
    void *before = c_locale_enter();
    *pairs = (struct io_pairs){0};
    int bad = text_open(&text, path) || pairs_read(&text, pairs);
    c_locale_leave(before);
    if (bad) {
        tell(error, size, text.message);
        io_pairs_clear(pairs);
    }
    text_close(&text);
    return bad ? -1 : 0;
}

int io_read_memory(const char *format, const char *text, size_t n,
                   char *error, size_t size) {
    struct io_reader *r = calloc(1, sizeof *r);
    if (!r) return tell(error, size, "out of memory");
    struct io_frame frame = {0};
    void *before = c_locale_enter();
    int got = -1, frames = 0;
    r->image = text;
    r->image_size = n;
    if (text_open_memory(&r->text, "memory", text, n)) goto done;
    r->format = format ? format_by_name(format)
                       : format_by_content(text, text + n);
    if (!r->format) {
        no_format(&r->text, format);
        goto done;
    }
    if (r->format->open && r->format->open(r)) goto done;
    while ((got = r->format->read(r, &frame)) == 1) {
        io_frame_clear(&frame);
        r->frames++;
        frames++;
    }
done:
    c_locale_leave(before);
    io_frame_clear(&frame);
    if (got < 0) tell(error, size, r->text.message);
    io_close(r);
    return got < 0 ? -1 : frames;
}

/* --- writing --- */

static int create(struct io_writer *w, const char *path) {
    if (output_create(path, &w->output)) return -1;
    return w->format->create ? w->format->create(w) : 0;
}

/* Chooses by the suffix.  Names without one, such as standard output and
 * devices, get text. */
static const struct format *format_to_write(const char *path) {
    const struct format *chosen = format_by_suffix(path, false);
    struct stat status;
    bool device = output_descriptor(path) >= 0 ||
                  (stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
                   !S_ISDIR(status.st_mode));
    return !chosen && device ? &format_extxyz : chosen;
}

int io_create(const char *path, const char *format, struct io_writer **writer,
              char *error, size_t size) {
    const struct format *chosen =
        format ? format_by_name(format) : format_to_write(path);
    char message[600];
    if (!chosen || !chosen->begin) {
        if (!chosen && !format)
            snprintf(message, sizeof message,
                     "%.400s: the suffix tells no format to write: .xyz, "
                     ".extxyz, .h5 or .hdf5?", path);
        else
            snprintf(message, sizeof message,
                     "%.400s: cannot write %s: there are extxyz and hdf5",
                     path, chosen ? chosen->name : format);
        return tell(error, size, message);
    }
    struct io_writer *w = calloc(1, sizeof *w);
    if (!w) return tell(error, size, "out of memory");
    w->format = chosen;
    void *before = c_locale_enter();
    int bad = create(w, path);
    c_locale_leave(before);
    if (bad) {
        tell(error, size, w->output ? w->output->message : "out of memory");
        io_abandon(w);
        return -1;
    }
    *writer = w;
    return 0;
}

int io_write_begin(struct io_writer *w, const struct io_frame *head,
                   int64_t all, char *error, size_t size) {
    if (w->broken) return tell(error, size, w->output->message);
    void *before = c_locale_enter();
    w->broken = w->format->begin(w, head, all) != 0;
    c_locale_leave(before);
    return w->broken ? tell(error, size, w->output->message) : 0;
}

int io_write_slice(struct io_writer *w, const struct io_frame *slice,
                   char *error, size_t size) {
    if (w->broken) return tell(error, size, w->output->message);
    void *before = c_locale_enter();
    w->broken = w->format->slice(w, slice) != 0;
    c_locale_leave(before);
    return w->broken ? tell(error, size, w->output->message) : 0;
}

int io_write_end(struct io_writer *w, const struct io_frame *head,
                 char *error, size_t size) {
    if (w->broken) return tell(error, size, w->output->message);
    void *before = c_locale_enter();
    w->broken = w->format->end && w->format->end(w, head) != 0;
    c_locale_leave(before);
    w->frames++;
    return w->broken ? tell(error, size, w->output->message) : 0;
}

int io_write(struct io_writer *w, const struct io_frame *frame, char *error,
             size_t size) {
    return io_write_begin(w, frame, frame->n, error, size) ||
                   io_write_slice(w, frame, error, size) ||
                   io_write_end(w, frame, error, size)
               ? -1
               : 0;
}

int io_commit(struct io_writer *w, char *error, size_t size) {
    void *before = c_locale_enter();
    bool bad = w->broken || (w->format->finish && w->format->finish(w)) ||
               output_commit(w->output);
    c_locale_leave(before);
    if (bad) tell(error, size, w->output->message);
    io_abandon(w);
    return bad ? -1 : 0;
}

void io_abandon(struct io_writer *w) {
    if (!w) return;
    if (w->format->drop) w->format->drop(w);
    output_destroy(w->output);
    free(w);
}
