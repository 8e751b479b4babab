"""The mask has an alpha channel.

What it does
------------
Reports grayscale or color files with alpha whose color channels are equal. Where the color channels differ, that is the bigger problem
(LG003).

Why is this bad?
----------------
The target gets two or four channels. Tools that honor alpha blend ids with the background; tools that drop it show whatever was stored
beneath the transparent pixels.

How to fix
----------
If alpha is constant, keep one color channel. If the color channels are constant, the labels are in the alpha channel. matplotlib's
`imsave(..., cmap="gray")` writes such files and stretches the ids of each image to 0-255, so that no table mends a set: save the masks
again.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks._imsave import steps_of_grey
from labelguard.checks.rule import Rule
from labelguard.facts.mask_facts import MaskFacts
from labelguard.finding import Finding, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import id_ranges

_EXACT = "PIL.Image.fromarray(mask.astype('uint8')).save(path)"
_STRETCHED = ("so writes matplotlib's imsave(..., cmap='gray'), which stretches {} of each image from 0 to 255: the same id becomes "
              "another number in an image that holds other ids")

rule = Rule("LG005", "alpha-channel", Severity.ERROR, "The mask has an alpha channel.", symptom_of=("LG002",))


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    colors = facts.colors
    if colors is None or not colors.equal or colors.alpha is None:
        return
    low, high = colors.alpha
    in_alpha = low < high and len(facts.present) == 1
    if low == high:
        evidence: tuple[str, ...] = (f"alpha is {low} everywhere; the other channels hold the ids {id_ranges(facts.present)}",)
        fix = "Keep one color channel and save the file again as 8-bit grayscale."
        steps = steps_of_grey(facts)
        if steps:
            evidence = (*evidence, _STRETCHED.format("the ids" if steps == 1 else f"{steps + 1} ids in a row"))
            fix = f"If it was imsave, save the masks again with {_EXACT}. Otherwise keep one color channel, as 8-bit grayscale."
    elif in_alpha:
        evidence = (f"only alpha varies, from {low} to {high}: the labels may be there",)
        fix = "Take the labels from the alpha channel, and save them as 8-bit grayscale."
    else:
        evidence = (f"alpha varies from {low} to {high}, and so do the ids {id_ranges(facts.present)}",)
        fix = "Find out what alpha means here, then keep one channel."
    yield rule.finding("Has an alpha channel: a loader gets several channels instead of one id per pixel.",
                       pixels=facts.pixels, evidence=evidence, fix=fix, explains=facts.present if in_alpha else ())
