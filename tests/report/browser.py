"""Headless Chromium, controlled over the DevTools protocol through two pipes.

    with Browser() as browser:                 # needs no network
        page = browser.open(path, width=1440)
        page.value("document.title")
"""
import base64
import ctypes
import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time

WAIT_S = 30


def program():
    """Returns the path of Chromium, or None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Page:
    """An open page and its events: `said` (console), `asked` (requests), `broke` (violations)."""

    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target
        self.said, self.asked = [], []

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def heard(self, method, params):
        if method == "Runtime.consoleAPICalled":
            self.said.append(params["type"] + ": " + " ".join(str(a.get("value")) for a in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append("exception: " + details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded":
            self.said.append(params["entry"]["level"] + ": " + params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.asked.append(params["request"]["url"])
        elif method == "Page.javascriptDialogOpening":
            self.said.append("dialog: " + params["message"])
            self.call("Page.handleJavaScriptDialog", accept=False)

    def value(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def go(self, url):
        self.call("Page.navigate", url=url)
        return self.until("document.readyState === 'complete' && (document.documentElement.dataset.ready === 'yes'"
                          " || document.getElementById('noscript') !== null || window.stopped === true)")

    def until(self, condition):
        """Waits until the condition holds. Returns the seconds."""
        begun = time.monotonic()
        while not self.value(condition):
            if time.monotonic() - begun > WAIT_S:
                raise RuntimeError(f"never: {condition}; the page said {self.said}")
            select.select([], [], [], .02)
        return time.monotonic() - begun

    def frame(self):
        """Waits until all changes are drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def size(self, width, height=1000):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def dark(self, on=True):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if on else "light"}])

    def key(self, key):
        code = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.frame()

    def mouse(self, kind, x, y):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left" if kind != "mouseMoved" else "none",
                  clickCount=1)
        self.frame()

    def picture(self, path, whole=True):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.pages.pop(self.session, None)


class Browser:
    def __init__(self):
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: this process reaps the helpers of Chromium
        self.folder = tempfile.mkdtemp(prefix="pmapdb-browser-")
        self.pages, self.answers, self.last, self.rest = {}, {}, 0, b""
        read, self.to = os.pipe()
        self.of, write = os.pipe()

        def place():  # Chromium reads from descriptor 3 and writes to descriptor 4
            os.setsid()
            first, second = os.dup(read), os.dup(write)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--disable-background-networking", "--no-first-run", "--disable-dev-shm-usage",
             f"--user-data-dir={self.folder}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place,
            close_fds=False)
        os.close(read)
        os.close(write)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        try:
            while os.waitpid(-self.process.pid, 0)[0]:
                pass
        except ChildProcessError:
            self.process.returncode = 0
        os.close(self.to)
        os.close(self.of)
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.of], [], [], WAIT_S)[0]:
                raise RuntimeError("the browser does not answer")
            got = os.read(self.of, 1 << 20)
            if not got:
                raise RuntimeError("the browser has ended")
            self.rest += got
        text, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(text)
        if "id" in message:
            self.answers[message["id"]] = message
        elif message.get("sessionId") in self.pages:
            self.pages[message["sessionId"]].heard(message["method"], message["params"])

    def call(self, method, session=None, **params):
        self.last += 1
        number = self.last
        message = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while number not in self.answers:
            self.receive()
        answer = self.answers.pop(number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, width=1440, height=1000, fragment="", script=True, dark=False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        page.size(width, height)
        page.dark(dark)
        url = pathlib.Path(path).resolve().as_uri() + fragment
        if not script:
            page.call("Emulation.setScriptExecutionDisabled", value=True)
            page.call("Page.navigate", url=url)
            page.until("document.readyState === 'complete' && location.protocol === 'file:'")
        else:
            page.took = page.go(url)
        return page
