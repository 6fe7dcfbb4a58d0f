"""The workload shared: navstates on three NATS servers, beside a client that only publishes.

The NATS servers sync each record before they acknowledge it, and each stream has three replicas,
all on this machine: three processes share its cores and its disk with everything else. So only the
ratios within one run say something.
"""

import concurrent.futures
import contextlib
import http.client
import json
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

from . import client, load, processes

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "Tests/cluster"))
from servers import Cluster, free_ports  # noqa: E402

SESSIONS = 1024  # changed in turn, as many as the publisher's subjects
MANY = 100_000
PUBLISHER, WITH_FEED, GATEWAY = "publisher", "publisher that reads", "HTTP gateway"
EMBEDDED = "embedded store"
BESIDE = 64
WRITERS = 16
FAR_MILLISECONDS = 10  # each way
FAR_CONNECTIONS = [1, 16, 64]
CHANGES_STOPPED_SECONDS = 30
NATS_MIN = (2, 15)


class Store:
    """Makes stores on NATS servers, and nodes for them."""

    def __init__(self, bench, cluster: Cluster):
        self.bench = bench
        self.cluster = cluster

    def create(self, name: str) -> None:
        subprocess.run(
            [str(self.bench.binary), "store", "init", "--store", f"{self.cluster.url}/{name}",
             "--shards", str(self.bench.shards)], check=True, stdout=subprocess.DEVNULL)

    def node(self, name: str, *options: str):
        """A navstate on a store."""
        port = processes.free_port()
        command = [str(self.bench.binary), "--listen", f"127.0.0.1:{port}", "--store",
                   f"{self.cluster.url}/{name}", *options]
        return processes.running("navstate", command, port, self.bench.log(), pinned=False)

    def cpu_seconds(self) -> float:
        return sum(time.clock_gettime((~process.pid << 3) | 2)
                   for process in self.cluster.processes)

    def resident_bytes(self) -> int:
        return sum(processes.resident_bytes(process.pid) for process in self.cluster.processes)

    def streams(self) -> dict[str, dict]:
        """The streams as the servers report them, by name."""
        found = {}
        for port in self.cluster.monitors:
            page = f"http://127.0.0.1:{port}/jsz?streams=1&config=1"
            with urllib.request.urlopen(page, timeout=10) as answer:
                accounts = json.load(answer).get("account_details", [])
            for stream in (s for account in accounts for s in account["stream_detail"]):
                if stream["cluster"].get("leader") == stream_server(self.cluster, port):
                    found[stream["name"]] = stream
        return found

    def record_bytes(self, name: str) -> float:
        """The mean size of a message in the streams of a store, as the servers count it."""
        states = [stream["state"] for title, stream in self.streams().items()
                  if title.startswith(f"{name}_0")]
        return sum(s["bytes"] for s in states) / max(1, sum(s["messages"] for s in states))


def stream_server(cluster, monitor: int) -> str:
    return f"n{cluster.monitors.index(monitor)}"


@contextlib.contextmanager
def nats_servers(bench, directory: pathlib.Path, milliseconds: int = 0):
    """Three NATS servers. With milliseconds, everything takes so long to and between them."""
    directory.mkdir()
    cores = processes.on_cores(processes.CORES_AT_START)
    with contextlib.ExitStack() as stack:
        def delayed(ports: list[int]) -> list[int]:
            found = free_ports(len(ports))
            ways = [f"{port}:{to}" for port, to in zip(found, ports)]
            process = subprocess.Popen([*cores, bench.tool("delay"), str(milliseconds), *ways])
            stack.callback(process.wait)
            stack.callback(process.kill)
            return found

        far = {"isAdvertised": False, "relay": delayed} if milliseconds else {}
        cluster = Cluster(bench.nats, str(directory), launchers=[cores] * 3, **far)
        stack.callback(cluster.stop_all)
        cluster.start_all()
        yield Store(bench, cluster)


def run(bench) -> None:
    if bench.nats is None:
        bench.report.note("shared: not measured, since there is no nats-server; see --nats")
        return
    version = subprocess.run([bench.nats, "--version"], capture_output=True, text=True).stdout
    numbers = re.search(r"v(\d+)\.(\d+)", version)
    if not numbers or tuple(map(int, numbers.groups())) < NATS_MIN:
        least = ".".join(map(str, NATS_MIN))
        bench.report.note(
            f"shared: not measured, since nats-server is older than {least}; see --nats")
        return
    with nats_servers(bench, bench.work / "nats") as store:
        changes(bench, store, "shared changes", bench.connections)
        for measure in (feed, reads, start, leader_dies):
            measure(bench, store)
    with nats_servers(bench, bench.work / "far", FAR_MILLISECONDS) as store:
        changes(bench, store, "shared far", FAR_CONNECTIONS)


# Changes

def changes(bench, store: Store, workload: str, counts: list[int]) -> None:
    with contextlib.ExitStack() as stack:
        for name in ("ONE", "TWO", "RAW"):
            store.create(name)
        one = stack.enter_context(store.node("ONE"))
        two = [stack.enter_context(store.node("TWO")) for _ in range(2)]
        embedded = stack.enter_context(bench.navstate(pinned=False))
        for server in (one, two[0], embedded):
            client.fill(server.port, range(SESSIONS))
        load.wrk(one.port, "durable", 16, 2, SESSIONS)  # so that the streams have changes
        size = payload_bytes(bench, store)
        bench.report.note(f"{workload}: the publisher's records have {size} bytes, so that the "
                          "streams store as many bytes for each as for a change of navstate")
        answer = client.answer_bytes(one.port, 0)
        bench.report.note(
            f"{workload}: the response to a GET has {answer} bytes, with the gateway too")
        links = store.cluster.client_ports
        for connections in counts:
            def published(ports: list[int], *feed: str) -> dict:
                return with_cpu(
                    store, [], lambda: publish(bench, ports, connections, size, *feed))

            def changed(nodes: list) -> dict:
                return with_cpu(store, nodes, lambda: durable(bench, nodes, connections))

            def changed_by_gateway() -> dict:
                with gateway(bench, store, size, answer) as server:
                    return changed([server])

            subjects = {
                PUBLISHER: lambda: published(links[:1]),
                WITH_FEED: lambda: published(links[:1], "feed"),
                GATEWAY: changed_by_gateway,
                "one node": lambda: changed([one]),
                EMBEDDED: lambda: changed([embedded]),
            }
            if connections > 1:
                subjects["publisher, two links"] = lambda: published(links[:2])
                subjects["two nodes"] = lambda: changed(two)
            samples: dict[str, list] = {name: [] for name in subjects}
            for _ in range(bench.rounds):
                for name, measure in subjects.items():
                    samples[name].append(measure())
            for name, found in samples.items():
                beside = {"one node": PUBLISHER, WITH_FEED: PUBLISHER, GATEWAY: PUBLISHER,
                          "two nodes": "publisher, two links", EMBEDDED: "one node"}.get(name)
                bench.report.add(workload, connections_words(connections), name,
                                 load.medians(found), beside)


def connections_words(count: int) -> str:
    return f"{count} connection" + ("s" if count != 1 else "")


def payload_bytes(bench, store: Store) -> int:
    """How large the publisher's records must be to take as much room as navstate's."""
    guess = 600
    publish(bench, store.cluster.client_ports[:1], 16, guess)
    return max(1, guess + round(store.record_bytes("ONE") - store.record_bytes("RAW")))


def publish(bench, ports: list[int], writers: int, size: int, *feed: str) -> dict:
    output = processes.output_of(
        [bench.tool("publish"), ",".join(map(str, ports)), str(writers), str(bench.seconds),
         str(SESSIONS), str(size), str(bench.shards), "raw", "RAW", *feed], bench.seconds)
    result = json.loads(output.splitlines()[-1])
    if feed and result["delivered"] < result["requests"] * 0.9:
        raise SystemExit(f"the publisher did not receive what it published: {result}")
    return result


@contextlib.contextmanager
def gateway(bench, store: Store, size: int, answer: int):
    """The gateway, for one round: while it runs, it receives what the publishers publish, too."""
    port = processes.free_port()
    command = [bench.tool("gateway"), str(port), str(store.cluster.client_ports[0]), str(answer),
               str(size), str(bench.shards), "raw", "RAW", "feed"]
    with processes.running(GATEWAY, command, port, bench.log(), pinned=False) as server:
        try:
            yield server
        finally:
            if server.process.poll() is not None:
                raise SystemExit(f"the gateway ended early:\n{server.log.read_text()[-2000:]}")


def durable(bench, nodes: list, connections: int) -> dict:
    """Changes at one or more nodes at once, each of sessions of its own."""
    count = len(nodes)
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        parts = list(pool.map(
            lambda index: load.wrk(
                nodes[index].port, "durable", connections // count, bench.seconds,
                SESSIONS // count, stride=count, first=index), range(count)))
    return {
        "requests": sum(part["requests"] for part in parts),
        "seconds": max(part["seconds"] for part in parts),
        "p50": statistics.mean(part["p50"] for part in parts),
        "p99": max(part["p99"] for part in parts),
        "failed": sum(part["failed"] for part in parts),
    }


def with_cpu(store: Store, nodes: list, measure) -> dict:
    before = store.cpu_seconds(), sum(node.cpu_seconds() for node in nodes)
    result = measure()
    count = max(1, result["requests"])
    servers = store.cpu_seconds() - before[0]
    ours = sum(node.cpu_seconds() for node in nodes) - before[1]
    figures = {
        "requests/s": result["requests"] / result["seconds"],
        "p50 µs": result["p50"],
        "p99 µs": result["p99"],
        "NATS CPU µs/change": servers * 1e6 / count,
        "requests": result["requests"],
        "failed": result["failed"],
    }
    return figures | ({"CPU µs/request": ours * 1e6 / count} if nodes else {})


# The feed

def feed(bench, store: Store) -> None:
    """How much later than the writer another node's subscribers know of a change."""
    store.create("FEED")
    with contextlib.ExitStack() as stack:
        nodes = [stack.enter_context(store.node("FEED")) for _ in range(2)]
        client.fill(nodes[0].port, range(SESSIONS + 1))
        watched = client.session_id(SESSIONS)
        seconds = bench.seconds * bench.rounds
        for writers in (0, BESIDE):
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                beside = writers and pool.submit(
                    load.wrk, nodes[0].port, "durable", writers, seconds + 2, SESSIONS)
                time.sleep(1 if writers else 0)
                lags = lags_of(nodes, watched, seconds)
                failed = beside.result()["failed"] if beside else 0
            words = f"beside {writers} writers" if writers else "nothing else is changed"
            cuts = statistics.quantiles(lags, n=100)
            bench.report.add("shared feed", words, "navstate", {
                "lag p50 ms": cuts[49] * 1e3, "lag p99 ms": cuts[98] * 1e3,
                "requests": len(lags), "failed": failed})


def lags_of(nodes: list, session: str, seconds: float) -> list[float]:
    """Seconds from the answer of one node to the event of the other, for changes one by one."""
    events: dict[int, float] = {}
    arrived = threading.Condition()
    stream = socket.create_connection(("127.0.0.1", nodes[1].port), timeout=30)
    target = f"/v1/sessions/{session}/events"
    stream.sendall(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())

    def follow() -> None:
        with stream.makefile("rb") as lines, contextlib.suppress(OSError, ValueError):
            for line in lines:
                if line.startswith(b'data: {"revision":'):
                    with arrived:
                        events[int(line[18:].split(b",")[0])] = time.monotonic()
                        arrived.notify()

    reader = threading.Thread(target=follow)
    reader.start()
    lags, end = [], time.monotonic() + seconds
    connection = http.client.HTTPConnection("127.0.0.1", nodes[0].port, timeout=30)
    try:
        with arrived:
            arrived.wait_for(lambda: events, 30)  # the snapshot
        while time.monotonic() < end:
            status, answered, content = change(connection, session, len(lags))
            if status != 200:
                raise SystemExit("a change was answered by 503")
            revision = json.loads(content)["revision"]
            with arrived:
                if not arrived.wait_for(lambda: revision in events, 30):
                    raise SystemExit(f"revision {revision} did not reach the other node in 30 s")
                lags.append(max(0.0, events[revision] - answered))
    finally:
        connection.close()
        with contextlib.suppress(OSError):
            stream.shutdown(socket.SHUT_RDWR)
        reader.join()
        stream.close()
    return lags


def change(connection, session: str, turn: int) -> tuple[int, float, bytes]:
    """Sets a label: the status of the answer, when it came, and its content."""
    body = json.dumps({"labels": {"turn": str(turn)}})
    connection.request("PATCH", f"/v1/sessions/{session}", body,
                       {"Content-Type": "application/merge-patch+json"})
    answer = connection.getresponse()
    answered = time.monotonic()
    content = answer.read()
    if answer.status not in (200, 503):
        raise SystemExit(f"a change was answered by {answer.status}: {content.decode()}")
    return answer.status, answered, content


# Reads

def reads(bench, store: Store) -> None:
    store.create("READ")
    with contextlib.ExitStack() as stack:
        embedded = stack.enter_context(bench.navstate(pinned=False))
        subjects = {
            EMBEDDED: embedded,
            "in memory": stack.enter_context(store.node("READ")),
            "--reads quorum": stack.enter_context(store.node("READ", "--reads", "quorum")),
        }
        for server in (embedded, subjects["in memory"]):
            client.fill(server.port, range(bench.sessions))
        subjects["not in memory"] = stack.enter_context(store.node("READ", "--cache", "1MiB"))
        samples: dict[str, list] = {name: [] for name in subjects}
        for _ in range(bench.rounds):
            for name, server in subjects.items():
                samples[name].append(
                    load.sample(server, "reads", BESIDE, bench.seconds, bench.sessions))
        for name, found in samples.items():
            beside = None if name == EMBEDDED else EMBEDDED
            bench.report.add("shared reads", connections_words(BESIDE), name,
                             load.medians(found), beside)


# Start

def start(bench, store: Store) -> None:
    """From exec to the first 200 of /readyz."""
    store.create("START")
    with store.node("START") as server:
        before = store.resident_bytes()
        client.fill(server.port, range(MANY))
        each = (store.resident_bytes() - before) / MANY / len(store.cluster.processes)
        grown = (f"take {each:,.0f} bytes of memory for each session and replica" if each > 0
                 else "take no more memory than before")
        bench.report.note(
            f"shared: the NATS servers {grown}, right after {MANY:,} sessions were created")
        with bench.navstate("start-embedded", pinned=False) as embedded:
            client.fill(embedded.port, range(MANY))
        samples: dict[str, list] = {EMBEDDED: [], "shared store": []}
        for _ in range(bench.rounds):
            with bench.navstate("start-embedded", pinned=False) as embedded:
                samples[EMBEDDED].append(started(embedded))
            with store.node("START") as node:
                samples["shared store"].append(started(node))
    for name, found in samples.items():
        beside = None if name == EMBEDDED else EMBEDDED
        bench.report.add("shared start", f"{MANY:,} sessions", name, load.medians(found), beside)


def started(server) -> dict:
    return {"ms": server.ready_seconds * 1e3, "MB resident": server.resident_bytes() / 1e6}


# A leader dies

def leader_dies(bench, store: Store) -> None:
    """The longest time between two changes of one writer, when a server that leads is killed."""
    store.create("DIES")
    stops = []
    with store.node("DIES") as node:
        client.fill(node.port, range(WRITERS))
        for _ in range(bench.rounds):
            stops.append({"longest stop ms": longest_stop(store, node)})
        bench.report.add("shared leader", "a NATS server that leads streams is killed -9",
                         "navstate", load.medians(stops))


def longest_stop(store: Store, node) -> float:
    """Kills the server that leads the first stream while writers write; milliseconds."""
    over = threading.Event()
    with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
        writers = [pool.submit(write_on, node.port, client.session_id(number), over)
                   for number in range(WRITERS)]
        time.sleep(1)
        leader = int(store.streams()["DIES_000"]["cluster"]["leader"][1:])
        store.cluster.kill(leader)
        time.sleep(CHANGES_STOPPED_SECONDS)
        over.set()
        gaps = [writer.result() for writer in writers]
    store.cluster.start(leader)
    deadline = time.monotonic() + 60
    while not store.cluster.has_leader() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(5)  # for the copies of that server to catch up
    return max(gaps) * 1e3


def write_on(port: int, session: str, over: threading.Event) -> float:
    """Changes a session until it is over; the longest time between two answers of 200, in seconds.

    A change that is answered by 503 is tried again, as a client would.
    """
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    longest, last, turn = 0.0, time.monotonic(), 0
    while not over.is_set():
        status, now, _ = change(connection, session, turn)
        turn += 1
        if status == 200:
            longest, last = max(longest, now - last), now
        time.sleep(0.01)
    connection.close()
    return longest
