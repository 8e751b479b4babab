"""Masks do not match what their images show.

What it does
------------
Names and sizes agree, and nothing fails; only the content tells. Where a mask has an edge, its image mostly has one too. The check looks
for another way of putting masks and images together that fits better: flips, rotations by 90 and 180 degrees and transposition (where
height and width allow it), images up to three names away, names sorted as numbers instead of text, shifts by up to 9 pixels and, for
single masks, every other image of the set.

The set is judged as a whole: an alternative has to fit better over all pairs, and to fit each mask to its own image better than to other
images. Single files are named only if each is clear by itself. Transposed masks are LG304; an image with an EXIF orientation is compared
in the view that fits the mask. If images have no contrast, are all alike, or show nothing of what the masks outline, nothing is reported.

Why is this bad?
----------------
The network learns to predict what is not there, or the average of all masks. The loss falls at first and then stays where it is, which
looks like a problem too hard to learn. Shifts cost accuracy at every edge, most of all for thin objects.

How to fix
----------
Overlay some of the named pairs and look: `labelguard show FILE --image IMAGES` does. If the finding is right,
repair the step that puts masks and images together: join them by name, never by position in two lists, and rotate masks together with
their images. An image with an orientation tag is rotated by some readers and not by others. Shifted masks are best exported again from
their source.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.alignment import Misalignment, Turn
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG305", "misaligned", Severity.WARNING, "Masks do not match what their images show.",
            needs="--images", needs_facts=("image_pixels", "alignment"))

_MOST_PARTNERS = 5
_BACK = {
    Turn.FLIPPED_HORIZONTALLY: "mask[:, ::-1]",
    Turn.FLIPPED_VERTICALLY: "mask[::-1]",
    Turn.ROTATED_180: "mask[::-1, ::-1]",
    Turn.TRANSPOSED: "mask.T",
    Turn.ROTATED_LEFT: "numpy.rot90(mask, -1)",
    Turn.ROTATED_RIGHT: "numpy.rot90(mask)",
    Turn.TRANSPOSED_AND_ROTATED_180: "numpy.rot90(mask, 2).T",
}


@rule.abstains
def why_not(data: DatasetFacts, spec: LabelSpec) -> str:
    """Whether images show what masks outline is known only once they were looked at."""
    verdict = data.alignment.verdict
    return verdict.why if verdict.status == "abstains" else ""


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for fault in data.alignment.verdict.faults:
        if fault.turn is Turn.TRANSPOSED:
            continue  # LG304 tells that
        severity = Severity.ERROR if fault.sure else Severity.NOTE if fault.kind == "alone" else Severity.WARNING
        yield rule.finding(_message(fault) + _others(fault), severity=severity, files=fault.files,
                           evidence=(*fault.votes, *_rest(fault), *_partners(fault)),
                           fix=_fix(fault))


def _message(fault: Misalignment) -> str:
    masks = "The masks" if fault.whole else count(len(fault.files), "mask")
    one = not fault.whole and len(fault.files) == 1
    verb = "is" if one else "are"
    if fault.kind == "turned":
        return f"{masks} {verb} {fault.what} relative to {'its image' if one else 'their images'}."
    if fault.kind == "shifted":
        return f"{masks} {'lies' if one else 'lie'} {fault.what}."
    if fault.kind == "paired" and one:
        return f"{masks} is that of another image."
    if fault.kind == "alone" and one:
        return f"{masks} is unlike its image, and unlike any other image of the set."
    return f"{masks} {verb} {fault.what}."


def _others(fault: Misalignment) -> str:
    """What is said of the masks that are not named, where most of them could not be judged."""
    if fault.kind not in ("turned", "paired") or fault.unclear <= fault.fitting:
        return ""
    return f" Nothing can be told of {fault.unclear:,} more, which may be so too."


def _rest(fault: Misalignment) -> Iterator[str]:
    """How many of the other masks were judged, and how many were not."""
    if not fault.whole and fault.fitting + fault.unclear:
        yield (f"only masks are named that are clear by themselves; of the others {fault.fitting:,} fit their own images, and of "
               f"{fault.unclear:,} nothing can be told")


def _partners(fault: Misalignment) -> list[str]:
    if fault.whole or not fault.partners:
        return []
    lines = [f"{mask} fits the image of {other}" for mask, other in list(fault.partners.items())[:_MOST_PARTNERS]]
    rest = len(fault.partners) - len(lines)
    return [*lines, f"and {count(rest, 'more mask')} likewise"] if rest else lines


def _fix(fault: Misalignment) -> str:
    look = "Overlay some of these masks on their images and look."
    if fault.kind == "turned":
        back = _BACK.get(fault.turn) if fault.turn is not None else None
        turn = f"{back} turns a mask back" if back else "Turn them back"
        return f"{look} {turn}; then repair the step that turned only the masks or only the images."
    if fault.kind == "paired":
        return f"{look} Join masks and images by name where they are put together, never by their positions in two lists."
    if fault.kind == "shifted":
        return f"{look} Export the masks again from their source, with one convention for where the center of a pixel lies."
    return look
