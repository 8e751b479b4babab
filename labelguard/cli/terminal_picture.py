"""Pictures in the terminal: by the protocols of kitty and iTerm2, or as half blocks in colors.

What a terminal can do is told by what it says of itself in the environment, never by asking it: an answer that comes late is typed into
the shell. Each rule asks for what the terminal itself sets, since variables are inherited by other terminals that are started from it.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping
from typing import Literal, TextIO

import numpy as np
from numpy.typing import NDArray

from labelguard.report.style import style_code
from labelguard.spec.labelspec import Color

Ability = Literal["kitty", "iterm2", "truecolor", "256", ""]

_KITTY_TERMS = ("xterm-kitty", "xterm-ghostty")
_CHUNK = 4096  # base64 bytes in one piece, as kitty's protocol asks
_HALF = "\N{UPPER HALF BLOCK}"
_BLOCK = "\N{FULL BLOCK}" * 2
_STEPS = (0, 95, 135, 175, 215, 255)  # of the color cube in 256 colors, as xterm has it


def ability(stream: TextIO, environment: Mapping[str, str]) -> Ability:
    """What kind of picture a stream shows; empty where it shows none, or nobody can tell."""
    term, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if not stream.isatty() or environment.get("NO_COLOR") or term == "dumb":
        return ""
    multiplexed = "TMUX" in environment or "STY" in environment or term.startswith(("tmux", "screen"))
    if not multiplexed and term in _KITTY_TERMS:
        return "kitty"
    if not multiplexed and program in ("iTerm.app", "WezTerm") and term in ("xterm-256color", "wezterm"):
        return "iterm2"
    if not (stream.encoding or "").lower().replace("-", "").startswith("utf"):
        return ""
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit") or "WT_SESSION" in environment or term.endswith("-direct"):
        return "truecolor"
    return "256" if "256color" in term else ""


def kitty(png: bytes) -> Iterator[str]:
    """A PNG in kitty's graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol), told not to answer."""
    text = b64encode(png).decode()
    for at in range(0, len(text), _CHUNK):
        first = "a=T,f=100,q=2," if at == 0 else ""
        yield f"\x1b_G{first}m={int(at + _CHUNK < len(text))};{text[at:at + _CHUNK]}\x1b\\"
    yield "\n"


def iterm2(png: bytes) -> Iterator[str]:
    """A PNG as an inline image of iTerm2 (https://iterm2.com/documentation-images.html)."""
    yield f"\x1b]1337;File=inline=1;size={len(png)};preserveAspectRatio=1:{b64encode(png).decode()}\x07\n"


def half_blocks(pixels: NDArray[np.uint8], deep: bool) -> Iterator[str]:
    """A picture as lines, two pixels above each other in each character; in 24-bit colors where `deep`, else in 256."""
    for top in range(0, len(pixels), 2):
        upper = pixels[top].tolist()
        lower = pixels[top + 1].tolist() if top + 1 < len(pixels) else [None] * len(upper)
        line, before = [], ""
        for above, below in zip(upper, lower, strict=True):
            ground = "49" if below is None else color_code(below, deep, 48)
            codes = f"\x1b[{color_code(above, deep)};{ground}m"
            line.append(_HALF if codes == before else codes + _HALF)
            before = codes
        yield "".join(line) + "\x1b[0m\n"


def swatch(color: Color, deep: bool) -> str:
    """Two characters in a color, as a part of a line that `labelguard.report.style.rendered` is given."""
    return style_code(_BLOCK, color_code(color, deep))


def color_code(color: Color, deep: bool, layer: int = 38) -> str:
    """The code that selects a color, without what surrounds it; `layer` is 38 for text, 48 for what lies behind it."""
    return f"{layer};2;{color[0]};{color[1]};{color[2]}" if deep else f"{layer};5;{_of_256(*color)}"


def _of_256(red: int, green: int, blue: int) -> int:
    """The nearest of the 216 colors of the cube and the 24 greys of a terminal with 256 colors."""
    cube = [min(range(6), key=lambda step: abs(_STEPS[step] - part)) for part in (red, green, blue)]
    grey = min(23, max(0, round((red + green + blue - 24) / 30)))
    in_cube = sum((_STEPS[step] - part) ** 2 for step, part in zip(cube, (red, green, blue), strict=True))
    in_greys = sum((8 + 10 * grey - part) ** 2 for part in (red, green, blue))
    return 232 + grey if in_greys < in_cube else 16 + 36 * cube[0] + 6 * cube[1] + cube[2]


def size_in_pixels(stream: TextIO) -> tuple[int, int] | None:
    """Width and height of a terminal in pixels; None where it does not say."""
    try:
        from fcntl import ioctl
        from struct import unpack
        from termios import TIOCGWINSZ
        _, _, width, height = unpack("HHHH", ioctl(stream.fileno(), TIOCGWINSZ, b"\0" * 8))
    except (ImportError, OSError, ValueError):
        return None
    return (width, height) if width and height else None
