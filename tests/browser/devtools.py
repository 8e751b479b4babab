"""A headless Chromium, driven through the pipe of its DevTools protocol (https://chromedevtools.github.io/devtools-protocol)."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 120  # seconds without a sign of life


def installed() -> str | None:
    """The browser that is there, if one is."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


class Browser:
    """A browser with one tab. Every event of the protocol that comes in is kept in `events`."""

    def __init__(self, program: str, profile: Path) -> None:
        to_browser, self._output = os.pipe()
        self._input, from_browser = os.pipe()

        def pipes() -> None:  # the protocol reads from descriptor 3 and writes to descriptor 4
            os.dup2(to_browser, 100)
            os.dup2(from_browser, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium refuses to run as root with its sandbox
        self._process = subprocess.Popen(
            [program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--no-first-run", "--disable-gpu",
             "--hide-scrollbars", "--force-color-profile=srgb", *sandbox],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._read = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._output)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._input)

    def send(self, method: str, **parameters: Any) -> Any:
        """Call a method of the protocol, and return what it gives."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            ready = select.select([self._input], [], [], _PATIENCE)[0]
            piece = os.read(self._input, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("the browser has ended" if ready else "the browser does not answer")
            self._read += piece
        message, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def show(self, page: Path, width: int, height: int = 900, *, dark: bool = False, print_: bool = False) -> None:
        """Load a file at a width of the window, and wait until it stands."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.send("Emulation.setEmulatedMedia", media="print" if print_ else "screen",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.send("Page.navigate", url=page.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        done = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"]["exception"]["description"])
        return done["result"].get("value")

    def screenshot(self, file: Path, **clip: float) -> None:
        """Write what is seen, all of the page or a part of it, to a PNG."""
        area = {"clip": {**clip, "scale": 1}} if clip else {}
        file.write_bytes(b64decode(self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True, **area)["data"]))
