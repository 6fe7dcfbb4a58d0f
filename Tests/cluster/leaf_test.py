#!/usr/bin/env python3
"""TLS between navstate and the NATS servers, by the files in Examples/cluster/tls.

    leaf_test.py [--server .build/release/navstate] [--nats nats-server]

Three servers that speak TLS, and a leaf node on loopback through which one navstate uses them. The
certificates are made by openssl for this run.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "process"))

import natslog
from fleet import Node
from harness import Case, until
from nodes_test import Caller
from servers import Cluster, free_ports

EXAMPLES = pathlib.Path(__file__).parents[2] / "Examples/cluster/tls"
# The servers' ports in the examples: for clients, monitoring, other servers and leaf nodes.
CLIENT, MONITOR, ROUTE, LEAF = 4222, 8222, 6222, 7422


class Authorities:
    """Certificates, each in a file NAME.pem with its key in NAME.key."""

    def __init__(self, directory):
        self.directory = directory

    def make(self, name, subject, *words):
        self.call(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "2", "-subj", f"/CN={subject}", "-keyout", f"{name}.key", "-out",
            f"{name}.pem", *words)

    def authority(self, name):
        self.make(name, name)

    def certificate(self, authority, name, subject):
        self.make(
            name, subject, "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-addext",
            "basicConstraints=critical,CA:false", "-addext", "subjectAltName=IP:127.0.0.1")

    def call(self, *words):
        done = subprocess.run(
            ["openssl", *words], cwd=self.directory, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


class Hub(Cluster):
    """Three servers with the settings of the example, in which only addresses and paths differ."""

    def __init__(self, binary, directory):
        self.leaves = free_ports(3)
        super().__init__(binary, directory)

    def write_settings(self, index, lazy):
        text = (EXAMPLES / "nats.conf").read_text()
        for port, ours in (
                (CLIENT, self.ports), (MONITOR, self.monitors), (ROUTE, self.routes),
                (LEAF, self.leaves)):
            for host in ("127.0.0.1", "0.0.0.0"):
                text = text.replace(f'"{host}:{port}"', f'"127.0.0.1:{ours[index]}"')
        text = here(text, ROUTE, self.routes).replace("/etc/nats", self.directory)
        text = text.replace("/var/lib/nats", self.store(index)).replace("$NATS_NAME", f"n{index}")
        pathlib.Path(f"{self.store(index)}.conf").write_text(text)

    def leaf_names(self, index):
        """The leaf nodes that are connected to a server."""
        url = f"http://127.0.0.1:{self.monitors[index]}/leafz"
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return [leaf["name"] for leaf in json.load(answer).get("leafs") or []]
        except OSError:
            return []

    def server_of(self, name):
        """The number of the server that a leaf node is connected to. None while it connects."""
        found = [index for index in range(3) if name in self.leaf_names(index)]
        return found[0] if found else None


class Leaf:
    """A leaf node with the settings of the example."""

    def __init__(self, hub, name, certificate="leaf", authority="ca"):
        self.name, self.port = name, free_ports(1)[0]
        self.log = pathlib.Path(hub.directory, f"{name}.log")
        text = (EXAMPLES / "leaf.conf").read_text()
        text = text.replace(f'listen: "127.0.0.1:{CLIENT}"', f'listen: "127.0.0.1:{self.port}"')
        text = here(text, LEAF, hub.leaves).replace("$NATS_NAME", name)
        text = text.replace("/etc/nats/leaf.", f"/etc/nats/{certificate}.")
        text = text.replace("/etc/nats/ca.", f"/etc/nats/{authority}.")
        settings = pathlib.Path(hub.directory, f"{name}.conf")
        settings.write_text(text.replace("/etc/nats", hub.directory))
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [hub.binary, "-c", str(settings)], stdout=log, stderr=log)

    @property
    def text(self):
        return self.log.read_text(encoding="utf-8")

    @property
    def store(self):
        return f"nats://127.0.0.1:{self.port}/NAV"

    def end(self):
        self.process.kill()
        self.process.wait()


def here(text, port, ours):
    """The servers' addresses on loopback, in place of those of the examples."""
    for index, other in enumerate(ours):
        name = f"nats-{index + 1}.example:{port}"
        assert name in text, name
        text = text.replace(name, f"127.0.0.1:{other}")
    return text


class Stories:
    """The conditions, in this order."""

    def __init__(self, hub, executable):
        self.hub, self.executable = hub, executable
        self.leaf = Leaf(hub, "leaf")
        self.node = Node(
            "node", [executable, "--store", self.leaf.store],
            os.path.join(hub.directory, "node.log"))
        self.caller = Caller(self.node)

    def end(self):
        if self.node.isRunning:
            self.node.kill()
        self.leaf.end()

    def call(self, *words):
        return subprocess.run(
            [self.executable, *words, "--store", self.leaf.store], capture_output=True, text=True,
            timeout=120, check=False)

    @property
    def is_intact(self):
        return self.call("store", "check").returncode == 0

    def run(self, *words):
        """The output of a verb, which must succeed."""
        done = self.call(*words)
        assert done.returncode == 0, f"{words}: {done.returncode} {done.stdout}{done.stderr}"
        return done.stdout

    def store_is_made(self):
        until(lambda: self.hub.server_of("leaf") is not None, "the leaf node's connection")
        self.run("store", "init", "--shards", "4")
        assert self.run("store", "status").count(" stream ") == 5
        monitors = [f"--monitor=http://127.0.0.1:{port}" for port in self.hub.monitors]
        assert "intact" in self.run("store", "check", *monitors)

    def streams_are_not_deleted(self):
        """Messages that the settings deny do not reach the servers. `leaf_comes_back` looks
        again."""
        with natslog.Client([("127.0.0.1", self.leaf.port)]) as client:
            for stream in ("NAV_000", "NAV_C"):
                client.send(client.publication(
                    f"$JS.API.STREAM.DELETE.{stream}", b"", f"{client.inbox}.1"))
            # An answer to what was sent later.
            client.send(client.publication(
                "$JS.API.STREAM.INFO.NAV_001", b"", f"{client.inbox}.2"))
            while (answer := client.message())[0] != "2":
                assert b'"success"' not in answer[2], answer
        assert self.run("store", "status").count(" stream ") == 5

    def changes_and_streams(self):
        self.node.start()
        self.caller.session(id="kiosk")
        stream = self.caller.follow("/v1/sessions/kiosk/events")
        stream.wait(1)
        for n in range(20):
            status, value, _ = self.caller.push("kiosk", n)
            assert status == 200, value
        stream.wait(21, 60)
        assert stream.revisions("kiosk") == list(range(1, 22)), stream.revisions("kiosk")
        stream.close()

    def a_server_is_killed(self):
        """The one that the leaf node is connected to. Its streams choose new leaders meanwhile."""
        victim = self.hub.server_of("leaf")
        first = self.caller.revision("kiosk")
        stream = self.caller.follow("/v1/sessions/kiosk/events")
        stream.wait(1)
        self.hub.kill(victim)
        for n in range(20):
            self.change_at_last(n)
        until(lambda: self.hub.server_of("leaf") not in (None, victim), "another server")
        self.until_at(first + 20)
        stream.wait(21, 60)
        assert stream.revisions("kiosk") == list(range(first, first + 21))
        stream.close()
        self.hub.start(victim)

    def until_at(self, revision):
        """Each change has had one effect. While streams choose leaders, a read may get 503."""
        seen = []

        def is_there():
            status, value, _ = self.caller.ask("GET", "/v1/sessions/kiosk")
            seen.append(value.get("revision"))
            return status == 200
        until(is_there, "a read after the failure")
        assert seen[-1] == revision, f"revision {seen[-1]}, not {revision}"

    def change_at_last(self, n):
        """A change, which is repeated with its key while the outcome is not known."""
        answers = []

        def is_done():
            answers.append(self.caller.push("kiosk", n, {"Idempotency-Key": f'"after-{n}"'}))
            assert answers[-1][0] in (200, 503), answers[-1]
            return answers[-1][0] == 200
        until(is_done, "a change after the failure")

    def leaf_comes_back(self):
        """navstate waits for the leaf node, too."""
        first = self.caller.revision("kiosk")
        self.leaf.end()
        settings = self.leaf.log.with_suffix(".conf")
        with open(self.leaf.log, "ab") as log:
            self.leaf.process = subprocess.Popen(
                [self.hub.binary, "-c", str(settings)], stdout=log, stderr=log)
        self.change_at_last(100)
        self.until_at(first + 1)
        # The server that was killed has yet to get what it missed.
        until(lambda: self.is_intact, "an intact store")
        assert self.node.end() == 0, self.node.text[-500:]

    def strangers(self):
        for name, certificate, authority, reason in (
                ("other-certificate", "foreign", "ca", "connection closed"),
                ("other-authority", "leaf", "elsewhere", "signed by unknown authority"),
                ("other-subject", "stranger", "ca", "Authorization Violation")):
            self.is_refused(name, certificate, authority, reason)

    def is_refused(self, name, certificate, authority, reason):
        leaf = Leaf(self.hub, name, certificate, authority)
        try:
            until(lambda: reason in leaf.text, f"{name}: a refusal")
            assert self.hub.server_of(name) is None, f"{name} was let in"
            with natslog.Client([("127.0.0.1", leaf.port)]) as client:
                question = client.publication("$JS.API.STREAM.INFO.NAV_C", b"", client.inbox + ".1")
                client.send(question)
                _, status, _ = client.message()
                assert status.endswith(" 503"), f"{name} got an answer: {status}"
        finally:
            leaf.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--nats", default="nats-server")
    options = parser.parse_args()
    case = Case()
    with tempfile.TemporaryDirectory(prefix="navstate-leaf-") as directory:
        authorities = Authorities(directory)
        for name in ("ca", "elsewhere"):
            authorities.authority(name)
        authorities.certificate("ca", "server", "nats")
        authorities.certificate("ca", "leaf", "navstate")
        authorities.certificate("ca", "stranger", "stranger")
        authorities.certificate("elsewhere", "foreign", "navstate")
        hub, stories = Hub(options.nats, directory), None
        try:
            hub.start_all()
            stories = Stories(hub, str(pathlib.Path(options.server).resolve()))
            case.run("a store is made through a leaf node", stories.store_is_made)
            case.run("what is denied does not pass it", stories.streams_are_not_deleted)
            case.run("changes and streams pass it", stories.changes_and_streams)
            case.run("changes continue after a server is killed", stories.a_server_is_killed)
            case.run("changes continue after the leaf node is killed", stories.leaf_comes_back)
            case.run("other certificates are refused", stories.strangers)
        finally:
            if stories:
                stories.end()
            hub.stop_all()
    print(f"{case.passed} passed, {case.failed} failed")
    sys.exit(1 if case.failed else 0)


if __name__ == "__main__":
    main()
