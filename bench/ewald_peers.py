# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/reports/ewald.md that compare other programs with ours."""
from ewald_tables import error, table
from report_data import counted, short

GPU_PEERS = ("openmm", "nvalchemi", "torch-pme", "jax-pme")
FEWEST = 1e4  # particles from which on twice the speed is asked for


def wanted(r):
    return float(r["asked"].split("want=")[1].split(" ")[0])


def by_error(m):
    """{(target, precision): {n: {program: line}}}; ours as 'farsum'."""
    found = {}
    for r in m.whole:
        if r["tag"] == "coulomb":
            key = (wanted(r), r["precision"])
            found.setdefault(key, {}).setdefault(
                int(r["n"]), {})["farsum"] = r
    for r in m.gpu_peers:  # the fastest of each whose error is small enough
        for target in {t for t, _ in found} | {float(r["target"])}:
            key = (target, r["precision"])
            if float(r["measured"]) > 1.05 * target:
                continue
            if target > 1.5 * float(r["target"]) and r["precision"] == "f64":
                continue  # nobody would
            of = found.setdefault(key, {}).setdefault(int(r["n"]), {})
            if r["peer"] not in of or step(r["peer"], r) < step(
                    r["peer"], of[r["peer"]]):
                of[r["peer"]] = r
    return found


def step(program, r):
    """ms of only the forces."""
    if program == "farsum":
        return float(r["total_ms"])
    return float(r["step_ms"]) - float(r.get("bare_ms") or 0)


def ours_for(found, target, precision, n):
    """Our line for a peer's: the same error, precision and atoms."""
    return found.get((target, precision), {}).get(n, {}).get("farsum")


def atoms(n):
    return counted(n) if n > 99999 else "%d" % n


COULOMB = """
## Coulomb forces beside other programs on the same GPU

SPC/E water, copies of one box of 3000 atoms, and a box of 1029, every pair, no
exclusions; forces alone.
`bench/peers/gpu_pme.py`: each program's cutoff, order and mesh were scanned for the
error (splitting parameter by Kolafa and Perram), the fastest that keeps to it, or errs
by 5 % more, counts, also of those for a smaller error.
A step has a standing list of pairs; *new positions* is our `set_points`. OpenMM's time
is a step of its integrator less a step of the same without forces. nvalchemi is
nvalchemi-toolkit-ops, its direct forces, by calls or captured once as a graph,
whichever is faster, on NVIDIA Warp whose library was built from the wheel's sources
(`bench/peers/warp_small.sh`). torch-pme's and jax-pme's lists come from the processor.
No list is in the time. Empty: not measured, or the error is not reached.
"""


def coulomb(out, m):
    found = by_error(m)
    if not found:
        return
    out.append(COULOMB)
    head = ["error", "precision", "atoms", "Farsum", "its error",
            "new positions"]
    for n in GPU_PEERS:
        head += [n, "its error", "over ours"]
    rows = []
    for (target, precision), by_n in sorted(found.items(), reverse=True):
        for n, programs in sorted(by_n.items()):
            ours = programs.get("farsum")
            cells = ["%g" % target, precision, atoms(n)]
            cells += [short(float(ours["total_ms"])), error(ours),
                      short(float(ours["set_ms"]))] if ours else ["", "", ""]
            for name in GPU_PEERS:
                r = programs.get(name)
                cells += [short(step(name, r)), r["measured"],
                          "%.1f" % (step(name, r) / step("farsum", ours))
                          if ours else ""] if r else ["", "", ""]
            rows.append(cells)
    table(out, head, rows)
    how = []
    for (target, precision), by_n in sorted(found.items(), reverse=True):
        for n, programs in sorted(by_n.items()):
            for name in GPU_PEERS:
                r = programs.get(name)
                if r:
                    how.append(["%g" % target, precision, atoms(n),
                                "%s %s" % (name, r["version"]), r["variant"],
                                r["cutoff"], r["order"], r["mesh"],
                                short(float(r["step_ms"])),
                                short(float(r.get("bare_ms") or 0)),
                                short(float(r["list_ms"]))])
    out.append("The settings of those, Ångström; their step as timed, that"
               " without forces, and a new list where it is apart, ms:\n")
    table(out, ["error", "precision", "atoms", "program", "variant", "cutoff",
                "order", "mesh", "step", "bare", "list"], how)


HOST = """
## Coulomb forces on a processor

`bench/peers/versus.py`: Debian's LAMMPS (pppm, and its plain Ewald sum as `ewald`) and
GROMACS (PME), whose cutoff, mesh and order were scanned, and Farsum in turn on the same
particles with the same threads, at errors measured on both; two cores of an AMD EPYC
(Zen 3), 1029 and 1.01e7 atoms on two of an Intel Xeon with AVX-512; of these last one
round, and LAMMPS at 1e-4, whose fastest set has a cutoff of 8 Å, did not fit 23 GiB.
Times are ms, the least of the rounds, the median behind; *ratio* is theirs over ours, of
a step with a standing list, and with a new list and `set_points` in both.
Of a peer's sets the fastest. Not reached: LAMMPS 1e-9 (its erfc is a polynomial good to
1.5e-7, the best measured is 1.1e-7), GROMACS in mixed precision below 3e-6.

```
versus.py data/water_spce_3k.xyz --reference ref.npz --farsum build/tools/farsum/farsum \\
    --scan bench/results/peers_scan.csv --replicate 1 --threads 1,2 --errors 1e-3,1e-4,1e-6
versus.py data/water_spc_1k.xyz ... --keep 1    # the same, 1029 atoms
versus.py data/water_spce_3k.xyz ... --replicate 15 --threads 2 --errors 1e-3,1e-4 \\
    --keep 1 --consider 3 --rounds 1            # 1.01e7
```
"""
CLOCK = """
The same on one core of a machine that was busy otherwise, by the time that the processor
gave each program (`bench/peers/cpu_clock.c`), the median of our executes. It says less
than the table before about memory that cores share, and more than times of a busy wall.

```
LD_PRELOAD=./cpu_clock.so versus.py data/water_spce_3k.xyz --reference ref.npz \\
    --scan bench/results/peers_scan.csv,bench/results/peers_scan2.csv --keep 1 \\
    --farsum build/tools/farsum/farsum --threads 1 --of median --repeats 15 \\
    --rounds 2 --consider 6 --replicate 2 --errors 1e-5
```
"""


def groups(lines):
    """{(n, threads, target, our precision): [our line, theirs...]}; the last
    measurement of a group counts."""
    found, last = {}, None
    for r in lines:
        if r["program"] == "farsum":
            last = [r]
        elif len(last) == 1:
            r0 = last[0]
            kind = "ewald" if r["variant"] == "ewald" else r["program"]
            found[int(r0["n"]), int(r0["threads"]), float(r0["target"]),
                  r0["variant"], kind] = last
            last.append(r)
        else:
            last.append(r)
    merged = {}
    for (n, threads, target, own, _), some in found.items():
        merged.setdefault((n, threads, target, own), []).append(some)
    return merged


def fastest(runs, program):
    """(our line, theirs) of the fastest of a program's lines, or None."""
    found = [(some[0], r) for some in runs for r in some[1:]
             if program == ("ewald" if r["variant"] == "ewald"
                            else r["program"])]
    return min(found, key=lambda p: float(p[1]["step_min"]) / float(
        p[0]["step_min"])) if found else None


def host(out, lines, clock):
    if lines:
        out.append(HOST)
        host_table(out, lines)
    if clock:
        out.append(CLOCK)
        host_table(out, clock)


def host_table(out, lines):
    rows = []
    for (n, threads, target, own), runs in sorted(groups(lines).items()):
        first = runs[-1][0]
        cells = [atoms(n), threads, "%g" % target, own, ms(first, "step"),
                 ms(first, "list"), first["measured"]]
        for name in ("lammps", "ewald", "gromacs"):
            pair = fastest(runs, name)
            if pair:
                _, r = pair
                cells += ["%s%s" % ("" if name == "ewald" else
                                    r["variant"] + ": ", ms(r, "step")),
                          r["measured"], "%.1f, %.1f" % (
                              float(r["ratio"]), float(r["ratio_all"]))]
            else:
                cells += ["", "", ""]
        rows.append(cells)
    table(out, ["atoms", "threads", "error", "Farsum", "step", "new positions",
                "its error", "LAMMPS pppm", "its error", "ratio",
                "LAMMPS ewald", "its error", "ratio", "GROMACS", "its error",
                "ratio"], rows)


def ms(r, what):
    return "%s (%s)" % tuple(short(1e3 * float(r[what + k]))
                             for k in ("_min", "_median"))


def ratios(m, lines, clock):
    """{(where, peer, error, precision): {n: ratio}} from FEWEST atoms on."""
    found = {}
    by = by_error(m)
    for (target, precision), by_n in by.items():
        for n, programs in by_n.items():
            for name in GPU_PEERS:
                if name in programs and "farsum" in programs and n >= FEWEST:
                    found.setdefault(("GPU", name, target, precision), {})[n] \
                        = step(name, programs[name]) / step(
                            "farsum", programs["farsum"])
    for some, more in ((lines, ""), (clock, ", its clock")):
        for (n, threads, target, own), runs in groups(some).items():
            for name in ("lammps", "ewald", "gromacs"):
                pair = fastest(runs, name) if n >= FEWEST else None
                if pair:
                    where = "%d core%s%s" % (threads, "s" * (threads > 1), more)
                    peer = {"lammps": "LAMMPS pppm", "ewald": "LAMMPS ewald",
                            "gromacs": "GROMACS "
                            + pair[1]["variant"]}[name]
                    found.setdefault((where, peer, target, own), {})[n] = float(
                        pair[1]["ratio"])
    return found


def twice(out, m, lines, clock):
    found = ratios(m, lines, clock)
    if not found:
        return
    out.append("\n## Twice as fast as every program from 1e4 particles on?\n\n"
               "Their time of a step over ours at the same measured error, from"
               " the tables before; *precision* is ours. At each number of"
               " atoms that was measured on both.\n")
    rows = []
    for (where, peer, target, own), by_n in sorted(
            found.items(), key=lambda p: (p[0][0] != "GPU", *p[0][:2],
                                          -p[0][2], p[0][3])):
        least = min(by_n.values())
        rows.append([where, peer, "%g" % target, own, ", ".join(
            "%s: %.3g" % (atoms(n), r) for n, r in sorted(by_n.items())),
            "yes" if least >= 2 else
            "no" if max(by_n.values()) < 2 else "in part"])
    table(out, ["on", "program", "error", "precision", "theirs over ours",
                "twice"], rows)
