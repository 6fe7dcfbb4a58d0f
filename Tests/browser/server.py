"""A server of the tests' own, which can be killed and started again at the same address."""
import re
import shutil
import signal
import subprocess
import tempfile
import time

from support import Service


class Server:
    def __init__(self, binary, apps=None, options=()):
        self.binary = binary
        self.options = [*(["--apps", str(apps)] if apps else []), *options]
        self.data = tempfile.mkdtemp(prefix="navstate-browser-")
        self.log = tempfile.TemporaryFile()
        self.process = None
        self.port = 0
        self.start()
        self.service = Service(self.url)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        options = ["--listen", f"127.0.0.1:{self.port}", "--data", self.data, *self.options]
        self.log.seek(0)
        self.log.truncate()
        self.process = subprocess.Popen([self.binary, *options], stdout=self.log, stderr=self.log)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            self.log.seek(0)
            text = self.log.read().decode()
            found = re.search(r"http://127\.0\.0\.1:(\d+)", text)
            if found and "ready" in text:
                self.port = int(found[1])
                return
            if self.process.poll() is not None:
                raise RuntimeError(text)
            time.sleep(0.05)
        raise RuntimeError(f"the server does not say that it is ready: {text}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.log.close()
        shutil.rmtree(self.data, ignore_errors=True)

    # Words for what the tests need

    def fill(self, count):
        """Sessions with apps, labels and routes, the first of them with 40 revisions."""
        for number in range(count):
            app = ["social", "shop", None][number % 3]
            body = {"id": f"kiosk-{number:03}", "labels": {"room": "hall" if number % 4 else "lobby"}}
            status, answer = self.service.call("POST", "/v1/sessions", {**body, **({"app": app} if app else {})})
            assert status == 201, answer
        if count > 0:
            self.lengthen("kiosk-000", 40)

    def lengthen(self, session, revisions):
        """Posts and profiles over each other, up to that revision."""
        while self.service.session(session)["revision"] < revisions:
            number = self.service.session(session)["revision"]
            if number % 5 == 4:
                self.service.command(session, "back", {"count": 2})
            else:
                self.service.command(session, "navigate", {"route": "postDetail", "params": {"id": number}})
