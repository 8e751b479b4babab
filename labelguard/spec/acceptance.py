"""Acceptance: findings that somebody has looked at and lives with, by check, files and ids, and always with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields

from labelguard.errors import UsageError
from labelguard.spec.argument_checks import as_int, refuse_unknown_keys
from labelguard.text import id_ranges

_SUCH_AS = "such as {'code': 'absent-class', 'path': 'night/', 'reason': 'no trains run at night'}"


@dataclass(frozen=True)
class Acceptance:
    """Findings that do not fail a run.

    Parameters
    ----------
    code
        The check: its code or its name.
    reason
        Why they are accepted; it is printed with them.
    path
        Patterns of file names as in a .gitignore, relative to the folder of the masks; all files, and what no file shows, where there is
        none. Of a finding about the set only these files are accepted.
    ids
        Only findings about no other ids than these; about any where there is none.
    where
        Where it stands, for sentences about it.
    """

    code: str
    reason: str
    path: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    where: str = field(default="accept", compare=False)

    def __str__(self) -> str:
        of_files = f" of {', '.join(self.path)}" if self.path else ""
        return f"{self.code}{of_files}{f' with {id_ranges(self.ids)}' if self.ids else ''}"


def acceptances(value: object, where: str = "accept[{}]", first: int = 0) -> tuple[Acceptance, ...]:
    """Acceptances from tables as a labelguard.toml or a program writes them; `where` names one by its number, counted from `first`.

    Raises
    ------
    UsageError
        When a key is not known, missing or of the wrong type.
    """
    if not isinstance(value, Iterable) or isinstance(value, (str, bytes, Mapping)):
        all_of_them = where.partition("{")[0].rstrip(" [")
        raise UsageError(f"{all_of_them} is {value!r}; it must be a list of tables, {_SUCH_AS}.", argument="accept")
    return tuple(entry if isinstance(entry, Acceptance) else _acceptance(entry, where.format(number))
                 for number, entry in enumerate(value, first))


def _acceptance(values: object, where: str) -> Acceptance:
    if not isinstance(values, Mapping):
        raise UsageError(f"{where} is {values!r}; it must be a table, {_SUCH_AS}.", argument="accept")
    refuse_unknown_keys(where, values, [each.name for each in fields(Acceptance) if each.compare])
    for key, what in (("code", "the name of a check, such as 'absent-class'"), ("reason", "a sentence that says why this is accepted")):
        if not isinstance(values.get(key), str) or not values[key].strip():
            is_ = f"is {values[key]!r}; it must be" if key in values else "is missing: give"
            raise UsageError(f"{where}: '{key}' {is_} {what}.", argument="accept")
    path, ids = values.get("path", ()), values.get("ids", ())
    path = (path,) if isinstance(path, str) else path
    if not isinstance(path, (list, tuple)) or not all(isinstance(pattern, str) and pattern.strip() for pattern in path):
        raise UsageError(f"{where}: 'path' is {values['path']!r}; it must be a pattern of file names, such as 'night/*.png', or a list of "
                         "them.", argument="accept")
    ids = ids if isinstance(ids, (list, tuple)) else (ids,)
    if any(as_int(label) is None for label in ids):
        raise UsageError(f"{where}: 'ids' is {values['ids']!r}; it must be a whole number or a list of them.", argument="accept")
    return Acceptance(values["code"].strip(), " ".join(values["reason"].split()), tuple(path), tuple(map(int, ids)), where)
