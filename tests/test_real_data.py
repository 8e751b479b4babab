"""What is true of real masks, and no error besides: they lie beside the checkout and are never part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from labelguard import scan
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec

UNDECLARED = LabelSpec()


@pytest.mark.parametrize(("masks", "images", "spec", "true"), [
    ("camvid/masks", "", LabelSpec(12), set()),
    ("camvid/masks", "", LabelSpec(11, 11), set()),
    ("camvid/masks", "", UNDECLARED, set()),
    ("camvid/masks", "camvid/images", LabelSpec(12), {"LG401"}),  # 31 of 367 images are there
    ("cityscapes/labelIds", "", LabelSpec(34), set()),
    ("cityscapes/labelIds", "", UNDECLARED, set()),
    ("cityscapes/labelIds", "", LabelSpec(19, 255), {"LG108"}),
    ("cityscapes/instanceIds", "", LabelSpec(34), {"LG111"}),
    ("cityscapes/instanceIds", "", UNDECLARED, set()),             # a warning
    ("voc_palette/masks", "voc_palette/images", LabelSpec(21, 255), set()),
    ("voc_palette/masks", "", UNDECLARED, set()),
    ("drive_smoothed/masks", "", LabelSpec(2), {"LG301"}),
    ("drive_smoothed/original_masks", "", LabelSpec(2), {"LG104"}),
    ("dsb2018_mixed", "", LabelSpec(2), {"LG005", "LG104"}),
    ("pets/masks", "pets/images", LabelSpec(3), set()),
    ("pets/masks", "", UNDECLARED, set()),
    ("polyp/masks", "polyp/images", LabelSpec(2), {"LG104"}),
    ("blast_jpeg/masks", "", UNDECLARED, {"LG002"}),
    ("grey_levels_per_file/png", "", UNDECLARED, set()),             # a warning: no table shows it
    ("grey_levels_per_file/jpg", "", UNDECLARED, {"LG002"}),
    ("tiff_labels", "", UNDECLARED, set()),
    ("pngsuite", "", UNDECLARED, {"LG001", "LG003", "LG005"}),     # 14 damaged files, and photographs of every type
])
def test_errors_of_real_sets_are_true(real_data: Path, masks: str, images: str, spec: LabelSpec, true: set[str]) -> None:
    report = scan(real_data / masks, spec=spec, images=real_data / images if images else None, jobs=1)
    assert {finding.code for finding in report.findings if finding.severity is Severity.ERROR} == true


def test_empty_masks_of_pets_are_the_seven_known(real_data: Path) -> None:
    found = {Path(finding.path or "").stem for finding in scan(real_data / "pets/masks", spec=LabelSpec(3), jobs=1).findings
             if finding.code == "LG201"}
    assert {name.split("_")[-1] for name in found} == {"254", "294", "714", "1065", "1379", "1441", "2073"}
