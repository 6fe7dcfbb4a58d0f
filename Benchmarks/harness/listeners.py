"""The workload listeners: many writers beside streams of all sessions.

wrk changes sessions over 64 connections, once beside nobody and once beside 20 streams of
/v1/events, in alternating rounds on one server. Each stream must get every change, in its order.
"""

import selectors
import socket
import threading
import time

from . import client, load

STREAMS = 20
CONNECTIONS = 64
CHANGE = b"event: change\n"
QUIET_SECONDS = 1  # without any change the streams have everything


class Stream:
    """A stream of all sessions: how many changes it has told of."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.sendall(client.request(port, "GET", "/v1/events"))
        self.count, self.rest = 0, b""
        self.read()  # once the response has begun, no change is missed

    def read(self) -> bool:
        """Counts what has arrived; false at the end of the stream."""
        part = self.socket.recv(1 << 20)
        text = self.rest + part
        self.count += text.count(CHANGE)
        self.rest = text[-len(CHANGE) + 1:]
        return bool(part)


class Listeners(threading.Thread):
    """Reads streams until they have told of no change for a while after `finish` was called. Their
    heartbeats go on."""

    def __init__(self, port: int, count: int):
        super().__init__(daemon=True)
        self.streams = [Stream(port) for _ in range(count)]
        self.is_last, self.ended = threading.Event(), 0

    def run(self) -> None:
        last_change = time.monotonic()
        with selectors.DefaultSelector() as selector:
            for stream in self.streams:
                selector.register(stream.socket, selectors.EVENT_READ, stream)
            while not self.is_last.is_set() or time.monotonic() < last_change + QUIET_SECONDS:
                for key, _ in selector.select(QUIET_SECONDS / 4):
                    count = key.data.count
                    if not key.data.read():
                        self.ended += 1
                        selector.unregister(key.fileobj)
                    if key.data.count > count:
                        last_change = time.monotonic()

    def finish(self) -> list[int]:
        """How many changes each stream has told of."""
        self.is_last.set()
        self.join()
        for stream in self.streams:
            stream.socket.close()
        return [stream.count for stream in self.streams]


def round_beside(bench, server, count: int) -> dict:
    listeners = Listeners(server.port, count)
    listeners.start()
    before = server.cpu_seconds()
    figures = load.sample(server, "durable", CONNECTIONS, bench.seconds, bench.sessions)
    counts = listeners.finish()
    # With what the server still had to tell when wrk had ended.
    cpu = server.cpu_seconds() - before
    figures["CPU µs/request"] = cpu * 1e6 / max(1, figures["requests"])
    # Changes that wrk did not wait for at its end may have been made as well.
    changed = range(figures["requests"], figures["requests"] + CONNECTIONS + 1)
    wrong = listeners.ended + sum(told not in changed or told != counts[0] for told in counts)
    if wrong:
        print(f"  of {figures['requests']:,} changes the streams told of {counts}")
    figures["failed"] += wrong
    return figures


def run(bench) -> None:
    with bench.navstate() as server:
        client.fill(server.port, range(bench.sessions))
        samples: dict[int, list[dict]] = {0: [], STREAMS: []}
        for _ in range(bench.rounds):
            for count, each in samples.items():
                each.append(round_beside(bench, server, count))
    for count, each in samples.items():
        bench.report.add("listeners", words(count), "navstate", load.medians(each),
                         f"navstate @ {words(0)}" if count else None)


def words(count: int) -> str:
    return f"{count} streams of all sessions" if count else "nobody listens"
