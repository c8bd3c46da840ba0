# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a measurement one after another.  The output file
records finished commands, so an interrupted measurement can be resumed."""
import concurrent.futures
import os
import re
import subprocess
import time


TREE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def device_rows(room):
    """Names of a stage's variants for devices, in the table's order."""
    with open(os.path.join(TREE, "src/stage", room, "variants.def")) as f:
        return re.findall(r"VARIANT\(\w+, *((?:gpu|gm|sm)_\w+)", f.read())


def done(path):
    """Keys of the commands that succeeded."""
    if not os.path.exists(path):
        return set()
    with open(path) as f:
        return {line[7:].strip() for line in f if line.startswith("# done ")}


def left(path, cases):
    finished = done(path)
    return [c for c in cases if c[0] not in finished]


def quietly(commands, jobs, most):
    """Runs commands in parallel to compile their kernels.  Stops each after
    `most` seconds and ignores failures."""
    def one(words):
        try:
            subprocess.run(words, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False, timeout=most)
        except subprocess.TimeoutExpired:
            pass
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, commands))


def run(path, cases, end, most):
    """cases: (key, command).  Appends their output to path and their error
    messages to the .log file of the same name.  Starts none after `end` and
    stops each after `most` seconds.  Returns how many were not started."""
    log_path = os.path.splitext(path)[0] + ".log"
    for i, (key, words) in enumerate(cases):
        if time.time() > end:
            return len(cases) - i
        with open(path, "a") as out, open(log_path, "a") as log:
            log.write("# %s\n" % key)
            log.flush()
            try:
                rc = subprocess.run(
                    words, stdout=out, stderr=log,
                    timeout=min(most, max(1, end + 30 - time.time()))
                ).returncode
            except subprocess.TimeoutExpired:
                rc = "time"
            out.write("# done %s\n" % key if rc == 0
                      else "# failed (%s) %s\n" % (rc, key))
    return 0
