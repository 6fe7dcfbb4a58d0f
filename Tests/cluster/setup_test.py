#!/usr/bin/env python3
"""Sets up three servers, a store and two nodes as docs/cluster.md says, on other addresses.

    setup_test.py [--server .build/release/navstate] [--nats nats-server]
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

from fleet import Node, configuration
from servers import free_ports

PAGE = pathlib.Path(__file__).parents[2] / "docs/cluster.md"


def commands():
    """The shell blocks of the first two sections."""
    text = PAGE.read_text(encoding="utf-8").partition("### With Docker compose")[0]
    return re.findall(r"^ *```sh\n(.*?)^ *```", text, re.S | re.M)


class Servers:
    """The servers of the page, and where its addresses are here."""

    def __init__(self, nats, room):
        self.ports = {(host, port): free for host in (1, 2, 3)
                      for port, free in zip((4222, 6222, 8222), free_ports(3))}
        self.processes = []
        for host in (1, 2, 3):
            # The differences on the page.
            text = re.sub(r"(server_name: nats-|(?:listen|http): \"10\.0\.0\.)1", rf"\g<1>{host}",
                          configuration())
            path = room / f"nats-{host}.conf"
            path.write_text(self.here(text).replace("/var/lib/nats", str(room / f"data-{host}")))
            with open(room / f"nats-{host}.log", "wb") as log:
                self.processes.append(subprocess.Popen([nats, "-c", path], stderr=log))

    def here(self, text):
        """A text of the page with the addresses here."""
        return re.sub(
            r"10\.0\.0\.(\d):(\d+)",
            lambda found: f"127.0.0.1:{self.ports[int(found[1]), int(found[2])]}", text)

    def end(self):
        for process in self.processes:
            process.kill()
            process.wait()


def type_in(server, line):
    done = subprocess.run(
        ["bash", "-ec", f'navstate() {{ {server} "$@"; }}\n{line}'],
        capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def node(options, servers, room, name):
    store = servers.here(
        "nats://node:NODE-PASSWORD@10.0.0.1:4222,10.0.0.2:4222,10.0.0.3:4222/NAV")
    return Node(name, [options.server, "--store", store], room / f"{name}.log").start()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--nats", default="nats-server")
    options = parser.parse_args()
    options.server = os.path.abspath(options.server)
    nodes = []
    with tempfile.TemporaryDirectory(prefix="navstate-setup-") as room:
        room = pathlib.Path(room)
        servers = Servers(options.nats, room)
        try:
            init, check = map(servers.here, commands()[:2])
            end = time.monotonic() + 60
            while (said := type_in(options.server, init))[0] != 0:
                assert time.monotonic() < end, f"{init}{said[1]}"
                time.sleep(0.5)
            print(said[1].strip())
            access = init.splitlines()[0]
            code, said = type_in(options.server, f"{access}\n{check}")
            assert code == 0, f"{check}{said}"
            print(said.strip().splitlines()[-1])
            nodes = [node(options, servers, room, name) for name in ("one", "two")]
            body = json.dumps({"id": "lobby"}).encode()
            request = urllib.request.Request(
                f"{nodes[0].url}/v1/sessions", body, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=20) as answer:
                assert answer.status == 201
            with urllib.request.urlopen(f"{nodes[1].url}/v1/sessions/lobby", timeout=20) as answer:
                assert json.load(answer)["revision"] == 1
            # The user of the nodes may not do what only the operator needs.
            other = nodes[0].command[2].replace("/NAV", "/OTHER")
            code, said = type_in(options.server, f"navstate store init --store {other}")
            assert code == 78 and "CREATE" in said, (code, said)
        finally:
            for one in nodes:
                one.kill()
            servers.end()
    print("passed")


if __name__ == "__main__":
    main()
