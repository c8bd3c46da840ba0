# SPDX-License-Identifier: Apache-2.0
"""Report section on cuFINUFFT and other peers on the same GPU."""
from statistics import median

from report_data import counted, short

TEXT = """
## Against cuFINUFFT

`bench/peers/cufinufft_rows.py` runs both programs on one GPU in one run, with input and
output arrays on the device, complex strengths, and positions in random order. cuFINUFFT
gets a tolerance. Its error is measured as that of a transform of type 1 against direct
sums. Ours spreads with the smallest support whose error, measured likewise, is no larger.

In each case our fastest variant and the planner's choice are compared with the best of
cuFINUFFT's methods 1, 2 and 3. Times are in ms. The last columns are ratios of their time
to ours: *run*, only the run; *with set-up*, the run and the set-up (theirs is `setpts`,
ours sets the positions and builds the variant's lists); *planner's*, likewise for the
variant that the planner chooses.

gpuNUFFT 0.10.8 builds from PyPI's sources with CUDA 13, as `bench/peers/gpunufft_rows.cc`
explains; {sectors}{whole}
"""


def cases(lines, what):
    """{(precision, tol, K, dist, N): (ours, theirs)}"""
    found = {}
    for r in lines:
        if r["what"] != what or r["program"] == "gpunufft":
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
    out.append("| precision, tolerance | %s | N | points | cuFINUFFT: method, "
               "run, with set-up | its error | Farsum: variant, run, with "
               "set-up | P | its error | run | with set-up | planner's |"
               % ("modes" if "type" in what else "mesh"))
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
    """Minimum and median of the ratios of times."""
    out.append("| operation | cases | minimum ratio, run | minimum, with set-up "
               "| N >= 1e6: minimum, run | median | minimum, with set-up | "
               "median | all N, planner's variant, with set-up: minimum |")
    out.append("|" + "---|" * 9)
    for what in ("spread", "interp", "type 1", "type 2"):
        ratios = []
        for key, (ours, theirs) in cases(lines, what).items():
            theirs = {m: r for m, r in theirs.items() if m != "0"}
            picks = [r for r in ours.values() if r["default"] == "1"]
            ratios.append((key[4],
                           time(best(theirs, 0), 0) / time(best(ours, 0), 0),
                           time(best(theirs, 1), 1) / time(best(ours, 1), 1),
                           time(best(theirs, 1), 1) / time(picks[0], 1)))
        if not ratios:
            continue
        cells = ["%.2f" % min(r[k] for r in ratios) for k in (1, 2)]
        large = [r for r in ratios if r[0] >= 1000000]
        for k in (1, 2):
            some = [r[k] for r in large]
            cells += ["%.2f" % min(some), "%.2f" % median(some)] \
                if some else ["", ""]
        cells.append("%.2f" % min(r[3] for r in ratios))
        out.append("| %s | %d | %s |" % (what, len(ratios), " | ".join(cells)))


def section(out, lines, pictures, folder):
    if not lines:
        return
    there = any(r["program"] == "gpunufft" for r in lines)
    out.append(TEXT.format(sectors="its results are below." if there
                           else "it has not been measured yet.", whole="" if any(
                               "type" in r["what"] for r in lines) else
                           " Nor have\nwhole transforms on the GPU, "
                           "cuFINUFFT's and ours."))
    summary(out, lines)
    captions = (
        ("peers_spread", "Only spreading, one run"),
        ("peers_spread_total", "Only spreading, with set-up"),
        ("peers_interp", "Only interpolation, one run"),
        ("peers_interp_total", "Only interpolation, with set-up"),
        ("peers_type_1", "Transforms of type 1, with set-up"),
        ("peers_type_2", "Transforms of type 2, with set-up"))
    for name, text in captions:
        if name in pictures:
            out.append("\n![%s](%s/%s)\n" % (text, folder, pictures[name]))
            out.append("%s: particles per microsecond over N.\n" % text)
    for what in ("spread", "interp", "type 1", "type 2"):
        table(out, lines, what)
    sectors(out, lines)


def sectors(out, lines):
    """gpuNUFFT's lines and the other programs' best runs of the same case."""
    some = [r for r in lines if r["program"] == "gpunufft"]
    if not some:
        return
    out.append("""
### gpuNUFFT

gpuNUFFT 0.10.8, built from PyPI's sources (`bench/peers/gpunufft_rows.cc`), runs in f32
with twice as many mesh points as modes, sectors of 8 points, and a transform's arrays on
the device. Its set-up sorts on the host. Times are in ms.
""")
    out.append("| transform | modes | N | points | kernel width | set-up | run | "
               "its error | cuFINUFFT, best run at 1e-4 | Farsum, run at 1e-4 |")
    out.append("|" + "---|" * 10)
    for r in some:
        beside = []
        for program in ("cufinufft", "farsum"):
            t = [float(o["run_ms"]) for o in lines
                 if o["program"] == program and o["precision"] == "f32"
                 and all(o[k] == r[k] for k in ("what", "K", "N", "dist"))]
            beside.append(short(min(t)) if t else "")
        error = r["error"] if float(r["error"]) > 0 else ""
        out.append("| %s | %s^3 | %s | %s | %s | %s | %s | %s | %s |" % (
            r["what"], r["K"], counted(int(r["N"])), r["dist"], r["P"],
            short(float(r["set_ms"])), short(float(r["run_ms"])), error,
            " | ".join(beside)))


def host(out, lines):
    """Lines of finufft_nufft.py."""
    if not lines:
        return
    out.append("""
## Against FINUFFT on a processor

`bench/peers/finufft_nufft.py` runs whole transforms by both programs in turn, with the
same threads. Our error is no larger than FINUFFT's measured error. Times are in ms, the
minimum of four rounds on two cores of an AMD EPYC (Zen 3) with AVX2. Ratios are FINUFFT's
time over ours. Other work needed more cores than the machine has, so the ratios are
uncertain by half of their values, above all with two threads.
[docs/performance-host.md](../../docs/performance-host.md#finufft) compares only spread
and interp, on a quiet machine.
""")
    out.append("| transform | precision, tolerance | modes | N | points | threads | "
               "FINUFFT: set-up, run | its error | Farsum: set-up, run | P | its"
               " error | run | with set-up |")
    out.append("|" + "---|" * 13)
    pairs = {}
    for r in lines:
        key = tuple(r[k] for k in ("what", "precision", "tol", "K", "N", "dist",
                                   "threads"))
        pairs.setdefault(key, {})[r["program"]] = r
    for (what, precision, tol, k, n, dist, threads), pair in pairs.items():
        if len(pair) < 2:
            continue
        a, b = pair["finufft"], pair["farsum"]
        out.append("| %s | %s %g | %s^3 | %s | %s | %s | %s, %s | %s | %s, %s |"
                   " %s | %s | %.1f | %.1f |" % (
                       what, precision, float(tol), k, counted(int(n)), dist,
                       threads, short(float(a["set_ms"])), short(time(a, 0)),
                       a["error"], short(float(b["set_ms"])), short(time(b, 0)),
                       b["P"], b["error"], time(a, 0) / time(b, 0),
                       time(a, 1) / time(b, 1)))
