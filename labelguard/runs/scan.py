"""Scan: from paths to named findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Unpack

from labelguard.checks.registry import findings_of_refused, findings_of_unreadable
from labelguard.checks.rule import InSet
from labelguard.checks.symptoms import without_symptoms
from labelguard.errors import UnreadableMaskError, UsageError
from labelguard.facts.ambiguous_ids import ambiguous_ids
from labelguard.facts.builder import DatasetBuilder
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.frozen import FrozenDict
from labelguard.facts.inference import infer
from labelguard.facts.receipt import ReceiptFacts
from labelguard.facts.traits import common_trait
from labelguard.files.content import confirm_contents
from labelguard.files.second_look import look_again
from labelguard.finding import Finding
from labelguard.report.gate import Judging
from labelguard.report.progress import Progress
from labelguard.report.scan import ScanReport
from labelguard.report.skipped import SkippedCheck
from labelguard.runs.examine_image import ExamineImage
from labelguard.runs.examine_mask import ExamineMask
from labelguard.runs.options import ScanKeywords, ScanOptions, refuse_unknown_options, scan_options
from labelguard.runs.plan import ScanPlan, looked_at, plan_scan
from labelguard.runs.pool import stream
from labelguard.runs.results import ImageResult, MaskResult
from labelguard.spec.argument_checks import StrPath


@dataclass
class Scan:
    """A scan under way: iterate over it to do the work, then take the `result`.

    The result can be taken at any time; before the end it is marked as incomplete.

    Parameters
    ----------
    plan
        What is scanned; see `labelguard.runs.plan.plan_scan`.
    collected
        The facts up to now.
    findings
        What was found in single files up to now.
    changed
        The files whose content is not what a receipt records.
    done
        How many files were worked on up to now.
    """

    plan: ScanPlan
    collected: DatasetBuilder = field(init=False)
    findings: list[Finding] = field(default_factory=list, init=False)
    changed: list[str] = field(default_factory=list, init=False)
    done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        plan = self.plan
        self.collected = DatasetBuilder(
            plan.listing.root, skipped=plan.listing.skipped, refused=[name for name, _ in plan.listing.refused],
            training=plan.options.loader_plan(), boxes=plan.boxes,
            images=None if plan.images is None else (plan.images.root, plan.images.pairing),
            instances=plan.options.instances if plan.needs("instances") else None, max_bytes=plan.options.max_memory)
        self.findings += findings_of_refused(plan.listing.refused, plan.rules)
        if plan.images is not None:
            self.findings += (replace(finding, subject="image") for finding in findings_of_refused(plan.images.refused, plan.rules))

    def __iter__(self) -> Iterator[Progress]:
        for mask in self.masks():
            yield self.progress(mask.path)
        for image in self.unpaired_images():
            yield self.progress(image.path)

    def progress(self, path: str) -> Progress:
        """How far the scan has come, with this file."""
        return Progress("scanning", self.done, self.plan.total, path, self.collected.unreadable)

    def masks(self) -> Iterator[MaskResult]:
        """Look at each mask, and at its image."""
        plan, options = self.plan, self.plan.options
        examine = ExamineMask(
            options.spec, tuple(rule.code for rule in plan.rules), plan.needs("label_runs"),
            ambiguous_ids(options.spec) if plan.needs("erosion") else frozenset(), plan.digests, plan.needs("image_pixels"),
            plan.needs("alignment"), options.loader_plan().cropping(options.spec))
        partner = plan.images.of_mask if plan.images is not None else {}
        items = [(*entry, *partner.get(entry[1], ())) for entry in plan.listing.files]
        for result in stream(examine, items, options.jobs, options.backend, options.max_memory, examine.at_once):
            self._take(result)
            yield result

    def unpaired_images(self) -> Iterator[ImageResult]:
        """Look at each image without a mask."""
        plan, options = self.plan, self.plan.options
        unpaired = plan.images.unpaired if plan.images is not None else ()
        examine = ExamineImage(plan.needs("image_pixels"))
        for image in stream(examine, unpaired, options.jobs, options.backend, options.max_memory):
            self._take_image(image)
            self.done += 1
            yield image

    def _take(self, result: MaskResult) -> None:
        self.done += 1
        if result.image is not None:
            self._take_image(result.image)
        if result.facts is None:
            self._refuse(result.path, result.problem)
            return
        image = result.image
        try:
            self.collected.add(result.path, result.facts, image=None if image is None else image.path, crops=result.crops,
                               alignment=None if image is None else image.alignment)
        except UnreadableMaskError as reason:
            self._refuse(result.path, str(reason))
            return
        if result.changed:
            self.changed.append(result.path)
        self.findings.extend(result.findings)

    def _refuse(self, path: str, problem: str) -> None:
        self.collected.unreadable += 1
        self.findings += findings_of_unreadable(path, problem, self.plan.rules)

    def _take_image(self, image: ImageResult) -> None:
        self.collected.add_image(image.path, image.facts)
        if image.facts is None:
            found = findings_of_unreadable(image.path, image.problem, self.plan.rules)
            self.findings += (replace(finding, subject="image") for finding in found)

    def _receipt(self) -> ReceiptFacts:
        recorded, there = set(self.plan.digests), {name for _, name in (*self.plan.listing.files, *self.plan.listing.left_out)}
        if not recorded or self.done < len(self.plan.listing.files):
            return ReceiptFacts(tuple(self.changed))
        return ReceiptFacts(tuple(self.changed), tuple(sorted(recorded - there)), tuple(sorted(there - recorded)))

    @property
    def data(self) -> DatasetFacts:
        """The facts up to now; some masks are read again, to be certain that they are equal, or that their rows are in order."""
        listing, max_memory = self.plan.listing, self.plan.options.max_memory
        data = replace(self.collected.build(), receipt=self._receipt(), remapped=self.plan.remapped, sources=listing.paths,
                       colors_from=self.plan.options.colors_from,
                       selected=self.plan.options.selection.arguments() if listing.left_out else (),
                       left_out=tuple(name for _, name in listing.left_out))
        path_of = {name: path for path, name in listing.files}.__getitem__
        if self.done == self.plan.total and (self.plan.needs("row_order") or self.plan.needs("cut_off")):
            scrambled, cut_off = look_again(data, path_of, max_memory)
            data = replace(data, scrambled=FrozenDict(scrambled), cut_off=FrozenDict(cut_off))
        return data if data.images is None else replace(data, images=confirm_contents(data.images, path_of, max_memory))

    def _skipped(self, data: DatasetFacts) -> tuple[SkippedCheck, ...]:
        """The checks that were not judged, those included that turned out only now to have nothing to look at."""
        plan = self.plan
        late = (SkippedCheck(rule.code, why, bool(plan.options.select) or rule.needs in plan.given) for rule in plan.rules
                if rule.why_not is not None and (why := rule.why_not(data, plan.options.spec)))
        return tuple(sorted((*plan.skipped_checks, *late), key=lambda skipped: skipped.code))

    def _in_set(self, finding: Finding, data: DatasetFacts) -> Finding:
        """A finding on a single file with what its rule says of it once the set is known."""
        in_set = self._rules_in_set.get(finding.code)
        return finding if in_set is None else in_set(finding, data, self.plan.options.spec)

    @cached_property
    def _rules_in_set(self) -> dict[str, InSet]:
        return {rule.code: rule.in_set for rule in self.plan.rules if rule.in_set is not None}

    def result(self) -> ScanReport:
        """Everything found up to now, with what only the whole set shows."""
        plan, spec = self.plan, self.plan.options.spec
        data = trusted = self.data
        for rule in plan.rules:
            if rule.refinement is not None:
                trusted = rule.refinement(trusted, spec)
        of_file = [self._in_set(finding, trusted) for finding in self.findings]
        of_set = [finding for rule in plan.rules if rule.dataset_check is not None for finding in rule.dataset_check(trusted, spec)]
        findings = [_with_trait(finding, data) for finding in without_symptoms([*of_file, *of_set], plan.rules)]
        findings.sort(key=lambda f: (-f.severity.rank, f.path is not None, f.code, f.path or "", f.subject, f.ids))
        judging, skipped, complete = Judging(plan.gate), self._skipped(data), self.done == plan.total
        findings = [part for finding in findings for part in judging.parts(finding)]
        return ScanReport(listing=plan.listing, data=data, trusted=trusted, spec=spec,
                          inference=None if spec.declared else infer(trusted), findings=tuple(findings),
                          skipped_checks=skipped, unselected=plan.unselected, complete=complete, images=plan.images, layout=plan.layout,
                          source_of=plan.source_of, origin=plan.options.origin,
                          gated=judging.outcome(looked_at({"": plan}, skipped, complete)))


def _with_trait(finding: Finding, data: DatasetFacts) -> Finding:
    """The finding with what its files have in common and others have not, where there is such a thing."""
    trait = common_trait(finding.files, data) if finding.files and finding.subject == "mask" else ""
    return replace(finding, evidence=(trait, *finding.evidence)) if trait else finding


def scan(*paths: StrPath, images: StrPath | None = None, boxes: StrPath | Sequence[StrPath] = (), options: ScanOptions | None = None,
         **keywords: Unpack[ScanKeywords]) -> ScanReport:
    """Look through masks and name what is wrong with them.

    Parameters
    ----------
    paths
        Files and folders, searched recursively.
    images
        The folder of the images, paired with the masks by name; without it the checks on pairs are skipped.
    boxes
        COCO files whose boxes are checked, one or several; without `paths`, nothing else is.
    options
        How masks are scanned, where it is wanted more than once.
    keywords
        The same, one by one: `num_classes`, `ignore_index` or a whole `spec`, `select`, `ignore`, `batch_size`, `crop`, `jobs`,
        `max_memory` and so on; `labelguard.ScanOptions` describes them all. They win over `options`. Unlike the command, the function does
        not look for a labelguard.toml: read one with `labelguard.read_spec`.

    Returns
    -------
    ScanReport
        ``print(report)`` shows what the command prints; `report.findings` holds the findings, the worst first.

    Raises
    ------
    IncompleteError
        When there is no mask below the paths, or no image below `images`.
    UsageError
        When an argument makes no sense.

    Examples
    --------
    >>> report = labelguard.scan("masks", num_classes=12, ignore_index=255)  # doctest: +SKIP
    """
    refuse_unknown_options(scan, keywords)
    if not paths and isinstance(boxes, Sequence) and not boxes:
        raise UsageError("paths: there is none; name the masks, as in scan('masks').", argument="paths")
    scanning = Scan(plan_scan(paths, scan_options(options, keywords), images=images, boxes=boxes))
    for _ in scanning:
        pass
    return scanning.result()
