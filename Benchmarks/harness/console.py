"""The workload console: how soon the console shows its list, and a session of ten revisions that
can be used, each beside a page that does nothing else.

nginx in front of the server adds a script to all pages that reports when it is there. So the
browser runs without developer tools, which would make it slower. Each round has a new profile: a
tab is opened for the page, and reloaded once. The session is also opened beside 10,000 others.
"""

import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import time
import urllib.parse

from . import client, load, processes

CONSOLE, PLAIN = "console", "plain page"
SESSIONS, MANY = 3, 10_000
REVISIONS = 10
WAIT_SECONDS_MAX = 30
#: The pages by their variant: what each opens, and the condition on which it is there. A session
#: can be used when its timeline is there and its screen takes a click.
PAGES = {
    "list": {
        CONSOLE: ("/", 'document.body.textContent.includes("LAST")'),
        PLAIN: ("/plain-list.html", 'document.body.textContent.includes("LAST")'),
    },
    "session": {
        CONSOLE: ("/#session=FIRST",
                  'document.querySelectorAll(".event-button").length === REVISIONS'
                  ' && document.querySelector(".layer.on-top .row:enabled")'),
        PLAIN: ("/plain-session.html", 'document.querySelectorAll("li").length === REVISIONS'),
    },
}

REPORTER = """<script>(() => {
  let isDone = false;
  const look = () => {
    if (isDone || !document.body || !(READY)) return;
    isDone = true;
    const at = performance.now();
    navigator.sendBeacon(`/seen?${performance.getEntriesByType("navigation")[0].type}=${at}`);
    if (sessionStorage.wasReloaded) return;
    sessionStorage.wasReloaded = "yes";
    setTimeout(() => location.reload(), 700);
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})();</script>"""

PLAIN_PAGE = """<!doctype html><head><title>Plain</title></head><body><ul id="list"></ul><script>
fetch("URL").then((answer) => answer.json()).then((found) => {
  for (const one of found.sessions ?? found.history) {
    const item = document.createElement("li");
    item.textContent = one.id ?? one.revision;
    document.getElementById("list").append(item);
  }
});</script></body>"""
PLAIN_URLS = {"list": "/v1/sessions?limit=50", "session": "/v1/sessions/FIRST/history?limit=50"}


def run(bench) -> None:
    if not all(shutil.which(tool) for tool in ("chromium", "nginx")):
        bench.report.note("console: not measured, since chromium or nginx is not installed")
        return
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(bench.navstate())
        client.fill(server.port, range(SESSIONS))
        path = f"/v1/sessions/{client.session_id(0)}/navigate"
        change = client.request(server.port, "POST", path, {"route": "detail"})
        for _ in range(REVISIONS - 1):
            client.send_all(server.port, [change])
        directory = bench.work / "console"
        port = processes.free_port()
        settings = nginx_settings(directory, port, server.port)
        stack.enter_context(processes.running(
            "nginx", ["nginx", "-p", str(directory), "-c", str(settings)], port, bench.log(),
            pinned=False, is_ready=processes.accepts))
        measure(bench, directory, port, "list", "")
        measure(bench, directory, port, "session", "session, ")
        client.fill(server.port, range(SESSIONS, MANY))
        measure(bench, directory, port, "session", f"session beside {MANY:,}, ")


def measure(bench, directory: pathlib.Path, port: int, page: str, words: str) -> None:
    samples = {name: [] for name in PAGES[page]}
    for _ in range(bench.rounds):
        for name in samples:
            samples[name].append(visit(bench, directory, port, page, name))
    for variant, kind in (("first visit", "navigate"), ("reload", "reload")):
        for name in (PLAIN, CONSOLE):
            figures = load.medians([{"list ms": sample[kind]} for sample in samples[name]])
            bench.report.add("console", words + variant, name, figures,
                             PLAIN if name == CONSOLE else None)


def nginx_settings(directory: pathlib.Path, port: int, server: int) -> pathlib.Path:
    """nginx on one port: the server's pages with the reporter, and the pages of this workload."""
    directory.mkdir()
    for page, urls in PLAIN_URLS.items():
        plain = filled(PLAIN_PAGE.replace("URL", urls))
        (directory / f"plain-{page}.html").write_text(
            plain.replace("<head>", "<head>" + reporter(PAGES[page][PLAIN][1])))
        for name, (path, _) in PAGES[page].items():
            opener = f"setTimeout(() => window.open('{filled(path)}', '_blank', 'noopener'), 2500)"
            (directory / f"open-{page}-{name.split()[0]}.html").write_text(
                f"<script>{opener}</script>")
    ready = " || ".join(f'({condition})' for condition in (
        'location.hash === "" && ' + PAGES["list"][CONSOLE][1],
        'location.hash !== "" && ' + PAGES["session"][CONSOLE][1]))
    paths = " ".join(f"{name}_temp_path {name};"
                     for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    quoted = reporter(ready).replace("'", r"\'").replace("$", "${dollar}")
    settings = directory / "nginx.conf"
    settings.write_text(f"""daemon off; master_process off; pid nginx.pid; error_log stderr crit;
events {{}}
http {{
  geo $dollar {{ default "$"; }}
  {paths} access_log off; log_format seen '$args'; default_type text/html;
  server {{
    listen 127.0.0.1:{port}; root {directory};
    proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection "";
    location = /seen {{ access_log {directory}/seen.log seen; return 204; }}
    location ~ \\.html$ {{ }}
    location = / {{
      proxy_pass http://127.0.0.1:{server}; proxy_set_header Accept-Encoding identity;
      proxy_hide_header Content-Security-Policy; sub_filter '<head>' '<head>{quoted}';
    }}
    location / {{ proxy_pass http://127.0.0.1:{server}; }}
  }}
}}
""")
    return settings


def filled(text: str) -> str:
    return (text.replace("LAST", client.session_id(SESSIONS - 1))
            .replace("FIRST", client.session_id(0)).replace("REVISIONS", str(REVISIONS)))


def reporter(ready: str) -> str:
    return filled(REPORTER.replace("READY", ready)).replace("\n", " ")


def visit(bench, directory: pathlib.Path, port: int, kind: str, name: str) -> dict[str, float]:
    """Milliseconds from the beginning of the navigation until the page is there, by the kind of
    navigation."""
    seen = directory / "seen.log"
    seen.write_text("")
    page = f"http://127.0.0.1:{port}/open-{kind}-{name.split()[0]}.html"
    with tempfile.TemporaryDirectory(dir=bench.work, ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(
            [*processes.on_cores(processes.CORES_AT_START), "chromium", "--headless=new",
             "--no-sandbox", "--disable-popup-blocking", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             f"--user-data-dir={profile}", page],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            end = time.monotonic() + WAIT_SECONDS_MAX
            while len(lines := seen.read_text().split()) < 2:
                if time.monotonic() > end:
                    raise SystemExit(f"the {kind} of the {name} was not seen")
                time.sleep(0.1)
        finally:
            browser.terminate()
            browser.wait()
    return {kind: float(at) for kind, at in (urllib.parse.parse_qsl(line)[0] for line in lines)}
