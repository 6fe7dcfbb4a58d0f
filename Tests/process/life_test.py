"""The server as a process: how it starts, is told things by signals, and ends.

Talks to 127.0.0.1 and to Unix sockets in a directory of its own."""

import argparse
import http.client
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from harness import Case, Skip, receive, until

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
server = str(pathlib.Path(parser.parse_args().server).resolve())
work = pathlib.Path(tempfile.mkdtemp(prefix="navstate-life-"))
count = 0
# All processes of the current test, which are ended after it if it has not done so.
processes = []


def fresh():
    global count
    count += 1
    return work / f"data-{count}"


class Server:
    def __init__(self, *options, data=None, environment=None, before=None, **more):
        self.data = data or fresh()
        self.log = open(work / f"log-{time.monotonic_ns()}", "w+")
        self.process = subprocess.Popen(
            [server, "--data", str(self.data), *options],
            stdout=subprocess.DEVNULL,
            stderr=self.log,
            env={**os.environ, **(environment or {})},
            preexec_fn=before,
            **more,
        )
        processes.append(self.process)
        self.ready = {}

        def is_ready():
            assert self.process.poll() is None, self.text()
            whole = self.text().rpartition("\n")[0].splitlines()
            self.ready = next((value for value in map(json.loads, whole)
                               if value["message"] == "ready"), {})
            return self.ready

        until(is_ready, "the server is ready")

    @property
    def port(self):
        return int(self.ready["address"].split("http://127.0.0.1:")[1].split()[0])

    def get(self, path, fields={}, method="GET", body=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        link.request(method, path, body=body, headers=fields)
        answer = link.getresponse()
        text = answer.read().decode()
        link.close()
        return answer.status, dict(answer.getheaders()), text

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def post(self, path, value, fields={}):
        return self.get(
            path, {"Content-Type": "application/json", **fields}, "POST", json.dumps(value)
        )

    def end(self, number=signal.SIGTERM, expect=0):
        self.process.send_signal(number)
        assert self.process.wait(30) == expect, self.process.returncode
        return self.lines()

    def text(self):
        # The server writes at the end of the same open file, so its position must not move.
        return pathlib.Path(self.log.name).read_text()

    def lines(self):
        return [json.loads(line) for line in self.text().splitlines()]


def run(*words, environment=None, text=None):
    done = subprocess.run(
        [server, *words],
        capture_output=True,
        text=True,
        input=text,
        env={**os.environ, **(environment or {})},
        timeout=30,
    )
    return done.returncode, done.stdout, done.stderr


def refusals():
    assert run("--listn", "1")[0] == 64
    assert "did you mean --listen" in run("--listn", "1")[2]
    code, _, message = run("--listen", "0.0.0.0:0", "--data", str(fresh()))
    assert code == 64 and "NAVSTATE_TOKEN" in message and "NAVSTATE_ALLOW_ANONYMOUS" in message
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert run("--listen", address, "--data", str(fresh()))[0] == 69
        assert run("healthcheck", "--listen", "127.0.0.1:1")[0] == 1
    # A server that accepts nothing: the queue of its socket is full.
    with socket.socket(socket.AF_UNIX) as stuck, socket.socket(socket.AF_UNIX) as first:
        path = work / "stuck"
        stuck.bind(str(path))
        stuck.listen(0)
        first.connect(str(path))
        # If it waited for an answer, `run` would end it after its own time.
        code, _, message = run("healthcheck", "--listen", f"unix:{path}")
        assert code == 1 and "does not respond" in message, message
    one = Server("--listen", "127.0.0.1:0")
    assert run("--listen", "127.0.0.1:0", "--data", str(one.data))[0] == 75
    assert run("healthcheck", "--listen", f"127.0.0.1:{one.port}")[0] == 0
    one.end()
    assert run("--listen", "127.0.0.1:0", "--data", "/proc/nowhere")[0] == 73
    code, _, message = run("--listen", "127.0.0.1:0", "--data", str(fresh() / "deeper" / "data"))
    assert code == 73 and "create the one above it first, or choose" in message, message
    secret = "correct-horse"
    code, report, _ = run("config", environment={"NAVSTATE_TOKEN": secret})
    assert code == 0 and secret not in report and "environment NAVSTATE_TOKEN" in report


def signals_and_log():
    apps = fresh()
    apps.mkdir()
    app = {"routes": {"home": {}}, "tabs": [{"id": "main", "routes": ["home"]}]}
    (apps / "one.json").write_text(json.dumps(app))
    tokens = work / "tokens"
    tokens.write_text("alpha admin\n")
    config = work / "config.json"
    config.write_text('{"log-level": "info"}')
    one = Server(
        "--listen", "127.0.0.1:0", "--apps", str(apps), "--token-file", str(tokens),
        "--config", str(config), "--stop-timeout", "60s", "--log-format", "json",
    )
    alpha, beta = ({"Authorization": f"Bearer {name}"} for name in ("alpha", "beta"))
    assert one.get("/v1/apps/one", alpha)[0] == 200
    assert one.get("/v1/apps/two", beta)[0] == 401
    (apps / "two.json").write_text(json.dumps(app))
    (apps / ".#two.json").write_text("the lock of an editor")
    tokens.write_text("beta admin\n")
    one.process.send_signal(signal.SIGHUP)
    until(lambda: one.get("/v1/apps/two", beta)[0] == 200, "the new token and app")
    assert one.get("/v1/apps/one", alpha)[0] == 401
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    got = one.get("/v1/sessions", {**beta, "traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    assert got[1]["X-Request-Id"] == trace
    assert one.get("/v1/sessions", {**beta, "X-Request-Id": "my-id"})[1]["X-Request-Id"] == "my-id"
    assert one.get("/readyz?verbose")[2].endswith("readyz check passed\n")

    waiting = one.connect()
    waiting.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer beta\r\n"
                    b"Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"id\"")
    stream = one.connect()
    stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer beta\r\n\r\n")
    receive(stream, b"text/event-stream")
    one.process.send_signal(signal.SIGTERM)

    def is_refused():
        try:
            one.connect().close()
            return False
        except ConnectionRefusedError:
            return True
        except ConnectionResetError:
            return False  # The listener was closed during the handshake.

    until(is_refused, "the server listens no more")
    waiting.sendall(b":\"late\"}")
    receive(waiting, b" 201 Created")
    rest = b""
    while True:
        piece = stream.recv(65536)
        if not piece:
            break
        rest += piece
    assert b"retry: " in rest and rest.endswith(b"0\r\n\r\n"), rest
    assert one.process.wait(30) == 0
    lines = one.lines()
    texts = json.dumps(lines)
    assert "alpha" not in texts and "beta" not in texts and "/readyz" not in texts
    assert "late" not in texts, "no session's name"
    requests = [line for line in lines if line["message"] == "request"]
    assert any(line["requestId"] == trace and line["route"] == "/v1/sessions" for line in requests)
    assert all({"method", "route", "status", "bytes", "ms", "requestId"} <= set(r) for r in requests)
    assert [line for line in lines if line["message"] == "reloaded"]
    again = Server("--listen", "127.0.0.1:0", data=one.data)
    assert again.get("/v1/sessions/late")[0] == 200
    again.end(signal.SIGINT)


def draining():
    """The first signal begins ten minutes of draining, in which all is served; the second ends it."""
    one = Server("--listen", "127.0.0.1:0", "--drain", "10m")
    assert one.post("/v1/sessions", {"id": "a"})[0] == 201
    one.process.send_signal(signal.SIGTERM)
    until(lambda: one.get("/readyz")[0] == 503, "/readyz says that the server drains")
    assert one.get("/livez")[0] == 200
    assert one.post("/v1/sessions", {"id": "b"})[0] == 201
    one.end()
    assert "sessions  2" in run("check", "--data", str(one.data))[1]


def sockets():
    path = work / "s.sock"
    one = Server("--listen", f"127.0.0.1:0,unix:{path}", "--metrics-listen", "127.0.0.1:0")
    assert run("healthcheck", "--listen", f"unix:{path}")[0] == 0
    assert one.get("/metrics")[0] == 404
    metrics = int(one.ready["metrics"].rpartition(":")[2])
    link = http.client.HTTPConnection("127.0.0.1", metrics, timeout=5)
    link.request("GET", "/metrics")
    page = link.getresponse().read().decode()
    assert "navstate_sessions 0\n" in page
    open_files = len(os.listdir(f"/proc/{one.process.pid}/fd"))
    assert f"process_open_fds {open_files}\n" in page, (open_files, page)
    link.request("GET", "/v1/sessions")
    assert link.getresponse().status == 404
    link.close()
    one.end()
    assert not path.exists()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    two = Server("--listen", f"unix:{path}")
    assert run("healthcheck", "--listen", f"unix:{path}")[0] == 0
    # A server that ends leaves the socket of its successor. A request that has not arrived
    # completely makes it wait.
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
                       b"Expect: 100-continue\r\n"
                       b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n")
        receive(client, b" 100 ")
        two.process.send_signal(signal.SIGTERM)
        until(lambda: not path.exists(), "the socket is gone")
        three = Server("--listen", f"unix:{path}")
        client.sendall(b"{}")
        receive(client, b" 201 ")
    assert two.process.wait(30) == 0
    assert run("healthcheck", "--listen", f"unix:{path}")[0] == 0
    three.end()
    assert not path.exists()
    # A file that is no socket is not replaced.
    path.write_text("precious")
    code, _, message = run("--listen", f"unix:{path}", "--data", str(fresh()))
    assert code == 69 and "another file has this path" in message, (code, message)
    assert path.read_text() == "precious"
    path.unlink()


def service_manager():
    name = "\0navstate-life-%d" % os.getpid()
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(name)
    manager.settimeout(30)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    # The child cannot know its own id before it exists: a shell puts it into the environment.
    one = subprocess.Popen(
        ["sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', server, "--data", str(fresh())],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(3,),
        preexec_fn=lambda: os.dup2(listener.fileno(), 3),
        env={**os.environ, "LISTEN_FDS": "1", "NOTIFY_SOCKET": "@" + name[1:]},
    )
    processes.append(one)
    assert b"READY=1" in manager.recv(4096)
    listener.close()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    link.request("GET", "/readyz")
    assert link.getresponse().status == 200
    link.close()
    one.send_signal(signal.SIGHUP)
    assert manager.recv(4096).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
    assert manager.recv(4096) == b"READY=1"
    one.send_signal(signal.SIGTERM)
    assert manager.recv(4096) == b"STOPPING=1"
    assert one.wait(30) == 0


def passed_socket():
    """The service manager passes a Unix socket, whose file stays, or something else."""
    path = work / "passed.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    client = socket.socket()
    for passed, listens in ((listener, True), (client, False), (work, False)):
        if listens:
            passed.listen()
        elif passed == work:
            passed = open(work / "file", "w")
        log = open(work / "passed-log", "w+")
        one = subprocess.Popen(
            ["sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', server, "--data", str(fresh())],
            stdout=subprocess.DEVNULL, stderr=log, pass_fds=(3,),
            preexec_fn=lambda: os.dup2(passed.fileno(), 3),
            env={**os.environ, "LISTEN_FDS": "1"},
        )
        processes.append(one)
        if listens:
            until(lambda: run("healthcheck", "--listen", f"unix:{path}")[0] == 0, "it is ready")
            assert f"unix:{path}" in pathlib.Path(log.name).read_text()
            one.send_signal(signal.SIGTERM)
            assert one.wait(30) == 0
            assert path.exists(), "the file belongs to the service manager"
        else:
            assert one.wait(30) == 69
            assert "descriptor 3" in pathlib.Path(log.name).read_text()
        passed.close()
        log.close()


def unread_log():
    """A log that nobody reads delays nobody."""
    one = subprocess.Popen(
        [server, "--data", str(fresh()), "--listen", "127.0.0.1:0", "--log-level", "info"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    processes.append(one)
    line = "{}"
    while "address" not in json.loads(line):
        line = one.stderr.readline()
        assert line, "the server did not start"
    # The lines fill the pipe many times. A server that waited for it would not answer any more.
    link = http.client.HTTPConnection("127.0.0.1", int(json.loads(line)["address"].rpartition(":")[2]), timeout=30)
    for _ in range(3000):
        link.request("GET", "/v1/sessions")
        assert link.getresponse().read()
    link.close()
    one.send_signal(signal.SIGTERM)
    assert one.wait(30) == 0


def revoked():
    """A token that is taken back is told nothing more, also by a stream that it began."""
    tokens = work / "revoked-tokens"
    tokens.write_text("keeper admin\nguest read\n")
    one = Server("--listen", "127.0.0.1:0", "--token-file", str(tokens))
    keeper = {"Authorization": "Bearer keeper"}
    assert one.post("/v1/sessions", {"id": "s"}, keeper)[0] == 201
    made = json.loads(one.post("/v1/sessions/s/tokens", {"scope": "read"}, keeper)[2])

    def listen(token):
        stream = one.connect()
        stream.sendall(f"GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\n"
                       f"Authorization: Bearer {token}\r\n\r\n".encode())
        receive(stream, b"event: snapshot")
        return stream

    def push(route):
        body = {"path": [{"route": route}], "in": "main"}
        assert one.post("/v1/sessions/s/setPath", body, keeper)[0] == 200

    def rest(stream):
        said = b""
        while piece := stream.recv(65536):
            said += piece
            if said.endswith(b"0\r\n\r\n"):
                break
        return said

    display, guest, own = listen(made["token"]), listen("guest"), listen("keeper")
    push("seen-by-all")
    for stream in (display, guest, own):
        receive(stream, b"seen-by-all")
    assert one.get(f"/v1/sessions/s/tokens/{made['id']}", keeper, "DELETE")[0] == 204
    push("not-by-the-display")
    assert rest(display) == b"0\r\n\r\n"
    receive(guest, b"not-by-the-display")
    tokens.write_text("keeper admin\n")
    one.process.send_signal(signal.SIGHUP)
    until(lambda: one.get("/v1/sessions/s", {"Authorization": "Bearer guest"})[0] == 401,
          "the token is no longer accepted")
    push("for-the-keeper")
    assert rest(guest) == b"0\r\n\r\n"
    receive(own, b"for-the-keeper")
    for stream in (display, guest, own):
        stream.close()
    one.end()


def reloading_is_whole():
    """SIGHUP takes over everything or nothing."""
    apps = fresh()
    apps.mkdir()
    app = lambda title: json.dumps({"title": title, "tabs": [{"id": "main"}]})
    (apps / "one.json").write_text(app("old"))
    tokens = work / "reloaded-tokens"
    tokens.write_text("alpha admin\n")
    config = work / "reloaded.json"
    config.write_text('{"log-level": "notice"}')
    one = Server("--listen", "127.0.0.1:0", "--apps", str(apps), "--token-file", str(tokens),
                 "--config", str(config), "--log-format", "json")
    alpha, beta = ({"Authorization": f"Bearer {name}"} for name in ("alpha", "beta"))
    said = 0

    def reload():
        """Sends the signal; the line that comes of it."""
        nonlocal said
        one.process.send_signal(signal.SIGHUP)
        messages = lambda: [line["message"] for line in one.lines()
                            if line["message"].startswith("reload")]

        def is_done():
            assert one.get("/livez")[0] == 200, "the server answers meanwhile"
            return len(messages()) > said

        until(is_done, "a line about the reload")
        said = len(messages())
        return messages()[-1]

    def all_is_old():
        assert one.get("/v1/apps/one", alpha)[2] == app("old").replace("{", '{"id": "one", ', 1).replace(" ", "")
        assert one.get("/v1/apps/two", alpha)[0] == 404
        assert one.get("/v1/apps", beta)[0] == 401
        assert "request" not in {line["message"] for line in one.lines()}

    (apps / "one.json").write_text(app("new"))
    (apps / "two.json").write_text(app("two"))
    tokens.write_text("alpha admin\nbeta admin\n")
    config.write_text('{"log-level": "info"}')

    def broken(path, text, why):
        """With this file everything stays; without it it could be taken over."""
        before = path.read_bytes() if path.exists() else None
        if path.exists(): path.unlink()
        if text is None: os.mkfifo(path)
        elif text == "directory": path.mkdir()
        else: path.write_text(text)
        message = reload()
        assert message.startswith("reload failed") and str(path) in message and why in message, message
        all_is_old()
        if path.is_dir(): path.rmdir()
        else: path.unlink()
        if before is not None: path.write_bytes(before)

    broken(apps / "three.json", "{", "invalid app")
    broken(apps / "a b.json", "{}", "not a valid app id")
    broken(apps / "three.json", None, "is a pipe")
    broken(apps / "three.json", "directory", "is a directory")
    broken(apps / "three.json", " " * ((16 << 20) + 1), "is larger than 16 MiB")
    broken(tokens, "alpha admin\nbeta owner\n", "line 2")
    broken(tokens, None, "is a pipe")
    broken(tokens, "# " + "x" * (16 << 20) + "\nalpha admin\n", "is larger than 16 MiB")
    broken(config, '{"log-level": "loud"}', "log-level")
    broken(config, None, "is a pipe")
    assert reload() == "reloaded"
    assert one.get("/v1/apps/one", beta)[2] == '{"id":"one","title":"new","tabs":[{"id":"main"}]}'
    assert one.get("/v1/apps/two", alpha)[0] == 200
    assert "request" in {line["message"] for line in one.lines()}
    one.end()


def odd_files():
    """Only regular files are read as files; the start says which is none, and waits for nobody."""
    pipe, large = work / "pipe", work / "large"
    os.mkfifo(pipe)
    large.write_text("# " + "x" * (16 << 20) + "\nalpha admin\n")
    for option, path, why in (
        ("--token-file", pipe, "is a pipe"), ("--token-file", work, "is a directory"),
        ("--token-file", "/dev/zero", "is a device"), ("--token-file", large, "is larger than 16 MiB"),
        ("--config", pipe, "is a pipe"),
    ):
        code, _, message = run("--listen", "127.0.0.1:0", "--data", str(fresh()), option, str(path))
        assert code in (64, 78) and str(path) in message and why in message, message
    # The descriptor that the shell makes of <(echo …).
    done = subprocess.run(
        ["bash", "-c", '"$0" --listen 127.0.0.1:0 --data "$1" --token-file <(echo alpha admin)',
         server, str(fresh())], capture_output=True, text=True, timeout=20)
    assert done.returncode == 78 and "is a pipe" in done.stderr, done.stderr


def starting():
    """While the log is read, probes are told so, and SIGHUP is not forgotten. The disk is slow here."""
    if not shutil.which("strace"): raise Skip("there is no strace")
    one = Server("--listen", "127.0.0.1:0")
    assert one.post("/v1/sessions", {"id": "kept"})[0] == 201
    one.end()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    tokens = work / "starting-tokens"
    tokens.write_text("old admin\n")
    slow = subprocess.Popen(
        ["strace", "-f", "-o", "/dev/null", "-e", "trace=pread64",
         "-e", "inject=pread64:delay_enter=700000", server, "--data", str(one.data),
         "--listen", f"127.0.0.1:{port}", "--token-file", str(tokens)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    processes.append(slow)

    def server_id():
        children = pathlib.Path(f"/proc/{slow.pid}/task/{slow.pid}/children").read_text().split()
        return int(children[0])

    def ask(path, token="old"):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            link.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            answer = link.getresponse()
            return answer.status, answer.getheader("Retry-After"), answer.read()
        except (ConnectionError, http.client.BadStatusLine):
            return None, None, b""
        finally:
            link.close()

    def expect():
        """Who waits for 100 Continue is told 503 instead; HEAD has no content."""
        for method, ends in ((b"POST", b"}"), (b"HEAD", b"\r\n\r\n")):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
                link.sendall(method + b" /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
                             b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                answer = link.recv(4096)
                assert answer.startswith(b"HTTP/1.1 503") and answer.endswith(ends), answer

    seen = []

    def is_ready():
        answer = ask("/readyz")
        if answer[0] == 503 and not any(status == 503 for status, _, _ in seen):
            assert ask("/livez")[0] == 200
            assert ask("/v1/sessions/kept")[0] == 503
            expect()
            tokens.write_text("new admin\n")
            os.kill(server_id(), signal.SIGHUP)
        if answer[0]:
            seen.append(answer)
        return answer[0] == 200

    until(is_ready, "the store is open")
    assert seen[0][0] == 503 and seen[0][1] == "1" and b"starting" in seen[0][2], seen[0]
    until(lambda: ask("/v1/sessions/kept", "new")[0] == 200, "the tokens were read again")
    assert ask("/v1/sessions/kept", "old")[0] == 401
    os.kill(server_id(), signal.SIGTERM)
    assert slow.wait(30) == 0


def directory():
    """The data directory has one server, also without its lock file, and a server never outlives it."""
    one = Server("--listen", "127.0.0.1:0")
    (one.data / "LOCK").unlink()
    code, _, message = run("--listen", "127.0.0.1:0", "--data", str(one.data))
    assert code == 75 and "in use by another navstate" in message, message
    # The server may be making a file of its log in it.
    while one.data.exists(): shutil.rmtree(one.data, ignore_errors=True)
    try:
        status, _, text = one.post("/v1/sessions", {})
        assert status == 503 and "store-unavailable" in text, text
    except ConnectionError: pass  # A file that it made by itself has shown that already.
    assert one.process.wait(30) == 70
    assert "was removed or moved while the server was using it" in one.text() and "full" not in one.text()


def descriptors():
    """Too few of them for a single client are refused with a word."""
    for limit in (12, 14, 20):
        done = subprocess.run(
            [server, "--listen", "127.0.0.1:0", "--data", str(fresh())], capture_output=True, text=True, timeout=30,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        assert done.returncode == 73, done
        assert "open files" in done.stderr or "ulimit" in done.stderr, done.stderr


tests = (refusals, signals_and_log, draining, sockets, service_manager, unread_log, revoked,
         passed_socket, reloading_is_whole, odd_files, starting, directory, descriptors)
cases = Case()
for test in tests:
    cases.run(test.__name__.replace("_", " "), test)
    for process in processes:
        if process.poll() is None: process.kill()
        process.wait()
    processes.clear()
subprocess.run(["rm", "-rf", str(work)], check=True)
print(f"{cases.passed} passed, {cases.failed} failed, {cases.skipped} skipped")
sys.exit(1 if cases.failed else 0)
