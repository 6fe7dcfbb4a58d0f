"""The workload slow: reads go on while the disk takes its time.

Two servers, both under strace with a seccomp filter so that only syncs are touched: in one every
sync returns 50 ms later than it would. On both a few writers change sessions at the same modest
rate, and wrk reads others. What is compared is the p99 of those reads.
"""

import shutil
import statistics
import subprocess
import threading
import time

from . import client, load

DELAY_MS = 50
WRITERS = 8
CHANGES_PER_SECOND = 10  # of each writer; one that waits for a slow sync may just keep up with it


class Writer(threading.Thread):
    """Changes one session again and again, as fast as its rate and the answers allow."""

    def __init__(self, port: int, number: int):
        super().__init__(daemon=True)
        self.times, self.failed, self.ending = [], 0, threading.Event()
        self.connection = client.Connection(port)
        path = f"/v1/sessions/{client.session_id(number)}"
        self.requests = [client.request(port, "POST", f"{path}/navigate", {"route": "detail"}),
                         client.request(port, "POST", f"{path}/back", {})]

    def run(self) -> None:
        turn = 0
        while not self.ending.wait(1 / CHANGES_PER_SECOND):
            began = time.monotonic()
            self.connection.send([self.requests[turn % 2]])
            self.failed += 1 - self.connection.receive(1)[200]
            self.times.append(time.monotonic() - began)
            turn += 1


def round_with_writers(bench, server) -> dict:
    writers = [Writer(server.port, bench.sessions + i) for i in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        figures = load.sample(server, "reads", 64, bench.seconds, bench.sessions)
    finally:
        for writer in writers:
            writer.ending.set()
        for writer in writers:
            writer.join(10)
    figures["change p50 ms"] = statistics.median(t for w in writers for t in w.times) * 1e3
    figures["failed"] += sum(writer.failed for writer in writers)
    return figures


def works(command: list[str]) -> bool:
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True).returncode == 0


def run(bench) -> None:
    strace = ["strace", "-D", "-f", "--seccomp-bpf", "-o", "/dev/null",
              "-e", "trace=fdatasync,fsync"]
    if not works([*strace, "true"]):
        bench.report.note("slow: left out, since strace is not installed or not allowed here")
        return
    delayed = [*strace, "-e", f"inject=fdatasync,fsync:delay_exit={DELAY_MS * 1000}"]
    with bench.navstate("plain", strace) as plain, bench.navstate("slow", delayed) as slow:
        for server in (plain, slow):
            client.fill(server.port, range(bench.sessions + WRITERS))
            load.wrk(server.port, "reads", 64, 1, bench.sessions)
        servers = {"syncs as they are": plain, f"syncs + {DELAY_MS} ms": slow}
        samples: dict[str, list[dict]] = {name: [] for name in servers}
        for _ in range(bench.rounds):  # not paused: a traced process is strace's to stop
            for name, server in servers.items():
                samples[name].append(round_with_writers(bench, server))
    for name, each in samples.items():
        bench.report.add("slow", name, "navstate", load.medians(each),
                         None if name == "syncs as they are" else "navstate @ syncs as they are")
    if min(s["change p50 ms"] for s in samples[f"syncs + {DELAY_MS} ms"]) < DELAY_MS:
        raise SystemExit("slow: changes were answered sooner than the delayed sync can have ended")
