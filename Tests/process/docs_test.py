"""The commands in README.md, docs/guide.md and Examples/README.md print what the pages say, the
example in docs/apps.md is a valid app, and the one in docs/format.md is a store.

    docs_test.py --server .build/release/navstate

Needs curl 7.82 and jq.
"""
import argparse, json, os, pathlib, re, subprocess, tempfile, urllib.request
from harness import Case, Server

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
executable = pathlib.Path(parser.parse_args().server).resolve()
root = pathlib.Path(__file__).resolve().parents[2]


def blocks(page, language):
    text = (root / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def console(page):
    """Pairs of a command and its output from blocks with `$` in front of each command."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def commented(page):
    """The same from shell blocks where the output follows as comments."""
    for block in blocks(page, "sh"):
        command = output = ""
        for line in block.splitlines(keepends=True):
            if line.startswith("# "):
                output += line[2:]
                continue
            if output:
                yield command, output
                command = output = ""
            command += line
        if command: yield command, output


def pattern(output):
    """`…` stands for anything on its line."""
    return ".*".join(re.escape(part) for part in output.split("…"))


def matches(seen, output):
    return re.fullmatch(pattern(output.strip()), seen.strip()) is not None


class Shell:
    """One shell for a page, since variables and functions are used again further down."""

    end = "-- end of the output --"

    def __init__(self, url):
        self.url = url
        self.process = subprocess.Popen(
            ["bash"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env={
                **os.environ, "PATH": f"{executable.parent}:{os.environ['PATH']}",
                # The pages show what a terminal shows.
                "NAVSTATE_SERVER": f"http://{url}", "NAVSTATE_JSON": "false"})

    def run(self, command):
        command = re.sub(r"(localhost|127\.0\.0\.1):8080", self.url, command)
        self.process.stdin.write(f"{command}\necho '{self.end}'\n")
        self.process.stdin.flush()
        seen = ""
        for line in self.process.stdout:
            # Output need not end in a newline.
            if line.endswith(self.end + "\n"): return seen + line.removesuffix(self.end + "\n")
            seen += line
        raise AssertionError("the shell has ended: " + seen)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def check(shell, pairs):
    count = 0
    for command, output in pairs:
        seen = shell.run(command)
        assert matches(seen, output), f"{command}\nprints\n{seen}\ninstead of\n{output}"
        count += 1
    assert count
    return f"{count} commands"


def example(kind):
    """The manifest or the segment in docs/format.md."""
    page = (root / "docs/format.md").read_text()
    return re.search(rf"^<!-- {kind} -->\n```json\n(.*?)^```", page, re.M | re.S).group(1)


def format_page(folder):
    def check_store(segment):
        (folder / "log").mkdir(parents=True, exist_ok=True)
        (folder / "MANIFEST.json").write_text(example("manifest"))
        (folder / "log/0000000001.jsonl").write_text(segment)
        answer = subprocess.run([executable, "check", folder], capture_output=True, text=True)
        return answer.returncode, answer.stdout

    segment = example("segment")
    code, text = check_store(segment)
    assert code == 0 and text.endswith("intact\n"), text
    for digit in ('"rev":1', '"rev":2', '"lines":6'):
        assert segment.count(digit) > 0
        code, text = check_store(segment.replace(digit, digit[:-1] + "7", 1))
        assert code == 74, f"{digit}: {code} {text}"
    return f"{len(segment.splitlines())} lines"


def apps_page(url):
    """The tables name every member. The annotated document can be stored and has no warnings."""
    tables = [line for line in (root / "docs/apps.md").read_text().splitlines() if line[:1] == "|"]
    named = {name for line in tables for name in re.findall(r"`([^`]+)`", line.split(" | ")[0])}
    schemas = json.loads((root / "Sources/Assets/openapi.json").read_text())["components"]["schemas"]
    for name in ["AppDefinition", "AppRoute", "AppTab", "AppFact", "AppGuard", "AppTemplate",
                 "AppLink", "LinkPlace", "LinkTarget", "LinkSheet", "IdleCommand"]:
        missing = schemas[name]["properties"].keys() - named
        assert not missing, f"{name}: {sorted(missing)}"
    text = re.sub(r"\s+// .*$", "", blocks("docs/apps.md", "jsonc")[0], flags=re.M)
    request = urllib.request.Request(
        f"http://{url}/v1/apps/hotel", method="PUT", data=json.dumps(json.loads(text)).encode(),
        headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        warnings = json.load(answer)["warnings"]
    assert not warnings, warnings
    return "1 app"


case = Case()
assert matches('{"a":1,"b":2}\n', '{"a":1,…}\n') and not matches("1\n2\n", "…\n")
with tempfile.TemporaryDirectory(prefix="navstate-docs-") as work:
    with Server(executable, pathlib.Path(work) / "data", "--apps", root / "Examples/apps") as server:
        shell = Shell(f"127.0.0.1:{server.port}")
        case.run("README.md", lambda: check(shell, console("README.md")))
        case.run("docs/guide.md, which continues it", lambda: check(shell, console("docs/guide.md")))
        case.run("Examples/README.md", lambda: check(shell, commented("Examples/README.md")))
        shell.close()
        case.run("docs/apps.md", lambda: apps_page(f"127.0.0.1:{server.port}"))
    case.run("docs/format.md", lambda: format_page(pathlib.Path(work) / "format"))
print(f"{case.passed} passed, {case.failed} failed")
raise SystemExit(1 if case.failed else 0)
