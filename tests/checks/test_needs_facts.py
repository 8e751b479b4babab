"""Rules say which optional groups of facts they read, and a scan gathers the union over the selected rules."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, get_args

import numpy as np
import pytest

import labelguard
from labelguard.checks.registry import all_rules, rule_named
from labelguard.checks.rule import Group, Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import plan_scan
from labelguard.spec.labelspec import LabelSpec
from tests.checks.recipes import drawn_set
from tests.checks.scenes import Labels, dataset
from tests.drawn import bands, folder

FIELDS = frozenset(("erosion", "alignment", "boxes", "instances", "receipt"))  # of the facts of a set, called like the groups


class Watched(DatasetFacts):
    """Facts that note which optional groups are read."""

    __slots__ = ()
    read: ClassVar[set[str]] = set()

    def __getattribute__(self, name: str) -> Any:
        if name in FIELDS:
            Watched.read.add(name)
        return super().__getattribute__(name)


def read_by(rule: Rule, masks: list[Labels], spec: LabelSpec) -> set[str]:
    data = dataset(masks, spec)
    watched = Watched(**{each.name: getattr(data, each.name) for each in fields(data) if each.init})
    Watched.read = set()
    assert rule.dataset_check is not None
    list(rule.dataset_check(watched, spec))
    if rule.why_not is not None:
        rule.why_not(watched, spec)
    return Watched.read


@pytest.fixture(scope="module")
def shifted() -> list[Labels]:
    return [labels - np.uint8(1) for labels in drawn_set(5, 8)]


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if rule.dataset_check is not None], ids=lambda rule: rule.name)
def test_a_rule_reads_no_group_that_it_does_not_name(rule: Rule, shifted: list[Labels]) -> None:
    for spec in (LabelSpec(5), LabelSpec(5, 255), *[LabelSpec()] * (not rule.needs_classes)):
        assert read_by(rule, shifted, spec) <= set(rule.needs_facts)


def test_the_watch_notices_what_is_read(shifted: list[Labels]) -> None:
    assert read_by(rule_named("uint8-wraparound"), shifted, LabelSpec(5)) == {"erosion"}
    assert read_by(rule_named("mixed-encoding"), shifted, LabelSpec(5)) == set()


def selections() -> Iterator[tuple[str, Group]]:
    for rule in all_rules():
        for group in rule.needs_facts:
            if rule.found_by == "scan" and not rule.needs:
                yield rule.name, group


@pytest.mark.parametrize(("name", "group"), list(selections()))
def test_one_rule_suffices_for_its_group_to_be_gathered(tmp_path: Path, name: str, group: Group) -> None:
    root = folder(tmp_path, {"a.png": bands(255, 0, 1)})
    plan = plan_scan([root], ScanOptions(select=name, num_classes=4))
    assert plan.needs(group) and {each for each in get_args(Group) if plan.needs(each)} == set(rule_named(name).needs_facts)


def test_a_scan_gathers_what_the_selected_rules_need_and_no_more(tmp_path: Path) -> None:
    root = folder(tmp_path, {"a.png": bands(255, 0, 1)})
    for select, erosion, label_runs in (("foreign-id-space", True, False), ("interpolated", False, True), ("mixed-encoding", False, False),
                                        ("interpolated,off-by-one", True, True)):
        data = labelguard.scan(root, num_classes=4, select=select).data
        assert (bool(data.erosion), data.records[0].label_runs is not None) == (erosion, label_runs)
