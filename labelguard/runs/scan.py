"""Scan: from paths to named findings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from labelguard.checks import changed_file, degenerate_box, interpolated, misaligned, palette_drift, unreadable
from labelguard.checks._symptoms import without_symptoms
from labelguard.checks._unexpected_ids import interesting_ids
from labelguard.checks.registry import select_rules
from labelguard.checks.rule import Rule
from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.crops import LoaderPlan
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageFacts, ImageSet
from labelguard.facts.inference import infer
from labelguard.facts.instances import InstanceSet
from labelguard.files.coco import read_boxes
from labelguard.files.content import confirm_contents
from labelguard.files.find import FileListing, find
from labelguard.files.image_folder import ImageFolder, match
from labelguard.files.receipt import read_receipt
from labelguard.finding import Finding
from labelguard.report.scan import ScanReport
from labelguard.report.skipped import SkippedCheck
from labelguard.runs.examine_image import ExamineImage
from labelguard.runs.examine_mask import Examine
from labelguard.runs.pool import Backend, FileResult, stream
from labelguard.spec.labelspec import LabelSpec

UNDECLARED = "no class count declared"


@dataclass
class Scan:
    """A scan under way: iterate over it for the reports on single files, then take the `result`.

    The result can be taken at any time; before the end it is marked as incomplete.

    Parameters
    ----------
    paths
        Files and folders.
    spec
        What is declared about the ids.
    select, ignore
        Codes or names of the checks to run, and of those to leave out; see `labelguard.checks.registry.select_rules`.
    jobs, backend
        See `labelguard.runs.pool.stream`.
    images
        The folder of the images; without it the checks on pairs are skipped.
    boxes
        COCO files whose boxes are checked; without `paths`, nothing else is.
    instances
        Whether the ids of the masks are instances, whose boxes are checked; else that is inferred for masks of more than 8 bits.
    batch_size, crop
        Masks in a batch, and (H, W) of random crops, where it is asked what these will hold.
    part
        Whether this is one of several splits that are compared; it may then have no masks. See `labelguard.runs.compare_splits`.
    origin
        Where the spec was declared, in words, for the report.

    Raises
    ------
    IncompleteError
        When there is no mask below the paths, or no image below `images`.
    UsageError
        When a code names no check.
    """

    paths: Sequence[str | os.PathLike[str]]
    spec: LabelSpec = field(default_factory=LabelSpec)
    select: Iterable[str] = ()
    ignore: Iterable[str] = ()
    jobs: int | None = None
    backend: Backend = "threading"
    images: str | os.PathLike[str] | None = None
    boxes: Sequence[str | os.PathLike[str]] = ()
    instances: bool = False
    batch_size: int | None = None
    crop: tuple[int, int] | None = None
    part: bool = False
    origin: str = ""

    def __post_init__(self) -> None:
        self.select = tuple(self.select)
        self.asked = bool(self.select)
        rules = [rule for rule in select_rules(self.select, self.ignore) if rule.found_by == "scan" or self.asked]
        self.rules = tuple(rule for rule in rules if not self._why_not(rule))
        self.skipped_checks = tuple(SkippedCheck(rule.code, why, self.asked, why == UNDECLARED) for rule in rules
                                    if (why := self._why_not(rule)))
        self.found = find(self.paths)
        if self.found.missing:
            raise IncompleteError(f"'{self.found.missing[0]}' does not exist, or cannot be opened.")
        if not self.found.files and not self._only_boxes and not self.part:
            raise IncompleteError(nothing_found(self.found, self.paths))
        self.digests = self._recorded() if changed_file.rule in self.rules else {}
        self.data = DatasetFacts(self.found.root, skipped=self.found.skipped, training=LoaderPlan(self.batch_size, self.crop))
        if degenerate_box.rule in self.rules:
            self.data.boxes = [read_boxes(path) for path in self.boxes]
            self.data.instances = InstanceSet(self.instances)
        self.partners: ImageFolder | None = None
        if self._only_boxes and (self.images is not None or self.data.training.asked):
            raise UsageError("--images, --batch-size and --crop need masks; name their folder before the options.")
        if self.images is not None:
            self.found.files, self.partners = match(self.found, self.images)
            self.data.images = ImageSet(self.partners.root, self.partners.pairing)
        self.findings: list[Finding] = []
        self.done = 0

    def __iter__(self) -> Iterator[FileResult]:
        codes = tuple(rule.code for rule in self.rules)
        judged = any(code in codes for code in ("LG102", "LG103", "LG106", "LG110"))
        pixels = any(rule.needs_pixels for rule in self.rules)
        aligned = any(code in codes for code in ("LG303", "LG304", "LG305"))
        examine = Examine(self.spec, codes, interesting_ids(self.spec) if judged else frozenset(), self.digests, pixels, aligned,
                          self.data.training.cropping(self.spec))
        partner = self.partners.of_mask if self.partners is not None else {}
        items = [(*entry, *partner.get(entry[1], ())) for entry in self.found.files]
        for report in stream(examine, items, self.jobs, self.backend):
            if report.path in partner:
                self._take_image(partner[report.path][1], report.image, report.image_problem)
            if report.alignment is not None:
                self.data.alignment.pairs[report.path] = report.alignment
            self._take(report)
            yield report
        for report in stream(ExamineImage(pixels), self.partners.alone if self.partners is not None else (), self.jobs, self.backend):
            self._take_image(report.path, report.image, report.problem)
            self.done += 1
            yield report

    def _why_not(self, rule: Rule) -> str:
        """Why a check cannot be judged; empty where it can."""
        if rule.found_by != "scan":
            return f"labelguard {rule.found_by} finds it"
        if self._only_boxes and rule is not degenerate_box.rule:
            return "no masks given"
        given = {"--images": self.images, "--batch-size": self.batch_size, "--crop": self.crop, "splits": self.part or None}
        if given.get(rule.needs, rule) is None:
            return f"no {rule.needs} given"
        return UNDECLARED if rule.needs_classes and not self.spec.declared else ""

    @property
    def _only_boxes(self) -> bool:
        return bool(self.boxes) and not self.paths

    @property
    def total(self) -> int:
        """How many reports there will be: one for each mask, with its image, and one for each image without a mask."""
        return len(self.found.files) + (len(self.partners.alone) if self.partners is not None else 0)

    def _recorded(self) -> dict[str, str]:
        """The digests that a receipt in the scanned folder records."""
        receipt = read_receipt(self.found.root) if os.path.isdir(self.found.root) else None
        return {} if receipt is None else {name: str(entry.get("digest")) for name, entry in receipt["files"].items()}

    def _take(self, report: FileResult) -> None:
        self.done += 1
        if report.facts is not None:
            self.data.add(report.path, report.facts)
            if report.crops is not None:
                self.data.training.crops[report.path] = report.crops
            if degenerate_box.rule in self.rules:
                self.data.instances.add(report.path, report.facts)
            if self.data.images is not None and self.partners is not None and report.path in self.partners.of_mask:
                self.data.images.add(report.path, report.facts, self.partners.of_mask[report.path][1])
            self.findings.extend(report.findings)
        else:
            self.data.unreadable += 1
            if unreadable.rule in self.rules:
                self.findings.append(unreadable.unreadable(report.path, report.problem or "cannot be read"))

    def _take_image(self, name: str, facts: ImageFacts | None, problem: str | None) -> None:
        images = self.data.images
        assert images is not None
        if facts is not None:
            images.images[name] = facts
            return
        images.unreadable += 1
        if unreadable.rule in self.rules:
            self.findings.append(replace(unreadable.unreadable(name, problem or "cannot be read"), subject="image"))

    def _skipped(self) -> tuple[SkippedCheck, ...]:
        """The checks that were not judged; whether masks hold instances, and whether images show what masks outline, is known only now."""
        late = []
        if degenerate_box.rule in self.rules and not (self.boxes or self.instances
                                                      or self.data.instances.ids(self.data.records, self.spec)):
            late.append(SkippedCheck(degenerate_box.rule.code, "no --boxes given", self.asked))
        if misaligned.rule in self.rules and self.data.alignment.verdict.status == "abstains":
            late.append(SkippedCheck(misaligned.rule.code, self.data.alignment.verdict.why, self.asked))
        return tuple(sorted((*self.skipped_checks, *late), key=lambda skipped: skipped.code))

    def result(self) -> ScanReport:
        """Everything found up to now, with what only the whole set shows."""
        findings = list(self.findings)
        if self.data.images is not None:
            confirm_contents(self.data.images, {name: path for path, name in self.found.files}.__getitem__)
        data = self.data
        for cause in (interpolated, palette_drift):
            data = cause.trusted(data) if cause.rule in self.rules else data
        for rule in self.rules:
            if rule.dataset_check is not None:
                findings.extend(rule.dataset_check(data, self.spec))
        if self.digests and self.done >= len(self.found.files):
            findings.extend(changed_file.strays(set(self.digests), {name for _, name in self.found.files}))
        findings = without_symptoms(findings, self.rules)
        findings.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.subject, f.ids))
        return ScanReport(listing=self.found, data=self.data, spec=self.spec, inference=None if self.spec.declared else infer(data),
                          findings=tuple(findings), skipped_checks=self._skipped(), complete=self.done == self.total,
                          images=self.partners, origin=self.origin)


def scan(*paths: str | os.PathLike[str], spec: LabelSpec | None = None, select: Iterable[str] = (), ignore: Iterable[str] = (),
         jobs: int | None = None, backend: Backend = "threading", images: str | os.PathLike[str] | None = None,
         boxes: Sequence[str | os.PathLike[str]] = (), instances: bool = False, batch_size: int | None = None,
         crop: tuple[int, int] | None = None) -> ScanReport:
    """Scan folders of masks; see `Scan` for the parameters.

    Examples
    --------
    >>> report = labelguard.scan("masks", spec=labelguard.LabelSpec(num_classes=12))  # doctest: +SKIP
    """
    scanning = Scan(paths, spec or LabelSpec(), select, ignore, jobs, backend, images, boxes, instances, batch_size, crop)
    for _ in scanning:
        pass
    return scanning.result()


def nothing_found(found: FileListing, paths: Sequence[str | os.PathLike[str]]) -> str:
    """What lies there instead of masks, in words."""
    where = ", ".join(f"'{os.fspath(path)}'" for path in paths)
    others = ", ".join(f"{n} {suffix or 'without a suffix'}" for suffix, n in sorted(found.others.items())[:5])
    return f"No masks found in {where}" + (f" (files of other kinds: {others})." if others else ".")
