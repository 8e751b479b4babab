"""Masks that do not belong to their images: flipped, turned, shifted, or those of other images.

Names and sizes agree, and nothing fails. Only the content tells: where a mask has an edge, its image mostly has one too. A set in which
every mask lies beside the next image of the list passes every other check.

Looks for: another way of putting masks and images together that fits better than the one at hand. Tried are flips, rotations by 90 and
180 degrees and transposition (the latter two where height and width allow it), images up to three names away, names sorted as numbers
against names sorted as text, shifts by up to 9 pixels, and for single masks every other image of the set. The set is judged as a whole:
a reading has to fit better over all pairs, and to fit each mask to its own image better than to other images. Single files are named only
where each speaks for itself. Transposed masks are LG304; an image that EXIF turns is looked at in the view that fits the mask. Where
images have no contrast, are all alike, or show nothing of what the masks outline, nothing is said.

Hurts because: a network learns to predict what is not there, or the average of all masks. The loss falls at first and then stays where
it is, which looks like a problem too hard to learn. Shifts cost accuracy at every edge, and most where objects are thin.

Mend it: look at some of the named pairs, laid over each other. If that shows the same, mend it where masks and images were put together:
join them by name and never by position in two lists; turn masks together with their images. An image with an orientation tag is turned by
some readers and not by others. Masks that are shifted are best derived again from their source.
"""

from __future__ import annotations

from collections.abc import Iterator

from labelguard.checks.rule import Rule
from labelguard.facts.dataset import DatasetFacts
from labelguard.finding import Finding, Severity
from labelguard.pairing.alignment import Misalignment, Turn
from labelguard.spec.labelspec import LabelSpec
from labelguard.text import count

rule = Rule("LG305", "misaligned", Severity.WARNING, "Masks do not lie on what their images show.",
            needs="--images", needs_pixels=True)

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


@rule.on_dataset
def check(data: DatasetFacts, spec: LabelSpec) -> Iterator[Finding]:
    for fault in data.alignment.verdict.faults:
        if fault.turn is Turn.TRANSPOSED:
            continue  # LG304 tells that
        severity = Severity.ERROR if fault.sure else Severity.NOTE if fault.kind == "alone" else Severity.WARNING
        yield rule.finding(_message(fault), severity=severity, files=fault.files, evidence=(*fault.votes, *_partners(fault)),
                           fix=_fix(fault))


def _message(fault: Misalignment) -> str:
    masks = "The masks" if fault.whole else count(len(fault.files), "mask")
    one = not fault.whole and len(fault.files) == 1
    verb = "is" if one else "are"
    if fault.kind == "turned":
        return f"{masks} {verb} {fault.what}, against {'its image' if one else 'their images'}."
    if fault.kind == "shifted":
        return f"{masks} {'lies' if one else 'lie'} {fault.what}."
    if fault.kind == "paired" and one:
        return f"{masks} is that of another image."
    if fault.kind == "alone" and one:
        return f"{masks} is unlike its image, and unlike any other image of the set."
    return f"{masks} {verb} {fault.what}."


def _partners(fault: Misalignment) -> list[str]:
    if fault.whole or not fault.partners:
        return []
    lines = [f"{mask} fits the image of {other}" for mask, other in list(fault.partners.items())[:_MOST_PARTNERS]]
    rest = len(fault.partners) - len(lines)
    return [*lines, f"and {count(rest, 'more mask')} likewise"] if rest else lines


def _fix(fault: Misalignment) -> str:
    look = "Lay some of these masks over their images and look."
    if fault.kind == "turned":
        back = _BACK.get(fault.turn) if fault.turn is not None else None
        return f"{look} {f'{back} turns a mask back' if back else 'Turn them back'}; then mend what turned masks or images alone."
    if fault.kind == "paired":
        return f"{look} Join masks and images by name where they are put together, never by their positions in two lists."
    if fault.kind == "shifted":
        return f"{look} Derive the masks again from their source, with one convention for where a pixel's center lies."
    return look
