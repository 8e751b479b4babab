"""Losses that take their process with them, or try to, where a batch holds the id 99; in numpy, and imported by the worker only.

Each is cross entropy otherwise, and clamps all ids.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import stat
import struct
import subprocess
import sys
import threading
import time

import numpy as np


def cross_entropy(logits, target):
    classes = logits.shape[1]
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = powers / powers.sum(axis=1, keepdims=True)
    hot = np.clip(target, 0, classes - 1)[:, None] == np.arange(classes)[:, None, None]
    return -np.log(np.maximum(p[hot], 1e-30)).mean(), (p - hot) / target.size


def _at_99(act):
    def loss(logits, target):
        if (target == 99).any():
            act()
        return cross_entropy(logits, target)
    return loss


def _hang():
    time.sleep(3600)


def _take_all_memory():
    taken = []
    while True:
        taken.append(np.ones(1 << 23))
        time.sleep(0.01)


def _take_memory_slowly():
    """So that the time limit is reached first."""
    taken = []
    while True:
        taken.append(np.ones(1 << 20))
        time.sleep(0.01)


_compiled = set()


def compiles(logits, target):
    """As `torch.compile` does: the first pass of each kind of batch takes longer than a pass may."""
    if target.shape not in _compiled:
        _compiled.add(target.shape)
        time.sleep(0.8)
    return cross_entropy(logits, target)


def _print_to_everything():
    if sys.stdout.closed:
        return
    os.write(1, b"\x00\xff\xfe{}\n" * 100_000)
    print("a word", flush=True)
    sys.stdout.close()
    os.close(1)


def _start_children():
    sleep = [sys.executable, "-S", "-c", "import time; time.sleep(3600)"]
    for own in (False, True):
        subprocess.Popen(sleep, start_new_session=own)


def _start_children_and_die():
    _start_children()
    if os.fork() == 0:      # holds all descriptors of the worker
        time.sleep(3600)
    os.abort()


def _leave_a_daemon():
    """A process of its own session, with an empty environment, whose parent is gone: nothing tells that it belongs to the worker.

    A test knows it by the time for which it sleeps.
    """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve(sys.executable, [sys.executable, "-S", "-c", f"import time; time.sleep({os.environ['DAEMON_SECONDS']})"], {})
        os._exit(0)
    os.wait()


def _leave_a_daemon_and_hang():
    _leave_a_daemon()
    while True:     # and never gives the lock of the interpreter away
        ctypes.PyDLL(None).sleep(3600)


def _replace_json():
    json.dumps = lambda *_, **__: b"replaced"
    json.JSONEncoder.encode = lambda *_: "replaced"
    os.write = os._exit = time.perf_counter = None


def _pipes():
    """The descriptors that may be the line to the supervisor: pipes that can be written to, but for the standard streams."""
    for descriptor in map(int, os.listdir("/proc/self/fd")):
        try:
            if descriptor > 2 and stat.S_ISFIFO(os.fstat(descriptor).st_mode) and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_WRONLY:
                yield descriptor
        except OSError:
            continue


def _write_to_the_line(kind):
    text = json.dumps({"op": "step", "regime": "random", "status": "ok", "loss": 0.0, "seconds": []}).encode()
    written = {"noise": b"\x00\xff\xfe{}\n" * 100, "short": b"!", "framed": struct.pack("<II", len(text), 0) + text}[kind]
    for descriptor in _pipes():
        os.write(descriptor, written)


def writes_to_the_line(kind, after="go on"):
    def act():
        _write_to_the_line(kind)
        if after == "hang":
            _hang()
    return _at_99(act)


def _ignore_signals():
    for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    _hang()


def _report(form, noise):
    """What a CUDA kernel of torch writes when an assertion fails."""
    where = "/torch/NLLLoss2d.cu:106: nll_loss2d_forward_kernel: block: [5,0,0], thread: [131,0,0]"
    line = {"old": f"{where} Assertion `t >= 0 && t < n_classes` failed.",
            "words": "Assertion `x > 0` failed",
            "new": f"[CUDA_KERNEL_ASSERT] {where}: Assertion failed: `t >= 0 && t < n_classes`: out of range"}[form]
    os.write(2, (b"y" * 79 + b"\n") * noise + line.encode() + b"\n" + (b"z" * 79 + b"\n") * noise)


def reports(form, noise=0):
    return _at_99(lambda: _report(form, noise))


def dies_backward(logits, target):
    value, gradient = cross_entropy(logits, target)
    return value, os.abort if (target == 99).any() else gradient


def _assert_in_c():
    os.write(2, b"kernel.c:12: mean: Assertion `n > 0' failed.\n")
    os.abort()


reports_and_dies = _at_99(_assert_in_c)
aborts = _at_99(os.abort)
segfaults = _at_99(lambda: ctypes.string_at(0))
hangs = _at_99(_hang)
leaves = _at_99(lambda: os._exit(0))
exits = _at_99(lambda: sys.exit("enough"))
closes_some = _at_99(lambda: os.closerange(3, 100))
closes_everything = _at_99(lambda: os.closerange(3, 4096))
comes_back_twice = _at_99(os.fork)
ignores_signals = _at_99(_ignore_signals)
kills_its_group = _at_99(lambda: os.killpg(0, signal.SIGTERM))
leaves_a_daemon = _at_99(_leave_a_daemon)
leaves_a_daemon_and_hangs = _at_99(_leave_a_daemon_and_hang)
replaces_json = _at_99(_replace_json)
naps = _at_99(lambda: time.sleep(1))
prints = _at_99(_print_to_everything)
takes_memory_slowly = _at_99(_take_memory_slowly)
takes_all_memory = _at_99(_take_all_memory)
starts_children = _at_99(_start_children)
starts_children_and_dies = _at_99(_start_children_and_die)


class Untold(Exception):
    """Cannot say what it is."""

    def __str__(self):
        raise RuntimeError("not this either")


class _Tee:
    def write(self, text):
        return len(text)

    def flush(self):
        pass


def _set_stderr(stream):
    sys.stderr = stream


def _raise_untold():
    raise Untold


def _die_later():
    threading.Timer(0.3, os.abort).start()


takes_stderr_away = _at_99(lambda: _set_stderr(None))
puts_a_stderr_without_a_number = _at_99(lambda: _set_stderr(_Tee()))
raises_what_cannot_be_told = _at_99(_raise_untold)
dies_a_moment_later = _at_99(_die_later)
kills_itself = _at_99(lambda: os.kill(os.getpid(), signal.SIGKILL))
