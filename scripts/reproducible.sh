#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the commit HEAD twice, in two folders whose names differ in length, and
# compares the bytes of the source tarball, the installed tree with libfarsum
# and the command, and the sdist and the wheel.  Not a part of CI: it compiles
# the library four times, without ccache.  Fails and names the files if any
# bytes differ.
#
#     scripts/reproducible.sh OUT [tarball] [install] [wheel]
#
# OUT is a new or empty folder; parts: default: all.  The environment variables
# JOBS (default: all cores), CMAKE_ARGS and PYTHON (default: python3, with build
# and scikit-build-core 0.10 or later) apply.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ -z "$(ls "$out")" ] || { echo "$out is not empty" >&2; exit 1; }
[ $# -gt 0 ] || set -- tarball install wheel
export CCACHE_DISABLE=1 CMAKE_BUILD_PARALLEL_LEVEL="${JOBS:-$(nproc)}"
# the time of the commit, which zip and tar store instead of now
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

build() { # WORK PART: the part's files in WORK/PART
    case $2 in
    tarball)
        (cd "$1/source" && sh packaging/release.sh "$1/tarball" --draft)
        ;;
    install)
        cmake -S "$1/source" -B "$1/build" -DFARSUM_TESTS=OFF \
            -DFARSUM_EXAMPLES=OFF -DCMAKE_INSTALL_PREFIX=/usr ${CMAKE_ARGS:-}
        cmake --build "$1/build"
        DESTDIR="$1/install" cmake --install "$1/build"
        ;;
    wheel)
        "${PYTHON:-python3}" -m build -n -o "$1/wheel" "$1/source"
        ;;
    *)
        echo "unknown part: $2" >&2
        exit 1
        ;;
    esac
}

for work in "$out/a" "$out/another"; do
    git clone -q . "$work/source"
    for part; do
        build "$work" "$part" >"$work/$part.log" 2>&1 \
            || { tail "$work/$part.log"; exit 1; }
    done
done
for part; do
    diff -r "$out/a/$part" "$out/another/$part"
    find "$out/a/$part" -type f -size +0 | wc -l | sed "s/\$/ files equal: $part/"
done
