"""The frame of the tests that open sessions of their own in the console and on displays."""
import argparse
import subprocess
import sys
import uuid

from playwright.sync_api import expect

from console_test import ROOT, run
from support import nameless


class SessionTest:
    """A class of tests has a `prefix`, and `checks` by their names."""
    prefix = ""

    def __init__(self, service, browser, ledger):
        self.service = service
        self.browser = browser
        self.ledger = ledger
        self.run_id = uuid.uuid4().hex[:8]
        self.page = browser.page()
        self.processes = []

    # Words for what the tests do

    def create(self, name, **body):
        session = f"{self.prefix}-{self.run_id}-{name}"
        status, answer = self.service.call("POST", "/v1/sessions", {"id": session, **body})
        assert status == 201, answer
        return session

    def open(self, session):
        self.page.goto(f"{self.service.url}/#session={session}")
        expect(self.page.locator("#status")).to_have_text("Live")
        expect(self.page.locator(".stage-name h2")).to_have_text(session)

    def click(self, name, page=None):
        (page or self.page).get_by_role("button", name=name, exact=True).click()

    def title(self, text):
        expect(self.page.locator(".layer.on-top .large-title")).to_have_text(text)

    def serve_example(self):
        """The display of Examples/web-display; returns its origin."""
        serve = subprocess.Popen(
            [sys.executable, str(ROOT / "Examples/web-display/serve.py"), "--navstate", self.service.url, "--port", "0"],
            stdout=subprocess.PIPE, text=True)
        self.processes.append(serve)
        return serve.stdout.readline().split("/?")[0]

    # Each display and console

    def names(self):
        assert nameless(self.page) == []

    def all(self):
        for name, check in {**self.checks(), "every control has a name": self.names,
                            "no error on any page": self.browser.check}.items():
            self.ledger.run(name, check)
            if self.page.get_by_role("dialog").count() > 0:
                self.page.keyboard.press("Escape")


def main(test, words):
    parser = argparse.ArgumentParser(description=words.splitlines()[0])
    parser.add_argument("--url", required=True)
    sys.exit(run(test, parser.parse_args().url))
