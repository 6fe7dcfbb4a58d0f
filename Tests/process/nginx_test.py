"""Debian's nginx with our example's configuration in front of a server, and a stream through it.

    nginx_test.py --server .build/release/navstate --config Examples/nginx.conf
"""
import argparse, http.client, pathlib, re, subprocess, tempfile
import front

parser = argparse.ArgumentParser()
parser.add_argument("--server", required=True)
parser.add_argument("--config", required=True)
arguments = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="navstate-nginx-")
work = pathlib.Path(folder.name)

server, backend = front.serve(arguments.server, work / "data")
port = front.free_port()
config = open(arguments.config).read()
config = config.replace("server 127.0.0.1:8080;", f"server 127.0.0.1:{backend};")
config = re.sub(r"listen 8081;", f"listen 127.0.0.1:{port};", config)
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
    ["nginx", "-c", str(work / "nginx.conf"), "-p", str(work)], stderr=subprocess.DEVNULL)
try:
    front.until_open(port)
    slowest = front.drive(
        lambda: http.client.HTTPConnection("127.0.0.1", port, timeout=10), server,
        f"http://api.example:{port}")
    print(f"nginx: a stream of 20 changes, each within {slowest * 1000:.0f} ms; ended with retry:")
finally:
    front.end(nginx, server)
