#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The smallest build: no FFTW, no VkFFT, no variants of papers, no command, no
# tests.  Its library does an example's sum, is not linked with FFTW, and refuses
# a variant of a paper in words.
#
#     bare.sh JOBS
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S . -B "$work" -DFARSUM_FFTW=OFF -DFARSUM_VKFFT=OFF \
    -DFARSUM_PAPERS=OFF \
    -DFARSUM_TOOLS=OFF -DFARSUM_TESTS=OFF -DFARSUM_WERROR=ON \
    -DCMAKE_BUILD_TYPE=Debug >"$work/log"
cmake --build "$work" -j "$1" >>"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; exit 1; }
for name in minimal nacl dynamics targets; do
    "$work/examples/example_$name"
done
cat >"$work/papers.c" <<'END'
#include <farsum/farsum.h>
int main(void)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    p.n_sources = 9;
    o.fmm.m2l = "wigner";
    if (farsum_plan_create(&p, &o, &plan) != FARSUM_ERR_UNSUPPORTED)
        return 1;
    return puts(farsum_message()) < 0;
}
END
cc -Iinclude "$work/papers.c" -L"$work" -lfarsum -Wl,-rpath,"$work" \
    -o "$work/papers"
"$work/papers" | grep -q "m2l wigner: built without FARSUM_PAPERS" || {
    echo "a variant that is left out is not refused in words"
    exit 1
}
if ldd "$work/examples/example_nacl" | grep fftw; then
    echo "FFTW is linked although it was left out"
    exit 1
fi
