# SPDX-License-Identifier: Apache-2.0
"""Tables of bench/reports/ewald.md for the same kernels on other devices."""
from ewald_tables import error, rate, table
from report_data import counted, short


SPREADING = ("gpu_particle", "gpu_cell_grid", "gpu_cell_hybrid", "gpu_stream",
             "gpu_walk", "gpu_stream_mma", "host_tile", "multicolour")
# Lines of other parts, used where a device has no line of this part.
TUNED = ("want=1e-9 tag=tuned", "want=1e-4 prec=f32 tag=f32")


def as_slides(r):
    """Whether a line of mesh_rows belongs to the slides' case."""
    return (r["row"] in SPREADING and r["P"] == "8" and r["channels"] == "3"
            and r["precision"] == "f64" and r["dist"] == "uniform"
            and 0.08 < int(r["N"]) / int(r["K"]) ** 3 < 0.12)


def place(m, r):
    """The device of a line, in words."""
    name = m.title.split(",")[0].replace("One NVIDIA ", "")
    kind = r["device"].split(":")[0]
    if kind == "cuda":
        return name + ", CUDA"
    if kind == "opencl":
        return name + (", PoCL" if "core" in name else ", OpenCL")
    return name + ("" if "core" in name else "'s host")


def gather(machines):
    """{stage: {(variant, split or precision): {device: (value, N, error)}}},
    and the devices in order.  The line with the fewest points counts, and
    among equals the last."""
    found, places = {"near": {}, "spread": {}, "whole": {}}, []

    def add(m, r, room, key, value, n, e=""):
        where = place(m, r)
        if where not in places:
            places.append(where)
        got = found[room].setdefault(key, {})
        if where not in got or n <= got[where][1]:
            got[where] = (value, n, e)
    for m in machines:
        for r in m.near:
            if float(r["s"]) == 256 and r["precision"] == "f64" \
                    and ":" not in r["row"]:
                add(m, r, "near", (r["row"], r["split"]), rate(r),
                    int(float(r["n"])))
        for r in m.mesh:
            if r["room"] == "spread" and as_slides(r):
                add(m, r, "spread", (r["row"], ""), float(r["per_us"]),
                    int(float(r["N"])))
        for r in m.whole:
            if r["tag"] == "portable" or r["case"] == "stokeslet n=1000000" \
                    and r["asked"] in TUNED:
                add(m, r, "whole", (r["precision"], ""),
                    1e-3 * int(r["n"]) / float(r["total_ms"]), int(r["n"]),
                    error(r))
    return found, places


TEXT = {
    "near": "Near field, targets per microsecond, f64, s = 256, 1e-9:\n",
    "spread": "Spreading, particles per microsecond, f64, P = 8, three"
              " components, 0.1 particles per mesh point (the slides: BASE 10.1,"
              " GRID 11.9, HYBRID 63.8 on an H200):\n",
    "whole": "Whole sums, particles per microsecond, f64 at a tolerance of 1e-9"
             " and f32 at 1e-4, with the measured error in parentheses:\n"}


def portable(out, machines):
    """Writes the tables; returns the gathered data."""
    found, places = gather(machines)
    if len(places) < 2:
        return found, places
    out.append("\n## The same kernels on other devices\n\n"
               "`bench/ewald.py DEVICE OUT --part portable` sums Stokeslets at"
               " uniform points. The slides show such a comparison as pictures,"
               " without numbers. CUDA, NVIDIA's OpenCL and PoCL on a processor"
               " compile one kernel text; `host_` variants are the host's own"
               " code. Numbers of points: ")
    n_of = {}
    for room in found.values():
        for by_place in room.values():
            for where, (_, n, _) in by_place.items():
                n_of.setdefault(where, set()).add(counted(n))
    out[-1] += "; ".join("%s %s" % (w, ", ".join(sorted(n_of[w])))
                         for w in places) + ".\n"
    for room, rows in found.items():
        there = [p for p in places if any(p in v for v in rows.values())]
        if not there:
            continue
        out.append(TEXT[room])
        lines = []
        for (row, more), by_place in rows.items():
            cells = ["`%s`" % row if room != "whole" else row, more]
            for p in there:
                v = by_place.get(p)
                cells.append("%s%s" % (short(v[0]), v[2] and " (%s)" % v[2])
                             if v else "")
            lines.append(cells if room == "near" else cells[:1] + cells[2:])
        table(out, ["variant" if room != "whole" else "precision"]
              + ["split"] * (room == "near") + there, lines)
    return found, places
