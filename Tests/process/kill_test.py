#!/usr/bin/env python3
"""Kills the server at random moments under writing clients, and looks for acknowledged changes
that are gone.

    kill_test.py [--server .build/release/navstate] [--rounds 30] [--seed N]

Each round starts the server on the same data directory, checks every session that any earlier
round has had an answer for, lets a few clients write for a random moment, and sends SIGKILL. A
session must be at the acknowledged revision, or at a later one that was asked for and whose
answer was lost; and its state must be that of its revision. Half of the clients push entries, the
others are held back by a guard, set facts and mark entries. This finds errors of logic. It proves
nothing about syncing, since the kernel keeps what a killed process has written.
"""
import argparse, http.client, json, os, pathlib, random, re, signal, subprocess, sys, tempfile
import threading, time

CLIENTS = 4


class Pushes:
    """Each change replaces the path by an entry that is named after the revision."""

    creation = {}

    @staticmethod
    def command(revision):
        return "navigate", {"route": f"r{revision}", "mode": "reset"}

    @staticmethod
    def expected(revision):
        return {"path": [(f"r{revision}", {}, None)] if revision > 1 else []}

    @staticmethod
    def seen(session):
        return {"path": path(session)}


class Login:
    """Four changes over and over: held back by a guard, resumed by a fact, a mark, the fact again."""

    app = {
        "facts": {"signedIn": {"default": False}},
        "guards": {"member": {
            "when": {"signedIn": True}, "instead": {"command": "present", "route": "login"}}},
        "routes": {
            "account": {"guard": "member", "mode": "reset", "params": {"type": "object"}},
            "item": {"mode": "reset", "params": {"type": "object"}},
            "login": {"presentation": "sheet"}},
        "tabs": [{"id": "main", "routes": ["account", "item"]}],
    }
    creation = {"app": "login"}

    @staticmethod
    def command(revision):
        return [
            ("navigate", {"route": "account", "params": {"n": revision}}),
            ("setFacts", {"facts": {"signedIn": True}}),
            ("navigate", {"route": "item", "params": {"n": revision}, "mark": f"m{revision}"}),
            ("setFacts", {"facts": {"signedIn": False}}),
        ][(revision - 2) % 4]

    @staticmethod
    def expected(revision):
        step = (revision - 2) % 4
        item = {2: revision, 3: revision - 1, 0: revision - 2}.get(step, 0)
        if step == 1:
            path = [("account", {"n": revision - 1}, None)]
        else:
            path = [("item", {"n": item}, f"m{item}")] if item > 1 else []
        is_held = step == 0 and revision > 1
        return {
            "path": path, "signedIn": step in (1, 2) and revision > 1,
            "sheets": ["login"] if is_held else [],
            "pending": {"n": revision} if is_held else None}

    @staticmethod
    def seen(session):
        pending = session.get("pending")
        return {
            "path": path(session), "signedIn": session["facts"]["signedIn"],
            "sheets": [sheet["route"] for sheet in session["sheets"]],
            "pending": pending and pending["command"]["params"]}


def path(session):
    return [(entry["route"], entry["params"], entry.get("mark")) for entry in session["tabs"][0]["path"]]


class Writer(threading.Thread):
    """Creates one session and changes it until the connection breaks."""

    def __init__(self, port, name, kind):
        super().__init__()
        self.port, self.name_of_session, self.kind = port, name, kind
        self.acknowledged = self.asked = 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            self.asked = 1
            self.call(connection, "/v1/sessions", {"id": self.name_of_session, **self.kind.creation})
            self.acknowledged = 1
            while True:
                self.asked += 1
                name, body = self.kind.command(self.asked)
                answer = self.call(connection, f"/v1/sessions/{self.name_of_session}/{name}", body)
                assert answer["session"]["revision"] == self.asked, answer
                self.acknowledged = self.asked
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()

    @staticmethod
    def call(connection, path, body):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        value = json.loads(answer.read())
        assert answer.status in (200, 201), value
        return value


class Server:
    def __init__(self, executable, data, apps):
        self.process = subprocess.Popen(
            [executable, "--listen", "127.0.0.1:0", "--data", data, "--apps", apps], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            found = re.search(r'"address":"http://127\.0\.0\.1:(\d+)"', line)
            if found:
                self.port = int(found.group(1))
                return
            print(line, end="")
        raise SystemExit(f"the server did not start: exit {self.process.wait()}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def check(port, expected):
    """Returns what is wrong, a line each."""
    wrong = []
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    for name, (kind, acknowledged, asked) in expected.items():
        connection.request("GET", f"/v1/sessions/{name}")
        answer = connection.getresponse()
        value = json.loads(answer.read())
        if answer.status == 404:
            if acknowledged: wrong.append(f"{name}: gone, was at {acknowledged}")
            continue
        revision = value["revision"]
        if not acknowledged <= revision <= asked:
            wrong.append(f"{name}: at {revision}, acknowledged {acknowledged}, asked {asked}")
        elif kind.seen(value) != kind.expected(revision):
            wrong.append(f"{name}: revision {revision} shows {kind.seen(value)}")
        else:
            expected[name] = (kind, revision, revision)
    connection.close()
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    chance = random.Random(options.seed)
    passed = failed = total = 0
    expected = {}
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as apps:
        (pathlib.Path(apps) / "login.json").write_text(json.dumps(Login.app))
        for number in range(options.rounds):
            server = Server(options.server, data, apps)
            wrong = check(server.port, expected)
            writers = [
                Writer(server.port, f"s{number}-{i}", Login if i % 2 else Pushes)
                for i in range(CLIENTS)]
            for writer in writers: writer.start()
            time.sleep(chance.uniform(0.005, 0.3))
            server.kill()
            for writer in writers:
                writer.join()
                expected[writer.name_of_session] = (
                    writer.kind, writer.acknowledged, writer.asked)
                total += writer.acknowledged
            for line in wrong: print(f"round {number}: {line}")
            if wrong: failed += 1
            else: passed += 1
        server = Server(options.server, data, apps)
        wrong = check(server.port, expected)
        for line in wrong: print(f"end: {line}")
        server.kill()
    if wrong: failed += 1
    print(f"{total} acknowledged changes over {options.rounds} kills")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not total else 0)


if __name__ == "__main__":
    main()
