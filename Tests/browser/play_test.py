#!/usr/bin/env python3
"""The playground, in Chromium and in Firefox: from a server, from a folder, and from a disk.

    python3 Tests/browser/play_test.py --server .build/release/navstate [--full] [--screenshots FOLDER]

It starts a server of its own, and needs what console_test.py needs; the part in Firefox also needs
Debian's firefox-esr.
"""
import argparse
import base64
import functools
import http.server
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import urllib.request
import zlib

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from console_test import Browser, ROOT
from firefox import BINARY, Firefox
from server import Server
from support import CONTRAST, Ledger, nameless

SHOP = (ROOT / "Examples/apps/shop.json").read_text()
SIZES = {"phone": (390, 844), "laptop": (1280, 720), "large": (2560, 1440)}
#: An app with one of each mistake that the findings name here.
FAULTY = {
    "id": "faulty", "tabs": [{"id": "home", "root": "start", "routes": ["trap"]}],
    "facts": {"signedIn": {"default": False, "schema": {"type": "boolean"}}},
    "guards": {"out": {"when": {"signedIn": False}}, "in": {"when": {"signedIn": True}}},
    "routes": {"start": {}, "trap": {"title": "Trap"}, "nobody": {"title": "Nobody"}},
}
#: What a page says of itself, in either browser. The screen lies in a shadow root.
SCREEN = "document.querySelector('.play-glass')?.shadowRoot"
TITLE = f"return {SCREEN}?.querySelector('.on-top h1')?.textContent === arguments[0]"


def packed(text):
    """As the address has it: raw deflate in the digits of URLs."""
    deflate = zlib.compressobj(9, wbits=-15)
    return base64.urlsafe_b64encode(deflate.compress(text.encode()) + deflate.flush()).decode().rstrip("=")


class QuietFiles(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class PlayTest:
    def __init__(self, server, browser, ledger, folder):
        self.server, self.browser, self.ledger, self.folder = server, browser, ledger, folder
        self.page = browser.page(1440, 900)
        self.sent = []
        self.page.on("request", lambda request: self.sent.append((request.method, request.url)))
        self.axe = Axe()

    # Words for what the tests do

    @property
    def url(self):
        return f"{self.server.url}/play"

    def open(self, document=None, steps=None, page=None, url=None):
        page = page or self.page
        fragment = "" if document is None else f"#app={packed(document if isinstance(document, str) else json.dumps(document, indent=2))}"
        if steps is not None:
            fragment += f"&steps={packed(steps if isinstance(steps, str) else json.dumps(steps))}"
        page.goto("about:blank")
        page.goto((url or self.url) + fragment)

    def title(self, text, page=None):
        expect((page or self.page).locator(".play-glass .on-top .large-title")).to_have_text(text)

    def button(self, name, page=None):
        return (page or self.page).get_by_role("button", name=name, exact=True)

    def tab(self, name, page=None):
        (page or self.page).get_by_role("tab", name=name, exact=True).click()

    def verdict(self, text, page=None):
        expect((page or self.page).locator("#app-verdict")).to_contain_text(text)

    def write(self, document):
        self.page.locator("#app-text").fill(document if isinstance(document, str) else json.dumps(document, indent=2))

    # The checks

    def starts(self):
        self.open()
        self.title("Shop")
        self.verdict("Valid.")
        self.page.locator(".play-glass").get_by_role("button", name="Delivery").click()
        self.title("Delivery")
        expect(self.page.locator(".node.lit .node-title")).to_have_text("Delivery")
        self.button("Undo").click()
        self.title("Shop")
        # A link that a guard holds back, and the fact that lets it through.
        self.tab("Try")
        self.page.get_by_label("Deep link").fill("https://shop.example/orders/7")
        self.page.locator(".play-links").get_by_role("button", name="Open", exact=True).click()
        self.title("Sign in")
        expect(self.page.locator(".pending-banner")).to_contain_text("waits for the guard")
        self.page.get_by_role("switch", name="signedIn").check()
        self.title("Order 7")
        # A screen that needs params is asked for them.
        self.page.locator(".play-screens").get_by_role("button", name="Category").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("query").fill("tea")
        dialog.get_by_role("button", name="Push", exact=True).click()
        expect(dialog).to_have_count(0)
        self.tab("Command")
        self.page.locator("#command-name").select_option("root")
        self.button("Send").click()
        self.title("Shop")
        self.tab("Steps")
        expect(self.page.locator(".play-steps li")).to_have_count(6)
        self.tab("JSON")
        expect(self.page.locator(".panel-json .json")).to_contain_text('"route": "home"')

    def refuses(self):
        """A refusal is in the words of the server, with its code."""
        self.open()
        self.tab("Command")
        self.page.locator("#command-body").fill('{"route": "delivry"}')
        self.button("Send").click()
        expect(self.page.locator(".panel-command .form-error")).to_contain_text("delivery")
        expect(self.page.locator(".panel-command .json")).to_contain_text("unknown-route")
        self.title("Shop")

    def edits(self):
        """The phone follows the document; with a fault it keeps the last valid one, and the fault is marked."""
        self.open()
        self.page.locator(".play-glass").get_by_role("button", name="Payment").click()
        self.title("Payment")
        self.write(SHOP.replace('"title": "Payment"', '"title": "Pay"'))
        self.title("Pay")
        # Refused commands are carried out again when the document is mended.
        self.write(SHOP.replace('"payment"', '"pay"'))
        self.title("Shop")
        self.tab("Steps")
        expect(self.page.locator(".panel-steps")).to_contain_text("refuses 1 more command.")
        self.write(SHOP)
        self.title("Payment")
        self.write('{"id": "x", "tabs": [{"id": "a", "routes": ["nowhere"]}]}')
        self.verdict("1 error to correct")
        expect(self.page.locator(".faults .bad")).to_contain_text("/tabs/0/routes/0")
        self.write('{"id": "x", "tabs": [')
        self.verdict("not valid JSON")
        self.write('{"id": "x", "tabs": [{"id": "alpha"}]}')
        self.verdict("Valid")
        self.title("Alpha")
        # The smallest app, whose id is that of its file elsewhere.
        self.write('{"tabs": [{"id": "beta"}]}')
        self.verdict("Valid")
        self.title("Beta")

    def links(self):
        """The address carries the document and what was done; a reload and another reader see the same."""
        self.open(FAULTY)
        self.title("Start")
        self.page.locator(".play-glass").get_by_role("button", name="Trap").click()
        self.title("Trap")
        self.page.wait_for_function("() => location.hash.includes('&steps=')")
        address = self.page.url
        self.page.reload()
        self.title("Trap")
        other = self.browser.page(1280, 720)
        other.goto(address)
        self.title("Trap", other)
        self.button("Start over", other).click()
        self.title("Start", other)
        other.context.close()
        # A document with a fault is in the link as well.
        self.write('{"id": "x", "tabs": []}')
        self.verdict("to correct")
        self.page.wait_for_timeout(600)
        self.page.reload()
        self.verdict("to correct")
        expect(self.page.locator(".play-glass .empty h1")).to_have_text("Nothing to show yet")
        assert self.page.locator("#app-text").input_value() == '{"id": "x", "tabs": []}'
        # One that is too long for a link.
        self.write(json.dumps({"id": "x", "tabs": [{"id": "a"}], "x-noise": random.Random(1).randbytes(20_000).hex()}))
        expect(self.page.locator("#link-note")).to_contain_text("Too long for a link")
        expect(self.button("Copy link")).to_be_disabled()
        assert "#" not in self.page.url
        # Too many commands for a link, although they compress well.
        pushes = [{"command": "navigate", "route": "trap", "params": {"text": "x" * 1_500}}] * 40
        self.open({**FAULTY, "routes": {**FAULTY["routes"], "start": {"routes": ["trap"]}, "trap": {"title": "Trap", "params": True, "routes": ["trap"]}}}, pushes)
        self.title("Trap")
        expect(self.page.locator("#link-note")).to_have_text("")
        self.tab("Command")
        self.page.locator("#command-body").fill(json.dumps({"route": "trap", "params": {"text": "x" * 6_000}}))
        self.button("Send").click()
        expect(self.page.locator("#link-note")).to_contain_text("Too long for a link")
        expect(self.button("Copy link")).to_be_disabled()
        # Commands that cannot be read leave the document.
        self.open(FAULTY, "[1]")
        expect(self.page.locator("#alerts")).to_contain_text("The link cannot be read completely")
        self.title("Start")

    def finds(self):
        """Screens that nobody reaches are found, shown in the document, and gone when they are mended."""
        self.open(FAULTY)
        self.title("Start")
        self.tab("Findings")
        expect(self.page.locator(".play-findings li")).to_have_count(1)
        expect(self.page.locator(".play-findings li")).to_contain_text("Nobody reaches it")
        self.button("Show in the document").click()
        assert self.page.evaluate("(() => { const f = document.getElementById('app-text'); return f.value.slice(f.selectionStart, f.selectionEnd); })()") == '"nobody"'
        self.write({**FAULTY, "tabs": [{"id": "home", "root": "start", "routes": ["trap", "nobody"]}]})
        expect(self.page.locator(".panel-findings .good")).to_have_text("No findings.")
        # What a guard rules out.
        self.write({**FAULTY, "tabs": [{"id": "free", "root": "start"}, {"id": "home", "root": "start", "guard": "out", "routes": ["trap", "nobody"]}],
                    "routes": {**FAULTY["routes"], "nobody": {"title": "Nobody", "guard": "in"}}})
        expect(self.page.locator(".play-findings")).to_contain_text("Its guard never holds")

    def sends_nothing(self):
        """A tap, facts, a link and a command do what they do on a server, and nothing is sent to one."""
        self.sent.clear()
        self.starts()
        wrong = [item for item in self.sent if item[0] != "GET" or "/v1" in item[1]]
        assert wrong == [], wrong
        policy = self.page.request.get(self.url).headers["content-security-policy"]
        assert "unsafe" not in policy and "script-src 'self';" in policy, policy
        worker = self.page.request.get(f"{self.server.url}/play/worker.js").headers["content-security-policy"]
        assert "'wasm-unsafe-eval'" in worker and "'unsafe-eval'" not in worker and "default-src 'none'" in worker, worker
        assert "unsafe" not in self.page.request.get(f"{self.server.url}/").headers["content-security-policy"].replace("'wasm-unsafe-eval'", "")

    def hostile(self):
        """Links that were made to do harm are refused or bounded, and the page stays alive."""
        bomb = "A" * 50_000_000
        for name, document, steps in (
            ("a bomb", bomb, None), ("no deflate", None, None), ("deep", "[" * 100_000, None),
            ("steps that are no list", SHOP, '{"command": 1}'), ("steps that are no commands", SHOP, "[1, null]"),
            ("many members", "{" + ",".join(f'"{n}":1' for n in range(60_000)) + "}", None),
            ("a long line", '{"id": "x", "tabs": [{"id": "a"}], "x-a": "' + "\\u0041" * 100_000 + '"}', None),
            ("markup", '{"id": "x", "title": "<img src=x onerror=alert(1)>", "tabs": [{"id": "a", "title": "</script><script>alert(1)</script>"}]}', None),
        ):
            page = self.browser.page(1280, 720)
            page.on("dialog", lambda dialog: self.browser.faults.append("a dialog"))
            if name == "no deflate":
                page.goto(f"{self.url}#app=%00%01not-base64!")
            else:
                self.open(document, steps, page)
            expect(page.locator("#app-verdict")).not_to_be_empty()
            # It answers within a second of its own time, whatever it was given.
            page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
            if name in ("a bomb", "no deflate", "steps that are no list", "steps that are no commands"):
                expect(page.locator("#alerts")).to_contain_text("The link cannot be read")
                self.title("Shop", page)
            page.context.close()
        # Everything may be pushed everywhere: no picture, but a phone; and an exploration that ends.
        names = [f"r{number}" for number in range(900)]
        wide = {"id": "wide", "groups": {"all": names}, "routes": {name: {"routes": ["@all"]} for name in names},
                "tabs": [{"id": "home", "routes": ["@all"]}]}
        self.open(wide)
        expect(self.page.locator("#app-verdict")).not_to_be_empty(timeout=60_000)
        self.tab("Findings")
        self.page.wait_for_timeout(1_000)
        self.tab("Graph")
        self.open()
        self.title("Shop")

    def looks(self):
        """At each size nothing lies outside, everything has a name and can be read."""
        for name, size in SIZES.items():
            for scheme in ("light", "dark"):
                page = self.browser.page(*size, scheme)
                self.open(page=page)
                self.title("Shop", page)
                # All parts at one of the sizes that have one area at a time, and at one that shows all of them.
                tabs = ("Graph", "Try", "Findings", "Steps") if scheme == "light" and name != "large" else ("Graph",)
                for area in ("sessions", "stage", "details") if name == "phone" else ():
                    page.locator(f"#area-{area}").click()
                    if area != "details":
                        self.good(page, f"play-{area}-{name}-{scheme}", scheme)
                for tab in tabs:
                    self.tab(tab, page)
                    self.good(page, f"play-{tab.lower()}-{name}-{scheme}", scheme)
                page.context.close()

    def good(self, page, name, scheme):
        page.wait_for_timeout(200)
        page.screenshot(path=str(self.folder / f"{name}.png"))
        outside = page.evaluate("[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]")
        assert max(outside) <= 0, (name, outside)
        assert page.evaluate(CONTRAST) == [], (name, page.evaluate(CONTRAST))
        assert nameless(page) == [], (name, nameless(page))
        if scheme == "dark":
            return
        report = self.axe.run(page).response["violations"]
        assert report == [], (name, [(item["id"], item["nodes"][0]["target"]) for item in report])

    def from_apps(self):
        """The console leads to the playground with the app that it shows."""
        self.page.goto(f"{self.server.url}/#apps=chat")
        self.page.get_by_role("link", name="Try it", exact=True).click()
        self.title("Chats")
        self.page.get_by_role("link", name="Apps", exact=True).click()
        expect(self.page.get_by_role("link", name="Playground", exact=True)).to_be_visible()
        # A document that is too long for a link to send is tried as well.
        with urllib.request.urlopen(f"{self.server.url}/v1/apps/chat") as answer:
            document = {**json.load(answer), "id": "long", "x-squares": [n * n for n in range(20_000)]}
        urllib.request.urlopen(urllib.request.Request(
            f"{self.server.url}/v1/apps/long", json.dumps(document).encode(),
            {"Content-Type": "application/json"}, method="PUT"))
        self.page.goto(f"{self.server.url}/#apps=long")
        self.page.get_by_role("link", name="Try it", exact=True).click()
        self.title("Chats")

    def written(self):
        """`navstate playground DIR` writes a page that works from a disk and from a plain file server."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="navstate-play-"))
        for _ in range(2):
            done = subprocess.run([self.server.binary, "playground", str(folder / "new")], capture_output=True, text=True)
            assert (done.returncode, done.stdout) == (0, f"{folder}/new/index.html\n"), done
        (folder / "index.html").write_text("mine")
        done = subprocess.run([self.server.binary, "playground", str(folder)], capture_output=True, text=True)
        assert done.returncode == 78 and (folder / "index.html").read_text() == "mine", done
        page = self.browser.page(1280, 720)
        page.goto(f"file://{folder}/new/index.html")
        self.browser.foreign.remove(page.url.split("#")[0])
        self.title("Shop", page)
        page.locator(".play-glass").get_by_role("button", name="Delivery").click()
        self.title("Delivery", page)
        self.tab("Findings", page)
        expect(page.locator(".panel-findings .good")).to_contain_text("No findings")
        page.wait_for_function("() => location.hash.includes('&steps=')")
        fragment = page.url.split("#")[1]
        page.context.close()
        files = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(QuietFiles, directory=str(folder)))
        threading.Thread(target=files.serve_forever, daemon=True).start()
        page = self.browser.page(1280, 720)
        page.goto(f"http://127.0.0.1:{files.server_port}/new/#{fragment}")
        self.title("Delivery", page)
        page.context.close()
        files.shutdown()
        return folder / "new/index.html"

    def firefox(self):
        """The same in Firefox: from the server, and from a disk."""
        file = self.written()
        firefox = Firefox(1280, 720)
        try:
            for url in (self.url, f"file://{file}"):
                firefox.open(url)
                firefox.wait(TITLE, "Shop")
                firefox.run(f"[...{SCREEN}.querySelectorAll('.row')].find((row) => row.textContent === 'Delivery').click()")
                firefox.wait(TITLE, "Delivery")
                firefox.run("document.getElementById('tab-findings').click()")
                assert firefox.wait("return document.querySelector('.panel-findings .good')?.textContent.startsWith('No findings')")
                firefox.screenshot(self.folder / f"play-firefox-{url.split(':')[0]}.png")
            firefox.wait("return location.hash.includes('&steps=')")
            address = firefox.run("return location.hash")
            firefox.open(self.url + address)
            firefox.wait(TITLE, "Delivery")
        finally:
            firefox.close()

    def all(self, isFull):
        more = (self.refuses, self.hostile, self.looks, self.from_apps, self.written) if isFull else ()
        for check in (self.sends_nothing, self.edits, self.links, self.finds, *more):
            self.ledger.run(check.__doc__.strip(), check)
        if pathlib.Path(BINARY).exists():
            self.ledger.run(self.firefox.__doc__.strip(), self.firefox)
        else:
            print("      Firefox is not installed, and was not tried")
        self.ledger.run("no error on any page, and no other host", self.browser.check)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    folder = options.screenshots or pathlib.Path(tempfile.mkdtemp(prefix="navstate-pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"pictures in {folder}")
    ledger = Ledger()
    server = Server(options.server, ROOT / "Examples/apps")
    try:
        with sync_playwright() as playwright:
            browser = Browser(playwright)
            try:
                PlayTest(server, browser, ledger, folder).all(options.full)
            finally:
                browser.chromium.close()
    finally:
        server.close()
    return ledger.end()


if __name__ == "__main__":
    sys.exit(main())
