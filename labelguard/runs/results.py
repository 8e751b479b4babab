"""What workers hand back: one plain value for each file, without pixels."""

from __future__ import annotations

from dataclasses import dataclass

from labelguard.facts.crops import CropFacts
from labelguard.facts.image import ImageFacts
from labelguard.facts.mask_facts import MaskFacts
from labelguard.files.receipt import WrittenFile
from labelguard.finding import Finding
from labelguard.pairing.alignment import PairEvidence


@dataclass(frozen=True, slots=True, eq=False)
class ImageResult:
    """What was learned of one image.

    Parameters
    ----------
    path
        The file, relative to the folder of the images.
    facts
        None where the file could not be read.
    problem
        Why the file could not be read, in words; empty where it could.
    alignment
        Whether its edges and those of its mask lie in the same places; None where that was not looked at.
    """

    path: str
    facts: ImageFacts | None = None
    problem: str = ""
    alignment: PairEvidence | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MaskResult:
    """What was learned of one mask.

    Parameters
    ----------
    path
        The file, relative to the scanned root.
    facts
        None where the file could not be read.
    problem
        Why the file could not be read, in words; empty where it could.
    findings
        What the checks on single masks found.
    crops
        What random crops of the mask hold; None where that was not asked.
    image
        What was learned of the image that belongs to it; None where there is none.
    changed
        Whether its content is not what a receipt records.
    """

    path: str
    facts: MaskFacts | None = None
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    crops: CropFacts | None = None
    image: ImageResult | None = None
    changed: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class WrittenResult:
    """What became of one mask that was put through a stage.

    Parameters
    ----------
    path
        The source file, relative to the source folder.
    problem
        Why the source could not be read, in words; empty where it could.
    findings
        Why the stage refused the mask.
    written
        What was written; None where nothing was.
    unwritable
        Why the result cannot be written in its place, in words; empty where it can.
    changed
        Whether an earlier run had written it from another content of the source.
    kept
        What an earlier run had written, where somebody has changed that since, so that it stays as it is.
    """

    path: str
    problem: str = ""
    findings: tuple[Finding, ...] = ()
    written: WrittenFile | None = None
    unwritable: str = ""
    changed: bool = False
    kept: WrittenFile | None = None
