"""Masks written as text, masks painted, and what the checks say of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import BytesIO
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from labelguard.checks.registry import all_rules
from labelguard.checks.rule import Rule
from labelguard.checks.symptoms import without_symptoms
from labelguard.facts.ambiguous_ids import ambiguous_ids
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.mask import facts_of
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages.merge_syntax import parse_source

Labels = NDArray[np.integer]
CELL = 8
NOTHING = LabelSpec()


def mask(text: str, dtype: str = "uint8") -> Labels:
    """``mask("0 0 1 / 0 255 1")``: rows are parted by slashes."""
    return np.array([[int(word) for word in row.split()] for row in text.split("/")]).astype(dtype)


def scene(classes: Iterable[int], shape: tuple[int, int] = (64, 64), *, seed: int = 0, background: int = 0, ribbon: int | None = None,
          band: int | None = None, dtype: str = "uint8") -> Labels:
    """One blob of each class on a background, each in a cell of its own.

    `ribbon` is an id to draw as a line of one pixel around every blob, `band` an id that fills the bottom rows.
    """
    rng = np.random.default_rng(seed)
    labels = np.full(shape, background, dtype)
    bottom = shape[0] - (0 if band is None else CELL)
    cells = [(row, column) for row in range(0, bottom - CELL + 1, CELL) for column in range(0, shape[1] - CELL + 1, CELL)]
    classes = list(classes)
    assert len(classes) <= len(cells), "the scene is too small for so many classes"
    for label, at in zip(classes, rng.permutation(len(cells)), strict=False):
        top, left = cells[at]
        height, width = rng.integers(3, 6, 2)
        if ribbon is not None:
            labels[top:top + height + 2, left:left + width + 2] = ribbon
        labels[top + 1:top + 1 + height, left + 1:left + 1 + width] = label
    if band is not None:
        labels[bottom:] = band
    return labels


def shifted(labels: Labels, by: int) -> Labels:
    """What `labels -= by` leaves: arithmetic that wraps in the type of the labels."""
    return labels - labels.dtype.type(by)


def facts_on_disk(labels: NDArray[np.generic], spec: LabelSpec = NOTHING, name: str = "a.npy") -> MaskFacts:
    """The facts as a scan gathers them, with all optional groups."""
    file = BytesIO()
    np.save(file, labels)
    return facts_of(file.getvalue(), name, ambiguous_ids(spec), with_label_runs=True)


def dataset(masks: Sequence[Labels], spec: LabelSpec = NOTHING, root: str = "masks") -> DatasetFacts:
    """The facts of a set; its files are called 000, 001, ..."""
    data = DatasetBuilder(root)
    for number, labels in enumerate(masks):
        data.add(f"{number:03}", facts_on_disk(labels, spec))
    return data.build()


def on_mask(module: ModuleType, facts: MaskFacts | Labels, spec: LabelSpec = NOTHING) -> list[Finding]:
    """What one check says of one mask."""
    return list(module.rule.mask_check(facts if isinstance(facts, MaskFacts) else MaskFacts.of_labels(facts), spec))


def on_dataset(module: ModuleType, masks: Sequence[Labels] | DatasetFacts, spec: LabelSpec = NOTHING) -> list[Finding]:
    """What one check says of a set."""
    return list(module.rule.dataset_check(masks if isinstance(masks, DatasetFacts) else dataset(masks, spec), spec))


def all_findings(masks: Sequence[Labels], spec: LabelSpec = NOTHING) -> list[Finding]:
    """What all checks together say of a set, as a scan does."""
    rules: list[Rule] = [rule for rule in all_rules() if spec.declared or not rule.needs_classes]
    data, found = DatasetBuilder("masks"), []
    for number, labels in enumerate(masks):
        facts = facts_on_disk(labels, spec)
        data.add(f"{number:03}", facts)
        found += [replace(finding, path=f"{number:03}") for rule in rules if rule.mask_check for finding in rule.mask_check(facts, spec)]
    trusted = data.build()
    for rule in rules:
        if rule.refinement:
            trusted = rule.refinement(trusted, spec)
    for rule in rules:
        if rule.dataset_check:
            found.extend(rule.dataset_check(trusted, spec))
    return without_symptoms(found, rules)


def errors(masks: Sequence[Labels], spec: LabelSpec = NOTHING) -> set[str]:
    """Codes of the errors that all checks together find in a set."""
    return {finding.code for finding in all_findings(masks, spec) if finding.severity is Severity.ERROR}


def only_error(masks: Sequence[Labels], spec: LabelSpec = NOTHING) -> Finding:
    """The only error that all checks together find in a set."""
    finding, = [finding for finding in all_findings(masks, spec) if finding.severity is Severity.ERROR]
    return finding


def mended(fix: Fix, labels: Labels) -> Labels:
    """What the remap command of a fix makes of an array, by the plainest reading of that command.

    Ids before the shift stand left of a colon, ids after it right of it; ignored ids pass unless a merge names them.
    """
    words, = fix.commands
    assert words[:2] == ("labelguard", "remap"), fix
    options = [(words[i], words[i + 1]) for i in range(3, len(words), 2)]
    assert len(words) % 2 and {name for name, _ in options} <= {"--shift", "--merge", "--num-classes", "--ignore-index"}, fix
    shift = sum(int(value) for name, value in options if name == "--shift")
    ignored = [int(value) for name, value in options if name == "--ignore-index"]
    merges = {str(label): target for name, value in options if name == "--merge" for source, target in [value.split(":")]
              for label in parse_source(source, 0, NOTHING)}
    number = next((int(value) for name, value in options if name == "--num-classes"), None)
    result = labels.astype(np.int64)
    for label in np.unique(labels).tolist():
        if str(label) in merges:
            target = merges[str(label)]
            assert target != "ignore" or len(ignored) == 1, f"which id is 'ignore'? {fix}"
            new = ignored[0] if target == "ignore" else int(target)
        else:
            new = label if label in ignored else label + shift
        assert new in ignored or (new >= 0 and (number is None or new < number)), f"{label} -> {new} is not a class: {fix}"
        result[labels == label] = new
    assert result.min() >= 0, f"no label file holds a negative id: {fix}"
    return result


def saved(image: Image.Image, format_: str = "PNG", **options: object) -> bytes:
    """The content of an image file."""
    file = BytesIO()
    image.save(file, format_, **options)
    return file.getvalue()


def png(labels: Labels) -> bytes:
    """A grey PNG of 8 or 16 bits."""
    return saved(Image.fromarray(labels))
