"""The rules in Node, as a server of their own."""
import pathlib
import subprocess


class Rules:
    def __enter__(self):
        script = pathlib.Path(__file__).resolve().parent / "server.js"
        self.process = subprocess.Popen(["node", script], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise SystemExit("The rules did not start.")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
