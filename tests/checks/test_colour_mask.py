"""LG003: colors where ids should be."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from labelguard import read_classes, read_preset, scan
from labelguard.checks import colour_mask as check
from labelguard.cli.commands import main
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import Colors, MaskFacts
from labelguard.files.mask import facts_of
from labelguard.finding import Fix
from labelguard.spec.labelspec import LabelSpec
from tests.checks.scenes import mask, on_mask, png, saved, scene

TABLE = ((0, 0, 0), (128, 0, 0), (0, 128, 0))
SPEC = LabelSpec(3, colors=TABLE)


def painted(table: tuple[tuple[int, ...], ...] = TABLE) -> bytes:
    return saved(Image.fromarray(np.array(table, "uint8")[mask("0 0 1 / 0 2 2")]))


def test_it_counts_the_colors_and_names_the_frequent_ones() -> None:
    finding, = on_mask(check, facts_of(painted()))
    assert finding.message == "Holds 3 colors in RGB channels instead of one id per pixel."
    assert finding.pixels == 6
    assert finding.evidence[0].startswith("most frequent: (0, 0, 0) on 50 %, (0, 128, 0) on 33 %")


def test_declared_colors_are_recognised() -> None:
    finding, = on_mask(check, facts_of(painted()), SPEC)
    assert finding.evidence[-1] == "all frequent colors are declared ones"


def test_swapped_channels_are_recognised() -> None:
    finding, = on_mask(check, facts_of(painted(tuple(color[::-1] for color in TABLE))), SPEC)
    assert finding.evidence[-1] == "the colors match the declared ones once red and blue are swapped"


def test_colors_nobody_declared_are_listed() -> None:
    finding, = on_mask(check, facts_of(painted(((0, 0, 0), (128, 0, 0), (9, 9, 8)))), SPEC)
    assert finding.evidence[-1] == "not among the declared colors: (9, 9, 8)"


def test_one_channel_that_varies_may_hold_the_ids() -> None:
    finding, = on_mask(check, facts_of(painted(((0, 5, 7), (1, 5, 7), (2, 5, 7)))))
    assert "only the red channel varies: it may hold the ids" in finding.evidence


def test_alpha_is_no_color() -> None:
    finding, = on_mask(check, facts_of(painted(tuple((*color, 255) for color in TABLE))), SPEC)
    assert finding.message.startswith("Holds 3 colors in RGBA channels")
    assert finding.evidence[-1] == "all frequent colors are declared ones"


def test_thousands_of_colors_are_a_photograph() -> None:
    finding, = on_mask(check, MaskFacts((100, 100), "uint8", stored=Storage("png", "rgb"), colors=Colors(False, 5000)))
    assert finding.message.startswith("Holds 5,000 different colors: a photograph")


def test_colors_that_never_lay_on_disk() -> None:
    finding, = on_mask(check, MaskFacts((1, 2), "uint8", colors=Colors(False, 2, (((1, 2, 3), 1), ((4, 5, 6), 1)))))
    assert finding.message.startswith("Holds 2 colors in RGB channels")


@pytest.mark.parametrize("content", [
    png(scene([1, 2])),
    saved(Image.fromarray(scene([1, 2])).convert("RGB")),    # LG004
    saved(Image.fromarray(scene([1, 2])).convert("LA")),     # LG005
    saved(Image.fromarray(scene([1, 2])).convert("P")),
])
def test_it_leaves_alone(content: bytes) -> None:
    assert on_mask(check, facts_of(content), SPEC) == []


def test_a_palette_is_no_color() -> None:
    image = Image.fromarray(scene([1, 2]))
    image.putpalette([value for color in TABLE for value in color])
    assert on_mask(check, facts_of(saved(image))) == []


@pytest.mark.parametrize(("distinct", "words"), [(4096, "Holds 4,096 colors"), (4097, "Holds 4,097 different colors: a photograph")])
def test_more_colors_than_any_palette_has_are_a_photograph(distinct: int, words: str) -> None:
    colors = Colors(False, distinct, (((1, 2, 3), 9),), None, ("red", "green", "blue"))
    finding, = on_mask(check, MaskFacts((100, 100), "uint8", colors=colors), SPEC)
    assert finding.message.startswith(words)


VIRIDIS = ((68, 1, 84, 255), (32, 144, 140, 255), (253, 231, 36, 255))


def test_it_knows_imsave_by_the_ends_of_its_color_map() -> None:
    finding, = on_mask(check, facts_of(painted(VIRIDIS)))
    assert finding.evidence[1].startswith("both ends of matplotlib's color map viridis are there")
    assert str(finding.fix).startswith("If it was imsave, save the masks again")


@pytest.mark.parametrize("table", [
    VIRIDIS[:2], tuple(color[:3] for color in VIRIDIS), ((68, 1, 84, 255), (0, 0, 0, 255), (251, 231, 36, 255))])
def test_it_speaks_of_imsave_only_where_both_ends_are_there(table: tuple[tuple[int, ...], ...]) -> None:
    finding, = on_mask(check, facts_of(painted((*table, table[0]))))
    assert "imsave" not in f"{finding.evidence} {finding.fix}"


# --- the way to ids, once all masks were seen -------------------------------------------------------------------------------------------

def way(tmp_path: Path, colors: Iterable[tuple[int, ...]], **options: Any) -> Fix:
    """The fix for two masks that hold these colors between them."""
    pixels = np.array([*colors], "uint8")[:, None].repeat(4, axis=1)
    (tmp_path / "m").mkdir()
    for name in "ab":
        Image.fromarray(pixels[:len(pixels) // 2 + 1] if name == "a" else pixels[1:]).save(tmp_path / "m" / f"{name}.png")
    finding, other = scan(tmp_path / "m", select="LG003", **options).findings
    assert finding.fix == other.fix
    return finding.fix


def colors_of(preset: str, *ids: int) -> list[tuple[int, ...]]:
    return [read_preset(preset).colors[label] for label in ids]


@pytest.mark.parametrize(("preset", "colors", "words"), [
    ("voc", [*colors_of("voc", 0, 1, 12, 15), (224, 224, 192)], "All 5 colors of the set are among those of the preset voc (Pascal VOC)"),
    ("camvid", [*colors_of("camvid", 0, 4, 6, 10), (0, 0, 0)], "All 5 colors of the set are among those of the preset camvid"),
])
def test_the_preset_that_has_all_colors_is_named_with_its_command(tmp_path: Path, preset: str, colors: Any, words: str) -> None:
    fix = way(tmp_path, colors)
    assert str(fix).startswith(words) and fix.commands == (("labelguard", "remap", str(tmp_path / "m"), "--colors", preset),)
    assert not fix.safe


def test_two_presets_that_fit_are_both_named_unless_the_class_count_decides(tmp_path: Path) -> None:
    colors = colors_of("cityscapes-train", 0, 1, 2, 8, 10)
    (tmp_path / "a").mkdir()
    assert [command[-1] for command in way(tmp_path / "a", colors).commands] == ["cityscapes", "cityscapes-train", "labelmap.txt"]
    (tmp_path / "b").mkdir()
    fix = way(tmp_path / "b", colors, num_classes=19, ignore_index=255)
    assert [command[-1] for command in fix.commands] == ["cityscapes-train"] and "and of no other" in str(fix)


def test_the_command_repeats_what_was_declared(tmp_path: Path) -> None:
    fix = way(tmp_path, colors_of("voc", 0, 1, 5, 12, 15), num_classes=21, ignore_index=200)
    assert fix.commands[0][-4:] == ("--colors", "voc", "--ignore-index", "200")


@pytest.mark.parametrize(("colors", "first"), [
    ([(0, 0, 0), (128, 0, 0), (0, 128, 0)], "among those of the preset voc, which may be chance"),        # 2 that tell
    ([(0, 0, 0), (128, 0, 0), (0, 128, 0), (0, 0, 128)], "among those of the preset voc (Pascal VOC)"),  # 3
    ([(10, 20, 30), (40, 90, 60)], "Translate colors to ids by the classes"),
    ([*colors_of("camvid", 0, 4, 6, 10), (0, 0, 192)], "4 of 5 colors are those of the preset camvid, but for 0,0,192 on 14 % (as in b"),
])
def test_few_or_foreign_colors_name_no_table_as_certain(tmp_path: Path, colors: Any, first: str) -> None:
    assert first in str(way(tmp_path, colors))


@pytest.mark.parametrize("declared", [{"num_classes": 4}, {"names": read_preset("voc").names[::-1], "num_classes": 21}])
def test_a_preset_whose_classes_are_not_those_declared_gives_no_command(tmp_path: Path, declared: dict[str, Any]) -> None:
    spec = LabelSpec(**declared)
    fix = way(tmp_path, colors_of("voc", 0, 1, 2, 3, 5), spec=spec)
    assert str(fix).startswith("All 5 colors are those of the preset voc, whose classes are not those that are declared. Translate")
    assert [command[-1] for command in fix.commands] == ["labelmap.txt"]


def test_declared_colors_give_a_command_that_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labelmap.txt").write_text("a:10,20,30::\nb:40,90,60::\n__ignore__:1,1,2::\n")
    spec = read_classes("labelmap.txt")
    fix = way(tmp_path, [(10, 20, 30), (40, 90, 60), (1, 1, 2)], spec=spec, colors_from="labelmap.txt")
    assert fix.is_command and fix.safe and fix.commands[0][-2:] == ("--colors", "labelmap.txt")
    assert CliRunner().invoke(main, list(fix.commands[0][1:])).exit_code == 0
    (tmp_path / "b").mkdir()
    assert "Not in labelmap.txt: 9,9,8 on" in str(way(tmp_path / "b", [(10, 20, 30), (9, 9, 8)], spec=spec, colors_from="labelmap.txt"))


def test_declared_colors_without_a_file_are_given_to_the_function(tmp_path: Path) -> None:
    assert "labelguard.remap(source, colors=...)" in str(way(tmp_path, TABLE, spec=SPEC))


def test_the_command_line_says_where_colors_are_declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m").mkdir()
    (tmp_path / "m/a.png").write_bytes(painted())
    (tmp_path / "labelguard.toml").write_text("num_classes = 3\ncolors = [[0, 0, 0], [128, 0, 0], [0, 128, 0]]\n")
    assert "labelguard remap m --colors labelguard.toml" in CliRunner().invoke(main, ["scan", "m", "--select", "LG003"]).output
    assert "labelguard remap m --colors voc" in CliRunner().invoke(main, ["scan", "m", "--select", "LG003", "--preset", "voc"]).output


def test_what_is_transparent_or_a_photograph_names_no_preset(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    colors = [(*color, 255 - label) for label, color in enumerate(colors_of("voc", 0, 1, 5, 12, 15))]
    (tmp_path / "m/a.png").write_bytes(painted(tuple(colors[:3])))
    finding, = scan(tmp_path / "m", select="LG003").findings
    assert str(finding.fix).startswith("Translate colors to ids by the classes")


def test_a_black_mask_among_painted_ones_gets_their_command(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m/a.png").write_bytes(painted(tuple(colors_of("voc", 0, 1, 12))))
    (tmp_path / "m/b.png").write_bytes(painted(tuple(colors_of("voc", 0, 5, 15))))
    (tmp_path / "m/black.png").write_bytes(painted(((0, 0, 0),) * 3))
    *_, black = scan(tmp_path / "m", select="LG003,LG004").findings
    assert (black.code, black.path) == ("LG004", "black.png") and black.fix.commands[0][-2:] == ("--colors", "voc")
    assert black.evidence[-1].startswith("2 other masks hold colors")


def test_the_command_leaves_alone_what_holds_ids_already(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    drawn = np.array([[*colors_of("camvid", 0, 4, 6, 10), (0, 0, 0)]], np.uint8)
    for folder, content in (("new", saved(Image.fromarray(drawn))), ("old", png(np.zeros((4, 4), np.uint8)))):  # black is void, 0 is sky
        (tmp_path / "m" / folder).mkdir(parents=True)
        (tmp_path / "m" / folder / "a.png").write_bytes(content)
    finding, = scan("m", select="LG003", spec=read_preset("camvid"), colors_from="camvid").findings
    assert finding.fix.commands == (("labelguard", "remap", "m", "--include", "/new/", "--colors", "camvid"),)
    assert CliRunner().invoke(main, list(finding.fix.commands[0][1:])).exit_code == 0
    assert [np.unique(np.asarray(Image.open(f"m-remapped/{name}/a.png"))).tolist() for name in ("new", "old")] == [[0, 4, 6, 10, 11], [0]]


def test_no_command_where_no_pattern_tells_painted_masks_from_ids(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    for number in range(26):
        content = png(np.zeros((4, 4), np.uint8)) if number % 2 else painted(tuple(colors_of("camvid", 0, 4, 6)))
        (tmp_path / f"m/{number}.png").write_bytes(content)
    fix = scan(tmp_path / "m", select="LG003", spec=read_preset("camvid"), colors_from="camvid").findings[0].fix
    assert not fix.commands and str(fix).startswith("Some masks hold ids already, and no pattern tells them from the painted ones")
