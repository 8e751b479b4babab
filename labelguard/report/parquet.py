"""The same tables as Parquet, with pyarrow, which the extra ``labelguard[parquet]`` brings along."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any, TextIO

import pyarrow as pa
import pyarrow.parquet as pq

from labelguard._version import __version__
from labelguard.report.base import FailOn, Report
from labelguard.report.table import FINDING_COLUMNS
from labelguard.report.tables import finding_rows
from labelguard.text import printable

_ROWS = 1 << 14  # held at a time
_TEXT, _TEXTS, _NUMBER, _NUMBERS = pa.string(), pa.list_(pa.string()), pa.int64(), pa.list_(pa.int64())
_WIDE = pa.list_(pa.decimal128(20))  # ids beyond 63 bits, which may stand beside negative ones
_TYPES = {"num_files": _NUMBER, "files": _TEXTS, "ids": _NUMBERS, "pixels": _NUMBER, "row": _NUMBER, "column": _NUMBER, "box": _NUMBERS,
          "evidence": _TEXTS, "height": _NUMBER, "width": _NUMBER, "num_pixels": _NUMBERS, "trusted": pa.bool_(),
          "known": pa.bool_()}


def write_findings(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write the findings, one a row, all files of each."""
    _write("findings", FINDING_COLUMNS, [*finding_rows(report)], file)


def write_facts(report: Report, file: TextIO, fail_on: FailOn) -> None:
    """Write what was learned of each mask, one a row."""
    table = report.table()
    _write("facts", table.columns, table.rows, file)


def _write(what: str, columns: Sequence[str], rows: Sequence[Sequence[Any]], file: TextIO) -> None:
    ids = columns.index("ids")
    types = _TYPES | ({"ids": _WIDE} if any(label >> 63 > 0 for row in rows for label in row[ids]) else {})
    schema = pa.schema([(column, types.get(column, _TEXT)) for column in columns], {"labelguard.report": f"{what} {__version__}"})
    waiting = iter(rows)
    with pq.ParquetWriter(file.buffer, schema, compression="zstd") as writer:
        while some := [*islice(waiting, _ROWS)]:
            values = {column: [_value(row[place]) for row in some] for place, column in enumerate(columns)}
            writer.write_table(pa.table(values, schema))
    file.buffer.flush()


def _value(value: Any) -> Any:
    """A value as Arrow takes it."""
    if isinstance(value, str):
        return _text(value)
    return value if value is None or isinstance(value, (int, float)) else [_text(item) if isinstance(item, str) else item for item in value]


def _text(text: str) -> str:
    """Text as it is; bytes in the name of a file that are not UTF-8 are shown as they are printed."""
    return text if text.isprintable() or not any("\ud800" <= character <= "\udfff" for character in text) else printable(text)
