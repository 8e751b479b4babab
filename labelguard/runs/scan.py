"""Scan: from paths to named findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Unpack

from labelguard.checks import changed_file, degenerate_box, interpolated, misaligned, palette_drift, unreadable
from labelguard.checks._symptoms import without_symptoms
from labelguard.checks._unexpected_ids import interesting_ids
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.image import ImageSet
from labelguard.facts.inference import infer
from labelguard.facts.instances import InstanceSet
from labelguard.files.content import confirm_contents
from labelguard.finding import Finding
from labelguard.report.progress import Progress
from labelguard.report.scan import ScanReport
from labelguard.report.skipped import SkippedCheck
from labelguard.runs.examine_image import ExamineImage
from labelguard.runs.examine_mask import Examine
from labelguard.runs.options import ScanKeywords, ScanOptions, scan_options
from labelguard.runs.plan import ScanPlan, StrPath, plan_scan
from labelguard.runs.pool import stream
from labelguard.runs.results import ImageResult, MaskResult


@dataclass
class Scan:
    """A scan under way: iterate over it to do the work, then take the `result`.

    The result can be taken at any time; before the end it is marked as incomplete.

    Parameters
    ----------
    plan
        What is scanned; see `labelguard.runs.plan.plan_scan`.
    data
        The facts up to now.
    findings
        What was found in single files up to now.
    done
        How many files were worked on up to now.
    """

    plan: ScanPlan
    data: DatasetFacts = field(init=False)
    findings: list[Finding] = field(default_factory=list, init=False)
    done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        self.data = DatasetFacts(plan.listing.root, skipped=plan.listing.skipped, training=plan.options.loader_plan(),
                                 boxes=list(plan.boxes))
        if degenerate_box.rule in plan.rules:
            self.data.instances = InstanceSet(plan.options.instances)
        if plan.images is not None:
            self.data.images = ImageSet(plan.images.root, plan.images.pairing)

    def __iter__(self) -> Iterator[Progress]:
        for mask in self.masks():
            yield self.progress(mask.path)
        for image in self.unpaired_images():
            yield self.progress(image.path)

    def progress(self, path: str) -> Progress:
        """How far the scan has come, with this file."""
        return Progress("scanning", self.done, self.plan.total, path, self.data.unreadable)

    def masks(self) -> Iterator[MaskResult]:
        """Look at each mask, and at its image."""
        plan, options = self.plan, self.plan.options
        codes = tuple(rule.code for rule in plan.rules)
        judged = any(code in codes for code in ("LG102", "LG103", "LG106", "LG110"))
        pixels = any(rule.needs_pixels for rule in plan.rules)
        aligned = any(code in codes for code in ("LG303", "LG304", "LG305"))
        examine = Examine(options.spec, codes, interesting_ids(options.spec) if judged else frozenset(), dict(plan.digests), pixels,
                          aligned, self.data.training.cropping(options.spec))
        partner = plan.images.of_mask if plan.images is not None else {}
        items = [(*entry, *partner.get(entry[1], ())) for entry in plan.listing.files]
        for result in stream(examine, items, options.jobs, options.backend):
            self._take(result)
            yield result

    def unpaired_images(self) -> Iterator[ImageResult]:
        """Look at each image without a mask."""
        plan, options = self.plan, self.plan.options
        pixels = any(rule.needs_pixels for rule in plan.rules)
        alone = plan.images.alone if plan.images is not None else ()
        for image in stream(ExamineImage(pixels), alone, options.jobs, options.backend):
            self._take_image(image)
            self.done += 1
            yield image

    def _take(self, result: MaskResult) -> None:
        self.done += 1
        if result.image is not None:
            self._take_image(result.image)
            if result.image.alignment is not None:
                self.data.alignment.pairs[result.path] = result.image.alignment
        if result.facts is None:
            self.data.unreadable += 1
            if unreadable.rule in self.plan.rules:
                self.findings.append(unreadable.unreadable(result.path, result.problem))
            return
        self.data.add(result.path, result.facts)
        if result.crops is not None:
            self.data.training.crops[result.path] = result.crops
        if degenerate_box.rule in self.plan.rules:
            self.data.instances.add(result.path, result.facts)
        if self.data.images is not None and result.image is not None:
            self.data.images.add(result.path, result.facts, result.image.path)
        self.findings.extend(result.findings)

    def _take_image(self, image: ImageResult) -> None:
        images = self.data.images
        assert images is not None
        if image.facts is not None:
            images.images[image.path] = image.facts
            return
        images.unreadable += 1
        if unreadable.rule in self.plan.rules:
            self.findings.append(replace(unreadable.unreadable(image.path, image.problem), subject="image"))

    def _skipped(self) -> tuple[SkippedCheck, ...]:
        """The checks that were not judged; whether masks hold instances, and whether images show what masks outline, is known only now."""
        plan, asked, late = self.plan, bool(self.plan.options.select), []
        if degenerate_box.rule in plan.rules and not (plan.boxes or plan.options.instances
                                                      or self.data.instances.ids(self.data.records, plan.options.spec)):
            late.append(SkippedCheck(degenerate_box.rule.code, "no --boxes given", asked))
        if misaligned.rule in plan.rules and self.data.alignment.verdict.status == "abstains":
            late.append(SkippedCheck(misaligned.rule.code, self.data.alignment.verdict.why, asked))
        return tuple(sorted((*plan.skipped_checks, *late), key=lambda skipped: skipped.code))

    def result(self) -> ScanReport:
        """Everything found up to now, with what only the whole set shows."""
        plan, spec = self.plan, self.plan.options.spec
        findings = list(self.findings)
        if self.data.images is not None:
            confirm_contents(self.data.images, {name: path for path, name in plan.listing.files}.__getitem__)
        data = self.data
        for cause in (interpolated, palette_drift):
            data = cause.trusted(data) if cause.rule in plan.rules else data
        for rule in plan.rules:
            if rule.dataset_check is not None:
                findings.extend(rule.dataset_check(data, spec))
        if plan.digests and self.done >= len(plan.listing.files):
            findings.extend(changed_file.strays(set(plan.digests), {name for _, name in plan.listing.files}))
        findings = without_symptoms(findings, plan.rules)
        findings.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.subject, f.ids))
        return ScanReport(listing=plan.listing, data=self.data, spec=spec, inference=None if spec.declared else infer(data),
                          findings=tuple(findings), skipped_checks=self._skipped(), complete=self.done == plan.total,
                          images=plan.images, origin=plan.options.origin)


def scan(*paths: StrPath, images: StrPath | None = None, boxes: Sequence[StrPath] = (), options: ScanOptions | None = None,
         **keywords: Unpack[ScanKeywords]) -> ScanReport:
    """Look through masks and name what is wrong with them.

    Parameters
    ----------
    paths
        Files and folders, searched recursively.
    images
        The folder of the images, paired with the masks by name; without it the checks on pairs are skipped.
    boxes
        COCO files whose boxes are checked; without `paths`, nothing else is.
    options
        How masks are scanned, where it is wanted more than once.
    keywords
        The same, one by one: `num_classes`, `ignore_index` or a whole `spec`, `select`, `ignore`, `batch_size`, `crop`, `jobs` and so on;
        `labelguard.ScanOptions` describes them all. They win over `options`.

    Returns
    -------
    ScanReport
        ``print(report)`` shows what the command prints; `report.findings` holds the findings, the worst first.

    Raises
    ------
    IncompleteError
        When there is no mask below the paths, or no image below `images`.
    UsageError
        When an option makes no sense.

    Examples
    --------
    >>> report = labelguard.scan("masks", num_classes=12, ignore_index=255)  # doctest: +SKIP
    """
    scanning = Scan(plan_scan(paths, scan_options(options, keywords), images=images, boxes=boxes))
    for _ in scanning:
        pass
    return scanning.result()
