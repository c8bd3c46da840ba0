# SPDX-License-Identifier: Apache-2.0
"""Figures and tables as in two papers, from the lines of fmm.py's parts: Kohnke
et al., IJHPCA 2020, on dense operators, and Lengvenis et al., IPDPS 2025, on
fast rotation."""
from fmm_tables import (STAGES, TYPES, asked, by_order, ms, pick, setting,
                        table, times)
from report_pictures import MARK, save

DENSE = ("gpu_naive", "gpu_naive_managed", "gpu_dynamic", "gpu_dynamic_split",
         "gpu_sorted", "gpu_symmetric", "gpu_symmetric_pointers")
IMAGES = {1: 7, 2: 21, 4: 21, 8: 7}  # targets: operators that serve so many
# Variant, whether each level has its own launch, the step, the paper's factor.
LADDER = (
    ("gpu_rotation_bare_target", 1, "hybrid access, target-centric", ""),
    ("gpu_rotation_bare", 1, "source-centric", "1.29"),
    ("gpu_rotation_swaps", 1, "tiles in shared memory", "2.04"),
    ("gpu_rotation_tiled", 1, "axis exchanges in constant memory", "1.17"),
    ("gpu_rotation_tiled", 0, "all levels in one launch", "5.6, with sorting"))
PAPER_LADDER = 17.16
PAPER_2 = {"p2m": "54.94, 78.85", "m2m": "70.90, 50.22",
           "l2l": "66.58, 26.74", "l2p": "64.56, 17.46",
           "m2l gpu_rotation_tiled_target": "70.06, 36.33",
           "m2l gpu_rotation_tiled": "75.74, 29.72"}


def depths(rows):
    return sorted({r["depth"] for r in rows}, key=int)


def each(rows):
    """Yields each precision and depth with their lines."""
    for t in TYPES:
        for d in depths(rows):
            some = pick(rows, precision=t, depth=d, ws=1)
            if some:
                yield t, d, some


def rates(some):
    """{(variant, order): Tflop/s} by the variants' operation counts, where a
    multiply-add is two flops."""
    best = times(some)
    fma = {(r["row"], int(r["p"])): float(r["fma"]) for r in some}
    return {k: 2e-9 * fma[k] / v for k, v in best.items()}


def flops(lines):
    for t, d, some in each(lines.m2l):
        if d in ("3", "4"):
            some = [r for r in some if r["row"] in DENSE
                    or r["row"] == "micro_compute"]
            by_order("Dense operators, Tflop/s, %s, depth %s" % (t, d), some,
                     rates(some), names=DENSE + ("micro_compute",))


def shares(some):
    """{(variant, order): per cent of the compute-bound micro-kernel's speed}"""
    best = times(some)
    return {(n, p): 100 * best["micro_compute", p] / v
            for (n, p), v in best.items()
            if n.startswith("gpu_symmetric") and ("micro_compute", p) in best}


def micro(lines):
    for t, d, some in each(lines.m2l):
        by_order("Per cent of the compute-bound micro-kernel, %s, depth %s"
                 % (t, d), some, shares(some),
                 "Kohnke et al. have about 30 % at p = 3 to 20, depths 3 and 4."
                 if (t, d) == ("f32", "3") else "", form="%.0f")


def accesses(p, n):
    """Accesses to global and shared memory if an operator serves n targets,
    over those if it serves one.  n = 0: the mean over all operators.  Counted
    are loads of a source's coefficients and of operators, and the sums."""
    half, size = (p + 1) * (p + 2) / 2, (p + 1) ** 2
    loads = half * (size + 4 * half)
    kinds = [n] if n else list(IMAGES)
    pairs = sum(k * IMAGES[k] for k in kinds)
    return (sum(IMAGES[k] for k in kinds) * loads + pairs * size) \
        / (pairs * (loads + size))


def speedups(lines, t, d):
    """{(targets, order): (ms without symmetries, ms with)}; targets = 0: all
    operators."""
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
        table("Operators by number of targets, %s, depth %s, ms" % (t, d),
              ["operators"] + ["p = %d" % p for p in orders], body,
              "An operator serves 1, 2, 4 or 8 targets by symmetry. Cells: "
              "`gpu_sorted` / `gpu_symmetric` = ratio, for the same pairs of "
              "boxes.")
        if (t, d) != ("f32", depths(images)[0]):
            continue
        body = [["flops, " + named(n)] + [
            "%.2f" % (fma["gpu_symmetric", p, n] / fma["gpu_sorted", p, n])
            for p in orders] for n in IMAGES]
        body += [["accesses, " + named(n)]
                 + ["%.2f" % accesses(p, n) for p in orders]
                 for n in list(IMAGES) + [0]]
        table("With symmetries over without", ["count"] + ["p = %d" % p
                                                           for p in orders],
              body,
              "Flops are the multiply-adds that the variants count. Accesses "
              "are those of the kernel's text to global and shared memory.")


def ladder(lines):
    body = []
    for t in TYPES:
        for d in depths(lines.shapes):
            for p in sorted({int(r["p"]) for r in lines.shapes
                             if setting(r) == {"apart": 1}}):
                body += one_ladder(lines, t, d, p)
    table("Fast rotation, step by step", [
        "precision, p, depth", "step", "variant", "ms", "factor",
        "Lengvenis et al.", "total factor"], body,
        "Lengvenis et al. used a GH200; the factor of their last step is that "
        "of a whole sum, not only of m2l. Lines without a step are our "
        "variants.")


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
    body[-1][-1] += " (paper: %s)" % PAPER_LADDER
    for row in ("gpu_rotation", "gpu_rotation_hybrid_source",
                "gpu_plane_wave"):
        if (row, p) in at_once:
            v = at_once[row, p]
            body.append(["%s, %d, %s" % (t, p, d), "", "`%s`" % row,
                         "%.4g" % v, "%.2f" % (last / v), "",
                         "%.2f" % (first / v)])
    return body


def threads(lines):
    """Times with two thread blocks per multiprocessor, and with grids of other
    sizes."""
    some = [r for r in lines.shapes if "group" in setting(r)]
    for keys, title in (({"groups": 264}, "threads per block, 264 blocks, ms"),
                        ({}, "blocks per launch and threads per block, ms")):
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
              ["case", "blocks"] + [str(n) for n in threads_], body)


def tiling(lines):
    rows = ("gpu_rotation_tiled", "gpu_rotation_untiled")
    for t, d, some in each(lines.m2l):
        best = times(some)
        ratio = {("untiled / tiled", p): best[rows[1], p] / v
                 for (n, p), v in best.items()
                 if n == rows[0] and (rows[1], p) in best}
        if len(ratio) > 2:
            by_order("Columns in shared memory, %s, depth %s" % (t, d), some,
                     ratio, "Time with columns in global memory over the time "
                     "with columns in shared memory.",
                     form="%.2f")


def by_depth(lines):
    """Times by depth, on the device and on one core of the host."""
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
                      ["variant"] + ["depth %s" % d for d in cols], body,
                      "`host_rotation` ran on one core." if host and p == "11"
                      else "")


def against(lines):
    """Speed of the paper's variant and ours over dense operators, depth 5."""
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
    table("Speed over `gpu_symmetric`, depth 5", [
        "GPU", "precision", "variant", "order: times as fast"],
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
    table("Stages of a sum, p = 11, depth 7, four points per box, ms",
          ["m2l"] + [s for s in STAGES if s != "p2p"] + ["p2p", "sum"], body,
          "f32. In parentheses: share of the far field. Lengvenis et al. have "
          "95.7 % for m2l.")
    table("Use of the GPU by the stages, per cent", [
        "stage", "variant of m2l", "p, depth", "ms", "compute", "memory",
        "Lengvenis et al."],
        [[r["stage"], "`%s`" % r["m2l"], "%s, %s" % (r["p"], r["depth"]),
          r["ms"], r["compute"], r["memory"],
          PAPER_2.get(r["stage"], PAPER_2.get("m2l " + r["m2l"], "")
                      if r["stage"] == "m2l" else "")]
         for r in lines.counters],
        "By Nsight Compute's counters. Values of Lengvenis et al. are compute "
        "and memory on a GH200.")


def equal(lines):
    """Times of whole sums with every variant of m2l, and of m2l."""
    some = [r for r in lines.sums if r["tag"] == "equal"]
    errors = sorted({float(asked(r)["want"]) for r in some}, reverse=True)
    cell = {(asked(r)["m2l"], float(asked(r)["want"])): r for r in some}
    names = sorted({n for n, _ in cell}, key=lambda n: min(
        (-e, float(cell[n, e]["total_ms"])) for e in errors if (n, e) in cell))
    table("Variants of m2l at equal measured error: 1e6 points, ms of a sum",
          ["variant"] + ["%g, %s" % (e, next(r["precision"] for r in some if float(
              asked(r)["want"]) == e)) for e in errors],
          [["`%s`" % n] + ["%.4g (%.3g; p %s, depth %d, ws %s; %s)" % (
              float(cell[n, e]["total_ms"]), ms(cell[n, e], "m2l"),
              cell[n, e]["order"], int(cell[n, e]["levels"]) - 1,
              cell[n, e]["separation"], cell[n, e]["error"])
              if (n, e) in cell else "" for e in errors] for n in names],
          "One root box. In parentheses: ms of m2l, the order, the depth, the "
          "separation ws, and the measured error.")


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
    table("Shares of the stages in a sum of 1e6 points, p = 8, per cent",
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
                  "per cent of micro_compute")


def draw_symmetry(plt, lines, folder):
    def one(axes, case):
        value = {(named(n), p): v[0] / v[1]
                 for (n, p), v in speedups(lines, *case).items()}
        draw_lines(axes, value, [named(n) for n in list(IMAGES) + [0]])
        axes.axhline(1, color="c", linewidth=.8)
        axes.set_xlabel("order, %s, depth %s" % case)
    images = [r for r in lines.shapes if "images" in setting(r)]
    return panels(plt, [c[:2] for c in each(images)], one, folder,
                  "symmetry.png", "speed over that without symmetries")


def draw_threads(plt, lines, folder):
    def one(axes, case):
        p, d = case
        some = [(setting(r)["groups"], setting(r)["group"],
                 1e3 * float(r["seconds"])) for r in pick(
                     lines.shapes, p=p, depth=d) if "group" in setting(r)]
        axes.plot(*zip(*sorted(s[1:] for s in some if s[0] == 264)), "o-",
                  label="264 blocks")
        for k, n in enumerate(sorted({s[1] for s in some if s[0] != 264})):
            line = sorted((s[0] * n / 264, s[2]) for s in some if s[1] == n)
            axes.plot(*zip(*line), ":", marker=MARK[k + 1],
                      label="%d threads, blocks / 264" % n)
        axes.set_yscale("log")
        axes.set_xlabel("threads per block, p = %s, depth %s" % case)
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
    """Times by order: the paper's variant, dense operators, and ours."""
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
                  one, folder, "mix.png", "per cent of instructions")


PICTURES = ((draw_flops, "Flops of dense operators by order"),
            (draw_micro, "Speed of gpu_symmetric over that of the compute-bound "
             "micro-kernel"),
            (draw_symmetry, "Gain of operators that serve several targets"),
            (draw_mix, "Kinds of instructions of m2l variants"),
            (draw_threads, "Threads per block and blocks per launch"),
            (draw_tiling, "Columns in shared memory and in global memory"),
            (draw_depth, "m2l by depth"),
            (draw_order, "Dense operators, a paper's fast rotation and our "
             "variants by order"))
