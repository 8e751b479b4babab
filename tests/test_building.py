"""The build: which compiler it takes, what it asks for where there is none, what comes out of it, and what is noticed about a wheel."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import SimpleNamespace
from zipfile import ZipFile

import pytest

from building import backend, compiler
from building.compiler import KERNELS, TARGETS, CompilerError, compile_kernels, compiler_there, library_there, target_here

ROOT = Path(__file__).resolve().parents[1]
C = "__attribute__((visibility(\"default\"))) int lg_abi(void);\nint lg_abi(void) { return %s; }\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What is built from, with one function in place of all kernels."""
    root = tmp_path / "checkout"
    for folder in ("building", "pipelines", "labelguard"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "*.[ch]", "_native.*"))
    for file in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        shutil.copy(ROOT / file, root)
    (root / KERNELS / "abi.c").write_text(C % 1)
    return root


@pytest.fixture
def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    monkeypatch.setattr(compiler, "_ziglang", lambda _: None)


needs_a_compiler = pytest.mark.skipif(compiler_there() is None, reason="no C compiler is there")


def a_compiler(folder: Path, script: str) -> str:
    file = folder / "mycc"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    return os.fspath(file)


@pytest.mark.skipif(os.name == "nt", reason="scripts of a shell")
def test_a_compiler_counts_if_it_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", a_compiler(tmp_path, "exit 0") + " --of-mine")
    assert compiler_there() == [os.fspath(tmp_path / "mycc"), "--of-mine"]
    monkeypatch.setenv("CC", a_compiler(tmp_path, "echo install the developer tools >&2; exit 1"))
    assert compiler_there() is None
    monkeypatch.delenv("CC")
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    assert compiler_there() is None
    (tmp_path / "mycc").rename(tmp_path / "cc")
    assert compiler_there() is None
    Path(a_compiler(tmp_path, "exit 0")).rename(tmp_path / "gcc")
    assert compiler_there() == ["gcc"]


@pytest.mark.parametrize(("there", "answer", "asked_for"), [
    (["cc"], "", []),
    (None, "", ["ziglang"]),
    (None, "ERROR: No matching distribution found for ziglang", []),  # to ask for it would end the installation
    (None, "No module named pip", ["ziglang"]),
])
def test_a_package_that_compiles_is_asked_for_where_nothing_else_does(
        there: list[str] | None, answer: str, asked_for: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "compiler_there", lambda: there)
    monkeypatch.setattr(backend, "library_there", lambda _: None)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: SimpleNamespace(stderr=answer))
    monkeypatch.setattr(backend, "build_meta", SimpleNamespace(get_requires_for_build_wheel=lambda _: ["wheel"],
                                                                get_requires_for_build_editable=lambda _: ["wheel"]))
    assert backend.get_requires_for_build_wheel() == ["wheel", *asked_for] == backend.get_requires_for_build_editable()
    monkeypatch.setattr(backend, "library_there", lambda _: Path("_native.so"))
    assert backend.get_requires_for_build_editable() == ["wheel"]


@needs_a_compiler
def test_a_library_is_kept_until_a_source_changes(checkout: Path) -> None:
    assert library_there(checkout) is None
    (checkout / KERNELS / f"_native{compiler.suffix_here()}").write_bytes(b"of another machine")
    assert library_there(checkout) is None
    library = compile_kernels(checkout, checkout / KERNELS)
    os.utime(library, (later := library.stat().st_mtime + 3600, later))
    assert library_there(checkout) == library
    os.utime(checkout / KERNELS / "abi.c", (later + 1, later + 1))
    assert library_there(checkout) is None


@needs_a_compiler
def test_what_cannot_be_compiled_leaves_no_library_behind(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_ziglang", lambda _: None)
    library = compile_kernels(checkout, checkout / KERNELS)
    (checkout / KERNELS / "abi.c").write_text("no C")
    with pytest.raises(CompilerError, match="no library for this Python:\n.*abi.c"):
        compile_kernels(checkout, checkout / KERNELS)
    assert not library.exists()


@needs_a_compiler
@pytest.mark.skipif(os.name == "nt", reason="scripts of a shell")
def test_a_library_that_cannot_be_loaded_is_none(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    works = compiler_there()
    monkeypatch.setenv("CC", a_compiler(tmp_path, 'while [ "$1" != -o ]; do shift; done; echo for another processor > "$2"'))
    monkeypatch.setattr(compiler, "_ziglang", lambda _: None)
    with pytest.raises(CompilerError, match="mycc makes no library for this Python"):
        compile_kernels(checkout, checkout / KERNELS)
    monkeypatch.setattr(compiler, "_ziglang", lambda _: works)
    assert compile_kernels(checkout, checkout / KERNELS).exists()


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_it_is_said_what_would_serve_as_one(checkout: Path) -> None:
    with pytest.raises(CompilerError, match="no C compiler, and the package ziglang"):
        compile_kernels(checkout, checkout / KERNELS)


def built(root: Path, hook: str, **environment: str) -> Path:
    code = f"from building import backend; print(backend.{hook}('dist'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": os.fspath(root), **environment})
    return root / "dist" / done.stdout.split()[-1]


def about(wheel: Path) -> tuple[str, list[str]]:
    """What a wheel says of itself, and its libraries."""
    with ZipFile(wheel) as files:
        text = next(files.read(name).decode() for name in files.namelist() if name.endswith("/WHEEL"))
        return text, [name for name in files.namelist() if "_native" in name]


@pytest.mark.slow
@needs_a_compiler
def test_a_wheel_is_for_every_python_and_for_one_system_if_it_holds_a_library(checkout: Path) -> None:
    text, libraries = about(wheel := built(checkout, "build_wheel"))
    assert libraries == [f"labelguard/kernels/_native{compiler.suffix_here()}"] and "Root-Is-Purelib: false" in text
    assert "-py3-none-" in wheel.name and not wheel.name.endswith("any.whl")
    with ZipFile(wheel) as files:
        assert {"labelguard/pipelines/binary-255.toml", "labelguard/py.typed"} <= set(files.namelist())
        assert not [name for name in files.namelist() if name.startswith("building") or name.endswith(".c")]
    (checkout / "ziglang").mkdir()
    (checkout / "ziglang" / "__init__.py").touch()  # in place of one that works; the library of before is not taken along
    text, libraries = about(wheel := built(checkout, "build_wheel", CC="/nowhere/cc"))
    assert not libraries and wheel.name.endswith("-py3-none-any.whl") and "Root-Is-Purelib: true" in text


@pytest.mark.slow
def test_a_source_distribution_holds_all_that_is_compiled_and_what_compiles_it(checkout: Path) -> None:
    (checkout / KERNELS / "kernels.h").touch()
    with tarfile.open(built(checkout, "build_sdist")) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert {f"labelguard/kernels/{name}" for name in ("abi.c", "kernels.h", "native.py")} <= names
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "building").glob("*.py")} <= names


def wheel_of(library: Path, tag: str, *, pure: str = "false", inside: bytes | None = None, stray: str = "") -> Path:
    path = library.with_name(f"labelguard-1-py3-none-{tag}.whl")
    with ZipFile(path, "w") as files:
        tags = "".join(f"Tag: py3-none-{each}\n" for each in tag.split("."))
        files.writestr("labelguard-1.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: {pure}\n{tags}")
        files.writestr((KERNELS / library.name).as_posix(), library.read_bytes() if inside is None else inside)
        if stray:
            files.writestr(stray, "")
    return path


@needs_a_compiler
def test_a_wheel_that_is_not_what_it_says_is_noticed(checkout: Path) -> None:
    wheels = pytest.importorskip("building.wheels", reason="lief reads libraries", exc_type=ImportError)
    here = target_here()
    assert here is not None
    library = compile_kernels(checkout, checkout / KERNELS)
    wheels.check(wheel_of(library, here.tag), here, {"lg_abi"})
    other = next(target for target in TARGETS.values() if target.suffix == here.suffix and target != here)
    for given, target, functions, words in (
            ({"tag": "any"}, here, "lg_abi", "says of itself"), ({"pure": "true"}, here, "lg_abi", "says of itself"),
            ({"tag": other.tag}, other, "lg_abi", "holds code for"), ({"inside": b"MZ"}, here, "lg_abi", "another system"),
            ({}, here, "lg_abi lg_tally", "in place of"), ({}, here, "", "in place of"),
            ({"stray": "building/wheels.py"}, here, "lg_abi", "besides"),
            ({"stray": "labelguard/kernels/abi.c"}, here, "lg_abi", "besides")):
        with pytest.raises(wheels.WheelError, match=words):
            wheels.check(wheel_of(library, **{"tag": here.tag, **given}), target, set(functions.split()))


@needs_a_compiler
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="versions of glibc")
def test_a_wheel_that_needs_a_newer_system_than_it_says_is_noticed(checkout: Path) -> None:
    wheels = pytest.importorskip("building.wheels", reason="lief reads libraries", exc_type=ImportError)
    here = target_here()
    assert here is not None
    (checkout / KERNELS / "abi.c").write_text("#include <sys/random.h>\n" + C % "getrandom(0, 0, 0) > 0")
    with pytest.raises(wheels.WheelError, match=r"needs \['GLIBC_2\.25'\]"):
        wheels.check(wheel_of(compile_kernels(checkout, checkout / KERNELS), here.tag), here, {"lg_abi"})


def test_what_a_library_offers_is_read_from_the_sources(checkout: Path) -> None:
    wheels = pytest.importorskip("building.wheels", reason="lief reads libraries", exc_type=ImportError)
    (checkout / KERNELS / "abi.c").write_text("EXPORT int lg_abi(void);\nEXPORT int lg_tally(const void *at,\n  int n)\n{ return 1; }\n")
    assert wheels.exported(checkout) == {"lg_abi", "lg_tally"}
