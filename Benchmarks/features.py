#!/usr/bin/env python3
"""Measures features of an app: features.py SERVER [--other SERVER] [--sessions 100000]

Three measurements, each a ratio within one run:

- the instructions of `open` among 1,000 links that have captures in every segment, by callgrind,
  with --other beside those of the other server;
- the turns of the event loop in which 10,000 idle commands come due, by their length;
- reads while the sessions of an app that renames a route change, beside reads before the renaming,
  in processor time of the server; then all screens of a sample have to be there.
"""

import argparse
import http.client
import json
import os
import random
import re
import statistics
import subprocess
import tempfile
import time
import urllib.parse
import urllib.request

from instructions import CONNECTIONS, SESSIONS, Clients, Server, count, request

LINKS = 1000
IDLE_SESSIONS = 10_000


def link_app():
    links = [
        {"pattern": f"/{{a}}/k{number}/{{b}}", "tab": "main",
         "path": [{"route": "detail", "params": {"a": "{a}", "b": "{b}"}}]}
        for number in range(LINKS)]
    return {"tabs": [{"id": "main", "root": "home", "routes": ["detail"]}], "links": links,
            "routes": {"home": {}, "detail": {"params": True}}}


def instructions_of_open(program, work):
    stripped = os.path.join(work, "stripped")
    subprocess.run(["objcopy", "--strip-debug", program, stripped], check=True)
    place = tempfile.mkdtemp(dir=work)
    server = Server(stripped, os.path.join(place, "seed"))
    clients = Clients(server.port)
    clients.run([request("PUT", "/v1/apps/links", link_app())])
    clients.run([request("POST", "/v1/sessions", {"id": f"session-{number}", "app": "links"})
                 for number in range(SESSIONS)])
    clients.close()
    server.stop()

    def opens(round):
        return [
            request("POST", f"/v1/sessions/session-{number}/open",
                    {"url": f"/x{number}/k{(number + round) % LINKS}/y{round}"})
            for number in range(SESSIONS)]
    return count(stripped, place, "open", opens(1), opens(2))


def turns(port):
    """The number of turns that took at most so many seconds, by the seconds."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        text = answer.read().decode()
    pattern = r'navstate_loop_turn_duration_seconds_bucket\{le="([\d.]+)"\} (\d+)'
    return {float(bound): int(turns) for bound, turns in re.findall(pattern, text)}


def idle_turns(program, work):
    server = Server(program, os.path.join(work, "idle"))
    clients = Clients(server.port)
    idle = {"seconds": 10, "command": {"command": "root", "scope": "all", "sheets": "force"}}
    clients.run([
        request("POST", "/v1/sessions",
                {"id": f"session-{number}", "tabs": ["home", "map"], "selectedTab": "map",
                 "idle": idle})
        for number in range(IDLE_SESSIONS)])
    before = turns(server.port)
    time.sleep(13)
    after = turns(server.port)
    with urllib.request.urlopen(
            f"http://127.0.0.1:{server.port}/v1/sessions/session-0") as answer:
        assert json.load(answer)["revision"] == 2, "the idle command has not been carried out"
    clients.close()
    server.stop()
    return {bound: after[bound] - before[bound] for bound in after}


class Renaming:
    """An app of many sessions that renames a route."""

    def __init__(self, program, work, sessions):
        self.server = Server(program, os.path.join(work, "renaming"))
        self.clients, self.sessions = Clients(self.server.port), sessions

    def store(self, route, **former):
        routes = {"home": {}, route: {"params": True, **former}}
        app = {"tabs": [{"id": "main", "root": "home", "routes": [route]}], "routes": routes}
        self.clients.run([request("PUT", "/v1/apps/shop", app)])

    def navigate(self, route, numbers):
        self.clients.run([
            request("POST", f"/v1/sessions/session-{number}/navigate",
                    {"route": route, "params": {"id": number}}) for number in numbers])

    def parts(self):
        size = max(CONNECTIONS, self.sessions // 20)
        for first in range(0, self.sessions, size):
            yield range(first, min(first + size, self.sessions))

    def processor_time(self):
        with open(f"/proc/{self.server.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def reads(self):
        """The processor time of the server for 15,000 reads."""
        numbers = random.choices(range(self.sessions), k=15_000)
        begun = self.processor_time()
        self.clients.run([request("GET", f"/v1/sessions/session-{each}") for each in numbers])
        return self.processor_time() - begun

    def run(self):
        """The ratio of reads, the screens that are lost in a sample, and what impact still counts."""
        self.store("order")
        for numbers in self.parts():
            self.clients.run([
                request("POST", "/v1/sessions", {"id": f"session-{number}", "app": "shop"})
                for number in numbers])
            self.navigate("order", numbers)
        before = [self.reads() for _ in range(9)]
        self.store("purchase", was={"order": True})
        meanwhile = []
        for numbers in self.parts():
            self.navigate("purchase", numbers)
            meanwhile.append(self.reads())
        ratio = statistics.median(meanwhile) / statistics.median(before)
        result = ratio, self.lost(), self.affected()
        self.clients.close()
        self.server.stop()
        return result

    def get(self, path):
        self.connection.request("GET", path)
        return json.loads(self.connection.getresponse().read())

    def lost(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        lost = 0
        for number in random.choices(range(self.sessions), k=10_000):
            (tab,) = self.get(f"/v1/sessions/session-{number}")["tabs"]
            screens = [(entry["route"], entry["params"]) for entry in tab["path"]]
            lost += screens != [("purchase", {"id": number})] * 2
        return lost

    def affected(self):
        page = self.get("/v1/apps/shop/impact?limit=1000")
        total = page["affected"]
        while page.get("next"):
            cursor = urllib.parse.quote(page["next"])
            page = self.get(f"/v1/apps/shop/impact?limit=1000&cursor={cursor}")
            total += page["affected"]
        return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("server")
    parser.add_argument("--other")
    parser.add_argument("--sessions", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        if options.other:
            ratio = (instructions_of_open(options.server, work)
                     / instructions_of_open(options.other, work))
            print(f"open among {LINKS} links: {ratio:.2f} x the instructions of the other server")
        lengths = idle_turns(options.server, work)
        print(f"turns while {IDLE_SESSIONS} idle commands come due, of {max(lengths.values())}: "
              + ", ".join(f"{lengths[bound]} in {bound} s" for bound in (0.005, 0.01, 0.025)))
        ratio, lost, affected = Renaming(options.server, work, options.sessions).run()
        print(f"reads of {options.sessions} sessions while a renamed route is taken up: "
              f"{ratio:.2f} x before; {lost} of 10000 sessions lost a screen, "
              f"{affected} are still to be reconciled")


if __name__ == "__main__":
    main()
