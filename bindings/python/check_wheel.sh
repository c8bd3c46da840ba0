#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel, installs it into an empty environment, and runs the tests
# there.  The wheel must not be linked with FFTW and must run on glibc 2.34.
# mypy checks the types.  PACKAGEs are installed too, so that their tests run:
# before a release, ase ipykernel matplotlib nbclient openmm.
#
#     bindings/python/check_wheel.sh [PYTHON [PACKAGE...]]
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${1:-python3}" -m venv "$work/venv"
[ $# -eq 0 ] || shift
python=$work/venv/bin/python
$python -m pip install -q pytest mypy tqdm auditwheel "$@"
$python -m pip wheel -q . --no-deps -w "$work/dist"
$python -m pip install -q "$work"/dist/farsum-*.whl
$python -m auditwheel show "$work"/dist/farsum-*.whl | tee "$work/audit"
tr '\n' ' ' <"$work/audit" | grep -qE 'tag to "manylinux_2_(34|[12][0-9]|3[0-3])_' || {
    echo "the wheel needs a glibc later than 2.34"
    exit 1
}
if ldd "$work"/venv/lib/python*/site-packages/farsum/lib/libfarsum.so.* \
        | grep fftw; then
    echo "the wheel is linked with FFTW"
    exit 1
fi
$python -B -m pytest -q -p no:cacheprovider bindings/python/tests
