#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds everything (library, command, tests, examples and benchmarks) by each of
# Debian 12's compilers, with warnings as errors, and says which compilers are
# missing.  A COMPILER with "+quick" also runs the tests of the label quick.
#
#     scripts/compilers.sh OUT [COMPILER[+quick]...]
#
# OUT: a folder for the builds.  COMPILER: gcc-N or clang-N.  The environment
# variables JOBS (default: all cores), TARGET (default: all) and CMAKE_ARGS apply
# to each build.  Exit status: 1 if a build or test fails, 2 if nothing was built.
set -eu
cd "$(dirname "$0")/.."
source=$PWD
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- gcc-11 gcc-12+quick clang-14 clang-15 clang-16 \
    clang-19+quick
jobs=${JOBS:-$(nproc)}
failed= missing= passed=

# Debian's libomp-N-dev exclude each other.  For a Clang without its own the
# package is unpacked, not installed.
openmp() { # N
    printf '#include <omp.h>\n' \
        | "clang-$1" -fopenmp -fsyntax-only -x c - 2>/dev/null && return 0
    mkdir -p "$out/omp-$1"
    (cd "$out/omp-$1"
     [ -d usr ] || {
         apt-get download "libomp-$1-dev" "libomp5-$1" >apt.log 2>&1 \
             || return 1
         for file in *.deb; do dpkg -x "$file" .; done
     })
    include=$(dirname "$(find "$out/omp-$1" -name omp.h)")
    export C_INCLUDE_PATH="$include" CPLUS_INCLUDE_PATH="$include"
    export LIBRARY_PATH="$out/omp-$1/usr/lib/llvm-$1/lib"
    export LD_LIBRARY_PATH="$LIBRARY_PATH${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
}

build() { # COMPILER C++ LABEL
    case $1 in
    clang-*)
        openmp "${1#clang-}" || { echo "$1: no OpenMP (libomp)"; return 1; } ;;
    esac
    cmake -S "$source" -B "$out/$1" -DCMAKE_C_COMPILER="$1" \
        -DCMAKE_CXX_COMPILER="$2" -DFARSUM_WERROR=ON ${CMAKE_ARGS:-} \
        && cmake --build "$out/$1" -j "$jobs" --target "${TARGET:-all}" \
        || return 1
    [ -z "$3" ] || OMP_WAIT_POLICY=passive ctest --test-dir "$out/$1" \
        --output-on-failure -j "$jobs" -L "$3"
}

for name; do
    compiler=${name%+quick} label=
    [ "$compiler" = "$name" ] || label=quick
    case $compiler in
    gcc-*) plus=g++-${compiler#gcc-} ;;
    *) plus=clang++-${compiler#clang-} ;;
    esac
    if ! command -v "$compiler" >/dev/null || ! command -v "$plus" >/dev/null
    then
        missing="$missing $compiler"
        continue
    fi
    echo "--- $name: $("$compiler" --version | head -n 1)"
    if (build "$compiler" "$plus" "$label") >"$out/$compiler.log" 2>&1; then
        passed="$passed $name"
    else
        failed="$failed $name"
        grep -E '(warning|error): |\*\*\*Failed' "$out/$compiler.log" \
            | sort | uniq -c | tail -n 40 || :
        tail -n 5 "$out/$compiler.log"
    fi
done
echo "passed: ${passed:- none}"
echo "failed: ${failed:- none}"
echo "not found: ${missing:- none}"
[ -z "$failed" ] || exit 1
[ -n "$passed" ] || exit 2
