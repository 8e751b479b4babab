"""ExamineImage: the work on one image of a scan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.errors import LabelguardError
from labelguard.facts.image import ImageFacts, fit
from labelguard.files.exif import as_displayed
from labelguard.files.image import as_colors, decode_image, image_facts
from labelguard.files.memory import take
from labelguard.files.not_decoded import NotDecodedError
from labelguard.files.read import read_bytes
from labelguard.pairing.alignment import PairEvidence
from labelguard.runs.results import ImageResult

_EDGE_BYTES = 9  # what it takes for each pixel of a mask to find its edges, where every pixel is one


@dataclass(frozen=True)
class ExamineImage:
    """The work on one image. Picklable, so that it can go to other processes.

    Parameters
    ----------
    pixels
        Whether its pixels are decoded.
    labels
        (H, W), the mask that is held against it, if any.
    """

    pixels: bool
    labels: NDArray[np.integer] | None = None

    def __call__(self, path: str, name: str) -> ImageResult:
        """What there is to learn of one image."""
        try:
            if self.labels is None:
                return ImageResult(name, image_facts(read_bytes(path), name, self.pixels))
            data = read_bytes(path)
            try:
                samples, facts = decode_image(data, name)
            except NotDecodedError:  # no pixels to compare
                return ImageResult(name, image_facts(data, name))
            take(_EDGE_BYTES * self.labels.size)
            return ImageResult(name, facts, alignment=alignment_of(samples, facts, self.labels))
        except LabelguardError as reason:
            return self.failed(name, str(reason))

    def failed(self, name: str, problem: str) -> ImageResult:
        """The result for an image that cannot be read."""
        return ImageResult(name, problem=problem)


def alignment_of(samples: NDArray[Any], facts: ImageFacts, labels: NDArray[np.integer]) -> PairEvidence | None:
    """Whether the edges of a mask and of its image lie in the same places.

    The image is turned to the view that has the size of the mask; where EXIF turns it and both have, both are looked at.

    Parameters
    ----------
    samples, facts
        As `labelguard.files.image.decode_image` gives them.
    labels
        (H, W), the mask.

    Returns
    -------
    PairEvidence or None
        None where the sizes differ, which other checks speak of.
    """
    from labelguard.pairing.alignment.edge_maps import edge_evidence
    how = fit(labels.shape, facts.shape, facts.orientation)
    if how not in ("equal", "stored", "displayed", "either") or facts.stored is None:
        return None
    colors = as_colors(samples, facts.stored)
    seen = edge_evidence(as_displayed(colors, facts.orientation if how == "displayed" else 1), labels)
    return PairEvidence(seen, edge_evidence(as_displayed(colors, facts.orientation), labels) if how == "either" else None)
