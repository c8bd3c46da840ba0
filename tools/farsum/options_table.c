/* SPDX-License-Identifier: Apache-2.0 */
/* options_table.c: every option of every subcommand, one row each. */
#include "options_set.h"

#include <string.h>

#define FIELD(name) offsetof(struct settings, name)
#define FOR_SUMS (FOR_RUN | FOR_TUNE | FOR_BENCH | FOR_CHECK | FOR_CACHE)
#define FOR_FILES (FOR_RUN | FOR_TUNE | FOR_CHECK | FOR_CACHE)
#define FOR_INPUTS (FOR_FILES | FOR_BENCH)
#define FOR_PLANS (FOR_RUN | FOR_TUNE | FOR_BENCH | FOR_CACHE)
#define FOR_ALL 255

static const char *const word_units[] = {"reduced", "real", "metal", "gromacs",
                                         "si", NULL};
static const char *const word_error[] = {"force",    "potential", "absolute",
                                         "velocity", "energy",    "pressure",
                                         "each",     NULL};
static const char *const word_precision[] = {"f64", "f32", "mixed", "auto",
                                             NULL};
static const char *const word_verify[] = {"auto", "on", "off", NULL};
static const char *const word_surface[] = {"tinfoil", "vacuum", NULL};
static const char *const word_arrays[] = {"host", "device", NULL};
static const char *const word_exclude[] = {"coincident", NULL};

static const struct option_row table[] = {
    {NULL, 0, NULL, FOR_SUMS | FOR_GEN, NULL, 0, NULL, "What to sum"},
    {"kernel", 0, "NAME", FOR_SUMS | FOR_GEN, set_kernel, FIELD(kernel), NULL,
     "the pair kernel, as 'farsum list kernels' has them: laplace (1/r) if not "
     "given, another potential: yukawa, r6, or a flow: stokeslet, rotlet, "
     "stresslet"},
    {"kappa", 0, "K", FOR_FILES, set_real, FIELD(kappa), NULL,
     "of yukawa: one over the length of its screening"},
    {"tolerance", 0, "X", FOR_SUMS, set_real, FIELD(tolerance), NULL,
     "the error allowed; 1e-5 if not given"},
    {"error", 0, "WHAT", FOR_SUMS, set_word, FIELD(error), word_error,
     "what the tolerance is of: force (RMS error of the force over its RMS), "
     "potential (the same of the potential), absolute (RMS error of the "
     "force in its unit; at separate targets force is the field times the RMS "
     "charge); of flows velocity (RMS error over RMS) or absolute; "
     "energy (its error over half the sum of |q phi|), pressure (that of the "
     "virial's trace over the same sum, of r6 six times it), each (what 99 of "
     "100 forces or velocities err by at most, over their own length or a "
     "tenth of the RMS)"},
    {"units", 0, "NAME", FOR_FILES, set_word, FIELD(units), word_units,
     "reduced, real, metal, gromacs or si: sets Coulomb's constant"},
    {"viscosity", 0, "MU", FOR_FILES, set_real, FIELD(viscosity), NULL,
     "of flows: multiplies the velocities by 1/(8 pi MU), which makes them a "
     "fluid's"},
    {"gravity", 0, "G", FOR_FILES, set_real, FIELD(gravity), NULL,
     "strengths are masses (the column mass), which attract: potentials are -G "
     "m/r and negative, as the energy; forces are the masses' and come with a "
     "column acceleration. 4.30091e-6 in kpc, km/s and solar masses"},
    {"softening", 0, "EPS", FOR_FILES, set_real, FIELD(softening), NULL,
     "Plummer's length: 1/r is 1/sqrt(r^2 + EPS^2); laplace in open space"},
    {"precision", 0, "P", FOR_PLANS, set_word, FIELD(precision), word_precision,
     "of the sums: f64, f32, or mixed, of spectral: near pairs as in f32, "
     "their sums and the rest in f64; or auto: of these the fastest that keeps "
     "the tolerance. f64 if not given"},
    {"cell", 0, "NUMBERS", FOR_FILES | FOR_GEN, set_cell, 0, NULL,
     "the cell instead of the file's: 3 edges, or 9 numbers that are the rows "
     "a, b, c; gen also takes the cell names of a case"},
    {"periodic", 0, "AXES", FOR_FILES | FOR_GEN, set_periodic, 0, NULL,
     "xyz, or none for open space, instead of what the file says"},
    {"surface", 0, "WHAT", FOR_SUMS, set_word, FIELD(surface), word_surface,
     "tinfoil or vacuum: what surrounds the periodic system; in vacuum the "
     "sums depend on the images that the particles are given by and, with a "
     "net charge, on the origin"},
    {"exclude", 0, "WHAT", FOR_INPUTS, set_exclude, FIELD(exclude),
     word_exclude,
     "may be repeated: coincident leaves out pairs at the same place, which "
     "else are an error; bonds leaves out the ends of the bonds and angles of "
     "LAMMPS data; anything else is a file of pairs, 'I J' or 'I J FACTOR' a "
     "line, numbers as in the column id or, without it, places from 1: only "
     "the factor, 0 if not given, stays of the pair's interaction at its "
     "nearest image, or of the mean over images that are equally near. With "
     "--targets I is a target and J a source"},
    {"exclude-factors", 0, "B,A,D", FOR_INPUTS, set_factors, 0, NULL,
     "of --exclude bonds, what stays of the ends of bonds, angles and "
     "dihedrals; 0,0,1 if not given"},

    {NULL, 0, NULL, FOR_SUMS, NULL, 0, NULL,
     "How to sum it (what is not given is chosen)"},
    {"method", 0, "NAME", FOR_PLANS, set_method, FIELD(method), NULL,
     "a name that 'farsum list' prints, or auto, as if not given: the one that "
     "should be fastest, of those that have the options given below"},
    {"device", 0, "NAME", FOR_PLANS, set_text, FIELD(device), NULL,
     "where: host is the processor; cuda:0, hip:0, opencl:0 as 'farsum list "
     "devices' has them"},
    {"threads", 0, "N", FOR_SUMS, set_int, FIELD(threads), NULL,
     "threads; if not given all, or fewer for few particles"},
    {"isa", 0, "NAME", FOR_PLANS, set_text, FIELD(isa), NULL,
     "instruction set: base, avx2, avx512"},
    {"split", 0, "NAME", FOR_PLANS, set_text, FIELD(split), NULL,
     "how near and far are parted; see 'farsum list splits'"},
    {"window", 0, "NAME", FOR_PLANS, set_text, FIELD(window), NULL,
     "what spreads a particle over the mesh; see 'farsum list windows'"},
    {"cutoff", 0, "R", FOR_PLANS, set_real, FIELD(cutoff), NULL,
     "of the near field, a length"},
    {"bandwidth", 0, "C", FOR_PLANS, set_real, FIELD(bandwidth), NULL,
     "of the split, its largest wave number times the cutoff"},
    {"mesh", 0, "AxBxC", FOR_PLANS, set_three, FIELD(mesh), NULL,
     "mesh points along the cell vectors"},
    {"upsampling", 0, "S", FOR_PLANS, set_real, FIELD(upsampling), NULL,
     "mesh points over those that the bandwidth needs"},
    {"support", 0, "P", FOR_PLANS, set_int, FIELD(support), NULL,
     "mesh points under the window along an axis, 2 to 16"},
    {"shape", 0, "B", FOR_PLANS, set_real, FIELD(shape), NULL,
     "the window's shape parameter"},
    {"near", 0, "VARIANT", FOR_PLANS, set_text, FIELD(near), NULL,
     "variant of the near field; see 'farsum list near'"},
    {"near-cells", 0, "K", FOR_PLANS, set_int, FIELD(near_cells), NULL,
     "cells that a near field on a device divides the cutoff into, along each "
     "axis, 1 to 8"},
    {"near-team", 0, "AxB", FOR_PLANS, set_team, FIELD(near_team), NULL,
     "of near variants with teams, on a device: threads over targets and over "
     "sources; 0: the variant's own"},
    {"spread", 0, "VARIANT", FOR_PLANS, set_text, FIELD(spread), NULL,
     "variant of spreading; see 'farsum list spread'"},
    {"fft", 0, "VARIANT", FOR_PLANS, set_text, FIELD(fft), NULL,
     "variant of the Fourier transform; see 'farsum list fft'"},
    {"scale", 0, "VARIANT", FOR_PLANS, set_text, FIELD(scale), NULL,
     "variant of the influence function; see 'farsum list scale'"},
    {"interp", 0, "VARIANT", FOR_PLANS, set_text, FIELD(interp), NULL,
     "variant of interpolation; see 'farsum list interp'"},
    {"order", 0, "P", FOR_PLANS, set_order, FIELD(order), NULL,
     "of fmm's expansions, 0 to 40"},
    {"separation", 0, "WS", FOR_PLANS, set_int, FIELD(separation), NULL,
     "boxes of fmm that are this many apart, or less, work pair by pair"},
    {"levels", 0, "N", FOR_PLANS, set_int, FIELD(levels), NULL,
     "levels of fmm's boxes; 1: root boxes alone"},
    {"boxes", 0, "AxBxC", FOR_PLANS, set_three, FIELD(boxes), NULL,
     "fmm's root boxes along the axes"},
    {"leaf", 0, "N", FOR_PLANS, set_count, FIELD(leaf), NULL,
     "points above which a box of a sparse tree is divided"},
    {"tree", 0, "KIND", FOR_PLANS, set_text, FIELD(tree), NULL,
     "dense or sparse, of fmm"},
    {"p2p", 0, "VARIANT", FOR_PLANS, set_text, FIELD(p2p), NULL,
     "variant of near boxes; see 'farsum list p2p'"},
    {"p2m", 0, "VARIANT", FOR_PLANS, set_text, FIELD(p2m), NULL,
     "variant of points to multipoles; see 'farsum list p2m'"},
    {"m2m", 0, "VARIANT", FOR_PLANS, set_text, FIELD(m2m), NULL,
     "variant of multipoles to parents; see 'farsum list m2m'"},
    {"m2l", 0, "VARIANT", FOR_PLANS, set_text, FIELD(m2l), NULL,
     "variant of multipoles to locals; see 'farsum list m2l'"},
    {"lattice", 0, "VARIANT", FOR_PLANS, set_text, FIELD(lattice), NULL,
     "variant of root boxes and images; see 'farsum list lattice'"},
    {"l2l", 0, "VARIANT", FOR_PLANS, set_text, FIELD(l2l), NULL,
     "variant of locals to children; see 'farsum list l2l'"},
    {"l2p", 0, "VARIANT", FOR_PLANS, set_text, FIELD(l2p), NULL,
     "variant of locals to points; see 'farsum list l2p'"},
    {"strict", 0, NULL, FOR_PLANS, set_flag, FIELD(strict), NULL,
     "a tolerance that is kept by a proof, not by an estimate, at every "
     "target; "
     "methods fmm and direct; slower"},
    {"verify", 0, "WHEN", FOR_PLANS, set_word, FIELD(verify), word_verify,
     "on, off or auto: the plan is checked by a second sum at some targets, "
     "before the particles are summed, and made finer where its error is too "
     "large; with --targets the first sum is checked, and the error stated; "
     "auto, as if not given: by methods spectral and fmm, not with "
     "--strict"},
    {"deterministic", 0, NULL, FOR_PLANS, set_flag, FIELD(deterministic), NULL,
     "only variants whose sums repeat bit by bit"},
    {"measure", 0, NULL, FOR_PLANS, set_flag, FIELD(measure), NULL,
     "chooses by costs measured on this processor or device (once, then kept: "
     "about a second, on a device and its kernels' compiling), times the "
     "fastest variants of spread and interp for such points (once, then kept), "
     "and lets FFTW measure"},
    {"executes", 0, "N", FOR_PLANS, set_real, FIELD(executes), NULL,
     "sums expected for each set of positions; what pays only when it is used "
     "again is chosen by it; 1 if not given"},
    {"skin", 0, "W", FOR_PLANS, set_real, FIELD(skin), NULL,
     "a length: lists of near pairs reach this far beyond the cutoff and are "
     "kept from frame to frame while no particle is more than half of it from "
     "where it was listed; spectral, on devices where that costs less"},
    {"queues", 0, "1|2", FOR_PLANS, set_int, FIELD(queues), NULL,
     "of a device: 2, as if not given (fmm: of few particles): near pairs and "
     "the mesh or the boxes at once; 1: one stage after another, for the time "
     "of each"},
    {"memory-limit", 0, "BYTES", FOR_PLANS, set_bytes, FIELD(memory_limit),
     NULL,
     "that the plan may take, as 8G (default: 80 % of the device's memory, or "
     "on the host of the least of the machine's, the control group's limit "
     "and RLIMIT_AS)"},

    {NULL, 0, NULL, FOR_SUMS | FOR_GEN, NULL, 0, NULL, "Files"},
    {"output", 'o', "FILE", FOR_RUN | FOR_GEN, set_text, FIELD(output), NULL,
     "where particles are written: .xyz or .h5, '-' is standard output"},
    {"report", 0, "FILE", FOR_SUMS & ~FOR_CACHE, set_text, FIELD(report), NULL,
     "a report in JSON; '-' is standard output"},
    {"targets", 0, "FILE", FOR_RUN | FOR_TUNE, set_text, FIELD(targets), NULL,
     "sums at this file's positions instead of at the particles"},
    {"sources", 0, "FILE", FOR_CHECK, set_text, FIELD(sources), NULL,
     "the particles that were summed, where the file holds targets"},
    {"format", 0, "NAME", FOR_INPUTS | FOR_GEN, set_text, FIELD(format), NULL,
     "extxyz, lammps, pqr or hdf5, instead of telling by name and content; "
     "text that gzip packed is read as it is"},
    {"atom-style", 0, "NAME", FOR_INPUTS, set_text, FIELD(atom_style), NULL,
     "of LAMMPS data: charge, full, atomic, molecular, bond or angle; or the "
     "columns of section Atoms by their names, as \"id type - x y z mol q\", "
     "where - passes over one"},
    {"group", 0, "NAME", FOR_INPUTS, set_text, FIELD(group), NULL,
     "of HDF5: which group of /particles; the only one, or all, if not given"},
    {"charge", 0, "TYPE=Q", FOR_INPUTS, set_charge, 0, NULL,
     "charges of a file without them: TYPE is the number or the label of a "
     "LAMMPS atom type, or what the column species has, as Na=1,Cl=-1; may be "
     "repeated"},

    {NULL, 0, NULL, FOR_ALL & ~FOR_HELP, NULL, 0, NULL, "This subcommand"},
    {"check", 0, NULL, FOR_RUN, set_flag, FIELD(check), NULL,
     "measures the error against a converged reference; exit status 3 if it "
     "is above the tolerance"},
    {"no-virial", 0, NULL, FOR_RUN | FOR_TUNE, set_flag, FIELD(no_virial), NULL,
     "leaves the virial out, for which fmm in a periodic cell takes another "
     "method's sum beside its own: without it fmm is among the methods to "
     "choose from there"},
    {"check-targets", 0, "M", FOR_RUN | FOR_CHECK, set_count,
     FIELD(check_targets), NULL,
     "random targets to check, 1000 if not given, 4000 with --error each; all, "
     "if they are fewer; a small sample tells less surely"},
    {"count", 'n', "N", FOR_GEN, set_count, FIELD(count), NULL,
     "particles of a distribution; 1000 if not given"},
    {"net", 0, "X", FOR_GEN, set_signed, FIELD(net), NULL,
     "of a distribution: the mean strength, added to each charge, or along z "
     "to each force, torque or strength; 0 if not given"},
    {"masses", 0, NULL, FOR_GEN, set_flag, FIELD(masses), NULL,
     "of a distribution: equal masses, 1 in all, in place of charges: the "
     "column mass that --gravity of 'farsum run' sums"},
    {"cells", 0, "K", FOR_GEN, set_three, FIELD(cells), NULL,
     "copies of a crystal's cell, K along each axis or KxLxM"},
    {"primitive", 0, NULL, FOR_GEN, set_flag, FIELD(primitive), NULL,
     "copies of the crystal's primitive cell, not of the cubic one"},
    {"case", 0, "\"CASE\"", FOR_GEN | FOR_TUNE | FOR_BENCH | FOR_CACHE,
     set_case, 0, NULL,
     "a problem in the notation of cases; see 'farsum "
     "help cases'"},
    {"seed", 0, "N", FOR_RUN | FOR_CHECK | FOR_GEN, set_seed, FIELD(seed), NULL,
     "of what is random; 1 if not given"},
    {"input", 0, "FILE", FOR_BENCH, set_text, FIELD(input), NULL,
     "the particles of this file's first frame instead of a case's"},
    {"copies", 0, "AxBxC", FOR_BENCH, set_three, FIELD(copies), NULL,
     "of the file's cell along its vectors, to make a larger one"},
    {"arrays", 0, "WHERE", FOR_BENCH, set_word, FIELD(arrays), word_arrays,
     "host or device: where positions, strengths and results are; with "
     "--device on the device if not given"},
    {"repeats", 0, "K", FOR_BENCH | FOR_TUNE, set_int, FIELD(repeats), NULL,
     "timed repeats after one that warms up; 5 if not given, with --model 3"},
    {"model", 0, NULL, FOR_TUNE, set_flag, FIELD(model), NULL,
     "sums too, and shows for each stage operations and bytes, the time that "
     "these must take on this machine (what it does in a second is measured "
     "once, then kept; with --measure anew), the tuner's time, the measured "
     "one, and its shares of the peak and of memory's rate"},
    {"map", 0, "FILE.svg", FOR_TUNE, set_text, FIELD(map), NULL,
     "draws which variants of spread and interp are chosen over the number of "
     "points and the runs on the same positions, for a mesh alone: --device, "
     "--precision, --mesh (128x128x128 if not given), --support (6), --window, "
     "--components, --crowding; with --measure by measured times"},
    {"components", 0, "K", FOR_TUNE, set_int, FIELD(components), NULL,
     "of a mesh's strengths, for --map; 1 if not given"},
    {"crowding", 0, "X", FOR_TUNE, set_real, FIELD(crowding), NULL,
     "the density that a point finds around it over the mean one, for --map; "
     "1, uniform, if not given"},
    {"plot", 0, "FILE.svg", FOR_BENCH, set_text, FIELD(plot), NULL,
     "draws the times (needs gnuplot)"},
    {"csv", 0, "FILE", FOR_BENCH | FOR_TUNE, set_text, FIELD(csv), NULL,
     "appends a row for each variant, or with --model for each stage"},
    {"against", 0, "FILE.csv", FOR_BENCH, set_text, FIELD(against), NULL,
     "says faster, slower or within noise of the rows in this file"},
    {"help", 'h', NULL, FOR_ALL, set_flag, FIELD(help), NULL,
     "prints this page"},
    {"man", 0, NULL, FOR_HELP, set_flag, FIELD(man), NULL,
     "prints the manual page, in troff"},
};

const struct option_row *options_row(int index)
{
    int count = (int)(sizeof table / sizeof *table);
    return index >= 0 && index < count ? &table[index] : NULL;
}

static const char *const *words_of(const char *which)
{
    for (int k = 0; options_row(k); k++)
        if (table[k].name && strcmp(table[k].name, which) == 0)
            return table[k].words;
    return NULL;
}

const char *options_word(const char *which, int value)
{
    const char *const *words = words_of(which);
    return words && value > 0 ? words[value - 1] : NULL;
}

int options_value(const char *which, const char *word)
{
    const char *const *words = words_of(which);
    for (int k = 0; words && words[k]; k++)
        if (strcmp(words[k], word) == 0)
            return k + 1;
    return 0;
}
