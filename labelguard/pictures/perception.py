"""How different colors look, also to people who cannot tell red from green."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision deficiency", severity 1.0
_PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
_DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
# Ottosson 2020, "A perceptual color space for image processing" (Oklab), from linear sRGB
_CONES = ((0.4122214708, 0.5363325363, 0.0514459929), (0.2119034982, 0.6806995451, 0.1073969566),
          (0.0883024619, 0.2817188376, 0.6299787005))
_OKLAB = ((0.2104542553, 0.7936177850, -0.0040720468), (1.9779984951, -2.4285922050, 0.4505937099),
          (0.0259040371, 0.7827717662, -0.8086757660))


def differences(colors: NDArray[Any], others: NDArray[Any]) -> NDArray[np.float64]:
    """How far colors are from others in Oklab, 1 being black to white: the smallest of what people with and without color blindness see.

    Parameters
    ----------
    colors, others
        (N, 3) and (M, 3), 0 to 255.

    Returns
    -------
    ndarray
        (N, M).
    """
    seen = (np.eye(3), np.array(_PROTANOPIA), np.array(_DEUTERANOPIA))
    apart = [np.linalg.norm(_oklab(colors, view)[:, np.newaxis] - _oklab(others, view), axis=2) for view in seen]
    nearest: NDArray[np.float64] = np.min(apart, axis=0)
    return nearest


def _oklab(colors: NDArray[Any], view: NDArray[np.float64]) -> NDArray[np.float64]:
    share = colors / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    cones = np.cbrt(np.clip(linear @ view.T, 0, 1) @ np.array(_CONES).T)
    lab: NDArray[np.float64] = cones @ np.array(_OKLAB).T
    return lab


def is_dark(color: tuple[int, int, int]) -> bool:
    """Whether white text reads better on a color than black: relative luminance as WCAG 2.2 defines it, below that of equal contrast."""
    shares = [part / 255 for part in color]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179
