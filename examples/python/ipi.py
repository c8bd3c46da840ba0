# SPDX-License-Identifier: Apache-2.0
"""A driver for i-PI: the Coulomb energy, forces and stress of fixed charges.

    python3 ipi.py START.xyz ADDRESS [TOLERANCE]

START.xyz: extended XYZ with a cell and a column initial_charges, as ASE writes
it.  ADDRESS: that of i-PI's <ffsocket>, a name (mode unix) or host:port (mode
inet).  i-PI sends positions and cells; the driver ends when i-PI does.  i-PI
adds forces of several drivers, so a short-range potential may be another one.
"""
import sys

import ase.io
from ase.calculators.socketio import SocketClient

import farsum.ase

atoms = ase.io.read(sys.argv[1])
host, _, port = sys.argv[2].partition(":")
tolerance = float(sys.argv[3]) if len(sys.argv) > 3 else 1e-6
atoms.calc = farsum.ase.Coulomb(tolerance=tolerance)
client = SocketClient(host=host, port=int(port)) if port \
    else SocketClient(unixsocket=host)
client.run(atoms, use_stress=bool(atoms.pbc.all()))
