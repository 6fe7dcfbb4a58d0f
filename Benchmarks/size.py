#!/usr/bin/env python3
"""How long a node of a shared store with many sessions takes to start, and to make a backup.

    size.py [--sessions 100000] [--rounds 3] [--shards 4] [--binary navstate] [--other navstate] NATS_SERVER

It writes a backup with that many sessions, restores it into a store on three NATS servers on this
machine, and measures in turn, in each round: a client that only reads the streams as a node that
starts does, with whole messages and with headers only; the start of a node; and a backup. With
--other the same is done by another executable. Nothing is synced to the disk (`lazy`), because only
reading is measured. Only ratios within one run say something.
"""

import argparse
import json
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Tests/cluster"))
from servers import Cluster, free_ports  # noqa: E402

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def crc(data: bytes, value: int = 0xFFFFFFFF) -> int:
    """The register of a CRC-32C, without the final inversion."""
    for byte in data:
        value = TABLE[(value ^ byte) & 255] ^ value >> 8
    return value


class Line:
    """A line that is written again and again with other numbers of eight digits in it.

    A checksum is linear: that of a line with other digits differs by what each of these digits
    adds, which is computed once.
    """

    def __init__(self, text: str, salt: bytes, fields: int):
        parts = text.encode().split(b"########")
        assert len(parts) == fields + 1
        self.parts = parts
        body = b"00000000".join(parts)
        self.base = crc(body, crc(salt))
        self.tables = []
        place = 0
        for part in parts[:-1]:
            place += len(part)
            for digit in range(8):
                left = len(body) - place - digit
                self.tables.append(
                    [crc(bytes([value]) + bytes(left - 1), 0) for value in range(10)])
            place += 8

    def write(self, numbers: list[int]) -> bytes:
        value, line, tables = self.base, [self.parts[0]], iter(self.tables)
        for number, part in zip(numbers, self.parts[1:]):
            digits = b"%08d" % number
            for digit in digits:
                value ^= next(tables)[digit - 48]
            line += [digits, part]
        return b"".join(line) + b',"crc":"%08x"}\n' % (value ^ 0xFFFFFFFF)


def closed(text: str, salt: bytes = b"") -> bytes:
    body = text.encode()
    return body + b',"crc":"%08x"}\n' % (crc(body, crc(salt)) ^ 0xFFFFFFFF)


def write_backup(path: pathlib.Path, count: int, filler: int) -> None:
    """A backup with sessions of one revision each."""
    first, now = 10_000_001, int(time.time() * 1000)
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    header = closed(
        f'{{"log":"navstate","format":2,"lineage":"{"0" * 20}","file":1,"first":{first},"at":{now}')
    salt = header[-11:-3]
    event = '{"command":{"command":"create"},"added":[],"removed":[]}'
    state = (
        f'{{"id":"session-########","revision":1,"createdAt":"{when}","updatedAt":"{when}",'
        f'"selectedTab":"main","tabs":[{{"id":"main","path":[{{"id":"e1","route":"r",'
        f'"params":{{"text":"{"x" * filler}"}}}}]}}],"sheets":[],"visible":{{"container":"main",'
        f'"entry":"e1","route":"r","params":{{"text":"{"x" * filler}"}},"tabBarHidden":false}},'
        f'"canGoBack":true,"canUndo":false,"canRedo":false}}')
    line = Line(
        f'{{"n":########,"d":########,"op":"put","id":"session-########","rev":1,"at":{now},'
        f'"born":########,"undos":0,"next":2,"elen":{len(event)},"event":{event},"s":{state}',
        salt, 5)
    written = 0
    with open(path, "wb", buffering=1 << 20) as file:
        def put(data: bytes) -> None:
            nonlocal written
            written += len(data)
            file.write(data)
        put(closed(
            f'{{"backup":"navstate","format":2,"lineage":"{"0" * 20}",'
            f'"upto":{first + count},"at":{now}'))
        put(header)
        for index in range(count):
            number = first + index
            put(line.write([number, number - 1, index, number, index]))
        put(closed(
            f'{{"n":{first + count},"d":{first + count - 1},"op":"seal","at":{now},'
            f'"lines":{count + 2}', salt))
        put(closed(f'{{"end":"navstate","bytes":{written}'))


class Reader:
    """A client that counts the messages that consumers of all streams deliver."""

    def __init__(self, address, prefix: str, shards: int):
        self.socket = socket.create_connection(address, 30)
        self.file = self.socket.makefile("rb", 1 << 20)
        self.prefix, self.shards = prefix, shards
        self.file.readline()
        self.socket.sendall(
            b'CONNECT {"verbose":false,"pedantic":false,"headers":true}\r\nSUB _INBOX.raw.* 1\r\n')

    def read(self, headers_only: bool) -> int:
        bytes_read, left, count = 0, 0, 0
        for shard in range(self.shards):
            name, subject = f"{self.prefix}_{shard:03}", f"{self.prefix.lower()}.{shard:03}.>"
            body = json.dumps({"stream_name": name, "config": {
                "name": f"raw{shard}{headers_only}", "deliver_subject": f"_INBOX.raw{headers_only}.d{shard}",
                "ack_policy": "none", "replay_policy": "instant", "mem_storage": True,
                "num_replicas": 1, "deliver_policy": "last_per_subject",
                "filter_subject": subject, "headers_only": headers_only,
                "inactive_threshold": 5_000_000_000}}).encode()
            self.socket.sendall(
                f"SUB _INBOX.raw{headers_only}.d{shard} {shard + 2}\r\n"
                f"PUB $JS.API.CONSUMER.CREATE.{name}.raw{shard}{headers_only} _INBOX.raw.a{shard} "
                f"{len(body)}\r\n".encode() + body + b"\r\n")
        answers = self.shards
        while answers or count < left:
            line = self.file.readline()
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
            if not line.startswith((b"MSG", b"HMSG")):
                continue
            words = line.split()
            data = self.file.read(int(words[-1]) + 2)
            if b"_INBOX.raw.a" in words[1]:
                answers -= 1
                left += json.loads(data)["num_pending"]
            else:
                count += 1
                bytes_read += len(data)
        return bytes_read

    def close(self) -> None:
        self.socket.close()


def resident(pid: int) -> int:
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) >> 10


class Node:
    def __init__(self, binary: str, store: str, *options: str):
        self.port = free_ports(1)[0]
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "--listen", f"127.0.0.1:{self.port}", "--store", store, *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ready(self) -> float:
        while True:
            if self.process.poll() is not None:
                raise SystemExit(f"the node ended with {self.process.returncode}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5):
                    return time.monotonic() - self.began
            except OSError:
                time.sleep(0.02)

    def backup(self) -> tuple[float, int]:
        began, count = time.monotonic(), 0
        with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/v1/backup", timeout=600) as answer:
            while piece := answer.read(1 << 20):
                count += len(piece)
        return time.monotonic() - began, count

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--filler", type=int, default=150, help="characters of each parameter")
    parser.add_argument("--binary", default=".build/release/navstate")
    parser.add_argument("--other", help="another executable to compare with")
    parser.add_argument("--data", help="where the servers keep their streams")
    parser.add_argument("nats_server")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.data) as directory:
        backup = pathlib.Path(directory) / "backup"
        write_backup(backup, arguments.sessions, arguments.filler)
        cluster = Cluster(arguments.nats_server, directory, 3, lazy=True)
        try:
            cluster.start_all()
            measure(arguments, cluster, backup)
        finally:
            cluster.stop_all()


def measure(arguments, cluster: Cluster, backup: pathlib.Path) -> None:
    store = f"{cluster.url}/NAV"
    began = time.monotonic()
    subprocess.run(
        [arguments.binary, "restore", str(backup), "--store", store, "--shards",
         str(arguments.shards)], check=True, stdout=subprocess.DEVNULL)
    print(f"{arguments.sessions} sessions, {backup.stat().st_size >> 20} MB, restored in "
          f"{time.monotonic() - began:.1f} s", flush=True)
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    binaries = {"navstate": arguments.binary}
    if arguments.other:
        binaries["other"] = arguments.other
    for _ in range(arguments.rounds):
        for name, headers_only in ("whole messages", False), ("headers only", True):
            reader = Reader(cluster.addresses[0], "NAV", arguments.shards)
            began = time.monotonic()
            count = reader.read(headers_only)
            note(f"reader, {name}: s", time.monotonic() - began)
            note(f"reader, {name}: MB", count / 1e6)
            reader.close()
        for name, binary in binaries.items():
            node = Node(binary, store, "--cache", "4MiB")
            try:
                note(f"{name}, start: s", node.ready())
                note(f"{name}, start: MB resident", resident(node.process.pid))
                seconds, count = node.backup()
                note(f"{name}, backup: s", seconds)
                note(f"{name}, backup: MB", count / 1e6)
                note(f"{name}, backup: MB resident", resident(node.process.pid))
            finally:
                node.end()
    for name, values in figures.items():
        print(f"{name:40} {statistics.median(values):10.2f}   "
              f"({min(values):.2f} to {max(values):.2f})")


if __name__ == "__main__":
    main()
