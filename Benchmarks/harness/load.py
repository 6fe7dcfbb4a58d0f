"""Load: wrk on its own core, in rounds that alternate between the subjects of a comparison."""

import contextlib
import json
import pathlib
import statistics
import time

from . import processes

SCRIPT = pathlib.Path(__file__).parent.parent / "workload.lua"


def wrk(port: int, kind: str, connections: int, seconds: int, sessions: int, stride: int = 1,
        start: int = 0, first: int = 0) -> dict:
    """One run of wrk: requests, seconds, p50 and p99 in µs, failed."""
    output = processes.output_of(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", str(SCRIPT),
         f"http://127.0.0.1:{port}", "--", kind, str(sessions), str(stride), str(start),
         str(first)], seconds)
    for line in output.splitlines():
        if line.startswith("RESULT "):
            return json.loads(line[7:])
    raise SystemExit(f"wrk said nothing of its result:\n{output}")


def sample(server, kind: str, connections: int, seconds: int, sessions: int, stride: int = 1,
           start: int = 0) -> dict:
    """One round against one server, as the figures that the tables show."""
    before = server.cpu_seconds()
    result = wrk(server.port, kind, connections, seconds, sessions, stride, start)
    cpu = server.cpu_seconds() - before
    requests = max(1, result["requests"])
    return {
        "requests/s": result["requests"] / result["seconds"],
        "p50 µs": result["p50"],
        "p99 µs": result["p99"],
        "CPU µs/request": cpu * 1e6 / requests,
        "requests": result["requests"],
        "failed": result["failed"],
    }


@contextlib.contextmanager
def alone(server, others):
    """Pauses the other servers, so that what they still have to do is charged to them, later."""
    others = [other for other in others if other is not server]
    for other in others:
        other.pause()
    try:
        yield
    finally:
        for other in others:
            other.resume()


def alternate(rounds: int, subjects: dict, measure) -> dict[str, list[dict]]:
    """Rounds A B A B of `measure(server)` over named servers; the samples of each."""
    samples: dict[str, list[dict]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, server in subjects.items():
            with alone(server, subjects.values()):
                samples[name].append(measure(server))
    return samples


def medians(samples: list[dict]) -> dict:
    """The median of each figure over the rounds; counts of requests and failures are added up."""
    figures = {key: statistics.median(s[key] for s in samples) for key in samples[0]}
    for key in ("requests", "failed"):
        if key in figures:
            figures[key] = sum(s[key] for s in samples)
    return figures


def settle(server, seconds_max: float = 20) -> None:
    """Waits until the server is at rest: less than 2 % of its core over a fifth of a second."""
    end = time.monotonic() + seconds_max
    while time.monotonic() < end:
        before = server.cpu_seconds()
        time.sleep(0.2)
        if server.cpu_seconds() - before < 0.004:
            return
