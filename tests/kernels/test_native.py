"""The library beside the kernels: what is said where it cannot be used, and that no argument takes it beyond its arrays."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from labelguard.kernels import (
    area_vote,
    filter_up,
    gather,
    label_runs,
    lzw,
    native,
    packbits,
    png_tally,
    stream_tally,
    tally,
    unfilter,
    windows,
)

KERNELS = Path(native.__file__).parent
NOTHING = np.empty((0, 0), np.uint8)


def test_the_library_is_there() -> None:
    assert native.COMPILED, "the tests hold compiled kernels against their definitions: build them"


def test_each_exported_function_is_declared_with_as_many_arguments_as_it_takes() -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in sorted(KERNELS.glob("*.c")))
    taken = {name: arguments.count(",") - len(re.findall(r"\([^()]*,[^()]*\)", arguments)) + 1
             for name, arguments in re.findall(r"^EXPORT \w+ (lg_\w+)\(((?:[^()]|\([^()]*\))*)\)\s*{", sources, re.MULTILINE)}
    assert taken.pop("lg_abi") == 1
    assert taken == {name: len(arguments) for name, (_, arguments) in native._FUNCTIONS.items()}


def test_the_number_of_the_interface_is_that_of_the_header() -> None:
    assert f"#define ABI {native._ABI} " in (KERNELS / "kernels.h").read_text(encoding="utf-8")


@pytest.mark.parametrize(("library", "reason"), [
    (None, "there is no _native in"),
    (SimpleNamespace(lg_abi=lambda: native._ABI + 1), "is of another version"),
])
def test_a_library_that_cannot_be_used_is_refused_with_the_reason(library: Any, reason: str, tmp_path: Path,
                                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "__file__", str(tmp_path / "native.py"))
    monkeypatch.setattr(ctypes, "CDLL", lambda _path: library)
    if library is not None:
        (tmp_path / "_native.so").write_bytes(b"")
    with pytest.raises(OSError, match=reason):
        native._load()


WITHOUT = """
import ctypes, warnings
def no_library(*_): raise OSError("of another machine")
ctypes.CDLL = no_library
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from labelguard.kernels import gather, native, stream_tally, tally
assert not native.COMPILED and not stream_tally.READY
assert tally.tally is tally.definition and gather.gather is gather.definition
print(*(each.message for each in caught))
"""


def test_without_it_the_definitions_stand_in_and_it_is_said_once() -> None:
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout
    assert said.count("cannot be loaded (of another machine)") == 1 and "Install labelguard again" in said


LABELS = np.full((4, 5), 9, np.uint8)
TABLE = np.arange(9, dtype=np.int32)


@pytest.mark.parametrize("call", [
    lambda: tally.tally(LABELS, 9),
    lambda: tally.tally(LABELS, 0),
    lambda: tally.tally(np.pad(LABELS, ((1, 0), (0, 0))), 9),
    lambda: label_runs.tally_with_label_runs(LABELS.astype(np.uint16), 9),
    lambda: gather.gather(LABELS, TABLE, np.empty_like(LABELS)),
    lambda: gather.gather(LABELS, np.arange(10, dtype=np.int32), np.empty((4, 4), np.uint8)),
    lambda: windows.windows_without(LABELS, np.zeros(9, np.bool_), 2, 2),
    lambda: windows.windows_without(LABELS, np.zeros(10, np.bool_), 5, 2),
    lambda: area_vote.area_vote(np.arange(20, dtype=np.uint16).reshape(4, 5), 1, 1, 19, np.zeros(19, np.int64), False),
    lambda: area_vote.area_vote(LABELS, 2, 2, 256, np.zeros(9, np.int64), False),
    lambda: area_vote.area_vote(LABELS, 0, 2, 256, np.zeros(256, np.int64), False),
    lambda: unfilter.unfilter(np.zeros(23, np.uint8), 4, 5, 1),
    lambda: unfilter.unfilter(np.full(24, 5, np.uint8), 4, 5, 1),
    lambda: png_tally.png_tally(np.zeros(23, np.uint8), 4, 5, 8, NOTHING, False),
    lambda: png_tally.png_tally(np.full(24, 5, np.uint8), 4, 5, 8, NOTHING, False),
    lambda: png_tally.png_tally(np.zeros(24, np.uint8), 4, 5, 3, NOTHING, False),
    lambda: png_tally.png_tally(np.zeros(24, np.uint8), 4, 5, 8, np.empty((5, 4), np.uint8), False),
    lambda: stream_tally.stream_tally(np.zeros(24, np.uint8), 1 << 31, 5, 8, NOTHING, False),
    lambda: filter_up.filter_up(np.empty((0, 4), np.uint8)),
])
def test_what_would_lead_beyond_an_array_is_refused(call: Callable[[], object]) -> None:
    with pytest.raises(IndexError):
        call()


@pytest.mark.parametrize("labels", [LABELS.astype(np.int32), LABELS.astype(">u2"), LABELS.astype(float), LABELS[0]])
def test_labels_of_other_types_are_refused(labels: np.ndarray) -> None:
    with pytest.raises(TypeError, match="uint8, uint16 or uint32"):
        tally.tally(labels, 256)


def test_arrays_that_lie_apart_are_taken_all_the_same() -> None:
    labels = np.random.default_rng(0).integers(0, 5, (18, 40)).astype(np.uint8)
    apart, together = labels[::2, ::-2], np.ascontiguousarray(labels[::2, ::-2])
    assert np.array_equal(tally.tally(apart, 256), tally.definition(together, 256))
    stream = np.repeat(np.frombuffer(b"\xfe\7\1\2\3", np.uint8), 2)[::2]
    for kernel in (packbits.packbits, packbits.definition, lzw.lzw, lzw.definition):
        assert kernel(stream, np.empty(9, np.uint8)) == kernel(stream.copy(), np.empty(9, np.uint8))


def test_a_lack_of_memory_is_told() -> None:
    with pytest.raises(MemoryError):
        native.checked(native._NO_MEMORY)
