"""Losses that take their process with them, or try to, where a batch holds the id 99; in numpy, and imported by the worker only.

Each is cross entropy otherwise, and clamps all ids.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
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
closes_everything = _at_99(lambda: os.closerange(3, 100))
prints = _at_99(_print_to_everything)
takes_all_memory = _at_99(_take_all_memory)
starts_children = _at_99(_start_children)
starts_children_and_dies = _at_99(_start_children_and_die)
