"""Debian's nginx with our example's configuration in front of a server, and a stream through it."""

import argparse
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--config", required=True)
arguments = parser.parse_args()
work = pathlib.Path(tempfile.mkdtemp(prefix="navstate-nginx-"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


server = subprocess.Popen(
    [arguments.server, "--listen", "127.0.0.1:0", "--data", str(work / "data"),
     "--allowed-host", "api.example"],
    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
)
line = ""
while "sessions " not in line:
    line = server.stdout.readline()
backend, front = int(line.split(":")[2].split("/")[0]), free_port()
config = open(arguments.config).read()
config = config.replace("server 127.0.0.1:8080;", f"server 127.0.0.1:{backend};")
config = re.sub(r"listen 8081;", f"listen 127.0.0.1:{front};", config)
(work / "nginx.conf").write_text(
    f"""daemon off; master_process off; worker_processes 1; pid {work}/nginx.pid; error_log stderr;
events {{ worker_connections 64; }}
http {{ access_log off;
client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/f;
uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
{config}
}}
"""
)
nginx = subprocess.Popen(
    ["nginx", "-c", str(work / "nginx.conf"), "-p", str(work)], stderr=subprocess.PIPE, text=True
)
try:
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", front)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)

    def call(method, path, value=None, fields={}):
        link = http.client.HTTPConnection("127.0.0.1", front, timeout=10)
        body = None if value is None else json.dumps(value)
        headers = {"Host": "api.example", **fields}
        if body is not None:
            headers["Content-Type"] = "application/json"
        link.request(method, path, body, headers)
        answer = link.getresponse()
        return answer, answer.read()

    answer, body = call("POST", "/v1/sessions", {"id": "kiosk"})
    assert answer.status == 201, body
    assert answer.headers["X-Request-Id"], "nginx's request id comes back"
    tag = answer.headers["ETag"]

    stream = http.client.HTTPConnection("127.0.0.1", front, timeout=10)
    stream.request("GET", "/v1/sessions/kiosk/events", headers={"Host": "api.example"})
    events = stream.getresponse()
    assert events.status == 200 and events.headers["Content-Type"] == "text/event-stream"

    def event():
        found = {}
        while True:
            text = events.readline().decode().rstrip("\r\n")
            if not text and found:
                return found
            name, _, value = text.partition(": ")
            if name:
                found[name] = value

    assert event()["event"] == "snapshot"
    delays = []
    for number in range(20):
        begun = time.monotonic()
        answer, body = call("POST", "/v1/sessions/kiosk/navigate", {"route": f"r{number}"})
        assert answer.status == 200, body
        change = event()
        delays.append(time.monotonic() - begun)
        assert change["event"] == "change"
        assert json.loads(change["data"])["session"]["visible"]["route"] == f"r{number}"
    assert max(delays) < 1, delays

    begun = time.monotonic()
    answer, _ = call("GET", "/v1/sessions/kiosk", fields={"If-None-Match": tag})
    assert answer.status == 200
    now = answer.headers["ETag"]
    answer, _ = call(
        "GET", "/v1/sessions/kiosk", fields={"If-None-Match": now, "Prefer": "wait=1"}
    )
    assert answer.status == 304 and time.monotonic() - begun >= 0.9

    server.send_signal(signal.SIGTERM)
    rest = events.read().decode()
    assert "retry: " in rest, rest
    assert server.wait(10) == 0
    answer, _ = call("GET", "/readyz")
    assert answer.status == 502
    print(f"nginx: a stream of 20 changes, each within {max(delays) * 1000:.0f} ms; ended with retry:")
finally:
    nginx.terminate()
    nginx.wait(10)
    if server.poll() is None:
        server.kill()
        server.wait(10)
subprocess.run(["rm", "-rf", str(work)], check=True)
