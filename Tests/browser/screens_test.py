#!/usr/bin/env python3
"""Dialogs, popovers, roots with params, locks and titles in a real browser: on the display, in the
console, and in the display of Examples/web-display.

    navstate --listen 127.0.0.1:0 --apps Examples/apps
    python3 Tests/browser/screens_test.py --url http://127.0.0.1:PORT

It needs what console_test.py needs. Ends with the number of checks, and with status 1 if one failed.
"""
import urllib.parse

from playwright.sync_api import expect

from frame import SessionTest, main
from support import CONTRAST, box_of, nameless

DELETE = {
    "style": "alert", "title": "Delete the chat?", "message": "Its 12 messages go, too.", "buttons": [
        {"id": "delete", "title": "Delete", "role": "destructive"},
        {"id": "keep", "title": "Keep", "role": "cancel"}],
}
APP = {
    "routes": {
        "finder": {"title": "Results for {q}", "params": {
            "properties": {"q": {"type": "string", "default": ""}}, "additionalProperties": False}},
        "product": {"title": "{name}", "backTitle": "Product", "params": {
            "properties": {"name": {"type": "string"}}, "required": ["name"]}},
        "reviews": {"title": "Reviews"},
        "deleteChat": {"presentation": "confirmationDialog", "title": "Delete {name}?", "params": {
            "properties": {"name": {"type": "string"}}},
            "buttons": [{"id": "delete", "title": "Delete", "role": "destructive"}]},
        "filter": {"presentation": "popover", "title": "Filter"},
    },
    "tabs": [
        {"id": "search", "title": "Search", "root": {"route": "finder", "params": {"q": "tea"}},
         "routes": ["product", "reviews"]},
        {"id": "more", "title": "More"}],
}


class ScreensTest(SessionTest):
    prefix = "screens"

    def __init__(self, service, browser, ledger):
        super().__init__(service, browser, ledger)
        self.display = browser.page(390, 760)
        self.app = f"screens-{self.run_id}"
        status, answer = service.call("PUT", f"/v1/apps/{self.app}", APP)
        assert status in (200, 201), answer
        self.session = self.create("main", app=self.app)
        self.free = self.create("free", tabs=["chats", "more"])

    # Words for what the tests do

    def show(self, session):
        self.display.goto(f"{self.service.url}/display#{urllib.parse.urlencode({'session': session})}")

    def shown(self, text, isAnswered=True):
        expect(self.display.locator(".on-top .large-title")).to_have_text(text)
        if isAnswered:
            self.display.wait_for_function("() => document.querySelector('navstate-display').live.pending.length === 0")

    def sheet(self, session, sheet):
        return self.service.call("GET", f"/v1/sessions/{session}/sheets/{sheet}")[1]

    def top(self, session):
        return self.service.session(session)["sheets"][-1]["id"]

    # The display

    def display_dialog(self):
        self.show(self.free)
        self.shown("Chats")
        self.service.command(self.free, "present", DELETE)
        dialog = self.display.get_by_role("alertdialog", name="Delete the chat?")
        expect(dialog).to_contain_text("Its 12 messages go, too.")
        expect(dialog.get_by_role("button")).to_have_text(["Delete", "Keep"])
        expect(self.display.locator(".tabs")).to_have_count(1)
        expect(self.display.locator(".on-top h1")).to_be_focused()
        for scheme in ("light", "dark"):
            self.display.emulate_media(color_scheme=scheme)
            assert self.display.evaluate(CONTRAST) == [], self.display.evaluate(CONTRAST)
        self.display.emulate_media(color_scheme="light")
        assert nameless(self.display) == [], nameless(self.display)
        sheet = self.top(self.free)
        self.click("Delete", self.display)
        self.shown("Chats")
        assert self.sheet(self.free, sheet)["button"] == "delete"

    def display_waits(self):
        """A press is shown at once, so there is no second one before it is answered."""
        self.display.wait_for_function("() => document.querySelector('navstate-display').live.predicts")
        self.service.command(self.free, "present", DELETE)
        sent, waiting = [], []
        self.display.route("**/dismiss", lambda route: (sent.append(route.request.post_data), waiting.append(route)))
        with self.display.expect_request("**/dismiss"):
            self.click("Keep", self.display)
        expect(self.display.get_by_role("alertdialog")).to_have_count(0)
        self.shown("Chats", isAnswered=False)
        sheet = self.top(self.free)
        assert self.sheet(self.free, sheet)["state"] == "presented"
        waiting[0].continue_()
        self.shown("Chats")
        assert (self.sheet(self.free, sheet)["button"], len(sent)) == ("keep", 1), sent
        self.display.unroute("**/dismiss")

    def display_late(self):
        """A press that comes too late answers no other dialog."""
        self.service.command(self.free, "present", DELETE)
        waiting = []
        self.display.route("**/dismiss", lambda route: waiting.append(route))
        with self.display.expect_request("**/dismiss"):
            self.click("Delete", self.display)
        self.service.command(self.free, "dismiss")
        self.service.command(self.free, "present", {**DELETE, "title": "Delete everything?"})
        other = self.top(self.free)
        waiting[0].continue_()
        expect(self.display.get_by_role("alertdialog", name="Delete everything?")).to_be_visible()
        expect(self.display.locator("#hint")).not_to_be_empty()
        assert self.sheet(self.free, other)["state"] == "presented"
        self.display.unroute("**/dismiss")
        self.service.command(self.free, "dismiss")

    def display_locked(self):
        self.service.command(self.free, "navigate", {"route": "exam", "locked": True})
        self.shown("Exam")
        expect(self.display.get_by_role("button", name="Back to Chats")).to_have_count(0)
        self.service.command(self.free, "setParams", {"locked": False})
        self.click("Back to Chats", self.display)
        self.shown("Chats")
        self.service.command(self.free, "present", {"route": "login", "dismissible": False})
        self.shown("Login")
        expect(self.display.get_by_role("button", name="Close")).to_have_count(0)
        self.service.command(self.free, "dismiss", {"force": True})

    def display_titles(self):
        self.show(self.session)
        self.shown("Results for tea")
        # The title says it already.
        expect(self.display.locator(".on-top .facts")).to_have_count(0)
        self.service.command(self.session, "select", {"tab": "search", "params": {"q": "rice"}})
        self.shown("Results for rice")
        self.service.command(self.session, "navigate", {"route": "product", "params": {"name": "Green"}})
        self.shown("Green")
        expect(self.display.get_by_role("button", name="Back to Results for rice")).to_be_visible()
        self.service.command(self.session, "navigate", {"route": "product", "params": {"name": "Black"}})
        self.click("Back to Product", self.display)
        self.shown("Green")

    def display_popover(self):
        self.service.command(self.session, "present", {"route": "filter", "anchor": "filter-button"})
        popover = self.display.locator(".layer.popover")
        expect(popover).to_have_attribute("data-anchor", "filter-button")
        box = box_of(popover)
        assert box["width"] < 390 and box["y"] + box["height"] <= 760, box
        expect(self.display.locator(".tabs")).to_be_visible()
        assert self.display.evaluate(CONTRAST) == [], self.display.evaluate(CONTRAST)
        self.click("Close", self.display)
        expect(popover).to_have_count(0)

    def display_confirmation(self):
        self.service.command(self.session, "present", {"route": "deleteChat", "params": {"name": "Green"}})
        dialog = self.display.get_by_role("alertdialog", name="Delete Green?")
        expect(dialog).to_be_visible()
        box = box_of(dialog.locator(".box"))
        assert box["y"] > 380, "a confirmation is at the bottom"
        self.click("Delete", self.display)
        expect(dialog).to_have_count(0)

    # The console

    def console_dialog(self):
        self.open(self.free)
        self.title("Chats")
        self.click("Present a route …")
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("Style").select_option("alert")
        dialog.get_by_label("Title").fill("Delete the chat?")
        dialog.get_by_label("Message").fill("All of it.")
        dialog.get_by_label("Buttons").fill("delete: Delete (destructive)\nKeep it (cancel)")
        dialog.get_by_role("button", name="Present", exact=True).click()
        self.title("Delete the chat?")
        sheet = self.service.session(self.free)["sheets"][0]
        assert sheet["message"] == "All of it." and sheet["route"] == "alert", sheet
        assert sheet["buttons"] == [{"id": "delete", "title": "Delete", "role": "destructive"},
                                    {"id": "keep-it", "title": "Keep it", "role": "cancel"}], sheet
        assert self.page.evaluate(CONTRAST) == [], self.page.evaluate(CONTRAST)
        self.click(f"Wait for the answer to {sheet['id']}")
        self.click("Keep it")
        self.title("Chats")
        expect(self.page.locator("#notices")).to_contain_text(f"{sheet['id']}: keep-it (dismiss).")
        expect(self.page.locator(".event").first).to_contain_text("keep-it")

    def console_locks(self):
        self.service.command(self.free, "navigate", {"route": "exam"})
        self.title("Exam")
        self.click("Lock Exam")
        expect(self.page.get_by_role("button", name="Unlock Exam")).to_be_visible()
        entry = self.service.session(self.free)["tabs"][0]["path"][0]
        assert entry["locked"] is True, entry
        # A command that would remove it is refused, and offered again with force.
        self.click("Go to the root")
        expect(self.page.locator("#alerts")).to_contain_text("locked")
        self.title("Exam")
        self.click("Force")
        self.title("Chats")
        assert self.service.session(self.free)["tabs"][0]["path"] == []

    def console_root(self):
        self.open(self.session)
        self.service.command(self.session, "root", {"scope": "all"})
        self.title("Results for tea")
        expect(self.page.locator(".layer.on-top .params")).to_contain_text("tea")
        self.click("Edit params")
        self.page.get_by_role("textbox", name="q").fill("rice")
        self.click("Save")
        self.title("Results for rice")
        assert self.service.session(self.session)["tabs"][0]["root"]["params"] == {"q": "rice"}
        self.service.command(self.session, "navigate", {"route": "product", "params": {"name": "Green"}})
        self.title("Green")
        expect(self.page.locator(".pile-tab .card-params").last).to_have_text("q rice")
        self.click("Back to Results for rice")
        self.title("Results for rice")

    def console_limited(self):
        """Commands that the token may not send cannot be clicked."""
        def answer(route):
            response = route.fetch()
            route.fulfill(response=response, json={**response.json(), "commands": ["navigate"]})
        self.page.route("**/allowed", answer)
        self.open(self.free)
        self.service.command(self.free, "navigate", {"route": "exam"})
        self.title("Exam")
        expect(self.page.locator(".bar-button")).to_be_disabled()
        expect(self.page.get_by_role("button", name="More tab")).to_be_disabled()
        expect(self.page.get_by_role("button", name="Lock Exam")).to_have_count(0)
        self.page.unroute("**/allowed")
        self.service.command(self.free, "root")

    def signals(self):
        """The console shows a signal, and the display goes to the top of a tab that is tapped again."""
        if self.service.call("POST", f"/v1/sessions/{self.free}/signal", {"name": "hello"})[0] == 404:
            return
        self.open(self.free)
        self.service.call("POST", f"/v1/sessions/{self.free}/signal", {"name": "refresh", "data": [1]})
        expect(self.page.locator("#notices")).to_contain_text("Signal refresh [1]")
        # A display that is there already would be told that its tab is tapped again, too.
        self.display.goto("about:blank")
        self.service.command(self.free, "select", {"tab": "chats", "params": {f"p{n}": n for n in range(40)}})
        self.show(self.free)
        content = self.display.locator(".on-top .content")
        expect(content).to_contain_text("P39")
        # An element that was just replaced cannot be scrolled.
        for _ in range(200):
            content.evaluate("(at) => at.scrollTo(0, 500)")
            if content.evaluate("(at) => at.scrollTop") > 0: break
            self.display.wait_for_timeout(25)
        # The screen is drawn again, and stays where it is.
        self.service.command(self.free, "setBadge", {"tab": "chats", "badge": 3})
        expect(self.display.locator(".badge")).to_have_text("3")
        assert content.evaluate("(at) => at.scrollTop") > 0
        self.service.command(self.free, "setBadge", {"tab": "chats", "badge": 0})
        expect(self.display.locator(".badge")).to_have_count(0)
        self.click("Chats", self.display)
        for _ in range(200):
            if self.display.locator(".on-top .content").evaluate("(at) => at.scrollTop") == 0: return
            self.display.wait_for_timeout(25)
        raise AssertionError("the display stays where it was")

    # The display of the example

    def example(self):
        base = self.serve_example()
        session = self.create("social", app="social")
        page = self.browser.page(390, 760)
        page.goto(f"{base}/?session={session}")
        expect(page.locator("h1")).to_have_text("Home")
        self.service.command(session, "present", {**DELETE, "tag": "ask"})
        dialog = page.get_by_role("alertdialog", name="Delete the chat?")
        dialog.get_by_role("button", name="Keep").click()
        expect(dialog).to_have_count(0)
        # A tap gets the id that the server gives it, so that what comes next names it.
        page.get_by_role("button", name="New post").click()
        # The sheet that the page shows at once leaves when that of the server comes.
        expect(page.get_by_role("dialog", name="New Post")).to_have_count(1)
        # The page shows the sheet before the server has it.
        while not self.service.session(session)["sheets"]: page.wait_for_timeout(25)
        self.service.command(session, "setParams", {"locked": True})
        expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
        page.context.close()

    def checks(self):
        return {
            "the display asks, and a press answers": self.display_dialog,
            "a press waits for its answer": self.display_waits,
            "a late press answers no other dialog": self.display_late,
            "a locked screen has no button back": self.display_locked,
            "titles come from the session": self.display_titles,
            "a popover leaves the tab bar": self.display_popover,
            "a confirmation of the app is filled in": self.display_confirmation,
            "the console presents a dialog and presses a button": self.console_dialog,
            "the console locks, and offers force": self.console_locks,
            "the params of a root are shown and edited": self.console_root,
            "what a limited token may not send is disabled": self.console_limited,
            "signals are shown": self.signals,
            "the example draws dialogs and locks": self.example,
        }


if __name__ == "__main__":
    main(ScreensTest, __doc__)
