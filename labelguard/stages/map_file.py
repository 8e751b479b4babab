"""Map files: a table of ids written by hand or by a spreadsheet, as CSV, JSON or TOML.

::

    from,to          {"7": 0,              7 = 0
    7,0               "8": 1,              8 = 1
    8,1               "9-10": "ignore"}    "9-10" = "ignore"
    9-10,ignore

Sources are ids, lists such as ``1,2,5``, ranges such as ``9-10``, or class names; targets are ids, class names, ``last`` or ``ignore``.
What they mean is resolved by `labelguard.stages.Remap`, which knows the classes; here
only the form of each value is checked, and that every source has one target.
"""

from __future__ import annotations

import csv
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from labelguard.errors import UsageError
from labelguard.stages.merge_syntax import MergeTarget, Source
from labelguard.text import reason

HEADERS = (("from", "to"), ("source", "target"), ("old", "new"), ("id", "trainid"), ("id", "train_id"))

_ID = re.compile(r"-?\d{1,18}")
_FRACTION = re.compile(r"[+-]?(\d+\.\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_COMMENT = re.compile(r"(^|\s)#.*")

MapRow = tuple[str, Any, Any]  # where it stands, its source, its target


def read_map(path: str | os.PathLike[str]) -> dict[Source, MergeTarget]:
    """Read a table of ids, for ``Remap(table=...)``.

    Parameters
    ----------
    path
        A CSV file of two columns (a header such as ``from,to`` and comments after ``#`` are skipped); a JSON object, or list of pairs;
        or a TOML file with sources as keys, at the top or in ``[table]``.

    Returns
    -------
    dict
        Ids as numbers, everything else as text.

    Raises
    ------
    UsageError
        When the file cannot be read, or a line makes no sense; the sentence names the file and the line or key.
    """
    path = Path(path)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise UsageError(f"{path} is not a map file: its name must end in {', '.join(_READERS)}.")
    try:
        entries = [*read(path.read_text(encoding="utf-8-sig"))]
    except UsageError as problem:
        raise UsageError(f"{path}: {problem}") from None
    except (OSError, ValueError, RecursionError) as problem:
        raise UsageError(f"{path} cannot be read as a map: {reason(problem)}") from None
    if not entries:
        raise UsageError(f"{path} is empty; write which id goes where, such as {_EXAMPLES[path.suffix.lower()]}.")
    return _table(entries, path)


def _table(entries: Iterable[MapRow], path: Path) -> dict[Source, MergeTarget]:
    table: dict[Source, MergeTarget] = {}
    places: dict[Source, str] = {}
    for place, given, wanted in entries:
        source, target = (_label(value, f"{path}: {place}") for value in (given, wanted))
        if table.setdefault(source, target) != target:
            raise UsageError(f"{path}: {place}: {source} goes to {target}, but {places[source]} sends it to {table[source]}; "
                             "give it one target.")
        places.setdefault(source, place)
    return table


def _label(value: Any, where: str) -> int | str:
    """An id as a number, or a text that is resolved later."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = value.strip() if isinstance(value, str) else ""
    if not text or _FRACTION.fullmatch(text):
        raise UsageError(f"{where}: {json.dumps(value, default=str)} is not an id; write a whole number, a class name, last or ignore.")
    return int(text) if _ID.fullmatch(text) else text


def _from_csv(text: str) -> Iterator[MapRow]:
    fresh = True
    for number, line in enumerate(text.splitlines(), 1):
        bare = _COMMENT.sub("", line).strip()
        if not bare:
            continue
        try:
            values = next(csv.reader([bare], skipinitialspace=True, strict=True))
        except csv.Error as problem:
            raise UsageError(f"line {number}: {problem}.") from None
        if len(values) != 2:
            raise UsageError(f"line {number}: '{bare}' holds {len(values)} {'value' if len(values) == 1 else 'values'}; write a source, "
                             "a comma and a target, and quotes around a source that has commas itself.")
        header, fresh = fresh and tuple(value.strip().lower() for value in values) in HEADERS, False
        if not header:
            yield f"line {number}", values[0], values[1]


def _from_json(text: str) -> Iterator[MapRow]:
    content = json.loads(text, object_pairs_hook=_Pairs)
    if isinstance(content, _Pairs):
        for source, target in content:
            yield f"key {json.dumps(source)}", source, _no_table(target, source)
    elif isinstance(content, list):
        for i, pair in enumerate(content):
            if not isinstance(pair, list) or len(pair) != 2 or isinstance(pair, _Pairs):
                raise UsageError(f"[{i}]: {json.dumps(pair)} is not a pair; write [source, target], such as [7, 0].")
            yield f"[{i}]", pair[0], pair[1]
    else:
        raise UsageError(f"{json.dumps(content)} is not a map; write {_EXAMPLES['.json']}.")


class _Pairs(list[Any]):
    """The pairs of a JSON object, in which a key may stand twice."""


def _from_toml(text: str) -> Iterator[MapRow]:
    content = tomllib.loads(text)
    prefix = ""
    if isinstance(content.get("table"), dict):
        others = [key for key in content if key != "table"]
        if others:
            raise UsageError(f"key {others[0]}: it stands outside of [table]; write all ids in there, or leave [table] out.")
        content, prefix = content["table"], "table."
    for source, target in content.items():
        yield f"key {prefix}{source}", source, _no_table(target, source)


def _no_table(target: Any, source: str) -> Any:
    if isinstance(target, (dict, _Pairs)):
        raise UsageError(f"key {source}: its target is a table; write an id, a class name, last or ignore. (A key with dots needs quotes.)")
    return target


_READERS: dict[str, Callable[[str], Iterator[MapRow]]] = {".csv": _from_csv, ".json": _from_json, ".toml": _from_toml}
_EXAMPLES = {".csv": "a line 7,0", ".json": '{"7": 0} or [[7, 0]]', ".toml": "a line 7 = 0"}
