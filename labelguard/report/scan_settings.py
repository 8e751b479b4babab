"""ScanSettings: which options of a scan a labelguard.toml gave, and which it did not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from labelguard.text import listed

if TYPE_CHECKING:
    from labelguard.report.text import Fact


@dataclass(frozen=True)
class ScanSettings:
    """What became of the table [scan].

    Parameters
    ----------
    file
        The labelguard.toml.
    taken
        The keys that hold.
    over
        The options that were given and win over keys.
    aside
        The keys that are about other masks than those that were named.
    values
        The values of those that hold.
    """

    file: str
    taken: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)

    def facts(self) -> Iterator[Fact]:
        """The same in words; nothing where the table says nothing."""
        words = [f"{listed(self.taken, 20)} of {self.file}"] * bool(self.taken)
        words += [f"{listed(self.over, 20)} {'wins' if len(self.over) == 1 else 'win'} over {self.file}"] * bool(self.over)
        words += [f"{listed(self.aside, 20)} of {self.file} {'is' if len(self.aside) == 1 else 'are'} about other masks, and left aside"
                  ] * bool(self.aside)
        if words:
            yield "settings", "; ".join(words)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        values = {key: list(value) if isinstance(value, tuple) else value for key, value in self.values.items()}
        return {"file": self.file, "values": values, "given_instead": list(self.over), "set_aside": list(self.aside)}
