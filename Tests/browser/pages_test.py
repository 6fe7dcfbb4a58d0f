#!/usr/bin/env python3
"""The pages about problems and the beginning of the API page, in a real browser.

    navstate --listen 127.0.0.1:0 --apps Examples/apps
    python3 Tests/browser/pages_test.py --url http://127.0.0.1:PORT [--screenshots DIR]

What it needs otherwise, and how it ends, is as in console_test.py.
"""
import argparse
import pathlib
import sys

from playwright.sync_api import expect, sync_playwright

from console_test import Browser
from support import CONTRAST, Ledger, nameless

SIZES = {"phone": (390, 844), "laptop": (1280, 720), "wall": (1440, 900)}


class PagesTest:
    def __init__(self, url, browser, ledger, screenshots):
        self.url, self.browser, self.ledger = url.rstrip("/"), browser, ledger
        self.screenshots = screenshots
        self.page = browser.page(*SIZES["laptop"])

    def picture(self, name, page):
        if self.screenshots: page.screenshot(path=str(self.screenshots / f"{name}.png"))

    def sound(self, page):
        """Nothing is wider than the window, without a name, or too faint to read."""
        width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert width <= 0, f"{width} px too wide"
        assert page.evaluate(CONTRAST) == [], page.evaluate(CONTRAST)
        assert nameless(page) == [], nameless(page)

    def list(self):
        self.page.goto(f"{self.url}/problems")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Problems")
        rows = self.page.locator(".problem-row")
        total = rows.count()
        assert total > 50, total
        search = self.page.get_by_role("searchbox", name="Search problems")
        search.fill("422 route")
        visible = self.page.locator(".problem-row:visible")
        expect(visible.filter(has_text="unknown-route")).to_have_count(1)
        assert visible.count() < total
        expect(self.page.locator(".problem-list h2:visible")).to_have_count(1)
        visible.filter(has_text="unknown-route").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Unknown route")

    def one(self):
        """Its line names this server, works, and can be copied."""
        page = self.page
        page.goto(f"{self.url}/problems/at-root")
        line = page.get_by_role("region", name="Request")
        expect(line).to_contain_text(f"{self.url}/v1/sessions/kiosk-1/back")
        expect(page.get_by_role("region", name="Response")).to_contain_text('"type": "/problems/at-root"')
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.get_by_role("button", name="Copy curl line").click()
        assert page.evaluate("navigator.clipboard.readText()") == line.text_content()
        page.get_by_role("link", name="All problems").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Problems")

    def everywhere(self):
        for name, size in SIZES.items():
            for scheme in ("light", "dark"):
                page = self.browser.page(*size, scheme)
                for path in ("problems", "problems/limit-exceeded", "problems/revision-mismatch", "docs"):
                    page.goto(f"{self.url}/{path}")
                    expect(page.locator("h1, h2").first).to_be_visible()
                    if path == "docs": expect(page.get_by_role("heading", name="Start")).to_be_visible()
                    self.picture(f"{path.replace('/', '-')}-{name}-{scheme}", page)
                    self.sound(page)
                page.context.close()

    def without_script(self):
        """A problem can be read without a script as well."""
        context = self.browser.chromium.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(f"{self.url}/problems/sheet-locked")
        expect(page.get_by_role("heading", level=1)).to_have_text("Sheet is not dismissible")
        expect(page.get_by_role("region", name="Request")).to_contain_text("curl")
        context.close()

    def docs(self):
        """The API page begins with what to type, for this server, and finds operations."""
        page = self.page
        page.goto(f"{self.url}/docs")
        expect(page.get_by_role("heading", name="Start")).to_be_visible()
        lines = page.locator(".commands .curl-text")
        expect(lines).to_have_count(3)
        for line in lines.all_inner_texts(): assert f"{self.url}/v1/sessions" in line, line
        assert ":8080" not in page.locator(".intro").inner_text()
        expect(page.locator(".rules > .text-list")).to_be_hidden()
        page.locator(".rules > summary").click()
        expect(page.locator(".rules > .text-list")).to_be_visible()
        page.locator("h1").click()
        page.keyboard.press("/")
        search = page.get_by_role("searchbox", name="Search operations")
        expect(search).to_be_focused()
        search.fill("undo")
        expect(page.locator(".search-count")).to_contain_text("found")
        expect(page.locator(".contents li:visible").first).to_be_visible()
        search.fill("post /v1/sessions/{id}/undo")
        expect(page.locator(".contents li:visible")).to_have_count(1)
        search.press("Enter")
        expect(page.locator("details.operation[open] .path")).to_have_text("/v1/sessions/{id}/undo")
        search.fill("no-such-operation")
        expect(page.locator(".search-count")).to_have_text("0 found")
        search.fill("")
        expect(page.locator(".search-count")).to_be_hidden()

    def format(self):
        """The API page shows every member of a route, a guard, a fact and a template, and finds them."""
        page = self.page
        page.goto(f"{self.url}/docs#putApp")
        body = page.locator("#putApp .part", has=page.get_by_role("heading", name="Body", exact=True))
        schemas = page.request.get(f"{self.url}/openapi.json").json()["components"]["schemas"]
        for name, schema in (("routes", "AppRoute"), ("guards", "AppGuard"), ("facts", "AppFact"), ("templates", "AppTemplate"), ("tabs", "AppTab"), ("links", "AppLink")):
            row = body.locator(f".members > dt:has(> code:text-is('{name}')) + dd").first
            row.locator("summary").first.click()
            expect(row.locator("dt code").first).to_be_visible()
            shown = row.locator(":scope > details > .members > dt code").all_inner_texts()
            assert shown[:len(schemas[schema]["properties"])] == list(schemas[schema]["properties"]), (name, shown)
        expect(body.locator(".text-table").first).to_contain_text("one segment that is not empty")
        expect(page.locator("#putApp .operation-side .json .json-key").first).to_be_visible()
        search = page.get_by_role("searchbox", name="Search operations")
        for word in ("guard", "hidesTabBar", "presentation"):
            search.fill(word)
            expect(page.locator(".contents li:visible a[href='#putApp']")).to_have_count(1)

    def lost(self):
        """An address that leads nowhere has a way on; a slash at the end does not matter."""
        page = self.page
        for path in ("nope", "docs/x", "problems/nope"):
            assert page.goto(f"{self.url}/{path}").status == 404
            expect(page.get_by_role("heading", level=1)).to_have_text("Page not found")
            self.sound(page)
        self.browser.faults = [fault for fault in self.browser.faults if "404" not in fault]
        page.get_by_role("link", name="API documentation").click()
        expect(page.get_by_role("heading", name="Start")).to_be_visible()
        for path in ("docs/", "problems/", "display/"): assert page.goto(f"{self.url}/{path}").status == 200, path

    def quiet(self):
        assert self.browser.faults == [], self.browser.faults
        assert self.browser.foreign == [], self.browser.foreign

    def run(self):
        for check in (self.list, self.one, self.everywhere, self.without_script, self.docs, self.format, self.lost, self.quiet):
            self.ledger.run(check.__name__.replace("_", " "), check)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots: options.screenshots.mkdir(parents=True, exist_ok=True)
    ledger = Ledger()
    with sync_playwright() as playwright:
        PagesTest(options.url, Browser(playwright), ledger, options.screenshots).run()
    sys.exit(ledger.end())


if __name__ == "__main__":
    main()
