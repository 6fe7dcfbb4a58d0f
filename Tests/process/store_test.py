#!/usr/bin/env python3
"""The real server on disks that fail, fill up, are slow or damaged.

    store_test.py [--server .build/release/navstate] [--long] [--only WORD] [--seed N]

Every case writes with a few clients, lets something happen, and looks whether a new start has all
that was acknowledged. What needs strace(1) or root is skipped without. `kill_test.py` is the plain
kill in a loop, `shutdown_test.py` the power cut; --long runs them as well.
"""
import argparse, email.utils, os, pathlib, random, re, shutil, signal, subprocess, sys, tempfile, threading, time
from harness import *

NAMES = ["a", "b", "c", "d"]
SMALL = "--segment-size=1MiB"


class Room:
    """One case's directory and oracle."""

    def __init__(self, options, root=None):
        self.exe = options.server
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="navstate-store-", dir=root))
        self.data = self.root / "data"
        self.oracle = Oracle()

    def server(self, *options, **more): return Server(self.exe, self.data, *options, **more)

    def verb(self, *words, **more):
        return subprocess.run(
            [self.exe, *map(str, words)], capture_output=True, text=True, timeout=120, **more)

    def __enter__(self): return self

    def __exit__(self, *_): shutil.rmtree(self.root, ignore_errors=True)

    def write(self, seconds, *options, names=NAMES, **more):
        """A short life with a clean end."""
        with self.server(*options) as server:
            self.oracle.learn(self.oracle.write(server, names, seconds, **more))
            assert server.end() == 0, server.text

    def look(self, *options, but=()):
        """Starts again without faults and compares; what the start said."""
        with self.server(*options) as server:
            assert server.port, f"exit {server.code}: {server.text}"
            self.oracle.look(server, but)
            assert server.end() == 0, server.text
            return server.text


def strace_needed():
    if not shutil.which("strace"): raise Skip("there is no strace")


def root_needed():
    if os.geteuid() != 0: raise Skip("needs root")


# MARK: Calls that fail

def failing(options, call, error, place):
    """One call of the kernel fails once; returns what became of the server."""
    strace_needed()
    with Room(options) as room:
        room.write(0.1, SMALL)
        fault = ["-e", f"trace={call}", "-e", f"inject={call}:{error}:when={place}"]
        with room.server(SMALL, fault=fault) as server:
            if server.port is None:
                code, refusals = server.code, {}
            else:
                writers = room.oracle.write(server, NAMES, 2 if options.long else 0.5, bytes=3000)
                hasEnded = not any(writer.is_alive() for writer in writers)
                room.oracle.learn(writers)
                refusals = {}
                for writer in writers: refusals.update(writer.refusals)
                code = server.process.wait(10) if hasEnded else None
            said = server.text
            if code is None: server.kill()
        try: room.look(SMALL)
        except AssertionError as wrong: raise AssertionError(f"{call}:{error}:{place}: {wrong}")
        return code, refusals, said


def sync_fails(options):
    """fdatasync fails once, at many places: the server ends with 70 and nothing is lost."""
    places = range(1, 80) if options.long else [1, 2, 3, 5, 8, 30, 200]
    ended, refused = 0, 0
    for place in places:
        code, refusals, said = failing(options, "fdatasync", "error=EIO", place)
        assert code in (None, 70, 73), f"place {place}: exit {code}: {said}"
        if place >= 5: assert code == 70 and "fdatasync" in said, f"place {place}: {code} {said}"
        ended += code == 70
        refused += 503 in refusals
    return f"{len(places)} places, {ended} ends with 70, {refused} with answers of 503"


def full_once(options):
    """A write finds no room once: 507, and when there is room writes go on."""
    strace_needed()
    places = [7, 20, 60, 100, 300] if options.long else [20, 100]
    for place in places:
        with Room(options) as room:
            fault = ["-e", "trace=pwrite64", "-e",
                     f"inject=pwrite64:error=ENOSPC:when={place}"]
            with room.server(SMALL, fault=fault) as server:
                assert server.port, server.text
                writers = room.oracle.write(
                    server, NAMES, 15, until=lambda ws: all(w.recovered > 3 for w in ws))
                room.oracle.learn(writers)
                assert any(507 in w.refusals for w in writers), f"place {place}: no 507"
                assert any(w.recovered for w in writers), "writes did not go on"
                room.oracle.look(server)
                server.kill()
            room.look(SMALL)
    return f"{len(places)} places"


def full_for_readers(options):
    """While writes find no room now and then, every read is answered with what is durable."""
    strace_needed()
    with Room(options) as room:
        fault = ["-e", "trace=pwrite64", "-e", "inject=pwrite64:error=ENOSPC:when=40+40"]
        with room.server(SMALL, fault=fault) as server:
            assert server.port, server.text
            for name in NAMES: server.call("POST", "/v1/sessions", {"id": name})
            seen, done = {}, threading.Event()

            def read():
                connection = server.connect()
                while not done.is_set():
                    for path in ["/v1/sessions?limit=20", "/v1/sessions/a", "/v1/sessions/b/history"]:
                        status, _ = request(connection, "GET", path)
                        seen[status] = seen.get(status, 0) + 1

            def write(name):
                connection = server.connect()
                while not done.is_set():
                    status, _ = request(connection, "POST", f"/v1/sessions/{name}/navigate",
                                        {"route": "r", "mode": "reset"})
                    if status == 507: refused.append(name)

            refused = []
            threads = [threading.Thread(target=read, daemon=True) for _ in range(4)]
            threads += [threading.Thread(target=write, args=(name,), daemon=True) for name in NAMES]
            for thread in threads: thread.start()
            time.sleep(20 if options.long else 5)
            done.set()
            for thread in threads: thread.join(10)
            assert refused, "no change was refused, so this shows nothing"
            assert set(seen) == {200}, seen
            server.kill()
        return f"{sum(seen.values())} reads, {len(refused)} changes refused"


def half_restore(options):
    """A restore that is killed is no store, also with --recover."""
    with Room(options) as room:
        with room.server(SMALL) as server:
            room.oracle.learn(room.oracle.write(server, NAMES, 0.5, bytes=1500))
            copy = server.call("GET", "/v1/backup")[1]
            assert server.end() == 0, server.text
        target = room.root / "half"
        process = subprocess.Popen(
            [options.server, "restore", "-", "--data", target], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL)
        process.stdin.write(copy[:len(copy) * 2 // 3])
        process.stdin.flush()
        end = time.monotonic() + 20
        while time.monotonic() < end and not (target / "log").exists(): time.sleep(0.01)
        process.kill()
        process.wait()
        process.stdin.close()
        for words in [[], ["--recover"]]:
            with Server(options.server, target, *words) as server:
                assert server.port is None and server.code == 74, server.text
                assert "restore" in server.text, server.text
        checked = room.verb("check", "--data", target)
        assert checked.returncode == 74 and "restore" in checked.stderr, checked
        again = room.verb("restore", "-", "--data", target, input=copy.decode())
        assert again.returncode == 73, again


def damage_is_told(options):
    """A file that is damaged under the server: told once, the others served, no whole backup."""
    with Room(options) as room:
        with room.server(SMALL, "--cache=1MiB") as server:
            for number in range(400):
                status, _ = server.call("POST", "/v1/sessions", {"id": f"s{number}"})
                assert status == 201
                server.call("POST", f"/v1/sessions/s{number}/navigate",
                            {"route": "r", "params": {"x": "y" * 5000}})
            file = logs(room.data)[0]
            content = file.read_bytes()
            place = content.index(b'"id":"s3","rev":2')
            with open(file, "r+b") as changed:
                changed.seek(place + 300)
                changed.write(bytes([content[place + 300] ^ 1]))
            for _ in range(3): assert server.call("GET", "/v1/sessions/s3")[0] == 503
            assert server.call("GET", "/v1/sessions/s4")[0] == 200
            status, page = server.call("GET", "/v1/sessions?limit=50&q=s3")
            assert status == 200 and page["damaged"] == ["s3"] and page["sessions"], page
            status, ready = server.call("GET", "/readyz")
            assert status == 200 and b"damaged files: 1" in ready, ready
            metrics = server.call("GET", "/metrics")[1].decode()
            assert "navstate_store_damaged_files 1" in metrics, metrics
            try:
                copy = server.call("GET", "/v1/backup")[1]
                assert False, f"{len(copy)} bytes came as if they were all"
            except (http.client.IncompleteRead, ConnectionError):
                pass
            assert server.text.count(file.name) <= 2 and "damaged" in server.text, server.text
            server.kill()
        with room.server(SMALL) as server: assert server.code == 74, server.text


def full_start(options):
    """A server that was killed starts on a full disk, serves reads and deletions, then changes."""
    root_needed()
    with Room(options) as room, Mount(str(room.data), "-t", "tmpfs", "-o", "size=12m", "none"):
        with room.server(SMALL) as server:
            room.oracle.learn(room.oracle.write(server, NAMES, 0.5, bytes=1000))
            assert server.call("POST", "/v1/sessions", {"id": "gone"})[0] == 201
            time.sleep(0.3)
            server.kill()
        fill(room.data / "ballast")
        with room.server(SMALL) as server:
            assert server.port, server.text
            room.oracle.look(server)
            assert server.call("DELETE", "/v1/sessions/gone")[0] == 204
            # The start and the compaction give room back, which is filled like the rest.
            for attempt in range(50):
                fill(room.data / "ballast")
                status, _ = server.call("POST", "/v1/sessions", {"id": f"filler-{attempt}"})
                if status == 507: break
            assert status == 507, server.text
            server.kill()
        with room.server(SMALL) as server:
            assert server.port, server.text
            assert server.call("GET", "/v1/sessions/gone")[0] == 404
            (room.data / "ballast").unlink()
            end = time.monotonic() + 10
            while time.monotonic() < end:
                status, _ = server.call("POST", "/v1/sessions", {"id": "new"})
                if status == 201: break
                time.sleep(0.1)
            assert status == 201, server.text
            assert server.end() == 0
        room.look(SMALL, but=("new",))


def writes_fail(options):
    """pwrite64 fails with EIO, and calls around the log fail: nothing acknowledged is lost."""
    faults = [("pwrite64", "error=EIO"), ("fallocate", "error=ENOSPC"), ("fallocate", "error=EIO"),
              ("ftruncate", "error=EIO"), ("fsync", "error=EIO"), ("openat", "error=EMFILE"),
              ("rename", "error=EIO"), ("pread64", "error=EIO")]
    places = [1, 2, 3, 4, 5, 7, 10, 20, 50] if options.long else [2, 9]
    codes = {}
    for call, error in faults:
        for place in places:
            code, _, said = failing(options, call, error, place)
            assert code in (None, 1, 69, 70, 73, 74, 127), f"{call} {place}: exit {code}: {said}"
            if call == "pwrite64" and place >= 7:
                assert code == 70, f"{call} {place}: exit {code}: {said}"
            codes[code] = codes.get(code, 0) + 1
    return ", ".join(f"exit {c}: {n}" if c is not None else f"went on: {n}"
                     for c, n in sorted(codes.items(), key=str))


def no_arguments(options):
    """A program that cannot read its arguments starts no server with the defaults."""
    strace_needed()
    with Room(options) as room:
        room.data.mkdir(exist_ok=True)
        said = []
        for place in range(1, 100):
            done = subprocess.run(
                ["strace", "-o", "/dev/null", "-e", "trace=openat", "-e",
                 f"inject=openat:error=EMFILE:when={place}", pathlib.Path(room.exe).resolve(),
                 "--version"],
                cwd=room.data, capture_output=True, text=True, timeout=10)
            said.append(done.stderr if done.returncode else "")
        told = sum("the arguments cannot be read" in text for text in said)
        assert told, "no place was the one of the arguments"
        return f"told at {told} of {len(said)} places"


def no_times_asked(options):
    """Nothing asks for the times of the log while it grows: the next sync would write them, too."""
    strace_needed()
    with Room(options) as room:
        trace = room.root / "calls"
        calls = "trace=fdatasync,fstat,newfstatat,statx"
        with room.server(fault=["-y", "-o", str(trace), "-e", calls]) as server:
            room.oracle.learn(room.oracle.write(server, NAMES, 0.3))
            assert server.end() == 0, server.text
        lines = [line for line in trace.read_text().splitlines() if ".jsonl>" in line]
        syncs = [place for place, line in enumerate(lines) if "fdatasync(" in line]
        names = [line for line in lines if "STATX_NLINK" in line]
        assert len(syncs) > 20 and len(names) >= len(syncs) - 2, (len(syncs), len(names))
        others = [line for line in lines[syncs[2]:syncs[-2]]
                  if "fdatasync" not in line and "STATX_NLINK" not in line]
        assert not others, others[0]
        return f"{len(syncs)} syncs"


def killed_in_calls(options):
    """SIGKILL inside a call: before it the lines are not there, behind it they are."""
    calls = ["fdatasync", "pwrite64", "fallocate", "fsync", "ftruncate", "rename", "unlink"]
    places = [1, 2, 3, 5, 9, 17, 33, 65, 129] if options.long else [1, 3, 17]
    kills = {}
    for call in calls:
        for place in places:
            code, _, _ = failing(options, call, "signal=KILL", place)
            if code == -9: kills[call] = kills.get(call, 0) + 1
    # Which of the rarer calls come in so short a time depends on the machine.
    assert kills.get("fdatasync") and kills.get("pwrite64"), kills
    return ", ".join(f"{call}: {count}" for call, count in kills.items())


# MARK: Slow syncs

def nothing_is_shown_early(options):
    """A sync takes 300 ms: no answer, read, list or event shows the change before it is over."""
    strace_needed()
    with Room(options) as room:
        fault = ["-e", "trace=fdatasync", "-e", "inject=fdatasync:delay_enter=300000"]
        with room.server(fault=fault) as server:
            server.call("POST", "/v1/sessions", {"id": "a"})
            stream = server.connect()
            stream.request("GET", "/v1/sessions/a/events",
                           headers={"Accept": "application/x-ndjson"})
            events, seen = stream.getresponse(), {}
            events.fp.readline()
            for round in range(2, 5 if not options.long else 20):
                time.sleep(0.7)
                begun, told = time.monotonic(), threading.Event()

                def ask(kind, method, path, body=None, shows=lambda value: True):
                    while not told.is_set():
                        status, value = server.call(method, path, body)
                        if shows(value):
                            seen.setdefault(kind, []).append(time.monotonic() - begun)
                            return

                def listen():
                    while True:
                        line = events.fp.readline()
                        if f'"revision":{round}'.encode() in line:
                            seen.setdefault("event", []).append(time.monotonic() - begun)
                            return

                def beside():
                    """Reads of something else, counted while the change waits for its sync."""
                    reads = 0
                    while not told.is_set():
                        server.call("GET", "/v1/sessions/none")
                        reads += 1
                    seen.setdefault("beside", []).append(reads)

                reads = [
                    threading.Thread(target=ask, args=args, daemon=True) for args in [
                        ("change", "POST", "/v1/sessions/a/navigate",
                         {"route": f"r{round}", "mode": "reset"}),
                        ("read", "GET", "/v1/sessions/a", None,
                         lambda v: v["revision"] == round),
                        ("list", "GET", "/v1/sessions", None,
                         lambda v: f"r{round}" in str(v) or f"'revision': {round}" in str(v)),
                    ]] + [threading.Thread(target=listen, daemon=True)]
                other = threading.Thread(target=beside, daemon=True)
                for thread in reads + [other]: thread.start()
                for thread in reads: thread.join(5)
                told.set()
                other.join(5)
            server.kill()
        for kind in ("change", "read", "list", "event"):
            assert len(seen.get(kind, [])) >= 3, f"{kind}: {seen}"
            assert min(seen[kind]) >= 0.29, f"{kind} after {min(seen[kind])} s"
        # If other reads waited for the disk, each would take a sync, and there would be two or three.
        assert min(seen["beside"]) > 5, f"other reads beside a sync: {seen['beside']}"
        return f"at least {min(seen['beside'])} other reads beside each change"


# MARK: A full disk

def fill(path):
    """A file that takes all the room there is."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        while True: os.write(file, bytes(4096))
    except OSError: pass
    finally: os.close(file)


def full_disk(options):
    """A small tmpfs fills up: 507, reads and deletions go on; with room again writes go on."""
    root_needed()
    with Room(options) as room, Mount(str(room.data), "-t", "tmpfs", "-o", "size=12m", "none"):
        ballast = room.data / "ballast"
        with room.server(SMALL) as server:
            assert server.port, server.text
            room.oracle.learn(room.oracle.write(server, NAMES, 0.3, bytes=1000))
            for round in range(3 if not options.long else 20):
                # Compaction gives room back, which is taken again.
                writers = room.oracle.write(
                    server, NAMES, 30, bytes=1000,
                    until=lambda ws: fill(ballast) or all(
                        w.refusals.get(507, 0) > 3 for w in ws))
                room.oracle.learn(writers)
                assert all(507 in w.refusals for w in writers), \
                    f"no 507: {[w.refusals for w in writers]}"
                room.oracle.look(server)
                for attempt in range(200):
                    fill(ballast)
                    status, value = server.call(
                        "POST", "/v1/sessions", {"id": f"more{round}-{attempt}"})
                    if status == 507: break
                assert status == 507 and value["type"] == "/problems/storage-full", value
                assert server.call("GET", "/v1/sessions")[0] == 200
                assert server.call("GET", "/readyz")[0] == 503, "it cannot store"
                ballast.unlink()
                writers = room.oracle.write(
                    server, NAMES, 10, until=lambda ws: all(w.recovered > 3 for w in ws))
                room.oracle.learn(writers)
                assert all(w.acknowledged == w.asked for w in writers), "writes did not go on"
                assert any(w.recovered for w in writers) or round, "writes were never refused"
                # On a busy machine, the writers may have filled the disk before its compaction.
                until(lambda: server.call("GET", "/readyz")[0] == 200, "it can store again")
            server.kill()
            assert "the disk is full" in server.text and "there is space on the disk again" in server.text
        room.look(SMALL)


def few_descriptors(options):
    """More clients than descriptors: the store still opens its next files."""
    with Room(options) as room, room.server(SMALL, descriptors=200) as server:
        writers = room.oracle.write(server, NAMES, 0.2, bytes=3000)
        room.oracle.learn(writers)
        files = {file.name for file in logs(room.data)}
        # The ones that have been idle longest give their places to the writers.
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(300)]
        time.sleep(0.5)
        writers = room.oracle.write(server, NAMES, 3, bytes=3000)
        room.oracle.learn(writers)
        for client in clients: client.close()
        assert not any(writer.refusals for writer in writers), [w.refusals for w in writers]
        assert len({file.name for file in logs(room.data)} - files) > 1, "no new file"
        room.oracle.look(server)
        server.kill()
        room.look(SMALL)


def no_descriptors(options):
    """Without a descriptor for the next file, changes are refused, and not as by a full disk."""
    with Room(options) as room, room.server(SMALL) as server:
        room.oracle.learn(room.oracle.write(server, NAMES, 0.2, bytes=3000))
        pid, kind = server.process.pid, resource.RLIMIT_NOFILE
        limits = resource.prlimit(pid, kind)
        connection = server.connect()
        assert request(connection, "GET", "/livez")[0] == 200
        # What is open stays open; with the first free number as the limit nothing else opens.
        held = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
        free = next(number for number in range(len(held) + 1) if number not in held)
        resource.prlimit(pid, kind, (free, limits[1]))
        body = {"route": "r", "params": {"x": "y" * 3000}, "mode": "reset"}
        path = f"/v1/sessions/{NAMES[0]}/navigate"
        for count in range(2000):
            status, value = request(connection, "POST", path, body)
            if status != 200: break
        assert (status, value["type"]) == (503, "/problems/store-unavailable"), (status, value)
        assert "next file" in value["detail"], value
        assert request(connection, "GET", f"/v1/sessions/{NAMES[0]}")[0] == 200
        resource.prlimit(pid, kind, limits)
        end = time.monotonic() + 20
        while status != 200 and time.monotonic() < end:
            time.sleep(0.1)
            status, value = request(connection, "POST", path, body)
        assert status == 200, value
        connection.close()
        assert "the disk is full" not in server.text, server.text
        assert "the next file of the log cannot be made" in server.text, server.text
        assert "the store accepts changes again" in server.text, server.text
        last = value["session"]["revision"]
        server.kill()
        with room.server(SMALL) as server:
            assert server.call("GET", f"/v1/sessions/{NAMES[0]}")[1]["revision"] == last


def no_next_file(options):
    """No next file can be made any more: 503 with the reason, reads, and an end when asked to."""
    strace_needed()
    for error in ["EIO", "EACCES", "ENFILE"]:
        with Room(options) as room:
            room.write(0.1, SMALL)
            # The main thread reserves the first file, and the one for maintenance those after it.
            fault = ["-e", "trace=fallocate", "-e", f"inject=fallocate:error={error}:when=2+"]
            with room.server(SMALL, fault=fault) as server:
                assert server.port, f"{error}: exit {server.code}: {server.text}"
                writers = room.oracle.write(
                    server, NAMES, 20, until=lambda ws: all(503 in w.refusals for w in ws), bytes=3000)
                room.oracle.learn(writers)
                assert all(w.refusals.keys() == {503} for w in writers), [w.refusals for w in writers]
                assert "the next file of the log cannot be made" in server.text, server.text
                room.oracle.look(server)
                code = server.end()
                assert code in (0, 70), f"{error}: exit {code}: {server.text}"
            room.look(SMALL)


# MARK: Time

def clock_jumps(options):
    """A wall clock that jumps while the server runs neither ends sessions early nor keeps them."""
    library = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)
    if library is None: raise Skip("there is no libfaketime")
    with Room(options) as room:
        wall = room.root / "wall"
        wall.write_text("+0")
        environment = {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(wall),
                       "FAKETIME_NO_CACHE": "1", "DONT_FAKE_MONOTONIC": "1"}
        with room.server(environment=environment) as server:

            def make(name, seconds):
                status, session = server.call(
                    "POST", "/v1/sessions", {"id": name, "ttlSeconds": seconds})
                assert status == 201
                return time.monotonic() + seconds, session

            def is_there(name): return server.call("GET", f"/v1/sessions/{name}")[0] == 200

            def check_until(name, end):
                while time.monotonic() < end - 0.3:
                    assert is_there(name), f"{name} went {end - time.monotonic():.1f} s early"
                    time.sleep(0.1)
                time.sleep(max(0, end + 1.3 - time.monotonic()))
                assert not is_there(name), f"{name} is still there"

            def date():
                connection = server.connect()
                connection.request("GET", "/livez")
                text = connection.getresponse().getheader("Date")
                connection.close()
                return email.utils.parsedate_to_datetime(text).timestamp()

            short, _ = make("short", 3)
            make("long", 3600)
            began = date()
            wall.write_text("+2h")
            assert date() - began > 7000, "the clock did not jump, so this shows nothing"
            check_until("short", short)
            assert is_there("long"), "two hours that never passed"
            wall.write_text("-5h")
            check_until("after", make("after", 2)[0])
            before = server.call("GET", "/v1/sessions/long")[1]
            assert server.end() == 0, server.text
        wall.write_text("+0")
        with room.server(environment=environment) as server:
            assert server.call("GET", "/v1/sessions/long")[1] == before
            assert server.end() == 0, server.text


# MARK: Compaction

def live_bytes(data):
    """The records that compaction must keep, from the files: the newest 33 of each session."""
    lines = {}
    for file in logs(data):
        for line in file.read_bytes().splitlines(True):
            found = re.match(rb'\{"n":(\d+),"d":\d+,"op":"put".*?"id":"([^"]+)"', line)
            if found: lines.setdefault(found[2], {})[int(found[1])] = len(line)
    return sum(size for kept in lines.values() for _, size in sorted(kept.items())[-33:])


def compaction_killed(options):
    """Files of 1 MiB under heavy writing, so that compaction always runs, and kills."""
    rounds = 40 if options.long else 6
    chance = random.Random(options.seed)
    compacted = 0
    with Room(options) as room:
        for _ in range(rounds):
            with room.server(SMALL) as server:
                assert server.port, server.text
                room.oracle.look(server)
                writers = room.oracle.write(
                    server, NAMES, chance.uniform(0.2, 2), bytes=3000)
                server.kill()
                room.oracle.learn(writers)
            compacted += sum(b'"covers"' in f.open("rb").readline() for f in logs(room.data))
        said = room.look(SMALL)
        assert compacted, "nothing was compacted"
        return f"{rounds} kills, {room.oracle.total} acknowledged, {compacted} compacted files seen"


def compaction_bounds(options):
    """While compaction runs no request takes long, and the disk stays near what is alive."""
    seconds = 30 if options.long else 6
    with Room(options) as room:
        with room.server("--segment-size=4MiB") as server:
            reads, done = [], threading.Event()

            def read():
                connection = server.connect()
                while not done.is_set():
                    begun = time.monotonic()
                    request(connection, "GET", "/v1/sessions/a")
                    reads.append(time.monotonic() - begun)
                    time.sleep(0.002)

            server.call("POST", "/v1/sessions", {"id": "a"})
            room.oracle.expected["a"] = (1, 1)
            reader = threading.Thread(target=read, daemon=True)
            reader.start()
            writers = room.oracle.write(server, NAMES, seconds, bytes=6000)
            room.oracle.learn(writers)
            done.set()
            reader.join()
            slowest = max(w.slowest for w in writers)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                live, size = live_bytes(room.data), allocated(room.data)[1]
                if size <= 2 * live + (4 << 20): break
                time.sleep(0.5)
            assert server.end() == 0, server.text
        written = sum(w.acknowledged for w in writers)
        assert size <= 2 * live + (4 << 20), f"{size} bytes on disk, {live} alive"
        worst = sorted(reads)[-1]
        assert not options.quiet or max(worst, slowest) <= 0.05, "a request took too long"
        note = (f"{written} changes, worst read {worst * 1000:.1f} ms, worst change "
                f"{slowest * 1000:.1f} ms, disk {size / live:.2f} × live")
        room.look()
        return note


# MARK: Starts

def second_server(options):
    """A second server on the directory is refused with 75, and the first goes on."""
    with Room(options) as room, room.server() as server:
        with room.server() as other:
            assert other.port is None and other.code == 75, other.text
            assert str(room.data) in other.text and str(server.process.pid) in other.text
        assert server.call("POST", "/v1/sessions", {"id": "a"})[0] == 201
        assert server.end() == 0


def unwritable_directory(options):
    """A directory that cannot be written, or is another's: 73, with path and reason."""
    with Room(options) as room:
        if os.geteuid() != 0:
            room.data.mkdir(mode=0o555)
            with room.server() as server: assert server.code == 73, server.text
            return
        with Mount(str(room.data), "-t", "tmpfs", "-o", "size=1m", "none") as mount:
            mount.remount("ro")
            with room.server() as server:
                assert server.code == 73, f"{server.code} {server.text}"
                assert str(room.data) in server.text and "ead-only" in server.text, server.text
            mount.remount("rw")
            os.chown(room.data, 12345, 12345)
            with room.server() as server:
                assert server.code == 73 and "12345" in server.text, server.text


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8): value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


def newer_format(options):
    """A directory of a newer format is refused with a hint and left as it is."""
    with Room(options) as room:
        room.write(0.1)
        manifest = room.data / "MANIFEST.json"
        text = manifest.read_text()
        body = re.sub('"format":[0-9]+', '"format":999', text).partition(',"crc"')[0]
        manifest.write_text(f'{body},"crc":"{crc32c(body.encode()):08x}"}}\n')
        before = sorted(p.name for p in logs(room.data))
        with room.server() as server:
            assert server.code == 73 and "newer" in server.text, f"{server.code} {server.text}"
        assert sorted(p.name for p in logs(room.data)) == before
        manifest.write_text(text)
        room.look()


def torn_tail(options):
    """Half a line at the end: cut, said, kept in quarantine."""
    for tail in [b'{"n":99', b"\0" * 5000, b'{"n":1,"d":0,"op":"put"}\n']:
        with Room(options) as room:
            with room.server() as server:
                writers = room.oracle.write(server, NAMES, 0.2)
                server.kill()
                room.oracle.learn(writers)
            active = [file for file in logs(room.data) if file.stat().st_size][-1]
            with open(active, "ab") as file: file.write(tail)
            said = room.look()
            assert active.name in said, said
            kept = list((room.data / "quarantine").iterdir())
            assert any(tail in file.read_bytes() for file in kept), kept


def damaged_middle(options):
    """A flipped bit among acknowledged records: refused with file and offset, unless told."""
    chance = random.Random(options.seed)
    for _ in range(20 if options.long else 3):
        with Room(options) as room:
            room.write(0.3)
            lineage = re.search('"lineage":"([^"]+)"', (room.data / "MANIFEST.json").read_text())
            file = [f for f in logs(room.data) if f.stat().st_size][0]
            content = bytearray(file.read_bytes())
            lines = bytes(content).splitlines(True)
            # Not the newest of any session: everybody's newest state stays.
            number = chance.randrange(2, len(lines) - 40)
            start = sum(map(len, lines[:number]))
            content[start + chance.randrange(len(lines[number]))] ^= 1 << chance.randrange(7)
            file.write_bytes(content)
            for _ in range(2):
                with room.server() as server:
                    assert server.code == 74, f"{server.code} {server.text}"
                    found = re.search(re.escape(str(file)) + r" at byte (\d+)", server.text)
                    assert found and int(found[1]) == start, f"{start}: {server.text}"
                    assert "--recover" in server.text
            assert room.verb("check", "--data", room.data).returncode == 74
            said = room.look("--recover")
            assert list((room.data / "quarantine").iterdir()), "nothing was set aside"
            manifest = (room.data / "MANIFEST.json").read_text()
            assert lineage[1] not in manifest, "the lineage is the old one"
            room.look()


def missing_file(options):
    """A listed file that is gone: refused with its name, exit 74."""
    with Room(options) as room:
        room.write(1, SMALL, bytes=3000)
        gone = logs(room.data)[0]
        gone.unlink()
        with room.server() as server:
            assert server.code == 74 and gone.name in server.text, f"{server.code} {server.text}"


def unknown_files(options):
    """Files that are not ours are left alone."""
    with Room(options) as room:
        room.write(0.1)
        others = [room.data / "notes.txt", room.data / "log" / "notes.txt", room.data / "sub" / "x"]
        (room.data / "sub").mkdir()
        for file in others: file.write_text("mine")
        room.look()
        room.write(0.1)
        assert all(file.read_text() == "mine" for file in others)


def sync_modes(options):
    """--fsync interval and never survive a kill, and say what a power cut may take."""
    with Room(options) as room:
        for mode in ["never", "100ms"]:
            with room.server(f"--fsync={mode}") as server:
                assert server.port, server.text
                assert "power failure" in server.text + str(room.verb("help").stdout), server.text
                writers = room.oracle.write(server, NAMES, 0.5)
                server.kill()
                room.oracle.learn(writers)
            room.look()


def expiry(options):
    """A session whose time came while the server was down is gone after the start."""
    with Room(options) as room:
        with room.server() as server:
            for name, seconds in [("short", 1), ("long", 1000)]:
                status, value = server.call(
                    "POST", "/v1/sessions", {"id": name, "ttlSeconds": seconds})
                assert status == 201, value
            server.kill()
        time.sleep(1.1)
        with room.server() as server:
            assert server.call("GET", "/v1/sessions/short")[0] == 404
            assert server.call("GET", "/v1/sessions/long")[0] == 200


# MARK: Backup and the verbs

def backup(options):
    """A backup under writes restores to what was; check and dump agree with it."""
    with Room(options) as room:
        names = [f"s{number}" for number in range(40)]
        with room.server(SMALL) as server:
            room.oracle.learn(room.oracle.write(server, names, 0.5, bytes=1500))
            writers = room.oracle.write(server, NAMES, None, bytes=1500)
            time.sleep(1)
            before = {w.session: w.acknowledged for w in writers}
            status, copy = server.call("GET", "/v1/backup")
            after = {w.session: w.asked for w in writers}
            assert status == 200 and b'"end":"navstate"' in copy, (status, len(copy))
            room.oracle.learn(writers)
            for name in names: before[name], after[name] = room.oracle.expected[name]
            assert server.call("HEAD", "/v1/backup") == (200, b"")
            assert server.end() == 0
        room.look()
        (room.root / "copy").write_bytes(copy)
        restored = room.root / "restored"
        cut = room.verb("restore", "-", "--data", room.root / "cut", input=copy[:-20].decode())
        assert cut.returncode == 74, cut
        assert os.listdir(room.root / "cut") == [], "a restore that fails leaves nothing"
        done = room.verb("restore", room.root / "copy", "--data", restored)
        assert done.returncode == 0, done
        again = room.verb("restore", room.root / "copy", "--data", restored)
        assert again.returncode == 73, again
        checked = room.verb("check", "--data", restored)
        assert checked.returncode == 0 and re.search(r"sessions\s+44", checked.stdout), checked
        dumped = room.verb("dump", "--data", restored)
        states = [json.loads(line) for line in dumped.stdout.splitlines()]
        assert len(states) == 44, len(states)
        oracle = Oracle()
        oracle.expected = {name: (before[name], after[name]) for name in before}
        with Server(options.server, restored) as server:
            oracle.look(server)
            for state in states:
                value = server.call("GET", f"/v1/sessions/{state['id']}")[1]
                assert value["revision"] == state["revision"], state
            # Numbers that were given before the restore are not given again.
            writers = room.oracle.write(server, ["new"], 0.3)
            room.oracle.learn(writers)
            last = int(re.findall(rb'{"n":(\d+)', copy)[-1])
            connection = server.connect()
            connection.request("GET", "/v1/sessions/new/events?limit=1", headers={
                "Last-Event-ID": str(last + 1), "Accept": "application/x-ndjson"})
            first = json.loads(connection.getresponse().read())
            assert first["event"] == "snapshot" and first["data"]["gap"], first
            assert first["id"] > 1 << 32, first
            assert server.end() == 0
        return f"{len(copy)} bytes"


def backup_breaks(options):
    """A file that cannot be read breaks the stream off, and nobody takes it for whole."""
    strace_needed()
    with Room(options) as room:
        # Counted for each thread; of the reader's, one in the middle of the backup fails.
        fault = ["-e", "trace=pread64", "-e", "inject=pread64:error=EIO:when=9"]
        with room.server(fault=fault) as server:
            room.oracle.learn(room.oracle.write(server, NAMES, 2, bytes=3000))
            try:
                copy = server.call("GET", "/v1/backup")[1]
                assert False, f"{len(copy)} bytes came as if they were all"
            except (http.client.IncompleteRead, ConnectionError):
                pass
            assert server.call("GET", "/v1/sessions/a")[0] == 200
            server.kill()
        room.look(SMALL)


CASES = [sync_fails, full_once, full_for_readers, half_restore, damage_is_told, full_start,
         writes_fail, no_arguments, no_times_asked, killed_in_calls, nothing_is_shown_early,
         full_disk, clock_jumps, compaction_killed, compaction_bounds, second_server, unwritable_directory,
         newer_format, torn_tail, damaged_middle, missing_file, unknown_files, sync_modes, expiry,
         few_descriptors, no_descriptors, no_next_file, backup, backup_breaks]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument(
        "--quiet", action="store_true", help="nothing else runs here: hold times to their bounds")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    cases = Case()
    for case in CASES:
        if options.only in case.__name__:
            cases.run(case.__name__.replace("_", " "), lambda: case(options))
    if options.long and not options.only:
        here = pathlib.Path(__file__).parent
        for words in [["kill_test.py", "--rounds", "300"], ["shutdown_test.py"]]:
            def script():
                done = subprocess.run(
                    [sys.executable, here / words[0], "--server", options.server, *words[1:]],
                    stdout=subprocess.PIPE, text=True)
                assert done.returncode == 0, done.stdout
                return "; ".join(done.stdout.splitlines()[-2:])
            cases.run(words[0], script)
    if cases.skipped: print(f"{cases.skipped} skipped")
    print(f"{cases.passed} passed, {cases.failed} failed")
    sys.exit(1 if cases.failed or not cases.passed else 0)


if __name__ == "__main__":
    main()
