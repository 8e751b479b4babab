"""The report as a page: one file, nothing of it acts, whatever names hold; small, the same each time, and fit for a screen reader."""

from __future__ import annotations

import os
import re
from array import array
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import labelguard
from labelguard import Finding, Fix, ScanReport, Severity
from labelguard.facts.mask import Storage
from labelguard.files.not_decoded import NotDecodedError
from labelguard.report.html import exhibit, gallery
from labelguard.report.html import page as html_page
from labelguard.report.html.budget import Budget
from labelguard.report.html.mended import mended_ids
from tests.checks.scenes import scene, shifted
from tests.drawn import bands, folder, write_png
from tests.report.pages import Parsed

NASTY = ["<img src=x onerror=alert(1)>.png", "a\"b'c & d.png", "</script><script>alert(1)<!--.png", "new\nline.png", "{{ 7 * 7 }}.png"]
CLASSES = 5


@pytest.fixture(scope="module")
def wrapped(tmp_path_factory: pytest.TempPathFactory) -> ScanReport:
    """A set whose ids wrapped, with images for some."""
    root = tmp_path_factory.mktemp("wrapped")
    for number in range(3):
        write_png(root / "masks" / f"{number}.png", shifted(scene(range(1, CLASSES), seed=number), 1))
    write_png(root / "images" / "2.png", scene(range(1, CLASSES), seed=2) * 40)
    return labelguard.scan(root / "masks", images=root / "images", num_classes=CLASSES)


@pytest.fixture(scope="module")
def page(wrapped: ScanReport) -> Parsed:
    return Parsed(wrapped.to_html())


def test_it_is_one_file_that_loads_nothing_and_runs_only_its_own_script(page: Parsed) -> None:
    for _, attributes in page.elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes)
        assert attributes.get("src", "data:image/").startswith("data:image/") and attributes.get("href", "#").startswith(("#", "data:,"))
    policy = next(meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; img-src data:;") and "unsafe" not in policy
    for kind, text in page.inline.items():
        assert f"{kind}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert set(page.inline) == {"style", "script"} and "url(" not in page.inline["style"] and "@import" not in page.inline["style"]


def test_names_are_text_whatever_they_hold(tmp_path: Path) -> None:
    root = folder(tmp_path / "<b>masks", {name: bands(0, 1, 7) for name in NASTY})
    html = labelguard.scan(root, num_classes=2).to_html()
    parsed = Parsed(html)
    assert len(parsed.all("script")) == 1
    assert all(image["src"].startswith("data:image/") for image in parsed.all("img"))
    for name in NASTY:
        assert name.replace("\n", "\\n") in parsed.text
    assert "onerror=alert(1)>" not in html


def test_it_tells_what_the_text_report_tells(page: Parsed, wrapped: ScanReport) -> None:
    finding = wrapped.findings[0]
    assert finding.name == "uint8-wraparound" and finding.weighed
    for told in (finding.message, *finding.evidence, str(finding.fix), "3 masks read", f"{CLASSES} classes"):
        assert told in page.text
    assert wrapped.verdict is not None and wrapped.verdict.accounts[0].words in page.text
    assert "What it does" in page.text and "Why is this bad?" in page.text  # the manual
    assert "LG601 degenerate-box" in page.text and "no --boxes given" in page.text


def test_the_worst_file_is_shown_over_its_image_enlarged_and_as_the_command_would_leave_it(page: Parsed) -> None:
    alts = [image["alt"] for image in page.all("img")]
    assert all(alts) and all(int(image["width"]) > 0 and int(image["height"]) > 0 for image in page.all("img"))
    first, close, before, after, second, *_ = alts
    assert "over its image" in first and "255 outlined" in first and "over its image" not in second
    assert close.startswith("The 9 x 9 pixels around row") and before.startswith("Before: ") and after.startswith("After: ")


def test_a_mask_of_one_id_has_nothing_to_be_enlarged(tmp_path: Path) -> None:
    root = folder(tmp_path / "masks", {"empty.png": bands(0), **{f"{i}.png": bands(0, 1) for i in range(20)}})
    alts = [image["alt"] for image in Parsed(labelguard.scan(root, num_classes=2).to_html()).all("img")]
    assert len(alts) == 1 and "outlined" not in alts[0]


def test_no_more_files_are_shown_than_a_reader_looks_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = labelguard.scan(folder(tmp_path / "masks", {f"{i}.png": bands(0, 1, 7 + i) for i in range(5)}), num_classes=2, select="LG101")

    def shown() -> int:
        return sum("outlined" in image["alt"] for image in Parsed(report.to_html()).all("img"))

    assert shown() > 2
    monkeypatch.setattr(gallery, "_MOST", 2)
    assert shown() == 2


def test_a_screen_reader_finds_its_way(page: Parsed) -> None:
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in page.elements:
        assert attributes.get("aria-labelledby", ids[0]) in ids
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in ids
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1 and all(after <= before + 1 for before, after in pairwise(levels))
    assert all(head.get("scope") in ("col", "row", "colgroup") for head in page.all("th"))
    assert all(svg.get("aria-hidden") == "true" for svg in page.all("svg"))


def test_the_same_report_makes_the_same_page(wrapped: ScanReport) -> None:
    assert wrapped.to_html() == wrapped.to_html()


def test_files_that_changed_or_went_are_told_and_not_shown(tmp_path: Path) -> None:
    root = folder(tmp_path / "masks", {f"{name}.png": bands(0, 1, 7) for name in "abc"})
    report = labelguard.scan(root, num_classes=2)
    write_png(root / "a.png", bands(7, 0, 1)[::-1].repeat(2, axis=0)[5:45])  # of the same ids and size
    os.remove(root / "b.png")
    (root / "c.png").write_bytes(b"no image any more")
    text = Parsed(report.to_html()).text
    assert "This file has changed since it was scanned" in text and text.count("This file cannot be read any more: ") == 2


def test_a_file_that_was_not_decoded_is_not_said_to_have_gone(wrapped: ScanReport, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise NotDecodedError(Storage("tiff", "grey", 8, "u"), (40, 30), "uint8")

    monkeypatch.setattr(exhibit, "read", refuse)
    parsed = Parsed(wrapped.to_html())
    assert not parsed.all("img") and "any more" not in parsed.text.partition("What happened")[0]


def test_no_file_ends_a_report_for_lack_of_memory(wrapped: ScanReport, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(exhibit, "mask_picture", refuse)
    assert "there is too little memory for its pictures" in Parsed(wrapped.to_html()).text


def test_colors_are_shown_as_they_are_stored(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (40, 30, 3), np.uint8)
    root = folder(tmp_path / "masks", {"a.png": noise, "b.png": noise[::-1].copy()})
    parsed = Parsed(labelguard.scan(root, num_classes=2).to_html())
    assert any(image["alt"].startswith("The mask as it is stored") for image in parsed.all("img"))


def test_splits_stand_side_by_side(tmp_path: Path) -> None:
    train = folder(tmp_path / "train", {f"{i}.png": bands(0, 1, height=40 + i) for i in range(4)})
    val = folder(tmp_path / "val", {f"{i}.png": bands(0, 1, 7, height=50 + i) for i in range(4)})
    parsed = Parsed(labelguard.scan_splits({"train": train, "val": val}, num_classes=2).to_html())
    heads = [attributes.get("colspan") for attributes in parsed.all("th") if attributes["scope"] == "colgroup"]
    assert len(heads) == 2 and "val/0.png" in parsed.text and "train/0.png" not in parsed.text


def test_what_is_accepted_or_known_stands_aside_and_says_why(wrapped: ScanReport) -> None:
    first, *others = wrapped.findings
    parsed = Parsed(replace(wrapped, findings=(replace(first, accepted="nobody uses <them>"), *others)).to_html())
    aside = [article["data-code"] for article in parsed.all("article") if "aside" in article["class"].split()]
    assert aside == [f"{first.code} {first.name}"] and "accepted: nobody uses <them>" in parsed.text
    known = Parsed(replace(wrapped, findings=tuple(replace(finding, known=True) for finding in wrapped.findings)).to_html())
    assert "No findings but 2 known" in known.text and all("aside" in article["class"] for article in known.all("article"))


def test_files_of_a_split_are_told_as_if_it_were_alone(tmp_path: Path) -> None:
    train = folder(tmp_path / "train", {f"{i}.png": bands(0, 1, height=40 + i) for i in range(4)})
    val = folder(tmp_path / "val", {f"{i}.png": bands(0, 1, 5 + i, height=50 + i) for i in range(4)} | {"good.png": bands(0, 1)})
    report = labelguard.scan_splits({"train": train, "val": val}, num_classes=2, select="LG101")
    text = Parsed(report.to_html()).text
    assert "4 ids in 4 of 5 files" in text and "In 4 of 5 files" in text and "val/3.png" in text


@pytest.mark.parametrize(("options", "becomes"), [
    (("--shift", "1", "--num-classes", "9"), {3: 4, 5: 6}), (("--merge", "3,5:0"), {3: 0, 5: 0}),
    (("--include", "a", "--shift", "1"), {}), (("--shift", "1", "--num-classes", "6"), {}), (("--shift",), {}), ((), {})])
def test_what_a_command_makes_of_ids_is_shown_only_where_it_says_all_of_it(wrapped: ScanReport, options: tuple[str, ...],
                                                                           becomes: dict[int, int]) -> None:
    record = wrapped.data.records[0]._replace(ids=(3, 5), num_pixels=array("q", (1, 1)))
    finding = Finding("LG101", "out-of-range", Severity.ERROR, "", fix=Fix.command("labelguard", "remap", "masks", *options))
    assert wrapped.verdict is not None and wrapped.verdict.mendable  # which is of no account here
    assert mended_ids(finding, wrapped.mask_set(), record) == becomes
    assert mended_ids(replace(finding, fix=Fix.command("labelguard", "scan", "masks", *options)), wrapped.mask_set(), record) == {}


def test_what_a_verdict_moves_in_a_part_is_left_alone_in_the_other(tmp_path: Path) -> None:
    for number in range(12):
        labels = scene(range(1, CLASSES), seed=number)
        for part, stored in (("a", shifted(labels, 1)), ("b", labels)):
            write_png(tmp_path / part / f"{number}.png", stored)
    report = labelguard.scan(tmp_path, num_classes=CLASSES)
    finding = next(finding for finding in report.findings if finding.weighed and finding.fix.commands)
    moved = {record.path[0]: mended_ids(finding, report.mask_set(), record) for record in report.data.records}
    assert moved == {"a": {255: 0, 0: 1, 1: 2, 2: 3, 3: 4}, "b": {}}


def test_a_clean_set_says_so(tmp_path: Path) -> None:
    root = folder(tmp_path / "masks", {"a.png": bands(0, 1)})
    assert "Clean: no findings." in Parsed(labelguard.scan(root, num_classes=2).to_html()).text


# --- size ---------------------------------------------------------------------------------------------------------------------------------

LONG = "x" * 190
CROWDS = {
    "many files": [Finding("LG101", "out-of-range", Severity.ERROR, f"Something <is> wrong, {number}.", path=f"{LONG}&{number}.png",
                           pixels=number, fix=Fix.command("labelguard", str(number))) for number in range(9_000)],
    "long texts": [Finding("LG101", "out-of-range", Severity.ERROR, f"{number} " + "<&>" * 9_000, evidence=("<" * 9_000,) * 90,
                           files=[f"{file}{LONG}" for file in range(30)]) for number in range(300)],
}


@pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
def test_however_much_was_found_the_page_is_small_and_says_what_is_left_out(wrapped: ScanReport, crowd: list[Finding]) -> None:
    html = replace(wrapped, findings=tuple(crowd)).to_html()
    assert 500_000 < len(html.encode()) < html_page._FINDINGS + html_page._PICTURES + 300_000 < 5_000_000
    assert re.search(r"and [0-9,]+ more files; --format json has everything|[0-9,]+ more findings are not shown", html)


def test_a_budget_is_used_up_to_its_last_byte() -> None:
    budget = Budget(10)
    assert not budget.takes("a", bytes_=10) and budget.takes("<é", bytes_=4) and budget.left == 0
    assert not budget.takes("a", bytes_=0) and budget.takes("", bytes_=0)


# --- what is seen -------------------------------------------------------------------------------------------------------------------------

def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colors (WCAG 2.2, relative luminance)."""
    lights = []
    for color in (one, other):
        shares = [int(color[at:at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_every_color_of_text_can_be_read_on_every_ground(page: Parsed) -> None:
    schemes = re.findall(r":root \{(.*?)\}", page.inline["style"], re.DOTALL)[:2]
    assert len(schemes) == 2
    for scheme in schemes:
        colors = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", scheme))
        assert {"text", "quiet", "link", "error", "warning", "note", "clean", "page", "card", "sunk"} <= set(colors)
        for text in ("text", "quiet", "link", "error", "warning", "note", "clean"):
            for ground in ("page", "card", "sunk"):
                assert contrast(colors[text], colors[ground]) >= 4.5, (text, ground)
    assert contrast("#000000", "#ffffff") == pytest.approx(21) and contrast("#777777", "#ffffff") < 4.5
