"""Which files are reports of labelguard's, told by how they begin: only these may be replaced by another."""

from __future__ import annotations

import re
from os import SEEK_END
from typing import BinaryIO

from labelguard.report.table import FILE_COLUMNS, FINDING_COLUMNS

_HEAD_BYTES = 1 << 16  # of a file, and more than any line that a text report begins with

_READ = r".*: [0-9,]+ masks? read(, [0-9,]+ unreadable)?, [0-9,]+ pixels( \(.*\))?"
_BOXES = r"boxes:    .*: [0-9,]+ box(es)?, [0-9,]+ images?"
_TEXT = re.compile(rf"(\[[^\n]+\]\n([^\n]*: no masks; |{_READ}\n|{_BOXES}\n)|{_READ}\n|{_BOXES}\n)")
_JSON = re.compile(r'\{\s*("labelguard": ?"[^"\n]*",\s*"command": ?"(scan|probe)"|'
                   r'"code": ?"[A-Z]+[0-9]+", ?"name": ?"[a-z0-9-]+", ?"severity": ?)')
_HTML = re.compile(r'<!doctype html>\n[^\0]{,1000}<meta name="generator" content="labelguard ', re.IGNORECASE)
_SARIF = re.compile(r'\{\s*"\$schema": ?"[^"]*sarif[^"]*",\s*"version": ?"2\.1\.0",\s*"runs": ?\[\s*\{\s*"tool": ?\{\s*"driver": ?\{\s*'
                    r'"name": ?"labelguard"')
_CSV = re.compile(f"({','.join(FINDING_COLUMNS)}|{','.join(FILE_COLUMNS)})\n")
_JUNIT = re.compile(r'<\?xml [^>]*\?>\s*<testsuites name="labelguard"')
_PARQUET = b"PAR1"
_GITHUB = re.compile(r"::(error|warning|notice) (file=[^\n]*,)?title=LG[0-9]{3} ")
_BEGINNINGS = (_TEXT, _JSON, _HTML, _SARIF, _JUNIT, _CSV, _GITHUB)


def is_a_report(file: BinaryIO) -> bool:
    """Whether an open file is a report of a scan or a probe, in any format. A receipt is none."""
    head = file.read(_HEAD_BYTES)
    if head.startswith(_PARQUET):  # it has its notes at its end
        file.seek(-min(_HEAD_BYTES, file.seek(0, SEEK_END)), SEEK_END)
        tail = file.read()
        return tail.endswith(_PARQUET) and b"labelguard.report" in tail
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    return any(beginning.match(text) for beginning in _BEGINNINGS)
