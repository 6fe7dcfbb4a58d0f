"""The workload console: how soon the console shows its list, beside a page that does nothing else.

nginx in front of the server adds a script to both pages that reports when the list is in the
document. So the browser runs without developer tools, which would make it slower. Each round has a
new profile: a tab is opened for the page, and reloaded once.
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
PATHS = {CONSOLE: "/", PLAIN: "/plain.html"}
SESSIONS = 3
WAIT_SECONDS_MAX = 30

REPORTER = """<script>(() => {
  let isDone = false;
  const look = () => {
    if (isDone || !document.body?.textContent.includes("LAST")) return;
    isDone = true;
    const at = performance.now();
    navigator.sendBeacon(`/seen?${performance.getEntriesByType("navigation")[0].type}=${at}`);
    if (sessionStorage.wasReloaded) return;
    sessionStorage.wasReloaded = "yes";
    setTimeout(() => location.reload(), 700);
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
})();</script>"""

PLAIN_PAGE = """<!doctype html><head><title>Sessions</title></head><body><ul id="list"></ul><script>
fetch("/v1/sessions?limit=500").then((answer) => answer.json()).then(({ sessions }) => {
  for (const session of sessions) {
    const item = document.createElement("li");
    item.textContent = session.id;
    document.getElementById("list").append(item);
  }
});</script></body>"""


def run(bench) -> None:
    if not all(shutil.which(tool) for tool in ("chromium", "nginx")):
        bench.report.note("console: not measured, since chromium or nginx is not installed")
        return
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(bench.navstate())
        client.fill(server.port, range(SESSIONS))
        directory = bench.work / "console"
        port = processes.free_port()
        settings = nginx_settings(directory, port, server.port)
        stack.enter_context(processes.running(
            "nginx", ["nginx", "-p", str(directory), "-c", str(settings)], port, bench.log(),
            pinned=False, is_ready=processes.accepts))
        samples = {name: [] for name in PATHS}
        for _ in range(bench.rounds):
            for name in PATHS:
                samples[name].append(visit(bench, directory, port, name))
        for variant, kind in (("first visit", "navigate"), ("reload", "reload")):
            for name in (PLAIN, CONSOLE):
                figures = load.medians([{"list ms": sample[kind]} for sample in samples[name]])
                bench.report.add("console", variant, name, figures,
                                 PLAIN if name == CONSOLE else None)


def nginx_settings(directory: pathlib.Path, port: int, server: int) -> pathlib.Path:
    """nginx on one port: the server's pages with the reporter, and the pages of this workload."""
    directory.mkdir()
    reporter = REPORTER.replace("LAST", client.session_id(SESSIONS - 1)).replace("\n", " ")
    (directory / "plain.html").write_text(PLAIN_PAGE.replace("<head>", "<head>" + reporter))
    for name, path in PATHS.items():
        opener = f"setTimeout(() => window.open('{path}', '_blank', 'noopener'), 2500)"
        (directory / f"open-{name.split()[0]}.html").write_text(f"<script>{opener}</script>")
    paths = " ".join(f"{name}_temp_path {name};"
                     for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    quoted = reporter.replace("'", r"\'").replace("$", "${dollar}")
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


def visit(bench, directory: pathlib.Path, port: int, name: str) -> dict[str, float]:
    """Milliseconds from the beginning of the navigation to the list, by the kind of navigation."""
    seen = directory / "seen.log"
    seen.write_text("")
    page = f"http://127.0.0.1:{port}/open-{name.split()[0]}.html"
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
                    raise SystemExit(f"the list of the {name} was not seen")
                time.sleep(0.1)
        finally:
            browser.terminate()
            browser.wait()
    return {kind: float(at) for kind, at in (urllib.parse.parse_qsl(line)[0] for line in lines)}
