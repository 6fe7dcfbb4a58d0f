#!/usr/bin/env python3
"""The stories of the contract, carried out by the rules in Node.

All are run but those that need time, a second client, or what only a server has: tokens, streams,
lists, conditions, fields of HTTP. A story whose steps do not say so is in OTHERS.
"""
import json
import pathlib
import re
import subprocess
import sys

from support import Rules

STORIES = pathlib.Path(__file__).resolve().parents[2] / "docs/conformance"
#: The requests that the rules answer.
REQUESTS = [
    r"POST /v1/sessions", r"(GET|PUT|PATCH|DELETE) /v1/sessions/[^/?]+", r"POST /v1/sessions/[^/?]+/\w+(\?dryRun=true)?",
    r"GET /v1/sessions/[^/?]+/(allowed|link)", r"GET /v1/sessions/[^/?]+/steps(\?(from|to)=.*)?",
    r"PUT /v1/apps/[^/?]+(\?dryRun=true)?",
]
PARTS = {"signal", "shown", "tokens"}
#: Stories of the server, although their steps are requests as above, with the reason.
OTHERS = {
    "app-other-id": "the URL of an app",
    "create-exists": "the sessions that there are",
    "order-json-second": "the sessions that there are",
    "problem-near": "the apps that there are",
    "read-not-found": "the sessions that there are",
}


def needs_server(story, chapter):
    """Why the story is not one of the rules, if it is not."""
    if chapter.get("needs") or story.get("needs"):
        return "needs another server"
    for step in story["steps"]:
        if {"begin", "end", "events", "close", "token", "bytes"} & step.keys():
            return "a second client or a token"
        if any(name != "Prefer" or "handling" not in str(value) for name, value in step.get("headers", {}).items()):
            return "conditions and keys"
        if step.get("expect", {}).get("headers"):
            return "fields of the response"
        if isinstance(step.get("body"), dict) and "copyOf" in step["body"]:
            return "a copy of another session"
        if "request" in step:
            request = step["request"]
            if not any(re.fullmatch(one, request) for one in REQUESTS) or request.split("/")[-1].split("?")[0] in PARTS:
                return request
            # The rules keep no app whose sessions are to follow it.
            if request.startswith("PUT /v1/apps/$app") and not request.startswith("PUT /v1/apps/$app-"):
                return "an app that is replaced"
        elif step.get("query", "dryRun=true") != "dryRun=true" or step["command"] in PARTS:
            return "a query"
    return OTHERS.get(story["id"])


def main():
    wanted, left = [], {}
    for file in sorted((STORIES / "stories").glob("*.json")):
        chapter = json.loads(file.read_text(encoding="utf-8"))
        for story in chapter["stories"]:
            why = needs_server(story, chapter)
            if why is None:
                wanted.append(story["id"])
            else:
                left[story["id"]] = why
    unknown = OTHERS.keys() - left.keys()
    if unknown:
        sys.exit(f"There are no such stories: {', '.join(sorted(unknown))}")
    if sys.argv[1:] == ["--list"]:
        for name, why in left.items():
            print(f"{name}: {why}")
    with Rules() as rules:
        done = subprocess.run(
            [sys.executable, STORIES / "run.py", "--url", rules.url, "--features", "all", *wanted],
            capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("not ok"):
            print("\n".join(lines[number:number + 8]))
    print(f"{len(wanted)} stories by the rules, {len(left)} by a server only; exit code {done.returncode}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
