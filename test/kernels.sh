#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# kernels.sh BUILD NAME COMMAND...: the test NAME with kernels that are kept, in
# FARSUM_CACHE_DIR and POCL_CACHE_DIR, else in folders of the build.
#
# Ours is one for all tests: a file is there whole or not at all.  PoCL removes
# and writes anew what it finds when it unpacks a binary, and aborts where
# another program reads that: each test has a part of its folder.
set -eu
build=$1 name=$2
shift 2
FARSUM_CACHE_DIR=${FARSUM_CACHE_DIR-$build/kernels}
POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl}/$name
export FARSUM_CACHE_DIR POCL_CACHE_DIR
exec "$@"
