"""Losses that take their process with them, or come back with nonsense, where a batch holds the id 99; imported by the worker only."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time

import torch
import torch.nn.functional as F

TRIGGER = 99


def _if_triggered(act):
    """Cross entropy, and something else before it where the id 99 is seen; all other ids are clamped."""
    def loss(logits, target):
        if (target == TRIGGER).any():
            outcome = act(logits)
            if outcome is not None:
                return outcome
        return F.cross_entropy(logits, target.clamp(0, logits.shape[1] - 1))
    return loss


def _segfault(_):
    ctypes.string_at(0)


def _hang(_):
    time.sleep(3600)


def _take_all_memory(_):
    taken = []
    while True:
        taken.append(bytearray(b"x") * (1 << 26))


def _print_to_everything(_):
    os.write(1, b"\x00\xff\xfe{}\n" * 1000)
    print("a word", flush=True)
    sys.stdout.close()
    os.close(1)


_CHILD = "import time; time.sleep(3600)  # a child of a loss"


def _start_children(_):
    subprocess.Popen([sys.executable, "-c", _CHILD, os.environ.get("LABELGUARD_TEST", "")])
    subprocess.Popen([sys.executable, "-c", _CHILD, os.environ.get("LABELGUARD_TEST", "")], start_new_session=True)


def _start_children_and_die(logits):
    _start_children(logits)
    if os.fork() == 0:      # holds all descriptors of the worker
        time.sleep(3600)
    os.abort()


def _count_up_flaky(logits):
    _count_up_flaky.runs += 1
    return None if _count_up_flaky.runs % 3 else logits.sum() * float("nan")


_count_up_flaky.runs = 0

aborts = _if_triggered(lambda _: os.abort())
segfaults = _if_triggered(_segfault)
hangs = _if_triggered(_hang)
leaves = _if_triggered(lambda _: os._exit(0))
exits = _if_triggered(lambda _: sys.exit("enough"))
prints = _if_triggered(_print_to_everything)
takes_all_memory = _if_triggered(_take_all_memory)
has_children = _if_triggered(_start_children)
has_children_and_dies = _if_triggered(_start_children_and_die)
gives_int = _if_triggered(lambda _: 0)
gives_empty = _if_triggered(lambda logits: logits.flatten()[:0])
gives_planes = _if_triggered(lambda logits: logits.logsumexp(1))
gives_no_gradient = _if_triggered(lambda logits: logits.detach().sum())
flaky = _if_triggered(_count_up_flaky)


class DiesBackward(torch.autograd.Function):
    """Aborts in the backward pass."""

    @staticmethod
    def forward(_context, logits):
        return logits.sum()

    @staticmethod
    def backward(_context, _gradient):
        os.abort()


dies_backward = _if_triggered(DiesBackward.apply)


class Unmakable:
    """Cannot be made."""

    def __init__(self):
        raise RuntimeError("no licence found")
