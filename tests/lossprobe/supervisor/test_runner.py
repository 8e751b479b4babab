"""The worker and its process: whatever the loss does, the supervisor comes back with a verdict, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelguard.errors import IncompleteError
from labelguard.lossprobe import ImportPath, Settings
from labelguard.lossprobe.findings.loss_finding import rule_of
from labelguard.lossprobe.findings.wording import sentence
from labelguard.lossprobe.supervisor import process, system
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.process import WorkerEndedError, WorkerProcess
from labelguard.lossprobe.supervisor.runner import LossNotLoadedError, LossRunner, RestartLimitError

CRASHES = str(Path(__file__).parents[1] / "crashes.py")
FINE = np.zeros((2, 4, 5), np.uint8)
BAD = np.full((2, 4, 5), 99, np.uint8)
KEEPERS = int(sys.platform.startswith("linux"))  # processes beside each worker


def runner(launcher: Launcher | None, name: str, arguments: dict | None = None, **settings: Any) -> LossRunner:
    run = LossRunner(ImportPath(f"{CRASHES}:{name}", arguments or {}), Settings(**settings), launcher=launcher)
    run.classes = 3
    return run


def alive(mark: str) -> list[int]:
    """Processes that inherited a worker's environment; the zombies among them have none."""
    return system.inheritors(mark)


def wait_until(true: Callable[..., Any]) -> bool:
    for _ in range(100):
        if true():
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize(("name", "settings", "status", "phase", "words", "starts"), [
    ("aborts", {}, "death", "forward", "SIGABRT", 2),
    ("segfaults", {}, "death", "forward", "SIGSEGV", 2),
    ("dies_backward", {}, "death", "backward", "SIGABRT", 2),
    ("leaves", {}, "exit", "forward", "exit code 0", 2),
    ("closes_everything", {}, "exit", "forward", "", 2),
    ("closes_some", {}, "ok", "gradient", "", 1),
    ("comes_back_twice", {}, "ok", "gradient", "", 1),
    ("ignores_signals", {"timeout": 0.5}, "timeout", "forward", "", 2),
    ("kills_its_group", {}, "death", "forward", "SIG", 2),
    ("replaces_json", {}, "ok", "gradient", "", 1),
    ("exits", {}, "exit", "forward", "", 1),
    ("hangs", {"timeout": 0.5}, "timeout", "forward", "", 2),
    ("takes_all_memory", {"max_memory": 4e8}, "out-of-memory", "forward", "", 2),
    ("starts_children_and_dies", {}, "death", "forward", "SIGABRT", 2),
    ("takes_memory_slowly", {"max_memory": 4e8, "timeout": 0.2}, "out-of-memory", "forward", "", 2),
    ("prints", {}, "ok", "gradient", "", 1),
    ("starts_children", {}, "ok", "gradient", "", 1),
])
def test_each_end_is_told_and_placed_and_the_next_batch_runs(plain: Launcher, name: str, settings: dict[Any, Any], status: str, phase: str,
                                                             words: str, starts: int) -> None:
    with runner(plain, name, **settings) as run:
        assert not run(FINE).failed
        mark = run._worker._mark
        outcome = run(BAD)
        step = outcome.last
        assert (step.status, step.phase, outcome.failed) == (status, phase, status != "ok"), step
        assert words in step.native and ("SystemExit" in step.error_type) is (name == "exits")
        if status in ("death", "timeout") and name not in ("dies_backward", "kills_its_group"):
            assert "crashes.py:" in step.source, step
        assert not run(FINE).failed and run.starts == starts
        children = len(alive(mark)) - KEEPERS * (starts == 1)
        assert children == (7 if name == "starts_children" else 1 if starts == 1 else 0)
        marks = [mark, run._worker._mark]
    assert not any(map(alive, marks))


@pytest.mark.parametrize(("form", "noise"), [("old", 0), ("new", 3000)])
def test_a_kernels_assertion_on_standard_error_is_found_even_after_a_success(plain: Launcher, monkeypatch: pytest.MonkeyPatch, form: str,
                                                                             noise: int) -> None:
    monkeypatch.setenv("PLAIN_GPU", "1")
    with runner(plain, "reports", {"form": form, "noise": noise}) as run:
        assert not run(FINE).failed
        outcome = run(BAD)
        assert (outcome.last.status, outcome.last.native) == ("assert", "device-side assertion `t >= 0 && t < n_classes`")
        assert not run(FINE).failed and run.starts == 2  # such a device is lost, and its worker replaced


@pytest.mark.parametrize(("form", "device"), [("old", ""), ("words", "1")])
def test_words_on_standard_error_are_no_assertion(plain: Launcher, monkeypatch: pytest.MonkeyPatch, form: str, device: str) -> None:
    """A kernel's report where there is no device, and a device where no kernel reports."""
    if device:
        monkeypatch.setenv("PLAIN_GPU", device)
    with runner(plain, "reports", {"form": form}) as run:
        assert not run(BAD).failed and not run(FINE).failed and run.starts == 1


def test_an_assertion_in_c_is_a_native_death_on_the_cpu(plain: Launcher) -> None:
    with runner(plain, "reports_and_dies", {}) as run:
        step = run(BAD).last
        assert (step.status, step.native) == ("death", "signal SIGABRT: assertion `n > 0` failed")


@pytest.mark.parametrize("kind", ["noise", "short", "framed"])
@pytest.mark.parametrize("after", ["go on", "hang"])
def test_what_the_loss_writes_to_the_line_is_told_from_messages(plain: Launcher, kind: str, after: str) -> None:
    with runner(plain, "writes_to_the_line", {"kind": kind, "after": after}, timeout=60) as run:
        assert not run(FINE).failed
        step = run(BAD).last
        assert (step.status, step.phase) == ("garbled", "forward")
        assert "a file descriptor that is not its own" in sentence(step) and rule_of(step).code == "LG502"
        assert not run(FINE).failed and run.starts == 2


@pytest.fixture(autouse=True)
def _own_daemons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAEMON_SECONDS", f"3600.{os.getpid()}")  # tests may run side by side


def daemons() -> list[str]:
    """Processes that a loss has left, by their command line, since nothing else tells."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if f"sleep({os.environ['DAEMON_SECONDS']})".encode() in Path(f"/proc/{name}/cmdline").read_bytes():
                found.append(name)
    return found


@pytest.mark.skipif(not KEEPERS, reason="only Linux hands orphans over")
def test_nothing_that_a_loss_has_started_gets_away(plain: Launcher) -> None:
    with runner(plain, "leaves_a_daemon") as run:
        assert not run(BAD).failed and wait_until(daemons)
    assert not daemons()


@pytest.mark.parametrize(("starved", "status"), [(lambda _: 0.0, "timeout"), (lambda _: time.monotonic(), "ok")])
def test_time_without_a_processor_does_not_count(plain: Launcher, monkeypatch: pytest.MonkeyPatch, starved: Callable[[int], float],
                                                 status: str) -> None:
    monkeypatch.setattr(system, "seconds_starved", starved)
    with runner(plain, "naps", timeout=0.3) as run:
        assert not run(FINE).failed
        assert run(BAD).last.status == status


def test_a_first_pass_may_take_longer_since_some_losses_are_compiled_in_it(plain: Launcher) -> None:
    with runner(plain, "compiles", timeout=0.4) as run:
        for batch in (FINE, FINE, FINE[:1]):
            assert not run(batch).failed
        assert run.starts == 1


def test_the_line_of_a_library_is_told_as_such(plain: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages = tmp_path / "site-packages"
    packages.mkdir()
    library = packages / "of_others.py"
    library.write_text("def loss(logits, target):\n    raise ValueError('no')\n")
    monkeypatch.setenv("PYTHONPATH", str(packages))
    with LossRunner(ImportPath("of_others:loss"), Settings(), launcher=plain) as run:
        run.classes = 3
        assert run(FINE).last.source == f"{library}:2: raise ValueError('no') (in of_others)"


def test_the_line_of_a_hang_is_the_users_or_that_of_a_library(tmp_path: Path) -> None:
    mine, library = tmp_path / "mine.py", tmp_path / "site-packages" / "monai" / "dice.py"
    library.parent.mkdir(parents=True)
    for file in (mine, library):
        file.write_text("waits()\n")
    framework = tmp_path / "site-packages" / "torch" / "nn.py"
    for frames, place in (([framework, library, mine], f"{mine}:1: waits()"), ([framework, library], f"{library}:1: waits() (in monai)"),
                          ([framework, Path(os.__file__)], "")):
        dump = "Timeout (0:00:09)!\nThread 0x1 (most recent call first):\n" + "".join(f'  File "{file}", line 1 in f\n' for file in frames)
        hung = subprocess.Popen([sys.executable, "-c", "import sys; sys.stderr.write(sys.argv[1])", dump], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        hung.wait()
        with closing(WorkerProcess(hung, "none", 1e9)) as worker:
            assert worker.place() == place


def test_standard_error_is_kept_within_bounds(plain: Launcher) -> None:
    with runner(plain, "reports", {"form": "old", "noise": 20_000}) as run:
        run(FINE)
        errors = run._worker._errors
        run(BAD)
        assert len(errors.text()) <= 2**17


@pytest.mark.parametrize(("source", "settings", "what", "words"), [
    ("raise ImportError('no such kernel')", {}, "loss", "ImportError"),
    ("def loss(:", {}, "loss", "SyntaxError"),
    ("class loss:\n    def __init__(self): raise RuntimeError('no licence')", {}, "loss", "no licence"),
    ("loss = 3", {}, "loss", "'int' cannot be called"),
    ("other = 3", {}, "loss", "has no attribute 'loss'"),
    ("import sys; sys.exit(4)", {}, "loss", "sys.exit(4)"),
    ("import argparse\np = argparse.ArgumentParser()\np.add_argument('--data', required=True)\np.parse_args()", {}, "loss",
     "mine.py: error: the following arguments are required: --data"),
    ("x = (", {}, "loss", "SyntaxError"),
    ("from .util import loss", {}, "loss", "attempted relative import"),
    ("import os; os.abort()", {}, "import", "SIGABRT"),
    pytest.param("import time; time.sleep(3600)", {"start_timeout": 6.0}, "import", "", marks=pytest.mark.slow),
    ("import os; os.write(1, b'noise' * 9999); os._exit(0)", {}, "import", "exit code 0"),
])
def test_a_loss_that_cannot_be_imported(plain: Launcher, tmp_path: Path, source: str, settings: dict[Any, Any], what: str,
                                        words: str) -> None:
    (tmp_path / "mine.py").write_text(source)
    loss = ImportPath(f"{tmp_path / 'mine.py'}:loss")
    with LossRunner(loss, Settings(**settings), launcher=plain) as run, pytest.raises(LossNotLoadedError) as caught:
        run(FINE)
    step = caught.value.step
    assert caught.value.what == what and step.phase == "import"
    assert words in f"{step.error_type} {step.error} {step.native}"
    assert ("mine.py:1: import time" in step.source) is (step.status == "timeout")


def test_a_worker_is_replaced_only_so_often(plain: Launcher) -> None:
    with runner(plain, "leaves", max_restarts=2) as run:
        for _ in range(3):
            assert run(BAD).failed
        with pytest.raises(RestartLimitError):
            run(BAD)


def test_another_interpreter_gets_a_clean_environment(plain: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("VIRTUAL_ENV", "/some/where")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')  # as good as the interpreter of another venv
    other.chmod(0o755)
    for python, inherits in ((None, True), (str(other), False)):
        with runner(plain, "aborts", python=python) as run:
            assert not run(FINE).failed
            environment = run.handshake["environment"]
        assert ("PYTHONPATH" in environment, "VIRTUAL_ENV" in environment) == (inherits, inherits)
        assert environment["CUDA_LAUNCH_BLOCKING"] == "1" and environment["CUDA_VISIBLE_DEVICES"] == "3"


def test_the_interpreter_of_a_venv_is_another_one_though_it_is_a_link(plain: Launcher, tmp_path: Path,
                                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    seen = {}
    monkeypatch.setattr(process.subprocess, "Popen", lambda *_, env, **__: seen.update(env) or (_ for _ in ()).throw(OSError(2, "gone")))
    with runner(plain, "aborts", python=str(link)) as run, pytest.raises(IncompleteError):
        run(FINE)
    assert "PYTHONPATH" not in seen and "PATH" in seen


@pytest.mark.parametrize("python", ["/nowhere/python", "/tmp"])
def test_no_interpreter(python: str) -> None:
    with runner(None, "aborts", python=python) as run, pytest.raises(IncompleteError, match="cannot be started.*--python"):
        run(FINE)


def test_an_interpreter_without_numpy_says_so(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')
    bare.chmod(0o755)
    with runner(None, "aborts", python=str(bare)) as run, pytest.raises(IncompleteError) as caught:
        run(FINE)
    assert str(caught.value) == f"'{bare}' has no numpy, which the probe needs: {bare} -m pip install numpy torch"


@pytest.mark.parametrize("script", ["exit 0", "echo hello; exit 1", "echo usage >&2; exit 2"])
def test_what_is_no_interpreter_is_said_to_be_none_and_the_loss_not_blamed(tmp_path: Path, script: str) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with runner(None, "aborts", python=str(program)) as run, pytest.raises(IncompleteError, match="program' is not a Python interpreter"):
        run(FINE)


_SUPERVISOR = """
import os, sys
from pathlib import Path
from labelguard.lossprobe import ImportPath, Settings
from labelguard.lossprobe.supervisor.launcher import Launcher
from labelguard.lossprobe.supervisor.runner import LossRunner
import numpy as np
run = LossRunner(ImportPath(sys.argv[2]), Settings(timeout=60), launcher=Launcher(Path(sys.argv[1])))
run.classes = 3
assert not run(np.zeros((2, 4, 5), np.uint8)).failed
print(run._worker._mark, flush=True)
run(np.full((2, 4, 5), 99, np.uint8))
"""


@pytest.mark.parametrize("name", ["hangs", *["leaves_a_daemon_and_hangs"] * KEEPERS])
def test_a_worker_leaves_when_its_supervisor_is_killed(plain: Launcher, name: str) -> None:
    supervisor = subprocess.Popen([sys.executable, "-c", _SUPERVISOR, str(plain.adapters), f"{CRASHES}:{name}"], stdout=subprocess.PIPE,
                                  text=True)
    mark = supervisor.stdout.readline().strip()
    assert len(alive(mark)) >= 1 + KEEPERS  # what hangs may have left its daemon by now
    assert name == "hangs" or wait_until(daemons)
    supervisor.send_signal(signal.SIGKILL)
    supervisor.communicate()
    assert wait_until(lambda: not alive(mark) and not daemons())


def test_a_worker_leaves_when_it_is_hung_up_on(plain: Launcher) -> None:
    init = {"adapter": str(plain.adapters / "torch.py"), "device": "cpu", "amp": "fp32", "sys_path": [], "limit": 60,
            "loss": {"path": f"{CRASHES}:aborts"}}
    with closing(WorkerProcess.start(sys.executable, init)) as worker:
        assert worker.receive(60)["op"] == "handshake"
        worker._popen.stdin.close()
        with pytest.raises(WorkerEndedError):
            worker.receive(60)
        assert worker.ending() == ("exit", "exit code 0")


def test_the_process_group_is_the_workers_own(plain: Launcher) -> None:
    with runner(plain, "aborts") as run:
        run(FINE)
        assert os.getpgid(run._worker._popen.pid) == run._worker._popen.pid != os.getpgid(0)


@pytest.mark.parametrize("name", ["takes_stderr_away", "puts_a_stderr_without_a_number"])
def test_a_loss_may_replace_standard_error(plain: Launcher, name: str) -> None:
    with runner(plain, name) as run:
        assert not run(BAD).failed and not run(FINE).failed and run.starts == 1


def test_no_mask_is_blamed_for_an_end_before_its_pass(plain: Launcher) -> None:
    with runner(plain, "dies_a_moment_later") as run:
        assert not run(BAD).failed
        wait_until(lambda: run._worker._popen.poll() is not None)
        assert not run(FINE).failed and run.starts == 2
        assert [step.native for step in run.ends_between] == ["signal SIGABRT"]


def test_an_exception_without_a_text_costs_no_worker(plain: Launcher) -> None:
    with runner(plain, "raises_what_cannot_be_told") as run:
        step = run(BAD).last
        assert (step.status, step.error_type, run.starts) == ("exception", "Untold", 1) and "__str__ raises RuntimeError" in step.error


@pytest.mark.parametrize(("kills", "status"), [([3, 3], "death"), ([3, 4], "out-of-memory"), ([None, None], "out-of-memory")])
def test_a_kill_is_want_of_memory_only_where_the_system_counts_one(plain: Launcher, monkeypatch: pytest.MonkeyPatch,
                                                                  kills: list[int | None], status: str) -> None:
    monkeypatch.setattr(system, "memory_kills", iter(kills).__next__)
    with runner(plain, "kills_itself") as run:
        step = run(BAD).last
        assert (step.status, step.phase) == (status, "forward") and "SIGKILL" in step.native


@pytest.mark.parametrize(("share", "status"), [(0.49, "death"), (0.51, "out-of-memory")])
def test_a_kill_of_what_takes_much_memory_counts_as_want_of_it(plain: Launcher, monkeypatch: pytest.MonkeyPatch, share: float,
                                                               status: str) -> None:
    monkeypatch.setattr(system, "memory_kills", lambda: 3)
    with runner(plain, "kills_itself", max_memory=8e9) as run:
        assert not run(FINE).failed
        run._worker._most = share * 8e9
        assert run(BAD).last.status == status
