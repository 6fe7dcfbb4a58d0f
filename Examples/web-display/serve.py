#!/usr/bin/env python3
"""Serves this folder, and hands everything else on to a navstate server.

    python3 serve.py --navstate http://127.0.0.1:8080 --port 8090

So the page and the server have the same origin, as behind a reverse proxy, and no origin has to
be allowed. Streams are passed on as they arrive.
"""
import argparse
import http.client
import http.server
import pathlib
import urllib.parse

FOLDER = pathlib.Path(__file__).resolve().parent
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src data:; base-uri 'none'; form-action 'none'"
# These belong to one connection and are not passed on (RFC 9110, 7.6.1).
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    upstream = ("127.0.0.1", 8080)

    def handle_any(self):
        path = urllib.parse.urlsplit(self.path).path
        file = FOLDER / ("index.html" if path == "/" else path[1:])
        if file.parent == FOLDER and file.suffix in TYPES and file.is_file():
            self.serve_file(file)
        else:
            self.forward()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = handle_any

    def serve_file(self, file):
        body = file.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", TYPES[file.suffix] + "; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.end_headers()
        self.wfile.write(body)

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {k: v for k, v in self.headers.items() if k.lower() not in HOP_BY_HOP}
        connection = http.client.HTTPConnection(*self.upstream)
        try:
            connection.request(self.command, self.path, body or None, headers)
            response = connection.getresponse()
        except OSError as error:
            self.send_error(502, explain=str(error))
            return
        self.send_response_only(response.status, response.reason)
        for name, value in response.getheaders():
            if name.lower() not in HOP_BY_HOP:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        while chunk := response.read1(65536):
            self.wfile.write(chunk)
            self.wfile.flush()
        connection.close()

    def handle(self):
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            pass  # The browser has left; there is nobody to tell.

    def log_message(self, *arguments):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--navstate", default="http://127.0.0.1:8080")
    parser.add_argument("--port", type=int, default=8090)
    options = parser.parse_args()
    url = urllib.parse.urlsplit(options.navstate)
    Handler.upstream = (url.hostname, url.port or 80)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.daemon_threads = True
    print(f"http://127.0.0.1:{server.server_port}/?session=display-1", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
