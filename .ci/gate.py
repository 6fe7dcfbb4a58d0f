#!/usr/bin/env python3
"""Checks a change: gate.py [--full] [--list] [STEP…]

`.ci/run` calls it without arguments. It runs the core, and those of the other steps that the change
may break, and takes at most 15 minutes on two cores. `.ci/full` runs every step, in its long form
if it has one, and if all pass, it writes the commit to `.ci/passed`. The change is the difference
between that commit and the working tree.

The arrows of Package.swift say what a change may break: a step names the targets that it
tests, and is chosen if one of them has changed, or one that they import. It is also chosen if its
own scripts have changed, or a path that it names. Steps of what was changed itself run first, the
others in an order that each commit shuffles, and a step that would not end within the 15 minutes is
left out and listed.

--list prints which steps would run. Names of steps run just those, and what they need.
"""

import argparse
import concurrent.futures
import ctypes
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PASSED = ROOT / ".ci/passed"
#: When the last step that is not of the core should have ended, in seconds. Then the tests have the
#: processors to themselves.
LIMIT = 8 * 60
#: In a folder of its own, so that it is built beside the tests: SwiftPM locks its folder.
SERVER = ".build/server/release/navstate"
VENV = ROOT / ".build/gate"
PYTHON = f"{VENV}/bin/python"
NATS = f"--nats {VENV}/bin/nats-server"
HEAD = subprocess.run(
    ["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True,
    check=True).stdout.strip()
#: Each commit simulates other machines.
FIRST_SEED = int(HEAD[:7], 16)
#: Packages that recommend daemons, which would be started.
WITH_DAEMONS = {"zsh", "fish", "groff", "caddy", "prometheus", "docker-compose", "systemd",
                "iptables", "default-jre-headless"}


@dataclasses.dataclass(frozen=True)
class Step:
    """`{url}` in the command is a server with the apps of the examples, and `{guarded}` one that
    asks for `{token}`. `seconds` is how long the step takes beside another one."""
    name: str
    command: str
    #: Instead of the command in `.ci/full`.
    full: str = ""
    needs: str = "release tools"
    #: The targets that it tests. Without any, and without paths, it is part of the core.
    targets: str = ""
    paths: str = ""
    seconds: int = 60
    isFullOnly: bool = False
    #: Packages of apt that have programs for it, as `program` or `program=package`.
    apt: str = ""

    @property
    def isCore(self):
        return not (self.targets or self.paths or self.isFullOnly)


def process_test(name, arguments="", **others):
    words = f"python3 Tests/process/{name}_test.py --server {SERVER} {arguments}"
    return {"command": words, **others}


def cluster_test(name, arguments="", **others):
    words = f"python3 Tests/cluster/{name}.py --server {SERVER} {NATS} {arguments}"
    return {"command": words, "targets": "Cluster", **others}


def browser_test(name, arguments="--url {url}", **others):
    words = f"{PYTHON} Tests/browser/{name}_test.py {arguments}"
    return {"command": words, "apt": "chromium", **others}


OF_EACH = f"--server {SERVER}"
PAGES = "Sources/Assets/web/"
ACCEPTANCE = (
    "python3 ../shared/acceptance/run.py --url {url} && "
    "python3 ../shared/acceptance/run.py --url {url} ../shared/acceptance/next/*.json && "
    "python3 ../shared/acceptance/run.py --url {url} ../shared/acceptance/third/*.json")
TESTS = "NAVSTATE_REQUIRES_SERVER=1 .ci/limited 1500 swift test --skip '^SimulationTests\\.'"
#: A simulated machine can be repeated only if hash tables have the same order in each process. All
#: other tests run with the order that chance gives them, as those of users do.
SIMULATIONS = (
    f"SWIFT_DETERMINISTIC_HASHING=1 NAVSTATE_SIMULATIONS_FROM={FIRST_SEED} .ci/limited 1500 "
    ".build/debug/navstatePackageTests.xctest --testing-library swift-testing "
    "--filter '^SimulationTests\\.'")
#: These suites run safe code that other suites run as well, and they count work, enumerate
#: programs or compare with a model, which takes minutes there. The parsers, the store, the loop and
#: the simulated machines are all in. The Swift client has no unsafe code; its memory would be that
#: of URLSession.
SLOW = (
    "NavstateClientTests|WorkCorpusTests|WorkTests|SchemaBoundsTests|LawTests|LinkInverseTests|"
    "SmallWorldTests|TabWorldTests|GuardedWorldTests|ReaderModelTests|DeadlineQueueTests|"
    "ConditionalWriteModelTests|UndoProgramTests|TurnTests|StyleTests")

STEPS = [
    # The core, with what takes longest first.
    Step("debug", "swift build --build-tests", needs=""),
    Step("release", "swift build -c release --product navstate --scratch-path .build/server",
         needs=""),
    Step("tools", "", needs=""),
    Step("format", "swift format lint --strict --recursive Package.swift Sources Tests "
         "Examples/swift", needs=""),
    Step("tests", f"NAVSTATE_PROGRAM_LENGTH=3 NAVSTATE_WORLDS=4 {TESTS}", full=TESTS, needs="debug"),
    Step("simulated machines", SIMULATIONS, needs="debug"),
    Step("types of the fuzz targets", "Tests/Fuzz/run.sh --check", needs="debug"),
    Step("acceptance", ACCEPTANCE),
    Step("stories", f"Tests/conformance/run.sh {SERVER}"),
    Step("hostile clients", **process_test("hostile"),
         full=process_test("hostile", "--full")["command"]),
    Step("life", **process_test("life", apt="strace")),
    Step("console", **browser_test("console")),
    Step("display", **browser_test("display", OF_EACH)),
    Step("kills of a debug build",
         "python3 Tests/process/kill_test.py --server .build/debug/navstate --rounds 5",
         full="python3 Tests/process/kill_test.py --server .build/debug/navstate --rounds 10",
         needs="debug"),
    # Steps that other paths than sources choose.
    Step("types of the pages", "tsc -p Tests/navstate.js", needs="tools",
         paths=PAGES, apt="tsc=node-typescript"),
    Step("navstate.js", "NAVSTATE_URL={url} NAVSTATE_GUARDED_URL={guarded} NAVSTATE_TOKEN={token} "
         "node --test Tests/navstate.js/", targets="API", paths=PAGES, apt="node=nodejs"),
    Step("rules.wasm", "Sources/RulesModule/build.py --fresh && python3 Tests/rules/stories_test.py && "
         "python3 Tests/rules/random_test.py --url {url} --programs 200 && node Tests/rules/growth.js 20000",
         full="Sources/RulesModule/build.py --fresh && python3 Tests/rules/stories_test.py && "
         "python3 Tests/rules/random_test.py --url {url} --programs 10000 && node Tests/rules/growth.js",
         targets="NavstateRules", paths="Sources/RulesModule/ Tests/rules/ docs/conformance/",
         apt="node=nodejs", seconds=40),
    Step("flows in a browser", **browser_test("flows", targets="API", paths=PAGES)),
    Step("screens in a browser", **browser_test("screens", targets="API", paths=PAGES)),
    Step("tokens in a browser", **browser_test(
        "token", "--url {guarded} --token {token}", targets="API", paths=PAGES)),
    Step("tools in a browser", **browser_test("tools", OF_EACH, targets="API", paths=PAGES)),
    Step("layout in a browser", **browser_test(
        "layout", OF_EACH + ' --screenshots "${NAVSTATE_PICTURES:-{work}/pictures}"',
        paths=PAGES), seconds=120),
    Step("emitted tests in a browser", **{
        **browser_test("emitted", OF_EACH, targets="AppTools", paths=PAGES),
        "apt": "chromium node=nodejs"}),
    Step("many sessions in a browser", **browser_test("many", OF_EACH, paths=PAGES), seconds=150),
    Step("playground in a browser", **{
        **browser_test("play", OF_EACH, targets="NavstateRules", paths=PAGES),
        "full": browser_test("play", OF_EACH + " --full")["command"],
        "apt": "chromium firefox=firefox-esr"}, seconds=40),
    Step("problem pages in a browser", **browser_test("pages", paths=PAGES)),
    # Steps that compile much run after the tests, which would otherwise wait for processors.
    Step("SwiftUI files", "Tests/SwiftUIStub/check.sh", needs="tests",
         targets="NavstateClient", paths="Examples/swift/"),
    Step("generated types", f"Tests/types/run.sh {SERVER} .build/debug/Modules", needs="debug release tools",
         targets="AppTools NavstateClient", paths="Tests/types/ Examples/apps/ Examples/swift/",
         apt="tsc=node-typescript", seconds=60),
    Step("documentation of the client", "Tests/documentation.sh", needs="debug",
         targets="NavstateClient"),
    Step("Swift examples", "swift build --package-path Examples/swift "
         "--scratch-path .build/examples", needs="tests", targets="NavstateClient",
         paths="Examples/swift/"),
    Step("a package that depends on the client", "Tests/dependency.sh", needs="tests",
         targets="NavstateClient", paths="Package.swift Examples/swift/"),
    Step("an app that is tested without a server", "../shared/acceptance/typed/run.sh . " + SERVER,
         needs="tests release", targets="NavstateTesting AppTools", seconds=150),
    # The shared store.
    Step("real NATS servers", " && ".join(
        f"NAVSTATE_TEST_CHANGES=2000 Tests/cluster/servers.py {trouble} 4 "
        f"{VENV}/bin/nats-server swift test --skip-build --filter ServersTests"
        for trouble in ("--kill-every", "--pause-every")), needs="tests tools", targets="Cluster",
        seconds=120),
    Step("setup of a shared store", **cluster_test("setup_test", paths="docs/cluster.md")),
    Step("nodes", **cluster_test("nodes_test", paths="docs/cluster.md"), seconds=90),
    Step("the failure suite's checker", "python3 Tests/cluster/checker_test.py", needs="",
         paths="Tests/cluster/"),
    # Builds the release before.
    Step("upgrade", **cluster_test("upgrade_test", targets="Cluster Storage",
                                   paths="Tests/fixtures/"), needs="tests release tools", seconds=240),
    Step("TLS to NATS", **cluster_test("leaf_test", targets="", paths="Examples/cluster/tls/",
                                       apt="openssl")),
    Step("acceptance on three nodes", **cluster_test(
        "fleet", f"--pause=0.02 sh -c '{ACCEPTANCE}'"), seconds=90),
    Step("stories on three nodes", **cluster_test(
        "fleet", f"--option=--reads=quorum sh -c '{ACCEPTANCE} && "
        "python3 docs/conformance/run.py --url {url}'", paths="docs/conformance/")),
    *(Step(f"failures {part}/4", **cluster_test(
        "failures", f"--rounds 1 --jobs 2 --part {part}/4", apt="iptables"))
      for part in range(1, 5)),
    # The store of a single server.
    Step("kills", **process_test("kill", "--rounds 30", targets="Storage Server")),
    # The long form also kills more often, and cuts the power.
    Step("disks", **process_test("store", targets="Storage", apt="strace faketime"),
         full=process_test("store", "--long")["command"]),
    # The interfaces for clients.
    Step("HTTP", **process_test("conformance", targets="HTTP Server")),
    Step("the contract by foreign tools", f"Tests/contract/run.sh {SERVER} {VENV}", targets="API",
         paths="openapi.yaml"),
    # In environments of their own: the older client needs older packages.
    Step("MCP", f"python3 -m venv {VENV}/mcp && python3 -m venv {VENV}/older && "
         f"{VENV}/mcp/bin/pip install -q -r Tests/mcp/requirements.txt && "
         f"{VENV}/older/bin/pip install -q -r Tests/mcp/older.txt && "
         f"{VENV}/mcp/bin/python Tests/process/mcp_test.py --server {SERVER} "
         f"--older {VENV}/older/bin/python", targets="API", paths="Tests/mcp/"),
    Step("generated clients", f"Tests/generated/run.sh {SERVER}", needs="tests release tools",
         paths="openapi.yaml",
         apt="java=default-jre-headless", seconds=150),
    Step("examples of problems", **process_test("problems", targets="API")),
    # The program.
    Step("first contact", **process_test("first_contact", targets="navstate")),
    Step("commands", **process_test("cli", targets="navstate")),
    Step("shells", **process_test("shell", targets="navstate", apt="zsh fish groff")),
    Step("commands in the documentation", **process_test(
        "docs", targets="navstate", paths="README.md docs/ Examples/README.md", apt="jq curl")),
    Step("nginx", **process_test("nginx", "--config Examples/nginx.conf", targets="HTTP Server",
                                 paths="Examples/nginx.conf", apt="nginx")),
    Step("Caddy", **process_test("caddy", "--config Examples/Caddyfile", targets="HTTP Server",
                                 paths="Examples/Caddyfile", apt="caddy")),
    Step("TLS by a proxy", **process_test("proxy", paths="docs/threat-model.md",
                                          apt="nginx openssl")),
    Step("examples", f"{PYTHON} Tests/process/examples_test.py --server {SERVER} {NATS}",
         paths="Examples/",
         apt="prometheus docker-compose strace systemd-analyze=systemd"),
    Step("instructions", f"python3 Benchmarks/instructions.py {SERVER} {NATS}",
         targets="Storage Server Cluster",
         paths="Benchmarks/instructions.json", apt="valgrind objcopy=binutils", seconds=60),
    Step("benchmarks", f"python3 Benchmarks/run.py --short --server {SERVER}", paths="Benchmarks/", apt="wrk",
         seconds=90),
    Step("fuzzing", "Tests/Fuzz/run.sh 10", full="Tests/Fuzz/run.sh 60", needs="tests",
         targets="HTTP Cluster Storage", seconds=150),
    # Steps of `.ci/full` alone.
    Step("rules.wasm again", "Sources/RulesModule/build.py --check", needs="",
         apt="wasm-opt=binaryen brotli", isFullOnly=True),
    Step("more simulated machines", "Tests/simulate.sh 2000 1000", needs="tests", isFullOnly=True),
    Step("address sanitizer", "NAVSTATE_SIMULATIONS=20 SWIFT_DETERMINISTIC_HASHING=1 "
         "LSAN_OPTIONS=suppressions=Tests/leaks.txt .ci/limited 3600 swift test "
         f"--sanitize=address --scratch-path .build/address --skip '{SLOW}'", needs="tests",
         isFullOnly=True),
    Step("thread sanitizer", "Tests/threads.sh", needs="tests", isFullOnly=True),
]


def lines_of(*words):
    return subprocess.run(
        words, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def changed_paths():
    """The paths that differ from the commit in `.ci/passed`; None if it is unknown."""
    commit = PASSED.read_text(encoding="utf-8").strip()
    try:
        paths = lines_of("git", "diff", "--name-only", commit)
    except subprocess.CalledProcessError:
        return None
    paths += lines_of("git", "ls-files", "--others", "--exclude-standard")
    return [path for path in paths if path != ".ci/passed"]


def imported_targets():
    """The targets, each with those that it imports, directly or not."""
    package = json.loads("".join(lines_of("swift", "package", "dump-package")))
    arrows = {
        target["name"]: [one["byName"][0] for one in target["dependencies"]]
        for target in package["targets"]}

    def below(target):
        return set().union(*({one} | below(one) for one in arrows[target]))

    return {target: below(target) for target in arrows}


class Choice:
    """How near the change is to each step."""

    def __init__(self, steps):
        self.paths = changed_paths()
        self.imported = imported_targets()
        self.scripts = set().union(*(self.scripts_of(step) for step in steps))
        changed = self.paths or []
        self.targets = {path.split("/")[1] for path in changed if path.startswith("Sources/")}
        self.isAll = self.paths is None or any(
            path.startswith(".ci/") or path == "Package.swift" for path in changed)

    @staticmethod
    def scripts_of(step):
        return {word for word in re.split(r"[\s']", step.command) if word.startswith("Tests/")}

    def has_own(self, step, path):
        """Whether a path belongs to a step: it is its script, in its folder, or beside its script
        and of no other step."""
        scripts = self.scripts_of(step)
        beside = {script.rpartition("/")[0] for script in scripts}
        return path in scripts or any(path.startswith(f"{script}/") for script in scripts) or (
            path not in self.scripts and not path.endswith(".md")
            and path.rpartition("/")[0] in beside)

    def distance(self, step):
        """0 if a path or target of the step has changed, 1 if one that they import, or None."""
        targets, prefixes = set(step.targets.split()), tuple(step.paths.split())
        if step.isCore:
            return 0
        if targets & self.targets or any(
                self.has_own(step, path) or prefixes and path.startswith(prefixes)
                for path in self.paths or []):
            return 0
        if self.isAll or any(self.imported[target] & self.targets for target in targets):
            return 1
        return None

    def of(self, steps):
        """The steps to run, the nearest first, the equally near as this commit shuffles them."""
        def order(step):
            shuffled = hashlib.sha256(f"{HEAD} {step.name}".encode()).digest()
            return (not step.isCore, self.distance(step), b"" if step.isCore else shuffled)
        return sorted(
            (step for step in steps if not step.isFullOnly and self.distance(step) is not None),
            key=order)


def install(steps):
    """The command that installs what the steps need and the machine lacks."""
    words = {word for step in steps for word in step.apt.split()}
    programs = dict((*word.split("="), word)[:2] for word in words | {"curl", "openssl"})
    missing = sorted(
        package for program, package in programs.items() if not shutil.which(program))
    commands = []
    if missing:
        commands += ["export DEBIAN_FRONTEND=noninteractive", "apt-get update -qq"]
    for option, packages in (
            ("", [one for one in missing if one not in WITH_DAEMONS]),
            ("--no-install-recommends", [one for one in missing if one in WITH_DAEMONS])):
        if packages:
            commands.append(f"apt-get install -y -qq {option} {' '.join(packages)} >/dev/null")
    requirements = " ".join(
        f"-r Tests/{name}/requirements.txt" for name in ("contract", "cluster", "browser"))
    commands += [f"python3 -m venv {VENV}",
                 f"{VENV}/bin/pip install -q kubernetes-validate {requirements}"]
    return " && ".join(commands)


def processes():
    """All processes: the number, that of the parent, and that of the session."""
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                fields = file.read().rpartition(")")[2].split()
            yield int(entry), int(fields[1]), int(fields[3])
        except OSError:  # It has just ended.
            continue


def end(numbers):
    """Kills processes of the gate."""
    for number in numbers:
        try:
            os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            continue


def end_session(leader):
    """Kills what is left of a step, whose process leads a session of its own."""
    assert leader > 1 and leader != os.getsid(0), "a session that a step has started"
    end([number for number, _, session in processes() if session == leader])


def end_children():
    """Kills what has left its session: it has become a child of this process."""
    while children := [number for number, parent, _ in processes() if parent == os.getpid()]:
        end(children)
        for child in children:
            os.waitpid(child, 0)


#: A line that reports a failure: of Swift Testing, a compiler, a Python program or a story.
FAILURE = re.compile("^(?![✔◇]).*(✘|\\berror:|Traceback|Fatal error|\\bFAIL)")


def failures(lines):
    """At most 200 of the lines: those that report a failure, and three more after each."""
    numbers = {number + after for number, line in enumerate(lines) if FAILURE.search(line)
               for after in range(4)}
    return [line for number, line in enumerate(lines) if number in numbers][:200]


class Run:
    """One command, with the servers that it names."""

    def __init__(self, step, command, work, limit):
        self.step, self.command, self.limit = step, command, limit
        self.work = pathlib.Path(tempfile.mkdtemp(dir=work))
        self.processes = []
        self.seconds = self.processor = 0
        self.output, self.isWell = "", False

    def start(self, command, output, **variables):
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            start_new_session=True, env=os.environ | {"SWIFT_BACKTRACE": "enable=no"} | variables)
        self.processes.append(process)
        return process

    def serve(self, name, **variables):
        """Starts a server and returns its address."""
        log = self.work / f"{name}.log"
        with open(log, "w", encoding="utf-8") as file:
            self.start(
                [SERVER, "--listen", "127.0.0.1:0", "--data", self.work / name,
                 "--apps", "Examples/apps"], file, **variables)
        for _ in range(300):
            if found := re.search(r'"address":"(http://127[^"]*)"', log.read_text()):
                return found[1]
            time.sleep(0.1)
        raise OSError(f"the server of the step does not start: {log.read_text()}")

    def carry_out(self):
        begun = time.monotonic()
        words, token = self.command, secrets.token_hex(24)
        words = words.replace("{work}", str(self.work)).replace("{token}", token)
        try:
            # The commands of a fleet have a {url} as well, which it replaces itself.
            if "{url}" in words and "fleet.py" not in words:
                words = words.replace("{url}", self.serve("open"))
            if "{guarded}" in words:
                words = words.replace("{guarded}", self.serve("guarded", NAVSTATE_TOKEN=token))
            with open(self.work / "output", "w+", encoding="utf-8", errors="replace") as file:
                process = self.start(["bash", "-euo", "pipefail", "-c", words], file)
                timer = threading.Timer(self.limit, end_session, [process.pid])
                timer.start()
                # Its number stays taken until the session has ended.
                os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
                timer.cancel()
                end_session(process.pid)
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                file.seek(0)
                self.output = file.read()
            self.processor = usage.ru_utime + usage.ru_stime
            self.seconds = time.monotonic() - begun
            if self.seconds > self.limit:
                self.output += f"\nnot ended after {self.limit} s"
            self.isWell = process.returncode == 0
        except OSError as error:
            self.output += str(error)
        finally:
            self.stop()
            for process in self.processes:
                process.wait()
            shutil.rmtree(self.work, ignore_errors=True)
        return self

    def stop(self):
        """Kills what still runs of it."""
        for process in self.processes:
            if process.returncode is None:
                end_session(process.pid)

    def shown(self, lines):
        text = self.output.rstrip().splitlines()
        # In the output of thousands of tests, the one that failed may be far from the end.
        before = [] if self.isWell else failures(text[:-lines])
        left = [f"[{len(text) - lines} lines before]"] if len(text) > lines else []
        result = "ok" if self.isWell else "FAILED"
        return "\n".join([
            f"\n== {self.step.name}: {result} ({self.seconds:.0f} s, "
            f"{self.processor:.0f} s of processors)", *left, *before, *text[-lines:]])


#: How many steps run at a time. Most of them wait more than they compute.
WIDTH = 3


class Gate:
    """Runs steps, several at a time."""

    def __init__(self, steps, isFull, work):
        self.waiting, self.isFull, self.work = list(steps), isFull, work
        self.begun = time.monotonic()
        self.running, self.done, self.left = {}, {}, []

    def next_step(self):
        """Takes the next step that can start. One that cannot any more ends without a run."""
        names = {step.name for step in self.waiting} | {
            run.step.name for run in self.running.values()}
        late = time.monotonic() - self.begun
        for step in list(self.waiting):
            needs = [name for name in re.findall(r"\w+", step.needs)]
            if any(name in self.done and not self.done[name].isWell for name in needs):
                self.waiting.remove(step)
                self.done[step.name] = Run(step, "", self.work, 0)
                self.done[step.name].output = f"not run, since {step.needs} failed"
            elif not step.isCore and not self.isFull and late + step.seconds > LIMIT:
                self.waiting.remove(step)
                self.left.append(step.name)
            elif not names & set(needs):
                self.waiting.remove(step)
                return step
        return None

    def command(self, step):
        if step.name == "tools":
            return install(self.waiting)
        return step.full if self.isFull and step.full else step.command

    def run(self):
        """Whether all steps passed."""
        # For a step that hangs: the machine may be busy with other work.
        limit = 3 * 3600 if self.isFull else 1800
        with concurrent.futures.ThreadPoolExecutor(WIDTH) as pool:
            try:
                while self.waiting or self.running:
                    while len(self.running) < WIDTH and (step := self.next_step()):
                        print(f"-> {step.name}", flush=True)
                        run = Run(step, self.command(step), self.work, limit)
                        self.running[pool.submit(run.carry_out)] = run
                    ended, _ = concurrent.futures.wait(
                        self.running, return_when=concurrent.futures.FIRST_COMPLETED)
                    for future in ended:
                        run = self.running.pop(future)
                        self.done[run.step.name] = future.result()
                        print(run.shown(10 if run.isWell else 2000), flush=True)
            except BaseException:
                for run in self.running.values():
                    run.stop()
                raise
        self.report()
        return all(run.isWell for run in self.done.values())

    def report(self):
        print("\n| step | seconds | of processors |\n| --- | --: | --: |")
        for name, run in self.done.items():
            print(f"| {name} | {run.seconds:.0f} | {run.processor:.0f} |")
        total = sum(run.processor for run in self.done.values())
        print(f"| in all | {time.monotonic() - self.begun:.0f} | {total:.0f} |")
        if self.left:
            print(f"\nNot run, for want of time (.ci/full runs them): {', '.join(self.left)}")
        for run in self.done.values():
            if not run.isWell:
                print(run.shown(60))
        sys.stdout.flush()


def with_needs(names, steps):
    """The named steps and all that they need, in the order of the table."""
    wanted = set(names)
    for step in reversed(steps):
        if step.name in wanted:
            wanted.update(step.needs.split())
    return [step for step in steps if step.name in wanted]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("steps", nargs="*", metavar="STEP")
    options = parser.parse_args()
    unknown = set(options.steps) - {step.name for step in STEPS}
    if unknown:
        parser.error(f"there is no step {', '.join(unknown)}")
    if options.steps:
        steps = with_needs(options.steps, STEPS)
    else:
        steps = STEPS if options.full else Choice(STEPS).of(STEPS)
    if options.list:
        print("\n".join(step.name for step in steps))
        return
    # A process that a step leaves becomes a child of this one, even a daemon.
    ctypes.CDLL(None).prctl(36, 1)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    with tempfile.TemporaryDirectory() as work:
        try:
            isWell = Gate(steps, options.full, work).run()
        finally:
            end_children()
    if not isWell:
        sys.exit(1)
    if options.full and not options.steps and not lines_of("git", "status", "--porcelain"):
        PASSED.write_text(f"{HEAD}\n", encoding="utf-8")
    print("All steps passed.")


if __name__ == "__main__":
    main()
