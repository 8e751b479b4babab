"""Losses against the masks that are hard on them: what each cell of the table is, and that no valid mask is ever blamed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard import LabelSpec
from labelguard.lossprobe.mask_source import MaskFiles
from labelguard.lossprobe.one_loss import LossProbe
from labelguard.lossprobe.supervisor.settings import Settings
from tests.drawn import write_png

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
LOSSES = "tests.lossprobe.losses:"
CE, BCE, BCE_LOGITS = (f"torch.nn:{name}" for name in ("CrossEntropyLoss", "BCELoss", "BCEWithLogitsLoss"))
RAISES, NAN, NAN_GRADIENT, BUFFER, SILENT, NO_SIGNAL = "LG503", "LG504", "LG505", "LG506", "LG507", "LG508"
PIXEL = (10, 20)


def columns(*ids: int) -> np.ndarray:
    return np.repeat(np.array(ids, np.uint8), 48 // len(ids))[None].repeat(32, axis=0)


def with_pixel(labels: np.ndarray, value: int) -> np.ndarray:
    labels = labels.copy()
    labels[PIXEL] = value
    return labels


def draw(folder: Path, labels: np.ndarray, only: int) -> Path:
    """One mask of each kind; every one of them is a batch of its own."""
    flat = np.zeros_like(labels)
    masks = {"valid": labels, "255": with_pixel(labels, 255), "all-255": flat + 255, "empty": flat, "single": flat + only,
             "0-and-255": np.where(labels == 0, 0, 255).astype(np.uint8), "absent": np.where(labels == 3, 0, labels)}
    for name, mask in masks.items():
        write_png(folder / f"{name}.png", mask)
    np.save(folder / "-1.npy", with_pixel(labels.astype(np.int16), -1))
    return folder


@pytest.fixture(scope="module")
def report_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., LossProbe]:
    """What was found of a loss, within this process: to start one for each would take most of the time."""
    from tests.lossprobe.inside import RunsInside  # needs torch
    many = draw(tmp_path_factory.mktemp("many"), columns(0, 1, 2, 3), 2)
    two = draw(tmp_path_factory.mktemp("two"), columns(0, 1, 1, 0), 1)

    @cache
    def report(path: str, classes: int, arguments: tuple[tuple[str, object], ...]) -> LossProbe:
        module, _, name = path.partition(":")
        loss = getattr(import_module(module), name)
        ignore = [value for key, value in arguments if key == "ignore_index"]
        masks = MaskFiles([two if classes == 2 else many])
        list(masks)
        found = LossProbe(RunsInside(loss(**dict(arguments)) if isinstance(loss, type) else loss, Settings(batch_size=1)), masks,
                          LabelSpec(classes, ignore_index=tuple(ignore)))
        list(found)
        return found

    return report


def cells(report: LossProbe) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for finding in report.findings:
        for name in finding.concerns:
            found.setdefault(Path(name).stem, set()).add(finding.code)
    return found


def table(everywhere: str = "", **more: str) -> dict[str, set[str]]:
    """Cells: the illegal ids with one code, others by name; a name may be used with several codes."""
    names = ["255", "-1", "all-255", "0-and-255"] if everywhere else []
    filled = {name: {everywhere} for name in names}
    for name, codes in more.items():
        filled[{"minus": "-1", "px255": "255", "all255": "all-255", "stored255": "0-and-255"}.get(name, name)] = set(codes.split())
    return filled      # 0-and-255 is probed once more with its 255 replaced, and is empty then


IGNORE = (("ignore_index", 255),)
TABLE = [
    (CE, 4, (), table(RAISES)),
    (CE, 4, IGNORE, table(minus=RAISES, all255=NAN)),
    (f"{LOSSES}Dice", 4, (), table(RAISES)),
    (f"{LOSSES}Dice", 4, IGNORE, table(minus=RAISES, all255=NO_SIGNAL)),
    (f"{LOSSES}Focal", 4, (), table(SILENT)),
    (f"{LOSSES}Focal", 4, IGNORE, table(minus=SILENT, all255=NAN)),
    (f"{LOSSES}lovasz_softmax", 4, (), table(SILENT, all255=f"{SILENT} {NO_SIGNAL}")),
    (f"{LOSSES}GeneralizedDice", 4, (), table(SILENT, all255=f"{SILENT} {NAN}")),
    (f"{LOSSES}clamping", 4, (), table(SILENT)),
    (f"{LOSSES}MaskedDivision", 4, (), table(RAISES, stored255=f"{RAISES} {NAN_GRADIENT}", empty=NAN_GRADIENT, single=NAN_GRADIENT)),
    (f"{LOSSES}BadBuffer", 4, (("persistent", False),), table(RAISES, single=BUFFER)),
    (f"{LOSSES}ChangesItsInput", 4, (), table(minus=RAISES, px255=SILENT, all255=SILENT, stored255=SILENT)),
    (BCE_LOGITS, 2, (), table(SILENT)),
    (BCE, 2, (), table(RAISES)),
    (f"{LOSSES}BinaryDice", 2, (), table(SILENT, empty=NO_SIGNAL)),
    (f"{LOSSES}BinaryDice", 2, IGNORE, table(minus=SILENT, stored255=NO_SIGNAL, all255=NO_SIGNAL, empty=NO_SIGNAL)),
]


@pytest.mark.parametrize(("loss", "classes", "arguments", "expected"), TABLE,
                         ids=[f"{loss.rpartition(':')[2]}{'-ignoring' * (arguments == IGNORE)}" for loss, _, arguments, _ in TABLE])
def test_each_loss_against_each_mask(report_of: Callable[..., Any], loss: str, classes: int, arguments: tuple[Any, ...],
                                     expected: dict[str, set[Any]]) -> None:
    report = report_of(loss, classes, arguments)
    found = cells(report)
    assert "valid" not in found
    assert found == expected
    assert (report.summary.batches, report.summary.worst, report.summary.stopped) == (8, 0, "")


def findings(report: LossProbe, code: str) -> list:
    return sorted((finding for finding in report.findings if finding.code == code), key=lambda finding: -finding.severity.rank)


def test_a_refused_id_is_named_with_its_pixel_and_every_file_that_holds_it(report_of: Callable[..., Any]) -> None:
    report = report_of(CE, 4, ())
    by_id = {finding.ids: finding for finding in findings(report, RAISES)}
    minus, big = by_id[-1,], by_id[255,]
    assert (minus.path, minus.first, minus.sample, minus.level, minus.batch) == ("-1.npy", PIXEL, 0, "pixel", ("-1.npy",))
    assert set(big.files) == {"255.png", "all-255.png", "0-and-255.png"} and big.sample == 0 and big.batch[0] in big.files
    assert minus.exception == "IndexError: Target -1 is out of bounds." and minus.repeats == (3, 3) and minus.phase == "forward"
    assert minus.verified_on.startswith("cpu torch") and minus.expected_on_cuda.startswith("device-side assert")


def test_silence_says_what_the_id_was_taken_for(report_of: Callable[..., Any]) -> None:
    messages = {finding.ids: finding.message for finding in findings(report_of(f"{LOSSES}clamping", 4, ()), SILENT)}
    assert messages == {(-1,): "-1 is not a class, and the loss raises no error: it trains such a pixel as class 0.",
                        (255,): "255 is not a class, and the loss raises no error: it trains such a pixel as class 3."}
    focal, = findings(report_of(f"{LOSSES}Focal", 4, ()), SILENT)
    assert focal.ids == (-1, 255)
    assert "are not classes, and the loss raises no error: such a pixel counts as no class at all" in focal.message
    number, = findings(report_of(BCE_LOGITS, 2, ()), SILENT)
    assert "it calculates with the id as a number" in number.message and not number.expected_on_cuda


def test_foreground_stored_as_the_ignored_id_is_an_error_and_an_ignored_mask_a_warning(report_of: Callable[..., Any]) -> None:
    dark, *others = findings(report_of(f"{LOSSES}BinaryDice", 2, IGNORE), NO_SIGNAL)
    assert (dark.severity, dark.path, dark.ids) == ("error", "0-and-255.png", (255,))
    assert {finding.severity for finding in others} == {"warning"}
    ignored, = findings(report_of(f"{LOSSES}Dice", 4, IGNORE), NO_SIGNAL)
    assert ignored.severity == "warning" and "nothing but ignored pixels" in ignored.message


@pytest.mark.parametrize(("loss", "arguments", "code", "words"), [
    ("mean_by_class", (), NAN_GRADIENT, "aten.div.Tensor"),
    ("MaskedDivision", (), NAN_GRADIENT, "quotient = score / own.sum((1, 2))"),
    ("BadBuffer", (("persistent", False),), BUFFER, "ground.sum() * ground.sum()"),
    ("GeneralizedDice", (), NAN, "weights = 1 / volume ** 2"),
])
def test_the_line_that_first_was_not_finite_is_named(report_of: Callable[..., Any], loss: str, arguments: tuple[Any, ...], code: str,
                                                     words: str) -> None:
    for finding in findings(report_of(f"{LOSSES}{loss}", 4, arguments), code):
        assert any("first not finite in" in line and words in line for line in finding.evidence), finding.evidence
        assert "losses.py:" in finding.source and set(finding.batch) <= set(finding.concerns)


def test_absent_classes_are_named_with_all_masks_that_lack_one(report_of: Callable[..., Any]) -> None:
    finding, = findings(report_of(f"{LOSSES}mean_by_class", 4, ()), NAN_GRADIENT)
    assert set(finding.files) >= {"absent.png", "single.png", "empty.png", "0-and-255.png"} and finding.level == "absent-class"
    assert "as soon as class 0, 1, 2 or 3 is absent from a mask" in finding.message
