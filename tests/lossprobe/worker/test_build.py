"""What an import path names becomes a loss."""

from __future__ import annotations

import functools
import os
import traceback
from pathlib import Path
from typing import Any

import pytest

from labelguard.lossprobe.supervisor.settings import parse_arguments
from labelguard.lossprobe.worker.failures import failure, users_line
from labelguard.lossprobe.worker.importing import build, load


class Made:
    def __init__(self, factor: int = 1) -> None:
        self.factor = factor

    def __call__(self, logits: int, _target: int) -> int:
        return self.factor * logits


def factory(factor: int = 1) -> Any:
    return Made(factor)


def plain(logits: int, target: int, factor: int = 1) -> int:
    return factor * logits


def decorated(*inputs: Any, **options: Any) -> int:
    return plain(*inputs, **options)


def options_only(**options: Any) -> Any:
    return Made(**options)


ready = Made(2)
partial = functools.partial(plain, factor=2)


@pytest.mark.parametrize(("found", "arguments", "expected"), [
    (Made, {}, 3), (Made, {"factor": 2}, 6), (factory, {}, 3), (factory, {"factor": 2}, 6), (plain, {}, 3), (plain, {"factor": 2}, 6),
    (decorated, {}, 3), (decorated, {"factor": 2}, 6), (options_only, {"factor": 2}, 6), (ready, {}, 6), (partial, {}, 6),
])
def test_a_class_a_factory_and_a_function_all_give_a_loss(found: Any, arguments: dict[Any, Any], expected: int) -> None:
    assert build(found, arguments)(3, 0) == expected


def test_what_cannot_be_called_is_refused() -> None:
    with pytest.raises(TypeError, match="'int' cannot be called"):
        build(3, {})


def test_a_factory_that_fails_says_so_and_is_not_taken_for_a_loss() -> None:
    def unlicensed(one: int = 1, other: int = 2) -> Any:
        raise RuntimeError("no licence")
    with pytest.raises(RuntimeError, match="no licence"):
        build(unlicensed, {})


def test_nested_names_and_files_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "helper_of_mine.py").write_text("factor = 5\n")
    (tmp_path / "loss_of_mine.py").write_text("from helper_of_mine import factor\nclass A:\n    class B:\n        c = factor\n")
    assert load(f"{tmp_path}/loss_of_mine.py:A.B.c") == load("loss_of_mine:A.B.c") == 5
    with pytest.raises(ImportError, match="there is no file"):
        load(f"{tmp_path}/missing.py:A")


def test_errors_are_capped_and_sorted() -> None:
    assert failure(MemoryError())["status"] == failure(RuntimeError("CUDA out of memory. Tried"))["status"] == "out-of-memory"
    assert failure(SystemExit(3))["status"] == "exit" and failure(ValueError())["status"] == "exception"
    assert len(failure(ValueError("x" * 9999))["error"]) < 600
    assert users_line([]) == ""


def test_the_line_is_the_users_and_only_then_that_of_a_library_which_is_named() -> None:
    def at(path: str) -> traceback.FrameSummary:
        return traceback.FrameSummary(path, 7, "", line="  raise it  ")
    mine, library = at("/home/me/train.py"), at("/venv/lib/python3.11/site-packages/monai/losses/dice.py")
    framework, standard = at("/venv/lib/python3.11/site-packages/torch/nn/functional.py"), at(os.__file__)
    assert users_line([mine, library, framework]) == "/home/me/train.py:7: raise it"
    assert users_line([framework, library, framework, standard]) == f"{library.filename}:7: raise it (in monai)"
    assert users_line([at("/venv/site-packages/one_file.py")]).endswith("(in one_file)")
    assert users_line([framework, standard, at("<string>"), at(failure.__code__.co_filename)]) == ""


@pytest.mark.parametrize(("text", "value"), [
    ("255", 255), ("-100", -100), ("2.5", 2.5), ("[1, 2.5]", [1, 2.5]), ("None", None), ("True", True), ("none", "none"), ("mean", "mean"),
    ("'3'", "3"), ("a=b", "a=b"), ("", ""), ("__import__('os')", "__import__('os')")])
def test_arguments_are_values_and_never_code(text: str, value: Any) -> None:
    assert parse_arguments([f"key={text}"]) == {"key": value}


class _Device:
    def __init__(self, device: str, lost: bool = False) -> None:
        self.description, self.lost = {"device": device}, lost

    def is_lost(self) -> bool:
        return self.lost


@pytest.mark.parametrize(("text", "adapter", "status"), [
    ("CUDA error: device-side assert triggered", _Device("cuda"), "assert"),
    ("HIP error: unspecified launch failure", _Device("cuda"), "assert"),
    ("CUDA error: device-side assert triggered", _Device("cpu"), "exception"),
    ("CUDA error: device-side assert triggered", None, "exception"),
    ("CUDA error: CUBLAS_STATUS_NOT_SUPPORTED when calling cublasSgemm", _Device("cuda"), "exception"),
    ("CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasSgemm", _Device("cuda", lost=True), "assert"),
    ("cuDNN error: CUDNN_STATUS_BAD_PARAM", _Device("cuda"), "exception"),
    ("Target 255 is out of bounds.", _Device("cuda", lost=True), "exception"),
])
def test_only_a_device_that_is_there_can_be_lost(text: str, adapter: _Device | None, status: str) -> None:
    assert failure(RuntimeError(text), adapter)["status"] == status


@pytest.mark.parametrize(("error", "status"), [
    (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"), "out-of-memory"),
    (ValueError("a crop this large would run out of memory"), "exception"),
    (type("ResourceExhaustedError", (Exception,), {"__module__": "framework"})("OOM when allocating tensor"), "out-of-memory"),
])
def test_memory_runs_out_where_a_framework_says_so(error: Exception, status: str) -> None:
    assert failure(error)["status"] == status
