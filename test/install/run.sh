#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs a build into its own folder, moves that folder, and tests that an
# outside project finds the library there, by CMake and by pkg-config, shared
# and static.  MPICC and a launcher: also for libfarsum_mpi; without them it must
# not be installed.
#
#     run.sh BUILD SOURCE CMAKE CC CXX FORTRAN [MPICC LAUNCHER OPTION...]
#
# FORTRAN: a compiler, or "" without the Fortran modules.
set -eu
build=$1 source=$2 here=$2/test/install/outside cmake=$3 cc=$4 cxx=$5 fortran=$6
shift 6
mpicc=${1:-}
[ -z "$mpicc" ] || shift
launcher=$*
two_ranks() { timeout -k 10 60 $launcher -n 2 "$@"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step() { echo "--- $*"; }
none() { # the command finds nothing ("!" would not end the script)
    if "$@"; then
        echo "found: $*"
        exit 1
    fi
}
not_linked() { none sh -c 'ldd "$1" | grep libfarsum' sh "$1"; }

step install
"$cmake" --install "$build" --prefix "$work/first" >"$work/log" \
    || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/prefix"
prefix=$work/prefix
pc=$(find "$prefix" -name farsum.pc)
lib=$(dirname "$(dirname "$pc")")
test -f "$prefix/include/farsum/farsum.h"
none grep -F "$work/first" -r "$prefix/include" "$lib/cmake" "$pc"
none grep -F "$source" -r "$prefix/include" "$lib/cmake" "$pc"

step "the command and its manual page"
"$prefix/bin/farsum" list >/dev/null
test -s "$prefix/share/man/man1/farsum.1"

step "licences and notices"
for name in LICENSE THIRD_PARTY_NOTICES.md SECURITY.md; do
    test -s "$prefix/share/doc/farsum/$name"
done
for work_of_others in "KISS FFT" xxHash VkFFT; do
    grep -q "$work_of_others" "$prefix/share/doc/farsum/THIRD_PARTY_NOTICES.md"
done

step "by find_package"
"$cmake" -S "$here" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 \
    && "$cmake" --build "$work/cmake" >>"$work/log" 2>&1 \
    || { cat "$work/log"; exit 1; }
"$work/cmake/with_shared"
"$work/cmake/with_static"
not_linked "$work/cmake/with_static"

step "libfarsum_mpi"
if [ -n "$mpicc" ]; then
    "$cmake" -S "$here/mpi" -B "$work/mpi" -DCMAKE_PREFIX_PATH="$prefix" \
        -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 \
        && "$cmake" --build "$work/mpi" >>"$work/log" 2>&1 \
        || { cat "$work/log"; exit 1; }
    two_ranks "$work/mpi/with_shared"
    two_ranks "$work/mpi/with_static"
    not_linked "$work/mpi/with_static"
else
    test ! -e "$prefix/include/farsum/mpi.h"
    none "$cmake" -S "$here/mpi" -B "$work/mpi" \
        -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1
    grep -q "farsum was built without MPI" "$work/log" || { cat "$work/log"; exit 1; }
fi

step "the Fortran modules by find_package"
if [ -n "$fortran" ]; then
    "$cmake" -S "$here/fortran" -B "$work/fortran" \
        -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_Fortran_COMPILER="$fortran" \
        -DCMAKE_C_COMPILER="$cc" -DEXAMPLES="$source/examples" \
        -DMPI=${mpicc:+ON} >"$work/log" 2>&1 \
        && "$cmake" --build "$work/fortran" >>"$work/log" 2>&1 \
        || { cat "$work/log"; exit 1; }
    "$work/fortran/pair"
    [ -z "$mpicc" ] || two_ranks "$work/fortran/ranks"
fi

step "by pkg-config, shared"
export PKG_CONFIG_PATH="$lib/pkgconfig"
flags="-std=c11 -Wall -Wextra -Werror -pedantic"
"$cc" $flags "$here/main.c" $(pkg-config --cflags --libs farsum) -lm \
    -o "$work/shared"
LD_LIBRARY_PATH=$lib "$work/shared"
"$cxx" -std=c++20 -Wall -Werror -pedantic "$here/main.cc" \
    $(pkg-config --cflags --libs farsum) -o "$work/plus"
LD_LIBRARY_PATH=$lib "$work/plus"
if [ -n "$fortran" ]; then
    "$fortran" -J "$work" $(pkg-config --variable=fortran farsum) \
        "$source/examples/pair.f90" $(pkg-config --libs farsum) \
        -o "$work/fortran_pair"
    LD_LIBRARY_PATH=$lib "$work/fortran_pair"
fi
if [ -n "$mpicc" ]; then
    OMPI_CC=$cc MPICH_CC=$cc "$mpicc" -Wall -Wextra -Werror "$here/mpi/main.c" \
        $(pkg-config --cflags --libs farsum_mpi) -lm -Wl,-rpath,"$lib" \
        -o "$work/mpi_shared"
    two_ranks "$work/mpi_shared"
fi

step "by pkg-config, static"
rm "$lib"/libfarsum*.so*
"$cc" $flags "$here/main.c" $(pkg-config --static --cflags --libs farsum) \
    -o "$work/static"
"$work/static"
"$cxx" -std=c++20 -Wall -Werror -pedantic "$here/main.cc" \
    $(pkg-config --static --cflags --libs farsum) -o "$work/plus_static"
"$work/plus_static"
not_linked "$work/plus_static"
if [ -n "$mpicc" ]; then
    OMPI_CC=$cc MPICH_CC=$cc "$mpicc" "$here/mpi/main.c" \
        $(pkg-config --static --cflags --libs farsum_mpi) -o "$work/mpi_static"
    two_ranks "$work/mpi_static"
fi
step "uninstall removes what install has brought, and nothing else"
"$cmake" --install "$build" --prefix "$work/first" >"$work/log"
echo mine >"$work/first/include/farsum/mine.h"
"$cmake" -DMANIFEST="$build/install_manifest.txt" \
    -P "$source/cmake/uninstall.cmake" >"$work/log" 2>&1
left=$(cd "$work/first" && find . -type f -o -type l -o -name farsum)
[ "$left" = "./include/farsum
./include/farsum/mine.h" ] || { echo "left: $left"; exit 1; }

step "all of it works"
