"""An interpreter that could not start the worker, in a sentence."""

from __future__ import annotations

from labelguard.text import shell_command

_PACKAGES = {"paddle": "paddlepaddle"}
_PYTHON = ("Traceback (most recent call last)", "Fatal Python error", '  File "', "Python path configuration")  # one of these it says


def install(python: str, *modules: str) -> str:
    """The command that installs frameworks, or numpy, in the environment of an interpreter."""
    return shell_command([python, "-m", "pip", "install", *(_PACKAGES.get(module, module) for module in modules)])


def no_interpreter(python: str, words: str, framework: str) -> str:
    """What is wrong with an interpreter that ended before anything of the user's was imported; `words` are what it wrote."""
    if not any(sign in words for sign in _PYTHON):
        return (f"'{python}' is not a Python interpreter. Give --python the path of one that has the framework, such as "
                "~/venvs/train/bin/python.")
    if "No module named 'numpy'" in words:
        return f"'{python}' has no numpy, which the probe needs: {install(python, 'numpy', framework)}"
    last = next((line.strip() for line in reversed(words.splitlines()) if line.strip()), "")
    return f"'{python}' cannot run the worker of the probe, which needs Python 3.8 or later and numpy: {last[:500]}"
