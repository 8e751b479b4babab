"""One case of each kind from the exam; `make exam` runs them all and writes docs/accuracy.md."""

from __future__ import annotations

import pytest

from fixtures.exam.cases import Case, judged
from fixtures.exam.chance import choose
from fixtures.exam.scenes import Setting, label_maps
from fixtures.exam.table import WHY, cases

FIRSTS: dict[str, Case] = {}
for case in cases():
    if case.kind != "pair" and "200 files" not in case.variant:
        FIRSTS.setdefault(f"{case.kind}: {case.name}", case)


QUICK = {*list(FIRSTS)[::8]}  # a sample


@pytest.mark.parametrize("name", [pytest.param(name, marks=[] if name in QUICK else [pytest.mark.slow]) for name in FIRSTS])
def test_all_that_has_to_be_found_and_nothing_else(name: str) -> None:
    outcome = judged(0, FIRSTS[name])
    assert outcome is not None
    if not outcome.right and FIRSTS[name].name in WHY:
        pytest.xfail(WHY[FIRSTS[name].name])
    assert outcome.right, outcome


def test_another_exam_draws_other_sets() -> None:
    setting = Setting(files=3)
    first = label_maps(setting)
    choose(1)
    try:
        assert all((labels != other).any() for labels, other in zip(first, label_maps(setting), strict=True))
    finally:
        choose(0)
    assert all((labels == again).all() for labels, again in zip(first, label_maps(setting), strict=True))


def test_known_misses_are_cases() -> None:
    assert {*WHY} <= {case.name for case in cases()}
