"""Which files are reports of labelguard's, told by how they begin: only these may be replaced by another."""

from __future__ import annotations

import re
from typing import BinaryIO

_HEAD_BYTES = 1 << 16  # of a file, and more than any line that a text report begins with

_READ = r".*: [0-9,]+ masks? read(, [0-9,]+ unreadable)?, [0-9,]+ pixels( \(.*\))?"
_BOXES = r"boxes:    .*: [0-9,]+ box(es)?, [0-9,]+ images?"
_TEXT = re.compile(rf"(\[[^\n]+\]\n([^\n]*: no masks; |{_READ}\n|{_BOXES}\n)|{_READ}\n|{_BOXES}\n)")
_JSON = re.compile(r'\{\s*("labelguard": ?"[^"\n]*",\s*"command": ?"(scan|probe)"|'
                   r'"code": ?"[A-Z]+[0-9]+", ?"name": ?"[a-z0-9-]+", ?"severity": ?)')
_HTML = re.compile(r'<!doctype html>\n[^\0]{,1000}<meta name="generator" content="labelguard ', re.IGNORECASE)
_BEGINNINGS = (_TEXT, _JSON, _HTML)


def is_a_report(file: BinaryIO) -> bool:
    """Whether an open file is a report of a scan or a probe, in any format. A receipt is none."""
    text = file.read(_HEAD_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    return any(beginning.match(text) for beginning in _BEGINNINGS)
