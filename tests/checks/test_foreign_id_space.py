"""LG108: right pixels, numbered by another list."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from labelguard import scan
from labelguard.checks import foreign_id_space as check
from labelguard.checks import off_by_one
from labelguard.finding import Severity
from labelguard.spec.declarations import presets, read_preset
from labelguard.spec.label_spaces import Space, spaces
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.pipeline_file import find_pipeline, read_pipeline
from tests.checks.mending import mended_by_its_command, run_fix
from tests.checks.recipes import drawn_set, one_among, relabeled
from tests.checks.scenes import Labels, all_findings, errors, mask, on_dataset, scene

SPACES = {space.name: space for space in spaces()}
TABLES = [(space.name, target) for space in spaces() for target in space.to]
RECIPE = {0: 7, 1: 11, 2: 17, 3: 21, 4: 26, 255: 0}


def there_and_back(name: str, target: str, files: int = 40) -> tuple[list[Labels], list[Labels]]:
    """A set in the ids of a target, and the same in those of the foreign space."""
    space, spec = SPACES[name], read_preset(target)
    table = {there: label for label, there in space.to[target].items() if there is not None}
    void = next((label for label, there in space.to[target].items() if there is None), None)
    originals = drawn_set(spec.num_classes or 0, files, (256, 160), void=255 if void is not None else None)
    if name == "ade20k-raw":  # where 0 is not a background
        originals = [np.where(labels == 0, 3, labels).astype("uint8") for labels in originals]
    return originals, relabeled(originals, table if void is None else {**table, 255: void})


@pytest.mark.parametrize(("name", "target"), TABLES)
def test_every_official_table_is_found_and_applied(name: str, target: str, tmp_path: Path) -> None:
    originals, foreign = there_and_back(name, target)
    spec = read_preset(target)
    finding = mended_by_its_command(tmp_path, foreign, spec, "LG108", originals)
    assert finding.message == f"The ids are {SPACES[name].title}, not the {spec.num_classes} declared classes."
    pipeline = SPACES[name].pipelines.get(target)
    assert pipeline is None or finding.fix.commands[0][:3] == ("labelguard", "run", pipeline)


@pytest.mark.parametrize(("name", "target"), TABLES)
def test_a_table_names_every_id_that_is_drawn_and_fills_its_target(name: str, target: str) -> None:
    space, spec = SPACES[name], read_preset(target)
    table = space.to[target]
    assert set(table) == space.drawn
    assert sorted(there for there in table.values() if there is not None) == list(range(spec.last + 1))
    for label, there in table.items():
        assert there is None or space.spec.names[label] == spec.names[there]


@pytest.mark.parametrize(("name", "target", "pipeline"), [
    ("cityscapes", "cityscapes-train", "cityscapes-train-ids"), ("ade20k-raw", "ade20k", "ade20k-reduce-zero-label"),
    ("coco-stuff-raw", "coco-stuff", "coco-stuff")])
def test_tables_agree_with_the_ready_made_pipelines(name: str, target: str, pipeline: str) -> None:
    ids = np.array([sorted(SPACES[name].drawn)], np.uint8)
    wanted = [255 if there is None else there for _, there in sorted(SPACES[name].to[target].items())]
    assert read_pipeline(find_pipeline(pipeline))(ids).tolist() == [wanted]


@pytest.mark.parametrize("space", spaces(), ids=lambda space: space.name)
def test_a_space_is_whole(space: Space) -> None:
    assert space.title and set(space.to) <= set(presets())
    assert space.unused <= set(range(space.spec.last + 1))
    assert not space.spec.colors or len(space.spec.colors) == space.spec.num_classes


def test_the_ignored_id_is_the_declared_one(tmp_path: Path) -> None:
    _, foreign = there_and_back("cityscapes", "cityscapes-train")
    mended_by_its_command(tmp_path, foreign, LabelSpec(19, 250), "LG108")


@pytest.mark.parametrize("spec", [LabelSpec(19, 255), LabelSpec(19)])
def test_one_file_of_200_is_named_alone(spec: LabelSpec) -> None:
    healthy = drawn_set(19, 40, void=None) * 5
    _, foreign = there_and_back("cityscapes", "cityscapes-train")
    faulty = max(foreign, key=lambda labels: len(np.unique(labels)))
    found = [finding for finding in all_findings(one_among(healthy[:199], faulty), spec) if finding.severity is Severity.ERROR]
    assert [(finding.code, finding.files) for finding in found] == [("LG108", ("123",))]


def test_as_many_scattered_ids_as_classes_are_another_numbering() -> None:
    finding, = on_dataset(check, relabeled(drawn_set(5), RECIPE), LabelSpec(5, 255))
    assert finding.message == "The ids are numbered differently than declared: 7, 11, 17, 21 and 26 instead of 0-4."
    assert "all of them are trained classes among the Cityscapes label ids, the others void" in finding.evidence
    assert str(finding.fix).startswith("Look at the list of classes") and not finding.fix.commands  # their order is an assumption


@pytest.mark.parametrize("ids", [(0, 2, 6, 7, 10), (0, 30, 31, 90, 200)])
def test_scattered_ids_of_no_known_list(ids: tuple[int, ...]) -> None:
    masks = relabeled(drawn_set(5, void=None), dict(enumerate(ids)))
    finding, = on_dataset(check, masks, LabelSpec(5))
    assert "in their order" in finding.message or finding.message.startswith("The ids are numbered differently")


def test_a_few_stray_ids_are_not_certain_to_be_codes() -> None:
    assert errors([mask("0 1 77 200")] * 3, LabelSpec(5)) == {"LG101"}


@pytest.mark.parametrize("classes", [19, 34])
def test_codes_without_regularity_are_not_so_many_more_classes(classes: int) -> None:
    rng = np.random.default_rng(classes)
    codes = sorted(rng.choice(np.arange(1, 256), classes - 4, replace=False).tolist())
    masks = relabeled(drawn_set(classes - 3, 30, void=None), dict(enumerate([0, *codes])))
    assert errors(masks, LabelSpec(classes)) == {"LG101"}  # codes for fewer classes do not say for which


def test_brats_is_not_a_set_with_one_class_more() -> None:
    masks = relabeled(drawn_set(4, void=None), {3: 4})
    assert on_dataset(off_by_one, masks, LabelSpec(4)) == []
    assert errors(masks, LabelSpec(4)) == {"LG108"}


def test_a_background_of_150_classes_is_not_other_objects() -> None:
    assert errors(drawn_set(151, 60, (256, 160), void=None), LabelSpec(150)) == {"LG106"}


def test_undeclared_gaps_are_worth_a_note() -> None:
    originals, foreign = there_and_back("coco-raw", "coco")
    finding, = on_dataset(check, foreign, LabelSpec())
    assert finding.severity is Severity.NOTE and "COCO category ids with gaps" in finding.message
    assert "--preset coco-raw" in str(finding.fix) and not finding.fix.commands
    assert errors(originals, LabelSpec(81)) == set()


@pytest.mark.parametrize("spec", [LabelSpec(19, 255), LabelSpec(19)])
def test_real_label_ids_where_train_ids_are_declared(real_data: Path, spec: LabelSpec, tmp_path: Path) -> None:
    folder = real_data / "cityscapes" / "labelIds"
    finding, = [finding for finding in scan(folder, spec=spec, jobs=1).findings if finding.severity is Severity.ERROR]
    assert finding.code == "LG108" and len(finding.files) == 8
    after = run_fix(finding.fix, folder, tmp_path / "out")
    assert not [finding for finding in scan(tmp_path / "out", spec=after, jobs=1).findings if finding.severity is Severity.ERROR]


def test_real_label_ids_are_what_they_are(real_data: Path) -> None:
    folder = real_data / "cityscapes" / "labelIds"
    assert [finding.code for finding in scan(folder, spec=LabelSpec(34), jobs=1).findings] == ["LG204"]
    assert [finding.severity for finding in scan(folder, jobs=1).findings] == [Severity.NOTE]  # by the names of the files


@pytest.mark.parametrize(("masks", "spec"), [
    (drawn_set(19), LabelSpec(19, 255)),
    (drawn_set(34), LabelSpec(34, 255)),
    (drawn_set(34), LabelSpec()),
    ([*drawn_set(19, void=None)[:20], scene([*range(8), 25])], LabelSpec(19)),   # a stray id
    (drawn_set(34, void=None), LabelSpec(12)),                                  # too few classes declared
    ([mask("0 1 2 4")], LabelSpec()),
    ([mask("1 2 3")], LabelSpec(3)),
    ([], LabelSpec(3)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


@pytest.mark.parametrize(("masks", "classes", "codes"), [
    ([labels - np.uint8(2) for labels in drawn_set(4)], 4, {"LG101"}),  # 253, 254, 255, 0 and 1: shifted, or multiplied by 255
    ([labels.astype("uint16") - np.uint16(1) for labels in drawn_set(2)], 2, {"LG102"}),  # void 255 is 254 now
])
def test_ids_that_wrapped_are_no_numbering(masks: list[Labels], classes: int, codes: set[str]) -> None:
    assert errors(masks, LabelSpec(classes, 255)) == codes


@pytest.mark.parametrize(("files", "found"), [(19, 0), (20, 1)])
def test_without_classes_twenty_files_are_needed_for_a_list_of_few_ids(files: int, found: int) -> None:
    assert len(on_dataset(check, [mask("0 1 2 4")] * files)) == found


@pytest.mark.parametrize(("ids", "found"), [(73, 1), (72, 0)])
def test_without_classes_nine_ids_of_ten_are_needed(ids: int, found: int) -> None:
    drawn = sorted(SPACES["coco-raw"].drawn)
    assert len(on_dataset(check, [np.array([[*drawn[:ids - 1], drawn[-1]]], np.uint8)])) == found


@pytest.mark.parametrize(("files", "words"), [(1, "Most likely the ids are BraTS labels"), (12, "The ids are BraTS labels")])
def test_a_gap_among_few_ids_may_be_a_class_that_did_not_come_up(files: int, words: str) -> None:
    finding, = on_dataset(check, [mask("0 1 2 4")] * files, LabelSpec(4))
    assert finding.message.startswith(words) and (finding.severity is Severity.ERROR) is (files == 12)


def test_a_part_of_the_declared_ids_is_no_other_numbering() -> None:
    """Training ids of Cityscapes are label ids too, as far as the ids tell; 255 gives them away."""
    train = drawn_set(19, 40)
    assert on_dataset(check, [np.where(labels == 255, 0, labels) for labels in train], LabelSpec(34)) == []
    finding, = on_dataset(check, train, LabelSpec(34))
    assert finding.message == "The ids are Cityscapes train ids, not the 34 declared classes." and finding.severity is Severity.ERROR
    assert str(finding.fix) == "If that is what they are, declare it: --preset cityscapes-train."


def test_void_beside_all_classes_is_no_other_numbering() -> None:
    assert errors(drawn_set(34, 40), LabelSpec(34)) == {"LG103"}


def test_scattered_ids_that_nobody_declared_are_worth_a_warning() -> None:
    finding, = on_dataset(check, relabeled(drawn_set(5, void=None), dict(enumerate((3, 77, 120, 201, 230)))))
    assert finding.severity is Severity.WARNING and finding.message == "The ids are 5 numbers up to 230, with gaps."
    assert "--num-classes" in str(finding.fix) and not finding.fix.commands


def test_files_of_which_the_ids_alone_have_gaps_are_named() -> None:
    masks = drawn_set(12, 36, void=None)
    codes = relabeled(masks[24:], dict(enumerate((0, 27, 30, 47, 72, 75, 117, 126, 143, 190, 210, 238))))
    finding, = on_dataset(check, [*masks[:24], *codes], LabelSpec())
    assert finding.message.endswith("with gaps.") and len(finding.files) == 12 and finding.severity is Severity.WARNING


@pytest.mark.parametrize(("codes", "found"), [((0, 4, 8, 13), True), ((0, 4, 8, 12), False), ((0, 1, 2, 3, 4, 5, 13), False),
                                              ((0, 1, 2, 3, 4, 13), True)])
def test_codes_of_some_files_are_told_only_where_they_stand_out(codes: tuple[int, ...], found: bool) -> None:
    """Beside ids up to 12: beyond these, and with gaps that leave out half of the numbers."""
    mine, others = SimpleNamespace(ids=codes), SimpleNamespace(ids=(*range(13), 255))
    word: Any = SimpleNamespace(part=mine, verdict=SimpleNamespace(told=[(others, None), (mine, None)]))
    assert check._stands_out(word, codes) is found


@pytest.mark.parametrize(("files_with", "worst"), [((2, 2, 1, 1), Severity.WARNING), ((2, 1, 1, 1), Severity.NOTE), ((1,), Severity.NOTE)])
def test_gaps_are_a_note_where_further_files_would_show_further_ids(files_with: tuple[int, ...], worst: Severity) -> None:
    """Ids of a single file make half of the sightings, or more."""
    codes = range(len(files_with))
    word: Any = SimpleNamespace(part=SimpleNamespace(num_files_of=dict(zip(codes, files_with, strict=True))))
    assert check._worst(word, codes) is worst
