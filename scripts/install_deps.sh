#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing for building and testing, as
# root or by sudo without a password.  If neither is possible, prints the
# command that installs them and fails.
#
#     scripts/install_deps.sh          packages to build and test
#     scripts/install_deps.sh --ci     and CI's other codes and compilers
set -eu

packages="build-essential cmake pkg-config libfftw3-dev libkissfft-dev
  libjansson-dev zlib1g-dev libhdf5-dev libxxhash-dev libcmocka-dev
  libopenmpi-dev openmpi-bin gfortran libvkfft-dev opencl-c-headers
  ocl-icd-libopencl1 pocl-opencl-icd python3 python3-numpy python3-pytest
  gnuplot-nox locales"
if [ "${1:-}" = --ci ]; then
    packages="$packages lammps gromacs clang-14 libomp-14-dev llvm-14
      libamdhip64-5 libhiprtc-builtins5 python3-venv ccache"
fi

if ! command -v dpkg >/dev/null; then
    echo "Not a Debian system.  Building needs these packages (Debian's names):" \
         $packages
    exit 0
fi
missing=
for package in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || :)
    [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends$missing"
as_root=env
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root="sudo -n env"
    else
        echo "Packages are missing.  This command installs them:" >&2
        echo "    sudo $install" >&2
        exit 1
    fi
fi
echo "Installing:$missing"
as_root="$as_root DEBIAN_FRONTEND=noninteractive"
if ! $as_root $install; then
    $as_root apt-get update
    $as_root $install
fi
