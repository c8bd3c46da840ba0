/* SPDX-License-Identifier: Apache-2.0 */
/* help_tables.c: tables in help pages, printed from the command's tables. */
#include "help.h"

#include "assembly.h"
#include "case.h"
#include "crystal.h"
#include "strengths.h"
#include "units.h"

#include "base/c_locale.h"

void help_units(const struct help_out *out)
{
    help_heading(out, "Units");
    for (int k = 0; units_get(k); k++) {
        const struct units *u = units_get(k);
        char text[200];
        if (*u->energy)
            c_locale_text(text, sizeof text,
                          "C = %.11g (%s); length %s, charge %s, "
                          "energy %s",
                          u->coulomb, u->source, u->length, u->charge,
                          u->energy);
        else
            snprintf(text, sizeof text, "C = 1, %s", u->source);
        help_item(out, u->name, text);
    }
}

static void list_kernels(const struct help_out *out)
{
    farsum_kernel_info info = FARSUM_KERNEL_INFO_INIT;
    help_heading(out, "Kernels");
    for (int k = 0; farsum_list_kernels(k, &info) == FARSUM_OK; k++) {
        char text[300], columns[80];
        const struct strengths *row = strengths_of(info.name);
        strengths_print(row, columns, sizeof columns);
        snprintf(text, sizeof text, "%s; from %s", info.note, columns);
        help_item(out, info.name, text);
    }
}

void help_run(const struct help_out *out)
{
    list_kernels(out);
    help_units(out);
}

static void list_strengths(const struct help_out *out)
{
    help_heading(out, "Strengths");
    for (int k = 0; strengths_get(k); k++)
        for (int c = 0; c < STRENGTHS_COLUMNS; c++) {
            const struct strengths_column *s = &strengths_get(k)->columns[c];
            char term[60];
            if (!s->name)
                break;
            snprintf(term, sizeof term, "%s %s", strengths_get(k)->kernel,
                     s->name);
            help_item(out, term, s->drawn);
        }
}

static void list_dists(const struct help_out *out)
{
    help_heading(out, "Distributions");
    for (int k = 0; case_dists(k); k++)
        help_item(out, case_dists(k)->name, case_dists(k)->formula);
}

static void list_cells(const struct help_out *out)
{
    help_heading(out, "Cells");
    for (int k = 0; case_cells(k); k++)
        help_item(out, case_cells(k)->name, case_cells(k)->formula);
}

void help_gen(const struct help_out *out)
{
    help_heading(out, "Crystals (lattice constant 1)");
    for (int k = 0; crystal_get(k); k++)
        help_item(out, crystal_name(crystal_get(k)),
                  crystal_note(crystal_get(k)));
    help_heading(out, "Assemblies (--cells KxLxM; Angstrom and e, --units "
                      "real)");
    for (int k = 0; assembly_get(k); k++)
        help_item(out, assembly_name(assembly_get(k)),
                  assembly_note(assembly_get(k)));
    list_dists(out);
    list_strengths(out);
    list_cells(out);
}

void help_cases(const struct help_out *out)
{
    list_dists(out);
    list_strengths(out);
    list_cells(out);
}
