"""ScanOptions: how masks are scanned, as one frozen value."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack

from labelguard.facts.crops import LoaderPlan
from labelguard.files.memory import DEFAULT_BYTES
from labelguard.files.selection import Selection
from labelguard.runs.pool import Backend, checked_jobs, checked_memory
from labelguard.spec.acceptance import Acceptance, acceptances
from labelguard.spec.argument_checks import StrPath, checked_codes, checked_path, instance, refuse_unknown
from labelguard.spec.declarations import checked_spec, merge_specs
from labelguard.spec.labelspec import LabelSpec


class ScanKeywords(TypedDict, total=False):
    """What `ScanOptions`, `labelguard.scan` and `labelguard.scan_splits` take by keyword; see `ScanOptions` for what each means."""

    spec: LabelSpec | None
    num_classes: int | None
    ignore_index: int | Iterable[int]
    select: str | Iterable[str]
    ignore: str | Iterable[str]
    include: str | Iterable[str]
    exclude: str | Iterable[str]
    files_from: StrPath | None
    instances: bool
    batch_size: int | None
    crop: Sequence[int] | None
    jobs: int | None
    backend: Backend
    max_memory: int
    accept: Iterable[Acceptance | Mapping[str, Any]]
    baseline: StrPath | None
    origin: str
    colors_from: str


@dataclass(frozen=True, init=False)
class ScanOptions:
    """How masks are scanned. Frozen; ``dataclasses.replace`` gives a changed copy.

    Parameters
    ----------
    spec
        What is declared about the ids. `num_classes` and `ignore_index` may be given beside it, or instead of it, and win over it.
    select, ignore
        Codes, families or names of the checks to run, and of those to leave out, in a list or with commas between them; see
        `labelguard.checks.registry.select_rules`.
    include, exclude, files_from
        Which of the masks are looked at: patterns as in a .gitignore, or a list; see `labelguard.files.selection.Selection`.
    instances
        Whether the ids of the masks are instances, whose boxes are checked; else that is inferred for masks of more than 8 bits.
    batch_size
        Masks in a batch: whether batches will hold anything to learn is then computed.
    crop
        (H, W) of random crops in pixels, likewise.
    jobs
        Number of workers; by default one for each processor.
    backend
        Workers are threads (``"threading"``) or processes (``"loky"``).
    max_memory
        Bytes that all workers may take together for the files that they read, 10 ** 9 by default. What needs more by itself is refused.
    accept
        Findings that do not fail a run, one table each: the `code` or name of a check, the `reason`, and where not all are meant patterns
        of files (`path`) and `ids`. They stay in the report, with the reason.
    baseline
        A file of known findings, which `ScanReport.write_baseline` writes: they stay in the report, and do not fail a run.
    origin
        Where the spec was declared, in words; the text report repeats it.
    colors_from
        The preset or the file that declares its colors, as ``labelguard remap --colors`` takes it.

    Raises
    ------
    UsageError
        When a value is of the wrong type, a number is not positive, or there is no such backend.
    SpecError
        When the declarations contradict each other.
    TypeError
        When there is no such option.

    Examples
    --------
    >>> ScanOptions(num_classes=12, ignore_index=255, select="LG1,empty-mask").select
    ('LG1', 'empty-mask')
    """

    spec: LabelSpec
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    files_from: str | None
    instances: bool
    batch_size: int | None
    crop: tuple[int, int] | None
    jobs: int | None
    backend: Backend
    max_memory: int
    accept: tuple[Acceptance, ...]
    baseline: str | None
    origin: str
    colors_from: str

    def __init__(self, **given: Unpack[ScanKeywords]) -> None:
        refuse_unknown_options(ScanOptions, given)
        spec = given.get("spec")
        declared = merge_specs(LabelSpec() if spec is None else checked_spec(spec), num_classes=given.get("num_classes"),
                               ignore_index=given.get("ignore_index", ()))
        loader, backend = LoaderPlan(given.get("batch_size"), given.get("crop")), given.get("backend", "threading")  # type: ignore[arg-type]
        selection = Selection(given.get("include", ()), given.get("exclude", ()), given.get("files_from"))
        baseline = None if given.get("baseline") is None else os.fspath(checked_path("baseline", given["baseline"]))
        values = {"spec": declared, "select": checked_codes("select", given.get("select", ())),
                  "ignore": checked_codes("ignore", given.get("ignore", ())),
                  "include": selection.include, "exclude": selection.exclude, "files_from": selection.files_from,
                  "instances": given.get("instances", False), "batch_size": loader.batch_size, "crop": loader.crop,
                  "jobs": checked_jobs(given.get("jobs"), backend), "backend": backend,
                  "max_memory": checked_memory(given.get("max_memory", DEFAULT_BYTES)), "accept": acceptances(given.get("accept", ())),
                  "baseline": baseline, "origin": given.get("origin", ""), "colors_from": given.get("colors_from", "")}
        for field, value in values.items():
            object.__setattr__(self, field, value)  # the class is frozen

    @property
    def selection(self) -> Selection:
        """Which of the masks are looked at."""
        return Selection(self.include, self.exclude, self.files_from)

    def loader_plan(self) -> LoaderPlan:
        """The batches and crops that are asked about."""
        return LoaderPlan(self.batch_size, self.crop)


def scan_options(options: ScanOptions | None, keywords: ScanKeywords) -> ScanOptions:
    """The options of a call: keywords win over `options`."""
    if options is not None:
        instance("options", options, ScanOptions, "give each option by its name, as in batch_size=4, or a labelguard.ScanOptions of them")
    changes: dict[str, Any] = {**keywords}  # `replace` hands them to __init__, which takes more types than the fields have
    return ScanOptions(**keywords) if options is None else replace(options, **changes)


def refuse_unknown_options(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse keywords that `ScanOptions`, or a function that takes the same, does not know; what is for commands is not offered.

    Raises
    ------
    TypeError
        When there is no such argument.
    """
    instead = {"preset": f"give spec=labelguard.read_preset({given.get('preset')!r}).",
               "classes": "give num_classes=N, or the names of the classes in spec=labelguard.LabelSpec(names=[...]).",
               "names": "give the names of the classes in spec=labelguard.LabelSpec(names=[...])."}
    of_commands = {"origin", "colors_from"}
    known = (name for name in ScanKeywords.__annotations__ if name not in of_commands)
    refuse_unknown(function, given.keys() - of_commands, known, instead)
