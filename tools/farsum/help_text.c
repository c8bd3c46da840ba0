/* SPDX-License-Identifier: Apache-2.0 */
/* help_text.c: texts of the help pages. */
#include "help.h"

#include "options.h"

#define STATUSES                                                               \
    "Exit status: 0 success, 1 failure, 2 wrong usage, 3 a measured or "       \
    "estimated error above the tolerance."

static const struct help_page pages[] = {
    {"farsum", "sums long-range interactions of many particles",
     "farsum SUBCOMMAND [OPTIONS] ...\n"
     "farsum help SUBCOMMAND\n"
     "farsum --version",
     "Reads particles from a file and sums their interactions, periodic or "
     "not, to the error that you choose. Writes potentials and forces of "
     "charges, or the velocities that forces, torques and double layers make "
     "in a viscous fluid. The subcommands:\n"
     "\n"
     "  run     sums a file's particles and writes the results\n"
     "  check   compares a written result with a converged reference\n"
     "  tune    prints the plan that run would make, with its reasons\n"
     "  gen     writes crystals, layers, wires and random particles\n"
     "  list    lists methods, stages, variants, kernels and devices\n"
     "  cache   lists or removes compiled kernels and measured times\n"
     "  bench   times variants on a case\n"
     "  help    explains a subcommand; also 'cases' and 'units'\n"
     "\n"
     "The potential of particle i is C times the sum of q_j / r_ij over all "
     "other particles and all periodic images, without a factor 1/2. The "
     "force on it is -q_i times the gradient of the potential. The energy is "
     "half the sum of q_i times the potential. The virial is minus the "
     "derivative of the energy with respect to strain: nine numbers, row by "
     "row. C is Coulomb's constant in the units that --units selects. 'farsum "
     "help run' defines the other kernels.\n"
     "\n" STATUSES,
     NULL,
     "farsum gen nacl --cells 8 -o nacl.xyz\n"
     "farsum run nacl.xyz --tolerance 1e-10 -o out.xyz\n"
     "farsum check out.xyz\n",
     0},

    {"run", "sums the interactions of a file's particles",
     "farsum run FILE [-o OUT] [--report REPORT] [--check] [OPTIONS]\n"
     "mpirun -n N farsum run FILE [OPTIONS]",
     "Reads FILE (extended XYZ, LAMMPS data, PQR or HDF5), makes a plan for "
     "the tolerance, sums, and prints energy, error and time. All frames of a "
     "file run through one plan. A small change of the cell keeps the plan; "
     "run prints why it makes a new one.\n"
     "\n"
     "Output: With -o each frame is written with the columns charge, "
     "potential and forces. Other columns and the order of the particles are "
     "kept. The comment line holds energy, virial and settings, so that "
     "'farsum check OUT' needs no option. Without -o only the summary is "
     "printed. A file appears under its name when it is complete, before the "
     "summary. A run that fails or is ended by a signal leaves no file. Two "
     "options may not name one file, except that OUT may be FILE in extended "
     "XYZ, which is then replaced. A link stays, and its target is replaced.\n"
     "\n"
     "Norms: --error selects the quantity that the tolerance limits.\n"
     "\n"
     "  force      RMS force error over the RMS force (default)\n"
     "  potential  RMS potential error over the RMS potential\n"
     "  absolute   RMS error of forces or velocities, in the file's units\n"
     "  velocity   RMS velocity error over the RMS velocity (default of "
     "flows)\n"
     "  energy     energy error over half the sum of |q phi|\n"
     "  pressure   error of the virial's trace over the same sum; r6: 6 times "
     "it\n"
     "  each       99 of 100 forces: error over the force or a tenth of the "
     "RMS\n"
     "\n"
     "At separate targets the force is the field times the RMS charge. The "
     "RMS force is replaced by C q_rms^2 (N/V)^(2/3) if that is larger, since "
     "forces vanish in a perfect crystal. The plan estimates its error and "
     "checks it by a second sum at some particles. If the error is too large, "
     "a finer plan replaces it (--verify). --check measures the result at "
     "random targets. It prints tolerance, estimate and measured error, and "
     "the errors of energy and virial: over half the sum of |q phi|, and in "
     "brackets over the energy itself.\n"
     "\n"
     "Geometry: A file with a cell is periodic as it states. A file without a "
     "cell is open space unless --cell gives one. Incomplete or contradictory "
     "geometry is an error: a periodic pbc without a Lattice, keys cell, box "
     "or boundary that differ, LAMMPS data without a box, H5MD edges without "
     "a boundary. --cell and --periodic resolve it. --periodic must not "
     "contradict the pbc or boundary of a file, unless it says none or --cell "
     "replaces the file's cell, too. LAMMPS data and PQR files state no "
     "periodic axes; there a box means all three. A unit that contradicts "
     "--units is an error, too. A uniform background neutralises a net "
     "charge if three axes are periodic. With --surface vacuum the sums "
     "depend on the images that the particles are given by and, with a net "
     "charge, on the origin.\n"
     "\n"
     "Columns: Energy, stress, forces and the like of another calculation are "
     "not written to OUT. With --targets the sums are computed at the "
     "positions of another file, and OUT has the columns potential and "
     "field.\n"
     "\n"
     "Exclusions: --exclude leaves out pairs, or scales them by a factor.\n"
     "\n"
     "  coincident  pairs at one place, which are an error otherwise\n"
     "  bonds       the ends of the bonds and angles of LAMMPS data\n"
     "  FILE        pairs, 'I J' or 'I J FACTOR' per line (default: factor "
     "0)\n"
     "\n"
     "I and J are ids of the column id, or positions in the file from 1 if it "
     "has no such column. With --targets I is a target and J a source. The "
     "factor applies to the interaction of the pair at its nearest image, or "
     "to the mean over images that are equally near.\n"
     "\n"
     "Kernels: --kernel yukawa --kappa K sums e^(-K r)/r of the charges, "
     "--kernel r6 their 1/r^6. The signs of charges and units decide whether "
     "they attract. Neither kernel has a background or a boundary condition "
     "at infinity.\n"
     "\n"
     "--kernel charge_dipole sums charges with dipoles, from the column "
     "charge, if there is one, and the column dipole (charge times length). "
     "The output has potential, forces, torque and field_gradient: the second "
     "derivatives of the potential, xx xy xz yy yz zz. At --targets it has "
     "potential, field and field_gradient. The methods are fmm and direct in "
     "open space, and spectral, ewald and, if its angles are right, fmm in a "
     "cell. --kernel yukawa_dipole --kappa K screens both; its methods are "
     "direct in open space, and spectral and ewald in a cell. --kernel "
     "charge_quadrupole also reads the column quadrupole: xx xy xz yy yz zz of "
     "Q_ab = sum q x_a x_b of the charges that a particle stands for. In a "
     "cell spectral sums it, in open space direct, and in slabs and wires "
     "ewald; "
     "all on hosts.\n"
     "\n"
     "--gravity G sums masses instead of charges. Potentials -G m/r and the "
     "energy are negative, and the output has the column acceleration. With "
     "--softening EPS, 1/r becomes Plummer's 1/sqrt(r^2 + EPS^2) in open "
     "space, "
     "and that of a ball of radius EPS in a cell.\n"
     "\n"
     "--kernel stokeslet, rotlet or stresslet sums the flow of the particles "
     "in a viscous fluid. The strengths are columns of extended XYZ or HDF5 "
     "(below). The output is the column velocity, at the particles without "
     "their own part, or at --targets. With d from the source to the target "
     "the velocities are the sums of f/r + (f.d) d/r^3 (stokeslet), t x d/r^3 "
     "(rotlet) and -6 (q.d)(n.d) d/r^5 (stresslet, strength q and normal n). "
     "--viscosity MU multiplies them by 1/(8 pi MU). Flows have no energy, "
     "virial, units or surface. In a cell the stokeslet has no mean flow: a "
     "mean pressure gradient balances a net force. The stresslet's mean flow "
     "depends on the positions as given: the cell's faces must not cut a "
     "closed surface.\n"
     "\n"
     "Ranks: 'mpirun -n N farsum run FILE', or --ranks N, which starts mpirun "
     "or mpiexec, starts N copies of run, which share the sum. Without "
     "--method they choose the faster of spectral and fmm. In open space only "
     "fmm works, for kernel laplace. In a periodic cell fmm requires "
     "--no-virial. Rank 0 reads and writes "
     "in slices and prints. run recognises a launcher by its variables "
     "(OMPI_COMM_WORLD_SIZE, PMI_SIZE, MV2_COMM_WORLD_SIZE, "
     "SLURM_STEP_NUM_TASKS, PMIX_RANK) and then needs libfarsum_mpi. With "
     "--ranks 1 it runs alone. --device cuda gives each rank the device of its "
     "number on its machine. --domain 2x3 cuts the cell into two parts along "
     "its first vector and three along the second, pencils; 6x1 into slabs. "
     "Other methods and --check do not work over ranks "
     "yet.\n"
     "\n" STATUSES,
     help_run,
     "farsum gen nacl --cells 8 -o nacl.xyz\n"
     "farsum run nacl.xyz --tolerance 1e-8 --check -o out.xyz\n"
     "farsum run data/water_spce_3k.xyz --units real --report r.json\n"
     "farsum run data/water_tric.data --units real --exclude bonds\n"
     "farsum gen uniform -n 1e4 --kernel stokeslet -o drops.xyz\n"
     "farsum run drops.xyz --kernel stokeslet --viscosity 1e-3 -o flow.h5\n"
     "farsum gen plummer -n 1e4 --masses --periodic none -o stars.xyz\n"
     "farsum run stars.xyz --gravity 1 --softening 0.01 --tolerance 1e-3\n"
     "farsum run nacl.xyz --ranks 2\n",
     FOR_RUN},

    {"check", "compares a written result with a reference",
     "farsum check OUT [OPTIONS]",
     "Reads the output of 'farsum run -o OUT', sums random targets by a "
     "converged reference, and compares. The reference shares no table with "
     "the fast code: ewald, or direct in open space, in f64. check takes 1000 "
     "random targets and the 100 targets with the largest values, since a few "
     "close pairs can dominate the RMS.\n"
     "\n"
     "The settings come from the comment line of OUT; options override them. "
     "If OUT holds separate targets, the particles are read from the file "
     "that the comment line names, or from --sources.\n"
     "\n" STATUSES,
     NULL,
     "farsum run nacl.xyz --tolerance 1e-8 -o out.xyz\n"
     "farsum check out.xyz\n"
     "farsum check out.xyz --tolerance 1e-12   # does it meet this one?\n",
     FOR_CHECK},

    {"tune", "prints the plan that run would make, with its reasons",
     "farsum tune FILE [OPTIONS]\n"
     "farsum tune --case \"CASE\" [OPTIONS]\n"
     "farsum tune --model FILE | --case \"CASE\" [OPTIONS]\n"
     "farsum tune --ranks P [--nodes K] [--weak] FILE | --case \"CASE\" "
     "[OPTIONS]\n"
     "farsum tune --ranks P --modes AxBxC --points N [OPTIONS]\n"
     "farsum tune --map FILE.svg [OPTIONS]",
     "Chooses method, parameters and variants for a file or a case without "
     "summing. Prints each choice with its reason, the estimated error and "
     "the memory. A choice that an option fixes is kept, or refused with a "
     "reason. The line 'options' holds the choice as options: with them run "
     "sums with the same parameters, whatever its threads and machine.\n"
     "\n"
     "--model also sums, and prints the machine's rates: the peak of "
     "multiply-adds, the memory bandwidth and seven operations, each also in "
     "flop-equivalents, the multiply-add flops that fit in its time. For each "
     "stage it prints:\n"
     "\n"
     "  operations   in flop-equivalents, and bytes to read and write\n"
     "  prediction   the longer of the two times, and what limits the stage\n"
     "  plan         the time that the tuner expected\n"
     "  measurement  the time, and its shares of peak and bandwidth\n"
     "\n"
     "The rates are measured once, in about a second, and kept with the "
     "compiled kernels; --measure measures them again.\n"
     "\n"
     "--ranks P --nodes K needs no MPI. It prints what a rank does if P ranks "
     "on K nodes share the sum by method spectral or fmm, each with --threads "
     "or a --device: its planes of the mesh, in pencils also its rows, or its "
     "layers of root boxes, its points, its ghosts (copies of other ranks' "
     "points), the bytes that it stores and sends, and its seconds. These are "
     "the tuner's own costs, with the halo's planes and the "
     "pairs with ghosts; a message takes a latency and its bytes over a "
     "bandwidth. Hosts exchange and compute in turn; GPUs exchange planes and "
     "columns concurrently with near pairs. 'farsum bench exchange' measures "
     "the host's latency and bandwidth; --link-latency and --link-bandwidth "
     "set those of the slowest link. Mesh and cutoff are those that ranks with "
     "such links choose, and so are slabs or pencils, unless --domain names "
     "them. Without --method they choose the faster method. The efficiency is "
     "one process's best time by that method over P times the sum's. --weak "
     "prints a table of 1, 2, 4 ... P ranks that have as "
     "many points each as the case or file, in a cell that grows; its "
     "efficiency is one process's time over the sum's. The table, and cases "
     "above "
     "4194304 particles, assume random positions. "
     "--memory-limit is that of a rank.\n"
     "\n"
     "--ranks P --modes AxBxC --points N prints one line each for NUFFTs of "
     "type 1 and 2, and for a spread and an interp over a real mesh as fine "
     "as that of type 2. Options are --tolerance, --precision, --components, "
     "--device, --threads, --isa, --deterministic and those of links.\n"
     "\n"
     "--map draws which variants of spread and interp a mesh of its own uses, "
     "over points per mesh point and runs per set of positions. It prints one "
     "line per number of points. The title of each field in the picture "
     "states the choice and its reason. The options of --map are --device, "
     "--precision, --mesh (default: 128x128x128), --support (default: 6), "
     "--window, --components, --crowding, and --measure, which selects by "
     "measured times.\n"
     "\n" STATUSES,
     NULL,
     "farsum tune data/water_spce_3k.xyz --units real --tolerance 1e-6\n"
     "farsum tune --case \"laplace n=1e6 tol=1e-4\" --cutoff 4 --split "
     "gaussian\n"
     "farsum tune --case \"stokeslet n=1e5 tol=1e-9\"\n"
     "farsum tune --model --case \"stokeslet n=1e5 tol=1e-9\" --csv "
     "model.csv\n"
     "farsum tune --case \"laplace n=1e6 tol=1e-5\" --ranks 512 --nodes 64 "
     "--weak\n"
     "farsum tune --map map.svg --support 8 --components 3\n",
     FOR_TUNE},

    {"gen", "writes crystals, layers, wires and random particles",
     "farsum gen CRYSTAL [--cells K] [--primitive] [-o OUT]\n"
     "farsum gen ASSEMBLY [--cells KxLxM] [--seed N] [-o OUT]\n"
     "farsum gen DISTRIBUTION [-n N] [--cell CELL] [--seed N] [-o OUT]\n"
     "farsum gen DISTRIBUTION --kernel NAME [--net X] ...\n"
     "farsum gen DISTRIBUTION --masses ...\n"
     "farsum gen --case \"CASE\" [-o OUT]",
     "Crystals have lattice constant 1. The assembly water fills a periodic "
     "cell. The others are a neutral layer or wire in the middle of a cell "
     "whose open edges are three times the layer's thickness. The file states "
     "its periodic axes and units=real. "
     "A distribution has N random particles "
     "with charges, or with the strengths of --kernel (below). The cell's "
     "volume V is N unless --cell is given. The mean strength is 0 unless "
     "--net is given. The same seed gives the same particles on every "
     "machine. Without -o the particles go to standard output as extended "
     "XYZ.\n"
     "\n" STATUSES,
     help_gen,
     "farsum gen nacl --cells 8 -o nacl.xyz\n"
     "farsum gen caf2 --cells 4x4x6 --primitive -o caf2.xyz\n"
     "farsum gen film --cells 16x16x6 --seed 7 -o film.xyz\n"
     "farsum gen uniform -n 1e4 --kernel stokeslet --net -1 -o sink.xyz\n"
     "farsum gen plummer -n 1e5 --cell 1x1x2 --seed 7 -o plummer.h5\n"
     "farsum gen plummer -n 1e5 --masses --periodic none -o stars.xyz\n",
     FOR_GEN},

    {"list", "lists methods, stages, variants, kernels and devices",
     "farsum list [methods | stages | splits | windows | kernels | devices | "
     "STAGE]",
     "Prints the possible choices: the methods, or the variants of a stage "
     "with a note and their requirements. Each name is a value of the stage's "
     "option, as in --spread NAME. For a kernel it prints the strengths of a "
     "source and the outputs. For devices it prints those available, or which "
     "library is missing; each name is a value of --device.\n"
     "\n" STATUSES,
     NULL,
     "farsum list\n"
     "farsum list spread\n"
     "farsum list devices\n",
     FOR_LIST},

    {"cache", "lists or removes compiled kernels and measured times",
     "farsum cache [list | clear]\n"
     "farsum cache warm --device NAME [FILE | --case \"CASE\"] [OPTIONS]",
     "A plan on a device compiles its kernels and keeps them on disk. The "
     "folder is FARSUM_CACHE_DIR, else farsum under XDG_CACHE_HOME or "
     "~/.cache; an empty FARSUM_CACHE_DIR switches the cache off. The times "
     "of --measure are there too, in the file wisdom. The folder must belong "
     "to you or to root, and only its owner may write to it; otherwise it is "
     "not used.\n"
     "\n"
     "list prints the files. clear removes them, with the remains of killed "
     "runs. warm makes the plan that run would make for a file or a case, so "
     "that a later run compiles nothing.\n"
     "\n" STATUSES,
     NULL,
     "farsum cache\n"
     "farsum cache clear\n"
     "farsum cache warm --device cuda:0 data/water_spce_3k.xyz --units real\n",
     FOR_CACHE},

    {"bench", "times variants on a case",
     "farsum bench [STAGE | METHOD | all] --case \"CASE\" [OPTIONS]\n"
     "farsum bench [STAGE | METHOD | all] --input FILE [OPTIONS]\n"
     "farsum bench exchange --ranks N [--repeats K] [--csv FILE]\n"
     "mpirun -n N farsum bench exchange [--repeats K] [--csv FILE]",
     "With a stage, makes one plan for each of its variants, with all other "
     "choices equal. The variants are timed in turn, after one round to warm "
     "up. A variant that does not support the case prints its reason. With a "
     "method, or all (the method that auto chooses), times set_points, every "
     "stage, and both calls together.\n"
     "\n"
     "Prints the minimum and median time, particles per second, and the time "
     "relative to the fastest variant. --csv appends rows; --against compares "
     "a later run's medians with them. A difference counts if it is more than "
     "3 per cent and more than the gap between median and minimum in either "
     "run.\n"
     "\n"
     "With --device positions, strengths and results are in device memory, "
     "unless --arrays host is given. The heading states which were timed.\n"
     "\n"
     "exchange times messages among the ranks of MPI: each rank sends one to "
     "every other rank (all, as transforms do), or to the ranks before and "
     "after it (neighbours, as halo planes do; two ranks send both to each "
     "other). Its bytes are those of a message, its GB/s what a rank sends. "
     "In an agreement each rank gathers 8 bytes from every rank. Times are "
     "those of the slowest rank; below 8192 bytes, means of 32 exchanges in a "
     "row. A rank sends at most 1 GiB in all, so that many ranks exchange "
     "shorter messages.\n"
     "\n" STATUSES,
     NULL,
     "farsum bench spread --case \"laplace n=1e6 tol=1e-6 dist=uniform\"\n"
     "farsum bench all --case \"laplace n=1e5 tol=1e-4\" --csv all.csv\n"
     "farsum bench all --case \"laplace n=1e5 tol=1e-4\" --against all.csv\n"
     "farsum bench near --case \"laplace n=1e5\" --plot near.svg\n"
     "farsum bench all --input data/water_spce_3k.xyz --copies 2x2x2\n"
     "farsum bench exchange --ranks 2 --csv exchange.csv\n",
     FOR_BENCH},

    {"help", "explains a subcommand",
     "farsum help [SUBCOMMAND | cases | units]\n"
     "farsum help --man",
     "Prints the page of a subcommand. --man prints all pages as a manual "
     "page in troff.",
     NULL,
     "farsum help run\n"
     "farsum help --man | man -l -\n",
     FOR_HELP},

    {"cases", "notation of random problems",
     "KERNEL n=N cell=CELL tol=X dist=DISTRIBUTION seed=N\n"
     "[density=X] [prec=f64|f32|mixed|auto] [net=X] [kappa=X]\n"
     "[error=force|potential|absolute|velocity|energy|pressure|each]",
     "One line describes a random problem, for the command, tests, benchmarks "
     "and bug reports. Keys may come in any order. Defaults: n=1000, "
     "cell=cubic, tol=1e-5, dist=uniform, seed=1, density=1, prec=f64, net=0, "
     "error=force or, for flows, velocity. The cell's volume V is n / "
     "density. kappa is the inverse screening length of yukawa. net is added "
     "to each charge, or to the last component of each force, torque or "
     "strength. In the formulas s are coordinates along the cell vectors.",
     help_cases,
     "farsum tune --case \"laplace n=1e6 cell=1x1x10 tol=1e-6 "
     "dist=clustered\"\n"
     "farsum gen --case \"stokeslet n=1000 tol=1e-6 seed=1\"\n",
     0},

    {"units", "unit systems and Coulomb's constant",
     "--units reduced | real | metal | gromacs | si",
     "Lengths and charges have the units of the file. The constant C turns "
     "them into energies. The report names it with its source.",
     help_units,
     "farsum run data/water_spce_3k.xyz --units real\n"
     "farsum run data/nacl_melt.xyz --units metal\n",
     0},
};

const struct help_page *help_page(int index)
{
    int count = (int)(sizeof pages / sizeof *pages);
    return index >= 0 && index < count ? &pages[index] : NULL;
}
