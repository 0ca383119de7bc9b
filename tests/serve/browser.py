# browser.py: a headless Chromium, driven through its pipe of JSON messages, each ended by a zero byte.
import atexit
import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"


class Browser:
    def __init__(self, address):
        name = next((n for n in NAMES if shutil.which(n)), None)
        if not name:
            print("skipped: no Chromium here (apt-get install chromium)")
            sys.exit(77)
        folder = tempfile.mkdtemp(dir=".")
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()
        # It reads descriptor 3 and writes 4, whatever the numbers of the pipes are.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_read} 4>&{to_write}', "sh", name, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={os.path.abspath(folder)}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(to_read, to_write), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        atexit.register(self.close)
        os.close(to_read)
        os.close(to_write)
        self.number, self.held, self.session, self.faults = 0, b"", None, []
        self.watch = threading.Timer(500, self.kill)  # one that hangs ends the test, with what it was asked last
        self.watch.daemon = True
        self.watch.start()
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.ask("Runtime.enable")
        self.ask("Page.enable")
        self.ask("Page.navigate", url=address)
        self.wait(f"location.href === {json.dumps(address)} && document.readyState === 'complete'")

    def message(self):
        while b"\0" not in self.held:
            part = os.read(self.read_end, 1 << 16)
            if not part:
                raise EOFError("the browser ended")
            self.held += part
        whole, self.held = self.held.split(b"\0", 1)
        return json.loads(whole)

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            got = self.message()
            if got.get("method") == "Runtime.exceptionThrown":
                self.faults.append(got["params"]["exceptionDetails"])
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError(f"{method}: {got['error']}")
                return got["result"]

    # The value of an expression in the page.
    def value(self, expression):
        got = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def wait(self, expression):
        for _ in range(3000):
            if self.value(f"!!({expression})"):
                return
            time.sleep(0.05)
        raise RuntimeError(f"never so: {expression}")

    # As a user types it.
    def fill(self, field, text):
        self.value(f"document.getElementById({json.dumps(field)}).value = ''; document.getElementById({json.dumps(field)}).focus()")
        self.ask("Input.insertText", text=text)

    def click(self, button):
        self.value(f"document.getElementById({json.dumps(button)}).click()")

    def picture(self, path, width, height):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)

    def close(self):
        atexit.unregister(self.close)
        self.watch.cancel()
        self.kill()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
