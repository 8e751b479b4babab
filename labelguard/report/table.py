"""Table: facts by file, a row for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from labelguard.facts.dataset import DatasetFacts
from labelguard.report.frame import frame
from labelguard.text import count

if TYPE_CHECKING:
    import pandas

FINDING_COLUMNS = ("severity", "code", "name", "split", "subject", "path", "num_files", "files", "message", "ids",
                   "pixels", "row", "column", "box", "evidence", "fix", "accepted", "known")
FILE_COLUMNS = ("path", "height", "width", "encoding", "ids", "num_pixels", "trusted")


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Rows of plain values; iterate over it for one dict a row.

    Parameters
    ----------
    columns
        The name of each value in a row.
    rows
        The values.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[Any, ...]]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (dict(zip(self.columns, row, strict=True)) for row in self.rows)

    def __repr__(self) -> str:
        return f"Table({count(len(self.rows), 'row')}: {', '.join(self.columns)})"

    def to_frame(self) -> pandas.DataFrame:
        """The rows as a pandas data frame.

        Raises
        ------
        ImportError
            When pandas is not installed.
        """
        return frame(self, self.columns)


def file_table(data: DatasetFacts) -> Table:
    """What was learned of each mask that was read.

    The columns are `path`, relative to the scanned root; `height` and `width` in pixels; `encoding`, how the labels are stored; `ids`, the
    label ids that are there; `num_pixels`, the pixels of each of them; `trusted`, whether the ids are what somebody
    labeled: no colors, no fractions, no lossy codec.
    """
    return Table(FILE_COLUMNS, [(record.path, *record.shape, record.encoding, tuple(record.ids), tuple(record.num_pixels), record.exact)
                           for record in data.records])
