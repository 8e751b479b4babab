"""Digests: short values that are equal for equal content, and for no other.

Those that are only compared while a command runs are SHA-256, which takes half the time of BLAKE2b where the processor has instructions for
it. Those in receipts stay what they are, BLAKE2b: a receipt of an earlier version still has to fit the files beside it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_BYTES = 16


def digest_of(*parts: bytes | memoryview) -> bytes:
    """A digest of some bytes, end to end; 128 bits of SHA-256."""
    from hashlib import sha256  # it brings OpenSSL along, and most scans compare nothing
    state = sha256()
    for part in parts:
        state.update(part)
    return state.digest()[:_BYTES]


def digest_of_array(values: NDArray[Any]) -> bytes:
    """A digest of an array's shape, type and values."""
    return digest_of(repr((values.shape, values.dtype.str)).encode(), np.ascontiguousarray(values).view(np.uint8).data)


def digest_in_receipt(data: bytes | memoryview) -> str:
    """The digest of a file's content that receipts record; 160 bits of BLAKE2b, in hexadecimal digits."""
    from hashlib import blake2b
    return blake2b(data, digest_size=20).hexdigest()
