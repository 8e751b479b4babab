"""DatasetFacts: what was learned of a whole set of masks, frozen, and the few questions that checks ask of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import wraps
from itertools import islice
from typing import Any, TypeVar

from labelguard.facts.boxes import BoxFile
from labelguard.facts.crops import LoaderPlan
from labelguard.facts.cut_off import CutOff
from labelguard.facts.frozen import FrozenDict
from labelguard.facts.image import ImageSet
from labelguard.facts.instances import InstanceSet
from labelguard.facts.mask_facts import ErosionStats
from labelguard.facts.painted import PaintedSet
from labelguard.facts.receipt import ReceiptFacts
from labelguard.facts.record import FileRecord, Ids, Kind
from labelguard.facts.row_order import RowOrder
from labelguard.finding import Arguments, FileList
from labelguard.pairing.alignment import AlignmentSet
from labelguard.spec.labelspec import LabelSpec

Where = Collection[int] | Callable[[Ids], bool]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, eq=False)
class DatasetFacts:
    """What was learned of a whole set of masks. Frozen: `labelguard.facts.builder.DatasetBuilder` makes it.

    Sums are fields. Everything else is asked by a query: today a list of records answers, and a table could. A file is exact where its
    ids are what somebody labeled: no colors, no fractions, no lossy codec. Where a query takes `where`, that is either some ids, and
    matches the files that hold any of them, or a function of the ids of a file, called once for each distinct set of ids.

    Parameters
    ----------
    root
        The folder as the user wrote it, for commands that mend; a placeholder where there were several.
    records
        One for each file that was read, in the order of the report. To walk them costs a step for each file: ask a query where one will do.
    skipped
        Hidden and junk files that were left out, relative to the root.
    refused
        Folders and links that could not be followed, devices and pipes, likewise.
    unreadable
        How many files could not be read.
    pixels
        Pixels of all masks read.
    ids
        Pixels of each id, summed over all masks read.
    files_with
        Number of exact files that hold each id.
    erosion
        The sums of the optional facts on the shape of single ids.
    images
        What was learned of the images beside the masks; None where no images were given.
    boxes
        What was learned of each file of boxes.
    instances
        The masks whose ids may be instances.
    palettes
        For each palette the places in `records` of the files that have it.
    painted
        The colors of the masks that hold colors.
    colors_from
        The preset or the file that declares colors; empty where none does.
    alignment
        The masks that were seen beside their images: whether their edges lie in the same places.
    training
        The batches and crops that were asked about.
    receipt
        How the files compare with the receipt of their folder.
    smoothed
        The files whose ids were smoothed; None as long as nobody has looked.
    scrambled
        The files whose rows are scrambled, of those that were looked at for it.
    cut_off
        The files that break off in the middle of a row, likewise.
    remapped
        Whether ids were moved when the folder was written; they are moved again only by who says so.
    sources
        The paths that were read, as the user wrote them: what a command can be given. Where there are several, names begin with theirs.
    selected
        The options that said which masks are meant; empty where all are.
    left_out
        The masks that are not.
    """

    root: str = "."
    records: tuple[FileRecord, ...] = ()
    skipped: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    unreadable: int = 0
    pixels: int = 0
    ids: Mapping[int, int] = field(default_factory=FrozenDict)
    files_with: Mapping[int, int] = field(default_factory=FrozenDict)
    erosion: Mapping[int, ErosionStats] = field(default_factory=FrozenDict)
    images: ImageSet | None = None
    boxes: tuple[BoxFile, ...] = ()
    instances: InstanceSet = field(default_factory=InstanceSet)
    palettes: Mapping[bytes, tuple[int, ...]] = field(default_factory=FrozenDict)
    painted: PaintedSet = field(default_factory=PaintedSet)
    colors_from: str = ""
    alignment: AlignmentSet = field(default_factory=AlignmentSet)
    training: LoaderPlan = field(default_factory=LoaderPlan)
    receipt: ReceiptFacts = field(default_factory=ReceiptFacts)
    smoothed: frozenset[str] | None = None
    scrambled: Mapping[str, RowOrder] = field(default_factory=FrozenDict)
    cut_off: Mapping[str, CutOff] = field(default_factory=FrozenDict)
    remapped: bool = False
    sources: tuple[str, ...] = ()
    selected: Arguments = ()
    left_out: tuple[str, ...] = ()
    _answers: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __reduce__(self) -> tuple[type[DatasetFacts], tuple[Any, ...]]:
        """Answers are found out anew. (Not by `__getstate__`, in whose place Python 3.11.2 puts its own.)"""
        return type(self), tuple(getattr(self, each.name) for each in fields(self) if each.init)

    def remember(self, question: object, answer: Callable[[], Answer]) -> Answer:
        """The answer to a question about these facts, found out once; they do not change, and so it does not either."""
        if question not in self._answers:
            self._answers[question] = answer()
        found: Answer = self._answers[question]
        return found

    # --- queries --------------------------------------------------------------------------------------------------------------------------

    @property
    def num_exact(self) -> int:
        """The number of exact files. One pass over the files, once."""
        return self.remember("num_exact", lambda: sum(record.exact for record in self.records))

    def id_sets(self, where: Where | None = None) -> Mapping[Ids, int]:
        """The distinct sets of ids in exact files, ascending tuples in the order in which they first come up, with the number of files of
        each. One pass over the files, once; then a step for each distinct set."""
        every: Mapping[Ids, int] = self.remember(
            "id_sets", lambda: FrozenDict(Counter(record.ids for record in self.records if record.exact)))
        if where is None:
            return every
        matches = _predicate(where)
        return {ids: files for ids, files in every.items() if matches(ids)}

    def kinds(self) -> Mapping[Kind, int]:
        """Sizes and encodings of all files, exact or not, with the number of files of each. One pass over the files, once."""
        return self.remember("kinds", lambda: FrozenDict(Counter(record.kind for record in self.records)))

    def count_of(self, where: Where) -> int:
        """The number of exact files that match. A step for each distinct set of ids."""
        return sum(self.id_sets(where).values())

    def files(self, where: Where | None = None, limit: int | None = None) -> FileList:
        """The exact files that match, in the order of the report; the first ones only where there is a limit. One pass over the files."""
        if where is None and limit is None:
            return self.remember("files", lambda: FileList(tuple(record.path for record in self.records if record.exact)))
        return FileList(tuple(record.path for record in islice(self.select(where), limit)))

    def files_of_kind(self, matches: Callable[[Kind], bool] | None = None, limit: int | None = None) -> FileList:
        """The files, exact or not, of the kinds that match, in the order of the report. One pass over the files."""
        wanted = {kind for kind in self.kinds() if matches is None or matches(kind)}
        return FileList(tuple(islice((record.path for record in self.records if record.kind in wanted), limit)))

    def select(self, where: Where | None = None) -> Iterator[FileRecord]:
        """The records of the exact files that match, for what has to be told file by file. One pass over the files."""
        if where is None:
            return (record for record in self.records if record.exact)
        wanted = self.id_sets(where)
        return (record for record in self.records if record.exact and record.ids in wanted)

    def pixels_of(self, ids: Iterable[int], where: Where | None = None) -> int:
        """The pixels of some ids in the exact files that match. One pass over the ids of these files."""
        wanted = frozenset(ids)
        return sum(record.pixels_of(wanted) for record in self.select(where))

    def only(self, where: Where) -> DatasetFacts:
        """The same facts of the exact files that match alone: their records and ids."""
        records = tuple(self.select(where))
        ids: Counter[int] = Counter()
        for record in records:
            for label, number in zip(record.ids, record.num_pixels, strict=True):
                ids[label] += number
        return replace(self, records=records, pixels=ids.total(), ids=FrozenDict(ids),
                       files_with=FrozenDict(Counter(label for record in records for label in record.ids)))

    def distrusting(self, paths: Collection[str]) -> DatasetFacts:
        """The same facts, but without taking the ids of some files for what somebody labeled."""
        records = tuple(record._replace(exact=False) if record.path in paths else record for record in self.records)
        files_with = Counter(label for record in records if record.exact for label in record.ids)
        return replace(self, records=records, files_with=FrozenDict(files_with))


def _predicate(where: Where) -> Callable[[Ids], bool]:
    if callable(where):
        return where
    wanted = frozenset(where)
    return lambda ids: not wanted.isdisjoint(ids)


Question = Callable[[DatasetFacts, LabelSpec], Answer]


def once(question: Question[Answer]) -> Question[Answer]:
    """Answer a question about a set and a spec once, however many checks ask it; the answer must not be changed."""
    @wraps(question)
    def remembered(data: DatasetFacts, spec: LabelSpec) -> Answer:
        return data.remember((question, spec), lambda: question(data, spec))
    return remembered
