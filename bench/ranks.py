#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the data of bench/reports/ranks.md on 1, 2 and 4 GPUs, in parts.

    ranks.py results/ranks.csv --build build --gpus 4
    ranks.py results/ranks.csv --part sums --minutes 3
    ranks.py --report bench/results/ranks_h200.csv \\
        --pictures bench/reports/ranks > bench/reports/ranks.md

Appends lines of ranks_sum and ranks_nufft to the file, and error messages to
the .log file.  A case that is already in the file is skipped, so an
interrupted run continues.  Pictures require matplotlib and Pillow.  Parts:

  sums    weak and strong scaling of whole sums
  models  what `farsum tune --ranks` predicts for them
  nufft   weak scaling of NUFFTs and of their meshes
  meshes  sums on four GPUs with meshes other than the tuner's
"""
import argparse
import os
import re
import time

import parts
from fmm import machine
from report_pictures import plots, save

LINK = 450  # GB/s that a GPU sends over NVLink 4, from its data sheet
GPUS = (1, 2, 4)
# name, points per GPU, arguments of ranks_sum
WEAK = (
    ("Stokeslet f64, 1e-9, 4e6", 4000000, "stokeslet {n} 1e-9"),
    ("Stokeslet f32, 1e-4, 4e6", 4000000, "stokeslet {n} 1e-4 f32"),
    ("Coulomb f32, 1e-4, 4e6", 4000000, "laplace {n} 1e-4 f32"),
    ("Coulomb f32, 1e-4, 1e6", 1000000, "laplace {n} 1e-4 f32"),
    ("Coulomb f32, 1e-4, 1e7, `fmm`", 10000000, "laplace {n} 1e-4 f32 fmm"),
    ("Coulomb f32, 1e-4, 4e6, `fmm`", 4000000, "laplace {n} 1e-4 f32 fmm"),
    ("Coulomb f32, 1e-4, 4e6, clustered", 4000000,
     "laplace {n} 1e-4 f32 clustered runs=4"),
)
STRONG = (
    ("Coulomb f32, 1e-4, 1e7 in all", 10000000, "laplace {n} 1e-4 f32"),
    ("Coulomb f32, 1e-4, 1e7 in all, `fmm`", 10000000,
     "laplace {n} 1e-4 f32 fmm"),
)
NUFFTS = (("f64, 1e-6", "1e-6"), ("f32, 1e-4", "1e-4 f32"))
MODES = {1: 216, 2: 272, 4: 344}
MESHES = (("Coulomb f32, 1e-4, 4e6", (448, 480, 512, 540, 560)),
          ("Stokeslet f64, 1e-9, 4e6", (432, 448, 480, 504, 512)))
EXCHANGES = ("route", "ghosts", "planes", "transform")


def launch(a, ranks, program, words):
    return (["mpirun", "-n", str(ranks), os.path.join(a.build, "bench", program)]
            + words.split() + ["device=cuda"])


def sum_case(a, kind, name, ranks, n, words, how=""):
    """how: anywhere if empty; or slab, none, model, or mesh=POINTS."""
    more = {"": "", "slab": " here", "model": " model runs=1"}.get(
        how, " " + how)
    more += " alone" if ranks == 0 else ""
    return ("%s | %s | %d | %s" % (kind, name, ranks, how),
            launch(a, ranks or 1, "ranks_sum", words.format(n=n) + more))


def sums(a):
    for kind, cases in (("weak", WEAK), ("strong", STRONG)):
        for name, n, words in cases:
            for p in (0,) + tuple(g for g in GPUS if g <= a.gpus):
                total = n * max(p, 1) if kind == "weak" else n
                yield sum_case(a, kind, name, p, total, words)
            if a.gpus >= 4 and "clustered" not in name:
                total = n * 4 if kind == "weak" else n
                yield sum_case(a, kind, name, 4, total, words, "slab")
    if a.gpus >= 4:
        name, n, words = WEAK[2]
        yield sum_case(a, "weak", name, 4, 4 * n, words, "none")


def models(a):
    for kind, cases in (("weak", WEAK), ("strong", STRONG)):
        for name, n, words in cases:
            for p in GPUS:
                if p <= a.gpus and "clustered" not in name:
                    total = n * p if kind == "weak" else n
                    yield sum_case(a, kind, name, p, total, words, "model")


def nufft(a):
    for name, words in NUFFTS:
        for p in (0,) + tuple(g for g in GPUS if g <= a.gpus):
            q = max(p, 1)
            yield ("nufft | %s | %d | " % (name, p),
                   launch(a, q, "ranks_nufft", "%d %d %s%s"
                          % (10000000 * q, MODES[q], words,
                             " alone" if p == 0 else "")))


def meshes(a):
    for name, sizes in MESHES:
        n, words = next(c[1:] for c in WEAK if c[0] == name)
        for p in (0, 4):
            for size in sizes:
                if p == 0:  # the same spacing on one GPU
                    size = 2 * round(size / 4 ** (1 / 3) / 2)
                yield sum_case(a, "mesh", name, p, n * max(p, 1), words,
                               "mesh=%d" % size)


PARTS = {"sums": sums, "models": models, "nufft": nufft, "meshes": meshes}


def cells(line):
    """A line of ranks_sum by name."""
    f = line.split(",")
    row = {"plan": f[0], "ranks": int(f[1]), "mesh": f[6].split("x")[0],
           "set": f[7] and float(f[7]), "ms": float(f[8]), "mb": float(f[10])}
    for k, name in enumerate(EXCHANGES):
        row[name] = float(f[11 + k]), float(f[16 + k])
    for text in f[20:]:
        found = re.fullmatch(r"(\w+) (?:(\w+) )?([0-9.]+)", text)
        if found:
            row[found[1]] = float(found[3])
            row[found[1] + " variant"] = found[2]
        found = re.fullmatch(r"work imbalance ([0-9.]+)", text)
        if found:
            row["imbalance"] = float(found[1])
        found = re.match(r"(\d+)x.* order (\d+)", text)
        if found:
            row["mesh"] = "%s boxes, order %s" % found.groups()
    return row


def read(paths):
    """Lines on machines, and {(kind, name, ranks, how): lines}."""
    machines, found, lines = [], {}, []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                if line.startswith(("# machine ", "# computed: ")):
                    text = line.replace("machine", "measured on")[2:]
                    machines += [text] if text not in machines else []
                elif line.startswith("# done "):
                    kind, name, ranks, how = line[7:].split(" | ")
                    found[kind, name, int(ranks), how.strip()] = lines
                    lines = []
                elif line.startswith("# "):
                    lines = []
                else:
                    lines.append(line)
    return machines, found


def measured(found, *key):
    lines = found.get(key)
    return cells(lines[0]) if lines else None


def model(found, kind, name, ranks):
    lines = found.get((kind, name, ranks, "model"), [])
    return cells(lines[-1]) if lines else None


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def speed(one, row, ranks, kind):
    """Efficiency of weak scaling, or of strong."""
    return one["ms"] / row["ms"] / (ranks if kind == "strong" else 1)


def scaling(found, kind, cases):
    for name, _, _ in cases:
        one = measured(found, kind, name, 0, "")
        if not one:
            continue
        yield name, 0, "", one, None, 1
        for ranks, how in [(p, "") for p in GPUS] + [(4, "slab"), (4, "none")]:
            row = measured(found, kind, name, ranks, how)
            if row:
                guess = model(found, kind, name, ranks)
                yield name, ranks, how, row, guess, speed(one, row, ranks, kind)


def scaling_table(found, kind, cases):
    rows = []
    for name, ranks, how, row, guess, share in scaling(found, kind, cases):
        gpus = {0: "1, no ranks"}.get(ranks, str(ranks)) + (
            {"slab": ", own slab", "none": ", rank 0 empty"}.get(how, ""))
        near = row.get("near") or row.get("p2p") or 0
        rows.append([
            name, gpus, row["mesh"], "%.2f" % row["set"], "%.2f" % row["ms"],
            "%.0f %%" % (100 * share), "%.2f" % near,
            "%.2f" % guess["ms"] if guess else "",
            "%+.0f %%" % (100 * (guess["ms"] / row["ms"] - 1))
            if guess else "",
            "%.2f" % row["imbalance"] if "imbalance" in row else ""])
    table(["sum, per GPU" if kind == "weak" else "sum", "GPUs", "mesh",
           "`set_points`, ms", "`execute`, ms", "efficiency", "near pairs, ms",
           "model, ms", "off by", "work imbalance"], rows)


def exchange_table(found):
    rows = []
    for kind, cases in (("weak", WEAK), ("strong", STRONG)):
        for name, ranks, how, row, guess, _ in scaling(found, kind, cases):
            if ranks < 2 or how == "none":
                continue
            line = [name, str(ranks) + (", own slab" if how else "")]
            whole = 0
            for what in EXCHANGES:
                ms, mb = row[what]
                whole += ms
                rate = mb / ms if ms > 0 else 0
                line.append("%.2f ms, %.0f MB, %.0f (%.0f %%)"
                            % (ms, mb, rate, 100 * rate / LINK)
                            if mb >= 0.5 else "%.2f ms" % ms)
            near = row.get("near") or row.get("p2p") or 0
            bare = min(whole, max(0, row["ms"] - near))
            line += ["%.2f" % whole, "%.0f %%" % (100 * (1 - bare / whole))]
            if guess:
                line += ["%.2f" % sum(guess[e][0] for e in EXCHANGES),
                         "%.0f / %.0f" % (row["mb"], guess["mb"])]
            else:
                line += ["", ""]
            rows.append(line)
    table(["sum", "GPUs"] + list(EXCHANGES)
          + ["all, ms", "hidden, at least", "model, ms",
             "MB in all, measured / model"], rows)


def nufft_lines(found, name, ranks):
    """{what: (ms of set_points, ms)}"""
    out = {}
    for line in found.get(("nufft", name, ranks, ""), []):
        f = line.split(",")
        if f[0] in ("alone", "ranks"):
            out[f[9]] = float(f[11]), float(f[12])
    return out


def nufft_table(found):
    rows = []
    for name, _ in NUFFTS:
        one = nufft_lines(found, name, 0)
        for ranks in (0,) + GPUS:
            row = nufft_lines(found, name, ranks)
            if row and one:
                rows.append([name, str(ranks) if ranks else "1, no ranks"] + [
                    "%.2f + %.2f, %.0f %%" % (row[w] + (
                        100 * sum(one[w]) / sum(row[w]),))
                    for w in ("type1", "type2", "spread", "interp")])
    table(["1e7 points per GPU", "GPUs", "type 1", "type 2", "spread",
           "interp"], rows)


def mesh_table(found):
    rows = []
    for (kind, name, ranks, how), lines in found.items():
        if kind == "mesh":
            row = cells(lines[0])
            rows.append([name, str(ranks) if ranks else "1, no ranks",
                         row["mesh"], "%.2f" % row["ms"],
                         "%.2f" % row.get("near", 0)])
    if rows:
        print("## Other meshes\n")
        table(["sum, per GPU", "GPUs", "mesh", "`execute`, ms",
               "near pairs, ms"], rows)


def picture(found, folder):
    os.makedirs(folder, exist_ok=True)
    plt = plots()
    figure, axes = plt.subplots(figsize=(6, 3.4))
    curves = {}
    for name, ranks, how, _, _, share in scaling(found, "weak", WEAK):
        if not how and ranks > 1:
            curves.setdefault(name.replace("`", ""), {1: 1})[ranks] = share
    for name, _ in NUFFTS:
        one = nufft_lines(found, name, 0)
        for ranks in GPUS[1:]:
            row = nufft_lines(found, name, ranks)
            for what in ("type1", "type2") if row and one else ():
                curves.setdefault("NUFFT %s, %s" % (name, what), {1: 1})[
                    ranks] = sum(one[what]) / sum(row[what])
    for mark, (name, share) in zip("osv^D<>pXhd", curves.items()):
        axes.plot(list(share), [100 * v for v in share.values()], marker=mark,
                  label=name)
    axes.axhline(90, color="black", linestyle=":", linewidth=0.8)
    axes.set_xscale("log", base=2)
    axes.set_xticks(GPUS, [str(p) for p in GPUS])
    axes.set_ylim(0, 110)
    axes.set_xlabel("GPUs, one rank each")
    axes.set_ylabel("efficiency of weak scaling, percent")
    axes.legend(loc="lower left", ncols=2)
    return save(plt, figure, folder, "weak.png")


def report(paths, folder):
    machines, found = read(paths)
    print("# Sums over several GPUs\n")
    print("`bench/ranks.py --report` made this page from measurements by "
          "`bench/ranks.py OUT.csv --gpus 4`. "
          "[docs/performance-gpu.md](../../docs/performance-gpu.md#over-ranks) "
          "discusses the results.\n")
    for text in machines:
        print("- " + text)
    print("""
One rank per GPU, exchanges by NCCL over NVLink, arrays on the GPUs. Times are
minima of 15 sums (4 if clustered), on the slowest rank. Efficiency is the time
of a plan without ranks on one GPU, over that of p GPUs with as many particles
per GPU. For strong scaling it is divided by p. *Own slab*: each rank gives the
particles of its own slab. In other rows it gives particles of the whole cell.
*Model*: the prediction of `farsum tune --ranks`. Near pairs, exchanges and the
model are those of rank 0. The model assumes evenly spread charges, so clustered
ones have no prediction.
""")
    print("## Weak scaling\n")
    scaling_table(found, "weak", WEAK)
    if folder:
        print("![Efficiency of weak scaling](%s/%s)\n"
              % (os.path.basename(folder), picture(found, folder)))
    print("## Strong scaling\n")
    scaling_table(found, "strong", STRONG)
    print("## Exchanges\n")
    print("""Milliseconds, MB that rank 0 sends, GB/s, and in brackets the share of
the %d GB/s that the link's data sheet states. The milliseconds include waiting
for the other ranks. *Hidden*: near pairs run at the same time. The part of the
sum after the end of near pairs bounds what is not hidden.
""" % LINK)
    exchange_table(found)
    print("## NUFFTs and meshes\n")
    print("Milliseconds of `set_points` + of the call, and the efficiency of "
          "both together.\n")
    nufft_table(found)
    mesh_table(found)


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    ask.add_argument("out", nargs="?")
    ask.add_argument("--report", nargs="+", metavar="CSV")
    ask.add_argument("--pictures", metavar="FOLDER")
    ask.add_argument("--build", default="build")
    ask.add_argument("--gpus", type=int, default=4)
    ask.add_argument("--part", choices=list(PARTS), action="append")
    ask.add_argument("--minutes", type=float, default=30)
    a = ask.parse_args()
    if a.report:
        report(a.report, a.pictures)
        return
    if not a.out:
        ask.error("give OUT.csv, or --report CSV...")
    end = time.time() + 60 * a.minutes
    for part in a.part or list(PARTS):
        left = parts.left(a.out, list(PARTS[part](a)))
        if left:
            with open(a.out, "a", encoding="utf-8") as out:
                out.write("# machine %d of %s, %s\n" % (
                    a.gpus, machine("cuda:0"), time.strftime("%Y-%m-%d")))
        print("%s: %d cases left" % (part, parts.run(a.out, left, end, 90)))


if __name__ == "__main__":
    main()
