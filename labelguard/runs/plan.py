"""ScanPlan: what a scan will look at, found out before any mask is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from labelguard.checks.registry import all_rules, select_rules
from labelguard.checks.rule import Group, Rule
from labelguard.errors import UsageError
from labelguard.facts.boxes import BoxFile
from labelguard.files.coco import read_boxes
from labelguard.files.find import FileListing, find_existing, find_masks
from labelguard.files.image_folder import ImageFolder, match, paired
from labelguard.files.layouts import Layout, find_layout
from labelguard.files.own_output import without_own_output
from labelguard.files.receipt import read_receipt
from labelguard.files.selection import anchored
from labelguard.report.gate import Gate, Looked, read_gate
from labelguard.report.skipped import SkippedCheck
from labelguard.runs.options import ScanOptions
from labelguard.spec.argument_checks import StrPath, checked_path, checked_paths


@dataclass(frozen=True)
class ScanPlan:
    """What a scan will look at; `plan_scan` makes one.

    Parameters
    ----------
    options
        How masks are scanned.
    listing
        The masks, and what was left out.
    rules
        The checks that will be asked.
    skipped_checks
        The checks that cannot be judged, and why.
    images
        The images and their pairing with the masks; None where none were given.
    boxes
        The files of boxes that were given.
    digests
        The digest of each file that a receipt in the folder of the masks records.
    remapped
        Whether a receipt in a folder of masks says that their ids were moved.
    given
        The options that checks need and that were given, as `labelguard.checks.rule.Rule.needs` calls them.
    unselected
        How many checks a selection leaves out.
    layout
        The layout of the data set, where one was found that tells masks from other files; `options` then select the masks.
    source_of
        Folders that labelguard wrote, and which were left out, each with the folder that it was written from.
    gate
        What the scan does not fail on; nothing for one of several splits, which are judged together.
    """

    options: ScanOptions
    listing: FileListing
    rules: tuple[Rule, ...]
    skipped_checks: tuple[SkippedCheck, ...] = ()
    images: ImageFolder | None = None
    boxes: tuple[BoxFile, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    remapped: bool = False
    given: frozenset[str] = frozenset()
    unselected: int = 0
    layout: Layout | None = None
    source_of: Mapping[str, str] = field(default_factory=dict)
    gate: Gate = field(default_factory=Gate)

    def needs(self, group: Group) -> bool:
        """Whether any of the checks reads an optional group of facts."""
        return any(group in rule.needs_facts for rule in self.rules)

    @property
    def total(self) -> int:
        """How many files will be worked on: each mask, with its image, and each image without a mask."""
        return len(self.listing.files) + (len(self.images.unpaired) if self.images is not None else 0)


def plan_scan(paths: Sequence[StrPath], options: ScanOptions, *, images: StrPath | None = None, boxes: StrPath | Sequence[StrPath] = (),
              part: bool = False) -> ScanPlan:
    """Find the masks, pair them with images, read boxes and receipt, and select the checks.

    Parameters
    ----------
    paths
        Files and folders.
    options
        How they will be scanned.
    images
        The folder of the images; without it the checks on pairs are skipped.
    boxes
        COCO files whose boxes are checked, one or several; without `paths`, nothing else is.
    part
        Whether this is one of several splits that are compared; it may then have no masks. See `labelguard.runs.compare_splits`.

    Raises
    ------
    IncompleteError
        When there is no mask below the paths, or no image below `images`.
    UsageError
        When a code names no check, something is asked about masks and there are only boxes, or the baseline cannot be read.
    """
    for given in paths:
        checked_path("paths", given, "Give several paths one by one: scan('a', 'b').")
    if images is not None:
        checked_path("images", images)
    boxes = checked_paths("boxes", boxes)
    only_boxes = bool(boxes) and not paths
    if only_boxes and (images is not None or options.loader_plan().asked):
        raise UsageError("Images, batches and crops cannot be checked without masks: name the folder of the masks too, before the options.")
    asked = {"--images": images is not None, "--batch-size": options.batch_size is not None, "--crop": options.crop is not None,
             "splits": part}
    gate = Gate() if part else read_gate(options.accept, options.baseline)
    listing = (find_existing if only_boxes or part else find_masks)(paths)
    listing, source_of = without_own_output(listing)
    layout = None if options.selection or len(paths) != 1 else find_layout([name for _, name in listing.files], options.spec.num_classes)
    if layout is not None:
        options = replace(options, include=layout.masks)  # which the printed commands repeat
    listing, partners = _with_images(listing, options, images, layout)
    options = replace(options, exclude=(*options.exclude, *(f"{anchored(folder)}/" for folder in source_of)))
    rules, skipped = _select(options, asked | {"--images": partners is not None}, only_boxes)
    of_scan = sum(rule.found_by == "scan" for rule in all_rules())
    plan = ScanPlan(options, listing, rules, skipped, partners, layout=layout, source_of=source_of, gate=gate,
                    given=frozenset(option for option, there in asked.items() if there), unselected=of_scan - sum(
                        rule.found_by == "scan" for rule in select_rules(options.select, options.ignore)))
    receipts = [receipt for path in listing.paths if os.path.isdir(path) and (receipt := read_receipt(path)) is not None]
    return replace(plan, boxes=tuple(read_boxes(file) for file in boxes) if plan.needs("boxes") else (),
                   digests=dict(receipts[0].digests) if receipts and len(listing.paths) == 1 and plan.needs("receipt") else {},
                   remapped=any(receipt.remaps for receipt in receipts))


def _with_images(listing: FileListing, options: ScanOptions, images: StrPath | None,
                 layout: Layout | None) -> tuple[FileListing, ImageFolder | None]:
    """The masks that are meant, and the images: those of a folder, or else those of the layout."""
    if images is not None:
        listing, partners = match(listing, images)
        chosen = options.selection.of(listing)
        return chosen, partners.of_masks({name for _, name in chosen.files}) if options.selection else partners
    chosen = options.selection.of(listing)
    if layout is None or not layout.images:
        return chosen, None
    is_image = layout.is_image()
    photos = tuple(entry for entry in listing.files if is_image(entry[1]))
    return chosen, paired(chosen.files, FileListing(listing.root, photos), layout.image_of) if photos else None


def _select(options: ScanOptions, given: Mapping[str, bool], only_boxes: bool) -> tuple[tuple[Rule, ...], tuple[SkippedCheck, ...]]:
    """The checks that can be judged, and those that cannot."""
    asked = bool(options.select)
    rules, skipped = [], []
    for rule in select_rules(options.select, options.ignore):
        undeclared = rule.needs_classes and not options.spec.declared
        if rule.found_by != "scan":
            if asked:
                skipped.append(SkippedCheck(rule.code, f"labelguard {rule.found_by} finds it", asked))
        elif only_boxes and rule.needs_masks:
            skipped.append(SkippedCheck(rule.code, "no masks given", asked))
        elif not given.get(rule.needs, True):
            skipped.append(SkippedCheck(rule.code, f"no {rule.needs} given", asked))
        elif rule.of_classes and options.instances:
            skipped.append(SkippedCheck(rule.code, "the ids are instances (--instances), not classes", asked))
        elif undeclared:
            skipped.append(SkippedCheck(rule.code, "no class count declared", asked, undeclared))
        else:
            rules.append(rule)
    return tuple(rules), tuple(skipped)


def looked_at(plans: Mapping[str, ScanPlan], skipped: Iterable[SkippedCheck], complete: bool) -> Looked:
    """What scans have looked at; `plans` by what the names of their files begin with."""
    rules = {rule.code for plan in plans.values() for rule in select_rules(plan.options.select, plan.options.ignore)}
    return Looked(complete, frozenset(rules - {check.code for check in skipped}),
                  frozenset(f"{start}{name}" for start, plan in plans.items() for _, name in plan.listing.left_out))
