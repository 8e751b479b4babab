"""Make a source distribution, and from it a wheel for each system; then check what can be checked here: ``make wheels``."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tarfile
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

import lief
from setuptools.build_meta import build_sdist

from building.compiler import KERNELS, NAME, TARGETS, Target, sources, target_here

_EXPORT = re.compile(r"^EXPORT\s[^(;{]*?(\w+)\(", re.MULTILINE)
_OLDEST_GLIBC = (2, 17)
_QUIET = {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
_MACHINES = {"x86_64": ("X86_64", "AMD64"), "aarch64": ("AARCH64", "ARM64")}


lief.logging.disable()  # it thinks aloud


class WheelError(Exception):
    """A wheel is not what it should be."""


def make(dist: Path, names: list[str]) -> list[Path]:
    """The wheels for some systems, from a source distribution that is made first: what it lacks would be missing in them."""
    with redirect_stdout(StringIO()):  # a line for each file
        archive = dist / build_sdist(os.fspath(dist))
    wheels = []
    with TemporaryDirectory() as scratch:
        with tarfile.open(archive) as files:
            files.extractall(scratch, filter="data")
        root = Path(scratch, archive.name.removesuffix(".tar.gz"))
        for name in names:
            target = TARGETS[name]
            subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-cache-dir",
                            "--wheel-dir", os.fspath(dist), os.fspath(root)], check=True,
                           env=os.environ | {**_QUIET, "LABELGUARD_TARGET": name, "ZIG_GLOBAL_CACHE_DIR": os.path.join(scratch, "zig")})
            wheel, = dist.glob(f"labelguard-*-py3-none-{target.tag}.whl")
            check(wheel, target, exported(root))
            wheels.append(wheel)
    return wheels


def exported(root: Path) -> set[str]:
    """The functions that the library is to offer, read from the sources."""
    return {name for path in sources(root) for name in _EXPORT.findall(path.read_text(encoding="utf-8"))}


def check(wheel: Path, target: Target, functions: set[str]) -> None:
    """Hold a wheel against its system.

    Raises
    ------
    WheelError
        When its tags, its files or its library are not those of the system.
    """
    with ZipFile(wheel) as archive, TemporaryDirectory() as scratch:
        about = next(archive.read(name).decode() for name in archive.namelist() if name.endswith(".dist-info/WHEEL"))
        libraries = [name for name in archive.namelist() if Path(name).stem == NAME]
        strays = [name for name in archive.namelist() if not re.match(r"labelguard(-[^/]+\.dist-info)?/(?!.*\.[ch]$)", name)]
        if libraries != [(KERNELS / (NAME + target.suffix)).as_posix()] or strays:
            raise WheelError(f"{wheel.name} holds the libraries {libraries}, and {strays} besides")
        tags = {f"py3-none-{tag}" for tag in target.tag.split(".")}
        if set(re.findall(r"^Tag: (.*)$", about, re.MULTILINE)) != tags or "Root-Is-Purelib: false" not in about:
            raise WheelError(f"{wheel.name} says of itself:\n{about}")
        _check_library(wheel.name, lief.parse(archive.extract(libraries[0], scratch)), target, functions)


def _check_library(wheel: str, library: lief.Binary | None, target: Target, functions: set[str]) -> None:
    machine = target.triple.partition("-")[0]
    kind = {".so": lief.ELF.Binary, ".dylib": lief.MachO.Binary, ".dll": lief.PE.Binary}[target.suffix]
    if not isinstance(library, kind):
        raise WheelError(f"{wheel} holds a library for another system")
    found = {function.name.removeprefix("_" if target.suffix == ".dylib" else "") for function in library.exported_functions}
    if not functions <= found or any(not name.startswith("_") for name in found - functions):
        raise WheelError(f"{wheel} offers {sorted(found)} in place of {sorted(functions)}")
    header = library.header
    is_for = header.machine_type if isinstance(library, lief.ELF.Binary) else header.machine if isinstance(library, lief.PE.Binary) \
        else header.cpu_type
    if is_for.name not in _MACHINES[machine]:
        raise WheelError(f"{wheel} holds code for {is_for.name}")
    needed = _needed(library)
    if needed:
        raise WheelError(f"{wheel} needs {needed}")


def _needed(library: lief.Binary) -> list[str]:
    """What a library needs of its system beyond what every one of that age has."""
    if isinstance(library, lief.ELF.Binary):
        versions = [version.name for of in library.symbols_version_requirement for version in of.get_auxiliary_symbols()]
        late = [name for name in versions if tuple(map(int, re.findall(r"\d+", name)))[:2] > _OLDEST_GLIBC]
        return late + [name for name in library.libraries if name not in ("libc.so.6", "ld-linux-aarch64.so.1", "ld-linux-x86-64.so.2")]
    if isinstance(library, lief.MachO.Binary):
        late = [] if library.build_version.minos[:2] <= [11, 0] else [f"macOS {library.build_version.minos}"]
        unsigned = [] if library.has_code_signature or library.header.cpu_type.name != "ARM64" else ["a signature"]
        return late + unsigned + [each.name for each in library.libraries if each.name != "/usr/lib/libSystem.B.dylib"
                                  and each.command != lief.MachO.LoadCommand.TYPE.ID_DYLIB]
    return [name for name in library.libraries if not re.match(r"(?i)kernel32|api-ms-win-crt|ucrtbase|msvcrt", name)]


def try_in_bare_environment(wheel: Path) -> None:
    """Install a wheel where there is no compiler, and look through a mask with it.

    Raises
    ------
    WheelError
        When its kernels are not used.
    """
    with TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "-m", "venv", scratch], check=True)
        python = Path(scratch, "Scripts" if os.name == "nt" else "bin", "python")
        bare = {name: value for name, value in os.environ.items() if name not in ("CC", "PYTHONPATH", "VIRTUAL_ENV")}
        bare |= {**_QUIET, "PATH": os.fspath(python.parent)}
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--only-binary=:all:", os.fspath(wheel)], check=True, env=bare)
        done = subprocess.run([python, "-W", "error", "-c", _TRIAL], cwd=scratch, env=bare, capture_output=True, text=True)
        if done.returncode:
            raise WheelError(f"{wheel.name} does not work where it is installed:\n{done.stdout}{done.stderr}")


_TRIAL = """
import labelguard, numpy, PIL.Image
from labelguard.kernels import native
assert native.COMPILED
PIL.Image.fromarray(numpy.eye(64, dtype=numpy.uint8)).save("mask.png")
report = labelguard.scan("mask.png", num_classes=2)
assert dict(report.data.ids) == {0: 64 * 63, 1: 64}, report
"""


def main() -> None:
    """Make the wheels that the command line names, or all of them."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], default=[], metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--dist", type=Path, default=Path("dist"), help="the folder for what is made (dist)")
    given = parser.parse_args()
    given.dist.mkdir(exist_ok=True)
    for wheel in make(given.dist, given.targets or list(TARGETS)):
        if (here := target_here()) is not None and wheel.name.endswith(f"-{here.tag}.whl"):
            try_in_bare_environment(wheel)
        print(wheel)


if __name__ == "__main__":
    main()
