"""The report's part on cuFINUFFT and other peers on the same GPU."""
from report_data import counted, short

TEXT = """
## Against cuFINUFFT

`bench/peers/cufinufft_rows.py`: both programs on one GPU in one run, arrays on the
device in and out, complex strengths, positions in random order. cuFINUFFT is asked
for a tolerance, its error is that of a transform of type 1 against direct sums, and
ours spreads with the least support whose error, measured likewise, is no larger.
Our best row, and what the planner takes, stand against the best of cuFINUFFT's
methods 1, 2 and 3 at each case. Times are ms; the last columns are the ratio of
theirs to ours: of a run alone, with set-up (theirs `setpts`, ours taking the
positions and the row's lists), and with set-up for the planner's row.
"""


def cases(lines, what):
    """{(precision, tol, K, dist, N): (ours, theirs)}"""
    found = {}
    for r in lines:
        if r["what"] != what:
            continue
        key = (r["precision"], float(r["tol"]), int(r["K"]), r["dist"],
               int(r["N"]))
        pair = found.setdefault(key, ({}, {}))
        pair[r["program"] == "cufinufft"][r["method"]] = r
    return {k: v for k, v in found.items() if v[0] and v[1]}


def best(rows, total):
    return min(rows.values(), key=lambda r: float(r["run_ms"])
               + (float(r["set_ms"]) if total else 0))


def time(r, total):
    return float(r["run_ms"]) + (float(r["set_ms"]) if total else 0)


def table(out, lines, what):
    found = cases(lines, what)
    if not found:
        return
    out.append("\n### %s\n" % what.capitalize())
    out.append("| precision, tolerance | mesh | N | points | cuFINUFFT: method, "
               "run, with set-up | its error | Farsum: row, run, with set-up | "
               "P | its error | run | with set-up | planner's |")
    out.append("|" + "---|" * 12)
    for (precision, tol, k, dist, n), (ours, theirs) in sorted(found.items()):
        theirs = {m: r for m, r in theirs.items() if m != "0"}
        a, b = best(theirs, 0), best(ours, 0)
        a1, b1 = best(theirs, 1), best(ours, 1)
        picks = [r for r in ours.values() if r["default"] == "1"]
        pick = "%.1f" % (time(a1, 1) / time(picks[0], 1)) if picks else ""
        rows = "`%s`" % b["method"]
        if b1["method"] != b["method"]:
            rows += ", `%s`" % b1["method"]
        methods = a["method"] if a1["method"] == a["method"] \
            else "%s, %s" % (a["method"], a1["method"])
        out.append("| %s %g | %d^3 | %s | %s | %s: %s, %s | %s | %s %s, %s | %s"
                   " | %s | %.1f | %.1f | %s |" % (
                       precision, tol, k, counted(n), dist, methods,
                       short(time(a, 0)), short(time(a1, 1)), a["error"],
                       rows, short(time(b, 0)), short(time(b1, 1)), b["P"],
                       b["error"], time(a, 0) / time(b, 0),
                       time(a1, 1) / time(b1, 1), pick))


def summary(out, lines):
    """How often which factor is reached."""
    out.append("| what | cases | least ratio, run | least, with set-up | from "
               "1e6: least, run | least, with set-up | median, with set-up |")
    out.append("|---|---|---|---|---|---|---|")
    for what in ("spread", "interp", "type 1", "type 2"):
        ratios = []
        for key, (ours, theirs) in cases(lines, what).items():
            theirs = {m: r for m, r in theirs.items() if m != "0"}
            ratios.append((key[4], time(best(theirs, 0), 0)
                           / time(best(ours, 0), 0),
                           time(best(theirs, 1), 1) / time(best(ours, 1), 1)))
        if not ratios:
            continue
        large = [r for r in ratios if r[0] >= 1000000]
        cells = ["%.2g" % min(r[1] for r in ratios),
                 "%.2g" % min(r[2] for r in ratios)]
        cells += ["%.2g" % min(r[1] for r in large),
                  "%.2g" % min(r[2] for r in large),
                  "%.2g" % sorted(r[2] for r in large)[len(large) // 2]] \
            if large else ["", "", ""]
        out.append("| %s | %d | %s |" % (what, len(ratios), " | ".join(cells)))


def section(out, lines, pictures, folder):
    if not lines:
        return
    out.append(TEXT)
    summary(out, lines)
    captions = (
        ("peers_spread", "Spreading alone, a run"),
        ("peers_spread_total", "Spreading alone, with set-up"),
        ("peers_interp", "Interpolation alone, a run"),
        ("peers_interp_total", "Interpolation alone, with set-up"),
        ("peers_type_1", "Transforms of type 1, with set-up"),
        ("peers_type_2", "Transforms of type 2, with set-up"))
    for name, text in captions:
        if name in pictures:
            out.append("\n![%s](%s/%s)\n" % (text, folder, pictures[name]))
            out.append("%s: particles a microsecond over N.\n" % text)
    for what in ("spread", "interp", "type 1", "type 2"):
        table(out, lines, what)
