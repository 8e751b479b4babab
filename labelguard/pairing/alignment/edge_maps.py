"""What one look at an image and its mask says about whether they belong together.

Where a mask has an edge, its image mostly has one too. Both are reduced to a map of where edges lie, on the same small grid over the whole
picture, so that all that is asked later (does the mask fit better when it is flipped, or beside another image?) is a product of two small
maps; and for shifts of a few pixels the image is looked at once more, in full resolution, along the edges of the mask.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelguard.kernels.opencv import opencv

CELLS = 32   # cells a side; of 24, 32, 48 and 64, this told true pairs from others best over four sets of 128 to 574 pixels
REACH = 14  # pixels to each side that the image is looked at; shifts are told up to REACH less what smoothing takes
_SIDE = 256         # the image is reduced to at most this before its gradient is taken
_BLUR = CELLS // 8   # half a window of what counts as the neighborhood of a cell
_POINTS = 1024      # mask edges looked at in full resolution, for each direction
_MOST_EDGES = 1 << 16     # mask edges that are put on the grid, for each direction
_LEVELS = 4096      # steps of a gradient before it is ranked
_BAND_SAMPLES = 1 << 18      # samples taken at a time

Map = NDArray[np.int8]
Profile = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class AlignmentEvidence:
    """What is kept of a pair: 2 kB.

    Parameters
    ----------
    image_map, mask_map
        (CELLS, CELLS) int8: where the edges of the image and of the mask lie, against their neighborhood. All 0 where there are none.
    image_shape, mask_shape
        (H, W) of both; they need not be equal.
    rows, columns
        (2 * REACH + 1,) float32: mean rank of the image's gradient along the mask's edges when the mask is moved by -REACH .. REACH
        pixels down, and to the right; 0.5 is chance. Empty where there are no edges, or where the shapes differ.
    """

    image_map: Map
    mask_map: Map
    image_shape: tuple[int, int]
    mask_shape: tuple[int, int]
    rows: Profile
    columns: Profile


def edge_evidence(image: NDArray[Any], labels: NDArray[np.integer[Any] | np.bool_]) -> AlignmentEvidence:
    """Look at a pair once.

    Parameters
    ----------
    image
        (H, W) or (H, W, channels), any real dtype; a fourth channel is taken for alpha and left out.
    labels
        (H, W) integers. Another shape than the image's is allowed: both are laid over the same grid.

    Returns
    -------
    AlignmentEvidence
        Small enough to be kept for every pair of a set.

    Raises
    ------
    ValueError
        When an array has another number of dimensions, or no pixels.
    """
    if labels.ndim != 2 or image.ndim not in (2, 3) or not labels.size or not image.size:
        raise ValueError(f"an image (H, W) or (H, W, channels) and labels (H, W) are needed, not {image.shape} and {labels.shape}")
    planes = image[:, :, None] if image.ndim == 2 else image[:, :, :3] if image.shape[2] >= 3 else image[:, :, :1]
    across, along = _cracks(labels)
    fine = planes.shape[:2] == labels.shape
    with np.errstate(over="ignore", invalid="ignore"):  # of floats; `_finite` makes what comes of it 0, which is not an edge
        return AlignmentEvidence(_image_map(planes), _mask_map(across, along, labels.shape), planes.shape[:2], labels.shape,
                                 _profile(planes, across, 0) if fine else _NOTHING, _profile(planes, along, 1) if fine else _NOTHING)


_NOTHING = np.empty(0, np.float32)

Points = tuple[NDArray[np.intp], NDArray[np.intp]]


def _cracks(labels: NDArray[Any]) -> tuple[Points, Points]:
    """Where neighboring labels differ: (row, column) of the upper pixel, then of the left one."""
    found = []
    for differ in (labels[1:] != labels[:-1], labels[:, 1:] != labels[:, :-1]):
        places = np.flatnonzero(differ)
        places = places[::-(-len(places) // _MOST_EDGES) or 1]
        found.append(np.divmod(places, differ.shape[1]))
    return found[0], found[1]


def _mask_map(across: Points, along: Points, shape: tuple[int, int]) -> Map:
    """How much edge each cell of the grid holds; the root, so that a ragged edge does not outweigh all others."""
    counts = np.zeros(CELLS * CELLS)
    for rows, columns in (across, along):  # the upper or left one of two pixels, as in the gradient of the image
        counts += np.bincount(rows * CELLS // shape[0] * CELLS + columns * CELLS // shape[1], minlength=CELLS * CELLS)
    return _contrast(np.sqrt(counts).reshape(CELLS, CELLS))


def _image_map(planes: NDArray[Any]) -> Map:
    """How strong the gradient of each cell is, by its rank in this image: contrast and lighting leave no trace."""
    factor = -(-max(planes.shape[:2]) // _SIDE)
    if min(planes.shape[:2]) < 2 * factor:  # a line
        return np.zeros((CELLS, CELLS), np.int8)
    small = _reduced(planes, factor)
    gradient = _over_channels(np.abs(small[1:, :-1] - small[:-1, :-1]) + np.abs(small[:-1, 1:] - small[:-1, :-1]))
    ranks = _ranks(gradient)
    rows, columns = (np.arange(length) * CELLS // length for length in ranks.shape)
    cells = (rows[:, None] * CELLS + columns).ravel()
    held = np.bincount(cells, minlength=CELLS * CELLS)
    sums = np.bincount(cells, ranks.ravel(), CELLS * CELLS)
    return _contrast(np.where(held > 0, sums / np.maximum(held, 1), 0.5).reshape(CELLS, CELLS))


def _reduced(planes: NDArray[Any], factor: int) -> NDArray[np.float32]:
    """Means of blocks of `factor` x `factor` pixels; in bands, since OpenCV would round the means of whole numbers to whole numbers."""
    cv2 = opencv()
    height, width, channels = planes.shape[0] // factor, planes.shape[1] // factor, planes.shape[2]
    means = np.empty((height, width, channels), np.float32)
    step = max(1, _BAND_SAMPLES // (factor * planes[0].size))
    for top in range(0, height, step):
        band = np.ascontiguousarray(planes[top * factor:min(top + step, height) * factor, :width * factor], np.float32)
        if cv2 is None:
            reduced = band.reshape(-1, factor, width, factor, channels).mean(axis=(1, 3))
        else:
            reduced = cv2.resize(band, (width, len(band) // factor), interpolation=cv2.INTER_AREA)
        means[top:top + step] = reduced.reshape(-1, width, channels)
    return _finite(means)


def _over_channels(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """The sum over the last axis, which is short: adding whole planes takes a quarter of the time of `sum`."""
    total = values[:, :, 0].copy()
    for channel in range(1, values.shape[2]):
        total += values[:, :, channel]
    return total


def _finite(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Values that are not finite become 0: no gradient where there is no value."""
    return np.asarray(np.nan_to_num(values, copy=False, posinf=0, neginf=0), np.float32)


def _ranks(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """The share of values below each, ties in the middle; in steps of one _LEVELS-th of the 99th percentile."""
    values = _finite(values)
    top = float(np.partition(values, int(values.size * 0.99), axis=None)[int(values.size * 0.99)]) or float(values.max()) or 1.0
    steps = (np.minimum(values / np.float32(top), 1) * (_LEVELS - 1)).astype(np.intp)
    held = np.bincount(steps.ravel(), minlength=_LEVELS)
    return np.asarray(((np.cumsum(held) - held / 2) / values.size)[steps], np.float64)


def _contrast(cells: NDArray[np.float64]) -> Map:
    """Each cell against the mean of its neighborhood, scaled to the range of int8.

    Without this, what all pictures of a set have in common (sky above, road below) would make every mask fit every image.
    """
    cv2, window = opencv(), (2 * _BLUR + 1, 2 * _BLUR + 1)
    if cv2 is None:
        mean = np.lib.stride_tricks.sliding_window_view(np.pad(cells, _BLUR, mode="edge"), window).mean(axis=(2, 3))
    else:
        mean = cv2.blur(cells, window, borderType=cv2.BORDER_REPLICATE)
    rest = cells - mean
    rest -= rest.mean()
    top = np.abs(rest).max()
    return np.rint(rest * (127 / top)).astype(np.int8) if top > 1e-6 else np.zeros((CELLS, CELLS), np.int8)


def _profile(planes: NDArray[Any], points: Points, axis: int) -> Profile:
    """Mean rank of the image's steps along `axis` at edges of the mask, for each shift of the mask along it."""
    rows, columns = points
    place, length = (rows, columns)[axis], planes.shape[axis]
    inside = np.flatnonzero((place >= REACH) & (place < length - REACH - 1))
    inside = inside[::-(-len(inside) // _POINTS) or 1]
    if not len(inside):
        return _NOTHING
    start = (rows[inside] * planes.shape[1] + columns[inside])[:, None]
    stride = (planes.shape[1], 1)[axis]
    window = np.ascontiguousarray(planes).reshape(-1, planes.shape[2])[start + stride * np.arange(-REACH, REACH + 2)]
    steps = _over_channels(np.abs(np.diff(window.astype(np.float32), axis=1)))
    return np.asarray(_ranks(steps).mean(axis=0), np.float32)
