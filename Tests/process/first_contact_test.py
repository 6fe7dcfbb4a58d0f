"""The first contact of somebody with navstate: the demo, and a server without a token
that makes its own, as the container does.

    first_contact_test.py --server .build/release/navstate

Talks to 127.0.0.1 only. Needs curl 7.82.
"""
import argparse, json, os, pathlib, re, signal, socket, stat, subprocess, tempfile, urllib.parse
import urllib.error, urllib.request

from harness import Case, until

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
executable = str(pathlib.Path(parser.parse_args().server).resolve())
work = pathlib.Path(tempfile.mkdtemp(prefix="navstate-first-contact-"))
own = {key: value for key, value in os.environ.items() if not key.startswith("NAVSTATE_")}


def fresh(name): return pathlib.Path(tempfile.mkdtemp(prefix=name, dir=work))


def get(url, token=None, method="GET", accept="*/*"):
    """The status and the text of an answer."""
    request = urllib.request.Request(url, method=method, headers={"Accept": accept})
    if token: request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def run(*words, **environment):
    done = subprocess.run([executable, *words], capture_output=True, text=True, timeout=30,
                          env={**own, **environment})
    return done.returncode, done.stdout, done.stderr


class Running:
    """A process that has printed something that is waited for."""

    def __init__(self, *words, wanted, **environment):
        folder = fresh("run-")
        self.out, self.log = folder / "out", folder / "log"
        with open(self.out, "a") as out, open(self.log, "a") as log:
            self.process = subprocess.Popen([executable, *map(str, words)], stdout=out, stderr=log,
                                            env={**own, **environment})
        until(lambda: self.process.poll() is not None or re.search(wanted, self.text), wanted)
        assert self.process.poll() is None, self.text

    @property
    def text(self): return self.out.read_text() + self.log.read_text()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        assert self.process.wait(30) == 0, self.text

    def __enter__(self): return self

    def __exit__(self, *_):
        if self.process.poll() is None: self.process.kill()
        self.process.wait()


def address(text, name): return re.search(rf"^  {name} +(\S+)$", text, re.M).group(1)


def parts(url):
    """The origin of an address and what its fragment says."""
    origin, _, fragment = url.partition("#")
    return origin.rpartition("/")[0], dict(urllib.parse.parse_qsl(fragment))


def demo():
    """Three sessions, the sample apps and the pages, on a port of this machine only."""
    folder = fresh("tmp-")
    with Running("demo", wanted="Ctrl-C", TMPDIR=str(folder)) as one:
        origin, fragment = parts(address(one.text, "console"))
        assert fragment == {"session": "demo"} and origin.startswith("http://127.0.0.1:")
        assert address(one.text, "display") == f"{origin}/display#session=demo"
        sessions = json.loads(get(f"{origin}/v1/sessions")[1])["sessions"]
        assert {item["id"]: item["app"] for item in sessions} == {
            "demo": "social", "desk": "chat", "kiosk": "shop"}
        for item in sessions:
            assert len(json.loads(get(f"{origin}/v1/sessions/{item['id']}/history")[1])["history"]) > 3
        apps = json.loads(get(f"{origin}/v1/apps")[1])["apps"]
        files = (pathlib.Path(__file__).resolve().parents[2] / "Examples/apps").glob("*.json")
        assert {app["id"] for app in apps} == {file.stem for file in files}
        for page in ("/", "/display", "/docs", "/problems"): assert get(origin + page)[0] == 200
        lines = re.findall(r"^  (curl .*)$", one.text, re.M)
        assert len(lines) == 3
        for line in lines:
            done = subprocess.run(["bash", "-c", line.replace("curl ", "curl -sf ", 1)],
                                  capture_output=True, text=True, timeout=30)
            assert done.returncode == 0 and json.loads(done.stdout)["changed"], (line, done.stdout)
        assert "\u2580" not in one.text, "no code that other devices could not use"
        assert len(list(folder.iterdir())) == 1
        one.end()
        assert list(folder.iterdir()) == [], "the data are removed"
        assert "has ended" in one.text and '"level"' not in one.text, one.text


def demo_ends():
    """Each signal that ends the demo removes its data, also when it comes at once."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        folder = fresh("tmp-")
        with Running("demo", wanted="console", TMPDIR=str(folder)) as one: one.end(number)
        assert list(folder.iterdir()) == [], number
    folder = fresh("tmp-")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        code, _, message = run("demo", "--listen", address, TMPDIR=str(folder))
        assert code == 69 and "in use" in message, message
    assert list(folder.iterdir()) == []
    code, _, message = run("demo", TMPDIR="/proc/nowhere")
    assert code == 73 and "TMPDIR" in message, message


def demo_on_the_network():
    """With --lan all is behind tokens: one for the console, and one for the display's session."""
    with Running("demo", "--lan", wanted="Ctrl-C", TMPDIR=str(fresh("tmp-"))) as one:
        origin, console = parts(address(one.text, "console"))
        same, display = parts(address(one.text, "display"))
        assert origin == same and set(console) == {"token"} and display["session"] == "demo"
        # The address is that of the network; here the same port is asked on loopback.
        local = f"http://127.0.0.1:{origin.rpartition(':')[2]}"
        assert get(f"{local}/v1/sessions")[0] == 401
        assert get(f"{local}/v1/sessions", console["token"])[0] == 200
        assert get(f"{local}/v1/sessions/demo", display["token"])[0] == 200
        assert get(f"{local}/v1/sessions/kiosk", display["token"])[0] == 403
        assert get(f"{local}/v1/sessions/demo/undo", display["token"], "POST")[0] == 200
        assert get(f"{local}/v1/sessions", display["token"])[0] == 403
        code = [line for line in one.text.splitlines() if re.fullmatch("[\u2580\u2584\u2588 ]{20,}", line)]
        assert len(code) * 2 in (len(code[0]), len(code[0]) + 1), "it is a square"
        assert all(f"Bearer {console['token']}" in line for line in re.findall("^  curl.*", one.text, re.M))
        one.end()


def demo_options():
    """Senseless words are refused, and variables for a server with data do not matter."""
    for words in (["--data", "x"], ["--apps", "x"], ["--allow-anonymous"], ["--config", "x"]):
        code, _, message = run("demo", *words)
        assert code == 64 and words[0] in message and "--lan" in message, message
    for words in (["serve", "--lan"], ["--lan"], ["check", "--lan"]):
        code, _, message = run(*words)
        assert code == 64 and "demo" in message, message
    assert run("demo", "--lan", "--listen", "127.0.0.1:0")[0] == 64
    assert run("demo", "--listen", f"unix:{work}/s")[0] == 64
    assert run("demo", "x")[0] == 64
    assert "QR" in run("help", "demo")[1] and "--lan" in run("help", "demo")[1]
    folder = fresh("data-")
    with Running("demo", wanted="Ctrl-C", TMPDIR=str(fresh("tmp-")), NAVSTATE_LISTEN="127.0.0.1:0",
                 NAVSTATE_DATA=str(folder), NAVSTATE_TOKEN="x" * 32, NAVSTATE_FIRST_TOKEN="make") as one:
        origin, _ = parts(address(one.text, "console"))
        assert get(f"{origin}/v1/sessions")[0] == 200 and not list(folder.iterdir())
        one.end()


def served(data, *words, **environment):
    return Running("--listen", "127.0.0.1:0", "--data", data, *words, wanted='"ready"', **environment)


def port(one): return re.search(r'"address":"http://127.0.0.1:(\d+)"', one.text).group(1)


def first_token():
    """As the container: the token is made once, is told once, and stays."""
    data = fresh("data-") / "store"
    with served(data, NAVSTATE_FIRST_TOKEN="make") as one:
        lines = [json.loads(line) for line in one.log.read_text().splitlines()]
        made = next(line for line in lines if "console" in line)
        origin, fragment = parts(made["console"])
        token, file = fragment["token"], pathlib.Path(made["file"])
        assert origin == f"http://127.0.0.1:{port(one)}"
        assert file == data / "first-token" and file.read_text() == token + "\n"
        assert stat.S_IMODE(file.stat().st_mode) == 0o600 and len(token) == 32
        assert get(f"{origin}/v1/sessions")[0] == 401
        assert get(f"{origin}/v1/sessions", token)[0] == 200
        assert get(f"{origin}/v1/backup", token)[0] == 200, "it is an administrator's"
        assert one.out.read_text() == "", "no banner where nobody reads it"
        # The tokens are read again, and it is still one of them.
        one.process.send_signal(signal.SIGHUP)
        until(lambda: '"reloaded"' in one.text, "the reload")
        assert get(f"{origin}/v1/sessions", token)[0] == 200
        one.end()
    with served(data, "--first-token", "make") as two:
        assert token not in two.text and str(file) in two.text, two.text
        url = f"http://127.0.0.1:{port(two)}/v1/sessions"
        assert get(url)[0] == 401 and get(url, token)[0] == 200
        two.end()
    # A token that is set takes its place, and so does leave for everybody.
    with served(data, NAVSTATE_FIRST_TOKEN="make", NAVSTATE_TOKEN="another-token") as three:
        url = f"http://127.0.0.1:{port(three)}/v1/sessions"
        assert get(url, token)[0] == 401 and get(url, "another-token")[0] == 200
        three.end()
    with served(data, "--allow-anonymous", NAVSTATE_FIRST_TOKEN="make") as four:
        assert get(f"http://127.0.0.1:{port(four)}/v1/sessions")[0] == 200
        four.end()
    file.unlink()
    with served(data, NAVSTATE_FIRST_TOKEN="make") as five:
        assert file.read_text() != token + "\n" and '"console"' in five.text
        five.end()
    file.write_text("two words\n")
    code, _, message = run("--listen", "127.0.0.1:0", "--data", str(data), "--first-token", "make")
    assert code == 78 and str(file) in message and "words" not in message, message


def first_token_elsewhere():
    """Without the option, a server for others is refused as before; it cannot be half made."""
    code, _, message = run("--listen", "0.0.0.0:0", "--data", str(work / "none"))
    assert code == 64 and "--first-token make" in message and not (work / "none").exists(), message
    code, _, message = run("--first-token", "make", "--listen", "127.0.0.1:0", "--data", "/proc/none")
    assert code == 73 and "--data" in message, message


def image():
    """The image sets the variable, has the sample apps, and a place for the demo's data."""
    text = (pathlib.Path(__file__).resolve().parents[2] / "Dockerfile").read_text()
    assert "NAVSTATE_FIRST_TOKEN=make" in text and "COPY Examples/apps Examples/apps" in text
    assert "/out/tmp" in text


cases = Case()
for test in (demo, demo_ends, demo_on_the_network, demo_options, first_token,
             first_token_elsewhere, image):
    cases.run(test.__name__.replace("_", " "), test)
subprocess.run(["rm", "-rf", str(work)], check=True)
print(f"{cases.passed} passed, {cases.failed} failed")
raise SystemExit(1 if cases.failed else 0)
