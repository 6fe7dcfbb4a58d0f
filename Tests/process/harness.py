"""The common part of the tests of the real process: a server, writers that remember what was
acknowledged,
and the look back after a restart."""
import http.client, json, os, pathlib, re, resource, signal, socket, subprocess, tempfile, threading, time
import traceback


def request(connection, method, path, body=None, fields={}):
    """One exchange: the status and the value."""
    fields = dict(fields)
    if body is not None: fields["Content-Type"] = "application/json"
    connection.request(method, path, None if body is None else json.dumps(body), fields)
    answer = connection.getresponse()
    data = answer.read()
    isJSON = "json" in (answer.getheader("Content-Type") or "") and "ndjson" not in (
        answer.getheader("Content-Type") or "")
    return answer.status, json.loads(data) if data and isJSON else data


def ready_port(text, process):
    """The port in the line of the log that says that the server is ready; None if it has ended."""
    while True:
        has_ended = process.poll() is not None
        found = re.search(r"ready.*?http://127\.0\.0\.1:(\d+)", text())
        if found: return int(found.group(1))
        if has_ended: return None
        time.sleep(0.002)


class Server:
    """The release executable on a free port; `fault` are words for strace(1)."""

    def __init__(self, executable, data, *options, fault=(), wait=20, descriptors=None,
                 environment={}):
        self.data = str(data)
        command = [str(executable), "--listen", "127.0.0.1:0", "--data", self.data, *options]
        if fault:
            # -D: the server is our own child, and its exit code comes to us.
            # With --seccomp-bpf strace 6.1 sends no signal but at the first call.
            quick = [] if any("signal=" in word for word in fault) else ["--seccomp-bpf"]
            command = ["strace", "-f", "-D", "-qq", "-o", "/dev/null", *quick, *fault, *command]
        # env(1) is what a preloaded library first meets, so that it has set its variables by then.
        if environment: command = ["env", *command]
        self.errors = tempfile.NamedTemporaryFile("a")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, preexec_fn=descriptors and (lambda: resource.setrlimit(
                resource.RLIMIT_NOFILE, (descriptors, descriptors))), stdout=subprocess.DEVNULL, stderr=self.errors,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **environment})
        self.port = ready_port(lambda: self.text, self.process)
        self.startSeconds = time.monotonic() - self.started
        if self.port is None: self.code = self.process.wait(wait)

    @property
    def text(self):
        """Its output on standard error."""
        return pathlib.Path(self.errors.name).read_text()

    def connect(self, timeout=20):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def call(self, method, path, body=None, fields={}):
        connection = self.connect()
        try: return request(connection, method, path, body, fields)
        finally: connection.close()

    def end(self, number=signal.SIGTERM, seconds=20):
        """Sends a signal unless it has ended by itself; the exit code."""
        if self.process.poll() is None: self.process.send_signal(number)
        return self.wait(seconds)

    def kill(self): return self.end(signal.SIGKILL)

    def wait(self, seconds):
        return self.process.wait(seconds)

    def __enter__(self): return self

    def __exit__(self, *_):
        if self.process.poll() is None: self.process.kill()
        self.process.wait()


class Writer(threading.Thread):
    """Creates one session and navigates until it is told to stop or the connection breaks."""

    def __init__(self, server, name, bytes=0, pause=0, first=0):
        super().__init__(daemon=True)
        self.server, self.session, self.bytes, self.pause = server, name, bytes, pause
        self.acknowledged = self.asked = first
        self.refusals, self.wrong, self.stopping = {}, [], False
        self.slowest = 0.0
        #: Times of changes that went through after a refusal.
        self.recovered = 0

    def body(self, revision):
        if revision == 1: return "/v1/sessions", {"id": self.session}
        body = {"route": f"r{revision}", "mode": "reset"}
        if self.bytes: body["params"] = {"x": "y" * self.bytes}
        return f"/v1/sessions/{self.session}/navigate", body

    def run(self):
        connection = self.server.connect()
        try:
            while not self.stopping:
                self.asked = self.acknowledged + 1
                path, body = self.body(self.asked)
                begun = time.monotonic()
                status, value = request(connection, "POST", path, body)
                self.slowest = max(self.slowest, time.monotonic() - begun)
                if status in (200, 201):
                    at = (value if self.asked == 1 else value["session"])["revision"]
                    if at != self.asked: self.wrong.append(f"asked {self.asked}, got {at}")
                    self.acknowledged = self.asked
                    if self.refusals: self.recovered += 1
                elif status == 507 or "cannot make the next file" in value.get("detail", ""):
                    # It says that nothing was changed, and is held to it.
                    self.refused(status)
                    self.asked = self.acknowledged
                    time.sleep(0.02)
                elif status == 503:
                    return self.refused(status)
                else:
                    return self.wrong.append(f"{status} {value}")
                if self.pause: time.sleep(self.pause)
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    def refused(self, status): self.refusals[status] = self.refusals.get(status, 0) + 1


class Oracle:
    """The permitted states of each session after a restart: the acknowledged revision, or one that
    was asked
    for and whose answer was lost."""

    def __init__(self):
        self.expected, self.total = {}, 0

    def write(self, server, names, seconds=None, until=None, **options):
        """Lets writers write for a time, or until `until` says so."""
        writers = []
        for name in names:
            first = self.expected.get(name, (0, 0))[0]
            writers.append(Writer(server, name, first=first, **options))
        for writer in writers: writer.start()
        if seconds is not None:
            end = time.monotonic() + seconds
            while time.monotonic() < end and any(w.is_alive() for w in writers):
                if until and until(writers): break
                time.sleep(0.005)
        return writers

    def learn(self, writers):
        for writer in writers:
            writer.stopping = True
        for writer in writers:
            writer.join()
            before = self.expected.get(writer.session, (0, 0))[0]
            self.expected[writer.session] = (writer.acknowledged, writer.asked)
            self.total += writer.acknowledged - before
            assert not writer.wrong, writer.wrong

    def look(self, server, but=()):
        """Compares every session, and takes over what was found."""
        connection, wrong = server.connect(), []
        for name, (acknowledged, asked) in self.expected.items():
            if name in but: continue
            status, value = request(connection, "GET", f"/v1/sessions/{name}")
            if status == 404:
                if acknowledged: wrong.append(f"{name}: gone, was at {acknowledged}")
                continue
            assert status == 200, (status, value)
            revision = value["revision"]
            path = [entry["route"] for entry in value["tabs"][0]["path"]]
            if not acknowledged <= revision <= asked:
                wrong.append(f"{name}: at {revision}, acknowledged {acknowledged}, asked {asked}")
            elif path != ([f"r{revision}"] if revision > 1 else []):
                wrong.append(f"{name}: revision {revision} shows {path}")
            else:
                self.expected[name] = (revision, revision)
        connection.close()
        assert not wrong, "; ".join(wrong)


def logs(data): return sorted(pathlib.Path(data, "log").glob("*.jsonl"))


def allocated(data):
    """Bytes that the files take on the disk, and their lengths."""
    sizes = [file.stat() for file in logs(data) if file.exists()]
    return sum(s.st_blocks * 512 for s in sizes), sum(s.st_size for s in sizes)


class Mount:
    """A file system that is unmounted at the end."""

    def __init__(self, path, *words):
        self.path = path
        os.makedirs(path, exist_ok=True)
        subprocess.run(["mount", *words, path], check=True)

    def __enter__(self): return self

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True)

    def again(self, *words):
        subprocess.run(["umount", self.path], check=True)
        subprocess.run(["mount", *words, self.path], check=True)

    def __exit__(self, *_): subprocess.run(["umount", "-l", self.path], check=False)


class Case:
    """Runs functions and counts."""

    def __init__(self): self.passed = self.failed = self.skipped = 0

    def run(self, name, body):
        begun = time.monotonic()
        try:
            note = body()
        except Skip as reason:
            self.skipped += 1
            return print(f"skip  {name}: {reason}", flush=True)
        except Exception as error:
            self.failed += 1
            kind = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
            where = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{os.path.basename(where.filename)}:{where.lineno}"
            return print(f"FAIL  {name}: {kind}{error or where.line} ({place})", flush=True)
        self.passed += 1
        seconds = time.monotonic() - begun
        print(f"ok    {name} ({seconds:.1f} s){': ' + note if note else ''}", flush=True)


class Skip(Exception): pass


def until(isDone, what, seconds=60):
    """Asks again and again. The time is only there to end a test whose condition never holds."""
    end = time.monotonic() + seconds
    while not isDone():
        assert time.monotonic() < end, f"{what}: not within {seconds} s"
        time.sleep(0.02)


def receive(stream, text):
    """The bytes of a socket up to the part in which a text appears."""
    said = b""
    while text not in said:
        part = stream.recv(65536)
        assert part, f"the end came before {text}: {said[-300:]}"
        said += part
    return said
