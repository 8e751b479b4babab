"""Markers of a JPEG stream that several readers look for, in files, in headers and inside a TIFF: ITU-T T.81, table B.1."""

from __future__ import annotations

STARTS_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
START_OF_SCAN, APP1 = 0xDA, 0xE1
