"""The requirements on every reverse proxy in front of a server: a strong tag, a live stream with
each change at once, a read that waits, and the end of both sides."""
import http.client, json, signal, socket, subprocess, time


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server: return server.getsockname()[1]


def serve(executable, data):
    """A server that goes by the examples' name; its process and port."""
    process = subprocess.Popen(
        [executable, "--listen", "127.0.0.1:0", "--data", str(data), "--allowed-host",
         "api.example"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    line = "{}"
    while "address" not in json.loads(line): line = process.stderr.readline()
    return process, int(json.loads(line)["address"].rpartition(":")[2])


def until_open(port):
    for _ in range(200):
        try: return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError: time.sleep(0.05)
    raise AssertionError("the proxy does not listen")


def drive(connect, server, origin):
    """Does all of that over connections of `connect` and stops the server; the slowest change.

    `origin` is that of the proxy, as a browser names it."""
    def call(method, path, value=None, fields={}):
        link = connect()
        body = None if value is None else json.dumps(value)
        headers = {"Host": origin.partition("://")[2], **fields}
        if body is not None: headers["Content-Type"] = "application/json"
        link.request(method, path, body, headers)
        answer = link.getresponse()
        data = answer.read()
        link.close()
        return answer, data

    answer, body = call("POST", "/v1/sessions", {"id": "kiosk"})
    assert answer.status == 201, body
    assert answer.headers["X-Request-Id"], "the proxy's request id comes back"
    tag = answer.headers["ETag"]
    answer, body = call("POST", "/v1/sessions", {"id": "page"}, {"Origin": origin})
    assert answer.status == 201, body

    stream = connect()
    stream.request("GET", "/v1/sessions/kiosk/events", headers={"Host": "api.example"})
    events = stream.getresponse()
    assert events.status == 200 and events.headers["Content-Type"] == "text/event-stream"

    def event():
        found = {}
        while True:
            line = events.readline()
            assert line, "the proxy has closed the stream"
            text = line.decode().rstrip("\r\n")
            if text.startswith(":"): continue  # a comment: the server's sign of life
            if not text and found: return found
            name, _, value = text.partition(": ")
            if name: found[name] = value

    first = event()
    assert first.get("event") == "snapshot", first
    delays = []
    for number in range(20):
        begun = time.monotonic()
        answer, body = call("POST", "/v1/sessions/kiosk/navigate", {"route": f"r{number}"})
        assert answer.status == 200, body
        change = event()
        delays.append(time.monotonic() - begun)
        assert change.get("event") == "change", change
        assert json.loads(change["data"])["session"]["visible"]["route"] == f"r{number}"
    # A proxy that collects the stream in a buffer would pass a change on with the comments that the
    # server adds every 15 s, or never.
    assert max(delays) < 12, delays

    begun = time.monotonic()
    answer, _ = call("GET", "/v1/sessions/kiosk", fields={"If-None-Match": tag})
    assert answer.status == 200
    answer, _ = call("GET", "/v1/sessions/kiosk",
                     fields={"If-None-Match": answer.headers["ETag"], "Prefer": "wait=1"})
    assert answer.status == 304 and time.monotonic() - begun >= 0.9

    server.send_signal(signal.SIGTERM)
    rest = events.read().decode()
    assert "retry: " in rest, rest
    assert server.wait(10) == 0
    answer, _ = call("GET", "/readyz")
    assert answer.status in (502, 503), answer.status
    return max(delays)


def end(*processes):
    for process in processes:
        if process.poll() is None: process.terminate()
    for process in processes:
        try: process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
