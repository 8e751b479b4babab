"""The image, or one of its channels, has the same value everywhere.

What it does
------------
Reports images in which no channel varies, and images in which one channel does not. Alpha channels do not count.

Why is this bad?
----------------
Standardizing an image by its own mean and deviation, or scaling it to 0..1 by its own range, divides 0 by 0. One NaN pixel is enough for
batch normalization to turn every output NaN, along with the running mean that is saved with the weights. And an image without content
gives its mask no explanation.

How to fix
----------
Leave these images out, or add a small number to the deviation before dividing.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG602", "constant-image", Severity.WARNING, "The image, or one of its channels, has the same value everywhere.",
            needs="--images", needs_facts=("image_pixels",))


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    if data.images is None:
        return
    blank, partly = [], []
    mask_of = {pair.image: pair.mask for pair in data.images.pairs}
    for name, facts in sorted(data.images.images.items()):
        constant = facts.pixels.constant if facts.pixels is not None else (None,)
        if all(value is not None for value in constant):
            blank.append((name, ", ".join(f"{value:g}" for value in constant if value is not None)))
        elif any(value is not None for value in constant):
            partly.append(name)
    for name, value in blank:
        yield rule.finding(f"Every pixel of the image is {value}: standardizing it divides 0 by 0.", path=name, subject="image",
                           evidence=(f"mask: {mask_of[name]}",) if name in mask_of else (),
                           fix="Leave the image out, or divide by the deviation plus a small number.")
    if partly:
        yield rule.finding(f"{count(len(partly), 'image')} {'has' if len(partly) == 1 else 'have'} a channel that does not vary: "
                           "standardizing each channel by itself divides 0 by 0.", severity=Severity.NOTE, files=tuple(partly),
                           subject="image", fix="Divide by the deviation plus a small number, or leave the channel out.")
