"""ScanOptions: how masks are scanned, as one frozen value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict, Unpack, get_args

from labelguard.errors import UsageError
from labelguard.facts.crops import LoaderPlan
from labelguard.runs.pool import Backend
from labelguard.spec.declarations import merge_specs
from labelguard.spec.labelspec import LabelSpec


class ScanKeywords(TypedDict, total=False):
    """What `ScanOptions`, `labelguard.scan` and `labelguard.scan_splits` take by keyword; see `ScanOptions` for what each means."""

    spec: LabelSpec | None
    num_classes: int | None
    ignore_index: int | Iterable[int]
    select: str | Iterable[str]
    ignore: str | Iterable[str]
    instances: bool
    batch_size: int | None
    crop: Sequence[int] | None
    jobs: int | None
    backend: Backend
    origin: str


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
    origin
        Where the spec was declared, in words; the text report repeats it.

    Raises
    ------
    UsageError
        When a number is not positive, or there is no such backend.
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
    instances: bool
    batch_size: int | None
    crop: tuple[int, int] | None
    jobs: int | None
    backend: Backend
    origin: str

    def __init__(self, **given: Unpack[ScanKeywords]) -> None:
        unknown = sorted(given.keys() - ScanKeywords.__annotations__.keys())
        if unknown:
            raise TypeError(f"There is no option '{unknown[0]}'; there are {', '.join(ScanKeywords.__annotations__)}.")
        labels = given.get("ignore_index", ())
        spec = merge_specs(given.get("spec") or LabelSpec(), num_classes=given.get("num_classes"),
                           ignore_index=labels if isinstance(labels, Iterable) else (labels,))
        crop = given.get("crop")
        jobs, backend = given.get("jobs"), given.get("backend", "threading")
        if jobs is not None and jobs < 1:
            raise UsageError(f"jobs is {jobs!r}; it must be a whole number, at least 1.")
        if backend not in get_args(Backend):
            raise UsageError(f"backend is {backend!r}; it must be one of {', '.join(get_args(Backend))}.")
        values = {"spec": spec, "select": _codes(given.get("select", ())), "ignore": _codes(given.get("ignore", ())),
                  "instances": given.get("instances", False), "batch_size": given.get("batch_size"),
                  "crop": None if crop is None else tuple(crop), "jobs": jobs, "backend": backend, "origin": given.get("origin", "")}
        for field, value in values.items():
            object.__setattr__(self, field, value)  # the class is frozen
        self.loader_plan()

    def loader_plan(self) -> LoaderPlan:
        """The batches and crops that are asked about."""
        return LoaderPlan(self.batch_size, self.crop)


def scan_options(options: ScanOptions | None, keywords: ScanKeywords) -> ScanOptions:
    """The options of a call: keywords win over `options`."""
    changes: dict[str, Any] = {**keywords}  # `replace` hands them to __init__, which takes more types than the fields have
    return ScanOptions(**keywords) if options is None else replace(options, **changes)


def _codes(given: str | Iterable[str]) -> tuple[str, ...]:
    """Codes in a list, or with commas between them."""
    codes = given.split(",") if isinstance(given, str) else given
    return tuple(code.strip() for code in codes if code.strip())
