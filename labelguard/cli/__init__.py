"""The command line: one file a command; each parses, makes one library call and prints.

Importing a command imports click and little else, so that help answers at once; the work is imported where it begins. Importing this
package imports nothing: signals are caught before anything else is loaded (`labelguard.__main__`).
"""

from __future__ import annotations


def __getattr__(name: str) -> object:
    if name != "main":
        raise AttributeError(f"module 'labelguard.cli' has no attribute '{name}'")
    from labelguard.cli.commands import main
    return main
