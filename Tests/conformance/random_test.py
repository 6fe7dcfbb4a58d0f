#!/usr/bin/env python3
"""Random programs, carried out by a server and by docs/conformance/model.py, step by step.

    random_test.py --url http://127.0.0.1:8080 [--token T] [--seed N] [--programs 40] [--steps 25]

Without --seed it runs the seeds of SEEDS and one that differs from run to run. Status, type of the problem,
answer and session must be equal after each step, ids included, and at the end the steps from each revision to the last.
Where they differ, the program is made as short as it gets and printed as a story.
"""
import argparse, copy, http.client, json, os, pathlib, random, sys, urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs/conformance"))
import model

SEEDS = [1, 2, 3, 4, 5]

GRAPH = {
    "id": "graph", "tabBack": "history",
    "routes": {
        "page": {"params": {"type": "object", "additionalProperties": False,
                            "properties": {"n": {"type": "integer", "minimum": 0}, "size": {"enum": ["s", "m"], "default": "m"}}}},
        "single": {"mode": "single", "hidesTabBar": True}, "back": {"mode": "popTo"}, "any": {"presentation": "any"},
        "ask": {"presentation": "sheet", "routes": ["page", "any"], "result": {"type": "boolean"}}, "film": {"presentation": "fullScreenCover"}},
    "groups": {"most": ["page", "single"], "all": ["@most", "back", "any"]},
    "tabs": [{"id": "a", "routes": ["@all"]}, {"id": "b", "root": "page", "routes": ["@most"]}, {"id": "c", "routes": ["@all"]}],
    "links": [
        {"pattern": "app://page/{n}", "tab": "a", "path": ["single", {"route": "page", "params": {"n": "{n}"}}]},
        {"pattern": "app://page/new", "tab": "b", "path": ["page"]}, {"pattern": "/ask", "tab": "a", "present": {"route": "ask", "path": ["page"]}},
        {"pattern": "/c", "tab": "c"}, {"pattern": "/p/{n}", "redirect": "app://page/{n}"}, {"pattern": "/film", "tab": "c", "path": [], "present": {"route": "film", "tag": "film"}}]}
GUARDED = {
    "id": "guarded", "facts": {"signedIn": {"default": False, "schema": {"type": "boolean"}}, "role": {"default": "guest", "schema": {"enum": ["guest", "clerk"]}}},
    "guards": {"member": {"when": {"signedIn": True}, "instead": {"command": "present", "route": "login"}}, "staff": {"when": {"role": ["clerk"]}},
               "both": {"when": {"signedIn": True, "role": "clerk"}, "instead": {"command": "navigate", "route": "sorry", "in": "shop"}}},
    "routes": {"page": {}, "account": {"guard": "member"}, "stock": {"guard": "staff"}, "vault": {"guard": "both"}, "sorry": {}, "login": {"presentation": "sheet", "routes": ["page"]},
               "pay": {"presentation": "sheet", "guard": "member", "routes": ["page", "vault"]}, "any": {"presentation": "any"}},
    "tabs": [{"id": "shop", "routes": ["page", "account", "stock", "vault", "sorry", "any"]}, {"id": "inbox", "guard": "member", "routes": ["page", "any"]},
             {"id": "cart", "routes": ["page", "vault"]}],
    "links": [{"pattern": "/account", "tab": "shop", "path": ["page", "account"]}, {"pattern": "/inbox", "tab": "inbox", "path": ["page"]}, {"pattern": "/pay", "tab": "cart", "present": {"route": "pay"}}],
    "notFound": {"tab": "shop", "path": ["sorry"]}}
LOUNGE = {
    "id": "lounge", "tabBack": "first", "facts": {"age": {"default": 0, "schema": {"type": "integer"}}, "vip": {"default": False}},
    "guards": {"adult": {"when": {"age": [18, 19]}, "instead": {"command": "open", "url": "/ask"}}, "vip": {"when": {"vip": True}, "instead": {"command": "select", "tab": "desk"}},
               "both": {"when": {"vip": True, "age": 18}, "instead": {"command": "navigate", "route": "form", "in": "desk", "mode": "push"}}},
    "routes": {"page": {}, "bar": {"guard": "adult"}, "club": {"guard": "vip"}, "safe": {"guard": "both", "presentation": "any"}, "form": {}, "age": {"presentation": "sheet", "routes": ["page", "bar"]},
               "note": {"presentation": "any"}},
    "tabs": [{"id": "lobby", "routes": ["page", "bar", "club", "safe"]}, {"id": "desk", "routes": ["page", "form", "bar"]}, {"id": "club", "routes": ["page", "safe"]}],
    "links": [{"pattern": "/ask", "tab": "desk", "present": {"route": "age"}}, {"pattern": "/account", "tab": "lobby", "path": ["page", "club", "bar"]}, {"pattern": "/c", "tab": "club"}]}
PARAMS = {"type": "object", "additionalProperties": False, "properties": {"n": {"type": "integer", "minimum": 0}, "size": {"enum": ["s", "m"], "default": "m"}}}
USER = {"type": "object", "properties": {"who": {"type": "object"}, "kind": {"enum": ["a", 1, None], "default": "a"}}}
USERS = [{"who": {"id": 1, "name": "Jo", "tags": ["x", 2.5]}}, {"who": {"id": 1.0, "name": ""}}, {"who": {"id": 2, "name": True}}, {"who": {"id": 1, "name": ["Jo"]}, "kind": 1}, {}, {"who": {"tags": [None]}, "more": "é" * 300}]
YES_NO = [{"id": "yes", "title": "Yes {n}"}, {"id": "no", "title": "No", "role": "cancel"}]
SCREENS = {
    "id": "screens", "tabBack": "history", "facts": {"vip": {"default": False}},
    "guards": {"vip": {"when": {"vip": True}, "instead": {"command": "present", "route": "ask", "params": {"n": 1}}}},
    "routes": {
        "home": {"title": "Home"}, "find": {"title": "Find {n}", "identity": [], "params": PARAMS},
        "page": {"title": "Page {n}", "backTitle": "{n} {size}", "identity": ["n"], "params": PARAMS, "routes": ["page", "leaf", "any", "vault"]},
        "leaf": {"routes": [], "params": PARAMS}, "any": {"presentation": ["push", "popover", "sheet"], "hidesTabBar": True}, "vault": {"guard": "vip"},
        "user": {"title": "{who.name}", "backTitle": "<{who.tags.0}", "identity": ["who.id", "kind"], "params": USER, "routes": ["user", "@start"], "mode": "popTo"},
        "ask": {"presentation": "confirmationDialog", "title": "Ask {n}?", "params": PARAMS, "buttons": YES_NO},
        "warn": {"presentation": "alert", "title": "Warn", "message": "{n}.", "on": ["page", "@start"], "buttons": [{"id": "yes", "title": "Yes", "role": "destructive"}]},
        "menu": {"presentation": ["sheet", "popover"], "identity": ["size"], "params": PARAMS, "on": ["page", "find"], "routes": ["leaf", "page"]},
        "side": {"presentation": ["push", "inspector"], "mode": "toFront", "params": PARAMS}, "film": {"presentation": "fullScreenCover"}},
    "groups": {"start": ["home"]},
    "tabs": [{"id": "a", "root": "home", "routes": ["page", "leaf", "any", "side"]}, {"id": "b", "root": {"route": "find", "params": {"n": 7}}, "routes": ["page", "find", "side", "vault", "user"]},
             {"id": "c", "title": "See", "routes": ["leaf", "any", "page", "user"]}],
    "links": [
        {"pattern": "app://page/{n}", "tab": "a", "path": [{"route": "page", "params": {"n": "{n}"}}]}, {"pattern": "/ask", "tab": "a", "present": {"route": "ask"}},
        {"pattern": "/c", "tab": "b", "path": [], "present": {"route": "menu", "tag": "t", "path": ["leaf"]}}, {"pattern": "/pay", "tab": "b", "path": ["vault"]},
        {"pattern": "/p/{n}", "tab": "b", "params": {"n": "{n}"}}, {"pattern": "/film", "tab": "b", "params": {"size": "s"}, "path": ["side"]}]}
CHAIN = {
    "id": "chain", "tabBack": "history", "facts": {"signedIn": {"default": False, "schema": {"type": "boolean"}}, "registered": {"default": False, "schema": {"type": "boolean"}},
                                                   "role": {"default": "guest", "schema": {"enum": ["guest", "clerk"]}}, "vip": {"default": False, "schema": {"type": "boolean"}}},
    "guards": {"member": {"when": {"signedIn": True}, "instead": {"command": "navigate", "route": "login", "in": "shop"}},
               "registered": {"when": {"signedIn": True, "registered": True}, "instead": {"command": "navigate", "route": "register"}},
               "staff": {"when": {"role": ["clerk"]}, "instead": {"command": "present", "route": "badge"}},
               "guest": {"when": {"role": "guest"}, "instead": {"command": "select", "tab": "club"}}, "vip": {"when": {"vip": True}}},
    "routes": {"page": {}, "login": {}, "register": {"guard": "member"}, "activities": {"guard": ["registered"]}, "audit": {"guard": ["member", "staff"]},
               "badge": {"presentation": "sheet", "guard": "registered", "routes": ["page", "audit", "register"]}, "safe": {"guard": ["guest", "vip"], "presentation": "any"},
               "find": {"params": PARAMS, "routes": ["page", "activities"]}},
    "tabs": [{"id": "shop", "root": {"route": "find", "params": {"n": 1}}, "routes": ["page", "login", "register", "activities", "safe"]},
             {"id": "club", "guard": ["member", "registered"], "routes": ["page", "audit", "register"]}, {"id": "vault", "guard": ["vip", "staff"], "routes": ["page", "safe"]}],
    "links": [{"pattern": "/find?n={n}", "tab": "shop", "params": {"n": "{n}"}}, {"pattern": "/find/{n}", "tab": "shop", "params": {"n": "{n}"}, "path": ["page"]},
              {"pattern": "/pay", "tab": "club", "path": ["audit"]}, {"pattern": "/ask", "tab": "shop", "params": {}, "present": {"route": "badge", "path": ["audit"]}}]}
WORLDS = {
    "free": {"tabs": ["a", "b", "c"]}, "free-first": {"tabs": ["a", "b"], "tabBack": "first"}, "free-history": {"tabs": ["a", "b", "c"], "tabBack": "history"},
    "graph": GRAPH, "guarded": GUARDED, "lounge": LOUNGE, "screens": SCREENS, "chain": CHAIN}
# The worlds that a server of an older contract does not know.
CONTRACTS = {"chain": "1.2"}
URLS = ["app://page/7", "APP://page/8/#x", "app://page/new", "app://page/x", "/ask", "/c", "/p/7", "/p/x", "/film", "/account", "/inbox?x=1", "/pay/", "/none", "app://page/-1",
        "/find?n=3", "/find", "/find/1"]


class Generator:
    """Commands over a small world, of which most are allowed."""

    def __init__(self, seed, world):
        self.random, self.world = random.Random(f"{seed}-{world}"), world
        app = WORLDS[world] if "routes" in WORLDS[world] else None
        self.routes = list(app["routes"]) if app else ["p", "p", "q", "q", "a"]
        self.sheets = [name for name, route in app["routes"].items() if route.get("presentation", "push") != "push"] if app else ["s", "t"]
        self.tabs = [tab["id"] for tab in app["tabs"]] if app else WORLDS[world]["tabs"]
        self.app, self.latest = app, {}
        leads = [url for url in URLS if app and model.App(app).resolve(url)]
        self.urls = leads * 3 + URLS

    def pick(self, *choices): return self.random.choice(choices)
    def chance(self, share): return self.random.random() < share
    def tab(self): return self.pick(*self.tabs) if self.chance(0.97) else "none"

    def identifier(self):
        """An entry or sheet that exists when the step is carried out, or a tab for its root."""
        if self.chance(0.1): return self.tab()
        return {"$id": self.random.randrange(1000)} if self.chance(0.95) else "e99999"

    def params(self):
        if self.chance(0.6): return {}
        if self.world in ("screens", "free") and self.chance(0.4): return {"params": self.pick(*USERS)}
        values = self.pick({"n": 1}, {"n": 1.0}, {"n": 2}, {"size": "s"}, {"n": 1, "size": "m"}, {"n": -1}, {"x": True}, {"é" * 128: 1})
        return {"params": values}

    def mark(self): return {"mark": self.pick("m", "n")} if self.chance(0.15) else {}
    def locked(self): return self.some(locked=(0.25 if self.world == "screens" else 0.05, self.chance(0.8)))
    def sheets_and_force(self): return self.some(sheets=(0.3, self.pick("keep", "dismiss", "reject", "force")), force=(0.15, self.chance(0.8)))

    def step(self):
        names = ["navigate"] * 6 + ["present"] * 3 + ["back"] * 4 + ["select"] * 2 + ["dismiss", "root", "setPath", "setParams", "setBadge", "open", "setTabs", "batch"]
        names += ["undo", "redo"] + (["setFacts"] * 8 + ["open", "select"] if self.app and "facts" in self.app else [])
        if self.chance(0.03): return {"patch": True, "body": {"labels": self.pick({"k": "v"}, {"k": None}, {"l": "w"}, None)}}
        if self.chance(0.03): return {"put": self.random.randrange(1000), "body": {}, **self.some(cut=(0.4, self.random.randrange(1000)), unset=(0.3, self.random.randrange(1000)),
                                                                                                root=(0.3, self.pick({}, {"n": 3}, {"n": -3}, {"size": "m"}, {"n": 7, "size": "m"})))}
        name = self.pick(*names)
        return {"command": name, "body": getattr(self, name)(), **self.some(strict=(0.08, True), dry=(0.06, True), match=(0.06, self.random.randrange(1000)))}

    def some(self, **members):
        """Each member with a chance of its own."""
        return {key: value for key, (share, value) in members.items() if self.chance(share)}

    def navigate(self):
        inside = self.pick("active", self.tab(), self.tab(), self.identifier())
        modes = ("push", "single", "popTo", "toFront", "replace", "reset", "jump")
        # The same screen again and again, so that equal entries occur.
        if not self.latest or self.chance(0.6): self.latest = {"route": self.route(), **self.params()}
        return {**self.latest, **self.mark(), **self.some(**{"in": (0.35, inside)}, mode=(0.5, self.pick(*modes[:-1], *(modes if self.chance(0.1) else ()))), select=(0.1, self.chance(0.2))),
                **self.locked(), **self.sheets_and_force()}

    def route(self): return self.pick(*self.routes) if self.chance(0.95) else "nowhere"

    def back(self):
        force = self.some(force=(0.12, self.chance(0.8)))
        if self.chance(0.5): return {**force, **self.some(count=(0.6, self.pick(1, 2, 3, 9, 0)), within=(0.2, self.pick("any", "path")))}
        to = self.pick({"entry": self.identifier()}, {"route": self.pick(*self.routes, *self.sheets, *self.tabs)}, {"mark": self.pick("m", "n")})
        return {"to": to, **force, **self.some(inclusive=(0.4, self.chance(0.7)), count=(0.03, 1), within=(0.1, "path"))}

    def root(self): return {**self.some(scope=(0.7, self.pick("tab", "path", "all"))), **self.sheets_and_force()}

    def path(self, with_ids=False):
        items = [{"route": self.route(), **self.params(), **self.mark()} for _ in range(self.random.randrange(3))]
        if with_ids:
            for item in items:
                if self.chance(0.3): item["id"] = self.identifier()
                item.update(self.locked())
        return items

    def present(self):
        if self.chance(0.25 if self.world == "screens" else 0.08): return self.dialog()
        return {"route": self.pick(*self.sheets) if self.chance(0.9) else self.route(), **self.params(), **self.mark(),
                **self.some(style=(0.3, self.pick("sheet", "fullScreenCover", "popover", "inspector")), tag=(0.4, self.pick("t", "u")), dismissible=(0.25, self.chance(0.3)),
                            path=(0.3, self.path()), anchor=(0.05, "here"), title=(0.02, "T"), force=(0.15, True))}

    def dialog(self):
        buttons = self.pick([{"id": "yes", "title": "Yes"}], YES_NO, [{"id": "yes", "title": "Yes"}, {"id": self.pick("yes", "why"), "title": "Why"}])
        return {"style": self.pick("alert", "confirmationDialog"), **self.some(title=(0.95, self.pick("Now?", "Why {n}?"))), **self.mark(),
                **self.some(tag=(0.4, self.pick("t", "u")), message=(0.3, "M {n}."), buttons=(0.6, buttons), route=(0.2, self.pick(*self.sheets)), dismissible=(0.03, True),
                            path=(0.03, []), force=(0.15, True))}

    def dismiss(self):
        body = self.pick({}, {}, {"sheet": self.identifier()}, {"tag": self.pick("t", "u", *(self.app or {}).get("guards", {}))}, {"all": True})
        return {**body, **self.some(force=(0.3, self.chance(0.8)), result=(0.2, self.pick(True, 5)), button=(0.4, self.pick("yes", "yes", "no", "ok", "maybe")))}

    def select(self):
        return {"tab": self.tab(), **self.some(reselect=(0.3, self.pick("popToRoot", "none")), root=(0.2, self.chance(0.8))), **(self.params() if self.chance(0.3) else {}),
                **self.mark(), **self.sheets_and_force()}

    def open(self): return {"url": self.pick(*self.urls), **self.sheets_and_force()}
    def setPath(self):
        return {"in": self.pick("active", self.tab(), self.identifier()), "path": self.path(with_ids=self.chance(0.5)), **self.sheets_and_force()}

    def setParams(self):
        params = self.some(params=(0.9, self.pick(*USERS[:2], {"who": {"name": None, "id": 3}}, {"n": 1}, {"n": None}, {"size": "s"}, {}, {"n": {"x": 1}})))
        return {**params, **self.some(entry=(0.5, self.identifier()), mode=(0.3, self.pick("merge", "replace")), locked=(0.3, self.chance(0.6)))}

    def setBadge(self): return {"tab": self.tab(), "badge": self.pick(1, 2, 0, None, "new", -1)}

    def setFacts(self):
        declared = self.app["facts"]
        values = {"signedIn": (True, True, False, None), "role": ("clerk", "guest"), "registered": (True, True, False), "vip": (True, True, False), "age": (18, 18.0, 19, None, 0), "other": (1,)}
        chosen = [name for name in [*declared, "other"] if self.chance(0.6 if name in declared else 0.03)]
        return {"facts": {name: self.pick(*values[name]) if self.chance(0.97) else [] for name in chosen}}

    def setTabs(self):
        order = self.random.sample(self.tabs, len(self.tabs))
        return self.some(order=(0.6, order), hidden=(0.6, self.random.sample(self.tabs, self.random.randrange(len(self.tabs)))))

    def batch(self):
        parts = [self.pick("navigate", "present", "back", "select", "dismiss", "setBadge", "setPath", *(["setFacts"] if self.app and "facts" in self.app else []))
                 for _ in range(self.random.randrange(1, 4))]
        return {"commands": [{"command": name, **getattr(self, name)()} for name in parts]}

    def undo(self): return self.some(count=(0.4, self.pick(1, 2, 5)))
    redo = undo


class Server:
    def __init__(self, url, token):
        parts = urllib.parse.urlsplit(url)
        self.wire, self.token = http.client.HTTPConnection(parts.hostname, parts.port, timeout=20), token

    def call(self, method, target, body=None, headers={}):
        fields = {**headers, **({"Authorization": f"Bearer {self.token}"} if self.token else {})}
        if body is not None: fields["Content-Type"] = "application/json"
        self.wire.request(method, target, None if body is None else json.dumps(body), fields)
        response = self.wire.getresponse()
        text = response.read()
        self.etag = response.getheader("ETag")
        return response.status, json.loads(text) if text else None

    def close(self): self.wire.close()


class Difference(Exception): pass


def referring(value, ids):
    """The step with ids that exist, as the model knows them."""
    if isinstance(value, dict) and "$id" in value: return ids[value["$id"] % len(ids)] if ids else "e99999"
    if isinstance(value, dict): return {key: referring(part, ids) for key, part in value.items()}
    if isinstance(value, list): return [referring(part, ids) for part in value]
    return value


def changed(shown, step):
    """A state without one of its entries, without one of its presenters, or with other params of the selected root."""
    shown = copy.deepcopy(shown)
    paths = [container["path"] for container in [*shown["tabs"], *shown["sheets"]] if container["path"]]
    if "cut" in step and paths:
        path = paths[step["cut"] % len(paths)]
        del path[step["cut"] % len(path)]
    if "unset" in step and shown["sheets"]: del shown["sheets"][step["unset"] % len(shown["sheets"])]["presentedBy"]
    tab = next(tab for tab in shown["tabs"] if tab["id"] == shown["selectedTab"])
    if "root" in step: tab["root"] = {"params": step["root"]}
    return shown


SESSION = ["revision", "selectedTab", "tabs", "sheets", "visible", "canGoBack", "canUndo", "canRedo", "nextEntry", "labels", "facts", "pending", "tabBack", "tabHistory", "ownOrder"]
ANSWER = ["changed", "reason", "pressed", "popped", "undone", "redone", "held", "selected", "resumed", "givenUp", "added", "removed"]


def compare(what, mine, theirs):
    for key in what:
        one, other = mine.get(key, ...), theirs.get(key, ...)
        if (one is ...) != (other is ...) or (one is not ... and not model.equal(one, other)):
            raise Difference(f"{key} is {json.dumps(theirs.get(key))}, and in the model {json.dumps(mine.get(key))}")


def compare_answers(mine, theirs):
    compare(ANSWER, mine, theirs)
    if ("refused" in mine) != ("refused" in theirs): raise Difference(f"refused is {theirs.get('refused')}, and in the model {mine.get('refused')}")
    if "refused" in mine: compare(mine["refused"], mine["refused"], theirs["refused"])
    for one, other in zip(mine.get("results", []), theirs.get("results", [])): compare_answers(one, other)


class Run:
    """A program on its way through a new session of the server and of the model."""

    def __init__(self, server, app_id, world):
        self.server, self.carried = server, []
        body = {"app": app_id} if app_id else WORLDS[world]
        status, shown = server.call("POST", "/v1/sessions", body)
        if status != 201: raise Difference(f"no session: {status} {shown}")
        self.target, self.etags = f"/v1/sessions/{shown['id']}", {1: server.etag} if server.etag else {}
        if app_id: self.session = model.Session(model.App(WORLDS[world]))
        else: self.session = model.Session(tabs=body["tabs"], tab_back=body.get("tabBack", "none"))
        self.states = {1: self.session.shown()}

    def carry_out(self, step):
        if "patch" in step: self.restore_or_patch("PATCH", step["body"], self.session.patch, step["body"])
        elif "put" in step:
            shown = changed(self.states[sorted(self.states)[step["put"] % len(self.states)]], step)
            self.restore_or_patch("PUT", shown, self.session.put, shown)
        else: self.command(step)
        self.states[self.session.revision] = self.session.shown()
        if self.server.etag and not step.get("dry"): self.etags[self.session.revision] = self.server.etag

    def restore_or_patch(self, method, body, apply, value):
        self.carried.append({"request": f"{method} /v1/sessions/$session", "body": body})
        status, theirs = self.server.call(method, self.target, body)
        expected, _ = apply(value)
        if status != expected: raise Difference(f"{status} {json.dumps(theirs)[:300]}")
        compare(SESSION, self.session.shown(), theirs)

    def command(self, step):
        asked = referring(step["body"], [entry["id"] for entry in self.session.entries()])
        headers, revision = {}, None
        if step.get("strict"): headers["Prefer"] = "handling=strict"
        if "match" in step and self.etags:
            revision = sorted(self.etags)[-1 - step["match"] % min(2, len(self.etags))]
            headers["If-Match"] = self.etags[revision]
        query = "?dryRun=true" if step.get("dry") else ""
        self.carried.append({"command": step["command"], "body": asked, **({"headers": headers} if headers else {}), **({"query": query[1:]} if query else {})})
        status, theirs = self.server.call("POST", f"{self.target}/{step['command']}{query}", asked, headers)
        expected, mine = self.session.command(step["command"], asked, bool(step.get("strict")), revision, bool(step.get("dry")))
        if status != expected or (status >= 400 and theirs["type"] != mine["type"]):
            raise Difference(f"{status} {json.dumps(theirs)[:300]}\n  and in the model {expected} {json.dumps(mine)[:300]}")
        if status >= 400: return compare(mine, mine, theirs)
        if step.get("dry"): return compare(["changed", "reason", "popped", "held", "selected"], mine, theirs)
        compare(SESSION, self.session.shown(), theirs["session"])
        compare_answers(mine, theirs)

    def finish(self):
        """The readable state at the end: the session, and the steps to it from each state."""
        _, theirs = self.server.call("GET", self.target)
        compare(SESSION, self.session.shown(), theirs)
        for revision in sorted(self.states)[-30:]:
            status, theirs = self.server.call("GET", f"{self.target}/steps?from={revision}")
            mine = model.steps(self.states[revision], self.states[self.session.revision], self.session.app)
            if status != 200 or not model.equal(mine, theirs["steps"]):
                raise Difference(f"the steps from {revision} are {json.dumps(theirs)},\n  and in the model {json.dumps(mine)}")


def run(server, app_id, world, program):
    """Carries out a program in a new session; throws where server and model differ."""
    session = Run(server, app_id, world)
    number = 0
    try:
        for number, step in enumerate(program, 1): session.carry_out(step)
        number = len(program)
        session.finish()
    except Difference as difference:
        difference.number, difference.carried = number, session.carried
        raise
    finally: server.call("DELETE", session.target)


def differs(server, app_id, world, program):
    try: run(server, app_id, world, program)
    except Difference as difference: return difference
    return None


def shrunk(server, app_id, world, program):
    """The shortest program found that still shows a difference, by leaving out steps, then members."""
    size = max(1, len(program) // 2)
    while size:
        index = 0
        while index < len(program):
            shorter = program[:index] + program[index + size:]
            if shorter and differs(server, app_id, world, shorter): program = shorter
            else: index += size
        size //= 2
    for index, step in enumerate(program):
        for key in list(step["body"]):
            simpler = {**program[index], "body": {name: value for name, value in program[index]["body"].items() if name != key}}
            shorter = program[:index] + [simpler] + program[index + 1:]
            if differs(server, app_id, world, shorter): program = shorter
    return program


def check_seed(server, seed, world, app_id, options):
    generator = Generator(seed, world)
    for number in range(options.programs):
        program = [generator.step() for _ in range(generator.random.randrange(2, options.steps + 1))]
        difference = differs(server, app_id, world, program)
        if difference is None: continue
        short = shrunk(server, app_id, world, program[:difference.number])
        found = differs(server, app_id, world, short)
        print(f"seed {seed}, world {world}, program {number}:")
        print(json.dumps({"session": WORLDS[world] if not app_id else {"app": world}, "steps": (found or difference).carried}, indent=1))
        print(f"  {found or difference}\n")
        return False
    return True


def version(text): return [int(part) for part in text.split(".")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--token")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--programs", type=int, default=20, help="programs for each seed and world")
    parser.add_argument("--steps", type=int, default=25, help="the most steps of a program")
    parser.add_argument("--world", choices=WORLDS, action="append")
    options = parser.parse_args()
    server, apps, passed = Server(options.url, options.token), {}, True
    seeds = [options.seed] if options.seed is not None else [*SEEDS, int.from_bytes(os.urandom(3), "big")]
    contract = server.call("GET", "/v1")[1]["contract"]
    asked = options.world or list(WORLDS)
    worlds = [world for world in asked if version(CONTRACTS.get(world, "1.0")) <= version(contract)]
    try:
        for world in worlds:
            if "routes" in WORLDS[world]:
                apps[world] = f"{world}-{os.urandom(4).hex()}"
                status, answer = server.call("PUT", f"/v1/apps/{apps[world]}", {**WORLDS[world], "id": apps[world]})
                if status != 201: sys.exit(f"the app {world} is not stored: {answer}")
            for seed in seeds: passed = check_seed(server, seed, world, apps.get(world), options) and passed
    finally:
        for app in apps.values(): server.call("DELETE", f"/v1/apps/{app}")
        server.close()
    count = len(seeds) * options.programs * len(worlds)
    print(f"{count} programs, seeds {', '.join(map(str, seeds))}: {'equal' if passed else 'different'}")
    for world in asked:
        if world not in worlds: print(f"The world {world} needs contract {CONTRACTS[world]}, and the server has {contract}.")
    return 0 if passed else 1


if __name__ == "__main__": sys.exit(main())
