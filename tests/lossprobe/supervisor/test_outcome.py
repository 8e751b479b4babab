"""When two failures are the same."""

from __future__ import annotations

import pytest

from labelguard.lossprobe.supervisor.outcome import NOT_FINITE, OK, RAISED, Outcome, Step


def outcome(status: str, error_type: str = "") -> Outcome:
    return Outcome((Step("random", status, error_type=error_type),))


@pytest.mark.parametrize(("one", "other", "same"), [
    (outcome("exception", "IndexError"), outcome("exception", "IndexError"), True),
    (outcome("exception", "IndexError"), outcome("exception", "TypeError"), False),
    (outcome("exception", "IndexError"), outcome("death"), True),
    (outcome("assert"), outcome("exit"), True),
    (outcome("nan-loss"), outcome("nan-gradient"), True),
    (outcome("nan-loss"), outcome("exception", "ValueError"), False),
    (outcome("timeout"), outcome("timeout"), True),
    (outcome("timeout"), outcome("death"), False),
    (outcome("ok"), outcome("ok"), False),
])
def test_same_failure(one: Outcome, other: Outcome, same: bool) -> None:
    assert one.same_failure(other) is same
    assert other.same_failure(one) is same


def test_what_costs_the_worker() -> None:
    statuses = (OK, *RAISED, *NOT_FINITE, "timeout", "out-of-memory")
    assert {status for status in statuses if outcome(status).died} == {"assert", "death", "exit", "garbled", "timeout"}
