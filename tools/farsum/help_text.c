/* SPDX-License-Identifier: Apache-2.0 */
/* help_text.c: the pages. */
#include "help.h"

#include "options.h"

#define STATUSES                                                               \
    "Exit status: 0 done, 1 failure, 2 usage, 3 an error that was measured or "\
    "is estimated is above the tolerance."

static const struct help_page pages[] = {
    {"farsum", "sums long-range interactions of many particles",
     "farsum SUBCOMMAND [OPTIONS] ...\n"
     "farsum help SUBCOMMAND\n"
     "farsum --version",
     "Reads particles from a file, sums their interactions, periodic or not, "
     "to the error that is asked for, and writes potentials and forces of "
     "charges, or the velocities that forces, torques and double layers make "
     "in a viscous fluid. The subcommands:\n"
     "\n"
     "  run     sums a file's particles; writes what the kernel gives\n"
     "  check   verifies a written result against a converged reference\n"
     "  tune    shows the plan that run would make, and why\n"
     "  gen     writes crystals and random particles to try things on\n"
     "  list    methods, stages and their variants, kernels, devices\n"
     "  cache   compiled kernels and measured times on disk\n"
     "  bench   times variants on a case\n"
     "  help    explains a subcommand; also 'cases' and 'units'\n"
     "\n"
     "The potential of particle i is C times the sum of q_j / r_ij over all "
     "other particles and all their periodic images (no factor 1/2); its force "
     "is -q_i times the potential's gradient; the energy is half the sum of "
     "q_i times the potential; the virial is minus the derivative of the "
     "energy by the strain, nine numbers, row by row. C is Coulomb's constant "
     "in the units that --units names. 'farsum help run' has the other "
     "kernels.\n"
     "\n" STATUSES,
     NULL,
     "farsum gen nacl --cells 8 -o nacl.xyz\n"
     "farsum run nacl.xyz --tolerance 1e-10 -o out.xyz\n"
     "farsum check out.xyz\n",
     0},

    {"run", "sums the interactions of a file's particles",
     "farsum run FILE [-o OUT] [--report REPORT] [--check] [OPTIONS]",
     "Reads FILE (extended XYZ, LAMMPS data, PQR or HDF5), makes a plan for "
     "the tolerance, sums, and says energy, error and time. Files of many "
     "frames run through one plan: a cell that changes a little keeps it, and "
     "what makes a new plan necessary is said.\n"
     "\n"
     "With -o every frame is written with the columns charge, potential and "
     "forces; its other columns and the order of the particles are kept, and "
     "the comment line holds energy, virial and the settings, so that 'farsum "
     "check OUT' needs no option. Without -o nothing is written but the "
     "summary. A file appears under its name when it is complete, before the "
     "summary is printed; a run that fails or is ended by a signal leaves "
     "nothing. One file may not be named twice, except OUT as FILE, in "
     "extended XYZ, which is then replaced. A link stays, and its target is "
     "replaced.\n"
     "\n"
     "The tolerance is relative to the RMS of the forces, or to "
     "C q_rms^2 (N/V)^(2/3) if that is larger (in a perfect crystal the forces "
     "vanish). The plan states the error that it expects. It is checked by a "
     "second sum of some particles, and made finer where its error is too "
     "large (--verify). --check measures the result on random targets, and "
     "tolerance, estimate and measured error are printed together, with those "
     "of energy and virial: over half the sum of |q phi|, and in brackets over "
     "the energy itself.\n"
     "\n"
     "A file with a cell is periodic as it says; one without is open space, "
     "unless --cell gives a cell. Geometry that a file gives in part, or "
     "against itself, is an error: a pbc that says periodic without a Lattice, "
     "a key cell, box or boundary that says something else, LAMMPS data "
     "without a box, H5MD edges without a boundary; --cell and --periodic say "
     "what is meant. So is a unit that contradicts --units. Energy, stress, "
     "forces and the like that another calculation left in the file are not "
     "written beside the new ones. A net charge is neutralised by a uniform "
     "background. With --targets the sums are taken at the positions of "
     "another file, and written with the columns potential and field.\n"
     "\n"
     "--kernel yukawa --kappa K sums e^(-K r)/r of the charges and --kernel r6 "
     "their 1/r^6, attraction if the charges' signs or units say so; neither "
     "has a background or surroundings.\n"
     "\n"
     "--gravity G sums masses, the column mass, in place of charges; with "
     "--softening EPS in open space 1/r is Plummer's 1/sqrt(r^2 + EPS^2).\n"
     "\n"
     "--kernel stokeslet, rotlet or stresslet sums the flow that the particles "
     "make in a viscous fluid, from columns of their own (below; extended XYZ "
     "and HDF5 have them), and writes the column velocity, at the particles "
     "without their own part or at --targets. With d from the source to the "
     "target the velocities are the sums of f/r + (f.d) d/r^3 (stokeslet), "
     "t x d/r^3 (rotlet) and -6 (q.d)(n.d) d/r^5 (stresslet, strength q and "
     "normal n); --viscosity MU multiplies them by 1/(8 pi MU). Flows have no "
     "energy, virial, units or surface; their tolerance is relative to the "
     "RMS velocity. In a cell the stokeslet has no mean flow: a net force is "
     "balanced by a mean gradient of pressure. The stresslet's mean flow is of "
     "the positions as they are given: a closed surface must not be cut by the "
     "cell's faces.\n"
     "\n" STATUSES,
     help_run,
     "farsum run water.xyz --units real --tolerance 1e-5 --check -o out.xyz\n"
     "farsum run drops.xyz --kernel stokeslet --viscosity 1e-3 -o flow.h5\n"
     "farsum run stars.xyz --gravity 1 --softening 0.01 --tolerance 1e-3\n"
     "farsum run w.data --charge 1=0.4238 --charge 2=-0.8476 --report r.json\n"
     "farsum run ions.pqr --cell 60,60,60 --units real\n",
     FOR_RUN},

    {"check", "verifies a written result", "farsum check OUT [OPTIONS]",
     "Reads what 'farsum run -o OUT' wrote, sums random targets anew by a "
     "converged reference that shares no table with the fast code (ewald, or "
     "direct in open space, in f64), and compares. Besides 1000 random targets "
     "the 100 with the largest values are taken, since a few close pairs can "
     "carry most of the RMS.\n"
     "\n"
     "The settings come from the comment line of OUT; an option goes before "
     "them. Where OUT holds separate targets, the particles are read from the "
     "file that the comment line names, or from --sources.\n"
     "\n" STATUSES,
     NULL,
     "farsum run nacl.xyz --tolerance 1e-8 -o out.xyz\n"
     "farsum check out.xyz\n"
     "farsum check out.xyz --tolerance 1e-12   # would it have been enough?\n",
     FOR_CHECK},

    {"tune", "shows the plan that run would make, and why",
     "farsum tune FILE [OPTIONS]\n"
     "farsum tune --case \"CASE\" [OPTIONS]\n"
     "farsum tune --model FILE | --case \"CASE\" [OPTIONS]\n"
     "farsum tune --map FILE.svg [OPTIONS]",
     "Chooses method, parameters and variants for a file or a case, without "
     "summing anything, and prints each with its reason, the error expected "
     "and the memory needed. What an option fixes is kept, or refused with a "
     "reason. The line 'options' is the choice in options: with them run sums "
     "with the same parameters, whatever its threads and machine.\n"
     "\n"
     "--model sums too, and prints what the machine does in a second (its peak "
     "of multiply-adds, the rate of memory, and seven operations, each also in "
     "flop-equivalents: how many flops of multiply-adds fit in its time), and "
     "for each stage its operations in flop-equivalents, the bytes that it "
     "must read and write, the longer of the times that these take, what binds "
     "it, the time that the tuner expected, the measured one, and what share "
     "of the peak and of memory's rate that is. Machine rates are measured "
     "once, in about a second, and kept beside compiled kernels.\n"
     "\n"
     "--map draws which variant of spread and of interp a mesh by itself would "
     "take, over the points a mesh point and the runs on the same positions, "
     "and prints a line for each number of points. Each field of the picture "
     "says in its title what was chosen and why.\n"
     "\n" STATUSES,
     NULL,
     "farsum tune system.data --tolerance 1e-6\n"
     "farsum tune --case \"laplace n=1e6 tol=1e-4\" --cutoff 4 --split "
     "gaussian\n"
     "farsum tune --case \"stokeslet n=1e5 tol=1e-9\"\n"
     "farsum tune --model --case \"stokeslet n=1e5 tol=1e-9\" --csv model.csv\n"
     "farsum tune --map map.svg --device cuda:0 --support 8 --components 3\n",
     FOR_TUNE},

    {"gen", "writes crystals and random particles",
     "farsum gen CRYSTAL [--cells K] [--primitive] [-o OUT]\n"
     "farsum gen DISTRIBUTION [-n N] [--cell CELL] [--seed N] [-o OUT]\n"
     "farsum gen DISTRIBUTION --kernel NAME [--net X] ...\n"
     "farsum gen DISTRIBUTION --masses ...\n"
     "farsum gen --case \"CASE\" [-o OUT]",
     "Crystals have lattice constant 1. Distributions have N particles with "
     "charges, or with --kernel the strengths of a flow, at random (below), "
     "in a cell of volume N unless --cell says otherwise; V is its volume. "
     "The strengths' mean is 0; --net gives them one. The same seed gives the "
     "same particles on every machine. Without -o the particles go to standard "
     "output as extended XYZ.\n"
     "\n" STATUSES,
     help_gen,
     "farsum gen nacl --cells 8 -o nacl.xyz\n"
     "farsum gen caf2 --cells 4x4x6 --primitive -o caf2.xyz\n"
     "farsum gen uniform -n 1e4 --kernel stokeslet --net -1 -o sink.xyz\n"
     "farsum gen plummer -n 1e5 --cell 1x1x2 --seed 7 -o plummer.h5\n"
     "farsum gen plummer -n 1e5 --masses --periodic none -o stars.xyz\n",
     FOR_GEN},

    {"list", "methods, stages and their variants, kernels, devices",
     "farsum list [methods | stages | splits | windows | kernels | devices | "
     "STAGE]",
     "Prints what can be chosen: the methods, or the variants of a stage with "
     "what they are good for and what they need. Each name is a value of the "
     "option of that stage, as in --spread NAME. Of a kernel it says what a "
     "source has and what it gives. Of the devices it says what "
     "there is, and which library is missing where there is nothing; each "
     "name is a value of --device.\n"
     "\n" STATUSES,
     NULL,
     "farsum list\n"
     "farsum list spread\n"
     "farsum list devices\n",
     FOR_LIST},

    {"cache", "compiled kernels and measured times on disk",
     "farsum cache [list | clear]\n"
     "farsum cache warm --device NAME [FILE | --case \"CASE\"] [OPTIONS]",
     "A plan on a device compiles its kernels and keeps them, in the folder "
     "that FARSUM_CACHE_DIR names, or else in farsum under XDG_CACHE_HOME or "
     "~/.cache; an empty FARSUM_CACHE_DIR keeps none. The times "
     "that --measure took are there too, in the file wisdom. The folder must "
     "belong to you or to root, and only its owner may write to it: else it is "
     "not used. list prints what there is, clear removes it, and what runs "
     "that were killed have left there. warm makes the plan that run "
     "would make, of a file or a case, so that a later run compiles "
     "nothing.\n"
     "\n" STATUSES,
     NULL,
     "farsum cache\n"
     "farsum cache warm --device cuda:0 water.xyz --units real\n",
     FOR_CACHE},

    {"bench", "times variants on a case",
     "farsum bench [STAGE | METHOD | all] --case \"CASE\" [OPTIONS]\n"
     "farsum bench [STAGE | METHOD | all] --input FILE [OPTIONS]",
     "With a stage: one plan for each of its variants, all else the same; the "
     "variants are timed in turn, after a round to warm up, and those that "
     "refuse the case say why. With a method, or all (the method that is "
     "chosen): set_points, every stage, and both calls together.\n"
     "\n"
     "Printed are the least and the median time of the repeats, particles a "
     "second and the ratio to the fastest. --csv appends rows that --against "
     "compares with in a later run: a difference counts when it is more than "
     "the median strays above the least in either run, and more than 3 per "
     "cent.\n"
     "\n"
     "With --device positions, strengths and results lie on the device, unless "
     "--arrays host is given; the heading says which were timed.\n"
     "\n" STATUSES,
     NULL,
     "farsum bench spread --case \"laplace n=1e6 tol=1e-6 dist=uniform\"\n"
     "farsum bench all --case \"laplace n=1e5 tol=1e-4\" --csv all.csv\n"
     "farsum bench all --case \"laplace n=1e5 tol=1e-4\" --against all.csv\n"
     "farsum bench near --case \"laplace n=1e5\" --plot near.svg\n"
     "farsum bench all --input water.xyz --copies 2x2x2 --tolerance 1e-4\n",
     FOR_BENCH},

    {"help", "explains a subcommand",
     "farsum help [SUBCOMMAND | cases | units]\n"
     "farsum help --man",
     "Prints the page of a subcommand; --man prints all of them as a manual "
     "page in troff.",
     NULL,
     "farsum help run\n"
     "farsum help --man | man -l -\n",
     FOR_HELP},

    {"cases", "the notation of problems",
     "KERNEL n=N cell=CELL tol=X dist=DISTRIBUTION seed=N\n"
     "[density=X] [prec=f64|f32|mixed|auto] [net=X] [kappa=X]\n"
     "[error=force|potential|absolute|velocity|energy|pressure|each]",
     "One line says a problem, for the command, the tests, the benchmarks and "
     "bug reports. Keys may come in any order; what is left out is n=1000, "
     "cell=cubic, tol=1e-5, dist=uniform, seed=1, density=1, prec=f64, net=0, "
     "error=force or, of flows, velocity. The cell's volume V is n / density. "
     "kappa is yukawa's. net is added to each charge, or to the last component "
     "of each force, torque or strength. In the formulas s are coordinates "
     "along the cell vectors.",
     help_cases,
     "farsum tune --case \"laplace n=1e6 cell=1x1x10 tol=1e-6 "
     "dist=clustered\"\n"
     "farsum gen --case \"stokeslet n=1000 tol=1e-6 seed=1\"\n",
     0},

    {"units", "unit systems and Coulomb's constant",
     "--units reduced | real | metal | gromacs | si",
     "Lengths and charges are those of the file; the constant C makes "
     "energies of them. It stands in the report with its source.",
     help_units, "farsum run water.xyz --units real\n", 0},
};

const struct help_page *help_page(int index)
{
    int count = (int)(sizeof pages / sizeof *pages);
    return index >= 0 && index < count ? &pages[index] : NULL;
}
