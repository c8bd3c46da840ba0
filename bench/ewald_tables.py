# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/reports/ewald.md."""
from report_data import counted, short

# The slides of Kosmacher et al. (2025) report for the near field on one H200 at
# s = 256, by number of points and variant: the team, targets per microsecond,
# and per cent of the peak by their count of operations.
SLIDES_NEAR = {
    (6, "gm_1d"): ("64x1", 14.8, 71), (6, "gm_2d"): ("1x32", 11.8, 56),
    (6, "sm_1d"): ("32x1", 15.2, 72), (6, "sm_2d"): ("64x2", 12.4, 59),
    (7, "gm_1d"): ("64x1", 15.3, 73), (7, "gm_2d"): ("8x32", 11.9, 57),
    (7, "sm_1d"): ("32x1", 15.5, 74), (7, "sm_2d"): ("64x2", 12.4, 59)}
# The slides' times of the stages for 4e6 points, ms.
SLIDES_WHOLE = {"near": 217.7, "spread": 72.2, "fft": 47.6, "interp": 39.9,
                "set": 5.6}
SEED_ROWS = ("gm_1d", "gm_2d", "sm_1d", "sm_2d")
STAGES = ("near", "spread", "fft", "scale", "interp")
# Tags of ewald_rows, in the order of the table, and their meanings.
TAGS = (("seed", "their parameters, our variants of their algorithms"),
        ("seed_ours", "their parameters, the plan's variants"),
        ("seed_error", "tuned for that error"),
        ("gaussian_s224", "Gaussian split, s = 224"),
        ("gaussian", "Gaussian split, tuned"),
        ("s224", "prolate split, s = 224"),
        ("tuned", "prolate split, tuned"),
        ("repeats", "tuned for many executes per set"))


def table(out, head, rows):
    if rows:
        out.append("| " + " | ".join(head) + " |")
        out.append("|" + "---|" * len(head))
        out += ["| " + " | ".join(str(c) for c in r) + " |" for r in rows]
        out.append("")


def close(a, b):
    return abs(float(a) / float(b) - 1) < 0.1


def last(lines, **given):
    """The last line with these values; numbers may differ by a tenth."""
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
    """(variant, split): those of the slides, then ours in the table's order."""
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
               "Targets per microsecond for %s and %s uniform points, which are"
               " sources and targets, in f64 except in the last two columns. The"
               " cell is a whole number of cutoffs. *slides*: the rate that"
               " Kosmacher et al. (2025) report for their program on an H200 at"
               " s = 256 with the *team* before it. *same team*: our variant of"
               " that name with that team. *own*: with the team that the variant"
               " chooses. Both splits end at 1e-9, the Gaussian one by"
               " exp(-xi² rc²) = 1e-9; in the last column both end at 1e-5.\n"
               % (small, large))
    table(out, ["variant", "split", "team", "slides, 1e6", "same team", "own",
                "team", "slides, 4e6", "same team", "own", "s = 224", "100",
                "50", "25", "f32, 224", "f32, 224, 1e-5"], rows)
    near_shares(out, m)


def near_shares(out, m):
    """The slides' share of the peak, scaled by the ratio of the rates."""
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
    out.append("The slides' column *flops* is the rate of operations over the"
               " GPU's peak, in per cent. They count 267 flops for an erfc and"
               " 51 for an exp. Our variants of their algorithms evaluate the"
               " same pairs of the same 27 cells, so by that count their share"
               " is the slides' share times the ratio of the rates. It exceeds"
               " 100 because these functions cost less here (172 and 36 flops)."
               " Our other variants have no erfc to count; their shares by"
               " `farsum tune --model` are in"
               " [performance-model.md](../../docs/performance-model.md).\n")
    table(out, ["variant", "slides, 1e6", "same team", "own", "slides, 4e6",
                "same team", "own"], rows)


def whole_row(what, r):
    ms = [float(r[s + "_ms"]) for s in STAGES]
    if r["device"] == "host":
        what += "; host, %s threads" % r["threads"]
    return [what, r["split"], short(float(r["s"])), short(float(r["c"])),
            r["mesh"].split("x")[0] + "³", r["P"], "`%s`" % r["near"],
            *[short(v) for v in ms], short(sum(ms)), short(float(r["total_ms"])),
            short(float(r["set_ms"])), error(r)]


HEAD = ["setting", "split", "s", "c", "mesh", "P", "near variant", "near",
        "spread", "fft, both ways", "scale", "interp", "sum of stages", "total",
        "new positions", "error"]


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
    for other in others:  # only the processors of the other machines
        lines += [r for r in of_flow(other, tags, "f64")
                  if r["device"] == "host"]
    out.append("\n## Whole Stokes sums, f64\n\nThe slides' parameters are the"
               " Gaussian split with exp(-xi² rc²) = 1e-9, s = 224, P = 8 and as"
               " many mesh points as the split's bandwidth needs. The slides"
               " state an error of 1e-9; the last column has the measured one."
               " Host lines are for 16 threads of the GPU's machine, and for 2"
               " of an Intel Xeon with AVX-512. The plans are the same, and"
               " their errors were measured on the Xeon.\n")
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
        out.append("\n## Single precision\n\nSums in f32 with arrays in f64,"
                   " which the slides name as future work.\n")
        table(out, ["points"] + HEAD[1:], [
            whole_row(counted(int(r["n"]))
                      + (", many executes per set" if r["tag"] == "repeats"
                         else ""), r) for r in lines])


def dists(out, m):
    lines = [r for r in m.whole if r["tag"] == "dists"]
    if lines:
        out.append("\n## Points that are not uniform\n\n1e6 points, which the"
                   " slides name as future work. `farsum help cases` defines"
                   " *clustered*, *slab* and *sediment*. The third line of"
                   " *clustered* has our variants of the slides' algorithms at"
                   " the same error.\n")
        table(out, ["points"] + HEAD[1:], [
            whole_row("%s, %s" % (r["case"].split("dist=")[1], r["precision"]),
                      r) for r in lines])


def proof(out, machines):
    lines = [(m, r) for m in machines for r in m.whole if r["tag"] == "proof"
             and not r["case"].startswith("laplace n=")]
    if lines:
        out.append("\n## Check of the references\n\nPlans with the tolerance in"
                   " the fourth column are compared with Ewald's own sum (method"
                   " `ewald`), which shares no formula and no table with them."
                   " The cases are Stokeslets at 500 of the uniform points, and"
                   " forces on every atom of 4³ boxes of SPC/E water and of"
                   " molten NaCl. Random points without a minimum distance do"
                   " not suit 1/r: the few closest pairs determine the RMS"
                   " force.\n")
        table(out, ["on", "case", "points", "tolerance", "reference",
                    "estimate", "error"], [
            [m.title.split(",")[0], "`%s`" % r["case"], counted(int(r["n"])),
             r["tolerance"], r["reference"], r["estimate"], error(r)]
            for m, r in lines])
