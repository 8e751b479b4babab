"""The file is damaged, or is not an image.

What it does
------------
Reports wrong checksums, missing ends, pixel streams that are too short or too long, impossible headers, empty files, and files that are
not images at all. A decoder that returns pixels for a damaged file is not trusted. Sound TIFF files whose codec is not one that label
sets use (fax, LERC, lossless WebP, ...) are reported too, with the command that converts them.

Why is this bad?
----------------
Loaders either stop in the middle of an epoch or, told to tolerate truncated files, fill the missing rows with 0: half a mask of
background that nobody drew.

How to fix
----------
Fetch or export the file again. Never set LOAD_TRUNCATED_IMAGES for masks.
"""

from __future__ import annotations

from labelguard.checks.rule import Rule
from labelguard.finding import Finding, Severity

rule = Rule("LG001", "unreadable", Severity.ERROR, "The file is damaged, or is not an image.", needs_facts=("image_pixels",))

_TOLD = ("--exclude", "--max-memory", "--files-from", "--boxes", "unpack it first", "write them out first", "does not read; write its")
# the file is sound, and the reason ends with what to do


@rule.on_unreadable
def unreadable(path: str, reason: str) -> Finding:
    fix = "Convert a copy, or export this file again as PNG." if "convert it first" in reason else "Fetch or export this file again."
    if any(words in reason for words in _TOLD):
        fix = ""
    return rule.finding(f"{reason[:1].upper()}{reason[1:]}.", path=path, fix=fix)
