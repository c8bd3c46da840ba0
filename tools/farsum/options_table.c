/* SPDX-License-Identifier: Apache-2.0 */
/* options_table.c: table of all options of all subcommands. */
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
     "pair kernel: laplace (1/r), charge_dipole, charge_quadrupole, yukawa, "
     "yukawa_dipole or r6; flows: "
     "stokeslet, rotlet or stresslet (default: laplace)"},
    {"kappa", 0, "K", FOR_FILES, set_real, FIELD(kappa), NULL,
     "inverse screening length; yukawa and yukawa_dipole only (default: none)"},
    {"tolerance", 0, "X", FOR_SUMS, set_real, FIELD(tolerance), NULL,
     "largest error allowed, in the norm of --error (default: 1e-5)"},
    {"error", 0, "WHAT", FOR_SUMS, set_word, FIELD(error), word_error,
     "norm of the tolerance: force, potential, absolute, energy, pressure "
     "or each, for flows velocity; see 'farsum help run' (default: force; "
     "flows: velocity)"},
    {"units", 0, "NAME", FOR_FILES, set_word, FIELD(units), word_units,
     "unit system, which sets Coulomb's constant: reduced, real, metal, "
     "gromacs or si (default: reduced)"},
    {"viscosity", 0, "MU", FOR_FILES, set_real, FIELD(viscosity), NULL,
     "viscosity of the fluid: multiplies velocities by 1/(8 pi MU); flows "
     "only (default: factor 1)"},
    {"gravity", 0, "G", FOR_FILES, set_real, FIELD(gravity), NULL,
     "gravitational constant; sums masses, the column mass, which attract. "
     "4.30091e-6 in kpc, km/s and solar masses (default: charges)"},
    {"softening", 0, "EPS", FOR_FILES, set_real, FIELD(softening), NULL,
     "softening of 1/r: in open space 1/sqrt(r^2 + EPS^2), with periodic axes "
     "as a point and a ball of radius EPS (default: 0)"},
    {"precision", 0, "P", FOR_PLANS, set_word, FIELD(precision), word_precision,
     "precision of the sums: f64, f32, mixed (spectral: near pairs in f32) "
     "or auto (the fastest that keeps the tolerance) (default: f64)"},
    {"cell", 0, "NUMBERS", FOR_FILES | FOR_GEN, set_cell, 0, NULL,
     "cell: 3 edges, or 9 numbers, the rows a, b, c; gen also takes the "
     "cell names of a case (default: the file's; gen: cubic)"},
    {"periodic", 0, "AXES", FOR_FILES | FOR_GEN, set_periodic, 0, NULL,
     "periodic axes: xyz, xy, x and the like, or none for open space "
     "(default: the file's; gen: "
     "xyz)"},
    {"surface", 0, "WHAT", FOR_SUMS, set_word, FIELD(surface), word_surface,
     "boundary condition at infinity of a periodic system: tinfoil or "
     "vacuum (default: tinfoil)"},
    {"exclude", 0, "WHAT", FOR_INPUTS, set_exclude, FIELD(exclude),
     word_exclude,
     "pairs to leave out or scale: coincident, bonds, or a file of pairs; "
     "see 'farsum help run'; may be repeated (default: none)"},
    {"exclude-factors", 0, "B,A,D", FOR_INPUTS, set_factors, 0, NULL,
     "factors that --exclude bonds applies to the ends of bonds, angles and "
     "dihedrals (default: 0,0,1)"},

    {NULL, 0, NULL, FOR_SUMS, NULL, 0, NULL,
     "How to sum it (default: chosen by the plan)"},
    {"method", 0, "NAME", FOR_PLANS, set_method, FIELD(method), NULL,
     "method: spectral, fmm, direct, ewald, or auto, the fastest of those "
     "that accept the other options (default: auto)"},
    {"device", 0, "NAME", FOR_PLANS, set_text, FIELD(device), NULL,
     "where to sum: host, or a device such as cuda:0, hip:0 or opencl:0; "
     "see 'farsum list devices' (default: host)"},
    {"threads", 0, "N", FOR_SUMS, set_int, FIELD(threads), NULL,
     "number of threads (default: all, or fewer for few particles)"},
    {"ranks", 0, "N", FOR_RUN | FOR_BENCH | FOR_TUNE, set_int, FIELD(ranks),
     NULL,
     "number of copies that share the sum by MPI, started by mpirun; see "
     "'farsum help run'; bench: exchange only; tune: on paper (default: 1, "
     "or as many as a launcher started)"},
    {"transport", 0, "NAME", FOR_RUN, set_text, FIELD(transport), NULL,
     "how the devices of ranks exchange: nccl, from GPU to GPU, or staged, "
     "through the host (default: the first that works)"},
    {"domain", 0, "AxB", FOR_RUN | FOR_TUNE, set_two, FIELD(domain), NULL,
     "ranks along the first two cell vectors, whose product is the number of "
     "ranks; Nx1: slabs, else pencils (default: the faster ones; slabs on "
     "devices and with fmm)"},
    {"patience", 0, "SECONDS", FOR_RUN, set_real, FIELD(patience), NULL,
     "longest time that a copy waits for the others, which includes what they "
     "read, choose and compute; then the run fails (default: for ever)"},
    {"isa", 0, "NAME", FOR_PLANS, set_text, FIELD(isa), NULL,
     "instruction set: base, avx2 or avx512 (default: the processor's "
     "largest)"},
    {"split", 0, "NAME", FOR_PLANS, set_text, FIELD(split), NULL,
     "split of the kernel into near field and mesh part; see 'farsum list "
     "splits' (default: chosen)"},
    {"window", 0, "NAME", FOR_PLANS, set_text, FIELD(window), NULL,
     "function that spreads a particle over the mesh; see 'farsum list "
     "windows' (default: chosen)"},
    {"cutoff", 0, "R", FOR_PLANS, set_real, FIELD(cutoff), NULL,
     "cutoff of the near field, a length (default: chosen)"},
    {"bandwidth", 0, "C", FOR_PLANS, set_real, FIELD(bandwidth), NULL,
     "bandwidth of the split, its largest wave number times the cutoff "
     "(default: chosen)"},
    {"mesh", 0, "AxBxC", FOR_PLANS, set_three, FIELD(mesh), NULL,
     "mesh points along the cell vectors (default: chosen)"},
    {"upsampling", 0, "S", FOR_PLANS, set_real, FIELD(upsampling), NULL,
     "mesh points over those that the bandwidth needs (default: chosen)"},
    {"support", 0, "P", FOR_PLANS, set_int, FIELD(support), NULL,
     "width of the window in mesh points, 2 to 16 (default: chosen)"},
    {"shape", 0, "B", FOR_PLANS, set_real, FIELD(shape), NULL,
     "shape parameter of the window (default: chosen)"},
    {"near", 0, "VARIANT", FOR_PLANS, set_text, FIELD(near), NULL,
     "variant of the near field; see 'farsum list near' (default: chosen)"},
    {"near-cells", 0, "K", FOR_PLANS, set_int, FIELD(near_cells), NULL,
     "cells per cutoff along each axis, 1 to 8; near variants on devices only "
     "(default: chosen)"},
    {"near-team", 0, "AxB", FOR_PLANS, set_two, FIELD(near_team), NULL,
     "threads over targets and over sources; 0: the variant's own; near "
     "variants with teams, on devices only (default: 0x0)"},
    {"spread", 0, "VARIANT", FOR_PLANS, set_text, FIELD(spread), NULL,
     "variant of spreading; see 'farsum list spread' (default: chosen)"},
    {"fft", 0, "VARIANT", FOR_PLANS, set_text, FIELD(fft), NULL,
     "variant of the Fourier transform; see 'farsum list fft' (default: "
     "chosen)"},
    {"scale", 0, "VARIANT", FOR_PLANS, set_text, FIELD(scale), NULL,
     "variant of the influence function; see 'farsum list scale' (default: "
     "chosen)"},
    {"interp", 0, "VARIANT", FOR_PLANS, set_text, FIELD(interp), NULL,
     "variant of interpolation; see 'farsum list interp' (default: chosen)"},
    {"order", 0, "P", FOR_PLANS, set_order, FIELD(order), NULL,
     "order of the expansions, 0 to 40; fmm only (default: chosen)"},
    {"separation", 0, "WS", FOR_PLANS, set_int, FIELD(separation), NULL,
     "distance in boxes up to which boxes interact pair by pair; fmm only "
     "(default: chosen)"},
    {"levels", 0, "N", FOR_PLANS, set_int, FIELD(levels), NULL,
     "levels of boxes; 1: root boxes only; fmm only (default: chosen)"},
    {"boxes", 0, "AxBxC", FOR_PLANS, set_three, FIELD(boxes), NULL,
     "root boxes along the axes; fmm only (default: chosen)"},
    {"leaf", 0, "N", FOR_PLANS, set_count, FIELD(leaf), NULL,
     "number of points above which a box is divided; sparse tree of fmm only "
     "(default: chosen)"},
    {"tree", 0, "KIND", FOR_PLANS, set_text, FIELD(tree), NULL,
     "tree of boxes: dense or sparse; fmm only (default: chosen)"},
    {"p2p", 0, "VARIANT", FOR_PLANS, set_text, FIELD(p2p), NULL,
     "variant of near boxes; see 'farsum list p2p' (default: chosen)"},
    {"p2m", 0, "VARIANT", FOR_PLANS, set_text, FIELD(p2m), NULL,
     "variant of points to multipoles; see 'farsum list p2m' (default: "
     "chosen)"},
    {"m2m", 0, "VARIANT", FOR_PLANS, set_text, FIELD(m2m), NULL,
     "variant of multipoles to parents; see 'farsum list m2m' (default: "
     "chosen)"},
    {"m2l", 0, "VARIANT", FOR_PLANS, set_text, FIELD(m2l), NULL,
     "variant of multipoles to locals; see 'farsum list m2l' (default: "
     "chosen)"},
    {"lattice", 0, "VARIANT", FOR_PLANS, set_text, FIELD(lattice), NULL,
     "variant of root boxes and their images; see 'farsum list lattice' "
     "(default: chosen)"},
    {"l2l", 0, "VARIANT", FOR_PLANS, set_text, FIELD(l2l), NULL,
     "variant of locals to children; see 'farsum list l2l' (default: chosen)"},
    {"l2p", 0, "VARIANT", FOR_PLANS, set_text, FIELD(l2p), NULL,
     "variant of locals to points; see 'farsum list l2p' (default: chosen)"},
    {"strict", 0, NULL, FOR_PLANS, set_flag, FIELD(strict), NULL,
     "guarantees the tolerance at every target by a proved bound instead of "
     "an estimate; slower; fmm and direct only (default: off)"},
    {"verify", 0, "WHEN", FOR_PLANS, set_word, FIELD(verify), word_verify,
     "check of the plan by a second sum: on, off, or auto, which checks "
     "spectral and fmm unless --strict is given (default: auto)"},
    {"deterministic", 0, NULL, FOR_PLANS, set_flag, FIELD(deterministic), NULL,
     "uses only variants whose sums repeat bit by bit (default: off)"},
    {"measure", 0, NULL, FOR_PLANS, set_flag, FIELD(measure), NULL,
     "measures this machine's costs once, in about a second, times the "
     "fastest variants of spread and interp, lets FFTW measure (default: "
     "off)"},
    {"executes", 0, "N", FOR_PLANS, set_real, FIELD(executes), NULL,
     "expected number of sums per set of positions; larger values favour "
     "variants with costly set-up (default: 1)"},
    {"skin", 0, "W", FOR_PLANS, set_real, FIELD(skin), NULL,
     "Verlet skin, a length: reuses neighbour lists until a particle has "
     "moved W/2; spectral on devices only (default: 0, no reuse)"},
    {"queues", 0, "1|2", FOR_PLANS, set_int, FIELD(queues), NULL,
     "queues of a device; 2: near pairs run concurrently with mesh or "
     "boxes; 1: one stage after another (default: 2; large fmm: 1)"},
    {"memory-limit", 0, "BYTES", FOR_PLANS, set_bytes, FIELD(memory_limit),
     NULL,
     "bytes that the plan may take, as 8G (default: 80 % of the device's "
     "memory; host: of the smallest of machine, control group, RLIMIT_AS)"},

    {NULL, 0, NULL, FOR_SUMS | FOR_GEN, NULL, 0, NULL, "Files"},
    {"output", 'o', "FILE", FOR_RUN | FOR_GEN, set_text, FIELD(output), NULL,
     "file to write the particles to, .xyz or .h5; '-' is standard output "
     "(default: none; gen: -)"},
    {"report", 0, "FILE", FOR_SUMS & ~FOR_CACHE, set_text, FIELD(report), NULL,
     "file to write a JSON report to; '-' is standard output (default: none)"},
    {"targets", 0, "FILE", FOR_RUN | FOR_TUNE, set_text, FIELD(targets), NULL,
     "file of the positions at which to sum (default: the particles)"},
    {"sources", 0, "FILE", FOR_CHECK, set_text, FIELD(sources), NULL,
     "file of the particles that were summed, if OUT holds targets "
     "(default: the file that OUT names)"},
    {"format", 0, "NAME", FOR_INPUTS | FOR_GEN, set_text, FIELD(format), NULL,
     "format of the file: extxyz, lammps, pqr or hdf5; text packed by gzip "
     "is unpacked (default: from name and content)"},
    {"atom-style", 0, "NAME", FOR_INPUTS, set_text, FIELD(atom_style), NULL,
     "LAMMPS atom style: charge, full, atomic, molecular, bond, angle; or "
     "column names as \"id type - x y z mol q\", - skips one (default: the "
     "file's)"},
    {"group", 0, "NAME", FOR_INPUTS, set_text, FIELD(group), NULL,
     "HDF5 group of /particles to read (default: the only one, or all)"},
    {"charge", 0, "TYPE=Q", FOR_INPUTS, set_charge, 0, NULL,
     "charge of a LAMMPS atom type (number or label) or of a species, as "
     "Na=1,Cl=-1; may be repeated (default: the file's charges)"},

    {NULL, 0, NULL, FOR_ALL & ~FOR_HELP, NULL, 0, NULL, "This subcommand"},
    {"check", 0, NULL, FOR_RUN, set_flag, FIELD(check), NULL,
     "measures the error against a converged reference; exit status 3 if it "
     "is above the tolerance (default: off)"},
    {"no-virial", 0, NULL, FOR_RUN | FOR_TUNE, set_flag, FIELD(no_virial), NULL,
     "leaves out the virial, so that fmm in a cell or slab needs no second "
     "method and may be chosen (default: off)"},
    {"particle-virial", 0, NULL, FOR_RUN, set_flag, FIELD(particle_virial),
     NULL,
     "writes each particle's share of the virial as the column virials, row by "
     "row; fmm, spectral in slabs, wires and open space, separate targets, and "
     "ranks with devices do not have it (default: off)"},
    {"check-targets", 0, "M", FOR_RUN | FOR_CHECK, set_count,
     FIELD(check_targets), NULL,
     "number of random targets to check, or all if there are fewer; fewer "
     "are less certain (default: 1000; --error each: 4000)"},
    {"count", 'n', "N", FOR_GEN, set_count, FIELD(count), NULL,
     "number of particles of a distribution (default: 1000)"},
    {"net", 0, "X", FOR_GEN, set_signed, FIELD(net), NULL,
     "mean strength of a distribution, added to each charge, or along z to "
     "each force, torque or strength (default: 0)"},
    {"masses", 0, NULL, FOR_GEN, set_flag, FIELD(masses), NULL,
     "writes equal masses of total 1 instead of charges, for 'farsum run "
     "--gravity'; distributions only (default: off)"},
    {"cells", 0, "K", FOR_GEN, set_three, FIELD(cells), NULL,
     "copies of a crystal's cell, or the size of an assembly: K along each "
     "axis or KxLxM (default: 1; an assembly's own)"},
    {"primitive", 0, NULL, FOR_GEN, set_flag, FIELD(primitive), NULL,
     "copies the crystal's primitive cell instead of the cubic one "
     "(default: off)"},
    {"case", 0, "\"CASE\"", FOR_GEN | FOR_TUNE | FOR_BENCH | FOR_CACHE,
     set_case, 0, NULL,
     "problem in the notation of 'farsum help cases' (default: none)"},
    {"seed", 0, "N", FOR_RUN | FOR_CHECK | FOR_GEN, set_seed, FIELD(seed), NULL,
     "seed of the random numbers (default: 1)"},
    {"input", 0, "FILE", FOR_BENCH, set_text, FIELD(input), NULL,
     "file whose first frame is timed instead of a case (default: none)"},
    {"copies", 0, "AxBxC", FOR_BENCH, set_three, FIELD(copies), NULL,
     "copies of the input file's cell along its vectors (default: 1x1x1)"},
    {"arrays", 0, "WHERE", FOR_BENCH, set_word, FIELD(arrays), word_arrays,
     "memory of positions, strengths and results: host or device (default: "
     "device if --device is given, else host)"},
    {"repeats", 0, "K", FOR_BENCH | FOR_TUNE, set_int, FIELD(repeats), NULL,
     "number of timed repeats after one that warms up (default: 5; --model: "
     "3)"},
    {"model", 0, NULL, FOR_TUNE, set_flag, FIELD(model), NULL,
     "sums too, and prints operations, bytes, predicted, planned and "
     "measured time of each stage (default: off)"},
    {"nodes", 0, "K", FOR_TUNE, set_int, FIELD(nodes), NULL,
     "number of nodes with equal parts of the --ranks (default: 1)"},
    {"link-latency", 0, "SECONDS", FOR_RUN | FOR_TUNE, set_real,
     FIELD(link_latency), NULL,
     "time of a short message over the slowest link of the ranks, for the "
     "choice of mesh and cutoff (default: 'farsum tune --ranks' prints it)"},
    {"link-bandwidth", 0, "B", FOR_RUN | FOR_TUNE, set_real,
     FIELD(link_bandwidth), NULL,
     "bytes per second that a rank sends over the slowest link; tune with "
     "several --nodes: that a node sends (default: 'farsum tune --ranks' "
     "prints it)"},
    {"weak", 0, NULL, FOR_TUNE, set_flag, FIELD(weak), NULL,
     "weak scaling: gives each of 1, 2, 4 ... --ranks as many points as the "
     "case or file has (default: off, all ranks share them)"},
    {"modes", 0, "AxBxC", FOR_TUNE, set_three, FIELD(modes), NULL,
     "modes of a NUFFT that the --ranks share, instead of a case or file "
     "(default: none)"},
    {"points", 0, "N", FOR_TUNE, set_count, FIELD(points), NULL,
     "number of points of the NUFFT of --modes (default: none)"},
    {"map", 0, "FILE.svg", FOR_TUNE, set_text, FIELD(map), NULL,
     "file to draw a map of the chosen spread and interp variants to; see "
     "above (default: none)"},
    {"components", 0, "K", FOR_TUNE, set_int, FIELD(components), NULL,
     "number of components of a mesh's strengths, for --map, or of vectors, "
     "for --modes (default: 1)"},
    {"crowding", 0, "X", FOR_TUNE, set_real, FIELD(crowding), NULL,
     "clustering factor, the density around a point over the mean density, "
     "for --map (default: 1, uniform)"},
    {"plot", 0, "FILE.svg", FOR_BENCH, set_text, FIELD(plot), NULL,
     "file to draw the times to; needs gnuplot (default: none)"},
    {"csv", 0, "FILE", FOR_BENCH | FOR_TUNE, set_text, FIELD(csv), NULL,
     "file to append to, one row per variant, or with --model per stage "
     "(default: none)"},
    {"against", 0, "FILE.csv", FOR_BENCH, set_text, FIELD(against), NULL,
     "file of an earlier --csv to compare with: faster, slower or within "
     "noise (default: none)"},
    {"help", 'h', NULL, FOR_ALL, set_flag, FIELD(help), NULL,
     "prints this page"},
    {"man", 0, NULL, FOR_HELP, set_flag, FIELD(man), NULL,
     "prints the manual page, in troff"},
};

_Static_assert(sizeof table / sizeof *table <= MAX_ROWS, "settings.given");

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
