#!/usr/bin/env python3
"""Checks a server against the contract's stories, and prints TAP (Test Anything Protocol, version 14).

    run.py --url http://127.0.0.1:8080 [--token T] [--report report.md] [FILE.json or story's id …]

It needs Python 3.9 or later and nothing else. The stories that are named are run, or all that are in
`stories/`. Each stores an app under an id of its own, starts a session and carries out its steps. What a
story has created is deleted again, so that it can be run against a server that is in use. The exit code
is 0 if every story that was run has passed, 1 if one failed, and 2 if the server cannot be reached or the command line
is wrong.

README.md describes the format of the stories; `story.schema.json` is its JSON Schema.
"""
import argparse, base64, collections, contextlib, http.client, json, os, pathlib, re, socket, ssl, sys, threading, time, traceback, urllib.parse

FORMAT = 1
CONTRACT = "1.2"  # The newest version that the stories are about.
ANSWER_SECONDS = 20
HERE = pathlib.Path(__file__).resolve().parent


class Failure(Exception):
    """A difference between a story and the server."""


class Fault(Exception):
    """A story that says what this runner does not understand."""


def refuse(sentence):
    """Ends the program because of its command line, as argparse does."""
    print(f"run.py: error: {sentence}", file=sys.stderr)
    raise SystemExit(2)


# --- HTTP ---------------------------------------------------------------------------------------

class Answer:
    """A whole response."""

    def __init__(self, method, response, data):
        self.method, self.status = method, response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.data = data
        self.kind = self.headers.get("content-type", "").split(";")[0].strip()

    @property
    def text(self): return self.data.decode("utf-8", "replace")

    @property
    def value(self):
        """The JSON of the body, or None for a body that is not JSON."""
        if not self.kind.endswith("json") or self.kind == "application/x-ndjson": return None
        try: return json.loads(self.data)
        except (ValueError, RecursionError): return None


@contextlib.contextmanager
def in_time(wire):
    """Ends a wait for an answer or an event after ANSWER_SECONDS. The limit of a socket alone holds for
    each read, and a stream that only sends heartbeats renews it each time."""
    is_late = threading.Event()

    def cut():
        is_late.set()
        with contextlib.suppress(OSError): wire.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(ANSWER_SECONDS, cut)
    timer.daemon = True
    timer.start()
    try: yield
    finally:
        timer.cancel()
        if is_late.is_set(): raise TimeoutError(f"no answer or event came within {ANSWER_SECONDS} s")


class Server:
    """The server under test."""

    def __init__(self, url, token=None):
        try:
            parts = urllib.parse.urlsplit(url)
            port = parts.port
        except ValueError: parts = None
        if not parts or parts.scheme not in ("http", "https") or not parts.hostname:
            refuse(f"{url} is no URL of a server, such as http://127.0.0.1:8080")
        self.secure = parts.scheme == "https"
        self.host, self.port = parts.hostname, port or (443 if self.secure else 80)
        self.base, self.token = parts.path.rstrip("/"), token
        self.kept = self.connection()

    def connection(self):
        if self.secure:
            return http.client.HTTPSConnection(
                self.host, self.port, timeout=ANSWER_SECONDS, context=ssl.create_default_context())
        return http.client.HTTPConnection(self.host, self.port, timeout=ANSWER_SECONDS)

    def fields(self, headers, token, has_body):
        fields = {}
        token = self.token if token is ... else token
        if token: fields["Authorization"] = f"Bearer {token}"
        if has_body: fields["Content-Type"] = "application/json"
        for name, value in headers.items():
            for known in [known for known in fields if known.lower() == name.lower()]: del fields[known]
            if value is not None: fields[name] = value
        return fields

    def send(self, connection, method, target, data=None, headers={}, token=...):
        try:
            connection.request(
                method, self.base + target, data, self.fields(headers, token, data is not None))
        except (BrokenPipeError, ConnectionResetError):
            pass  # It has refused the head and closed; the answer is there to be read.

    def call(self, method, target, data=None, headers={}, token=...):
        """One request and its answer, on a connection that is kept."""
        for attempt in (1, 2):
            fresh = self.kept.sock is None
            try:
                self.send(self.kept, method, target, data, headers, token)
                with in_time(self.kept.sock):
                    response = self.kept.getresponse()
                    return Answer(method, response, response.read())
            except (http.client.HTTPException, ConnectionError):
                self.kept.close()
                # A kept connection may have been closed in the meantime: once more on a new one.
                if fresh or attempt == 2: raise


class Open:
    """A request that was begun, whose answer is read later, whole or event by event."""

    def __init__(self, server, method, target, data, headers, token):
        self.method, self.wire = method, server.connection()
        server.send(self.wire, method, target, data, headers, token)
        self.socket = self.wire.sock  # The connection forgets it if the answer is its last.
        self.response = None

    def begin(self):
        if self.response is None: self.response = self.wire.getresponse()
        return self.response

    def answer(self):
        with in_time(self.socket):
            response = self.begin()
            return Answer(self.method, response, response.read())

    def event(self):
        """The next event as a dictionary; None at the end of the stream."""
        with in_time(self.socket): return self.next_event()

    def next_event(self):
        kind = self.begin().getheader("Content-Type", "")
        if kind.startswith("application/x-ndjson"):
            while True:
                line = self.response.readline()
                if not line: return None
                if line.strip(): return json.loads(line)
        event = {}
        while True:
            line = self.response.readline().decode().rstrip("\r\n") if not self.response.isclosed() else None
            if line is None or (line == "" and self.response.isclosed() and not event): return None
            if line == "":
                if "data" in event:
                    event["data"] = json.loads(event["data"])
                    return {"event": "message", **event}
                event = {}
            elif not line.startswith(":"):
                name, _, value = line.partition(":")
                value = value[1:] if value.startswith(" ") else value
                event[name] = event["data"] + "\n" + value if name == "data" and "data" in event else value

    def close(self): self.wire.close()


# --- Comparing ----------------------------------------------------------------------------------

MATCHERS = {"$exactly", "$text", "$any", "$length", "$keys", "$least", "$among", "$all", "$not", "$has", "$each", "$absent"}
TYPES = {"string": str, "integer": int, "boolean": bool, "object": dict, "array": list, "number": (int, float)}


def same(one, other):
    """Equality of JSON values, in which 1, 1.0 and true differ."""
    if type(one) is not type(other): return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 400 else text[:400] + "…"


def match(pattern, value, at=""):
    """Compares a value with a pattern; throws where they differ."""
    where = at or "the answer"
    if isinstance(pattern, dict) and len(pattern) == 1 and next(iter(pattern)) in MATCHERS:
        matcher(*next(iter(pattern.items())), value, where)
    elif isinstance(pattern, dict):
        if not isinstance(value, dict): raise Failure(f"{where} is {shown(value)}, not an object")
        for key, part in pattern.items():
            if part == {"$absent": True}:
                if key in value: raise Failure(f"{at}/{key} is {shown(value[key])} and should be absent")
            elif key not in value: raise Failure(f"{at}/{key} is missing in {shown(value)}")
            else: match(part, value[key], f"{at}/{key}")
    elif isinstance(pattern, list):
        if not isinstance(value, list) or len(value) != len(pattern):
            raise Failure(f"{where} is {shown(value)}, not an array of {len(pattern)}")
        for index, part in enumerate(pattern): match(part, value[index], f"{at}/{index}")
    elif not same(pattern, value):
        raise Failure(f"{where} is {shown(value)}, not {shown(pattern)}")


def matcher(name, wanted, value, where):
    """The patterns that are an object with one member of MATCHERS."""
    if name == "$exactly": holds = same(wanted, value)
    elif name == "$text": holds = isinstance(value, str) and re.search(wanted, value, re.S) is not None
    elif name == "$any":
        holds = wanted is True or (isinstance(value, TYPES[wanted]) and isinstance(value, bool) == (wanted == "boolean"))
    elif name == "$length": holds = isinstance(value, (list, str, dict)) and len(value) == wanted
    elif name == "$keys": holds = isinstance(value, dict) and list(value) == wanted
    elif name == "$least": holds = isinstance(value, (int, float)) and value >= wanted
    elif name == "$among": holds = any(fits(part, value) for part in wanted)
    elif name == "$all": holds = all(fits(part, value) for part in wanted)
    elif name == "$not": holds = not fits(wanted, value)
    elif name == "$has": holds = isinstance(value, list) and all(any(fits(part, item) for item in value) for part in wanted)
    elif name == "$each": holds = isinstance(value, list) and all(fits(wanted, item) for item in value)
    else: raise Fault("$absent is a member's pattern")
    if not holds: raise Failure(f"{where} is {shown(value)}, which is not {shown({name: wanted})}")


def fits(pattern, value):
    try: match(pattern, value)
    except Failure: return False
    return True


def look(value, pointer):
    """The value that a JSON pointer leads to."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        try: value = value[int(part)] if isinstance(value, list) else value[part]
        except (KeyError, IndexError, ValueError, TypeError):
            raise Failure(f"the answer has nothing at {pointer}") from None
    return value


def screen(entry):
    params = entry.get("params") or {}
    text = json.dumps(params, separators=(",", ":"), ensure_ascii=False) if params else ""
    return entry["route"] + text + ("@" + entry["mark"] if "mark" in entry else "")


def picture(session):
    """A session in one line: *home/post{"id":7} search (hidden) | compose/audience cover:settings"""
    def tab(tab):
        name = ("*" if tab["id"] == session["selectedTab"] else "") + tab["id"]
        if "badge" in tab: name += f"#{tab['badge']}"
        name = "/".join([name, *map(screen, tab["path"])])
        return f"({name})" if tab.get("hidden") else name

    def sheet(sheet):
        cover = "cover:" if sheet["style"] == "fullScreenCover" else ""
        return cover + "/".join(map(screen, [sheet, *sheet["path"]]))

    parts = [" ".join(map(tab, session["tabs"]))]
    if session["sheets"]: parts.append(" ".join(map(sheet, session["sheets"])))
    return " | ".join(parts)


#: As much of a session as the runner itself reads.
ENTRY = {"route": {"$any": "string"}}
SESSION = {
    "id": {"$any": "string"}, "revision": {"$any": "integer"}, "selectedTab": {"$any": "string"},
    "tabs": {"$each": {"id": {"$any": "string"}, "path": {"$each": ENTRY}}},
    "sheets": {"$each": {**ENTRY, "style": {"$any": "string"}, "path": {"$each": ENTRY}}},
}


def session_of(answer):
    match(SESSION, answer.value, "the session")
    return answer.value


# --- Stories ------------------------------------------------------------------------------------

class Story:
    """One story on its way through the server."""

    def __init__(self, server, chapter, story, options):
        self.server, self.story, self.options = server, story, options
        self.app = story["app"] if "app" in story else chapter.get("app")
        unique = base64.b32encode(os.urandom(5)).decode().lower()
        self.known = {"unique": unique, "origin": options.origin or ""}
        self.made, self.open, self.session, self.last = [], {}, None, None
        self.number = 0

    def run(self):
        try:
            self.prepare()
            for self.number, step in enumerate(self.story["steps"], 1):
                for count in range(1, step.get("repeat", 1) + 1):
                    self.known["n"] = str(count)
                    self.carry_out(self.filled(step))
        finally:
            for request in self.open.values(): request.close()

    def clean_up(self):
        for target in reversed(self.made): self.server.call("DELETE", target)

    def prepare(self):
        body = self.story.get("session", {})
        if self.app:
            name = f"{self.app['id']}-{self.known['unique']}"
            self.known["app"] = name
            self.created(f"/v1/apps/{name}")
            self.demand("PUT", f"/v1/apps/{name}", {**self.app, "id": name}, (200, 201))
            if body is not None: body = {"app": name, **body}
        if body is not None:
            answer = self.demand("POST", "/v1/sessions", self.filled(body), (201,))
            self.session = session_of(answer)
            self.known["session"] = self.session["id"]
            self.known["etag"] = answer.headers.get("etag", "")
            self.created(f"/v1/sessions/{self.session['id']}")

    def demand(self, method, target, body, statuses):
        answer = self.server.call(method, target, json.dumps(body).encode())
        if answer.status not in statuses:
            raise Failure(f"{method} {target}: {answer.status} {answer.text[:400]}")
        return answer

    def created(self, target):
        if target not in self.made: self.made.append(target)

    def filled(self, value):
        """The value with what is known in place of $name."""
        if isinstance(value, dict): return {self.filled(key): self.filled(part) for key, part in value.items()}
        if isinstance(value, list): return [self.filled(part) for part in value]
        if not isinstance(value, str) or "$" not in value: return value
        if value[1:] in self.known and value[0] == "$": return self.known[value[1:]]
        return re.sub(r"\$([A-Za-z][A-Za-z0-9]*)", lambda found: str(self.known.get(found[1], found[0])), value)

    def carry_out(self, step):
        expect = step.get("expect", {})
        if "close" in step: return self.open.pop(step["close"]).close()
        if "events" in step: return self.read_events(self.open[step["events"]], expect)
        before = self.session
        if "end" in step:
            answer, target = self.open.pop(step["end"]).answer(), ""
        else:
            method, target = self.target(step)
            data, token = self.body(step), step.get("token", ...)
            if "begin" in step:
                self.open[step["begin"]] = Open(self.server, method, target, data, step.get("headers", {}), token)
                return
            answer = self.server.call(method, target, data, step.get("headers", {}), token)
            if answer.status == 201 and "location" in answer.headers and "dryRun" not in target:
                location = answer.headers["location"]
                if re.fullmatch(r"/v1/(sessions|apps)/[^/]+", location): self.created(location)
            if method == "PUT" and answer.status == 201: self.created(target.split("?")[0])
        self.read_session()
        self.check_always(step, target, answer, before)
        self.check(expect, answer, before)
        self.keep(expect.get("keep", {}), answer.value, answer.headers)

    def target(self, step):
        if "command" in step:
            query = "?" + step["query"] if "query" in step else ""
            return "POST", f"/v1/sessions/{self.known['session']}/{step['command']}{query}"
        method, _, target = step["request"].partition(" ")
        return method, target

    def body(self, step):
        if "bytes" in step: return bytes.fromhex(step["bytes"])
        text = step.get("text")
        if isinstance(text, dict):
            text = text.get("before", "") + text["repeat"] * text["times"] + text.get("after", "")
        if text is not None: return text.encode()
        if "body" in step: return json.dumps(step["body"], ensure_ascii=False).encode()
        return None

    def read_session(self):
        if "session" not in self.known: return
        answer = self.server.call("GET", f"/v1/sessions/{self.known['session']}")
        self.session = session_of(answer) if answer.status == 200 else None

    def check_always(self, step, target, answer, before):
        """Laws of every answer of a server, whatever the story is about."""
        if "x-request-id" not in answer.headers: raise Failure("the answer has no X-Request-Id")
        if answer.status >= 400:
            if answer.method != "HEAD":
                if not answer.data: raise Failure("a refusal has no body")
                if answer.kind != "application/problem+json":
                    raise Failure(f"a refusal has the type {answer.kind}, not application/problem+json")
                match({"type": {"$text": "^/problems/[a-z-]+$"}, "title": {"$any": "string"},
                       "detail": {"$any": "string"}, "status": answer.status}, answer.value)
            has_expired = self.session is None and before is not None and "expiresAt" in before
            if before is not None and not has_expired and not self.is_unchanged(before):
                now = f"changed the session to {picture(self.session)}" if self.session else "removed the session"
                raise Failure(f"a refused request has {now}")
        elif isinstance(answer.value, dict) and self.session is not None and before is not None and "end" not in step:
            told = answer.value.get("session")
            is_plain = "dryRun" not in target and "Idempotency-Key" not in step.get("headers", {})
            if is_plain and isinstance(told, dict) and told.get("id") == self.session["id"] and not same(told, self.session):
                raise Failure(f"the answer's session is not what a GET then reads: {shown(told)}, {shown(self.session)}")

    def is_unchanged(self, before):
        return self.session is not None and before is not None and same(
            {**self.session, "expiresAt": ""}, {**before, "expiresAt": ""})

    def check(self, expect, answer, before):
        self.check_status(expect, answer)
        value = answer.value
        if "problem" in expect:
            found = str((value or {}).get("type", "")).rpartition("/")[2]
            if found != expect["problem"]: raise Failure(f"the problem is {found}, not {expect['problem']}: {answer.text[:400]}")
        for pointer in expect.get("errors", []):
            match({"errors": {"$each": {"pointer": {"$any": "string"}}}}, value)
            found = [error["pointer"] for error in value["errors"]]
            if pointer not in found: raise Failure(f"the errors are at {found}, not at {pointer}")
        if "answer" in expect: match(expect["answer"], value)
        if "text" in expect: match(expect["text"], answer.text, "the text")
        for name, pattern in expect.get("headers", {}).items():
            found = answer.headers.get(name.lower())
            if pattern is None:
                if found is not None: raise Failure(f"{name} is {found!r} and should be absent")
            elif found is None: raise Failure(f"the answer has no {name}")
            else: match(pattern, found, name)
        if "picture" in expect or "session" in expect:
            if self.session is None: raise Failure("the session is not there any more")
        if "picture" in expect and picture(self.session) != expect["picture"]:
            raise Failure(f"the session is\n{picture(self.session)}\nand not\n{expect['picture']}")
        if "session" in expect: match(expect["session"], self.session, "")
        if "unchanged" in expect and not self.is_unchanged(before):
            raise Failure(f"the session has changed to {picture(self.session)} at revision {self.session['revision']}")

    def check_status(self, expect, answer):
        wanted = expect.get("status")
        if wanted is None:
            holds = answer.status >= 400 if "problem" in expect else 200 <= answer.status < 300
            wanted = "a refusal" if "problem" in expect else "a success"
        else: holds = answer.status == wanted
        if not holds: raise Failure(f"the status is {answer.status}, not {wanted}: {answer.text[:400]}")

    def read_events(self, stream, expect):
        for wanted in expect.get("events", []):
            event = stream.event()
            if event is None: raise Failure(f"the stream has ended before {shown(wanted)}")
            self.last = event
            match(wanted, event, "")
        if "ended" in expect:
            event = stream.event()
            if event is not None: raise Failure(f"the stream has not ended: {shown(event)}")
        if "headers" in expect or "status" in expect:
            response = stream.begin()
            self.check({k: v for k, v in expect.items() if k in ("headers", "status")}, Answer(stream.method, response, b""), None)
        self.keep(expect.get("keep", {}), (self.last or {}).get("data"), {})

    def keep(self, names, value, headers):
        for name, source in names.items():
            if source.startswith("header:"):
                if source[7:].lower() not in headers: raise Failure(f"the answer has no {source[7:]}")
                self.known[name] = headers[source[7:].lower()]
            elif source == "id": self.known[name] = self.last["id"]
            else: self.known[name] = look(value, source)


# --- Running ------------------------------------------------------------------------------------

def chapters(names):
    """The files, each with the stories that were asked for."""
    files = [pathlib.Path(name) for name in names if name.endswith(".json")]
    ids = {name for name in names if not name.endswith(".json")}
    found = []
    for path in files or sorted((HERE / "stories").glob("*.json")):
        try: chapter = json.loads(path.read_text())
        except OSError as failure: refuse(f"{path} cannot be read: {failure.strerror}")
        except ValueError as failure: refuse(f"{path} is no JSON: {failure}")
        found_format = chapter.get("format") if isinstance(chapter, dict) else None
        if found_format != FORMAT: refuse(f"{path} has format {found_format}; this runner reads {FORMAT}")
        chapter["stories"] = [story for story in chapter["stories"] if not ids or story["id"] in ids]
        found.append(chapter)
    missing = ids - {story["id"] for chapter in found for story in chapter["stories"]}
    if missing: refuse(f"no story is called {', '.join(sorted(missing))}")
    return [chapter for chapter in found if chapter["stories"]]


class Abilities:
    """The features of the server, and how it was started."""

    TOLD = {"contract": {"$text": r"^[0-9]+\.[0-9]+$"}, "version": {"$any": "string"}, "features": {"$each": {"$any": "string"}}}

    def __init__(self, server, options):
        answer = server.call("GET", "/v1")
        supposed = {"contract": "1.0", "version": "unknown", "features": []}
        told = answer.value if answer.status == 200 else {}
        if isinstance(told, dict): told = {**supposed, **told}
        self.failure = None  # What is wrong with the answer.
        try: match(self.TOLD, told)
        except Failure as failure: told, self.failure = supposed, {"step": 0, "what": "GET /v1", "why": str(failure)}
        self.contract, self.version = told["contract"], told["version"]
        self.features = set(options.features.split(",")) if options.features else set(told["features"])
        if "all" in self.features: self.contract = CONTRACT
        self.conditions = set()
        anonymous = server.call("GET", "/v1/sessions?limit=1", token=None)
        self.conditions.add("guarded" if anonymous.status == 401 else "open")
        if server.host in ("127.0.0.1", "localhost", "::1"): self.conditions.add("loopback")
        if options.origin: self.conditions.add("origin")

    def missing(self, chapter, story):
        """Why a story is skipped; None if it is run."""
        if tuple(map(int, chapter["contract"].split("."))) > tuple(map(int, self.contract.split("."))):
            return f"contract {chapter['contract']}"
        features = [*chapter.get("features", []), *story.get("features", [])]
        needs = [*chapter.get("needs", []), *story.get("needs", [])]
        lacking = [name for name in features if "all" not in self.features and name not in self.features]
        lacking += [f"--{name}" if name == "origin" else f"a server that is {name}" for name in needs if name not in self.conditions]
        return ", ".join(lacking) or None


def failure_of(server, chapter, story, options):
    """None if the story passes, else what went wrong."""
    told, why = Story(server, chapter, story, options), None
    for part in (told.run, told.clean_up):
        try: part()
        except (Failure, Fault) as failure: why = why or str(failure)
        except (OSError, http.client.HTTPException, ValueError) as failure: why = why or f"{type(failure).__name__}: {failure}"
        except Exception:  # A mistake of the story or of this program: it has to be seen, and the others are run.
            why = why or traceback.format_exc()
    if why is None: return None
    step = shown(story["steps"][told.number - 1]) if told.number else "before the first step"
    return {"step": told.number, "what": step, "why": why}


def tap(number, result):
    shows = result.shows.replace("\\", "\\\\").replace("#", "\\#")
    line = f"{'not ' if result.failure else ''}ok {number} - {result.chapter} {result.id}: {shows}"
    lines = [f"{line} # SKIP needs {result.skipped}" if result.skipped else line]
    if result.failure:
        lines.append("  ---")
        lines.append(f"  step: {result.failure['step']}")
        for key in ("what", "why"):
            lines.append(f"  {key}: |")
            lines += ["    " + part for part in result.failure[key].splitlines()]
        lines.append("  ...")
    return "\n".join(lines)


Result = collections.namedtuple("Result", "chapter id shows failure skipped")


def counts(results):
    failed = sum(1 for result in results if result.failure)
    skipped = sum(1 for result in results if result.skipped)
    return len(results) - failed - skipped, failed, skipped


def report(results, abilities, url):
    """The same as a page in Markdown."""
    passed, failed, skipped = counts(results)
    lines = ["# Conformance report", "",
             f"The server at {url} has version {abilities.version} and speaks contract {abilities.contract}.",
             f"{passed} stories have passed, {failed} have failed and {skipped} were skipped.", "",
             "| chapter | passed | failed | skipped |", "| --- | --- | --- | --- |"]
    for chapter in dict.fromkeys(result.chapter for result in results):
        row = counts([result for result in results if result.chapter == chapter])
        lines.append(f"| {chapter} | {row[0]} | {row[1]} | {row[2]} |")
    for title, chosen in (("Failed", [r for r in results if r.failure]), ("Skipped", [r for r in results if r.skipped])):
        if not chosen: continue
        lines += ["", f"## {title}", ""]
        for result in chosen:
            lines.append(f"- `{result.id}` ({result.chapter}): {result.shows}")
            if result.skipped: lines.append(f"  It needs {result.skipped}.")
            else: lines += [f"  Step {result.failure['step']}:", "", "  ```text",
                            *("  " + part for part in result.failure["why"].splitlines()), "  ```"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080", help="the server (default: %(default)s)")
    parser.add_argument("--token", default=os.environ.get("NAVSTATE_TOKEN"), help="a token with the scope admin (default: $NAVSTATE_TOKEN)")
    parser.add_argument("--origin", help="an origin that the server allows, for the stories about CORS")
    parser.add_argument("--features", help="features to assume instead of those that GET /v1 lists, with commas; all: every one")
    parser.add_argument("--report", type=pathlib.Path, help="a file for a report in Markdown")
    parser.add_argument("names", nargs="*", help="files of stories, or ids of stories")
    options = parser.parse_args()
    server, files = Server(options.url, options.token), chapters(options.names)
    try: abilities = Abilities(server, options)
    except (OSError, http.client.HTTPException, ValueError) as failure:
        print(f"Bail out! {options.url} does not answer: {failure}")
        return 2
    try:
        if options.report: options.report.open("a").close()
    except OSError as failure:
        server.kept.close()
        refuse(f"{options.report} cannot be written: {failure.strerror}")
    results, began = [], time.monotonic()
    if abilities.failure:
        shows = "The server tells what it can do. Else it is taken as one of version 1.0."
        results.append(Result("service", "GET /v1", shows, abilities.failure, None))
    print(f"TAP version 14\n1..{len(results) + sum(len(chapter['stories']) for chapter in files)}")
    for number, result in enumerate(results, 1): print(tap(number, result))
    for chapter in files:
        for story in chapter["stories"]:
            skipped = abilities.missing(chapter, story)
            failure = None if skipped else failure_of(server, chapter, story, options)
            results.append(Result(chapter["chapter"], story["id"], story["shows"], failure, skipped))
            print(tap(len(results), results[-1]), flush=True)
    server.kept.close()
    passed, failed, skipped = counts(results)
    print(f"# {passed} passed, {failed} failed, {skipped} skipped in {time.monotonic() - began:.1f} s")
    if options.report: options.report.write_text(report(results, abilities, options.url), errors="backslashreplace")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # A server may send half of a character.
    sys.exit(main())
