"""labelguard show: the picture in a file, what is printed beside it, and what is refused."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image

import labelguard
from labelguard.cli import main
from labelguard.files import whole_file
from labelguard.pictures.class_colors import ClassColors
from tests.drawn import bands, folder, write_png

SPEC = ["--num-classes", "3", "--ignore-index", "255"]


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    odd = bands(0, 1, 2)
    odd[5, 7] = 9
    folder(tmp_path / "masks", {"a_mask.png": bands(0, 1, 2, 255), "b_mask.png": bands(0, 1), "odd.png": odd})
    folder(tmp_path / "images", {"a.png": np.full((40, 30), 100, np.uint8), "b.png": np.full((40, 30), 200, np.uint8)})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def show(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["show", *arguments])
    assert result.exit_code == code, result.output
    return result


def colors_of(path: str) -> set[tuple[int, ...]]:
    return set(map(tuple, np.asarray(Image.open(path).convert("RGB")).reshape(-1, 3).tolist()))


def test_ids_names_pixels_and_what_is_wrong_are_printed() -> None:
    lines = show("masks/odd.png", *SPEC).stdout.splitlines()
    assert lines[:3] == ["masks/odd.png: 40 x 30 pixels, png, 8-bit grey", "ids:      0-2 and 9", "declared: 3 classes, 255 ignored "
                         "(--num-classes, --ignore-index)"]
    assert " 9  no class       1  0.08 %" in lines
    assert "5:   0   0   0   0   9   0   0   0   0" in lines
    assert "error LG101 out-of-range" in lines and "1 error, 0 warnings, 0 notes." in lines
    assert lines[-1] == "No picture: standard output does not show any; '--output PICTURE.png' writes one."


def test_a_mask_without_faults_is_called_clean_and_what_one_file_lacks_is_none() -> None:
    assert "Clean: no findings." in show("masks/a_mask.png", *SPEC).stdout
    assert "absent-class" not in show("masks/b_mask.png", *SPEC).stdout


def test_a_picture_is_written_and_only_such_a_picture_is_replaced(inside: Path) -> None:
    first = show("masks/odd.png", *SPEC, "--output", "shown.png")
    assert first.stdout.endswith("Picture: shown.png\n") and not first.stderr
    written = (inside / "shown.png").read_bytes()
    assert {*map(ClassColors(labelguard.LabelSpec(3, ignore_index=255)).of, (0, 1, 2, 9))} <= colors_of("shown.png")
    show("masks/odd.png", *SPEC, "--output", "shown.png")
    assert (inside / "shown.png").read_bytes() == written
    show("masks/b_mask.png", *SPEC, "--output", "shown.png")
    assert (inside / "shown.png").read_bytes() != written


@pytest.mark.parametrize("content", [b"", b"text", "mask"])
def test_what_show_has_not_written_is_not_replaced(inside: Path, content: bytes | str) -> None:
    target = inside / "mine.png"
    target.write_bytes((inside / "masks" / "odd.png").read_bytes() if isinstance(content, str) else content)
    before = target.read_bytes()
    assert "'mine.png' exists, and 'labelguard show' has not written it" in show("masks/odd.png", "--output", "mine.png", code=2).stderr
    (inside / "link.png").symlink_to("mine.png")
    show("masks/odd.png", "--output", "link.png", code=2)
    show("masks/odd.png", "--output", "masks/odd.png", code=2)
    assert target.read_bytes() == before


@pytest.mark.parametrize(("name", "code", "words"), [
    ("picture.jpg", 2, "does not end in .png"), ("picture", 2, "does not end in .png"), ("nowhere/a.png", 3, "there is no folder"),
    ("folder.png", 2, "has not written it"), ("link.png", 2, "does not end in .png")])
def test_other_names_are_refused_before_anything_is_done(inside: Path, name: str, code: int, words: str) -> None:
    (inside / "folder.png").mkdir()
    (inside / "link.png").symlink_to("notes.txt")  # which is not there
    assert words in show("masks/odd.png", "--output", name, code=code).stderr


def test_what_appears_meanwhile_is_left_alone_and_a_full_disk_leaves_nothing(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def appears(handle: int) -> None:
        (inside / "shown.png").write_bytes(b"somebody's")

    with monkeypatch.context() as patched:
        patched.setattr(whole_file.os, "fsync", appears)
        assert "something else has been put there meanwhile" in show("masks/odd.png", "--output", "shown.png", code=3).stderr
    assert (inside / "shown.png").read_bytes() == b"somebody's"
    with monkeypatch.context() as patched:
        patched.setattr(whole_file.os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        assert "no space left on device" in show("masks/odd.png", "--output", "other.png", code=3).stderr
    assert sorted(path.name for path in inside.glob("*.png")) == ["shown.png"]


def test_a_picture_beside_the_mask_is_remarked_upon() -> None:
    assert "lies beside the mask" in show("masks/odd.png", "--output", "masks/shown.png").stderr


@pytest.mark.parametrize("image", ["images/b.png", "images"])
def test_the_image_is_named_or_found_by_the_name_of_the_mask(image: str) -> None:
    assert "image:    images/b.png: 40 x 30\n" in show("masks/b_mask.png", *SPEC, "--image", image).stdout


def test_an_image_that_cannot_be_shown_is_told(inside: Path) -> None:
    write_png(inside / "wide.png", np.zeros((10, 90), np.uint8))
    assert "its proportions differ, so it is not shown" in show("masks/odd.png", "--image", "wide.png").stdout
    assert "No image in 'images' belongs to 'masks/odd.png'" in show("masks/odd.png", "--image", "images", code=2).stderr
    assert "The image 'none.png' does not exist" in show("masks/odd.png", "--image", "none.png", code=3).stderr
    (inside / "damaged.png").write_bytes((inside / "wide.png").read_bytes()[:-20])
    assert "The image 'damaged.png' cannot be shown: it " in show("masks/odd.png", "--image", "damaged.png", code=3).stderr


def test_what_is_no_mask_is_told_in_a_sentence(inside: Path) -> None:
    Image.fromarray(np.arange(300, dtype=np.uint8).reshape(10, 10, 3)).save("colors.png")
    Path("notes.txt").write_text("no mask")
    Path("empty.png").write_bytes(b"")
    assert "'colors.png' cannot be shown: it holds colors where label ids should be" in show("colors.png", code=3).stderr
    for name in ("notes.txt", "empty.png"):
        assert f"'{name}' cannot be shown: it " in show(name, code=3).stderr
    assert "'masks' is a folder: name one mask in it" in show("masks", code=2).stderr
    assert "'none.png' does not exist" in show("none.png", code=3).stderr
    os.mkfifo("pipe.png")
    assert "pipe.png" in show("pipe.png", code=3).stderr


@pytest.mark.parametrize(("options", "words"), [
    (["--at", "40,0"], "it must be a row from 0 to 39"), (["--at", "5"], "is no place"), (["--at", "-1,3"], "is no place"),
    (["--ids", "many"], "names no ids"), (["--ids", "3-1"], "is not a range")])
def test_places_and_ids_that_make_no_sense_are_refused(options: list[str], words: str) -> None:
    assert words in show("masks/odd.png", *options, code=2).stderr


def test_what_is_asked_for_is_outlined_and_enlarged() -> None:
    chosen = show("masks/odd.png", *SPEC, "--ids", "2,77", "--at", "39,29").stdout
    assert "Not in this mask: 77." in chosen and "39:   2   2   2   2   2   2   2   2   2" in chosen
    assert "\n27:  1  1  1  1  1  1  1  1  1\n28:  2  2" in show("masks/odd.png", *SPEC, "--ids", "2").stdout


def test_names_are_shown_so_that_they_cannot_act(inside: Path) -> None:
    evil = "<img src=x>\x1b[31m\n'.png"
    write_png(inside / evil, bands(0, 1))
    printed = show(evil, "--output", "shown.png").stdout
    assert "\x1b" not in printed and printed.startswith("<img src=x>\\x1b[31m\\n'.png: 40 x 30")
    html = labelguard.show(evil)._repr_html_()
    assert "<img src=x>" not in html and "&lt;img src=x&gt;" in html


def test_in_python_it_is_a_value(inside: Path) -> None:
    report = labelguard.show("masks/odd.png", num_classes=3)
    assert repr(report) == "ShowReport(masks/odd.png: 40 x 30 pixels, png, 8-bit grey)" and report.ids == (9,) and report.at == (5, 7)
    assert str(report) == "\n".join(show("masks/odd.png", "--num-classes", "3").stdout.splitlines()[:-1]).replace(" (--num-classes)", "")
    report.save("saved.png")
    with pytest.raises(labelguard.UsageError, match="does not end in .png"):
        report.save("saved.webp")
    assert np.asarray(Image.open(BytesIO(report.picture(40).png()))).shape == (40, 30)


def test_masks_of_a_loader_are_shown_too() -> None:
    labels = np.array([[0, 1], [2, 9]], np.int64)
    for given in (labels, labelguard.Mask(labels), Image.fromarray(labels.astype(np.uint8))):
        report = labelguard.show(given, num_classes=3, image=np.zeros((2, 2, 3)))
        assert report.ids == (9,) and report.at == (1, 1) and "no class" in str(report) and report.picture().photograph
    with pytest.raises(labelguard.UsageError, match="no file name to find its image by"):
        labelguard.show(labels, image="images")
    with pytest.raises(labelguard.UsageError, match="must be"):
        labelguard.show(labels, image=np.array(["a"]))
    with pytest.raises(TypeError, match="A mask must be"):
        labelguard.show([[0, 1]])


def test_notebooks_show_masks_and_findings() -> None:
    html = labelguard.read("masks/odd.png")._repr_html_() or ""
    assert html.count("<img ") == 1 and "masks/odd.png: 40 x 30 pixels" in html
    assert labelguard.Mask(np.zeros((0, 4), np.uint8))._repr_html_() is None
    finding, = labelguard.scan("masks/odd.png", num_classes=3, select="LG101").findings
    assert finding._repr_html_().startswith("<div><strong>error LG101 out-of-range</strong><div>odd.png: Id 9")
    odd = labelguard.Finding("X", "x", labelguard.Severity.NOTE, "<b>", "<b>", evidence=("<b>",), fix=labelguard.Fix.command("<b>"))
    assert "<b>" not in odd._repr_html_() and odd._repr_html_().count("&lt;b&gt;") == 4
