"""CIEDE2000 and simulated color blindness: how the palette is judged, apart from what the package itself uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Lab = NDArray[np.float64]

# Machado, Oliveira and Fernandes 2009, severity 1.0, over linear sRGB
VIEWS = {
    "all cones": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])  # IEC 61966-2-1
_D65 = np.array([0.95047, 1, 1.08883])


def seen(colors: Sequence[Sequence[int]]) -> Iterator[Lab]:
    """The colors in CIELAB, (N, 3), for each way of seeing."""
    share = np.array(colors) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    for view in VIEWS.values():
        xyz = np.clip(linear @ view.T, 0, 1) @ _XYZ.T / _D65
        f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
        yield np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1)


def differences(colors: Sequence[Sequence[int]]) -> NDArray[np.float64]:
    """The smallest difference of each two colors over the ways of seeing, (N, N)."""
    return np.min([ciede2000(lab[:, np.newaxis], lab[np.newaxis]) for lab in seen(colors)], axis=0)


def ciede2000(one: Lab, other: Lab) -> NDArray[np.float64]:
    """The color difference as Sharma, Wu and Dalal 2005 write it down, weights of 1."""
    (l1, a1, b1), (l2, a2, b2) = np.moveaxis(one, -1, 0), np.moveaxis(other, -1, 0)
    c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    stretch = 1.5 - 0.5 * np.sqrt(c7 / (c7 + 25.0 ** 7))
    c1, c2 = np.hypot(a1 * stretch, b1), np.hypot(a2 * stretch, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a * stretch)) % 360 for a, b in ((a1, b1), (a2, b2)))
    gray = c1 * c2 == 0
    turn = np.where(gray, 0, (h2 - h1 + 180) % 360 - 180)
    middle = np.where(gray, h1 + h2, np.where(abs(h1 - h2) <= 180, (h1 + h2) / 2, (h1 + h2 + np.where(h1 + h2 < 360, 360, -360)) / 2))
    lightness, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    t = (1 - 0.17 * _cos(middle - 30) + 0.24 * _cos(2 * middle) + 0.32 * _cos(3 * middle + 6) - 0.2 * _cos(4 * middle - 63))
    dl = (l2 - l1) / (1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2))
    dc = (c2 - c1) / (1 + 0.045 * chroma)
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    rotation = -2 * np.sqrt(chroma ** 7 / (chroma ** 7 + 25.0 ** 7)) * np.sin(np.radians(60 * np.exp(-((middle - 275) / 25) ** 2)))
    result: NDArray[np.float64] = np.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rotation * dc * dh)
    return result


def _cos(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.cos(np.radians(degrees))
