"""The image holds NaN or infinite values.

What it does
------------
Reports floating-point images (TIFF, NPY) with samples that are NaN or infinite.

Why is this bad?
----------------
Through convolution and batch normalization, one NaN pixel reaches every output of the batch, and the running mean that is saved with the
weights. The loss is NaN from then on, though every label is right. Such pixels are mostly "no data" of a satellite, or 0/0 in an index
such as NDVI.

How to fix
----------
Replace them by a number, and give these pixels the ignore id in the mask, since nothing can be seen there.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG603", "nan-image", Severity.ERROR, "The image holds NaN or infinite values.",
            needs="--images", needs_facts=("image_pixels",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None:
        return
    mask_of = {pair.image: pair.mask for pair in data.images.pairs}
    for name, facts in sorted(data.images.images.items()):
        pixels = facts.pixels
        if pixels is not None and (pixels.nans or pixels.infinite):
            parts = [f"{number:,} {kind}" for number, kind in ((pixels.nans, "NaN"), (pixels.infinite, "infinite")) if number]
            samples = count(facts.shape[0] * facts.shape[1] * len(pixels.constant), "sample")
            yield rule.finding(f"{' and '.join(parts)} of {samples}: one is enough to make every output of the batch NaN.",
                               path=name, subject="image", first=pixels.first,
                               pixels=pixels.nans + pixels.infinite, evidence=(f"mask: {mask_of[name]}",) if name in mask_of else (),
                               fix="Replace these samples by a number, and set the mask to the ignore id there.")
