"""Reads the streams of a shared store without any of navstate's code.

A small client of NATS on one socket, the messages of a stream as its leader has them, and the
parts of a record. The tests compare what servers answered with what is read here.
"""
import base64
import json
import random
import socket
import time


class NATSError(Exception):
    """A server refused, or said something that the protocol does not have."""


#: The user that may do everything, where servers ask for one.
USER, PASSWORD = "reader", "a-password-for-readers"


class Client:
    """One connection to the first of these addresses that takes one."""

    def __init__(self, addresses, timeout=10):
        failure = None
        for host, port in addresses:
            try:
                self.socket = socket.create_connection((host, port), timeout)
                break
            except OSError as error:
                failure = error
        else:
            raise failure
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = self.socket.makefile("rb", buffering=1 << 18)
        self.info = json.loads(self.input.readline().removeprefix(b"INFO "))
        self.inbox = f"_INBOX.{random.getrandbits(64):016x}"
        self.requests = 0
        options = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True,
                   "lang": "python", "version": "1", "protocol": 1, "name": "check"}
        if self.info.get("auth_required"):
            options |= {"user": USER, "pass": PASSWORD}
        self.send(f"CONNECT {json.dumps(options)}\r\nSUB {self.inbox}.* 1\r\nPING\r\n".encode())
        while self.input.readline() != b"PONG\r\n":
            pass

    def close(self):
        self.input.close()
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        self.socket.sendall(data)

    @staticmethod
    def publication(subject, payload, reply=None, headers=None):
        """The bytes of PUB or HPUB."""
        to = f"{subject} {reply}" if reply else subject
        if headers is None:
            return f"PUB {to} {len(payload)}\r\n".encode() + payload + b"\r\n"
        head = "NATS/1.0\r\n" + "".join(f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\n"
        head = head.encode()
        return (f"HPUB {to} {len(head)} {len(head) + len(payload)}\r\n".encode()
                + head + payload + b"\r\n")

    def message(self):
        """The next message: the last part of its subject, its status line, and its payload."""
        while True:
            line = self.input.readline()
            if not line:
                raise NATSError("the server closed the connection")
            words = line.split()
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] in (b"MSG", b"HMSG"):
                total = int(words[-1])
                body = self.input.read(total + 2)[:-2]
                head = int(words[-2]) if words[0] == b"HMSG" else 0
                status = body[:head].split(b"\r\n", 1)[0].decode() if head else ""
                return words[1].rpartition(b".")[2].decode(), status, body[head:]
            elif words[0] == b"-ERR":
                raise NATSError(line.decode())

    def request(self, subject, payload=b"", headers=None):
        """One request and its answer."""
        return self.requests_in_turn([(subject, payload)], headers)[0]

    def requests_in_turn(self, requests, headers=None):
        """Many requests at once; the answers in the order of the requests."""
        first = self.requests
        self.requests += len(requests)
        data = b"".join(
            self.publication(subject, payload, f"{self.inbox}.{first + index}", headers)
            for index, (subject, payload) in enumerate(requests))
        self.send(data)
        answers = {}
        while len(answers) < len(requests):
            number, status, payload = self.message()
            if first <= int(number):
                if status.startswith("NATS/1.0 503"):
                    raise NATSError("nobody answers " + requests[int(number) - first][0])
                answers[int(number) - first] = payload
        return [answers[index] for index in range(len(requests))]

    def api(self, name, body=None):
        """A request to JetStream's API; the answer as JSON."""
        value = json.loads(self.request(
            f"$JS.API.{name}", b"" if body is None else json.dumps(body).encode()))
        if "error" in value:
            raise NATSError(f"{name}: {value['error']}")
        return value

    def stream_names(self):
        """The names of all streams."""
        names = []
        while True:
            answer = self.api("STREAM.NAMES", {"offset": len(names)})
            part = answer.get("streams") or []
            names += part
            if not part or len(names) >= answer["total"]:
                return sorted(names)

    def messages(self, stream):
        """All messages of a stream: number, subject, payload."""
        for number, subject, _, payload in self.whole_messages(stream):
            yield number, subject, payload

    def whole_messages(self, stream, window=256):
        """All messages of a stream from its leader: number, subject, block of headers, payload."""
        state = self.api(f"STREAM.INFO.{stream}")["state"]
        # An empty stream says that its first number is 0.
        following, last = max(1, state["first_seq"]), state["last_seq"]
        subject = f"$JS.API.STREAM.MSG.GET.{stream}"
        while following <= last:
            numbers = range(following, min(following + window, last + 1))
            answers = self.requests_in_turn(
                [(subject, b'{"seq":%d}' % number) for number in numbers])
            for number, answer in zip(numbers, answers):
                value = json.loads(answer)
                message = value.get("message")
                if message is None:
                    if value["error"].get("err_code") == 10037:
                        continue  # It was replaced or removed.
                    raise NATSError(f"{stream} {number}: {value['error']}")
                head, data = (
                    base64.b64decode(message.get(part, "")) for part in ("hdrs", "data"))
                yield message["seq"], message["subject"], head, data
            following = numbers[-1] + 1


def connect(addresses, seconds=30):
    """A connection to a server whose JetStream answers."""
    end = time.monotonic() + seconds
    while True:
        try:
            client = Client(addresses)
            try:
                client.api("INFO")
                return client
            except (NATSError, OSError):
                client.close()
                raise
        except (NATSError, OSError, ValueError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


CRC_TABLE = crc_table()


def crc32c(data):
    """The checksum that records have, CRC-32C."""
    value, table = 0xFFFFFFFF, CRC_TABLE
    for byte in data:
        value = value >> 8 ^ table[(value ^ byte) & 0xFF]
    return value ^ 0xFFFFFFFF


class Record:
    """One message of the store."""

    __slots__ = ("number", "subject", "op", "id", "revision", "previous", "born", "writer", "key",
                 "event", "state")

    def __init__(self, number, subject, text):
        head, _, rest = text.partition(b"\n")
        value = json.loads(head)
        covered, mark, _ = head.rpartition(b',"crc":"')
        assert mark and rest.endswith(b"\n"), f"{subject} {number}: not a record"
        length = value["elen"]
        self.event, self.state = rest[:length], rest[length + 1:-1]
        assert rest[length:length + 1] == b"\n", f"{subject} {number}: a wrong length"
        found = f"{crc32c(covered + self.event + self.state):08x}"
        assert found == value["crc"], f"{subject} {number}: a wrong checksum"
        self.number, self.subject, self.op = number, subject, value["op"]
        self.id, self.revision = value.get("id"), value.get("rev", 0)
        self.previous, self.born = value.get("prev", 0), value.get("born")
        self.writer, self.key = value.get("by"), value.get("key")


class Log:
    """Everything that the streams of a store have."""

    def __init__(self, records):
        #: The records of each session, in the order of their stream.
        self.sessions = {}
        #: The records of tokens and apps by subject.
        self.others = {}
        self.count = 0
        for record in records:
            self.count += 1
            isSession = ".s." in record.subject
            place = self.sessions if isSession else self.others
            place.setdefault(record.id if isSession else record.subject, []).append(record)

    @classmethod
    def read(cls, addresses, prefix):
        """Reads all streams of the store with that prefix from their leaders."""
        records = []
        with connect(addresses) as client:
            names = [name for name in client.stream_names() if name.startswith(prefix + "_")]
            for name in names:
                for number, subject, text in client.messages(name):
                    if not is_mark(subject):
                        records.append(Record(number, subject, text))
        return cls(records)


def is_mark(subject):
    """Whether it is a mark of a read, or one of a shard: `nav.011.q`, `nav.011.m`, `nav.c.m.011`."""
    _, place, kind, *rest = subject.split(".")
    return kind in ("q", "m") and (not rest or place == "c")


def stream_states(addresses, prefix):
    """The servers' statements on each stream of the store: its leader, whether all replicas are
    current,
    and how many messages they lack."""
    states = {}
    with connect(addresses) as client:
        for name in client.stream_names():
            if not name.startswith(prefix + "_"):
                continue
            info = client.api(f"STREAM.INFO.{name}")
            cluster = info.get("cluster") or {}
            replicas = cluster.get("replicas") or []
            states[name] = {
                "leader": cluster.get("leader"),
                "last": info["state"]["last_seq"],
                "isCurrent": all(
                    one.get("current") and not one.get("offline") for one in replicas),
                "lag": sum(one.get("lag", 0) for one in replicas),
                "replicas": 1 + len(replicas)}
    return states
