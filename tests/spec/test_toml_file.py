"""A labelguard.toml that anybody may have left in a folder."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from labelguard.errors import SpecError, UsageError
from labelguard.spec import toml_file
from labelguard.spec.declarations import read_spec
from labelguard.spec.labelspec import MOST_CLASSES, LabelSpec
from labelguard.stages.pipeline_file import read_pipeline


@pytest.mark.parametrize(("content", "reason"), [
    (b"a = " + b"[" * 100_000, "it is nested too deeply"),
    (b".".join([b"a"] * 1_001) + b" = 1", "unknown key 'a'"),
    (b".".join([b"a"] * 1_002) + b" = 1", "it is nested too deeply"),
    (b"x = {" + b".".join([b"a"] * 100_000) + b" = 1}", "it is nested too deeply"),
    (b"num_classes = " + b"9" * 5000, "Exceeds the limit"),
    (b"num_classes = 3\0", "Expected newline"),
    (b"\xff\xfe", "it is not a text in UTF-8"),
])
def test_what_is_no_toml_is_a_sentence(content: bytes, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "labelguard.toml"
    file.write_bytes(content)
    with pytest.raises(SpecError, match=reason):
        read_spec(file)
    with pytest.raises(UsageError, match="cannot be read as a pipeline|unknown key"):
        read_pipeline(file)


def test_a_large_file_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml_file, "_LARGEST", 15)
    (tmp_path / "a.toml").write_bytes(b"num_classes = 3")
    assert read_spec(tmp_path / "a.toml") == LabelSpec(3)
    (tmp_path / "a.toml").write_bytes(b"num_classes = 12")
    with pytest.raises(SpecError, match="it has more than 0 MiB"):
        read_spec(tmp_path / "a.toml")


@pytest.mark.parametrize(("lines", "reason"), [(10, "unknown key"), (11, "it is nested too deeply")])
def test_the_dots_of_all_lines_are_counted(lines: int, reason: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("".join(f"a{line}" + ".b" * 1000 + " = 1\n" for line in range(lines)))
    with pytest.raises(SpecError, match=reason):
        read_spec(tmp_path / "a.toml")


def test_a_table_of_all_ids_of_16_bits_is_not_too_large(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[stage]\n" + "".join(f"{label} = {65535 - label}\n" for label in range(65536)))
    assert (tmp_path / "a.toml").stat().st_size < toml_file._LARGEST == 1 << 20


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.toml")
    with pytest.raises(SpecError, match="it is not a file"):
        read_spec(tmp_path / "a.toml")


def test_there_are_not_more_classes_than_any_network_has(tmp_path: Path) -> None:
    assert LabelSpec(MOST_CLASSES).last == MOST_CLASSES - 1
    with pytest.raises(SpecError, match=r"num_classes is 1,048,577; it must be at most 1,048,576, since"):
        LabelSpec(MOST_CLASSES + 1)
    (tmp_path / "a.toml").write_text("num_classes = 1_000_000_000")
    with pytest.raises(SpecError, match=r"a\.toml: num_classes is 1,000,000,000; it must be at most"):
        read_spec(tmp_path / "a.toml")
