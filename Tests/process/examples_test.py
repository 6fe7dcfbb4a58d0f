"""The files in Examples/, by the tools that will read them, and beside a running server.

    examples_test.py --server .build/release/navstate [--nats nats-server]

Needs Debian's docker-compose, prometheus and systemd, and kubernetes-validate of PyPI beside this
Python. nginx, Caddy and the TLS between navstate and NATS have tests of their own.
"""
import argparse, json, os, pathlib, re, subprocess, sys, tempfile, time
import urllib.parse, urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cluster"))

import front
from fleet import Node
from harness import Case, Server
from nodes_test import Caller
from servers import Cluster

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--nats", default="nats-server")
options = parser.parse_args()
executable = pathlib.Path(options.server).resolve()
examples = pathlib.Path(__file__).resolve().parents[2] / "Examples"
folder = tempfile.TemporaryDirectory(prefix="navstate-examples-")
work = pathlib.Path(folder.name)


# The environment of every command in the image.
image = dict(re.findall(
    r"(NAVSTATE_\w+)=(\S+)", (examples.parent / "Dockerfile").read_text()))


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


def compose(name):
    """The text of a file, which is checked."""
    text = (examples / name).read_text()
    run("docker-compose", "-f", examples / name, "config", "--quiet")
    variables_are_known(re.findall(r"^ +(NAVSTATE_\w+):", text, re.M))
    return text


def kubernetes(name):
    """The text of a file, which is checked."""
    text = (examples / name).read_text()
    run(pathlib.Path(sys.executable).parent / "kubernetes-validate", "--strict", examples / name)
    variables_are_known(re.findall(r"name: (NAVSTATE_\w+)", text))
    return text


def make_secrets(directory, *hosts):
    """The passwords that the examples of a shared store need, by their script."""
    run(examples / "cluster/secrets.sh", directory, *hosts)
    assert directory.stat().st_mode & 0o777 == 0o700
    address = (directory / "store").read_text()
    assert address == address.strip() and all(f"{host}:4222" in address for host in hosts)
    run(executable, "config", env={**os.environ, "NAVSTATE_STORE_FILE": str(directory / "store")})


def init_is_known(words):
    """The words of a container that creates the store are those of the executable."""
    assert words[:2] == ["store", "init"], words
    run(executable, "config", *words[2:])


def settings_are_sound(name, text, include):
    """A NATS server takes these settings, with the passwords in the place that they name."""
    (work / name / "etc/nats").mkdir(parents=True)
    secrets = (work / name / "etc/nats" / include).resolve()
    secrets.parent.parent.mkdir(parents=True, exist_ok=True)
    make_secrets(secrets.parent, "nats-1", "nats-2", "nats-3")
    file = work / name / "etc/nats/nats.conf"
    file.write_text(text)
    assert f"include {include}\n" in text and "sync_interval: always" in text
    run(options.nats, "-t", "-c", file, env={**os.environ, "NATS_NAME": "nats-1"})


def cluster_compose():
    text = compose("cluster/compose.yaml")
    init_is_known(json.loads(re.search(r'command: (\["store".*\])', text).group(1)))
    settings_are_sound(
        "compose", (examples / "cluster/nats.conf").read_text(),
        "../../run/secrets/passwords.conf")


def cluster_kubernetes():
    text = kubernetes("cluster/kubernetes.yaml")
    init_is_known(json.loads(re.search(r'args: (\["store".*\])', text).group(1)))
    block = re.search(r"  nats\.conf: \|\n((?:    .*\n|\n)+)", text).group(1)
    settings_are_sound(
        "kubernetes", re.sub(r"^    ", "", block, flags=re.M),
        "../../run/secrets/nats/passwords.conf")
    # Both files give a node the same permissions.
    permissions = [re.sub(r"\s+", " ", re.search(r"permissions \{.*?\]\s*\}", one, re.S).group())
                   for one in (text, (examples / "cluster/nats.conf").read_text())]
    assert permissions[0] == permissions[1], permissions


class Hub(Cluster):
    """Three NATS servers with the settings of the example, in which only addresses and paths
    differ."""

    def write_settings(self, index, lazy):
        text = (examples / "cluster/nats.conf").read_text()
        for theirs, ours in ((4222, self.ports), (6222, self.routes), (8222, self.monitors)):
            assert f'"0.0.0.0:{theirs}"' in text, theirs
            text = text.replace(f'"0.0.0.0:{theirs}"', f'"127.0.0.1:{ours[index]}"')
        text = text.replace('"/data"', f'"{self.store(index)}"').replace("$NATS_NAME", f"n{index}")
        text = text.replace("../../run/secrets/passwords.conf", "passwords.conf")
        pathlib.Path(f"{self.store(index)}.conf").write_text(text)

    def passwords(self, secrets):
        """Takes those that the script has made; the address of the store with them."""
        text = (secrets / "passwords.conf").read_text()
        for port in self.routes: text = text.replace(":6222", f":{port}", 1)
        pathlib.Path(self.directory, "passwords.conf").write_text(text)
        address = (secrets / "store").read_text()
        for port in self.ports: address = address.replace(":4222", f":{port}", 1)
        return address


class SharedStore:
    """Two navstates on three such servers, with the user that may do no more than it must."""

    def __enter__(self):
        folder, secrets = work / "hub", work / "hub-secrets"
        folder.mkdir()
        make_secrets(secrets, "127.0.0.1", "127.0.0.1", "127.0.0.1")
        self.hub, self.nodes = Hub(options.nats, str(folder)), []
        try:
            address = self.hub.passwords(secrets)
            self.environment = {**os.environ, "NAVSTATE_STORE": address}
            self.hub.start_all()
            monitors = [f"--monitor=http://127.0.0.1:{port}" for port in self.hub.monitors]
            for words in (["init", "--shards", "4"], ["status"], ["check", *monitors]):
                run(executable, "store", *words, env={**self.environment, **image})
            run(executable, "dump", env={**self.environment, **image})
            for name in ("a", "b"):
                node = Node(name, [str(executable)], str(folder / f"{name}.log"),
                            environment={"NAVSTATE_STORE": address})
                self.nodes.append(node)
                node.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for node in self.nodes:
            if node.isRunning: node.kill()
        self.hub.stop_all()


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
    allowed = set()
    for names in re.findall(r"^SystemCallFilter=(.*)$", text, re.M):
        calls = system_calls(names.removeprefix("~").split())
        allowed = allowed - calls if names.startswith("~") else allowed | calls
    made = system_calls_of_server()
    assert "fdatasync" in made and not made - allowed, made - allowed


def system_calls(names):
    """The system calls that names stand for, of which some are names of sets."""
    calls = set()
    for name in names:
        if name.startswith("@"):
            said = run("systemd-analyze", "syscall-filter", name)
            calls |= system_calls(re.findall(r"^ +(@?[\w-]+)$", said, re.M))
        else:
            calls.add(name)
    return calls


def system_calls_of_server():
    """What a server calls that serves, compacts its log, and stops."""
    trace = work / "calls"
    with Server(executable, work / "traced", "--segment-size=1MiB",
                fault=("-o", str(trace))) as server:
        for number in range(3_000):
            server.call("POST", "/v1/sessions", {"id": f"s{number % 50}"})
            server.call("DELETE", f"/v1/sessions/s{number % 50}")
        assert server.end() == 0
    text = trace.read_text()
    return set(re.findall(r"^\d+ +(\w+)\(", text, re.M))


def alerts():
    run("promtool", "check", "rules", examples / "alerts.yaml")
    test = pathlib.Path(__file__).with_name("alerts.test.yaml").read_text()
    names = re.findall(r"alert: (\w+)", (examples / "alerts.yaml").read_text())
    for name in names: assert f"alertname: {name}\n" in test, f"{name} is not tested"
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
    """A real Prometheus asks servers that are in use, one of them with a directory and two on a
    shared store, and each panel has something to show. The servers export what the alerts name."""
    found = list(queries(json.loads((examples / "grafana/navstate.json").read_text())))
    assert found
    port = front.free_port()
    with Server(executable, work / "data") as server, SharedStore() as shared:
        ports = [server.port, *(node.port for node in shared.nodes)]
        targets = ", ".join(f"'127.0.0.1:{one}'" for one in ports)
        (work / "prometheus.yaml").write_text(
            "global: {scrape_interval: 250ms, scrape_timeout: 250ms}\nscrape_configs:\n"
            f"  - {{job_name: navstate, static_configs: [{{targets: [{targets}]}}]}}\n")
        prometheus = subprocess.Popen(
            ["prometheus", f"--config.file={work}/prometheus.yaml",
             f"--storage.tsdb.path={work}/series", f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            front.until_open(port)
            end = time.monotonic() + 60
            missing = found
            while missing and time.monotonic() < end:
                server.call("POST", "/v1/sessions", {"tabs": ["a"]})
                server.call("GET", "/v1/sessions/nobody")
                for node in shared.nodes: Caller(node).session()
                time.sleep(0.2)
                missing = [query for query in missing if not shows(port, query)]
            assert not missing, "nothing to see of: " + "; ".join(missing)
        finally: front.end(prometheus)
        pages = [metrics(one) for one in ports]
        assert server.end() == 0
    named = metrics_of_alerts()
    for name in named["navstate"]: assert f"\n{name}" in pages[0], f"{name} of the alerts"
    for page in pages[1:]:
        for name in named["navstate-shared-store"]:
            assert f"\n{name}" in page, f"{name} of the alerts"
    return f"{len(found)} queries"


def metrics(port):
    """The metrics of a server."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        page = answer.read().decode()
    run("promtool", "check", "metrics", input=page)
    return page


def metrics_of_alerts():
    """The metrics that each group of alerts names."""
    text = (examples / "alerts.yaml").read_text()
    groups = re.split(r"^  - name: ", text, flags=re.M)[1:]
    named = {}
    for group in groups:
        expressions = re.findall(r"expr: (.*?)\n +for:", group, re.S)
        assert len(expressions) == group.count("- alert: ")
        found = re.findall(r"\b(?:navstate|http)_\w+", " ".join(expressions))
        named[group.splitlines()[0]] = [name for name in found if "status_code" not in name]
    assert all(named.values()) and len(named) == 2, named
    return named


def shows(port, query):
    query = query.replace("$job", ".+").replace("$__rate_interval", "5s")
    assert "$" not in query, query
    url = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": query})
    with urllib.request.urlopen(url) as answer: return json.load(answer)["data"]["result"]


case = Case()
case.run("compose.yaml is well-formed", lambda: compose("compose.yaml") and None)
case.run("kubernetes.yaml is well-formed", lambda: kubernetes("kubernetes.yaml") and None)
case.run("cluster/compose.yaml and its settings are well-formed", cluster_compose)
case.run("cluster/kubernetes.yaml and its settings are well-formed", cluster_kubernetes)
case.run("navstate.service is a sound unit", unit)
case.run("the alerts fire when they should", alerts)
case.run("every panel of the dashboard shows something", dashboard)
print(f"{case.passed} passed, {case.failed} failed")
raise SystemExit(1 if case.failed else 0)
