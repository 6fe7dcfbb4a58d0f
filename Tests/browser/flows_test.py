#!/usr/bin/env python3
"""Facts, guards, questions, marks, templates, copies and displays in a real browser.

    navstate --listen 127.0.0.1:0 --apps Examples/apps
    python3 Tests/browser/flows_test.py --url http://127.0.0.1:PORT

It needs what console_test.py needs. Ends with the number of checks, and with status 1 if one failed.
"""
from playwright.sync_api import expect

from frame import SessionTest, main


class FlowsTest(SessionTest):
    prefix = "flows"

    # The checks

    def login(self):
        session = self.create("login", app="shop")
        self.open(session)
        expect(self.page.locator("[data-key='push-orders'] .guard")).to_have_text("member (fails)")
        self.click("Push Orders (orders)")
        self.title("Sign in")
        banner = self.page.locator(".pending-banner")
        expect(banner).to_contain_text("navigate orders")
        expect(banner).to_contain_text("signedIn is true")
        self.page.get_by_role("switch", name="signedIn").check()
        self.title("Orders")
        expect(banner).to_have_count(0)
        # The first button of the time line is the newest change.
        expect(self.page.locator(".event").first).to_contain_text("resumed navigate orders")
        self.page.get_by_label("role", exact=True).select_option("clerk")
        expect(self.page.locator("[data-key='push-stock'] .guard")).to_have_text("staff (holds)")
        self.page.get_by_role("switch", name="signedIn").uncheck()
        self.title("Shop")

    def question(self):
        session = self.create("question", app="chat")
        self.open(session)
        self.service.command(session, "present", {"route": "confirm", "params": {"question": "Sure?"}})
        self.click("Wait for the answer to e1")
        expect(self.page.get_by_role("button", name="Wait for the answer to e1")).to_be_disabled()
        self.service.command(session, "dismiss", {"result": True})
        expect(self.page.locator("#notices")).to_contain_text("e1: true (dismiss).")

    def mark(self):
        session = self.create("mark", app="shop")
        self.open(session)
        self.service.command(session, "navigate", {"route": "delivery", "mark": "checkout"})
        expect(self.page.locator(".card-button .chip.mark")).to_have_text("checkout")

    def template(self):
        self.page.goto(f"{self.service.url}/")
        self.page.locator("#new-session").click()
        self.page.get_by_label("App", exact=True).select_option("shop")
        self.page.get_by_label("Begin with", exact=True).select_option("tea")
        session = f"flows-{self.run_id}-template"
        self.page.get_by_label("Id", exact=True).fill(session)
        self.click("Create")
        self.title("Delivery")

    def copy(self):
        # It continues with the session of the check before.
        self.click("Copy")
        copy = f"flows-{self.run_id}-copy"
        self.page.get_by_role("dialog").get_by_role("textbox", name="Id").fill(copy)
        self.page.get_by_role("dialog").get_by_role("button", name="Copy", exact=True).click()
        expect(self.page.locator(".stage-name h2")).to_have_text(copy)
        self.title("Delivery")
        assert [entry["route"] for entry in self.service.session(copy)["tabs"][0]["path"]] == [
            "category", "product", "delivery"]

    def hidden_tab(self):
        session = self.create("tabs", app="routers")
        self.open(session)
        self.service.command(session, "setTabs", {"order": ["d", "a", "b", "c"], "hidden": ["b"]})
        expect(self.page.locator(".tab-bar .tab")).to_have_count(3)
        expect(self.page.locator(".other .chip.mark")).to_have_text("hidden")

    def moved_link(self):
        session = self.create("links", app="hierarchy")
        self.open(session)
        self.page.get_by_role("tab", name="Links").click()
        link = self.page.get_by_label("Deep link")
        effect = self.page.locator("#panel-links .effect")
        link.fill("hierarchy://kid/2")
        expect(effect).to_contain_text("redirected to hierarchy://child/2")
        expect(effect).to_contain_text("matches hierarchy://child/2")
        self.page.locator("#panel-links").get_by_role("button", name="Open", exact=True).click()
        self.title("Child 2")
        expect(effect).to_contain_text("already there")
        link.fill("hierarchy://nowhere/at all")
        expect(effect).to_contain_text("matches no link, so it leads to the app’s notFound")
        expect(effect).not_to_contain_text("redirected to")
        self.page.locator("#panel-links").get_by_role("button", name="Open", exact=True).click()
        self.title("Not found")
        expect(self.page.locator(".layer.on-top")).to_contain_text("hierarchy://nowhere/at all")
        self.page.get_by_role("tab", name="Timeline").click()
        expect(self.page.locator(".event").first).to_contain_text("open hierarchy://nowhere/at all")

    def display(self):
        base = self.serve_example()
        session = self.create("wall", app="social")
        display = self.browser.page(390, 760)
        display.goto(f"{base}/?session={session}&as=lobby-left")
        expect(display.locator("h1")).to_have_text("Home")
        self.open(session)
        shown = self.page.get_by_role("list", name="Displays")
        expect(shown).to_have_text("lobby-left shows 1")
        answer = self.service.command(session, "batch", {"commands": [
            {"command": "navigate", "route": "postDetail", "params": {"id": 2}},
            {"command": "present", "route": "newPost"}]})
        expect(display.get_by_role("dialog", name="New Post")).to_be_visible()
        revision = answer["session"]["revision"]
        expect(shown).to_have_text(f"lobby-left shows {revision}")
        display.context.close()
        # serve.py notices that the page is gone at the server's next sign of life, within 15 s.
        expect(shown).to_have_count(0, timeout=40_000)

    def checks(self):
        return {
            "a guarded route waits behind the login until the fact is set": self.login,
            "an answer is waited for": self.question,
            "a mark is shown": self.mark,
            "a session begins with a template": self.template,
            "a session is copied": self.copy,
            "a hidden tab is not in the bar": self.hidden_tab,
            "a link that moved and one to nowhere say so": self.moved_link,
            "a display follows, and the console shows how far it is": self.display,
        }


if __name__ == "__main__":
    main(FlowsTest, __doc__)
