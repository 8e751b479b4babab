"""Numbers, lists and names as people write them in a sentence, and commands as a shell reads them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Sequence


def printable(text: str) -> str:
    """Text that shows what it holds, and can neither act on a terminal nor forge a line.

    All that is not printable (`str.isprintable`: control and format characters, line ends, bytes that are not UTF-8, every space but the
    plain one) becomes an escape such as ``\\n`` or ``\\u202e``. Whatever is printed goes through here. JSON does not: its own escapes
    give the name back.
    """
    return text if text.isprintable() else "".join(_escaped(character) for character in text)


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # how Python reads a byte that is not UTF-8
        return f"\\x{ord(character) - 0xdc00:02x}"
    return character.encode("unicode_escape").decode()


def shortened(text: str, longest: int = 2_000) -> str:
    """No more of a text than somebody would read."""
    return text if len(text) <= longest else f"{text[:longest]} ..."


def middle_out(text: str, longest: int) -> str:
    """A long name without its middle: where it begins and how it ends tell most names apart."""
    if len(text) <= longest:
        return text
    end = (longest - 3) * 2 // 3
    return f"{text[:longest - 3 - end]}...{text[-end:]}"


def shell_command(arguments: Iterable[str]) -> str:
    """A command that a POSIX shell reads as these arguments, also where they hold what cannot be printed."""
    return " ".join(map(_shell_word, arguments))


def _shell_word(argument: str) -> str:
    if argument.isprintable():
        return shlex.quote(argument)
    quoted = (f"\\{character}" if character in "\\'" else character if character.isprintable() else
              _SHELL_ESCAPES.get(character) or "".join(f"\\{byte:03o}" for byte in os.fsencode(character)) for character in argument)
    return f"$'{''.join(quoted)}'"


_SHELL_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def reason(problem: Exception) -> str:
    """Why something failed, as a part of a sentence: what the system says, such as ``no space left on device``, or the exception does."""
    return (problem.strerror or str(problem)).lower() if isinstance(problem, OSError) else str(problem)


def path_argument(path: str) -> str:
    """A path as an argument that no command takes for an option: ``-a.png`` becomes ``./-a.png``."""
    return f"./{path}" if path.startswith("-") else path


def did_you_mean(name: str, names: Iterable[str], prefix: str = "") -> str:
    """A sentence that asks for what may have been meant by a name that there is none of, to follow another; nothing where nothing is near.

    Parameters
    ----------
    name
        What was written.
    names
        What there is.
    prefix
        What stands before the name, such as a folder.
    """
    from difflib import get_close_matches
    lower = {each.lower(): each for each in names}
    near = get_close_matches(name.lower(), lower, 1, 0.75)
    return f" Did you mean '{prefix}{lower[near[0]]}'?" if near else ""


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 file``, ``2,048 files``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(part: float, whole: float) -> str:
    """A share with as many digits as it needs: ``41 %``, ``0.3 %``, ``0.004 %``; only 0 reads ``0 %``, and only the whole ``100 %``."""
    if whole <= 0 or part <= 0:
        return "0 %"
    share = 100 * part / whole
    if share >= 10:
        return f"{min(share, 99.9):.1f} %" if 99 <= share < 100 else f"{share:.0f} %"
    return f"{share:.1f} %" if share >= 0.095 else f"{share:.1g} %" if share >= 0.0001 else "< 0.0001 %"


def listed(items: Iterable[object], most: int = 8, word: str = "and") -> str:
    """``0, 3 and 7``, or another `word` before the last; a long list ends with the count of the rest."""
    texts = [str(item) for item in items]
    if len(texts) > most:
        return f"{', '.join(texts[:most])} {word} {len(texts) - most:,} more"
    return f" {word} ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)


def id_ranges(ids: Sequence[int], most: int = 8) -> str:
    """``0-11 and 255``: consecutive ids as a range."""
    parts: list[list[int]] = []
    for label in sorted(ids):
        if parts and label == parts[-1][1] + 1:
            parts[-1][1] = label
        else:
            parts.append([label, label])
    return listed((f"{a}" if a == b else f"{a}, {b}" if b == a + 1 else f"{a}-{b}" if a >= 0 else f"{a} to {b}" for a, b in parts), most)


def of_files(files: int, total: int) -> str:
    """``in all 367 files``, ``in 3 of 367 files``, ``in the only file``."""
    if files == total:
        return "in the only file" if total == 1 else f"in all {total:,} files"
    return f"in {files:,} of {count(total, 'file')}"
