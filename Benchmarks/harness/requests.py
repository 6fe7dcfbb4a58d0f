"""The workloads reads, durable and mixed: requests a second, latency, and CPU per request."""

import contextlib
import csv
import io

from . import client, load, processes

# The comparator of each workload, and the comparators that may be installed.
YARDSTICK = {"reads": "C epoll", "durable": "C commit", "mixed": "C commit"}
COMPARATORS = {"reads": ["nginx", "node"], "durable": [], "mixed": []}


def connections_words(count: int) -> str:
    return f"{count} connection" + ("s" if count != 1 else "")


def run(bench, kind: str) -> None:
    with contextlib.ExitStack() as stack:
        subjects, size = {}, 650
        if bench.binary:
            ours = stack.enter_context(bench.navstate())
            client.fill(ours.port, range(bench.sessions))
            subjects["navstate"] = ours
            size = client.answer_bytes(ours.port, 0)
            bench.report.note(f"{kind}: the response to a GET has {size} bytes, with the yardsticks too")
        for name in [YARDSTICK[kind], *([] if bench.short else COMPARATORS[kind])]:
            if server := bench.yardstick(name, size):
                subjects[name] = stack.enter_context(server)
        for server in [] if bench.short else subjects.values():
            load.wrk(server.port, kind, 16, 1, bench.sessions)  # warm, not counted
        for connections in bench.connections:
            samples = load.alternate(bench.rounds, subjects,
                                     lambda server: one_round(bench, server, kind, connections))
            for name in sorted(samples, key=lambda name: name != YARDSTICK[kind]):
                yardstick = None if name == YARDSTICK[kind] else YARDSTICK[kind]
                bench.report.add(kind, connections_words(connections), name,
                                 load.medians(samples[name]), yardstick)


def durable_depth(bench) -> None:
    """Changes of sessions with longer paths, beside lines and values that are as large."""
    for levels in (5, 20):
        with contextlib.ExitStack() as stack:
            ours = stack.enter_context(bench.navstate(f"durable-{levels}"))
            client.fill(ours.port, range(bench.sessions), levels)
            size = client.answer_bytes(ours.port, 0)
            line = line_bytes(bench.work / f"durable-{levels}")
            bench.report.note(f"durable-depth: a record of a session with a path of {levels} has "
                              f"{line:,} bytes, with the yardsticks too")
            subjects = {"navstate": ours}
            for name in ("C commit", "redis"):
                if server := bench.yardstick(name, size, line):
                    subjects[name] = stack.enter_context(server)
            for connections in (64, 256):
                samples = load.alternate(
                    bench.rounds, subjects,
                    lambda server: one_round(bench, server, "durable", connections, levels, line))
                for name in sorted(samples, key=lambda name: name != "C commit"):
                    bench.report.add(
                        "durable-depth", f"path of {levels}, {connections_words(connections)}",
                        name, load.medians(samples[name]),
                        None if name == "C commit" else "C commit")


def line_bytes(directory) -> int:
    """The length of the last line of a log, without the blank lines that follow it."""
    newest = max(file for file in (directory / "log").glob("*.jsonl") if file.stat().st_size)
    return len(newest.read_bytes().rstrip().rsplit(b"\n", 1)[-1]) + 1


def redis_round(bench, server, connections: int, value: int) -> dict:
    """SET of as many keys as there are sessions, with values of that size."""
    before, count = server.cpu_seconds(), 15_000 * bench.seconds
    output = processes.output_of(
        ["redis-benchmark", "-p", str(server.port), "-t", "set", "-d", str(value), "-n", str(count),
         "-c", str(connections), "-r", str(bench.sessions), "--csv"], 30 * bench.seconds)
    found = next(row for row in csv.DictReader(io.StringIO(output)) if row["test"] == "SET")
    return {
        "requests/s": float(found["rps"]),
        "p50 µs": float(found["p50_latency_ms"]) * 1e3,
        "p99 µs": float(found["p99_latency_ms"]) * 1e3,
        "CPU µs/request": (server.cpu_seconds() - before) * 1e6 / count,
        "requests": count,
        "failed": 0,
    }


def one_round(bench, server, kind: str, connections: int, levels: int = 1, value: int = 0) -> dict:
    """One sample; ours begins each round in the same state and must really have changed."""
    if server.name == "redis":
        return redis_round(bench, server, connections, value)
    ours = server.name == "navstate"
    if not ours or kind == "reads":
        return load.sample(server, kind, connections, bench.seconds, bench.sessions)
    client.fill(server.port, range(bench.sessions), levels)
    load.settle(server)
    before = client.revisions(server.port)
    result = load.sample(server, kind, connections, bench.seconds, bench.sessions)
    changed = client.revisions(server.port) - before
    asked = result["requests"] / (10 if kind == "mixed" else 1)
    if changed < 0.98 * asked:
        raise SystemExit(f"{kind}: {asked:.0f} changes were answered, {changed} were made")
    return result
