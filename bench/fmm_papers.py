# SPDX-License-Identifier: Apache-2.0
"""Cases of fmm.py for figures and tables of two papers: Kohnke et al., IJHPCA
2020 (dense operators), and Lengvenis et al., IPDPS 2025 (fast rotation).  Each
function yields (key, command)."""
import os

import parts

TYPES = ("f32", "f64")
LISTS = ["gpu_sorted", "gpu_symmetric", "gpu_symmetric_pointers",
         "gpu_plane_wave"]
LOOPS = ["gpu_naive", "gpu_dynamic", "gpu_dynamic_split", "gpu_naive_managed"]
ROTATION = ["gpu_rotation_tiled", "gpu_rotation_tiled_target",
            "gpu_rotation_source", "gpu_rotation_target"]
OURS = ["gpu_rotation_hybrid_source", "gpu_plane_wave"]
EQUAL = ["gpu_plane_wave", "gpu_plane_wave_mma", "gpu_walsh_mma",
         "gpu_walsh_families", "gpu_rotation_hybrid_source", "gpu_symmetric_sums",
         "gpu_symmetric", "gpu_rotation_tiled", "gpu_dense", "gpu_rotation"]
# The paper's steps, from target-centric with all data in global memory.
LADDER = ["apart=1", "gpu_rotation_bare_target", "gpu_rotation_bare",
          "gpu_rotation_swaps", "gpu_rotation_tiled", "apart=0",
          "gpu_rotation_tiled"] + OURS
GROUPS = (32, 64, 96, 128, 192, 256, 320, 384, 416, 448, 512, 640, 768, 1024)
GRID = ((64, (1056, 2112, 4224)), (128, (264, 528, 1056, 2112)),
        (256, (132, 264, 528, 1056)), (512, (132, 264, 528)))
SHAPES = ((6, 7), (17, 6))  # order, depth: a level less than the paper's
TABLE_1 = (11, 7)
ERRORS = ((1e-3, "f32"), (1e-5, "f32"), (1e-7, "f64"), (1e-9, "f64"),
          (1e-12, "f64"))


def rows_at(a, what, precision, p, depth, words, repeats=4, device=None):
    device = device or a.device
    return ("%s %s %d %d" % (what, precision, p, depth),
            [a.build + "/bench/m2l_rows", device, precision, str(p), str(depth),
             "repeats=%d" % repeats] + words)


def sums(a, key, case, reference, plans):
    return (key, [a.build + "/bench/ewald_rows", a.device, case]
            + (["reference=" + reference] if reference else []) + plans)


def paper(a):
    """Figures 15, 16, 18, 23: every order."""
    cases = [(d, p, t) for even in (0, 1) for d in (3, 4)
             for p in range(even, 21, 2) for t in TYPES]
    for depth, p, t in cases:
        yield rows_at(a, "lists", t, p, depth, LISTS)
        yield ("micro %s %d %d" % (t, p, depth),
               [a.build + "/bench/m2l_micro", a.device, t, str(p), str(depth)])
    for depth, p, t in cases:
        yield rows_at(a, "paper", t, p, depth, LOOPS)
    for p in (8, 12):
        for t in TYPES:
            yield rows_at(a, "paper", t, p, 5, LOOPS[:1], 1)


def images(a):
    """Figures 18 and 21: by symmetry."""
    words = []
    for n in (1, 2, 4, 8, 0):
        words += ["images=%d" % n, "gpu_sorted", "gpu_symmetric"]
    for depth in (3, 4):
        for p in (8, 12, 4, 16, 20, 2, 6, 10, 14, 18):
            for t in TYPES:
                yield rows_at(a, "images", t, p, depth, words)


def shapes(a):
    """Figures 11 and 13: two thread blocks per multiprocessor, then grids."""
    for p, depth in SHAPES:
        words = ["groups=264"]
        for n in GROUPS:
            words += ["group=%d" % n, "gpu_rotation_tiled"]
        yield rows_at(a, "shape", "f32", p, depth, words, 0)
        words = []
        for n, grids in GRID:
            words += ["group=%d" % n]
            for groups in grids:
                words += ["groups=%d" % groups, "gpu_rotation_tiled"]
        yield rows_at(a, "grid", "f32", p, depth, words, 0)


def ladder(a):
    for p, depth in ((11, 5), (11, 4), TABLE_1, (12, 5)):
        for t in TYPES:
            yield rows_at(a, "ladder", t, p, depth, LADDER,
                          0 if depth > 6 else 4)


def tiling(a):
    """Figure 12."""
    some = ["gpu_rotation_tiled", "gpu_rotation_untiled"]
    for p in range(1, 21):
        for t in TYPES:
            yield rows_at(a, "tiling", t, p, 5, some, 2)
    for p in (4, 8, 12, 16):
        yield rows_at(a, "tiling", "f32", p, 7, some, 0)


def levels(a):
    """Figure 14: by depth, as far as the memory of the GPU suffices."""
    for p in (8, 4, 11):
        for depth in (4, 5, 6, 7):
            for t in TYPES:
                yield rows_at(a, "levels", t, p, depth, ROTATION + OURS,
                              0 if depth > 6 else 2)
    for p in (4, 8):
        yield rows_at(a, "levels", "f32", p, 8, ROTATION[:1] + OURS, 0)
        yield rows_at(a, "levels", "f32", p, 9, ROTATION[:2 - p // 4] + OURS, 0)
    for t in TYPES:
        for depth in (3, 4, 5, 6):
            yield rows_at(a, "host", t, 11, depth, ["host_rotation"],
                          2 if depth < 6 else 0, "host")


def stages(a):
    """Table II: whole sums with Table I's parameters, and counters."""
    p, depth = TABLE_1
    case = "laplace n=%d" % (4 * 8 ** depth)
    plan = "method=fmm,prec=f32,boxes=1,levels=%d,order=%d,tag=stages,m2l=%s"
    for row in ROTATION[:2] + OURS:
        yield sums(a, "stages " + row, case, None, [plan % (depth + 1, p, row)])


def throughput(a):
    p, depth = TABLE_1[0], 6  # small, because counters repeat the run often
    for row in ROTATION[:2]:
        yield ("throughput %s %d %d" % (row, p, depth),
               [os.path.join(parts.TREE, "bench/fmm_stages.py"), a.device,
                "f32", str(p), str(depth), row, "--build", a.build])


def equal(a):
    """Whole sums at the same measured error: with each variant of m2l at 1e-3,
    with the papers' fastest variants and ours at smaller errors."""
    for error, t in ERRORS:
        rows = parts.device_rows("m2l") if error == ERRORS[0][0] else EQUAL
        if error < 1e-10:  # plane waves reach 6e-10; others are for ws = 1
            rows = [r for r in rows
                    if not r.startswith(("gpu_plane_wave", "gpu_walsh"))]
        reference = "ewald:200" if error < 1e-11 else "spectral:1e-12"
        plan = "want=%g,prec=%s,method=fmm,boxes=1,tag=equal,m2l=" % (error, t)
        for k in range(0, len(rows), 5):
            yield sums(a, "equal %g %s" % (error, rows[k]), "laplace n=1e6",
                       reference, [plan + r for r in rows[k:k + 5]])
