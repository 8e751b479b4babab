"""The images differ in channels or depth.

What it does
------------
Reports sets that mix color, grayscale, color with alpha, palette and CMYK images, or 8 and 16 bits. The file format does not matter.

Why is this bad?
----------------
A network takes a fixed number of channels. If the loader does not convert, it stops with "expected 3 channels, but got 4". If it does, a
palette may be read as indices, and 16 bits cut to 8 give white or black pictures.

How to fix
----------
Always convert in the loader (`Image.open(path).convert("RGB")`), or write all images the same way.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask import Storage
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG604", "image-channels", Severity.WARNING, "The images differ in channels or depth.",
            needs="--images", needs_facts=("image_pixels",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    by_layout: dict[str, list[str]] = defaultdict(list)
    for name, facts in sorted(data.images.images.items() if data.images is not None else ()):
        if facts.stored is not None:
            by_layout[_layout(facts.stored)].append(name)
    if len(by_layout) < 2:
        return
    usual, *rest = sorted(by_layout.items(), key=lambda item: (-len(item[1]), item[0]))
    unusual = tuple(sorted(name for _, names in rest for name in names))
    yield rule.finding(f"{count(len(unusual), 'image is', 'images are')} unlike the other {len(usual[1]):,} ({usual[0]}).", files=unusual,
                       subject="image", evidence=tuple(f"{layout}: {count(len(names), 'image')}" for layout, names in (usual, *rest)),
                       fix="Convert every image in the loader, as with Image.open(path).convert('RGB'), or write them all the same way.")


def _layout(stored: Storage) -> str:
    """Such as ``8-bit rgb``, whatever the format."""
    if stored.format == "jpeg" and stored.channels == "other":
        return "CMYK"
    return stored.layout
