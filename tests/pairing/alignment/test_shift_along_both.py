"""A shift along rows and columns at once: what neither axis tells alone, both may."""

from __future__ import annotations

import pytest

from labelguard.pairing.alignment import verdict
from labelguard.pairing.alignment.shift import Shift


@pytest.mark.parametrize(("rows", "columns", "moves"), [
    ((2, 1e-3), (3, 1e-3), (2, 3)),   # 1e-6 (1 - log 1e-6) is 1.5e-5
    ((2, 2e-3), (3, 2e-3), None),     # 5.4e-5
    ((1, 1e-3), (3, 1e-3), None),     # not moved along both
    ((0, 1.0), (3, 3e-5), (0, 3)),
    ((0, 1.0), (3, 4e-5), None),
    ((2, 0.0), (3, 0.0), (2, 3))])
def test_both_axes_together(rows: tuple[int, float], columns: tuple[int, float], moves: tuple[int, int] | None,
                            monkeypatch: pytest.MonkeyPatch) -> None:
    axes = iter([Shift(*rows, "rows"), Shift(*columns, "columns")])
    monkeypatch.setattr(verdict, "shift_of", lambda *_: next(axes))
    assert [fault.shift for fault in verdict._shifted([], 1.0)] == ([moves] if moves else [])
