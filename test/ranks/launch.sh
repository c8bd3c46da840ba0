#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an MPI launcher, and ends it after 300 seconds.  LAUNCH_FAILS="A B":
# passes if the job ends within 60 seconds with one of these statuses.
#
#     launch.sh LAUNCHER ARGUMENT...
if [ -z "${LAUNCH_FAILS:-}" ]; then
    exec timeout -k 10 300 "$@"
fi
timeout -k 10 60 "$@"
status=$?
for wanted in $LAUNCH_FAILS; do
    [ "$status" -ne "$wanted" ] || exit 0
done
echo "the job ended with status $status, not $LAUNCH_FAILS"
exit 1
