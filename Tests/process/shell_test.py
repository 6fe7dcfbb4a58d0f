"""The completion scripts in the shells that they are for, as at a keyboard, and the manual page.

    shell_test.py --server .build/release/navstate

Needs bash, zsh, fish and groff.
"""
import argparse, os, pathlib, pty, select, subprocess, tempfile, time
from harness import Case, Server

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
server = pathlib.Path(parser.parse_args().server).resolve()
assert server.name == "navstate", "the completion is for this name"
work = tempfile.TemporaryDirectory(prefix="navstate-shell-")
home = pathlib.Path(work.name)
(home / "kept things").mkdir()
(home / "backup.tar").touch()
#: The server of NAVSTATE_SERVER, and one that is named on the command line.
main, other = (Server(server, home / name) for name in ["main", "other"])
for running, ids in [(main, ["kiosk-1", "desk-7"]), (other, ["other-9"])]:
    for name in ids: assert running.call("POST", "/v1/sessions", {"id": name})[0] == 201
mainURL, otherURL = (f"http://127.0.0.1:{running.port}" for running in [main, other])
levels = "trace debug info notice warning error critical"
options = ["--listen", "--data", "--log-level", "--drain"]

#: The words before the tab key, and the line that they become.
lines = [
    ("navstate hea", "navstate healthcheck "),
    ("navstate check --log-fo", "navstate check --log-format"),
    ("navstate --log-level no", "navstate --log-level notice "),
    ("navstate --log-level=no", "navstate --log-level=notice "),
    ("navstate --drain 5s --log-format j", "navstate --drain 5s --log-format json "),
    ("navstate completion f", "navstate completion fish "),
    ("navstate help exit", "navstate help exit-codes "),
    ("navstate help drai", "navstate help drain "),
    ("navstate restore back", "navstate restore backup.tar "),
    ("navstate --data ke", "navstate --data kept\\ things/"),
    ("navstate --data=ke", "navstate --data=kept\\ things/"),
    ("navstate version b", "navstate version b"),
    ("navstate sho", "navstate show "),
    ("navstate show ki", "navstate show kiosk-1 "),
    ("navstate watch --json --timeout 3s de", "navstate watch --json --timeout 3s desk-7 "),
    ("navstate navigate kiosk-1 de", "navstate navigate kiosk-1 de"),
    (f"navstate undo --server {otherURL} ot", f"navstate undo --server {otherURL} other-9 "),
    (f"navstate undo --server={otherURL} ot", f"navstate undo --server={otherURL} other-9 "),
    ("navstate app pu", "navstate app put "),
    ("navstate app che", "navstate app check "),
    ("navstate app check --json back", "navstate app check --json backup.tar "),
    ("navstate app import --from ho", "navstate app import --from hotwire "),
    ("navstate hist", "navstate history "),
    ("navstate setB", "navstate setBadge "),
    ("navstate history de", "navstate history desk-7 "),
    ("navstate tokens kiosk-1 rev", "navstate tokens kiosk-1 revoke "),
    ("navstate batch kiosk-1 back", "navstate batch kiosk-1 backup.tar "),
    ("navstate play back", "navstate play backup.tar "),
    ("navstate help app sc", "navstate help app schema "),
    ("navstate app put back", "navstate app put backup.tar "),
]


class Terminal:
    """A shell that believes somebody is typing."""

    def __init__(self, *command):
        self.unread = b""
        self.process, self.screen = pty.fork()
        if self.process == 0:
            os.chdir(home)
            os.execvpe(command[0], command, {
                "PATH": f"{server.parent}:{os.environ['PATH']}", "HOME": str(home),
                "NAVSTATE_SERVER": mainURL, "TERM": "dumb", "LC_ALL": "C"})

    def type(self, text): os.write(self.screen, text.encode())

    def read(self, until, seconds):
        """The output up to this text, or until the time is over; the rest is for the next."""
        end = time.monotonic() + seconds
        while until.encode() not in self.unread and time.monotonic() < end:
            if select.select([self.screen], [], [], 0.05)[0]:
                self.unread += os.read(self.screen, 4096)
        seen, found, rest = self.unread.partition(until.encode())
        self.unread = rest
        return (seen + found).decode(errors="replace")

    def complete(self, line, becomes):
        """Types it and the tab key; what then stands there."""
        self.type(line)
        self.read(line, 5)
        self.type("\t")
        more = becomes.removeprefix(line)
        # A bell says that there is nothing; what comes late would be too much.
        seen = line + self.read(more or "\a", 5) + self.read("\0", 0.2)
        # The line is taken back; the shell may draw its prompt anew for that.
        self.type("\x15echo do''ne\r")
        self.read("done", 5)
        self.read("ready> ", 5)
        return seen.replace("\a", "")

    def close(self):
        os.close(self.screen)
        os.waitpid(self.process, 0)


def keyboard(terminal, setup):
    try:
        terminal.type(setup + "; PS1='rea''dy> '\r")
        banner = terminal.read("ready> ", 10)
        assert "ready> " in banner, banner
        for word in ["rror", "not found", "bad"]: assert word not in banner, banner
        for line, becomes in lines:
            # After an option's name zsh writes "=", bash a space.
            seen = terminal.complete(line, becomes.rstrip(" ")).rstrip(" =")
            assert seen == becomes.rstrip(" "), f"{line!r} became {seen!r}"
    finally: terminal.close()
    return f"{len(lines)} lines"


def bash():
    terminal = Terminal("bash", "--norc", "--noprofile", "-i")
    return keyboard(terminal, "bind 'set enable-bracketed-paste off'; bind 'set bell-style audible';"
                    " source <(navstate completion bash)")


def zsh(setup):
    terminal = Terminal("zsh", "-f", "-i")
    return keyboard(terminal, f"unset zle_bracketed_paste; unsetopt auto_menu prompt_sp; {setup}")


def zsh_function():
    script = subprocess.check_output([server, "completion", "zsh"])
    (home / "functions").mkdir()
    (home / "functions/_navstate").write_bytes(script)
    return zsh("fpath=(~/functions $fpath); autoload -Uz compinit;"
               " compinit -u -d ~/.dump")


def zsh_sourced():
    return zsh("autoload -Uz compinit; compinit -u -d ~/.dump2;"
               " source <(navstate completion zsh)")


def fish():
    """It can be asked: `complete -C`."""
    script = home / "navstate.fish"
    script.write_bytes(subprocess.check_output([server, "completion", "fish"]))

    def candidates(line):
        answer = subprocess.run(
            ["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], cwd=home,
            capture_output=True, text=True, env={**os.environ, "HOME": str(home), "NAVSTATE_SERVER": mainURL,
                            "PATH": f"{server.parent}:{os.environ['PATH']}"}, check=True)
        assert not answer.stderr, answer.stderr
        return [row.split("\t")[0] for row in answer.stdout.splitlines()]

    assert "healthcheck" in candidates("navstate ") and "backup.tar" not in candidates("navstate ")
    for option in options: assert option in candidates("navstate --"), option
    assert candidates("navstate check --log-lev") == ["--log-level"]
    assert sorted(candidates("navstate --log-level ")) == sorted(levels.split())
    assert candidates("navstate --log-level=no") == ["--log-level=notice"]
    assert sorted(candidates("navstate completion ")) == ["bash", "fish", "zsh"]
    assert candidates("navstate help exit") == ["exit-codes"]
    assert candidates("navstate help drai") == ["drain"]
    assert candidates("navstate restore back") == ["backup.tar"]
    assert candidates("navstate --config back") == ["backup.tar"]
    assert candidates("navstate --data ke")[0].startswith("kept things/")
    assert candidates("navstate version b") == []
    assert sorted(candidates("navstate show ")) == ["desk-7", "kiosk-1"]
    assert candidates("navstate watch --json --timeout 3s de") == ["desk-7"]
    assert candidates("navstate navigate kiosk-1 de") == []
    for option in [f"--server {otherURL}", f"--server={otherURL}"]:
        assert candidates(f"navstate undo {option} ot") == ["other-9"], option
    assert candidates("navstate app pu") == ["put"]
    assert candidates("navstate app check --strict back") == ["backup.tar"]
    assert candidates("navstate help app sc") == ["schema"]
    assert candidates("navstate app put back") == ["backup.tar"]


def manual():
    page = subprocess.check_output([server, "manpage"])
    answer = subprocess.run(["groff", "-man", "-ww", "-Tascii", "-P-cbou"], input=page, capture_output=True)
    assert answer.returncode == 0 and not answer.stderr, answer.stderr
    for word in [*options, "EXIT STATUS", "SIGTERM"]:
        assert word.encode() in answer.stdout, word


def absent():
    """A server that is not there says nothing into the line that is typed."""
    main.end()
    terminal = Terminal("bash", "--norc", "--noprofile", "-i")
    try:
        terminal.type("bind 'set bell-style audible'; source <(navstate completion bash);"
                      " PS1='rea''dy> '\r")
        terminal.read("ready> ", 10)
        seen = terminal.complete("navstate show ki", "navstate show ki")
        assert seen == "navstate show ki", repr(seen)
    finally: terminal.close()


case = Case()
case.run("bash completes", bash)
case.run("zsh completes by a function of $fpath", zsh_function)
case.run("zsh completes by a sourced script", zsh_sourced)
case.run("fish completes", fish)
case.run("groff shows the manual page and has nothing to say", manual)
case.run("completion without a server", absent)
other.end()
print(f"{case.passed} passed, {case.failed} failed")
raise SystemExit(1 if case.failed else 0)
