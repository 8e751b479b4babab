from __future__ import annotations

from labelguard.checks.device_mismatch import rule
from labelguard.lossprobe.findings.buffer_mismatch import buffer_mismatches


def test_statistics_that_differ_are_told_with_their_place() -> None:
    found, = buffer_mismatches({"bn.running_mean": [0.1, 0.9]}, {"bn.running_mean": [0.1, 0.1]})
    assert (found.buffer, found.index, rule.found_by) == ("bn.running_mean", 1, "probe")


def test_rounding_is_left_alone() -> None:
    assert buffer_mismatches({"bn.running_mean": [0.1, 0.9]}, {"bn.running_mean": [0.1001, 0.9001]}) == []
