#!/usr/bin/env python3
"""Several navstates on a store of three NATS servers, while servers, navstates and the network
fail.

    failures.py [--server .build/release/navstate] [--nats nats-server] [--changes 2000]
                [--rounds N] [--jobs N] [--seed N] [--list] [SCENARIO ...]

In each scenario clients write at all navstates and follow streams at all of them, until so many
changes are acknowledged and the trouble has happened often enough. Then the streams of the store
are read, without navstate's code, and compared with everything that the clients saw; checker.py
says how. One row of a table is printed for each scenario. What needs root is skipped without. With
--jobs several scenarios run at once, each in a process with namespaces of its own.
"""
import argparse
import asyncio
import concurrent.futures
import dataclasses
import random
import signal
import subprocess
import sys
import time
import traceback
import urllib.request

import checker
from fleet import Fleet, enter_namespaces, is_root
from load import Load
from natslog import NATSError


@dataclasses.dataclass
class Scenario:
    """A kind of trouble. `trouble` is done `rounds` times at least."""

    trouble: object
    about: str
    rounds: int = 2
    #: For `Fleet`.
    fleet: dict = dataclasses.field(default_factory=dict)
    #: For `Load`.
    load: dict = dataclasses.field(default_factory=dict)
    needsRoot: bool = False
    #: The scenario must lose something: that shows that the others could.
    isControl: bool = False
    #: navstate runs with `--reads quorum`: then no read anywhere is older than an acknowledged
    #: change.
    isQuorum: bool = False


@dataclasses.dataclass
class Scene:
    """The subject of a scenario."""

    fleet: Fleet
    load: Load
    dice: random.Random
    isLong: bool
    round: int = 0

    async def pause(self, short, long=None):
        """Lets some time pass: a range of seconds for the short form and one for the long one."""
        await asyncio.sleep(self.dice.uniform(*(long if long and self.isLong else short)))

    @staticmethod
    async def do(work, *arguments):
        """Work that blocks."""
        return await asyncio.to_thread(work, *arguments)


# MARK: Servers

def killed(choose):
    """kill -9 of one server."""
    async def trouble(scene):
        victim = await scene.do(getattr(scene.fleet, choose))
        await scene.do(scene.fleet.servers.kill, victim)
        await scene.pause((2, 4), (6, 12))
        scene.fleet.servers.start(victim)
    return trouble


def paused(choose):
    """SIGSTOP of one server."""
    async def trouble(scene):
        victim = await scene.do(getattr(scene.fleet, choose))
        scene.fleet.servers.signal(victim, signal.SIGSTOP)
        await scene.pause((8, 10), (9, 14))
        scene.fleet.servers.signal(victim, signal.SIGCONT)
    return trouble


def cut(choose):
    """One server is cut off from everybody."""
    async def trouble(scene):
        victim = scene.fleet.net.servers[await scene.do(getattr(scene.fleet, choose))]
        victim.cut()
        await scene.pause((8, 10), (10, 18))
        victim.heal()
    return trouble


async def cut_from_servers(scene):
    """The leader is cut off from the other servers; the navstates still reach it."""
    servers = scene.fleet.net.servers
    victim = servers[await scene.do(scene.fleet.leader)]
    victim.cut(*(other for other in servers if other is not victim))
    await scene.pause((12, 14), (14, 20))
    victim.heal()


# MARK: navstates

async def node_killed(scene):
    """kill -9 of one navstate."""
    node = scene.fleet.nodes[scene.round % len(scene.fleet.nodes)]
    node.kill()
    await scene.pause((0.2, 1))
    await scene.do(node.start)
    await scene.pause((1, 2))


async def node_killed_unacknowledged(scene):
    """kill -9 of one navstate after the servers have its changes, and before it knows."""
    node = scene.fleet.nodes[scene.round % len(scene.fleet.nodes)]
    for wire in scene.fleet.wires:
        wire.tell("hold")
    await scene.pause((0.2, 0.4))
    node.kill()
    for wire in scene.fleet.wires:
        wire.tell("pass")
    await scene.do(node.start)
    await scene.pause((1, 2))


async def node_paused(scene):
    """SIGSTOP of one navstate."""
    node = scene.fleet.nodes[scene.round % len(scene.fleet.nodes)]
    node.signal(signal.SIGSTOP)
    await scene.pause((4, 6), (4, 14))
    node.signal(signal.SIGCONT)
    await scene.pause((1, 2))


async def node_cut(scene):
    """One navstate is cut off from all servers; its clients still reach it."""
    node = scene.fleet.net.nodes[scene.round % len(scene.fleet.nodes)]
    node.cut(*scene.fleet.net.servers)
    await scene.pause((5, 7), (8, 20))
    node.heal()
    await scene.pause((2, 3))


# MARK: Disks

async def power_cut(scene):
    """All three machines lose power at once.

    The servers are stopped first, since a machine without power does not go on acknowledging what
    the disks of others have lost.
    """
    fleet = scene.fleet
    await scene.pause((1, 2))
    for process in fleet.servers.processes:
        process.send_signal(signal.SIGSTOP)
    for disk in fleet.mounts:
        disk.shut_down()
    for index in range(3):
        await scene.do(fleet.servers.kill, index)
    for disk in fleet.mounts:
        await scene.do(disk.again)
    for index in range(3):
        fleet.servers.start(index)
    await scene.pause((1, 2))


async def power_cut_at_the_end(scene):
    """The same after all clients have stopped."""
    await scene.load.reach(scene.load.wanted)
    await scene.load.end()
    await power_cut(scene)


async def disk_full(scene):
    """The disk of one server is full for a time. The server stays out when there is space again,
    as docs/cluster.md says, and is then started again."""
    victim = await scene.do(scene.fleet.leader if scene.round % 2 == 0 else scene.fleet.follower)
    disk = scene.fleet.mounts[victim]
    await scene.do(disk.fill)
    end = time.monotonic() + 60
    while not await scene.do(has_server_behind, scene.fleet):
        assert time.monotonic() < end, "the server with the full disk does not stay behind"
        await asyncio.sleep(0.2)
    disk.empty()
    await scene.pause((3, 4), (8, 14))
    assert await scene.do(has_server_behind, scene.fleet), "the server needs no restart"
    await scene.do(scene.fleet.servers.kill, victim)
    scene.fleet.servers.start(victim)


def has_server_behind(fleet):
    """Whether the replicas lack more than what is on its way."""
    try:
        return sum(state["lag"] for state in fleet.states().values()) > 200
    except (NATSError, OSError):
        return False


# MARK: The network

async def wires_harm(scene):
    """Connections hang, end in the middle of a message, and deliver messages twice."""
    wires = scene.fleet.wires
    for wire in wires:
        wire.tell("double", 0.2)
    await scene.pause((0.5, 1))
    for order in scene.dice.sample(["hang", "halve", "drop", "hold", "hang"], 5):
        wire = scene.dice.choice(wires)
        wire.tell(order)
        await scene.pause((0.3, 1.0) if order in ("halve", "drop") else (1, 3), (0.3, 5))
        wire.tell("pass")
        wire.tell("double", 0.2)
    for wire in wires:
        wire.tell("pass")
    await scene.pause((0.5, 1))


# MARK: Several at once

async def rolling(scene):
    """Every server and every navstate is ended and started again, one after the other."""
    servers = scene.fleet.servers
    for index in range(3):
        await scene.do(servers.end, index)
        servers.start(index)
        await scene.do(scene.fleet.settle)
    for node in scene.fleet.nodes:
        code = await scene.do(node.end)
        assert code == 0, f"{node.name} ended with {code}: {node.text[-500:]}"
        await scene.do(node.start)
        await scene.pause((0.5, 1))


async def lame_duck(scene):
    """Every server is told to send its clients away before it ends."""
    servers = scene.fleet.servers
    for index in range(3):
        servers.signal(index, signal.SIGUSR2)
        await scene.do(servers.processes[index].wait)
        servers.start(index)
        await scene.do(scene.fleet.settle)


async def calm(scene):
    """No trouble."""
    await scene.pause((2, 3))


APART = {"isApart": True}
SHARED = {"slots": 40}
SCENARIOS = {
    "calm": Scenario(calm, "nothing fails", 1),
    "calm-quorum": Scenario(calm, "nothing fails; `--reads quorum`", 1, isQuorum=True),
    "kill-leader": Scenario(killed("leader"), "kill -9 of the server that leads most streams"),
    "kill-follower": Scenario(killed("follower"), "kill -9 of the server that leads fewest"),
    "pause-leader": Scenario(paused("leader"), "SIGSTOP of the leader"),
    "pause-follower": Scenario(paused("follower"), "SIGSTOP of a follower"),
    "cut-leader": Scenario(cut("leader"), "the leader is cut off", fleet=APART, needsRoot=True),
    "cut-follower": Scenario(cut("follower"), "a follower is cut off", fleet=APART,
                             needsRoot=True),
    "cut-between": Scenario(cut_from_servers, "the leader is cut off from the other servers only",
                            fleet=APART, needsRoot=True),
    "kill-node": Scenario(node_killed, "kill -9 of a navstate", 3),
    "kill-unacknowledged": Scenario(
        node_killed_unacknowledged, "kill -9 of a navstate between publish and acknowledgement",
        3, fleet={"hasWires": True}),
    "pause-node": Scenario(node_paused, "SIGSTOP of a navstate"),
    "cut-node": Scenario(node_cut, "a navstate is cut off from the servers", fleet=APART,
                         needsRoot=True),
    "power": Scenario(power_cut, "all file systems are shut down without a flush",
                      fleet={"mounts": 4 << 30}, needsRoot=True),
    "power-lazy": Scenario(
        power_cut_at_the_end, "the same with the servers' default sync: it must lose", 1,
        fleet={"mounts": 4 << 30, "isLazy": True}, needsRoot=True, isControl=True),
    "full": Scenario(disk_full, "the disk of one server is full", fleet={"mounts": 2 << 30},
                     needsRoot=True),
    "wires": Scenario(wires_harm, "proxies hang, halve and double", fleet={"hasWires": True}),
    "rivals": Scenario(calm, "all clients change the same 40 sessions", 1, load=SHARED),
    "rivals-kill": Scenario(killed("leader"), "the same, and kill -9 of the leader",
                            load=SHARED),
    "rivals-wires": Scenario(wires_harm, "the same with the proxies", load=SHARED,
                             fleet={"hasWires": True}),
    "rolling": Scenario(rolling, "every server and navstate is restarted in turn", 1),
    "lame-duck": Scenario(lame_duck, "every server leaves as a lame duck", 1, fleet={
        "settings": 'lame_duck_duration: "30s"\nlame_duck_grace_period: "5s"'}),
}


# MARK: Running

@dataclasses.dataclass
class Result:
    """A row of the table, and what is wrong."""

    name: str
    cells: list
    wrong: list

    COLUMNS = [
        "scenario", "rounds", "acknowledged", "503", "broken", "412", "given up", "lost",
        "doubled", "longest stop, s", "slowest change, s", "conflicts", "feeds restarted",
        "streams restarted", "gaps told", "older reads elsewhere", "seconds"]

    @property
    def row(self):
        return f"| {' | '.join(map(str, [self.name, *self.cells]))} |"


async def drive(scenario, scene, changes, rounds):
    """Lets clients work and trouble happen; when that began and ended."""
    load = scene.load
    load.wanted = changes
    await load.start()
    await load.reach(min(100, changes))
    begun = time.monotonic()
    while scene.round < rounds or load.acknowledged < changes:
        await scenario.trouble(scene)
        scene.round += 1
        if scenario.isControl:
            break
        await scene.do(scene.fleet.settle)
        await scene.pause((0.2, 1), (1, 5))
        if scenario.trouble is calm or scene.round >= 40:
            await load.reach(changes)
    ended = time.monotonic()
    if not load.isOver:
        await load.end()
    return begun, ended


async def judge(scenario, scene, times, begun):
    """Reads the log, and compares."""
    load, history = scene.load, scene.load.history
    await scene.do(scene.fleet.settle, 90, True)
    log = await scene.do(scene.fleet.log)
    missing = await load.catch_up(checker.newest_revisions(log))
    effects = checker.Effects(log)
    lost, doubled, misplaced, unhappened = checker.check_changes(effects, history)
    wrong = [*history.wrong, *checker.check_log(log), *misplaced, *unhappened]
    wrong += [f"lost: {name} {history.acknowledged[name]}" for name in lost]
    wrong += [f"doubled: {name} {effects.places[name]}" for name in doubled]
    wrong += [f"never came: {one}" for one in missing]
    for number, follower in enumerate(history.followers):
        wrong += checker.check_stream(effects, follower.items, f"stream {number} {follower.path}")
    if history.stale["the same node"]:
        wrong.append(f"{history.stale['the same node']} reads did not show their own change")
    if scenario.isQuorum and history.stale["another node"]:
        wrong.append(f"{history.stale['another node']} reads were older than an acknowledged change")
    refusals = history.refusals
    cells = [
        scene.round, len(history.acknowledged), refusals[503] + refusals[507],
        refusals["broken"], refusals["412"], len(history.abandoned), len(lost), len(doubled),
        f"{history.longest_stop(*times):.1f}", f"{history.slowest:.1f}",
        await scene.do(counted, scene.fleet, "navstate_store_conflicts_total"),
        await scene.do(counted, scene.fleet, "navstate_feed_restarts_total"),
        sum(f.restarts for f in history.followers),
        sum(f.gaps for f in history.followers),
        f"{history.stale['another node']} of {history.reads}",
        f"{time.monotonic() - begun:.0f}"]
    return cells, wrong


async def control(scene):
    """The control: how many acknowledged changes are not there any more."""
    history = scene.load.history
    try:
        await scene.do(scene.fleet.settle, 15, True)
        log = await scene.do(scene.fleet.log)
        found = checker.check_changes(checker.Effects(log), history)[0]
        lost, how = len(found), ""
    except (AssertionError, NATSError, OSError) as error:
        lost, how = len(history.acknowledged), f" ({str(error)[:60]})"
    for follower in history.followers:
        follower.task.cancel()
    wrong = [] if lost else ["the control lost nothing, so the other scenarios prove nothing"]
    cells = [1, len(history.acknowledged), *["-"] * 4, f"{lost}{how}"]
    cells += ["-"] * (len(Result.COLUMNS) - 1 - len(cells))
    return cells, wrong


def counted(fleet, metric):
    """The sum of a metric of all nodes, each since its last start."""
    total = 0
    for node in fleet.nodes:
        with urllib.request.urlopen(f"{node.url}/metrics", timeout=20) as answer:
            for line in answer.read().decode().splitlines():
                name, _, value = line.partition(" ")
                if name == metric:
                    total += int(float(value))
    return total


def run(name, options):
    """One scenario."""
    scenario, begun = SCENARIOS[name], time.monotonic()
    words = ["--reads", "quorum"] if scenario.isQuorum else []
    with Fleet(options.nats, options.server, options=words, **scenario.fleet) as fleet:
        fleet.settle()
        load = Load(name, fleet.nodes, writers=options.writers, **scenario.load)
        scene = Scene(
            fleet, load, random.Random(options.seed), isLong=options.changes >= 20_000)

        async def all_of_it():
            times = await drive(
                scenario, scene, options.changes, options.rounds or scenario.rounds)
            if scenario.isControl:
                return await control(scene)
            return await judge(scenario, scene, times, begun)
        try:
            cells, wrong = asyncio.run(all_of_it())
        except BaseException:
            print_logs(fleet)
            raise
        if wrong:
            print_logs(fleet)
    return Result(name, cells, wrong)


def print_logs(fleet):
    for node in fleet.nodes:
        print(f"--- {node.name}\n{node.text[-1500:]}", file=sys.stderr)


def attempt(name, options):
    """Runs a scenario and prints its row: whether nothing is wrong."""
    if SCENARIOS[name].needsRoot and not is_root():
        print(f"| {name} | skipped: it needs root |", flush=True)
        return True
    try:
        result = run(name, options)
    except (AssertionError, NATSError, OSError) as error:
        traceback.print_exception(error)
        print(f"| {name} | FAILED: {error} |", flush=True)
        return False
    print(result.row, flush=True)
    for one in result.wrong[:20]:
        print(f"  wrong: {one}", flush=True)
    if result.wrong:
        print(f"  {name}: {len(result.wrong)} wrong", flush=True)
    return not result.wrong


def delegate(name, options):
    """The same in a process of its own."""
    words = [sys.executable, __file__, "--only-rows", "--server", options.server,
             "--nats", options.nats, "--changes", options.changes, "--writers", options.writers,
             "--seed", options.seed, *(["--rounds", options.rounds] if options.rounds else []),
             name]
    done = subprocess.run(
        list(map(str, words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    print(done.stdout, end="", flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--nats", default="nats-server")
    parser.add_argument("--changes", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, help="how often the trouble happens at least")
    parser.add_argument("--writers", type=int, default=24)
    parser.add_argument("--jobs", type=int, default=1, help="how many scenarios run at once")
    parser.add_argument("--part", metavar="K/N", help="only the K-th of N parts of the scenarios")
    parser.add_argument("--only-rows", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--list", action="store_true", help="prints the scenarios")
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    options = parser.parse_args()
    if options.list:
        for name, scenario in SCENARIOS.items():
            print(f"{name:20} {scenario.about}{' (root)' if scenario.needsRoot else ''}")
        return
    names = options.scenarios or list(SCENARIOS)
    if options.part:
        part, parts = map(int, options.part.split("/"))
        names = names[part - 1::parts]
    for name in names:
        if name not in SCENARIOS:
            parser.error(f"there is no scenario {name}; --list prints them")
    if options.jobs == 1:
        enter_namespaces()
    if not options.only_rows:
        print(f"seed {options.seed}\n| {' | '.join(Result.COLUMNS)} |", flush=True)
        print("|" + " --- |" * len(Result.COLUMNS), flush=True)
    if options.jobs == 1:
        isWell = [attempt(name, options) for name in names]
    else:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            isWell = list(pool.map(lambda name: delegate(name, options), names))
    failed = [name for name, well in zip(names, isWell) if not well]
    if failed:
        sys.exit(f"failed: {' '.join(failed)}")


if __name__ == "__main__":
    main()
