"""Scan the splits of a data set, each as if alone, and compare them."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Unpack

from labelguard.checks.registry import all_rules, select_rules
from labelguard.checks.rule import Rule
from labelguard.checks.symptoms import without_symptoms
from labelguard.errors import IncompleteError, UsageError
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.fingerprint import Fingerprint, fingerprint_of
from labelguard.facts.frozen import FrozenDict
from labelguard.facts.inference import Inference, infer
from labelguard.facts.split import SplitFacts, joined, pairs_between
from labelguard.files.content import content
from labelguard.files.find import nothing_found
from labelguard.finding import Finding, Severity
from labelguard.report.gate import Gate, Judging, read_gate
from labelguard.report.progress import Progress
from labelguard.report.scan import ScanReport
from labelguard.report.skipped import SkippedCheck
from labelguard.report.splits import SplitsReport
from labelguard.runs.options import ScanKeywords, ScanOptions, refuse_unknown_options, scan_options
from labelguard.runs.placed import alone, placed
from labelguard.runs.plan import ScanPlan, looked_at, plan_scan
from labelguard.runs.scan import Scan
from labelguard.spec.argument_checks import StrPath, paths_by_name
from labelguard.spec.labelspec import LabelSpec

_CHANCE_BITS = 6.6  # masks count as copies where at most one in a hundred sets of this many would hold such a pair by chance


@dataclass(frozen=True)
class SplitsPlan:
    """What a scan of several splits will look at; `plan_splits` makes one.

    Parameters
    ----------
    options
        How masks are scanned, in all splits.
    splits
        The plan for each split, in the order of the report.
    rules
        The checks that compare splits.
    gate
        What the scan does not fail on.
    """

    options: ScanOptions
    splits: Mapping[str, ScanPlan]
    rules: tuple[Rule, ...]
    gate: Gate = field(default_factory=Gate)


def plan_splits(splits: Mapping[str, StrPath], options: ScanOptions, *, images: Mapping[str, StrPath] | None = None) -> SplitsPlan:
    """Find the masks of each split and their images.

    Parameters
    ----------
    splits
        The folder of each split by its name, in the order of the report.
    options
        How masks are scanned, in all splits.
    images
        The folder of the images of each split, by its name; splits may be left out.

    Raises
    ------
    IncompleteError
        When a split has no masks, unless its images are given or it is called test; when no split has any.
    UsageError
        When there are fewer than two splits, folders that hold each other, or images of a split that does not exist.
    """
    splits = paths_by_name("splits", splits, "{'train': 'train/masks', 'val': 'val/masks'}")
    images = {} if images is None else paths_by_name("images", images, "{'train': 'train/images', 'val': 'val/images'}")
    _check_names(splits, images)
    _check_apart(splits, "The folder")
    _check_apart(images, "The folder of the images")
    if options.files_from is not None:
        raise UsageError("A list of masks (files_from, --files-from) says which masks of one set are meant, not of splits; scan them one "
                         "by one, or select by patterns (include, --include).", argument="files_from")
    gate = read_gate(options.accept, options.baseline)
    plans = {name: plan_scan([path], options, images=images.get(name), part=True) for name, path in splits.items()}
    for name, plan in plans.items():
        if not plan.listing.files and name not in images and not name.lower().startswith("test"):
            raise IncompleteError(f"{nothing_found(plan.listing, [splits[name]]).rstrip('.')}, the folder of the split '{name}'. A split "
                                 f"without masks can be compared by its images: --images {name}=DIR.")
    if not any(plan.listing.files for plan in plans.values()):
        raise IncompleteError("No masks found in any split.")
    comparing = tuple(rule for rule in select_rules(options.select, options.ignore) if rule.splits_check is not None)
    return SplitsPlan(options, plans, comparing, gate)


@dataclass
class SplitScan:
    """A scan of several splits under way: iterate over it to do the work, then take the `result`.

    Parameters
    ----------
    plan
        What is scanned; see `plan_splits`.
    scans
        The scan of each split.
    fingerprints
        For each split the fingerprint of each mask that holds exact ids.
    """

    plan: SplitsPlan
    scans: dict[str, Scan] = field(init=False)
    fingerprints: dict[str, dict[str, Fingerprint]] = field(init=False)

    def __post_init__(self) -> None:
        self.scans = {name: Scan(plan) for name, plan in self.plan.splits.items()}
        self.fingerprints = {name: {} for name in self.scans}

    def __iter__(self) -> Iterator[Progress]:
        total = sum(plan.total for plan in self.plan.splits.values())
        before = unreadable = 0
        for name, scan in self.scans.items():
            for step in self._look(scan, self.fingerprints[name]):
                yield Progress("scanning", before + step.done, total, f"{name}/{step.path}", unreadable + step.unreadable)
            before, unreadable = before + scan.done, unreadable + scan.collected.unreadable

    def _look(self, scan: Scan, fingerprints: dict[str, Fingerprint]) -> Iterator[Progress]:
        """Scan one split, and keep what comparisons need of each mask."""
        for mask in scan.masks():
            if mask.facts is not None and mask.facts.exact:
                fingerprints[mask.path] = fingerprint_of(mask.facts, self._spec.ignore_index)
            yield scan.progress(mask.path)
        for image in scan.unpaired_images():
            yield scan.progress(image.path)

    @property
    def _spec(self) -> LabelSpec:
        return self.plan.options.spec

    def result(self) -> SplitsReport:
        """Everything found up to now, and what the comparison shows where all splits were read."""
        reports = {name: _of_one(scan.result()) for name, scan in self.scans.items()}
        complete = all(report.complete for report in reports.values())
        data = joined({name: report.data for name, report in reports.items()})
        trusted = joined({name: report.trusted for name, report in reports.items()})
        inference = None if self._spec.declared else infer(trusted)
        of_splits = [placed(finding, name) for name, report in reports.items() for finding in report.findings]
        compared: list[Finding] = []
        skipped = _skipped(reports)
        if complete:
            compared, left_out = self._compare(self._facts(reports, inference), reports)
            compared += self._of_all_splits(of_splits, trusted)
            skipped = sorted({*skipped, *left_out}, key=lambda check: (check.code, check.why))
        names, judging = list(self.scans), Judging(self.plan.gate)
        of_splits, compared = ([part for finding in found for part in judging.parts(finding)] for found in (of_splits, compared))
        compared.sort(key=lambda f: _order(f, names))
        looked = looked_at({f"{name}/": plan for name, plan in self.plan.splits.items()}, skipped, complete)
        reports = {name: replace(report, findings=tuple(alone(finding, name) for finding in of_splits if finding.split == name))
                   for name, report in reports.items()}
        return SplitsReport(splits=reports, data=data, spec=self._spec, inference=inference, compared=tuple(compared),
                            gated=judging.outcome(looked), findings=tuple(sorted([*of_splits, *compared], key=lambda f: _order(f, names))),
                            skipped_checks=tuple(skipped), unselected=max(report.unselected for report in reports.values()),
                            complete=complete, origin=self.plan.options.origin)

    def _facts(self, reports: Mapping[str, ScanReport], inference: Inference | None) -> list[SplitFacts]:
        """The facts of each split, and what only all of them together tell: which ids are classes, and which masks are copies."""
        spec = self._spec if inference is None else inference.spec
        classes = frozenset(label for label in range(spec.last + 1) if spec.is_class(label) and label not in self._spec.ignore_index
                            ) if spec.declared else frozenset()
        copies = self._copies()
        return [SplitFacts(name, report.trusted, FrozenDict(self.fingerprints[name]), classes, FrozenDict(copies[name]))
                for name, report in reports.items()]

    def _copies(self) -> dict[str, dict[bytes, list[str]]]:
        """For each split its masks whose fingerprints another split has too, by their content; those that may agree by chance left out."""
        least = _CHANCE_BITS + max(1, pairs_between(map(len, self.fingerprints.values()))).bit_length()
        alike: dict[bytes, list[tuple[str, str]]] = defaultdict(list)
        for name, fingerprints in self.fingerprints.items():
            for path, (digest, bits) in fingerprints.items():
                if bits >= least:
                    alike[digest].append((name, path))
        path_of = {name: {file: path for path, file in scan.plan.listing.files} for name, scan in self.scans.items()}
        copies: dict[str, dict[bytes, list[str]]] = {name: {} for name in self.scans}
        for held in alike.values():
            for name, path in held if len({name for name, _ in held}) > 1 else ():
                certain = content(path_of[name][path])
                if certain is not None:
                    copies[name].setdefault(certain, []).append(path)
        return copies

    def _compare(self, splits: list[SplitFacts], reports: Mapping[str, ScanReport]) -> tuple[list[Finding], list[SkippedCheck]]:
        """What the comparing checks find; a split whose ids have another fault is left out where that would be told twice."""
        found: list[Finding] = []
        left_out: list[SkippedCheck] = []
        asking = {Severity.NOTE} if self._spec.declared else {Severity.NOTE, Severity.WARNING}  # a warning then asks for a declaration
        for rule in self.plan.rules:
            assert rule.splits_check is not None
            faults = {name: sorted({finding.code for finding in report.findings if finding.severity not in asking}
                                   & set(rule.symptom_of)) for name, report in reports.items()}
            fit = [split for split in splits if not faults[split.name]]
            found += rule.splits_check(fit, self._spec) if len(fit) > 1 else ()
            left_out += [SkippedCheck(rule.code, f"{name} is left out until {' and '.join(codes)} is fixed", bool(self.plan.options.select))
                         for name, codes in faults.items() if codes]
        return without_symptoms(found, self.plan.rules), left_out

    def _of_all_splits(self, of_splits: list[Finding], data: DatasetFacts) -> list[Finding]:
        """What is judged of all splits taken as one set, where no cause found in a split explains it."""
        options, spec = self.plan.options, self._spec
        found: list[Finding] = []
        for rule in select_rules(options.select, options.ignore):
            if rule.across_splits and rule.dataset_check is not None and (spec.declared or not rule.needs_classes):
                findings = without_symptoms([*of_splits, *rule.dataset_check(data, spec)], [rule])
                found += (finding for finding in findings if finding.code == rule.code)
        return found


def scan_splits(splits: Mapping[str, StrPath], *, images: Mapping[str, StrPath] | None = None, options: ScanOptions | None = None,
                **keywords: Unpack[ScanKeywords]) -> SplitsReport:
    """Scan the splits of a data set, each as if alone, and compare them.

    Parameters
    ----------
    splits
        The folder of each split by its name, in the order of the report.
    images
        The folder of the images of each split, by its name; splits may be left out.
    options, keywords
        How masks are scanned, in all splits; see `labelguard.scan`.

    Raises
    ------
    IncompleteError
        When a split has no masks, unless its images are given or it is called test; when no split has any.
    UsageError
        When there are fewer than two splits, folders that hold each other, or images of a split that does not exist.

    Examples
    --------
    >>> report = labelguard.scan_splits({"train": "train/masks", "val": "val/masks"}, num_classes=12)  # doctest: +SKIP
    """
    refuse_unknown_options(scan_splits, keywords)
    scanning = SplitScan(plan_splits(splits, scan_options(options, keywords), images=images))
    for _ in scanning:
        pass
    return scanning.result()


def _check_names(splits: Mapping[str, StrPath], images: Mapping[str, StrPath]) -> None:
    if len(splits) < 2:
        raise UsageError("Splits are compared with each other: name two or more, as in train=DIR val=DIR.")
    for name in splits:
        if not name or "/" in name:
            raise UsageError(f"'{name}' cannot be the name of a split: give it a name without '/', as in train=DIR.")
    for name in images:
        if name not in splits:
            raise UsageError(f"Images are given for '{name}', which is not one of the splits: {', '.join(splits)}.")


def _check_apart(folders: Mapping[str, StrPath], what: str) -> None:
    """A file that lies in the folders of two splits is a slip of the pen, and not a finding."""
    real = {name: os.path.realpath(path) for name, path in folders.items()}
    for one, other in combinations(real, 2):
        for inner, outer in ((one, other), (other, one)):
            if os.path.commonpath([real[inner], real[outer]]) == real[outer]:
                how = "is" if real[inner] == real[outer] else "lies in"
                raise UsageError(f"{what} of the split '{inner}' {how} that of '{outer}', so its files would belong to both; "
                                 "name separate folders.")


def _of_one(report: ScanReport) -> ScanReport:
    """What is judged of all splits together, such as classes that are absent, is not told of one."""
    elsewhere = {rule.code for rule in all_rules() if rule.across_splits}
    return replace(report, findings=tuple(finding for finding in report.findings if finding.code not in elsewhere))


def _order(finding: Finding, names: list[str]) -> tuple[object, ...]:
    split = -1 if finding.split is None else names.index(finding.split)
    return -finding.severity.rank, finding.path is not None, finding.code, split, finding.path or "", finding.subject, finding.ids


def _skipped(reports: Mapping[str, ScanReport]) -> list[SkippedCheck]:
    """What was skipped in every split once, what was skipped in some with their names."""
    of_splits = {name: set(report.skipped_checks) for name, report in reports.items()}
    everywhere = set.intersection(*of_splits.values())
    rest = [replace(check, why=f"{name}: {check.why}") for name, checks in of_splits.items() for check in checks - everywhere
            if not check.undeclared]
    return sorted([*everywhere, *rest], key=lambda check: (check.code, check.why))
