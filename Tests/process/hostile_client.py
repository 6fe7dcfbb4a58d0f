"""A client that means harm, of one of several kinds, until it is killed.

    python3 hostile_client.py PORT KIND

It expects the sessions `probe` and `large` to be there. The hostile test and the benchmark
`neighbours` run it.
"""

import socket
import sys
import time

port, kind = int(sys.argv[1]), sys.argv[2]
def connect(receive=None):
    client = socket.socket()
    if receive: client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
    client.connect(("127.0.0.1", port))
    return client
HEAD = b"Host: localhost\r\n"
if kind == "pipeline":
    client = connect(); client.setblocking(False)
    data = b"GET /v1/sessions/probe HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000
    view = memoryview(data)
    while True:
        moved = False
        try:
            sent = client.send(view); view = view[sent:] if sent < len(view) else memoryview(data)
            moved = True
        except BlockingIOError: pass
        try: client.recv(1 << 20); moved = True
        except BlockingIOError: pass
        if not moved: time.sleep(0.0005)
elif kind == "never-reads":
    keep = []
    while True:
        for _ in range(20):
            client = connect(4096); client.setblocking(False); keep.append(client)
            try: client.send(b"GET /v1/sessions/large HTTP/1.1\r\nHost: localhost\r\n\r\n" * 50)
            except BlockingIOError: pass
        time.sleep(0.1)
        while len(keep) > 200: keep.pop(0).close()
elif kind == "bodies":
    body = b"[" * 60 + b'"' + b"x" * (1 << 19) + b'"' + b"]" * 60
    while True:
        client = connect()
        client.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        client.sendall(body); client.recv(4096); client.close()
        time.sleep(0.02)
elif kind == "connects":
    while True:
        clients = [connect() for _ in range(50)]
        for client in clients: client.close()
        time.sleep(0.02)
elif kind == "garbage":
    while True:
        client = connect(); client.sendall(b"\x16\x03\x01" * 3000)
        try: client.recv(4096)
        except OSError: pass
        client.close(); time.sleep(0.005)
elif kind == "slow-heads":
    clients = [connect() for _ in range(500)]
    while True:
        for client in clients:
            try: client.send(b"X")
            except OSError: pass
        time.sleep(1)
