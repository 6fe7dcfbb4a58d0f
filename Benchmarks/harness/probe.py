"""A well-behaved client of a kind: one GET every millisecond; what it waits is what others notice.

    python3 probe.py PORT PATH SECONDS

Prints the times in seconds as a JSON list; null stands for an answer that was not 200.
"""

import json
import socket
import sys
import time


def main(port: int, path: str, seconds: float) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    times: list[float | None] = []
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            began = time.monotonic()
            connection.sendall(request)
            answer = connection.recv(65536)  # a small session arrives whole
            times.append(time.monotonic() - began if answer.startswith(b"HTTP/1.1 200") else None)
            time.sleep(0.001)
    print(json.dumps(times))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]))
