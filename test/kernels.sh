#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernels.sh BUILD COMMAND...: a test with kernels that are kept, in
# FARSUM_CACHE_DIR and POCL_CACHE_DIR, else in folders of the build.  Both are
# one for all tests: a file is there whole or not at all.
set -eu
build=$1
shift
FARSUM_CACHE_DIR=${FARSUM_CACHE_DIR-$build/kernels}
POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl}
export FARSUM_CACHE_DIR POCL_CACHE_DIR
exec "$@"
