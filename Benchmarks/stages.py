#!/usr/bin/env python3
"""Counts the instructions of each stage of requests: stages.py SERVER...

The requests and the counts are those of `instructions.py`. What a function executes belongs to the
stage of the innermost function above it that `STAGES` names. If several
stages call a function, its cost is divided among them in proportion to what their calls cost. The
program prints a table with a column for each request and each server. `STAGES` also has the names
of the functions of version 0.2.0.
"""

import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import instructions

sys.setrecursionlimit(10_000)

STAGES = {
    "loop, sockets, budgets":
        r"^EventLoop(?!\.collect)|^ConnectionEvents|^InputReader|^Poller|^BufferBudget"
        r"|^HTTPDriver\.(read|consumeShared|answerAll|answer\()",
    "parse the request": r"^RequestParser|outlined consume of ParserStep",
    "handler: id, limits, answer": r"^RequestHandler\.(handle|respond)",
    "host, route, context": r"^Service\.|^Router|^RouteTable",
    "body to command":
        r"^RequestBody|^Command\.init|^CommandRequest|^RequestContext\.json"
        r"|destroy of (ObjectReader|AskedCommand)",
    "idempotency key": r"ChangeRequest|earlierResult|idempotencyKey|IdempotencyKey\.init",
    "find the session, take it out, put it back; for a read, find and copy it":
        r"^SessionWriter\.(expected|begin|end)|RequestContext\.(find|readSession)|RecentSessions"
        r"|destroy of SessionTransaction",
    "rules": r"^SessionEditor\.carryOut|^decide\(|^Session\.apply\(|destroy of Event$",
    "text of the event":
        r"^static EventText\.append\(_:to:by:into:\)|^static EventText\.event",
    "session to JSON": r"^(static )?SessionEncoder\.encode",
    "store: line and checksum": r"^LogWriter",
    "store: head of the line, cache, index, rollback":
        r"for StoreWriting|for SessionStore\.put|^StoreWriter",
    "record, answer, rest of the command":
        r"SessionCommands|^SessionWriter\.(record|store|shown|put|reconcile)",
    "text of the response, held answer": r"SessionCommands\.reply|RequestHandler\.encode",
    "release and send the answer":
        r"^DeferredAnswers|^HTTPDriver\.(show|finish|proceed|sendEncoded)"
        r"|^ResponseWriter\.sendEncoded",
    "collect: gate, feed": r"^EventLoop\.collect",
    "events to the streams": r"^StreamHub|^WatcherNotifier",
}


class Profile:
    """A file of callgrind: the functions, what they execute, and what their calls cost."""

    def __init__(self, path):
        self.names = {}
        self.own = collections.Counter()
        self.calls = collections.defaultdict(collections.Counter)
        caller = callee = None
        isCall = False
        for line in pathlib.Path(path).read_text(errors="replace").splitlines():
            if line.startswith("fn="):
                caller = self.function(line[3:])
            elif line.startswith("cfn="):
                callee = self.function(line[4:])
            elif line.startswith("calls="):
                isCall = True
            elif re.match(r"[0-9+*-]", line):
                cost = int((line.split() + ["0"])[1])
                if isCall:
                    self.calls[caller][callee] += cost
                else:
                    self.own[caller] += cost
                isCall = False
        self.total = collections.Counter(self.own)
        for function, callees in self.calls.items():
            self.total[function] += sum(callees.values())
        demangled = subprocess.run(
            ["swift", "demangle", "--compact", "--simplified"], text=True, check=True,
            input="\n".join(self.names.values()), capture_output=True).stdout.splitlines()
        self.stages = {
            number: [stage for stage, names in STAGES.items() if re.search(names, name)][-1:]
            for number, name in zip(self.names, demangled)}
        self.root = next(number for number, name in zip(self.names, demangled)
                         if name == "EventLoop.run()")

    def function(self, text):
        number, name = re.match(r"\((\d+)\)(?: (.*))?$", text).groups()
        if name is not None:
            self.names[number] = name
        return number

    def shares(self, least):
        """The instructions of each stage; calls that cost less than `least` are not followed."""
        shares = collections.Counter()

        def walk(function, cost, stage, above):
            stage = (self.stages[function] or [stage])[0]
            if cost < least or function in above:
                shares[stage] += cost
                return
            scale = cost / self.total[function]
            shares[stage] += self.own[function] * scale
            for callee, price in self.calls[function].items():
                walk(callee, price * scale, stage, above | {function})

        walk(self.root, self.total[self.root], None, frozenset())
        return shares


def kinds():
    """By kind: the requests that warm the server up and those that are counted, and options."""
    reads, changes = instructions.reads(), instructions.changes
    few = {"sessions": instructions.CONNECTIONS}
    return {
        "a read": ((reads, 4 * reads), {}),
        "a change": ((list(changes(1)), list(changes(2))), {}),
        "not decoded": (([], list(changes(1))[:instructions.SESSIONS]), {}),
        "with an app": ((list(changes(1, "bound", withKeys=True)),
                         list(changes(2, "bound", withKeys=True))), {"kind": "bound"}),
        "with ten streams": ((list(changes(1, **few)), list(changes(16, **few))),
                             {"listens": True}),
    }


def total(file):
    """The number of instructions in a file of callgrind."""
    return sum(int(number) for number in re.findall(
        r"^totals: (\d+)", file.read_text(errors="replace"), re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("servers", nargs="+")
    options = parser.parse_args()
    columns = {}
    for server in options.servers:
        with tempfile.TemporaryDirectory(prefix="navstate-stages-") as work:
            program = os.path.join(work, "navstate")
            subprocess.run(["objcopy", "--strip-debug", server, program], check=True)
            instructions.seed(program, os.path.join(work, "session"), "session",
                              {"tabs": ["home", "more"]})
            instructions.seed(program, os.path.join(work, "bound"), "bound", {"app": "app"},
                              instructions.APP)
            for kind, (requests, more) in kinds().items():
                instructions.count(program, work, kind, requests, **more)
                files = pathlib.Path(work).glob(kind.replace(" ", "-") + "-*")
                profile = Profile(max(files, key=total))
                count = len(requests[1])
                shares = profile.shares(least=2 * count)
                columns[f"{kind}, {server}"] = {
                    stage: round(cost / count) for stage, cost in shares.items()}
    print("| stage | " + " | ".join(columns) + " |")
    print("| --- |" + " ---: |" * len(columns))
    for stage in STAGES:
        print(f"| {stage} | " + " | ".join(
            f"{column.get(stage, 0):,}" for column in columns.values()) + " |")
    print("| **sum** | " + " | ".join(
        f"{sum(column.values()):,}" for column in columns.values()) + " |")


if __name__ == "__main__":
    main()
