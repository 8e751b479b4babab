"""How much a file may claim before memory is taken for it."""

from __future__ import annotations

import math

from labelguard.errors import UnreadableMaskError

MAX_BYTES = 1 << 29
"""A mask may take this much decoded; 512 MiB is an 8-bit mask of 23,000 x 23,000 pixels."""

MAX_FILE_BYTES = 2 * MAX_BYTES
"""A file on disk may be this large."""

MAX_SIDE = 1 << 20
"""Longest height or width that is believed."""


def check_size(shape: tuple[int, ...], sample_bytes: int) -> int:
    """Refuse a claimed image size before anything is allocated for it.

    Parameters
    ----------
    shape
        What the header claims: (height, width) or (height, width, channels).
    sample_bytes
        Bytes of one sample when decoded.

    Returns
    -------
    int
        The decoded size in bytes.

    Raises
    ------
    UnreadableMaskError
        When a side is zero or absurd, or the whole is larger than `MAX_BYTES`.
    """
    size = math.prod(shape) * sample_bytes
    claim = f"{shape[0]} x {shape[1]} pixels"
    if min(shape) < 1:
        raise UnreadableMaskError(f"the header claims {claim}: an image without pixels")
    if max(shape[:2]) > MAX_SIDE or size > MAX_BYTES:
        raise UnreadableMaskError(f"the header claims {claim}, which takes {size / 1e6:,.0f} MB decoded; "
                             f"the limit is {MAX_BYTES / 1e6:,.0f} MB; fetch it again, or, if it is sound, cut it into tiles or "
                             "leave it out with --exclude")
    return size
