#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds for 64-bit ARM by Debian's cross compiler, without FFTW, HDF5, MPI and
# OpenCL, and runs the tests of the label quick under QEMU.  Not a part of CI:
# the emulated tests take long.
#
#     scripts/cross_aarch64.sh OUT
#
# Needs gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu and qemu-user.  cmocka and
# zlib for ARM are downloaded by apt-get and unpacked in OUT.  The environment
# variables JOBS (default: all cores) and CMAKE_ARGS apply to the build, and
# CTEST_ARGS to the tests: "--timeout 600" ends each one after ten minutes.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
triple=aarch64-linux-gnu
jobs=${JOBS:-$(nproc)}
for program in $triple-gcc $triple-g++ qemu-aarch64; do
    command -v $program >/dev/null || { echo "not found: $program"; exit 1; }
done

# apt-get with its own lists, so that the system needs no second architecture.
if [ ! -d "$out/root" ]; then
    mkdir -p "$out/apt/lists/partial" "$out/apt/archives/partial"
    arm="-o APT::Architecture=arm64 -o APT::Architectures=arm64
        -o Dir::State::Lists=$out/apt/lists -o Dir::State::status=/dev/null
        -o Dir::Cache=$out/apt"
    (cd "$out/apt"
     apt-get $arm update
     apt-get $arm download libcmocka-dev libcmocka0 zlib1g-dev
     mkdir root
     for file in *.deb; do dpkg -x "$file" root; done
     mv root "$out/root") >"$out/apt.log" 2>&1 || { tail "$out/apt.log"; exit 1; }
fi

cat >"$out/toolchain.cmake" <<TOOLCHAIN
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER $triple-gcc)
set(CMAKE_CXX_COMPILER $triple-g++)
set(CMAKE_LIBRARY_ARCHITECTURE $triple)
set(CMAKE_FIND_ROOT_PATH $out/root /usr/$triple)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/$triple)
TOOLCHAIN
PKG_CONFIG_LIBDIR=$out/root/usr/lib/$triple/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$out/root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR
cmake -S . -B "$out/build" -DCMAKE_TOOLCHAIN_FILE="$out/toolchain.cmake" \
    -DFARSUM_WERROR=ON -DFARSUM_BUNDLED=ON -DFARSUM_FFTW=OFF \
    -DFARSUM_VKFFT=OFF -DFARSUM_HDF5=OFF -DFARSUM_MPI=OFF \
    -DFARSUM_FORTRAN=OFF ${CMAKE_ARGS:-}
cmake --build "$out/build" -j "$jobs" --target quick_tests
file "$out/build/libfarsum.so" 2>/dev/null || :
OMP_WAIT_POLICY=passive ctest --test-dir "$out/build" -j "$jobs" -L quick \
    --output-on-failure ${CTEST_ARGS:-}
