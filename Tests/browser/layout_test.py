#!/usr/bin/env python3
"""The console's states at three sizes: nothing lies outside the window, whatever there is to show.

    python3 Tests/browser/layout_test.py --server .build/release/navstate [--screenshots FOLDER]

It starts servers of its own: with 0, 1, 40 and 500 sessions, slow ones, and one that is killed and
comes back. A picture of each state is left in FOLDER, by default in a new temporary one. Each state
is also checked by axe-core. What it needs otherwise is as in console_test.py.
"""
import argparse
import pathlib
import re
import sys
import tempfile
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from console_test import Browser, ROOT
from server import Server
from support import CONTRAST, Ledger

SIZES = {"laptop": (1280, 720), "desktop": (1440, 900), "phone": (390, 844)}
LATENCY_MILLISECONDS = 1_500

# Everything that was ever shown in these places, with what disappears again.
WITNESS = """() => {
    window.seen = [];
    new MutationObserver(() => {
        for (const element of document.querySelectorAll('.large-title, .none, .empty p, .empty h2')) {
            if (!window.seen.includes(element.textContent)) window.seen.push(element.textContent);
        }
    }).observe(document, { childList: true, subtree: true, characterData: true });
}"""

OUTSIDE = """() => {
    const names = ['.top', '.areas', '.phone:not(.ghost)', '.time', '.curl', '.past-banner', '.tablist', '.pane-head', '.paging', '.toolbar'];
    const found = [];
    for (const name of names) {
        for (const element of document.querySelectorAll(name)) {
            if (element.closest('.wall-screen') || !element.checkVisibility()) continue;
            const box = element.getBoundingClientRect();
            if (box.width === 0) continue;
            const isInside = box.left >= -0.5 && box.top >= -0.5 && box.right <= innerWidth + 0.5 && box.bottom <= innerHeight + 0.5;
            if (!isInside) found.push(`${name} ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`);
        }
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    if (scrollWidth > innerWidth || scrollHeight > innerHeight) found.push(`page ${scrollWidth} x ${scrollHeight}`);
    return found;
}"""


class LayoutTest:
    def __init__(self, binary, browser, ledger, folder):
        self.binary = binary
        self.browser = browser
        self.ledger = ledger
        self.folder = folder
        self.axe = Axe()

    def server(self):
        return Server(self.binary, ROOT / "Examples/apps")

    def check(self, page, name, axe=True):
        """Keeps a picture of the state, and finds what is wrong with it."""
        page.wait_for_timeout(350)
        page.screenshot(path=str(self.folder / f"{name}.png"))
        outside = page.evaluate(OUTSIDE)
        # On a phone the stack and the curl line lie under the phone, where one scrolls to.
        if page.viewport_size["width"] <= 900:
            outside = [item for item in outside if not item.startswith(".curl")]
        assert outside == [], (name, outside)
        faint = page.evaluate(CONTRAST)
        assert faint == [], (name, faint)
        if axe:
            report = self.axe.run(page).response["violations"]
            assert report == [], (name, [(item["id"], item["nodes"][0]["target"]) for item in report])

    def area(self, page, name):
        if page.viewport_size["width"] <= 900:
            page.locator(f"#area-{name}").click()

    # Sizes and numbers

    def numbers(self):
        for count in (0, 1, 40, 500):
            server = self.server()
            try:
                server.fill(count)
                for size in SIZES:
                    self.ledger.run(f"{count} sessions on a {size}", lambda: self.fits(server, count, size))
            finally:
                server.close()

    def fits(self, server, count, size):
        page = self.browser.page(*SIZES[size])
        page.goto(server.url)
        name = f"{count}-{size}"
        rows = page.locator("#sessions .session-row:not(.skeleton)")
        if count == 0:
            expect(page.locator("#sessions .none")).to_have_text("No sessions yet.")
            self.check(page, f"{name}-list")
            self.area(page, "stage")
            expect(page.get_by_role("button", name="Start with the demo app", exact=True)).to_be_visible()
            self.check(page, f"{name}-stage")
            page.context.close()
            return
        expect(rows).to_have_count(min(count, 50))
        expect(page.locator("#session-count")).to_have_text(f"{count} session{'' if count == 1 else 's'}")
        self.check(page, f"{name}-list")
        rows.last.scroll_into_view_if_needed()
        self.check(page, f"{name}-list-end", axe=False)
        # The last of the list is chosen, and the phone is in sight at once.
        chosen = rows.last.locator(".session-id").text_content()
        rows.last.click()
        expect(page.locator(".stage-name h2")).to_have_text(chosen)
        self.check(page, f"{name}-chosen", axe=False)
        self.history(server, page, name)
        page.context.close()

    def history(self, server, page, name):
        page.goto(f"{server.url}/#session=kiosk-000")
        expect(page.locator("#status")).to_have_text("Live")
        expect(page.locator(".stage-name h2")).to_have_text("kiosk-000")
        expect(page.locator("#sessions [aria-current='true']")).to_have_count(1)
        self.area(page, "sessions")
        expect(page.locator("#sessions [aria-current='true']")).to_be_in_viewport()
        self.area(page, "stage")
        self.check(page, f"{name}-now")
        self.area(page, "details")
        expect(page.locator(".event")).to_have_count(33)
        self.check(page, f"{name}-timeline")
        page.locator(".event-button").last.click()
        self.area(page, "stage")
        expect(page.locator(".past-banner")).to_contain_text("revision 8")
        self.check(page, f"{name}-past")

    def pages(self):
        """The wall and the apps, and the dialogs, light and dark."""
        server = self.server()
        try:
            server.fill(40)
            for size in SIZES:
                for scheme in ("light", "dark"):
                    self.ledger.run(f"every page on a {size}, {scheme}", lambda: self.every(server, size, scheme))
        finally:
            server.close()

    def every(self, server, size, scheme):
        page = self.browser.page(*SIZES[size], scheme)
        name = f"{size}-{scheme}"
        page.goto(f"{server.url}/#wall=lobby")
        expect(page.locator(".wall-phone .large-title")).to_have_count(10)
        page.get_by_role("button", name="Select all").click()
        self.check(page, f"wall-{name}")
        page.goto(f"{server.url}/#apps=social")
        expect(page.locator(".graph-picture .node.lit")).not_to_have_count(0)
        self.check(page, f"apps-{name}")
        page.get_by_role("button", name="Edit", exact=True).click()
        page.locator("#app-text").fill('{"id": "social", "tabs": [{"id": "a", "routes": ["b"]}]}')
        page.get_by_role("button", name="Check").click()
        expect(page.locator(".faults li")).not_to_have_count(0)
        self.check(page, f"app-editor-{name}")
        page.goto(f"{server.url}/#session=kiosk-000")
        expect(page.locator("#status")).to_have_text("Live")
        for tab in ("JSON", "Links", "Command", "Timeline"):
            self.area(page, "details")
            page.get_by_role("tab", name=tab).click()
            self.check(page, f"{tab.lower()}-{name}")
        page.get_by_role("button", name="Compare …").click()
        expect(page.locator(".diff-steps li")).not_to_have_count(0)
        self.check(page, f"compare-{name}")
        page.keyboard.press("Escape")
        self.area(page, "stage")
        page.get_by_role("button", name="Share").click()
        expect(page.get_by_role("dialog").locator(".qr")).to_be_visible()
        self.check(page, f"share-{name}")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Edit labels").click()
        self.check(page, f"labels-{name}")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+k")
        self.check(page, f"find-{name}")
        page.keyboard.press("Escape")
        self.area(page, "sessions")
        page.get_by_role("button", name="New session", exact=True).click()
        self.check(page, f"new-{name}")
        page.keyboard.press("Escape")
        page.goto(f"{server.url}/#session=nobody")
        expect(page.get_by_role("heading", name="There is no session nobody")).to_be_visible()
        self.check(page, f"missing-{name}")
        page.context.close()

    # Loading

    def latency(self):
        """With every answer 1.5 s late nothing untrue is said, and something is there meanwhile."""
        server = self.server()
        try:
            server.fill(40)
            page = self.browser.page(1440, 900)
            page.add_init_script(f"({WITNESS})()")
            network = page.context.new_cdp_session(page)
            network.send("Network.enable")
            network.send("Network.emulateNetworkConditions", {
                "offline": False, "latency": LATENCY_MILLISECONDS, "downloadThroughput": -1, "uploadThroughput": -1})
            # The states are seen while everything is still on its way.
            page.goto(f"{server.url}/#session=kiosk-000", wait_until="commit", timeout=30_000)
            expect(page.locator("#sessions .skeleton")).not_to_have_count(0)
            expect(page.locator(".empty")).to_have_text(re.compile("Opening kiosk-000"))
            self.check(page, "loading", axe=False)
            expect(page.locator(".layer.on-top .large-title")).to_have_text("Post")
            expect(page.locator("#sessions .session-row:not(.skeleton)")).to_have_count(40)
            expect(page.locator(".event-button")).to_have_count(33)
            seen = page.evaluate("window.seen")
            assert not any(word.startswith(("No sessions", "Choose a session", "Post detail", "What happens")) for word in seen), seen
            # A click takes as long, and is carried out once.
            before = server.service.session("kiosk-000")["revision"]
            page.get_by_role("button", name="Search tab").click()
            expect(page.locator(".layer.on-top .large-title")).to_have_text("Search")
            assert server.service.session("kiosk-000")["revision"] == before + 1
            page.context.close()
        finally:
            server.close()

    # The server goes and comes back

    def killed(self):
        server = self.server()
        try:
            server.fill(3)
            for size in SIZES:
                self.ledger.run(f"the server is killed and comes back, on a {size}", lambda: self.away(server, size))
        finally:
            server.close()

    def away(self, server, size):
        page = self.browser.page(*SIZES[size])
        page.goto(f"{server.url}/#session=kiosk-000")
        expect(page.locator("#status")).to_have_text("Live")
        expect(page.locator(".layer.on-top .row").first).to_be_enabled()
        server.kill()
        try:
            expect(page.locator("#status")).to_contain_text("Reconnecting")
            expect(page.locator("#offline")).to_be_visible()
            for name in ("Undo", "Share", "Delete"):
                expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
            expect(page.locator(".layer.on-top .row").first).to_be_disabled()
            self.check(page, f"offline-{size}")
        finally:
            server.start()
        expect(page.locator("#status")).to_have_text("Live", timeout=40_000)
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.get_by_role("button", name="Undo", exact=True)).to_be_enabled()
        page.get_by_role("button", name="Undo", exact=True).click()
        expect(page.get_by_role("button", name="Redo", exact=True)).to_be_enabled()
        expect(page.locator("#alerts")).to_be_empty()
        page.context.close()

    def away_without_a_session(self):
        """With no session open, the list says so, and is read again when the server is back."""
        server = self.server()
        try:
            server.fill(3)
            page = self.browser.page(1280, 720)
            page.goto(server.url)
            expect(page.locator("#sessions .session-row:not(.skeleton)")).to_have_count(3)
            server.kill()
            expect(page.locator("#status")).to_have_text("No connection")
            expect(page.get_by_role("heading", name="The server cannot be reached")).to_be_visible()
            self.check(page, "offline-list")
            server.start()
            expect(page.locator("#offline")).to_be_hidden(timeout=30_000)
            expect(page.locator("#sessions .session-row:not(.skeleton)")).to_have_count(3)
            page.context.close()
        finally:
            server.close()

    # Start

    def few_requests(self):
        """A page loads what its head names and no other file; the list is asked for right after it."""
        server = self.server()
        try:
            server.fill(40)
            for address, ready in (("/#session=kiosk-000", "#status:text-is('Live')"), ("/#wall=lobby", ".wall-phone .large-title"),
                                   ("/#apps=social", ".graph-picture .node"), ("/docs", "#contents a"), ("/problems", ".problem-search"),
                                   ("/display#session=kiosk-000", "#screen .layer")):
                page = self.browser.page(1440, 900)
                asked = []
                page.on("request", lambda request: asked.append(urllib.parse.urlsplit(request.url).path))
                page.goto(server.url + address)
                expect(page.locator(ready).first).to_be_visible()
                head = page.evaluate("[...document.head.querySelectorAll('script, [rel=stylesheet], [rel=modulepreload]')]"
                                     ".map((item) => new URL(item.src ?? item.href).pathname)")
                # Each of them once, so that no file waits until another one has been read.
                files = sorted(path for path in asked if path.endswith((".js", ".css")))
                assert files == sorted(head), (address, sorted(set(files) ^ set(head)))
                page.context.close()
            page = self.browser.page(1440, 900)
            asked = []
            page.on("request", lambda request: asked.append(urllib.parse.urlsplit(request.url).path))
            page.goto(server.url)
            expect(page.locator("#sessions .session-row:not(.skeleton)")).to_have_count(40)
            # The page and its files, each once; the icon may come at any time.
            before = [path for path in asked[:asked.index("/v1/sessions")] if not path.endswith(".svg")]
            assert before[0] == "/" and len(before) == len(set(before)), before
            assert all(path.endswith((".js", ".css")) for path in before[1:]), before
            page.context.close()
        finally:
            server.close()

    def session_start(self):
        """What the view of a session needs is requested at once, and drawn once; nothing else is."""
        server = self.server()
        try:
            server.fill(40)
            page = self.browser.page(1440, 900)
            waiting = {"/v1/sessions/kiosk-000/allowed", "/v1/sessions/kiosk-000/history", "/v1/apps/social"}
            held = []

            def hold(route):
                # No answer comes before everything has been asked for.
                held.append(route)
                waiting.discard(urllib.parse.urlsplit(route.request.url).path)
                while not waiting and held:
                    held.pop().continue_()
            for path in list(waiting):
                page.route(re.compile(re.escape(path) + r"(\?.*)?$"), hold)
            asked = []
            page.on("request", lambda request: asked.append(urllib.parse.urlsplit(request.url).path))
            page.add_init_script("""
                window.drawn = { phones: 0, timelines: 0 };
                new MutationObserver((records) => {
                    if (document.querySelector(".event-button") && document.querySelector(".row:enabled")) return;
                    for (const node of records.flatMap((record) => [...record.addedNodes])) {
                        if (node.matches?.(".phone:not(.skeleton)")) window.drawn.phones += 1;
                        if (node.matches?.(".timeline")) window.drawn.timelines += 1;
                    }
                }).observe(document, { childList: true, subtree: true });""")
            page.goto(server.url + "/#session=kiosk-000")
            expect(page.locator(".event-button")).to_have_count(33)
            expect(page.locator(".layer.on-top .row:enabled").first).to_be_visible()
            assert page.evaluate("window.drawn") == {"phones": 0, "timelines": 0}, page.evaluate("window.drawn")
            own = [path for path in asked if path.startswith(("/v1/sessions/", "/v1/apps/"))]
            assert len(own) == len(set(own)) == 4, own
            # The session's stream is the first request, and the list waits for nothing.
            calls = [path for path in asked if path.startswith("/v1/")]
            assert calls[0] == "/v1/sessions/kiosk-000/events", calls
            assert calls.index("/v1/sessions") < calls.index("/v1/sessions/kiosk-000/allowed"), calls
            # A panel, a page or a dialog that was not opened has not been made.
            for place in ("panel-links", "panel-command", "panel-json", "wall", "apps"):
                assert page.locator(f"#{place} *").count() == 0, place
            page.context.close()
        finally:
            server.close()

    def printed(self):
        """When the list was there: a figure to look at, which depends on the machine."""
        server = self.server()
        try:
            server.fill(3)
            page = self.browser.page(1440, 900)
            page.add_init_script("""new MutationObserver(() => {
                if (!window.listed && document.querySelector('.session-row:not(.skeleton)')) window.listed = performance.now();
            }).observe(document, { childList: true, subtree: true });""")
            page.goto(server.url)
            page.wait_for_function("() => Boolean(window.listed)")
            print(f"      the list was there after {page.evaluate('Math.round(window.listed)')} ms")
            page.context.close()
        finally:
            server.close()

    def all(self):
        self.numbers()
        self.pages()
        self.ledger.run("every answer is 1.5 s late", self.latency)
        self.killed()
        self.ledger.run("the server is killed while no session is open", self.away_without_a_session)
        self.ledger.run("a page loads what its head names", self.few_requests)
        self.ledger.run("a session is requested at once and drawn once", self.session_start)
        self.ledger.run("the list comes", self.printed)
        self.ledger.run("no error on any page, and no other host", self.browser.check)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.screenshots or pathlib.Path(tempfile.mkdtemp(prefix="navstate-pictures-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(f"pictures in {folder}")
    ledger = Ledger()
    with sync_playwright() as playwright:
        browser = Browser(playwright)
        try:
            LayoutTest(options.server, browser, ledger, folder).all()
        finally:
            browser.chromium.close()
    return ledger.end()


if __name__ == "__main__":
    sys.exit(main())
