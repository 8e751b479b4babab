"""The work on one file of a rewrite: read, put through a stage, encode, account for every pixel, write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from labelguard.checks.registry import all_rules
from labelguard.errors import MaskRejectedError, UnreadableMaskError
from labelguard.facts.digest import digest_in_receipt
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.colors import decode_colors
from labelguard.files.mask import decode_with_facts, facts_of
from labelguard.files.mask_files import RemappedMask, WholeTable, remapped_files
from labelguard.files.memory import keep, take
from labelguard.files.output_folder import OutputFolder, UnwritableFileError
from labelguard.files.read import read_bytes
from labelguard.files.receipt import WrittenFile
from labelguard.files.write import encode
from labelguard.finding import Finding
from labelguard.runs.results import WrittenResult
from labelguard.spec.labelspec import LabelSpec
from labelguard.stages import Stage

_ENCODED_COPIES = 4  # of the labels, while they are encoded: in rows, filtered, compressed, and as a file


@dataclass(frozen=True)
class RewriteMask:
    """The work on one file. Picklable, so that it can go to other processes.

    Parameters
    ----------
    stage
        What the mask goes through.
    out
        The folder to write to.
    targets
        The name of the file to write, for each name that is read.
    done
        What an earlier run has written, by name: made anew unless the source and the written file are the same, byte for byte. A mask that
        somebody has changed since stays as it is.
    copied
        The names of files that are written as they are.
    """

    stage: Stage
    out: OutputFolder
    targets: Mapping[str, str]
    done: Mapping[str, WrittenFile]
    copied: Collection[str] = ()

    def __call__(self, path: str, name: str) -> WrittenResult:
        """Rewrite one file.

        Raises
        ------
        IncompleteError
            When no file can be written, as on a full disk.
        RuntimeError
            When pixels got lost on the way, which is a bug; nothing is written then.
        """
        target = self.targets[name]
        try:
            data = read_bytes(path)
            source_digest = digest_in_receipt(data)
            known = self.done.get(target)
            same = known is not None and known.source_digest == source_digest and known.source == name
            if known is not None and same and digest_in_receipt(self.out.read(target)) == known.digest:
                return WrittenResult(name, written=known)
            if name in self.copied:
                if self._changed_since(known, data):
                    return self._kept(known, name)
                self.out.write(target, data)
                pixels = _pixels(data, name)
                entry = WrittenFile(target, name, source_digest, source_digest, pixels, pixels)
                return WrittenResult(name, written=entry, changed=known is not None and not same)
            mask, facts = (decode_colors if self.stage.reads_colors else decode_with_facts)(data, name)
            if mask is None:
                return WrittenResult(name, findings=why_no_labels(facts, name))
            keep(len(data) + mask.labels.nbytes)
            result = self.stage.apply(mask)
            take(_ENCODED_COPIES * result.labels.nbytes)
        except UnreadableMaskError as reason:
            return self.failed(name, str(reason))
        except MaskRejectedError as rejected:
            return WrittenResult(name, findings=rejected.findings)
        except UnwritableFileError as reason:
            return WrittenResult(name, unwritable=str(reason))
        try:
            content = encode(result)
            keep(len(data) + mask.labels.nbytes + result.labels.nbytes + len(content))  # the tally takes less than was needed to encode
            after = facts_of(content, target)
            _account(self._expected(facts, result.labels), after, name)
            if self._changed_since(known, content):
                return self._kept(known, name)
            self.out.write(target, content)
        except UnwritableFileError as reason:
            return WrittenResult(name, unwritable=str(reason))
        entry = WrittenFile(target, name, digest_in_receipt(content), source_digest, _texts(facts), _texts(after))
        doubts = self.stage.findings(mask) if self.stage.reads_colors and mask.stored is not None and mask.stored.channels == "grey" else ()
        return WrittenResult(name, written=entry, changed=known is not None and not same, findings=doubts)

    def at_once(self, items: Sequence[tuple[str, ...]], most_bytes: int) -> list[WrittenResult | None]:
        """The same for several files in one go, each written as it would be alone, where ids are moved by one table and no earlier run has
        left anything; None for each that is to be worked on alone.

        Raises
        ------
        IncompleteError
            When no file can be written, as on a full disk.
        """
        tables = {} if self.done or self.copied else dict(self._tables())
        if not tables:
            return [None] * len(items)
        remapped = remapped_files(items, most_bytes, tables, self.stage.moved_palette)
        return [None if mask is None else self._written(name, mask) for (_, name), mask in zip(items, remapped, strict=True)]

    def _tables(self) -> Iterator[tuple[int, WholeTable]]:
        """For labels of 8 and of 16 bits where each goes, if a PNG holds the result."""
        for bits, given in ((8, np.dtype(np.uint8)), (16, np.dtype(np.uint16))):
            table = self.stage.whole_table(given)
            if table is not None and table[1] in (np.uint8, np.uint16):
                yield bits, table

    def _written(self, name: str, mask: RemappedMask) -> WrittenResult | None:
        target = self.targets[name]
        if dict(self.stage.moved(mask.before.counts)) != mask.after.counts:
            return None  # where it is found again, it is told
        try:
            self.out.write(target, mask.content)
        except UnwritableFileError as reason:
            return WrittenResult(name, unwritable=str(reason))
        return WrittenResult(name, written=WrittenFile(target, name, digest_in_receipt(mask.content), digest_in_receipt(mask.source.data),
                                                       _texts(mask.before), _texts(mask.after)))

    def failed(self, name: str, problem: str) -> WrittenResult:
        """The result for a mask that cannot be read, or that made the work fail."""
        return WrittenResult(name, problem=problem)

    def _changed_since(self, known: WrittenFile | None, content: bytes) -> bool:
        """Whether somebody has put another mask in the place of what an earlier run has written; what is no mask is torn."""
        there = b"" if known is None else self.out.read(known.name)
        if known is None or not there or there == content or digest_in_receipt(there) == known.digest:
            return False
        try:
            facts_of(there, known.name)
        except UnreadableMaskError:
            return False
        return True

    def _kept(self, known: WrittenFile | None, name: str) -> WrittenResult:
        """The result for a mask whose place holds somebody's own work."""
        return WrittenResult(name, kept=known, unwritable=f"'{self.out.path}/{self.targets[name]}' was changed after it was written, and "
                             "is left as it is; remove it to have it made anew.")

    def _expected(self, before: MaskFacts, labels: NDArray[np.integer]) -> Counter[int]:
        """The pixels of each id that the written bytes must hold: after a resize those of the new labels, else those of the source,
        moved as the stage says."""
        if self.stage.resizes:
            return Counter(MaskFacts.of_labels(labels).counts)
        return self.stage.moved(before.counts)


def why_no_labels(facts: MaskFacts, name: str) -> tuple[Finding, ...]:
    """What the rules say that explain why a file holds no ids, nor colors that can be made ids."""
    checks = (rule.mask_check for rule in all_rules() if rule.mask_check is not None and rule.explains_no_ids)
    return tuple(replace(finding, path=name) for check in checks for finding in check(facts, LabelSpec()))


def _pixels(data: bytes, name: str) -> dict[str, int]:
    """The pixels of each id in a file that is copied; none where it cannot be read, which is no reason not to copy it."""
    try:
        return _texts(facts_of(data, name))
    except UnreadableMaskError:
        return {}


def _texts(facts: MaskFacts) -> dict[str, int]:
    return {str(label): count for label, count in facts.counts.items()}


def _account(expected: Counter[int], after: MaskFacts, name: str) -> None:
    """Every pixel must be where the stage says, in the bytes that are about to be written."""
    if dict(expected) != after.counts:
        raise RuntimeError(f"the pixels of '{name}' do not add up: {dict(expected)} expected, {after.counts} written")
