#!/usr/bin/env python3
"""TLS by a proxy, with the very configuration that docs/threat-model.md shows.

    proxy_test.py --server .build/release/navstate

Needs nginx and openssl. Ends with a line "N passed, N failed", and with 1 if anything failed.
"""
import argparse, contextlib, http.client, json, os, pathlib, re, shutil, signal, socket, ssl, subprocess, sys
import tempfile, time

passed, failed = 0, 0
root = pathlib.Path(__file__).resolve().parents[2]


def check(name, good, note=""):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print(f"FAIL {name}  {note}", flush=True)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def configuration(folder, port, upstream):
    """The page's example, with other ports and places."""
    page = (root / "docs/threat-model.md").read_text()
    block = re.search(r"( {6}server \{\n.*?\n {6}\}\n)", page, re.S).group(1)
    block = block.replace("listen 443", f"listen 127.0.0.1:{port}")
    block = block.replace("127.0.0.1:8080", f"127.0.0.1:{upstream}")
    block = block.replace("/etc/ssl/", folder + "/")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in
                        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    return (f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error;\n"
            f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{block}}}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--server", required=True)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="navstate-proxy-")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
                    "-subj", "/CN=nav.example", "-addext", "subjectAltName=DNS:nav.example",
                    "-keyout", folder + "/nav.key", "-out", folder + "/nav.pem"],
                   check=True, stderr=subprocess.DEVNULL)
    upstream, port = free_port(), free_port()
    with open(folder + "/nginx.conf", "w") as file:
        file.write(configuration(folder, port, upstream))
    server = subprocess.Popen(
        [options.server, "--listen", f"127.0.0.1:{upstream}", "--data", folder + "/data",
         "--allowed-host", "nav.example"], stdout=subprocess.DEVNULL)
    proxy = subprocess.Popen(["nginx", "-e", folder + "/error", "-c", folder + "/nginx.conf"])
    try:
        trust = ssl.create_default_context(cafile=folder + "/nav.pem")

        def connect():
            for _ in range(100):
                try:
                    plain = socket.create_connection(("127.0.0.1", port), timeout=10)
                    break
                except OSError:
                    time.sleep(0.1)
            client = http.client.HTTPSConnection("nav.example", context=trust, timeout=10)
            client.sock = trust.wrap_socket(plain, server_hostname="nav.example")
            return client

        def ask(client, method, path, body=None, **fields):
            if body is not None:
                fields["Content-Type"] = "application/json"
            client.request(method, path, body, fields)
            answer = client.getresponse()
            return answer, answer.read()

        time.sleep(0.5)
        client = connect()
        answer, body = ask(client, "POST", "/v1/sessions", '{"id":"a"}')
        check("a session is made over TLS", answer.status == 201, body)
        tag = answer.headers["ETag"]
        answer, body = ask(client, "POST", "/v1/sessions/a/navigate", '{"route":"r"}',
                           **{"If-Match": tag})
        check("a strong tag comes back as it went", answer.status == 200, body)
        answer, body = ask(client, "POST", "/v1/sessions/a/back", "{}",
                           Origin="https://nav.example")
        check("the server's own page may send changes", answer.status == 200, body)
        answer, _ = ask(client, "POST", "/v1/sessions/a/back", "{}", Origin="https://evil.example")
        check("a foreign page may not", answer.status == 403)
        stream = connect()
        stream.request("GET", "/v1/sessions/a/events", headers={"Accept": "text/event-stream"})
        events = stream.getresponse()
        check("a stream opens at once", events.status == 200 and b"snapshot" in events.fp.readline()
              + events.fp.readline() + events.fp.readline() + events.fp.readline())
        # A proxy that collects the stream in a buffer sends nothing before much more has come. The
        # connection's timeout is below the 15 s after which the server adds a comment.
        ask(client, "POST", "/v1/sessions/a/navigate", '{"route":"s"}')
        seen = b""
        with contextlib.suppress(TimeoutError):
            while b"event: change" not in seen and (line := events.fp.readline()):
                seen += line
        check("a change comes through the proxy", b"event: change" in seen, seen)
    finally:
        proxy.send_signal(signal.SIGQUIT)
        server.terminate()
        try:
            proxy.wait(5)
        except subprocess.TimeoutExpired:
            proxy.kill()
        server.wait(15)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
