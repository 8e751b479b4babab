"""The mask holds colors where ids should be.

What it does
------------
Reports files with several channels that differ.

Why is this bad?
----------------
A loss needs one id per pixel. Read as grayscale, colors turn into luminances such as 38, 75 and 113, which are out of range, or in range
and wrong. Read as they are, they have the wrong shape.

How to fix
----------
`labelguard remap SRC --colors WHAT` translates them exactly, by the class file of the tool that drew them (CVAT's labelmap.txt), a preset,
or a table of colors and ids, and refuses every color that is left over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from labelguard.checks._imsave import color_map
from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.facts.mask_facts import Colors, MaskFacts
from labelguard.finding import Finding, Fix, Severity
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count, listed, percent

rule = Rule("LG003", "colour-mask", Severity.ERROR, "The mask holds colors where ids should be.", symptom_of=("LG002",),
            explains_no_ids=True)

_PHOTOGRAPH = 4096
_NOT_DECLARED = "not among the declared colors"
_TRANSLATE = "Translate colors to ids with the exact color table of the tool that drew the mask (labelguard remap --colors)."
_SAVE_AGAIN = ("If it was imsave, save the masks again with PIL.Image.fromarray(mask.astype('uint8')).save(path); no color table fits all "
               "files. Otherwise translate colors to ids with the exact color table of the tool that drew the mask.")


@rule.on_mask
def check(facts: MaskFacts, spec: LabelSpec) -> Iterator[Finding]:
    colors = facts.colors
    if colors is None or colors.equal:
        return
    if facts.stored is not None and facts.stored.channels == "other":
        yield rule.finding("Holds several values per pixel instead of one id, and they are not colors.",
                           pixels=facts.pixels, fix="Find out what the channels mean, and write one id per pixel.")
        return
    if colors.distinct > _PHOTOGRAPH:
        yield rule.finding(f"Holds {colors.how_many} different colors: a photograph, or a mask blurred by resizing, not labels.",
                           pixels=facts.pixels, fix="Point labelguard at the folder of the masks, or export this mask again.")
        return
    yield rule.finding(f"Holds {count(colors.distinct, 'color')} in {facts.stored.channels.upper() if facts.stored else 'RGB'} "
                       "channels instead of one id per pixel.",
                       pixels=facts.pixels, evidence=tuple(_evidence(colors, spec, facts)),
                       fix=_SAVE_AGAIN if color_map(colors, facts) else _TRANSLATE)


@rule.seen_in_set
def mended(finding: Finding, data: DatasetFacts, spec: LabelSpec) -> Finding:
    """The finding with the way to ids, once the colors of all masks are known."""
    if finding.fix != Fix.of(_TRANSLATE):
        return finding
    from labelguard.checks._painted import way_to_ids  # and with it what reads class files, for which a scan hardly ever has a use
    fix = way_to_ids(data, spec)
    known = fix.is_command  # void has a color too, which no declaration holds
    return replace(finding, evidence=tuple(line for line in finding.evidence if not (known and line.startswith(_NOT_DECLARED))), fix=fix)


def _evidence(colors: Colors, spec: LabelSpec, facts: MaskFacts) -> Iterator[str]:
    yield "most frequent: " + listed((f"{color} on {percent(n, facts.pixels)}" for color, n in colors.common[:4]), 4)
    name = color_map(colors, facts)
    if name:
        yield (f"both ends of matplotlib's color map {name} are there: imsave stretches the ids of each image over it, so that an id has "
               "another color in an image that holds other ids")
    if len(colors.varying) == 1:
        yield f"only the {colors.varying[0]} channel varies: it may hold the ids"
    if spec.colors:
        table = set(spec.colors)
        unknown = [color for color, _ in colors.common if color[:3] not in table]
        if unknown and all(color[2::-1] in table for color in unknown):
            yield "the colors match the declared ones once red and blue are swapped"
        else:
            yield f"{_NOT_DECLARED}: {listed(unknown, 4)}" if unknown else "all frequent colors are declared ones"
