from __future__ import annotations

import json
from pathlib import Path

import pytest

import labelguard
from labelguard.cli import main
from tests.drawn import bands, folder


def diff(*arguments: str) -> int:
    return main.main(["diff", *arguments], standalone_mode=False) or 0


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, mask in {"old": bands(0, 1), "new": bands(0, 1, 9)}.items():
        labelguard.scan(folder(tmp_path / name, {"a.png": mask, "b.png": bands(0, 1)}), num_classes=2).save(f"{name}.json")


def test_the_exit_code_says_whether_something_came(capsys: pytest.CaptureFixture[str]) -> None:
    assert [diff("old.json", "new.json"), diff("new.json", "old.json"), diff("old.json", "new.json", "--fail-on", "never")] == [1, 0, 0]
    assert "1 error came, 0 went, 0 stayed" in capsys.readouterr().out


def test_json_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert diff("old.json", "new.json", "--format", "json") == 1
    values = json.loads(capsys.readouterr().out)
    assert values["exit_code"] == 1 and [finding["path"] for finding in values["findings"]] == ["a.png"]
    assert values["masks"] == {"added": 0, "removed": 0, "changed": 1} and values["shares"]["classes"][0]["id"] in (0, 1, 9)


def test_what_is_no_report_ends_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert diff("old.json", "old/a.png") == 2 and "is not a JSON report of labelguard" in capsys.readouterr().err
