"""The files in Examples/, by the tools that will read them, and beside a running server.

    examples_test.py --server .build/release/navstate

Needs Debian's docker-compose, prometheus and systemd, and kubernetes-validate of PyPI beside this
Python. nginx and Caddy have tests of their own.
"""
import argparse, json, pathlib, re, subprocess, sys, tempfile, time, urllib.parse, urllib.request
import front
from harness import Case, Server

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
executable = pathlib.Path(parser.parse_args().server).resolve()
examples = pathlib.Path(__file__).resolve().parents[2] / "Examples"
folder = tempfile.TemporaryDirectory(prefix="navstate-examples-")
work = pathlib.Path(folder.name)


def run(*words, **options):
    answer = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=60, **options)
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr


def variables_are_known(names):
    known = run(executable, "help", "options.md")
    for name in names:
        name = name.removesuffix("_FILE")
        assert f"`{name}`" in known, name


def compose():
    text = (examples / "compose.yaml").read_text()
    run("docker-compose", "-f", examples / "compose.yaml", "config", "--quiet")
    variables_are_known(re.findall(r"^ +(NAVSTATE_\w+):", text, re.M))


def kubernetes():
    text = (examples / "kubernetes.yaml").read_text()
    run(pathlib.Path(sys.executable).parent / "kubernetes-validate", "--strict",
        examples / "kubernetes.yaml")
    variables_are_known(re.findall(r"name: (NAVSTATE_\w+)", text))


def unit():
    text = (examples / "navstate.service").read_text()
    assert "/usr/local/bin/navstate" in text
    (work / "navstate.service").write_text(
        text.replace("/usr/local/bin/navstate", str(executable)))
    said = run("systemd-analyze", "verify", "--man=no", work / "navstate.service")
    assert "navstate.service" not in said, said
    run("systemd-analyze", "security", "--offline=yes", "--threshold=20",
        work / "navstate.service")
    command = re.search(r"^ExecStart=\S+ serve (.*)$", text, re.M).group(1).split()
    run(executable, "config", *command)


def alerts():
    run("promtool", "check", "rules", examples / "alerts.yaml")
    test = pathlib.Path(__file__).with_name("alerts.test.yaml").read_text()
    (work / "alerts.test.yaml").write_text(test.replace("ALERTS", str(examples / "alerts.yaml")))
    run("promtool", "test", "rules", work / "alerts.test.yaml")


def queries(value):
    """Every `expr` of a dashboard."""
    if isinstance(value, dict):
        if "expr" in value: yield value["expr"]
        for part in value.values(): yield from queries(part)
    elif isinstance(value, list):
        for part in value: yield from queries(part)


def dashboard():
    """A real Prometheus asks a server that is in use, and each panel has something to show."""
    found = list(queries(json.loads((examples / "grafana/navstate.json").read_text())))
    assert found
    port = front.free_port()
    with Server(executable, work / "data") as server:
        (work / "prometheus.yaml").write_text(
            "global: {scrape_interval: 250ms, scrape_timeout: 250ms}\nscrape_configs:\n"
            f"  - {{job_name: navstate, static_configs: [{{targets: ['127.0.0.1:{server.port}']}}]}}\n")
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={work}/prometheus.yaml",
             f"--storage.tsdb.path={work}/series", f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            front.until_open(port)
            end = time.monotonic() + 15
            missing = found
            while missing and time.monotonic() < end:
                server.call("POST", "/v1/sessions", {"tabs": ["a"]})
                server.call("GET", "/v1/sessions/nobody")
                time.sleep(0.2)
                missing = [query for query in missing if not shows(port, query)]
            assert not missing, "nothing to see of: " + "; ".join(missing)
        finally: front.end(prometheus)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as answer:
            page = answer.read().decode()
        run("promtool", "check", "metrics", input=page)
        assert server.end() == 0
    return f"{len(found)} queries"


def shows(port, query):
    query = query.replace("$job", ".+").replace("$__rate_interval", "5s")
    assert "$" not in query, query
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(url) as answer: return json.load(answer)["data"]["result"]


case = Case()
case.run("compose.yaml is well-formed", compose)
case.run("kubernetes.yaml is well-formed", kubernetes)
case.run("navstate.service is a sound unit", unit)
case.run("the alerts fire when they should", alerts)
case.run("every panel of the dashboard shows something", dashboard)
print(f"{case.passed} passed, {case.failed} failed")
raise SystemExit(1 if case.failed else 0)
