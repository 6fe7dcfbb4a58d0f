#!/usr/bin/env python3
"""Counts the instructions of changes and reads: instructions.py SERVER [--nats NATS] [--write]

The server runs under callgrind, which counts the instructions of its event loop's thread. Unlike
times, these counts hardly depend on the machine and on what else it does. The program fails if a
count is more than 3 % above the one in `instructions.json`; `--write` replaces that file. Beside
other work a turn of the loop takes fewer requests and events, which only adds to a count, so one
that is too high is counted up to three times, and the least counts. The change of a session with an app has params of a schema, a guard that holds and an idempotency key;
that of a session with listeners has ten streams of its events. At the first visit to the console,
the server makes one script of its modules. With --nats, a change at a node of a shared store is
counted as well, beside one NATS server. It needs valgrind, and objcopy of binutils, since valgrind
does not know all of Swift's debug information.
"""

import argparse
import contextlib
import glob
import json
import os
import pathlib
import re
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

COUNTS = pathlib.Path(__file__).with_name("instructions.json")
CONNECTIONS = 64
SESSIONS = 16 * CONNECTIONS
TOLERANCE = 1.03


#: An app with a schema for the params and a guard over the screen.
APP = {
    "tabs": [{"id": "home", "routes": ["detail"]}, {"id": "more"}],
    "facts": {"signedIn": {"default": True, "schema": {"type": "boolean"}}},
    "guards": {"members": {"when": {"signedIn": True}}},
    "routes": {"detail": {"guard": "members", "routes": ["detail"], "params": {
        "required": ["id"], "additionalProperties": False,
        "properties": {"id": {"type": "integer"}, "from": {"type": "string"}}}}},
}
LISTENERS = 10


def request(method, path, body=None, key=None):
    content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
    fields = "Host: localhost\r\n"
    if key:
        fields += f"Idempotency-Key: {key}\r\n"
    if content:
        fields += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    elif method == "POST":
        fields += "Content-Length: 0\r\n"
    return f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode() + content


def answer(stream):
    """Reads one answer, which has a length."""
    status = stream.readline()
    length = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    content = stream.read(length)
    if not re.match(rb"HTTP/1.1 20[01] ", status):
        sys.exit(f"{status.decode()}{content.decode()}")


class Clients:
    """Connections that each have a request under way at the same time."""

    def __init__(self, port):
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(CONNECTIONS)]
        self.streams = [each.makefile("rb") for each in self.sockets]

    def run(self, requests):
        for first in range(0, len(requests), CONNECTIONS):
            pairs = list(zip(self.sockets, self.streams, requests[first:first + CONNECTIONS]))
            for connection, _, each in pairs:
                connection.sendall(each)
            for _, stream, _ in pairs:
                answer(stream)

    def listen(self):
        """Opens streams of the sessions that are changed, which are read by another thread."""
        selector = selectors.DefaultSelector()
        for number in range(CONNECTIONS * LISTENERS):
            stream = socket.create_connection(self.sockets[0].getpeername())
            stream.sendall(request(
                "GET", f"/v1/sessions/session-{number % CONNECTIONS}/events"))
            stream.recv(1 << 16)
            selector.register(stream, selectors.EVENT_READ)

        def drain():
            while True:
                for key, _ in selector.select():
                    if not key.fileobj.recv(1 << 18):
                        selector.unregister(key.fileobj)

        threading.Thread(target=drain, daemon=True).start()

    def close(self):
        for each in self.streams + self.sockets:
            each.close()


def navigate(number, params, kind="session", key=None):
    body = {"route": "detail", "params": {"id": params, "from": "a list of things"}}
    return request("POST", f"/v1/sessions/{kind}-{number}/navigate", body, key)


def changes(rounds, kind="session", sessions=SESSIONS, withKeys=False):
    """Each session gets a screen, and loses it again."""
    for _ in range(rounds):
        yield from (navigate(number, 6, kind, withKeys and str(uuid.uuid4()))
                    for number in range(sessions))
        yield from (request("POST", f"/v1/sessions/{kind}-{number}/back",
                            key=withKeys and str(uuid.uuid4()))
                    for number in range(sessions))


def reads():
    return [request("GET", f"/v1/sessions/session-{number}") for number in range(SESSIONS)]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A server on a directory; for a node, `store` is the address of the shared store."""

    def __init__(self, program, data, *before, store=None):
        self.port = free_port()
        self.log = open(data + ".log", "w+", encoding="utf-8")
        place = ["--store", store, "--replicas", "1"] if store else ["--data", data]
        self.process = subprocess.Popen(
            [*before, program, "--listen", f"127.0.0.1:{self.port}", *place],
            stderr=self.log, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        for _ in range(600):
            if '"ready"' in pathlib.Path(self.log.name).read_text(encoding="utf-8"):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        sys.exit(pathlib.Path(self.log.name).read_text(encoding="utf-8")[-500:])

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


def count(program, work, name, requests, kind="session", listens=False, store=None):
    """The instructions of the busiest thread for each of the requests but the first ones, which
    only warm the server up."""
    warm, counted = requests
    data = os.path.join(work, "data")
    shutil.rmtree(data, ignore_errors=True)
    if not store:
        shutil.copytree(os.path.join(work, kind), data)
    files = os.path.join(work, name.replace(" ", "-"))
    for file in glob.glob(glob.escape(files) + "*"):
        os.unlink(file)
    server = Server(program, data, "valgrind", "--tool=callgrind", "--instr-atstart=no",
                    "--separate-threads=yes", f"--callgrind-out-file={files}", store=store)
    try:
        clients = Clients(server.port)
        if listens:
            clients.listen()
        clients.run(warm)
        # The compaction of what was seeded takes part of the loop's time, and ends before that.
        time.sleep(2)
        for switch, requests in (("on", counted), ("off", [])):
            subprocess.run(["callgrind_control", "-i", switch, str(server.process.pid)],
                           check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            clients.run(requests)
        clients.close()
    finally:
        server.stop()
    threads = [
        sum(int(total) for total in re.findall(r"^totals: (\d+)", text, re.MULTILINE))
        for text in (pathlib.Path(file).read_text(errors="replace")
                     for file in glob.glob(glob.escape(files) + "*"))]
    if not threads or not max(threads):
        sys.exit("callgrind has counted nothing")
    return round(max(threads) / len(counted))


@contextlib.contextmanager
def shared_store(program, nats, work):
    """The address of an empty shared store on a NATS server of its own."""
    port = free_port()
    settings = pathlib.Path(work, "nats.conf")
    settings.write_text(
        f'listen: "127.0.0.1:{port}"\nserver_name: n0\nmax_payload: 2MB\n'
        f'jetstream {{ store_dir: "{work}/nats", sync_interval: always }}\n', encoding="utf-8")
    process = subprocess.Popen([nats, "-c", settings], stderr=subprocess.DEVNULL)
    try:
        address = f"nats://127.0.0.1:{port}/NAV"
        # It waits until the server can answer.
        subprocess.run([program, "store", "init", "--store", address, "--replicas", "1"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        yield address
    finally:
        process.terminate()
        process.wait()


def seed(program, data, kind, members, app=None, store=None):
    """A directory, or a shared store, with sessions that have paths of five entries."""
    server = Server(program, data, store=store)
    clients = Clients(server.port)
    if app:
        clients.run([request("PUT", "/v1/apps/app", app)])
    clients.run([request("POST", "/v1/sessions", {"id": f"{kind}-{number}", **members})
                 for number in range(SESSIONS)])
    for depth in range(5):
        clients.run([navigate(number, depth, kind) for number in range(SESSIONS)])
    clients.close()
    server.stop()


def main():
    known = json.loads(COUNTS.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server")
    parser.add_argument("--nats", help="a NATS server, for a change at a node")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="navstate-instructions-") as work:
        program = os.path.join(work, "navstate")
        subprocess.run(["objcopy", "--strip-debug", options.server, program], check=True)
        seed(program, os.path.join(work, "session"), "session", {"tabs": ["home", "more"]})
        seed(program, os.path.join(work, "bound"), "bound", {"app": "app"}, APP)
        few = {"sessions": CONNECTIONS}
        counts = {}

        def measure(name, *arguments, **more):
            limit = float("inf") if options.write else TOLERANCE * known.get(name, 0)
            found = [count(program, work, *arguments, **more)]
            while min(found) > limit and len(found) < 3:
                found.append(count(program, work, *arguments, **more))
            counts[name] = min(found)

        measure("change", "change", (list(changes(1)), list(changes(2))))
        measure("change of a session that is not decoded",
                "cold change", ([], list(changes(1))[:SESSIONS]))
        measure("read", "read", (reads(), 4 * reads()))
        measure("first visit to the console",
                "console", ([], [request("GET", "/console/start.js")]))
        measure("change of a session with an app",
                "app", (list(changes(1, "bound", withKeys=True)),
                        list(changes(2, "bound", withKeys=True))), "bound")
        measure("change of a session with listeners",
                "listeners", (list(changes(1, **few)), list(changes(16, **few))), listens=True)
        if options.nats:
            with shared_store(program, options.nats, work) as store:
                tabs = {"tabs": ["home", "more"]}
                seed(program, os.path.join(work, "node"), "session", tabs, store=store)
                measure("change at a node of a shared store",
                        "node", (list(changes(1)), list(changes(2))), store=store)
    if options.write:
        COUNTS.write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
        known = counts
    failed = 0
    for name, instructions in counts.items():
        isTooMuch = instructions > TOLERANCE * known.get(name, 0)
        failed += isTooMuch
        print(f"{'FAIL' if isTooMuch else 'ok'}    {name}: {instructions:,} instructions, "
              f"{instructions / known.get(name, instructions) - 1:+.1%}")
    print(f"{len(counts) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
