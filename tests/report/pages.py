"""A page of HTML as tests look at it: its elements with their attributes, and its text."""

from __future__ import annotations

from html.parser import HTMLParser


class Parsed(HTMLParser):
    """Every element that begins, as its name and attributes; all text but that of styles and scripts; and the texts of these."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self.inline: dict[str, str] = {}
        self._within = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attributes}))
        self._within = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within in ("style", "script"):
            self.inline[self._within] = self.inline.get(self._within, "") + data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        """What a reader sees, with single spaces."""
        return " ".join("".join(self.texts).split())

    def all(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every element of a name."""
        return [attributes for name, attributes in self.elements if name == tag]
