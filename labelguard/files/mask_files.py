"""From many mask files to their facts at once, as far as they are of the common kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from labelguard.facts.frozen import FrozenDict
from labelguard.facts.label_runs import LabelRuns
from labelguard.facts.mask import Storage
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files import png
from labelguard.files._chunks import stored_as
from labelguard.files.formats import with_suffix
from labelguard.files.mask import erosion_stats
from labelguard.files.png_write import of_rows

if TYPE_CHECKING:
    from labelguard.kernels.remap_files import RemappedFile
    from labelguard.kernels.tally_files import FileTally

WholeTable = tuple[NDArray[np.int32], np.dtype[np.integer]]


def facts_of_files(files: Sequence[tuple[str, ...]], most_bytes: int, erosion_of: Sequence[int] = (),
                   with_label_runs: bool = False) -> list[MaskFacts | None]:
    """Gather the facts of PNG files of one channel, those that `labelguard.files.mask.facts_of` gives of their content.

    Parameters
    ----------
    files
        Path and name of each.
    most_bytes
        What may be allocated for one of them without asking anybody.
    erosion_of, with_label_runs
        As for `labelguard.files.mask.facts_of`.

    Returns
    -------
    list
        None for each file that has to be looked at alone, since something is unusual about it.
    """
    from labelguard.kernels.tally_files import tally_files
    tallies = tally_files([path for path, *_ in files], most_bytes, with_label_runs, erosion_of)
    return [None if tally is None else _facts(name, tally, erosion_of, with_label_runs)
            for (_, name, *_), tally in zip(files, tallies, strict=True)]


class RemappedMask(NamedTuple):
    """A mask file whose labels were moved; nothing is written yet.

    Parameters
    ----------
    source, before
        The content of the file, 1-D uint8, and its facts.
    content, after
        The content of the file that is to be written, and the facts that were read from it.
    """

    source: NDArray[np.uint8]
    before: MaskFacts
    content: bytes
    after: MaskFacts


def remapped_files(files: Sequence[tuple[str, ...]], most_bytes: int, tables: Mapping[int, WholeTable],
                   moved_palette: Callable[[bytes], bytes]) -> Iterator[RemappedMask | None]:
    """Move the labels of PNG files of one channel, as `labelguard.files.write.encode` would write them.

    Parameters
    ----------
    files, most_bytes
        As for `facts_of_files`.
    tables
        For labels of 8 and of 16 bits where each goes, and their new type, as for `labelguard.kernels.remap_files`.
    moved_palette
        The colors of the new ids of a palette file, given those of the old ones.

    Yields
    ------
    RemappedMask or None
        None for each file that has to be worked on alone, since something is unusual about it.
    """
    from labelguard.kernels.remap_files import remap_files
    from labelguard.kernels.tally_files import tally_contents
    at = 0
    while at < len(files):
        moved = remap_files([path for path, *_ in files[at:]], most_bytes, tables)
        contents = [b"" if file is None else _encoded(file, *tables[file.bits], moved_palette) for file in moved]
        for (_, name, *_), file, content, tally in zip(files[at:], moved, contents, tally_contents(contents, most_bytes), strict=False):
            if file is None or tally is None:
                yield None
            else:
                yield RemappedMask(file.content, _facts_of_records(name, file.height, file.width, file.bits, file.palette, file.records),
                                   content, _facts(name, tally, (), False))
        at += len(moved)


def _encoded(file: RemappedFile, table: NDArray[np.int32], dtype: np.dtype[np.integer], moved_palette: Callable[[bytes], bytes]) -> bytes:
    palette = moved_palette(file.palette) if file.palette is not None and dtype == np.uint8 else None
    highest = int(table[file.records[:, 0]].max())
    return of_rows(file.rows, file.height, file.width, 8 * dtype.itemsize, palette, highest)


def _facts_of_records(name: str, height: int, width: int, bits: int, palette: bytes | None, records: NDArray[np.int64],
                      label_runs: LabelRuns | None = None) -> MaskFacts:
    stored = _stored(bits, palette, name[name.rfind("."):])
    return MaskFacts.of_records(records, (height, width), "uint16" if bits == 16 else "uint8", stored, label_runs=label_runs)


@lru_cache(maxsize=64)  # most files of a set are stored alike
def _stored(bits: int, palette: bytes | None, suffix: str) -> Storage:
    return with_suffix(png, stored_as("grey" if palette is None else "palette", bits, palette), suffix)


def _facts(name: str, tally: FileTally, erosion_of: Sequence[int], with_label_runs: bool) -> MaskFacts:
    facts = _facts_of_records(name, *tally[:5], LabelRuns.of(tally.numbers) if with_label_runs else None)
    there = [(label, count) for label, count in zip(erosion_of, tally.eroded.tolist(), strict=True) if label in facts.present]
    if not there:
        return facts
    return replace(facts, erosion=FrozenDict({label: erosion_stats(facts, label, count) for label, count in there}))
