# SPDX-License-Identifier: Apache-2.0
"""Threads, processes, Ctrl-C, and the end of the interpreter."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import farsum


def charges(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.random((n, 3)) * 10, np.where(np.arange(n) % 2, 1.0, -1.0)


def script(text, limit=60):
    return subprocess.run([sys.executable, "-c", text], capture_output=True,
                          text=True, timeout=limit)


HEAD = """
import os, signal, sys, threading, time
import numpy as np, farsum
rng = np.random.default_rng(0)
x, q = rng.random((300, 3)) * 10, np.where(np.arange(300) % 2, 1.0, -1.0)
"""


def test_two_threads_sum_side_by_side():
    """A thread runs while another is inside a sum: neither holds the GIL."""
    x, q = charges(30000)
    with farsum.Plan(n_sources=30000, method="direct", threads=1, tolerance=1e-6,
                     verify=False) as plan:
        plan.set_points(x)
        plan.execute(q)
        inside, spans = threading.Event(), []

        def long():
            began = time.monotonic()
            inside.set()
            plan.execute(q)
            spans.append((began, time.monotonic()))

        other = threading.Thread(target=long)
        other.start()
        inside.wait()
        y, p = charges(100, 1)
        steps = []
        while other.is_alive() and len(steps) < 5:
            farsum.coulomb(y, p, threads=1)
            steps.append(time.monotonic())
        other.join()
    began, ended = spans[0]
    during = [t for t in steps if began < t < ended]
    # one sum and its tuning end while the long one still runs
    assert during, (spans, steps)


def test_two_threads_one_plan():
    x, q = charges(500)
    with farsum.Plan(cell=10.0, sample=(x, q), threads=1) as plan:
        plan.set_points(x)
        right = plan.execute(q).potential
        wrong = []

        def loop(factor):
            for _ in range(50):
                r = plan.execute(factor * q)
                if not np.allclose(r.potential, factor * right, atol=1e-9):
                    wrong.append(factor)

        threads = [threading.Thread(target=loop, args=(f,)) for f in (1, 2)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong


def test_messages_stay_with_their_thread():
    x, q = charges(50)
    words = {}

    def fail(name, method):
        for _ in range(30):
            try:
                farsum.coulomb(x, q, cell=10.0, method=method)
            except farsum.UnknownError as error:
                words.setdefault(name, set()).add(str(error))

    threads = [threading.Thread(target=fail, args=(m, m)) for m in ("pmex", "fmmx")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for name, found in words.items():
        assert len(found) == 1 and name in found.pop()


def test_fork_after_threads_ran():
    done = script(HEAD + """
plan = farsum.Plan(cell=10.0, sample=(x, q), threads=2)
plan.set_points(x)
right = plan.execute(q).energy
farsum.coulomb(x, q, cell=10.0, threads=2)
held = threading.Event()
def hold():
    with plan.lock, farsum.cache.plans._lock:
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm(20)
    same = abs(plan.execute(q).energy - right) < 1e-9 * abs(right)
    new = farsum.coulomb(x, q, cell=10.0).energy
    os._exit(0 if same and abs(new - right) < 1e-4 * abs(right) else 1)
status = os.waitpid(child, 0)[1]
print("child", status)
os._exit(status)
""")
    assert "child 0" in done.stdout, done.stdout + done.stderr


def pool_energy(seed):
    x, q = charges(200, seed)
    return farsum.coulomb(x, q, cell=10.0).energy


@pytest.mark.parametrize("kind", ["fork", "spawn"])
def test_pools(kind):
    right = [pool_energy(s) for s in range(3)]
    with multiprocessing.get_context(kind).Pool(2) as pool:
        found = pool.map_async(pool_energy, range(3)).get(60)
    assert np.allclose(found, right, rtol=1e-3)


def test_the_interpreter_ends_with_plans_alive():
    done = script(HEAD + """
plans = [farsum.Plan(cell=10.0, sample=(x, q)) for _ in range(3)]
for plan in plans:
    plan.set_points(x)
    plan.cycle = plan
kept = farsum.coulomb(x, q, cell=10.0)
mesh = farsum.Mesh((8, 8, 8), cell=10.0)
farsum.nufft1(x, q, (8, 8, 8))
sys.self = plans, kept, mesh
print("end")
""")
    assert done.stdout == "end\n" and done.returncode == 0
    assert done.stderr == ""


def test_many_plans_leave_no_memory():
    x, q = charges(20)

    def make(count):
        for _ in range(count):
            plan = farsum.Plan(sample=(x, q), threads=1, verify=False,
                               method="direct")
            plan.set_points(x)
            plan.execute(q)

    make(500)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    make(9500)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 4096  # KiB: below half a KiB per plan


def interrupted(call, after=0.3):
    """Runs a call, interrupts it, and returns the seconds until it ended."""
    def press():
        time.sleep(after)
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    pressed = []
    thread = threading.Thread(target=press)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
            time.sleep(5)  # the call was over: this is interrupted
        return time.monotonic() - pressed[0]
    finally:
        thread.join()


def test_ctrl_c_during_a_long_sum():
    n = 120000
    x, q = charges(n)
    with farsum.Plan(n_sources=n, method="direct", tolerance=1e-6,
                     verify=False) as plan:
        plan.set_points(x)
        # other tests load the machine; the whole sum takes longer
        assert interrupted(lambda: plan.execute(q)) < 4
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        plan.set_points(x[:1000])
        r = plan.execute(q[:1000])
        right = farsum.coulomb(x[:1000], q[:1000]).energy
        assert r.energy == pytest.approx(right, rel=1e-3)


def test_progress_stops_and_fails():
    n = 60000
    x, q = charges(n)
    seen = []

    def stop(done, every, what):
        seen.append((done, every, what))
        return len(seen) > 1

    active = [lambda *a: None]
    with farsum.Plan(n_sources=n, method="direct", tolerance=1e-6, verify=False,
                     progress=lambda *a: active[0](*a)) as plan:
        plan.set_points(x)
        active[0] = stop
        with pytest.raises(farsum.StateError, match="stopped"):
            plan.execute(q)
        assert seen and isinstance(seen[0][2], str)

        def fail(*_):
            raise ZeroDivisionError

        active[0] = fail
        with pytest.raises(ZeroDivisionError):
            plan.execute(q)
