"""Three NATS servers with a store, and several navstates in front of it.

    with Fleet(options) as fleet:
        fleet.nodes[0].url, fleet.nodes[1].kill(), fleet.servers.kill(fleet.leader())

Everything is on loopback with free ports, or, with `isApart`, each server and each navstate in a
network namespace of its own, from which it can be cut off. See `Net`. The servers ask for a
password, and allow the navstates what docs/cluster.md says that they need.
"""
import argparse
import fcntl
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import time

import natslog
from servers import Cluster

PREFIX = "NAV"
#: Another store on the same servers, which only an operator may use.
OTHER_PREFIX = "BACK"
PASSWORD = "a-password-for-stores"


def configuration():
    """The settings of the first server, as docs/cluster.md shows them."""
    page = pathlib.Path(__file__).parents[2] / "docs/cluster.md"
    block = re.search(
        r"^ *```text\n( *server_name: nats-1\n.*?)^ *```", page.read_text(encoding="utf-8"),
        re.S | re.M)
    return textwrap.dedent(block[1])


def authorization():
    """The users of the page, of which the operator may use another store as well, and a reader."""
    users = re.search(r"^authorization \{\n.*?^\}\n", configuration(), re.S | re.M)[0]
    users = re.sub('"[A-Z]+-PASSWORD"', f'"{PASSWORD}"', users)
    node, operator = users.split("{ user: operator")
    operator = re.sub(r'"nav(\..*?)"', rf'"nav\1", "{OTHER_PREFIX.lower()}\1"', operator)
    reader = f'{{ user: {natslog.USER}, password: "{natslog.PASSWORD}" }}\n  '
    return f"{node}{reader}{{ user: operator{operator}"


class Node:
    """One navstate on the store. It keeps its port when it is started again."""

    def __init__(self, name, command, log, host="127.0.0.1", environment=None):
        self.name, self.command, self.log, self.host = name, command, log, host
        self.environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})}
        self.process, self.port, self.starts = None, 0, 0

    def start(self, seconds=60):
        """Starts it, and waits until it serves."""
        before = self.text
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.command, "--listen", f"{self.host}:{self.port}"],
                stdout=subprocess.DEVNULL, stderr=log, env=self.environment)
        self.starts += 1
        end = time.monotonic() + seconds
        while True:
            hasEnded = self.process.poll() is not None
            said = self.text[len(before):]
            found = re.search(r'"address":"http://[^"]*?:(\d+)"', said)
            if found and "ready" in said:
                self.port = int(found.group(1))
                return self
            assert not hasEnded, f"{self.name} ended with {self.process.returncode}: {said[-2000:]}"
            assert time.monotonic() < end, f"{self.name} is not ready: {said[-2000:]}"
            time.sleep(0.02)

    @property
    def text(self):
        """Its output so far."""
        try:
            return pathlib.Path(self.log).read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    @property
    def url(self):
        return f"http://{self.host}:{self.port}"

    @property
    def isRunning(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()

    def end(self, seconds=30):
        """Asks it to end; its exit code."""
        self.signal(signal.SIGTERM)
        return self.process.wait(seconds)


class Fleet:
    """Servers, a store and navstates, all of which end with it."""

    def __init__(self, nats, server, count=3, shards=16, isLazy=False, isApart=False, options=(),
                 mounts=None, isAdvertised=True, settings="", hasWires=False, environment=None):
        self.executable, self.options, self.shards = server, list(options), shards
        self.environment = environment
        self.room = tempfile.TemporaryDirectory(prefix="navstate-fleet-")
        self.directory = self.room.name
        self.net = Net(3, count) if isApart else None
        self.mounts = [Disk(self.directory, index, mounts) for index in range(3)] if mounts else []
        try:
            self.servers = Cluster(
                nats, self.directory, lazy=isLazy, settings=f"{settings}\n{authorization()}",
                isAdvertised=isAdvertised and not hasWires,
                hosts=self.net and [peer.address for peer in self.net.servers],
                launchers=self.net and [peer.launcher for peer in self.net.servers])
        except BaseException:
            self.leave()
            raise
        self.wires = [Wire(address) for address in self.servers.addresses] if hasWires else []
        self.nodes = [self.node(index) for index in range(count)]

    def node(self, index):
        peer = self.net.nodes[index] if self.net else None
        words = peer.launcher if peer else []
        apart = ["--allow-anonymous"] if peer else []
        return Node(
            f"node{index}", [*words, self.executable, "--store", self.url, *apart, *self.options],
            os.path.join(self.directory, f"node{index}.log"),
            peer.address if peer else "127.0.0.1", self.environment)

    @property
    def url(self):
        """The value of `--store` for a node."""
        return self.store("node", PREFIX)

    def store(self, user, prefix):
        """The value of `--store`."""
        places = self.servers.addresses
        if self.wires:
            places = [("127.0.0.1", wire.port) for wire in self.wires]
        hosts = ",".join(f"{host}:{port}" for host, port in places)
        return f"nats://{user}:{PASSWORD}@{hosts}/{prefix}"

    def init(self):
        """Makes the store."""
        return self.type(
            f"navstate store init --store {self.store('operator', PREFIX)} "
            f"--shards {self.shards} --replicas 3")

    def type(self, line, code=0):
        """The output of a line of a shell, in which `navstate` is the executable; it must end with
        a
        code."""
        token = (self.environment or {}).get("NAVSTATE_TOKEN", "")
        done = subprocess.run(
            ["bash", "-c", f'navstate() {{ {os.path.abspath(self.executable)} "$@"; }}\n{line}'],
            env={**os.environ, "TOKEN": token, "SWIFT_BACKTRACE": "enable=no"},
            capture_output=True, text=True, timeout=120, check=False)
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{line}: {done.returncode} {said}"
        return said

    def __enter__(self):
        try:
            self.servers.start_all()
            self.init()
            for node in self.nodes:
                node.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            if node.isRunning:
                node.signal(signal.SIGCONT)
                node.kill()
        for wire in self.wires:
            wire.end()
        self.servers.stop_all()
        keep = os.environ.get("FLEET_LOGS")
        if keep:
            os.makedirs(keep, exist_ok=True)
            for file in pathlib.Path(self.directory).glob("*.log"):
                shutil.copy(file, keep)
        self.leave()

    def leave(self):
        for disk in self.mounts:
            disk.leave()
        if self.net:
            self.net.leave()
        self.room.cleanup()

    # MARK: The servers

    def states(self):
        """See `natslog.stream_states`."""
        return natslog.stream_states(self.servers.addresses, PREFIX)

    def leader(self):
        """The number of the server that leads most streams."""
        led = [state["leader"] for state in self.states().values()]
        return max(range(3), key=lambda index: led.count(f"n{index}"))

    def follower(self):
        """The number of the server that leads fewest streams."""
        led = [state["leader"] for state in self.states().values()]
        return min(range(3), key=lambda index: led.count(f"n{index}"))

    def settle(self, seconds=90, isQuiet=False):
        """Waits until every stream has a leader, and all of its replicas are current: if nothing
        writes any more, so that they have every message."""
        end, seen, waiting = time.monotonic() + seconds, None, None
        while waiting is None or waiting:
            assert time.monotonic() < end, f"the streams did not settle: {seen}"
            try:
                seen = self.states()
            except (natslog.NATSError, OSError) as error:
                seen = error
                time.sleep(0.2)
                continue
            # While clients write, replicas are always a little behind: each stream has to be
            # current once.
            late = {name for name, state in seen.items() if not state["leader"]
                    or not state["isCurrent"] or isQuiet and state["lag"]}
            if len(seen) <= self.shards:
                late.add("streams that are missing")
            waiting = late if isQuiet or waiting is None else waiting & late
            if waiting:
                time.sleep(0.1)
        return seen

    def log(self):
        """Everything that the streams have."""
        return natslog.Log.read(self.servers.addresses, PREFIX)


class Wire:
    """A proxy in front of a server that does harm to what passes. See `wire.py`."""

    def __init__(self, target):
        script = pathlib.Path(__file__).parent / "wire.py"
        self.process = subprocess.Popen(
            [sys.executable, str(script), f"{target[0]}:{target[1]}"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())

    def tell(self, *words):
        """Gives it an order; its answer."""
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Disk:
    """A file system of its own for a server's streams: ext4 in a file."""

    SHUTDOWN = 0x8004587D
    WITHOUT_FLUSHING_THE_LOG = struct.pack("I", 2)

    def __init__(self, directory, index, size):
        self.path = os.path.join(directory, f"n{index}")
        self.image = os.path.join(directory, f"n{index}.img")
        os.makedirs(self.path)
        with open(self.image, "wb") as file:
            file.truncate(size)
        subprocess.run(["mkfs.ext4", "-q", self.image], check=True)
        self.mount()

    def mount(self):
        subprocess.run(["mount", "-o", "loop", self.image, self.path], check=True)

    def shut_down(self):
        """Unsynced data is lost, as when the power fails."""
        place = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.ioctl(place, self.SHUTDOWN, self.WITHOUT_FLUSHING_THE_LOG)
        finally:
            os.close(place)

    def again(self):
        """Mounts it again, as after a restart of the machine."""
        self.leave()
        self.mount()

    def fill(self):
        """Leaves no room."""
        room = os.statvfs(self.path)
        with open(os.path.join(self.path, "filler"), "wb", buffering=0) as file:
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - (4 << 20))
            try:
                while file.write(bytes(4096)):
                    pass
            except OSError:
                pass

    def empty(self):
        os.unlink(os.path.join(self.path, "filler"))

    def leave(self):
        for _ in range(50):
            if subprocess.run(
                    ["umount", self.path], capture_output=True, check=False).returncode == 0:
                return
            time.sleep(0.1)
        subprocess.run(["umount", "-l", self.path], check=False)


class Peer:
    """A network namespace with an address, which a process keeps alive."""

    def __init__(self, number):
        self.address, self.link = f"10.77.0.{number}", f"p{number}"
        self.keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self.launcher = ["nsenter", "--target", str(self.keeper.pid), "--net"]
        end = time.monotonic() + 10
        while os.readlink(f"/proc/{self.keeper.pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            assert time.monotonic() < end, "no namespace was made"
            time.sleep(0.01)
        call("ip", "link", "add", self.link, "type", "veth", "peer", "name", "e0", "netns",
             str(self.keeper.pid))
        call("ip", "link", "set", self.link, "master", "hub", "up")
        self.call("ip", "addr", "add", f"{self.address}/24", "dev", "e0")
        self.call("ip", "link", "set", "e0", "up")
        self.call("ip", "link", "set", "lo", "up")

    def call(self, *words):
        call(*self.launcher, *words)

    def cut(self, *others):
        """Drops every packet from and to these, or from and to everybody."""
        for peer in others or [None]:
            source = ["-s", peer.address] if peer else ["!", "-i", "lo"]
            target = ["-d", peer.address] if peer else ["!", "-o", "lo"]
            self.call("iptables", "-w", "-A", "INPUT", *source, "-j", "DROP")
            self.call("iptables", "-w", "-A", "OUTPUT", *target, "-j", "DROP")

    def heal(self):
        self.call("iptables", "-w", "-F")

    def leave(self):
        # The kernel removes the links of a namespace some time after its last process has ended.
        call("ip", "link", "delete", self.link)
        self.keeper.kill()
        self.keeper.wait()


class Net:
    """A network of servers and navstates: a bridge with an address for the test itself.

    The test must be in a network namespace of its own already; see `enter_namespaces`.
    """

    def __init__(self, servers, nodes):
        call("ip", "link", "add", "hub", "type", "bridge")
        call("ip", "addr", "add", "10.77.0.1/24", "dev", "hub")
        call("ip", "link", "set", "hub", "up")
        self.servers = [Peer(10 + index) for index in range(servers)]
        self.nodes = [Peer(20 + index) for index in range(nodes)]

    def leave(self):
        for peer in self.servers + self.nodes:
            peer.leave()
        call("ip", "link", "delete", "hub")


def call(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stdout}{done.stderr}"


def is_root():
    return os.geteuid() == 0


def enter_namespaces():
    """Starts this script again in namespaces of its own for network and mounts, of which nothing
    is left when it ends."""
    if os.environ.get("FLEET_IN_NAMESPACES") or not is_root():
        return
    os.environ["FLEET_IN_NAMESPACES"] = "1"
    os.execvp("unshare", [
        "unshare", "--net", "--mount", "--", "sh", "-c",
        'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv])


def main():
    """Runs commands with a fleet: {url} is a proxy that sends each request to the next node."""
    parser = argparse.ArgumentParser(
        description="Starts servers, a store, navstates and a proxy that sends each request to "
        "the next of them, and runs a command, in which {url} is the URL of the proxy.")
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--nats", default="nats-server")
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--option", action="append", default=[], help="for every navstate")
    parser.add_argument(
        "--pause", default="0", metavar="SECONDS", help="how long the proxy keeps each request")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    with Fleet(options.nats, options.server, options.count, options=options.option) as fleet:
        fleet.settle()
        script = pathlib.Path(__file__).parent / "rotate.py"
        proxy = subprocess.Popen(
            [sys.executable, str(script), "--pause", options.pause,
             *(node.url for node in fleet.nodes)],
            stdout=subprocess.PIPE, text=True)
        try:
            url = proxy.stdout.readline().strip()
            words = [word.replace("{url}", url) for word in options.command]
            code = subprocess.run(words, check=False).returncode
        finally:
            proxy.kill()
            proxy.wait()
    sys.exit(code)


if __name__ == "__main__":
    main()
