"""The workloads reads, durable and mixed: requests a second, latency, and CPU per request."""

import contextlib

from . import client, load

# What each workload is compared with, and the comparators that may be installed.
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


def one_round(bench, server, kind: str, connections: int) -> dict:
    """One sample; ours begins each round in the same state and must really have changed."""
    ours = server.name == "navstate"
    if not ours or kind == "reads":
        return load.sample(server, kind, connections, bench.seconds, bench.sessions)
    client.fill(server.port, range(bench.sessions))
    load.settle(server)
    before = client.revisions(server.port)
    result = load.sample(server, kind, connections, bench.seconds, bench.sessions)
    changed = client.revisions(server.port) - before
    asked = result["requests"] / (10 if kind == "mixed" else 1)
    if changed < 0.98 * asked:
        raise SystemExit(f"{kind}: {asked:.0f} changes were answered, {changed} were made")
    return result
