"""Init: a labelguard.toml with what the ids of some masks seem to mean."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from labelguard.errors import IncompleteError, UsageError
from labelguard.explanations.decide import verdict_on
from labelguard.explanations.explanation import VOID
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.inference import Inference
from labelguard.files.memory import DEFAULT_BYTES
from labelguard.files.whole_file import whole_file
from labelguard.report.progress import Progress
from labelguard.runs.options import ScanOptions
from labelguard.runs.plan import ScanPlan, plan_scan
from labelguard.runs.scan import Scan
from labelguard.spec.argument_checks import StrPath, checked_path
from labelguard.spec.declarations import SPEC_FILE_NAME
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, reason

_CHECKS = "LG0,undeclared-ignore"  # how files are stored decides which ids can be relied on; what may be void is looked at
_MOST_LISTED = 300


@dataclass(frozen=True)
class InitPlan:
    """The masks that are looked at, and the file that will be written; `plan_init` makes one."""

    masks: ScanPlan
    file: Path


def plan_init(source: StrPath, file: StrPath = SPEC_FILE_NAME, *, jobs: int | None = None, max_memory: int = DEFAULT_BYTES) -> InitPlan:
    """Find the masks, and make sure that the file does not exist yet; see `init`."""
    checked_path("source", source)
    target = Path(checked_path("file", file))
    _refuse_existing(target)
    return InitPlan(plan_scan([source], ScanOptions(select=_CHECKS, jobs=jobs, max_memory=max_memory)), target)


@dataclass
class Init:
    """The work under way: iterate over it to look at the masks, then `write` the file."""

    plan: InitPlan
    scan: Scan = field(init=False)

    def __post_init__(self) -> None:
        self.scan = Scan(self.plan.masks)

    def __iter__(self) -> Iterator[Progress]:
        return iter(self.scan)

    def write(self) -> Inference:
        """Write the file, and give what was inferred."""
        report = self.scan.result()
        assert report.inference is not None, "nothing is declared here"
        doubt = _doubt(report.trusted, report.inference)
        inference = replace(report.inference, lines=(*report.inference.lines, doubt)) if doubt else report.inference
        try:
            with whole_file(str(self.plan.file), _is_free) as file:
                file.write(spec_file(inference, report.data, declare=not doubt))
        except OSError as problem:
            raise IncompleteError(f"{self.plan.file} cannot be written: {reason(problem)}.") from None
        return inference


def _refuse_existing(file: Path) -> None:
    """Refuse to write where something lies, be it a link that leads nowhere."""
    if _is_free(str(file)):
        return
    if file.is_dir():
        raise UsageError(f"{file} is a folder; remove it, or rename it, first.")
    if not file.exists():
        raise UsageError(f"{file} is a link to '{os.path.realpath(file)}', which does not exist; remove the link first.")
    if not file.stat().st_size:
        raise UsageError(f"{file} exists already, and is empty; remove it first.")
    raise UsageError(f"{file} exists already; edit it, or remove it first.")


def _is_free(place: str) -> bool:
    """Whether nothing has this name."""
    return not os.path.lexists(place)


def init(source: StrPath, file: StrPath = SPEC_FILE_NAME, *, jobs: int | None = None, max_memory: int = DEFAULT_BYTES) -> Inference:
    """Write a labelguard.toml with what the ids of some masks seem to mean, to be reviewed.

    Parameters
    ----------
    source
        A folder of masks, or a file.
    file
        The file to write.
    jobs
        Number of workers; by default one for each processor.
    max_memory
        Bytes that all workers may take together for the files that they read.

    Returns
    -------
    Inference
        What was inferred, how sure that is, and on how many files it rests.

    Raises
    ------
    UsageError
        When the file exists, or an argument makes no sense.
    IncompleteError
        When there are no masks, or the file cannot be written.

    Examples
    --------
    >>> labelguard.init("masks").spec  # doctest: +SKIP
    LabelSpec(num_classes=12, ignore_index=(255,), names=(), colors=(), background=None)
    """
    work = Init(plan_init(source, file, jobs=jobs, max_memory=max_memory))
    for _ in work:
        pass
    return work.write()


def _doubt(data: DatasetFacts, inference: Inference) -> str:
    """Why it is not certain that the ids are void which were not counted as classes; empty where it is, or there are none.

    A wrapped -1 that is declared as void is never spoken of again, by any scan.
    """
    void, verdict = set(inference.spec.ignore_index), verdict_on(data, LabelSpec())
    if not void or verdict is None:
        return ""
    taken = all(explanation.table.get(label) == VOID for part, explanation in verdict.told for label in void.intersection(part.ids))
    if taken and verdict.certainty == "certain":
        return ""
    return (f"Nothing is declared yet, since the ids do not settle what {listed(sorted(void))} is: perhaps {verdict.doubt}. Look at one "
            "mask beside its image, then take the '#' off num_classes and ignore_index, or write what is right.")


def spec_file(inference: Inference, data: DatasetFacts, *, declare: bool = True) -> str:
    """A labelguard.toml that says what was inferred, how sure that is, and what was counted; where it is not to declare anything, the
    lines that would are comments."""
    spec = inference.spec
    lines = ["# What the ids of this data set mean. Inferred by labelguard: review every line, then keep this file in version control.",
             *(f"# {line}" for line in inference.lines), ""]
    no = "" if declare else "# "
    lines.append(f"{no}num_classes = {spec.num_classes}" if spec.declared else
                 "# num_classes = 2    # could not be inferred: how many are there?")
    lines.append(f"{no}ignore_index = {list(spec.ignore_index)}{'    # not counted as a class: is it void?' if spec.ignore_index else ''}")
    lines += ["", '# One name for each class, in the order of the ids; a class named "background" is what empty masks hold.']
    lines += ['# names = ["background", "first class", ...]', ""]
    lines.append("# id: pixels, files")
    lines += [f"# {label}: {data.ids[label]:,}, {data.files_with[label]:,}" for label in sorted(data.files_with)[:_MOST_LISTED]]
    if len(data.files_with) > _MOST_LISTED:
        lines.append(f"# ... and {count(len(data.files_with) - _MOST_LISTED, 'more id')}")
    return "\n".join(lines) + "\n"
