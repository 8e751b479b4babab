"""A remap of a part of a set writes the whole set: what is meant is changed, the rest copied byte for byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import labelguard
from labelguard.cli import main
from labelguard.errors import IncompleteError
from labelguard.files.receipt import read_receipt
from tests.drawn import folder


@pytest.fixture
def masks(tmp_path: Path) -> Path:
    """Two folders, of which b counts from 1, a damaged file and one of colors."""
    labels = np.arange(12, dtype=np.uint8).repeat(9).reshape(12, 9) % 3
    source = folder(tmp_path / "masks", {"a/0.png": labels, "a/1.png": labels[::-1], "b/0.png": labels + 1, "b/1.png": labels[::-1] + 1})
    (source / "a" / "damaged.png").write_bytes((source / "a" / "0.png").read_bytes()[:-9])
    return source


def ids(path: Path) -> list[int]:
    return np.unique(labelguard.read(path).labels).tolist()


def test_the_part_is_changed_and_the_rest_is_the_same_bytes(masks: Path) -> None:
    report = labelguard.remap(masks, shift=-1, num_classes=3, include="b/")
    out = masks.with_name("masks-remapped")
    assert (len(report.written), report.copied, report.exit_code()) == (5, 3, 0)
    assert report.moves == {1: 0, 2: 1, 3: 2} and "3 other files copied" in str(report)
    assert ids(out / "b" / "0.png") == [0, 1, 2]
    for name in ("a/0.png", "a/1.png", "a/damaged.png"):
        assert (out / name).read_bytes() == (masks / name).read_bytes()
    assert labelguard.scan(out, num_classes=3, exclude="damaged.png").findings == ()


def test_the_receipt_says_what_was_changed(masks: Path) -> None:
    labelguard.remap(masks, shift=-1, num_classes=3, include="b/")
    receipt = read_receipt(masks.with_name("masks-remapped"))
    assert receipt is not None
    written = receipt.written()
    assert written["a/0.png"].digest == written["a/0.png"].source_digest and written["a/0.png"].before == written["a/0.png"].after
    assert written["b/0.png"].digest != written["b/0.png"].source_digest and written["a/damaged.png"].before == {}


def test_a_selection_of_all_leaves_the_receipt_as_it_is(masks: Path, tmp_path: Path) -> None:
    (masks / "a" / "damaged.png").unlink()
    labelguard.remap(masks, tmp_path / "one", shift=1, num_classes=5, include="*.png")
    labelguard.remap(masks, tmp_path / "other", shift=1, num_classes=5)
    one, other = ((tmp_path / name / "labelguard-receipt.json").read_bytes() for name in ("one", "other"))
    assert one == other and b'"part"' not in one


def test_the_class_count_is_inferred_from_the_part(masks: Path) -> None:
    report = labelguard.remap(masks, shift=-1, exclude="a/")
    assert report.spec.num_classes == 3 and report.copied == 3


def test_a_dry_run_counts_the_part(masks: Path) -> None:
    report = labelguard.remap(masks, shift=-1, num_classes=3, include="b/0.png", dry_run=True)
    assert sum(report.before.values()) == 108 and report.refused == () and not masks.with_name("masks-remapped").exists()


def test_another_part_is_not_the_same_work(masks: Path, tmp_path: Path) -> None:
    """Also where the words agree and the list does not."""
    (tmp_path / "list").write_text("b/0.png\n")
    labelguard.remap(masks, shift=-1, num_classes=3, files_from=tmp_path / "list")
    (tmp_path / "list").write_text("b/0.png\nb/1.png\n")
    with pytest.raises(IncompleteError):
        labelguard.remap(masks, shift=-1, num_classes=3, files_from=tmp_path / "list", resume=True)
    labelguard.remap(masks, tmp_path / "new", shift=-1, num_classes=3, files_from=tmp_path / "list")
    assert labelguard.remap(masks, tmp_path / "new", shift=-1, num_classes=3, files_from=tmp_path / "list", resume=True).copied == 3


def test_masks_may_be_told_by_the_ids_that_they_hold(masks: Path) -> None:
    report = labelguard.remap(masks, holding=3, merge={3: 0}, num_classes=3)
    assert (report.copied, report.exit_code()) == (3, 0) and ids(masks.with_name("masks-remapped") / "b" / "0.png") == [0, 1, 2]
    receipt = (masks.with_name("masks-remapped") / "labelguard-receipt.json").read_text()
    assert "--holding 3" in receipt


def test_the_class_count_is_inferred_from_the_masks_that_hold_an_id(masks: Path) -> None:
    assert labelguard.remap(masks, holding=3, shift=-1).spec.num_classes == 3


def test_ids_that_no_mask_holds_are_refused(masks: Path) -> None:
    with pytest.raises(IncompleteError, match="selected by --holding 7,8"):
        labelguard.remap(masks, holding=(7, 8), shift=-1, num_classes=3)


def test_the_command_takes_ranges_of_ids(masks: Path) -> None:
    done = CliRunner().invoke(main, ["remap", str(masks), "--holding", "3-5,9", "--shift", "-1", "--dry-run"])
    assert done.exit_code == 0 and "the result has 3 classes" in done.output, done.output
