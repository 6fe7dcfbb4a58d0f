"""Firefox without a driver of its own: Marionette, the protocol that Debian's firefox-esr speaks."""
import base64
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

BINARY = "/usr/bin/firefox-esr"
PREFERENCES = {
    "marionette.port": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.enabled": False, "app.update.enabled": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "browser.aboutConfig.showWarning": False,
}


class Firefox:
    """A window of Firefox. Scripts are bodies of functions; `return` gives a value back."""

    def __init__(self, width=1440, height=900, scheme="light"):
        self.profile = pathlib.Path(tempfile.mkdtemp(prefix="navstate-firefox-"))
        preferences = {**PREFERENCES, "layout.css.prefers-color-scheme.content-override": 0 if scheme == "dark" else 1}
        (self.profile / "user.js").write_text("".join(
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.process = subprocess.Popen(
            [BINARY, "--headless", "--marionette", "--profile", str(self.profile), "--no-remote", f"--width={width}", f"--height={height}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.count = 0
        self.socket = socket.create_connection(("127.0.0.1", self.port()), timeout=120)
        self.read()
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        self.send("WebDriver:SetTimeouts", {"script": 60_000, "pageLoad": 60_000})
        self.resize(width, height)

    def port(self):
        file = self.profile / "MarionetteActivePort"
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if file.exists() and file.read_text().strip():
                return int(file.read_text())
            if self.process.poll() is not None:
                raise RuntimeError(f"firefox ended with {self.process.returncode}")
            time.sleep(0.1)
        raise RuntimeError("firefox does not listen")

    # A message is its length, a colon and a list: [0, number, name, parameters] or [1, number, error, value].

    def read(self):
        size = b""
        while not size.endswith(b":"):
            byte = self.socket.recv(1)
            if not byte:
                raise RuntimeError("firefox has closed the connection")
            size += byte
        left = int(size[:-1])
        data = b""
        while len(data) < left:
            data += self.socket.recv(left - len(data))
        return json.loads(data)

    def send(self, name, parameters=None):
        self.count += 1
        text = json.dumps([0, self.count, name, parameters or {}]).encode()
        self.socket.sendall(str(len(text)).encode() + b":" + text)
        _, _, error, value = self.read()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return value

    # Words for tests

    def resize(self, width, height):
        """The size of the window's content."""
        self.send("WebDriver:SetWindowRect", {"width": width, "height": height})
        inner = self.run("return [innerWidth, innerHeight]")
        self.send("WebDriver:SetWindowRect", {"width": 2 * width - inner[0], "height": 2 * height - inner[1]})

    def open(self, url):
        self.send("WebDriver:Navigate", {"url": "about:blank"})
        self.send("WebDriver:Navigate", {"url": url})

    def run(self, script, *arguments):
        return self.send("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})["value"]

    def wait(self, script, *arguments, seconds=30):
        """Until the script returns something."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = self.run(script, *arguments)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"never true in Firefox: {script}")

    def screenshot(self, path):
        value = self.send("WebDriver:TakeScreenshot", {"full": False})["value"]
        pathlib.Path(path).write_bytes(base64.b64decode(value))

    def close(self):
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)
