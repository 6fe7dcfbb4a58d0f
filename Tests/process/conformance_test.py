#!/usr/bin/env python3
"""RFC 9110, 9111, 9112, 7240, 5789, 6750 and 9457 against the running server, requirement by requirement.

    conformance_test.py --server .build/release/navstate

Raw sockets, the standard library, 127.0.0.1. Starts servers of its own on free ports and ends them. Each case is
named by the section that asks for it. Ends with a line "N passed, N failed", and with 1 if anything failed.

What is asked for or allowed there and deliberately done otherwise:

- 9110 §9.3.4, no ETag in the answer to a PUT whose document was not stored as it came: sessions and apps come back with
  derived members, and the answer carries the whole new representation, so the tag tells no client that its own bytes
  are what is stored; the next If-Match needs it.
- 9110 §8.8.2.1, Last-Modified: sessions change several times a second, and a date of whole seconds beside an exact tag
  would only invite caches to guess.
- 9110 §15.3.2: a dry run of a creation answers 201 with the Location that there would be, for it is the full answer.
- 9110 §7.2, §4.2.1: a host with percent-encoding or of the form [v1.x] is 400, for nobody would compare it right.
- 9110 §5.6.1.2, 9112 §6.1: in Transfer-Encoding neither empty elements, parameters nor a second line are taken, although a
  list may have them: two readers must not find two lengths.
- 9110 §13.1: a stream and a backup have no representation to compare, so preconditions mean nothing to them.
- 9110 §14: Range is ignored, as §14.2 allows; there are no parts to have.
- 9110 §15.5.20: a name that the server does not go by is 403 host-not-allowed with the advice what to do, not 421.
- 9112 §2.2: a bare LF is refused, though it may be taken for a line end.
- 9112 §3: bytes that browsers send raw though RFC 3986 has them encoded (| { } ^ ") are taken in a path or a query.
- 3986 §6.2.2.2: escapes of unreserved bytes are equal to the bytes in names of sessions and apps; the fixed parts of a
  path are compared as they are, so that a filter in front that compares bytes is not walked around.
- 6750 §3.1: malformed credentials are 401 like missing ones, not 400, so that a client always learns what to send.
- 7240 §2, Vary: Prefer: what Prefer changes are answers to POST, PUT and PATCH, which no cache may reuse here, and how long
  a GET takes; reads are revalidated each time (no-cache), so a cache has nothing to tell apart.
- Requests for https by absolute-form: docs/threat-model.md.
"""
import argparse, calendar, json, pathlib, re, socket, sys, tempfile, time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from harness import Case, Server

CASES = []
TOKENS = "the-admin-token admin\nthe-reading-token read\n"
ORIGIN = "https://app.example"
DATE = re.compile(r"^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} "
                  r"\d\d:\d\d:\d\d GMT$")
TOKEN = re.compile(r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
SMUGGLED = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"


def case(name):
    def add(body):
        CASES.append((name, body))
        return body
    return add


def same(got, wanted, what=""):
    assert got == wanted, f"{what + ': ' if what else ''}{got!r}, not {wanted!r}"


class Answer:
    """One answer, read by the letter of RFC 9112, and held to what binds every answer."""

    def __init__(self, client, isHead=False):
        head = client.until(b"\r\n\r\n")
        lines = head[:-4].split(b"\r\n")
        status = re.fullmatch(rb"HTTP/1\.1 (\d\d\d) ([\t !-~\x80-\xff]*)", lines[0])
        assert status, f"§4 status line: {lines[0]!r}"
        self.status, self.fields, self.isHead = int(status.group(1)), [], isHead
        for line in lines[1:]:
            name, colon, value = line.decode("latin-1").partition(":")
            assert colon and TOKEN.match(name), f"§5.1 field line: {line!r}"
            assert value == " " + value.strip() and all(c == "\t" or " " <= c != "\x7f" for c in value), line
            self.fields.append((name.lower(), value.strip()))
        self.check()
        self.body, self.trailers = b"", b""
        if isHead or self.status < 200 or self.status in (204, 304): return
        if self["transfer-encoding"] is not None:
            same(self["transfer-encoding"], "chunked")
            while size := int(client.until(b"\r\n")[:-2], 16):
                self.body += client.take(size)
                same(client.take(2), b"\r\n", "§7.1 behind a chunk")
            same(client.take(2), b"\r\n", "§7.1 behind the last chunk")
        elif self["content-length"] is not None:
            self.body = client.take(int(self["content-length"]))
        else:
            assert self.closes, "§6.3 neither a length nor a close"
            self.body = client.rest()

    def check(self):
        for name in ("content-length", "content-type", "date", "etag", "location", "retry-after", "allow",
                     "transfer-encoding", "access-control-allow-origin"):
            assert len(self.all(name)) <= 1, f"9110 §5.2 {name} came twice: {self.all(name)}"
        if self.status >= 200: assert self["date"] and DATE.match(self["date"]), f"9110 §6.6.1 Date: {self['date']}"
        if self.status < 200 or self.status == 204:
            assert self["content-length"] is None, "9110 §8.6 a length in 1xx or 204"
            assert self["transfer-encoding"] is None, "9112 §6.1 a coding in 1xx or 204"
        if self["transfer-encoding"] is not None: same(self["content-length"], None, "9112 §6.2 both lengths")
        if self.status == 401: assert self["www-authenticate"], "9110 §15.5.2 401 without a challenge"
        if self.status == 405: assert self["allow"] is not None, "9110 §15.5.6 405 without Allow"
        if self.status in (413, 414, 431, 501, 505, 408): assert self.closes, "9112 §9.6 not said to close"
        if self["retry-after"] is not None: assert self["retry-after"].isdigit(), "9110 §10.2.3"
        if self["etag"] is not None: assert re.fullmatch(r'(W/)?"[!#-~]*"', self["etag"]), "9110 §8.8.3"
        if self["content-length"] is not None: assert self["content-length"].isdigit(), "9110 §8.6"

    def __getitem__(self, name):
        values = self.all(name)
        return ", ".join(values) if values else None

    def all(self, name): return [v for n, v in self.fields if n == name]

    def list(self, name): return [v.strip().lower() for v in (self[name] or "").split(",") if v.strip()]

    @property
    def closes(self): return "close" in self.list("connection")

    @property
    def json(self): return json.loads(self.body)


class Client:
    def __init__(self, port, timeout=10):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.read = b""

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))
        return self

    def more(self):
        data = self.socket.recv(65536)
        self.read += data
        return bool(data)

    def until(self, mark):
        while mark not in self.read: assert self.more(), f"the connection ended behind {self.read!r}"
        head, _, self.read = self.read.partition(mark)
        return head + mark

    def take(self, count):
        while len(self.read) < count: assert self.more(), "the connection ended in the body"
        data, self.read = self.read[:count], self.read[count:]
        return data

    def rest(self):
        while self.more(): pass
        data, self.read = self.read, b""
        return data

    def answer(self, isHead=False): return Answer(self, isHead)

    def final(self, isHead=False):
        """The final answer and how many came before it."""
        for before in range(9):
            answer = self.answer(isHead)
            if answer.status >= 200: return answer, before
        raise AssertionError("only 1xx")

    def isClosed(self, seconds=5):
        self.socket.settimeout(seconds)
        try: return not self.read and self.socket.recv(1) == b""
        except (TimeoutError, ConnectionResetError): return False

    def isOpen(self):
        """Another request is served."""
        try:
            self.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            return self.answer().status == 200
        except (AssertionError, OSError): return False

    def __enter__(self): return self

    def __exit__(self, *_): self.socket.close()


class World:
    """The three servers: open, with tokens, with a named origin."""

    def __init__(self, executable, folder):
        tokens = pathlib.Path(folder, "tokens")
        tokens.write_text(TOKENS)
        tokens.chmod(0o600)
        self.servers = [
            Server(executable, f"{folder}/open"),
            Server(executable, f"{folder}/closed", "--token-file", str(tokens)),
            Server(executable, f"{folder}/cors", "--allowed-origin", ORIGIN)]
        self.open, self.closed, self.cors = self.servers
        self.number = 0

    def connect(self, server=None): return Client((server or self.open).port)

    def ask(self, method, path, fields=(), body=None, version="1.1", server=None, host="localhost"):
        """One request on a connection of its own."""
        with self.connect(server) as client:
            return client.send(message(method, path, fields, body, version, host)).final(method == "HEAD")[0]

    def session(self, server=None):
        """A new session's path and entity tag."""
        self.number += 1
        made = self.ask("PUT", f"/v1/sessions/s{self.number}", JSON, WHOLE, server=server)
        same(made.status, 201)
        return f"/v1/sessions/s{self.number}", made["etag"]


JSON = (("Content-Type", "application/json"),)
WHOLE = b'{"tabs":[{"id":"main"}]}'


def message(method, path, fields=(), body=None, version="1.1", host="localhost"):
    lines = [f"{method} {path} HTTP/{version}"] + ([f"Host: {host}"] if host is not None else [])
    lines += [f"{name}: {value}" for name, value in fields]
    if body is not None: lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b"")


def refused(world, data, status, server=None):
    """A message that is refused, and nothing behind it is looked at."""
    with world.connect(server) as client:
        client.send(data + SMUGGLED)
        isHead = data.startswith(b"HEAD ")
        answer = client.answer(isHead)
        wanted = status if isinstance(status, tuple) else (status,)
        assert answer.status in wanted, f"{answer.status}, not {status}"
        assert answer.closes, "§9.6 Connection: close is not said"
        if not isHead: problem(answer)
        same(client.rest(), b"", "behind the refusal")
        return answer


def problem(answer):
    """RFC 9457."""
    same(answer["content-type"], "application/problem+json", "9457 §3")
    value = answer.json
    same(value["status"], answer.status, "9457 §3.1.2")
    for name in ("type", "title", "detail"): assert isinstance(value[name], str), f"9457 §3.1 {name}"
    assert value["type"].startswith("/problems/"), value["type"]
    return value


# RFC 9112 §2, §3: messages and request lines

GOOD = b"\r\nHost: localhost\r\n\r\n"
HEAD = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n"
MESSAGES = [
    ("9112 §2.2 a bare LF in the head", b"GET /livez HTTP/1.1\nHost: localhost\n\n", 400),
    ("9112 §2.2 a bare CR in the request line", b"GET /livez\rHTTP/1.1" + GOOD, 400),
    ("9112 §2.2 a bare CR in a field", HEAD + b"X: a\rb\r\n\r\n", 400),
    ("9112 §2.2 a bare CR before a field", HEAD + b"\rX: a\r\n\r\n", 400),
    ("9112 §2.2 blanks between the request line and the fields", b"GET /livez HTTP/1.1\r\n Host: localhost\r\n\r\n", 400),
    ("9112 §2.2 many empty lines", b"\r\n" * 9 + HEAD + b"\r\n", 400),
    ("9112 §2.2 no HTTP at all", b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03" + b"\r\n\r\n", 400),
    ("9112 §2.3 HTTP/0.9", b"GET /livez\r\n\r\n", 400),
    ("9112 §2.3 the version in lower case", b"GET /livez http/1.1" + GOOD, 400),
    ("9112 §2.3 a version of two digits", b"GET /livez HTTP/1.10" + GOOD, 400),
    ("9112 §2.3 a version with a blank", b"GET /livez HTTP/1. 1" + GOOD, 400),
    ("9110 §15.6.6 HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("9110 §15.6.6 HTTP/0.1", b"GET /livez HTTP/0.1" + GOOD, 505),
    ("9110 §15.6.6 HTTP/3", b"GET /livez HTTP/3.0" + GOOD, 505),
    ("9112 §3 two blanks", b"GET  /livez HTTP/1.1" + GOOD, 400),
    ("9112 §3 a tab", b"GET\t/livez HTTP/1.1" + GOOD, 400),
    ("9112 §3 a blank at the end", b"GET /livez HTTP/1.1 " + GOOD, 400),
    ("9112 §3 a blank in the target", b"GET /li vez HTTP/1.1" + GOOD, 400),
    ("9112 §3.1 a method that is no token", b"G(T /livez HTTP/1.1" + GOOD, 400),
    ("9110 §9.1 an unknown method", b"BREW /livez HTTP/1.1" + GOOD, 501),
    ("9110 §9.1 methods are case-sensitive", b"get /livez HTTP/1.1" + GOOD, 501),
    ("9112 §3 a method longer than any", b"A" * 9000 + b" /livez HTTP/1.1" + GOOD, 501),
    ("9112 §3 a target longer than any", b"GET /" + b"a" * 9000 + b" HTTP/1.1" + GOOD, 414),
    ("9112 §3.2 a relative target", b"GET livez HTTP/1.1" + GOOD, 400),
    ("9112 §3.2 a fragment", b"GET /livez#x HTTP/1.1" + GOOD, 400),
    ("9112 §3.2 a byte above ASCII", b"GET /\xc3\xa9 HTTP/1.1" + GOOD, 400),
    ("9112 §3.2 a NUL", b"GET /\0 HTTP/1.1" + GOOD, 400),
    ("9112 §3.2.2 absolute-form of another scheme", b"GET ftp://localhost/ HTTP/1.1" + GOOD, 400),
    ("9110 §4.2.1 absolute-form without a host", b"GET http:///livez HTTP/1.1" + GOOD, 400),
    ("9110 §4.2.4 absolute-form with userinfo", b"GET http://a:b@localhost/livez HTTP/1.1" + GOOD, 400),
    ("9112 §3.2.2 absolute-form with a bad port", b"GET http://localhost:99999/livez HTTP/1.1" + GOOD, 400),
    ("9112 §3.2.3 authority-form with GET", b"GET localhost:80 HTTP/1.1" + GOOD, 400),
    ("9110 §9.3.6 CONNECT", b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", 501),
    ("9112 §3.2.4 * with GET", b"GET * HTTP/1.1" + GOOD, 400),
    ("9112 §3.2 no Host", b"GET /livez HTTP/1.1\r\n\r\n", 400),
    ("9112 §3.2 no Host, though the target names one", b"GET http://localhost/livez HTTP/1.1\r\n\r\n", 400),
    ("9112 §3.2 two Hosts", HEAD + b"Host: localhost\r\n\r\n", 400),
    ("9112 §3.2 a Host with a path", b"GET /livez HTTP/1.1\r\nHost: localhost/x\r\n\r\n", 400),
    ("9112 §3.2 a Host with userinfo", b"GET /livez HTTP/1.1\r\nHost: a@localhost\r\n\r\n", 400),
    ("9112 §3.2 a Host with a bad port", b"GET /livez HTTP/1.1\r\nHost: localhost:8o\r\n\r\n", 400),
    ("9112 §3.2 a list of Hosts", b"GET /livez HTTP/1.1\r\nHost: localhost, localhost\r\n\r\n", 400),
    ("9110 §4.2.1 an empty Host", b"GET /livez HTTP/1.1\r\nHost:\r\n\r\n", 400),
    ("9112 §3.2 a bad Host beside absolute-form", b"GET http://localhost/livez HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
    # RFC 9112 §5: fields
    ("9112 §5.1 a blank before the colon", HEAD + b"X : a\r\n\r\n", 400),
    ("9112 §5.1 a tab before the colon", HEAD + b"X\t: a\r\n\r\n", 400),
    ("9112 §5 a line without a colon", HEAD + b"nonsense\r\n\r\n", 400),
    ("9112 §5 an empty name", HEAD + b": a\r\n\r\n", 400),
    ("9110 §5.1 a name that is no token", HEAD + b"X(y): a\r\n\r\n", 400),
    ("9112 §5.2 a folded line", HEAD + b"X: a\r\n b\r\n\r\n", 400),
    ("9112 §5.2 a folded line by a tab", HEAD + b"X: a\r\n\tb\r\n\r\n", 400),
    ("9110 §5.5 a NUL in a value", HEAD + b"X: a\0b\r\n\r\n", 400),
    ("9110 §5.5 a control byte in a value", HEAD + b"X: a\x08b\r\n\r\n", 400),
    ("9110 §5.4 a long field", HEAD + b"X: " + b"a" * 40000 + b"\r\n\r\n", 431),
    ("9110 §5.4 many fields", HEAD + b"X: y\r\n" * 200 + b"\r\n", 431),
    ("9110 §5.3 two Content-Types", b"POST /v1/sessions" + b" HTTP/1.1\r\nHost: localhost\r\n"
     + b"Content-Type: application/json\r\n" * 2 + b"Content-Length: 2\r\n\r\n{}", 400),
]
POST = b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
MESSAGES += [
    # RFC 9112 §6: framing
    ("9112 §6.3 two lengths", POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", 400),
    ("9112 §6.3 two equal lengths", POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", 400),
    ("9112 §6.3 a list of lengths", POST + b"Content-Length: 2, 2\r\n\r\n{}", 400),
    ("9112 §6.3 a list of different lengths", POST + b"Content-Length: 2, 3\r\n\r\n{}", 400),
    ("9110 §8.6 a signed length", POST + b"Content-Length: +2\r\n\r\n{}", 400),
    ("9110 §8.6 a negative length", POST + b"Content-Length: -2\r\n\r\n{}", 400),
    ("9110 §8.6 an empty length", POST + b"Content-Length:\r\n\r\n{}", 400),
    ("9110 §8.6 a hexadecimal length", POST + b"Content-Length: 0x2\r\n\r\n{}", 400),
    ("9110 §8.6 a length beyond all integers", POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n", 413),
    ("9110 §15.5.14 a length beyond the limit", POST + b"Content-Length: 99999999\r\n\r\n", 413),
    ("9112 §6.1 a coding beside a length", POST + b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
    ("9112 §6.1 a length beside a coding", POST + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400),
    ("9112 §6.1 a coding in HTTP/1.0", b"POST /v1/sessions HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("9112 §6.1 an unknown coding before chunked", POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    ("9112 §6.3 an unknown coding alone", POST + b"Transfer-Encoding: gzip\r\n\r\n", 400),
    ("9112 §6.3 chunked is not the last", POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", 400),
    ("9112 §6.3 identity", POST + b"Transfer-Encoding: identity\r\n\r\n", 400),
    ("9112 §6.3 something like chunked", POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 400),
    ("9112 §6.1 chunked twice", POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", (400, 501)),
    ("9112 §6.1 chunked on two lines", POST + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n", 400),
    # RFC 9112 §7: chunks
    ("9112 §7.1 a size that is none", CHUNKED + b"x\r\n", 400),
    ("9112 §7.1 a signed size", CHUNKED + b"+2\r\n{}\r\n0\r\n\r\n", 400),
    ("9112 §7.1 a size with 0x", CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n", 400),
    ("9112 §7.1 a size beyond all integers", CHUNKED + b"f" * 17 + b"\r\n", (400, 413)),
    ("9112 §7.1 a size beyond the limit", CHUNKED + b"ffffffff\r\n", 413),
    ("9112 §7.1 no CR LF behind the data", CHUNKED + b"2\r\n{}XX0\r\n\r\n", 400),
    ("9112 §7.1 a bare LF behind the size", CHUNKED + b"2\n{}\r\n0\r\n\r\n", 400),
    ("9112 §7.1.1 extensions without a bound", CHUNKED + b"2;" + b"a" * 70000 + b"\r\n{}\r\n0\r\n\r\n", 413),
    ("9112 §7.1.1 an extension that is none", CHUNKED + b"2;a=\"b\r\n{}\r\n0\r\n\r\n", 400),
    ("9112 §7.1.2 a trailer that is no field", CHUNKED + b"2\r\n{}\r\n0\r\nnonsense\r\n\r\n", 400),
    ("9112 §7.1.2 a folded trailer", CHUNKED + b"2\r\n{}\r\n0\r\nX: a\r\n b\r\n\r\n", 400),
    # RFC 9110 §10.1.1
    ("9110 §10.1.1 another expectation", POST + b"Expect: a-miracle\r\nContent-Length: 2\r\n\r\n{}", 417),
    ("9110 §10.1.1 another expectation beside", POST + b"Expect: 100-continue, x\r\nContent-Length: 2\r\n\r\n{}", 417),
    ("9110 §10.1.1 too large: a final status, no 100", POST + b"Expect: 100-continue\r\nContent-Length: 99999999\r\n\r\n", 413),
    # RFC 9110 §9.3.2
    ("9110 §9.3.2 HEAD that is malformed has no content", b"HEAD /livez HTTP/1.1\r\n\r\n", 400),
    ("9110 §9.3.2 HEAD with a long target has no content", b"HEAD /" + b"a" * 9000 + b" HTTP/1.1" + GOOD, 414),
    ("9110 §9.3.2 HEAD with a long field has no content", b"HEAD / HTTP/1.1\r\nX: " + b"a" * 40000 + b"\r\n\r\n", 431),
]

for name, data, status in MESSAGES:
    case(name)(lambda world, data=data, status=status: refused(world, data, status) and None)

# Messages that are good though they look odd.

TAKEN = [
    ("9112 §2.2 an empty line before the request line", b"\r\n" + HEAD + b"\r\n"),
    ("9112 §2.3 HTTP/1.2 is served as 1.1", b"GET /livez HTTP/1.2" + GOOD),
    ("9112 §3.2.2 absolute-form", b"GET http://localhost/livez HTTP/1.1" + GOOD),
    ("9110 §4.2.3 scheme and host in any case", b"GET HTTP://LOCALHOST:80/livez HTTP/1.1" + GOOD),
    ("9112 §3.2.2 absolute-form overrides Host", b"GET http://localhost/v1/sessions HTTP/1.1\r\nHost: x.example\r\n\r\n"),
    ("9110 §4.2.3 an empty path is /", b"GET http://localhost HTTP/1.1" + GOOD),
    ("9112 §3.2 a Host with a port", b"GET /livez HTTP/1.1\r\nHost: LocalHost:8080\r\n\r\n"),
    ("9110 §4.2.3 a Host with an empty port", b"GET /livez HTTP/1.1\r\nHost: localhost:\r\n\r\n"),
    ("3986 §3.2.2 a Host in brackets", b"GET /livez HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"),
    ("9112 §3 a request line of 8000 bytes", b"GET /problems/forbidden?" + b"&" * 7960 + b" HTTP/1.1" + GOOD),
    ("9112 §5.1 no blank behind the colon", b"GET /livez HTTP/1.1\r\nHost:localhost\r\n\r\n"),
    ("9112 §5.1 blanks around a value", b"GET /livez HTTP/1.1\r\nHost: \t localhost \t\r\n\r\n"),
    ("9110 §5.1 field names in any case", b"GET /livez HTTP/1.1\r\nhOsT: localhost\r\n\r\n"),
    ("9110 §5.1 fields that nobody knows", HEAD + b"X-Nobody: knows\r\n!#$%&'*+-.^_`|~: ?\r\n\r\n"),
    ("9110 §5.5 an empty value and bytes above ASCII", HEAD + b"X:\r\nY: \xe9\xff\r\n\r\n"),
    ("9110 §7.8 an Upgrade that is not done", HEAD + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n\r\n"),
    ("9110 §7.8 a WebSocket's", HEAD + b"Connection: upgrade\r\nUpgrade: websocket\r\n\r\n"),
    ("9110 §10.1.4 TE", HEAD + b"Connection: TE\r\nTE: trailers, deflate;q=0.5\r\n\r\n"),
    ("9110 §14.2 Range is ignored", HEAD + b"Range: bytes=0-0\r\n\r\n"),
    ("9110 §13.1.5 If-Range without Range is ignored", HEAD + b"If-Range: \"x\"\r\n\r\n"),
    ("9110 §13.1.3 dates are ignored where there are none", HEAD + b"If-Modified-Since: Sat, 29 Oct 2094 19:43:31 GMT\r\n\r\n"),
    ("9110 §13.1.4 the other date too", HEAD + b"If-Unmodified-Since: Sat, 29 Oct 1994 19:43:31 GMT\r\n\r\n"),
    ("9110 §9.3.1 content of a GET means nothing", HEAD + b"Content-Length: 5\r\n\r\nhello"),
    ("9110 §10.1.1 100-continue without content", HEAD + b"Expect: 100-continue\r\n\r\n"),
    ("9110 §5.6.1.2 empty elements in Connection", HEAD + b"Connection: , ,keep-alive,\r\n\r\n"),
    ("9110 §12.5 fields of negotiation that mean nothing", HEAD + b"Accept-Language: x\r\nAccept-Charset: y\r\nAccept-Encoding: br\r\n\r\n"),
]


def taken(world, data):
    with world.connect() as client:
        same(client.send(data).answer().status, 200)
        assert client.isOpen(), "§9.3 the connection does not go on"


for name, data in TAKEN: case(name)(lambda world, data=data: taken(world, data))

# RFC 9112 §7: bodies in chunks that are good

CHUNKS = [
    ("9112 §7.1 one chunk", b"2\r\n{}\r\n0\r\n\r\n"),
    ("9112 §7.1 two chunks, zeros before the size", b"0001\r\n{\r\n1\r\n}\r\n000\r\n\r\n"),
    ("9112 §7.1 the size in either case", b"0A\r\n{        }\r\n0\r\n\r\n"),
    ("9112 §7.1.1 extensions are ignored", b"2;a;b=c;d=\"e;\\\"f\"\r\n{}\r\n0;x\r\n\r\n"),
    ("9112 §7.1.1 blanks in extensions", b"2 ; a = b\r\n{}\r\n0\r\n\r\n"),
    ("9112 §7.1.2 trailers are dropped", b"2\r\n{}\r\n0\r\nX: y\r\nContent-Length: 9\r\nHost: evil\r\n\r\n"),
    ("9112 §7.1 no chunk at all", b"0\r\n\r\n"),
]


def chunks(world, coded):
    with world.connect() as client:
        for data in (CHUNKED.replace(b"chunked", b"CHUNKED") + coded, CHUNKED + coded):
            same(client.send(data).answer().status, 201)
        for byte in CHUNKED + coded: client.send(bytes([byte]))
        same(client.answer().status, 201, "byte by byte")
        assert client.isOpen()


for name, coded in CHUNKS: case(name)(lambda world, coded=coded: chunks(world, coded))


# RFC 9110 §6, §8, §9: what every answer has

@case("9110 §6.6.1 Date is now")
def dateIsNow(world):
    date = world.ask("GET", "/livez")["date"]
    seconds = calendar.timegm(time.strptime(date, "%a, %d %b %Y %H:%M:%S GMT"))
    assert abs(seconds - time.time()) < 3, date


PAGES = ["/", "/docs", "/openapi.yaml", "/navstate.js", "/livez", "/readyz", "/metrics", "/problems/forbidden",
         "/v1/sessions", "/v1/apps", "/nothing", "/v1/sessions/none", "SESSION", "SESSION/history", "SESSION/allowed",
         "SESSION/link", "SESSION/tokens", "SESSION?revision=1", "SESSION?x=y", "SESSION/back", "/v1/backup", "/%zz"]


@case("9110 §9.3.2 HEAD has the fields of GET and no content")
def headIsGet(world):
    session, _ = world.session()
    for path in PAGES:
        path = path.replace("SESSION", session)
        with world.connect() as client:
            get = client.send(message("GET", path)).answer()
            head = client.send(message("HEAD", path)).answer(isHead=True)
            assert client.isOpen(), f"{path}: the connection does not go on"
        varying = ["date", "x-request-id"] + (["content-length"] if path == "/metrics" else [])
        pick = lambda answer: [f for f in answer.fields if f[0] not in varying]
        same((head.status, pick(head)), (get.status, pick(get)), path)
        if get["transfer-encoding"] is None: same(len(get.body), int(get["content-length"]), path)
        if get.body: assert get["content-type"], f"{path}: 9110 §8.3 no Content-Type"


@case("9110 §9.3.2 HEAD of a stream ends at once, in 1.1 and 1.0")
def headOfStream(world):
    session, _ = world.session()
    for path in (f"{session}/events", "/v1/events", "/v1/backup"):
        with world.connect() as client:
            answer = client.send(message("HEAD", path)).answer(isHead=True)
            same((answer.status, answer["transfer-encoding"]), (200, "chunked"))
            assert client.isOpen(), path
        with world.connect() as client:
            fields = [("Connection", "keep-alive")]
            answer = client.send(message("HEAD", path, fields, version="1.0")).answer(isHead=True)
            same((answer.status, answer["transfer-encoding"]), (200, None))
            # 9112 §9.6: who says close closes.
            assert answer.closes and client.isClosed(), f"{path}: says close and stays"


@case("9110 §9.2.1 safe methods change nothing")
def safe(world):
    session, tag = world.session()
    for method in ("GET", "HEAD", "OPTIONS", "TRACE"): world.ask(method, session, JSON, b'{"ttlSeconds":5}')
    same(world.ask("GET", session)["etag"], tag)


@case("9110 §9.3.5, §15.3.5 DELETE is 204 without content, and then 404")
def delete(world):
    session, _ = world.session()
    answer = world.ask("DELETE", session)
    same((answer.status, answer.body, answer["content-type"]), (204, b"", None))
    same(world.ask("DELETE", session).status, 404)


@case("9110 §9.3.7 OPTIONS says what there is")
def options(world):
    session, _ = world.session()
    for path, wanted in [(session, "get head put patch delete options"), (f"{session}/back", "post options"),
                         ("/v1/sessions", "get head post options"), ("/livez", "get head options")]:
        answer = world.ask("OPTIONS", path)
        same(answer.status, 204)
        same(set(answer.list("allow")), set(wanted.split()), path)
        # RFC 5789 §3.1.
        same("patch" in wanted, answer["accept-patch"] is not None, path)
    same(world.ask("OPTIONS", "/nothing").status, 404)


@case("9112 §3.2.4 OPTIONS *")
def asterisk(world): same(world.ask("OPTIONS", "*").status, 204)


@case("9110 §9.3.8 TRACE reflects nothing")
def trace(world):
    answer = world.ask("TRACE", "/livez", [("X-Secret", "swordfish")])
    same(answer.status, 405)
    assert b"swordfish" not in answer.body


@case("9110 §15.5.6 405 lists the methods that there are")
def notAllowed(world):
    session, _ = world.session()
    for method, path in [("GET", f"{session}/back"), ("DELETE", "/v1/sessions"), ("POST", session), ("PUT", "/"),
                         ("POST", "/livez"), ("PATCH", "/v1/apps/a"), ("TRACE", session)]:
        answer = world.ask(method, path)
        same(answer.status, 405, f"{method} {path}")
        assert method.lower() not in answer.list("allow")
        for other in answer.list("allow"):
            if other == "options": same(world.ask("OPTIONS", path)["allow"], answer["allow"], path)
        problem(answer)


@case("9110 §15.3.2, §10.2.2 201 has a Location that is there")
def created(world):
    made = world.ask("POST", "/v1/sessions", JSON, b"{}")
    same(made.status, 201)
    again = world.ask("GET", made["location"])
    same((again.status, again["etag"], again.body), (200, made["etag"], made.body))
    session = made["location"]
    token = world.ask("POST", f"{session}/tokens", JSON, b'{"scope":"read"}')
    same((token.status, token.list("cache-control")), (201, ["no-store"]))
    same(world.ask("DELETE", token["location"]).status, 204)
    app = world.ask("PUT", "/v1/apps/a1", JSON, b'{"routes":{"r":{}},"tabs":[{"id":"t","root":"r","routes":["r"]}]}')
    same((app.status, app["location"]), (201, "/v1/apps/a1"))


# RFC 9110 §8.8, §13: validators and preconditions

def conditions(world, session, tag):
    """Method, fields, status; each is asked of the session in the state of `tag`."""
    im, inm = "If-Match", "If-None-Match"
    old = '"old"'
    weak = f"W/{tag}"
    for method in ("GET", "HEAD"):
        yield method, [(inm, tag)], 304
        yield method, [(inm, weak)], 304
        yield method, [(inm, "*")], 304
        yield method, [(inm, old)], 200
        yield method, [(inm, f"{old}, {tag}")], 304
        yield method, [(inm, f", {old} ,{weak},,")], 304
        yield method, [(inm, old), (inm, tag)], 304
        yield method, [(inm, '"\xe9\xff"')], 200
        yield method, [(inm, '""')], 200
        yield method, [(im, tag)], 200
        yield method, [(im, "*")], 200
        yield method, [(im, old)], 412
        yield method, [(im, weak)], 412
        yield method, [(im, f"{old},{tag}")], 200
        yield method, [(im, tag), (inm, tag)], 304
        yield method, [(im, old), (inm, tag)], 412
        yield method, [(im, old), (inm, old)], 412
        yield method, [(inm, tag), ("If-Modified-Since", "Sat, 29 Oct 1994 19:43:31 GMT")], 304
        yield method, [(im, tag), ("If-Unmodified-Since", "Sat, 29 Oct 1994 19:43:31 GMT")], 200
        yield method, [(im, "w/" + tag)], 400
        yield method, [(im, "*, " + tag)], 400
    for method, path, body in [("PUT", "", WHOLE), ("PATCH", "", b"{}"), ("POST", "/back", b""), ("DELETE", "", None)]:
        yield method + path, [(im, old)], 412, body
        yield method + path, [(im, weak)], 412, body
        yield method + path, [(inm, tag)], 412, body
        yield method + path, [(inm, weak)], 412, body
        yield method + path, [(inm, "*")], 412, body
        yield method + path, [(im, tag), (inm, f"{old}, {tag}")], 412, body
        yield method + path, [(im, old), (inm, old)], 412, body
        yield method + path, [(im, "nonsense")], 400, body
    yield "POST/back", [(im, f"{old}"), (im, tag)], 200, b""
    yield "POST/back", [(im, "*"), (inm, old)], 200, b""
    yield "DELETE", [(im, tag), (inm, old)], 204, None


@case("9110 §13.2.2 the order of preconditions; lists, weak tags, *, several lines")
def preconditions(world):
    session, tag = world.session()
    count = 0
    for method, fields, status, *body in conditions(world, session, tag):
        name, _, rest = method.partition("/")
        body = body[0] if body else None
        answer = world.ask(name, session + ("/" + rest if rest else ""), [*JSON, *fields], body)
        same(answer.status, status, f"{method} {fields}")
        if status == 304: same(answer["etag"], tag, "§15.4.5 ETag")
        if status == 412 and name != "HEAD": problem(answer)
        count += 1
    return f"{count} requests"


@case("9110 §13.2.1 preconditions are ignored where the answer is no success")
def ignoredPreconditions(world):
    for method, path, status in [("GET", "/nothing", 404), ("GET", "/v1/sessions/none", 404), ("POST", "/livez", 405),
                                 ("DELETE", "/v1/sessions/none", 404), ("POST", "/v1/sessions/none/back", 404)]:
        for field in [("If-Match", '"x"'), ("If-None-Match", "*")]:
            same(world.ask(method, path, [field]).status, status, f"{method} {path} {field}")


@case("9110 §13.1.1 If-Match on what is not there")
def absent(world):
    for value in ('"x"', "*"):
        same(world.ask("PUT", "/v1/sessions/absent", [*JSON, ("If-Match", value)], WHOLE).status, 412)
        same(world.ask("PUT", "/v1/apps/absent", [*JSON, ("If-Match", value)], b"{}").status, 412)
    same(world.ask("PUT", "/v1/sessions/absent", [*JSON, ("If-None-Match", "*")], WHOLE).status, 201)


@case("9110 §13.1 where there is no tag, * alone matches")
def untagged(world):
    session, _ = world.session()
    for path in ("/v1/sessions", f"{session}/history", "/livez", "/problems/forbidden"):
        for fields, status in [([("If-Match", "*")], 200), ([("If-Match", '"x"')], 412),
                               ([("If-None-Match", '"x"')], 200), ([("If-None-Match", "*")], 304)]:
            same(world.ask("GET", path, fields).status, status, f"{path} {fields}")
    for path, body in [("/v1/sessions", b"{}"), (f"{session}/tokens", b'{"scope":"read"}')]:
        for fields, status in [([("If-Match", "*")], 201), ([("If-Match", '"x"')], 412), ([("If-None-Match", "*")], 412)]:
            same(world.ask("POST", path, [*JSON, *fields], body).status, status, f"{path} {fields}")


@case("9110 §13.1 apps and documents")
def documents(world):
    app = b'{"routes":{"r":{}},"tabs":[{"id":"t","root":"r","routes":["r"]}]}'
    world.ask("PUT", "/v1/apps/a2", JSON, app)
    for path in ("/v1/apps/a2", "/", "/openapi.yaml"):
        whole = world.ask("GET", path)
        for fields, status in [([("If-None-Match", whole["etag"])], 304), ([("If-Match", whole["etag"])], 200),
                               ([("If-Match", '"x"')], 412), ([("If-None-Match", "*")], 304)]:
            same(world.ask("GET", path, fields).status, status, f"{path} {fields}")
    for fields in [("If-Match", '"x"')], [("If-None-Match", "*")]:
        same(world.ask("PUT", "/v1/apps/a2", [*JSON, *fields], app).status, 412)
        same(world.ask("DELETE", "/v1/apps/a2", fields).status, 412)


@case("9110 §15.4.5 304 has the fields of the 200 and no content")
def notModified(world):
    session, tag = world.session()
    corsSession, corsTag = world.session(world.cors)
    for server, path, known in [(None, session, tag), (world.cors, corsSession, corsTag),
                                (None, "/", world.ask("GET", "/")["etag"])]:
        origin = [("Origin", ORIGIN)]
        whole = world.ask("GET", path, origin, server=server)
        short = world.ask("GET", path, [*origin, ("If-None-Match", known)], server=server)
        same(short.status, 304)
        for name in ("etag", "cache-control", "vary", "content-location", "expires", "access-control-allow-origin"):
            same(short[name], whole[name], name)
        same((short["content-length"], short["content-type"]), (None, None))


@case("9110 §8.8.1 the same tag means the same bytes, another state another tag")
def strong(world):
    session, tag = world.session()
    first, second = world.ask("GET", session), world.ask("GET", session)
    same((first["etag"], first.body), (second["etag"], second.body))
    moved = world.ask("POST", f"{session}/navigate", JSON, b'{"route":"r"}')
    assert moved["etag"] != tag
    same(world.ask("GET", session)["etag"], moved["etag"])
    back = world.ask("POST", f"{session}/back")
    assert back["etag"] not in (tag, moved["etag"])


# RFC 9111

@case("9111 §4.2.2 caches are told to ask again, or not to keep")
def caching(world):
    session, _ = world.session()
    for path in PAGES:
        answer = world.ask("GET", path.replace("SESSION", session))
        directives = answer.list("cache-control")
        assert directives in (["no-cache"], ["no-store"]), f"{path}: {directives}"
        # 9110 §15.1: 404, 405, 410, 414 and 501 may be kept by whoever likes.
        if answer.status >= 400: same(directives, ["no-store"], path)
    assert "no-store" in refused(world, b"BREW / HTTP/1.1" + GOOD, 501).list("cache-control")


# RFC 9110 §12: negotiation

ACCEPT = [("application/json", 200), ("APPLICATION/JSON", 200), ("*/*", 200), ("application/*", 200), ("", 200),
          ("text/html", 406), ("text/html, application/json;q=0.001", 200), ("application/json;q=0", 406),
          ("*/*;q=0", 406), ("*/*, application/json;q=0", 406), ("application/*;q=0, application/json", 200),
          ("text/html;q=1.0,*/*;q=0.1", 200), (",, application/json ,", 200), ("application/json ; q=0.5", 200),
          ("application/json;v=2;charset=utf-8", 406), ("nonsense", 200)]


@case("9110 §12.5.1 Accept: ranges, weights, case, empty elements")
def accept(world):
    session, _ = world.session()
    for value, status in ACCEPT:
        answer = world.ask("GET", session, [("Accept", value)])
        same(answer.status, status, value)
        if status == 406: problem(answer)
    two = world.ask("GET", session, [("Accept", "text/html"), ("Accept", "application/json")])
    same(two.status, 200, "two lines")
    for value, wanted in [("text/event-stream;q=0.1, application/x-ndjson", "application/x-ndjson"), ("*/*", "text/event-stream")]:
        same(world.ask("HEAD", f"{session}/events", [("Accept", value)])["content-type"], wanted)


@case("9110 §15.5.16 415 says what is taken")
def mediaType(world):
    session, _ = world.session()
    for value, status in [("application/json", 200), ("Application/JSON; charset=UTF-8", 200), ("text/plain", 415),
                          ('application/json; charset="utf-8"', 200), ("application/json; charset=latin1", 415),
                          ("application/json;;x=y", 200), ("nonsense", 415), ("application/merge-patch+json", 415)]:
        answer = world.ask("POST", f"{session}/back", [("Content-Type", value)], b"{}")
        same(answer.status, status, value)
        if status == 415: same(answer["accept"], "application/json")
    same(world.ask("POST", f"{session}/back", (), b"{}").status, 415, "no type")
    # RFC 5789 §2.2.
    answer = world.ask("PATCH", session, [("Content-Type", "application/json-patch+json")], b"[]")
    same(answer.status, 415)
    assert "application/merge-patch+json" in answer["accept-patch"]
    same(world.ask("PATCH", session, [("Content-Type", "application/merge-patch+json")], b"{}").status, 200)


@case("9110 §8.4, §12.5.3 a content coding is refused, and says which is taken")
def contentCoding(world):
    session, _ = world.session()
    for value, status in [("gzip", 415), ("identity", 200), ("br, gzip", 415), ("", 200)]:
        answer = world.ask("POST", f"{session}/back", [*JSON, ("Content-Encoding", value)], b"{}")
        same(answer.status, status, value)
        if status == 415: same(answer["accept-encoding"], "identity")
    same(world.ask("GET", session, [("Accept-Encoding", "gzip")])["content-encoding"], None)


@case("9110 §14.5 PUT of a part is refused")
def contentRange(world):
    session, tag = world.session()
    part = [*JSON, ("Content-Range", "bytes 0-1/9")]
    same(world.ask("PUT", session, part, WHOLE).status, 400)
    same(world.ask("PUT", "/v1/apps/part", part, b"{}").status, 400)
    same(world.ask("GET", session)["etag"], tag)


# RFC 9110 §10.1.1

def expecting(version="1.1", length=2, path="/v1/sessions", extra=()):
    fields = [*JSON, ("Expect", "100-Continue"), ("Content-Length", length), *extra]
    return message("POST", path, fields, version=version)


@case("9110 §10.1.1 100 before the content is waited for")
def goOn(world):
    with world.connect() as client:
        client.send(expecting())
        hundred = client.answer()
        same((hundred.status, hundred.fields), (100, []))
        same(client.send("{}").answer().status, 201)
        assert client.isOpen()


@case("9110 §10.1.1 once, and for chunks too; none if the content is there")
def goOnOnce(world):
    with world.connect() as client:
        chunked = message("POST", "/v1/sessions", [*JSON, ("Expect", ", 100-continue"), ("Transfer-Encoding", "chunked")])
        same(client.send(chunked).answer().status, 100)
        for byte in "2\r\n{}\r\n0\r\n\r\n": client.send(byte)
        same(client.answer().status, 201)
        same(client.send(expecting() + b"{}").answer().status, 201)
        same(client.send(message("GET", "/livez", [("Expect", "100-continue")])).answer().status, 200)


@case("9110 §10.1.1, §15.2 HTTP/1.0 gets no 1xx")
def goOnOld(world):
    with world.connect() as client:
        client.send(expecting("1.0"))
        client.socket.settimeout(0.3)
        try: same(client.more(), None)
        except TimeoutError: pass
        client.socket.settimeout(10)
        same(client.send("{}").answer().status, 201)
        assert client.isClosed()


@case("9112 §9.3.2, 9110 §10.1.1 100 comes in its turn")
def goOnInTurn(world):
    session, _ = world.session()
    with world.connect() as client:
        client.send(message("POST", f"{session}/navigate", JSON, b'{"route":"r"}') + message("GET", session) + expecting())
        same([client.answer().status for _ in range(3)], [200, 200, 100])
        same(client.send("{}").answer().status, 201)


@case("9110 §10.1.1 a refusal that needs no content comes instead of 100, or behind it")
def goOnRefused(world):
    for path, status in [("/nothing", 404), ("/livez", 405)]:
        with world.connect() as client:
            answer = client.send(expecting(path=path)).answer()
            if answer.status == 100: answer = client.send("{}").answer()
            same(answer.status, status)


# RFC 9112 §9: connections

def connection(fields, version):
    return message("GET", "/livez", fields, version=version)


@case("9112 §9.3 who persists and who does not")
def persistence(world):
    for version, fields, stays in [
            ("1.1", [], True), ("1.1", [("Connection", "close")], False), ("1.1", [("Connection", "CLOSE")], False),
            ("1.1", [("Connection", "x, close ,y")], False), ("1.1", [("Connection", "x"), ("Connection", "close")], False),
            ("1.1", [("Connection", "keep-alive, close")], False), ("1.1", [("Connection", "closed")], True),
            ("1.1", [("Proxy-Connection", "close")], True), ("1.0", [], False), ("1.0", [("Connection", "keep-alive")], True),
            ("1.0", [("Connection", "Keep-Alive, x")], True), ("1.0", [("Connection", "keep-alive, close")], False),
            ("1.0", [("Proxy-Connection", "keep-alive")], False), ("1.2", [], True)]:
        with world.connect() as client:
            answer = client.send(connection(fields, version)).answer()
            same(answer.status, 200)
            same(answer.closes, not stays, f"§9.6 {version} {fields} says close")
            if version == "1.0": same("keep-alive" in answer.list("connection"), stays, f"{fields}")
            if stays: assert client.isOpen(), f"{version} {fields}"
            else: assert client.isClosed(), f"{version} {fields}"


@case("9112 §9.6 nothing behind a close is processed")
def afterClose(world):
    session, tag = world.session()
    with world.connect() as client:
        client.send(connection([("Connection", "close")], "1.1") + message("DELETE", session))
        same(client.answer().status, 200)
        same(client.rest(), b"")
    same(world.ask("GET", session)["etag"], tag)


@case("9112 §9.3.2 pipelined answers come in order, however they are cut")
def pipelining(world):
    session, _ = world.session()
    part = (message("GET", "/livez") + message("POST", f"{session}/navigate", JSON, b'{"route":"r"}')
            + message("HEAD", session) + message("GET", "/nothing") + message("DELETE", "/v1/sessions/none")
            + CHUNKED + b"2\r\n{}\r\n0\r\n\r\n" + message("OPTIONS", "/livez"))
    wanted = [(200, False), (200, False), (200, True), (404, False), (404, False), (201, False), (204, False)]
    for cut in (len(part) * 3, 1, 7, 100):
        with world.connect() as client:
            whole = part * 3
            for start in range(0, len(whole), cut): client.send(whole[start:start + cut])
            for status, isHead in wanted * 3: same(client.answer(isHead).status, status, f"cut in {cut}")


@case("9112 §9.6 who ended his side gets his answers")
def halfClosed(world):
    session, _ = world.session()
    with world.connect() as client:
        client.send(message("POST", f"{session}/navigate", JSON, b'{"route":"r"}') + message("GET", session))
        client.socket.shutdown(socket.SHUT_WR)
        same([client.answer().status for _ in range(2)], [200, 200])
        assert client.isClosed()


@case("9112 §9.6, 9110 §15.5.14 the answer to a large upload can be read")
def lingering(world):
    for _ in range(5):
        with world.connect() as client:
            client.send(POST + b"Content-Length: 2000000\r\n\r\n")
            try: client.send(b"x" * 200_000)
            except OSError: pass
            same(client.answer().status, 413)
    # Many clients read nothing before they have sent all of it.
    with world.connect() as client:
        client.send(POST + b"Content-Length: 15000000\r\n\r\n")
        client.send(b"x" * 15_000_000)
        same(client.answer().status, 413)


@case("9112 §9.3 a body that nobody wants is read, or the connection closes")
def unread(world):
    for method, path, body, status in [("POST", "/nothing", b"x" * 9000, 404), ("PUT", "/livez", SMUGGLED, 405),
                                       ("GET", "/livez", SMUGGLED * 99, 200), ("OPTIONS", "*", SMUGGLED, 204),
                                       ("POST", "/v1/sessions", SMUGGLED, 415)]:
        with world.connect() as client:
            answer = client.send(message(method, path, (), body)).answer()
            same(answer.status, status)
            assert client.isClosed() if answer.closes else client.isOpen(), f"{method} {path}"


@case("9112 §8 a request that ends too early is not carried out")
def incomplete(world):
    session, tag = world.session()
    path = f"{session}/navigate"
    whole = b'{"route":"r"}'
    for data in (message("POST", path, [*JSON, ("Content-Length", len(whole) + 1)]) + whole,
                 message("POST", path, [*JSON, ("Transfer-Encoding", "chunked")]) + b"d\r\n" + whole + b"\r\n",
                 message("POST", path, [*JSON, ("Transfer-Encoding", "chunked")]) + b"d\r\n" + whole + b"\r\n0\r\n"):
        with world.connect() as client:
            client.send(data).socket.shutdown(socket.SHUT_WR)
            assert b"HTTP/1.1 2" not in client.rest()
    same(world.ask("GET", session)["etag"], tag)


@case("9112 §6.1, §6.3 no chunks to HTTP/1.0; the close ends the stream")
def oldStream(world):
    session, _ = world.session()
    with world.connect() as client:
        client.send(message("GET", f"{session}/events?limit=1", [("Connection", "keep-alive")], version="1.0"))
        answer = client.answer()
        same((answer.status, answer["transfer-encoding"], answer.closes), (200, None, True))
        assert answer.body.startswith(b"id: "), answer.body
    with world.connect() as client:
        answer = client.send(message("GET", f"{session}/events?limit=1")).answer()
        same(answer["transfer-encoding"], "chunked")
        assert client.isOpen()


@case("9110 §2.5 HTTP/1.0 without Host is served, and answered as HTTP/1.1")
def old(world):
    same(world.ask("GET", "/v1/sessions", version="1.0", host=None).status, 200)


# RFC 3986, RFC 9110 §4.2

@case("3986 §6.2.2, 9110 §4.2.3 escapes of a name are the name")
def escapes(world):
    session, tag = world.session()
    name = session.rsplit("/", 1)[1]
    for spelling in (f"%{ord(name[0]):02x}{name[1:]}", f"%{ord(name[0]):02X}{name[1:]}", "".join(f"%{ord(c):x}" for c in name)):
        same(world.ask("GET", f"/v1/sessions/{spelling}")["etag"], tag, spelling)
    same(world.ask("GET", f"/v1/sessions/{name.upper()}").status, 404, "paths are case-sensitive")


@case("3986 §2.1 malformed escapes are 400, and %2F separates nothing")
def badEscapes(world):
    for path, status in [("/v1/sessions/%", 400), ("/v1/sessions/%4", 400), ("/v1/sessions/%zz", 400), ("/%zz", 400),
                         ("/v1/sessions/%00", 400), ("/v1/sessions/%c3%28", 400), ("/v1/sessions/%c0%af", 400),
                         ("/v1/sessions?q=%", 400), ("/v1%2Fsessions", 404), ("/v1/sessions/a%2Fback", 404),
                         ("/v1/../livez", 404), ("/v1/%2e%2e/livez", 404), ("//livez", 404), ("/livez/", 404)]:
        answer = world.ask("GET", path)
        same(answer.status, status, path)
        problem(answer)


@case("9110 §7.4 a name that the server does not go by is refused")
def misdirected(world):
    same(world.ask("GET", "/v1/sessions", host="x.example").status, 403)
    same(world.ask("GET", "http://x.example/v1/sessions", host="localhost").status, 403)


@case("9112 §3.2.2 the target's host is the request's, for Origin too")
def ownOrigin(world):
    port = world.open.port
    for target, host, origin, status in [
            ("/v1/sessions", f"localhost:{port}", f"http://localhost:{port}", 201),
            (f"http://localhost:{port}/v1/sessions", "x.example", f"http://localhost:{port}", 201),
            (f"http://localhost:{port}/v1/sessions", "x.example", "http://x.example", 403)]:
        same(world.ask("POST", target, [*JSON, ("Origin", origin)], b"{}", host=host).status, status, target)


# RFC 9110 §11, RFC 6750

@case("9110 §11.6.1, 6750 §3 every 401 has a challenge; the scheme is read in any case")
def authentication(world):
    for value, status, error in [
            (None, 401, None), ("Bearer the-admin-token", 200, None), ("bearer  the-admin-token", 200, None),
            ("BEARER the-reading-token", 200, None), ("Bearer wrong", 401, "invalid_token"), ("Basic YTpi", 401, None),
            ("Bearer", 401, None), ("Bearerthe-admin-token", 401, None), ("Bearer THE-ADMIN-TOKEN", 401, "invalid_token")]:
        fields = [] if value is None else [("Authorization", value)]
        answer = world.ask("GET", "/v1/sessions", fields, server=world.closed)
        same(answer.status, status, value)
        if status == 401:
            assert answer["www-authenticate"].startswith('Bearer realm="'), answer["www-authenticate"]
            same(error is not None, "error=" in answer["www-authenticate"], "6750 §3.1")
            if error: assert f'error="{error}"' in answer["www-authenticate"]
    for path in ("/v1/sessions/x", "/v1/apps", "/v1/events", "/v1/backup", "/metrics", "/v1/sessions/x/events"):
        same(world.ask("GET", path, server=world.closed).status, 401, path)


@case("6750 §3.1 too little scope is 403 and says which is needed")
def scope(world):
    reading = [("Authorization", "Bearer the-reading-token")]
    answer = world.ask("POST", "/v1/sessions", [*JSON, *reading], b"{}", server=world.closed)
    same(answer.status, 403)
    assert 'error="insufficient_scope"' in answer["www-authenticate"] and 'scope="control"' in answer["www-authenticate"]


@case("6750 §2.3 a token in the query is none")
def tokenInQuery(world):
    same(world.ask("GET", "/v1/sessions?access_token=the-admin-token", server=world.closed).status, 401)


@case("9110 §9.3.7 OPTIONS needs no token")
def optionsOpen(world): same(world.ask("OPTIONS", "/v1/sessions", server=world.closed).status, 204)


# RFC 9457

@case("9457 §3 problems say what they are, also for clients that accept something else")
def problems(world):
    session, _ = world.session()
    for method, path, fields, body, status in [
            ("GET", "/nothing", [], None, 404), ("GET", session, [("Accept", "text/html")], None, 406),
            ("POST", f"{session}/back", JSON, b"{", 400), ("POST", f"{session}/back", JSON, b"[]", 422),
            ("POST", f"{session}/back", JSON, b'{"x":1}', 422), ("GET", f"{session}?revision=99", [], None, 410),
            ("POST", "/v1/sessions", JSON, b'{"id":"%s"}' % session.rsplit("/", 1)[1].encode(), 409)]:
        answer = world.ask(method, path, fields, body)
        same(answer.status, status, f"{method} {path}")
        value = problem(answer)
        same(value["instance"], path.partition("?")[0])
        # §3.1.1: who follows the type finds its documentation.
        same(world.ask("GET", value["type"]).status, 200, value["type"])


# RFC 7240

@case("7240 §2, §3 wishes are followed and named, unknown ones are nothing")
def prefer(world):
    session, _ = world.session()
    for lines, minimal, applied in [
            ([], False, None), (["return=minimal"], True, "return=minimal"), (["Return=\"Minimal\""], True, "return=minimal"),
            (["return = minimal ; foo=\"some value\""], True, "return=minimal"), (["x, return=minimal"], True, "return=minimal"),
            (["return=representation"], False, "return=representation"),
            (["return=minimal", "return=representation"], True, "return=minimal"),
            (["return=representation, return=minimal"], False, "return=representation"),
            # §2: the first counts, whatever it says.
            (["return=x, return=minimal"], False, None), (["respond-async"], False, None), ([""], False, None),
            ([",, handling=lenient,"], False, "handling=lenient")]:
        answer = world.ask("POST", f"{session}/navigate", [*JSON, *(("Prefer", line) for line in lines)], b'{"route":"r"}')
        same(answer.status, 200, lines)
        same(("session" not in answer.json, answer["preference-applied"]), (minimal, applied), lines)
    strict = world.ask("POST", f"{session}/undo", [*JSON, ("Prefer", "handling=strict")], b'{"count":1}')
    same(strict.status, 200)
    empty, _ = world.session()
    same(world.ask("POST", f"{empty}/undo", [("Prefer", "handling=strict")]).status, 409)
    same(world.ask("POST", f"{empty}/undo", [("Prefer", "handling=lenient")]).status, 200)


@case("7240 §4.3 wait: 304 when the time is up, 412 at once if If-Match is false")
def wait(world):
    session, tag = world.session()
    begun = time.monotonic()
    answer = world.ask("GET", session, [("Prefer", "wait=1"), ("If-None-Match", tag)])
    same((answer.status, answer["etag"]), (304, tag))
    assert 0.8 < time.monotonic() - begun < 5
    both = [("Prefer", "wait=9"), ("If-None-Match", tag), ("If-Match", '"x"')]
    begun = time.monotonic()
    same(world.ask("GET", session, both).status, 412)
    assert time.monotonic() - begun < 5


# Fetch: CORS

@case("Fetch §3.2 CORS: an origin is named once, with Vary, on every answer")
def cors(world):
    session, tag = world.session(world.cors)
    for method, path, fields in [("GET", session, []), ("GET", "/nothing", []), ("GET", "/livez", []),
                                 ("GET", session, [("If-None-Match", tag)]), ("POST", f"{session}/back", []),
                                 ("POST", f"{session}/x", []), ("OPTIONS", session, []), ("HEAD", f"{session}/events", [])]:
        answer = world.ask(method, path, [("Origin", ORIGIN), *fields], server=world.cors)
        same(answer.all("access-control-allow-origin"), [ORIGIN], f"{method} {path}")
        assert "origin" in answer.list("vary"), f"{method} {path}"
        answer = world.ask(method, path, fields, server=world.cors)
        same(answer["access-control-allow-origin"], None)
        assert "origin" in answer.list("vary"), f"9110 §12.5.5 {method} {path} without Origin"
    for origin in ("https://x.example", "null", ORIGIN + ".x", ORIGIN + ":81"):
        answer = world.ask("GET", session, [("Origin", origin)], server=world.cors)
        same(answer["access-control-allow-origin"], None, origin)
        same(world.ask("POST", f"{session}/back", [("Origin", origin)], server=world.cors).status, 403, origin)


@case("Fetch §3.2.2 preflight: each field once")
def preflight(world):
    fields = [("Origin", ORIGIN), ("Access-Control-Request-Method", "PATCH"), ("Access-Control-Request-Headers", "if-match")]
    answer = world.ask("OPTIONS", "/v1/sessions/a", fields, server=world.cors)
    same(answer.status, 204)
    same(answer.all("access-control-allow-origin"), [ORIGIN])
    assert "patch" in answer.list("access-control-allow-methods") and "if-match" in answer.list("access-control-allow-headers")
    assert {"origin", "access-control-request-method", "access-control-request-headers"} <= set(answer.list("vary"))
    same(answer["access-control-allow-credentials"], None)


# Limits and times

@case("9110 §15.6.4, §10.2.3 Retry-After is seconds")
def retryAfter(world):
    with tempfile.TemporaryDirectory(prefix="navstate-conformance-") as folder:
        with Server(world.executable, f"{folder}/data", "--rate-limit", "1:2") as server:
            answers = [world.ask("GET", "/livez", server=server) for _ in range(5)]
            last = answers[-1]
            same(last.status, 429)
            assert last["retry-after"].isdigit() and "no-store" in last.list("cache-control")
            problem(last)
            server.end()


@case("9110 §5.5 what a client sends never ends a line of the answer")
def injection(world):
    for path in ("/v1/sessions/a%0d%0aX:y", "/v1/sessions?q=%0d%0aX:%20y", "/nothing%0d%0aX:y"):
        answer = world.ask("GET", path, [("X-Request-Id", "a b\tc")])
        same(answer.status, 400, path)
        same(answer["x"], None)
        assert re.fullmatch("[0-9a-f]{16}", answer["x-request-id"]), "the id is not one of the server's own"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--only", default="", help="cases whose names have this")
    options = parser.parse_args()
    results = Case()
    with tempfile.TemporaryDirectory(prefix="navstate-conformance-") as folder:
        world = World(options.server, folder)
        world.executable = options.server
        try:
            for name, body in CASES:
                if options.only in name: results.run(name, lambda: body(world))
            results.run("the servers end in order", lambda: same([s.end() for s in world.servers], [0, 0, 0]))
        finally:
            for server in world.servers: server.__exit__()
    print(f"{results.passed} passed, {results.failed} failed")
    sys.exit(1 if results.failed else 0)


if __name__ == "__main__":
    main()
