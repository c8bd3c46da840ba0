#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Turns the tolerance sweep into the tables of docs/accuracy-measurements.md.

    build/test/test_methods --full --csv ladder.csv
    bench/accuracy_table.py ladder.csv                        # to the terminal
    bench/accuracy_table.py ladder.csv --into docs/accuracy-measurements.md

--into replaces the lines between "<!-- sweep: begin -->" and
"<!-- sweep: end -->" of the file.  Several files, the parts of a sweep that was
run with --filter, are read as one; --join writes them as one.  The program
needs only Python.
"""
import argparse
import csv
import os
import statistics
import sys
import tempfile

BEGIN, END = "<!-- sweep: begin -->", "<!-- sweep: end -->"
NUMBERS = ("tol", "estimate", "measured", "potential_error", "energy_error",
           "virial_error")
SYSTEMS = ("water", "melt", "uniform", "clustered", "dense", "long", "tilted")
# Systems of the group `kernels`.  In `cross`, names begin with the kernel.
KERNELS = {
    "stokeslet": ("forces", "drops", "grid"),
    "rotlet": ("torques", "swarm", "rotors"),
    "stresslet": ("layers", "blobs", "sheets"),
    "yukawa": ("plasma", "dust", "colloid"),
    "r6": ("oil", "resin", "ice"),
}
NEEDED = ("group", "system", "n", "precision", "split", "window", "status",
          *NUMBERS)


def read(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    if not rows:
        sys.exit(f"{path}: no rows")
    for name in NEEDED:
        if name not in rows[0]:
            sys.exit(f"{path}: no column '{name}'")
    return rows


def in_order(rows):
    """The rows in the order in which one run of the whole sweep writes them."""
    systems = [*SYSTEMS, *(s for k in KERNELS.values() for s in k)]
    part = ("ladder", "", "fixed", "kernels", "cross")
    kernels, precisions = ["laplace", *KERNELS], unique(rows, "precision")

    def place(row):
        cross = row["group"] == "cross"
        return (cross,
                kernels.index(kernel(row)) if cross
                else systems.index(row["system"]),
                part.index(row["group"] if row["group"] in part else ""),
                not cross and precisions.index(row["precision"]))
    return sorted(rows, key=place)


def kernel(row):
    """The kernel of a row's system."""
    name = row["system"]
    if row["group"] == "cross":
        return name.split("/")[0]
    return next((k for k, names in KERNELS.items() if name in names),
                "laplace")


def numbers(rows):
    for row in rows:
        for name in NUMBERS:
            row[name] = float(row[name]) if row[name] else None
    return rows


def unique(rows, name):
    """Values of a column in their first order."""
    return list(dict.fromkeys(row[name] for row in rows))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def number(x):
    """Two digits; an exponent only for very small and very large numbers."""
    if 0.01 <= x < 9.95:
        return f"{x:.2f}" if x < 0.995 else f"{x:.1f}"
    return f"{x:.0f}" if 9.95 <= x < 1e5 else f"{x:.1g}"


def summary(rows):
    """Cells, refused, over, measured/tolerance, estimate/measured."""
    done = [r for r in rows if r["status"] == "ok"]
    out = [str(len(rows)), str(len(rows) - len(done))]
    if not done:
        return out + ["", "", "", "", "", ""]
    share = sorted(r["measured"] / r["tol"] for r in done)
    trust = sorted(r["estimate"] / r["measured"] for r in done)
    honest = sum(0.2 <= t <= 5 for t in trust)
    return out + [str(sum(s > 1 for s in share)),
                  number(statistics.median(share)), number(share[-1]),
                  f"{100 * honest / len(done):.0f} %",
                  number(statistics.median(trust)),
                  f"{number(trust[0])} … {number(trust[-1])}"]


HEAD = ["cells", "refused", "over", "measured/tolerance, median", "largest",
        "estimate within 5×", "estimate/measured, median", "from … to"]


def table_of(rows, head, names):
    """A line of `summary` for each combination of the columns `names`."""
    keys = dict.fromkeys(tuple(r[n] for n in names) for r in rows)
    return table(head + HEAD, [
        list(key) + summary([r for r in rows
                             if tuple(r[n] for n in names) == key])
        for key in keys])


def table_default(rows):
    """measured/tolerance of the default split and window by tolerance."""
    split, window = rows[0]["split"], rows[0]["window"]
    rows = [r for r in rows if (r["split"], r["window"]) == (split, window)]
    tols = sorted({r["tol"] for r in rows}, reverse=True)
    lines = []
    for system in unique(rows, "system"):
        for precision in unique(rows, "precision"):
            at = {r["tol"]: r for r in rows
                  if (r["system"], r["precision"]) == (system, precision)}
            if not at:
                continue
            lines.append([system, precision] + [
                "" if t not in at else "–" if at[t]["status"] != "ok"
                else number(at[t]["measured"] / t) for t in tols])
    return split, window, table(["system", ""] + [f"{t:.0e}" for t in tols],
                                lines)


def others_than_force(rows):
    """Errors that the tolerance of the force does not limit."""
    lines = []
    for system in unique(rows, "system"):
        done = [r for r in rows
                if r["system"] == system and r["status"] == "ok"]
        line = [system]
        for name in ("potential_error", "energy_error", "virial_error"):
            share = sorted(r[name] / r["tol"] for r in done)
            line += [number(statistics.median(share)), number(share[-1])]
        lines.append(line)
    return table(["system", "potential, median", "largest", "energy, median",
                  "largest", "virial, median", "largest"], lines)


def refusals(rows):
    """Refused cells: split and window, by tolerance."""
    lines = []
    keys = dict.fromkeys((r["precision"], r["split"], r["window"])
                         for r in rows if r["status"] != "ok")
    for key in sorted(keys, key=lambda k: (k[0] != "f64", k)):
        here = {}
        for r in rows:
            if (r["precision"], r["split"], r["window"]) == key \
                    and r["status"] != "ok":
                here.setdefault(r["tol"], []).append(r["system"])
        every = len(unique(rows, "system"))
        lines.append(list(key) + ["; ".join(
            f"{t:.0e}: " + ("all" if len(s) == every else ", ".join(s))
            for t, s in sorted(here.items(), reverse=True))])
    every = len(unique(rows, "split")) * len(unique(rows, "window"))
    for precision, text in {(x[0], x[3]) for x in lines}:
        same = [x for x in lines if (x[0], x[3]) == (precision, text)]
        if len(same) == every:
            lines = [x for x in lines if x not in same]
            lines.append([precision, "all", "all", text])
    return table(["", "split", "window", "tolerances and systems"], lines)


def table_fixed(rows):
    """Columns of the estimate; with fixed parameters the tolerance is loose."""
    return table(["cells"] + HEAD[5:],
                 [[line[0]] + line[5:] for line in [summary(rows)]])


def by_kernel(rows):
    """A line of `summary` for each kernel."""
    return table_of([{**r, "kernel": kernel(r)} for r in rows], ["kernel"],
                    ["kernel"])


def page(rows):
    ladder = [r for r in rows if r["group"] == "ladder"]
    if not ladder:
        sys.exit("no rows of the group 'ladder'")
    split, window, grid = table_default(ladder)
    parts = [
        f"Measured error over tolerance, split {split}, window {window}, "
        "by tolerance. – : refused.", grid,
        "All splits and windows together.",
        table(HEAD, [summary(ladder)]),
        "By system.", table_of(ladder, ["system", ""],
                               ["system", "precision"]),
        "By split and window.", table_of(ladder, ["split", "window"],
                                         ["split", "window"]),
        "Refused.", refusals(ladder),
        "The tolerance of the force does not limit these: relative errors of "
        "potential,\nenergy and virial, over the tolerance of the force.",
        others_than_force(ladder)]
    norms = [r for r in rows if r["group"] in ("potential", "absolute")]
    fixed = [r for r in rows if r["group"] == "fixed"]
    if norms:
        parts += ["Tolerances of the potential, and absolute tolerances of "
                  "the force.", table_of(norms, ["group"], ["group"])]
    if fixed:
        parts += ["The estimate, with cutoff, support and mesh fixed by hand, "
                  "from too coarse\nto too fine.", table_fixed(fixed)]
    kernels = [r for r in rows if r["group"] == "kernels"]
    cross = [r for r in rows if r["group"] == "cross"]
    if kernels:
        parts += ["Kernels other than 1/r, three systems each, 1e-2 … 1e-11 in "
                  "f64 and 1e-2 … 1e-5 in\nf32. The tolerance limits the "
                  "error of the velocity or of the force.", by_kernel(kernels)]
    if cross:
        parts += ["Every kernel in three cells (cube, 1 : 2 : 3, triclinic) "
                  "with four distributions\n(uniform, clustered, slab, "
                  "lattice). Tolerances are 1e-3 … 1e-11, in f64, f32 and "
                  "mixed.",
                  by_kernel(cross)]
    return "\n\n".join(parts)


def replace(path, text):
    with open(path, encoding="utf-8") as f:
        old = f.read()
    if old.count(BEGIN) != 1 or old.count(END) != 1:
        sys.exit(f"{path}: expected one line '{BEGIN}' and one '{END}'")
    head, rest = old.split(BEGIN)
    tail = rest.split(END)[1]
    new = f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}"
    folder = os.path.dirname(os.path.abspath(path))
    with tempfile.NamedTemporaryFile("w", dir=folder, delete=False,
                                     encoding="utf-8") as f:
        f.write(new)
    os.chmod(f.name, os.stat(path).st_mode & 0o777)
    os.replace(f.name, path)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("csv", nargs="+", help="what test_methods --csv wrote")
    parser.add_argument("--into", metavar="FILE", help="a page to put it in")
    parser.add_argument("--join", metavar="FILE", help="one file of them all")
    options = parser.parse_args()
    rows = in_order([row for path in options.csv for row in read(path)])
    if options.join:
        with open(options.join, "w", newline="", encoding="utf-8") as f:
            out = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
            out.writeheader()
            out.writerows(rows)
        return
    rows = numbers(rows)
    text = page(rows)
    if options.into:
        replace(options.into, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
