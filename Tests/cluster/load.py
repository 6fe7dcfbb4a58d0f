"""Clients of several navstates: some write, some follow streams, and all remember what they saw.

Every change sets one entry whose params name the change, and has an idempotency key of the same
name, so that it can be found in the streams of the store. A change whose outcome is unknown is
asked for again at the next node until it has an answer.
"""
import asyncio
import collections
import dataclasses
import json
import math
import random
import time

#: Revisions of a session before its writer takes another one: fewer than the store keeps, so that
#: the whole log is there at the end.
REVISIONS = 100
#: Of sessions that all write.
SHARED_REVISIONS = 60


class Broken(Exception):
    """The connection ended before the whole answer was there."""


class Link:
    """A connection to one node, which is made when it is needed."""

    #: Fields of every request.
    fields = ()

    def __init__(self, node):
        self.node, self.reader, self.writer = node, None, None

    async def open(self):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(
                self.node.host, self.node.port, limit=1 << 22)

    def close(self):
        if self.writer is not None:
            self.writer.close()
            self.writer = self.reader = None

    async def head(self, method, path, body=None, fields=()):
        """Sends a request; the status and the fields of its answer."""
        await self.open()
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", f"Host: {self.node.host}:{self.node.port}",
                 *(f"{name}: {value}" for name, value in (*self.fields, *fields))]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(data)}"]
        self.writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + data)
        await self.writer.drain()
        text = await self.reader.readuntil(b"\r\n\r\n")
        lines = text.decode("latin-1").split("\r\n")
        found = dict(
            (name.lower(), value.strip())
            for name, _, value in (line.partition(":") for line in lines[1:] if line))
        return int(lines[0].split()[1]), found

    async def call(self, method, path, body=None, fields=(), seconds=40):
        """One exchange: the status, the fields and the value."""
        try:
            async with asyncio.timeout(seconds):
                status, found = await self.head(method, path, body, fields)
                length = int(found.get("content-length", 0))
                data = await self.reader.readexactly(length) if length else b""
        except (OSError, EOFError, ValueError, TimeoutError) as error:
            self.close()
            raise Broken(repr(error)) from error
        except asyncio.CancelledError:
            self.close()
            raise
        if found.get("connection", "").lower() == "close":
            self.close()
        return status, found, json.loads(data) if data else None

    async def lines(self):
        """The lines of an answer without an end."""
        rest = b""
        while True:
            size = int((await self.reader.readuntil(b"\r\n")).split(b";")[0], 16)
            if size == 0:
                return
            rest += (await self.reader.readexactly(size + 2))[:-2]
            *whole, rest = rest.split(b"\n")
            for line in whole:
                yield line


def change_of(session):
    """The name of the change that made a state; None for a state that none of ours has made."""
    path = session["tabs"][0]["path"]
    return path[0]["params"].get("n") if path else None


@dataclasses.dataclass
class History:
    """The observations of all clients. The names of changes are their idempotency keys."""

    #: Acknowledged changes: name -> (session, revision).
    acknowledged: dict = dataclasses.field(default_factory=dict)
    #: Changes that were given up without an answer.
    abandoned: set = dataclasses.field(default_factory=set)
    #: Every state that was shown: (session, revision, name).
    shown: set = dataclasses.field(default_factory=set)
    #: Answers that should not be.
    wrong: list = dataclasses.field(default_factory=list)
    #: How often each refusal was answered, and broken connections.
    refusals: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    #: When changes were acknowledged, by time.monotonic().
    times: list = dataclasses.field(default_factory=list)
    #: The followers.
    followers: list = dataclasses.field(default_factory=list)
    #: When the last change of each session was acknowledged.
    last: dict = dataclasses.field(default_factory=dict)
    #: Reads that showed less than was acknowledged before they were asked, at the same node, and
    #: at another one.
    stale: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    reads: int = 0
    #: The longest time from the first request to the answer of one change, in seconds.
    slowest: float = 0.0

    def take(self, name, session, revision, state=None):
        """A change was acknowledged."""
        self.times.append(time.monotonic())
        self.last[session] = self.times[-1]
        self.acknowledged[name] = (session, revision)
        self.shown.add((session, revision, name if revision > 1 else None))
        if state is not None and state["revision"] == revision and revision > 1:
            found = change_of(state)
            if found != name:
                self.wrong.append(f"{name} was answered with the state of {found}")

    def longest_stop(self, begun, ended):
        """The longest time without an acknowledgement, in seconds."""
        inside = [begun, *(t for t in self.times if begun <= t <= ended), ended]
        return max(b - a for a, b in zip(inside, inside[1:]))


class Client:
    """One writer with a connection to each node."""

    #: How long one change is tried.
    PATIENCE = 90

    def __init__(self, number, load):
        self.number, self.load, self.history = number, load, load.history
        self.links = [Link(node) for node in load.nodes]
        self.at = number % len(self.links)
        #: Every second client asks another node each time; the others stay while it answers.
        self.roams = number % 2 == 0
        self.names = 0
        #: The newest revision of the current session at each node: node -> (starts, revision).
        self.seen = {}

    def close(self):
        for link in self.links:
            link.close()

    def move(self):
        self.at = (self.at + 1) % len(self.links)

    def name(self):
        self.names += 1
        return f"{self.load.name}-{self.number}-{self.names}"

    async def change(self, path, body, name, tag=None):
        """Asks until there is an answer other than 503; None if there was none for too long."""
        fields = [("Idempotency-Key", name)]
        if tag:
            fields.append(("If-Match", tag))
        begun = time.monotonic()
        while time.monotonic() < begun + self.PATIENCE:
            if self.roams:
                self.move()
            try:
                status, found, value = await self.links[self.at].call("POST", path, body, fields)
            except Broken:
                self.history.refusals["broken"] += 1
            else:
                if status not in (503, 507):
                    self.history.slowest = max(
                        self.history.slowest, time.monotonic() - begun)
                    return status, found, value
                self.history.refusals[status] += 1
            self.move()
            await asyncio.sleep(random.uniform(0.02, 0.2))
        self.history.abandoned.add(name)
        return None

    def note(self, session, revision):
        """This node has shown a revision of the session, and must not show an older one."""
        starts = self.load.nodes[self.at].starts
        before = self.seen.get(self.at, (starts, 0))
        if before[0] == starts and revision < before[1]:
            self.history.wrong.append(
                f"{self.load.nodes[self.at].name} went back from revision {before[1]} to "
                f"{revision} of {session}")
        self.seen[self.at] = (starts, max(revision, before[1] if before[0] == starts else 0))

    async def read(self, session, acknowledged):
        """Reads a session whose revision is known, at this node or at the next one."""
        isOther = random.random() < 0.5
        if isOther:
            self.move()
        try:
            status, _, value = await self.links[self.at].call("GET", f"/v1/sessions/{session}")
        except Broken:
            self.history.refusals["broken"] += 1
            return
        if status == 503:
            self.history.refusals[status] += 1
        elif status == 404:
            self.history.wrong.append(f"{session} is said not to exist")
        elif status == 200:
            self.history.reads += 1
            revision = value["revision"]
            self.history.shown.add((session, revision, change_of(value)))
            self.note(session, revision)
            if revision < acknowledged:
                self.history.stale["another node" if isOther else "the same node"] += 1
        else:
            self.history.wrong.append(f"GET {session}: {status} {value}")


class Owner(Client):
    """Changes sessions that nobody else changes: its answers follow from what it did."""

    async def run(self):
        while not self.load.isOver:
            session = await self.create()
            if session is None:
                continue
            await self.write(session)

    async def create(self):
        name = self.name()
        self.seen = {}
        answer = await self.change("/v1/sessions", {"labels": {"load": self.load.name}}, name)
        if answer is None:
            return None
        status, found, value = answer
        if status != 201:
            self.history.wrong.append(f"creation {name}: {status} {value}")
            return None
        self.history.take(name, value["id"], 1)
        self.load.began(value["id"], self.number)
        return value["id"], found.get("etag")

    async def write(self, begun):
        session, tag = begun
        for revision in range(2, REVISIONS + 1):
            if self.load.isOver:
                return
            name = self.name()
            body = {"route": "r", "params": {"n": name}, "mode": "reset"}
            isConditional = revision % 3 == 0
            answer = await self.change(
                f"/v1/sessions/{session}/navigate", body, name, tag if isConditional else None)
            if answer is None:
                return
            status, found, value = answer
            if status != 200:
                self.history.wrong.append(
                    f"{name} of {session}: {status} {json.dumps(value)[:300]}")
                return
            tag = found.get("etag")
            self.history.take(name, session, value["session"]["revision"], value["session"])
            self.note(session, revision)
            if value["session"]["revision"] != revision:
                self.history.wrong.append(
                    f"{name} of {session} is revision {value['session']['revision']}, "
                    f"not {revision}")
                return
            if revision % 5 == 0:
                await self.read(session, revision)


class Rival(Client):
    """Changes sessions that all rivals change."""

    async def run(self):
        while not self.load.isOver:
            slot = random.choice(self.load.slots)
            session = slot.session
            if slot.tag is None:
                await self.create(slot, session)
            else:
                await self.write(slot, session)

    async def create(self, slot, session):
        name = self.name()
        answer = await self.change("/v1/sessions", {"id": session}, name)
        if answer is None:
            return
        status, found, value = answer
        if status == 201:
            self.history.take(name, session, 1)
            self.load.began(session, self.number)
            slot.tag = found["etag"]
        elif status == 409:
            # Somebody else's creation, or this one's, whose answer was lost.
            slot.tag = slot.tag or "*"
        else:
            self.history.wrong.append(f"creation {name}: {status} {value}")

    async def write(self, slot, session):
        name = self.name()
        body = {"route": "r", "params": {"n": name}, "mode": "reset"}
        tag = slot.tag if slot.tag != "*" and random.random() < 0.3 else None
        answer = await self.change(f"/v1/sessions/{session}/navigate", body, name, tag)
        if answer is None:
            return
        status, found, value = answer
        if status == 200:
            revision = value["session"]["revision"]
            # A repeated request is answered with the state that it made.
            self.history.take(name, session, revision, value["session"])
        elif status == 412:
            self.history.refusals["412"] += 1
            revision = value["session"]["revision"]
            self.history.shown.add((session, revision, change_of(value["session"])))
        else:
            self.history.wrong.append(f"{name} of {session}: {status} {json.dumps(value)[:300]}")
            return
        if slot.session == session:
            slot.tag = found["etag"]
            if revision >= SHARED_REVISIONS:
                slot.renew()


class Slot:
    """A place for a session that all rivals change, and then for the next one."""

    def __init__(self, load, number):
        self.stem, self.generation, self.tag = f"{load.name}.{number}", 0, None
        self.renew()

    def renew(self):
        self.generation += 1
        self.session, self.tag = f"{self.stem}.{self.generation}", None


class Follower:
    """Follows a stream at one node, and resumes it at the next one when it ends."""

    def __init__(self, load, at, session=None):
        self.load, self.at, self.session = load, at, session
        self.path = f"/v1/sessions/{session}/events" if session else "/v1/events"
        #: The items that came: ("snapshot"|"change", session, revision, name), ("gap", session or
        #: None).
        self.items = []
        #: The newest revision of each session.
        self.newest = {}
        self.restarts = self.gaps = 0
        #: When it was told last that changes of any session are left out.
        self.leftOut = -math.inf
        self.refusals = collections.Counter()
        self.last = None
        self.task = None
        self.began = asyncio.Event()
        self.isClosed = False

    async def run(self):
        while not self.isClosed:
            link = Link(self.load.nodes[self.at])
            try:
                await self.follow(link)
            except (OSError, EOFError, ValueError, TimeoutError) as error:
                self.refusals[type(error).__name__] += 1
            finally:
                link.close()
            if self.isClosed:
                return
            await asyncio.sleep(random.uniform(0.05, 0.3))
            # Half of the time at the next node: the number of an event holds at each.
            if random.random() < 0.5 or not self.load.nodes[self.at].isRunning:
                self.at = (self.at + 1) % len(self.load.nodes)

    async def follow(self, link):
        fields = [("Accept", "text/event-stream")]
        if self.last is not None:
            fields.append(("Last-Event-ID", self.last))
        async with asyncio.timeout(20):
            status, _ = await link.head("GET", self.path, None, fields)
        if status != 200:
            self.refusals[status] += 1
            return
        if self.last is not None:
            self.restarts += 1
        event, number = None, None
        lines = link.lines()
        while True:
            # A comment comes every 15 s.
            async with asyncio.timeout(25):
                line = await anext(lines, None)
            if line is None:
                return
            if line.startswith(b"event:"):
                event = line[6:].strip().decode()
            elif line.startswith(b"id:"):
                number = line[3:].strip().decode()
            elif line.startswith(b"data:") and event:
                self.take(event, json.loads(line[5:]))
                if number is not None:
                    self.last = number
                event = number = None

    def take(self, event, value):
        self.began.set()
        if value.get("gap"):
            self.gaps += 1
            if "session" not in value:
                self.leftOut = time.monotonic()
            self.items.append(("gap", value["session"]["id"] if "session" in value else None))
        if event in ("snapshot", "change"):
            session, revision = value["session"]["id"], value["revision"]
            self.newest[session] = max(revision, self.newest.get(session, 0))
            if not session.startswith(self.load.others):
                self.items.append((event, session, revision, change_of(value["session"])))
        elif event in ("deleted", "expired"):
            self.items.append((event, value["id"], 0, None))


class Load:
    """Writers and followers at all nodes of a fleet."""

    def __init__(self, name, nodes, writers=24, slots=0, sessionStreams=6):
        self.name, self.nodes, self.history = name, nodes, History()
        self.isOver = False
        #: How many changes are to be acknowledged.
        self.wanted = 0
        #: The beginnings of the ids of sessions that others change meanwhile.
        self.others = ()
        self.slots = [Slot(self, number) for number in range(slots)]
        kind = Rival if slots else Owner
        self.clients = [kind(number, self) for number in range(writers)]
        self.sessionStreams = sessionStreams * len(nodes)
        self.tasks = []

    @property
    def acknowledged(self):
        return len(self.history.acknowledged)

    def began(self, session, number):
        """A session was created. Some are followed by themselves, at another node."""
        followed = sum(1 for one in self.history.followers if one.session)
        if followed < self.sessionStreams:
            self.follow((number + 1) % len(self.nodes), session)

    def follow(self, at, session=None):
        follower = Follower(self, at, session)
        follower.task = asyncio.create_task(follower.run())
        self.history.followers.append(follower)
        return follower

    async def start(self):
        for at in range(len(self.nodes)):
            await asyncio.wait_for(self.follow(at).began.wait(), 20)
        self.tasks = [asyncio.create_task(client.run()) for client in self.clients]

    async def reach(self, count, seconds=600):
        """Waits until so many changes are acknowledged."""
        end = time.monotonic() + seconds
        while self.acknowledged < count:
            assert time.monotonic() < end, (
                f"{self.acknowledged} of {count} changes in {seconds} s; "
                f"{dict(self.history.refusals)}; {self.history.wrong[:3]}")
            for task in self.tasks:
                if task.done():
                    task.result()
            await asyncio.sleep(0.05)

    async def end(self):
        """Lets every writer finish the change that it is at."""
        self.isOver = True
        await asyncio.gather(*self.tasks)
        for client in self.clients:
            client.close()

    async def catch_up(self, newest, seconds=40):
        """Waits until every stream has brought the newest revisions; what has not come."""
        end = time.monotonic() + seconds
        while missing := self.missing(newest):
            if time.monotonic() > end:
                break
            await asyncio.sleep(0.1)
        for follower in self.history.followers:
            follower.isClosed = True
            follower.task.cancel()
        await asyncio.gather(*(f.task for f in self.history.followers), return_exceptions=True)
        return missing

    #: A change that is acknowledged within this time of a gap may belong to it, in seconds.
    MARGIN = 2

    def missing(self, newest):
        """Sessions whose newest revision a stream has not brought, and which are not in a gap."""
        missing = []
        for follower in self.history.followers:
            wanted = newest
            if follower.session:
                wanted = {follower.session: newest.get(follower.session, 0)}
            missing += [
                f"{self.nodes[follower.at].name}{follower.path}: {session} {revision}"
                for session, revision in wanted.items()
                if follower.newest.get(session, 0) < revision
                and not session.startswith(self.others)
                and self.history.last.get(session, 0) > follower.leftOut + self.MARGIN]
        return missing
