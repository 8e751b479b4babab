"""The colors of classes that have been given none, and of ids that are no class.

How they were found: of the colors of a grid of sRGB with L* from 42 to 92 and some chroma, twelve whose smallest CIEDE2000 distance is
as large as exchanges of single colors make it, over four ways of seeing: with all cones, and protanopia, deuteranopia and tritanopia as
simulated by Machado et al. 2009; the ground, the greys and the signal below count as taken. Then one after the other the color that
is farthest from all so far and, above all, from the ten before it. `tests/pictures/test_palette.py` says what came out.
"""

from __future__ import annotations

from labelguard.spec.labelspec import Color

_GROUND = "222632"  # class 0, which mostly is background
_CLASSES = (
    "f0a0508070ff806000c0e0ff00809060ffb070b0f0b03070ffe000707050b0a080b080007030ffe02050ff60b0a0c0a0f0c0e0e0f0808090ffd0f0d0"
    "a05080609070a0b0004060d0d0000000a0b090d090e0c0ffa090508080ffd0f060a06080508060f080d0c000b0607020b0c00090e0b080b0a0c0a070"
    "00a020c060d0c0e080107070b0b0e0b06060b000d09070a0b0f0f0f080a0ffd0c0a0a040d03030c0d000c070e0d0b0ffd0607090506040709070c0c0"
    "6090a0f0c0a0b030e0e01020b0e050807040e090fff0607080c050b05070c0b0d0a080c080f0c07050ff50b090c0f090407030409050e0a0b0a0c070"
    "a04080e0b0f0a090c050ff00b050e000b030ffe0b0307040709060d09090a0d070d00090f0b0e0b090e000d0b08060fff060205080b0d0003060a060"
    "f09090c0d060b0407000fff0a0a0d06080509010f0a0f0a09070c0809010b080f0e0b0b070a080a0b060b0400060b0c01080409040c080e0f0d0e070"
    "e040509070b0b070f0d08080f0b090b0b040b0a0e04080309040f080ffd0a0e0309090405090b0b030a080a070e0d09050c0a0f090f0a05020b060e0"
    "b0a0c0d01060e08030f0b0409030e0c0b080807090b080d080b0ff10e0a0b09060b07000c04040a05060f0a0d00060e0c0c060f060906090c0a0d0ff"
    "30f09090a050b07070e0104070c080ff90b0c010d0d0c050b090f0e0f050e0a0e070f0f090a020009060f03060c0c080807010a060d060d020b0d0b0"
    "b0a06070a0e070d0f0ff1030c0306090ffa0e0c070309030b010c0a050f0ffa0a080b0707090e0ffd0ff50c030d0406090c0ffc0d080f02040c0f070"
    "4080a0ff80c0a0b0908080d0b090ffb0b070c0205040a07050c0d0a08040ffd0608080a0407050c0d0a08090d09070f0c0a050f010004080c090c0b0"
    "d0706060f060c05090808040c0f0b0ff70f010d090c0b050d0d0ff8060d0507010c09050d0a0d0d0700090705080ff80e060d00090ff70d060b020a0"
    "d0f0c0c0502050b040d0a0a0809050a0f0ff8090b04070ffd090f070e0809040b0b03080c06020ff8030d0a060"
)

_hex = _GROUND + _CLASSES
DEFAULT_COLORS: tuple[Color, ...] = tuple((int(_hex[at:at + 2], 16), int(_hex[at + 2:at + 4], 16), int(_hex[at + 4:at + 6], 16))
                                   for at in range(0, len(_hex), 6))
"""The colors of the classes 0 to 255, in this order."""

VOID_COLOR: Color = (142, 142, 142)
"""Ids that are ignored; hatched with the next where there is room."""

HATCH_COLOR: Color = (206, 206, 206)
"""The stripes on them."""

SIGNAL_COLOR: Color = (255, 0, 170)
"""Ids that are no class, where classes have the colors above, which keep away from it."""


def css(color: Color) -> str:
    """A color as style sheets write it, such as ``#ff00aa``."""
    return "#{:02x}{:02x}{:02x}".format(*color)
