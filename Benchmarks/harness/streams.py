"""The workload streams: one writer, many subscribers, beside a bare C broadcaster.

For each number of subscribers there are two runs: one in which up to 16 changes may be on their
way to somebody, which gives deliveries a second, and one in which the next change waits until
everybody has the last, which gives the time from the writer's answer to the last delivery.
"""

import contextlib
import json

from . import client, load, processes

WINDOW = 16


def subscribers(bench, server, sessions: int, count: int, window: int, rate: int = 0) -> dict:
    """One run of subscribers.c; the figures of the table."""
    before = server.cpu_seconds()
    result = json.loads(processes.output_of(
        [bench.tool("subscribers"), str(server.port), str(sessions), str(count),
         str(bench.seconds), str(window), str(rate)], bench.seconds))
    cpu = server.cpu_seconds() - before
    wrong = result["failed"] + result["lost"] + result["disordered"] + result["ended"]
    wrong += count - result["ready"]
    if wrong:
        print(f"  {server.name}: {result}")
    return {"deliveries/s": result["deliveries"] / result["seconds"],
            "CPU µs/delivery": cpu * 1e6 / max(1, result["deliveries"]),
            "last p50 ms": result["answerToLastP50"], "last p99 ms": result["answerToLastP99"],
            "requests": result["posts"], "failed": wrong}


def both(bench, server, count: int) -> dict:
    flowing = subscribers(bench, server, 1, count, WINDOW)
    stepwise = subscribers(bench, server, 1, count, 1)
    figures = flowing | {key: stepwise[key] for key in ("last p50 ms", "last p99 ms")}
    return figures | {key: flowing[key] + stepwise[key] for key in ("requests", "failed")}


def run(bench) -> None:
    with contextlib.ExitStack() as stack:
        subjects = {}
        if bench.binary:
            ours = stack.enter_context(bench.navstate())
            client.fill(ours.port, range(1000))
            if not has_streams(ours.port):
                bench.report.note("streams: navstate does not have them yet; the yardstick alone")
            else:
                subjects["navstate"] = ours
        subjects["C broadcast"] = stack.enter_context(bench.yardstick("C broadcast", 950))
        for count in bench.subscribers:
            samples = load.alternate(bench.rounds, subjects,
                                     lambda server: both(bench, server, count))
            words = f"{count:,} subscriber" + ("s" if count != 1 else "")
            add(bench, words, samples)
        if not bench.short:
            samples = load.alternate(
                bench.rounds, subjects,
                lambda server: subscribers(bench, server, 1000, 10_000, 1000, rate=1000))
            add(bench, "1,000 sessions of 10, 1,000 changes/s", samples)


def add(bench, words: str, samples: dict) -> None:
    for name in reversed(samples):
        yardstick = "C broadcast" if name == "navstate" else None
        bench.report.add("streams", words, name, load.medians(samples[name]), yardstick)


def has_streams(port: int) -> bool:
    """Whether a session's stream answers as one."""
    return processes.answers_200(port, f"/v1/sessions/{client.session_id(0)}/events")
