"""What matplotlib's imsave makes of masks: RGBA, through a color map over which the ids of each image are stretched.

Its lowest id comes to lie at one end of the map and its highest at the other (`matplotlib.colors.Normalize`, then
`Colormap.__call__`, which takes place int(256 x), 255 at most).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from labelguard.facts.mask_facts import Colors, MaskFacts

_MOST_STEPS = 64
_ENDS = {  # of the maps that people use most, as bytes; from matplotlib's _cm_listed.py and _cm.py
    "viridis": ((68, 1, 84), (253, 231, 36)), "plasma": ((12, 7, 134), (239, 248, 33)), "inferno": ((0, 0, 3), (252, 254, 164)),
    "magma": ((0, 0, 3), (251, 252, 191)), "jet": ((0, 0, 127), (127, 0, 0)),
}
_ROUNDED = 1  # releases differ in how they make bytes of fractions


def steps_of_grey(facts: MaskFacts) -> int:
    """Over how many steps of one id each a grey RGBA file was stretched, if it looks like that; 0 if it does not."""
    if facts.colors is None or facts.colors.alpha != (255, 255) or not facts.colors.equal or not _is_png(facts):
        return 0
    if len(facts.present) < 2 or facts.present[0] != 0 or facts.present[-1] != 255:
        return 0
    return next((steps for steps in range(len(facts.present) - 1, _MOST_STEPS + 1) if _fit(facts.present, steps)), 0)


def _fit(levels: Collection[int], steps: int) -> bool:
    return {min(255, 256 * step // steps) for step in range(steps + 1)}.issuperset(levels)


def color_map(colors: Colors, facts: MaskFacts) -> str:
    """The color map of which both ends are there; empty if there is none, or the file is not what imsave writes."""
    if colors.alpha != (255, 255) or not _is_png(facts):
        return ""
    return next((name for name, ends in _ENDS.items() if all(any(_alike(end, color) for color, _ in colors.common) for end in ends)), "")


def _alike(one: Sequence[int], other: Sequence[int]) -> bool:
    return all(abs(a - b) <= _ROUNDED for a, b in zip(one, other, strict=False))  # the other may have alpha besides


def _is_png(facts: MaskFacts) -> bool:
    return facts.stored is not None and (facts.stored.format, facts.stored.channels) == ("png", "rgba")
