#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the Fortran modules and programs as users do, without any warning, and
# runs them.  Exit status 77 if there is no Fortran compiler.
#
#     fortran.sh BUILD COMPILER
#     fortran.sh BUILD MPI_COMPILER LAUNCHER [OPTION...]   the ranks of MPI
set -eu
build=$1 compiler=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
modules=$source/bindings/fortran
command -v "$compiler" >/dev/null || { echo "no $compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
flags="-std=f2018 -O1 -g -Wall -Wextra -Werror -fcheck=all,no-array-temps"
if [ $# -gt 0 ]; then
    "$compiler" $flags "$modules/farsum_c.f90" "$modules/farsum.f90" \
        "$modules/farsum_mpi.f90" "$source/examples/ranks.f90" -L"$build" \
        -lfarsum_mpi -lfarsum -Wl,-rpath,"$build" -o ranks
    for ranks in 1 3; do
        timeout -k 10 100 "$@" -n "$ranks" ./ranks
    done
    exit
fi
"$compiler" $flags -c "$modules/farsum_c.f90" "$modules/farsum.f90"
for file in examples/pair.f90 examples/salt.f90 test/bindings/fortran.f90; do
    echo "--- $file"
    "$compiler" $flags "$source/$file" farsum_c.o farsum.o -L"$build" -lfarsum \
        -Wl,-rpath,"$build" -o program
    ./program >out
    cat out
    case $file in
    *pair*) grep -q "potentials -0.236203  0.236203, field  0.01396" out ;;
    esac
done

echo "--- without a status, a failure stops the program with the message"
cat >stops.f90 <<'STOP'
program stops
  use farsum
  type(farsum_problem) :: problem
  type(farsum_plan) :: plan
  problem%kernel = farsum_text('laplaze')
  call plan%create(problem)
end program
STOP
"$compiler" $flags stops.f90 farsum_c.o farsum.o -L"$build" -lfarsum \
    -Wl,-rpath,"$build" -o stops
if ./stops 2>out; then
    echo "the program went on"
    exit 1
fi
grep 'farsum: kernel "laplaze" is not known' out
