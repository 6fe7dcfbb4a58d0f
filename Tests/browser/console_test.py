#!/usr/bin/env python3
"""The console, the API page and the steered app in a real browser, against a running server.

    navstate --listen 127.0.0.1:0 --apps Examples/apps
    python3 Tests/browser/console_test.py --url http://127.0.0.1:PORT

It needs Debian's chromium and the package playwright (no browser of playwright's own). The server
must have the apps of Examples/apps and ask for no token. Ends with the number of checks, and with
status 1 if one failed. With --screenshots FOLDER it also leaves pictures there.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import uuid

from playwright.sync_api import expect, sync_playwright

from support import CONTRAST, Ledger, Proxy, Service, box_of, nameless

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def directives(policy):
    """The policy without the order of its parts, which means nothing."""
    return {part.strip() for part in policy.split(";")}


# Chromium itself writes these for every answer above 399 and every lost connection. Tests that
# refuse something or cut the line on purpose cause these; anything else on the console is a fault.
NETWORK_NOISE = re.compile(r"^Failed to load resource: (the server responded with a status of 4|net::ERR_)")


class Browser:
    """Pages that write down what they should not have done."""

    def __init__(self, playwright):
        # Pages that lost the server try again after up to 15 s, and machines are busy.
        expect.set_options(timeout=30_000)
        self.chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        self.faults = []
        self.noise = []
        self.foreign = []

    def page(self, width=1360, height=860, scheme="light"):
        context = self.chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(30_000)
        context.add_init_script(
            "addEventListener('securitypolicyviolation',"
            " (event) => console.error('CSP ' + event.violatedDirective + ' ' + event.blockedURI))")
        page = context.new_page()
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.faults.append(f"error {error}"))
        page.on("request", self.requested)
        return page

    def check(self):
        """No page has had an error, or has asked another host."""
        assert self.faults == [], self.faults[:5]
        assert self.foreign == [], self.foreign[:5]

    def heard(self, message):
        if message.type not in ("error", "warning"):
            return
        place = self.noise if NETWORK_NOISE.match(message.text) else self.faults
        place.append(f"{message.type} {message.text}")

    def requested(self, request):
        if not re.match(r"(http://127\.0\.0\.1:\d+/|data:|blob:)", request.url):
            self.foreign.append(request.url)


class ConsoleTest:
    def __init__(self, service, browser, ledger, screenshots):
        self.service = service
        self.browser = browser
        self.ledger = ledger
        self.screenshots = screenshots
        self.id = f"browser-{uuid.uuid4().hex[:8]}"
        self.page = browser.page()
        self.processes = []

    # Words for what the tests do

    def picture(self, name, page=None):
        if self.screenshots:
            (page or self.page).screenshot(path=str(self.screenshots / f"{name}.png"))

    def open(self, page, session=None, base=None):
        page.goto(f"{base or self.service.url}/" + (f"#session={session}" if session else ""))
        if session:
            expect(page.locator("#status")).to_have_text("Live")
            expect(page.locator(".stage-name h2")).to_have_text(session)

    def title(self, text, page=None):
        expect((page or self.page).locator(".layer.on-top .large-title")).to_have_text(text)

    def click(self, name, page=None):
        (page or self.page).get_by_role("button", name=name, exact=True).click()

    def field(self, name, page=None):
        return (page or self.page).get_by_role("dialog").get_by_role("textbox", name=name, exact=True)

    def send(self, name, page=None):
        (page or self.page).get_by_role("dialog").get_by_role("button", name=name, exact=True).click()

    def visible(self):
        return self.service.session(self.id)["visible"]

    def revision(self):
        return self.service.session(self.id)["revision"]

    # The checks, in the order in which they build on each other

    def policy(self):
        for path in ("/", "/docs"):
            response = self.page.request.get(self.service.url + path)
            policy = response.headers.get("content-security-policy", "")
            assert directives(policy) == directives(POLICY), (path, response.headers)

    def create(self):
        self.open(self.page)
        self.page.locator("#new-session").click()
        self.page.get_by_label("App", exact=True).select_option("social")
        self.page.get_by_label("Id", exact=True).fill(self.id)
        self.click("Create")
        expect(self.page.locator("#status")).to_have_text("Live")
        self.title("Home")
        expect(self.page.locator(f"[data-key='session-{self.id}']")).to_have_attribute("aria-current", "true")

    def push(self):
        self.click("Push Post (postDetail)")
        self.field("id").fill("42")
        self.send("Push")
        self.title("Post")
        expect(self.page.locator(".layer.on-top .params")).to_contain_text("42")
        assert self.visible()["params"] == {"id": 42}

    def refusal(self):
        before = self.revision()
        self.click("Push Post (postDetail)")
        field = self.field("id")
        field.fill("many")
        self.send("Push")
        expect(field).to_have_attribute("aria-invalid", "true")
        assert self.page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
        self.page.keyboard.press("Escape")
        expect(self.page.get_by_role("dialog")).to_have_count(0)
        assert self.revision() == before

    def problem_words(self):
        _, problem = self.service.call("POST", f"/v1/sessions/{self.id}/navigate", {"route": "postDetal"})
        self.page.get_by_role("tab", name="Command").click()
        self.page.get_by_label("Body (JSON)").fill('{"route": "postDetal"}')
        self.click("Send")
        expect(self.page.locator("#panel-command .form-error")).to_have_text(problem["detail"])
        self.page.get_by_role("tab", name="Timeline").click()

    def present(self):
        self.click("Present New Post (newPost)")
        self.title("New Post")
        expect(self.page.locator(".tab-bar:visible")).to_have_count(1)
        assert self.page.locator(".layer.base").get_attribute("inert") is not None
        self.click("Push Audience (audience)")
        self.title("Audience")
        self.click("Back to New Post")
        self.title("New Post")

    def swipe(self):
        handle = self.page.get_by_role("button", name="Swipe New Post down")
        box = box_of(handle)
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y + 20)
        self.page.mouse.up()
        self.page.wait_for_timeout(150)
        assert len(self.service.session(self.id)["sheets"]) == 1, "a short pull was meant to be none"
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y + 60)
        self.page.mouse.move(x, y + 140)
        self.page.mouse.up()
        self.title("Post")
        assert self.service.session(self.id)["sheets"] == []

    def tabs(self):
        self.click("Search tab")
        self.title("Search")
        self.click("Home tab")
        self.title("Post")
        assert self.visible()["container"] == "home"

    def back_and_undo(self):
        self.click("Back to Home")
        self.title("Home")
        self.click("Undo")
        self.title("Post")
        self.click("Redo")
        self.title("Home")
        self.click("Undo")
        self.title("Post")

    def stack(self):
        self.click("Push Profile (userProfile)")
        self.field("userId").fill("ada")
        self.send("Push")
        self.title("Profile")
        expect(self.page.locator(".pile-tab li")).to_have_count(3)
        self.page.locator(".pile-tab li").nth(1).get_by_role("button").click()
        self.title("Post")

    def curl_line(self):
        """The line under the phone does, in a shell, what the click did."""
        self.click("Profile tab")
        self.title("Profile")
        line = self.page.locator(".curl-text").first.inner_text()
        assert line.startswith("curl --json"), line
        self.click("Home tab")
        self.title("Post")
        subprocess.run(["sh", "-c", f"{line} --silent --fail"], check=True, timeout=20, capture_output=True)
        self.title("Profile")
        self.click("Home tab")
        self.title("Post")

    def change_from_elsewhere(self):
        self.service.command(self.id, "setBadge", {"tab": "profile", "badge": 3})
        expect(self.page.get_by_role("button", name="Profile tab, badge 3")).to_be_visible()
        self.service.command(self.id, "navigate", {"route": "userProfile", "params": {"userId": "grace"}})
        expect(self.page.locator(".layer.on-top .params")).to_contain_text("grace")
        first = self.page.locator(".event").first
        expect(first).to_contain_text("navigate userProfile")
        entry = self.visible()["entry"]
        expect(first.locator(".chip.added")).to_have_text(re.compile(f"Profile userId grace · {entry}"))
        self.service.command(self.id, "back")
        expect(self.page.locator(".event").first.locator(".chip.removed")).to_have_text(re.compile(entry))

    def past(self):
        before = self.revision()
        self.page.locator("[data-key='event-1']").click()
        self.title("Home")
        expect(self.page.locator(".past-banner")).to_contain_text("revision 1")
        expect(self.page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
        self.page.get_by_role("tab", name="JSON").click()
        expect(self.page.locator("#panel-json .json")).to_contain_text('"revision": 1,')
        self.click("Later")
        expect(self.page.locator(".past-banner")).to_contain_text("revision 2")
        self.click("Back to now")
        expect(self.page.locator("#panel-json .json")).to_contain_text(f'"revision": {before},')
        self.page.get_by_role("tab", name="Timeline").click()
        assert self.revision() == before

    def deep_link(self):
        before = self.revision()
        self.page.get_by_role("tab", name="Links").click()
        self.page.get_by_label("Deep link").fill("myapp://compose/audience")
        expect(self.page.locator(".effect")).to_contain_text("Audience")
        assert self.revision() == before, "looking must not change"
        self.page.locator("#panel-links").get_by_role("button", name="Open", exact=True).click()
        self.title("Audience")
        self.page.get_by_label("Deep link").fill("myapp://nowhere")
        expect(self.page.locator("#panel-links .form-error")).to_contain_text("no-route-for-url")
        self.page.get_by_role("tab", name="Timeline").click()
        self.click("Undo")
        self.title("Post")

    def reconnect(self):
        proxy = Proxy(self.service.host, self.service.port)
        page = self.browser.page()
        try:
            self.open(page, self.id, proxy.url)
            start = self.revision()
            proxy.cut()
            expect(page.locator("#status")).to_contain_text("Reconnecting")
            for tab in ("search", "profile", "search"):
                self.service.command(self.id, "select", {"tab": tab})
            page.wait_for_timeout(600)
            proxy.mend()
            expect(page.locator("#status")).to_have_text("Live")
            self.title("Search", page)
            for revision in range(1, start + 4):
                expect(page.locator(f"[data-key='event-{revision}']")).to_have_count(1)
            self.service.command(self.id, "select", {"tab": "home"})
            self.title("Post", page)
        finally:
            page.context.close()
            proxy.close()

    def two_pages(self):
        other = self.browser.page(390, 780, "dark")
        self.open(other, self.id)
        self.click("Search tab", other)
        self.title("Search")
        self.click("Home tab")
        self.title("Post", other)
        other.context.close()

    def steered_app(self):
        serve = subprocess.Popen(
            [sys.executable, str(ROOT / "Examples/web-display/serve.py"), "--navstate", self.service.url, "--port", "0"],
            stdout=subprocess.PIPE, text=True)
        self.processes.append(serve)
        base = serve.stdout.readline().split("/?")[0]
        session = f"{self.id}-display"
        display = self.browser.page(390, 760)
        display.goto(f"{base}/?session={session}")
        expect(display.locator("h1")).to_have_text("Home")
        self.open(self.page, session)
        display.get_by_role("button", name="A moth in relay 70").click()
        expect(display.locator("h2")).to_have_text("A moth in relay 70")
        self.title("Post")
        self.click("Back to Home")
        expect(display.locator("h1")).to_have_text("Home")
        self.click("Present New Post (newPost)")
        display.get_by_label("Text").fill("Seen in the browser")
        display.get_by_role("button", name="Post", exact=True).click()
        expect(display.get_by_role("button", name="Seen in the browser")).to_be_visible()
        self.title("Home")
        assert nameless(display) == []
        self.picture("display", display)
        display.context.close()
        self.service.call("DELETE", f"/v1/sessions/{session}")
        expect(self.page.locator(".session-table")).to_be_visible()
        self.open(self.page, self.id)

    def share(self):
        self.click("Share")
        dialog = self.page.get_by_role("dialog")
        expect(dialog.get_by_role("img", name="QR code of the view link")).to_be_visible()
        expect(dialog.get_by_role("button", name="Make link")).to_have_count(0)
        url = dialog.locator(".curl-text").inner_text()
        assert nameless(self.page) == []
        self.picture("share")
        self.page.keyboard.press("Escape")
        guest = self.browser.page(390, 780)
        guest.goto(url)
        self.title("Post", guest)
        assert guest.url.startswith(f"{self.service.url}/display#"), guest.url
        expect(guest.get_by_role("button", name="Search")).to_be_disabled()
        self.service.command(self.id, "select", {"tab": "search"})
        self.title("Search", guest)
        self.service.command(self.id, "select", {"tab": "home"})
        guest.context.close()

    def keyboard(self):
        """The phone is driven without a pointer, and a change does not take the focus away."""
        self.page.locator("[data-key='tab-search']").focus()
        self.page.keyboard.press("Enter")
        self.title("Search")
        assert self.focused() == "tab-search", self.focused()
        self.service.command(self.id, "setBadge", {"tab": "home", "badge": 1})
        expect(self.page.get_by_role("button", name="Home tab, badge 1")).to_be_visible()
        assert self.focused() == "tab-search", self.focused()
        self.service.command(self.id, "setBadge", {"tab": "home", "badge": 0})
        self.page.locator("[data-key='push-userProfile']").focus()
        self.page.keyboard.press("Enter")
        expect(self.field("userId")).to_be_focused()
        self.page.keyboard.type("katherine")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".layer.on-top .params")).to_contain_text("katherine")
        self.page.locator("[data-key='back']").focus()
        self.page.keyboard.press("Enter")
        self.title("Search")
        self.page.locator("#tab-timeline").focus()
        self.page.keyboard.press("ArrowRight")
        expect(self.page.locator("#tab-json")).to_be_focused()
        expect(self.page.locator("#panel-json")).to_be_visible()
        self.page.keyboard.press("ArrowLeft")
        expect(self.page.locator("#announcer")).not_to_be_empty()

    def focus_is_kept(self):
        """Whatever a key press takes away, the focus goes on nearby, never back to the page's beginning."""
        page = self.page
        start = page.locator(".layer.on-top .large-title").inner_text()

        def press(key, *keys):
            page.locator(key).focus()
            for each in keys or ["Enter"]:
                page.keyboard.press(each)

        press("[data-key='tool-share']")
        expect(page.get_by_role("dialog").get_by_role("radio", name="View")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("[data-key='tool-share']")).to_be_focused()
        press("[data-key='tool-trash']")
        expect(page.get_by_role("dialog").get_by_role("button", name="Cancel")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("[data-key='tool-trash']")).to_be_focused()
        press(".on-top [data-key='push-userProfile']")
        page.keyboard.type("grace")
        page.keyboard.press("Enter")
        expect(page.locator(".layer.on-top .params")).to_contain_text("grace")
        page.wait_for_timeout(300)
        assert self.focused() == "push-userProfile", self.focused()
        press(".on-top [data-key='present-newPost']")
        self.title("New Post")
        press(".on-top [data-key='back']")
        self.title("Profile")
        expect(page.locator(".on-top [data-key='back']")).to_be_focused()
        page.keyboard.press("Enter")
        self.title(start)
        page.wait_for_timeout(300)
        assert page.evaluate("Boolean(document.activeElement.closest('#stage'))")
        press("#skip")
        expect(page.locator("#stage")).to_be_focused()
        self.title(start)
        press("#tab-timeline", "End")
        expect(page.locator("#tab-command")).to_be_focused()
        page.keyboard.press("Home")
        expect(page.locator("#panel-timeline")).to_be_visible()
        narrow = self.browser.page(360, 740)
        self.open(narrow)
        narrow.get_by_role("searchbox", name="Search sessions by").fill(self.id)
        row = narrow.locator(f"[data-key='session-{self.id}']")
        expect(narrow.locator("#announcer")).to_contain_text(self.id)
        row.focus()
        narrow.keyboard.press("Enter")
        expect(narrow.locator("#stage")).to_be_focused()
        narrow.context.close()

    def focused(self):
        return self.page.evaluate("document.activeElement.dataset.key")

    def names(self):
        assert nameless(self.page) == [], nameless(self.page)
        ids = self.page.evaluate("[...document.querySelectorAll('[id]')].map((element) => element.id)")
        assert len(ids) == len(set(ids)), "ids repeat"
        for tab in ("JSON", "Links", "Command", "Timeline"):
            self.page.get_by_role("tab", name=tab).click()
            assert nameless(self.page) == [], (tab, nameless(self.page))
        self.page.locator("#new-session").click()
        assert nameless(self.page) == []
        self.page.keyboard.press("Escape")
        expect(self.page.locator("#new-session")).to_be_focused()

    def looks(self):
        """Light and dark, wide and narrow: nothing is cut off, text is readable."""
        self.service.command(self.id, "select", {"tab": "home"})
        self.service.command(self.id, "present", {"route": "newPost"})
        for scheme in ("light", "dark"):
            for name, width, height in (("desktop", 1360, 860), ("phone", 360, 740), ("enlarged", 320, 512)):
                page = self.browser.page(width, height, scheme)
                self.open(page, self.id)
                self.title("New Post", page)
                page.wait_for_timeout(400)
                self.picture(f"{name}-{scheme}", page)
                areas = ["stage"] if width > 900 else ["stage", "details", "sessions"]
                for area in areas:
                    if width <= 900:
                        page.locator(f"#area-{area}").click()
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, (area, width)
                    faint = page.evaluate(CONTRAST)
                    assert faint == [], (scheme, name, area, faint)
                    assert nameless(page) == [], nameless(page)
                page.context.close()
        self.service.command(self.id, "dismiss")

    def search_and_paging(self):
        """Three hundred sessions: forward, back, by id, by app, and one in the middle opened."""
        prefix = f"{self.id}-page"
        names = [f"{prefix}-{number:03}" for number in range(300)]
        for name in names:
            status, _ = self.service.call("PUT", f"/v1/sessions/{name}", {"tabs": [{"id": "main", "path": []}]})
            assert status == 201
        page = self.browser.page()
        self.open(page)
        rows = page.locator(".session-row")
        first = page.locator(".session-row .session-id").first
        page.get_by_label("Sort by").select_option("id")
        page.get_by_role("searchbox", name="Search sessions by").fill(prefix)
        expect(page.locator("#session-count")).to_contain_text(re.compile(r"^300 of [\d,]+ sessions$"))
        for start in range(0, 300, 50):
            expect(first).to_have_text(names[start])
            expect(rows).to_have_count(50)
            if start == 0:
                size = page.evaluate("document.querySelectorAll('*').length")
            if start < 250:
                self.click("Next page", page)
        expect(page.get_by_role("button", name="Next page")).to_be_disabled()
        assert page.evaluate("document.querySelectorAll('*').length") <= size + 2, "pages do not pile up"
        for start in range(200, -50, -50):
            self.click("Previous page", page)
            expect(first).to_have_text(names[start])
        page.get_by_role("searchbox", name="Search sessions by").fill(names[157][:-1])
        expect(rows).to_have_count(10)
        page.locator(f"[data-key='session-{names[157]}']").click()
        expect(page.locator(".stage-name h2")).to_have_text(names[157])
        expect(page.locator(f"[data-key='session-{names[157]}'] .watchers")).to_contain_text("1")
        page.get_by_label("Filter by app").select_option("social")
        expect(page.locator(".session-list .none")).to_be_visible()
        page.get_by_label("Filter by app").select_option("")
        page.get_by_role("searchbox", name="Search sessions by").fill("")
        page.context.close()
        for name in names:
            self.service.call("DELETE", f"/v1/sessions/{name}")

    def busy(self):
        """A session that changes as fast as it can is followed, and the page stays small and usable."""
        session = f"{self.id}-busy"
        self.service.call("POST", "/v1/sessions", {"id": session, "app": "social"})
        page = self.browser.page()
        self.open(page, session)
        self.title("Home", page)
        for badge in range(1, 1001):
            self.service.command(session, "setBadge", {"tab": "home", "badge": badge})
            if badge == 500:
                page.get_by_role("tab", name="JSON").click()
                expect(page.locator("#panel-json .json")).to_contain_text('"badge"')
                page.get_by_role("tab", name="Timeline").click()
                # A slow press: what is pressed is still there when it is let go.
                tab = page.locator("[data-key='tab-search']")
                expect(tab).to_be_visible()
                box = box_of(tab)
                page.mouse.move(box["x"] + 20, box["y"] + 20)
                page.mouse.down()
            if badge == 600:
                page.mouse.up()
        self.title("Search", page)
        expect(page.locator("[data-key='event-1002']")).to_have_count(1)
        expect(page.get_by_role("button", name="Home tab, badge 1000")).to_be_visible()
        expect(page.locator(".event")).to_have_count(50)
        expect(page.locator("[data-key='event-953']")).to_have_count(1)
        self.click("Undo", page)
        expect(page.get_by_role("button", name="Home tab, badge 999")).to_be_visible()
        page.context.close()
        self.service.call("DELETE", f"/v1/sessions/{session}")

    def free_form(self):
        session = f"{self.id}-free"
        self.service.call("POST", "/v1/sessions", {"id": session, "tabs": ["one", "two"]})
        page = self.browser.page()
        self.open(page, session)
        self.click("Push a route …", page)
        self.field("Route", page).fill("anything")
        self.field("Params (JSON)", page).fill('{"deep": {"n": [1, 2]}}')
        self.send("Push", page)
        self.title("Anything", page)
        assert self.service.session(session)["visible"]["params"] == {"deep": {"n": [1, 2]}}
        page.context.close()
        self.service.call("DELETE", f"/v1/sessions/{session}")

    def api_page(self):
        page = self.browser.page()
        page.goto(f"{self.service.url}/docs#getSession")
        operation = page.locator("#getSession")
        expect(operation).to_have_attribute("open", "")
        operation.get_by_role("textbox", name="id path").fill(self.id)
        operation.get_by_role("button", name="Send").click()
        expect(operation.locator(".try-result")).to_contain_text("200")
        expect(operation.locator(".try-result pre")).to_contain_text(f'"id": "{self.id}"')
        page.evaluate("document.querySelectorAll('.operation').forEach((element) => (element.open = true))")
        expect(page.locator(".operation-body:empty")).to_have_count(0)
        assert nameless(page) == [], nameless(page)
        assert page.evaluate(CONTRAST) == [], page.evaluate(CONTRAST)
        page.context.close()

    def odd_names(self):
        """Names that every object of JavaScript has are names like others."""
        name = f"odd-{uuid.uuid4().hex[:8]}"
        params = {"type": "object", "properties": {"__proto__": {"type": "string"}, "toString": {"type": "string"}}}
        app = {
            "routes": {"constructor": {"params": params}, "valueOf": {}},
            "tabs": [{"id": tab, "icon": tab, "routes": ["constructor", "valueOf"]}
                     for tab in ("constructor", "toString", "valueOf")]}
        app["tabs"][0]["icon"] = "__proto__.fill"
        assert self.service.call("PUT", f"/v1/apps/{name}", app)[0] == 201
        assert self.service.call("POST", "/v1/sessions", {"id": name, "app": name})[0] == 201
        self.open(self.page, name)
        self.click("Push Constructor (constructor)")
        self.field("__proto__ optional").fill("one")
        self.field("toString optional").fill("two")
        self.send("Push")
        self.title("Constructor")
        path = self.service.session(name)["tabs"][0]["path"]
        assert path[0]["params"] == {"__proto__": "one", "toString": "two"}, path
        self.service.call("DELETE", f"/v1/sessions/{name}")
        expect(self.page.locator(".session-table")).to_be_visible()
        assert self.service.call("DELETE", f"/v1/apps/{name}")[0] == 204
        self.open(self.page, self.id)

    def delete(self):
        other = self.browser.page()
        self.open(other, self.id)
        self.page.get_by_role("button", name="Delete", exact=True).click()
        self.send("Delete")
        for page in (self.page, other):
            expect(page.locator(".empty, .session-table").first).to_be_visible()
            expect(page.locator("#notices")).to_contain_text("was deleted")
        assert self.service.call("GET", f"/v1/sessions/{self.id}")[0] == 404
        other.context.close()

    def live_list(self):
        page = self.browser.page()
        self.open(page)
        expect(page.locator("#status")).to_have_text("Live")
        listed = page.locator(".session-list .session-row:not(.skeleton), .session-list .none")
        expect(listed.first).to_be_visible()
        # Sessions that are shown from here on do not come from reading the list again.
        page.route(re.compile(r"/v1/sessions(\?|$)"), lambda route: route.abort())
        name = f"live-{uuid.uuid4().hex[:8]}"
        row = page.locator(".session-row").filter(has_text=name)
        assert self.service.call("POST", "/v1/sessions", {"id": name, "tabs": ["one", "two"]})[0] == 201
        expect(row).to_contain_text("one")
        self.service.command(name, "select", {"tab": "two"})
        expect(row).to_contain_text("two")
        self.service.call("DELETE", f"/v1/sessions/{name}")
        expect(row).to_have_count(0)
        page.context.close()

    def clean(self):
        assert self.browser.faults == [], self.browser.faults[:5]

    def offline(self):
        assert self.browser.foreign == [], self.browser.foreign[:5]

    def all(self):
        checks = {
            "pages come under the strict policy": self.policy,
            "a session of an example app is created": self.create,
            "a route is pushed with a form made from its schema": self.push,
            "a refusal stands at the field that it is about": self.refusal,
            "a refused command shows the problem's words": self.problem_words,
            "a sheet is presented, pushed on, and gone back on": self.present,
            "a sheet is swiped down": self.swipe,
            "tabs are selected and keep their paths": self.tabs,
            "back, undo, redo": self.back_and_undo,
            "the stack shows the path and goes back to any card": self.stack,
            "the curl line does what the click did": self.curl_line,
            "a change made elsewhere appears, with what it added and removed": self.change_from_elsewhere,
            "the past is looked at and nothing changes": self.past,
            "a deep link shows what it would do, then does it": self.deep_link,
            "the connection is cut and comes back without a lost change": self.reconnect,
            "two pages control one session": self.two_pages,
            "the steered app and the console follow each other": self.steered_app,
            "a shared view follows and cannot change": self.share,
            "everything works by keyboard, and the focus stays": self.keyboard,
            "the focus goes where one would look for it": self.focus_is_kept,
            "every control has a name": self.names,
            "light and dark, wide and narrow": self.looks,
            "sessions are found, filtered and paged": self.search_and_paging,
            "a session that changes all the time leaves the page usable": self.busy,
            "a free-form session takes any route": self.free_form,
            "names that JavaScript knows are names like others": self.odd_names,
            "the API page reads the document and sends requests": self.api_page,
            "a deleted session ends for everybody": self.delete,
            "a new session appears in the list without reading it again": self.live_list,
            "no error and no policy violation on any page": self.clean,
            "no request to another host": self.offline,
        }
        for name, check in checks.items():
            self.ledger.run(name, check)
            if self.page.get_by_role("dialog").count() > 0:
                # Left open by a check that failed; the next ones are not to fail over it.
                self.page.keyboard.press("Escape")


def run(make, url):
    """Runs the checks of the test that `make` returns, and returns the exit status."""
    ledger = Ledger()
    with sync_playwright() as playwright:
        browser = Browser(playwright)
        test = make(Service(url), browser, ledger)
        try:
            test.all()
        finally:
            browser.chromium.close()
            for process in test.processes:
                process.terminate()
                process.wait()
    return ledger.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    return run(lambda *parts: ConsoleTest(*parts, options.screenshots), options.url)


if __name__ == "__main__":
    sys.exit(main())
