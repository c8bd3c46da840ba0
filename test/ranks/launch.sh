#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an MPI launcher, and ends it after 300 seconds.  LAUNCH_FAILS=TEXT: passes
# if the job prints TEXT and then ends with an error within 60 seconds.
#
#     launch.sh LAUNCHER ARGUMENT...
if [ -z "${LAUNCH_FAILS:-}" ]; then
    exec timeout -k 10 300 "$@"
fi
began=$(date +%s)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
timeout -k 10 60 "$@" >"$out" 2>&1
status=$?
took=$(($(date +%s) - began))
cat "$out"
echo "status $status after $took s"
grep -qF "$LAUNCH_FAILS" "$out" && [ "$status" -ne 0 ] && [ "$took" -lt 60 ]
