"""LG111: numbers of objects where classes should be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from labelguard import scan
from labelguard.checks import instance_ids as check
from labelguard.checks import undeclared_ignore
from labelguard.explanations.decide import verdict_on
from labelguard.finding import Severity
from labelguard.spec.labelspec import LabelSpec
from tests.checks.mending import mended_by_its_command, run_fix
from tests.checks.recipes import drawn_set, one_among, relabeled
from tests.checks.scenes import Labels, all_findings, dataset, errors, on_dataset, only_error, scene
from tests.drawn import folder


def instances(masks: list[Labels], size: int = 1000, first: int = 0, dtype: str = "int32") -> list[Labels]:
    """Every class above 2 in two halves, as objects of their own; the others stay classes, as in Cityscapes."""
    result = []
    for labels in masks:
        moved = labels.astype(np.int64)
        for label in range(3, 255):
            where = labels == label
            rows = np.flatnonzero(where.any(axis=1))
            if len(rows):
                middle = np.arange(labels.shape[0])[:, None] > rows[len(rows) // 2]
                moved[where] = (label * size + first + middle)[np.nonzero(where)[0], 0]
        result.append(moved.astype(dtype))
    return result


def numbered(files: int = 12, most: int = 40, seed: int = 0) -> list[Labels]:
    """Cells, numbered from the top left as labeling of connected components does."""
    rng = np.random.default_rng(seed)
    masks = []
    for _ in range(files):
        labels = np.zeros((128, 96), np.uint16)
        for label, at in enumerate(sorted(rng.choice(192, rng.integers(5, most), replace=False)), 1):
            row, column = divmod(int(at), 12)
            labels[8 * row + 1:8 * row + 6, 8 * column + 1:8 * column + 6] = label
        masks.append(labels)
    return masks


@pytest.mark.parametrize(("classes", "size"), [(5, 1000), (5, 256), (5, 65536), (19, 1000)])
def test_the_class_is_taken_out_of_the_id(classes: int, size: int, tmp_path: Path) -> None:
    originals = drawn_set(classes)
    folder = tmp_path / "masks"
    folder.mkdir()
    for number, labels in enumerate(instances(originals, size)):
        np.save(folder / f"{number:03}.npy", labels)
    finding, = [finding for finding in scan(folder, spec=LabelSpec(classes, 255), jobs=1).findings if finding.severity is Severity.ERROR]
    assert finding.code == "LG111" and finding.message.startswith(f"The ids are class * {size} + object number")
    after = run_fix(finding.fix, folder, tmp_path / "out")
    assert after == LabelSpec(classes, 255)
    assert scan(tmp_path / "out", spec=after, jobs=1).findings == ()


@pytest.mark.parametrize("classes", [3, 5, 19])
def test_class_times_1000_plus_1(classes: int, tmp_path: Path) -> None:
    originals = drawn_set(classes)
    damaged = relabeled(originals, lambda label: 255 if label == 255 else 1000 * label + 1, "uint16")
    finding = mended_by_its_command(tmp_path, damaged, LabelSpec(classes, 255), "LG111", originals)
    assert any("1 is taken for objects of class 0" in line for line in finding.evidence)


@pytest.mark.parametrize(("cut", "words"), [(lambda labels: labels % 256, "of which only the lowest byte was kept"),
                                            (lambda labels: labels >> 8, "of which only the upper bytes were kept")])
def test_ids_that_were_cut_to_8_bits_are_named_and_lost(cut: Callable[[Labels], Labels], words: str) -> None:
    damaged = [cut(labels).astype("uint8") for labels in instances(drawn_set(19, 20, void=None))]
    finding = only_error(damaged, LabelSpec(19))
    assert finding.code == "LG111" and finding.message == f"The ids are class * 1000 + object number, {words}."
    assert not finding.fix.commands


@pytest.mark.parametrize(("code", "certainty", "cause"), [(lambda label: -label % 256, "certain", "factor"),
                                                        (lambda label: 1000 * label >> 8, "likely", "instances")])
def test_classes_of_which_no_object_is_seen_are_absent_whatever_the_ids_are(code: Callable[[int], int], certainty: str, cause: str) -> None:
    """Else any few ids of many classes are upper bytes of objects."""
    masks = [np.array([[0, 0, code(label), code(label + 8)]] * 4, "uint8") for label in (3, 20, 41)]
    verdict = verdict_on(dataset(masks), LabelSpec(60))
    assert verdict is not None and (verdict.certainty, verdict.accounts[0].causes) == (certainty, {cause})


def test_objects_that_are_all_255_may_be_void() -> None:
    damaged = [np.minimum(labels, 255).astype("uint8") for labels in instances(drawn_set(19, 20, void=None))]
    finding, = [*on_dataset(check, damaged, LabelSpec(19)), *on_dataset(undeclared_ignore, damaged, LabelSpec(19))]
    assert finding.severity is Severity.WARNING and not finding.fix.commands
    assert "cut at 255" in finding.message and "255 is a void label" in finding.message


@pytest.mark.parametrize(("classes", "found"), [(3, 1), (2, 0)])
def test_files_in_which_every_class_became_255(classes: int, found: int) -> None:
    """With two classes, that is a foreground drawn for the eye."""
    masks = drawn_set(classes, 60, void=None)
    damaged = [np.where(labels > 0, 255, 0).astype("uint8") if place % 2 else labels for place, labels in enumerate(masks)]
    findings = on_dataset(check, damaged, LabelSpec(classes))
    assert len(findings) == found
    for finding in findings:
        assert finding.message.startswith("Every class but 0 was cut to 255") and len(finding.files) == 30 and not finding.fix.commands
    assert "LG103" not in errors(damaged, LabelSpec(classes))


def test_void_may_be_numbered_too() -> None:
    damaged = relabeled(drawn_set(5), lambda label: 1000 * label + 1, "int32")
    assert errors(damaged, LabelSpec(5, 255)) == {"LG111"}


@pytest.mark.parametrize("classes", [3, 5, 19])
def test_void_that_was_cut_to_16_bits_on_the_way(classes: int, tmp_path: Path) -> None:
    originals = drawn_set(classes)
    damaged = [labels.astype("uint16") * np.uint16(1000) + np.uint16(1) for labels in originals]
    finding = mended_by_its_command(tmp_path, damaged, LabelSpec(classes, 255), "LG111", originals)
    assert "58393 is void, 255 * 1000 and more, cut to 16 bits" in finding.evidence


def test_without_a_class_count_it_warns() -> None:
    finding, = on_dataset(check, instances(drawn_set(19)), LabelSpec())
    assert finding.severity is Severity.WARNING


def test_one_file_of_200_is_named_alone() -> None:
    healthy = drawn_set(5, 40) * 5
    fullest = max(healthy, key=lambda labels: len(np.unique(labels)))
    damaged, = relabeled([fullest], lambda label: 255 if label == 255 else 1000 * label + 1, "uint16")
    found = [finding for finding in all_findings(one_among(healthy[:199], damaged), LabelSpec(5, 255))
             if finding.severity is Severity.ERROR]
    assert [(finding.code, finding.files) for finding in found] == [("LG111", ("123",))]


@pytest.mark.parametrize("classes", [2, 3, 19])
def test_plain_numbers_of_objects(classes: int) -> None:
    finding, = on_dataset(check, numbered(), LabelSpec(classes))
    assert finding.message.startswith("The ids are object numbers, up to") and "different numbers" in finding.evidence[1]
    assert str(finding.fix).startswith("Fetch the semantic masks") and not finding.fix.commands  # no table says what is an object of what


@pytest.mark.slow
def test_real_instance_ids(real_data: Path, tmp_path: Path) -> None:
    folder = real_data / "cityscapes" / "instanceIds"
    assert [finding.severity for finding in scan(folder, jobs=1).findings if finding.code == "LG111"] == [Severity.WARNING]
    for spec in (LabelSpec(34), LabelSpec(19, 255)):
        finding, = [finding for finding in scan(folder, spec=spec, jobs=1).findings if finding.severity is Severity.ERROR]
        assert finding.code == "LG111"
        out = tmp_path / str(spec.num_classes)
        if spec.num_classes != 34 and not finding.fix.commands:
            continue  # the classes are numbered differently too, which the ids alone need not settle
        after = run_fix(finding.fix, folder, out)
        assert not [finding for finding in scan(out, spec=after, jobs=1).findings if finding.severity is Severity.ERROR]


def test_real_object_numbers_are_no_error_where_nothing_is_declared(real_data: Path) -> None:
    found = scan(real_data / "tiff_labels", jobs=1).findings
    assert not [finding for finding in found if finding.severity is Severity.ERROR and finding.code.startswith("LG1")]


NOISE = np.random.default_rng(0)


@pytest.mark.parametrize(("masks", "spec"), [
    (drawn_set(19), LabelSpec(19, 255)),
    (drawn_set(19), LabelSpec()),
    (drawn_set(150, 40, (256, 160), void=None), LabelSpec()),
    (relabeled(drawn_set(5), lambda label: label if label == 255 else label + 1), LabelSpec(5, 255)),  # LG106
    ([scene(range(1, 8))] * 5, LabelSpec(5)),                                     # classes, the same in each file
    (instances(drawn_set(5)), LabelSpec(5000)),                                   # declared
    ([NOISE.integers(0, 4000, (64, 64)).astype("uint16") for _ in range(5)], LabelSpec()),   # a height map
    ([NOISE.integers(0, 4000, (64, 64)).astype("uint16") for _ in range(5)], LabelSpec(19)),
    ([np.arange(256, dtype="uint8").reshape(16, 16)] * 3, LabelSpec()),
    ([], LabelSpec(5)),
])
def test_it_leaves_alone(masks: list[Labels], spec: LabelSpec) -> None:
    assert on_dataset(check, masks, spec) == []


def in_three_files(*ids: int) -> list[Labels]:
    return [np.array([ids], np.int32)] * 3


@pytest.mark.parametrize(("ids", "found"), [
    ((1001, 255_001), 1), ((1001, 256_001), 0),                      # at most 256 classes
    ((0, 1001, 2001), 1), ((0, 700, 900), 0),
    ((1001, 2001, 3001, 4001, 5900), 1), ((1001, 2001, 3001, 4001, 5901), 0),  # nobody counts up to the end
])
def test_where_ids_cease_to_look_like_class_and_number(ids: tuple[int, ...], found: int) -> None:
    assert len(on_dataset(check, in_three_files(*ids))) == found


@pytest.mark.parametrize(("label", "found"), [(58_391, 0), (58_392, 1), (58_399, 1), (58_400, 0)])
def test_void_that_was_cut_holds_up_to_eight_objects(label: int, found: int) -> None:
    assert len(on_dataset(check, in_three_files(1001, 2001, label), LabelSpec(3, 255))) == found


def test_256_numbers_for_a_class_are_believed_where_the_ids_are_illegal() -> None:
    assert len(on_dataset(check, in_three_files(257, 258, 513), LabelSpec(3))) == 1


def test_void_is_255_where_none_is_declared() -> None:
    finding, = on_dataset(check, in_three_files(1001, 2001, 58_393), LabelSpec(3))
    assert "--merge 58393:255" in str(finding.fix) and str(finding.fix).endswith("--num-classes 3 --ignore-index 255")


def test_objects_of_one_kind_and_a_background_are_two_classes() -> None:
    finding, = on_dataset(check, numbered())
    assert "all above 0 is class 1" in str(finding.fix)


def test_where_instances_are_declared_ids_are_not_taken_for_classes(tmp_path: Path) -> None:
    masks = {}
    for number in range(20):
        masks[f"{number:02}.png"] = labels = np.zeros((60, 130), np.uint8)
        for place in range(1, number % 9 + 3):
            labels[10 + 3 * (place % 5):30, 10 * place:10 * place + 7] = place
    found = {finding.code for finding in scan(folder(tmp_path, masks), num_classes=2).findings}
    declared = scan(tmp_path, num_classes=2, instances=True)
    assert "LG111" in found and not declared.findings
    assert {"LG101", "LG103", "LG111", "LG112"} <= {skipped.code for skipped in declared.skipped_checks}


@pytest.mark.parametrize("ends", [(30, 31), (29, 30, 31)])
def test_steps_of_a_depth_have_no_gaps_either(ends: tuple[int, ...]) -> None:
    assert on_dataset(check, [np.arange(end + 1, dtype=np.uint8)[None] for end in ends] * 8) == []


def test_one_file_of_many_numbers_holds_objects_and_not_classes() -> None:
    found = [on_dataset(check, [np.arange(number + 1).reshape(1, -1)], LabelSpec(2)) for number in (2, 3, 8)]
    assert [[finding.severity for finding in findings] for findings in found] == [[], [Severity.WARNING], [Severity.ERROR]]


def test_objects_of_one_class_counted_before_those_of_another_are_objects() -> None:
    """The first number is the animal, the others are what else there is: an id tells a size, and is no class for that."""
    def animal(pieces: int) -> Labels:
        labels = np.zeros((40, 60), np.uint8)
        labels[:30, 5:35] = 1
        for piece in range(pieces):
            labels[2 + 12 * (piece // 3):6 + 12 * (piece // 3), 38 + 6 * (piece % 3):42 + 6 * (piece % 3)] = 2 + piece
        return labels
    masks = [animal(pieces) for pieces in np.random.default_rng(0).geometric(0.4, 30).clip(1, 9).tolist()]
    finding, = on_dataset(check, masks, LabelSpec(3))
    assert finding.message.startswith("The ids are object numbers")
