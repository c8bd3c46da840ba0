#!/usr/bin/python3
"""Tables of bench/reports/spreading.md from the lines of mesh_rows.

    mesh_rows cuda:0 f64 8 3 216 1e6 uniform >>rows.csv     (and so on)
    mesh_report.py bench/results/mesh_h200.csv --machine "NVIDIA H200" \\
        --out bench/reports/spreading.md

One table a case: particles a microsecond, set-up apart, the share of the bound
by multiply-adds that the row reaches, and after how many runs on the same
positions a row overtakes the one that is best for a single run.
"""
import argparse
import collections
import csv
import sys

COLUMNS = ("room,row,device,precision,P,channels,K,N,dist,set_ms,run_min_ms,"
           "run_median_ms,per_us,off,bytes,cost_ms").split(",")
# multiply-adds a second of an H200, measured
RATE = {"f64": 16.4e12, "f32": 31.9e12}
INTRO = """# Spreading and interpolation, row by row

{machine}.

Made by `bench/mesh_report.py` from `{source}`, whose lines are those of
`mesh_rows DEVICE PRECISION SUPPORT CHANNELS MESH N DIST` (`bench/mesh_rows.c`):
positions on the device, in random order; window `prolate`; least of nine runs.

- **set-up**: what new positions cost beside the copy of them (lists, sorts,
  matrices); memory is there already.
- **share**: of the time that P^3 multiply-adds a channel would take at the
  measured {f64:.1f} (f64) and {f32:.1f} (f32) tera multiply-adds a second.
- **best from**: the least number of runs on the same positions from which the
  row's set-up and runs take less than every other row's; "-": never.
- **off**: relative RMS difference from the first row of the table.
"""


def read(path):
    """Lines by case, in the order of the file."""
    cases = collections.OrderedDict()
    with open(path) as f:
        for words in csv.reader(f):
            if words[0] == "room" or words[0].startswith("#"):
                continue
            r = dict(zip(COLUMNS, words))
            key = tuple(r[k] for k in ("room", "device", "precision", "P",
                                       "channels", "K", "N", "dist"))
            rows = cases.setdefault(key, collections.OrderedDict())
            rows[r["row"]] = r  # the last measurement counts
    return cases


def best_from(rows):
    """Of each row the fewest runs at which it is the best of all."""
    first = {}
    runs = 1.0
    while runs < 1e7:
        total = {n: float(r["set_ms"]) + runs * float(r["run_min_ms"])
                 for n, r in rows.items()}
        first.setdefault(min(total, key=total.get), int(runs))
        runs = max(runs + 1, runs * 1.02)
    return first


def table(out, key, rows):
    room, device, precision, support, channels, mesh, n, dist = key
    points = int(n) / int(mesh) ** 3
    asm = points * int(support) ** 3
    out.append("\n### %s, %s, P = %s, %s channel%s, %s^3 points, N = %s, %s\n"
               % (room, precision, support, channels,
                  "" if channels == "1" else "s", mesh, n, dist))
    out.append("%.3g particles a mesh point; N P^3 / K^3 = %.3g. On %s.\n"
               % (points, asm, device))
    out.append("| row | set-up, ms | run, ms | particles/us | share | best from"
               " | off |")
    out.append("|---|---|---|---|---|---|---|")
    first = best_from(rows)
    work = int(n) * int(support) ** 3 * int(channels) / RATE[precision]
    for name, r in sorted(rows.items(), key=lambda x: float(x[1]["run_min_ms"])):
        run = float(r["run_min_ms"])
        out.append("| `%s` | %.3g | %.3g | %.4g | %.1f %% | %s | %s |" % (
            name, float(r["set_ms"]), run, float(r["per_us"]),
            100 * work / (1e-3 * run), first.get(name, "-"), r["off"]))


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("csv")
    p.add_argument("--machine", required=True)
    p.add_argument("--notes", help="a text to put before the tables")
    p.add_argument("--out", required=True)
    a = p.parse_args()
    out = [INTRO.format(machine=a.machine, source=a.csv,
                        f64=RATE["f64"] / 1e12, f32=RATE["f32"] / 1e12)]
    if a.notes:
        with open(a.notes) as f:
            out.append(f.read())
    cases = read(a.csv)
    for room in ("spread", "interp"):
        out.append("\n## %s" % room.capitalize())
        for key, rows in cases.items():
            if key[0] == room and len(rows) > 1:
                table(out, key, rows)
    with open(a.out, "w") as f:
        f.write("\n".join(out) + "\n")


if __name__ == "__main__":
    sys.exit(main())
