"""The exit codes of all commands; reports repeat them. Nothing is imported here: the way in needs them before signals are caught."""

CLEAN = 0         # nothing at or above --fail-on
FINDINGS = 1
WRONG_USAGE = 2
INCOMPLETE = 3    # it is neither the masks' fault nor that of the arguments
INTERRUPTED = 130  # whichever signal it was
