#!/usr/bin/env python3
"""Measures navstate beside yardsticks that are built here, in one run.

    swift build -c release --product navstate
    python3 Benchmarks/run.py                  everything, in under 15 minutes
    python3 Benchmarks/run.py --only reads,durable --rounds 5
    python3 Benchmarks/run.py --short          only whether the harness works, in under 20 s
    python3 Benchmarks/run.py --yardsticks     only the yardsticks; no navstate is needed

Needs Python 3.11, cc, taskset, and wrk (`apt-get install wrk`); strace, chrt, nginx, node,
redis-server and nats-server are used if they are installed. Exit 0: every request was answered
as it must be; 1: not; 2: a tool is missing. No timing decides the exit code.
"""

import argparse
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from harness import (
    capacity, console, listeners, neighbours, processes, report, requests, shared, slow, streams)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
TOOLS = ("epoll", "commit", "broadcast", "lines", "subscribers", "publish", "gateway", "delay")
HEAD_BYTES = 160  # about what nginx and node put before the body

# In this order: name, what runs it, whether the yardsticks alone make sense, whether it is short.
WORKLOADS = {
    "reads": (lambda bench: requests.run(bench, "reads"), True, True),
    "durable": (lambda bench: requests.run(bench, "durable"), True, True),
    "durable-depth": (requests.durable_depth, False, False),
    "mixed": (lambda bench: requests.run(bench, "mixed"), True, True),
    "start": (capacity.start, False, True),
    "depth": (capacity.depth, False, False),
    "idle": (capacity.idle, False, True),
    "slow": (slow.run, False, False),
    "neighbours": (neighbours.run, False, True),
    "streams": (streams.run, True, True),
    "listeners": (listeners.run, False, True),
    "console": (console.run, False, False),
    "growth": (capacity.growth, False, False),
    "shared": (shared.run, False, False),
}


class Bench:
    """The needs of a workload: how much to do, where, and the servers to start."""

    def __init__(self, options, work: pathlib.Path):
        short = self.short = options.short
        self.work = work
        self.binary = None if options.yardsticks else options.server.resolve()
        self.nats = options.nats
        self.rounds = options.rounds or (1 if short else 3)
        self.seconds = options.seconds or (1 if short else 2)
        self.sessions = 500 if short else options.sessions
        self.sessions_max = options.sessions_max
        self.shards = options.shards
        self.connections = [16] if short else [1, 64, 256]
        self.idle = 200 if short else 10_000
        self.subscribers = [10] if short else [1, 100, 1000, 10_000]
        plan = f"{self.rounds} rounds of {self.seconds} s"
        self.report = report.Report(f"{report.machine(work)}; {plan}")

    def tool(self, name: str) -> str:
        return str(self.work / "tools" / name)

    def build_tools(self) -> None:
        (self.work / "tools").mkdir()
        for name in TOOLS:
            source = HERE / "yardsticks" / f"{name}.c"
            subprocess.run(["cc", "-O2", "-Wall", "-o", self.tool(name), source], check=True)

    def navstate(self, directory: str | None = None, wrapper: list[str] | None = None,
                 pinned: bool = True):
        """Our server on a data directory: a named one, or a new one."""
        data = self.work / directory if directory else pathlib.Path(tempfile.mkdtemp(dir=self.work))
        port = processes.free_port()
        command = [str(self.binary), "--listen", f"127.0.0.1:{port}", "--data", str(data)]
        return processes.running(
            "navstate", [*(wrapper or []), *command], port, self.log(), pinned)

    def yardstick(self, name: str, answer_bytes: int, line_bytes: int = 1024):
        """A yardstick or comparator with answers of that size; None if it is not installed."""
        port, size = processes.free_port(), str(answer_bytes)
        is_ready = processes.accepts if name == "redis" else processes.answers_200
        match name:
            case "C epoll" | "C broadcast":
                command = [self.tool(name[2:]), str(port), size]
            case "C commit":
                directory = tempfile.mkdtemp(dir=self.work)
                command = [self.tool("commit"), str(port), directory, size, str(line_bytes)]
            case "redis":
                directory = tempfile.mkdtemp(dir=self.work)
                command = ["redis-server", "--bind", "127.0.0.1", "--port", str(port),
                           "--dir", directory, "--save", "", "--appendonly", "yes",
                           "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0"]
            case "node":
                script = str(HERE / "yardsticks" / "answer.mjs")
                command = ["node", script, str(port), str(answer_bytes - HEAD_BYTES)]
            case "nginx":
                settings = str(self.nginx_settings(port, answer_bytes - HEAD_BYTES))
                command = ["nginx", "-c", settings, "-e", "/dev/null", "-p", str(self.work)]
        if shutil.which(command[0]) is None:
            return None
        return processes.running(name, command, port, self.log(), is_ready=is_ready)

    def nginx_settings(self, port: int, body_bytes: int) -> pathlib.Path:
        path = self.work / "nginx.conf"
        body = '{"id":"' + "x" * (body_bytes - 9) + '"}'
        path.write_text(
            "daemon off; master_process off; pid nginx.pid; worker_rlimit_nofile 20000;\n"
            "events { worker_connections 10000; }\n"
            "http { access_log off; keepalive_requests 1000000000; server {\n"
            f"  listen 127.0.0.1:{port}; default_type application/json;\n"
            f"  location / {{ return 200 '{body}'; }} }} }}\n")
        return path

    def log(self) -> pathlib.Path:
        return pathlib.Path(tempfile.mkstemp(dir=self.work, suffix=".log")[1])


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="workloads, with commas: " + ",".join(WORKLOADS))
    parser.add_argument("--short", action="store_true", help="only check that the harness works")
    parser.add_argument("--yardsticks", action="store_true", help="measure the yardsticks alone")
    parser.add_argument("--server", type=pathlib.Path, default=ROOT / ".build/release/navstate")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT / ".build",
                        help="where the data directories are made: the disk that is measured")
    parser.add_argument("--nats", default=shutil.which("nats-server"),
                        help="the NATS server for shared [the one in PATH]")
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--sessions-max", type=int, default=1_000_000, help="for growth")
    parser.add_argument("--shards", type=int, default=4, help="of the stores of shared")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=int, help="of one round")
    parser.add_argument("--json", type=pathlib.Path, help="write all figures to this file")
    parser.add_argument("--readme", nargs="?", const="results", metavar="BLOCK",
                        help="put the tables into README.md: into the block results, or another one")
    options = parser.parse_args()
    options.only = options.only.split(",") if options.only else list(WORKLOADS)
    if unknown := set(options.only) - set(WORKLOADS):
        parser.error(f"no such workload: {', '.join(sorted(unknown))}")
    return options


def check_tools(options) -> None:
    for tool, package in {"wrk": "wrk", "cc": "gcc", "taskset": "util-linux"}.items():
        if shutil.which(tool) is None:
            print(f"{tool} is missing: apt-get install {package}", file=sys.stderr)
            raise SystemExit(2)
    if not options.yardsticks and not options.server.exists():
        print(f"no server at {options.server}: swift build -c release --product navstate, "
              "or --yardsticks to measure the yardsticks alone", file=sys.stderr)
        raise SystemExit(2)


def run(options, work: pathlib.Path) -> int:
    bench = Bench(options, work)
    print(bench.report.shape)
    if report.filesystem(work) == "tmpfs":
        bench.report.note("the data is in memory: durable figures mean nothing; see --data")
    if processes.cores()[0] == processes.cores()[1]:
        bench.report.note("one core only: the server and the load share it")
    bench.build_tools()
    try:
        for name in options.only:
            measure, alone, short = WORKLOADS[name]
            if (bench.binary or alone) and (short or not bench.short):
                print(f"{name}:", flush=True)
                began = time.monotonic()
                measure(bench)
                print(f"  ({time.monotonic() - began:.0f} s)", flush=True)
    finally:
        # Also if a workload fails: the others took minutes.
        if options.json:
            options.json.write_text(bench.report.to_json())
    if options.readme:
        bench.report.write_readme(HERE / "README.md", options.readme)
    failed = bench.report.failed()
    print(f"failed requests: {failed}")
    return 1 if failed else 0


def end(number, _):
    raise SystemExit(128 + number)


def main() -> int:
    options = read_options()
    check_tools(options)
    signal.signal(signal.SIGTERM, end)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    os.sched_setaffinity(0, {processes.cores()[1]})
    options.data.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.data, prefix="benchmarks-") as work:
        try:
            return run(options, pathlib.Path(work).resolve())
        except KeyboardInterrupt:
            return 130


if __name__ == "__main__":
    sys.exit(main())
