#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The minimal build: no FFTW, no VkFFT, no command, no tests.  Its library runs an
# example and is not linked with FFTW.
#
#     bare.sh JOBS
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S . -B "$work" -DFARSUM_FFTW=OFF -DFARSUM_VKFFT=OFF \
    -DFARSUM_TOOLS=OFF -DFARSUM_TESTS=OFF -DFARSUM_WERROR=ON \
    -DCMAKE_BUILD_TYPE=Debug >"$work/log"
cmake --build "$work" -j "$1" >>"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; exit 1; }
for name in minimal nacl dynamics targets; do
    "$work/examples/example_$name"
done
if ldd "$work/examples/example_nacl" | grep fftw; then
    echo "FFTW is linked although it was left out"
    exit 1
fi
