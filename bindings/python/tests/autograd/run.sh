#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Tests farsum.torch, or farsum.jax, with a library that is built already.
#
#     bindings/python/tests/autograd/run.sh [cpu|cuda|jax] [LIBRARY]
#
# LIBRARY: default build/libfarsum.so; `jax` also takes libfarsum_xla.so of its
# folder, and tests the GPU if JAX has one.  PYTHON: a Python with PyTorch 2.7 or
# later or JAX, with NumPy and pytest (default: python3).  CI does not run this,
# as PyTorch is large.  `cuda` takes about two minutes on a machine with a GPU, and leaves
# out the slowest derivatives, which do not depend on the device.
set -eu
cd "$(dirname "$0")/../../../.."
device=${1:-cpu}
library=${2:-build/libfarsum.so}
python=${PYTHON:-python3}
tests=bindings/python/tests/autograd
[ -f "$library" ] || {
    echo "$library does not exist: ninja -C build farsum_shared farsum_xla builds it"
    exit 1
}
module=torch
[ "$device" != jax ] || module=jax
$python -c "import numpy, pytest, $module" || exit 1

# The package from the sources and the library.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/farsum/lib"
cp bindings/python/farsum/*.py "$work/farsum"
headers=include/farsum
$python -B bindings/python/gen.py "$work/farsum/_c.py" $headers/farsum.h \
    $headers/expert.h $headers/mesh.h $headers/device.h \
    $headers/batch.h
version=$(cut -d . -f 1,2 VERSION)
cp -L "$library" "$work/farsum/lib/libfarsum.so.$version"
if [ "$device" = jax ]; then
    cp "$(dirname "$library")/libfarsum_xla.so" "$work/farsum/lib"
fi

export PYTHONPATH="$work${PYTHONPATH:+:$PYTHONPATH}" FARSUM_TORCH_DEVICE="$device"
run() {
    $python -B -m pytest -q -p no:cacheprovider --durations=5 "$@"
}
case $device in
cpu) run $tests --ignore-glob "*test_jax*" ;;
jax) run $tests/test_jax.py $tests/test_jax_handlers.py ;;
cuda)
    run $tests/test_gpu.py
    run $tests/test_derivatives.py -k "not inductor and not operators \
and not r6 and not yukawa and not vacuum and not potentials and not sets"
    run $tests/test_training.py -k outputs
    ;;
*)
    echo "say cpu, cuda or jax, not $device"
    exit 1
    ;;
esac
