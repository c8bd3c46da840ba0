# SPDX-License-Identifier: Apache-2.0
"""Pictures of bench/reports/ewald.md, by matplotlib."""
import os

import ewald_peers as peers
import ewald_portable
import ewald_tables as tables
from report_pictures import MARK, plots, save

COLOURS = {"near": "#2980b9", "spread": "#e67e22", "fft": "#27ae60",
           "scale": "#7f8c8d", "interp": "#8e44ad", "set": "#c0392b"}


def near(plt, m, folder):
    """Targets per microsecond: the slides, our variants of their algorithms,
    and our other variants."""
    n = tables.sizes(m)
    if len(n) < 2:
        return None
    names, values, colours = [], [], []
    for row in tables.SEED_ROWS:
        names.append(row + ", slides")
        values.append(tables.SLIDES_NEAR[(7, row)][1])
        colours.append("#bdc3c7")
    for row, split in tables.near_names(m):
        v = tables.near_cell(m, "f64", split, n[1], 256.0, row, 1e-9)
        if v:
            names.append("%s, %s" % (row, split))
            values.append(v)
            colours.append("#7f8c8d" if row in tables.SEED_ROWS else
                           "#2980b9" if split == "gaussian" else "#000000")
    figure, axes = plt.subplots(figsize=(6.5, 0.25 * len(names) + 0.8))
    axes.barh(range(len(names)), values, color=colours)
    axes.set_yticks(range(len(names)), names)
    axes.invert_yaxis()
    axes.set_xlabel("targets per microsecond, f64, s = 256, %d points" % n[1])
    return save(plt, figure, folder, "near.png")


def whole(plt, m, folder):
    """Stages of the largest sum, one bar per setting."""
    lines = tables.of_flow(m, [t for t, _ in tables.TAGS], "f64")
    if not lines:
        return None
    n = max(int(r["n"]) for r in lines)
    bars = [("slides" if n >= 4e6 else "slides, 4e6 points",
             tables.SLIDES_WHOLE)]
    for tag, what in tables.TAGS:
        for r in lines:
            if (r["tag"] == tag and int(r["n"]) == n
                    and r["device"] != "host"):
                bars.append(("%s\n%s, error %s" % (what, r["near"],
                                                   tables.error(r)),
                             {s: float(r[s + "_ms"]) for s in tables.STAGES}))
    figure, axes = plt.subplots(figsize=(7.5, 0.42 * len(bars) + 0.9))
    for k, (_, ms) in enumerate(bars):
        left = 0
        for stage, colour in COLOURS.items():
            v = ms.get(stage, 0)
            axes.barh(k, v, left=left, color=colour,
                      label=stage if k == 0 or stage == "scale" and k == 1
                      else None)
            left += v
    axes.set_yticks(range(len(bars)), [b[0] for b in bars], fontsize=6.5)
    axes.invert_yaxis()
    axes.set_xlabel("ms, stages one after another, %d points" % n)
    axes.legend(loc="lower right")
    return save(plt, figure, folder, "whole.png")


def coulomb(plt, m, folder):
    found = peers.by_error(m)
    found = {k: v for k, v in found.items() if len(v) > 1}
    if not found:
        return None
    figure, all_axes = plt.subplots(1, len(found), squeeze=False,
                                    figsize=(2.9 * len(found), 2.9))
    for axes, (key, by_n) in zip(all_axes[0], sorted(found.items(),
                                                     reverse=True)):
        programs = sorted({p for v in by_n.values() for p in v})
        for i, program in enumerate(programs):
            points = [(n, peers.step(program, v[program]))
                      for n, v in sorted(by_n.items()) if program in v]
            axes.plot(*zip(*points), marker=MARK[i], label=program,
                      color="black" if program == "farsum" else "C%d" % i)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title("error %g, %s" % key)
        axes.set_xlabel("atoms")
    all_axes[0][0].set_ylabel("ms")
    all_axes[0][0].legend()
    return save(plt, figure, folder, "coulomb.png")


def portable(plt, machines, folder):
    """One group of bars per variant, one colour per device."""
    found, places = ewald_portable.gather(machines)
    if len(places) < 2:
        return None
    figure, all_axes = plt.subplots(1, 3, figsize=(11, 4.2), width_ratios=(3, 2, 1))
    for axes, (room, rows) in zip(all_axes, found.items()):
        width = 0.8 / len(places)
        for k, where in enumerate(places):
            at = [(i + k * width, v[where][0]) for i, v in
                  enumerate(rows.values()) if where in v]
            if at:
                axes.bar(*zip(*at), width=width, log=True, label=where)
        axes.set_xticks([i + 0.4 for i in range(len(rows))],
                        [" ".join(r).strip() for r in rows], fontsize=6.5,
                        rotation=60, ha="right")
        axes.set_title(room)
    all_axes[0].set_ylabel("particles per microsecond")
    all_axes[0].legend(fontsize=6)
    return save(plt, figure, folder, "portable.png")


def all_pictures(machines, host, folder):
    """{name: file}; a picture without data is left out."""
    del host
    plt = plots()
    os.makedirs(folder, exist_ok=True)
    m = machines[0]
    m.device = m.near[0]["device"] if m.near else "cuda:0"
    out = {"near": near(plt, m, folder), "whole": whole(plt, m, folder),
           "coulomb": coulomb(plt, m, folder),
           "portable": portable(plt, machines, folder)}
    return {k: v for k, v in out.items() if v}
