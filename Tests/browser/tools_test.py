#!/usr/bin/env python3
"""The console's features besides the phone: the start on an empty server, search, apps, the wall,
time, scripts, editing in place, and keys.

    python3 Tests/browser/tools_test.py --server .build/release/navstate

It starts servers of its own, and runs the scripts that the console makes: sh, curl, jq and node must
be there. What it needs otherwise, and how it ends, is as in console_test.py.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from playwright.sync_api import expect, sync_playwright

from console_test import Browser, ROOT
from server import Server
from support import Ledger, Proxy

# As much of @playwright/test as a recorded test uses.
PLAYWRIGHT_STUB = """
const check = (holds, words) => { if (!holds) throw new Error(words); };
const within = (part, whole) => Object.entries(part).every(([key, value]) =>
    value !== null && typeof value === "object" ? within(value, whole?.[key] ?? {}) : whole?.[key] === value);
export const expect = (actual) => ({
    toBe: (wanted) => check(actual === wanted, `${actual} is not ${wanted}`),
    toMatchObject: (wanted) => check(within(wanted, actual), `${JSON.stringify(actual)} has no ${JSON.stringify(wanted)}`),
});
const request = { fetch: async (url, { method, data, headers = {} }) => {
    const response = await fetch(url, { method, body: JSON.stringify(data), headers: { ...headers, "Content-Type": "application/json" } });
    return { ok: () => response.ok, json: () => response.json() };
} };
export const test = async (name, body) => { await body({ request }); console.log(`passed: ${name}`); };
"""


class ToolsTest:
    def __init__(self, server, empty, browser, ledger):
        self.server = server
        self.empty = empty
        self.service = server.service
        self.browser = browser
        self.ledger = ledger
        self.page = browser.page(1440, 900)
        self.page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def open(self, session, page=None):
        page = page or self.page
        page.goto(f"{self.server.url}/#session={session}")
        expect(page.locator(".stage-name h2")).to_have_text(session)
        expect(page.locator("#status")).to_have_text("Live")

    def click(self, name, page=None):
        (page or self.page).get_by_role("button", name=name, exact=True).click()

    def title(self, text, page=None):
        expect((page or self.page).locator("#stage .layer.on-top .large-title")).to_have_text(text)

    def copied(self):
        return self.page.evaluate("navigator.clipboard.readText()")

    # The start

    def demo(self):
        """On a server with nothing two clicks lead to a session that can be steered."""
        page = self.browser.page(1440, 900)
        page.goto(self.empty.url)
        expect(page.get_by_role("button", name="Blank session", exact=True)).to_be_visible()
        assert self.empty.service.call("GET", "/v1/sessions")[1]["sessions"] == [], "looking has made something"
        assert self.empty.service.call("GET", "/v1/apps")[1]["apps"] == []
        document = page.request.get(f"{self.empty.url}/console/demo-app.json")
        assert document.headers["content-type"].startswith("application/json")
        assert document.json() == json.loads((ROOT / "Examples/apps/shop.json").read_text())
        page.get_by_role("button", name="Start with the demo app", exact=True).click()
        self.title("Shop", page)
        page.get_by_role("button", name="Push Orders (orders)").click()
        self.title("Sign in", page)
        assert [app["id"] for app in self.empty.service.call("GET", "/v1/apps")[1]["apps"]] == ["shop"]
        page.context.close()

    def blank(self):
        self.empty.service.call("DELETE", "/v1/sessions/demo")
        page = self.browser.page(390, 844)
        page.goto(self.empty.url)
        page.get_by_role("button", name="Blank session", exact=True).click()
        self.title("Main", page)
        expect(page.get_by_role("button", name="Push a route …")).to_be_visible()
        page.context.close()

    def missing(self):
        page = self.browser.page(1440, 900)
        page.goto(f"{self.empty.url}/#session=nope")
        page.get_by_role("button", name="Create nope").click()
        page.get_by_role("dialog").get_by_label("App").select_option("")
        page.get_by_role("dialog").get_by_role("button", name="Create", exact=True).click()
        self.title("Main", page)
        page.context.close()

    # The list

    def search(self):
        """By id, label, app and visible route; how many were found; by change or by id."""
        self.page.goto(self.server.url)
        rows = self.page.locator(".session-list:not(.pinned) .session-id")
        box = self.page.get_by_role("searchbox", name="Search sessions by")
        count = self.page.locator("#session-count")
        for text, found in {"kiosk-01": 10, "lobby": 10, "room:lobby": 10, "shop": 13, "postDetail": 1, "lobby free-form": 3}.items():
            box.fill(text)
            expect(count).to_have_text(f"{found} of 40 sessions")
            expect(rows).to_have_count(found)
        box.fill("no such thing")
        expect(self.page.locator("#sessions .none")).to_have_text("No matching sessions.")
        box.fill("")
        expect(count).to_have_text("40 sessions")
        self.page.get_by_label("Sort by").select_option("id")
        expect(rows.first).to_have_text("kiosk-000")
        self.service.command("kiosk-033", "setBadge", {"tab": "home", "badge": 1})
        self.page.get_by_label("Sort by").select_option("changed")
        expect(rows.first).to_have_text("kiosk-033")

    def pinned(self):
        """The open session stays in the list, whatever is searched for."""
        self.open("kiosk-001")
        self.page.get_by_role("searchbox", name="Search sessions by").fill("kiosk-02")
        expect(self.page.locator("#session-count")).to_have_text("10 of 40 sessions")
        expect(self.page.locator(".pinned .session-id")).to_have_text("kiosk-001")
        expect(self.page.locator(".pinned .watchers")).to_contain_text("1")
        self.page.get_by_role("searchbox", name="Search sessions by").fill("")
        expect(self.page.locator(".pinned")).to_be_hidden()

    # The open session

    def told_apart(self):
        """Entries of one route are told apart by their params."""
        self.open("kiosk-000")
        visible = self.service.session("kiosk-000")["visible"]["params"]["id"]
        expect(self.page.locator(".card-params").first).to_have_text(f"id {visible}")
        first = self.page.locator(".event").first
        self.service.command("kiosk-000", "navigate", {"route": "postDetail", "params": {"id": 4711}})
        expect(first).to_contain_text("navigate postDetail id 4711")
        self.service.command("kiosk-000", "present", {"route": "settings"})
        sheet = self.service.session("kiosk-000")["visible"]["entry"]
        self.service.command("kiosk-000", "dismiss", {"sheet": sheet})
        expect(first).to_contain_text("dismiss Settings")
        expect(self.page.locator(".on-top [data-key='back']")).to_have_attribute("aria-label", f"Back to Post id {visible}")

    def editing(self):
        """Params, labels and a badge are edited in place, and a change by others takes nothing away."""
        self.click("Edit params")
        field = self.page.get_by_role("form", name="Params").get_by_role("textbox", name="id", exact=True)
        expect(field).to_be_focused()
        expect(field).to_have_value("4711")
        field.fill("many")
        self.page.keyboard.press("Enter")
        expect(field).to_have_attribute("aria-invalid", "true")
        self.service.command("kiosk-000", "setBadge", {"tab": "profile", "badge": 2})
        expect(self.page.get_by_role("button", name="Profile tab, badge 2")).to_be_visible()
        expect(field).to_have_value("many")
        expect(field).to_be_focused()
        field.fill("12")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".on-top dl.params")).to_contain_text("12")
        assert self.service.session("kiosk-000")["visible"]["params"] == {"id": 12}
        self.click("Edit labels")
        form = self.page.get_by_role("form", name="Labels")
        form.get_by_role("button", name="Add a label").click()
        self.page.keyboard.type("flo")
        self.service.command("kiosk-000", "setBadge", {"tab": "profile", "badge": 3})
        expect(self.page.get_by_role("button", name="Profile tab, badge 3")).to_be_visible()
        self.page.keyboard.type("or")
        self.page.keyboard.press("Tab")
        self.page.keyboard.type("3")
        form.get_by_label("Label value").first.fill("cellar")
        form.get_by_role("button", name="Save").click()
        expect(self.page.get_by_role("list", name="Labels")).to_contain_text("floor: 3")
        assert self.service.session("kiosk-000")["labels"] == {"room": "cellar", "floor": "3"}
        self.click("Add a badge to Home")
        self.page.keyboard.type("new")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("button", name="Home tab, badge new")).to_be_visible()
        self.click("Edit the badge new of Home")
        self.page.get_by_label("Badge of Home").get_by_role("textbox").fill("")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("button", name="Home tab", exact=True)).to_be_visible()

    def time(self):
        """The slider shows former states, and plays them up to now."""
        before = self.service.session("kiosk-000")["revision"]
        slider = self.page.get_by_role("slider", name="Revision")
        expect(slider).to_have_attribute("max", str(before))
        expect(slider).to_have_attribute("min", str(before - 32))
        slider.fill(str(before - 6))
        expect(self.page.locator(".past-banner")).to_contain_text(f"revision {before - 6}")
        self.click("Play the history")
        expect(self.page.locator(".past-banner")).to_have_count(0)
        expect(self.page.get_by_role("button", name="Play the history")).to_be_visible()
        assert self.service.session("kiosk-000")["revision"] == before, "looking has changed something"

    def difference(self):
        newest = self.service.session("kiosk-000")["revision"]
        self.click("Compare …")
        dialog = self.page.get_by_role("dialog", name="Compare revisions")
        dialog.get_by_label("From").select_option(str(newest - 20))
        dialog.get_by_label("To").select_option(str(newest))
        expect(dialog.locator(".diff-steps li").last).to_be_visible()
        steps = self.service.call("GET", f"/v1/sessions/kiosk-000/steps?from={newest - 20}&to={newest}")[1]["steps"]
        expect(dialog.locator(".diff-steps li")).to_have_count(len(steps))
        expect(dialog.locator(".diff-values tbody tr").filter(has_text="labels.floor").locator(".added")).to_have_text('"3"')
        dialog.get_by_label("To").select_option(str(newest - 20))
        expect(dialog).to_contain_text("Nothing: the screens are the same.")
        self.page.keyboard.press("Escape")

    def restore(self):
        """An older state becomes the current one, as a new revision, with the labels of today."""
        before = self.service.session("kiosk-000")
        old = self.service.call("GET", f"/v1/sessions/kiosk-000?revision={before['revision'] - 20}")[1]
        self.page.get_by_role("slider", name="Revision").fill(str(before["revision"] - 20))
        self.click("Restore this revision")
        expect(self.page.locator("#notices")).to_contain_text("restored as revision")
        now = self.service.session("kiosk-000")
        assert now["tabs"] == old["tabs"] and now["labels"] == before["labels"], now
        assert now["revision"] == before["revision"] + 1

    # Scripts

    def shell(self, text, name):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "replay.sh"
            script.write_text(text)
            done = subprocess.run(["sh", str(script), name], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def timeline_script(self):
        """The timeline as a script ends in the same state in another session."""
        self.click("Copy as curl script")
        expect(self.page.locator("#notices")).to_contain_text("clipboard")
        shown = self.shell(self.copied(), "replayed")
        now = self.service.session("kiosk-000")
        assert shown["route"] == now["visible"]["route"] and shown["params"] == now["visible"]["params"], shown
        depth = [len(tab["path"]) for tab in self.service.session("replayed")["tabs"]]
        assert depth == [len(tab["path"]) for tab in now["tabs"]]

    def recording(self):
        """Clicks become a script and a test that do the same elsewhere, ids of entries included."""
        session = self.service.call("POST", "/v1/sessions", {"id": "it's recorded".replace("'", "").replace(" ", "-"), "app": "social"})[1]["id"]
        self.open(session)
        self.click("Record")
        for user in ("ada", "o'hara \"x\" $HOME"):
            self.click("Push Profile (userProfile)")
            self.page.get_by_role("dialog").get_by_role("textbox", name="userId").fill(user)
            self.page.get_by_role("dialog").get_by_role("button", name="Push").click()
            expect(self.page.locator(".on-top dl.params")).to_contain_text(user)
        self.click("Present New Post (newPost)")
        self.title("New Post")
        self.page.get_by_role("button", name="Dismiss New Post").click()
        self.title("Profile")
        self.page.locator(".card-button").nth(1).click()
        expect(self.page.locator(".on-top dl.params")).to_contain_text("ada")
        self.click("Stop recording")
        dialog = self.page.get_by_role("dialog", name="5 steps recorded")
        shown = self.shell(dialog.locator(".recording-text").inner_text(), "recorded-shell")
        assert shown["route"] == "userProfile" and shown["params"] == {"userId": "ada"}, shown
        dialog.get_by_label("Playwright test").check()
        self.playwright(dialog.locator(".recording-text").inner_text())
        with self.page.expect_download() as download:
            dialog.get_by_role("button", name="Download").click()
        assert download.value.suggested_filename == f"{session}.spec.mjs"
        self.page.keyboard.press("Escape")

    def playwright(self, text):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "node_modules/@playwright/test"
            package.mkdir(parents=True)
            (package / "index.mjs").write_text(PLAYWRIGHT_STUB)
            (package / "package.json").write_text('{"name": "@playwright/test", "exports": "./index.mjs"}')
            test = pathlib.Path(folder) / "recorded.spec.mjs"
            test.write_text(text)
            done = subprocess.run(["node", str(test)], capture_output=True, text=True, env={**os.environ, "NAVSTATE_URL": self.server.url})
        assert done.returncode == 0 and "passed: " in done.stdout, done.stdout + done.stderr

    # Apps

    def upload(self):
        """A document is checked without being stored, its errors are shown, then it is stored."""
        page = self.page
        page.goto(f"{self.server.url}/#apps=")
        page.locator("#apps").get_by_role("button", name="Add", exact=True).click()
        text = page.get_by_label("Document (JSON)")
        text.fill('{"id": "tour", "tabs": [')
        self.click("Check")
        expect(page.locator(".app-report .form-error")).to_contain_text("not valid JSON")
        app = {"id": "tour", "title": "Tour", "routes": {"stop": {"title": "Stop"}}, "tabs": [{"id": "way", "title": "Way", "routes": ["halt"]}]}
        text.fill(json.dumps(app))
        self.click("Check")
        expect(page.locator(".faults .bad")).to_contain_text("/tabs/0/routes/0")
        assert self.service.call("GET", "/v1/apps/tour")[0] == 404, "a check has stored it"
        app["tabs"][0]["routes"] = ["stop"]
        page.get_by_label("File").set_input_files({"name": "tour.json", "mimeType": "application/json", "buffer": json.dumps(app).encode()})
        expect(page.locator(".app-report .good")).to_contain_text("Valid")
        self.click("Add app")
        expect(page.locator("#apps .stage-name h2")).to_have_text("Tour")
        expect(page.locator(".app-list")).to_contain_text("Tour")
        assert self.service.call("GET", "/v1/apps/tour")[0] == 200
        self.click("Delete")
        page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(page.locator(".app-list")).not_to_contain_text("Tour")
        assert self.service.call("GET", "/v1/apps/tour")[0] == 404

    def editor(self):
        """Faults are marked at their places while one types and led to by the list; what fits is proposed; objects fold."""
        page = self.page
        page.goto(f"{self.server.url}/#apps=shop")
        page.get_by_role("button", name="Edit", exact=True).click()
        text = page.get_by_label("Document (JSON)")
        expect(page.locator("#app-verdict")).to_contain_text("Valid")
        assert text.evaluate("e => [document.activeElement === e, e.selectionStart, e.closest('.code-field').scrollTop]") == [True, 0, 0]
        whole = text.input_value()
        assert json.loads(whole) == self.service.call("GET", "/v1/apps/shop")[1]
        # A fault of the rules, then one of the syntax.
        place = whole.index('"member"', whole.index('"orders": {')) + 1
        text.evaluate("(e, at) => e.setSelectionRange(at, at)", place)
        page.keyboard.type("x")
        line = whole[:place].count("\n") + 1
        expect(page.locator(".fault")).to_have_count(1)
        expect(page.locator(".fault")).to_contain_text(f"Line {line}")
        expect(page.locator(".fault")).to_contain_text("unknown guard xmember")
        expect(page.locator(".code-mark.bad")).to_have_text('"xmember"')
        expect(page.locator(".code-number.bad")).to_have_text(str(line))
        page.keyboard.press("Control+Home")
        page.locator(".fault").click()
        assert text.evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)") == '"xmember"'
        page.keyboard.press("Control+z")
        assert text.input_value() == whole
        expect(page.locator("#app-verdict")).to_contain_text("Valid")
        page.keyboard.press("Control+Home")
        page.keyboard.press("Delete")
        expect(page.locator(".app-report .form-error")).to_contain_text("not valid JSON")
        page.keyboard.press("F8")
        page.keyboard.press("Control+z")
        expect(page.locator("#app-verdict")).to_contain_text("Valid")
        # Folds: the number after it is that of the file, and a fault inside opens it.
        row = page.locator(".code-number", has=page.locator("button")).nth(1)
        number = int(row.inner_text())
        row.get_by_title("Fold", exact=True).click()
        folded = text.input_value()
        assert len(folded) < len(whole)
        numbers = [int(one) for one in page.locator(".code-number").all_inner_texts()]
        assert numbers[numbers.index(number) + 1] > number + 1, numbers[:20]
        self.click("Check")
        expect(page.locator("#app-verdict")).to_contain_text("Valid")
        page.locator(".code-number", has=page.locator(".folded")).get_by_title("Unfold").click()
        assert text.input_value() == whole
        # Proposals.
        at = whole.index('"routes": {') + len('"routes": {')
        text.evaluate("(e, at) => { e.focus(); e.setSelectionRange(at, at); }", at)
        page.keyboard.type('"about": {}, ')
        page.keyboard.press("ArrowLeft"), page.keyboard.press("ArrowLeft"), page.keyboard.press("ArrowLeft")
        page.keyboard.type('"gu')
        options = page.get_by_role("listbox", name="Proposals").get_by_role("option")
        expect(options).to_have_count(1)
        expect(options).to_contain_text("guard")
        page.keyboard.press("Enter")
        assert '"about": {"guard": ' in text.input_value()
        expect(options.filter(has_text="member")).to_have_count(1)
        page.keyboard.press("Escape")
        self.click("Cancel")
        expect(page.locator("#apps .stage-name h2")).to_have_text("Shop")

    def notes(self):
        """The graph names guards, links and results, and tells sheets from covers."""
        page = self.page
        app = {"tabs": [{"id": "a", "routes": ["b"], "title": "A"}], "facts": {"in": {"default": False}}, "guards": {"member": {"when": {"in": True}, "instead": {"command": "present", "route": "c"}}},
               "routes": {"b": {"guard": "member", "presentation": ["push", "popover"]}, "c": {"presentation": "sheet", "result": {"enum": ["yes", "no"]}}, "d": {"presentation": "fullScreenCover"}},
               "links": [{"pattern": "x://b", "path": ["b"]}, {"pattern": "x://c", "present": {"route": "c"}}, {"pattern": "x://a", "tab": "a"}]}
        assert self.service.call("PUT", "/v1/apps/notes", app)[0] == 201
        page.goto(f"{self.server.url}/#apps=notes")
        node = lambda name: page.locator(".graph-picture .node", has_text=name).locator("text")
        expect(node("x://a")).to_have_text(["A", "a", "x://a"])
        expect(node("x://b")).to_have_text(["B", "b · popover", "member, else c", "x://b"])
        expect(node("x://c")).to_have_text(["C", "c · sheet", "x://c", 'result "yes" | "no"'])
        expect(node("d · cover")).to_have_count(2)
        page.locator(".graph-text summary").click()
        expect(page.locator(".graph-text")).to_contain_text("B can be pushed or presented as popover. Guard member, else c. Link x://b.")
        assert self.service.call("DELETE", "/v1/apps/notes")[0] == 204

    def graph(self):
        """The screen that a session shows is lit, and follows it."""
        page = self.page
        page.goto(f"{self.server.url}/#apps=social")
        lit = page.locator(".node.lit .node-title")
        page.get_by_label("Highlight").select_option("")
        expect(page.locator(".graph-caption").first).to_contain_text("on Home")
        page.get_by_label("Highlight").select_option("kiosk-003")
        expect(lit).to_have_text("Home")
        self.service.command("kiosk-003", "navigate", {"route": "userProfile", "params": {"userId": "ada"}})
        expect(lit).to_have_text("Profile")
        expect(page.locator(".edge.lit")).to_have_count(1)
        self.service.command("kiosk-003", "present", {"route": "newPost"})
        expect(lit).to_have_text("New Post")
        self.service.command("kiosk-003", "root", {"scope": "all"})
        expect(lit).to_have_text("Home")

    def links(self):
        """The links to try have a field for each capture."""
        page = self.page
        page.locator("#apps").get_by_label("id of myapp://post/{id}", exact=True).fill("many")
        assert page.locator("#panel-links .pattern-form").count() == 0, "the closed session's links are still there"
        self.click("Try myapp://post/{id}")
        expect(page.locator("#apps .outcome")).to_contain_text("which is not an integer")
        before = self.service.session("kiosk-003")["revision"]
        page.locator("#apps").get_by_label("id of myapp://post/{id}/author/{userId}", exact=True).fill("7")
        page.locator("#apps").get_by_label("userId of myapp://post/{id}/author/{userId}", exact=True).fill("a/b ü")
        self.click("Try myapp://post/{id}/author/{userId}")
        expect(page.locator("#apps .crumbs li")).to_have_text(["Home", "Post id 7", "Profile userId a/b ü"])
        assert self.service.session("kiosk-003")["revision"] == before, "trying has changed something"
        self.click("Open in kiosk-003")
        expect(page.locator(".node.lit .node-title")).to_have_text("Profile")
        assert self.service.session("kiosk-003")["visible"]["params"] == {"userId": "a/b ü"}

    def integers(self):
        """An integer that JavaScript would change is shown, restored, recorded and edited as it is."""
        large = 2 ** 53 + 1
        session = "large"
        self.service.call("POST", "/v1/sessions", {"id": session, "tabs": ["a"]})
        self.service.command(session, "navigate", {"route": "post", "params": {"id": large}})
        self.open(session)
        self.page.get_by_role("tab", name="JSON", exact=True).click()
        expect(self.page.get_by_label("State as JSON")).to_contain_text(f'"id": {large}')
        self.page.get_by_role("tab", name="Command", exact=True).click()
        self.click("Record")
        self.page.locator("#command-name").select_option("setParams")
        self.page.locator("#command-body").fill(json.dumps({"params": {"next": large + 2}}))
        self.page.locator("#panel-command").get_by_role("button", name="Send", exact=True).click()
        expect(self.page.locator(".on-top dl.params")).to_contain_text("next")
        # The scripts print what jq makes of a state, which is why the state is read here.
        params = {"id": large, "next": large + 2}
        assert self.service.session(session)["visible"]["params"] == params
        self.click("Stop recording")
        program = self.page.locator(".recording-text").inner_text()
        self.shell(program, "large-recorded")
        assert self.service.session("large-recorded")["visible"]["params"] == params
        self.page.keyboard.press("Escape")
        self.service.command(session, "navigate", {"route": "other"})
        self.title("Other")
        self.page.get_by_role("tab", name="Timeline", exact=True).click()
        line = self.copied_by("Copy curl line of revision 2")
        assert f'"id":{large}' in line, line
        self.page.get_by_role("slider", name="Revision").fill("3")
        expect(self.page.locator("[data-key=event-3]")).to_have_attribute("aria-current", "true")
        self.click("Restore this revision")
        expect(self.page.locator("#notices")).to_contain_text("Revision 3 restored as revision 5")
        restored = self.service.session(session)
        assert restored["visible"]["params"] == params, restored
        self.shell(self.copied_by("Copy as curl script"), "large-replayed")
        assert self.service.session("large-replayed")["visible"]["params"] == params
        self.service.call("DELETE", f"/v1/sessions/{session}")

    def copied_by(self, name):
        """The text that a button copies, not the earlier content of the clipboard."""
        self.page.evaluate("navigator.clipboard.writeText('')")
        self.click(name)
        for _ in range(200):
            if text := self.copied():
                return text
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{name} copies nothing")

    def integers_of_an_app(self):
        large = 2 ** 53 + 1
        self.put_app("large", "Before", {"const": large})
        self.page.goto(f"{self.server.url}/#apps=large")
        self.click("Edit")
        text = self.page.get_by_label("Document (JSON)")
        expect(text).to_have_value(re.compile(f'"const": {large}'))
        self.click("Format")
        text.fill(text.input_value().replace("Before", "After"))
        self.click("Save")
        expect(self.page.locator("#apps .stage-name h2")).to_have_text("After")
        stored = self.service.call("GET", "/v1/apps/large")[1]
        assert stored["routes"]["b"]["params"]["properties"]["id"] == {"const": large}, stored
        self.service.call("DELETE", "/v1/apps/large")

    def put_app(self, app, title, schema=None):
        document = {"title": title, "tabs": [{"id": "a", "title": title, "icon": "nothing", "routes": ["b"]}],
                    "routes": {"a": {"title": title}, "b": {"params": {"properties": {"id": schema or {}}}}}}
        status, answer = self.service.call("PUT", f"/v1/apps/{app}", document)
        assert status in (200, 201), answer

    def refused(self, replacement, button, reason):
        """The editor keeps a valid document that is not stored."""
        text = self.page.get_by_label("Document (JSON)")
        verdict = self.page.locator("#app-verdict")
        mine = text.input_value().replace(*replacement)
        text.fill(mine)
        expect(verdict).to_contain_text("Valid")
        self.click(button)
        expect(verdict).to_contain_text(reason)
        assert text.input_value() == mine

    def replaced_while_edited(self):
        """The editor begins with the newest document, and does not overwrite a newer one."""
        page = self.page
        self.put_app("edited", "One")
        page.goto(f"{self.server.url}/#apps=edited")
        expect(page.locator("#apps .stage-name h2")).to_have_text("One")
        self.put_app("edited", "Two")
        self.click("Edit")
        text = page.get_by_label("Document (JSON)")
        expect(text).to_have_value(re.compile("Two"))
        self.put_app("edited", "Three")
        self.refused(("Two", "Mine"), "Save", "edited was changed or deleted while you edited it")
        assert self.service.call("GET", "/v1/apps/edited")[1]["title"] == "Three"
        self.click("Cancel")
        expect(page.locator("#apps .stage-name h2")).to_have_text("Three")
        self.service.call("DELETE", "/v1/apps/edited")

    def added_again(self):
        """A new app does not replace one that has its id."""
        page = self.page
        self.put_app("taken", "One")
        page.goto(f"{self.server.url}/#apps=")
        page.locator("#apps").get_by_role("button", name="Add", exact=True).click()
        self.refused(("my-app", "taken"), "Add app", "There is an app taken already")
        assert self.service.call("GET", "/v1/apps/taken")[1]["title"] == "One"
        self.service.call("DELETE", "/v1/apps/taken")

    def replaced_app(self):
        """The wall draws a replaced app at the next change."""
        self.put_app("replaced", "Before")
        self.service.call("POST", "/v1/sessions", {"id": "replaced", "app": "replaced"})
        self.page.goto(f"{self.server.url}/#wall=replaced")
        phone = self.page.locator(".wall-phone")
        expect(phone.locator(".large-title")).to_have_text("Before")
        self.put_app("replaced", "After")
        self.service.command("replaced", "setBadge", {"tab": "a", "badge": 1})
        expect(phone.locator(".large-title")).to_have_text("After")
        self.service.call("DELETE", "/v1/sessions/replaced")
        self.service.call("DELETE", "/v1/apps/replaced")

    # States that changed while the connection was cut

    def made_again(self):
        """The timeline has no changes of a deleted session with the same id."""
        page, session = self.browser.page(1440, 900), "again"
        proxy = Proxy(self.service.host, self.service.port)
        self.service.call("POST", "/v1/sessions", {"id": session, "tabs": ["a"]})
        for number in range(4):
            self.service.command(session, "navigate", {"route": f"old{number}"})
        page.goto(f"{proxy.url}/#session={session}")
        events = page.locator(".event")
        expect(events).to_have_count(5)
        page.get_by_role("slider", name="Revision").fill("2")
        expect(page.locator(".past-banner")).to_contain_text("revision 2")
        proxy.cut()
        expect(page.locator("#status")).not_to_have_text("Live")
        self.service.call("DELETE", f"/v1/sessions/{session}")
        self.service.call("POST", "/v1/sessions", {"id": session, "tabs": ["a"]})
        for number in range(2):
            self.service.command(session, "navigate", {"route": f"new{number}"})
        proxy.mend()
        self.title("New1", page)
        expect(events).to_have_count(3)
        expect(page.locator(".timeline")).not_to_contain_text("old")
        page.get_by_role("slider", name="Revision").fill("2")
        self.title("New0", page)
        page.context.close()
        proxy.close()
        self.service.call("DELETE", f"/v1/sessions/{session}")

    def restored_server(self):
        """Consoles and walls show a server's older state after it was restored from a backup."""
        server = Server(self.server.binary)
        try:
            self.restored_from_backup(server)
        finally:
            server.close()

    def restored_from_backup(self, server):
        service, console, wall = server.service, self.browser.page(1440, 900), self.browser.page(1440, 900)
        service.call("POST", "/v1/sessions", {"id": "k", "tabs": ["a"]})
        service.command("k", "navigate", {"route": "before"})
        backup = console.request.get(f"{server.url}/v1/backup").body()
        for number in range(4):
            service.command("k", "navigate", {"route": f"after{number}"})
        self.open_at(console, server, "k")
        expect(console.locator(".event")).to_have_count(6)
        wall.goto(f"{server.url}/#wall=")
        self.title("After3", console)
        expect(wall.locator(".wall-phone .large-title")).to_have_text("After3")
        server.kill()
        shutil.rmtree(server.data)
        subprocess.run([server.binary, "restore", "-", "--data", server.data], input=backup, check=True, capture_output=True)
        server.start()
        self.title("Before", console)
        expect(console.locator(".event")).to_have_count(2)
        expect(wall.locator(".wall-phone .large-title")).to_have_text("Before")
        service.command("k", "navigate", {"route": "again"})
        self.title("Again", console)
        expect(console.locator(".event")).to_have_count(3)
        expect(wall.locator(".wall-phone .large-title")).to_have_text("Again")
        for page in (console, wall): page.context.close()

    def open_at(self, page, server, session):
        page.goto(f"{server.url}/#session={session}")
        expect(page.locator("#status")).to_have_text("Live")

    # Tokens

    def read_only(self):
        """With a token for reading alone the console offers to change nothing."""
        with tempfile.NamedTemporaryFile("w", suffix=".tokens") as file:
            file.write(f"{'r' * 32} read\n{'a' * 32} admin\n")
            file.flush()
            server = Server(self.server.binary, ROOT / "Examples/apps", ["--token-file", file.name])
            page = self.browser.page(1440, 900)
            try:
                page.goto(f"{server.url}/#token={'r' * 32}")
                expect(page.locator("#sessions .none")).to_have_text("No sessions yet.")
                for name in ("New session", "Blank session", "Start with the demo app"):
                    expect(page.get_by_role("button", name=name, exact=True)).to_be_hidden()
                page.goto(f"{server.url}/#apps=shop")
                expect(page.locator("#apps .stage-name h2")).to_have_text("Shop")
                for name in ("Add", "Edit", "Delete"):
                    expect(page.locator("#apps").get_by_role("button", name=name, exact=True)).to_be_hidden()
                page.goto(f"{server.url}/#token={'a' * 32}")
                expect(page.get_by_role("button", name="New session")).to_be_visible()
            finally:
                page.context.close()
                server.close()

    def empty_token(self):
        """An empty token in the address is taken out of it, and does not load the page for ever."""
        page, loads = self.browser.page(1440, 900), []
        page.on("request", lambda request: loads.append(request.url) if request.is_navigation_request() else None)
        page.goto(f"{self.server.url}/#session=kiosk-001&token=")
        expect(page.locator("#status")).to_have_text("Live")
        assert page.url.endswith("/#session=kiosk-001"), page.url
        assert len(loads) == 1, loads
        page.context.close()

    # The wall

    def wall(self):
        """The sessions that a search found are live phones; several are steered at once."""
        page = self.page
        page.goto(self.server.url)
        page.get_by_role("searchbox", name="Search sessions by").fill("social lobby")
        expect(page.locator("#session-count")).to_contain_text("of 4")
        page.get_by_role("link", name="Show on wall").click()
        names = page.locator(".wall-name a")
        expect(names).not_to_have_count(0)
        ids = names.all_inner_texts()
        assert ids == sorted(ids) and len(ids) > 1, ids
        self.service.command(ids[0], "root", {"scope": "all"})
        self.service.command(ids[0], "select", {"tab": "profile", "reselect": "none"})
        phone = page.locator(".wall-phone").first
        expect(phone.locator(".large-title")).to_have_text("Profile")
        self.click("Select all")
        phone.get_by_role("button", name="Search tab").click()
        for number in range(len(ids)):
            expect(page.locator(".wall-phone").nth(number).locator(".large-title")).to_have_text("Search")
        page.locator("#wall").get_by_label("Link for the selected sessions").fill("myapp://post/77")
        self.click("Open link")
        for number, name in enumerate(ids):
            expect(page.locator(".wall-phone").nth(number).locator(".large-title")).to_have_text("Post")
            assert self.service.session(name)["visible"]["params"] == {"id": 77}
        expect(page.locator("#wall .curl-text")).to_contain_text("/v1/commands")
        self.click("Back")
        expect(phone.locator(".large-title")).to_have_text("Home")
        # One that is not selected is steered alone.
        page.locator("#wall").get_by_label(f"Select {ids[0]}").uncheck()
        phone.get_by_role("button", name="Profile tab").click()
        expect(phone.locator(".large-title")).to_have_text("Profile")
        assert self.service.session(ids[1])["selectedTab"] == "home"
        self.service.call("DELETE", f"/v1/sessions/{ids[0]}")
        expect(names).to_have_count(len(ids) - 1)
        # The list shows what is searched for, whoever has searched.
        page.get_by_role("link", name="Sessions", exact=True).click()
        expect(page.get_by_role("searchbox", name="Search sessions by")).to_have_value("social lobby")

    # Keys

    def keys(self):
        """Find, open, undo, back, time and the theme, without a pointer."""
        page = self.browser.page(1440, 900)
        page.goto(self.server.url)
        expect(page.locator(".session-row:not(.skeleton)")).not_to_have_count(0)
        page.keyboard.press("Control+k")
        page.keyboard.type("kiosk-00")
        page.keyboard.press("ArrowDown")
        wanted = page.locator("[role=option][aria-selected=true] span").first.inner_text()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Control+a")
        page.keyboard.type("kiosk-006")
        expect(page.locator("dialog [role=option]")).to_have_count(1)
        page.keyboard.press("Enter")
        assert wanted.startswith("kiosk-00"), wanted
        expect(page.locator(".stage-name h2")).to_have_text("kiosk-006")
        self.service.command("kiosk-006", "navigate", {"route": "userProfile", "params": {"userId": "ada"}})
        self.title("Profile", page)
        page.keyboard.press("Backspace")
        self.title("Home", page)
        page.keyboard.press("Control+z")
        self.title("Profile", page)
        page.keyboard.press("Control+Shift+Z")
        self.title("Home", page)
        revision = self.service.session("kiosk-006")["revision"]
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".past-banner")).to_contain_text(f"revision {revision - 1} of {revision}")
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".past-banner")).to_contain_text(f"revision {revision - 2} of {revision}")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".past-banner")).to_contain_text(f"revision {revision - 1} of {revision}")
        page.keyboard.press("Escape")
        expect(page.locator(".past-banner")).to_have_count(0)
        # In a field keys mean what they mean there.
        page.locator("#session-search").focus()
        page.keyboard.type("ab")
        page.keyboard.press("Backspace")
        expect(page.locator("#session-search")).to_have_value("a")
        assert self.service.session("kiosk-006")["revision"] == revision
        page.context.close()

    def by_tab_alone(self):
        """Every control that can be seen is reached by the Tab key, and shows that it has the focus."""
        page = self.browser.page(1440, 900)
        self.open("kiosk-009", page)
        expect(page.locator("#sessions .session-row:not(.skeleton)")).not_to_have_count(0)
        expect(page.locator(".on-top .row").first).to_be_visible()
        wanted = set(page.evaluate("""[...document.querySelectorAll('button, a[href], input, select, textarea, summary')]
            .filter((element) => element.checkVisibility() && !element.disabled && !element.closest('[inert]') && element.tabIndex >= 0)
            .map((element) => element.getAttribute('aria-label') ?? element.id + element.textContent)"""))
        reached = set()
        for _ in range(4 * len(wanted) + 40):
            page.keyboard.press("Tab")
            name, ring = page.evaluate("""(() => {
                const element = document.activeElement;
                return [element.getAttribute('aria-label') ?? element.id + element.textContent, getComputedStyle(element).outlineStyle];
            })()""")
            if name in wanted:
                assert ring != "none", name
                reached.add(name)
            if reached == wanted:
                break
        assert reached == wanted, wanted - reached
        page.context.close()

    def appearance(self):
        """Light and dark by choice; it is kept, and there before the page is drawn."""
        page = self.browser.page(1440, 900, "dark")
        page.goto(self.server.url)
        ground = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(ground) == "rgb(16, 18, 23)"
        button = page.locator("#appearance")
        button.click()
        expect(button).to_have_attribute("title", "Appearance: light")
        assert page.evaluate(ground) == "rgb(245, 246, 248)"
        page.reload()
        assert page.evaluate("document.documentElement.dataset.theme") == "light"
        page.goto(f"{self.server.url}/docs")
        assert page.evaluate(ground) == "rgb(245, 246, 248)"
        page.goto(self.server.url)
        button.click()
        expect(button).to_have_attribute("title", "Appearance: dark")
        button.click()
        expect(button).to_have_attribute("title", "Appearance: as the system")
        page.context.close()

    def favicon(self):
        response = self.page.request.get(f"{self.server.url}/console/favicon.svg")
        assert response.status == 200 and response.headers["content-type"] == "image/svg+xml", response.headers
        assert response.headers["x-content-type-options"] == "nosniff"

    def many(self):
        """Of more sessions than are read, one beyond is found by the beginning of its id."""
        for number in range(2_100):
            self.empty.service.call("PUT", f"/v1/sessions/many-{number:04}", {"tabs": [{"id": "main", "path": []}]})
        page = self.browser.page(1440, 900)
        page.goto(self.empty.url)
        expect(page.locator("#session-count")).to_have_text(re.compile(r"^2,000\+ sessions$"))
        page.get_by_role("searchbox", name="Search sessions by").fill("many-2099")
        expect(page.locator(".session-list:not(.pinned) .session-id")).to_have_text(["many-2099"])
        page.context.close()

    def all(self):
        for name, check in {
            "an empty server: the demo app": self.demo,
            "an empty server: a blank session": self.blank,
            "a session that is not there is offered to be created": self.missing,
            "sessions are searched, counted and sorted": self.search,
            "the open session stays in the list": self.pinned,
            "entries are told apart by their params": self.told_apart,
            "params, labels and badges are edited in place": self.editing,
            "the slider goes through time and plays": self.time,
            "two revisions are compared": self.difference,
            "a revision is restored": self.restore,
            "the timeline becomes a script": self.timeline_script,
            "clicks are recorded as a script and as a test": self.recording,
            "large integers of a session stay as they are": self.integers,
            "an app is checked, stored and deleted": self.upload,
            "the editor marks, folds and proposes": self.editor,
            "the graph has guards, links and results": self.notes,
            "the graph is lit by what is visible": self.graph,
            "links are tried with their captures": self.links,
            "large integers of an app stay as they are": self.integers_of_an_app,
            "the editor overwrites no newer document": self.replaced_while_edited,
            "a new app does not replace another one": self.added_again,
            "phones on the wall are steered together": self.wall,
            "the wall draws a replaced app": self.replaced_app,
            "a session is made again while the connection is cut": self.made_again,
            "the server is restored from a backup": self.restored_server,
            "a token for reading alone": self.read_only,
            "an empty token in the address": self.empty_token,
            "keys: find, undo, back, time": self.keys,
            "the Tab key reaches every control": self.by_tab_alone,
            "light and dark by choice": self.appearance,
            "the icon of the browser's tab": self.favicon,
            "more sessions than are read": self.many,
            "no error on any page": self.browser.check,
        }.items():
            self.ledger.run(name, check)
            if self.page.locator("dialog[open]").count() > 0:
                self.page.keyboard.press("Escape")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    options = parser.parse_args()
    ledger = Ledger()
    server = Server(options.server, ROOT / "Examples/apps")
    empty = Server(options.server)
    try:
        server.fill(40)
        with sync_playwright() as playwright:
            browser = Browser(playwright)
            try:
                ToolsTest(server, empty, browser, ledger).all()
            finally:
                browser.chromium.close()
    finally:
        server.close()
        empty.close()
    return ledger.end()


if __name__ == "__main__":
    sys.exit(main())
