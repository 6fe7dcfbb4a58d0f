#!/usr/bin/env python3
"""Hostile clients against a running server, and what the others notice of them.

    hostile_test.py --server .build/release/navstate [--full]

Starts servers of its own on free ports of 127.0.0.1 and ends them. Without --full it takes less
than a minute. Ends with a line "N passed, N failed", and with 1 if anything failed.
"""
import argparse, contextlib, json, os, pathlib, resource, select, shutil, signal, socket, struct
import subprocess, sys, tempfile, threading, time

passed, failed = 0, 0


def check(name, good, note=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
    if not good or note:
        print(f"{'ok  ' if good else 'FAIL'} {name}  {note}", flush=True)


class Server:
    def __init__(self, path, *options, descriptors=None):
        self.folder = tempfile.mkdtemp(prefix="navstate-hostile-")
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))) \
            if descriptors else None
        self.process = subprocess.Popen(
            [path, "--listen", "127.0.0.1:0", "--data", self.folder + "/data", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limit)
        self.port = None
        while self.port is None:
            line = self.process.stderr.readline().decode()
            if not line: raise SystemExit("the server did not start")
            if '"address"' in line:
                self.port = int(line.split("127.0.0.1:")[1].split('"')[0])
            else:
                print(line, end="")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def connect(self, timeout=10):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def memory(self, kind="VmRSS"):
        """Kilobytes that are resident; VmHWM: that were at the most."""
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(l.split()[1]) for l in file if l.startswith(kind))

    def sockets(self):
        """The descriptors of sockets. The store opens and closes files at times of its own."""
        folder, found = f"/proc/{self.process.pid}/fd", []
        for number in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError):
                if os.readlink(f"{folder}/{number}").startswith("socket:"): found.append(number)
        return sorted(found)

    def settled(self, count, seconds=20):
        """Whether no more than so many sockets are open at some moment, and which are open. The
        server learns of the end of a connection in a later turn."""
        end = time.monotonic() + seconds
        while len(found := self.sockets()) > count and time.monotonic() < end:
            time.sleep(0.02)
        return len(found) <= count, f"{count} -> {len(found)}: " + ", ".join(found)

    def turns(self):
        """Turns of the event loop so far. A loop that spins takes ten thousands in a second, also
        on a machine that is busy with other things; one that waits takes a few."""
        with self.connect() as client:
            page = get(client, "/metrics").decode()
        name = "navstate_loop_turn_duration_seconds_count "
        return next(int(line.removeprefix(name)) for line in page.splitlines() if line.startswith(name))

    def is_well(self):
        try:
            with self.connect(3) as client:
                return get(client, "/readyz").startswith(b"HTTP/1.1 200")
        except OSError:
            return False

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        return code


@contextlib.contextmanager
def serving(*arguments, **options):
    server = Server(*arguments, **options)
    try:
        yield server
    finally:
        code = server.stop()
        check("the server ends in order", code == 0, "" if code == 0 else f"exit code {code}")


def read_answer(client):
    """One answer with a Content-Length, or what came before the end."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(65536)
        if not more:
            return data
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        more = client.recv(65536)
        if not more:
            break
        body += more
    return head + b"\r\n\r\n" + body


def get(client, path):
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return read_answer(client)


def read_all(client):
    data = b""
    try:
        while True:
            more = client.recv(65536)
            if not more:
                return data
            data += more
    except OSError:
        return data


def make_session(server, name, filler=0):
    params = json.dumps({"route": "r", "params": {"f": "x" * filler}}).encode()
    with server.connect() as client:
        body = json.dumps({"id": name}).encode()
        client.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       b"application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        read_answer(client)
        if filler:
            for _ in range(14):
                client.sendall(b"POST /v1/sessions/%s/navigate HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                               % (name.encode(), len(params)) + params)
                read_answer(client)


# Refused messages, and their statuses. Nothing behind the message may be answered.

SMUGGLED = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"

REFUSED = [
    ("length and chunks", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("chunks and length", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
    ("two lengths", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
    ("two equal lengths", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello"),
    ("a list of lengths", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5, 5\r\n\r\nhello"),
    ("a signed length", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: +5\r\n\r\nhello"),
    ("a hexadecimal length", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0x5\r\n\r\nhello"),
    ("a negative length", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
    ("an empty length", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: \r\n\r\n"),
    ("a length beyond 64 bits", 413, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999999\r\n\r\n"),
    ("a terabyte", 413, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1099511627776\r\n\r\n"),
    ("chunked twice", (400, 501), b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
    ("two codings", (400, 501), b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ("two lines of codings", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
    ("xchunked", (400, 501), b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
    ("a tab in chunked", (400, 501), b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n"),
    ("a blank before the colon", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    ("a folded line", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"),
    ("chunks in 1.0", 400, b"POST / HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("a bare line feed", 400, b"GET / HTTP/1.1\nHost: localhost\n\n"),
    ("a bare carriage return", 400, b"GET / HTTP/1.1\r\nHost: localhost\rX: y\r\n\r\n"),
    ("a nul in a value", 400, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"),
    ("a signed chunk", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n"),
    ("a chunk of 0x", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n"),
    ("a chunk beyond 64 bits", (400, 413), b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
    ("a huge chunk", 413, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n"),
    ("a chunk with other bytes behind", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n"),
    ("a chunk line with a bare line feed", 400, b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello\r\n0\r\n\r\n"),
    ("two hosts", 400, b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n"),
    ("no host", 400, b"GET / HTTP/1.1\r\n\r\n"),
    ("a host with a user", 400, b"GET / HTTP/1.1\r\nHost: a@localhost\r\n\r\n"),
    ("HTTP/2's preface", 505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    ("HTTP/0.9", 400, b"GET /\r\n\r\n"),
    ("a long target", 414, b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("a long field", 431, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 40000 + b"\r\n\r\n"),
    ("many fields", 431, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 200 + b"\r\n"),
    ("an unknown method", 501, b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("TLS", 400, bytes.fromhex("16030100c8010000c40303") + b"\0" * 60),
]


def refusals(server):
    for name, status, message in REFUSED:
        with server.connect() as client:
            client.sendall(message + SMUGGLED)
            answer = read_all(client)
        wanted = status if isinstance(status, tuple) else (status,)
        first = answer.split(b"\r\n", 1)[0]
        good = any(first.startswith(b"HTTP/1.1 %d" % s) for s in wanted)
        alone = answer.count(b"\r\nDate: ") == 1 and b"connection: close" in answer.lower()
        check(f"refused: {name}", good and alone and b"problem+json" in answer,
              "" if good and alone else f"{first} {answer.count(b'Date: ')} answers")


def aborts(server):
    """Gone in every phase, in order and with a reset."""
    whole = (b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             b"Content-Length: 2\r\n\r\n{}")
    before = len(server.sockets())
    for resets in (False, True):
        for end in list(range(0, len(whole) + 1, 3)) + [len(whole)]:
            client = server.connect()
            if resets:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.sendall(whole[:end])
            client.close()
    check("no socket is left of aborted connections", *server.settled(before))
    check("well after aborts", server.is_well())


def half_closed(server):
    with server.connect() as client:
        client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n" * 300)
        client.shutdown(socket.SHUT_WR)
        check("who ended his side gets all his answers",
              read_all(client).count(b"HTTP/1.1 200") == 300)


def long_answers(server):
    """Long answers, pipelined and read in small pieces, arrive whole and in their order."""
    make_session(server, "long", filler=60000)
    make_session(server, "short")
    with server.connect() as client:
        long, short = get(client, "/v1/sessions/long"), get(client, "/v1/sessions/short")
    check("a long session is long", len(long) > 800_000, "" if len(long) > 800_000 else str(len(long)))
    bodies = {b"long": long.partition(b"\r\n\r\n")[2], b"short": short.partition(b"\r\n\r\n")[2]}
    asked = [(b"GET", b"long"), (b"GET", b"short"), (b"HEAD", b"long"), (b"GET", b"long"),
             (b"GET", b"short"), (b"GET", b"short"), (b"GET", b"long"), (b"GET", b"long")] * 2
    for piece, end in [(1 << 16, b""), (3000, b""), (1 << 20, b"Connection: close\r\n")]:
        with server.connect(60) as client:
            for number, (method, name) in enumerate(asked):
                last = end if number + 1 == len(asked) else b""
                client.sendall(b"%s /v1/sessions/%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
                               % (method, name, last))
            data, right = b"", True
            for method, name in asked:
                while b"\r\n\r\n" not in data:
                    data += client.recv(piece)
                head, _, data = data.partition(b"\r\n\r\n")
                body = bodies[name]
                right = right and head.startswith(b"HTTP/1.1 200 OK") \
                    and b"Content-Length: %d" % len(body) in head
                wanted = len(body) if method == b"GET" else 0
                while len(data) < wanted:
                    data += client.recv(piece)
                right = right and data[:wanted] == (body if wanted else b"")
                data = data[wanted:]
            if end:
                right = right and data + client.recv(1) == b""
            check(f"long answers in pieces of {piece}", right and data == b"")


def deadlines(server, full):
    """Drips do not set a deadline back. The head's is 10 s, so this takes as long."""
    drips = [server.connect(20) for _ in range(50)]
    bodies = [server.connect(20) for _ in range(50)]
    for client in bodies:
        client.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                       b"application/json\r\nContent-Length: 1000000\r\n\r\n{")
    for client in drips:
        client.sendall(b"GET /")
    begun = time.monotonic()
    timed_out = 0
    while time.monotonic() - begun < 13 and (drips or bodies):
        for group in (drips, bodies):
            for client in list(group):
                readable, _, _ = select.select([client], [], [], 0)
                if readable:
                    answer = read_all(client)
                    timed_out += answer.startswith(b"HTTP/1.1 408")
                    client.close()
                    group.remove(client)
                    continue
                try:
                    client.send(b"a")
                except OSError:
                    pass
        time.sleep(0.25)
    check("dripping heads and bodies are told 408 and closed", not drips and not bodies
          and timed_out >= 95, f"{timed_out} of 100")


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))]


class Probe(threading.Thread):
    """A well-behaved client; what it waits is what others notice."""

    def __init__(self, server, path="/v1/sessions/probe", seconds=2.0):
        super().__init__()
        self.server, self.path, self.length, self.times = server, path, seconds, []

    def run(self):
        with self.server.connect() as client:
            end = time.monotonic() + self.length
            while time.monotonic() < end:
                begun = time.monotonic()
                if not get(client, self.path).startswith(b"HTTP/1.1 200"):
                    self.times.append(10)
                    return
                self.times.append(time.monotonic() - begun)
                time.sleep(0.001)




HOSTILE = str(pathlib.Path(__file__).with_name("hostile_client.py"))
KINDS = ["slow-heads", "never-reads", "bodies", "connects", "garbage", "pipeline"]


def neighbours(server, full):
    """Beside a hostile client nobody is held up.

    A server that serves a client until it wants nothing more, or that waits for one, answers
    others after seconds or not at all. The bound is far above what a busy machine adds;
    `Benchmarks/run.py --only neighbours` measures.
    """
    make_session(server, "probe")
    make_session(server, "large", filler=60000)
    seconds = 4.0 if full else 1.5

    def measure():
        probe = Probe(server, seconds=seconds)
        probe.start()
        probe.join()
        return percentile(probe.times, 0.99) * 1e6, percentile(probe.times, 0.5) * 1e6

    measure()
    for kind in KINDS:
        quiet, quiet_half = measure()
        hostile = subprocess.Popen([sys.executable, HOSTILE, str(server.port), kind],
                                   stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        loud, loud_half = measure()
        hostile.kill()
        hostile.wait()
        note = f"p99 {quiet:.0f} -> {loud:.0f} us, median {quiet_half:.0f} -> {loud_half:.0f} us"
        check(f"others beside: {kind}", loud < 250_000, note)
    check("well after hostile neighbours", server.is_well())


def idle(path, count):
    """Many idle connections: what each costs, and that nobody burns time for them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(count, hard - 200)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 200), hard))
    with serving(path) as server:
        server.is_well()
        before = server.memory()
        clients = []
        for _ in range(count):
            client = server.connect()
            clients.append(client)
        for client in clients:
            client.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for client in clients:
            client.recv(4096)
        each = (server.memory() - before) * 1024 / count
        check(f"{count} idle connections take less than 1.5 KiB each", each < 1536,
              f"{each:.0f} bytes each")
        before = server.turns()
        time.sleep(1)
        turns = server.turns() - before
        check("idle connections do not wake the server", turns < 200, f"{turns} turns in 1 s")
        check("one more is served at once", server.is_well())
        for client in clients:
            client.close()


def limits(path):
    with serving(path, "--connections-max", "50") as server:
        clients = [server.connect() for _ in range(40)]
        for client in clients:
            get(client, "/livez")
        late = [server.connect(3) for _ in range(30)]
        good = sum(get(client, "/livez").startswith(b"HTTP/1.1 200") for client in late)
        check("at the limit idle connections make room", good == 30, f"{good} of 30 served")
        for client in clients + late:
            client.close()
        # All places are taken by unfinished heads, which make room after 2 s.
        before = server.turns()
        stuck = [server.connect(20) for _ in range(50)]
        for client in stuck:
            client.sendall(b"GET / HT")
        time.sleep(0.2)
        waiting = server.connect(5)
        waiting.sendall(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(0.5)
        stuck.pop().close()
        check("a place that comes free is given on",
              read_answer(waiting).startswith(b"HTTP/1.1 200"))
        turns = server.turns() - before
        check("the limit is kept without spinning", turns < 2_000, f"{turns} turns")
        late = [server.connect(5) for _ in range(30)]
        good = sum(get(client, "/livez").startswith(b"HTTP/1.1 200") for client in late)
        check("slow requests make room", good == 30, f"{good} of 30 served")
        for client in stuck + [waiting] + late:
            client.close()
    with serving(path, descriptors=200) as server:
        before = server.turns()
        clients = []
        for _ in range(300):
            client = server.connect(3)
            client.sendall(b"GET / HT")
            clients.append(client)
        time.sleep(1.5)
        for client in clients:
            client.close()
        check("it recovers when descriptors are there again", server.is_well())
        turns = server.turns() - before
        check("without descriptors the server does not spin", turns < 3_000, f"{turns} turns")
        clients = [server.connect(3) for _ in range(300)]
        good = 0
        for client in clients[-50:]:
            try:
                good += get(client, "/livez").startswith(b"HTTP/1.1 200")
            except OSError:
                pass
        check("without descriptors idle connections make room", good == 50, f"{good} of 50")
        for client in clients:
            client.close()


def rates(path):
    if b"--rate-limit" not in subprocess.run([path, "help"], capture_output=True).stdout:
        return print("left out: rate limits, for there is no option")
    with serving(path, "--rate-limit", "20:40") as server:
        with server.connect() as client:
            answers = [get(client, "/livez") for _ in range(100)]
            good = sum(a.startswith(b"HTTP/1.1 200") for a in answers)
            refused = [a for a in answers if a.startswith(b"HTTP/1.1 429")]
            check("a rate limit gives its burst and then 429", 40 <= good <= 60
                  and len(refused) == 100 - good, f"{good} of 100")
            check("429 says when to come again", all(b"Retry-After: 1" in a for a in refused))
            time.sleep(1.1)
            check("and then it goes on", get(client, "/livez").startswith(b"HTTP/1.1 200"))


def weight(path):
    """Unfinished bodies of a MiB each: what they may take together is bounded."""
    with serving(path) as server:
        before = server.memory()
        clients = []
        body = b"x" * (1 << 20)
        for _ in range(400):
            client = server.connect()
            client.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                           b"application/json\r\nContent-Length: 1048576\r\n\r\n")
            try:
                client.sendall(body[:-1])
            except OSError:
                pass
            clients.append(client)
        time.sleep(0.5)
        more = (server.memory() - before) / 1024
        check("unfinished bodies are bounded all together", more < 400, f"{more:.0f} MiB")
        check("others are served meanwhile", server.is_well())
        for client in clients:
            client.close()


def backlogs(path):
    """Streams that nobody reads: what waits for all of them together is bounded."""
    with serving(path, "--buffered-max", "8MiB") as server:
        before = server.memory()
        clients = []
        for _ in range(50):
            client = socket.socket()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            client.connect(("127.0.0.1", server.port))
            client.sendall(b"GET /v1/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
            clients.append(client)
        for number in range(5):
            make_session(server, f"wide{number}", 60_000)
        more = (server.memory("VmHWM") - before) / 1024
        check("streams that nobody reads are bounded all together", more < 100, f"{more:.0f} MiB")
        check("others are served beside unread streams", server.is_well())
        for client in clients:
            client.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    begun = time.monotonic()
    with serving(options.server) as server:
        refusals(server)
        aborts(server)
        half_closed(server)
        long_answers(server)
        drip = threading.Thread(target=deadlines, args=(server, options.full))
        drip.start()
        limits(options.server)
        rates(options.server)
        drip.join()
        neighbours(server, options.full)
    idle(options.server, 10_000 if options.full else 3_000)
    weight(options.server)
    backlogs(options.server)
    print(f"{passed} passed, {failed} failed  ({time.monotonic() - begun:.0f} s)")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
