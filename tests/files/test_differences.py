"""Whoever resumes with other options reads which these are."""

from __future__ import annotations

import pytest

from labelguard import LabelSpec, Pipeline, Remap, Resize, Validate
from labelguard.files._differences import difference

SMALL = repr(Resize(scale=0.5))
STEPS = repr(Pipeline([Validate(LabelSpec(3)), Resize(64, 96)]))
PART = "--include b/: 3 of 8 files, names "


@pytest.mark.parametrize(("earlier", "now", "words"), [
    ({"stages": repr(Resize(256, 512))}, {"stages": repr(Resize(128, 512))}, "height was 256 and is 128"),
    ({"stages": SMALL}, {"stages": repr(Resize(64, 96))},
     "height was not given and is 64; width was not given and is 96; scale was 0.5 and is not given"),
    ({"stages": STEPS}, {"stages": STEPS.replace("96", "48")}, "width was 96 and is 48"),
    ({"stages": STEPS}, {"stages": SMALL}, "the steps were Validate, Resize and are Resize"),
    ({"stages": "no Python ("}, {"stages": SMALL}, "the steps were others and are Resize"),
    ({"stages": SMALL, "part": PART + "12ab"}, {"stages": SMALL}, "the masks to be changed were --include b/: 3 of 8 files and are all"),
    ({"stages": repr(Remap(shift=1))}, {"stages": repr(Remap(shift=1, num_classes=14))}, "num_classes was not given and is 14"),
    ({"stages": SMALL, "command": "run"}, {"stages": SMALL, "command": "resize"}, "another command"),
])
def test_what_was_otherwise_is_said_in_words(earlier: dict[str, str], now: dict[str, str], words: str) -> None:
    assert difference(earlier, now) == words
