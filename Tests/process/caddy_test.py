"""Debian's Caddy with our example's configuration in front of a server, and a stream through its TLS.

    caddy_test.py --server .build/release/navstate --config Examples/Caddyfile
"""
import argparse, http.client, os, pathlib, socket, ssl, subprocess, tempfile, time
import front

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--config", required=True)
arguments = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="navstate-caddy-")
work = pathlib.Path(folder.name)

server, backend = front.serve(arguments.server, work / "data")
port = front.free_port()
example = open(arguments.config).read()
# The certificate is Caddy's own instead of a public authority's; nothing else is changed.
assert "\napi.example {\n" in example and "reverse_proxy 127.0.0.1:8080 {" in example
(work / "Caddyfile").write_text(
    f"{{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n"
    f"\tstorage file_system {work}/storage\n\tdefault_bind 127.0.0.1\n}}\n"
    + example.replace("\napi.example {\n", f"\nhttps://api.example:{port} {{\n\ttls internal\n")
    .replace("reverse_proxy 127.0.0.1:8080 {", f"reverse_proxy 127.0.0.1:{backend} {{"))
formatted = subprocess.run(["caddy", "fmt", arguments.config], capture_output=True, text=True)
assert formatted.stdout == example, "caddy fmt would write the example otherwise"
caddy = subprocess.Popen(
    ["caddy", "run", "--adapter", "caddyfile", "--config", str(work / "Caddyfile")],
    stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(work)})
try:
    front.until_open(port)
    root = work / "storage/pki/authorities/local/root.crt"
    for _ in range(100):
        if root.exists() and root.stat().st_size: break
        time.sleep(0.05)
    trust = ssl.create_default_context(cafile=str(root))

    def connect():
        link = http.client.HTTPSConnection("api.example", port, timeout=10)
        plain = socket.create_connection(("127.0.0.1", port), timeout=10)
        link.sock = trust.wrap_socket(plain, server_hostname="api.example")
        return link

    for _ in range(100):
        try:
            connect().close()
            break
        except ssl.SSLError: time.sleep(0.05)
    slowest = front.drive(connect, server, f"https://api.example:{port}")
    print(f"Caddy: a stream of 20 changes, each within {slowest * 1000:.0f} ms; ended with retry:")
finally:
    front.end(caddy, server)
