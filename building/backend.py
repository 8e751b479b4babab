"""The build back end that pyproject.toml names (PEP 517 and 660): setuptools', which also asks for a compiler where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403  (all other hooks are setuptools')

from building.compiler import compiler_there, library_there


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """What a build needs besides setuptools: nothing, or the package that serves as a compiler."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_compiler_package()]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """The same for ``pip install -e``, where the library of the last time may still do."""
    package = [] if library_there(Path()) is not None else _compiler_package()
    return [*build_meta.get_requires_for_build_editable(config_settings), *package]


def _compiler_package() -> list[str]:
    """ziglang, 100 MB, where no compiler is there and pip can have it; a requirement that cannot be met would end the installation."""
    if compiler_there() is not None:
        return []
    asked = subprocess.run([sys.executable, "-I", "-m", "pip", "index", "versions", "ziglang", "--timeout=10", "--retries=1"],
                           capture_output=True, text=True)
    return [] if "No matching distribution" in asked.stderr else ["ziglang"]
