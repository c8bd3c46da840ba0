#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests the smallest build, as a part of another project (FetchContent): without
# FFTW, VkFFT, MPI, variants of papers, the command and tests.  Its library must
# compute an example's sum, must not be linked with FFTW, and must refuse a
# paper's variant with a message.
#
#     bare.sh JOBS
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S test/install/outside/fetch -B "$work" -DFARSUM_TREE="$PWD" \
    -DFARSUM_FFTW=OFF -DFARSUM_VKFFT=OFF -DFARSUM_PAPERS=OFF -DFARSUM_MPI=OFF \
    -DFARSUM_EXAMPLES=ON -DFARSUM_WERROR=ON -DCMAKE_BUILD_TYPE=Release >"$work/log"
cmake --build "$work" -j "$1" >>"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; exit 1; }
"$work/with_farsum"
"$work/with_farsum_static"
built=$work/_deps/farsum-build
for name in minimal nacl dynamics targets; do
    "$built/examples/example_$name"
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
cc -Iinclude "$work/papers.c" -L"$built" -lfarsum -Wl,-rpath,"$built" \
    -o "$work/papers"
"$work/papers" | grep -q "m2l wigner: built without FARSUM_PAPERS" || {
    echo "the library does not refuse a variant that it lacks with a message"
    exit 1
}
if ldd "$built/examples/example_nacl" | grep fftw; then
    echo "the library is linked with FFTW, which it should lack"
    exit 1
fi
