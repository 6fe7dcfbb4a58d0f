"""The workload neighbours: what others wait beside one hostile client.

A probe asks for a session every millisecond, beside nobody and beside each kind of hostile client of
the tests. On two cores three processes would wait for each other, and that would be measured instead
of the server: so the server, alone on its core, and the probe, on the other with the hostile client,
run at real-time priority (chrt), the probe above all.
"""

import json
import pathlib
import subprocess
import sys
import time

from . import client, load, processes, slow

KINDS = ["slow-heads", "never-reads", "bodies", "connects", "garbage", "pipeline"]
HOSTILE = pathlib.Path(__file__).parents[2] / "Tests/process/hostile_client.py"
PROBE = pathlib.Path(__file__).with_name("probe.py")


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def probe(port: int, seconds: float) -> dict:
    command = [*real_time(2), sys.executable, str(PROBE), str(port), "/v1/sessions/probe",
               str(seconds)]
    times = json.loads(processes.output_of(command, seconds))
    good = [t * 1e6 for t in times if t is not None]
    return {"p50 µs": percentile(good, 0.5), "p99 µs": percentile(good, 0.99),
            "requests": len(times), "failed": len(times) - len(good)}


def probe_beside(port: int, seconds: float, kind: str) -> dict:
    _, core = processes.cores()
    hostile = subprocess.Popen(
        ["taskset", "-c", str(core), sys.executable, str(HOSTILE), str(port), kind],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        return probe(port, seconds)
    finally:
        hostile.kill()
        hostile.wait()
        time.sleep(0.2)


def real_time(priority: int) -> list[str]:
    return ["chrt", "-f", str(priority)]


def fill(port: int) -> None:
    connection = client.Connection(port)
    entry = {"route": "detail", "params": {"text": "x" * 60_000}}
    for name, depth in (("probe", 0), ("large", 14)):
        connection.send([client.request(port, "POST", "/v1/sessions", {"id": name})])
        failed = 1 - connection.receive(1)[201]
        for _ in range(depth):
            path = f"/v1/sessions/{name}/navigate"
            connection.send([client.request(port, "POST", path, entry)])
            failed += 1 - connection.receive(1)[200]
        if failed:
            raise SystemExit(f"neighbours: the session {name} could not be made")


def run(bench) -> None:
    if not slow.works([*real_time(1), "true"]):
        bench.report.note("neighbours: left out, since real-time priority (chrt) is not allowed here")
        return
    rounds, seconds = (1, 1) if bench.short else (bench.rounds, bench.seconds)
    with bench.navstate(wrapper=real_time(1)) as server:
        fill(server.port)
        probe(server.port, 0.5)
        alone: list[dict] = []
        beside: dict[str, list[dict]] = {kind: [] for kind in KINDS}
        for _ in range(rounds):
            for kind in KINDS:
                alone.append(probe(server.port, seconds / 2))
                beside[kind].append(probe_beside(server.port, seconds, kind))
    bench.report.add("neighbours", "nobody", "navstate", load.medians(alone))
    for kind, each in beside.items():
        bench.report.add(
            "neighbours", kind, "navstate", load.medians(each), "navstate @ nobody")
