"""Compile the kernels to one library that any Python can load: it knows nothing of Python, and ctypes calls it.

The compiler is the one that is there: what the variable CC names, or `cc`, `gcc`, `clang`. Where none works, it is the one in the package
ziglang, which compiles for other systems too and brings their C libraries along.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

KERNELS = Path("labelguard", "kernels")
NAME = "_native"  # of the library; its suffix is the system's
FLAGS = ("-O3", "-std=c99", "-fvisibility=hidden", "-shared")  # for any processor of a kind: what newer ones can do gained nothing

_PROBE = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) { return 0; }\n"


class Target(NamedTuple):
    """A system that is compiled for.

    Parameters
    ----------
    triple
        What ziglang calls it; ends with the oldest version that the library runs on.
    tag
        What wheels call it.
    suffix
        Of its libraries.
    """

    triple: str
    tag: str
    suffix: str


TARGETS = {
    "linux-x86_64": Target("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64", ".so"),
    "linux-aarch64": Target("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64", ".so"),
    "macos-arm64": Target("aarch64-macos.11.0", "macosx_11_0_arm64", ".dylib"),
    "macos-x86_64": Target("x86_64-macos.11.0", "macosx_11_0_x86_64", ".dylib"),
    "windows-x86_64": Target("x86_64-windows-gnu", "win_amd64", ".dll"),
}


class CompilerError(Exception):
    """The kernels could not be compiled; says what was tried, and what came of it."""


def sources(root: Path) -> list[Path]:
    """The files in C, sorted."""
    return sorted((root / KERNELS).glob("*.c"))


def headers(root: Path) -> list[Path]:
    """What they include."""
    return sorted((root / KERNELS).glob("*.h"))


def suffix_here() -> str:
    """How libraries end on this system."""
    return {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def target_here() -> Target | None:
    """This system, if it is one of those that wheels are made for."""
    system = {"win32": "windows", "darwin": "macos"}.get(sys.platform, sys.platform)
    if system == "linux" and platform.libc_ver()[0] != "glibc":
        return None
    return TARGETS.get(f"{system}-{platform.machine().lower().replace('amd64', 'x86_64')}")


def library_there(root: Path) -> Path | None:
    """The library among the sources, if it is as new as they are and can be loaded."""
    library = root / KERNELS / (NAME + suffix_here())
    parts = [*sources(root), *headers(root), Path(__file__)]
    if not library.exists() or library.stat().st_mtime < max(part.stat().st_mtime for part in parts):
        return None
    return library if _can_be_loaded(library) else None


def _can_be_loaded(library: Path) -> bool:
    """Whether this Python can load a library: not one of another machine, or for processors of another kind."""
    load = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
    return subprocess.run([sys.executable, "-c", load, library.resolve()], capture_output=True).returncode == 0


def compiler_there() -> list[str] | None:
    """The command of a C compiler that works; None where there is none."""
    named = os.environ.get("CC")
    candidates = [shlex.split(named)] if named else [[name] for name in ("cc", "gcc", "clang")]
    return next((command for command in candidates if shutil.which(command[0]) and _works(command)), None)


def _works(command: list[str]) -> bool:
    """Whether a compiler finds the C library; some are an invitation to install one, and some lack its headers."""
    with TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text(_PROBE, encoding="utf-8")
        done = subprocess.run([*command, "-std=c99", "-o", os.path.join(folder, "probe"), str(probe)], capture_output=True)
    return done.returncode == 0


def _ziglang(target: Target | None) -> list[str] | None:
    """The command of the compiler in the package ziglang; None where it is not installed."""
    if find_spec("ziglang") is None:
        return None
    return [sys.executable, "-m", "ziglang", "cc", "-s", *(("-target", target.triple) if target is not None else ())]


def compile_kernels(root: Path, folder: Path, target: Target | None = None) -> Path:
    """Compile the kernels below `root` into a folder, where a library that is there gives way.

    Parameters
    ----------
    root
        The checkout, or what a source distribution unpacks to.
    folder
        Where the library goes.
    target
        The system that is compiled for; this one if None.

    Returns
    -------
    Path
        Of the library.

    Raises
    ------
    CompilerError
        When no compiler works.
    """
    suffix = suffix_here() if target is None else target.suffix
    for other in folder.glob(f"{NAME}.*"):
        other.unlink()
    commands = [compiler_there() if target is None else None, _ziglang(target or target_here())]
    problems = []
    for command in filter(None, commands):
        with TemporaryDirectory() as scratch:
            made = Path(scratch, NAME + suffix)
            caches = {name: os.environ.get(name, scratch) for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}  # not at home
            done = subprocess.run([*command, *FLAGS, *(["-fPIC"] if suffix != ".dll" else []), "-o", str(made), *map(str, sources(root))],
                                  capture_output=True, text=True, errors="replace", env=os.environ | caches)
            if done.returncode == 0 and (target is not None or _can_be_loaded(made)):
                folder.mkdir(parents=True, exist_ok=True)
                return Path(shutil.move(made, folder / made.name))
        problems.append(f"{shlex.join(command)} makes no library for this Python:\n{done.stderr}")
    raise CompilerError("\n".join(problems) or "There is no C compiler, and the package ziglang, which serves as one, is not installed.")
