#!/bin/sh
# Makes the four water boxes of this folder: SPC/E, 298.15 K, 0.997 g/cm3.
#
#   apt-get install gromacs python3
#   ./make_water.sh [FOLDER]      # default: this one; about 4 minutes, 2 cores
#
# Molecules start on a lattice in random orientations.  GROMACS relaxes them,
# then runs 5 ps with steps of 1 fs and 50 ps with steps of 2 fs, at constant
# volume, with PME and a cutoff of 9 A.  The script needs no other file.  Seeds
# are fixed and one rank runs with -reprod, so the same build on the same kind
# of machine gives the same files.
set -eu
out=$(cd "${1:-$(dirname "$0")}" && pwd)
threads=${THREADS:-2}
python=/usr/bin/python3
for tool in gmx "$python"; do
    command -v "$tool" >/dev/null || {
        echo "make_water: $tool is missing: apt-get install gromacs python3" >&2
        exit 1
    }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# SPC/E: Berendsen, Grigera, Straatsma, J. Phys. Chem. 91, 6269 (1987).
cat > head.top <<'END'
[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
OW 8 15.9994  0.0 A 0.316557 0.650194
HW 1  1.00794 0.0 A 0.0      0.0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW  1 -0.8476 15.9994
2 HW 1 SOL HW1 1  0.4238 1.00794
3 HW 1 SOL HW2 1  0.4238 1.00794
[ settles ]
1 1 0.1 0.1632981
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
water
[ molecules ]
END

cat > base.mdp <<'END'
cutoff-scheme = Verlet
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
fourierspacing = 0.12
DispCorr = EnerPres
END
{ cat base.mdp; echo 'integrator = steep'; echo 'nsteps = 300'
  echo 'emtol = 200'; } > em.mdp
cat >> base.mdp <<'END'
integrator = md
tcoupl = v-rescale
tc-grps = System
tau-t = 0.1
ref-t = 298.15
nstenergy = 500
nstlog = 0
END
{ cat base.mdp; echo 'dt = 0.001'; echo 'nsteps = 5000'
  echo 'gen-vel = yes'; echo 'gen-temp = 298.15'; echo 'gen-seed = 20240'
  echo 'ld-seed = 20241'; } > warm.mdp
{ cat base.mdp; echo 'dt = 0.002'; echo 'nsteps = 25000'
  echo 'continuation = yes'; echo 'ld-seed = 20242'; } > run.mdp

cat > water.py <<'END'
"""water.py start NX NY NZ XY XZ YZ  ->  start.g96: molecules on a lattice.
   water.py write KIND SETTINGS PATH <- end.g96  ->  extended XYZ or LAMMPS data.

XY XZ YZ are the tilts over lx, lx, ly.  The cell has equal heights a molecule.
"""
import math, random, sys

MASS = 2 * 1.00794 + 15.9994
VOLUME = MASS / (0.997 * 0.602214076)  # A^3 per molecule at 0.997 g/cm3
Q = {"O": -0.8476, "H": 0.4238}


def turned(rng):
    """Rows of a random rotation, from a random unit quaternion."""
    w, x, y, z = (rng.gauss(0, 1) for _ in range(4))
    s = 2 / (w * w + x * x + y * y + z * z)
    return [[1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)]]


def start(nx, ny, nz, xy, xz, yz):
    rng = random.Random(20239)
    edge = VOLUME ** (1 / 3)
    lx, ly, lz = nx * edge, ny * edge, nz * edge
    a, b, c = (lx, 0, 0), (xy * lx, ly, 0), (xz * lx, yz * ly, lz)
    half = math.radians(109.47) / 2
    h1 = (math.sin(half), math.cos(half), 0.0)
    h2 = (-math.sin(half), math.cos(half), 0.0)
    f = open("start.g96", "w")
    f.write("TITLE\nwater\nEND\nPOSITION\n")
    n = 0
    for i in range(nx * ny * nz):
        u = ((i // (ny * nz) + 0.5) / nx, (i // nz % ny + 0.5) / ny,
             (i % nz + 0.5) / nz)
        o = [u[0] * a[k] + u[1] * b[k] + u[2] * c[k] for k in range(3)]
        r = turned(rng)
        for name, d in (("OW", (0, 0, 0)), ("HW1", h1), ("HW2", h2)):
            p = [o[k] + sum(r[k][m] * d[m] for m in range(3))
                 for k in range(3)]
            n += 1
            f.write("%5d %-5s %-5s%7d%15.9f%15.9f%15.9f\n"
                    % ((i + 1) % 100000, "SOL", name, n % 10000000,
                       p[0] / 10, p[1] / 10, p[2] / 10))
    box = (a[0], b[1], c[2], 0, 0, b[0], 0, c[0], c[1])
    f.write("END\nBOX\n" + "".join("%15.9f" % (v / 10) for v in box)
            + "\nEND\n")
    f.close()
    with open("head.top") as head, open("topol.top", "w") as top:
        top.write(head.read() + "SOL %d\n" % (nx * ny * nz))


def read_g96(path):
    """Positions and rows of the cell, in A."""
    pos, box, where = [], [], None
    for line in open(path):
        word = line.split()
        if where is None:
            where = word[0]
        elif word[0] == "END":
            where = None
        elif where == "POSITION":
            pos.append([10 * float(v) for v in word[-3:]])
        elif where == "BOX":
            box = [10 * float(v) for v in word] + [0.0] * (9 - len(word))
    return pos, ((box[0], 0, 0), (box[5], box[1], 0), (box[7], box[8], box[2]))


def write_xyz(path, pos, cell, settings):
    with open(path, "w") as f:
        f.write("%d\n" % len(pos))
        f.write('Lattice="%s" Properties=species:S:1:pos:R:3:charge:R:1 '
                'pbc="T T T" units=real made_by="%s"\n'
                % (" ".join("%.6f" % v for row in cell for v in row), settings))
        for i, p in enumerate(pos):
            s = "O" if i % 3 == 0 else "H"
            f.write("%s %.5f %.5f %.5f %.4f\n" % (s, *p, Q[s]))


def write_lammps(path, pos, cell, settings):
    (lx, _, _), (xy, ly, _), (xz, yz, lz) = cell
    m = len(pos) // 3
    f = open(path, "w")
    f.write("SPC/E water, units real; %s\n\n" % settings)
    f.write("%d atoms\n2 atom types\n%d bonds\n1 bond types\n%d angles\n"
            "1 angle types\n\n" % (3 * m, 2 * m, m))
    f.write("0.0 %.6f xlo xhi\n0.0 %.6f ylo yhi\n0.0 %.6f zlo zhi\n"
            "%.6f %.6f %.6f xy xz yz\n\n" % (lx, ly, lz, xy, xz, yz))
    f.write("Masses\n\n1 15.9994  # O\n2 1.00794  # H\n\nAtoms  # full\n\n")
    for i, (x, y, z) in enumerate(pos):
        iz = math.floor(z / lz)
        y, x, z = y - iz * yz, x - iz * xz, z - iz * lz
        iy = math.floor(y / ly)
        x, y = x - iy * xy, y - iy * ly
        ix = math.floor((x - xy * y / ly - (xz - yz * xy / ly) * z / lz) / lx)
        x -= ix * lx
        s = "O" if i % 3 == 0 else "H"
        f.write("%d %d %d %.4f %.5f %.5f %.5f %d %d %d\n"
                % (i + 1, i // 3 + 1, 1 if s == "O" else 2, Q[s], x, y, z,
                   ix, iy, iz))
    f.write("\nBonds\n\n")
    for k in range(m):
        for h in (0, 1):
            f.write("%d 1 %d %d\n" % (2 * k + h + 1, 3 * k + 1, 3 * k + 2 + h))
    f.write("\nAngles\n\n")
    for k in range(m):
        f.write("%d 1 %d %d %d\n" % (k + 1, 3 * k + 2, 3 * k + 1, 3 * k + 3))
    f.close()


if sys.argv[1] == "start":
    start(*(int(v) for v in sys.argv[2:5]), *(float(v) for v in sys.argv[5:8]))
else:
    kind, settings, path = sys.argv[2:5]
    writer = {"xyz": write_xyz, "lammps": write_lammps}[kind]
    writer(path, *read_g96("end.g96"), settings)
END

gmx_step() { # MDP IN OUT [-t CHECKPOINT]
    mdp=$1; from=$2; to=$3; shift 3
    gmx -quiet grompp -f "$mdp" -c "$from" -p topol.top -o step.tpr \
        -maxwarn 1 "$@" >>log 2>&1
    gmx -quiet mdrun -s step.tpr -c "$to" -cpo "$to.cpt" -e step.edr -o step.trr \
        -g step.log -ntmpi 1 -ntomp "$threads" -reprod >>log 2>&1
}

box() { # PATH KIND NX NY NZ XY XZ YZ
    path=$1; kind=$2; shift 2
    echo "make_water: $path" >&2
    rm -f ./*.g96 ./*.cpt ./step.* log
    $python water.py start "$@"
    gmx_step em.mdp start.g96 em.g96 &&
        gmx_step warm.mdp em.g96 warm.g96 &&
        gmx_step run.mdp warm.g96 end.g96 -t warm.g96.cpt || {
        tail -40 log >&2
        exit 1
    }
    version=$(gmx --version 2>/dev/null | sed -n 's/^GROMACS version: *//p')
    $python water.py write "$kind" \
        "data/make_water.sh, GROMACS $version, 55 ps at 298.15 K" "$out/$path"
    sed -n '/A V E R A G E S/,$p' step.log | sed -n '/Energies/,/^$/p' >&2
}

box water_spce.xyz xyz 14 14 14 0 0 0
box water_spce_3k.xyz xyz 10 10 10 0 0 0
box water_spc_1k.xyz xyz 7 7 7 0 0 0
box water_tric.data lammps 9 9 9 0.3 -0.25 0.4
