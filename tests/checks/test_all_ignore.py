"""LG202: nothing but ignored ids."""

from __future__ import annotations

from pathlib import Path

import pytest

import labelguard
from labelguard.checks import all_ignore as check
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import mask, on_mask
from tests.drawn import bands, folder


@pytest.mark.parametrize(("text", "spec", "ids"), [
    ("255 255 / 255 255", LabelSpec(3, 255), (255,)),
    ("255 250 / 250 255", LabelSpec(3, (250, 255)), (250, 255)),
    ("0 0 / 0 0", LabelSpec(3, 0), (0,)),
    ("255 255 / 255 255", LabelSpec(None, 255), (255,)),
])
def test_it_flags(text: str, spec: LabelSpec, ids: tuple[int, ...]) -> None:
    finding, = on_mask(check, mask(text), spec)
    assert (finding.ids, finding.pixels, finding.severity) == (ids, 4, Severity.ERROR)


def test_negative_ignore_ids_count() -> None:
    finding, = on_mask(check, mask("-100 -100", "int16"), LabelSpec(3, -100))
    assert finding.message == "Every pixel is ignored (-100): a batch of such masks has no loss, only NaN."


@pytest.mark.parametrize(("text", "spec"), [
    ("255 255 / 255 0", LabelSpec(3, 255)),
    ("255 255", LabelSpec(3)),
    ("255 255", LabelSpec(3, 254)),
    ("0 0", LabelSpec(3, 255)),
])
def test_it_leaves_alone(text: str, spec: LabelSpec) -> None:
    assert on_mask(check, mask(text), spec) == []


def test_colors_are_not_ignored_ids() -> None:
    assert on_mask(check, MaskFacts((4, 4), "uint8"), LabelSpec(3, 255)) == []


TABLES: dict[str, tuple[dict[int, int], dict[int, int], bool]] = {
    "all ids of another data set": ({0: 70, 1: 20, 2: 10}, {0: 255, 1: 255, 2: 255}, True),
    "most of them": ({0: 30, 1: 21, 2: 49}, {0: 255, 1: 255, 2: 0}, True),
    "half of the pixels": ({0: 30, 1: 20, 2: 50}, {0: 255, 1: 255, 2: 0}, False),
    "half of the ids": ({0: 50, 1: 30, 2: 10, 3: 10}, {0: 255, 1: 255, 2: 0, 3: 1}, False),
    "the background alone": ({0: 95, 1: 5}, {0: 255, 1: 0}, False),
    "what was ignored before does not count": ({0: 10, 1: 10, 255: 80}, {0: 0, 1: 1, 255: 255}, False),
    "an id that is refused is not ignored": ({0: 10, 7: 90}, {0: 0}, False),
    "nothing": ({}, {}, False),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_ignores_most_of_a_set_is_flagged(case: str) -> None:
    before, table, flagged = TABLES[case]
    assert check.rule.remap_check is not None
    found = [*check.rule.remap_check(before, table.get, (255,))]
    assert [finding.severity for finding in found] == [Severity.ERROR] * flagged


def test_the_table_of_another_data_set_is_an_error_of_the_run(tmp_path: Path) -> None:
    folder(tmp_path / "masks", {"a.png": bands(0, 1, 2), "b.png": bands(2, 1, 7)})
    report = labelguard.run("cityscapes-train-ids", tmp_path / "masks")
    assert report.exit_code() == 1 and not report.clean and [finding.message for finding in report.findings] == [
        "85 % of the labeled pixels became 255, which is ignored: 3 of 4 ids (0-2)."]
    table = {0: 255, 1: 255, 2: 255, 7: 0}
    dry = labelguard.remap(tmp_path / "masks", table=table, num_classes=19, ignore_index=255, dry_run=True)
    assert [finding.code for finding in dry.findings] == ["LG202"] and "LG202 all-ignore" in str(dry)
