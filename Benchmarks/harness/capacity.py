"""The workloads growth, idle, depth and start: what size costs."""

import contextlib
import json
import pathlib
import socket
import statistics
import subprocess
import time

from . import client, load, processes


def growth(bench) -> None:
    """A thousand sessions beside a million: requests, memory, start."""
    many = bench.sessions_max
    words = f"{many:,} sessions"
    with contextlib.ExitStack() as stack:
        small = stack.enter_context(bench.navstate())
        large = stack.enter_context(bench.navstate("large"))
        client.fill(small.port, range(1000))
        began = time.monotonic()
        client.fill(large.port, range(many))
        bench.report.note(f"growth: {many:,} sessions were created in {time.monotonic() - began:.0f} s")
        load.settle(large)
        sizes = {"MB resident": large.resident_bytes() / 1e6, "MB on disk": on_disk(bench, "large")}
        bench.report.add("growth memory", words, "navstate", sizes)
        base = "navstate @ 1,000 sessions"
        some = min(many, 10_000)
        places = {"1,000 sessions": (small, 1000, 1),  # server, how many to visit, every which
                  f"{words}, {some:,} in use": (large, some, many // some),
                  f"{words}, spread over all": (large, many, 1)}
        for kind in ("reads", "durable"):
            samples: dict[str, list[dict]] = {name: [] for name in places}
            for number in range(bench.rounds):
                for name, (server, sessions, stride) in places.items():
                    first = number * sessions // bench.rounds  # each round meets other sessions
                    with load.alone(server, (small, large)):
                        samples[name].append(load.sample(server, kind, 64, bench.seconds, sessions,
                                                         stride, first))
            for name, each in samples.items():
                bench.report.add(f"growth {kind}", name, "navstate", load.medians(each),
                                 None if name == "1,000 sessions" else base)
    start_of(bench, "growth start", words, "large", tries=3)


def on_disk(bench, directory: str) -> float:
    """Megabytes of the log's files, as far as they are written."""
    return sum(file.stat().st_size for file in log_files(bench, directory)) / 1e6


def log_files(bench, directory: str) -> list[pathlib.Path]:
    return sorted((bench.work / directory).glob("log/*.jsonl"))


def start(bench) -> None:
    """From exec to the first 200: with nothing, and with the sessions of the other workloads."""
    start_of(bench, "start", "empty", "empty", tries=5)
    with bench.navstate("filled") as server:
        client.fill(server.port, range(bench.sessions))
    start_of(bench, "start", f"{bench.sessions:,} sessions", "filled", tries=5)


def start_of(bench, workload: str, variant: str, directory: str, tries: int) -> None:
    """Starts on that data directory, beside a C program that checks the lines of the same files.

    Neither is pinned: a start has all cores, and nothing else goes on.
    """
    ours, theirs = [], []
    for _ in range(tries):
        files = [str(file) for file in log_files(bench, directory)]
        began = time.monotonic()
        output = subprocess.run(
            [*processes.on_cores(processes.CORES_AT_START), bench.tool("lines"), *files],
            check=True, capture_output=True).stdout
        theirs.append((time.monotonic() - began) * 1e3)
        with bench.navstate(directory, pinned=False) as server:
            ours.append(server.ready_seconds * 1e3)
    result = json.loads(output)
    if result["bad"]:
        bench.report.note(f"{workload}: {result['bad']} of {result['lines']} lines are not as "
                          "the record format says")
    figures = {"ms": statistics.median(theirs), "MB read": result["bytes"] / 1e6}
    bench.report.add(workload, variant, "C lines", figures)
    bench.report.add(workload, variant, "navstate", {"ms": statistics.median(ours)}, "C lines")


def idle(bench) -> None:
    """Many connections that have asked once and are silent: their memory, and reads beside them."""
    count = bench.idle
    alone, beside, memory = [], [], []
    measured = (64, bench.seconds, bench.sessions)
    with bench.navstate() as server:
        client.fill(server.port, range(bench.sessions))
        load.wrk(server.port, "reads", 64, 1, bench.sessions)
        for _ in range(bench.rounds):
            alone.append(load.sample(server, "reads", *measured))
            before = server.resident_bytes()
            with contextlib.ExitStack() as stack:
                for number in range(count):
                    stack.enter_context(opened(server.port, number % bench.sessions))
                memory.append((server.resident_bytes() - before) / count)
                beside.append(load.sample(server, "reads", *measured))
            load.settle(server)
    bench.report.add("idle memory", f"{count:,} connections", "navstate",
                     {"bytes/connection": max(memory)})  # later rounds use what the first has freed
    bench.report.add("idle reads", "none beside", "navstate", load.medians(alone))
    bench.report.add("idle reads", f"{count:,} beside", "navstate", load.medians(beside),
                     "navstate @ none beside")


def opened(port: int, number: int) -> socket.socket:
    """A connection that has had one answer and stays open."""
    connection = client.Connection(port)
    connection.send([client.request(port, "GET", f"/v1/sessions/{client.session_id(number)}")])
    connection.receive(1)
    return connection.socket


def depth(bench) -> None:
    """GET with a short and with a long path, each beside a C loop that sends as many bytes."""
    with contextlib.ExitStack() as stack:
        for levels in (1, 200):
            ours = stack.enter_context(bench.navstate(f"depth-{levels}"))
            client.fill(ours.port, range(500), levels)
            size = client.answer_bytes(ours.port, 0)
            theirs = stack.enter_context(bench.yardstick("C epoll", size))
            load.wrk(ours.port, "reads", 64, 1, 500)
            samples = load.alternate(
                bench.rounds, {"navstate": ours, "C epoll": theirs},
                lambda server: load.sample(server, "reads", 64, bench.seconds, 500))
            words = f"path of {levels}, {size:,} bytes"
            for name, yardstick in (("C epoll", None), ("navstate", "C epoll")):
                bench.report.add("depth", words, name, load.medians(samples[name]), yardstick)
