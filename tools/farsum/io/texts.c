/* SPDX-License-Identifier: Apache-2.0 */
/* texts.c: the texts of a frame that a writer must know before its
 * particles. */
#include "texts.h"

#include <stdlib.h>
#include <string.h>

enum { SPECIES = 257 }; /* one more than HDF5 files list, h5md_out_type.c */

static struct texts_column *find(struct texts *texts, const char *name) {
    for (int k = 0; k < texts->n; k++)
        if (strcmp(texts->columns[k].name, name) == 0)
            return &texts->columns[k];
    return NULL;
}

static struct texts_column *add(struct texts *texts, const char *name) {
    struct texts_column *grown =
        realloc(texts->columns, ((size_t)texts->n + 1) * sizeof *grown);
    if (!grown) return NULL;
    texts->columns = grown;
    struct texts_column *c = &grown[texts->n];
    *c = (struct texts_column){.name = strdup(name), .longest = strdup("")};
    c->text = calloc(SPECIES, sizeof *c->text);
    texts->n++;
    return c->name && c->longest && c->text ? c : NULL;
}

static int replace(char **text, const char *with) {
    char *copy = strdup(with);
    if (!copy) return -1;
    free(*text);
    *text = copy;
    return 0;
}

static int add_species(struct texts_column *c, const char *text) {
    for (int k = 0; k < c->n; k++)
        if (strcmp(c->text[k], text) == 0) return 0;
    if (c->n == SPECIES) return 0;
    c->text[c->n] = strdup(text);
    return c->text[c->n] ? (c->n++, 0) : -1;
}

static int add_column(struct texts *texts, const struct io_column *from,
                      int64_t n) {
    struct texts_column *c = find(texts, from->name);
    char *const *text = from->data;
    bool species = strcmp(from->name, "species") == 0;
    if (!c && !(c = add(texts, from->name))) return -1;
    size_t longest = strlen(c->longest);
    for (int64_t i = 0; i < n * from->width; i++) {
        if (strlen(text[i]) > longest) {
            if (replace(&c->longest, text[i])) return -1;
            longest = strlen(text[i]);
        }
        if (species && add_species(c, text[i])) return -1;
    }
    return 0;
}

int texts_add(struct texts *texts, const struct io_frame *slice) {
    for (int k = 0; k < slice->n_columns; k++)
        if (slice->columns[k].type == IO_TEXT &&
            add_column(texts, &slice->columns[k], slice->n))
            return -1;
    return 0;
}

/* The rows of a head's column: its different texts, then its longest one. */
static void *fill(const struct texts_column *c, int64_t values) {
    char **text = calloc((size_t)values, sizeof *text);
    for (int64_t i = 0; text && i < values; i++)
        text[i] = !c         ? (char *)(uintptr_t)""
                  : i < c->n ? c->text[i]
                             : c->longest;
    return text;
}

int texts_head(const struct texts *texts, const struct io_frame *frame,
               struct io_frame *head) {
    *head = *frame;
    head->n = 1;
    for (int k = 0; k < texts->n; k++)
        if (texts->columns[k].n >= head->n) head->n = texts->columns[k].n + 1;
    head->columns = calloc((size_t)frame->n_columns + 1,
                           sizeof *head->columns);
    if (!head->columns) return -1;
    for (int k = 0; k < frame->n_columns; k++) {
        struct io_column *c = &head->columns[k];
        *c = frame->columns[k];
        if (c->type != IO_TEXT) continue;
        c->data = fill(find((struct texts *)(uintptr_t)texts, c->name),
                       head->n * c->width);
        if (c->data) continue;
        head->n_columns = k;
        texts_head_clear(head);
        return -1;
    }
    return 0;
}

void texts_head_clear(struct io_frame *head) {
    for (int k = 0; k < head->n_columns && head->columns; k++)
        if (head->columns[k].type == IO_TEXT) free(head->columns[k].data);
    free(head->columns);
    memset(head, 0, sizeof *head);
}

void texts_clear(struct texts *texts) {
    for (int k = 0; k < texts->n; k++) {
        struct texts_column *c = &texts->columns[k];
        for (int i = 0; i < c->n; i++) free(c->text[i]);
        free(c->text);
        free(c->name);
        free(c->longest);
    }
    free(texts->columns);
    memset(texts, 0, sizeof *texts);
}
