"""Headless Chromium for tests, over its debugging pipe: open a page, look, click, take a picture, hear its console."""

import base64
import json
import os
import select
import subprocess
import time
from pathlib import Path


class Chromium:
    """One page. A context manager; the browser ends with it."""

    def __init__(self, profile: Path, width: int = 1280, height: int = 1000):
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        command += ["--remote-debugging-pipe", f"--user-data-dir={profile}", f"--window-size={width},{height}"]
        command += ["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage", "about:blank"]

        def hand_over_pipes():
            os.dup2(to_browser, 13)
            os.dup2(from_browser, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self._process = subprocess.Popen(
            command, preexec_fn=hand_over_pipes, close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        os.close(to_browser)
        os.close(from_browser)
        self._rest = b""
        self._number = 0
        self.console_errors: list[str] = []
        self.requests: list[str] = []
        target = self._ask("Target.createTarget", {"url": "about:blank"}, session=False)["targetId"]
        self._session = None
        self._session = self._ask("Target.attachToTarget", {"targetId": target, "flatten": True}, session=False)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._ask(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def open(self, url: str) -> None:
        self._ask("Page.navigate", {"url": url})
        self.wait_for("document.readyState === 'complete'")

    def evaluate(self, script: str):
        answer = self._ask("Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True})
        if "exceptionDetails" in answer:
            raise AssertionError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, script: str, within_s: float = 30.0):
        """Until `script` is true; its value."""
        give_up_at = time.monotonic() + within_s
        while not (value := self.evaluate(script)):
            if time.monotonic() > give_up_at:
                text = self.evaluate("document.body.innerText")
                raise AssertionError(f"not within {within_s:g} s: {script}\nthe page says:\n{text[:3000]}")
            time.sleep(0.2)
        return value

    def fill(self, selector: str, value: str) -> None:
        """Types into a field as React wants to hear it."""
        self.evaluate(
            f"""(() => {{
              const field = document.querySelector({json.dumps(selector)});
              const kind = field.tagName === "SELECT" ? HTMLSelectElement : HTMLInputElement;
              Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, {json.dumps(value)});
              field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", {{bubbles: true}}));
            }})()"""
        )

    def click(self, selector: str, text: str) -> None:
        """The element that matches and says exactly this, once it is there."""
        wanted = (
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            f".find(element => element.textContent.trim() === {json.dumps(text)})"
        )
        self.wait_for(f"!!{wanted}")
        self.evaluate(f"{wanted}.click()")

    def download_to(self, directory: Path) -> None:
        self._ask(
            "Browser.setDownloadBehavior",
            {"behavior": "allow", "downloadPath": str(directory), "eventsEnabled": False},
            session=False,
        )

    def dark(self) -> None:
        self._ask("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})

    def screenshot(self, path: Path) -> None:
        shot = self._ask("Page.captureScreenshot", {"captureBeyondViewport": True})
        path.write_bytes(base64.b64decode(shot["data"]))

    def _ask(self, method: str, parameters: dict | None = None, session: bool = True):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters or {}}
        if session and self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            told = self._read()
            if told.get("id") == self._number:
                if "error" in told:
                    raise AssertionError(f"{method}: {told['error']}")
                return told["result"]
            self._note(told)

    def _read(self, within_s: float = 60.0) -> dict:
        while b"\0" not in self._rest:
            if not select.select([self._from], [], [], within_s)[0]:
                raise AssertionError("Chromium says nothing")
            octets = os.read(self._from, 1 << 20)
            if not octets:
                raise AssertionError("Chromium has ended")
            self._rest += octets
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def _note(self, told: dict) -> None:
        parameters = told.get("params", {})
        match told.get("method"):
            case "Runtime.exceptionThrown":
                self.console_errors.append(str(parameters["exceptionDetails"].get("exception", parameters)))
            case "Runtime.consoleAPICalled" if parameters["type"] in ("error", "assert"):
                said = " ".join(str(argument.get("value", argument)) for argument in parameters["args"])
                self.console_errors.append(said)
            case "Log.entryAdded" if parameters["entry"]["level"] == "error":
                self.console_errors.append(f"{parameters['entry']['text']} {parameters['entry'].get('url', '')}")
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
