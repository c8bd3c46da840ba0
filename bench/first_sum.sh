#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# first_sum.sh FARSUM DEVICE: times a process's first sum of 3000 points on a
# GPU, with an empty and with a filled kernel cache.  CSV columns: case; cache
# empty or filled; seconds of the whole process; and from the report, seconds of
# the plan and of set_points.
#
# "context" is a process that opens the driver, creates the device's context and
# loads cuFFT with a plan of 64^3: the minimum for any library of sums.
#
#     sh bench/first_sum.sh build/tools/farsum/farsum cuda:0
set -eu
farsum=$1 device=$2
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$farsum" gen plummer -n 3000 --net 1 -o "$folder/stars.xyz" >/dev/null
now() {
    date +%s.%N
}
python3 - <<'PY'
import ctypes, time
begin = time.time()
cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
assert cuda.cuInit(0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
assert cuda.cuCtxSetCurrent(context) == 0
driver = time.time() - begin
for name in "libcufft.so.12", "libcufft.so.11", "libcufft.so.10":
    try:
        fft = ctypes.CDLL(name)
        break
    except OSError:
        fft = None
if fft:
    plan = ctypes.c_int()
    assert fft.cufftPlan3d(ctypes.byref(plan), 64, 64, 64, 0x6a) == 0
print("what,kept,whole,plan,points")
print("context,,%.3f,," % driver)
print("context and cuFFT,,%.3f,," % (time.time() - begin))
PY
one() { # what kept file options...
    what=$1 kept=$2 file=$3
    shift 3
    begin=$(now)
    "$farsum" run "$file" --tolerance 1e-5 --device "$device" "$@" \
        --report "$folder/report.json" -o "$folder/out.xyz" >/dev/null
    python3 - "$what" "$kept" "$begin" "$(now)" "$folder/report.json" <<'PY'
import json, sys
what, kept, begin, end, name = sys.argv[1:]
def find(node, word):
    if isinstance(node, dict):
        if word in node:
            return node[word]
        node = list(node.values())
    for one in node if isinstance(node, list) else []:
        found = find(one, word)
        if found is not None:
            return found
report = json.load(open(name))
print("%s,%s,%.3f,%s,%s" % (what, kept, float(end) - float(begin),
      find(report, "seconds_create"), find(report, "seconds_set_points")))
PY
}
for what in spectral fmm sparse; do
    FARSUM_CACHE_DIR=$folder/$what
    # CUDA caches its own code compiled from PTX.
    CUDA_CACHE_DISABLE=1
    export FARSUM_CACHE_DIR CUDA_CACHE_DISABLE
    file=$here/../data/water_spce_3k.xyz
    options="--method $what"
    if [ $what = sparse ]; then
        file=$folder/stars.xyz
        options="--method fmm --tree sparse --periodic none"
    fi
    for kept in no yes yes; do
        # shellcheck disable=SC2086
        one $what $kept "$file" $options
    done
done
