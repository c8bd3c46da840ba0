#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles the programs in C++ as users do, without any warning, and runs them.
# Exit status 77 if there is no such compiler.
#
#     cpp.sh BUILD COMPILER [-std=c++20 ...]
set -eu
build=$1 compiler=$2
shift 2
source=$(cd "$(dirname "$0")/../.." && pwd)
command -v "$compiler" >/dev/null || { echo "no $compiler"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in examples/pair.cc examples/stretch.cc test/bindings/cpp.cc; do
    echo "--- $file"
    "$compiler" -std=c++17 "$@" -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror \
        -I"$source/include" "$source/$file" -L"$build" -lfarsum \
        -Wl,-rpath,"$build" -o "$work/program"
    "$work/program" >"$work/out"
    cat "$work/out"
    case $file in
    *pair*) grep -q "potentials -0.236203 0.236203, field 0.01396" \
                   "$work/out" ;;
    esac
done
# A device's arrays; PoCL compiles the kernels once for all compilers.
if [ -n "${FARSUM_TEST_DEVICE:-}" ]; then
    "$work/program" "$FARSUM_TEST_DEVICE"
fi
