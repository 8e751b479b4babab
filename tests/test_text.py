"""Names as they can be printed, and commands as a shell reads them."""

from __future__ import annotations

import os
import subprocess

import pytest

from labelguard.text import did_you_mean, middle_out, path_argument, printable, shell_command

UNPRINTABLE = ["\x00", "\x07", "\n", "\r", "\t", "\x1b[2J", "\x7f", "\x85", "\x9b31m", "\u200b", "\u200f", "\u2028", "\u2029", "\u202e",
               "\u2066", "\ufeff", "\U000e0041", "\xa0", "\udcff", "\ud800"]


@pytest.mark.parametrize("text", UNPRINTABLE, ids=ascii)
def test_what_could_act_on_a_terminal_is_shown_instead(text: str) -> None:
    shown = printable(f"a{text}b")
    assert shown.isprintable() and shown.startswith("a\\") and shown.endswith("b") and printable(shown) == shown


def test_what_can_be_read_stays_as_it_is() -> None:
    for text in ("", "masks/a b.png", "[red]", "C:\\new\\x1b.png", "straße/маска/掩码.png", "🙂"):
        assert printable(text) == text


def test_a_byte_that_is_not_utf8_is_shown_as_that_byte() -> None:
    assert printable(os.fsdecode(b"a\xff\n.png")) == r"a\xff\n.png"


@pytest.mark.parametrize("text", [*(text for text in UNPRINTABLE if text not in ("\x00", "\ud800")),
                                  "it's\\here\x1b", "7\x017", "$(a)\n`b`", ""], ids=ascii)
def test_a_shell_reads_a_command_as_it_was_meant(text: str) -> None:
    command = shell_command(["printf", "%s\\0", f"a{text}0", "b c"])
    assert command.isprintable()
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert done.stdout == b"\0".join([os.fsencode(f"a{text}0"), b"b c", b""])


def test_no_path_is_an_option() -> None:
    assert (path_argument("-a.png"), path_argument("./-a"), path_argument("a-b")) == ("./-a.png", "./-a", "a-b")


@pytest.mark.parametrize(("name", "asked"), [
    ("cityscape", " Did you mean 'cityscapes'?"), ("Cityscapes", " Did you mean 'cityscapes'?"), ("ade", ""),
])
def test_what_is_nearly_a_name_is_asked_for(name: str, asked: str) -> None:
    assert did_you_mean(name, ["cityscapes", "voc", "ade20k"]) == asked


@pytest.mark.parametrize(("text", "longest", "short"), [
    ("a/b.png", 7, "a/b.png"), ("0123456789", 9, "01...6789")])
def test_a_long_name_loses_its_middle(text: str, longest: int, short: str) -> None:
    assert middle_out(text, longest) == short and len(short) <= longest
