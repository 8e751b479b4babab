"""The commands of setuptools that know of the library beside the kernels; setup.cfg names them."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from setuptools import Command
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build

from building.compiler import KERNELS, TARGETS, CompilerError, compile_kernels, headers, library_there, sources, target_here

_TARGET = "LABELGUARD_TARGET"  # the variable that names a system of TARGETS to make a wheel for
_SLOW = ("{problem}\nlabelguard is installed without its compiled kernels: same results, many times slower. Install a C compiler, "
         "or 'pip install ziglang', and install labelguard again.")


class BuildNative(Command):
    """Compile the kernels; where no compiler works, go on without."""

    description = "compile the kernels"
    user_options: list[tuple[str, str | None, str]] = []  # noqa: RUF012  (as setuptools wants it)
    editable_mode = False

    def initialize_options(self) -> None:
        """No option of its own."""
        self.build_lib: str = None  # type: ignore[assignment]  # which says to setuptools that it is not given
        self.library: Path | None = None

    def finalize_options(self) -> None:
        """The library goes where the modules go."""
        self.set_undefined_options("build", ("build_lib", "build_lib"))

    def run(self) -> None:
        """Compile, into the sources where these are what is installed."""
        if self.editable_mode and (there := library_there(Path())) is not None:
            self.library = there
            return
        folder = KERNELS if self.editable_mode else Path(self.build_lib) / KERNELS
        target = os.environ.get(_TARGET)
        try:
            self.library = compile_kernels(Path(), folder, TARGETS[target] if target else None)
        except CompilerError as problem:
            if target:
                raise
            self.warn(_SLOW.format(problem=problem))

    def get_source_files(self) -> list[str]:
        """What has to be in a source distribution for this."""
        return [path.as_posix() for path in (*sources(Path()), *headers(Path()), *sorted(Path("building").glob("*.py")))]

    def get_outputs(self) -> list[str]:
        """What it has made."""
        return [] if self.library is None or self.editable_mode else [str(self.library)]

    def get_output_mapping(self) -> dict[str, str]:
        """Where it lies among the sources."""
        return {os.path.join(self.build_lib, self.library): str(self.library)} if self.library and self.editable_mode else {}


class Build(build):
    """All that is built, and the kernels."""

    sub_commands = [*build.sub_commands, ("build_native", None)]  # noqa: RUF012


class Wheel(bdist_wheel):
    """A wheel for every Python, and for one system where it holds compiled kernels."""

    @property
    def has_library(self) -> bool:
        """Whether the kernels were compiled; known once all is built."""
        return self.get_finalized_command("build_native").library is not None

    def get_tag(self) -> tuple[str, str, str]:
        """``py3-none-any``, or with the system in place of ``any``."""
        return "py3", "none", _system() if self.has_library else "any"

    def write_wheelfile(self, *given: Any, **named: Any) -> None:
        """Say whether the wheel suits all systems. (Earlier, it would decide which files lie where, and they lie where they should.)"""
        self.root_is_pure = not self.has_library
        super().write_wheelfile(*given, **named)


def _system() -> str:
    target = os.environ.get(_TARGET)
    if target:
        return TARGETS[target].tag
    if sys.platform == "darwin" and (here := target_here()) is not None:
        return here.tag  # a Python for both processors says so, but the library is for this one
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
