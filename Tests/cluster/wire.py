#!/usr/bin/env python3
"""A proxy in front of a NATS server that harms what passes.

    wire.py HOST:PORT

It prints its own port, then carries out what it reads, a line each, and answers each with a line:

    pass              everything passes again; what was held is delivered
    hang              nothing passes, in either direction; connections stay open
    hold              what the server says does not pass; what the client says does
    double P          a message is sent twice with the probability P, in both directions
    halve             the next message of each connection is cut in the middle, and the connection
                      ends there
    drop              all connections end
    count             tells how many messages passed, were doubled and were halved

What a client sent before it went away reaches the server, as it may from the buffers of a network.
"""
import asyncio
import random
import sys

CHUNK = 1 << 16


class Parser:
    """Cuts what one side says into whole messages and other lines."""

    def __init__(self):
        self.rest = b""

    def take(self, data):
        """Whole frames: their bytes, and whether they are messages."""
        self.rest += data
        frames, place = [], 0
        while True:
            end = self.rest.find(b"\r\n", place)
            if end < 0:
                break
            words = self.rest[place:end].split()
            isMessage = bool(words) and words[0].upper() in (b"PUB", b"HPUB", b"MSG", b"HMSG")
            length = end + 2 - place
            if isMessage:
                length += int(words[-1]) + 2
            if place + length > len(self.rest):
                break
            frames.append((self.rest[place:place + length], isMessage))
            place += length
        self.rest = self.rest[place:]
        return frames


class Wire:
    """All connections to one server."""

    def __init__(self, host, port):
        self.host, self.port = host, port
        self.holds = {"up": False, "down": False}
        self.released = asyncio.Event()
        self.doubling = 0.0
        self.connections = {}
        self.passed = self.doubled = self.halved = 0

    async def serve(self, reader, writer):
        try:
            other_reader, other_writer = await asyncio.open_connection(self.host, self.port)
        except OSError:
            writer.close()
            return
        connection = {"halves": False, "writers": (writer, other_writer)}
        self.connections[id(connection)] = connection
        try:
            await asyncio.gather(
                self.move("up", connection, reader, other_writer),
                self.move("down", connection, other_reader, writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            del self.connections[id(connection)]
            writer.close()
            other_writer.close()

    async def move(self, side, connection, reader, writer):
        parser = Parser()
        while data := await reader.read(CHUNK):
            while self.holds[side]:
                await self.released.wait()
            for frame, isMessage in parser.take(data):
                if writer.transport.is_closing():
                    return
                self.passed += isMessage
                if isMessage and connection["halves"]:
                    self.halved += 1
                    writer.write(frame[:max(1, len(frame) // 2)])
                    await writer.drain()
                    raise OSError("halved")
                writer.write(frame)
                if isMessage and self.doubling and random.random() < self.doubling:
                    self.doubled += 1
                    writer.write(frame)
            await writer.drain()
        writer.write_eof()

    def obey(self, order, *words):
        if order == "pass":
            self.holds = {"up": False, "down": False}
            self.doubling = 0.0
            self.released.set()
        elif order == "hang":
            self.hold("up", "down")
        elif order == "hold":
            self.hold("down")
        elif order == "double":
            self.doubling = float(words[0])
        elif order == "halve":
            for connection in self.connections.values():
                connection["halves"] = True
        elif order == "drop":
            for connection in self.connections.values():
                for writer in connection["writers"]:
                    writer.transport.abort()
        elif order != "count":
            return f"unknown: {order}"
        return f"{self.passed} {self.doubled} {self.halved}"

    def hold(self, *sides):
        self.released.clear()
        for side in sides:
            self.holds[side] = True


async def main():
    host, _, port = sys.argv[1].rpartition(":")
    wire = Wire(host, int(port))
    server = await asyncio.start_server(wire.serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    orders = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(orders), sys.stdin)
    while line := await orders.readline():
        print(wire.obey(*line.decode().split()), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
