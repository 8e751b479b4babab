"""The templates of a page: everything that they are given is escaped, and what cannot be printed becomes an escape that can be read."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from labelguard.text import count, listed, percent, printable

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """The templates, with the style sheet, the script, and the policy that lets a browser run these two and load nothing."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup
    made = Environment(loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
                       finalize=_shown)
    folder = files(__package__) / "templates"
    style, script = (Markup("\n" + (folder / name).read_text(encoding="utf-8")) for name in ("style.css", "script.js"))
    policy = (f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
              "base-uri 'none'; form-action 'none'")
    made.globals |= {"style": style, "script": script, "policy": policy, "count": count, "listed": listed, "percent": percent}
    return made


def _shown(value: Any) -> Any:
    """A value as it stands in a page; markup is what a template has made of values."""
    return printable(value) if type(value) is str else value


def _digest(text: str) -> str:
    """What a content security policy calls an inline text by (CSP level 3, 8.4)."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
