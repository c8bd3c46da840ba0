# SPDX-License-Identifier: Apache-2.0
"""Pictures of bench/reports/spreading.md, by matplotlib."""
import os

import report_data as data

STYLE = {  # variant: colour and line, in the order of the legends
    "gpu_particle": ("#c0392b", "-"),
    "gpu_particle_cas": ("#c0392b", ":"),
    "gpu_particle_stored": ("#e67e22", ":"),
    "gpu_particle_warp": ("#e67e22", "-"),
    "gpu_particle_shadow": ("#7f8c8d", "--"),
    "gpu_gather": ("#8e44ad", "-"),
    "gpu_single": ("#2980b9", "-"),
    "gpu_single_local": ("#2980b9", ":"),
    "gpu_group": ("#16a085", "-"),
    "gpu_hybrid_mesh": ("#27ae60", "-"),
    "gpu_cusparse_csr": ("#7f8c8d", "-"),
    "gpu_cusparse_sell": ("#7f8c8d", ":"),
    "gpu_cell_grid": ("#f1c40f", "-"),
    "gpu_cell_hybrid": ("#b7950b", "-"),
    "gpu_output": ("#ff69b4", "-"),
    "gpu_stream": ("#000000", "-"),
    "gpu_stream_mma": ("#000000", "--"),
    "gpu_walk": ("#1abc9c", "-"),
    "gpu_walk_mma": ("#1abc9c", "--"),
}
MORE = ("#d35400", "#34495e", "#9b59b6")
MARK = "osv^D<>pXP*"


def plots():
    """matplotlib.pyplot with settings that make files reproducible."""
    import matplotlib
    matplotlib.use("agg")
    matplotlib.rcParams.update({
        "savefig.dpi": 110, "font.size": 8,
        "axes.grid": True, "grid.linewidth": 0.3, "lines.linewidth": 1.1,
        "lines.markersize": 3, "legend.fontsize": 6.5,
        "font.family": "sans-serif"})
    from matplotlib import pyplot
    return pyplot


def style(name, seen={}):
    row = name.split(":")[0]
    if row in STYLE:
        return STYLE[row]
    seen.setdefault(row, MORE[len(seen) % len(MORE)])
    return seen[row], "-"


def save(plt, figure, folder, name, tight=True):
    """Saves a picture with few colours, as the tree holds it."""
    from PIL import Image
    path = os.path.join(folder, name)
    if tight:
        figure.tight_layout()
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
    with Image.open(path) as image:
        small = image.convert("RGB").quantize(64)
    small.save(path, optimize=True)
    return name


def series(cases, precision, mesh, row, what):
    """(N, value) for the paper's cases that have the variant."""
    out = []
    for case, rows in cases.items():
        if (case.room == "spread" and case.window == "bspline"
                and case.precision == precision and case.K == mesh
                and row in rows):
            out.append((case.N, rows[row][what]))
    return sorted(out)


def names(cases, precision, mesh):
    found = []
    for case, rows in cases.items():
        if case.room == "spread" and case.window == "bspline" \
                and case.precision == precision and case.K == mesh:
            found += [r for r in rows if r not in found]
    order = list(STYLE)
    return sorted(found, key=lambda r: order.index(r) if r in order else 99)


def panel(axes, cases, precision, mesh, rows, what, labels=None, each=False):
    """Time over N, or nanoseconds per particle."""
    drawn = 0
    for i, row in enumerate(rows):
        points = series(cases, precision, mesh, row, what)
        if not points or max(v for _, v in points) <= 0:
            continue
        colour, line = style(row)
        if labels:  # a scan of one variant: colours by size
            colour, line = "C%d" % (i % 6), "-" if i < 6 else ":"
        axes.plot([n for n, _ in points],
                  [max(v, 1e-4) * (1e6 / n if each else 1) for n, v in points],
                  color=colour, linestyle=line, marker=MARK[i % len(MARK)],
                  label=labels[i] if labels else row)
        drawn += 1
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("particles")
    axes.set_ylabel("ns per particle" if each else "ms")
    axes.set_title("%s, K = %d" % (precision, mesh))
    return drawn


def grid(plt, cases, folder, name, panels, rows_of, what, labels=None,
         each=False, columns=2, legend="last"):
    """One panel per precision and mesh; None without data."""
    lines = (len(panels) + columns - 1) // columns
    extra = 1.4 if legend == "right" else 0
    figure, all_axes = plt.subplots(
        lines, columns, figsize=(3.6 * columns + extra, 2.9 * lines),
        squeeze=False)
    drawn = 0
    for axes, (precision, mesh) in zip(all_axes.flat, panels):
        drawn += panel(axes, cases, precision, mesh, rows_of(precision, mesh),
                       what, labels, each)
    if drawn == 0:
        plt.close(figure)
        return None
    if legend == "right":
        known = {}
        for axes in all_axes.flat:
            for handle, text in zip(*axes.get_legend_handles_labels()):
                known.setdefault(text, handle)
        figure.tight_layout()
        figure.subplots_adjust(right=1 - extra / (3.6 * columns + extra) - 0.01)
        figure.legend(known.values(), known.keys(), loc="center right")
        return save(plt, figure, folder, name, tight=False)
    all_axes.flat[0].legend()
    return save(plt, figure, folder, name)


def winners(plt, cases, folder, name, panels):
    """The fastest variant over N and the number of runs on the same positions.
    """
    figure, all_axes = plt.subplots(2, 4, figsize=(10.5, 5.2), squeeze=False)
    seen, drawn, colours = [], 0, plt.get_cmap("tab20")
    for axes, (precision, mesh) in zip(all_axes.flat, panels):
        found = sorted((c.N, rows) for c, rows in cases.items()
                       if c.room == "spread" and c.window == "bspline"
                       and c.precision == precision and c.K == mesh)
        if not found:
            continue
        runs = [10 ** (k / 4) for k in range(0, 17)]
        for i, (n, rows) in enumerate(found):
            left = (found[i - 1][0] * n) ** 0.5 if i else n / 1.5
            right = (found[i + 1][0] * n) ** 0.5 if i + 1 < len(found) \
                else n * 1.5
            for k in runs:
                total = {r: v["set_ms"] + round(k) * v["run_min_ms"]
                         for r, v in rows.items()
                         if ":" not in r and "shadow" not in r}
                if not total:
                    continue
                best = min(total, key=total.get)
                if best not in seen:
                    seen.append(best)
                axes.fill_between([left, right], k / 1.334, k * 1.334,
                                  color=colours(seen.index(best)),
                                  linewidth=0)
                drawn += 1
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("particles")
        axes.set_ylabel("runs on the same positions")
        axes.set_title("%s, K = %d" % (precision, mesh))
    if not drawn:
        plt.close(figure)
        return None
    from matplotlib.patches import Patch
    figure.tight_layout()
    figure.subplots_adjust(bottom=0.2)
    figure.legend([Patch(color=colours(i)) for i in range(len(seen))], seen,
                  loc="lower center", ncol=6)
    return save(plt, figure, folder, name, tight=False)


def peers(plt, lines, folder, name, what, total):
    """Particles per microsecond over N: cuFINUFFT's methods and our fastest
    variant."""
    lines = [r for r in lines
             if r["what"] == what and r["program"] != "gpunufft"]
    panels = sorted({(r["precision"], float(r["tol"]), int(r["K"]), r["dist"])
                     for r in lines},
                    key=lambda p: (p[3] != "uniform", p[0], p[1], p[2]))
    panels = [p for p in panels if len({
        r["N"] for r in lines if key(r) == p}) > 2]
    if not panels:
        return None
    columns = 3 if len(panels) % 3 == 0 else 4
    rows = (len(panels) + columns - 1) // columns
    figure, all_axes = plt.subplots(rows, columns, squeeze=False,
                                    figsize=(2.7 * columns, 2.5 * rows))
    for axes in all_axes.flat[len(panels):]:
        axes.set_visible(False)
    for axes, panel_ in zip(all_axes.flat, panels):
        curves = {}
        for r in lines:
            if key(r) != panel_:
                continue
            ms = float(r["run_ms"]) + (float(r["set_ms"]) if total else 0)
            label = "Farsum, best variant" if r["program"] == "farsum" \
                else "cuFINUFFT " + ("default" if r["method"] == "0"
                                     else "method " + r["method"])
            n = int(r["N"])
            rate = 1e-3 * n / ms
            curve = curves.setdefault(label, {})
            curve[n] = max(rate, curve.get(n, 0))
        for i, label in enumerate(sorted(curves)):
            points = sorted(curves[label].items())
            ours = label.startswith("Farsum")
            axes.plot([n for n, _ in points], [v for _, v in points],
                      marker=MARK[i], label=label,
                      color="black" if ours else "C%d" % i,
                      linewidth=1.6 if ours else 0.9)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_title("%s, %g, K = %d, %s" % panel_, fontsize=7)
    all_axes.flat[0].legend(fontsize=5.5)
    all_axes[0][0].set_ylabel("particles per microsecond")
    return save(plt, figure, folder, name)


def key(r):
    return r["precision"], float(r["tol"]), int(r["K"]), r["dist"]


def all_pictures(cases, peer_lines, folder):
    """{name: file}; a picture without data is left out."""
    plt = plots()
    os.makedirs(folder, exist_ok=True)
    two = [("f32", 128), ("f64", 128)]
    eight = [(p, k) for p in ("f32", "f64") for k in (32, 64, 128, 256)]

    def rows(*some):
        return lambda precision, mesh: some
    units = (1, 2, 4, 8, 16, 32)
    groups = (16, 32, 64, 128, 256)
    out = {
        "units": grid(plt, cases, folder, "units.png", two, rows(
            *("gpu_single:unit=%d" % u for u in units)), "run_min_ms",
            ["unit %d" % u for u in units], each=True),
        "groups": grid(plt, cases, folder, "groups.png", two, rows(
            *("gpu_group:group=%d" % g for g in groups)), "run_min_ms",
            ["group %d" % g for g in groups], each=True),
        "shuffle": grid(plt, cases, folder, "shuffle.png", two, rows(
            "gpu_single", "gpu_single_local"), "run_min_ms", each=True),
        "atomics": grid(plt, cases, folder, "atomics.png",
                        [("f32", 64), ("f64", 64)], rows(
                            "gpu_particle", "gpu_particle_cas",
                            "gpu_particle_shadow"), "run_min_ms", each=True),
        "gather": grid(plt, cases, folder, "gather.png",
                       [("f32", 64), ("f64", 64)], rows(
                           "gpu_particle", "gpu_particle_cas", "gpu_gather",
                           "gpu_stream"), "run_min_ms", each=True),
        "weights": grid(plt, cases, folder, "weights.png", two, rows(
            "gpu_particle", "gpu_particle_stored", "gpu_single"),
            "run_min_ms", each=True),
        "spreading": grid(plt, cases, folder, "spreading.png", eight,
                          lambda p, k: [r for r in names(cases, p, k)
                                        if ":" not in r and "shadow" not in r],
                          "run_min_ms", columns=4, legend="right"),
        "construction": grid(plt, cases, folder, "construction.png", eight,
                             lambda p, k: [
                                 r for r in names(cases, p, k)
                                 if ":" not in r and "gpu_particle" not in r],
                             "set_ms", columns=4, legend="right"),
        "winners": winners(plt, cases, folder, "winners.png", eight),
    }
    for what in ("spread", "interp"):
        for total in (0, 1):
            name = "peers_%s%s" % (what, "_total" if total else "")
            out[name] = peers(plt, peer_lines, folder, name + ".png", what,
                              total)
    for what in ("type 1", "type 2"):
        name = "peers_" + what.replace(" ", "_")
        out[name] = peers(plt, peer_lines, folder, name + ".png", what, 1)
    return {k: v for k, v in out.items() if v}
