#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes bench/reports/spreading.md and its pictures from the measurements.

    mesh_report.py bench/results/spreading_h200.csv --machine "One NVIDIA H200" \\
        --peers bench/results/cufinufft_h200.csv \\
        --peers bench/results/nufft_h200.csv \\
        --notes bench/reports/spreading_notes.md --out bench/reports/spreading.md

The CSV files hold lines of mesh_rows (spreading.py runs it on all cases) and of
peers/cufinufft_rows.py.  Pictures go to a folder with the report's name.
Without matplotlib the report has no pictures.
"""
import argparse
import csv
import os
import sys

import report_data as data
import report_peers
from report_data import short

INTRO = """# Variants of spreading and interpolation

{machine}.

`bench/mesh_report.py` made this page from {sources}.
These files hold lines of `mesh_rows` (`bench/mesh_rows.c`) on the cases of
`bench/spreading.py` and of `bench/peers/cufinufft_rows.py`:

```
bench/spreading.py cuda:0 DIR --rows build/bench/mesh_rows
bench/peers/cufinufft_rows.py --rows build/bench/mesh_rows --out DIR/cufinufft.csv
bench/peers/cufinufft_rows.py --nufft build/bench/nufft_rows --out DIR/nufft.csv
```

Positions and strengths are on the device, in random order. The minimum of nine runs
counts (of three runs, if they take long).

- **set-up**: time that a variant needs for new positions (sorts, lists, matrices), in
  memory that is already allocated. **run**: time for new strengths.
- **bound**: the minimum time of the slowest part of the variant's work, in per cent of
  the run, with the part's name. Parts are its own multiply-adds, bytes of memory, atomic
  sums, bytes or atomics of shared memory, and the launch. The rates were measured on this
  GPU: {f64:.1f} and {f32:.1f} tera multiply-adds per second in f64 and f32,
  {hbm:.2f} TB/s, and atomics on cached data (`bench/report_data.py` has the formulas).
- **useful**: the time of P^3 multiply-adds per strength, in per cent of the run. It does
  not depend on the variant's own work, so variants can be compared by it.
- **best from**: the smallest number of runs on the same positions for which set-up and
  runs together take less time than with every other variant; "-": never.
- **off**: relative RMS difference from the first variant of the table.
"""
SLIDES = {1000000: {"gpu_particle": 10.1, "gpu_cell_grid": 11.9,
                    "gpu_cell_hybrid": 63.8},
          4000000: {"gpu_particle": 8.5, "gpu_cell_grid": 11.1,
                    "gpu_cell_hybrid": 59.9}}
AIMS = (  # words, stage, case, particles per microsecond
    ("f64, P = 8, three channels, 0.1 particles per mesh point", "spread",
     ("f64", 8, 3, 216, 1000000), 1500),
    ("the same, 4e6 particles", "spread", ("f64", 8, 3, 344, 4000000), 1500),
    ("0.3 per mesh point", "spread", ("f64", 8, 3, 216, 3000000), 2000),
    ("1 per mesh point", "spread", ("f64", 8, 3, 216, 10000000), 3000),
    ("f32, P = 6, 1 per mesh point", "spread", ("f32", 6, 1, 216, 10000000),
     10000))
CAPTIONS = (
    ("units", "Compute units", "Figure 3: the single mesh by threads per mesh "
     "point, K = 128. The paper's rule takes the power of two below "
     "N p^3 / K^3, at most 16."),
    ("groups", "Group sizes", "Figure 4: the group mesh by mesh points per "
     "group, K = 128. The paper's best size was 64."),
    ("shuffle", "Shuffles or shared memory", "Figure 5: the single mesh, where "
     "the threads of a unit add by shuffles or in shared memory. Unit sizes "
     "follow the rule, K = 128."),
    ("atomics", "Cost of atomics", "Figure 6: particle based spreading with "
     "native atomics, with loops of compare and swap (as on the older "
     "architecture), and with a read, an addition and a write, K = 64. The "
     "last one's sums are wrong."),
    ("gather", "Particle based or gather", "Figure 7: particle based spreading "
     "and the gather of Harvey and De Fabritiis, K = 64, with a column variant "
     "for scale."),
    ("weights", "Stored or recomputed weights", "3 p stored weights per "
     "particle (`gpu_particle_stored`), p^3 stored (`gpu_single`), or weights "
     "recomputed in each run (`gpu_particle`), K = 128."),
    ("spreading", "Spreading", "Figure 8: a run of every variant, p = 6."),
    ("construction", "Construction", "Figure 9: set-up of the variants that "
     "need one."),
    ("winners", "Fastest variant by number of runs", "The fastest variant for "
     "a number of runs on the same positions, set-up included: section 4.5 of "
     "the paper as a map."),
)


def case_title(case):
    return "%s, %s, P = %s, %s channel%s, %s^3 points, N = %s, %s" % (
        case.room, case.precision, case.P, case.channels,
        "" if case.channels == 1 else "s", case.K, data.counted(case.N),
        case.dist)


def table(out, case, rows):
    out.append("\n### %s\n" % case_title(case))
    out.append("%.3g particles per mesh point; N P^3 / K^3 = %.3g. On %s.\n"
               % (data.density(case), data.asm(case), case.device))
    out.append("| variant | set-up, ms | run, ms | particles/us | useful | "
               "bound | best from | off |")
    out.append("|---|---|---|---|---|---|---|---|")
    first = data.best_from(rows)
    work = case.N * case.P ** 3 * case.channels * case.parts \
        / data.FMA[case.precision]
    for name, r in sorted(rows.items(), key=lambda x: x[1]["run_min_ms"]):
        seconds, why = data.bound(case, name)
        run = 1e-3 * r["run_min_ms"]
        out.append("| `%s` | %s | %s | %s | %.1f %% | %.0f %% %s | %s | %s |"
                   % (name, short(r["set_ms"]), short(r["run_min_ms"]),
                      short(r["per_us"]), 100 * work / run,
                      100 * seconds / run, why, first.get(name, "-"),
                      r["off"]))


def find(cases, room, precision, p, channels, k, n, dist="uniform"):
    for case, rows in cases.items():
        if (case.room, case.precision, case.P, case.channels, case.K, case.N,
                case.dist, case.parts) == (room, precision, p, channels, k, n,
                                           dist, 1) \
                and case.window != "bspline":
            return case, rows
    return None, {}


def aims(out, cases):
    out.append("\n## Goals\n")
    out.append("| case | spread, variant | particles/us | goal | interp, variant"
               " | particles/us | goal |")
    out.append("|---|---|---|---|---|---|---|")
    for what, _, case, aim in AIMS:
        cells = []
        for room, wanted in (("spread", aim), ("interp", 2 * aim)):
            _, rows = find(cases, room, *case)
            if not rows:
                cells += ["", "", str(wanted)]
                continue
            best = max(rows.values(), key=lambda r: r["per_us"])
            cells += ["`%s`" % best["row"], short(best["per_us"]), str(wanted)]
        out.append("| %s | %s |" % (what, " | ".join(cells)))


def slides(out, cases):
    out.append("\n## Particles to mesh at the 2025 slides' case\n")
    out.append("""Stokes sums: three components, P = 8, f64, 224 particles per cutoff cell, on the same
kind of GPU (Kosmacher, Du, Bagge, Biros, "Performance portable fast Ewald
summation", Kokkos user group, May 2025). BASE is our `gpu_particle`, GRID
`gpu_cell_grid`, HYBRID `gpu_cell_hybrid`. Rates are particles per microsecond. The slides
do not state whether their times include building lists, so ours are given without and
with set-up.
""")
    out.append("| variant | 1e6, slides | 1e6, run | 1e6, with set-up | bound | "
               "4e6, slides | 4e6, run | 4e6, with set-up | bound |")
    out.append("|---|---|---|---|---|---|---|---|---|")
    found = {n: find(cases, "spread", "f64", 8, 3, k, n)
             for n, k in ((1000000, 216), (4000000, 344))}
    names = {}
    for n, (_, rows) in found.items():
        for r in rows.values():
            names.setdefault(r["row"], r["per_us"])
    label = {"gpu_particle": " (BASE)", "gpu_cell_grid": " (GRID)",
             "gpu_cell_hybrid": " (HYBRID)"}
    for name in sorted(names, key=names.get):
        cells = []
        for n, (case, rows) in found.items():
            r = rows.get(name)
            seen = SLIDES[n].get(name)
            if not r:
                cells += [str(seen or ""), "", "", ""]
                continue
            seconds, why = data.bound(case, name)
            both = 1e-3 * n / (r["run_min_ms"] + r["set_ms"])
            cells += [str(seen or ""), short(r["per_us"]), short(both),
                      "%.0f %% %s" % (1e5 * seconds / r["run_min_ms"], why)]
        out.append("| `%s`%s | %s |" % (name, label.get(name, ""),
                                        " | ".join(cells)))


def paper(out, cases, pictures, folder):
    if not any(c.window == "bspline" for c in cases):
        return
    out.append("\n## The 2015 paper's figures\n")
    out.append("""Cases of Guo, Liu, Xu, Du and Chow (Procedia Comput. Sci. 51 (2015) 120): cardinal
B-splines of p = 6, K = 32, 64, 128, 256, N = 1e3 to 1e7 uniform particles, one
strength per particle. The paper's GPUs were a K40c and a GTX 480.
""")
    for name, title, caption in CAPTIONS:
        if name in pictures:
            out.append("### %s\n" % title)
            out.append("![%s](%s/%s)\n" % (title, folder, pictures[name]))
            out.append(caption + "\n")
    out.append("### The figures' numbers\n")
    out.append("Times in ms: run / set-up; only the run for variants without a "
               "set-up.\n")
    for precision in ("f32", "f64"):
        for k in (32, 64, 128, 256):
            matrix(out, cases, precision, k)


def matrix(out, cases, precision, k):
    """Variants over N for a mesh."""
    some = {c.N: rows for c, rows in cases.items()
            if c.room == "spread" and c.window == "bspline"
            and c.precision == precision and c.K == k}
    if not some:
        return
    counts = sorted(some)
    names = []
    for n in counts:
        names += [r for r in some[n] if r not in names]
    out.append("\n#### %s, K = %d\n" % (precision, k))
    out.append("| variant | " + " | ".join(data.counted(n) for n in counts)
               + " |")
    out.append("|" + "---|" * (len(counts) + 1))
    for name in names:
        cells = []
        for n in counts:
            r = some[n].get(name)
            text = ""
            if r:
                text = short(r["run_min_ms"])
                if r["set_ms"] > 0.004:
                    text += " / " + short(r["set_ms"])
            cells.append(text)
        out.append("| `%s` | %s |" % (name, " | ".join(cells)))


def table_lines(paths):
    lines = []
    for path in paths:
        with open(path) as f:
            lines += csv.DictReader(f)
    return lines


def draw(cases, lines, folder):
    try:
        import report_pictures
        return report_pictures.all_pictures(cases, lines, folder)
    except ImportError as missing:
        print("no pictures: %s" % missing, file=sys.stderr)
        return {}


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("csv", nargs="+")
    p.add_argument("--machine", required=True)
    p.add_argument("--peers", action="append", default=[])
    p.add_argument("--host", action="append", default=[],
                   help="lines of peers/finufft_nufft.py")
    p.add_argument("--notes", help="file whose text comes before the tables")
    p.add_argument("--out", required=True)
    a = p.parse_args()
    cases = data.read(a.csv)
    lines = table_lines(a.peers)
    out = [INTRO.format(machine=a.machine, hbm=data.HBM / 1e12, sources=", "
                        .join("`%s`" % c for c in a.csv + a.peers),
                        f64=data.FMA["f64"] / 1e12, f32=data.FMA["f32"] / 1e12)]
    if a.notes:
        with open(a.notes) as f:
            out.append(f.read().rstrip())
    folder = os.path.splitext(a.out)[0]
    pictures = draw(cases, lines, folder)
    folder = os.path.basename(folder)
    aims(out, cases)
    slides(out, cases)
    report_peers.section(out, lines, pictures, folder)
    report_peers.host(out, table_lines(a.host))
    paper(out, cases, pictures, folder)
    for room in ("spread", "interp"):
        out.append("\n## %s, every variant\n" % room.capitalize())
        for case, rows in cases.items():
            if case.room == room and len(rows) > 1 \
                    and case.window != "bspline" and case.parts == 1:
                table(out, case, rows)
    with open(a.out, "w") as f:
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    sys.exit(main())
