#!/usr/bin/env python3
"""The console where the server asks for tokens, in a real browser, against a running server.

    navstate --listen 127.0.0.1:0 --apps Examples/apps --token-file FILE
    python3 Tests/browser/token_test.py --url http://127.0.0.1:PORT --token ADMIN-TOKEN

What it needs otherwise, and how it ends, is as in console_test.py.
"""
import argparse
import datetime
import sys
import urllib.parse
import uuid

from playwright.sync_api import expect, sync_playwright

from console_test import Browser
from support import Ledger, nameless


class TokenTest:
    def __init__(self, url, token, browser, ledger):
        self.url = url.rstrip("/")
        self.token = token
        self.browser = browser
        self.ledger = ledger
        self.id = f"token-{uuid.uuid4().hex[:8]}"
        self.page = browser.page()
        self.urls = []
        self.page.on("request", lambda request: self.urls.append(request.url))

    def title(self, page, text):
        expect(page.locator(".layer.on-top .large-title")).to_have_text(text)

    def asks(self):
        """Without a token the console asks for it in words of people, and with a wrong one it says so."""
        self.page.goto(self.url)
        dialog = self.page.get_by_role("dialog", name="Sign in")
        expect(dialog).to_contain_text("This server needs an access token.")
        assert "Authorization" not in self.page.locator("body").inner_text()
        # Nothing has gone wrong yet.
        expect(self.page.locator(".form-error:visible, #alerts .notice")).to_have_count(0)
        self.page.keyboard.press("Escape")
        expect(self.page.locator("#sessions .none")).to_contain_text("Sign in to see the sessions.")
        self.page.locator("#sessions").get_by_role("button", name="Sign in").click()
        dialog.get_by_label("Access token", exact=True).fill("wrong")
        dialog.get_by_role("button", name="Show the token").click()
        expect(dialog.get_by_label("Access token", exact=True)).to_have_attribute("type", "text")
        dialog.get_by_role("button", name="Sign in").click()
        expect(dialog.get_by_role("button", name="Sign out")).to_be_visible()
        expect(dialog.locator(".form-error")).to_contain_text("does not accept")
        assert nameless(self.page) == [], nameless(self.page)
        dialog.get_by_label("Access token", exact=True).fill(self.token)
        dialog.get_by_role("button", name="Sign in").click()
        expect(self.page.locator("#token-button")).to_have_text("Signed in")
        expect(self.page.get_by_label("Filter by app").locator("option[value=social]")).to_have_count(1)

    def remembered(self):
        """On request the token is kept for other tabs and later, until one signs out."""
        page = self.browser.page(1280, 720)
        for tab in (page, page.context.new_page()):
            tab.goto(self.url)
            tab.get_by_label("Access token", exact=True).fill(self.token)
            if tab != page: tab.get_by_label("Remember on this computer").check()
            tab.get_by_role("button", name="Sign in").last.click()
            expect(tab.locator("#token-button")).to_have_text("Signed in")
        third = page.context.new_page()
        third.goto(self.url)
        expect(third.locator("#token-button")).to_have_text("Signed in")
        third.locator("#token-button").click()
        third.get_by_role("dialog").get_by_role("button", name="Sign out").click()
        expect(third.get_by_role("dialog", name="Sign in")).to_be_visible()
        page.context.close()

    def view_only(self):
        """A token that may only read makes a console that offers nothing else, whatever the link says."""
        headers = {"Authorization": f"Bearer {self.token}"}
        made = self.page.request.post(f"{self.url}/v1/sessions/{self.id}/tokens", headers=headers, data={"scope": "read"}).json()
        page = self.browser.page(1440, 900)
        page.goto(f"{self.url}/#session={self.id}&token={made['token']}")
        expect(page.locator("#view-only")).to_have_text("View only")
        self.title(page, "Search")
        expect(page.get_by_role("tab", name="Command")).to_be_hidden()
        for name in ("Undo", "Record", "Share", "Copy", "Delete", "Add labels"):
            expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        expect(page.locator("#stage .row")).to_have_count(0)
        assert page.locator(".phone button:enabled").count() == 0
        page.keyboard.press("Backspace")
        page.keyboard.press("Control+z")
        self.page.request.post(f"{self.url}/v1/sessions/{self.id}/select", headers=headers, data={"tab": "home"})
        self.title(page, "Home")
        expect(page.locator("#alerts")).to_be_empty()
        self.page.request.post(f"{self.url}/v1/sessions/{self.id}/select", headers=headers, data={"tab": "search"})
        self.title(page, "Search")
        page.context.close()
        self.page.request.delete(f"{self.url}/v1/sessions/{self.id}/tokens/{made['id']}", headers=headers)

    def create(self):
        self.page.locator("#new-session").click()
        self.page.get_by_label("App", exact=True).select_option("social")
        self.page.get_by_label("Id", exact=True).fill(self.id)
        self.page.get_by_role("dialog").get_by_role("button", name="Create").click()
        self.title(self.page, "Home")
        self.page.get_by_role("button", name="Search tab").click()
        self.title(self.page, "Search")
        expect(self.page.locator(".curl-text").first).to_contain_text("Bearer $NAVSTATE_TOKEN")

    def tokens(self):
        """The server's list of this session's tokens."""
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = self.page.request.get(f"{self.url}/v1/sessions/{self.id}/tokens", headers=headers)
        return answer.json()["tokens"]

    def share(self, scope, lifetime="1 hour"):
        self.page.get_by_role("button", name="Share").click()
        dialog = self.page.get_by_role("dialog")
        if scope == "control":
            dialog.get_by_label("Control").check()
        dialog.get_by_label("Valid for").select_option(lifetime)
        dialog.get_by_role("button", name="Make link").click()
        word = {"read": "view", "control": "control"}[scope]
        expect(dialog.get_by_role("img", name=f"QR code of the {word} link")).to_be_visible()
        link = dialog.locator(".curl-text").inner_text()
        assert "token=" in link and self.token not in link
        self.page.keyboard.press("Escape")
        return link

    def looking(self):
        """The dialog makes a token when it is told to, and not by being looked at."""
        self.page.get_by_role("button", name="Share").click()
        dialog = self.page.get_by_role("dialog")
        for choice in ("Control", "View"):
            dialog.get_by_label(choice).check()
        expect(dialog.get_by_role("button", name="Make link")).to_be_visible()
        expect(dialog.locator(".curl-text")).to_have_count(0)
        assert nameless(self.page) == [], nameless(self.page)
        self.page.keyboard.press("Escape")
        assert self.tokens() == []

    def lifetimes(self):
        """A link lets in for as long as was chosen; each is listed, and revoked by a button."""
        for lifetime in ("1 hour", "1 day", "No expiration"):
            self.share("read", lifetime)
        ends = [token.get("expiresAt") for token in self.tokens()]
        now = datetime.datetime.now(datetime.timezone.utc)
        hours = [end and round((datetime.datetime.fromisoformat(end) - now).total_seconds() / 3600) for end in ends]
        assert hours == [1, 24, None], hours
        self.page.get_by_role("button", name="Share").click()
        dialog = self.page.get_by_role("dialog")
        revoke = dialog.get_by_role("button", name="Revoke")
        expect(revoke).to_have_count(3)
        expect(dialog.get_by_role("listitem").filter(has_text="no expiration")).to_have_count(1)
        for left in (2, 1, 0):
            revoke.first.click()
            expect(revoke).to_have_count(left)
        self.page.keyboard.press("Escape")
        assert self.tokens() == []

    def named(self):
        """A link's name is in the list, and in what its changes are listed with."""
        self.page.get_by_role("button", name="Share").click()
        dialog = self.page.get_by_role("dialog")
        dialog.get_by_label("Control").check()
        dialog.get_by_label("Name").fill("lobby-left")
        dialog.get_by_role("button", name="Make link").click()
        line = dialog.get_by_role("listitem").filter(has_text="lobby-left")
        expect(line).to_contain_text("Control · made now, until")
        page = self.guest(dialog.locator(".curl-text").inner_text())
        page.get_by_role("button", name="Home tab").click()
        self.title(page, "Home")
        page.get_by_role("button", name="Search tab").click()
        self.title(page, "Search")
        page.context.close()
        line.get_by_role("button", name="Revoke lobby-left").click()
        expect(line).to_have_count(0)
        self.page.keyboard.press("Escape")
        expect(self.page.locator(".event").first).to_contain_text("by lobby-left")
        assert self.tokens() == []

    def limited(self):
        """A link that is limited to commands and routes shows nothing that it may not do."""
        self.page.get_by_role("button", name="Share").click()
        dialog = self.page.get_by_role("dialog")
        expect(dialog.get_by_label("Commands")).to_be_hidden()
        dialog.get_by_label("Control").check()
        dialog.get_by_label("Name").fill("people")
        dialog.get_by_label("Commands").fill("navigate, back")
        dialog.get_by_label("Routes").fill("userProfile")
        dialog.get_by_role("button", name="Make link").click()
        line = dialog.get_by_role("listitem").filter(has_text="people")
        expect(line).to_contain_text("Control only navigate, back to userProfile")
        link = dialog.locator(".curl-text").inner_text()
        console = self.guest(link)
        expect(console.get_by_role("button", name="Home tab")).to_be_disabled()
        expect(console.get_by_role("button", name="Push Profile (userProfile)")).to_be_enabled()
        expect(console.get_by_role("button", name="Push Post (postDetail)")).to_have_count(0)
        display = self.guest(link.replace("/#", "/display#"), isConsole=False)
        headers = {"Authorization": f"Bearer {self.token}"}
        self.page.request.post(f"{self.url}/v1/sessions/{self.id}/navigate", headers=headers,
                               data={"route": "userProfile", "params": {"userId": "ada"}})
        self.title(display, "Profile")
        expect(display.get_by_role("button", name="Home", exact=True)).to_be_disabled()
        display.get_by_role("button", name="Back to Search").click()
        self.title(display, "Search")
        for page in (console, display): page.context.close()
        line.get_by_role("button", name="Revoke people").click()
        expect(line).to_have_count(0)
        self.page.keyboard.press("Escape")

    def guest(self, link, isConsole=True):
        page = self.browser.page(390, 780)
        page.on("request", lambda request: self.urls.append(request.url))
        page.goto(link)
        if isConsole: expect(page.locator("#status")).to_have_text("Live")
        else: expect(page.locator(".on-top .large-title")).to_be_visible()
        assert "token=" not in page.url, "the token stays out of sight, and of the history"
        return page

    def view(self):
        page = self.guest(self.share("read"), isConsole=False)
        self.title(page, "Search")
        expect(page.get_by_role("button", name="Home")).to_be_disabled()
        self.page.get_by_role("button", name="Profile tab").click()
        self.title(page, "Profile")
        page.reload()
        self.title(page, "Profile")
        page.context.close()

    def control(self):
        page = self.guest(self.share("control"))
        page.get_by_role("button", name="Home tab").click()
        self.title(self.page, "Home")
        page.get_by_role("button", name="Present New Post (newPost)").click()
        self.title(self.page, "New Post")
        expect(page.locator("#alerts")).to_be_empty()
        # Its token is for the session alone: it may not make another, nor copy the session.
        for name in ("Share", "Copy"): expect(page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        page.context.close()

    def revoke(self):
        """Who came by a link that is revoked is let in no longer."""
        page = self.guest(self.share("read"), isConsole=False)
        self.page.get_by_role("button", name="Share").click()
        revoke = self.page.get_by_role("dialog").get_by_role("button", name="Revoke")
        expect(revoke).not_to_have_count(0)
        while (left := revoke.count()) > 0:
            revoke.first.click()
            expect(revoke).to_have_count(left - 1)
        self.page.keyboard.press("Escape")
        page.reload()
        expect(page.get_by_role("heading")).to_have_text("This link is no longer valid")
        page.context.close()

    def delete(self):
        self.page.get_by_role("button", name="Delete", exact=True).click()
        self.page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
        expect(self.page.locator(".empty, .session-table")).to_be_visible()

    def secret(self):
        """No token is ever part of a URL that goes to the server."""
        assert not any("token=" in urllib.parse.urlsplit(url).query for url in self.urls)
        assert self.urls and not any(self.token in url for url in self.urls)

    def all(self):
        checks = {
            "the console asks for a token in words of people": self.asks,
            "a token is remembered until one signs out": self.remembered,
            "with it a session is created and driven": self.create,
            "a read token makes a page to look at": self.view_only,
            "looking at the share dialog makes no token": self.looking,
            "a link lets in for as long as was chosen, until it is revoked": self.lifetimes,
            "a link has a name": self.named,
            "a link is limited to commands and routes": self.limited,
            "a link to view follows, survives a reload, and cannot change": self.view,
            "a link to control changes this session": self.control,
            "who came by a link that is revoked is let in no longer": self.revoke,
            "no token goes into a URL": self.secret,
            "the session is deleted": self.delete,
            "no error, no policy violation, no other host": self.browser.check,
        }
        for name, check in checks.items():
            self.ledger.run(name, check)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--token", required=True)
    options = parser.parse_args()
    ledger = Ledger()
    with sync_playwright() as playwright:
        browser = Browser(playwright)
        try:
            TokenTest(options.url, options.token, browser, ledger).all()
        finally:
            browser.chromium.close()
    return ledger.end()


if __name__ == "__main__":
    sys.exit(main())
