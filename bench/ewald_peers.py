# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/reports/ewald.md that compare other programs with ours."""
from ewald_tables import error, table
from report_data import counted, short

GPU_PEERS = ("openmm", "nvalchemi", "torch-pme", "jax-pme")
FEWEST = 1e4  # particles: the goal of twice the speed holds from here on


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
    for r in m.gpu_peers:  # each program's fastest line that meets the target
        for target in {t for t, _ in found} | {float(r["target"])}:
            key = (target, r["precision"])
            if float(r["measured"]) > 1.05 * target:
                continue
            if target > 1.5 * float(r["target"]) and r["precision"] == "f64":
                continue  # f64 settings for smaller errors do not compete
            of = found.setdefault(key, {}).setdefault(int(r["n"]), {})
            if r["peer"] not in of or step(r["peer"], r) < step(
                    r["peer"], of[r["peer"]]):
                of[r["peer"]] = r
    return found


def step(program, r):
    """Milliseconds of the forces, without the integrator."""
    if program == "farsum":
        return float(r["total_ms"])
    return float(r["step_ms"]) - float(r.get("bare_ms") or 0)


def ours_for(found, target, precision, n):
    """Our line with the same error, precision and number of atoms."""
    return found.get((target, precision), {}).get(n, {}).get("farsum")


def atoms(n):
    return counted(n) if n > 99999 else "%d" % n


COULOMB = """
## Coulomb forces compared with other programs on the same GPU

The system is SPC/E water: copies of one box of 3000 atoms, and a box of 1029. All pairs
are summed, without exclusions, and only forces are computed. `bench/peers/gpu_pme.py`
scanned each program's cutoff, order and mesh for the error, with the splitting parameter
of Kolafa and Perram. The fastest setting counts whose measured error is at most 1.05 of
the target. In f32, settings that were scanned for a smaller error compete too.

A step uses an existing pair list, so no time includes building one. *new positions* is
our `set_points`. OpenMM's time is a step of its integrator less a step without forces.
nvalchemi is nvalchemi-toolkit-ops with its direct forces, by calls or captured once as a
graph, whichever is faster. It runs on NVIDIA Warp, whose library was built from the
wheel's sources (`bench/peers/warp_small.sh`). The processor builds the lists of torch-pme
and jax-pme. Empty cells were not measured, or do not reach the error.
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
    out.append("Settings of these programs, lengths in Ångström. Times in ms:"
               " *step* as timed, *bare* the step without forces, *list* a new"
               " list where it is built separately.\n")
    table(out, ["error", "precision", "atoms", "program", "variant", "cutoff",
                "order", "mesh", "step", "bare", "list"], how)


HOST = """
## Coulomb forces on a processor

`bench/peers/versus.py` runs Debian's LAMMPS (pppm, and its plain Ewald sum as `ewald`),
GROMACS (PME) and Farsum in turn on the same particles, with the same threads. The cutoff,
mesh and order of LAMMPS and GROMACS were scanned, and the fastest setting is shown. All
errors are measured.

The machine has two cores of an AMD EPYC (Zen 3). Boxes of 1029 and 1.01e7 atoms ran on two
cores of an Intel Xeon with AVX-512. For 1.01e7 atoms there was one round, and LAMMPS at
1e-4 did not fit 23 GiB: its fastest setting has a cutoff of 8 Å.

Times are in ms: the minimum of the rounds, with the median in parentheses. *ratio* is
their time over ours, first for a step with an existing list, then with a new list and
`set_points` on both sides. Two errors are not reached: 1e-9 by LAMMPS (its erfc is a
polynomial with an error of 1.5e-7; the best measured error is 1.1e-7), and errors below
3e-6 by GROMACS in mixed precision.

```
versus.py data/water_spce_3k.xyz --reference ref.npz --farsum build/tools/farsum/farsum \\
    --scan bench/results/peers_scan.csv --replicate 1 --threads 1,2 --errors 1e-3,1e-4,1e-6
versus.py data/water_spc_1k.xyz ... --keep 1    # the same, 1029 atoms
versus.py data/water_spce_3k.xyz ... --replicate 15 --threads 2 --errors 1e-3,1e-4 \\
    --keep 1 --consider 3 --rounds 1            # 1.01e7
```
"""
CLOCK = """
The next table is for one core of a machine that was busy with other work. Its times are
each program's processor time (`bench/peers/cpu_clock.c`), for Farsum the median of its
executes. They say less about memory that cores share than the table above, and more than
wall times on a busy machine would.

```
LD_PRELOAD=./cpu_clock.so versus.py data/water_spce_3k.xyz --reference ref.npz \\
    --scan bench/results/peers_scan.csv,bench/results/peers_scan2.csv --keep 1 \\
    --farsum build/tools/farsum/farsum --threads 1 --of median --repeats 15 \\
    --rounds 2 --consider 6 --replicate 2 --errors 1e-5
```
"""


def groups(lines):
    """{(n, threads, target, our precision): [[our line, their lines...]]}; the
    last measurement of a group counts."""
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
    """(our line, their line) for a program's fastest line, or None."""
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
               "*theirs over ours*: their time per step over ours at the same"
               " measured error, from the tables above, for each number of"
               " atoms that was measured with both. *precision* is ours.\n")
    rows = []
    for (where, peer, target, own), by_n in sorted(
            found.items(), key=lambda p: (p[0][0] != "GPU", *p[0][:2],
                                          -p[0][2], p[0][3])):
        least = min(by_n.values())
        rows.append([where, peer, "%g" % target, own, ", ".join(
            "%s: %.3g" % (atoms(n), r) for n, r in sorted(by_n.items())),
            "yes" if least >= 2 else
            "no" if max(by_n.values()) < 2 else "partly"])
    table(out, ["on", "program", "error", "precision", "theirs over ours",
                "twice"], rows)
