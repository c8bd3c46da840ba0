#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""farsum against GROMACS PME in double precision (Debian's gmx_d).

GROMACS prints no error, so it runs twice, the second time with a finer mesh
and a smaller erfc(beta rc).  The difference between the runs is taken as the
error of the first, and farsum is compared with the second.
"""
import sys

import compare

COARSE = dict(cutoff=12.0, rtol=1e-14, order=12, spacing=0.4)
FINE = dict(cutoff=12.0, rtol=1e-15, order=12, spacing=0.3)


def main():
    compare.need("gmx_d")
    import common
    import gromacs
    check = compare.Check()
    for box in compare.BOXES:
        peer, error = None, {}
        for tolerance in (1e-6, 1e-9):
            system, ours = compare.farsum(box, tolerance)
            if peer is None:
                first, peer = ({k: r[k] / gromacs.CONSTANT for k in (
                    "forces", "energy", "virial")} for r in (
                        gromacs.run(system, gromacs.options(**o))
                        for o in (COARSE, FINE)))
                error["forces"] = common.force_error(
                    first["forces"], peer["forces"], system)
                error["energy"] = abs(first["energy"] / peer["energy"] - 1)
                # GROMACS's own error must be small compared with the bound.
                check.line("%s, GROMACS with itself" % box, error["forces"],
                           5e-10)
            check.against("%s, tolerance %g" % (box, tolerance), system, ours,
                          tolerance, peer, error)
    check.end()


if __name__ == "__main__":
    sys.exit(main())
