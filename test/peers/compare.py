# SPDX-License-Identifier: Apache-2.0
"""Common code of the tests in this folder: runs farsum and compares results.

    FARSUM=build/farsum test/peers/test_lammps.py

Each bound is the sum of both sides' stated errors: farsum's --tolerance and the
peer's accuracy, which its test derives.  Nothing else is added.  Exit status: 0
all agree; 1 some differ; 77 skipped, because a peer is not installed.  With
FARSUM_REQUIRE_PEERS=1, as in CI, a missing peer is a failure.
"""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
sys.path.insert(0, os.path.join(ROOT, "bench", "peers"))
sys.dont_write_bytecode = True
BOXES = ("data/water_spce.xyz", "data/water_tric.data")


def skip(why):
    required = os.environ.get("FARSUM_REQUIRE_PEERS") == "1"
    print(("FAILED (FARSUM_REQUIRE_PEERS=1): " if required else "skipped: ")
          + why)
    sys.exit(1 if required else 77)


def need(*programs):
    """Skips the test if a program or numpy is missing.  Fails it if FARSUM is
    not a program."""
    missing = [p for p in programs if shutil.which(p) is None]
    try:
        import numpy  # noqa: F401
    except ImportError:
        missing.append("numpy (python3-numpy)")
    if missing:
        skip("not installed: " + ", ".join(missing))
    farsum = os.environ.get("FARSUM", "")
    if not os.access(farsum, os.X_OK):
        print("FAILED: FARSUM='%s' is not a program" % farsum)
        sys.exit(1)


def farsum(box, tolerance):
    """The results of `farsum run`: forces, potential, energy and virial, in
    units `real` over LAMMPS's Coulomb constant.  Checks order and positions."""
    import numpy as np
    import common
    with tempfile.TemporaryDirectory() as work:
        out, report = (os.path.join(work, k) for k in ("out.xyz", "r.json"))
        command = [os.environ["FARSUM"], "run", os.path.join(ROOT, box),
                   "--units", "real", "--tolerance", "%g" % tolerance, "-o",
                   out, "--report", report]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            print("FAILED: %s: status %d\n%s" % (
                " ".join(command), done.returncode, done.stdout))
            sys.exit(1)
        with open(out) as f:
            col, _ = common.read_columns(f.read().splitlines())
        with open(report) as f:
            r = json.load(f)
    s = common.read(os.path.join(ROOT, box))
    shift = (col["pos"] - s.pos) @ np.linalg.inv(s.cell)
    # Positions may differ by whole lattice vectors.  A LAMMPS box may start off
    # the origin, so differences between particles are compared.
    shift -= shift[0]
    if np.abs(shift - np.rint(shift)).max() > 1e-6 or \
            np.abs(col["charge"] - s.charge).max() > 1e-9:
        print("FAILED: %s: particles are not those of the input, in its order"
              % box)
        sys.exit(1)
    c = common.REAL
    return s, {"forces": col["forces"] / c, "potential": col["potential"] / c,
               "energy": r["energy"] / c,
               "virial": np.array(r["virial"], dtype=float).reshape(3, 3) / c}


class Check:
    """Counts disagreements and prints every figure with its bound."""

    def __init__(self):
        self.failures = 0

    def line(self, what, value, bound):
        good = value <= bound  # false for a NaN
        self.failures += not good
        print("%-6s %-56s %.3g <= %.3g" % (
            "ok" if good else "FAILED", what, value, bound), flush=True)

    def against(self, what, system, ours, tolerance, peer, accuracy):
        """Compares results.  peer: forces, energy, virial, and potential or
        None, all over the peer's Coulomb constant.  accuracy: the peer's
        relative errors, {"forces": ..., "energy": ..., "potential": ...}.

        The energy's bound is |dE| = |sum q dphi| / 2 <= N q_rms dphi_rms / 2,
        with dphi_rms <= tolerance phi_rms.  No tolerance limits the virial.
        Its trace is the energy, but its components cancel more: its bound is
        ten times the energy's.
        """
        import numpy as np
        import common
        self.line(what + ", forces", common.force_error(
            ours["forces"], peer["forces"], system),
            tolerance + accuracy["forces"])

        def rms(v):
            return math.sqrt(np.mean(np.square(v)))
        if peer.get("potential") is not None:
            self.line(what + ", potential",
                      rms(ours["potential"] - peer["potential"])
                      / rms(peer["potential"]),
                      tolerance + accuracy["potential"])
        size = abs(peer["energy"])
        reach = 0.5 * system.n * rms(system.charge) * rms(ours["potential"])
        bound = tolerance * reach / size + accuracy["energy"]
        self.line(what + ", energy",
                  abs(ours["energy"] - peer["energy"]) / size, bound)
        self.line(what + ", virial",
                  np.abs(ours["virial"] - peer["virial"]).max()
                  / np.abs(peer["virial"]).max(), 10 * bound)

    def end(self):
        print("%d disagreements" % self.failures if self.failures
              else "all agree")
        sys.exit(1 if self.failures else 0)
