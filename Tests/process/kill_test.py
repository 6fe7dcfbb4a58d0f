#!/usr/bin/env python3
"""Kills the server at random moments under writing clients, and looks for acknowledged changes
that are gone.

    kill_test.py [--server .build/release/navstate] [--rounds 30] [--seed N]

Each round starts the server on the same data directory, checks every session that any earlier
round has had an answer for, lets a few clients write for a random moment, and sends SIGKILL. A
session must be at the acknowledged revision, or at a later one that was asked for and whose
answer was lost; and its path must be that of its revision. This finds errors of logic. It proves
nothing about syncing, since the kernel keeps what a killed process has written.
"""
import argparse, http.client, json, os, pathlib, random, re, signal, subprocess, sys, tempfile
import threading, time

CLIENTS = 4


class Writer(threading.Thread):
    """Creates one session and pushes entries until the connection breaks."""

    def __init__(self, port, name):
        super().__init__()
        self.port, self.name_of_session = port, name
        self.acknowledged = self.asked = 0

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            self.asked = 1
            self.call(connection, "/v1/sessions", {"id": self.name_of_session})
            self.acknowledged = 1
            while True:
                self.asked += 1
                answer = self.call(
                    connection, f"/v1/sessions/{self.name_of_session}/navigate",
                    {"route": f"r{self.asked}", "mode": "reset"})
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
    def __init__(self, executable, data):
        self.process = subprocess.Popen(
            [executable, "--listen", "127.0.0.1:0", "--data", data], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://127\.0\.0\.1:(\d+)/v1/sessions", line)
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
    for name, (acknowledged, asked) in expected.items():
        connection.request("GET", f"/v1/sessions/{name}")
        answer = connection.getresponse()
        value = json.loads(answer.read())
        if answer.status == 404:
            if acknowledged: wrong.append(f"{name}: gone, was at {acknowledged}")
            continue
        revision = value["revision"]
        path = [entry["route"] for entry in value["tabs"][0]["path"]]
        if not acknowledged <= revision <= asked:
            wrong.append(f"{name}: at {revision}, acknowledged {acknowledged}, asked {asked}")
        elif path != ([f"r{revision}"] if revision > 1 else []):
            wrong.append(f"{name}: revision {revision} shows {path}")
        else:
            expected[name] = (revision, revision)
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
    with tempfile.TemporaryDirectory() as data:
        for number in range(options.rounds):
            server = Server(options.server, data)
            wrong = check(server.port, expected)
            writers = [Writer(server.port, f"s{number}-{i}") for i in range(CLIENTS)]
            for writer in writers: writer.start()
            time.sleep(chance.uniform(0.005, 0.3))
            server.kill()
            for writer in writers:
                writer.join()
                expected[writer.name_of_session] = (writer.acknowledged, writer.asked)
                total += writer.acknowledged
            for line in wrong: print(f"round {number}: {line}")
            if wrong: failed += 1
            else: passed += 1
        server = Server(options.server, data)
        wrong = check(server.port, expected)
        for line in wrong: print(f"end: {line}")
        server.kill()
    if wrong: failed += 1
    print(f"{total} acknowledged changes over {options.rounds} kills")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not total else 0)


if __name__ == "__main__":
    main()
