"""Every explanation that was weighed, in the text where it is asked for, and in JSON always."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import labelguard
from labelguard.cli import main
from labelguard.report.explained import explained_dict, explained_lines
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, png

PLAIN = drawn_set(5, 6, void=None)
K = ("--num-classes", "5")


def folder(place: Path, masks: list[Labels]) -> Path:
    for number, labels in enumerate(masks):
        path = place / "ab"[2 * number // len(masks)] / f"{number}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(png(labels.astype(np.uint8)))
    return place


@pytest.fixture(scope="module")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("shifted"), [labels - 1 for labels in PLAIN])


def printed(*words: object) -> str:
    return CliRunner().invoke(main, ["scan", *map(str, words)], catch_exceptions=False).output


def test_the_likeliest_comes_first_and_each_has_odds_and_evidence(shifted: Path) -> None:
    told = printed(shifted, *K, "--explain").partition("Explanations (certain; ")[2]
    first, second = told.index("the ids were shifted by -1\n"), told.index("255 is a void label that is not declared")
    assert first < second and told.index(" %  ") < first
    assert "for: " in told and "against: " in told and "to tell it from the first: What does 255 cover in " in told


def test_nothing_is_explained_unasked(shifted: Path) -> None:
    assert "Explanations" not in printed(shifted, *K)


def test_where_nothing_was_weighed_that_is_said(tmp_path: Path) -> None:
    healthy = folder(tmp_path, PLAIN)
    assert "nothing was weighed" in printed(healthy, *K, "--explain")
    assert json.loads(printed(healthy, *K, "--format", "json"))["explanations"] is None
    assert labelguard.scan(healthy, num_classes=5).verdict is None


def test_what_a_filter_left_is_told(tmp_path: Path) -> None:
    smoothed = [Image.fromarray(labels).resize((120, 72), Image.Resampling.BILINEAR) for labels in drawn_set(12, 8)]
    place = folder(tmp_path, [np.asarray(image) for image in smoothed])
    spec = ("--num-classes", "12", "--ignore-index", "255")
    told = " ".join(printed(place, *spec, "--explain").split())
    assert "Explanations: a filter left ids along borders in all 8 files" in told and "nothing was weighed" not in told
    found = json.loads(printed(place, *spec, "--format", "json"))["explanations"]
    assert found["smoothed"]["files"] == 8 and found["verdict"] is None and found["accounts"] == []


@pytest.mark.parametrize(("exact", "words"), [(True, "perhaps a filter left ids"), (False, "a filter left ids")])
def test_what_a_filter_may_have_left_is_weighed_as_well(exact: bool, words: str, shifted: Path) -> None:
    report = labelguard.scan(shifted, num_classes=5)
    data = replace(report.trusted, smoothed=frozenset({report.data.records[0].path}))
    data = data if exact else data.distrusting(data.smoothed or ())
    found = explained_dict(report.verdict, data, report.spec)
    assert found is not None and found["smoothed"]["words"].startswith(f"{words} along borders in 1 of 6 files")
    assert f"{words} along borders" in "".join(explained_lines(report.verdict, data, report.spec))


def test_json_and_python_have_the_same(shifted: Path) -> None:
    found = json.loads(printed(shifted, *K, "--format", "json"))["explanations"]
    verdict = labelguard.scan(shifted, num_classes=5).verdict
    assert verdict is not None
    assert (found["verdict"], found["mendable"], found["weighed"]) == (verdict.certainty, verdict.mendable, len(verdict.accounts))
    assert found["smoothed"] is None
    first = found["accounts"][0]
    assert first["words"] == "the ids were shifted by -1" and first["odds"] == verdict.odds[0]
    assert first["parts"] == [{"cause": "shift", "amount": 1, "num_classes": 5, "files": 6, "group": None}]
    assert sum(first["bits"].values()) == pytest.approx(verdict.accounts[0].bits, abs=0.1)
    assert found["settles"].startswith("What does 255 cover in ")


def test_each_split_has_its_own(shifted: Path) -> None:
    told = printed(f"one={shifted / 'a'}", f"two={shifted / 'b'}", *K, "--explain")
    assert told.count("Explanations (") == 2
    found = json.loads(printed(f"one={shifted / 'a'}", f"two={shifted / 'b'}", *K, "--format", "json"))["splits"]
    assert {split["explanations"]["accounts"][0]["parts"][0]["cause"] for split in found.values()} == {"shift"}
