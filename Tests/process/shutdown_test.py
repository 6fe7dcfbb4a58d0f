#!/usr/bin/env python3
"""A power cut, as near as a machine comes to it alone: a file system on a loop mount is shut down by
ioctl under load, without flushing its log, and mounted again.

    shutdown_test.py [--server .build/release/navstate] [--rounds 20]

As acknowledged counts what was acknowledged before the ioctl began. The control run syncs nothing
and must lose some of that, or the test would prove nothing. Needs root.
"""
import argparse, fcntl, os, pathlib, random, struct, subprocess, sys, tempfile, time
from harness import *

SHUTDOWN = 0x8004587D
WITHOUT_LOG = struct.pack("I", 2)


def cut(options, root, fsync, seconds):
    """One power cut. Returns acknowledged changes, and those that are gone."""
    image, place = root / "image", root / "mounted"
    with open(image, "wb") as file: file.truncate(512 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    with Mount(str(place), "-o", "loop", str(image)) as mount:
        oracle = Oracle()
        with Server(options.server, place / "data", f"--fsync={fsync}") as server:
            assert server.port, server.text
            writers = oracle.write(server, [f"s{n}" for n in range(16)], seconds)
            directory = os.open(place, os.O_RDONLY)
            before = {w.session: w.acknowledged for w in writers}
            fcntl.ioctl(directory, SHUTDOWN, WITHOUT_LOG)
            os.close(directory)
            time.sleep(0.05)
            server.kill()
            oracle.learn(writers)
        mount.again("-o", "loop", str(image))
        lost = 0
        with Server(options.server, place / "data", "--recover") if fsync == "never" else Server(
                options.server, place / "data") as server:
            assert server.port, f"exit {server.code}: {server.text}"
            for name, acknowledged in before.items():
                status, value = server.call("GET", f"/v1/sessions/{name}")
                revision = value["revision"] if status == 200 else 0
                assert revision <= oracle.expected[name][1], f"{name}: {revision} was never asked"
                lost += max(0, acknowledged - revision)
            assert server.end() == 0
        return sum(before.values()), lost


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", default=".build/release/navstate")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("needs root")
        return
    print(f"seed {options.seed}")
    chance, passed, failed = random.Random(options.seed), 0, 0
    total = controlled = controlLost = 0
    for number in range(options.rounds):
        for fsync in ["always"] + (["never"] if number % 5 == 0 else []):
            with tempfile.TemporaryDirectory(prefix="navstate-cut-") as root:
                kept, lost = cut(options, pathlib.Path(root), fsync, chance.uniform(0.3, 2))
            if fsync == "never":
                controlled, controlLost = controlled + kept, controlLost + lost
            else:
                total += kept
                if lost:
                    failed += 1
                    print(f"round {number}: {lost} of {kept} acknowledged changes are gone")
                else: passed += 1
    if controlLost: passed += 1
    else:
        failed += 1
        print("the control run without syncs lost nothing")
    print(f"{total} acknowledged changes over {options.rounds} cuts, "
          f"control without syncs lost {controlLost} of {controlled}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
