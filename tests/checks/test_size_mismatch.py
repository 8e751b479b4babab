"""LG302: masks and images of different sizes, and which kind of difference it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import labelguard
from labelguard.checks import exif_orientation, transposed
from labelguard.checks import size_mismatch as check
from labelguard.cli import main
from labelguard.facts.image import fit
from tests.checks.paired import photo, said_of, sized, turned
from tests.checks.scenes import on_dataset, saved

CHECKS = (check, exif_orientation, transposed)


@pytest.mark.parametrize(("mask", "image", "words"), [
    ((20, 30), (40, 60), "the same proportions at 0.5 times the size"),
    ((120, 180), (40, 60), "the same proportions at 3 times the size"),
    ((37, 51), (375, 511), "the same proportions at 0.0998 times the size"),
    ((98, 200), (100, 198), "2 rows too few and 2 columns too many, a margin or a crop rather than another scale"),
    ((101, 200), (100, 200), "1 row too many, a margin or a crop rather than another scale"),
    ((40, 90), (40, 60), "their proportions differ, so one of them was cropped, or belongs to another"),
    ((30, 20), (40, 60), "their proportions differ, so one of them was cropped, or belongs to another"),
])
def test_kinds_are_told_apart(mask: tuple[int, int], image: tuple[int, int], words: str) -> None:
    finding, = said_of(check, {"a": (sized(*mask), photo(*image)), "b": (sized(*image), photo(*image))}, pixels=False)
    assert finding.path == "a.png" and finding.evidence[0] == "image: a.jpg"
    assert finding.message == (f"The mask is {mask[0]} x {mask[1]}, its image {image[0]} x {image[1]} (height x width): {words}.")


def test_a_scaled_mask_is_mended_by_a_command_and_a_margin_is_not_resized() -> None:
    scaled, = said_of(check, {"my mask": (sized(20, 30), photo(40, 60)), "b": (sized(41, 50), photo(41, 50))})
    assert str(scaled.fix) == "labelguard resize masks --include '/my\\ mask.png' --height 40 --width 60"
    findings = said_of(check, {"a": (sized(20, 30), photo()), "b": (sized(80, 120), photo()), "c": (sized(40, 60), photo())})
    assert [str(finding.fix) for finding in findings] == ["labelguard resize masks --height 40 --width 60"] * 2  # once for all
    margin, = said_of(check, {"a": (sized(98, 98), photo(100, 100))})
    assert "do not resize" in str(margin.fix)


def test_masks_for_images_of_two_sizes_are_resized_one_after_the_other_and_the_rest_stays(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sizes = {"a/0": ((20, 30), (40, 60)), "a/1": ((20, 30), (40, 60)), "b/0": ((10, 10), (30, 30)), "c/0": ((12, 14), (12, 14))}
    for name, (mask, image) in sizes.items():
        for folder, content in (("masks", saved(Image.fromarray(sized(*mask)))), ("images", saved(Image.fromarray(photo(*image))))):
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, f"{name}.png").write_bytes(content)
    commands = {finding.fix.commands for finding in labelguard.scan("masks", images="images", select="LG302").findings}
    for _, *words in commands.pop():
        assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    assert not commands
    for name, (_, image) in sizes.items():
        assert labelguard.read(f"masks-resized-resized/{name}.png").labels.shape == image
    untouched = "c/0.png"
    assert Path("masks-resized-resized", untouched).read_bytes() == Path("masks", untouched).read_bytes()


def test_exif_is_mentioned_where_neither_view_fits() -> None:
    finding, = said_of(check, {"a": (sized(30, 20), turned(6))})
    assert "orientation 6" in finding.evidence[1] and "0.5 times" in finding.message


def test_it_leaves_alone() -> None:
    assert on_dataset(check, [sized(4, 6)]) == []
    assert said_of(check, {"a": (sized(40, 60), photo()), "b": (sized(9, 9), None)}) == []
    assert said_of(check, {"a": (sized(60, 40), photo())}) == []       # LG304
    assert said_of(check, {"a": (sized(60, 40), turned(6))}) == []     # LG303


SIDES = st.tuples(st.integers(4, 70), st.integers(4, 70))


@given(SIDES, SIDES, st.integers(1, 8))
def test_every_difference_is_one_kind(mask: tuple[int, int], image: tuple[int, int], orientation: int) -> None:
    views = {image, image[::-1] if orientation >= 5 else image}
    kind = fit(mask, image, orientation)
    assert (kind in ("equal", "either", "stored", "displayed")) == (mask in views)
    assert (kind == "transposed") == (mask == image[::-1] and mask not in views)
    assert (kind == "equal") == (mask == image and orientation == 1)


@given(SIDES, st.integers(2, 9))
def test_whole_factors_are_scales(image: tuple[int, int], factor: int) -> None:
    assert fit((image[0] * factor, image[1] * factor), image) == "scaled"
    assert fit(image, (image[0] * factor, image[1] * factor)) in ("scaled", "transposed")
