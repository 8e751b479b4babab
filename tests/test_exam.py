"""One case of each kind from the exam; `make exam` runs them all and writes docs/accuracy.md."""

from __future__ import annotations

import pytest

from fixtures.exam.cases import Case, judged
from fixtures.exam.table import WHY, cases

FIRSTS: dict[str, Case] = {}
for case in cases():
    if case.kind != "pair" and "200 files" not in case.variant:
        FIRSTS.setdefault(f"{case.kind}: {case.name}", case)


@pytest.mark.parametrize("name", FIRSTS)
def test_all_that_has_to_be_found_and_nothing_else(name: str) -> None:
    outcome = judged(0, FIRSTS[name])
    assert outcome is not None
    if not outcome.right and FIRSTS[name].name in WHY:
        pytest.xfail(WHY[FIRSTS[name].name])
    assert outcome.right, outcome


def test_known_misses_are_cases() -> None:
    assert {*WHY} <= {case.name for case in cases()}
