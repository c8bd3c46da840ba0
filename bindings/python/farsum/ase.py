# SPDX-License-Identifier: Apache-2.0
"""A calculator for ASE: Coulomb's energy, forces and stress of charges."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import numpy as np
from ase.calculators.calculator import Calculator, all_changes

from ._lib import UnsupportedError
from ._sums import coulomb


class Coulomb(Calculator):
    """Sums all charges and their periodic images, in eV and angstrom.

    charges     [n] in elementary charges, or a function of the atoms (default:
                the atoms' initial charges)
    options     tolerance=1e-5, method, precision, exclude, and all others of
                farsum.coulomb

    Add a short-range potential by SumCalculator([short_range, Coulomb()]).
    Properties: energy, energies [n] (q phi / 2), forces [n, 3], stress [6] in
    a periodic cell.  Raises UnsupportedError if only some axes are periodic,
    and the classes of farsum.Error.
    """

    implemented_properties = ["energy", "free_energy", "energies", "forces",
                              "stress"]

    def __init__(self, charges: Any = None, tolerance: float = 1e-5,
                 **options: Any) -> None:
        super().__init__()
        self.charges: Optional[Callable[[Any], Any]] = charges \
            if callable(charges) or charges is None else lambda _atoms: charges
        self.options = {"units": "metal", "tolerance": tolerance, **options}

    def calculate(self, atoms: Any = None, properties: Any = None,
                  system_changes: List[str] = all_changes) -> None:
        super().calculate(atoms, properties, system_changes)
        periodic = bool(self.atoms.pbc.all())
        if self.atoms.pbc.any() and not periodic:
            raise UnsupportedError("one or two periodic axes are not "
                                   "supported: set pbc to all or none")
        charges = self.atoms.get_initial_charges() if self.charges is None \
            else np.asarray(self.charges(self.atoms), float)
        r = coulomb(self.atoms.positions, charges,
                    self.atoms.cell[:] if periodic else None,
                    outputs="potential field energy" + " virial" * periodic,
                    **self.options)
        self.results = {"energy": r.energy, "free_energy": r.energy,
                        "energies": charges * r.potential / 2,
                        "forces": r.forces}
        if periodic:
            w = (r.virial + r.virial.T) / 2
            stress = -w / self.atoms.get_volume()
            self.results["stress"] = stress[(0, 1, 2, 1, 0, 0),
                                            (0, 1, 2, 2, 2, 1)]
