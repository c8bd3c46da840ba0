#!/usr/bin/env python3
"""Turns the ladder of tolerances into the tables of docs/accuracy.md.

    build/test/test_methods --full --csv ladder.csv
    bench/accuracy_table.py ladder.csv                        # to the terminal
    bench/accuracy_table.py ladder.csv --into docs/accuracy.md

--into replaces what stands between the lines "<!-- ladder: begin -->" and
"<!-- ladder: end -->" of the file.  Nothing but Python is needed.
"""
import argparse
import csv
import os
import statistics
import sys
import tempfile

BEGIN, END = "<!-- ladder: begin -->", "<!-- ladder: end -->"
NUMBERS = ("tol", "estimate", "measured")
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
    return f"{x:.2g}"


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


def reached(rows):
    """The smallest tolerance that is kept, by split, window and precision."""
    out = []
    for split in unique(rows, "split"):
        for window in unique(rows, "window"):
            line = [split, window]
            for precision in ("f64", "f32"):
                done = [r["tol"] for r in rows if r["status"] == "ok"
                        and (r["split"], r["window"], r["precision"])
                        == (split, window, precision)]
                line.append(f"{min(done):.0e}" if done else "")
            out.append(line)
    return table(["split", "window", "f64", "f32"], out)


def page(rows):
    ladder = [r for r in rows if r["group"] == "ladder"]
    if not ladder:
        sys.exit("no rows of the group 'ladder'")
    split, window, grid = table_default(ladder)
    parts = [
        f"Measured error over tolerance, split {split}, window {window}, "
        "by tolerance. – : refused.", grid,
        "By system.", table_of(ladder, ["system", ""],
                               ["system", "precision"]),
        "By split and window.", table_of(ladder, ["split", "window"],
                                         ["split", "window"]),
        "The smallest tolerance of the ladder that some system was summed to.",
        reached(ladder)]
    others = [r for r in rows if r["group"] != "ladder"]
    if others:
        parts += ["Other norms (potential, absolute) and parameters fixed by "
                  "hand (fixed).", table_of(others, ["group"], ["group"])]
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
    parser.add_argument("csv", help="what test_methods --csv wrote")
    parser.add_argument("--into", metavar="FILE", help="a page to put it in")
    options = parser.parse_args()
    text = page(read(options.csv))
    if options.into:
        replace(options.into, text)
    else:
        print(text)


if __name__ == "__main__":
    main()
