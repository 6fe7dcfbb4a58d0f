"""The common part of the browser tests: a ledger of checks, HTTP by hand, a proxy that can be cut,
and the search for controls without a name and text without contrast."""
import http.client
import json
import select
import socket
import threading
import time
import traceback
import urllib.parse


class Ledger:
    """Counts what held and what did not."""

    def __init__(self):
        self.passed = 0
        self.failures = []

    def run(self, name, body):
        try:
            body()
            self.passed += 1
            print(f"ok    {name}", flush=True)
        except Exception as error:  # A failed check must not keep the others from being made.
            self.failures.append(name)
            line = traceback.extract_tb(error.__traceback__)[1].lineno
            print(f"FAIL  {name} (line {line}): {' '.join(str(error).split())[:300]}", flush=True)

    def end(self):
        print(f"{self.passed} passed, {len(self.failures)} failed")
        return 1 if self.failures else 0


class Service:
    """The server, spoken to as curl would."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection(self.host, self.port, timeout=20)
        headers = {} if body is None else {"Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, json.loads(text) if text else None

    def command(self, session, name, body=None):
        status, answer = self.call("POST", f"/v1/sessions/{session}/{name}", body or {})
        assert status == 200, answer
        return answer

    def session(self, session):
        return self.call("GET", f"/v1/sessions/{session}")[1]


class Proxy:
    """Passes bytes on to the server until it is cut; then every connection dies, and new ones too."""

    def __init__(self, host, port):
        self.target = (host, port)
        self.is_cut = False
        self.pairs = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.is_cut:
                client.close()
                continue
            server = socket.create_connection(self.target)
            self.pairs.add((client, server))
            threading.Thread(target=self.pump, args=(client, server), daemon=True).start()

    def pump(self, client, server):
        other = {client: server, server: client}
        try:
            while True:
                for ready in select.select([client, server], [], [])[0]:
                    data = ready.recv(65536)
                    if not data:
                        return
                    other[ready].sendall(data)
        except (OSError, ValueError):
            pass
        finally:
            self.pairs.discard((client, server))
            client.close()
            server.close()

    def cut(self):
        self.is_cut = True
        for client, server in list(self.pairs):
            for end in (client, server):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def mend(self):
        self.is_cut = False

    def close(self):
        self.cut()
        self.listener.close()


NAMED_ROLES = {
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "tab", "tabpanel",
    "dialog", "img", "image", "navigation", "region", "group", "slider", "option", "spinbutton",
}


def box_of(element):
    """Where an element is on the page. A page that draws it anew at that moment has no place for it, so
    it is looked for again."""
    for _ in range(100):
        if box := element.bounding_box():
            return box
    raise AssertionError(f"{element} is nowhere on the page")


def nameless(page, patience=8):
    """Controls and landmarks that a screen reader could not name, from Chromium's own tree, which
    follows a large page with some delay: what has a name within `patience` seconds has one."""
    end = time.monotonic() + patience
    found = nameless_now(page)
    while found and time.monotonic() < end:
        time.sleep(0.25)
        found = nameless_now(page)
    return found


def nameless_now(page):
    client = page.context.new_cdp_session(page)
    nodes = client.send("Accessibility.getFullAXTree")["nodes"]
    client.detach()
    found = []
    for node in nodes:
        role = node.get("role", {}).get("value")
        name = node.get("name", {}).get("value", "").strip()
        # A fieldset or details without a legend is a group that says nothing, and so does no harm.
        if node.get("ignored") or role not in NAMED_ROLES - {"group"} or name:
            continue
        found.append(f"{role} {node.get('properties', [])[:2]}")
    return found


# Text against the nearest ground that is not see-through (WCAG 2.2, 1.4.3). What is disabled, inert
# or drawn over something else by intent is left out.
CONTRAST = """() => {
    const parse = (color) => {
        const numbers = color.match(/[\\d.]+/g).map(Number);
        return { rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
    };
    const light = ([r, g, b]) => {
        const linear = [r, g, b].map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    };
    const found = [];
    const texts = (root) => [...root.querySelectorAll('*')].flatMap((element) => [
        ...[...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE),
        ...(element.shadowRoot ? texts(element.shadowRoot) : [])]);
    for (const node of texts(document.body)) {
        const element = node.parentElement;
        if (element.localName === 'style' || element.localName === 'script') continue;
        if (!node.data.trim() || !element.checkVisibility({ visibilityProperty: true })) continue;
        if (element.closest("svg, option, [inert], :disabled, noscript, .visually-hidden, .skip")) continue;
        let ground = null;
        let faded = 1;
        for (let at = element; at; at = at.parentElement ?? at.getRootNode().host) {
            const style = getComputedStyle(at);
            faded *= Number(style.opacity);
            const color = parse(style.backgroundColor);
            if (!ground && color.alpha === 1) ground = color.rgb;
        }
        const style = getComputedStyle(element);
        // Text that cannot be seen lies over the same text that can, as in the editor.
        if (!ground || faded < 1 || parse(style.color).alpha === 0) continue;
        const [a, b] = [light(parse(style.color).rgb), light(ground)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        const size = parseFloat(style.fontSize);
        const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
        if (ratio < (isLarge ? 3 : 4.5)) found.push(`${node.data.trim().slice(0, 30)} ${ratio.toFixed(2)}`);
    }
    return [...new Set(found)];
}"""
