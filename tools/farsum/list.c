/* SPDX-License-Identifier: Apache-2.0 */
/* list.c: lists of kernels, methods, variants, devices and more. */
#include "command.h"
#include "nearest.h"
#include "strengths.h"
#include "say.h"

#include "base/c_locale.h"

#include <farsum/device.h>
#include <string.h>

static const char *const others[] = {"methods", "stages", "splits", "windows",
                                     "kernels", "devices"};
enum { OTHERS = sizeof others / sizeof *others };

/* The names of all lists, for `nearest`. */
static const char *name_at(int k, const void *data)
{
    (void)data;
    return k < OTHERS ? others[k] : farsum_list_stages(k - OTHERS);
}

static void print_wrapped(const char *text, int indent)
{
    int at = indent, first = 1;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (!first && at + 1 + n > 78) {
            printf("\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putchar(' ');
            at++;
        }
        printf("%.*s", n, text);
        at += n;
        text += n + (text[n] == ' ');
        first = 0;
    }
    putchar('\n');
}

/* For tables: prints a name, then text from column 15 on, on the next line if
 * the name is long. */
static void print_name(const char *name)
{
    if (strlen(name) > 14)
        printf("%s\n%15s", name, "");
    else
        printf("%-14s ", name);
}

static int list_variants(const char *stage)
{
    farsum_variant_info info = FARSUM_VARIANT_INFO_INIT;
    farsum_status status;
    for (int k = 0;; k++) {
        status = farsum_list_variants(stage, k, &info);
        if (status != FARSUM_OK)
            return k > 0 ? EXIT_DONE : EXIT_FAILED;
        print_name(info.name);
        print_wrapped(info.note ? info.note : "", 15);
        if (info.needs && *info.needs) {
            printf("%-14s needs ", "");
            print_wrapped(info.needs, 21);
        }
        if (!info.deterministic)
            printf("%-14s not deterministic\n", "");
    }
}

static int list_names(const char *kind)
{
    for (int k = 0; farsum_list_names(kind, k); k++)
        puts(farsum_list_names(kind, k));
    return EXIT_DONE;
}

/* Prints each kernel with its input and output. */
static int list_kernels(void)
{
    static const char *const outputs[] = {
        "potential", "field",    "energy",          "virial",
        "velocity",  "gradient", "particle_virial", "third"};
    enum { OUTPUTS = sizeof outputs / sizeof *outputs };
    farsum_kernel_info info = FARSUM_KERNEL_INFO_INIT;
    for (int k = 0; farsum_list_kernels(k, &info) == FARSUM_OK; k++) {
        char columns[80], text[300];
        strengths_print(strengths_of(info.name), columns, sizeof columns);
        size_t used = (size_t)snprintf(text, sizeof text,
                                       "%d number%s a source, %s; gives",
                                       info.strengths,
                                       info.strengths == 1 ? "" : "s", columns);
        for (int j = 0, found = 0; j < OUTPUTS; j++)
            if (info.outputs & 1u << j && used < sizeof text)
                used += (size_t)snprintf(text + used, sizeof text - used,
                                         "%s %s", found++ ? "," : "",
                                         outputs[j]);
        print_name(info.name);
        print_wrapped(info.note ? info.note : "", 15);
        printf("%-14s ", "");
        print_wrapped(text, 15);
    }
    return EXIT_DONE;
}

static int list_stages(void)
{
    for (int k = 0; farsum_list_stages(k); k++)
        puts(farsum_list_stages(k));
    return EXIT_DONE;
}

/* Prints the available devices, and the reason where one is not available. */
static int list_devices(void)
{
    farsum_device_info d = FARSUM_DEVICE_INFO_INIT;
    for (int k = 0; farsum_list_devices(k, &d) == FARSUM_OK; k++) {
        char text[400];
        print_name(d.name);
        if (!d.available) {
            print_wrapped(d.missing[0] ? d.missing : "not there", 15);
            continue;
        }
        print_wrapped(d.model, 15);
        c_locale_text(text, sizeof text, "%s%s%s%s, %d units, %.4g GB%s",
                      d.arch, d.compiler[0] ? " by " : "",
                      d.compiler[0] ? d.compiler : "", d.f64 ? "" : ", no f64",
                      d.units, 1e-9 * (double)d.memory,
                      k == 0 ? "; the default" : "");
        printf("%-14s ", "");
        print_wrapped(text, 15);
    }
    return EXIT_DONE;
}

static int is_stage(const char *name)
{
    for (int k = 0; farsum_list_stages(k); k++)
        if (strcmp(farsum_list_stages(k), name) == 0)
            return 1;
    return 0;
}

int list_main(struct settings *s)
{
    const char *what = s->n_words ? s->words[0] : "methods";
    if (s->n_words > 1) {
        say_error("list: expected one name at most; see 'farsum help list'");
        return EXIT_USAGE;
    }
    if (strcmp(what, "methods") == 0 || strcmp(what, "method") == 0)
        return list_variants("method");
    if (strcmp(what, "stages") == 0)
        return list_stages();
    if (strcmp(what, "splits") == 0 || strcmp(what, "split") == 0)
        return list_names("split");
    if (strcmp(what, "windows") == 0 || strcmp(what, "window") == 0)
        return list_names("window");
    if (strcmp(what, "kernels") == 0 || strcmp(what, "kernel") == 0)
        return list_kernels();
    if (strcmp(what, "devices") == 0 || strcmp(what, "device") == 0)
        return list_devices();
    if (is_stage(what))
        return list_variants(what);
    char text[160];
    nearest(what, name_at, NULL, text, sizeof text);
    say_error("list: unknown name '%s'%s%s", what,
              *text ? "; similar names: " : "; see 'farsum list stages'", text);
    return EXIT_USAGE;
}
