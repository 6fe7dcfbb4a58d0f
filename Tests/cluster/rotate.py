#!/usr/bin/env python3
"""A proxy that sends each request to the next of several navstates.

    rotate.py [--listen 127.0.0.1:0] [--pause SECONDS] http://127.0.0.1:8081 ...

It prints its own URL. A connection carries one request: the proxy asks the server to close it, and
says nothing of its own but what the server says, so streams and long polls pass as they come. A
server that takes no connection is passed over. With --pause each request waits so long before it is
sent on: time in which the other servers learn what the request before it has changed. The answer to
a change of a session is passed on when all of them have that revision, which takes longer on a busy
machine.
"""
import argparse
import asyncio
import re
import time
import urllib.parse

CHUNK = 1 << 16
#: How long the other servers may take to learn of a change, in seconds. What then lacks it shows it.
PATIENCE = 5


class Rotation:
    """The servers, and whose turn it is."""

    def __init__(self, urls, pause=0):
        self.pause = pause
        parts = [urllib.parse.urlsplit(url) for url in urls]
        self.places = [(part.hostname, part.port) for part in parts]
        self.turn = 0
        #: How many requests each server got.
        self.counts = [0] * len(urls)

    async def connect(self):
        """A connection to the next server that takes one."""
        failure = None
        for _ in self.places:
            at = self.turn
            self.turn = (self.turn + 1) % len(self.places)
            try:
                connection = await asyncio.open_connection(*self.places[at])
                self.counts[at] += 1
                return connection
            except OSError as error:
                failure = error
        raise failure

    async def settle(self, path, fields, answer):
        """Waits until all servers have the revision that a change has made."""
        tag = re.search(rb"\r\netag: ([^\r]*)", answer, re.IGNORECASE)
        allowed = [field for field in fields if field.lower().startswith((b"host:", b"authoriz"))]
        request = b"\r\n".join([b"GET %s HTTP/1.1" % path, *allowed, b"Connection: close"])
        end = time.monotonic() + PATIENCE
        for place in self.places if tag else []:
            while time.monotonic() < end:
                reader, writer = await asyncio.open_connection(*place)
                writer.write(request + b"\r\n\r\n")
                known = await reader.read()
                writer.close()
                if b"\r\netag: %s\r\n" % tag[1].lower() in known.lower():
                    break
                await asyncio.sleep(0.01)

    async def serve(self, reader, writer):
        other = None
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            lines = [line for line in head[:-4].split(b"\r\n")
                     if not line.lower().startswith(b"connection:")]
            await asyncio.sleep(self.pause)
            other_reader, other = await self.connect()
            other.write(b"\r\n".join([*lines, b"Connection: close"]) + b"\r\n\r\n")
            up = asyncio.create_task(copy(reader, other))
            if self.pause and (session := re.match(rb"POST (/v1/sessions/[^/ ]+)/", lines[0])):
                answer = await other_reader.readuntil(b"\r\n\r\n")
                await self.settle(session[1], lines[1:], answer)
                writer.write(answer)
            await copy(other_reader, writer)
            up.cancel()
        except (OSError, EOFError, asyncio.LimitOverrunError):
            pass
        finally:
            for one in (writer, other):
                if one is not None:
                    one.close()


async def copy(reader, writer):
    """Everything up to the end; the end of the client ends the server's connection too."""
    try:
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def serve(urls, listen="127.0.0.1:0", pause=0):
    """A server, and its URL."""
    host, _, port = listen.rpartition(":")
    rotation = Rotation(urls, pause)
    server = await asyncio.start_server(rotation.serve, host, int(port), limit=1 << 20)
    return server, "http://%s:%d" % server.sockets[0].getsockname()[:2], rotation


async def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", default="127.0.0.1:0")
    parser.add_argument("--pause", type=float, default=0, metavar="SECONDS")
    parser.add_argument("urls", nargs="+")
    options = parser.parse_args()
    server, url, _ = await serve(options.urls, options.listen, options.pause)
    print(url, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        pass
