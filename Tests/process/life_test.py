"""The server as a process: how it starts, is told things by signals, and ends.

Talks to 127.0.0.1 and to Unix sockets in a directory of its own."""

import argparse
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
server = str(pathlib.Path(parser.parse_args().server).resolve())
work = pathlib.Path(tempfile.mkdtemp(prefix="navstate-life-"))
count = 0


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
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **(environment or {})},
            preexec_fn=before,
            **more,
        )
        self.banner = ""
        for line in self.process.stdout:
            self.banner += line
            if "stop " in line:
                break

    @property
    def port(self):
        return int(self.banner.split("http://127.0.0.1:")[1].split("/")[0])

    def get(self, path, fields={}, method="GET", body=None):
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        link.request(method, path, body=body, headers=fields)
        answer = link.getresponse()
        text = answer.read().decode()
        link.close()
        return answer.status, dict(answer.getheaders()), text

    def post(self, path, value, fields={}):
        return self.get(
            path, {"Content-Type": "application/json", **fields}, "POST", json.dumps(value)
        )

    def end(self, number=signal.SIGTERM, expect=0):
        self.process.send_signal(number)
        assert self.process.wait(20) == expect, self.process.returncode
        return self.lines()

    def lines(self):
        self.log.seek(0)
        return [json.loads(line) for line in self.log.read().splitlines()]


def run(*words, environment=None, text=None):
    done = subprocess.run(
        [server, *words],
        capture_output=True,
        text=True,
        input=text,
        env={**os.environ, **(environment or {})},
        timeout=20,
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
        began = time.monotonic()
        code, _, message = run("healthcheck", "--listen", f"unix:{path}")
        assert code == 1 and "does not respond" in message, message
        assert time.monotonic() - began < 10
    one = Server("--listen", "127.0.0.1:0")
    assert run("--listen", "127.0.0.1:0", "--data", str(one.data))[0] == 75
    assert run("healthcheck", "--listen", f"127.0.0.1:{one.port}")[0] == 0
    one.end()
    assert run("--listen", "127.0.0.1:0", "--data", "/proc/nowhere")[0] == 73
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
        "--config", str(config), "--drain", "400ms", "--log-format", "json",
    )
    alpha, beta = ({"Authorization": f"Bearer {name}"} for name in ("alpha", "beta"))
    assert one.get("/v1/apps/one", alpha)[0] == 200
    assert one.get("/v1/apps/two", beta)[0] == 401
    (apps / "two.json").write_text(json.dumps(app))
    tokens.write_text("beta admin\n")
    one.process.send_signal(signal.SIGHUP)
    deadline = time.monotonic() + 5
    while one.get("/v1/apps/two", beta)[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert one.get("/v1/apps/one", alpha)[0] == 401
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    got = one.get("/v1/sessions", {**beta, "traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    assert got[1]["X-Request-Id"] == trace
    assert one.get("/v1/sessions", {**beta, "X-Request-Id": "my-id"})[1]["X-Request-Id"] == "my-id"
    assert one.get("/readyz?verbose")[2].endswith("readyz check passed\n")

    waiting = socket.create_connection(("127.0.0.1", one.port))
    waiting.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer beta\r\n"
                    b"Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"id\"")
    stream = socket.create_connection(("127.0.0.1", one.port))
    stream.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer beta\r\n\r\n")
    assert b"text/event-stream" in stream.recv(65536)
    one.process.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + 0.3
    while one.get("/readyz")[0] != 503:
        assert time.monotonic() < deadline
    assert one.get("/livez")[0] == 200
    assert one.get("/v1/sessions", beta)[0] == 200, "it serves on while it drains"
    time.sleep(0.5)
    try:
        socket.create_connection(("127.0.0.1", one.port)).close()
        raise AssertionError("it should not listen any more")
    except ConnectionRefusedError:
        pass
    waiting.sendall(b":\"late\"}")
    assert b" 201 Created" in waiting.recv(65536), "an open request is finished"
    rest = b""
    while True:
        piece = stream.recv(65536)
        if not piece:
            break
        rest += piece
    assert b"retry: " in rest and rest.endswith(b"0\r\n\r\n"), rest
    assert one.process.wait(10) == 0
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


def second_signal():
    one = Server("--listen", "127.0.0.1:0", "--drain", "60s")
    assert one.post("/v1/sessions", {"id": "a"})[0] == 201
    one.process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    begun = time.monotonic()
    one.end()
    assert time.monotonic() - begun < 2
    assert "sessions  1" in run("check", "--data", str(one.data))[1]


def sockets():
    path = work / "s.sock"
    one = Server("--listen", f"127.0.0.1:0,unix:{path}", "--metrics-listen", "127.0.0.1:0")
    assert run("healthcheck", "--listen", f"unix:{path}")[0] == 0
    assert one.get("/metrics")[0] == 404
    metrics = int(one.banner.split("metrics   http://127.0.0.1:")[1].split("/")[0])
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
    two.end()


def service_manager():
    name = "\0navstate-life-%d" % os.getpid()
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(name)
    manager.settimeout(5)
    door = socket.create_server(("127.0.0.1", 0))
    port = door.getsockname()[1]

    def inherit():
        os.dup2(door.fileno(), 3)
        os.environ["LISTEN_PID"] = str(os.getpid())

    # The child cannot know its own id before it exists: a shell puts it into the environment.
    one = subprocess.Popen(
        ["sh", "-c", 'LISTEN_PID=$$ exec "$0" "$@"', server, "--data", str(fresh())],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(3,),
        preexec_fn=lambda: os.dup2(door.fileno(), 3),
        env={**os.environ, "LISTEN_FDS": "1", "NOTIFY_SOCKET": "@" + name[1:]},
    )
    assert b"READY=1" in manager.recv(4096)
    door.close()
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    link.request("GET", "/readyz")
    assert link.getresponse().status == 200
    link.close()
    one.send_signal(signal.SIGHUP)
    assert manager.recv(4096).startswith(b"RELOADING=1\nMONOTONIC_USEC=")
    assert manager.recv(4096) == b"READY=1"
    one.send_signal(signal.SIGTERM)
    assert manager.recv(4096) == b"STOPPING=1"
    assert one.wait(10) == 0


def unread_log():
    """A log that nobody reads delays nobody."""
    one = subprocess.Popen(
        [server, "--data", str(fresh()), "--listen", "127.0.0.1:0", "--log-level", "info"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )
    line = ""
    while "sessions " not in line:
        line = one.stdout.readline()
    link = http.client.HTTPConnection("127.0.0.1", int(line.split(":")[2].split("/")[0]), timeout=5)
    begun = time.monotonic()
    for _ in range(3000):
        link.request("GET", "/v1/sessions")
        assert link.getresponse().read()
    assert time.monotonic() - begun < 20
    link.close()
    one.send_signal(signal.SIGTERM)
    assert one.wait(10) == 0


def revoked():
    """A token that is taken back is told nothing more, also by a stream that it began."""
    tokens = work / "revoked-tokens"
    tokens.write_text("keeper admin\nguest read\n")
    one = Server("--listen", "127.0.0.1:0", "--token-file", str(tokens))
    keeper = {"Authorization": "Bearer keeper"}
    assert one.post("/v1/sessions", {"id": "s"}, keeper)[0] == 201
    made = json.loads(one.post("/v1/sessions/s/tokens", {"scope": "read"}, keeper)[2])

    def listen(token):
        stream = socket.create_connection(("127.0.0.1", one.port), timeout=5)
        stream.sendall(f"GET /v1/sessions/s/events HTTP/1.1\r\nHost: localhost\r\n"
                       f"Authorization: Bearer {token}\r\n\r\n".encode())
        first = b""
        while b"event: snapshot" not in first:
            first += stream.recv(65536)
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
        assert b"seen-by-all" in stream.recv(65536)
    assert one.get(f"/v1/sessions/s/tokens/{made['id']}", keeper, "DELETE")[0] == 204
    push("not-by-the-display")
    assert rest(display) == b"0\r\n\r\n"
    assert b"not-by-the-display" in guest.recv(65536)
    tokens.write_text("keeper admin\n")
    one.process.send_signal(signal.SIGHUP)
    while one.get("/v1/sessions/s", {"Authorization": "Bearer guest"})[0] != 401:
        time.sleep(0.02)
    push("for-the-keeper")
    assert rest(guest) == b"0\r\n\r\n"
    own.settimeout(5)
    said = b""
    while b"for-the-keeper" not in said:
        said += own.recv(65536)
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
        deadline = time.monotonic() + 10
        while True:
            assert time.monotonic() < deadline
            lines = [line for line in one.lines() if line["message"].startswith("reload")]
            if len(lines) > said:
                said = len(lines)
                return lines[-1]["message"]
            assert one.get("/livez")[0] == 200, "the server answers meanwhile"
            time.sleep(0.02)

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
    # What the shell makes of <(echo …).
    done = subprocess.run(
        ["bash", "-c", '"$0" --listen 127.0.0.1:0 --data "$1" --token-file <(echo alpha admin)',
         server, str(fresh())], capture_output=True, text=True, timeout=20)
    assert done.returncode == 78 and "is a pipe" in done.stderr, done.stderr


def starting():
    """While the log is read probes find somebody who says so. The disk is slow here."""
    if not shutil.which("strace"):
        return print("starting: skipped, there is no strace")
    one = Server("--listen", "127.0.0.1:0")
    assert one.post("/v1/sessions", {"id": "kept"})[0] == 201
    one.end()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    slow = subprocess.Popen(
        ["strace", "-f", "-o", "/dev/null", "-e", "trace=pread64",
         "-e", "inject=pread64:delay_enter=700000", server, "--data", str(one.data),
         "--listen", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(path):
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            link.request("GET", path)
            answer = link.getresponse()
            return answer.status, answer.getheader("Retry-After"), answer.read()
        except (ConnectionError, http.client.BadStatusLine):
            return None, None, b""
        finally:
            link.close()

    def expect():
        """Who waits for 100 Continue is told 503 instead; HEAD has no content."""
        for method, ends in ((b"POST", b"}"), (b"HEAD", b"\r\n\r\n")):
            with socket.create_connection(("127.0.0.1", port), timeout=10) as link:
                link.sendall(method + b" /v1/sessions HTTP/1.1\r\nHost: localhost\r\n"
                             b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n")
                answer = link.recv(4096)
                assert answer.startswith(b"HTTP/1.1 503") and answer.endswith(ends), answer

    seen = []
    deadline = time.monotonic() + 20
    while not seen or seen[-1][0] != 200:
        assert time.monotonic() < deadline, seen
        answer = ask("/readyz")
        if answer[0] == 503 and not any(status == 503 for status, _, _ in seen):
            assert ask("/livez")[0] == 200
            assert ask("/v1/sessions/kept")[0] == 503
            expect()
        if answer[0]:
            seen.append(answer)
        time.sleep(0.05)
    assert seen[0][0] == 503 and seen[0][1] == "1" and b"starting" in seen[0][2], seen[0]
    assert ask("/v1/sessions/kept")[0] == 200
    children = pathlib.Path(f"/proc/{slow.pid}/task/{slow.pid}/children").read_text().split()
    os.kill(int(children[0]), signal.SIGTERM)
    assert slow.wait(20) == 0


tests = (refusals, signals_and_log, second_signal, sockets, service_manager, unread_log, revoked,
         reloading_is_whole, odd_files, starting)
for test in tests:
    begun = time.monotonic()
    test()
    print(f"{test.__name__}: well, {time.monotonic() - begun:.1f} s")
subprocess.run(["rm", "-rf", str(work)], check=True)
