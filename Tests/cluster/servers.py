#!/usr/bin/env python3
"""Starts a cluster of NATS servers with JetStream on loopback, runs a command, and ends the servers.

    servers.py [--count 3] [--kill-every SECONDS] [--lazy] NATS_SERVER COMMAND ...

The command finds the servers' addresses in NAVSTATE_TEST_STORE (nats://127.0.0.1:…,…), and those of
their monitoring pages in NAVSTATE_TEST_MONITORS (http://127.0.0.1:…,…). With --kill-every one
server after the other is killed with SIGKILL and started again, until the command ends;
--pause-every stops and continues them with SIGSTOP and SIGCONT instead. --lazy leaves out
`sync_interval: always`.
"""

import argparse
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request


#: Ports that were given. The kernel may give one again that is not in use yet.
GIVEN = set()


def free_ports(count):
    sockets, ports = [], []
    while len(ports) < count:
        sockets.append(socket.socket())
        sockets[-1].bind(("127.0.0.1", 0))
        port = sockets[-1].getsockname()[1]
        if port not in GIVEN:
            ports.append(port)
    GIVEN.update(ports)
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Servers that know each other, each with a directory of its own.

    `hosts` are their addresses, `launchers` the words before each server's command, such as those
    that enter a network namespace, and `settings` further lines of their configuration. `relay`
    makes the ports on the way to theirs: it gets ports, and returns others that lead to them.
    """

    def __init__(self, binary, directory, count=3, lazy=False, hosts=None, launchers=None,
                 settings="", isAdvertised=True, relay=lambda ports: ports):
        self.binary = binary
        self.directory = directory
        self.hosts = hosts or ["127.0.0.1"] * count
        self.launchers = launchers or [[]] * count
        self.settings = settings
        self.isAdvertised = isAdvertised
        self.ports = free_ports(count)
        self.routes = free_ports(count)
        self.monitors = free_ports(count)
        #: Where clients and the other servers find those ports.
        self.client_ports = relay(self.ports)
        self.route_ports = relay(self.routes)
        self.processes = [None] * count
        self.troubles = 0
        for index in range(count):
            self.write_settings(index, lazy)

    def store(self, index):
        """The directory of a server's streams."""
        return os.path.join(self.directory, f"n{index}")

    def write_settings(self, index, lazy):
        store, host = self.store(index), self.hosts[index]
        os.makedirs(store, exist_ok=True)
        routes = ", ".join(
            f'"nats://{other}:{port}"' for other, port in zip(self.hosts, self.route_ports))
        sync = "" if lazy else "sync_interval: always"
        advertise = "" if self.isAdvertised else "no_advertise: true, "
        cluster = "" if len(self.ports) == 1 else f"""
cluster {{
    name: test, {advertise}listen: "{host}:{self.routes[index]}"
    advertise: "{host}:{self.route_ports[index]}", routes: [{routes}]
}}"""
        with open(f"{store}.conf", "w", encoding="utf-8") as file:
            file.write(f"""
server_name: n{index}
listen: "{host}:{self.ports[index]}"
http: "{host}:{self.monitors[index]}"
max_payload: 2MB
jetstream {{ store_dir: "{store}", max_file: 8GB, {sync} }}{cluster}
{self.settings}
""")

    def start(self, index):
        with open(os.path.join(self.directory, f"n{index}.log"), "ab") as log:
            self.processes[index] = subprocess.Popen(
                [*self.launchers[index], self.binary, "-c",
                 os.path.join(self.directory, f"n{index}.conf")],
                stdout=log, stderr=log)

    def start_all(self):
        for index in range(len(self.ports)):
            self.start(index)
        deadline = time.monotonic() + 60
        while not self.has_leader():
            if time.monotonic() > deadline:
                raise SystemExit("the servers chose no leader:\n" + self.logs())
            time.sleep(0.1)

    def has_leader(self):
        """Whether every server answers, and knows who leads."""
        for host, port in zip(self.hosts, self.monitors):
            try:
                with urllib.request.urlopen(f"http://{host}:{port}/jsz", timeout=2) as answer:
                    state = json.load(answer)
            except OSError:
                return False
            if len(self.ports) > 1 and not state.get("meta_cluster", {}).get("leader"):
                return False
        return True

    def signal(self, index, number):
        self.processes[index].send_signal(number)

    def kill(self, index):
        self.processes[index].kill()
        self.processes[index].wait()

    def end(self, index):
        """Asks a server to end, and waits for it."""
        self.signal(index, signal.SIGTERM)
        self.processes[index].wait(60)

    def stop_all(self):
        for process in self.processes:
            if process and process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
                process.wait()

    @property
    def url(self):
        return "nats://" + ",".join(f"{host}:{port}" for host, port in self.addresses)

    @property
    def addresses(self):
        return list(zip(self.hosts, self.client_ports))

    def logs(self):
        text = ""
        for index in range(len(self.ports)):
            with open(os.path.join(self.directory, f"n{index}.log"), encoding="utf-8") as file:
                text += file.read()[-2000:]
        return text


def trouble(cluster, arguments, over):
    """Kills or pauses one server after the other until the command is over."""
    dice = random.Random(arguments.seed)
    every = arguments.kill_every or arguments.pause_every
    while not over.wait(every * dice.uniform(0.5, 1.5)):
        index = dice.randrange(len(cluster.ports))
        if arguments.kill_every:
            cluster.kill(index)
            over.wait(dice.uniform(0.2, 3))
            cluster.start(index)
        else:
            cluster.signal(index, signal.SIGSTOP)
            over.wait(dice.uniform(1, 8))
            cluster.signal(index, signal.SIGCONT)
        cluster.troubles += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--kill-every", type=float)
    parser.add_argument("--pause-every", type=float)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--lazy", action="store_true")
    parser.add_argument("binary")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", file=sys.stderr)
    with tempfile.TemporaryDirectory() as directory:
        cluster = Cluster(arguments.binary, directory, arguments.count, arguments.lazy)
        over = threading.Event()
        troubles = threading.Thread(target=trouble, args=(cluster, arguments, over), daemon=True)
        try:
            cluster.start_all()
            if arguments.kill_every or arguments.pause_every:
                troubles.start()
            monitors = ",".join(f"http://127.0.0.1:{port}" for port in cluster.monitors)
            environment = dict(
                os.environ, NAVSTATE_TEST_STORE=cluster.url, NAVSTATE_TEST_MONITORS=monitors)
            result = subprocess.run(arguments.command, env=environment, check=False).returncode
            if arguments.kill_every or arguments.pause_every:
                print(f"{cluster.troubles} times a server was killed or paused", file=sys.stderr)
                if cluster.troubles == 0:
                    result = result or "The command ended before any server was killed or paused."
        finally:
            over.set()
            # It may be about to start a server again.
            if troubles.is_alive():
                troubles.join()
            cluster.stop_all()
    sys.exit(result)


if __name__ == "__main__":
    main()
