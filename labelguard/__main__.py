"""`python -m labelguard` is `labelguard`."""

from labelguard.cli import main

main(prog_name="labelguard")
