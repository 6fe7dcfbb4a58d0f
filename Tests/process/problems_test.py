"""The examples on the pages about problems: each command, sent to a server, has the answer that the
page shows.

    problems_test.py --server .build/release/navstate

`--record` writes the answers of this server into the pages instead. Needs curl 7.82.
"""
import argparse, json, pathlib, subprocess, tempfile
from harness import Case, Server

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--record", action="store_true")
options = parser.parse_args()
executable = pathlib.Path(options.server).resolve()
root = pathlib.Path(__file__).resolve().parents[2]
page = root / "Sources/Assets/problems.json"


def send(command, port):
    """The status and the value of the answer to a curl line."""
    command = command.replace("localhost:8080", f"127.0.0.1:{port}")
    command = command.replace("curl ", "curl -s -w '\\n%{http_code}' ", 1)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=30)
    text, _, status = done.stdout.rpartition("\n")
    assert status, done.stderr
    return int(status), json.loads(text) if text else None


def answer(problem, work):
    """The answer of a new server, after what the example says has happened before."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=work))
    words, environment = ["--apps", root / "Examples/apps", *problem.get("options", [])], {}
    if "tokens" in problem:
        (folder / "tokens").write_text(problem["tokens"])
        words += ["--token-file", folder / "tokens"]
    if "token" in problem: environment["NAVSTATE_TOKEN"] = problem["token"]
    with Server(executable, folder / "data", *words, environment=environment) as server:
        for command in problem["before"]:
            status, value = send(command, server.port)
            assert status < 300, (command, value)
        status, value = send(problem["request"], server.port)
        value.pop("requestId", None)
        assert problem.get("isTimed") or value.get("status") == status, (problem["request"], value)
        server.end()
    return value


def same(problem, work):
    seen = answer(problem, work)
    # On a busy machine a second may pass between two requests.
    while problem.get("isTimed") and "status" not in seen: seen = answer(problem, work)
    shown = problem["answer"]
    if "session" in seen:
        for session in (seen["session"], shown["session"]):
            for time in ("createdAt", "updatedAt"): session.pop(time)
    assert seen == shown, f"{problem['request']}\nanswers\n{json.dumps(seen)}"
    assert seen["type"] == f"/problems/{problem['type']}"


problems = json.loads(page.read_text())
examples = [problem for problem in problems if problem["request"]]
assert len(examples) > 45
with tempfile.TemporaryDirectory(prefix="navstate-problems-") as work:
    if options.record:
        for problem in examples:
            try: problem["answer"] = answer(problem, work)
            except AssertionError as error: print(problem["type"], error)
        page.write_text(json.dumps(problems, indent=2, ensure_ascii=False) + "\n")
        raise SystemExit(0)
    case = Case()
    for problem in examples: case.run(problem["type"], lambda: same(problem, work))
print(f"{case.passed} passed, {case.failed} failed")
raise SystemExit(1 if case.failed else 0)
