#!/usr/bin/env python3
"""Random programs, carried out by a server and by the rules in Node: every answer, every problem and
every state has the same bytes, apart from the times.

    random_test.py --url http://127.0.0.1:8080 [--programs 1000] [--seed N]

The programs are those of Tests/conformance/random_test.py.
"""
import argparse
import http.client
import json
import os
import pathlib
import random
import re
import sys
import urllib.parse

from support import Rules

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import random_test as programs

#: Times, and what depends on the request.
OTHER = re.compile(rb',?"(?:createdAt|updatedAt|expiresAt|instance|requestId)":"[^"]*"')
#: Numbers that are hard to read or to write, in params.
NUMBERS = ["0.1", "-0.0", "1e21", "1.0", "100.0", "123456789012345678", "9007199254740993", "1e-7",
           "5e-324", "1.7976931348623157e308", "2.2250738585072011e-308", "2.2250738585072014e-308",
           "0.30000000000000004", "9007199254740993.0", "1e23", "8.41e21", "9.5e-323", "1e400",
           "179769313486231580793728971405301e276", "6.631236846766476e-316", "4.35", "1e16",
           "3.0540412e5", "123456789012345678901234567890.5", "-9223372036854775808",
           "9223372036854775808", "0.000001", "1E5", "12345678901234.567", "2.5e-1"]


class Server:
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(parts.hostname, parts.port)

    def call(self, method, target, text, strict=False):
        headers = {"Content-Type": "application/json"} if text is not None else {}
        if strict:
            headers["Prefer"] = "handling=strict"
        self.connection.request(method, target, text, headers)
        response = self.connection.getresponse()
        return response.status, response.read()


def comparable(answer):
    status, body = answer
    return status, OTHER.sub(b"", body)


class Pair:
    """A session of the server and one of the rules."""

    def __init__(self, servers, body):
        self.servers = servers
        body = {**body, "id": f"rules-{os.urandom(8).hex()}"}
        answers = [server.call("POST", "/v1/sessions", json.dumps(body)) for server in servers]
        self.targets = [f"/v1/sessions/{json.loads(body)['id']}" for _, body in answers]
        self.compare("POST /v1/sessions", answers)
        self.states = [json.loads(answers[0][1])]

    def compare(self, what, answers):
        first, second = (comparable(answer) for answer in answers)
        if first != second:
            raise SystemExit(f"{what}\n  server {first}\n  rules  {second}")

    def change(self, method, part, text, strict=False, query=""):
        answers = [server.call(method, target + part + query, text, strict)
                   for server, target in zip(self.servers, self.targets)]
        self.compare(f"{method} {part}{query} {text}", answers)
        if answers[0][0] == 200 and not query:
            value = json.loads(answers[0][1])
            self.states.append(value.get("session", value))

    def read(self):
        first, last = self.states[0]["revision"], self.states[-1]["revision"]
        for part in ("", "/allowed", f"/steps?from={first}&to={last}"):
            answers = [server.call("GET", target + part, None)
                       for server, target in zip(self.servers, self.targets)]
            self.compare(f"GET {part}", answers)

    def carry_out(self, step):
        if "patch" in step:
            return self.change("PATCH", "", json.dumps(step["body"]))
        if "put" in step:
            state = self.states[step["put"] % len(self.states)]
            return self.change("PUT", "", json.dumps(programs.changed(state, step)))
        shown = self.states[-1]
        ids = [entry["id"] for container in [*shown["tabs"], *shown["sheets"]]
               for entry in ([container] if "style" in container else []) + container["path"]]
        text = json.dumps(programs.referring(step["body"], ids))
        self.change("POST", f"/{step['command']}", text, bool(step.get("strict")),
                    "?dryRun=true" if step.get("dry") else "")

    def delete(self):
        for server, target in zip(self.servers, self.targets):
            server.call("DELETE", target, None)


def check_numbers(servers):
    pair = Pair(servers, {"tabs": ["a"]})
    for number in NUMBERS:
        pair.change("POST", "/navigate", f'{{"route":"a","params":{{"n":[{number},-{number.lstrip("-")}]}}}}')
    chance = random.Random(1)
    for _ in range(200):
        digits = "".join(chance.choice("0123456789") for _ in range(chance.randrange(1, 40)))
        number = f"{chance.randrange(10)}.{digits}e{chance.randrange(-330, 310)}"
        pair.change("POST", "/setPath", f'{{"in":"a","path":[{{"route":"a","params":{{"n":{number}}}}}]}}')
    pair.delete()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--programs", type=int, default=1_000)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    made = steps = 0
    with Rules() as rules:
        servers = [Server(options.url), Server(rules.url)]
        check_numbers(servers)
        for world, app in programs.WORLDS.items():
            body, generator = app, programs.Generator(options.seed, world)
            if "routes" in app:
                name = f"{world}-{os.urandom(4).hex()}"
                for server in servers:
                    status, answer = server.call("PUT", f"/v1/apps/{name}", json.dumps({**app, "id": name}))
                    assert status == 201, answer
                body = {"app": name}
            for _ in range(-(-options.programs // len(programs.WORLDS))):
                pair = Pair(servers, body)
                made += 1
                for _ in range(generator.random.randrange(2, options.steps + 1)):
                    pair.carry_out(generator.step())
                    steps += 1
                pair.read()
                pair.delete()
            if "routes" in app:
                servers[0].call("DELETE", f"/v1/apps/{name}", None)
    print(f"{made} programs of {steps} commands: the same bytes")


if __name__ == "__main__":
    main()
