#!/usr/bin/env python3
"""The display in a real browser, over the sessions of demos that are started here.

    python3 Tests/browser/display_test.py --server .build/release/navstate [--screenshots DIR]

What it needs otherwise, and how it ends, is as in console_test.py.
"""
import argparse
import http.client
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from console_test import Browser, ROOT
from server import Server
from support import CONTRAST, Ledger, Proxy, Service, box_of, nameless

SIZES = {"phone": (390, 844), "tablet": (768, 1024), "laptop": (1280, 720), "wall": (2560, 1440)}


class Demo:
    """A demo; its addresses are those on this machine."""

    def __init__(self, server, *words):
        self.folder = tempfile.TemporaryDirectory(prefix="navstate-display-")
        self.process = subprocess.Popen(
            [server, "demo", *words], stdout=subprocess.PIPE, text=True,
            env={**os.environ, "TMPDIR": self.folder.name})
        text = ""
        while "Ctrl-C" not in text:
            line = self.process.stdout.readline()
            assert line, "the demo did not start"
            text += line
        url = re.search(r"^  display +(\S+)$", text, re.M).group(1)
        parts = urllib.parse.urlsplit(url)
        self.url = f"http://127.0.0.1:{parts.port}"
        self.token = urllib.parse.parse_qs(parts.fragment).get("token", [None])[0]
        console = re.search(r"^  console +(\S+)$", text, re.M).group(1)
        self.admin = urllib.parse.parse_qs(urllib.parse.urlsplit(console).fragment).get("token", [None])[0]

    def end(self):
        self.process.terminate()
        assert self.process.wait(30) == 0
        self.process.stdout.close()
        assert os.listdir(self.folder.name) == []
        self.folder.cleanup()


class Page(http.server.ThreadingHTTPServer):
    """A page of an origin of its own."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.origin = f"http://127.0.0.1:{self.server_port}"
        self.body = ""
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def __exit__(self, *error):
        self.shutdown()
        super().__exit__(*error)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(self.server.body.encode())

        def log_message(self, *words):
            pass


class DisplayTest:
    def __init__(self, server, browser, ledger, screenshots):
        self.browser, self.ledger, self.screenshots = browser, ledger, screenshots
        self.binary = server
        self.open_demo, self.guarded = Demo(server), Demo(server, "--lan")
        self.service = Service(self.open_demo.url)
        self.proxy = Proxy(self.service.host, self.service.port)
        self.page = browser.page(*SIZES["phone"])
        self.axe = Axe()

    # Words for what the tests do

    def picture(self, name, page=None):
        if self.screenshots: (page or self.page).screenshot(path=str(self.screenshots / f"{name}.png"))

    def show(self, page, session="demo", base=None, **more):
        fragment = urllib.parse.urlencode({"session": session, **more})
        page.goto(f"{base or self.service.url}/display#{fragment}")

    def title(self, text, page=None):
        expect((page or self.page).locator(".on-top .large-title")).to_have_text(text)

    def fits(self, page):
        """Nothing is outside of the window."""
        size = page.evaluate("""() => {
            const { scrollWidth, scrollHeight } = document.documentElement;
            const contents = [...document.querySelector('navstate-display').shadowRoot.querySelectorAll('.content')];
            return [scrollWidth - innerWidth, scrollHeight - innerHeight, ...contents.map((at) => at.scrollWidth - at.clientWidth)];
        }""")
        assert max(size) <= 0, size
        report = self.axe.run(page).response["violations"]
        assert report == [], [(item["id"], item["nodes"][0]["target"]) for item in report]

    # The checks

    def follows(self):
        """It shows what the session shows, and nothing of a tool."""
        self.show(self.page)
        self.title("Post")
        self.service.command("demo", "select", {"tab": "search"})
        self.title("Search")
        self.service.command("demo", "open", {"url": "myapp://post/3/author/ada"})
        self.title("Profile")
        # Its only param is an id, and a visitor sees none.
        expect(self.page.locator(".on-top .facts")).to_have_count(0)
        assert self.page.title() == "Profile"
        assert self.page.locator("code, pre, input").count() == 0
        words = self.page.locator("#screen").inner_text().lower()
        for word in ("revision", "session", "userprofile", "e1", "curl", "json"):
            assert word not in words, word

    def fits_everywhere(self):
        """Each size and scheme, with a screen, a sheet, and rows that are tapped."""
        for name, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                page = self.browser.page(width, height, scheme)
                self.service.command("demo", "select", {"tab": "home"})
                self.service.command("demo", "root", {"scope": "all"})
                self.show(page)
                self.title("Home", page)
                expect(page.get_by_role("button", name="New Post")).to_be_visible()
                self.fits(page)
                assert page.evaluate(CONTRAST) == [], page.evaluate(CONTRAST)
                assert nameless(page) == [], nameless(page)
                self.picture(f"display-{name}-{scheme}", page)
                self.service.command("demo", "present", {"route": "newPost"})
                self.title("New Post", page)
                self.fits(page)
                assert page.evaluate(CONTRAST) == [], page.evaluate(CONTRAST)
                self.picture(f"display-{name}-{scheme}-sheet", page)
                self.service.command("demo", "dismiss")
                self.title("Home", page)
                page.context.close()

    def settled(self, page):
        """The server has answered every tap."""
        page.wait_for_function("() => document.querySelector('navstate-display').live.pending.length === 0")

    def taps(self):
        """A tap is a command; everybody sees it."""
        self.service.command("demo", "root", {"scope": "all"})
        page = self.page
        page.get_by_role("button", name="Profile").click()
        self.title("Profile")
        page.get_by_role("button", name="Settings").click()
        self.title("Settings")
        self.settled(page)
        assert self.service.session("demo")["visible"]["route"] == "settings"
        page.get_by_role("button", name="Back to Profile").click()
        self.title("Profile")
        page.get_by_role("button", name="New Post").click()
        self.title("New Post")
        page.get_by_role("button", name="Close").click()
        self.title("Profile")
        self.settled(page)
        assert self.service.session("demo")["sheets"] == []

    def keyboard(self):
        """All of that without a mouse, and a new screen begins at its title."""
        page = self.page
        page.get_by_role("button", name="Settings").focus()
        page.keyboard.press("Enter")
        self.title("Settings")
        expect(page.locator(".on-top h1")).to_be_focused()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        self.title("Profile")

    def refused(self):
        """A tap is shown at once; one that the server refuses is taken back, and the screen says why."""
        page = self.page
        self.service.call("PATCH", "/v1/sessions/demo", {"labels": {"room": "hall"}})
        problem = {"type": "/problems/x", "title": "x", "status": 409, "detail": "Not now."}
        refusals = []
        page.route("**/select", lambda route: refusals.append(route))
        with page.expect_request("**/select"):
            page.get_by_role("button", name="Home").click()
        self.title("Home")
        expect(page.locator("#hint")).to_be_empty()
        refusals[0].fulfill(status=409, content_type="application/problem+json", body=json.dumps(problem))
        self.title("Profile")
        expect(page.locator("#hint")).to_contain_text("Not now.")
        page.unroute("**/select")
        expect(page.locator("#hint")).to_be_empty()

    def view(self):
        """A link for looking shows everything and has nothing to tap."""
        page = self.browser.page(*SIZES["phone"])
        self.show(page, view="1")
        self.title("Profile", page)
        expect(page.locator(".tab")).to_have_count(3)
        assert page.locator("button:enabled").count() == 0
        self.service.command("demo", "navigate", {"route": "settings"})
        self.title("Settings", page)
        assert page.locator("button:enabled").count() == 0
        page.context.close()

    def told(self):
        """Who waits for the display learns what it shows."""
        revision = self.service.session("demo")["revision"]
        status, answer = self.service.call("GET", "/v1/sessions/demo/watchers?shown=%d" % revision)
        assert status == 200, answer
        def shows():
            watchers = self.service.call("GET", "/v1/sessions/demo/watchers")[1]["watchers"]
            return [watcher.get("shown") for watcher in watchers if watcher.get("as") == "display"]
        expect(self.page.locator(".on-top .large-title")).to_have_text("Settings")
        for _ in range(200):
            if shows() and all(shown == revision for shown in shows()): return
            self.page.wait_for_timeout(25)
        raise AssertionError(shows())

    def comes_back(self):
        """Without the server it keeps what it showed; then it goes on by itself."""
        page = self.browser.page(*SIZES["phone"])
        self.show(page, base=self.proxy.url)
        self.title("Settings", page)
        self.proxy.cut()
        self.service.command("demo", "select", {"tab": "home"})
        expect(page.locator("#hint")).to_have_text("Reconnecting …")
        self.title("Settings", page)
        self.proxy.mend()
        self.title("Home", page)
        expect(page.locator("#hint")).to_be_empty()
        page.context.close()

    def wakes(self):
        """A tab that is loaded again shows at once what it showed, also if nobody answers."""
        page = self.browser.page(*SIZES["phone"])
        self.show(page)
        self.title("Home", page)
        expect(page.get_by_role("button", name="New Post")).to_be_visible()
        page.wait_for_function("sessionStorage.getItem(`display ${location.origin} demo`) !== null")
        waiting, is_open = [], False
        page.route("**/v1/**", lambda route: route.continue_() if is_open else waiting.append(route))
        page.reload()
        self.title("Home", page)
        assert page.locator(".on-top .content").evaluate("(at) => getComputedStyle(at).animationName") == "none"
        is_open = True
        for route in waiting: route.continue_()
        expect(page.get_by_role("button", name="New Post")).to_be_visible()
        self.service.command("demo", "select", {"tab": "search"})
        self.title("Search", page)
        page.context.close()

    def ends_and_begins(self):
        """A session that is gone may come again; the display waits for it."""
        page = self.browser.page(*SIZES["phone"])
        self.show(page, "later")
        expect(page.get_by_role("heading")).to_have_text("Waiting for “later”")
        self.fits(page)
        self.picture("display-nothing", page)
        assert self.service.call("POST", "/v1/sessions", {"id": "later", "tabs": ["chats", "more"]})[0] == 201
        expect(page.locator(".on-top .large-title")).to_have_text("Chats")
        assert self.service.call("DELETE", "/v1/sessions/later")[0] == 204
        expect(page.get_by_role("heading")).to_have_text("This session has ended")
        page.goto(f"{self.service.url}/display")
        expect(page.get_by_role("heading")).to_have_text("No session")
        page.context.close()

    def tokens(self):
        """The token leaves the address at once, stays for the tab, and decides what can be tapped."""
        page = self.browser.page(*SIZES["phone"])
        urls, refusals = [], []
        page.on("request", lambda request: urls.append(request.url))
        page.on("response", lambda answer: refusals.append(answer.url) if answer.status >= 400 else None)
        self.show(page, base=self.guarded.url, token=self.guarded.token)
        self.title("Post", page)
        assert page.url == f"{self.guarded.url}/display#session=demo", page.url
        page.get_by_role("button", name="Search").click()
        self.title("Search", page)
        page.reload()
        self.title("Search", page)
        assert not any(self.guarded.token in url for url in urls)
        assert refusals == [], "it asks for nothing that such a token does not reach"
        # Another session is none of its business, and without a token nothing is shown.
        self.show(page, "kiosk", self.guarded.url, token=self.guarded.token)
        expect(page.get_by_role("heading")).to_have_text("This link is no longer valid")
        self.show(page, "other", self.guarded.url)
        expect(page.get_by_role("heading")).to_have_text("This display needs a link of its own")
        expect(page.locator("#screen")).to_contain_text("“other”")
        page.context.close()

    def read_token(self):
        """A token that may only read: nothing to tap, also if the link does not say so."""
        link = http.client.HTTPConnection("127.0.0.1", urllib.parse.urlsplit(self.guarded.url).port, timeout=20)
        link.request("POST", "/v1/sessions/demo/tokens", json.dumps({"scope": "read"}), {
            "Content-Type": "application/json", "Authorization": f"Bearer {self.guarded.admin}"})
        token = json.loads(link.getresponse().read())["token"]
        link.close()
        page = self.browser.page(*SIZES["phone"])
        self.show(page, base=self.guarded.url, token=token)
        self.title("Search", page)
        page.wait_for_function("sessionStorage.getItem(`display ${location.origin} demo`) !== null")
        assert page.locator("button:enabled").count() == 0
        page.context.close()

    def one_scale(self):
        """On a wall the tabs are a side bar, and no text is smaller than a third of the title."""
        self.service.command("demo", "root", {"scope": "all"})
        sizes = {}
        for name in ("phone", "wall"):
            page = self.browser.page(*SIZES[name])
            self.show(page)
            expect(page.get_by_role("button", name="New Post")).to_be_visible()
            sizes[name] = page.evaluate("""() => {
                const root = document.querySelector('navstate-display').shadowRoot;
                const size = (selector) => parseFloat(getComputedStyle(root.querySelector(selector)).fontSize);
                const bar = root.querySelector('.tabs').getBoundingClientRect();
                return { title: size('.large-title'), tab: size('.tab-title'), row: size('.row'), width: bar.width, height: bar.height };
            }""")
            page.context.close()
        phone, wall = sizes["phone"], sizes["wall"]
        assert phone["tab"] >= 12 and phone["width"] == SIZES["phone"][0], phone
        # 40 px is 19 mm on a screen of 55 inches.
        assert wall["tab"] >= 40 and wall["row"] >= 40 and wall["tab"] * 3 > wall["title"], wall
        assert wall["height"] == SIZES["wall"][1] and wall["width"] < SIZES["wall"][0] / 3, wall

    def reads_well(self):
        """The params of a screen are shown in words, without ids and without the title again."""
        params = {"id": 7, "orderId": "a-7", "place": "Hall 2", "paid": True, "day": "2026-12-01", "items": ["tea", "milk"],
                  "customer": {"id": 9, "name": "Ada"}, "note": None, "trace": "0f8fad5b-d9cb-469f-a165-70867728950e"}
        assert self.service.call("POST", "/v1/sessions", {"id": "reads", "tabs": ["main"]})[0] == 201
        self.service.command("reads", "navigate", {"route": "pickUp", "params": params})
        page = self.browser.page(*SIZES["phone"])
        self.show(page, "reads")
        self.title("Pick up", page)
        expect(page.locator(".on-top .facts > div")).to_have_text(
            ["PlaceHall 2", "PaidYes", "DayDec 1, 2026", "Itemstea, milk", "NameAda"])
        page.context.close()

    def says_that_it_waits(self):
        """Where the rules are not loaded, a tap shows that it waits; without a server it is dropped."""
        self.service.command("demo", "root", {"scope": "all"})
        page = self.browser.page(*SIZES["phone"])
        page.route("**/rules.wasm", lambda route: route.abort())
        self.show(page, base=self.proxy.url)
        self.title("Home", page)
        tab = page.get_by_role("button", name="Profile")
        expect(tab).to_be_enabled()
        self.proxy.cut()
        revision = self.service.session("demo")["revision"]
        tab.click()
        expect(tab).to_have_attribute("aria-busy", "true")
        expect(page.locator("#hint")).to_contain_text("does not respond")
        expect(page.locator("#screen")).to_have_attribute("data-away", "")
        self.proxy.mend()
        expect(page.locator("#screen")).not_to_have_attribute("data-away", "")
        self.service.command("demo", "setBadge", {"tab": "home", "badge": 1})
        expect(page.get_by_role("button", name="Home")).to_contain_text("1")
        assert self.service.session("demo")["revision"] == revision + 1, "a dropped tap was carried out"
        self.title("Home", page)
        self.service.command("demo", "setBadge", {"tab": "home", "badge": None})
        page.context.close()

    def works_without_a_server(self):
        """Taps are shown without a server, and sent in their order when it is back."""
        self.service.command("demo", "root", {"scope": "all"})
        page = self.browser.page(*SIZES["phone"])
        with page.expect_response("**/rules.wasm"):
            self.show(page, base=self.proxy.url)
        self.title("Home", page)
        page.wait_for_function("() => document.querySelector('navstate-display').live.predicts")
        self.proxy.cut()
        page.get_by_role("button", name="Profile").click()
        self.title("Profile", page)
        page.get_by_role("button", name="Settings").click()
        self.title("Settings", page)
        assert self.service.session("demo")["visible"]["route"] != "settings"
        expect(page.locator("#screen")).to_have_attribute("data-away", "")
        self.proxy.mend()
        expect(page.locator("#screen")).not_to_have_attribute("data-away", "")
        self.settled(page)
        assert self.service.session("demo")["visible"]["route"] == "settings"
        self.title("Settings", page)
        self.service.command("demo", "root", {"scope": "all"})
        page.context.close()

    def element(self):
        """The same display as an element of any page, with the look of its own."""
        page = self.browser.page(900, 700)
        page.goto(f"{self.service.url}/display")
        page.evaluate("""async () => {
            await import('/navstate-display.js');
            const style = new CSSStyleSheet();
            style.replaceSync('button { display: none } navstate-display { width: 300px; height: 500px }');
            document.adoptedStyleSheets = [style];
            document.body.innerHTML = '<input aria-label="Field"><navstate-display session="demo"></navstate-display>';
            document.querySelector('input').focus();
        }""")
        self.title("Home", page)
        page.get_by_role("button", name="Search").click()
        self.title("Search", page)
        page.get_by_label("Field").focus()
        self.service.command("demo", "select", {"tab": "home"})
        self.title("Home", page)
        expect(page.get_by_label("Field")).to_be_focused()
        box = box_of(page.locator("navstate-display"))
        assert (box["width"], box["height"]) == (300, 500), box
        page.evaluate("document.querySelector('navstate-display').setAttribute('session', 'nobody')")
        expect(page.get_by_role("heading")).to_have_text("Waiting for “nobody”")
        page.evaluate("document.querySelector('navstate-display').remove()")
        page.context.close()

    def foreign(self):
        """A page of another origin shows it as well, if the server allows that origin."""
        page = self.browser.page(900, 700)
        with Page() as host:
            server = Server(self.binary, ROOT / "Examples/apps", ["--allowed-origin", host.origin])
            host.body = (
                f'<!doctype html><link rel="icon" href="data:,"><script type="module" src="{server.url}/navstate-display.js"></script>'
                '<navstate-display session="there" style="height: 500px"></navstate-display>')
            try:
                server.service.call("POST", "/v1/sessions", {"id": "there", "app": "social"})
                page.goto(host.origin)
                self.title("Home", page)
                page.get_by_role("button", name="Search").click()
                self.title("Search", page)
                self.settled(page)
                assert server.service.session("there")["selectedTab"] == "search"
            finally:
                page.context.close()
                server.close()

    def quiet(self):
        assert self.browser.faults == [], self.browser.faults
        assert self.browser.foreign == [], self.browser.foreign

    def run(self):
        for check in (self.follows, self.fits_everywhere, self.taps, self.keyboard, self.refused,
                      self.view, self.told, self.comes_back, self.wakes, self.ends_and_begins,
                      self.tokens, self.read_token, self.one_scale, self.reads_well,
                      self.says_that_it_waits, self.works_without_a_server, self.element, self.foreign, self.quiet):
            self.ledger.run(check.__name__.replace("_", " "), check)

    def end(self):
        self.proxy.close()
        self.open_demo.end()
        self.guarded.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots: options.screenshots.mkdir(parents=True, exist_ok=True)
    ledger = Ledger()
    with sync_playwright() as playwright:
        test = DisplayTest(str(pathlib.Path(options.server).resolve()), Browser(playwright), ledger,
                           options.screenshots)
        try:
            test.run()
        finally:
            test.end()
    sys.exit(ledger.end())


if __name__ == "__main__":
    main()
