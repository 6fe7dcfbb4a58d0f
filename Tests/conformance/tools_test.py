#!/usr/bin/env python3
"""The tools of the conformance suite: the runner finds what a server does wrong, and the random programs
find and shrink a difference. The servers here are small stand-ins."""
import contextlib, http.server, io, json, pathlib, sys, tempfile, threading, time, unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs/conformance"), str(ROOT / "Tests/conformance")]
import model, random_test
import run as runner


class StandIn(http.server.BaseHTTPRequestHandler):
    """Free-form sessions by the model, behind just enough of HTTP."""

    protocol_version, wbufsize = "HTTP/1.1", -1  # One write for head and body.
    disable_nagle_algorithm = True
    sessions, states, wrong, told, open = {}, {}, set(), {"contract": "1.1", "version": "0", "features": ["steps"]}, True

    def log_message(self, *_): pass
    def do_GET(self): self.handle_request()
    def do_POST(self): self.handle_request()
    def do_DELETE(self): self.handle_request()
    def do_HEAD(self): self.handle_request()
    def do_PATCH(self): self.handle_request()
    def do_PUT(self): self.handle_request()

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        parts = self.path.partition("?")[0].split("/")[1:]
        if parts[-1] == "events": return self.tell_nothing(self.headers["Accept"])
        status, value = self.answer(parts, json.loads(body) if body else None)
        kind = "application/json" if status < 400 or "type" in self.wrong else "application/problem+json"
        if "selectedTab" in self.wrong and value: value = {name: member for name, member in value.items() if name != "selectedTab"}
        if "list" in self.wrong and self.command == "POST": value = []
        if "errors" in self.wrong and status >= 400: value = {**value, "errors": ["a"]}
        if status >= 400: value = {"title": "Refused", "detail": "Refused.", **value}
        if status >= 400 and "body" in self.wrong: value = None
        data = json.dumps(value).encode() if value is not None and self.command != "HEAD" else b""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if status == 200 and len(parts) > 2: self.send_header("ETag", f'"{self.sessions[parts[2]].revision}"')
        if "request-id" not in self.wrong: self.send_header("X-Request-Id", "1")
        self.end_headers()
        self.wfile.write(data)

    def tell_nothing(self, kind):
        """A stream that is alive and has no event."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.flush()
        with contextlib.suppress(OSError):
            while True:
                self.connection.sendall(b"\n" if kind.endswith("ndjson") else b": alive\n\n")
                time.sleep(0.05)

    def answer(self, parts, body):
        if parts == ["v1"]: return 200, self.told
        if parts == ["v1", "sessions"]:
            if self.command == "GET": return (200, {"sessions": []}) if self.open else (401, model.Refused(401, "unauthorized").problem)
            name = f"s{len(self.sessions)}"
            self.sessions[name] = model.Session(tabs=(body or {}).get("tabs", ["main"]))
            self.states[name] = {}
            return 201, self.shown(name)
        name = parts[2]
        if name not in self.sessions: return 404, model.Refused(404, "session-not-found").problem
        if len(parts) == 3:
            if self.command == "DELETE": del self.sessions[name]
            if self.command == "PATCH": self.sessions[name].patch(body)
            if self.command == "PUT": self.sessions[name].put(body)
            return (204, None) if self.command == "DELETE" else (200, self.shown(name))
        if parts[3] == "steps":
            start = int(self.path.rpartition("=")[2])
            return 200, {"from": start, "steps": model.steps(self.states[name][start], self.sessions[name].shown())}
        match, is_dry = self.headers.get("If-Match"), "dryRun" in self.path
        status, answer = self.sessions[name].command(
            parts[3], body, "strict" in self.headers.get("Prefer", ""), match and int(match.strip('"')), is_dry)
        if "back" in self.wrong and parts[3] == "back" and status == 200 and not is_dry:
            self.sessions[name].command("back", body)
        if "answer" in self.wrong and status == 200: return 200, {**answer, "session": {**self.shown(name), "revision": 99}}
        if "gone" in self.wrong and status >= 400: del self.sessions[name]
        if "refusal" in self.wrong and status >= 400: self.sessions[name].command("navigate", {"route": "wrong"})
        return (200, {**answer, "session": self.shown(name)}) if status == 200 else (status, answer)

    def shown(self, name):
        shown = {"id": name, **self.sessions[name].shown()}
        self.states[name][shown["revision"]] = shown
        return shown


@contextlib.contextmanager
def standing_in(wrong=(), **settings):
    handler = type("Handler", (StandIn,), {"sessions": {}, "states": {}, "wrong": set(wrong), **settings})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try: yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def carry_out(url, *words):
    """The output of the runner, and its exit code."""
    output = io.StringIO()
    with mock.patch.object(sys, "argv", ["run.py", "--url", url, *words]), contextlib.redirect_stdout(output):
        code = runner.main()
    return code, output.getvalue()


def chapter(*stories, **members):
    return {"format": 1, "contract": "1.0", "chapter": "x", "about": "Something to test.", **members,
            "stories": [{"id": f"s{index}", "shows": "It shows this.", "steps": steps} for index, steps in enumerate(stories)]}


class RunnerTests(unittest.TestCase):
    def run_chapter(self, value, wrong=(), words=(), **settings):
        with tempfile.TemporaryDirectory() as folder, standing_in(wrong, **settings) as url:
            path = pathlib.Path(folder) / "x.json"
            path.write_text(json.dumps(value))
            return carry_out(url, str(path), *words)

    push = {"command": "navigate", "body": {"route": "a"}, "expect": {"picture": "*main/a"}}
    back = {"command": "back", "expect": {"picture": "*main/a"}}

    def test_a_right_server_passes(self):
        code, text = self.run_chapter(chapter([self.push, self.push | {"expect": {"picture": "*main/a/a"}}, self.back]))
        self.assertEqual(code, 0, text)
        self.assertTrue(text.startswith("TAP version 14\n1..1\nok 1 - x s0: It shows this.\n"), text)

    def test_a_wrong_picture_fails(self):
        code, text = self.run_chapter(chapter([self.push, self.back | {"expect": {"picture": "*main/a"}}]))
        self.assertEqual(code, 1)
        self.assertIn("not ok 1", text)
        self.assertIn("step: 2", text)

    def test_what_always_holds_is_checked(self):
        for wrong, story, why in (("request-id", [self.push], "X-Request-Id"), ("answer", [self.push], "what a GET then reads"),
                                  ("refusal", [{"command": "select", "body": {"tab": "x"}, "expect": {"status": 404}}], "has changed the session"),
                                  ("gone", [{"command": "select", "body": {"tab": "x"}, "expect": {"status": 404}}], "a refused request has removed the session"),
                                  ("body", [{"command": "select", "body": {"tab": "x"}, "expect": {"status": 404}}], "a refusal has no body"),
                                  ("type", [{"command": "select", "body": {"tab": "x"}, "expect": {"status": 404}}], "application/problem+json"),
                                  ("back", [self.push, self.push | {"expect": {}}, self.push | {"expect": {}}, {"command": "back", "expect": {"picture": "*main/a/a"}}], "and not")):
            code, text = self.run_chapter(chapter(story), [wrong])
            self.assertEqual(code, 1, wrong)
            self.assertIn(why, text, wrong)

    def test_a_refused_head_has_no_body(self):
        code, text = self.run_chapter(chapter([{"request": "HEAD /v1/sessions/none", "expect": {"status": 404}}]))
        self.assertEqual(code, 0, text)

    def test_an_event_or_an_answer_that_never_comes_fails(self):
        for kind in ("text/event-stream", "application/x-ndjson"):
            stream = {"request": "GET /v1/sessions/$session/events", "headers": {"Accept": kind}}
            for steps in ([stream | {"begin": "s"}, {"events": "s", "expect": {"events": [{}]}}],
                          [stream | {"begin": "s"}, {"events": "s", "expect": {"ended": True}}],
                          [stream | {"begin": "s"}, {"end": "s"}], [stream]):
                with mock.patch.object(runner, "ANSWER_SECONDS", 0.3): code, text = self.run_chapter(chapter(steps, [self.push]))
                self.assertIn("not ok 1", text)
                self.assertIn("came within 0.3 s", text)
                self.assertIn("\nok 2", text)

    def test_an_answer_of_another_form_fails_and_the_others_are_run(self):
        unknown = {"command": "select", "body": {"tab": 1}, "expect": {"problem": "invalid-request", "errors": ["/tab"]}}
        for wrong, story, why in (("selectedTab", [self.push], "the session/selectedTab is missing"), ("list", [self.push], "the session is [], not an object"),
                                  ("errors", [unknown], '/errors is ["a"], which is not')):
            code, text = self.run_chapter(chapter(story, story), [wrong])
            self.assertEqual((code, text.count("not ok")), (1, 2), text)
            self.assertIn(why, text, wrong)
            self.assertNotIn("Traceback", text)

    def test_a_mistake_of_a_story_fails_and_the_others_are_run(self):
        code, text = self.run_chapter(chapter([{"close": "nothing"}], [self.push]))
        self.assertEqual(code, 1)
        self.assertIn("not ok 1", text)
        self.assertIn("KeyError: 'nothing'", text)
        self.assertIn("\nok 2", text)

    def test_a_server_that_tells_nonsense_fails_and_the_stories_are_run(self):
        for told in ({"features": None}, {"features": [1]}, {"contract": "1.2-draft"}, {"contract": 1.2}):
            code, text = self.run_chapter(chapter([self.push]), told=told)
            self.assertEqual(code, 1)
            self.assertIn("1..2\nnot ok 1 - service GET /v1", text)
            self.assertIn(f"/{next(iter(told))} is ", text)
            self.assertIn("\nok 2", text)
        self.assertIn("the answer is [], not an object", self.run_chapter(chapter([self.push]), told=[])[1])

    def test_a_wrong_command_line_is_told_in_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder, standing_in() as url:
            path = pathlib.Path(folder) / "x.json"
            for text, words, why in ((None, [], "x.json cannot be read: No such file"), ("{}", ["--url", "http://127.0.0.1:99999"], "is no URL of a server"),
                                     ("{}", ["--url", "http://[::1"], "is no URL of a server"), ("{", [], "x.json is no JSON"), ("[]", [], "x.json has format None"),
                                     (json.dumps(chapter([self.push])), ["--report", f"{folder}/none/report.md"], "report.md cannot be written: No such file")):
                if text is not None: path.write_text(text)
                errors = io.StringIO()
                with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(errors): carry_out(url, str(path), *words)
                self.assertEqual(ended.exception.code, 2)
                self.assertIn(why, errors.getvalue())
                self.assertEqual(errors.getvalue().count("\n"), 1, errors.getvalue())

    def test_a_feature_that_is_lacking_skips(self):
        code, text = self.run_chapter(chapter([self.push], features=["facts"]))
        self.assertIn("# SKIP needs facts", text)
        self.assertEqual(code, 1, "nothing was run")
        code, text = self.run_chapter(chapter([self.push], features=["steps"]))
        self.assertEqual((code, "SKIP" in text), (0, False))

    def test_a_server_of_an_older_contract_skips(self):
        self.assertIn("# SKIP needs contract 1.2", self.run_chapter(chapter([self.push], contract="1.2"))[1])

    def test_guarded_and_open_servers_are_told_apart(self):
        self.assertIn("# SKIP needs a server that is guarded", self.run_chapter(chapter([self.push], needs=["guarded"]))[1])
        self.assertIn("# SKIP needs a server that is open", self.run_chapter(chapter([self.push], needs=["open"]), open=False)[1])

    def test_a_report_has_what_failed(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.md"
            self.run_chapter(chapter([self.push], [self.push, self.push]), words=["--report", str(report)])
            text = report.read_text()
        self.assertIn("1 stories have passed, 1 have failed and 0 were skipped.", text)
        self.assertIn("- `s1` (x): It shows this.", text)

    def test_what_was_created_is_deleted(self):
        made = {}
        self.run_chapter(chapter([self.push]), sessions=made)
        self.assertEqual(made, {})

    def test_no_server_is_an_exit_code_of_its_own(self):
        with standing_in() as url: pass
        self.assertEqual(carry_out(url)[0], 2)

    def test_unknown_stories_are_refused(self):
        with standing_in() as url, self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()): carry_out(url, "none")
        self.assertEqual(ended.exception.code, 2)


class PatternTests(unittest.TestCase):
    FITS = [({"a": 1}, {"a": 1, "b": 2}), ([{"a": 1}], [{"a": 1, "b": 2}]), ({"$exactly": {"a": 1}}, {"a": 1}), ({"$text": "^a"}, "abc"),
            ({"$any": "string"}, "x"), ({"$any": "integer"}, 1), ({"$any": True}, None), ({"$length": 2}, [1, 2]), ({"$keys": ["b", "a"]}, {"b": 1, "a": 2}),
            ({"$least": 2}, 2), ({"$among": [1, 2]}, 2), ({"$all": [{"a": 1}, {"b": 2}]}, {"a": 1, "b": 2}), ({"$not": 1}, 2), ({"$has": [2]}, [1, 2]),
            ({"$each": {"$any": "integer"}}, [1, 2]), ({"a": {"$absent": True}}, {"b": 1}), ({"$defs": {}}, {"$defs": {"a": 1}})]
    FAILS = [({"a": 1}, {"a": 1.0}), ({"a": 1}, {"a": True}), ({"a": 1}, {}), ([1], [1, 2]), ({"$exactly": {"a": 1}}, {"a": 1, "b": 2}), ({"$text": "^b"}, "abc"),
             ({"$any": "integer"}, True), ({"$any": "boolean"}, 1), ({"$length": 2}, [1]), ({"$keys": ["a", "b"]}, {"b": 1, "a": 2}), ({"$least": 2}, 1),
             ({"$among": [1, 2]}, 3), ({"$all": [{"a": 1}, {"b": 3}]}, {"a": 1, "b": 2}), ({"$not": 1}, 1), ({"$has": [3]}, [1, 2]), ({"$each": 1}, [1, 2]),
             ({"a": {"$absent": True}}, {"a": None}), (None, 0), ({"a": None}, {})]

    def test_patterns(self):
        for pattern, value in self.FITS: runner.match(pattern, value)
        for pattern, value in self.FAILS:
            with self.assertRaises(runner.Failure, msg=f"{pattern} {value}"): runner.match(pattern, value)

    def test_pictures(self):
        entry = {"route": "a", "params": {"n": 1}, "mark": "m"}
        self.assertEqual(
            runner.picture({"selectedTab": "x", "tabs": [{"id": "x", "badge": 3, "path": [entry]}, {"id": "y", "hidden": True, "path": []}],
                            "sheets": [{"route": "s", "style": "sheet", "path": [{"route": "p"}]}, {"route": "c", "style": "fullScreenCover", "path": []}]}),
            '*x#3/a{"n":1}@m (y) | s/p cover:c')


class RandomTests(unittest.TestCase):
    def programs(self, url, world="free"):
        options = type("Options", (), {"programs": 30, "steps": 20})
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.closing(random_test.Server(url, None)) as server:
            passed = random_test.check_seed(server, 1, world, None, options)
        return passed, output.getvalue()

    def test_a_right_server_is_equal(self):
        with standing_in() as url: self.assertEqual(self.programs(url), (True, ""))

    def test_a_difference_is_found_and_shrunk(self):
        with standing_in(["back"]) as url: passed, text = self.programs(url)
        self.assertFalse(passed)
        steps = json.loads(text[text.index("{"):text.rindex("}\n  ") + 1])["steps"]
        self.assertLessEqual(len(steps), 4, text)
        self.assertEqual(steps[-1]["command"], "back")

    def test_programs_are_those_of_their_seed(self):
        def program(seed):
            generator = random_test.Generator(seed, "guarded")
            return [generator.step() for _ in range(50)]
        self.assertEqual(program(7), program(7))
        self.assertNotEqual(program(7), program(8))

    def test_every_command_and_most_outcomes_occur(self):
        seen, shown = set(), set()
        for world, start in random_test.WORLDS.items():
            for seed in range(1, 4):
                generator = random_test.Generator(seed, world)
                for _ in range(40):
                    app = model.App(start) if "routes" in start else None
                    session = model.Session(app) if app else model.Session(tabs=start["tabs"], tab_back=start.get("tabBack", "none"))
                    for step in [generator.step() for _ in range(20)]:
                        if "command" not in step: continue
                        ids = [entry["id"] for entry in session.entries()]
                        status, answer = session.command(step["command"], random_test.referring(step["body"], ids), bool(step.get("strict")))
                        seen.add(step["command"])
                        seen |= {answer["type"]} if status >= 400 else {key for key in ("held", "resumed", "refused", "selected") if key in answer} | {answer.get("reason")}
                        shown |= {name for name in ("pressed", "locked", "root", "title") if f'"{name}": ' in json.dumps([answer, session.shown()])}
        self.assertLessEqual(set(model.SHAPES), seen)
        self.assertLessEqual({"held", "resumed", "selected", "same-entry", "already-there", "at-root", "no-sheet", "sheet-locked", "entry-locked", "already-selected"}, seen)
        self.assertLessEqual({f"/problems/{name}" for name in ("guarded", "tab-needed", "sheet-open", "unknown-fact", "invalid-params", "route-not-allowed-here",
                                                         "sheet-locked", "entry-locked", "dialog-open", "at-root")}, seen)
        self.assertLessEqual({"pressed", "locked", "root", "title"}, shown)


class ModelTests(unittest.TestCase):
    """Rules of the model that the worlds of the random programs do not have."""

    def guarded(self, guards, **routes):
        facts = {name: {"default": False} for name in "abc"}
        routes = {"page": {}, "login": {}, **routes}
        return model.Session(model.App({"facts": facts, "guards": guards, "routes": routes, "tabs": [{"id": "t", "routes": list(routes)}, {"id": "u"}]}))

    def test_guards_lead_to_guards(self):
        session = self.guarded({"a": {"when": {"a": True}, "instead": {"command": "navigate", "route": "login"}},
                                "b": {"when": {"b": True}, "instead": {"command": "navigate", "route": "register"}}},
                               register={"guard": "a"}, vault={"guard": ["a", "b"]}, lounge={"guard": "b"})
        asked = {"command": "navigate", "route": "lounge", "in": "t"}
        answer = session.command("navigate", {"route": "lounge"})[1]
        self.assertEqual((answer["held"], answer["added"], session.pending), ("a", ["e1"], {"guard": "a", "command": asked, "entry": "e1"}))
        answer = session.command("setFacts", {"facts": {"a": True}})[1]
        self.assertEqual((answer["resumed"], answer["held"], answer["removed"], session.visible["route"]), (asked, "b", ["e1"], "register"))
        self.assertEqual(session.pending, {"guard": "b", "command": asked, "entry": "e2"})
        session.command("setFacts", {"facts": {"b": True}})
        self.assertEqual(([entry["route"] for entry in session.selected["path"]], session.pending), (["lounge"], None))
        self.assertEqual(session.command("navigate", {"route": "vault"})[1]["changed"], True)
        self.assertEqual(session.command("setFacts", {"facts": {"a": False}})[1]["removed"], ["e4"])

    def test_a_chain_that_ends_is_refused_by_its_last_guard(self):
        to = lambda route: {"command": "navigate", "route": route}
        session = self.guarded({"a": {"when": {"a": True}, "instead": to("second")}, "b": {"when": {"b": [True, 1]}}, "c": {"when": {"c": True}, "instead": to("third")}},
                               first={"guard": "a"}, second={"guard": "b"}, third={"guard": "c"})
        status, problem = session.command("navigate", {"route": "first"})
        self.assertEqual((status, problem["guard"], problem["facts"]), (409, "b", {"b": {"is": False, "needs": [True, 1]}}))
        self.assertEqual(session.command("navigate", {"route": "third"})[1]["guard"], "c")
        self.assertEqual(session.command("navigate", {"route": "first"}, strict=True)[1]["guard"], "a")
        self.assertEqual((session.revision, session.last, session.pending), (1, 0, None))

    def test_a_link_gives_the_root_its_params(self):
        schema = {"type": "object", "properties": {"q": {"type": "integer"}, "size": {"default": "m"}}}
        app = {"routes": {"find": {"params": schema}, "page": {}}, "tabs": [{"id": "t", "root": {"route": "find", "params": {}}, "routes": ["page"]}, {"id": "u"}],
               "links": [{"pattern": "/find?q={q}", "tab": "t", "params": {"q": "{q}"}}, {"pattern": "/plain", "tab": "t"}]}
        session = model.Session(model.App(app))
        for name, body in (("navigate", {"route": "page"}), ("select", {"tab": "u"}), ("open", {"url": "/find?q=7"})): session.command(name, body)
        root = {"id": "t", "route": "find", "params": {"q": 7, "size": "m"}}
        self.assertEqual((session.place["selected"], session.tab("t")), ("t", {"id": "t", "root": root, "path": []}))
        self.assertEqual(session.command("open", {"url": "/plain"})[1]["changed"], False)
        self.assertEqual(session.command("open", {"url": "/find?q=x"})[1]["type"], "/problems/no-route-for-url")
        session.command("open", {"url": "/find"})
        self.assertEqual(session.tab("t"), {"id": "t", "path": []})


if __name__ == "__main__": unittest.main()
