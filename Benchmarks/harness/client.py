"""A pipelining HTTP client: fills a server with sessions, and reads and resets them."""

import collections
import http.client
import itertools
import json
import re
import socket

CONNECTIONS = 256  # many: a server may settle one change of a connection at a time
BATCH = 8
LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


def session_id(number: int) -> str:
    return f"s-{number:07d}"


def session_state(depth: int = 1) -> dict:
    """A session of an everyday app; with the default depth its answer is about 650 bytes."""
    path = [{"route": "detail", "params": {"item": {"id": str(i), "name": f"Item {i}"}}}
            for i in range(depth)]
    tabs = [{"id": "home", "path": path}]
    tabs += [{"id": name, "path": []} for name in ("search", "settings")]
    return {"labels": {"room": "lobby"}, "selectedTab": "home", "tabs": tabs, "sheets": []}


class Connection:
    """A socket on which several requests are under way; answers come in their order."""

    def __init__(self, port: int):
        self.port = port
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, requests: list[bytes]) -> None:
        self.socket.sendall(b"".join(requests))

    def receive(self, count: int) -> collections.Counter:
        """Reads `count` answers; how many there were of each status."""
        statuses: collections.Counter = collections.Counter()
        buffer, start = self.rest, 0
        while count > 0:
            end = buffer.find(b"\r\n\r\n", start)
            length = LENGTH.search(buffer, start, end) if end >= 0 else None
            last = end + 4 + (int(length[1]) if length else 0)
            if end < 0 or last > len(buffer):
                more = self.socket.recv(1 << 20)
                if not more:
                    raise SystemExit("the server closed a connection in the middle of a run")
                buffer, start = buffer[start:] + more, 0
                continue
            statuses[int(buffer[start + 9:start + 12])] += 1
            start, count = last, count - 1
        self.rest = buffer[start:]
        return statuses


def request(port: int, method: str, path: str, body: dict | None = None) -> bytes:
    content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
    if method != "GET":
        head += f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return head.encode() + b"\r\n" + content


def send_all(port: int, requests) -> None:
    """Sends every request, many at a time, and demands that each is answered by 2xx."""
    connections = [Connection(port) for _ in range(CONNECTIONS)]
    requests = iter(requests)
    while batches := [b for _ in connections if (b := list(itertools.islice(requests, BATCH)))]:
        for connection, batch in zip(connections, batches):
            connection.send(batch)
        for connection, batch in zip(connections, batches):
            wrong = {s: n for s, n in connection.receive(len(batch)).items() if not 200 <= s < 300}
            if wrong:
                raise SystemExit(f"filling failed, answers by status: {wrong}")
    for connection in connections:
        connection.socket.close()


def fill(port: int, numbers, depth: int = 1) -> None:
    """Puts the sessions of these numbers into their first state, whether they exist or not."""
    minimal = b"Content-Type: application/json\r\nPrefer: return=minimal\r\n"
    one = request(port, "PUT", "/v1/sessions/ID", session_state(depth))
    one = one.replace(b"Content-Type: application/json\r\n", minimal)
    before, after = one.split(b"ID", 1)
    send_all(port, (before + session_id(n).encode() + after for n in numbers))


def get(port: int, path: str):
    """One GET: status, and the body as JSON."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, json.loads(body)


def answer_bytes(port: int, number: int) -> int:
    """The size of the whole answer, head and body, to a GET of that session."""
    connection = Connection(port)
    connection.send([request(port, "GET", f"/v1/sessions/{session_id(number)}")])
    data = b""
    while (end := data.find(b"\r\n\r\n")) < 0:
        data += connection.socket.recv(65536)
    connection.socket.close()
    return end + 4 + int(LENGTH.search(data)[1])


def revisions(port: int) -> int:
    """The sum of all sessions' revisions: how many changes the server has really made."""
    total, path = 0, "/v1/sessions?limit=1000"
    while path:
        _, page = get(port, path)
        total += sum(session["revision"] for session in page["sessions"])
        path = f"/v1/sessions?limit=1000&cursor={page['next']}" if page.get("next") else None
    return total
