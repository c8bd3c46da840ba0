/* SPDX-License-Identifier: Apache-2.0 */
/* help.c: output of help pages for a terminal or as troff. */
#include "help.h"

#include "command.h"
#include "nearest.h"
#include "say.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 78, TERM = 24 };

/* Prints words with line breaks at the margin, from column `at`.  troff breaks
 * lines itself. */
static void put_words(const struct help_out *out, const char *text, int indent,
                      int at)
{
    int first = 1;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (!first && at + 1 + n > WIDTH) {
            fprintf(out->file, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out->file);
            at++;
        }
        fprintf(out->file, "%.*s", n, text);
        at += n;
        text += n + (text[n] == ' ');
        first = 0;
    }
    fputc('\n', out->file);
}

/* Prints a line for troff without accidental requests, with hyphens that can be
 * copied. */
static void put_troff(FILE *f, const char *text, size_t n)
{
    if (n && (*text == '.' || *text == '\''))
        fputs("\\&", f);
    for (size_t k = 0; k < n; k++)
        switch (text[k]) {
        case '\\': fputs("\\e", f); break;
        case '-': fputs("\\-", f); break;
        case '^': fputs("\\(ha", f); break;
        case '~': fputs("\\(ti", f); break;
        case '`': fputs("\\(ga", f); break;
        case '\'': fputs("\\(aq", f); break;
        case '"': fputs("\\(dq", f); break;
        default: fputc(text[k], f);
        }
    fputc('\n', f);
}

static void troff(const struct help_out *out, const char *text)
{
    put_troff(out->file, text, strlen(text));
}

void help_heading(const struct help_out *out, const char *text)
{
    if (out->man) {
        fputs(".SS ", out->file);
        troff(out, text);
    } else {
        fprintf(out->file, "\n%s\n", text);
    }
}

void help_item(const struct help_out *out, const char *term, const char *text)
{
    if (out->man) {
        fputs(".TP\n.B ", out->file);
        troff(out, term);
        troff(out, text);
        return;
    }
    int n = (int)strlen(term);
    fprintf(out->file, "  %s", term);
    if (n + 3 > TERM)
        fprintf(out->file, "\n%*s", TERM, "");
    else
        fprintf(out->file, "%*s", TERM - 2 - n, "");
    put_words(out, text, TERM, TERM);
}

/* Prints lines unchanged, each indented. */
static void put_lines(const struct help_out *out, const char *text)
{
    if (out->man)
        fputs(".nf\n.RS 2\n", out->file);
    while (*text) {
        text += strspn(text, " ");
        size_t n = strcspn(text, "\n");
        if (out->man)
            put_troff(out->file, text, n);
        else
            fprintf(out->file, "  %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    if (out->man)
        fputs(".RE\n.fi\n", out->file);
}

/* Prints paragraphs, and blocks of lines that begin with two spaces. */
static void put_text(const struct help_out *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        char part[2048];
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        if (part[0] == ' ') {
            if (out->man)
                fputs(".PP\n", out->file);
            put_lines(out, part);
        } else if (out->man) {
            fputs(".PP\n", out->file);
            troff(out, part);
        } else {
            put_words(out, part, 0, 0);
        }
        text += n + (end ? 2 : 0);
        if (*text && !out->man)
            fputc('\n', out->file);
    }
}

static void put_options(const struct help_out *out, int bit)
{
    for (int k = 0; options_row(k); k++) {
        const struct option_row *row = options_row(k);
        char term[80], letter[8] = "";
        if (!(row->commands & bit))
            continue;
        if (!row->name) {
            help_heading(out, row->help);
            continue;
        }
        if (row->letter)
            snprintf(letter, sizeof letter, "-%c, ", row->letter);
        snprintf(term, sizeof term, "%s--%s%s%s", letter, row->name,
                 row->takes ? " " : "", row->takes ? row->takes : "");
        help_item(out, term, row->help);
    }
}

static void put_page(const struct help_out *out, const struct help_page *page)
{
    if (out->man && strcmp(page->name, "farsum") != 0) {
        char title[80];
        size_t n = 0;
        for (; page->name[n] && n + 1 < sizeof title; n++)
            title[n] = (char)toupper((unsigned char)page->name[n]);
        title[n] = '\0';
        fprintf(out->file, ".SH %s\n", title);
        troff(out, page->summary);
        fputs(".PP\n", out->file);
    } else if (!out->man) {
        const char *two = page->bit ? "farsum " : "";
        fprintf(out->file, "%s%s: %s\n\nUsage\n", two, page->name,
                page->summary);
    }
    put_lines(out, page->usage);
    if (out->man && strcmp(page->name, "farsum") == 0)
        fputs(".SH DESCRIPTION\n", out->file);
    if (!out->man)
        fputc('\n', out->file);
    put_text(out, page->text);
    if (page->tables)
        page->tables(out);
    put_options(out, page->bit);
    help_heading(out, "Example");
    put_lines(out, page->example);
}

static const char *name_at(int k, const void *data)
{
    (void)data;
    return help_page(k) ? help_page(k)->name : NULL;
}

int help_print(const char *name, FILE *file)
{
    struct help_out out = {file, 0};
    for (int k = 0; help_page(k); k++)
        if (strcmp(help_page(k)->name, name) == 0) {
            put_page(&out, help_page(k));
            return 0;
        }
    return -1;
}

static void print_man(void)
{
    struct help_out out = {stdout, 1};
    printf(".TH FARSUM 1 \"\" \"farsum %s\" \"User Commands\"\n.ad l\n"
           ".SH NAME\nfarsum \\- %s\n.SH SYNOPSIS\n", farsum_version(),
           help_page(0)->summary);
    for (int k = 0; help_page(k); k++)
        put_page(&out, help_page(k));
}

int help_main(struct settings *s)
{
    char text[160];
    if (s->man) {
        print_man();
        return EXIT_DONE;
    }
    const char *name = s->n_words ? s->words[0] : s->help ? "help" : "farsum";
    if (s->n_words > 1) {
        say_error("help: expected one name; see 'farsum help'");
        return EXIT_USAGE;
    }
    if (help_print(name, stdout) == 0)
        return EXIT_DONE;
    nearest(name, name_at, NULL, text, sizeof text);
    say_error("help: unknown page '%s'%s%s", name,
              *text ? "; similar names: " : "; see 'farsum help'", text);
    return EXIT_USAGE;
}
