#!/bin/sh
# Makes nacl_melt.xyz: 4096 ions of molten NaCl at 1150 K, 1.515 g/cm3.
#
#   apt-get install lammps openmpi-bin python3
#   ./make_melt.sh [FOLDER]       # default: this one; about 5 minutes, 2 cores
#
# Tosi-Fumi potential (Fumi and Tosi, J. Phys. Chem. Solids 25, 31 (1964);
# Tosi and Fumi, ibid. 25, 45 (1964)) with full charges.  The rock salt crystal
# is melted at 2500 K for 6 ps, cooled to 1150 K in 4 ps and kept there for
# 20 ps, at constant volume with steps of 2 fs, by PPPM 1e-4 with a cutoff of
# 10 A.  Seeds are fixed.  Density of the melt: 2.1393 - 5.430e-4 T g/cm3 (Janz,
# J. Phys. Chem. Ref. Data 17 Suppl. 2 (1988)).
set -eu
out=$(cd "${1:-$(dirname "$0")}" && pwd)
ranks=${THREADS:-2}
python=/usr/bin/python3
for tool in lmp mpirun "$python"; do
    command -v "$tool" >/dev/null || {
        echo "make_melt: $tool is missing:" \
            "apt-get install lammps openmpi-bin python3" >&2
        exit 1
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Cell of 8 ions: V = 4 (22.98977 + 35.453) / (1.515 * 0.602214076) A^3.
cat > melt.in <<'END'
units metal
atom_style charge
lattice fcc 6.35155 origin 0.1 0.1 0.1
region box block 0 8 0 8 0 8
create_box 2 box
create_atoms 1 region box
lattice fcc 6.35155 origin 0.6 0.1 0.1
create_atoms 2 region box
mass 1 22.98977
mass 2 35.453
set type 1 charge 1
set type 2 charge -1
pair_style born/coul/long 10.0
# A (eV), rho, sigma (A), C (eV A^6), D (eV A^8; the sign is LAMMPS's)
pair_coeff 1 1 0.2637 0.317 2.340  1.0486   -0.4993
pair_coeff 1 2 0.2110 0.317 2.755  6.9906   -8.6758
pair_coeff 2 2 0.1582 0.317 3.170 72.4022 -145.4285
kspace_style pppm 1e-4
neighbor 2.0 bin
timestep 0.002
velocity all create 2500 20240 dist gaussian
thermo 1000
thermo_style custom step temp pe press density
fix 1 all nvt temp 2500 2500 0.1
run 3000
unfix 1
fix 1 all nvt temp 2500 1150 0.1
run 2000
unfix 1
fix 1 all nvt temp 1150 1150 0.1
run 10000
print "LATTICE $(lx:%.6f) 0 0 0 $(ly:%.6f) 0 0 0 $(lz:%.6f)"
dump 1 all custom 1 end.dump id type q x y z
dump_modify 1 sort id format line "%d %d %g %.9f %.9f %.9f"
run 0
END
# Open MPI requires these if root runs it, and for more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMP_NUM_THREADS=1
mpirun --oversubscribe -np "$ranks" lmp -in melt.in >log 2>&1 || {
    tail -40 log >&2
    exit 1
}
grep -A 12 '^Step' log >&2

cat > write.py <<'END'
import sys

path, log = sys.argv[1:3]
text = open(log).read().splitlines()
version = text[0].strip("LAMPS ()")
lattice = [t for t in text if t.startswith("LATTICE")][-1].split()[1:]
lines = open("end.dump").read().splitlines()
first = [i for i, t in enumerate(lines) if t.startswith("ITEM: ATOMS")][0] + 1
with open(path, "w") as f:
    f.write("%d\n" % (len(lines) - first))
    f.write('Lattice="%s" Properties=species:S:1:pos:R:3:charge:R:1 '
            'pbc="T T T" units=metal made_by="data/make_melt.sh, LAMMPS %s, '
            'Tosi-Fumi NaCl, 1150 K"\n' % (" ".join(lattice), version))
    for line in lines[first:]:
        _, kind, q, x, y, z = line.split()
        f.write("%s %.5f %.5f %.5f %g\n"
                % ({"1": "Na", "2": "Cl"}[kind], float(x), float(y), float(z),
                   float(q)))
END
$python write.py "$out/nacl_melt.xyz" log
