#!/usr/bin/env python3
"""Upgrades of both stores, from the release before and back to it, as docs/cluster.md and
docs/operating.md promise them.

    upgrade_test.py [--server .build/release/navstate] [--nats nats-server] [--before NAVSTATE]
                    [--record] [CASE ...]

Without --before it builds the release that Tests/fixtures/README.md names from git. --record writes
the fixtures of that release instead: its data, and its answers.
"""
import argparse
import asyncio
import base64
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import content
import natslog
from failures import Scenario, Scene, drive, judge
from fleet import OTHER_PREFIX, Fleet, Node
from load import Link, Load

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Tests/fixtures"
ACCESS = {"NAVSTATE_TOKEN": content.TOKEN}


def release_before():
    """The name and the commit of the release before this one."""
    page = (FIXTURES / "README.md").read_text(encoding="utf-8")
    return re.search(
        r"release before is (\S+), commit\s+([0-9a-f]{40})", page).groups()



def build(commit, directory):
    """Builds a commit of this repository; the path of its executable."""
    tree = subprocess.run(
        ["git", "-C", ROOT, "archive", commit], capture_output=True, check=True).stdout
    subprocess.run(["tar", "-x", "-C", directory], input=tree, check=True)
    # Outside of the folder, so that it is built once.
    scratch = ROOT / ".build/before"
    subprocess.run(
        ["swift", "build", "-c", "release", "--product", "navstate", "--package-path", directory,
         "--scratch-path", scratch], check=True)
    return str(scratch / "release/navstate")


class Anything:
    """Equal to everything: the ETag of a session that was restored."""

    def __eq__(self, _):
        return True


ANY = Anything()


class Server(Node):
    """A server with a directory of its own."""

    def __init__(self, executable, room, data):
        super().__init__(
            "server", [executable, "--data", str(data)], os.path.join(room, "log"),
            environment=ACCESS)


def expect(server, before, written=None, prefix=""):
    """Everything from before is there, and is answered as it was."""
    wrong = content.differences(content.read(server.url, prefix), before)
    assert not wrong, "\n".join(wrong[:5])
    if written:
        content.check_written(server.url, written, prefix)


# MARK: A directory

def directory(options, room):
    """New on old data, and back to a backup. The older one refuses newer data, or serves it, and in
    both cases harms nothing."""
    data = room / "data"
    with ended(Server(options.before, room, data)) as server:
        written = content.write(server.url)
        before = content.read(server.url)
        backup = server_backup(server, room / "backup")
    with ended(Server(options.server, room, data)) as server:
        expect(server, before, written)
        content.write(server.url, "new-")
        after = content.read(server.url, "new-")
        content.go_on(server.url)
    with ended(Server(options.server, room, data)) as server:
        expect(server, after, prefix="new-")
    older = Server(options.before, room, data)
    try:
        with ended(older):
            expect(older, after, prefix="new-")
            print("   the release before can use the directory")
    except AssertionError:
        assert older.process.returncode == 73, older.text[-2000:]
        print("   the release before refuses the directory")
    with ended(Server(options.server, room, data)) as server:
        expect(server, after, prefix="new-")
    # The way back that is promised is the backup.
    done = subprocess.run(
        [options.before, "restore", str(backup), "--data", str(room / "restored")],
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    with ended(Server(options.before, room, room / "restored")) as server:
        wrong = [path for path, (status, _, value) in before.items()
                 if "revision=" not in path and not path.endswith("history")
                 and not content.is_same(
                     [*content.call(server.url, "GET", path)], [status, ANY, value])]
        assert not wrong, wrong


def server_backup(server, path):
    request = urllib.request.Request(
        f"{server.url}/v1/backup", headers={"Authorization": f"Bearer {content.TOKEN}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        path.write_bytes(answer.read())
    return path


class ended:
    """Starts a server, and ends it in order."""

    def __init__(self, server):
        self.server = server

    def __enter__(self):
        return self.server.start()

    def __exit__(self, kind, *_):
        if kind:
            self.server.kill()
        else:
            code = self.server.end()
            assert code == 0, f"it ended with {code}: {self.server.text[-2000:]}"


# MARK: A shared store

def fleet(options, room, executable=None, **others):
    return Fleet(options.nats, executable or options.server, environment=ACCESS, **others)


def agree(nodes, prefix, written, seconds=30):
    """All nodes answer alike, once the lag of their feeds has passed."""
    before, end = content.read(nodes[0].url, prefix), time.monotonic() + seconds
    for node in nodes:
        while wrong := content.differences(content.read(node.url, prefix), before):
            assert time.monotonic() < end, f"{node.name}: {wrong[:5]}"
            time.sleep(0.2)
        content.check_written(node.url, written, prefix)


async def replace(scene, executable, name):
    """Replaces the nodes one after the other. At each stage the first two, of which one is new,
    write what the other one reads."""
    nodes = scene.fleet.nodes
    for node in nodes:
        code = await scene.do(node.end)
        assert code == 0, f"{node.name} ended with {code}: {node.text[-500:]}"
        node.command[0] = executable
        await scene.do(node.start)
        await scene.pause((1, 2))
        if node is nodes[0]:
            for number in (0, 1):
                prefix = f"{name}-{number}-"
                written = await scene.do(content.write, nodes[number].url, prefix)
                await scene.do(agree, nodes, prefix, written)
                await scene.do(content.go_on, nodes[1 - number].url, prefix)


def rolling(options, room):
    """Old, mixed and new nodes under load, and back: nothing is lost, doubled or misread."""
    Link.fields = [("Authorization", f"Bearer {content.TOKEN}")]
    opener = urllib.request.build_opener()
    opener.addheaders = Link.fields
    urllib.request.install_opener(opener)

    async def trouble(scene):
        await replace(scene, options.server, "up")
        await replace(scene, options.before, "down")

    with fleet(options, room, options.before, shards=4) as old:
        old.settle()
        first = content.write(old.nodes[0].url, "old-")
        load = Load("upgrade", old.nodes, writers=12)
        load.others = ("old-", "up-", "down-")
        scene = Scene(old, load, random.Random(options.seed), isLong=False)
        scenario = Scenario(trouble, "", 1)

        async def all_of_it():
            times = await drive(scenario, scene, 2_000, 1)
            return await judge(scenario, scene, times, time.monotonic())
        cells, wrong = asyncio.run(all_of_it())
        assert not wrong, "\n".join(wrong[:10])
        assert load.acknowledged >= 2_000
        agree(old.nodes, "old-", first)
        print(f"   {load.acknowledged} changes acknowledged, none lost, none twice")
        # The records of both are intact for the new version.
        said = old.type(
            f"{os.path.abspath(options.server)} store check --store {old.url}")
        print(f"   {said.strip().splitlines()[-1]}")


# MARK: Fixtures

def copy_of(release, room):
    """A fresh copy of the directory in the fixtures."""
    return shutil.copytree(FIXTURES / f"data-{release}", room / "data")


def fixture_paths(release):
    return [FIXTURES / f"{kind}-{release}.json" for kind in ("answers", "store")]


def releases():
    return sorted(path.name.removeprefix("answers-").removesuffix(".json")
                  for path in FIXTURES.glob("answers-*.json"))


def fixtures(options, room):
    """Data of earlier releases is answered as those releases did."""
    assert releases()
    for release in releases():
        answers, store = (json.loads(path.read_text(encoding="utf-8"))
                          for path in fixture_paths(release))
        (place := room / release).mkdir()
        with ended(Server(options.server, place, copy_of(release, place))) as server:
            check_fixture(server, answers["directory"])
        with fleet(options, room, count=1, shards=2) as new:
            # The store of the fixture is beside the one that the fleet has made.
            replay(new.servers.addresses, store)
            node = new.nodes[0]
            node.end()
            address = new.store("operator", OTHER_PREFIX)
            node.command[node.command.index("--store") + 1] = address
            node.start()
            check_fixture(node, answers["shared"])
            said = new.type(f"navstate store check --store {address}")
            print(f"   {release}: {said.strip().splitlines()[-1]}")


def check_fixture(server, answers):
    wrong = content.differences(content.read(server.url), answers["read"])
    assert not wrong, "\n".join(wrong[:5])
    content.check_written(server.url, answers["written"], isNew=False)
    content.go_on(server.url)


def record(options, room):
    """Writes the fixtures of `--before`."""
    release = release_before()[0]
    with ended(Server(options.before, room, room / "data")) as server:
        alone = {"written": content.write(server.url), "read": content.read(server.url)}
    target = FIXTURES / f"data-{release}"
    shutil.copytree(room / "data", target, ignore=shutil.ignore_patterns("LOCK"))
    with fleet(options, room, options.before, count=1, shards=2) as old:
        address = old.store("operator", OTHER_PREFIX)
        old.type(f"navstate store init --store {address} --shards 2 --replicas 3")
        node = old.nodes[0]
        node.end()
        node.command[node.command.index("--store") + 1] = address
        node.start()
        shared = {"written": content.write(node.url), "read": content.read(node.url)}
        with natslog.connect(old.servers.addresses) as client:
            store = [{"config": client.api(f"STREAM.INFO.{name}")["config"], "messages": [
                {"number": number, "subject": subject, "headers": head.decode(),
                 "data": data.decode()}
                for number, subject, head, data in client.whole_messages(name)]}
                for name in client.stream_names() if name.startswith(OTHER_PREFIX + "_")]
    for path, value in zip(fixture_paths(release), ({"directory": alone, "shared": shared}, store)):
        path.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


def replay(addresses, store):
    """Makes streams that have these messages under their numbers."""
    with natslog.connect(addresses) as client:
        for stream in store:
            name = stream["config"]["name"]
            client.api(f"STREAM.CREATE.{name}", stream["config"])
            for message in stream["messages"]:
                headers = dict(line.split(": ", 1)
                               for line in message["headers"].split("\r\n")[1:] if line)
                answer = publish(
                    client, message["subject"], message["data"].encode(), headers or None)
                assert answer.get("seq") == message["number"], (message, answer)


def publish(client, subject, payload, headers, seconds=20):
    """Stores a message. Until a new stream has a leader, or the client's server knows it, nobody
    takes the message."""
    end = time.monotonic() + seconds
    while True:
        try:
            return json.loads(client.requests_in_turn([(subject, payload)], headers)[0])
        except natslog.NATSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


CASES = [directory, fixtures, rolling]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--nats", default="nats-server")
    parser.add_argument("--before", metavar="NAVSTATE")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_args()
    options.server = os.path.abspath(options.server)
    with tempfile.TemporaryDirectory(prefix="navstate-upgrade-") as room:
        room = pathlib.Path(room)
        (room / "source").mkdir()
        options.before = options.before or build(release_before()[1], room / "source")
        print(f"seed {options.seed}")
        for case in [record] if options.record else CASES:
            if not options.cases or case.__name__ in options.cases:
                print(f"{case.__name__}: {' '.join(case.__doc__.split())}", flush=True)
                (place := room / case.__name__).mkdir()
                case(options, place)
    print("passed")


if __name__ == "__main__":
    main()
