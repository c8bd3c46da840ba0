# SPDX-License-Identifier: Apache-2.0
"""A calculator for ASE: Coulomb's energy, forces and stress of charges."""

from __future__ import annotations

from typing import Any, Callable, List, Optional

import numpy as np
from ase.calculators.calculator import Calculator, all_changes

from ._sums import coulomb


class Coulomb(Calculator):
    """Sums all charges and their periodic images, in eV and angstrom.

    charges     [n] in elementary charges, or a function of the atoms (default:
                the atoms' initial charges)
    options     tolerance=1e-5, method, precision, exclude, and all others of
                farsum.coulomb

    Add a short-range potential by SumCalculator([short_range, Coulomb()]).
    The atoms' pbc says which axes are periodic.  Properties: energy, energies
    [n] (q phi / 2), forces [n, 3], and in a cell with a volume and periodic
    axes stress [6]: the derivative of the energy by strain over that volume.
    Raises the classes of farsum.Error.
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
        periodic = bool(self.atoms.pbc.any())
        stress = periodic and bool(self.atoms.cell.rank == 3)
        charges = self.atoms.get_initial_charges() if self.charges is None \
            else np.asarray(self.charges(self.atoms), float)
        r = coulomb(self.atoms.positions, charges,
                    self.atoms.cell[:] if periodic else None,
                    periodic=tuple(map(bool, self.atoms.pbc)),
                    outputs="potential field energy" + " virial" * stress,
                    **self.options)
        self.results = {"energy": r.energy, "free_energy": r.energy,
                        "energies": charges * r.potential / 2,
                        "forces": r.forces}
        if stress:
            w = (r.virial + r.virial.T) / 2
            self.results["stress"] = (-w / self.atoms.get_volume())[
                (0, 1, 2, 1, 0, 0), (0, 1, 2, 2, 2, 1)]
