#!/usr/bin/env python3
"""The tests that `navstate app explore --emit playwright` makes of the example apps, run as their
user runs them, against a server that wants a token.

    python3 Tests/browser/emitted_test.py --server .build/release/navstate

@playwright/test is a package of npm. In its place stands `emitted.js`, which has as much of it as
the emitted tests use. What it needs otherwise is as in console_test.py, and node.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

import playwright

from console_test import ROOT
from server import Server
from support import Ledger

APPS = ROOT / "Examples/apps"
TOKEN = "emitted-tests-0123456789abcdef"
DRIVER = pathlib.Path(playwright.__file__).parent / "driver/package"


def run(server, binary, app, folder):
    made = subprocess.run([binary, "app", "explore", APPS / f"{app}.json", "--emit", "playwright"],
                          capture_output=True, text=True, check=True).stdout
    script = folder / f"{app}.spec.mjs"
    script.write_text(made)
    assert made.count("\ntest(") >= 6, made
    ended = subprocess.run(["node", script], capture_output=True, text=True, timeout=300, env={
        **os.environ, "NAVSTATE_URL": server.url, "NAVSTATE_TOKEN": TOKEN, "PLAYWRIGHT": str(DRIVER)})
    assert ended.returncode == 0, ended.stdout + ended.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    binary = pathlib.Path(parser.parse_args().server).resolve()
    ledger = Ledger()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        module = folder / "node_modules/@playwright/test"
        module.mkdir(parents=True)
        (module / "package.json").write_text('{ "type": "module", "exports": "./index.js" }')
        (module / "index.js").write_text((ROOT / "Tests/browser/emitted.js").read_text())
        (folder / "tokens").write_text(f"{TOKEN} admin\n")
        (folder / "tokens").chmod(0o600)
        server = Server(binary, apps=APPS, options=("--token-file", folder / "tokens"))
        try:
            for path in sorted(APPS.glob("*.json")):
                ledger.run(f"each screen of {path.stem} is shown",
                           lambda app=path.stem: run(server, binary, app, folder))
        finally:
            server.close()
    return ledger.end()


if __name__ == "__main__":
    sys.exit(main())
