"""Which masks are looked at once more, and what a scan says of scrambled rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labelguard import read, scan
from labelguard.facts.row_order import RowOrder, Scrambled
from labelguard.files import second_look
from labelguard.spec.labelspec import LabelSpec
from tests.drawn import folder
from tests.facts.test_cut_off import posts
from tests.facts.test_row_order import by_columns, by_rows, exchanged, scene


@pytest.mark.parametrize("bad", [(7,), (0, 3, 6, 9), range(12)])
def test_a_scan_names_the_scrambled_ones(tmp_path: Path, bad: tuple[int, ...]) -> None:
    masks = {f"{seed:02}.png": (by_columns if seed in bad else np.asarray)(scene((64, 96), seed)) for seed in range(12)}
    finding, = (each for each in scan(folder(tmp_path, masks), spec=LabelSpec(9)).findings if each.code == "LG301")
    assert finding.files == tuple(f"{seed:02}.png" for seed in bad) and "scrambled" in finding.message
    assert "stored column by column and read row by row" in finding.message


@pytest.mark.parametrize(("fault", "mend"), [
    (by_columns, "mask.reshape(mask.shape[::-1]).T"), (by_rows, "mask.T.reshape(mask.shape)"),
    (exchanged, "mask.reshape(mask.shape[::-1])")])
def test_what_is_printed_puts_the_pixels_back(tmp_path: Path, fault: object, mend: str) -> None:
    labels = scene((64, 96), 0)
    finding, = (each for each in scan(folder(tmp_path, {"a.png": fault(labels)}), spec=LabelSpec(9)).findings if each.code == "LG301")
    assert mend in str(finding.fix)
    assert np.array_equal(eval(mend, {"mask": read(tmp_path / "a.png").labels}), labels)


def test_scrambled_masks_are_not_called_smoothed_and_others_may_be(tmp_path: Path) -> None:
    from PIL import Image
    large = {f"{seed}.png": np.kron(scene((48, 80), seed), np.ones((2, 2), np.uint8)) for seed in range(6)}
    masks = {name: by_columns(labels) for name, labels in large.items()}
    smooth = {f"s{name}": np.asarray(Image.fromarray(labels * 9).resize((100, 61), Image.Resampling.BILINEAR))
              for name, labels in large.items()}
    found = [each for each in scan(folder(tmp_path, masks | smooth)).findings if each.code == "LG301"]
    assert sorted(("scrambled" in each.message, tuple(each.files)) for each in found) == [(False, tuple(smooth)), (True, tuple(masks))]


def test_of_a_large_set_only_some_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "_PIXELS", 4 * 64 * 96)
    seen: list[str] = []
    monkeypatch.setattr(second_look, "read", lambda path: seen.append(str(path)) or read(path))
    healthy = {f"{seed:02}.png": scene((64, 96), seed) for seed in range(12)}
    scan(folder(tmp_path / "healthy", healthy))
    assert 1 <= len(seen) <= 8
    seen.clear()
    scan(folder(tmp_path / "bad", {name: by_columns(labels) for name, labels in healthy.items()}))
    assert len(seen) == 12


def test_masks_of_one_id_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "read", None)
    assert scan(folder(tmp_path, {"a.png": np.full((60, 90), 3, np.uint8)})).complete


def test_a_mask_that_has_gone_is_no_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "read", lambda path: read(f"{path}.gone"))
    assert not [each for each in scan(folder(tmp_path, {"a.png": by_columns(scene((64, 96), 0))})).findings if each.code == "LG301"]


@pytest.mark.parametrize(("look_so", "found"), [(2, False), (3, True)])
def test_a_few_masks_look_scrambled_by_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look_so: int, found: bool) -> None:
    orders = iter([RowOrder(Scrambled.SURELY, True)] * look_so + [RowOrder(Scrambled.NO, True)] * 12)
    monkeypatch.setattr(second_look, "row_order", lambda _: next(orders))
    masks = folder(tmp_path, {f"{number:02}.png": scene((64, 96), 1) for number in range(12)})
    assert any(each.code == "LG301" for each in scan(masks, spec=LabelSpec(9)).findings) is found


@pytest.mark.parametrize(("files", "look_so", "found"), [(4, 1, False), (4, 2, True), (1, 1, True)])
def test_one_mask_of_several_may_look_scrambled_by_chance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, look_so: int,
                                                          found: bool) -> None:
    orders = iter([RowOrder(Scrambled.SURELY, True)] * look_so + [RowOrder(Scrambled.NO, True)] * files)
    monkeypatch.setattr(second_look, "row_order", lambda _: next(orders))
    masks = folder(tmp_path, {f"{number:02}.png": scene((64, 96), 1) for number in range(files)})
    assert any(each.code == "LG301" for each in scan(masks, spec=LabelSpec(9)).findings) is found


def test_a_fault_in_every_third_mask_is_not_missed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "_PIXELS", 12 * 60 * 100)
    masks = {f"{seed:02}.png": posts(left=3, right=3) if seed % 3 == 1 else scene((60, 100), seed) for seed in range(36)}
    finding, = scan(folder(tmp_path, masks), select="LG308").findings
    assert len(finding.files) == 12
