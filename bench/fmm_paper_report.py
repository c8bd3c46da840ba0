# SPDX-License-Identifier: Apache-2.0
"""Figures and tables of two papers, from the lines of fmm.py's parts: Kohnke
et al., IJHPCA 2020, on dense operators, and Lengvenis et al., IPDPS 2025, on
fast rotation."""
from fmm_tables import (STAGES, TYPES, asked, by_order, ms, pick, setting,
                        table, times)
from report_pictures import MARK, save

DENSE = ("gpu_naive", "gpu_naive_managed", "gpu_dynamic", "gpu_dynamic_split",
         "gpu_sorted", "gpu_symmetric", "gpu_symmetric_pointers")
IMAGES = {1: 7, 2: 21, 4: 21, 8: 7}  # operators that serve so many targets
LADDER = (  # row, a launch a level, what it adds, the paper's factor
    ("gpu_rotation_bare_target", 1, "hybrid access, target-centric", ""),
    ("gpu_rotation_bare", 1, "source-centric", "1.29"),
    ("gpu_rotation_swaps", 1, "tiles in group memory", "2.04"),
    ("gpu_rotation_tiled", 1, "swaps in constant memory", "1.17"),
    ("gpu_rotation_tiled", 0, "all levels at once", "5.6, with sorting"))
PAPER_LADDER = 17.16
PAPER_2 = {"p2m": "54.94, 78.85", "m2m": "70.90, 50.22",
           "l2l": "66.58, 26.74", "l2p": "64.56, 17.46",
           "m2l gpu_rotation_tiled_target": "70.06, 36.33",
           "m2l gpu_rotation_tiled": "75.74, 29.72"}


def depths(rows):
    return sorted({r["depth"] for r in rows}, key=int)


def each(rows):
    """Precision, depth and the lines that have both."""
    for t in TYPES:
        for d in depths(rows):
            some = pick(rows, precision=t, depth=d, ws=1)
            if some:
                yield t, d, some


def rates(some):
    """{(row, order): Tflop/s} as the rows count: a multiply-add is two."""
    best = times(some)
    fma = {(r["row"], int(r["p"])): float(r["fma"]) for r in some}
    return {k: 2e-9 * fma[k] / v for k, v in best.items()}


def flops(lines):
    for t, d, some in each(lines.m2l):
        if d in ("3", "4"):
            some = [r for r in some if r["row"] in DENSE
                    or r["row"] == "micro_compute"]
            by_order("Tflop/s of dense operators, %s, depth %s" % (t, d), some,
                     rates(some), names=DENSE + ("micro_compute",))


def shares(some):
    """{(row, order): percent} of the compute-bound micro-kernel's speed."""
    best = times(some)
    return {(n, p): 100 * best["micro_compute", p] / v
            for (n, p), v in best.items()
            if n.startswith("gpu_symmetric") and ("micro_compute", p) in best}


def micro(lines):
    for t, d, some in each(lines.m2l):
        by_order("Of the compute-bound micro-kernel, percent, %s, depth %s"
                 % (t, d), some, shares(some),
                 "Kohnke et al. have about 30 % at p = 3 to 20, depths 3 and 4."
                 if (t, d) == ("f32", "3") else "", form="%.0f")


def accesses(p, n):
    """Accesses to global and shared memory with operators for n targets, over
    those for one: coefficients of a source and its operators, and sums."""
    half, size = (p + 1) * (p + 2) / 2, (p + 1) ** 2
    loads = half * (size + 4 * half)
    kinds = [n] if n else list(IMAGES)
    pairs = sum(k * IMAGES[k] for k in kinds)
    return (sum(IMAGES[k] for k in kinds) * loads + pairs * size) \
        / (pairs * (loads + size))


def speedups(lines, t, d):
    """{(targets, order): (ms without symmetries, with)}; 0: all of them."""
    found = {}
    for n in list(IMAGES) + [0]:
        rows = lines.m2l if n == 0 else lines.shapes
        some = times(r for r in pick(rows, precision=t, depth=d, ws=1)
                     if setting(r).get("images", 0) == n)
        for (name, p), v in some.items():
            if name == "gpu_symmetric" and ("gpu_sorted", p) in some:
                found[n, p] = some["gpu_sorted", p], v
    return found


def named(n):
    return "%d target%s" % (n, "s" if n > 1 else "") if n else "all"


def symmetry(lines):
    images = [r for r in lines.shapes if "images" in setting(r)]
    for t, d, some in each(images):
        found = speedups(lines, t, d)
        fma = {(r["row"], int(r["p"]), setting(r)["images"]): float(r["fma"])
               for r in some}
        orders = sorted({p for n, p in found if n})
        body = [[named(n)] + ["%.3g / %.3g = %.2f" % (*found[n, p],
                                           found[n, p][0] / found[n, p][1])
                   if (n, p) in found else "" for p in orders]
                for n in list(IMAGES) + [0]]
        table("Operators by the targets they serve, %s, depth %s, ms" % (t, d),
              ["operators"] + ["p = %d" % p for p in orders], body,
              "`gpu_sorted` / `gpu_symmetric`, of the same pairs of boxes.")
        if (t, d) != ("f32", depths(images)[0]):
            continue
        body = [["flops, " + named(n)] + [
            "%.2f" % (fma["gpu_symmetric", p, n] / fma["gpu_sorted", p, n])
            for p in orders] for n in IMAGES]
        body += [["accesses, " + named(n)]
                 + ["%.2f" % accesses(p, n) for p in orders]
                 for n in list(IMAGES) + [0]]
        table("With symmetries over without", ["of"] + ["p = %d" % p
                                                        for p in orders], body,
              "Multiply-adds as the rows count them; accesses of global and "
              "group memory by the kernel's text.")


def ladder(lines):
    body = []
    for t in TYPES:
        for d in depths(lines.shapes):
            for p in sorted({int(r["p"]) for r in lines.shapes
                             if setting(r) == {"apart": 1}}):
                body += one_ladder(lines, t, d, p)
    table("Fast rotation, step by step", [
        "precision, p, depth", "step", "row", "ms", "factor",
        "Lengvenis et al.", "in all"], body,
        "Theirs on a GH200, whose last step is a sum's, not that of m2l alone. "
        "Below the steps: our rows.")


def one_ladder(lines, t, d, p):
    apart = times(r for r in pick(lines.shapes, precision=t, depth=d)
                  if setting(r) == {"apart": 1})
    at_once = times(pick(lines.m2l, precision=t, depth=d))
    body, first, last = [], None, None
    for row, alone, words, factor in LADDER:
        v = (apart if alone else at_once).get((row, p))
        if v is None:
            return []
        body.append(["%s, %d, %s" % (t, p, d), words, "`%s`" % row,
                     "%.4g" % v, "%.2f" % (last / v) if last else "", factor,
                     "%.2f" % (first / v) if first else ""])
        first, last = first or v, v
    body[-1][-1] += " (theirs %s)" % PAPER_LADDER
    for row in ("gpu_rotation", "gpu_rotation_hybrid_source",
                "gpu_plane_wave"):
        if (row, p) in at_once:
            v = at_once[row, p]
            body.append(["%s, %d, %s" % (t, p, d), "", "`%s`" % row,
                         "%.4g" % v, "%.2f" % (last / v), "",
                         "%.2f" % (first / v)])
    return body


def threads(lines):
    """Two thread blocks per multiprocessor, and grids."""
    some = [r for r in lines.shapes if "group" in setting(r)]
    for keys, title in (({"groups": 264}, "Threads of a group, 264 groups, ms"),
                        ({}, "Groups of a launch and their threads, ms")):
        rows = [r for r in some if not keys or setting(r)["groups"] == 264]
        cases = sorted({(int(r["p"]), r["depth"], r["precision"])
                        for r in rows})
        known = {(int(r["p"]), r["depth"], r["precision"], setting(r)["groups"],
                  setting(r)["group"]): 1e3 * float(r["seconds"])
                 for r in rows}
        threads_ = sorted({k[4] for k in known})
        body = [["%s, p = %d, depth %s" % (c[2], c[0], c[1]), str(g)]
                + ["%.4g" % known[c + (g, n)] if c + (g, n) in known else ""
                   for n in threads_]
                for c in cases for g in sorted({k[3] for k in known
                                                if k[:3] == c})]
        table("`gpu_rotation_tiled`: " + title,
              ["case", "groups"] + [str(n) for n in threads_], body)


def tiling(lines):
    rows = ("gpu_rotation_tiled", "gpu_rotation_untiled")
    for t, d, some in each(lines.m2l):
        best = times(some)
        ratio = {("untiled / tiled", p): best[rows[1], p] / v
                 for (n, p), v in best.items()
                 if n == rows[0] and (rows[1], p) in best}
        if len(ratio) > 2:
            by_order("Columns in group memory, %s, depth %s" % (t, d), some,
                     ratio, "How many times faster than in global memory.",
                     form="%.2f")


def by_depth(lines):
    """Times by depth, with those of one core of the host."""
    host = times(lines.host)
    some = lines.m2l + lines.host
    for t in TYPES:
        for p in ("4", "8", "11"):
            rows = pick(some, precision=t, p=p, ws=1)
            cols = depths(rows)
            names = [n for n in ("gpu_rotation_tiled",
                                 "gpu_rotation_tiled_target",
                                 "gpu_rotation_source", "gpu_rotation_target",
                                 "gpu_rotation_hybrid_source",
                                 "gpu_plane_wave", "host_rotation")
                     if any(r["row"] == n for r in rows)]
            best = {d: times(pick(rows, depth=d)) for d in cols}
            body = [["`%s`" % n] + ["%.4g" % best[d][n, int(p)]
                                    if (n, int(p)) in best[d] else ""
                                    for d in cols] for n in names]
            if len(cols) > 3:
                table("m2l by depth, %s, p = %s, ms" % (t, p),
                      ["row"] + ["depth %s" % d for d in cols], body,
                      "`host_rotation`: one core." if host and p == "11"
                      else "")


def against(lines):
    """The paper's variant and dense operators, depth 5, each GPU."""
    body = []
    for rows in (lines.m2l, lines.h100):
        for t in TYPES:
            best = times(pick(rows, precision=t, depth=5, ws=1))
            orders = sorted({p for n, p in best if n == "gpu_symmetric"})
            gpu = "H200" if rows is lines.m2l else "H100"
            for n in ("gpu_rotation_tiled", "gpu_rotation_hybrid_source",
                      "gpu_plane_wave"):
                if rows and any(m == n for m, _ in best):
                    body.append([gpu, t, "`%s`" % n, ", ".join(
                        "%d: %.2f" % (p, best["gpu_symmetric", p] / best[n, p])
                        for p in orders if (n, p) in best)])
    table("Over `gpu_symmetric`, depth 5", ["GPU", "precision", "row",
                                            "order: how many times faster"],
          body, "Lengvenis et al. on a GH200: 2.47 at p = 12, f32.")


def throughput(lines):
    sums = [r for r in lines.sums if r["tag"] == "stages"]
    body = []
    for r in sums:
        every = sum(ms(r, s) for s in STAGES if s != "p2p")
        body.append(["`%s`" % asked(r)["m2l"]] + [
            "%.4g (%.1f %%)" % (ms(r, s), 100 * ms(r, s) / every)
            for s in STAGES if s != "p2p"] + ["%.4g" % ms(r, "p2p"),
                                              r["total_ms"]])
    table("Stages of a sum, p = 11, depth 7, four points a box, ms",
          ["m2l"] + [s for s in STAGES if s != "p2p"] + ["p2p", "sum"], body,
          "f32; in parentheses of the far field. Lengvenis et al.: m2l is "
          "95.7 %.")
    table("What the stages use of the GPU, percent", [
        "stage", "row of m2l", "p, depth", "ms", "compute", "memory",
        "Lengvenis et al."],
        [[r["stage"], "`%s`" % r["m2l"], "%s, %s" % (r["p"], r["depth"]),
          r["ms"], r["compute"], r["memory"],
          PAPER_2.get(r["stage"], PAPER_2.get("m2l " + r["m2l"], "")
                      if r["stage"] == "m2l" else "")]
         for r in lines.counters],
        "By Nsight Compute's counters; theirs on a GH200, compute and memory.")


def equal(lines):
    """Whole sums by every variant, and its own time."""
    some = [r for r in lines.sums if r["tag"] == "equal"]
    errors = sorted({float(asked(r)["want"]) for r in some}, reverse=True)
    cell = {(asked(r)["m2l"], float(asked(r)["want"])): r for r in some}
    names = sorted({n for n, _ in cell}, key=lambda n: min(
        (-e, float(cell[n, e]["total_ms"])) for e in errors if (n, e) in cell))
    table("Rows of m2l at equal measured error: 1e6 points, ms of a sum",
          ["row"] + ["%g, %s" % (e, next(r["precision"] for r in some if float(
              asked(r)["want"]) == e)) for e in errors],
          [["`%s`" % n] + ["%.4g (%.3g; p %s, depth %d, ws %s; %s)" % (
              float(cell[n, e]["total_ms"]), ms(cell[n, e], "m2l"),
              cell[n, e]["order"], int(cell[n, e]["levels"]) - 1,
              cell[n, e]["separation"], cell[n, e]["error"])
              if (n, e) in cell else "" for e in errors] for n in names],
          "One root box. In parentheses m2l, the order, the depth, how many "
          "boxes are near, and the measured error.")


def fixed(lines):
    some = [r for r in lines.sums if r["tag"] == "fixed"]
    levels = sorted({int(r["levels"]) for r in some})
    body = []
    for t in TYPES:
        for n in sorted({int(r["n"]) for r in some}):
            row = {int(r["levels"]): r["total_ms"] for r in some
                   if r["n"] == str(n) and r["precision"] == t}
            body.append([t, "%g" % n] + [row.get(k, "") for k in levels])
    table("Whole sums by points and depth, p = 8, ms",
          ["precision", "points"] + ["depth %d" % (k - 1) for k in levels],
          body)
    body = []
    for r in some:
        every = sum(ms(r, s) for s in STAGES)
        if r["n"] == "1000000" and every > 0:
            body.append([r["precision"], str(int(r["levels"]) - 1)] + [
                "%.1f" % (100 * ms(r, s) / every) for s in STAGES])
    table("What the stages share of a sum of 1e6 points, p = 8, percent",
          ["precision", "depth"] + list(STAGES), sorted(body))


TABLES = (fixed, equal, flops, micro, symmetry, ladder, threads, tiling,
          by_depth, against, throughput)


def panels(plt, cases, each_panel, folder, name, ylabel):
    """A picture with one panel per case; None without data."""
    cases = [c for c in cases if c]
    if not cases:
        return None
    figure, all_axes = plt.subplots(1, len(cases), squeeze=False,
                                    figsize=(3.1 * len(cases), 3))
    for axes, case in zip(all_axes[0], cases):
        each_panel(axes, case)
    all_axes[0][0].set_ylabel(ylabel)
    known = {}
    for axes in all_axes[0]:
        for handle, text in zip(*axes.get_legend_handles_labels()):
            known.setdefault(text, handle)
    all_axes[0][-1].legend(known.values(), known.keys(),
                           bbox_to_anchor=(1, 1), loc="upper left")
    return save(plt, figure, folder, name)


def draw_lines(axes, value, names):
    for k, n in enumerate(names):
        line = sorted((p, v) for (m, p), v in value.items() if m == n)
        if line:
            axes.plot(*zip(*line), marker=MARK[k % len(MARK)], label=n,
                      color="C%d" % (k % 10))


def draw_flops(plt, lines, folder):
    def one(axes, case):
        t, d, some = case
        draw_lines(axes, rates(some), DENSE + ("micro_compute",))
        axes.set_yscale("log")
        axes.set_xlabel("order, %s, depth %s" % (t, d))
    return panels(plt, [c for c in each(lines.m2l) if c[1] in ("3", "4")
                        and len({r["p"] for r in c[2]}) > 3],
                  one, folder, "flops.png", "Tflop/s")


def draw_micro(plt, lines, folder):
    def one(axes, t):
        for k, d in enumerate(depths(lines.m2l)):
            value = shares(pick(lines.m2l, precision=t, depth=d, ws=1))
            line = sorted((p, v) for (n, p), v in value.items()
                          if n == "gpu_symmetric")
            if line:
                axes.plot(*zip(*line), marker=MARK[k], label="depth " + d)
        axes.axhline(30, color="k", linewidth=.6)
        axes.set_ylim(0)
        axes.set_xlabel("order, " + t)
    return panels(plt, TYPES, one, folder, "micro.png",
                  "percent of micro_compute")


def draw_symmetry(plt, lines, folder):
    def one(axes, case):
        value = {(named(n), p): v[0] / v[1]
                 for (n, p), v in speedups(lines, *case).items()}
        draw_lines(axes, value, [named(n) for n in list(IMAGES) + [0]])
        axes.axhline(1, color="c", linewidth=.8)
        axes.set_xlabel("order, %s, depth %s" % case)
    images = [r for r in lines.shapes if "images" in setting(r)]
    return panels(plt, [c[:2] for c in each(images)], one, folder,
                  "symmetry.png", "times faster than without symmetries")


def draw_threads(plt, lines, folder):
    def one(axes, case):
        p, d = case
        some = [(setting(r)["groups"], setting(r)["group"],
                 1e3 * float(r["seconds"])) for r in pick(
                     lines.shapes, p=p, depth=d) if "group" in setting(r)]
        axes.plot(*zip(*sorted(s[1:] for s in some if s[0] == 264)), "o-",
                  label="264 groups")
        for k, n in enumerate(sorted({s[1] for s in some if s[0] != 264})):
            line = sorted((s[0] * n / 264, s[2]) for s in some if s[1] == n)
            axes.plot(*zip(*line), ":", marker=MARK[k + 1],
                      label="%d threads, groups by 264" % n)
        axes.set_yscale("log")
        axes.set_xlabel("threads of a group, p = %s, depth %s" % case)
    cases = sorted({(r["p"], r["depth"]) for r in lines.shapes
                    if setting(r).get("groups") == 264})
    return panels(plt, cases, one, folder, "threads.png", "ms")


def draw_tiling(plt, lines, folder):
    def one(axes, case):
        t, d = case
        best = times(pick(lines.m2l, precision=t, depth=d, ws=1))
        draw_lines(axes, best, ("gpu_rotation_tiled", "gpu_rotation_untiled"))
        axes.set_yscale("log")
        axes.set_xlabel("order, %s, depth %s" % case)
    return panels(plt, [c for c in (("f32", "5"), ("f64", "5"), ("f32", "7"))
                        if pick(lines.m2l, precision=c[0], depth=c[1],
                                row="gpu_rotation_untiled")],
                  one, folder, "tiling.png", "ms")


def draw_depth(plt, lines, folder):
    def one(axes, p):
        some = pick(lines.m2l + lines.host, precision="f32", p=p, ws=1)
        value = {(r["row"], int(r["depth"])): 1e3 * float(r["seconds"])
                 for r in some}
        draw_lines(axes, value, ("gpu_rotation_tiled",
                                 "gpu_rotation_tiled_target",
                                 "gpu_rotation_hybrid_source",
                                 "gpu_plane_wave", "host_rotation"))
        axes.set_yscale("log")
        axes.set_xlabel("depth, f32, p = " + p)
    return panels(plt, [p for p in ("4", "8", "11") if len(depths(pick(
        lines.m2l, precision="f32", p=p, row="gpu_rotation_tiled"))) > 2],
                  one, folder, "depth.png", "ms")


def draw_order(plt, lines, folder):
    """The paper's variant, dense operators for comparison, and ours."""
    def one(axes, t):
        draw_lines(axes, times(pick(lines.m2l, precision=t, depth=5, ws=1)),
                   ("gpu_symmetric", "gpu_rotation_tiled", "gpu_rotation",
                    "gpu_rotation_hybrid_source", "gpu_walsh",
                    "gpu_plane_wave"))
        axes.set_yscale("log")
        axes.set_xlabel("order, %s, depth 5" % t)
    return panels(plt, TYPES, one, folder, "order.png", "ms")


def draw_mix(plt, lines, folder):
    """Figures 17, 19 and 22: kinds of instructions, one bar per order."""
    kinds = ("float", "integer", "uniform", "load_store", "control", "movement",
             "other")

    def one(axes, row):
        some = sorted(pick(lines.mix, mix=row, precision="f32"),
                      key=lambda r: int(r["p"]))
        for k, r in enumerate(some):
            at = 0.0
            for c, kind in enumerate(kinds):
                axes.bar(k, float(r[kind]), bottom=at, color="C%d" % c,
                         label=kind if k == 0 else None)
                at += float(r[kind])
        axes.set_xticks(range(len(some)), [r["p"] for r in some])
        axes.set_xlabel("order, f32, %s" % row)
    known = {r["mix"] for r in lines.mix if r["precision"] == "f32"}
    return panels(plt, [n for n in ("gpu_naive", "gpu_dynamic", "gpu_symmetric",
                                    "gpu_rotation_hybrid_source",
                                    "gpu_plane_wave") if n in known],
                  one, folder, "mix.png", "percent of instructions")


PICTURES = ((draw_flops, "Flops of dense operators by order"),
            (draw_micro, "gpu_symmetric beside the compute-bound micro-kernel"),
            (draw_symmetry, "What operators gain that serve several targets"),
            (draw_mix, "What instructions of rows of m2l are"),
            (draw_threads, "Threads of a group and groups of a launch"),
            (draw_tiling, "Columns in group memory and in global memory"),
            (draw_depth, "m2l by depth"),
            (draw_order, "Dense operators, a paper's fast rotation and our "
             "rows by order"))
