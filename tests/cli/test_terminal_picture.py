"""Pictures in the terminal: which kind it shows is told by its own variables alone."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

from labelguard.cli import terminal_picture as terminal
from labelguard.cli.show import _drawn
from labelguard.pictures.picture import Picture
from labelguard.report.style import rendered
from labelguard.runs.show import show
from tests.drawn import bands, write_png


class Stream(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def __init__(self, terminal: bool = True) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(("environment", "able"), [
    ({"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, "kitty"),
    ({"TERM": "xterm-ghostty"}, "kitty"),
    ({"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, "256"),                                      # another one, started from kitty
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "COLORTERM": "truecolor"}, "iterm2"),
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, "iterm2"),
    ({"TERM": "alacritty", "TERM_PROGRAM": "iTerm.app", "COLORTERM": "truecolor"}, "truecolor"),      # started from iTerm2
    ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, "256"),
    ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, ""),
    ({"TERM": "tmux-256color", "TMUX": "/tmp/x", "TERM_PROGRAM": "iTerm.app"}, "256"),
    ({"TERM": "screen-256color", "STY": "1", "TERM_PROGRAM": "WezTerm", "COLORTERM": "truecolor"}, "truecolor"),
    ({"TERM": "xterm", "COLORTERM": "24bit"}, "truecolor"), ({"TERM": "xterm-direct"}, "truecolor"), ({"WT_SESSION": "1"}, "truecolor"),
    ({"TERM": "xterm"}, ""), ({"TERM": "vt100"}, ""), ({}, ""), ({"TERM": "dumb", "COLORTERM": "truecolor"}, ""),
    ({"TERM": "xterm-kitty", "NO_COLOR": "1"}, ""),
])
def test_what_a_terminal_shows_is_told_by_what_it_says_of_itself(environment: dict[str, str], able: str) -> None:
    assert terminal.ability(Stream(), environment) == able
    assert terminal.ability(Stream(terminal=False), environment) == ""


def test_half_blocks_need_an_encoding_that_has_them() -> None:
    stream = Stream()
    stream.encoding = "ISO-8859-1"  # type: ignore[assignment]
    assert terminal.ability(stream, {"TERM": "xterm-256color"}) == "" and terminal.ability(stream, {"TERM": "xterm-kitty"}) == "kitty"


def test_kitty_is_sent_the_png_in_pieces_and_told_not_to_answer() -> None:
    png = Picture(np.random.default_rng(1).integers(0, 256, (60, 60, 3), np.uint8)).png()
    *pieces, end = terminal.kitty(png)
    found = [re.fullmatch(r"\x1b_G(a=T,f=100,q=2,)?m=([01]);([A-Za-z0-9+/=]*)\x1b\\", piece) for piece in pieces]
    parts = [match.groups() for match in found if match]
    assert len(parts) == len(pieces) > 2 and end == "\n"
    assert [bool(first) for first, _, _ in parts] == [True] + [False] * (len(parts) - 1)
    assert [more for _, more, _ in parts] == ["1"] * (len(parts) - 1) + ["0"] and max(len(text) for _, _, text in parts) == 4096
    assert b64decode("".join(text for _, _, text in parts)) == png


def test_iterm2_is_sent_the_png_at_once() -> None:
    png = Picture(np.zeros((5, 5, 3), np.uint8)).png()
    text, = terminal.iterm2(png)
    assert text.startswith(f"\x1b]1337;File=inline=1;size={len(png)};") and text.endswith("\x07\n")
    assert b64decode(text[text.index(":") + 1:-2]) == png


def test_two_pixels_share_a_character_and_colors_are_said_once() -> None:
    pixels = np.array([[[255, 0, 0], [255, 0, 0]], [[0, 0, 255], [0, 0, 255]], [[1, 2, 3], [0, 0, 0]]], np.uint8)
    assert [*terminal.half_blocks(pixels, deep=True)] == [
        "\x1b[38;2;255;0;0;48;2;0;0;255m▀▀\x1b[0m\n", "\x1b[38;2;1;2;3;49m▀\x1b[38;2;0;0;0;49m▀\x1b[0m\n"]
    assert [*terminal.half_blocks(pixels[:2], deep=False)] == ["\x1b[38;5;196;48;5;21m▀▀\x1b[0m\n"]


@pytest.mark.parametrize(("color", "code"), [((0, 0, 0), 16), ((255, 255, 255), 231), ((128, 128, 128), 244), ((95, 135, 175), 67),
                                             ((8, 8, 8), 232), ((254, 1, 2), 196)])
def test_of_256_colors_the_nearest_is_taken(color: tuple[int, int, int], code: int) -> None:
    assert terminal.color_code(color, deep=False) == f"38;5;{code}"


@pytest.mark.parametrize(("environment", "begins"), [
    ({"TERM": "xterm-kitty"}, "\x1b_Ga=T"), ({"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, "\x1b]1337;"),
    ({"TERM": "xterm-256color"}, "\x1b[38;5;"), ({"TERM": "xterm", "COLORTERM": "truecolor"}, "\x1b[38;2;"), ({"TERM": "xterm"}, "")])
def test_the_picture_comes_first_and_the_legend_has_its_colors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str],
                                                               begins: str) -> None:
    for name in ("COLORTERM", "TERM_PROGRAM", "TMUX", "STY", "NO_COLOR", "WT_SESSION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"COLUMNS": "60", "LINES": "20"} | environment).items():
        monkeypatch.setenv(name, value)
    picture, lines = _drawn(show(write_png(tmp_path / "a.png", bands(0, 1, 2, height=90, width=300)), num_classes=3), Stream())
    drawn, said = [*picture], "\n".join(rendered(line, True) for line in lines)
    assert "".join(drawn).startswith(begins) and bool(drawn) == bool(begins)
    assert ("██" in said) == bool(begins) and ("No picture" in said) == (not begins)
    if begins.startswith("\x1b[38"):
        assert len(drawn) == 9 and {line.count("▀") for line in drawn} == {60}
        assert f"{begins[:-1]};" in said


def test_names_of_classes_cannot_act_on_the_terminal(tmp_path: Path) -> None:
    import labelguard
    report = show(write_png(tmp_path / "a.png", bands(0, 1)), spec=labelguard.LabelSpec(names=["\x1b[2J", "\0" + "38;2;1;2;3mx"]))
    said = [rendered(line, True) for line in report.lines()]
    assert not any("\x1b[2J" in line for line in said)
