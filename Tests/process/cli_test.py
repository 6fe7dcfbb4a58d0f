"""The commands to a running server, in pipes and on a terminal.

    cli_test.py --server .build/release/navstate
"""
import argparse, fcntl, json, os, pathlib, pty, re, select, shlex, signal, socket, struct
import subprocess, tempfile, termios, threading, time
from harness import Case, Server, until

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
executable = pathlib.Path(parser.parse_args().server).resolve()
root = pathlib.Path(__file__).resolve().parents[2]
work = tempfile.TemporaryDirectory(prefix="navstate-cli-")
folder = pathlib.Path(work.name)
path = folder / "n.sock"


def environment(**more):
    """Without what the shell that runs this has set."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("NAVSTATE_") and name != "NO_COLOR"}
    return {**kept, "NAVSTATE_SERVER": url, "TERM": "xterm", **more}


def run(*words, code=0, text=None, **more):
    """Runs a command in a pipe; what it printed."""
    answer = subprocess.run([executable, *words], capture_output=True, text=True, input=text,
                            timeout=20, env=environment(**more))
    assert answer.returncode == code, f"{words}: {answer.returncode} {answer.stderr}"
    return answer.stderr if code else answer.stdout


def value(*words, **more): return json.loads(run(*words, **more))


def terminal(*words, columns=80, **more):
    """Runs a command on a terminal; what is on the screen, and the exit code."""
    process, screen = pty.fork()
    if process == 0:
        # The size has to be there before the command looks at it.
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(executable, [executable, *words], environment(**more))
    seen = b""
    try:
        while part := os.read(screen, 65536): seen += part
    except OSError: pass  # A terminal whose programs have all ended.
    os.close(screen)
    return seen.decode().replace("\r\n", "\n"), os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def story():
    assert value("create", "k", 'tabs:=["chats","settings"]')["revision"] == 1
    first = value("navigate", "k", "contact", "id:=42", "name=Ada")
    entry = first["session"]["tabs"][0]["path"][0]
    assert entry["params"] == {"id": 42, "name": "Ada"}, entry
    replaced = value("navigate", "k", "contact", '{"id": 43}', "--with", "mode=replace")
    assert [e["params"] for e in replaced["session"]["tabs"][0]["path"]] == [{"id": 43}]
    assert value("present", "k", "compose")["session"]["visible"]["route"] == "compose"
    assert value("dismiss", "k", "result:=true")["removed"]
    assert value("undo", "k", "2")["undone"] == 2
    assert value("redo", "k")["session"]["visible"]["route"] == "compose"
    assert value("back", "k", "2")["popped"] == 2
    assert value("select", "k", "settings")["session"]["selectedTab"] == "settings"
    assert value("root", "k", "all")["session"]["selectedTab"] == "chats"
    assert value("back", "k") == value("back", "k") and value("back", "k")["reason"] == "at-root"
    assert value("show", "k")["revision"] == value("sessions", "q=k")["sessions"][0]["revision"]
    assert value("show", "k", "revision=2")["revision"] == 2
    assert value("create", "app=chat", "labels:={\"room\":\"a b\"}")["app"] == "chat"
    assert len(value("sessions", "label=room:a b")["sessions"]) == 1
    assert {"id": "chat", "title": "Chat"} in value("apps")["apps"]
    desk = value("create", "desk", "app=chat")["id"]
    assert value("open", desk, "chat://conversation/grace?name=Grace")["changed"]


def whole():
    """Every other command and read of the API."""
    first = value("create", "v", 'tabs:=["a","b"]', "labels:={\"x\":\"y\"}")
    assert value("setPath", "v", "a", "list", 'item {"id": 7}')["session"]["visible"]["params"] == {"id": 7}
    entry = value("setParams", "v", "visible", "id=8")["session"]["visible"]["entry"]
    assert value("setParams", "v", entry, "x=y", "--with", "mode=replace")["session"]["visible"]["params"] == {"x": "y"}
    tabs = value("setBadge", "v", "b", "3")["session"]["tabs"]
    assert [tab.get("badge") for tab in tabs] == [None, 3], tabs
    assert "badge" not in value("setBadge", "v", "b")["session"]["tabs"][1]
    tabs = value("setTabs", "v", "b", "a", "--hide", "b")["session"]["tabs"]
    assert [(tab["id"], tab.get("hidden")) for tab in tabs] == [("b", True), ("a", None)], tabs
    (folder / "batch.json").write_text('{"commands": [{"command": "root"}, {"command": "navigate", "route": "z"}]}')
    assert value("batch", "v", folder / "batch.json", "--dry-run")["session"]["visible"]["route"] == "z"
    assert value("show", "v")["visible"]["route"] == "item"
    assert value("batch", "v", folder / "batch.json")["session"]["visible"]["route"] == "z"
    (folder / "batch.json").write_text('{"commands": [\n  {"command": "root"},\n  {"command": "nothing"}]}')
    told = run("batch", "v", folder / "batch.json", "--json=false", code=1)
    assert "batch.json:3:15: error: /commands/1/command" in told, told
    changes = value("history", "v", "limit=2")
    assert [change["command"]["command"] for change in changes["history"]] == ["batch", "setTabs"]
    told = run("history", "v", "limit:=1", "--json=false")
    assert re.match(r"REVISION +AT +BY +COMMAND\n8 +20\S+ +batch commands=", told), told
    assert value("steps", "v", "1")["to"] == 8 and value("steps", "v", "7", "8")["steps"]
    assert run("steps", "v", "1", "8", "--json=false").startswith("STEPS\n")
    assert value("allowed", "v")["canGoBack"] is True
    kept = value("show", "v")
    assert value("copy", "v", "v2")["tabs"] == kept["tabs"] != first["tabs"]
    assert value("copy", "v", "revision:=1")["tabs"] == first["tabs"]
    (folder / "kept.json").write_text(json.dumps(kept))
    assert run("delete", "v", "--json=false") == "deleted the session v\n"
    run("show", "v", code=1)
    assert value("restore-session", "v", folder / "kept.json")["tabs"] == kept["tabs"]
    assert value("restore-session", "v", "-", text='{"tabs": [{"id": "q"}]}')["selectedTab"] == "q"
    assert value("update", "v", 'labels:={"x":null,"z":"1"}')["labels"] == {"z": "1"}
    sheet = value("present", "v", "s")["added"][0]
    assert value("sheet", "v", sheet) == {"sheet": sheet, "state": "presented"}
    watching = Watching("v", "as=desk", "signals=true", "limit=1")
    assert watching.event()["event"] == "snapshot" and watching.end() == (0, "")
    watching = Watching("v", "as=desk", "signals=true")
    watching.event()
    assert value("signal", "v", "hello", "loud:=true") == {"delivered": 1}
    assert watching.event()["data"]["data"] == {"loud": True}
    assert run("report", "v", "desk", "2", "--json=false") == "reported the revision of v\n"
    assert value("watchers", "v")["watchers"][0]["shown"] == 2
    assert run("watchers", "v", "--json=false").startswith("AS    SINCE ")
    watching.process.kill()
    watching.process.communicate()
    results = value("commands", 'command:={"command":"root"}', 'sessions:=["v","v2"]')["results"]
    assert [result["session"] for result in results] == ["v", "v2"], results
    made = value("tokens", "v", "create", "read", "name=desk")
    assert made["scope"] == "read" and len(run("tokens", "v", "create", "read", "--json=false")) > 20
    assert {token["name"] for token in value("tokens", "v")["tokens"] if "name" in token} == {"desk"}
    assert run("tokens", "v", "revoke", made["id"]) == ""
    assert made["id"] not in run("tokens", "v")
    value("create", "w1", "app=chat")
    assert value("resolve", "chat", "chat://conversation/grace")["tab"] == "chats"
    value("open", "w1", "chat://conversation/grace?name=Grace")
    assert run("link", "w1", "--json=false").startswith("chat://conversation/grace")
    assert value("app", "impact", "chat")["affected"] == 0
    assert value("contract")["contract"].startswith("1.")
    process = subprocess.Popen([executable, "events", "app=chat", "--json=false"], text=True,
                               stdout=subprocess.PIPE, env=environment())
    assert "hello" in process.stdout.readline()
    value("back", "w1")
    assert process.stdout.readline().startswith("w1       3  back"), "events"
    process.kill()
    process.communicate()


def typed():
    """KEY=VALUE has the type that the app declares."""
    value("create", "typed", "app=shop")
    assert value("setFacts", "typed", "signedIn=true")["session"]["facts"]["signedIn"] is True
    value("setFacts", "typed", "signedIn=false", "role=clerk")
    told = run("setFacts", "typed", "signedIn=maybe", "--json=false", code=1)
    assert "/facts/signedIn" in told, told
    value("create", "free")
    assert value("navigate", "free", "r", "id=7")["session"]["visible"]["params"] == {"id": "7"}


def ask():
    value("create", "q")
    def answer(*words):
        asking = subprocess.Popen([executable, "ask", "q", "sure", "text=Delete?"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        until(lambda: value("show", "q")["sheets"], "the question is there")
        value("dismiss", "q", *words)
        return (*asking.communicate(timeout=20), asking.returncode)
    assert answer("result:={\"ok\":true}") == ('{"ok":true}\n', "", 0)
    told, errors, code = answer()
    assert (told, code) == ("", 1) and "there was no answer" in errors, errors
    told = run("ask", "q", "sure", "--timeout", "300ms", code=1)
    assert "there was no answer" in told and value("show", "q")["sheets"] == [], told


#: The changes of the session of a recording, as people and programs do it: sheets that are named,
#: marks, a batch, undo of changes before and after the beginning, a text that looks like a number.
acts = [
    ("navigate", {"route": "product", "params": {"product": {"title": "It's \n \u2028 #1", "price": 7}}}),
    ("present", {"route": "login"}), ("dismiss", {"sheet": "$sheet"}), ("undo", {}), ("redo", {}),
    ("setFacts", {"facts": {"signedIn": True}}), ("undo", {"count": 2}),
    ("batch", {"commands": [{"command": "root"}, {"command": "navigate", "route": "orders"}]}),
    ("select", {"tab": "nowhere"}), ("open", {"url": "https://shop.example/orders/7"}),
    ("setBadge", {"tab": "shop", "badge": "3"}), ("setBadge", {"tab": "shop", "badge": None}),
    ("update", {"labels": {"room": "hall"}}), ("update", {"ttlSeconds": 900}),
    ("back", {}), ("root", {"scope": "all"}),
]


def shape(session):
    """The state without ids and times."""
    def plain(value):
        if isinstance(value, list): return [plain(item) for item in value]
        if not isinstance(value, dict): return value
        if "params" in value or "path" in value:
            value = {k: v for k, v in value.items() if k != "id" or "path" in value and "route" not in value}
        return {k: v if k == "params" else plain(v) for k, v in value.items() if k != "presentedBy"}
    return {k: plain(session.get(k)) for k in ["selectedTab", "tabs", "sheets", "facts", "pending", "labels"]}


def record(name, *words):
    """Records a session while it does its acts, some of which are refused; the text, and its states."""
    value("create", name, "app=shop")
    value("navigate", name, "category", '{"category":{"query":"tea"}}')
    recording = subprocess.Popen([executable, "record", name, *words], text=True, env=environment(),
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until(lambda: value("watchers", name)["watchers"], "the recording has begun")
    states = [value("show", name)]
    for command, body in acts:
        sheets = states[-1]["sheets"]
        if body.get("sheet") == "$sheet": body = {"sheet": sheets[-1]["id"] if sheets else "e99"}
        if command == "update":
            answer = value("update", name, json.dumps(body))
            if "labels" in body: states.append(answer)
            continue
        status, answer = server.call("POST", f"/v1/sessions/{name}/{command}", body)
        if status == 200 and answer["changed"]: states.append(answer["session"])
        time.sleep(0.02)
    revision = states[-1]["revision"]
    time.sleep(0.3)
    recording.send_signal(signal.SIGINT)
    told, errors = recording.communicate(timeout=20)
    assert recording.returncode == 0 and not errors, errors
    assert len(states) > 8 and revision == value("show", name)["revision"], revision
    return told, states


def replay():
    """A script brings the same states about, in a new session and in the same one, again and again."""
    told, states = record("rec")
    lines = [line for line in told.splitlines() if line.startswith("navstate ")]
    assert len(lines) == len(states) and lines[0].startswith("navstate restore-session rec '{"), told
    assert "sleep 0.0" in told and "  # e" in told, told
    assert not re.search("[\x00-\x09\x0b-\x1f\u2028]", told)
    (folder / "tour.sh").write_text(told)
    for name in ["again", "again", "rec"]:
        answers = [json.loads(line) for line in
                   run("play", folder / "tour.sh", name, "--speed", "20").splitlines()]
        seen = [answer.get("session", answer) for answer in answers]
        for number, (one, other) in enumerate(zip(states, seen, strict=True)):
            assert shape(one) == shape(other), (name, lines[number], shape(one), shape(other))
    # A shell carries it out as well, in a session whose ids are the same.
    run("delete", "rec")
    shell = subprocess.run(["sh", "-e", folder / "tour.sh"], capture_output=True, text=True, timeout=60,
                           env=environment(PATH=f"{executable.parent}:{os.environ['PATH']}"))
    assert shell.returncode in (0, 1) and "syntax" not in shell.stderr, shell.stderr
    tour = subprocess.Popen([executable, "play", folder / "tour.sh", "again", "--speed", "1000", "--loop"],
                            text=True, stdout=subprocess.PIPE, env=environment())
    for _ in range(2 * len(states) + 1): assert json.loads(tour.stdout.readline())
    tour.kill()
    tour.communicate()
    program = run("app", "explore", root / "Examples/apps/shop.json", "--to", "wine")
    value("create", "wine", "app=shop")
    run("play", "-", "wine", text=program)
    assert value("show", "wine")["visible"]["route"] == "wine"


def recorded_story():
    told, _ = record("tale", "--story")
    (folder / "tale.json").write_text(told)
    address = Server(executable, folder / "stories")
    try:
        answer = subprocess.run(
            ["python3", root / "docs/conformance/run.py", "--url", f"http://127.0.0.1:{address.port}",
             folder / "tale.json"], capture_output=True, text=True, timeout=60)
    finally: address.end()
    assert answer.returncode == 0 and "ok 1 - sessions recorded-tale" in answer.stdout, answer.stdout + answer.stderr


def apps():
    document = (root / "Examples/apps/chat.json").read_text()
    for words in [("app", "put", folder / "mine.json"), ("app", "put", "-")]:
        changed = json.dumps({**json.loads(document), "id": "mine"})
        (folder / "mine.json").write_text(changed)
        assert value(*words, text=changed)["app"]["id"] == "mine"
    assert "mine" in [app["id"] for app in value("apps")["apps"]]
    (folder / "bad.json").write_text('{"id":"bad","routes":7}')
    problem = json.loads(run("app", "put", folder / "bad.json", code=1))
    assert problem["type"].endswith("/invalid-app"), problem


def explored():
    """The commands that `app explore` prints lead to the screen."""
    value("create", "explored", "app=shop")
    program = run("app", "explore", root / "Examples/apps/shop.json", "--to", "wine")
    for line in program.splitlines():
        name, command, session, *words = shlex.split(line)
        assert (name, session) == ("navstate", "ID"), line
        answer = value(command, "explored", *words)
    assert answer["session"]["visible"]["route"] == "wine", answer


def documents():
    """The commands about documents of apps, which ask no server unless one is named."""
    def offline(*words, text=None):
        answer = subprocess.run(
            [executable, "app", *words], capture_output=True, text=True, input=text, timeout=20,
            env=environment(NAVSTATE_SERVER="http://127.0.0.1:1"), cwd=folder)
        return answer.returncode, answer.stdout, answer.stderr

    examples = sorted((root / "Examples/apps").glob("*.json"))
    assert offline("check", "--strict", *examples) == (0, "0 errors, 0 warnings\n", "")
    lines = (root / "Examples/apps/shop.json").read_text().splitlines(True)
    number = next(index for index, line in enumerate(lines) if '"icon"' in line)
    lines[number] = lines[number].replace('"icon": "', '"icon": "x')
    (folder / "shop.json").write_text("".join(lines))
    code, told, errors = offline("check", "shop.json")
    assert code == 0 and not errors and told.endswith("0 errors, 1 warning\n"), (code, told)
    column = lines[number].index(": ") + 3
    assert told.startswith(f"shop.json:{number + 1}:{column}: warning: /tabs/0/icon: \"x"), told
    (folder / "cut.json").write_bytes(b'{"tabs": [\n"\xff"]}')
    code, told, _ = offline("check", "cut.json", "-", text='{"tabs": [{"id": "a", "root": "b"}]}')
    assert code == 78 and told == (
        "cut.json:2:2: error: the text is not valid UTF-8\n"
        "-:1:31: error: /tabs/0/root names the route b, which the app does not declare\n"
        "2 errors, 0 warnings\n"), told
    code, told, _ = offline("check", "--json", "cut.json")
    assert code == 78 and json.loads(told)["code"] == "syntax", told
    assert offline("check", "none.json")[::2] == (
        78, "navstate: none.json: No such file or directory\n")
    assert offline("check")[0] == 64 and offline("chekc", "x")[0] == 64 and offline()[0] == 64
    assert offline("check", "a", "--server", "http://127.0.0.1:1")[0] == 69
    assert offline("put")[0] == 2
    code, schema, _ = offline("schema")
    assert code == 0 and schema == (root / "docs/app.schema.json").read_text()
    shop = str(root / "Examples/apps/shop.json")
    assert offline("generate", "kotlin", shop, "-o", "Shop.kt")[0] == 0
    assert offline("generate", "kotlin", shop, "-o", "-") == (
        0, (folder / "Shop.kt").read_text(), "")
    assert not (folder / "-").exists() and offline(
        "generate", "typescript", shop, "-o", "-", "--links")[0] == 64
    assert server.call("GET", "/app.schema.json") == (200, json.loads(schema))
    # With a server, the words are ids there.
    assert run("app", "check", "chat", "--server", url) == "0 errors, 0 warnings\n"
    problem = run("app", "check", "nobody", "--server", url, code=1)
    assert problem.startswith("navstate: app-not-found (404): "), problem
    files = [("site", "apple-app-site-association"), ("linking", "react-navigation"),
             ("path-configuration", "hotwire")]
    for name, form in files:
        source = (root / f"Tests/imports/{name}.json").read_text()
        code, made, _ = offline("import", "--from", form, "--id", "made", "-", text=source)
        assert code == 0 and value("app", "put", "-", text=made)["app"]["id"] == "made"
        code, told, _ = offline("check", "-", text=made)
        assert code == 0 and "0 errors" in told, told
    trial = value("app", "put", "--dry-run", "-", text='{"id": "made", "tabs": [{"id": "a"}]}')
    assert trial["valid"] and value("app", "show", "made")["tabs"] != [{"id": "a"}]
    told = run("app", "put", "--json=false", "none.json", code=2)
    assert "none.json: No such file" in told, told
    bad = '{"id": "made",\n"tabs": [{"id": 7}]}'
    told = run("app", "put", "--json=false", "-", text=bad, code=1)
    assert "-:2:17: error: /tabs/0/id " in told, told
    assert run("app", "delete", "made", "--json=false") == "deleted the app made\n"
    run("app", "show", "made", code=1)


def codes():
    problem = json.loads(run("show", "nobody", code=1))
    assert problem["type"] == "/problems/session-not-found" and problem["status"] == 404
    told = run("navigate", "k", "x", "--with", "mod=push", "--json=false", code=1)
    assert told.startswith("navstate: invalid-request (422): "), told
    assert "  /mod  " in told, told
    for words in [("show",), ("show", "a", "--drain", "1s"), ("create", "x=", "y"),
                  ("show", "a", "--server", "https://a")]:
        assert run(*words, code=2).startswith("navstate: ")
    assert "unknown command" in run("shwo", code=64)
    for server in ["http://127.0.0.1:1", "unix:/nowhere", "http://name.invalid"]:
        assert "cannot be reached" in run("show", "a", "--server", server, code=69)
    # A regular disk that is full, as every program that writes may meet it.
    for words in [["apps"], ["app", "schema"], ["openapi"], ["version"]]:
        with open("/dev/full", "w") as full:
            answer = subprocess.run([executable, *words], stdout=full, stderr=subprocess.PIPE,
                                    env=environment())
        assert answer.returncode == 70 and b"cannot be written" in answer.stderr, answer
    # Bytes that are no text, which the standard library would replace.
    for words, code in [(["apps", b"\xff"], 2), (["check", b"data\xff"], 64)]:
        answer = subprocess.run([executable, *words], capture_output=True, env=environment())
        assert answer.returncode == code and b"is not UTF-8" in answer.stderr, answer
    assert "not both" in run("app", "explore", root / "Examples/apps/shop.json", "--to", "wine",
                             "--emit", "playwright", code=64)


def deep():
    """A session of a server that allows more nesting than others is read and followed."""
    address = Server(executable, folder / "deep", "--nesting-max", "256")
    try:
        server = f"http://127.0.0.1:{address.port}"
        params = json.dumps({"x": 0}).replace("0", 250 * "[" + 250 * "]")
        value("create", "deep", "--server", server)
        shown = value("navigate", "deep", "r", params, "--server", server)["session"]
        assert value("show", "deep", "--server", server) == shown
        assert json.loads(run("watch", "deep", "limit=1", "--server", server))
    finally: address.end()


def tty():
    value("create", "t", 'tabs:=["a","b"]')
    value("navigate", "t", "list", "x=" + "y" * 100)
    seen, code = terminal("show", "t")
    plain = re.sub(r"\x1b\[\d*m", "", seen)
    assert code == 0 and "\x1b[1mlist\x1b[0m" in seen, seen
    assert "│  path   e1  list  ← visible  " in plain and "├───────┬───" in plain, plain
    assert max(map(len, plain.splitlines())) == 80, plain
    narrow, _ = terminal("show", "t", columns=40)
    assert max(map(len, re.sub(r"\x1b\[\d*m", "", narrow).splitlines())) == 40, narrow
    for more in [{"NO_COLOR": "1"}, {"TERM": "dumb"}]:
        assert terminal("show", "t", **more)[0] == plain
    assert "\x1b" in terminal("show", "t", NO_COLOR="")[0]
    assert run("show", "t", "--json=false") == plain
    assert json.loads(terminal("show", "t", "--json")[0]) == value("show", "t")
    seen, code = terminal("show", "nobody", NO_COLOR="1")
    assert code == 1 and seen.startswith("navstate: session-not-found (404): "), seen
    assert "ID " in terminal("sessions")[0] and "chat " in terminal("apps")[0]


class Watching:
    """The command watch, whose lines are read as they come."""

    def __init__(self, *words, **more):
        self.process = subprocess.Popen(
            [executable, "watch", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(**more))
        self.unread = b""

    def line(self):
        while b"\n" not in self.unread:
            assert select.select([self.process.stdout], [], [], 20)[0], "nothing is printed"
            part = os.read(self.process.stdout.fileno(), 65536)
            assert part, "the command has ended: " + self.process.stderr.read().decode()
            self.unread += part
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode() + "\n"

    def event(self): return json.loads(self.line())

    def end(self):
        """The exit code and standard error, once it has ended by itself."""
        try: _, errors = self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, errors.decode()


def watch():
    value("create", "w")
    watching = Watching("w")
    first = watching.event()
    assert first["event"] == "snapshot" and first["data"]["revision"] == 1, first
    value("navigate", "w", "list")
    change = watching.event()
    assert change["event"] == "change" and change["data"]["command"]["route"] == "list", change
    assert server.call("DELETE", "/v1/sessions/w")[0] == 204
    assert watching.event()["event"] == "deleted"
    assert watching.end() == (0, "")
    value("create", "w")
    people = Watching("w", "--json=false")
    assert people.line() == "     1  snapshot  → main\n"
    value("navigate", "w", "list", "x=\x1b[2J")
    assert people.line() == "     2  navigate route=list params={\"x\":\"\\u001b[2J\"}  → list\n"
    people.process.send_signal(signal.SIGINT)
    assert people.end()[0] == -signal.SIGINT


def again():
    """The server ends and starts again; no change is missing, and none comes twice."""
    global server
    value("create", "r")
    watching = Watching("r")
    assert watching.event()["data"]["revision"] == 1
    server.end()
    server = start()
    for _ in range(3): value("navigate", "r", "list")
    seen = [watching.event()["data"] for _ in range(3)]
    assert [data["revision"] for data in seen] == [2, 3, 4], seen
    server.call("DELETE", "/v1/sessions/r")
    assert watching.event()["event"] == "deleted"
    code, errors = watching.end()
    assert code == 0 and "connecting again" in errors, (code, errors)
    server.end()
    assert "cannot be reached" in run("watch", "r", code=69)
    server = start()


def pipes():
    """A reader that has gone away ends the command without a word, also one that has nothing to
    print, and also where the parent ignores the signal."""
    value("create", "p")
    for trap in ["", "trap '' PIPE; "]:
        answer = subprocess.run(
            ["bash", "-c", f"{trap}{executable} watch p | head -n 1"], capture_output=True,
            text=True, timeout=20, env=environment())
        assert json.loads(answer.stdout)["event"] == "snapshot" and not answer.stderr, answer
        answer = subprocess.run(
            ["bash", "-c", f"{trap}{executable} ids | true"], capture_output=True, text=True,
            timeout=20, env=environment())
        assert not answer.stderr, answer


def many():
    for number in range(1050):
        assert server.call("POST", "/v1/sessions", {"id": f"many-{number}"})[0] == 201
    names = run("ids", "many-").splitlines()
    assert len(names) == 1050 == len(set(names)), len(names)
    assert len(run("ids", "many-", "limit=7").splitlines()) == 7
    assert "next" in value("sessions", "limit=5")


def tokens():
    with Server(executable, folder / "guarded", environment={"NAVSTATE_TOKEN": "s3cret"}) as guarded:
        there = ("--server", f"http://localhost:{guarded.port}")
        problem = json.loads(run("apps", *there, code=1))
        assert problem["status"] == 401, problem
        told = run("apps", "--json=false", *there, code=1)
        assert "set NAVSTATE_TOKEN or use --token-file" in told, told
        (folder / "token").write_text("s3cret\n")
        (folder / "tokens").write_text("# ours\ns3cret admin desk\n")
        for name in ["token", "tokens"]:
            assert value("apps", *there, "--token-file", folder / name) == {"apps": []}
        assert value("apps", *there, NAVSTATE_TOKEN="s3cret") == {"apps": []}
        assert value("apps", *there, NAVSTATE_TOKEN_FILE=str(folder / "token")) == {"apps": []}


class Between:
    """A proxy on a port of its own, which drops the first response."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections = 0
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            self.connections += 1
            with client, socket.create_connection(("127.0.0.1", server.port)) as other:
                other.sendall(client.recv(65536))
                response = b""
                while part := other.recv(65536): response += part
                if self.connections > 1: client.sendall(response)


def lost():
    value("create", "l")
    between = Between()
    answer = value("navigate", "l", "list", "--server", between.address)
    assert between.connections == 2 and answer["session"]["revision"] == 2, answer
    assert value("show", "l")["revision"] == 2


def hostile():
    """A server that writes to the terminal by all that it says."""
    evil = "\\u001b]0;x\\u0007\\u009b2J"
    raw = "\x9b2J\x7f"
    session = (f'{{"id":"{evil}{raw}","revision":1,"selectedTab":"{evil}","labels":{{"{evil}":"{raw}"}},'
               f'"tabs":[{{"id":"{evil}","path":[{{"id":"{evil}","route":"{raw}"}}]}}]}}')
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            client, _ = listener.accept()
            with client:
                target = client.recv(65536).split()[1]
                status, body = "200 OK", session
                if target == b"/v1/sessions": body = f'{{"sessions":[{session}],"next":"{evil}"}}'
                if target == b"/v1/apps":
                    status, body = "400 Bad", f'{{"type":"{evil}","detail":"{raw}","errors":[{session}]}}'
                kind = "application/json"
                if b"events" in target:
                    kind, event = "text/event-stream", f'{{"revision":1,"by":"{raw}","session":{session}}}'
                    body = f"id: 1\nevent: {raw}\ndata: {event}\n\nevent: deleted\ndata: {{}}\n\n"
                data = body.encode()
                client.sendall(f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n"
                               f"Content-Length: {len(data)}\r\n\r\n".encode() + data)

    threading.Thread(target=serve, daemon=True).start()
    there = f"http://127.0.0.1:{listener.getsockname()[1]}"
    for words in [("show", "a"), ("sessions",), ("apps",), ("watch", "a"), ("ids",), ("undo", "a"),
                  ("create", "a")]:
        for more in [(), ("--json",)]:
            seen, _ = terminal(*words, *more, NO_COLOR="1", NAVSTATE_SERVER=there)
            bad = [c for c in seen if (ord(c) < 32 and c != "\n") or 0x7f <= ord(c) < 0xa0]
            assert not bad, (words, bad, seen)


def start(): return Server(
    executable, folder / "data", "--listen", f"unix:{path}", "--apps", root / "Examples/apps")


# A shell has what it runs in the background ignore this signal, and the commands would inherit it.
signal.signal(signal.SIGINT, signal.default_int_handler)
url = f"unix:{path}"
server = start()
case = Case()
try:
    case.run("every command, as JSON", story)
    case.run("every other command and read", whole)
    case.run("members have the types of the app", typed)
    case.run("questions", ask)
    case.run("a recording that is played has the same states", replay)
    case.run("a recording that is a story", recorded_story)
    case.run("apps from a file and from standard input", apps)
    case.run("documents of apps, with and without a server", documents)
    case.run("the commands of an explored app", explored)
    case.run("exit codes", codes)
    case.run("a server that allows more nesting", deep)
    case.run("a terminal: drawing, width and colors", tty)
    case.run("watch", watch)
    case.run("watch and a server that starts again", again)
    case.run("readers that go away", pipes)
    case.run("more sessions than one page has", many)
    case.run("tokens", tokens)
    case.run("a change whose response is lost is made once", lost)
    case.run("a hostile server has no way to the terminal", hostile)
finally: server.end()
print(f"{case.passed} passed, {case.failed} failed")
raise SystemExit(1 if case.failed else 0)
