"""Signals, at any moment: one sentence, the exit code of the contract, and what is known is reported as incomplete."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

import labelguard
from labelguard.cli import interruption, progress
from labelguard.report.progress import Progress
from tests.drawn import bands, folder

MOMENTS = int(os.environ.get("LABELGUARD_SIGNALS", "5"))  # how many processes are sent a signal; a campaign sends hundreds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that no signal has reached yet; the handlers are put back."""
    monkeypatch.setattr(interruption, "_state", interruption._State())
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    monkeypatch.setattr(interruption.atexit, "register", lambda *_: None)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


class Ended(BaseException):
    pass


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> list[int]:
    codes: list[int] = []

    def end(code: int) -> None:
        codes.append(code)
        raise Ended

    monkeypatch.setattr(interruption.os, "_exit", end)
    return codes


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_interrupts_and_the_second_ends_at_once(number: int, exits: list[int]) -> None:
    interruption.catch_signals()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    with pytest.raises(Ended):
        os.kill(os.getpid(), signal.SIGINT)
    assert exits == [130]


def test_once_everything_is_done_a_signal_changes_no_exit_code(exits: list[int]) -> None:
    interruption.catch_signals()
    assert interruption.leave_with(1) == 1
    with pytest.raises(Ended):
        os.kill(os.getpid(), signal.SIGTERM)
    assert exits == [1]


def test_a_signal_that_is_ignored_stays_so() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    interruption.catch_signals()
    os.kill(os.getpid(), signal.SIGHUP)
    assert not interruption.was_interrupted()


@pytest.mark.parametrize(("number", "words"), [(signal.SIGINT, "interrupted."), (signal.SIGTERM, "interrupted by SIGTERM.")])
def test_it_is_said_once(number: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    interruption.catch_signals()
    with suppress(KeyboardInterrupt):
        os.kill(os.getpid(), number)
    interruption.say_interrupted()
    interruption.say_interrupted()
    assert capsys.readouterr().err == f"labelguard: {words}\n"


def swallowing() -> Iterator[Progress]:
    """Work within which a library drops the interruption."""
    for done in range(10):
        if done == 3:
            with suppress(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
        yield Progress("scanning", done, 10)
    pytest.fail("it went on")


def spoiling() -> Iterator[Progress]:
    """Work within which compiled code, or a pool whose workers were ended, makes another error of it."""
    yield Progress("scanning", 1, 10)
    try:
        os.kill(os.getpid(), signal.SIGTERM)
    except KeyboardInterrupt:
        raise SystemError("returned a result with an exception set") from None


@pytest.mark.parametrize("work", [swallowing, spoiling])
def test_an_interruption_is_not_lost(work: object, monkeypatch: pytest.MonkeyPatch) -> None:
    interruption.catch_signals()
    with pytest.raises(KeyboardInterrupt):
        progress.watch(work())  # type: ignore[operator]


def test_an_interruption_that_nothing_can_raise_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    interruption.catch_signals()
    sys.unraisablehook(SimpleNamespace(exc_type=KeyboardInterrupt, exc_value=None, exc_traceback=None, err_msg=None, object=None))  # type: ignore[arg-type]
    assert capsys.readouterr().err == ""


def test_work_comes_to_its_end_before_it_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    closed = []

    def work() -> Iterator[Progress]:
        try:
            yield Progress("writing", 1, 2)
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    progress.watch_to_its_end(work())
    assert closed and capsys.readouterr().err == "labelguard: interrupted.\n"


def test_nothing_incomplete_is_called_clean(tmp_path: Path) -> None:
    from dataclasses import replace
    report = replace(labelguard.scan(folder(tmp_path, {"a.png": bands(0, 1)}), num_classes=2), complete=False)
    assert "INCOMPLETE" in str(report) and not any("clean" in text.lower() for text in (str(report), repr(report), report._repr_html_()))


# In processes


def interrupted(tmp_path: Path, module: str, signals: int) -> tuple[int, str]:
    """The exit code and the words of labelguard while it imports a click that takes its time."""
    (tmp_path / "click.py").write_text(f"import time\ndef wait():\n    print(flush=True)\n    time.sleep(60)\n{module}\n")
    process = subprocess.Popen([sys.executable, "-m", "labelguard", "scan"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path(labelguard.__file__).parents[1])])})
    assert process.stdout is not None
    for _ in range(signals):
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
    return process.wait(60), process.communicate()[1]


def test_an_interrupt_during_imports_is_a_sentence(tmp_path: Path) -> None:
    assert interrupted(tmp_path, "wait()", 1) == (130, "labelguard: interrupted.\n")


def test_a_second_interrupt_ends_what_does_not_listen(tmp_path: Path) -> None:
    deaf = "while True:\n    try:\n        wait()\n    except KeyboardInterrupt:\n        pass"
    assert interrupted(tmp_path, deaf, 2) == (130, "\nlabelguard: interrupted.\n")


def test_an_interrupt_within_an_exec_gives_our_exit_code(tmp_path: Path) -> None:
    assert interrupted(tmp_path, "exec('wait()')", 1) == (130, "labelguard: interrupted.\n")


def test_a_signal_that_comes_while_python_tidies_up_changes_no_exit_code(tmp_path: Path) -> None:
    program = ("import os, signal, sys\nfrom labelguard.__main__ import main\n"
               "class Late:\n    def __del__(self, kill=os.kill, me=os.getpid(), number=int(signal.SIGTERM)): kill(me, number)\n"
               "late = Late()\nsys.argv[1:] = ['scan', 'nowhere']\nsys.exit(main())")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(Path(labelguard.__file__).parents[1])})
    assert done.returncode == 3 and len(done.stderr.splitlines()) == 1


def nobody_left(group: int) -> bool:
    """Whether all processes of a group are gone, or go within some seconds."""
    with suppress(ProcessLookupError):
        for _ in range(100):
            os.killpg(group, 0)
            time.sleep(0.05)
        return False
    return True


@pytest.mark.slow
def test_signals_at_random_moments(tmp_path: Path) -> None:
    """Before Python has come to our first line nothing can be said: until that is printed, nothing is sent."""
    folder(tmp_path / "masks", {f"{number}.png": bands(*range(13), height=256, width=256) for number in range(150)})
    (tmp_path / "shift.toml").write_text('[[stage]]\nkind = "remap"\nshift = 1\nnum_classes = 14\n')
    commands = [["scan", "masks", "--num-classes", "13", "--format", "json"], ["remap", "masks", "--shift", "1", "--out", "out"],
                ["scan", "masks", "--num-classes", "13", "--format", "json", "--backend", "loky", "--jobs", "2"],
                ["run", "shift.toml", "masks", "--out", "resumed", "--resume"], ["init", "masks"]]
    start = "import os, sys\nfrom labelguard.__main__ import main\nos.write(1, b'\\n')\nsys.exit(main())"
    draw, codes = random.Random(8), []
    for number in range(MOMENTS):
        arguments = commands[number % len(commands)]
        process = subprocess.Popen([sys.executable, "-c", start, *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=os.environ | {"PYTHONPATH": str(Path(labelguard.__file__).parents[1])}, start_new_session=True)
        assert process.stdout is not None
        process.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.01, 1.2) if number else 0.01)  # the first one has no time to end
        with suppress(ProcessLookupError):
            draw.choice([os.kill, os.killpg])(process.pid, draw.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP]))
        output, errors = (text.decode() for text in process.communicate(timeout=60))
        codes.append(process.returncode)
        assert process.returncode in (0, 2, 130), (arguments, process.returncode, errors)  # 2: init and remap refuse what is there
        if process.returncode == 130:
            assert errors.startswith("labelguard: interrupted") and errors.count("\n") == 1
            if arguments[0] == "scan" and output:
                report = json.loads(output)
                assert report["exit_code"] == 130 and not report["complete"]
        assert nobody_left(process.pid)
    assert 130 in codes
