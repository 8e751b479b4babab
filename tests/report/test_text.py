"""Lines of the text report."""

from __future__ import annotations

from labelguard.report.text import wrapped
from labelguard.report.width import wrapped_at


def test_no_number_is_parted_from_its_percent_sign() -> None:
    with wrapped_at(30):
        assert list(wrapped("  ", "of all the pixels there 12.5 % are void")) == ["  of all the pixels there", "  12.5 % are void"]
