"""Servers under measurement: started on one core, ended by their own process id."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time

START_SECONDS_MAX = 120
STOP_SECONDS_MAX = 20
CORES_AT_START = os.sched_getaffinity(0)  # before this process pins itself


def cores() -> tuple[int, int]:
    """The server's core and the load's: the same one where there is only one."""
    usable = sorted(CORES_AT_START)
    return usable[0], usable[-1]


def on_cores(numbers) -> list[str]:
    """The words before a command that runs it on these cores, whatever this process is pinned
    to."""
    return ["taskset", "-c", ",".join(map(str, sorted(numbers)))]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers_200(port: int, path: str = "/readyz") -> bool:
    """Whether one GET is answered by 200 now; a refused connection is a no."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            return connection.recv(65536).startswith(b"HTTP/1.1 200")
    except OSError:
        return False


def resident_bytes(process: int) -> int:
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def accepts(port: int) -> bool:
    """Whether a connection is accepted now: that is ready for a server that does not speak HTTP."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5):
            return True
    except OSError:
        return False


class Server:
    """One process that listens on `port`. It outlives no run: use `running`."""

    def __init__(self, name: str, command: list[str], port: int, log: pathlib.Path,
                 pinned: bool = True, is_ready=answers_200):
        self.name, self.port, self.log = name, port, log
        self.is_ready = is_ready
        self.ready_seconds = 0.0  # from its start to its first 200
        pin = on_cores([cores()[0]] if pinned else CORES_AT_START)
        self._began = time.monotonic()
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*pin, *command], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True)

    @property
    def id(self) -> int:
        return self.process.pid

    def wait_until_ready(self) -> float:
        """Seconds from the start of the process to its first 200."""
        while time.monotonic() - self._began < START_SECONDS_MAX:
            if self.is_ready(self.port):
                return time.monotonic() - self._began
            if self.process.poll() is not None:
                break
            time.sleep(0.0005)
        words = self.log.read_text(errors="replace")[-2000:]
        raise SystemExit(f"{self.name} did not start (exit {self.process.poll()}):\n{words}")

    def cpu_seconds(self) -> float:
        """CPU time of all threads, ended ones too: the process's clock, clock_getcpuclockid(3)."""
        return time.clock_gettime((~self.id << 3) | 2)

    def resident_bytes(self) -> int:
        return resident_bytes(self.id)

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """Asks, waits, and only then insists."""
        if self.process.poll() is None:
            self.resume()
            self.process.terminate()
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                print(f"  {self.name} did not end within {STOP_SECONDS_MAX} s of SIGTERM: killed")
                self.process.kill()
                self.process.wait()


@contextlib.contextmanager
def running(name: str, command: list[str], port: int, log: pathlib.Path, pinned: bool = True,
            is_ready=answers_200):
    """A server that is ready, and that has ended when the block is left, however that happens."""
    server = Server(name, command, port, log, pinned, is_ready)
    try:
        server.ready_seconds = server.wait_until_ready()
        yield server
    finally:
        server.stop()


def output_of(command: list[str], seconds: float) -> str:
    """Runs a load generator on the load's core; it is killed when this is interrupted."""
    _, core = cores()
    process = subprocess.Popen(
        ["taskset", "-c", str(core), *command], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds + 90)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    if process.returncode != 0:
        raise SystemExit(f"{command[0]} failed ({process.returncode}):\n{output}")
    return output
