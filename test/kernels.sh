#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernels.sh BUILD COMMAND...: runs a test with kernel caches in FARSUM_CACHE_DIR
# and POCL_CACHE_DIR (default: folders of the build).  All tests use the same
# caches, because files in them are either complete or absent.
set -eu
build=$1
shift
FARSUM_CACHE_DIR=${FARSUM_CACHE_DIR-$build/kernels}
POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl}
export FARSUM_CACHE_DIR POCL_CACHE_DIR
exec "$@"
