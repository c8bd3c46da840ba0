# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/reports/ewald.md."""
from report_data import counted, short

# What the slides of Kosmacher et al. (2025) report for one H200: of the near
# field, by points and row, team, targets a microsecond and share of the peak by
# their count of operations; s = 256.
SLIDES_NEAR = {
    (6, "gm_1d"): ("64x1", 14.8, 71), (6, "gm_2d"): ("1x32", 11.8, 56),
    (6, "sm_1d"): ("32x1", 15.2, 72), (6, "sm_2d"): ("64x2", 12.4, 59),
    (7, "gm_1d"): ("64x1", 15.3, 73), (7, "gm_2d"): ("8x32", 11.9, 57),
    (7, "sm_1d"): ("32x1", 15.5, 74), (7, "sm_2d"): ("64x2", 12.4, 59)}
# Of the whole sum, 4e6 points, ms; and of the spreading, sources a microsecond.
SLIDES_WHOLE = {"near": 217.7, "spread": 72.2, "fft": 47.6, "interp": 39.9,
                "set": 5.6}
SEED_ROWS = ("gm_1d", "gm_2d", "sm_1d", "sm_2d")
STAGES = ("near", "spread", "fft", "scale", "interp")
# Tags of ewald_rows, in the order of the table, and what they mean.
TAGS = (("seed", "their parameters, our rows of their algorithms"),
        ("seed_ours", "their parameters, rows as the plan chooses"),
        ("seed_error", "at that error, tuned"),
        ("gaussian_s224", "Gaussian split, s = 224"),
        ("gaussian", "Gaussian split, tuned"),
        ("s224", "prolate split, s = 224"),
        ("tuned", "prolate split, tuned"),
        ("repeats", "tuned, for points that are summed many times"))


def table(out, head, rows):
    if rows:
        out.append("| " + " | ".join(head) + " |")
        out.append("|" + "---|" * len(head))
        out += ["| " + " | ".join(str(c) for c in r) + " |" for r in rows]
        out.append("")


def close(a, b):
    return abs(float(a) / float(b) - 1) < 0.1


def last(lines, **given):
    """The last line with these columns; numbers within a tenth."""
    found = None
    for r in lines:
        if all(r[k] == v if isinstance(v, str) else close(r[k], v)
               for k, v in given.items()):
            found = r
    return found


def rate(line):
    return float(line["targets_per_us"]) if line else None


def near_cell(m, precision, split, n, s, row, tolerance):
    r = last(m.near, device=m.device, kernel="stokeslet",
             precision=precision, split=split, n=n,
             s=s, row=row, tolerance=tolerance)
    return rate(r)


def text(v, form="%.1f"):
    return form % v if v is not None else ""


def sizes(m):
    """The two numbers of points measured at s = 256, in order."""
    return sorted({int(float(r["n"])) for r in m.near
                   if r["device"] == m.device and float(r["s"]) == 256
                   and r["precision"] == "f64"})[:2]


def near_names(m):
    """(row, split), theirs first, then ours in the table's order."""
    names = []
    for r in m.near:
        name = r["row"].split(":")[0]
        if r["device"] == m.device and name not in names + list(SEED_ROWS):
            names.append(name)
    return [(n, "gaussian") for n in SEED_ROWS] + \
        [(n, split) for split in ("gaussian", "prolate") for n in names]


def near(out, m):
    m.device = m.near[0]["device"] if m.near else "cuda:0"
    n = sizes(m)
    if len(n) < 2:
        return
    small, large = n
    rows = []
    for name, split in near_names(m):
        cells = ["`%s`" % name, split]
        for decade, points in ((6, small), (7, large)):
            team, slides, share = SLIDES_NEAR.get((decade, name), ("", None, 0))
            theirs = near_cell(m, "f64", split, points, 256.0,
                               "%s:team=%s" % (name, team), 1e-9)
            ours = near_cell(m, "f64", split, points, 256.0, name, 1e-9)
            cells += [team, text(slides), text(theirs), text(ours)]
        for s in (224.0, 100.0, 50.0, 25.0):
            cells.append(text(near_cell(m, "f64", split, large, s, name, 1e-9)))
        for e, s in ((1e-9, 224.0), (1e-5, 224.0)):
            cells.append(text(near_cell(m, "f32", split, large, s, name, e)))
        if any(cells[4:6] + cells[8:]):
            rows.append(cells)
    out.append("\n## Near field of the Stokeslet (the slides' P2P)\n\n"
               "Targets a microsecond, f64 unless said, uniform points that are"
               " sources and targets, the cell a whole number of cutoffs: %s and"
               " %s points. *slides*: what Kosmacher et al. (2025) report for"
               " their program on an H200 at s = 256 with that team, *team*: our"
               " row of that name with the same team, *own*: as it chooses by"
               " itself. The Gaussian split ends as exp(-xi² rc²) = 1e-9, the"
               " prolate one as well (last column: both at 1e-5).\n"
               % (small, large))
    table(out, ["row", "split", "team", "slides, 1e6", "team", "own", "team",
                "slides, 4e6", "team", "own", "s = 224", "100", "50", "25",
                "f32, 224", "f32, 224, 1e-5"], rows)
    near_shares(out, m)


def near_shares(out, m):
    """The slides' column of flops: the same operations in another time."""
    rows = []
    n = sizes(m)
    for name in SEED_ROWS if len(n) == 2 else ():
        cells = ["`%s`" % name]
        for decade, points in ((6, n[0]), (7, n[1])):
            team, slides, share = SLIDES_NEAR[(decade, name)]
            ours = [near_cell(m, "f64", "gaussian", points, 256.0, row, 1e-9)
                    for row in ("%s:team=%s" % (name, team), name)]
            cells += [share] + [text(v and share * v / slides, "%.0f")
                                for v in ours]
        rows.append(cells)
    out.append("The slides' column *flops*: operations over the GPU's peak,"
               " percent, by their count, in which an erfc is 267 and an exp 51"
               " flops. Ours evaluate the same pairs of the same 27 cells, so by"
               " that count they have the slides' share times the ratio of the"
               " rates. It is above 100 where the functions cost less than they"
               " count (172 and 36 here). Our own rows have no erfc to count;"
               " by `farsum tune --model` their shares are in"
               " [performance-model.md](../../docs/performance-model.md).\n")
    table(out, ["row", "slides, 1e6", "team", "own", "slides, 4e6", "team",
                "own"], rows)


def whole_row(what, r):
    ms = [float(r[s + "_ms"]) for s in STAGES]
    if r["device"] == "host":
        what += "; %s threads of the host" % r["threads"]
    return [what, r["split"], short(float(r["s"])), short(float(r["c"])),
            r["mesh"].split("x")[0] + "³", r["P"], "`%s`" % r["near"],
            *[short(v) for v in ms], short(sum(ms)), short(float(r["total_ms"])),
            short(float(r["set_ms"])), error(r)]


HEAD = ["what", "split", "s", "c", "mesh", "P", "near row", "near", "spread",
        "fft, both", "scale", "interp", "sum", "total", "new positions",
        "error"]


def error(r):
    return "%.1e" % float(r["error"]) if float(r["error"]) >= 0 else ""


def of_flow(m, tags, precision):
    return [r for r in m.whole if r["tag"] in tags
            and r["precision"] == precision and "dist=" not in r["case"]
            and r["case"].startswith("stokeslet")]


def whole(out, m, others):
    tags = [t for t, _ in TAGS]
    lines = of_flow(m, tags, "f64")
    if not lines:
        return
    for other in others:  # of these the processors alone
        lines += [r for r in of_flow(other, tags, "f64")
                  if r["device"] == "host"]
    out.append("\n## Whole Stokes sums, f64\n\nThe slides' parameters are the"
               " Gaussian split with exp(-xi² rc²) = 1e-9, s = 224, P = 8 and as"
               " many mesh points as the split's bandwidth needs. They say 1e-9;"
               " the error measured is below, in the last column. On the host:"
               " 16 threads of the GPU's machine, and 2 of an Intel Xeon with"
               " AVX-512, where errors were measured; plans are the same.\n")
    for n in sorted({int(r["n"]) for r in lines}, reverse=True):
        rows = []
        if n >= 4e6:
            s = SLIDES_WHOLE
            rows.append(["the slides, one H200", "gaussian", "224", "", "", "8",
                         "", s["near"], s["spread"], s["fft"], "", s["interp"],
                         "%.0f" % (sum(s.values()) - s["set"]), "", s["set"],
                         '"1e-9"'])
        for tag, what in TAGS:
            rows += [whole_row(what, r) for r in lines
                     if r["tag"] == tag and int(r["n"]) == n]
        out.append("### %s points\n" % counted(n))
        table(out, HEAD, rows)


def single(out, m):
    lines = of_flow(m, ["f32", "repeats"], "f32")
    if lines:
        out.append("\n## Single precision\n\nOf the slides' future work: sums in"
                   " f32, arrays in f64.\n")
        table(out, ["points"] + HEAD[1:], [
            whole_row(counted(int(r["n"]))
                      + (", summed many times" if r["tag"] == "repeats"
                         else ""), r) for r in lines])


def dists(out, m):
    lines = [r for r in m.whole if r["tag"] == "dists"]
    if lines:
        out.append("\n## Points that are not uniform\n\nOf the slides' future"
                   " work. *clustered*, *slab*, *sediment*: as `farsum help"
                   " cases` defines them, 1e6 points. The third of *clustered*"
                   " is our rows of the slides' algorithms, at the same"
                   " error.\n")
        table(out, ["points"] + HEAD[1:], [
            whole_row("%s, %s" % (r["case"].split("dist=")[1], r["precision"]),
                      r) for r in lines])


def proof(out, machines):
    lines = [(m, r) for m in machines for r in m.whole if r["tag"] == "proof"
             and not r["case"].startswith("laplace n=")]
    if lines:
        out.append("\n## What errors are measured against\n\nA plan of the"
                   " tolerance in the fourth column against Ewald's own sum"
                   " (method `ewald`, which shares no formula and no table with"
                   " it): Stokeslets at 500 of uniform points, forces of 4³ boxes"
                   " of SPC/E water and of molten NaCl at every atom. Points at"
                   " random without a least distance are no measure for 1/r: the"
                   " root mean square force is led by the few closest pairs.\n")
        table(out, ["on", "case", "points", "tolerance", "reference",
                    "estimate", "error"], [
            [m.title.split(",")[0], "`%s`" % r["case"], counted(int(r["n"])),
             r["tolerance"], r["reference"], r["estimate"], error(r)]
            for m, r in lines])
