"""What is said of masks that do not belong to their images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from labelguard.pairing.alignment.turn import Turn

View = Literal["stored", "displayed"]
MisalignmentKind = Literal["turned", "paired", "shifted", "alone"]

CHANCE = 1e-4       # that a sound set is called faulty
FILE_CHANCE = 1e-4  # share of sound files among those that are named


@dataclass(frozen=True)
class Misalignment:
    """One way in which masks do not belong to their images.

    Parameters
    ----------
    kind
        ``turned`` (flipped, rotated, transposed), ``paired`` (the mask of another image), ``shifted``, or ``alone``: fits neither its
        image nor another.
    what
        In words, as in ``flipped horizontally``; it completes "the masks are ...".
    files
        The masks concerned.
    whole
        Whether that is the whole set, as far as it can be judged.
    sure
        Whether chance is out of the question.
    votes
        What was measured, in sentences.
    turn
        For masks that are turned: what has happened to them; None where several turns explain it as well.
    shift
        How far the masks have to be moved back, as (down, right) in pixels.
    partners
        For masks of other images: the pair whose image they fit.
    fitting, unclear
        Of the masks of which nothing is said here or in another fault: how many were seen to fit their images, and how many may or may not.
    """

    kind: MisalignmentKind
    what: str
    files: tuple[str, ...]
    whole: bool
    sure: bool
    votes: tuple[str, ...]
    turn: Turn | None = None
    shift: tuple[int, int] | None = None
    partners: Mapping[str, str] = field(default_factory=dict)
    fitting: int = 0
    unclear: int = 0


@dataclass(frozen=True)
class AlignmentVerdict:
    """What is said of a set: ``ok``, ``abstains`` or ``faulty``, why, and the faults."""

    status: Literal["ok", "abstains", "faulty"]
    why: str
    faults: tuple[Misalignment, ...] = ()
