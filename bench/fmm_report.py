# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of bench/reports/fmm.md, from the lines of fmm.py's
parts and of peers/fmm_cpu.py and peers/gpu_fmm.py.  Lines of m2l in a file
named *_h100.csv were measured on that GPU and are reported separately."""
import os

import fmm_paper_report
import fmm_targets
from fmm_tables import STAGES, TYPES, Lines, asked, ms, table, times
from report_pictures import MARK, plots, save

COLOURS = ("#2980b9", "#16a085", "#7f8c8d", "#c0392b", "#8e44ad", "#95a5a6",
           "#27ae60")
BOUNDS = {"micro_compute": "--", "micro_memory": ":"}


def shape(r):
    return "%s, %s, %s" % (r["order"], r["boxes"], r["levels"]) \
        if r["method"] == "fmm" else "%s, P %s" % (r["mesh"], r["P"])


def speed(r, new_points=False):
    took = float(r["total_ms"]) + new_points * float(r["set_ms"])
    return "%.3g" % (float(r["n"]) / took * 1e3)


def summed(r):
    return "potential, forces" if "potential" in asked(r) else "forces"


def is_open(r):
    return "cell=open" in r["case"]


def whole(lines):
    some = [r for r in lines.sums if "want" in asked(r) and not is_open(r)
            and r["tag"] != "equal"]
    seen, body = set(), []
    for r in some:
        key = (r["case"], r["asked"])
        if key in seen:
            continue
        seen.add(key)
        body.append([r["case"], r["precision"], asked(r)["want"], r["method"],
                     summed(r), r["error"], r["total_ms"], speed(r),
                     r["set_ms"], speed(r, True), shape(r), r["rows"]])
    table("Whole sums at equal measured error",
          ["case", "precision", "asked", "method", "sums", "measured", "ms",
           "points/s", "new points, ms", "points/s with new points",
           "order, boxes, levels", "stages, ms"], body,
          "Errors are those of the forces. The stages of methods that use two "
          "queues overlap.")


def large(lines):
    table("Large sums", ["case", "precision", "sums", "tolerance", "estimate",
                         "measured", "ms", "points/s", "new points, ms",
                         "points/s with new points", "plan creation, s", "GB",
                         "order, boxes, levels", "stages, ms"],
          [[r["case"], r["precision"], summed(r), r["tolerance"],
            r["estimate"], "" if r["error"] == "-1" else r["error"],
            r["total_ms"], speed(r), r["set_ms"], speed(r, True),
            r["create_s"], "%.3g" % (float(r["bytes"]) / 1e9), shape(r),
            r["rows"]] for r in lines.sums if "tol" in asked(r)],
          "Sums without a measured error are too large for any reference.")


def open_space(lines):
    own = [r for r in lines.sums if is_open(r)]
    body = [["farsum", r["precision"], asked(r)["want"], r["error"],
             r["total_ms"], "%.4g" % (float(r["total_ms"]) + float(r["set_ms"])),
             "%s; %s" % (shape(r), r["rows"])] for r in own]
    body += [["%s %s" % (r["peer"], r["version"]), "", r["asked"], r["error"],
              r["run_ms"], r["all_ms"], r["setting"]] for r in lines.peers]
    body.sort(key=lambda b: -float(b[2]))
    table("Open space: %s" % own[0]["case"] if own else "", [
        "program", "precision", "asked", "measured", "ms", "with new points, ms",
        "settings"], body)


def on_cpu(lines):
    body = []
    for r in lines.cpu:
        same = [float(o["time_ms"]) for o in lines.cpu
                if o["program"] == "farsum" and all(
                    o[k] == r[k] for k in ("case", "asked", "threads"))]
        ratio = "%.3g" % (float(r["time_ms"]) / same[0]) if same else ""
        body.append(["%s %s" % (r["program"], r["version"]), r["case"],
                     r["threads"], r["asked"], r["error"], r["time_ms"],
                     r["spread"], ratio, r["again_ms"], r["rows"]])
    table("On the processor", ["program", "case", "threads", "asked",
                               "measured", "ms", "max / min", "over farsum",
                               "new strengths, ms", "variants"], body,
          "Times include the tree and the sum. Where the machine was not "
          "quiet, they are processor times of one thread.")


def m2l(lines):
    by_order(lines.m2l, "")


def m2l_h100(lines):
    by_order(lines.h100, ", an H100")


def by_order(rows, words):
    for t in TYPES:
        for depth in sorted({r["depth"] for r in rows}):
            some = [r for r in rows
                    if r["precision"] == t and r["depth"] == depth]
            if not some:
                continue
            orders = sorted({int(r["p"]) for r in some})
            best = times(some)
            names = sorted({r["row"] for r in some}, key=lambda n: min(
                v / best.get(("gpu_plane_wave", p), 1)
                for (m, p), v in best.items() if m == n))
            table("m2l, %s, depth %s%s, ms" % (t, depth, words),
                  ["variant"] + ["p = %d" % p for p in orders],
                  [["`%s`" % n] + ["%.3g" % best[n, p] if (n, p) in best else ""
                                   for p in orders] for n in names])


def mix(lines):
    words = list(lines.mix[0])[5:] if lines.mix else []
    # Loops of kernels that other kernels launch have no times.
    table("Counters of m2l variants, depth 4",
          ["variant", "precision", "p"] + words,
          [["`%s`" % r["mix"], r["precision"], r["p"]] + [r[w] for w in words]
           for r in sorted(lines.mix, key=lambda r: (
               r["precision"], int(r["p"]), float(r["ms"] or "inf")))],
          "float to other: shares of all threads' instructions, per cent. "
          "issue to memory: use of the GPU's rates, per cent. warps: active "
          "warps over those that fit. `bench/m2l_mix.py` has the counters. "
          "They do not count kernels that other kernels launch: lines without "
          "ms are for the compiled inner loop (`bench/m2l_sass.py`), which is "
          "the same for every order.")


def launch(lines):
    """Times by order.  At order 0 launching takes all of the time: 26 launches
    per box at ws = 1."""
    rows = [r for r in lines.m2l
            if "dynamic" in r["row"] and r["ws"] == "1"]
    boxes = {(r["row"], r["precision"], r["depth"]): int(r["boxes"])
             for r in rows if r["p"] == "0"}
    orders = sorted({int(r["p"]) for r in rows} - {0})
    body = []
    for key in sorted(boxes):
        best = {int(r["p"]): 1e3 * float(r["seconds"]) for r in rows
                if (r["row"], r["precision"], r["depth"]) == key}
        body.append(["`%s`" % key[0], key[1], key[2],
                     "%.3g" % (1e3 * best[0] / (26 * (boxes[key] - 1)))]
                    + ["%.3g, %.0f %%" % (best[p], 100 * best[0] / best[p])
                       if p in best else "" for p in orders])
    table("Kernels that launch kernels: ms, and the share of launching",
          ["variant", "precision", "depth", "us per launch"]
          + ["p = %d" % p for p in orders], body)


def draw_m2l(plt, lines, folder, depth, name):
    """Time by order, one line per variant; bounds of dense operators are dashed.
    """
    some = [r for r in lines.m2l if r["depth"] == depth]
    if len({r["p"] for r in some}) < 3:
        return None
    figure, panels = plt.subplots(1, 2, figsize=(9, 4.2), sharey=True)
    rows = sorted({r["row"] for r in some})
    for axes, t in zip(panels, TYPES):
        best = times([r for r in some if r["precision"] == t])
        for k, row in enumerate(rows):
            line = sorted((p, v) for (m, p), v in best.items() if m == row)
            if line:
                axes.plot(*zip(*line), BOUNDS.get(row, "-"), label=row,
                          color="k" if row in BOUNDS else "C%d" % (k % 10),
                          marker=MARK[k % len(MARK)])
        axes.set_yscale("log")
        axes.set_xlabel("order p, %s" % t)
    panels[0].set_ylabel("ms, depth %s" % depth)
    panels[1].legend(bbox_to_anchor=(1, 1), loc="upper left")
    return save(plt, figure, folder, name)


def draw_fixed(plt, lines, folder):
    """Time over points at each depth, and shares of the stages at 1e6."""
    some = [r for r in lines.sums if r["tag"] == "fixed"]
    if not some:
        return None
    figure, panels = plt.subplots(1, 3, figsize=(9.5, 3.2))
    for axes, t in zip(panels, TYPES):
        for levels in sorted({r["levels"] for r in some}):
            line = sorted((int(r["n"]), float(r["total_ms"])) for r in some
                          if r["precision"] == t and r["levels"] == levels)
            if line:
                axes.loglog(*zip(*line), "o-",
                            label="depth %d" % (int(levels) - 1))
        axes.set_xlabel("points, %s, p = 8" % t)
        axes.legend()
    panels[0].set_ylabel("ms")
    bars = sorted((int(r["levels"]) - 1, r) for r in some
                  if r["n"] == "1000000" and r["precision"] == "f32")
    for k, (_, r) in enumerate(bars):
        every, at = sum(ms(r, s) for s in STAGES), 0
        for s, colour in zip(STAGES, COLOURS):
            panels[2].bar(k, ms(r, s) / every, bottom=at, color=colour,
                          label=s if k == 0 else None)
            at += ms(r, s) / every
    panels[2].set_xticks(range(len(bars)), [str(d) for d, _ in bars])
    panels[2].set_xlabel("depth, 1e6 points, f32")
    panels[2].legend(bbox_to_anchor=(1, 1), loc="upper left")
    return save(plt, figure, folder, "fixed.png")


def draw_cross(plt, lines, folder):
    """Time of spectral over that of fmm, for forces without potentials."""
    cells = {}
    for r in lines.sums:
        if ("want" in asked(r) and not is_open(r) and r["tag"] != "equal"
                and "potential" not in asked(r)):
            key = ("clustered" in r["case"], int(r["n"]),
                   float(asked(r)["want"]), r["precision"])
            cells.setdefault(key, {})[r["method"]] = float(r["total_ms"])
    cells = {k: v for k, v in cells.items() if len(v) == 2}
    if not cells:
        return None
    figure, panels = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    kinds = sorted({k[2:] for k in cells}, reverse=True)
    for axes, clustered in zip(panels, (False, True)):
        for (c, n, e, t), v in cells.items():
            if c != clustered:
                continue
            ratio = v["spectral"] / v["fmm"]
            axes.scatter(n, kinds.index((e, t)), s=420, edgecolors="none",
                         color="#2980b9" if ratio > 1 else "#e67e22", alpha=.5)
            axes.annotate("%.2f" % ratio, (n, kinds.index((e, t))),
                          ha="center", va="center")
        axes.set_xscale("log")
        axes.set_xlim(3e3, 3e7)
        axes.set_ylim(len(kinds) - .4, -.6)
        axes.set_yticks(range(len(kinds)), ["%s, %g" % (t, e)
                                            for e, t in kinds])
        axes.set_xlabel("points, " + ("clustered" if clustered else "uniform"))
    figure.suptitle("forces: time of spectral / time of fmm (blue: fmm is faster)")
    return save(plt, figure, folder, "cross.png")


def pictures(lines, folder):
    plt = plots()
    os.makedirs(folder, exist_ok=True)
    for name, words in (
            (draw_cross(plt, lines, folder), "Faster method by points and error"),
            (draw_fixed(plt, lines, folder), "Time over points at fixed depth, "
             "and shares of the stages"),
            *((draw(plt, lines, folder), words)
              for draw, words in fmm_paper_report.PICTURES),
            (draw_m2l(plt, lines, folder, "5", "m2l_5.png"),
             "Variants of m2l by order, depth 5"),
            (draw_m2l(plt, lines, folder, "4", "m2l_4.png"),
             "Variants of m2l by order, depth 4"),
            (draw_m2l(plt, lines, folder, "3", "m2l_3.png"),
             "Variants of m2l by order, depth 3")):
        if name:
            print("\n![%s](%s/%s)" % (words, os.path.basename(folder), name))


def write(paths, folder):
    lines = Lines(paths)
    print("# The fast multipole method\n\n"
          "`bench/fmm.py --report` made this page from measurements by "
          "`bench/fmm.py DEVICE OUT` and, for other programs, by "
          "`bench/peers/fmm_cpu.py` and `gpu_fmm.py`. "
          "[docs/performance-fmm.md](../../docs/performance-fmm.md) discusses "
          "the results.\n")
    for text in lines.machines:
        print("- measured on %s" % text)
    fmm_targets.targets(lines)
    if folder:
        print("\n## Pictures")
        pictures(lines, folder)
    for part in (whole, large, open_space, on_cpu) + fmm_paper_report.TABLES \
            + (m2l, mix, launch, m2l_h100):
        part(lines)
