#!/usr/bin/env python3
"""Many sessions in the console: the table, filters in the address, actions for a selection, the wall's
pages, every action by name and by key, and what a large screen shows.

    python3 Tests/browser/many_test.py --server .build/release/navstate

It starts a server of its own with 500 sessions. What it needs otherwise, and how it ends, is as in
console_test.py. It also prints how long the page of a session with ten revisions takes.
"""
import argparse
import sys
import urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from console_test import Browser, ROOT
from server import Server
from support import CONTRAST, Ledger, box_of, nameless

LONG = "lobby-of-building-with-a-rather-long-name-"
#: As long as an id, a label's name and its value may be.
LONGEST = ("x" * 120) + "-the-end"
#: The smallest text, without the small phones of the wall and letters in icons.
SMALLEST = """() => Math.min(...[...document.querySelectorAll('body *')]
    .filter((element) => element.checkVisibility() && !element.closest('.wall-screen, svg, .visually-hidden')
        && [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()))
    .map((element) => parseFloat(getComputedStyle(element).fontSize)))"""
#: Targets below 24 by 24 pixels (WCAG 2.2, 2.5.8), without links in a line of text.
SMALL_TARGETS = """() => [...document.querySelectorAll('button, select, summary, input')]
    .filter((element) => element.checkVisibility() && !element.closest('.wall-screen, .visually-hidden, [inert]'))
    .filter((element) => !['checkbox', 'radio', 'range'].includes(element.type))
    .map((element) => [element.getAttribute('aria-label') ?? element.textContent, element.getBoundingClientRect()])
    .filter(([, box]) => box.height > 0 && (box.height < 23.5 || box.width < 23.5))
    .map(([name, box]) => `${name} ${box.width} x ${box.height}`)"""


class ManyTest:
    def __init__(self, server, browser, ledger):
        self.server, self.service = server, server.service
        self.browser, self.ledger = browser, ledger
        self.page = browser.page(1440, 900)
        self.axe = Axe()
        self.ids = []

    def fill(self):
        """300 with names that differ at their end, 199 others, and the longest that there may be."""
        for number in range(499):
            name = f"{LONG}{number:03}-north" if number < 300 else f"kiosk-{number}"
            self.make(name, {"room": "hall" if number % 4 else "lobby", "floor": str(number % 3)}, "social" if number % 2 else None)
        self.make(LONGEST, {"n" * 64: "v" * 64, "room": "lobby"}, "social")
        for number in range(9):
            self.service.command("kiosk-301", "navigate", {"route": "postDetail", "params": {"id": number}})

    def make(self, name, labels, app):
        body = {"id": name, "labels": labels, **({"app": app} if app else {"tabs": ["main"]})}
        status, answer = self.service.call("POST", "/v1/sessions", body)
        assert status == 201, answer
        self.ids.append(name)

    # Words for what the tests do

    def open(self, fragment="", page=None):
        page = page or self.page
        page.goto("about:blank")
        page.goto(f"{self.server.url}/{fragment}")

    def rows(self, page=None):
        return (page or self.page).locator(".session-table tbody .session-row")

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def heading(self, name):
        return self.page.get_by_role("columnheader", name=name)

    def good(self, page):
        """Nothing lies outside of the window, everything has a name, and can be read and hit."""
        outside = page.evaluate("[document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]")
        assert max(outside) <= 0, outside
        assert page.evaluate(SMALLEST) >= 12, page.evaluate(SMALLEST)
        assert page.evaluate(SMALL_TARGETS) == [], page.evaluate(SMALL_TARGETS)
        assert page.evaluate(CONTRAST) == [], page.evaluate(CONTRAST)
        assert nameless(page) == [], nameless(page)
        report = self.axe.run(page).response["violations"]
        assert report == [], [(item["id"], item["nodes"][0]["target"]) for item in report]

    # The checks

    def table(self):
        """While no session is open, they are a table with columns that sort."""
        self.open()
        expect(self.rows()).to_have_count(50)
        expect(self.page.get_by_role("columnheader")).to_have_count(8)
        self.heading("Id").get_by_role("button").click()
        expect(self.rows().first.locator(".session-id")).to_have_text("kiosk-300")
        expect(self.heading("Id")).to_have_attribute("aria-sort", "ascending")
        self.heading("Id").get_by_role("button").click()
        expect(self.rows().first.locator(".session-id")).to_have_text(LONGEST)
        expect(self.heading("Id")).to_have_attribute("aria-sort", "descending")
        self.heading("Revision").get_by_role("button").click()
        expect(self.rows().first.locator(".session-id")).to_have_text("kiosk-301")
        expect(self.rows().first.locator(".revision-cell")).to_have_text("10")

    def shortened(self):
        """A long id gives way in its middle; its end is there, and the whole is the tooltip."""
        self.open("#q=lobby-of&sort=id")
        name = self.rows().nth(7).locator(".session-id")
        expect(name).to_have_text(f"{LONG}007-north")
        expect(name).to_have_attribute("title", f"{LONG}007-north")
        end = name.locator("span").last
        cell = box_of(self.rows().nth(7).locator(".id-cell"))
        box = box_of(end)
        assert box["x"] + box["width"] <= cell["x"] + cell["width"] + 1, (box, cell)
        assert end.evaluate("(at) => at.scrollWidth <= at.clientWidth + 1")
        assert "007-north" in end.inner_text()

    def chips(self):
        """A click on a label shows the sessions that have it; another one narrows it further."""
        self.open("#q=kiosk-3")
        expect(self.page.locator("#session-count")).to_have_text("100 of 500 sessions")
        self.rows().first.get_by_role("link", name="room: hall").or_(self.rows().nth(1).get_by_role("link", name="room: hall")).first.click()
        expect(self.page.locator("#session-count")).to_have_text("75 of 500 sessions")
        self.page.get_by_role("link", name="floor: 1").first.click()
        expect(self.page.locator("#session-count")).to_have_text("25 of 500 sessions")
        assert "label=room%3Ahall&label=floor%3A1" in self.page.url, self.page.url
        # The filters are in the address: a reload, the wall and an open session keep them.
        self.page.reload()
        expect(self.page.locator("#session-count")).to_have_text("25 of 500 sessions")
        self.page.get_by_role("link", name="Wall", exact=True).click()
        expect(self.page.locator(".wall-phone")).to_have_count(24)
        self.page.get_by_role("link", name="Sessions", exact=True).click()
        self.rows().first.click()
        expect(self.page.locator(".stage-name h2")).to_be_visible()
        expect(self.page.locator("#session-count")).to_have_text("25 of 500 sessions")
        self.button("Without the filter floor:1").click()
        expect(self.page.locator("#session-count")).to_have_text("75 of 500 sessions")
        self.page.go_back()
        expect(self.page.locator(".session-table")).to_be_visible()

    def selection(self):
        """One action for many: a command, a label, deletion."""
        self.open("#q=kiosk-45&sort=id")
        expect(self.rows()).to_have_count(10)
        expect(self.button("Back")).to_be_disabled()
        for number in (1, 3): self.page.get_by_label(f"Select kiosk-45{number}", exact=True).check()
        expect(self.button("2 selected · all")).to_be_visible()
        expect(self.page.locator(".session-row.chosen")).to_have_count(2)
        self.page.locator("#sessions").get_by_label("Link for the selected sessions").fill("myapp://post/77")
        self.button("Open link").click()
        for number in (1, 3):
            expect(self.rows().nth(number)).to_contain_text("id 77")
            assert self.service.session(f"kiosk-45{number}")["visible"]["params"] == {"id": 77}
        assert self.service.session("kiosk-455")["visible"]["route"] != "postDetail"
        self.button("Label …").click()
        dialog = self.page.get_by_role("dialog", name="Label 2 sessions")
        dialog.get_by_label("Name").fill("shift")
        dialog.get_by_label("Value").fill("night")
        dialog.get_by_role("button", name="Save").click()
        expect(self.page.get_by_role("link", name="shift: night")).to_have_count(2)
        self.button("2 selected · all").click()
        expect(self.button("Select none")).to_be_visible()
        self.button("Delete …").click()
        dialog = self.page.get_by_role("dialog", name="Delete 10 sessions?")
        expect(dialog).to_contain_text("kiosk-450")
        dialog.get_by_role("button", name="Delete").click()
        expect(self.page.locator("#notices")).to_contain_text("10 sessions deleted.")
        assert self.service.call("GET", "/v1/sessions?q=kiosk-45")[1]["sessions"] == []
        expect(self.page.locator("#sessions .none")).to_have_text("No matching sessions.")

    def wall(self):
        """The wall has pages, and no name is wider than its phone."""
        self.open("#wall=lobby-of")
        names = self.page.locator(".wall-name a")
        expect(names).to_have_count(24)
        expect(names.first).to_have_text(f"{LONG}000-north")
        expect(self.page.locator("#wall .paging")).to_contain_text("1–24 of 300")
        boxes = self.page.evaluate("[...document.querySelectorAll('.wall-name')].map((at) => at.getBoundingClientRect()).map(({ left, right }) => [left, right])")
        assert all(left >= 0 and right <= 1440 for left, right in boxes), boxes
        assert all(one[1] <= other[0] + 1 for one, other in zip(boxes, boxes[1:]) if other[0] > one[0]), boxes
        self.page.locator("#wall").get_by_role("button", name="Next page").click()
        expect(names.first).to_have_text(f"{LONG}024-north")
        expect(self.page.locator(".wall-phone .large-title")).to_have_count(24)
        self.open("#wall=nothing-like-it")
        expect(self.page.locator("#wall .none")).to_contain_text("No matching sessions.")
        expect(self.page.locator(".many-bar:visible")).to_have_count(0)

    def palette(self):
        """Ctrl K lists the actions of what is open, with their keys, and carries them out."""
        page = self.page
        self.open("#session=kiosk-301")
        expect(page.locator("#status")).to_have_text("Live")
        expect(page.locator(".layer.on-top .large-title")).to_have_text("Post")
        expect(page.locator(".event")).to_have_count(10)
        page.keyboard.press("Control+k")
        options = page.locator("dialog [role=option]")
        for text in ("Undo", "Share", "Delete", "Record", "Go to the root", "Edit labels", "Search tab", "JSON",
                     "Push Profile (userProfile)", "Present Settings (settings)", "Compare …"):
            expect(options.filter(has=page.get_by_text(text, exact=True))).to_have_count(1)
        expect(options.filter(has_text="Undo").locator("kbd")).to_have_text(["Ctrl", "Z"])
        page.keyboard.type("undo")
        expect(options.first).to_contain_text("Undo")
        page.keyboard.press("Enter")
        expect(page.locator(".event").first).to_contain_text("undo")
        page.keyboard.press("Control+k")
        page.keyboard.type("profile tab")
        page.keyboard.press("Enter")
        expect(page.locator(".layer.on-top .large-title")).to_have_text("Profile")
        page.keyboard.press("Control+k")
        page.keyboard.type("kiosk-302")
        page.keyboard.press("Enter")
        expect(page.locator(".stage-name h2")).to_have_text("kiosk-302")
        expect(page.locator("#stage")).to_be_focused()

    def keys(self):
        """`?` shows the keys, `/` searches, `j` and `k` go through the list."""
        page = self.page
        self.open("#session=kiosk-310&q=kiosk-31&sort=id")
        expect(page.locator(".stage-name h2")).to_have_text("kiosk-310")
        page.keyboard.press("j")
        expect(page.locator(".stage-name h2")).to_have_text("kiosk-311")
        page.keyboard.press("k")
        expect(page.locator(".stage-name h2")).to_have_text("kiosk-310")
        page.keyboard.press("/")
        expect(page.locator("#session-search")).to_be_focused()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_have_count(0)
        page.locator("#stage").focus()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keyboard")).to_contain_text("Search sessions")
        page.keyboard.press("Escape")
        page.keyboard.press("n")
        expect(page.get_by_role("dialog", name="New session")).to_be_visible()
        page.keyboard.press("Escape")

    def large(self):
        """A large screen shows the timeline and the state beside a larger phone."""
        small, large = self.browser.page(1440, 900), self.browser.page(2560, 1440)
        heights = []
        for page in (small, large):
            self.open("#session=kiosk-301", page)
            expect(page.locator(".event-button")).not_to_have_count(0)
            expect(page.locator(".layer.on-top .row").first).to_be_enabled()
            heights.append(page.locator("#stage .phone").evaluate("(at) => at.offsetHeight * (at.currentCSSZoom ?? 1)"))
        assert heights[1] > 1.4 * heights[0], heights
        expect(large.locator("#panel-timeline")).to_be_visible()
        expect(large.locator("#panel-json .json")).to_be_visible()
        expect(small.locator("#panel-json")).to_be_hidden()
        large.get_by_role("tab", name="Links").click()
        expect(large.locator("#panel-links")).to_be_visible()
        expect(large.locator("#panel-timeline")).to_be_visible()
        large.set_viewport_size({"width": 1280, "height": 720})
        expect(large.get_by_role("tab", name="Timeline")).to_be_visible()
        for page in (small, large): page.context.close()

    def sizes(self):
        for width, height in ((390, 844), (768, 1024), (1280, 720), (1440, 900), (2560, 1440)):
            for scheme in ("light", "dark"):
                self.ledger.run(f"everything can be read at {width} x {height}, {scheme}", lambda: self.fits(width, height, scheme))

    def fits(self, width, height, scheme):
        page = self.browser.page(width, height, scheme)
        for fragment, ready in (("#sort=-id", ".session-row:not(.skeleton)"), ("#wall=", ".wall-phone .large-title"),
                                (f"#{urllib.parse.urlencode({'session': LONGEST})}", ".on-top .large-title"), ("#session=kiosk-301", ".on-top .large-title")):
            self.open(fragment, page)
            expect(page.locator(ready).first).to_be_visible()
            page.wait_for_timeout(400)
            self.good(page)
        page.context.close()

    def all(self):
        for name, check in {
            "the sessions are a table with columns that sort": self.table,
            "long ids are shortened in the middle": self.shortened,
            "labels filter, and the filters are in the address": self.chips,
            "one action for the selected sessions": self.selection,
            "the wall has pages": self.wall,
            "every action is found by its name": self.palette,
            "keys for the list and for help": self.keys,
            "a large screen is used": self.large,
        }.items():
            self.ledger.run(name, check)
            if self.page.locator("dialog[open]").count() > 0:
                self.page.keyboard.press("Escape")
        self.sizes()
        self.ledger.run("no error on any page", self.browser.check)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    options = parser.parse_args()
    ledger = Ledger()
    server = Server(options.server, ROOT / "Examples/apps")
    try:
        with sync_playwright() as playwright:
            browser = Browser(playwright)
            try:
                test = ManyTest(server, browser, ledger)
                test.fill()
                test.all()
            finally:
                browser.chromium.close()
    finally:
        server.close()
    return ledger.end()


if __name__ == "__main__":
    sys.exit(main())
