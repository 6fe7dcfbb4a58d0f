#!/usr/bin/env python3
"""The promises of several navstates on one store to their clients, each by itself.

    nodes_test.py [--server .build/release/navstate] [--nats nats-server] [--only WORD]

Three servers, a store with 16 shards and three navstates that ask for a token. What is changed at
one is asked of another.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "process"))

import checker
import natslog
from fleet import OTHER_PREFIX, PREFIX, Fleet, Node
from harness import Case, until

TOKEN = "a-token-of-24-characters"
APP = {
    "id": "shop",
    "facts": {"signedIn": {"default": False}},
    "guards": {"member": {"when": {"signedIn": True}}},
    "routes": {
        "item": {"params": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        "account": {"guard": "member"}, "ask": {"presentation": "sheet"}},
    "tabs": [{"id": "main", "routes": ["item", "account"]}, {"id": "cart", "routes": ["item"]}],
}


class Caller:
    """Requests to one node."""

    def __init__(self, node, token=TOKEN):
        self.node, self.token = node, token

    def connect(self, timeout=30):
        return http.client.HTTPConnection(self.node.host, self.node.port, timeout=timeout)

    def fields(self, fields):
        return {"Authorization": f"Bearer {self.token}", **(fields or {})}

    def ask(self, method, path, body=None, fields=None):
        """The status, the value and the fields of the answer."""
        connection = self.connect()
        try:
            sent = self.fields(fields)
            if body is not None:
                sent["Content-Type"] = "application/json"
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            data = answer.read()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, json.loads(data) if data[:1] in (b"{", b"[") else data, found
        finally:
            connection.close()

    def good(self, method, path, body=None, fields=None):
        """The value of an answer that must be a good one."""
        status, value, _ = self.ask(method, path, body, fields)
        assert 200 <= status < 300, f"{method} {path} at {self.node.name}: {status} {value}"
        return value

    def session(self, **members):
        return self.good("POST", "/v1/sessions", members)

    def push(self, session, n, fields=None, **members):
        return self.ask(
            "POST", f"/v1/sessions/{session}/navigate",
            {"route": "item", "params": {"n": n}, **members}, fields)

    def revision(self, session):
        return self.good("GET", f"/v1/sessions/{session}")["revision"]

    def follow(self, path, last=None, accept="text/event-stream"):
        return Stream(self, path, last, accept)


class Stream(threading.Thread):
    """Reads a stream until it ends or is closed."""

    def __init__(self, caller, path, last, accept):
        super().__init__(daemon=True)
        self.events, self.isOver, self.text = [], False, b""
        fields = caller.fields({"Accept": accept})
        if last is not None:
            fields["Last-Event-ID"] = last
        self.connection = caller.connect(timeout=60)
        self.connection.request("GET", path, headers=fields)
        self.socket = self.connection.sock
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, f"{path}: {self.answer.status} {self.answer.read()}"
        self.start()

    def run(self):
        event, number = None, None
        try:
            while line := self.answer.readline():
                self.text += line
                if line.startswith(b"{"):
                    value = json.loads(line)
                    self.events.append((value["event"], value.get("id"), value["data"]))
                name, _, rest = line.partition(b":")
                if name == b"event":
                    event = rest.strip().decode()
                elif name == b"id":
                    number = rest.strip().decode()
                elif name == b"data":
                    self.events.append((event, number, json.loads(rest)))
                    number = None
        except (OSError, ValueError, http.client.HTTPException):
            pass
        self.isOver = True

    def wait(self, count, seconds=20):
        """So many events."""
        try:
            until(lambda: len(self.events) >= count, "events", seconds)
        except AssertionError:
            raise AssertionError(
                f"{len(self.events)} of {count} events; the last: {str(self.events[-1:])[:300]}"
            ) from None
        return self.events[:count]

    def revisions(self, session):
        return [value["revision"] for event, _, value in self.events
                if event in ("snapshot", "change") and value["session"]["id"] == session]

    def last(self):
        return [number for _, number, _ in self.events if number is not None][-1]

    def close(self):
        # Closing the answer would wait for the thread that reads it.
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.join(10)
        self.answer.close()
        self.connection.close()


class Life:
    """An app, and sessions with everything that belongs to them, which move between stores."""

    def __init__(self, stories):
        self.app = {**APP, "id": stories.name("moving")}
        self.session, self.gone = stories.name("moving"), stories.name("gone")
        self.key = {"Idempotency-Key": stories.name("key")}
        self.pushed = self.token = self.before = self.last = None

    @property
    def path(self):
        return f"/v1/sessions/{self.session}"

    def begin(self, one, other):
        """Makes them at two nodes."""
        one.good("PUT", f"/v1/apps/{self.app['id']}", self.app)
        until(lambda: other.ask("GET", f"/v1/apps/{self.app['id']}")[0] == 200, "the app")
        one.session(id=self.session, app=self.app["id"], labels={"room": "lobby"})
        one.session(id=self.gone)
        self.token = other.good("POST", f"{self.path}/tokens", {"scope": "read"})["token"]
        one.good("POST", f"{self.path}/setFacts", {"facts": {"signedIn": True}})
        for n in range(140):
            assert other.push(self.session, n, mode="reset")[0] == 200
        status, self.pushed, _ = one.push(self.session, 1, self.key)
        assert status == 200, self.pushed
        one.good("DELETE", f"/v1/sessions/{self.gone}")
        self.remember(one)

    def remember(self, caller):
        self.before = self.look(caller)
        self.last = self.before[0]["revision"]

    def look(self, caller):
        """The history for clients, of which every store shows at least the last 32 changes."""
        history = caller.good("GET", f"{self.path}/history")["history"]
        return [caller.good("GET", self.path), caller.good("GET", f"{self.path}/tokens"),
                caller.good("GET", f"/v1/apps/{self.app['id']}"), *history[:32]]

    def go_on(self, caller):
        """Checks that all of it is there, and uses it."""
        found = self.look(caller)
        assert len(found) == len(self.before) == 35, (len(found), len(self.before))
        for one, other in zip(found, self.before):
            assert one == other, (one, other)
        assert caller.ask("GET", f"/v1/sessions/{self.gone}")[0] == 404
        # A node that has not been told of a session finds it at its servers, but not in a list.
        listed = caller.good("GET", "/v1/sessions?label=room:lobby&limit=1000")["sessions"]
        assert self.session in [one["id"] for one in listed], listed
        holder = Caller(caller.node, self.token)
        assert holder.ask("GET", self.path)[0] == 200 and holder.push(self.session, 1)[0] == 403
        status, again, found = caller.push(self.session, 1, self.key)
        assert (status, again) == (200, self.pushed), (again, found)
        caller.good("POST", f"{self.path}/navigate", {"route": "account"})
        caller.good("POST", f"{self.path}/undo")
        now = caller.revision(self.session)
        assert now == self.last + 2, (now, self.last)
        assert caller.push(self.session, self.last)[0] == 200
        self.remember(caller)


class Stories:
    """The stories; `a`, `b` and `c` are the nodes."""

    def __init__(self, fleet):
        self.fleet = fleet
        self.a, self.b, self.c = self.callers = [Caller(node) for node in fleet.nodes]
        self.number = 0

    def name(self, stem):
        self.number += 1
        return f"{stem}-{self.number}"

    def everywhere(self, what, isDone, seconds=10):
        for caller in self.callers:
            until(lambda: isDone(caller), f"{what} at {caller.node.name}", seconds)

    # MARK: Streams

    def stream_of_another_nodes_changes(self):
        session = self.a.session()["id"]
        for accept in ("text/event-stream", "application/x-ndjson"):
            stream = self.b.follow(f"/v1/sessions/{session}/events?steps=true", accept=accept)
            stream.wait(1)
            first = self.a.revision(session)
            for n in range(10):
                assert self.callers[n % 3].push(session, n)[0] == 200
            events = stream.wait(11)
            assert [event for event, _, _ in events] == ["snapshot"] + ["change"] * 10, events
            assert stream.revisions(session) == list(range(first, first + 11)), events
            for _, _, value in events[1:]:
                assert value["command"]["command"] == "navigate" and value["added"], value
                assert value["steps"][0]["step"] == "push", value
            stream.close()

    def each_node_tells_the_same(self):
        session = self.a.session()["id"]
        streams = [one.follow(f"/v1/sessions/{session}/events?steps=true")
                   for one in self.callers]
        for stream in streams:
            stream.wait(1)
        for n in range(12):
            assert self.callers[n % 3].push(session, n)[0] == 200
        told = [stream.wait(13)[1:] for stream in streams]
        assert told[0] == told[1] == told[2], told
        for stream in streams:
            stream.close()

    def resumed_at_another_node(self):
        session = self.a.session()["id"]
        stream = self.a.follow(f"/v1/sessions/{session}/events")
        for n in range(5):
            self.b.push(session, n)
        stream.wait(6)
        last = stream.last()
        stream.close()
        for n in range(5, 10):
            self.c.push(session, n)
        for caller in self.callers:
            again = caller.follow(f"/v1/sessions/{session}/events", last)
            events = again.wait(5)
            assert [value["revision"] for _, _, value in events] == [7, 8, 9, 10, 11], events
            assert all(event == "change" for event, _, _ in events), events
            again.close()

    def resumed_at_once_at_another_node(self):
        """The second node may not have the event yet that the first one has told."""
        session = self.a.session()["id"]
        expected, last = 1, None
        for n in range(30):
            stream = self.callers[n % 3].follow(f"/v1/sessions/{session}/events", last)
            self.callers[(n + 1) % 3].push(session, n)
            expected += 1
            until(lambda: expected in stream.revisions(session), f"revision {expected}")
            told = stream.revisions(session)
            assert "gap" not in stream.text.decode(), stream.text
            if last is not None:
                assert told == [expected], f"round {n}: {told}, not [{expected}]"
            last = stream.last()
            stream.close()

    def all_sessions(self):
        """/v1/events over all shards, resumed at another node."""
        stream = self.a.follow("/v1/events")
        stream.wait(1)
        sessions = [self.callers[n % 3].session(id=self.name("all"))["id"] for n in range(64)]
        for n, session in enumerate(sessions):
            self.callers[(n + 1) % 3].push(session, n)
        stream.wait(129)
        for session in sessions:
            assert stream.revisions(session) == [1, 2], (session, stream.revisions(session))
        last = stream.last()
        stream.close()
        for n, session in enumerate(sessions):
            self.callers[n % 3].push(session, n + 100)
        for caller in self.callers:
            again = caller.follow("/v1/events", last)
            again.wait(64)
            assert "gap" not in again.text.decode(), again.text[:300]
            for session in sessions:
                assert again.revisions(session) == [3], (session, again.revisions(session))
            again.close()

    def some_sessions(self):
        """?session=a&session=b over two shards, resumed at another node."""
        names = [self.name("some"), self.name("some"), self.name("some")]
        for name in names:
            self.a.session(id=name)
        path = "/v1/events?" + "&".join(f"session={name}" for name in names)
        stream, last = self.b.follow(path), None
        stream.wait(3)
        for n in range(6):
            assert self.callers[n % 3].push(names[n % 3], n)[0] == 200
        stream.wait(9)
        last = stream.last()
        stream.close()
        for n in range(6):
            self.callers[(n + 1) % 3].push(names[n % 3], n)
        again = self.c.follow(path, last)
        again.wait(6)
        time.sleep(0.1)
        for name in names:
            assert again.revisions(name) == [4, 5], (name, again.revisions(name))
        again.close()

    def filtered(self):
        """?label= and ?app= over all sessions of other nodes."""
        room = self.name("room")
        stream = self.b.follow(f"/v1/events?label=room:{room}")
        stream.wait(1)
        inside = self.a.session(labels={"room": room})["id"]
        outside = self.c.session(labels={"room": "elsewhere"})["id"]
        self.c.push(inside, 1)
        self.a.push(outside, 1)
        self.a.push(inside, 2)
        stream.wait(4)
        assert stream.revisions(inside) == [1, 2, 3] and not stream.revisions(outside)
        stream.close()

    def a_stream_ends_with_its_session(self):
        session = self.a.session()["id"]
        streams = [one.follow(f"/v1/sessions/{session}/events") for one in self.callers]
        for stream in streams:
            stream.wait(1)
        self.b.good("DELETE", f"/v1/sessions/{session}")
        for stream in streams:
            until(lambda: stream.isOver, "the end of the stream")
            assert [event for event, _, _ in stream.events] == ["snapshot", "deleted"]

    def a_node_that_ends_ends_its_streams(self):
        session = self.a.session()["id"]
        stream = self.c.follow(f"/v1/sessions/{session}/events")
        stream.wait(1)
        self.a.push(session, 1)
        stream.wait(2)
        last = stream.last()
        assert self.fleet.nodes[2].end() == 0, self.fleet.nodes[2].text[-500:]
        until(lambda: stream.isOver, "the end of the stream")
        assert b"retry:" in stream.text, stream.text[-200:]
        self.b.push(session, 2)
        again = self.b.follow(f"/v1/sessions/{session}/events", last)
        assert [value["revision"] for _, _, value in again.wait(1)] == [3]
        again.close()
        self.fleet.nodes[2].start()
        assert self.c.revision(session) == 3
        again = self.c.follow(f"/v1/sessions/{session}/events", last)
        assert [value["revision"] for _, _, value in again.wait(1)] == [3]
        again.close()

    # MARK: Reads

    def long_polls(self):
        session = self.a.session()["id"]
        for n in range(9):
            at, other = self.callers[n % 3], self.callers[(n + 1) % 3]
            tag = other.push(session, n)[2]["etag"]
            # The node that waits may not know this tag yet: it must not answer with an older state.
            answers = []
            waiting = threading.Thread(target=lambda: answers.append(at.ask(
                "GET", f"/v1/sessions/{session}", None,
                {"Prefer": "wait=20", "If-None-Match": tag})))
            waiting.start()
            time.sleep(random.choice([0, 0.1]))
            status, value, found = other.push(session, n + 100)
            assert status == 200, value
            waiting.join(25)
            assert answers and answers[0][0] == 200, answers
            assert answers[0][2]["etag"] == found["etag"], (
                f"round {n}: waited with {tag}, answered {answers[0][2]['etag']}, "
                f"now {found['etag']}")

    def tags_of_another_node(self):
        """If-Match with the tag that another node has just given."""
        session = self.a.session()
        status, _, found = self.b.ask("GET", f"/v1/sessions/{session['id']}")
        assert status == 200
        tag = found["etag"]
        for n in range(60):
            status, value, found = self.callers[n % 3].push(
                session["id"], n, {"If-Match": tag})
            assert status == 200, f"change {n}: {status} {value.get('type')}"
            stale = self.callers[(n + 1) % 3].push(session["id"], n, {"If-Match": tag})
            assert stale[0] == 412 and stale[2]["etag"] == found["etag"], stale
            tag = found["etag"]

    def the_same_tag_everywhere(self):
        session = self.a.session()["id"]
        tag = self.b.push(session, 1)[2]["etag"]
        for caller in self.callers:
            status, _, found = caller.ask(
                "GET", f"/v1/sessions/{session}", None, {"If-None-Match": tag})
            assert status == 304 and found["etag"] == tag, (status, found)

    def created_here_read_there(self):
        for n in range(60):
            session = self.callers[n % 3].session()["id"]
            status, value, _ = self.callers[(n + 1) % 3].ask("GET", f"/v1/sessions/{session}")
            assert status == 200, f"session {n}: {value}"
        assert self.a.ask("GET", "/v1/sessions/there-is-none")[0] == 404

    def own_changes_are_read(self):
        session = self.a.session()["id"]
        for n in range(60):
            caller = self.callers[n % 3]
            revision = caller.push(session, n, mode="reset")[1]["session"]["revision"]
            assert caller.revision(session) == revision

    def no_change_seems_to_have_no_effect(self):
        """A node that does not know the last change yet still makes the next one."""
        session = self.a.session()["id"]
        path = f"/v1/sessions/{session}"
        for n in range(200):
            one, other = self.callers[n % 3], self.callers[(n + 1) % 3]
            one.good("PATCH", path, {"ttlSeconds": 1000})
            assert "ttlSeconds" not in other.good("PATCH", path, {"ttlSeconds": None})
            one.push(session, n)
            back = other.good("POST", f"{path}/back", {}, {"Idempotency-Key": f"back-{n}"})
            assert back.get("popped") == 1, back
        assert self.a.revision(session) == 1 + 4 * 200

    def listed(self):
        room = self.name("list")
        names = sorted(self.callers[n % 3].session(
            id=self.name("listed"), labels={"room": room})["id"] for n in range(40))

        def list_at(caller):
            found, path = [], f"/v1/sessions?label=room:{room}&limit=7"
            while path:
                page = caller.good("GET", path)
                found += [one["id"] for one in page["sessions"]]
                path = page.get("next") and (
                    f"/v1/sessions?label=room:{room}&limit=7&cursor={page['next']}")
            return found
        self.everywhere("all are listed", lambda caller: list_at(caller) == names)
        # Pages of different nodes fit together.
        found, cursor = [], ""
        for n in range(6):
            page = self.callers[n % 3].good(
                "GET", f"/v1/sessions?label=room:{room}&limit=7{cursor}")
            found += [one["id"] for one in page["sessions"]]
            cursor = f"&cursor={page.get('next')}"
        assert found == names, found

    def many_at_once(self):
        room = self.name("many")
        names = [self.a.session(id=self.name("one"), labels={"room": room})["id"]
                 for _ in range(20)]
        command = {"command": {"command": "navigate", "route": "item", "params": {"n": 1}},
                   "sessions": names}
        results = self.b.good("POST", "/v1/commands", command)["results"]
        assert [one.get("revision") for one in results] == [2] * 20, results
        for name in names:
            until(lambda: self.c.revision(name) == 2, name)

    # MARK: Keys

    def keys(self):
        """A request that is repeated at another node has one effect."""
        session = self.a.session()["id"]
        for n in range(12):
            key = {"Idempotency-Key": self.name("key")}
            first = self.callers[n % 3].push(session, n, key)
            assert first[0] == 200, first
            for other in self.callers:
                again = other.push(session, n, key)
                assert again[0] == 200 and again[1] == first[1], (first, again)
                assert again[2]["etag"] == first[2]["etag"], (first, again)
            reused = self.callers[(n + 1) % 3].push(session, n + 1, key)
            assert reused[0] == 422, reused
        until(lambda: self.b.revision(session) == 13, "revision 13")

    def keys_at_the_same_time(self):
        session = self.a.session()["id"]
        for n in range(10):
            key, answers = {"Idempotency-Key": self.name("key")}, []
            threads = [threading.Thread(target=lambda c=caller: answers.append(
                c.push(session, n, key))) for caller in self.callers for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert [status for status, _, _ in answers] == [200] * 9, answers
            assert len({found["etag"] for _, _, found in answers}) == 1, answers
        self.everywhere("revision 11", lambda caller: caller.revision(session) == 11)

    def keys_of_creations(self):
        for body in ({}, {"id": self.name("created")}):
            key = {"Idempotency-Key": self.name("key")}
            first = self.a.ask("POST", "/v1/sessions", body, key)
            assert first[0] == 201, first
            for other in self.callers:
                again = other.ask("POST", "/v1/sessions", body, key)
                assert again[0] == 201 and again[1] == first[1], (first, again)
            reused = self.c.ask("POST", "/v1/sessions", {**body, "labels": {"a": "b"}}, key)
            assert reused[0] == 422, reused

    def keys_of_deletions(self):
        session = self.a.session()["id"]
        key = {"Idempotency-Key": self.name("key")}
        for caller in self.callers:
            assert caller.ask("DELETE", f"/v1/sessions/{session}", None, key)[0] == 204
        assert self.b.ask("DELETE", f"/v1/sessions/{session}")[0] == 404

    def keys_of_deletions_after_the_id_was_used_again(self):
        """A deletion that is repeated late does not delete another session."""
        session, key = self.name("again"), {"Idempotency-Key": self.name("key")}
        self.a.session(id=session)
        assert self.a.ask("DELETE", f"/v1/sessions/{session}", None, key)[0] == 204
        self.b.session(id=session)
        for caller in self.callers:
            assert caller.ask("DELETE", f"/v1/sessions/{session}", None, key)[0] == 204
            assert caller.ask("GET", f"/v1/sessions/{session}")[0] == 200
        for n, caller in enumerate(self.callers):
            assert caller.push(session, n, {"Idempotency-Key": self.name("key")})[0] == 200

    # MARK: History

    def history_and_undo(self):
        session = self.a.session()["id"]
        for n in range(40):
            assert self.callers[n % 3].push(session, n, mode="reset")[0] == 200
        until(lambda: all(one.revision(session) == 41 for one in self.callers), "revision 41")
        told = [one.good("GET", f"/v1/sessions/{session}/history?limit=40")["history"]
                for one in self.callers]
        assert [one["revision"] for one in told[0]] == list(range(41, 1, -1)), told[0]
        assert told[0] == told[1] == told[2]
        for revision in (41, 30, 10):
            states = [one.good("GET", f"/v1/sessions/{session}?revision={revision}")
                      for one in self.callers]
            assert states[0] == states[1] == states[2], states
            assert states[0]["tabs"][0]["path"][0]["params"] == {"n": revision - 2}
        steps = [one.good("GET", f"/v1/sessions/{session}/steps?from=10&to=41")["steps"]
                 for one in self.callers]
        assert steps[0] and steps[0] == steps[1] == steps[2]
        # Back to the first state, each step at another node, and forward again.
        for n in range(32):
            value = self.callers[n % 3].good("POST", f"/v1/sessions/{session}/undo", {})
            wanted = {"n": 38 - n}
            assert value["session"]["tabs"][0]["path"][0]["params"] == wanted, (n, value)
        for n in range(32):
            value = self.callers[n % 3].good("POST", f"/v1/sessions/{session}/redo", {})
            wanted = {"n": 8 + n}
            assert value["session"]["tabs"][0]["path"][0]["params"] == wanted, (n, value)
        assert not value["session"]["canRedo"]

    def asking_a_person(self):
        """A read waits at one node until the sheet is dismissed at another."""
        session = self.a.session()["id"]
        sheet = self.a.good("POST", f"/v1/sessions/{session}/present", {"route": "ask"})["added"][0]
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.b.ask(
            "GET", f"/v1/sessions/{session}/sheets/{sheet}", None, {"Prefer": "wait=20"})))
        waiting.start()
        time.sleep(0.1)
        self.c.good("POST", f"/v1/sessions/{session}/dismiss", {"result": {"said": "yes"}})
        waiting.join(25)
        assert answers and answers[0][1].get("result") == {"said": "yes"}, answers

    # MARK: The end of sessions

    def deleted_and_made_again(self):
        name = self.name("again")
        tags = set()
        for n in range(12):
            one, other = self.callers[n % 3], self.callers[(n + 1) % 3]
            status, value, found = one.ask("POST", "/v1/sessions", {"id": name})
            assert status == 201 and value["revision"] == 1, (n, status, value)
            tags.add(found["etag"])
            assert other.ask("DELETE", f"/v1/sessions/{name}")[0] == 204
            assert other.ask("GET", f"/v1/sessions/{name}")[0] == 404
        assert len(tags) == 12, tags
        self.everywhere("404", lambda caller: caller.ask("GET", f"/v1/sessions/{name}")[0] == 404)

    def expired_by_the_keeper(self):
        """Sessions of all shards expire on time, though one of three nodes was killed."""
        stream = self.a.follow("/v1/events")
        stream.wait(1)
        names = [self.name("short") for _ in range(48)]
        for n, name in enumerate(names):
            self.callers[n % 3].session(id=name, ttlSeconds=4)
        self.fleet.nodes[2].kill()

        def ended():
            return sorted(value["id"] for event, _, value in stream.events if event == "expired")
        try:
            time.sleep(2)
            assert not ended(), "sessions ended before their time"
            until(lambda: len(ended()) >= len(names), f"{len(names)} sessions end", 20)
        except AssertionError as error:
            raise AssertionError(f"{error}; {len(ended())} have ended") from error
        finally:
            self.fleet.nodes[2].start()
        assert ended() == sorted(names), ended()
        stream.close()
        for caller in (self.a, self.b):
            assert caller.ask("GET", f"/v1/sessions/{names[0]}")[0] == 404
        assert self.c.ask("GET", f"/v1/sessions/{names[0]}")[0] == 404
        log = self.fleet.log()
        for name in names:
            assert [one.op for one in log.sessions[name]] == ["put", "delete"], name

    # MARK: Apps and tokens

    def an_app_that_was_replaced_a_moment_ago(self):
        """Nothing is refused because of the definition before."""
        app = {"routes": {"home": {}}, "tabs": [{"id": "main", "root": "home", "routes": []}]}
        path = f"/v1/apps/{self.name('growing')}"
        self.a.good("PUT", path, app)
        session = self.a.session(app=path.split("/")[-1])["id"]
        for n in range(60):
            app["routes"][f"r{n}"] = {}
            app["tabs"][0]["routes"].append(f"r{n}")
            one, other = self.callers[n % 3], self.callers[(n + 1) % 3]
            one.good("PUT", path, app)
            other.good("POST", f"/v1/sessions/{session}/navigate", {"route": f"r{n}", "mode": "reset"})
            unknown = {"route": f"r{n + 1}"}
            refused = other.ask("POST", f"/v1/sessions/{session}/navigate", unknown)
            assert refused[0] == 422 and refused[1]["type"] == "/problems/unknown-route", refused
        assert self.a.ask("DELETE", f"/v1/sessions/{session}")[0] == 204
        assert self.b.ask("DELETE", path)[0] == 204

    def an_app_of_a_session_that_was_created_a_moment_ago(self):
        """The app cannot be deleted."""
        app = self.name("used")
        self.a.good("PUT", f"/v1/apps/{app}", {**APP, "id": app})
        for n in range(60):
            one, other = self.callers[n % 3], self.callers[(n + 1) % 3]
            session = one.session(app=app)["id"]
            status, problem, _ = other.ask("DELETE", f"/v1/apps/{app}")
            assert status == 409 and problem["sessions"] == 1, problem
            assert other.ask("DELETE", f"/v1/sessions/{session}")[0] == 204
        assert self.a.ask("DELETE", f"/v1/apps/{app}")[0] == 204

    def apps_everywhere(self):
        app = {**APP, "id": self.name("app")}
        path = f"/v1/apps/{app['id']}"
        self.a.good("PUT", path, app)
        self.everywhere("the app", lambda one: one.ask("GET", path)[0] == 200)
        tags = {one.ask("GET", path)[2]["etag"] for one in self.callers}
        assert len(tags) == 1, tags
        session = self.b.session(app=app["id"])["id"]
        assert self.c.push(session, 1)[0] == 200
        in_use = self.c.ask("DELETE", path)
        assert in_use[0] == 409, in_use
        # A newer app counts for the next command at every node.
        smaller = {**app, "routes": {**app["routes"], "help": {}}, "tabs": [
            {"id": "main", "routes": ["help", "account"]}]}
        tag = self.b.ask("PUT", path, smaller, {"If-Match": tags.pop()})
        assert tag[0] in (200, 201), tag
        self.everywhere("the newer app", lambda one: "help" in json.dumps(one.good("GET", path)))
        status, value, _ = self.a.ask(
            "POST", f"/v1/sessions/{session}/navigate", {"route": "help"})
        assert status == 200, value
        path_now = value["session"]["tabs"][0]["path"]
        assert [entry["route"] for entry in path_now] == ["help"], value
        commands = [one["command"]["command"] for one in
                    self.a.good("GET", f"/v1/sessions/{session}/history")["history"]]
        assert commands[:2] == ["navigate", "reconcile"], commands
        self.c.good("DELETE", f"/v1/sessions/{session}")
        until(lambda: self.c.ask("DELETE", path)[0] == 204, "the app is deleted")
        self.everywhere("no app", lambda one: one.ask("GET", path)[0] == 404)

    def guards(self):
        """A fact that one node has stored counts at another."""
        app = {**APP, "id": self.name("guarded")}
        self.a.good("PUT", f"/v1/apps/{app['id']}", app)
        self.everywhere(
            "the app", lambda one: one.ask("GET", f"/v1/apps/{app['id']}")[0] == 200)
        session = self.a.session(app=app["id"])["id"]
        assert self.b.ask(
            "POST", f"/v1/sessions/{session}/navigate", {"route": "account"})[0] == 409
        self.c.good("POST", f"/v1/sessions/{session}/setFacts", {"facts": {"signedIn": True}})
        until(lambda: self.b.ask(
            "POST", f"/v1/sessions/{session}/navigate", {"route": "account"})[0] == 200, "account")

    def tokens_everywhere(self):
        session = self.a.session()["id"]
        other = self.b.session()["id"]
        made = self.a.good(
            "POST", f"/v1/sessions/{session}/tokens", {"scope": "control", "name": "remote"})
        for caller in self.callers:
            holder = Caller(caller.node, made["token"])
            assert holder.push(session, 1)[0] == 200
            assert holder.ask("GET", f"/v1/sessions/{other}")[0] == 403
            listed = caller.good("GET", f"/v1/sessions/{session}/tokens")["tokens"]
            assert [one["id"] for one in listed] == [made["id"]], listed
        last = self.b.good("GET", f"/v1/sessions/{session}/history")["history"][0]
        assert last["by"] == "remote", last
        assert self.c.ask("DELETE", f"/v1/sessions/{session}/tokens/{made['id']}")[0] == 204
        self.everywhere("a revoked token", lambda one: Caller(one.node, made["token"]).ask(
            "GET", f"/v1/sessions/{session}")[0] == 401)
        assert Caller(self.a.node, "nvt_wrong").ask("GET", f"/v1/sessions/{session}")[0] == 401

    # MARK: Watchers

    def watchers_of_all_nodes(self):
        session = self.a.session()["id"]
        path = f"/v1/sessions/{session}"
        names = ["lobby", "hall", "roof"]
        streams = []
        for caller, name in zip(self.callers, names):
            streams.append(caller.follow(f"{path}/events?as={name}"))
            streams[-1].wait(1)
            time.sleep(0.01)
        streams.append(self.b.follow(f"{path}/events"))
        for caller in self.callers:
            until(lambda: len(self.watchers(caller, path)) == 4, f"four at {caller.node.name}")
            found = self.watchers(caller, path)
            assert [one.get("as") for one in found] == [*names, None], found
            listed = caller.good("GET", f"/v1/sessions?q={session}")["sessions"]
            assert [one["watchers"] for one in listed] == [4], listed
        for n, (caller, name) in enumerate(zip([self.b, self.c, self.a], names)):
            body = {"as": name, "revision": 1}
            assert caller.ask("POST", f"{path}/shown", body)[0] == 204
            for other in self.callers:
                shown = [one.get("shown") for one in self.watchers(other, path)]
                assert shown == [1] * (n + 1) + [None] * (3 - n), (n, shown)
        missing = {"as": "cellar", "revision": 1}
        for caller in self.callers:
            status, value, _ = caller.ask("POST", f"{path}/shown", missing)
            assert status == 404 and "watcher-not-found" in value["type"], value
        for stream in streams:
            stream.close()
        self.everywhere("nobody", lambda one: not self.watchers(one, path))

    @staticmethod
    def watchers(caller, path):
        return caller.good("GET", f"{path}/watchers")["watchers"]

    def streams_are_told_of_watchers_elsewhere(self):
        session = self.a.session()["id"]
        path = f"/v1/sessions/{session}"
        remote = self.b.follow(f"{path}/events?watchers=true&as=remote")
        display = self.a.follow(f"{path}/events?as=wall")
        told = lambda: [data for event, _, data in remote.events if event == "watchers"]
        names = lambda: {one.get("as") for one in told()[-1]["watchers"]} if told() else None
        until(lambda: names() == {"remote", "wall"}, "the wall is told")
        assert self.c.ask("POST", f"{path}/shown", {"as": "wall", "revision": 1})[0] == 204
        until(lambda: any(one.get("shown") == 1 for one in told()[-1]["watchers"]), "what it shows")
        display.close()
        until(lambda: names() == {"remote"}, "the wall is gone")
        remote.close()

    def waiting_until_displays_elsewhere_show_it(self):
        session = self.a.session()["id"]
        path = f"/v1/sessions/{session}"
        displays = [(self.a, "wall"), (self.b, "roof")]
        streams = [caller.follow(f"{path}/events?as={name}") for caller, name in displays]
        for stream in streams:
            stream.wait(1)
        assert self.c.push(session, 1)[0] == 200
        until(lambda: len(self.watchers(self.c, path)) == 2, "both displays")
        answers = []
        def wait(caller):
            answer = caller.ask("GET", f"{path}/watchers?shown=2", None, {"Prefer": "wait=20"})
            answers.append((time.monotonic(), answer))
        waiting = [threading.Thread(target=wait, args=[caller]) for caller in self.callers]
        for thread in waiting:
            thread.start()
        for n, (_, name) in enumerate(displays):
            time.sleep(0.7)
            assert not answers, f"answered before the {name} has shown it: {answers}"
            # The report of each display comes to another node.
            told = self.callers[n - 1].ask("POST", f"{path}/shown", {"as": name, "revision": 2})
            assert told[0] == 204, told
        reported = time.monotonic()
        for thread in waiting:
            thread.join(25)
        assert len(answers) == 3, answers
        for at, (status, value, _) in answers:
            assert status == 200 and at - reported < 10, (status, at - reported)
            assert [one["shown"] for one in value["watchers"]] == [2, 2], value
        for stream in streams:
            stream.close()

    def watchers_of_a_node_that_dies(self):
        session = self.a.session()["id"]
        path = f"/v1/sessions/{session}"
        display = self.c.follow(f"{path}/events?as=wall")
        until(lambda: self.watchers(self.a, path), "the display")
        self.c.node.kill()
        try:
            begun = time.monotonic()
            until(lambda: not self.watchers(self.a, path), "it is gone")
            assert self.a.push(session, 1)[0] == 200 and time.monotonic() - begun < 10
        finally:
            display.close()
            self.c.node.start()
        self.everywhere("ready", lambda one: one.ask("GET", "/readyz")[0] == 200, 30)

    # MARK: Backups

    def moved_to_a_directory_and_back(self):
        """The commands of docs/cluster.md: what one store has, the other has afterwards."""
        fleet = self.fleet
        places = [os.path.join(fleet.directory, name) for name in ("moved", "first", "second")]
        moved, first, second = places
        life = Life(self)
        life.begin(self.a, self.b)
        save = 'curl -fsS -H "Authorization: Bearer $TOKEN" {url}/v1/backup > {file}'
        fleet.type(save.format(url=self.c.node.url, file=first))
        assert "NAV_" in fleet.type(
            f"navstate restore {first} --store {fleet.store('operator', PREFIX)}",
            code=73), "an existing store"
        assert "restored" in fleet.type(f"navstate restore {first} --data {moved}")

        def serve(name, *words):
            return Node(name, [fleet.executable, *words], os.path.join(
                fleet.directory, f"{name}.log"), environment=fleet.environment)
        single = serve("single", "--data", moved)
        single.start()
        try:
            life.go_on(Caller(single))
            fleet.type(save.format(url=single.url, file=second))
        finally:
            single.kill()
        store = fleet.store("operator", OTHER_PREFIX)
        assert "restored" in fleet.type(f"navstate restore {second} --store {store}")
        assert "intact" in fleet.type(f"navstate store check --store {store}")
        back = serve("back", "--store", store)
        back.start()
        try:
            life.go_on(Caller(back))
        finally:
            back.kill()

    def _stored(self, prefix):
        """The number of messages in the streams of a store. A stream without a leader does not
        answer, so the servers are asked again then."""
        for _ in range(6):
            try:
                with natslog.connect(self.fleet.servers.addresses) as client:
                    return sum(self._messages(client, name) for name in client.stream_names()
                               if name.startswith(prefix + "_"))
            except TimeoutError: pass
        raise AssertionError("the servers do not answer")

    @staticmethod
    def _messages(client, stream):
        # One that is being made is listed before it is there.
        try: return client.api(f"STREAM.INFO.{stream}")["state"]["messages"]
        except natslog.NATSError: return 0

    def _run_until_stored(self, process, wanted):
        """Runs the process until the other store has so many messages, and leaves it stopped. It is
        also stopped while they are counted, since it could end meanwhile on a busy machine."""
        def has_stored():
            process.send_signal(signal.SIGSTOP)
            if process.poll() is not None or self._stored(OTHER_PREFIX) >= wanted:
                return True
            process.send_signal(signal.SIGCONT)
            return False

        until(has_stored, "it stores", 60)

    def restored_in_several_attempts(self):
        """A restore that is killed is continued by the next one, and no node uses it before its
        end."""
        fleet, marks = self.fleet, 3
        store = fleet.store("operator", OTHER_PREFIX)
        fleet.type(f"navstate store delete --store {store} --yes || true")
        for n in range(500):
            session = self.a.session()["id"]
            for change in range(8):
                assert self.a.push(session, change)[0] == 200
        backup = os.path.join(fleet.directory, "whole")
        fleet.type(f'curl -fsS -H "Authorization: Bearer $TOKEN" {self.a.node.url}/v1/backup > {backup}')
        command = [fleet.executable, "restore", backup, "--store", store, "--shards", str(marks)]
        counts = [0]
        for attempt in range(3):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self._run_until_stored(process, counts[-1] + 300 + random.randrange(200))
            process.kill()
            assert process.wait() == -9, (process.returncode, process.stdout.read())
            counts.append(self._stored(OTHER_PREFIX))
            said = fleet.type(f"navstate --store {store} --listen 127.0.0.1:0", 78)
            assert "start it again with the same backup" in said, said
        assert counts == sorted(set(counts)), counts
        said = fleet.type(" ".join(["navstate", *command[1:]]))
        found = int(said.split(" of them by an earlier attempt")[0].split()[-1])
        assert found >= counts[-1] - 2 * marks - 1, (said, counts)
        assert "intact" in fleet.type(f"navstate store check --store {store}")
        whole, again = (
            {one["id"]: one for one in map(json.loads, fleet.type(f"navstate dump --store {place}").splitlines())}
            for place in (fleet.store("operator", PREFIX), store))
        assert whole == again, f"{len(whole)} sessions, and {len(again)}"
        return f"killed at {counts[1:]}, {said.strip()}"

    def examined_and_deleted(self):
        """The verbs that read or delete a shared store; a restore that was killed leaves streams."""
        fleet = self.fleet
        store, spare = fleet.store("operator", PREFIX), fleet.store("operator", OTHER_PREFIX)
        session = self.a.session()["id"]
        assert "intact" in fleet.type(f"navstate check --store {store}")
        dumped = [json.loads(line)["id"] for line in
                  fleet.type(f"navstate dump --store {store}").splitlines()]
        assert dumped.count(session) == 1, f"{session} is not in the dump"
        fleet.type(f"navstate dump {fleet.directory} --store {store}", code=64)
        fleet.type(f"navstate store delete --store {spare} --yes")
        fleet.type(f"navstate store init --store {spare} --shards 3")
        assert "replicas 3" in fleet.type(f"navstate store init --store {spare} --shards 3 --replicas 1")
        fleet.type(f"navstate store delete --store {spare} < /dev/null", code=64)
        fleet.type(f"navstate store status --store {spare}")
        told = fleet.type(f"echo {OTHER_PREFIX} | navstate store delete --store {spare}")
        assert "streams: 4" in told, told
        fleet.type(f"navstate store status --store {spare}", code=78)

    def a_store_that_was_purged(self):
        """A shard that has lost its messages is noticed by a running node, by one that starts and
        by the check, and nothing is served."""
        address = self.fleet.store("operator", OTHER_PREFIX)
        with natslog.connect(self.fleet.servers.addresses) as client:
            for name in client.stream_names():
                if name.startswith(OTHER_PREFIX + "_"):
                    client.api(f"STREAM.DELETE.{name}")
            self.fleet.type(f"navstate store init --store {address} --shards 2")
            node = Node(
                "purged", [self.fleet.executable, "--store", address],
                os.path.join(self.fleet.directory, "purged.log"), environment=self.fleet.environment)
            node.start()
            try:
                caller = Caller(node)
                for n in range(8):
                    caller.session(id=f"s{n}")
                client.api(f"STREAM.PURGE.{OTHER_PREFIX}_000")
                until(lambda: caller.ask("GET", "/readyz")[0] == 503, "not ready", 60)
                answers = [caller.ask("GET", f"/v1/sessions/s{n}")[0] for n in range(8)]
                answers.append(caller.ask("GET", "/v1/sessions")[0])
                assert set(answers) == {503}, answers
                assert "the beginning of the stream was removed" in node.text, node.text[-2000:]
            finally:
                node.kill()
        said = self.fleet.type(f"navstate --store {address} --listen 127.0.0.1:0", 78)
        assert f"{OTHER_PREFIX}_000" in said and "restore a backup" in said, said
        assert "has lost its beginning" in self.fleet.type(
            f"navstate store check --store {address}", 74)

    # MARK: Servers

    def started_without_a_majority(self):
        """A node waits for the servers, and the operator sees what there is."""
        node, store = self.fleet.nodes[2], self.fleet.store("operator", PREFIX)
        node.end()
        for index in range(2):
            self.fleet.servers.kill(index)
        try:
            # Long enough for the last server to know that there is no majority.
            time.sleep(20)
            starting = threading.Thread(target=node.start, daemon=True)
            starting.start()
            told = self.fleet.type(f"navstate store status --store {store}", code=69)
            assert told.count("not reached") == 2 and "no shared store" not in told, told
            assert node.isRunning, "the node gave up"
        finally:
            for index in range(2):
                self.fleet.servers.start(index)
            self.fleet.settle()
        starting.join(60)
        until(lambda: self.c.ask("GET", "/readyz")[0] == 200, "ready", 60)

    def servers_away(self):
        """Without any server: alive, not ready, refusing; then everything goes on."""
        session = self.a.session()["id"]
        for index in range(3):
            self.fleet.servers.kill(index)
        try:
            status, value, found = self.a.push(session, 1)
            assert status == 503 and "retry-after" in found, (status, value)
            assert self.a.ask("GET", "/livez")[0] == 200
            until(lambda: self.a.ask("GET", "/readyz")[0] == 503, "not ready", 60)
        finally:
            for index in range(3):
                self.fleet.servers.start(index)
            self.fleet.settle()
        self.everywhere("ready", lambda one: one.ask("GET", "/readyz")[0] == 200, 30)
        until(lambda: self.b.push(session, 2)[0] == 200, "changes are kept again")
        until(lambda: self.a.revision(session) == self.b.revision(session) > 1, "the change")

    def one_server_left(self):
        """Without a majority no change is kept, and no node is ready, whichever server it has."""
        session = self.a.session()["id"]
        for index in range(2):
            self.fleet.servers.kill(index)
        try:
            for caller in self.callers:
                until(lambda: caller.ask("GET", "/readyz")[0] == 503, "not ready", 60)
                assert caller.push(session, 1)[0] == 503
        finally:
            for index in range(2):
                self.fleet.servers.start(index)
            self.fleet.settle()
        self.everywhere("ready", lambda one: one.ask("GET", "/readyz")[0] == 200, 30)
        until(lambda: self.b.push(session, 2)[0] == 200, "changes are kept again")

    def a_history_of_many_megabytes(self):
        """More than NATS servers answer to one question."""
        session, count = self.name("large"), 80
        for n in range(count):
            path = [{"route": "r", "params": {"n": n, "text": "x" * 60_000}} for _ in range(15)]
            state = {"tabs": [{"id": "main", "path": path}], "selectedTab": "main"}
            self.a.good("PUT", f"/v1/sessions/{session}", state)
        # A node that has read only the newest state.
        node = self.fleet.nodes[1]
        node.end()
        node.start()
        history = self.b.good("GET", f"/v1/sessions/{session}/history?limit=100")["history"]
        assert [one["revision"] for one in history] == list(range(count, 0, -1)), history[:3]
        first = self.b.good("GET", f"/v1/sessions/{session}?revision=1")
        assert first["tabs"][0]["path"][0]["params"]["n"] == 0
        connection = self.c.connect()
        connection.request("GET", "/v1/backup", headers=self.c.fields({}))
        assert len(connection.getresponse().read()) > count * 900_000
        connection.close()

    def facts_of_the_store(self):
        """The log is sound, and reads of the streams by hand agree with the nodes."""
        log = self.fleet.log()
        wrong = checker.check_log(log)
        assert not wrong, wrong[:5]
        live = checker.newest_revisions(log)
        for session in random.sample(sorted(live), min(50, len(live))):
            assert self.a.revision(session) == live[session], session
        states = natslog.stream_states(self.fleet.servers.addresses, PREFIX)
        assert len(states) == 17 and all(one["replicas"] == 3 for one in states.values()), states


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--nats", default="nats-server")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    case = Case()
    with Fleet(options.nats, options.server, environment={"NAVSTATE_TOKEN": TOKEN}) as fleet:
        fleet.settle()
        stories = Stories(fleet)
        for name, story in vars(Stories).items():
            isHelper = name[0] == "_" or name in ("name", "everywhere", "watchers")
            if not isHelper and options.only in name:
                case.run(name.replace("_", " "), lambda: story(stories))
    print(f"{case.passed} passed, {case.failed} failed, {case.skipped} skipped")
    sys.exit(1 if case.failed or not case.passed else 0)


if __name__ == "__main__":
    main()
