"""A journal or a receipt may hold anything: it is read aright, or refused in a sentence."""

from __future__ import annotations

import copy
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import labelguard
from labelguard import IncompleteError
from labelguard.errors import LabelguardError
from labelguard.files.journal import JOURNAL_NAME
from labelguard.files.receipt import FILE_NAME
from tests.drawn import bands, examples, folder
from tests.runs.rewriting import broken_off, rewrite, tree

VALUES = (st.none() | st.booleans() | st.integers(-1 << 70, 1 << 70) | st.floats() | st.text(max_size=5)
          | st.sampled_from(["a.png", "0", 10 ** 400]))
KEYS = st.text(max_size=3) | st.sampled_from(["0", "name", "digest"])
JSON = st.recursive(VALUES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6)
BYTES = [b"", b"\0", b"\xff\xfe", b"null", b"5", b"[1]", b"{}", b"NaN", b"1e999", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000,
         b'"\\ud800"', b'\xef\xbb\xbf{"files": {}}']


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two masks; what was written of them when the run was broken off, and when it was done."""
    place = tmp_path_factory.mktemp("forged")
    without_sync = pytest.MonkeyPatch()
    without_sync.setattr(os, "sync", lambda: None, raising=False)  # which takes longer than all the rest
    without_sync.setattr(os, "fsync", lambda _: None)
    folder(place / "masks", {"a.png": bands(0, 1, 255, height=6, width=4), "sub/b.png": bands(2, 3, height=6, width=4)})
    broken_off(place / "masks", place / "half", after=2)
    rewrite(place / "masks", place / "whole")
    yield place
    without_sync.undo()


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value within a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in inner for found in places(item, (*path, key)))]


def forged(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with another one in one place."""
    if not path:
        return other
    value = copy.copy(value)
    value[path[0]] = forged(value[path[0]], path[1:], other)
    return value


def copied(place: Path, name: str) -> Path:
    out = place / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(place / name, out)
    return out


def in_words(work: Callable[[], object]) -> None:
    """Do something that is done, or refused in a sentence."""
    try:
        work()
    except LabelguardError as reason:
        assert len(str(reason)) < 2000 and str(reason).endswith(".")


def resumed(place: Path, out: Path) -> None:
    """Go on: the masks are then what an undisturbed run writes, or were not touched."""
    before, sources = tree(out), tree(place / "masks")
    try:
        assert rewrite(place / "masks", out, resume=True).complete
        before = tree(place / "whole")
    finally:
        assert {name: data for name, data in tree(out).items() if name.endswith(".png")} == {
            name: data for name, data in before.items() if name.endswith(".png")}
        assert tree(place / "masks") == sources


@given(st.data())
@examples(60)
def test_any_value_in_any_place_of_a_journal(place: Path, data: st.DataObject) -> None:
    out = copied(place, "half")
    lines = [json.loads(line) for line in (out / JOURNAL_NAME).read_bytes().splitlines()]
    lines = forged(lines, data.draw(st.sampled_from(places(lines)[1:])), data.draw(JSON))
    (out / JOURNAL_NAME).write_text("".join(json.dumps(line) + "\n" for line in lines))
    in_words(lambda: resumed(place, out))


@given(st.data())
@examples(60)
def test_any_value_in_any_place_of_a_receipt(place: Path, data: st.DataObject) -> None:
    out = copied(place, "whole")
    content = json.loads((out / FILE_NAME).read_bytes())
    (out / FILE_NAME).write_text(json.dumps(forged(content, data.draw(st.sampled_from(places(content))), data.draw(JSON))))
    in_words(lambda: labelguard.scan(out, num_classes=12, ignore_index=255))
    in_words(lambda: labelguard.remap(out / "sub", place / "again", shift=1, num_classes=13))
    shutil.rmtree(place / "again", ignore_errors=True)
    in_words(lambda: resumed(place, out))


@pytest.mark.parametrize("content", BYTES, ids=[repr(content[:8]) for content in BYTES])
@pytest.mark.parametrize("name", [JOURNAL_NAME, FILE_NAME])
def test_any_bytes(place: Path, name: str, content: bytes) -> None:
    out = copied(place, "half" if name == JOURNAL_NAME else "whole")
    (out / name).write_bytes(content)
    in_words(lambda: resumed(place, out))
    if name == FILE_NAME:
        for work in (lambda: labelguard.scan(out), lambda: labelguard.remap(out / "sub", place / "again", shift=1, num_classes=13)):
            with pytest.raises(IncompleteError, match=r"The receipt '.*' is damaged"):
                work()


@pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and links")
@pytest.mark.parametrize("kind", ["a folder", "a named pipe", "a circle of links"])
@pytest.mark.parametrize("name", [JOURNAL_NAME, FILE_NAME])
def test_what_cannot_be_opened_is_not_called_damaged(place: Path, name: str, kind: str) -> None:
    out = copied(place, "half")
    (out / name).unlink(missing_ok=True)
    if kind == "a folder":
        (out / name).mkdir()
    elif kind == "a named pipe":
        os.mkfifo(out / name)
    else:
        (out / name).symlink_to(out / name)
    with pytest.raises(IncompleteError, match=r"cannot be opened: (is a directory|too many)|is a named pipe, not a file") as caught:
        rewrite(place / "masks", out, resume=True)
    assert "damaged" not in str(caught.value)


def test_a_record_of_another_source_is_not_believed(place: Path) -> None:
    out = copied(place, "half")
    lines = [json.loads(line) for line in (out / JOURNAL_NAME).read_bytes().splitlines()]
    lines[1]["source"] = "other.png"
    (out / JOURNAL_NAME).write_text("".join(json.dumps(line) + "\n" for line in lines))
    rewrite(place / "masks", out, resume=True)
    assert tree(out) == tree(place / "whole")
